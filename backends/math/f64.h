/* f64.h - functions in f64 that libmvec has in 2 to 4 ULP only, at its speed and within 2 ULP; a
 * part of f64_intrinsics.c, for instruction sets with fused multiply-add. vecmath_table.c's table
 * refers to them.
 *
 * Reductions leave a remainder in two parts, high and low; polynomials are Chebyshev fits of the
 * rest. Arguments that are seldom and difficult go through the C library one by one. */

typedef vector_f64 real;
typedef int64_t whole __attribute__((vector_size(BYTES)));

#define OWN(name)    JOIN3(lun__f64, name, LUN_ISA)
#define SIGN         ((whole){0} + INT64_MIN)
#define MAGIC        0x1.8p52 /* added, it leaves a rounded integer in the low bits */
#define TERMS(table) (int)(sizeof(table) / sizeof *(table))

real OWN(exp)(real x), OWN(expm1)(real x), OWN(sin)(real x), OWN(cos)(real x), OWN(tan)(real x);
real OWN(asin)(real x), OWN(atan)(real x), OWN(atan2)(real y, real x), OWN(tanh)(real x),
    OWN(erf)(real x);
real OWN(cbrt)(real x), OWN(erfc)(real x);

static inline real fused(real a, real b, real c)
{
#if BYTES == 64
    return (real)_mm512_fmadd_pd((__m512d)a, (__m512d)b, (__m512d)c);
#else
    return (real)_mm256_fmadd_pd((__m256d)a, (__m256d)b, (__m256d)c);
#endif
}

static inline real root(real a)
{
#if BYTES == 64
    return (real)_mm512_sqrt_pd((__m512d)a);
#else
    return (real)_mm256_sqrt_pd((__m256d)a);
#endif
}

/* ---- lanes for which something holds --------------------------------------------------------- */

#if BYTES == 64
typedef __mmask8 lanes;
#define COMPARED(a, b, how) _mm512_cmp_pd_mask((__m512d)(a), (__m512d)(b), how)
#else
typedef whole lanes;
#define COMPARED(a, b, how) (whole) _mm256_cmp_pd((__m256d)(a), (__m256d)(b), how)
#endif

static inline lanes greater(real a, real b)
{
    return COMPARED(a, b, _CMP_GT_OQ);
}

/* Not at most b: NaN, too. */
static inline lanes beyond(real a, real b)
{
    return COMPARED(a, b, _CMP_NLE_UQ);
}

static inline lanes zero(real x)
{
    return COMPARED(x, (real){0}, _CMP_EQ_OQ);
}

#undef COMPARED

static inline lanes negative(real x)
{
#if BYTES == 64
    return _mm512_movepi64_mask((__m512i)x);
#else
    return (whole)x >> 63;
#endif
}

static inline lanes odd(whole q)
{
#if BYTES == 64
    return _mm512_test_epi64_mask((__m512i)q, _mm512_set1_epi64(1));
#else
    return -(q & 1);
#endif
}

static inline real choose(lanes mask, real a, real b)
{
#if BYTES == 64
    return (real)_mm512_mask_blend_pd(mask, (__m512d)b, (__m512d)a);
#else
    return (real)_mm256_blendv_pd((__m256d)b, (__m256d)a, (__m256d)mask);
#endif
}

/* Bit l: lane l of the mask holds. */
static inline unsigned lanes_of(lanes mask)
{
#if BYTES == 64
    return mask;
#else
    return (unsigned)_mm256_movemask_pd((__m256d)mask);
#endif
}

static inline real magnitude(real x)
{
    return (real)((whole)x & ~SIGN);
}

/* a with the sign of b, for a without one. */
static inline real signed_as(real a, real b)
{
    return (real)((whole)a | ((whole)b & SIGN));
}

/* Even and odd terms side by side: half the latency of one chain. */
static inline real polynomial(real z, const double *c, int terms)
{
    real square = z * z, p = (real){0} + c[terms - 1], q = (real){0} + c[terms - 2];
    int k = terms - 3;
    for (; k > 0; k -= 2) {
        p = fused(p, square, (real){0} + c[k]);
        q = fused(q, square, (real){0} + c[k - 1]);
    }
    return k < 0 ? fused(p, z, q) : fused(q, z, fused(p, square, (real){0} + c[0]));
}

static __attribute__((noinline, cold)) real one_by_one(double (*f)(double), real x, real r,
                                                       unsigned which)
{
    for (int l = 0; l < BYTES / 8; l++)
        if (which >> l & 1)
            r[l] = f(x[l]);
    return r;
}

/* ---- exponentials ---------------------------------------------------------------------------- */

/* (e^r - 1 - r) / r^2 for |r| <= log(2)/2 */
static const double exp_terms[] = {
    0x1.0000000000000p-1,  0x1.5555555555557p-3,  0x1.5555555555556p-5,  0x1.11111111100bep-7,
    0x1.6c16c16c162c3p-10, 0x1.a01a01abf85abp-13, 0x1.a01a01a6e1e2ap-16, 0x1.71de01fdbf9cap-19,
    0x1.27e4db46cddd1p-22, 0x1.af4e554377204p-26, 0x1.1f7340dbc337ep-29};

/* x = n log(2) + r, n an integer: e^r - 1 = *high + *low. The subtraction of the long product is
 * exact. */
static inline real exp_reduced(real x, real *high, real *low)
{
    real n = fused(x, (real){0} + 0x1.71547652b82fep+0, (real){0} + MAGIC) - MAGIC;
    real r = fused(-n, (real){0} + 0x1.62e42fefa39efp-1, x), l = n * 0x1.abc9e3b39803fp-56;
    *high = r - l;
    *low = (r - *high) - l;
    *low = fused(*high * *high, polynomial(*high, exp_terms, TERMS(exp_terms)), *low);
    return n;
}

/* 2^n for an integer -1022 <= n <= 1023 */
static inline real power_of_two(real n)
{
    return (real)(((whole)(n + MAGIC) + 1023) << 52);
}

/* x 2^n for an integer |n| < 2000, rounded once more where it is subnormal */
static inline real scaled(real x, real n)
{
#if BYTES == 64
    return (real)_mm512_scalef_pd((__m512d)x, (__m512d)n);
#else
    real part = (n * 0.5 + MAGIC) - MAGIC; /* twice, or 2^n may be no number */
    return x * power_of_two(part) * power_of_two(n - part);
#endif
}

/* NaN stays. */
static inline real bounded(real x, double bound)
{
#if BYTES == 64
    return (real)_mm512_min_pd(_mm512_set1_pd(bound),
                               _mm512_max_pd(_mm512_set1_pd(-bound), (__m512d)x));
#else
    return (real)_mm256_min_pd(_mm256_set1_pd(bound),
                               _mm256_max_pd(_mm256_set1_pd(-bound), (__m256d)x));
#endif
}

static inline real exponential(real x)
{
    real high, low, n = exp_reduced(bounded(x, 1000), &high, &low);
    return scaled(1 + (high + low), n);
}

real OWN(exp)(real x)
{
    return exponential(x);
}

real OWN(expm1)(real x)
{
    real high, low;
    lanes far = greater(magnitude(x), (real){0} + 40);
    real n = exp_reduced(choose(far, (real){0}, x), &high, &low), scale = power_of_two(n);
    real r = fused(scale, high + low, scale - 1);
    if (lanes_of(far))
        r = choose(far, exponential(x) - 1, r);
    return choose(zero(x), x, r);
}

/* e^x - 1 = *high + *low for |x| <= 40 */
static inline void expm1_parts(real x, real *high, real *low)
{
    real h, l, n = exp_reduced(x, &h, &l), scale = power_of_two(n), a = scale - 1, b = scale * h;
    *high = a + b;
    *low = (b - (*high - a)) + scale * l;
}

/* From e = e^(2|x|) - 1: e / (e + 2), the quotient corrected once. */
real OWN(tanh)(real x)
{
    real a = magnitude(x), high, low;
    lanes far = greater(a, (real){0} + 20);
    expm1_parts(choose(far, (real){0}, a + a), &high, &low);
    real e = high + low, rest = (high - e) + low, d = e + 2, dropped = (2 - d) + e;
    dropped = choose(greater(e, (real){0} + 2), (e - d) + 2, dropped) + rest;
    real q = e / d;
    q += (fused(-q, d, e) + rest - q * dropped) / d;
    return signed_as(magnitude(choose(far, (real){0} + 1, choose(zero(a), a, q))), x);
}

/* ---- trigonometry ---------------------------------------------------------------------------- */

/* (sin(r) / r - 1) / r^2 and (cos(r) - 1 + r^2/2) / r^4 as functions of r^2, for |r| <= pi/4 */
static const double sin_terms[] = {-0x1.5555555555555p-3,  0x1.1111111110ba5p-7,
                                   -0x1.a01a019e80693p-13, 0x1.71de379252004p-19,
                                   -0x1.ae60069e53ef1p-26, 0x1.5e098556d302ep-33};
static const double cos_terms[] = {0x1.5555555555555p-5,  -0x1.6c16c16c16960p-10,
                                   0x1.a01a019f4d0edp-16, -0x1.27e4fa15bd814p-22,
                                   0x1.1eeb66b683028p-29, -0x1.907c0e63adbb6p-37};

/* x = n pi/2 + *r, n in the low bits of the result. The first difference is exact; half a unit of
 * r's last place is what is lost. */
static inline whole quadrant(real x, real *r)
{
    real t = fused(x, (real){0} + 0x1.45f306dc9c883p-1, (real){0} + MAGIC), n = t - MAGIC;
    *r = fused(-n, (real){0} + 0x1.921fb54442d18p+0, x);
    *r = fused(-n, (real){0} + 0x1.1a62633145c07p-54, *r);
    *r = fused(n, (real){0} + 0x1.f1976b7ed8fbcp-110, *r);
    return (whole)t;
}

/* Arguments beyond, infinities and NaN among them, need another reduction. */
static inline unsigned too_large(real x)
{
    return lanes_of(beyond(x * x, (real){0} + 0x1p60));
}

/* sin(x + turn pi/2) */
static inline real sine(real x, int64_t turn, double (*f)(double))
{
    real r;
    whole q = quadrant(x, &r) + turn;
    unsigned far = too_large(x);
    real z = r * r, s = fused(r * z, polynomial(z, sin_terms, TERMS(sin_terms)), r);
    real c = fused(z * z, polynomial(z, cos_terms, TERMS(cos_terms)),
                   fused(z, (real){0} - 0.5, (real){0} + 1));
    s = (real)((whole)choose(odd(q), c, s) ^ (q << 62 & SIGN));
    s = turn ? s : choose(zero(x), x, s);
    return __builtin_expect(far != 0, 0) ? one_by_one(f, x, s, far) : s;
}

real OWN(sin)(real x)
{
    return sine(x, 0, sin);
}

real OWN(cos)(real x)
{
    return sine(x, 1, cos);
}

/* The quotient of sine and cosine in two parts each. */
real OWN(tan)(real x)
{
    real h;
    whole q = quadrant(x, &h);
    unsigned far = too_large(x);
    real z = h * h, rest = h * z * polynomial(z, sin_terms, TERMS(sin_terms));
    real s = h + rest, s_low = (h - s) + rest;
    real half = 0.5 * z, w = 1 - half, z_low = fused(h, h, -z);
    rest = fused((real){0} - 0.5, z_low, (1 - w) - half);
    rest = fused(z * z, polynomial(z, cos_terms, TERMS(cos_terms)), rest);
    real c = w + rest, c_low = (w - c) + rest;
    real a = choose(odd(q), -c, s), a_low = choose(odd(q), -c_low, s_low);
    real b = choose(odd(q), s, c), b_low = choose(odd(q), s_low, c_low);
    real inverse = 1 / b, r = a * inverse;
    r += inverse * (fused(-r, b, a) + fused(-r, b_low, a_low));
    r = choose(zero(x), x, r);
    return __builtin_expect(far != 0, 0) ? one_by_one(tan, x, r, far) : r;
}

/* (atan(t) / t - 1) / t^2 as a function of t^2, for |t| <= 7/16 */
static const double atan_terms[] = {
    -0x1.5555555555555p-2, 0x1.99999999998c4p-3, -0x1.24924924854a3p-3, 0x1.c71c71bd276f8p-4,
    -0x1.745d154bcdba6p-4, 0x1.3b1375bbd102dp-4, -0x1.110c9bbd49481p-4, 0x1.e17068059f076p-5,
    -0x1.ab59159515deep-5, 0x1.6ffef98521349p-5, -0x1.0f5ce67430a1bp-5, 0x1.e3ff48bc1e160p-7};

/* atan(y / x) = *high + *low for 0 <= y <= x: as atan(1/2) or atan(1) and the rest, where that is
 * near. */
static inline void atan_parts(real y, real x, real *high, real *low)
{
    lanes half = greater(y, 0.4375 * x), one = greater(y, 0.6875 * x);
    real a = choose(half, fused((real){0} + 2, y, -x), y),
         b = choose(half, fused((real){0} + 2, x, y), x);
    a = choose(one, y - x, a);
    b = choose(one, y + x, b);
    real from = choose(half, (real){0} + 0x1.dac670561bb4fp-2, (real){0});
    real from_low = choose(half, (real){0} + 0x1.a2b7f222f65e2p-56, (real){0});
    from = choose(one, (real){0} + 0x1.921fb54442d18p-1, from);
    from_low = choose(one, (real){0} + 0x1.1a62633145c07p-55, from_low);
    real t = a / b, z = t * t;
    real rest = fused(t * z, polynomial(z, atan_terms, TERMS(atan_terms)), from_low);
    *high = from + t;
    *low = (from - *high) + t + rest;
}

/* pi/2 or pi (times), minus or plus the parts: the sum. */
static inline real turned(real turns, real high, real low)
{
    real base = turns * 0x1.921fb54442d18p+0, sum = base + high;
    return sum + ((base - sum) + high + low + turns * 0x1.1a62633145c07p-54);
}

real OWN(atan)(real x)
{
    real a = magnitude(x), high, low;
    lanes steep = greater(a, (real){0} + 1);
    /* beyond 2^100 the result does not change, and 1/a would be lost */
    real y = choose(steep, (real){0} + 1, a);
    atan_parts(y, choose(steep, bounded(a, 0x1p100), (real){0} + 1), &high, &low);
    real r = choose(steep, turned((real){0} + 1, -high, -low), high + low);
    return signed_as(magnitude(choose(zero(a), a, r)), x);
}

real OWN(atan2)(real y, real x)
{
    real a = magnitude(y), b = magnitude(x), high, low;
    lanes steep = greater(a, b), back = negative(x);
    atan_parts(choose(steep, b, a), choose(steep, a, b), &high, &low);
    /* steep: pi/2 -+ angle; else 0 + angle or pi - angle */
    lanes minus = steep ^ back;
    real turns = choose(steep, (real){0} + 1, choose(back, (real){0} + 2, (real){0}));
    real r = turned(turns, choose(minus, -high, high), choose(minus, -low, low));
    r = signed_as(magnitude(r), y);
    /* in between nothing overflows */
    lanes hard = beyond(a, (real){0} + 0x1p400) | beyond(b, (real){0} + 0x1p400) |
                 beyond((real){0} + 0x1p-400, a) | beyond((real){0} + 0x1p-400, b);
    unsigned rest = lanes_of(hard);
    for (int l = 0; __builtin_expect(rest != 0, 0) && l < BYTES / 8; l++)
        if (rest >> l & 1)
            r[l] = atan2(y[l], x[l]);
    return r;
}

/* (asin(t) / t - 1) / t^2 as a function of t^2, for |t| <= 1/2 */
static const double asin_terms[] = {
    0x1.5555555555556p-3, 0x1.3333333332ecap-4, 0x1.6db6db6e31f13p-5, 0x1.f1c71c1db0623p-6,
    0x1.6e8bb1c8209a2p-6, 0x1.1c4d35cf95421p-6, 0x1.c9cf07674736ap-7, 0x1.782651caa6547p-7,
    0x1.52420b04b37bep-7, 0x1.65a9c4dfcf8b2p-8, 0x1.1d189408314eep-6, -0x1.e6aaa8a0a04ccp-7,
    0x1.d72b2bc8155f8p-6};

/* Above 1/2: pi/2 - 2 asin(sqrt((1 - |x|) / 2)). */
real OWN(asin)(real x)
{
    real a = magnitude(x);
    lanes near_one = greater(a, (real){0} + 0.5);
    real z = choose(near_one, 0.5 * (1 - a), a * a), t = choose(near_one, root(z), a);
    real rest = t * z * polynomial(z, asin_terms, TERMS(asin_terms));
    real steep = turned((real){0} + 1, -2 * t, -2 * rest);
    return signed_as(magnitude(choose(near_one, steep, a + rest)), x);
}

/* ---- on top of libmvec's --------------------------------------------------------------------- */

#if __GLIBC_PREREQ(2, 35)
#if BYTES == 64
#define CBRT _ZGVeN8v_cbrt
#define ERF  _ZGVeN8v_erf
#define ERFC _ZGVeN8v_erfc
#else
#define CBRT _ZGVdN4v_cbrt
#define ERF  _ZGVdN4v_erf
#define ERFC _ZGVdN4v_erfc
#endif
real CBRT(real x), ERF(real x), ERFC(real x);

/* One step of Newton's method; subnormal numbers are scaled by 2^54 before. */
real OWN(cbrt)(real x)
{
    lanes small = greater((real){0} + 0x1p-1000, magnitude(x));
    real a = x * choose(small, (real){0} + 0x1p54, (real){0} + 1), y = CBRT(a);
    real square = y * y, rest = fused(square, y, -a) + fused(y, y, -square) * y;
    lanes odd_ones = beyond(magnitude(y), (real){0} + 0x1p400) | zero(y);
    y -= choose(odd_ones, (real){0}, rest / (3 * square));
    return y * choose(small, (real){0} + 0x1p-18, (real){0} + 1);
}

/* erfc(x) x e^(x^2) = 1/sqrt(pi) + t times this, t = 1 / x^2, for x > 20: the asymptotic series */
static const double erfc_terms[] = {
    -0x1.20dd750429b6dp-2, 0x1.b14c2f863e924p-2, -0x1.0ecf9db3e71b6p+0, 0x1.d9eb53fad46ffp+1,
    -0x1.0a945f3d177efp+4, 0x1.6e8c02f4004e9p+6, -0x1.29d1c266403fdp+9};

/* Where libmvec's x^2 has lost digits, beyond 20, that is squared in two parts. */
real OWN(erfc)(real x)
{
    lanes far = greater(x, (real){0} + 20);
    real r = ERFC(x);
    if (__builtin_expect(!lanes_of(far), 1))
        return r;
    real a = choose(far, bounded(x, 30), (real){0} + 20); /* beyond 28 it is 0 */
    real z = a * a, z_low = fused(a, a, -z), t = 1 / z, high, low;
    real n = exp_reduced(-z, &high, &low), one = 1 + high, rest = (1 - one + high) + low;
    real s = one + rest, s_low = (one - s) + rest - z_low * s;
    const real first = (real){0} + 0x1.20dd750429b6dp-1;
    real u =
        fused(t, polynomial(t, erfc_terms, TERMS(erfc_terms)), (real){0} + 0x1.1ae3a914fed80p-57);
    real p = first + u, p_low = (first - p) + u;
    real q = p / a, q_low = (fused(-q, a, p) + p_low) / a, main = s * q;
    rest = fused(s, q, -main) + s_low * q + s * q_low;
    return choose(far, scaled(main + rest, n), r);
}

/* erf(x) / x - 1 as a function of x^2, for |x| <= 1/16: there libmvec's is above 2 ULP, elsewhere
 * near 1 */
static const double erf_terms[] = {0x1.06eba8214db68p-3, -0x1.812746b037889p-2,
                                   0x1.ce2f219d87611p-4, -0x1.b82cc478a95bep-6,
                                   0x1.55cfded96cc13p-8};

real OWN(erf)(real x)
{
    real z = x * x, near = fused(x, polynomial(z, erf_terms, TERMS(erf_terms)), x);
    return choose(greater((real){0} + 0x1p-8, z), near, ERF(x));
}

#undef CBRT
#undef ERF
#undef ERFC
#endif
#undef TERMS
#undef MAGIC
#undef SIGN
#undef OWN
