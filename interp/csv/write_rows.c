/* write_rows.c - rows of columns as CSV text. */
#include <string.h>

#include "csv/csv.h"
#include "csv/number.h"

#define MARK "\357\273\277" /* a byte order mark, which a reader would strip */

/* Bytes of v that are 0 have their top bit set, and maybe others above one of them. */
static inline uint64_t zeros(uint64_t v)
{
    return (v - UINT64_C(0x0101010101010101)) & ~v & UINT64_C(0x8080808080808080);
}

/* Whether one of eight bytes makes a field need quotes. */
static inline bool is_special(uint64_t v, char separator)
{
    const uint64_t each = UINT64_C(0x0101010101010101);
    return zeros(v ^ each * (unsigned char)separator) | zeros(v ^ each * '"') |
           zeros(v ^ each * '\n') | zeros(v ^ each * '\r');
}

static bool needs_quotes(const char *p, size_t n, char separator)
{
    if (n >= 3 && memcmp(p, MARK, 3) == 0)
        return true;
    for (; n >= 8; p += 8, n -= 8)
        if (is_special(lun__csv_word(p), separator))
            return true;
    uint64_t rest = 0;
    memcpy(&rest, p, n);
    return is_special(rest, separator);
}

static char *put_text(char *to, const char *p, size_t n, char separator)
{
    if (!needs_quotes(p, n, separator)) {
        memcpy(to, p, n);
        return to + n;
    }
    *to++ = '"';
    for (size_t i = 0; i < n; i++) {
        if (p[i] == '"')
            *to++ = '"';
        *to++ = p[i];
    }
    *to++ = '"';
    return to;
}

static char *put_truth(char *to, bool x)
{
    size_t n = x ? 4 : 5;
    memcpy(to, x ? "true" : "false", n);
    return to + n;
}

static char *put_cell(char *to, const lun__csv_cell *c, char separator)
{
    switch (c->kind) {
    case LUN__CSV_I64:
        return lun__csv_put_signed(to, c->as.i);
    case LUN__CSV_F64:
        return lun__csv_put_float(to, c->as.d);
    case LUN__CSV_BOOL:
        return put_truth(to, c->as.b);
    default:
        return put_text(to, c->as.text, c->length, separator);
    }
}

static char *put_field(char *to, const lun__csv_column *c, int64_t row, char separator)
{
    switch (c->kind) {
    case LUN__CSV_I64:
        return lun__csv_put_signed(to, ((const int64_t *)c->data)[row]);
    case LUN__CSV_U64:
        return lun__csv_put_unsigned(to, ((const uint64_t *)c->data)[row]);
    case LUN__CSV_F64:
        return lun__csv_put_float(to, ((const double *)c->data)[row]);
    case LUN__CSV_BOOL:
        return put_truth(to, ((const bool *)c->data)[row]);
    default:
        return put_cell(to, &((const lun__csv_cell *)c->data)[row], separator);
    }
}

/* A line of only blanks may be no row to a reader: its field is quoted. */
static char *keep_blank(char *line, char *end)
{
    for (const char *p = line; p < end; p++)
        if (*p != ' ' && *p != '\t')
            return end;
    memmove(line + 1, line, (size_t)(end - line));
    line[0] = '"';
    end[1] = '"';
    return end + 2;
}

bool lun__csv_bound(const lun__csv_column *columns, int64_t count, int64_t first, int64_t last,
                    size_t *bytes)
{
    size_t all = 0;
    bool fits = true;
    for (int64_t k = 0; k < count; k++) {
        const lun__csv_cell *cells = columns[k].data;
        for (int64_t r = first; columns[k].kind == LUN__CSV_TEXT && r < last; r++) {
            size_t n = 0;
            if (cells[r].kind == LUN__CSV_TEXT)
                fits &= !__builtin_mul_overflow(cells[r].length, (size_t)2, &n);
            fits &= !__builtin_add_overflow(all, n, &all);
        }
    }
    size_t rows = (size_t)(last - first), fields = 0;
    fits &= !__builtin_mul_overflow((size_t)count * (LUN__CSV_NUMBER + 4) + 4, rows, &fields) &&
            !__builtin_add_overflow(all, fields, bytes);
    return fits;
}

char *lun__csv_put_rows(char *to, char separator, const lun__csv_column *columns, int64_t count,
                        int64_t first, int64_t last)
{
    for (int64_t r = first; r < last; r++) {
        char *line = to;
        for (int64_t k = 0; k < count; k++) {
            if (k)
                *to++ = separator;
            to = put_field(to, &columns[k], r, separator);
        }
        if (count == 1)
            to = keep_blank(line, to);
        *to++ = '\n';
    }
    return to;
}
