/* write_rows.c - rows of columns as CSV text. */
#include <ctype.h>
#include <math.h>
#include <stdio.h>
#include <string.h>

#include "csv/csv.h"
#include "csv/number.h"

enum { FORMATTED = 512 };   /* bytes of a float by a conversion of at most 99 places */
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
        if (is_special(lun__csv_number_word(p), separator))
            return true;
    uint64_t rest = 0;
    memcpy(&rest, p, n);
    return is_special(rest, separator);
}

bool lun__csv_write_rows_is_bare(const lun__csv_form *form, const char *text, size_t length)
{
    return length && !needs_quotes(text, length, form->separator);
}

static char *put_text(char *to, const char *p, size_t n, const lun__csv_form *form)
{
    if (form->quotes == LUN__CSV_NEVER ||
        (form->quotes == LUN__CSV_NEEDED && n && !needs_quotes(p, n, form->separator))) {
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

/* A float by the conversion that is asked for, with the decimal point of any locale made ours. */
static char *put_formatted(char *to, double x, const lun__csv_form *form)
{
    char text[FORMATTED];
    bool point = false;
    int n = snprintf(text, sizeof text, form->floats, x);
    for (int i = 0; i < n && i < FORMATTED - 1; i++) {
        const char c = text[i];
        if (isalnum((unsigned char)c) || c == '+' || c == '-' || c == ' ') {
            *to++ = c;
            continue;
        }
        if (!point)
            *to++ = form->decimal;
        point = true;
    }
    return to;
}

static char *put_float(char *to, double x, const lun__csv_form *form)
{
    if (form->floats && isfinite(x))
        return put_formatted(to, x, form);
    char *end = lun__csv_format_float(to, x);
    char *point = form->decimal == '.' ? NULL : memchr(to, '.', (size_t)(end - to));
    if (point)
        *point = form->decimal;
    return end;
}

/* The number or truth value at a place of the kind's type. */
static char *put_plain(char *to, lun__csv_kind kind, const void *at, const lun__csv_form *form)
{
    const bool quoted = form->quotes == LUN__CSV_ALL;
    if (quoted)
        *to++ = '"';
    if (kind == LUN__CSV_I64)
        to = lun__csv_format_signed(to, *(const int64_t *)at);
    else if (kind == LUN__CSV_U64)
        to = lun__csv_format_unsigned(to, *(const uint64_t *)at);
    else if (kind == LUN__CSV_F64)
        to = put_float(to, *(const double *)at, form);
    else
        to = put_truth(to, *(const bool *)at);
    if (quoted)
        *to++ = '"';
    return to;
}

static char *put_missing(char *to, const lun__csv_form *form)
{
    memcpy(to, form->missing, form->missing_length);
    return to + form->missing_length;
}

static char *put_field(char *to, const lun__csv_column *c, int64_t row, const lun__csv_form *form)
{
    if (c->kind == LUN__CSV_TEXT) {
        const lun_string *s = &((const lun_string *)c->data)[row];
        return s->data ? put_text(to, s->data, (size_t)s->length, form) : put_missing(to, form);
    }
    if (c->valid && !c->valid[row])
        return put_missing(to, form);
    return put_plain(to, c->kind, (const char *)c->data + row * (c->kind == LUN__CSV_BOOL ? 1 : 8),
                     form);
}

/* A line of only blanks may be no row to a reader: its field is quoted, but for a missing text that
 * another row follows, for quotes make it the empty one. */
static char *keep_blank(char *line, char *end, const lun__csv_column *c, int64_t row,
                        const lun__csv_form *form)
{
    if (c->kind == LUN__CSV_TEXT && !((const lun_string *)c->data)[row].data && row < form->last)
        return end;
    for (const char *p = line; p < end; p++)
        if (*p != ' ' && *p != '\t')
            return end;
    memmove(line + 1, line, (size_t)(end - line));
    line[0] = '"';
    end[1] = '"';
    return end + 2;
}

bool lun__csv_write_rows_bound(const lun__csv_form *form, const lun__csv_column *columns,
                               int64_t count, int64_t first, int64_t last, size_t *bytes)
{
    size_t all = 0, field = form->floats ? FORMATTED : LUN__CSV_NUMBER;
    bool fits = true;
    for (int64_t k = 0; k < count; k++) {
        const lun_string *texts = columns[k].data;
        for (int64_t r = first; columns[k].kind == LUN__CSV_TEXT && r < last; r++) {
            size_t n = 0;
            if (texts[r].data)
                fits &= !__builtin_mul_overflow((size_t)texts[r].length, (size_t)2, &n);
            fits &= !__builtin_add_overflow(all, n, &all);
        }
    }
    size_t rows = (size_t)(last - first), fields = 0;
    field += form->missing_length + 4;
    fits &= !__builtin_mul_overflow((size_t)count * field + 4, rows, &fields) &&
            !__builtin_add_overflow(all, fields, bytes);
    return fits;
}

char *lun__csv_write_rows(char *to, const lun__csv_form *form, const lun__csv_column *columns,
                          int64_t count, int64_t first, int64_t last)
{
    for (int64_t r = first; r < last; r++) {
        char *line = to;
        for (int64_t k = 0; k < count; k++) {
            if (k)
                *to++ = form->separator;
            to = put_field(to, &columns[k], r, form);
        }
        if (count == 1 && form->quotes != LUN__CSV_NEVER)
            to = keep_blank(line, to, &columns[0], r, form);
        *to++ = '\n';
    }
    return to;
}
