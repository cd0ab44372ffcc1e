/* write.c - rows of columns as JSON text; see json.h. */
#include <math.h>
#include <string.h>

#include "csv/number.h"
#include "json/json.h"

enum { LONGEST = 6 }; /* bytes of an escape */

static char *put(char *to, const char *text, size_t length)
{
    memcpy(to, text, length);
    return to + length;
}

static char *put_escape(char *to, unsigned char c)
{
    static const char digits[] = "0123456789abcdef", known[] = "\b\f\n\r\t\"\\", as[] = "bfnrt\"\\";
    const char *found = c ? strchr(known, c) : NULL;
    *to++ = '\\';
    if (found) {
        *to++ = as[found - known];
        return to;
    }
    to = put(to, "u00", 3);
    *to++ = digits[c >> 4];
    *to++ = digits[c & 15];
    return to;
}

static char *put_text(char *to, const lun_string *s)
{
    *to++ = '"';
    for (int64_t k = 0; k < s->length; k++) {
        const unsigned char c = (unsigned char)s->data[k];
        if (c < 0x20 || c == '"' || c == '\\')
            to = put_escape(to, c);
        else
            *to++ = (char)c;
    }
    *to++ = '"';
    return to;
}

static char *put_element(char *to, const lun__csv_column *c, int64_t row, int64_t *odd)
{
    const char *at = (const char *)c->data + row * (c->kind == LUN__CSV_BOOL ? 1 : 8);
    if (c->kind == LUN__CSV_TEXT || c->kind == LUN__CSV_DURATION) {
        const lun_string *s = &((const lun_string *)c->data)[row];
        if (!s->data)
            return put(to, "null", 4);
        return c->kind == LUN__CSV_TEXT ? put_text(to, s) : put(to, s->data, (size_t)s->length);
    }
    if (c->valid && !c->valid[row])
        return put(to, "null", 4);
    if (c->kind == LUN__CSV_I64)
        return lun__csv_format_signed(to, *(const int64_t *)at);
    if (c->kind == LUN__CSV_U64)
        return lun__csv_format_unsigned(to, *(const uint64_t *)at);
    if (c->kind == LUN__CSV_BOOL)
        return *at ? put(to, "true", 4) : put(to, "false", 5);
    const double x = *(const double *)at;
    if (isfinite(x))
        return lun__csv_format_float(to, x);
    ++*odd;
    return put(to, "null", 4);
}

bool lun__json_write_bound(const lun__csv_column *columns, const lun_string *names, int64_t count,
                           int64_t first, int64_t last, size_t *bytes)
{
    size_t all = 0, row = 4, rows = (size_t)(last - first), fields;
    bool fits = true;
    for (int64_t k = 0; k < count; k++) {
        const bool texts = columns[k].kind == LUN__CSV_TEXT || columns[k].kind == LUN__CSV_DURATION;
        const lun_string *s = columns[k].data;
        for (int64_t r = first; texts && r < last; r++) {
            size_t n = 0;
            if (s[r].data)
                fits &= !__builtin_mul_overflow((size_t)s[r].length, (size_t)LONGEST, &n);
            fits &= !__builtin_add_overflow(all, n, &all);
        }
        row += (size_t)names[k].length + LUN__CSV_NUMBER + 4;
    }
    fits &=
        !__builtin_mul_overflow(row, rows, &fields) && !__builtin_add_overflow(all, fields, bytes);
    return fits;
}

char *lun__json_write_rows(char *to, lun__json_shape shape, const lun__csv_column *columns,
                           const lun_string *names, int64_t count, int64_t first, int64_t last,
                           bool begun, int64_t *odd)
{
    for (int64_t r = first; r < last; r++) {
        if (shape != LUN__JSON_ROWS && (r > first || begun))
            to = put(to, shape == LUN__JSON_ITEMS ? ",\n" : ",", shape == LUN__JSON_ITEMS ? 2 : 1);
        if (shape == LUN__JSON_VALUES) {
            to = put_element(to, &columns[0], r, odd);
            continue;
        }
        *to++ = '{';
        for (int64_t k = 0; k < count; k++) {
            if (k)
                *to++ = ',';
            to = put(to, names[k].data, (size_t)names[k].length);
            to = put_element(to, &columns[k], r, odd);
        }
        *to++ = '}';
        if (shape == LUN__JSON_ROWS)
            *to++ = '\n';
    }
    return to;
}
