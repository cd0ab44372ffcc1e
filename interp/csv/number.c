/* number.c - the kind of a field, and its number: see number.h. The rules are those of Lua's
 * tonumber for decimal text, besides nan and inf, blanks around and truth values. */
#ifndef _GNU_SOURCE
#define _GNU_SOURCE /* strtod_l */
#endif
#include "csv/number.h"

#include <locale.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>

enum {
    MOST_DIGITS = 19, /* that fit into 64 bits */
    ENOUGH = 800      /* digits that decide between two floats, with a sticky bit for the others */
};

/* Parsed decimal text without its sign. */
typedef struct decimal {
    uint64_t digits; /* the first MOST_DIGITS significant ones */
    int64_t power;   /* of ten, of the last of these */
    int64_t written; /* the exponent */
    bool plain;      /* neither point nor exponent */
    bool cut;        /* there are more */
} decimal;

static bool is_digit(char c)
{
    return c >= '0' && c <= '9';
}

static bool is_blank(char c)
{
    return c == ' ' || c == '\t';
}

/* Appends digits to *m, which may wrap; returns the end of them. */
static inline const char *take(const char *p, const char *end, uint64_t *m)
{
    uint64_t x = *m;
    while (end - p >= 8 && lun__csv_number_all_digits(lun__csv_number_word(p))) {
        x = x * 100000000 + lun__csv_number_eight(lun__csv_number_word(p));
        p += 8;
    }
    for (; p < end && is_digit(*p); p++)
        x = x * 10 + (uint64_t)(*p - '0');
    *m = x;
    return p;
}

/* The same for the digits after a point, which mostly end the text. */
static inline const char *take_rest(const char *p, const char *end, uint64_t *m)
{
    static const uint64_t tens[] = {1, 10, 100, 1000, 10000, 100000, 1000000, 10000000};
    uint64_t x = *m;
    while (end - p >= 8 && lun__csv_number_all_digits(lun__csv_number_word(p))) {
        x = x * 100000000 + lun__csv_number_eight(lun__csv_number_word(p));
        p += 8;
    }
    *m = x;
    if (end - p >= 8 || end == p)
        return take(p, end, m);
    uint64_t tail = lun__csv_number_tail(end, end - p);
    if (!lun__csv_number_all_digits(tail))
        return take(p, end, m);
    *m = x * tens[end - p] + lun__csv_number_eight(tail);
    return end;
}

/* The exponent after its letter; NULL: it is none. */
static const char *take_exponent(const char *p, const char *end, int64_t *power)
{
    bool minus = p < end && *p == '-';
    int64_t x = 0;
    if (p < end && (*p == '-' || *p == '+'))
        p++;
    if (p == end)
        return NULL;
    for (; p < end && is_digit(*p); p++)
        if (x < INT64_C(100000000000000000))
            x = x * 10 + (*p - '0');
    *power += minus ? -x : x;
    return p;
}

/* Copies the first `most` significant digits of p, which may have a point, to text, *count of them.
 * Returns the power of ten of the last; *cut: whether a digit that is left out is not 0. */
static int64_t first_digits(const char *p, char *text, int most, int *count, bool *cut)
{
    int64_t power = 0;
    bool point = false;
    *count = 0;
    *cut = false;
    for (; is_digit(*p) || (*p == '.' && !point); p++) {
        if (*p == '.') {
            point = true;
        } else if (*count < most) {
            if (*count || *p != '0')
                text[(*count)++] = *p;
            power -= point;
        } else {
            *cut |= *p != '0';
            power += !point;
        }
    }
    return power;
}

/* Of more digits than fit: the first significant ones, and the power of the last of them. */
static void cut_digits(const char *p, decimal *d)
{
    char text[MOST_DIGITS];
    int count;
    d->power = first_digits(p, text, MOST_DIGITS, &count, &d->cut);
    d->digits = 0;
    for (int i = 0; i < count; i++)
        d->digits = d->digits * 10 + (uint64_t)(text[i] - '0');
}

/* Parses p .. end; false: it is no decimal number. */
static inline bool scan(const char *p, const char *end, decimal *d)
{
    const char *start = p;
    int64_t after = 0;
    *d = (decimal){.plain = true};
    p = take(p, end, &d->digits);
    int64_t count = p - start;
    if (p < end && *p == '.') {
        const char *point = ++p;
        p = take_rest(p, end, &d->digits);
        after = p - point;
        count += after;
        d->plain = false;
    }
    if (count == 0)
        return false;
    if (p < end && (*p | 32) == 'e') {
        p = take_exponent(p + 1, end, &d->written);
        d->plain = false;
    }
    if (p != end)
        return false;
    d->power = -after;
    if (count > MOST_DIGITS)
        cut_digits(start, d);
    d->power += d->written;
    return true;
}

/* ---- floats ---------------------------------------------------------------------------------- */

/* By the C library, in the locale "C". */
static double library(const char *text)
{
    locale_t plain = newlocale(LC_ALL_MASK, "C", (locale_t)0); /* glibc's own, not made anew */
    double x = strtod_l(text, NULL, plain);
    freelocale(plain);
    return x;
}

/* By the C library, from as many digits as can matter. */
static double by_library(const char *p, const decimal *d)
{
    char text[ENOUGH + 64];
    int count;
    bool cut;
    int64_t power = first_digits(p, text, ENOUGH, &count, &cut) + d->written;
    snprintf(text + count, sizeof text - (size_t)count, "%se%lld", cut ? "1" : "",
             (long long)(power - cut));
    return library(text);
}

double lun__csv_number_exactly(uint64_t digits, int64_t power)
{
    char text[64];
    snprintf(text, sizeof text, "%llue%lld", (unsigned long long)digits, (long long)power);
    return library(text);
}

static inline double number_of(const char *p, const decimal *d)
{
    double x, next;
    if (lun__csv_float_nearest(d->digits, d->power, &x) &&
        (!d->cut || (lun__csv_float_nearest(d->digits + 1, d->power, &next) && x == next)))
        return x;
    return by_library(p, d);
}

/* The index of the first point among eight bytes, 8: there is none. */
static inline int point_in(uint64_t v)
{
    const uint64_t ones = UINT64_C(0x0101010101010101);
    uint64_t x = v ^ ones * '.', zeros = (x - ones) & ~x & ones << 7;
    return zeros ? __builtin_ctzll(zeros) / 8 : 8;
}

/* v without byte k: those before it move up, `first` becomes the first one. */
static inline uint64_t without(uint64_t v, int k, uint64_t first)
{
    uint64_t before = v & ((UINT64_C(1) << 8 * k) - 1), after = v & ~UINT64_C(0xff) << 8 * k;
    return before << 8 | after | first;
}

/* Digits with at most one point, 2 to 16 characters: *digits, and how many of them are after the
 * point. */
static inline bool take_short(const char *p, const char *end, uint64_t *digits, int *after)
{
    int64_t n = end - p;
    if (n < 2 || n > 16)
        return false;
    uint64_t low = n < 8 ? lun__csv_number_tail(end, n) : lun__csv_number_word(end - 8), high = 0;
    int k = point_in(low);
    if (n <= 8) {
        *after = k < 8 ? 7 - k : 0;
        low = k < 8 ? without(low, k, '0') : low;
        *digits = lun__csv_number_eight(low);
        return lun__csv_number_all_digits(low);
    }
    high = lun__csv_number_tail(end - 8, n - 8);
    if (k < 8) {
        *after = 7 - k;
        low = without(low, k, high >> 56);
        high = high << 8 | '0';
    } else {
        k = point_in(high);
        *after = k < 8 ? 15 - k : 0;
        high = k < 8 ? without(high, k, '0') : high;
    }
    *digits = lun__csv_number_eight(high) * 100000000 + lun__csv_number_eight(low);
    return lun__csv_number_all_digits(low) && lun__csv_number_all_digits(high);
}

bool lun__csv_number_float(const char *p, const char *end, double *out)
{
    decimal d;
    bool minus = p < end && *p == '-';
    uint64_t digits;
    int after;
    p += minus;
    if (take_short(p, end, &digits, &after) && lun__csv_float_nearest(digits, -after, out)) {
        *out = minus ? -*out : *out;
        return true;
    }
    if (!scan(p, end, &d))
        return false;
    double x = number_of(p, &d);
    *out = minus ? -x : x;
    return true;
}

double lun__csv_number_of(lun__csv_value v)
{
    if (v.sort == LUN__CSV_IS_FLOAT || v.sort == LUN__CSV_IS_EMPTY)
        return v.as.number;
    if (v.sort == LUN__CSV_IS_BEYOND)
        return (double)v.as.bits;
    return v.minus && v.as.bits == 0 ? -0.0 : (double)(int64_t)v.as.bits;
}

/* ---- fields ---------------------------------------------------------------------------------- */

/* Digits alone: i64, u64, or a float beyond these. */
static void take_integer(const char *p, const char *end, const decimal *d, lun__csv_value *v)
{
    const char *digit = p;
    unsigned __int128 x = 0;
    v->zeros = *p == '0' && end - p > 1;
    while (digit < end && *digit == '0')
        digit++;
    v->sort = LUN__CSV_IS_INTEGER;
    if (end - digit <= 20)
        for (; digit < end; digit++)
            x = x * 10 + (unsigned)(*digit - '0');
    bool fits = digit == end;
    if (fits && x <= (uint64_t)INT64_MAX + v->minus) {
        v->as.bits = v->minus ? -(uint64_t)x : (uint64_t)x;
    } else if (fits && !v->sign && x <= UINT64_MAX) {
        v->sort = LUN__CSV_IS_BEYOND;
        v->as.bits = (uint64_t)x;
    } else {
        v->sort = LUN__CSV_IS_FLOAT;
        double number = number_of(p, d);
        v->as.number = v->minus ? -number : number;
    }
}

static bool is_word(const char *p, const char *end, const char *word)
{
    size_t n = strlen(word);
    return (size_t)(end - p) == n && strncasecmp(p, word, n) == 0;
}

/* Words for a number or a truth value; p is behind the sign. */
static void take_word(const char *p, const char *end, lun__csv_value *v)
{
    static const char *const truths[] = {"true", "True", "TRUE", "false", "False", "FALSE"};
    size_t n = (size_t)(end - p);
    v->sort = LUN__CSV_IS_TEXT;
    if (is_word(p, end, "inf") || is_word(p, end, "infinity")) {
        v->sort = LUN__CSV_IS_FLOAT;
        v->as.number = v->minus ? -INFINITY : INFINITY;
    } else if (is_word(p, end, "nan")) {
        v->sort = LUN__CSV_IS_FLOAT;
        v->as.number = NAN;
    }
    v->real = v->sort == LUN__CSV_IS_FLOAT;
    for (int i = 0; !v->sign && i < 6; i++)
        if (n == strlen(truths[i]) && memcmp(p, truths[i], n) == 0)
            v->sort = i < 3 ? LUN__CSV_IS_TRUE : LUN__CSV_IS_FALSE;
}

lun__csv_value lun__csv_number_value(const char *p, const char *end)
{
    lun__csv_value v = {.sort = LUN__CSV_IS_EMPTY, .as.number = NAN};
    decimal d;
    while (p < end && is_blank(*p))
        p++;
    while (p < end && is_blank(end[-1]))
        end--;
    if (p == end)
        return v;
    v.minus = *p == '-';
    v.sign = v.minus || *p == '+';
    p += v.sign;
    if (!scan(p, end, &d)) {
        take_word(p, end, &v);
    } else if (d.plain) {
        take_integer(p, end, &d, &v);
    } else {
        v.sort = LUN__CSV_IS_FLOAT;
        v.real = true;
        double x = number_of(p, &d);
        v.as.number = v.minus ? -x : x;
    }
    return v;
}
