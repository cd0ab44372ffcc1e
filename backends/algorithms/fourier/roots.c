/* roots.c - roots of unity; see roots.h.  An angle is reduced, exactly, to one of at most 45
 * degrees.  Of this one sine and cosine are sums of Taylor's series in 192 bits, or, of great n,
 * products of two entries of tables in double-double, whose error is far below LOST; where so small
 * an error could change the rounding, the series decides. */
#include "algorithms/fourier/roots.h"

#include <math.h>
#include <stdbool.h>

enum { FEW = 64, LIMBS = 3 }; /* n without tables; of a fraction, the highest first */
#define LOST 0x1p-97

/* A number from 0 to below 1. */
typedef struct fraction {
    uint64_t limb[LIMBS];
} fraction;

/* In two doubles. */
typedef struct pair {
    double high, low;
} pair;

typedef unsigned __int128 wide;

/* ---- fractions ------------------------------------------------------------------------------- */

static bool is_zero(const fraction *a)
{
    return !(a->limb[0] | a->limb[1] | a->limb[2]);
}

/* a + b, or a - b where that is not negative. */
static fraction sum(const fraction *a, const fraction *b, bool minus)
{
    fraction c;
    wide carry = 0;
    for (int k = LIMBS - 1; k >= 0; k--) {
        const wide x =
            minus ? (wide)a->limb[k] - b->limb[k] - carry : (wide)a->limb[k] + b->limb[k] + carry;
        c.limb[k] = (uint64_t)x;
        carry = (x >> 64) & 1;
    }
    return c;
}

static fraction product(const fraction *a, const fraction *b)
{
    uint64_t all[2 * LIMBS] = {0};
    for (int i = LIMBS - 1; i >= 0; i--) {
        wide carry = 0;
        for (int j = LIMBS - 1; j >= 0; j--) {
            const wide x = (wide)a->limb[i] * b->limb[j] + all[i + j + 1] + carry;
            all[i + j + 1] = (uint64_t)x;
            carry = x >> 64;
        }
        all[i] = (uint64_t)carry;
    }
    return (fraction){{all[0], all[1], all[2]}};
}

static fraction quotient(const fraction *a, uint64_t by)
{
    fraction c;
    wide rest = 0;
    for (int k = 0; k < LIMBS; k++) {
        const wide x = rest << 64 | a->limb[k];
        c.limb[k] = (uint64_t)(x / by);
        rest = x % by;
    }
    return c;
}

/* pi/2 times k/n, k <= n/2. */
static fraction angle(int64_t k, int64_t n)
{
    static const uint64_t half_pi[LIMBS + 1] = {1, 0x921fb54442d18469, 0x898cc51701b839a2,
                                                0x52049c1114cf98e8};
    uint64_t times[LIMBS + 2];
    wide carry = 0;
    for (int i = LIMBS; i >= 0; i--) {
        carry += (wide)half_pi[i] * (uint64_t)k;
        times[i + 1] = (uint64_t)carry;
        carry >>= 64;
    }
    times[0] = (uint64_t)carry;
    wide rest = 0;
    for (int i = 0; i < LIMBS + 2; i++) {
        const wide x = rest << 64 | times[i];
        times[i] = (uint64_t)(x / (uint64_t)n);
        rest = x % (uint64_t)n;
    }
    return (fraction){{times[2], times[3], times[4]}};
}

/* ---- the series ------------------------------------------------------------------------------ */

/* The sine of an angle, and 1 minus its cosine. */
static void series(int64_t k, int64_t n, fraction *sine, fraction *rest)
{
    const fraction x = angle(k, n), square = product(&x, &x);
    fraction s = x, c = quotient(&square, 2);
    *sine = s;
    *rest = c;
    for (uint64_t i = 2; !is_zero(&s) || !is_zero(&c); i += 2) {
        s = product(&s, &square);
        s = quotient(&s, i * (i + 1));
        c = product(&c, &square);
        c = quotient(&c, (i + 1) * (i + 2));
        *sine = sum(sine, &s, i % 4 == 2);
        *rest = sum(rest, &c, i % 4 == 2);
    }
}

/* The nearest number of so many bits, of two the even one. */
static double nearest(const fraction *a, int bits)
{
    int first = 0;
    while (first < LIMBS && !a->limb[first])
        first++;
    if (first == LIMBS)
        return 0;
    const int zeros = __builtin_clzll(a->limb[first]);
    const uint64_t next = first + 1 < LIMBS ? a->limb[first + 1] : 0;
    uint64_t top = zeros ? a->limb[first] << zeros | next >> (64 - zeros) : a->limb[first];
    bool more = zeros ? next << zeros != 0 : next != 0;
    for (int k = first + 2; k < LIMBS; k++)
        more |= a->limb[k] != 0;
    const uint64_t half = UINT64_C(1) << (63 - bits), behind = top & (2 * half - 1);
    top >>= 64 - bits;
    top += behind > half || (behind == half && (more || top & 1));
    return ldexp((double)top, 64 - bits - zeros - 64 * (first + 1));
}

static void exact(int64_t k, int64_t n, int bits, double *cosine, double *sine)
{
    fraction s, rest;
    series(k, n, &s, &rest);
    *sine = nearest(&s, bits);
    const fraction none = {{0}}, c = sum(&none, &rest, true);
    *cosine = is_zero(&rest) ? 1 : nearest(&c, bits);
}

/* ---- pairs ----------------------------------------------------------------------------------- */

static pair exact_sum(double a, double b)
{
    const double s = a + b, t = s - a;
    return (pair){s, (a - (s - t)) + (b - t)};
}

static pair pair_of(const fraction *a)
{
    pair p = {0, 0};
    for (int k = 0; k < 2 * LIMBS; k++) {
        const uint64_t limb = a->limb[k / 2];
        const double digit = (double)(k % 2 ? (uint32_t)limb : limb >> 32);
        const pair q = exact_sum(p.high, ldexp(digit, -32 * (k + 1)));
        p = (pair){q.high, p.low + q.low};
    }
    return exact_sum(p.high, p.low);
}

static pair times(pair a, pair b)
{
    const double p = a.high * b.high;
    return exact_sum(p, __builtin_fma(a.high, b.high, -p) + (a.high * b.low + a.low * b.high));
}

static pair plus(pair a, pair b)
{
    const pair s = exact_sum(a.high, b.high);
    return exact_sum(s.high, s.low + (a.low + b.low));
}

/* The double to which a pair that may be wrong by LOST rounds; false: there are two. */
static bool rounded_f64(pair a, double *out)
{
    const double e = a.high * LOST;
    *out = a.high + (a.low + e);
    return *out == a.high + (a.low - e);
}

/* The same of a float: what lies between two doubles becomes the one of them that is odd, which is
 * not halfway between two floats. */
static bool rounded_f32(pair a, double *out)
{
    union {
        double x;
        uint64_t bits;
    } odd = {a.high};
    if (fabs(a.low) > a.high * LOST && !(odd.bits & 1))
        odd.bits += a.low > 0 ? 1 : UINT64_MAX;
    *out = (float)odd.x;
    return fabs(a.low) > a.high * LOST || *out == a.high;
}

/* ---- tables ---------------------------------------------------------------------------------- */

/* An entry has the cosine and the sine of pi/2 times i/n: low of i < block, high of its
 * multiples. */
static int64_t block_of(int64_t n)
{
    int64_t block = 1;
    while (block * block < n / 2)
        block *= 2;
    return n < FEW ? 0 : block;
}

int64_t lun__roots_room(int64_t n)
{
    const int64_t block = block_of(n);
    return block ? 4 * (block + n / 2 / block + 1) : 0;
}

static void enter(double *to, int64_t k, int64_t n)
{
    fraction s, rest;
    series(k, n, &s, &rest);
    const fraction none = {{0}}, c = sum(&none, &rest, true);
    const pair cosine = is_zero(&rest) ? (pair){1, 0} : pair_of(&c), sine = pair_of(&s);
    to[0] = cosine.high;
    to[1] = cosine.low;
    to[2] = sine.high;
    to[3] = sine.low;
}

lun_roots lun__roots_of(int64_t n, double *memory)
{
    const lun_roots r = {n, block_of(n), memory, memory + 4 * block_of(n)};
    for (int64_t i = 0; i < r.block; i++)
        enter(memory + 4 * i, i, n);
    for (int64_t i = 0; r.block && i <= n / 2 / r.block; i++)
        enter(memory + 4 * (r.block + i), i * r.block, n);
    return r;
}

/* ---- roots ----------------------------------------------------------------------------------- */

/* Cosine and sine of pi/2 times k/n, k <= n/2, with so many bits. */
static void of_table(const lun_roots *r, int64_t k, int bits, double *cosine, double *sine)
{
    const double *a = r->high + 4 * (k / r->block), *b = r->low + 4 * (k % r->block);
    const pair ca = {a[0], a[1]}, sa = {a[2], a[3]}, cb = {b[0], b[1]}, sb = {b[2], b[3]};
    const pair ss = times(sa, sb);
    const pair c = plus(times(ca, cb), (pair){-ss.high, -ss.low});
    const pair s = plus(times(sa, cb), times(ca, sb));
    bool (*rounded)(pair a, double *out) = bits > 24 ? rounded_f64 : rounded_f32;
    if (!rounded(c, cosine) || !rounded(s, sine))
        exact(k, r->n, bits, cosine, sine);
}

static void root(const lun_roots *r, int64_t k, int bits, double w[2])
{
    double c, s;
    const int64_t quarter = 4 * k / r->n, at = 4 * k % r->n;
    const bool over = 2 * at > r->n;
    const int64_t i = over ? r->n - at : at;
    if (r->block)
        of_table(r, i, bits, &c, &s);
    else
        exact(i, r->n, bits, &c, &s);
    const double x = over ? s : c, y = over ? c : s;
    const double cosine = quarter == 0 ? x : quarter == 1 ? -y : quarter == 2 ? -x : y;
    const double sine = quarter == 0 ? y : quarter == 1 ? x : quarter == 2 ? -y : -x;
    w[0] = cosine + 0.0; /* no -0 */
    w[1] = -(sine + 0.0);
}

void lun__roots_f64(const lun_roots *r, int64_t k, double w[2])
{
    root(r, k, 53, w);
}

void lun__roots_f32(const lun_roots *r, int64_t k, float w[2])
{
    double v[2];
    root(r, k, 24, v);
    w[0] = (float)v[0];
    w[1] = (float)v[1];
}
