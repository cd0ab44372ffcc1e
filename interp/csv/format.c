/* format.c - numbers to decimal text: the fewest of 15, 16 or 17 digits that read back as the same
 * float, in the form of printf's %g with that many. The digits come from one multiplication by a
 * power of ten with some 70 fraction bits; where these are too few the C library decides. Floats
 * with few digits are found by one division. Knows no columns. */
#include <math.h>
#include <stdio.h>
#include <string.h>

#include "csv/number.h"

enum { FEWEST = 15, MOST = 17, BEYOND = 8 };
#define SMALL 1e15 /* integers below are written as such */

/* Decimal digits, `count` of them, the first one not 0, and the power of ten of that one. */
typedef struct figure {
    uint64_t digits;
    int count, power;
} figure;

static const uint64_t tens[] = {UINT64_C(1),
                                UINT64_C(10),
                                UINT64_C(100),
                                UINT64_C(1000),
                                UINT64_C(10000),
                                UINT64_C(100000),
                                UINT64_C(1000000),
                                UINT64_C(10000000),
                                UINT64_C(100000000),
                                UINT64_C(1000000000),
                                UINT64_C(10000000000),
                                UINT64_C(100000000000),
                                UINT64_C(1000000000000),
                                UINT64_C(10000000000000),
                                UINT64_C(100000000000000),
                                UINT64_C(1000000000000000),
                                UINT64_C(10000000000000000),
                                UINT64_C(100000000000000000),
                                UINT64_C(1000000000000000000),
                                UINT64_C(10000000000000000000)};

/* The C library's, in any locale. */
static figure by_library(double x, int count)
{
    char text[64];
    figure f = {.count = count};
    snprintf(text, sizeof text, "%.*e", count - 1, x);
    const char *p = text;
    for (; *p && *p != 'e'; p++)
        if (*p >= '0' && *p <= '9') /* the point may be anything else */
            f.digits = f.digits * 10 + (uint64_t)(*p - '0');
    bool minus = *p && p[1] == '-';
    for (p += *p ? 2 : 0; *p; p++)
        f.power = f.power * 10 + (*p - '0');
    f.power = minus ? -f.power : f.power;
    return f;
}

/* x as whole + fraction / 2^bits times a power of ten, whole having 17 digits. */
typedef struct scaled {
    uint64_t whole;
    unsigned __int128 fraction;
    int bits, power; /* of ten, of the first digit */
} scaled;

static bool scale_by(uint64_t mantissa, int exponent, int power, scaled *s)
{
    int k = MOST - 1 - power, logarithm;
    unsigned __int128 product;
    if (!lun__csv_float_times_power(mantissa, k, &product, &logarithm))
        return false;
    int shift = -(exponent + logarithm);
    if (shift < 65 || shift > 80)
        return false;
    s->whole = (uint64_t)(product >> shift);
    s->fraction = product & (((unsigned __int128)1 << shift) - 1);
    s->bits = shift;
    s->power = power;
    return true;
}

static bool scale(double x, scaled *s)
{
    uint64_t bits;
    memcpy(&bits, &x, sizeof bits);
    uint64_t mantissa = bits & ((UINT64_C(1) << 52) - 1);
    int exponent = (int)(bits >> 52);
    if (exponent == 0)
        exponent = 1;
    else
        mantissa |= UINT64_C(1) << 52;
    int zeros = __builtin_clzll(mantissa);
    mantissa <<= zeros;
    exponent -= 1075 + zeros;                  /* x is mantissa * 2^exponent */
    int power = (exponent + 63) * 78913 >> 18; /* floor(log10(2^n)), at most one too little */
    for (int tries = 0; tries < 2; tries++, power++)
        if (scale_by(mantissa, exponent, power, s) && s->whole < tens[MOST])
            return s->whole >= tens[MOST - 1];
    return false;
}

/* Rounds x to so many digits; false: too near to a tie. */
static bool round_to(const scaled *s, int count, figure *f)
{
    uint64_t unit = tens[MOST - count], rest = s->whole % unit;
    unsigned __int128 one = (unsigned __int128)1 << s->bits;
    f->digits = s->whole / unit;
    f->count = count;
    f->power = s->power;
    bool up;
    if (count == MOST) {
        unsigned __int128 half = one >> 1;
        if (s->fraction + BEYOND > half && s->fraction < half + BEYOND)
            return false;
        up = s->fraction > half;
    } else {
        up = rest >= unit / 2;
        if ((rest == unit / 2 && s->fraction < BEYOND) ||
            (rest == unit / 2 - 1 && s->fraction > one - BEYOND))
            return false;
    }
    f->digits += up;
    if (f->digits == tens[count]) {
        f->digits = tens[count - 1];
        f->power++;
    }
    return true;
}

static figure figure_of(double x)
{
    scaled s;
    figure f;
    bool known = scale(x, &s);
    for (int count = FEWEST; count < MOST; count++) {
        double back;
        if (!known || !round_to(&s, count, &f))
            f = by_library(x, count);
        if (!lun__csv_float_nearest(f.digits, f.power - count + 1, &back))
            back = lun__csv_number_exactly(f.digits, f.power - count + 1);
        if (back == x)
            return f;
    }
    return known && round_to(&s, MOST, &f) ? f : by_library(x, MOST);
}

/* ---- text ------------------------------------------------------------------------------------ */

static const char pairs[] = "00010203040506070809101112131415161718192021222324"
                            "25262728293031323334353637383940414243444546474849"
                            "50515253545556575859606162636465666768697071727374"
                            "75767778798081828384858687888990919293949596979899";

/* The number of digits of x: 1233 / 4096 is nearly log10(2). */
static int length_of(uint64_t x)
{
    x |= 1; /* has as many */
    int n = (64 - __builtin_clzll(x)) * 1233 >> 12;
    return n + (x >= tens[n]);
}

char *lun__csv_format_unsigned(char *to, uint64_t x)
{
    char *end = to + length_of(x), *p = end;
    for (; x >= 100; x /= 100)
        memcpy(p -= 2, &pairs[x % 100 * 2], 2);
    if (x >= 10)
        memcpy(p - 2, &pairs[x * 2], 2);
    else
        p[-1] = (char)('0' + x);
    return end;
}

char *lun__csv_format_signed(char *to, int64_t x)
{
    if (x < 0)
        *to++ = '-';
    return lun__csv_format_unsigned(to, x < 0 ? -(uint64_t)x : (uint64_t)x);
}

static char *put(char *to, const char *text, size_t n)
{
    memcpy(to, text, n);
    return to + n;
}

/* d.ddde+xx */
static char *put_scientific(char *to, const char *digits, int count, int power)
{
    *to++ = digits[0];
    if (count > 1) {
        *to++ = '.';
        to = put(to, digits + 1, (size_t)count - 1);
    }
    *to++ = 'e';
    *to++ = power < 0 ? '-' : '+';
    unsigned x = (unsigned)(power < 0 ? -power : power);
    if (x < 10)
        *to++ = '0';
    return lun__csv_format_unsigned(to, x);
}

static char *put_fixed(char *to, const char *digits, int count, int power)
{
    if (power < 0) {
        to = put(to, "0.0000", (size_t)(1 - power));
        return put(to, digits, (size_t)count);
    }
    int whole = power + 1;
    for (int i = 0; i < whole; i++)
        *to++ = i < count ? digits[i] : '0';
    *to++ = '.';
    if (count <= whole)
        return put(to, "0", 1);
    return put(to, digits + whole, (size_t)(count - whole));
}

/* A float that has at most six digits after the point, and 15 in all; NULL: it has more. Such
 * digits are those of x if dividing them, which rounds once, gives x: no other number of 15 digits
 * is as near. */
static char *put_short(char *to, double x)
{
    if (!(x >= 1e-4 && x < 1e8))
        return NULL;
    uint64_t digits = (uint64_t)(int64_t)(x * 1e6 + 0.5), rest = digits % 1000000;
    if ((double)(int64_t)digits / 1e6 != x)
        return NULL;
    to = lun__csv_format_unsigned(to, digits / 1000000);
    *to++ = '.';
    for (unsigned i = 0, unit = 10000; i < 3; i++, unit /= 100)
        to = put(to, &pairs[rest / unit % 100 * 2], 2);
    while (to[-1] == '0')
        to--;
    return to;
}

char *lun__csv_format_float(char *to, double x)
{
    if (isnan(x))
        return put(to, "nan", 3);
    if (signbit(x)) {
        *to++ = '-';
        x = -x;
    }
    if (isinf(x))
        return put(to, "inf", 3);
    if (x < SMALL && x == (double)(int64_t)x)
        return put(lun__csv_format_unsigned(to, (uint64_t)x), ".0", 2);
    char *end = put_short(to, x);
    if (end)
        return end;
    figure f = figure_of(x);
    int places = f.count;
    char digits[20];
    while (f.digits % 10 == 0) {
        f.digits /= 10;
        f.count--;
    }
    lun__csv_format_unsigned(digits, f.digits);
    if (f.power < -4 || f.power >= places)
        return put_scientific(to, digits, f.count, f.power);
    return put_fixed(to, digits, f.count, f.power);
}
