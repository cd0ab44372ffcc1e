/* float.c - the float nearest to an integer times a power of ten, by one or two multiplications
 * of 64 bits: the method of Michael Eisel and Daniel Lemire ("Number parsing at a gigabyte per
 * second", Software: Practice and Experience 51, 2021), written from its description. */
#include <string.h>

#include "csv/number.h"

/* The powers of ten that the table has; below all is 0, above infinite. */
#define LEAST (-342)
#define MOST  308
/* Bits of a float's fraction, and the exponent field's offset and end. */
#define FRACTION 52
#define OFFSET   1023
#define ENDLESS  2047

static const uint64_t powers[][2] = {
#include "csv/powers.def"
};

/* Powers of ten that are floats. */
static const double exact[] = {1e0,  1e1,  1e2,  1e3,  1e4,  1e5,  1e6,  1e7,
                               1e8,  1e9,  1e10, 1e11, 1e12, 1e13, 1e14, 1e15,
                               1e16, 1e17, 1e18, 1e19, 1e20, 1e21, 1e22};

static double float_of(uint64_t fraction, int64_t exponent)
{
    uint64_t bits = fraction | (uint64_t)exponent << FRACTION;
    double x;
    memcpy(&x, &bits, sizeof x);
    return x;
}

/* The first 128 bits of w * 5^q, w's top bit set. The low half of the power is used only where it
 * can matter for the bits that are kept. */
static unsigned __int128 product(uint64_t w, int64_t q)
{
    const uint64_t *p = powers[q - LEAST];
    const uint64_t beyond = ~UINT64_C(0) >> (FRACTION + 3);
    unsigned __int128 first = (unsigned __int128)w * p[0];
    if (((uint64_t)(first >> 64) & beyond) == beyond)
        first += (unsigned __int128)w * p[1] >> 64;
    return first;
}

/* A float below the least normal one; mantissa has a bit to round by. */
static double subnormal(uint64_t mantissa, int64_t exponent)
{
    if (1 - exponent >= 64)
        return 0;
    mantissa >>= 1 - exponent;
    mantissa = (mantissa + (mantissa & 1)) >> 1;
    return float_of(mantissa, 0); /* 2^52 carries into the exponent: the least normal number */
}

bool lun__csv_float_nearest(uint64_t digits, int64_t q, double *out)
{
    if (digits <= UINT64_C(1) << 53 && q >= -22 && q <= 22) {
        *out = q < 0 ? (double)digits / exact[-q] : (double)digits * exact[q];
        return true;
    }
    if (digits == 0 || q < LEAST || q > MOST) {
        *out = digits == 0 || q < LEAST ? 0 : float_of(0, ENDLESS);
        return true;
    }
    int zeros = __builtin_clzll(digits);
    unsigned __int128 all = product(digits << zeros, q);
    uint64_t high = (uint64_t)(all >> 64), low = (uint64_t)all;
    if (low == ~UINT64_C(0) && (q < -27 || q > 55))
        return false; /* the bits beyond might carry */
    int upper = (int)(high >> 63), shift = upper + 64 - FRACTION - 3;
    uint64_t mantissa = high >> shift;
    /* floor(log2(10^q)) by a multiplication, and where w's bits began */
    int64_t exponent = (q * (152170 + 65536) >> 16) + 63 + upper - zeros + OFFSET;
    if (exponent <= 0) {
        *out = subnormal(mantissa, exponent);
        return true;
    }
    /* Half way between two floats the even one is nearer; only such small powers can be half
     * way. */
    if (low <= 1 && q >= -4 && q <= 23 && (mantissa & 3) == 1 && mantissa << shift == high)
        mantissa &= ~UINT64_C(1);
    mantissa = (mantissa + (mantissa & 1)) >> 1;
    if (mantissa >= UINT64_C(2) << FRACTION) {
        mantissa = UINT64_C(1) << FRACTION;
        exponent++;
    }
    mantissa &= ~(UINT64_C(1) << FRACTION);
    *out = exponent >= ENDLESS ? float_of(0, ENDLESS) : float_of(mantissa, exponent);
    return true;
}

bool lun__csv_float_times_power(uint64_t mantissa, int64_t q, unsigned __int128 *out,
                                int *logarithm)
{
    if (q < LEAST || q > MOST)
        return false;
    const uint64_t *p = powers[q - LEAST];
    *out = (unsigned __int128)mantissa * p[0] + ((unsigned __int128)mantissa * p[1] >> 64);
    *logarithm = (int)(q * (152170 + 65536) >> 16) - 127 + 64;
    return true;
}
