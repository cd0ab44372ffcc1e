/* number_texts.c - numbers and truths to texts: the fewest digits that read back, what Lua's
 * tostring gives, or one conversion of printf. */
#include <locale.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "api/text/text_array.h"

enum { DIGITS = 512 }; /* bytes of a number: of 99 digits behind the point 410 */

/* The decimal point of the locale becomes a point. */
static void point(char *text)
{
    const char *own = localeconv()->decimal_point;
    const size_t n = strlen(own);
    char *at = n && strcmp(own, ".") != 0 ? strstr(text, own) : NULL;
    if (at) {
        *at = '.';
        memmove(at + 1, at + n, strlen(at + n) + 1);
    }
}

/* ".0" behind what would read as an integer. */
static void add_real(lun_strbuf *to, char *text)
{
    point(text);
    lun__strbuf_puts(to, text);
    if (!text[strspn(text, "-0123456789")])
        lun__strbuf_puts(to, ".0");
}

/* Whether text reads as x, of a dtype of so many digits. */
static bool reads(const char *text, double x, bool single)
{
    const double back = strtod(text, NULL);
    return single ? (float)back == (float)x : back == x;
}

/* Few decimals, which are exact quotients: most numbers that people write. */
static bool write_few(double x, lun_strbuf *to)
{
    double scale = 1;
    if (!(fabs(x) < 1e15 && (fabs(x) >= 1e-4 || x == 0)))
        return false;
    for (int decimals = 0; decimals <= 6; decimals++, scale *= 10) {
        const double m = x * scale;
        if (m != trunc(m) || fabs(m) >= 1e15 || m / scale != x)
            continue;
        char text[DIGITS];
        int n = snprintf(text, sizeof text, "%.*f", decimals, x);
        while (decimals && n > 0 && text[n - 1] == '0') /* 4.35 * 100 is no integer */
            text[--n] = 0;
        add_real(to, text);
        return true;
    }
    return false;
}

static void write_shortest(double x, bool single, lun_strbuf *to)
{
    char text[DIGITS];
    if (isnan(x) || isinf(x)) {
        lun__strbuf_puts(to, isnan(x) ? "nan" : x > 0 ? "inf" : "-inf");
        return;
    }
    if (!single && write_few(x, to))
        return;
    for (int digits = single ? 6 : 15; digits <= (single ? 9 : 17); digits++) {
        snprintf(text, sizeof text, "%.*g", digits, x);
        if (reads(text, x, single))
            break;
    }
    add_real(to, text);
}

static void write_real(const lun__text_writer *by, const void *at, lun_strbuf *to)
{
    double x;
    char text[DIGITS];
    memcpy(&x, at, sizeof x);
    if (!by->format) {
        write_shortest(x, lun_dtype_size(by->t) == 4, to);
    } else if (!*by->format) {
        snprintf(text, sizeof text, "%.14g", x);
        if (isfinite(x))
            add_real(to, text);
        else
            lun__strbuf_puts(to, text);
    } else {
        const int n = snprintf(text, sizeof text, by->format, x);
        to->failed = to->failed || n < 0 || n >= (int)sizeof text;
        point(text);
        lun__strbuf_puts(to, text);
    }
}

static void write_integer(const lun__text_writer *by, const void *at, lun_strbuf *to)
{
    int64_t x;
    char text[DIGITS];
    memcpy(&x, at, sizeof x);
    if (lun_dtype_kind(by->t) == LUN_KIND_BOOL)
        snprintf(text, sizeof text, "%s", x ? "true" : "false");
    else if (by->format && *by->format)
        snprintf(text, sizeof text, by->format, (long long)x);
    else if (lun_dtype_kind(by->t) == LUN_KIND_UNSIGNED)
        snprintf(text, sizeof text, "%llu", (unsigned long long)x);
    else
        snprintf(text, sizeof text, "%lld", (long long)x);
    lun__strbuf_puts(to, text);
}

/* Whether a format is one conversion, of at most two digits each of width and precision, of floats
 * or of integers; where it is of integers, "ll" goes before its letter. */
static bool take_format(const char *format, bool real, char out[24])
{
    size_t n = 0;
    const char *s = format;
    if (*s++ != '%')
        return false;
    n = strspn(s, "-+ #0");
    if (n > 5)
        return false;
    s += n;
    for (int part = 0; part < 2; part++) {
        n = strspn(s, "0123456789");
        if (n > 2)
            return false;
        s += n;
        if (part == 0 && *s != '.')
            break;
        s += part == 0;
    }
    if (!*s || s[1] || !strchr(real ? "eEfFgGaA" : "dixXo", *s))
        return false;
    snprintf(out, 24, "%.*s%s%c", (int)(s - format), format, real ? "" : "ll", *s);
    return true;
}

lun_status lun_number_texts(lun_engine *e, lun_array *a, const char *format, lun_array **out)
{
    LUN_NEED(e, a && out);
    char text[24] = "", shown[96];
    lun_array *x = NULL;
    lun_status s = lun__array_present(e, a);
    if (s != LUN_OK)
        return s;
    const lun_dtype t = lun_dtype_of(a);
    const lun_kind kind = lun_dtype_kind(t);
    const bool real = kind == LUN_KIND_FLOAT;
    if (kind > LUN_KIND_FLOAT)
        return lun__fail(e, LUN_EDTYPE, "numbers expected, got %s", lun__array_describe(a, shown));
    if (format && *format && (kind == LUN_KIND_BOOL || !take_format(format, real, text)))
        return lun__fail(e, LUN_EARG, "'%.40s' is no conversion of %s", format, lun_dtype_name(t));
    const lun__text_writer by = {real ? write_real : write_integer, t, format ? text : NULL, 8,
                                 !real};
    s = lun_cast(e, a, real ? LUN_F64 : kind == LUN_KIND_UNSIGNED ? LUN_U64 : LUN_I64, &x);
    if (s == LUN_OK)
        s = lun__text_written(e, x, &by, out);
    lun_release(x);
    return s;
}
