/* variants.c - measures the math functions behind table/ops.def: the scalar C library, libmvec's
 * variants and, where they are others, those that backends/math/vecmath_table.c names, in f32 and
 * f64, against the C library's long double functions. Its table decides what stands in
 * math/vecmath_table.c; nothing else reads it.
 *
 *   cc -O2 -ffp-contract=off -Iprims -Ibackends bench/variants.c build/liblunarray.a \
 *       -o /tmp/variants -lmvec -lm -ldl -lpng -lxxhash -lhwloc && /tmp/variants [millions [name]]
 *
 * Columns: largest error in ULP and the argument where it was seen, and how many special cases
 * (NaN, infinities, signed zeros, domain errors, overflow) differ from the true result. */
#include <dlfcn.h>
#include <immintrin.h>
#include <math.h>
#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "math/vecmath.h"
#include "table/op.h"

typedef long double wide;
typedef void (*any_fn)(void);

/* Intervals that a function is sampled in evenly, besides every binade. */
typedef struct function {
    const char *name;
    int arity;
    double from, to;  /* where it bends */
    double low, high; /* where it is sampled at all: beyond, only special values are of interest */
    wide (*exact1)(wide);
    wide (*exact2)(wide, wide);
    float (*f1)(float);
    double (*d1)(double);
    float (*f2)(float, float);
    double (*d2)(double, double);
} function;

#define UNARY(name, from, to, low, high)                                        \
    {                                                                           \
#name, 1, from, to, low, high, name##l, NULL, name##f, name, NULL, NULL \
    }
#define BINARY(name, from, to, low, high)                                       \
    {                                                                           \
#name, 2, from, to, low, high, NULL, name##l, NULL, NULL, name##f, name \
    }

static const function functions[] = {
    BINARY(pow, 0, 40, -INFINITY, INFINITY),
    UNARY(cbrt, -8, 8, -INFINITY, INFINITY),
    UNARY(exp, -700, 700, -760, 720),
    UNARY(exp2, -1000, 1000, -1100, 1030),
    UNARY(expm1, -2, 2, -760, 720),
    UNARY(log, 0, 4, 0, INFINITY),
    UNARY(log2, 0, 4, 0, INFINITY),
    UNARY(log10, 0, 4, 0, INFINITY),
    UNARY(log1p, -1, 2, -1, INFINITY),
    UNARY(sin, -100, 100, -INFINITY, INFINITY),
    UNARY(cos, -100, 100, -INFINITY, INFINITY),
    UNARY(tan, -100, 100, -INFINITY, INFINITY),
    UNARY(asin, -1, 1, -1, 1),
    UNARY(acos, -1, 1, -1, 1),
    UNARY(atan, -10, 10, -INFINITY, INFINITY),
    BINARY(atan2, -10, 10, -INFINITY, INFINITY),
    UNARY(sinh, -20, 20, -720, 720),
    UNARY(cosh, -20, 20, -720, 720),
    UNARY(tanh, -4, 4, -INFINITY, INFINITY),
    UNARY(asinh, -20, 20, -INFINITY, INFINITY),
    UNARY(acosh, 1, 20, 1, INFINITY),
    UNARY(atanh, -1, 1, -1, 1),
    UNARY(erf, -6, 6, -INFINITY, INFINITY),
    UNARY(erfc, -6, 28, -10, 28),
    BINARY(hypot, -10, 10, -INFINITY, INFINITY),
};

enum { BATCH = 4096, VARIANTS = 6, SPECIALS = 24 };
static const char *const variant_name[VARIANTS] = {"scalar", "base",     "avx2",
                                                   "avx512", "own avx2", "own avx512"};

typedef struct result {
    double ulp, at[2];
    int wrong;
    double wrong_at[2];
    bool there;
} result;

static uint64_t random_bits(uint64_t *state)
{
    uint64_t z = (*state += 0x9e3779b97f4a7c15u);
    z = (z ^ (z >> 30)) * 0xbf58476d1ce4e5b9u;
    z = (z ^ (z >> 27)) * 0x94d049bb133111ebu;
    return z ^ (z >> 31);
}

static double unit(uint64_t *state)
{
    return (double)(random_bits(state) >> 11) * 0x1p-53;
}

/* ---- calling a variant on a batch ------------------------------------------------------------ */

#define CALLS(TARGET, NAME, VEC, ELEM, LANES)                                         \
    __attribute__((target(TARGET))) static void NAME(any_fn fn, int arity, ELEM *out, \
                                                     const ELEM *x, const ELEM *y)    \
    {                                                                                 \
        for (int i = 0; i < BATCH; i += LANES) {                                      \
            VEC a, b, r;                                                              \
            memcpy(&a, x + i, sizeof a);                                              \
            memcpy(&b, y + i, sizeof b);                                              \
            r = arity == 1 ? ((VEC(*)(VEC))fn)(a) : ((VEC(*)(VEC, VEC))fn)(a, b);     \
            memcpy(out + i, &r, sizeof r);                                            \
        }                                                                             \
    }
CALLS("sse2", base_f32, __m128, float, 4)
CALLS("sse2", base_f64, __m128d, double, 2)
CALLS("avx2", avx2_f32, __m256, float, 8)
CALLS("avx2", avx2_f64, __m256d, double, 4)
CALLS("avx512f", avx512_f32, __m512, float, 16)
CALLS("avx512f", avx512_f64, __m512d, double, 8)

static any_fn find_in_libmvec(void *library, const function *f, int variant, bool is_double)
{
    static const char letter[] = {' ', 'b', 'd', 'e'};
    static const int bytes[] = {0, 16, 32, 64};
    char name[64];
    any_fn fn;
    void *p;
    snprintf(name, sizeof name, "_ZGV%cN%d%s_%s%s", letter[variant],
             bytes[variant] / (is_double ? 8 : 4), f->arity == 1 ? "v" : "vv", f->name,
             is_double ? "" : "f");
    p = library ? dlsym(library, name) : NULL;
    memcpy(&fn, &p, sizeof fn);
    return fn;
}

/* What is chosen instead of libmvec's function; NULL if nothing is. */
static any_fn find_own(const function *f, int variant, bool is_double, any_fn libmvec)
{
    any_fn fn = NULL;
    for (int op = 0; op < LUN_OP_COUNT; op++) {
        const void *const *table =
            lun__vecmath(variant == 4 ? LUN_ISA_AVX2 : LUN_ISA_AVX512, LUN_MATH_FAST);
        const void *p = table[lun__vecmath_index((lun_op)op, is_double ? LUN_F64 : LUN_F32)];
        if (!strcmp(lun__op_get((lun_op)op)->name, f->name))
            memcpy(&fn, &p, sizeof fn);
    }
    return fn == libmvec ? NULL : fn;
}

static void call_f32(const function *f, int variant, any_fn fn, float *out, const float *x,
                     const float *y)
{
    if (variant == 1)
        base_f32(fn, f->arity, out, x, y);
    if (variant == 2 || variant == 4)
        avx2_f32(fn, f->arity, out, x, y);
    if (variant == 3 || variant == 5)
        avx512_f32(fn, f->arity, out, x, y);
    for (int i = 0; variant == 0 && i < BATCH; i++)
        out[i] = f->arity == 1 ? f->f1(x[i]) : f->f2(x[i], y[i]);
}

static void call_f64(const function *f, int variant, any_fn fn, double *out, const double *x,
                     const double *y)
{
    if (variant == 1)
        base_f64(fn, f->arity, out, x, y);
    if (variant == 2 || variant == 4)
        avx2_f64(fn, f->arity, out, x, y);
    if (variant == 3 || variant == 5)
        avx512_f64(fn, f->arity, out, x, y);
    for (int i = 0; variant == 0 && i < BATCH; i++)
        out[i] = f->arity == 1 ? f->d1(x[i]) : f->d2(x[i], y[i]);
}

/* ---- judging --------------------------------------------------------------------------------- */

/* Error of got in units of the last place of a format with `digits` bits and smallest exponent
 * `low`; negative: got is wrong in kind (NaN, infinity, sign of zero). */
static double error_in_ulp(wide exact, double got, int digits, int low, double largest)
{
    int e;
    if (isnan(exact) || isnan(got))
        return isnan(exact) && isnan(got) ? 0 : -1;
    if (isinf(exact))
        return (wide)got == exact ? 0 : -1;
    if (exact == 0)
        return got == 0 && !signbit(exact) == !signbit(got) ? 0 : -1;
    frexpl(exact, &e);
    wide spacing = ldexpl(1, (e - digits < low ? low : e - digits));
    if (isinf(got)) { /* stands for the first number that is too large */
        if (!signbit(got) != !signbit(exact))
            return -1;
        wide limit = (wide)largest + spacing;
        return fabsl(exact) >= limit ? 0 : (double)((limit - fabsl(exact)) / spacing);
    }
    if (fabsl(exact) > (wide)largest + spacing / 2)
        return -1;
    if (got == 0 && !signbit(got) != !signbit(exact))
        return -1;
    return (double)(fabsl((wide)got - exact) / spacing);
}

static void judge(result *r, wide exact, double got, double x, double y, bool is_double)
{
    double e = is_double ? error_in_ulp(exact, got, 53, -1074, 0x1.fffffffffffffp1023)
                         : error_in_ulp(exact, got, 24, -149, (double)0x1.fffffep127f);
    if (e < 0) {
        if (!r->wrong++) {
            r->wrong_at[0] = x;
            r->wrong_at[1] = y;
        }
    } else if (e > r->ulp) {
        r->ulp = e;
        r->at[0] = x;
        r->at[1] = y;
    }
}

static wide exact_of(const function *f, double x, double y)
{
    return f->arity == 1 ? f->exact1((wide)x) : f->exact2((wide)x, (wide)y);
}

/* ---- samples --------------------------------------------------------------------------------- */

static const double special[SPECIALS] = {
    0.0,  -0.0, 1.0,   -1.0, INFINITY, -INFINITY, NAN,       0.5,     -0.5,     2.0, -2.0, 3.0,
    -3.0, 1e30, -1e30, 2.5,  -2.5,     0x1p-140,  -0x1p-140, 0x1p127, -0x1p127, 1e5, 89.0, -104.0};

/* An argument: evenly from where the function bends, from any binade, or (rarely) special. */
static double sample(const function *f, uint64_t *state, bool is_double, uint64_t turn)
{
    double x;
    if (turn % 2 == 0)
        return f->from + (f->to - f->from) * unit(state);
    for (int tries = 0; tries < 64; tries++) {
        if (is_double) {
            uint64_t bits = random_bits(state);
            /* half of them within 2^-30 .. 2^34, where most data is */
            if (bits & 1)
                bits = (bits & 0x800fffffffffffff) | ((993 + (bits >> 52) % 64) << 52);
            memcpy(&x, &bits, sizeof x);
        } else {
            uint32_t bits = (uint32_t)random_bits(state);
            float s;
            memcpy(&s, &bits, sizeof s);
            x = (double)s;
        }
        if (!(x >= f->low && x <= f->high))
            continue;
        return x;
    }
    return f->from + (f->to - f->from) * unit(state);
}

static void fill_specials(const function *f, double *x, double *y)
{
    for (int i = 0; i < BATCH; i++) {
        x[i] = special[i % SPECIALS];
        y[i] = f->arity == 1 ? 0 : special[i / SPECIALS % SPECIALS];
    }
}

static void measure(const function *f, bool is_double, int batches, any_fn *fn, result *results)
{
    static double x[BATCH], y[BATCH], got[BATCH];
    static float xs[BATCH], ys[BATCH], gots[BATCH];
    static wide exact[BATCH];
    uint64_t state = 1;
    for (int b = 0; b <= batches; b++) {
        if (b == 0)
            fill_specials(f, x, y);
        for (int i = 0; i < BATCH; i++) {
            if (b) {
                x[i] = sample(f, &state, is_double, (uint64_t)i);
                y[i] = f->arity == 1 ? 0 : sample(f, &state, is_double, (uint64_t)i >> 1);
            }
            xs[i] = (float)x[i];
            ys[i] = (float)y[i];
            if (!is_double) {
                x[i] = (double)xs[i];
                y[i] = (double)ys[i];
            }
            exact[i] = exact_of(f, x[i], y[i]);
        }
        for (int v = 0; v < VARIANTS; v++) {
            if (!results[v].there)
                continue;
            if (is_double)
                call_f64(f, v, fn[v], got, x, y);
            else
                call_f32(f, v, fn[v], gots, xs, ys);
            for (int i = 0; i < BATCH; i++)
                judge(&results[v], exact[i], is_double ? got[i] : (double)gots[i], x[i], y[i],
                      is_double);
        }
    }
}

static void report(const function *f, bool is_double, const result *r, int variant)
{
    printf("%-6s %s %-10s", f->name, is_double ? "f64" : "f32", variant_name[variant]);
    if (!r->there) {
        printf("  none\n");
        return;
    }
    printf(" %6.2f ULP at %.17g", r->ulp, r->at[0]);
    if (f->arity == 2)
        printf(", %.17g", r->at[1]);
    if (r->wrong)
        printf("  WRONG %d, first at %.17g", r->wrong, r->wrong_at[0]);
    if (r->wrong && f->arity == 2)
        printf(", %.17g", r->wrong_at[1]);
    printf("%s\n", r->ulp > (is_double ? 2.0 : 4.0) ? "  OVER" : "");
}

int main(int argc, char **argv)
{
    double millions = argc > 1 ? atof(argv[1]) : 4;
    int batches = (int)(millions * 1e6 / BATCH);
    void *library = dlopen("libmvec.so.1", RTLD_NOW);
    for (size_t i = 0; i < sizeof functions / sizeof *functions; i++) {
        const function *f = &functions[i];
        if (argc > 2 && strcmp(argv[2], f->name))
            continue;
        for (int is_double = 0; is_double < 2; is_double++) {
            result results[VARIANTS];
            any_fn fn[VARIANTS] = {NULL};
            memset(results, 0, sizeof results);
            for (int v = 0; v < VARIANTS; v++) {
                bool avx2 = __builtin_cpu_supports("avx2") && __builtin_cpu_supports("fma");
                bool avx512 = avx2 && __builtin_cpu_supports("avx512dq");
                if (v > 3)
                    fn[v] = find_own(f, v, is_double, fn[v - 2]);
                else if (v)
                    fn[v] = find_in_libmvec(library, f, v, is_double);
                results[v].there = v == 0 || fn[v];
                if ((v % 2 == 0 && v && !avx2) || (v > 1 && v % 2 && !avx512))
                    results[v].there = false;
            }
            measure(f, is_double, batches, fn, results);
            for (int v = 0; v < VARIANTS; v++)
                if (v < 4 || results[v].there)
                    report(f, is_double, &results[v], v);
            fflush(stdout);
        }
    }
    return 0;
}
