/* vecmath_table.c - which vector math functions serve which operation; see vecmath.h.
 *
 * Takes addresses only: their callers are compiled for its instruction set. The figures decide,
 * and bench/variants.c measures them: here glibc 2.36, 16 million arguments a function, all
 * variants right on special values. What then serves is measured by `make accuracy`:
 * docs/accuracy.md. */
#include "math/vecmath.h"

#include <pthread.h>
#include <stddef.h> /* says which glibc this is */
#include <stdlib.h>
#include <string.h>

/* The promise, in ULP. An entry above it is left out where the C library's scalar function is
 * nearer. */
#define LIMIT_F32        4.0
#define LIMIT_F64        2.0
#define GOOD(v, s, most) ((v) <= (most) || (v) <= (s))

/* X(row of table/ops.def, function, parameters,
 *   f32: error of libmvec's with 16, 32, 64 bytes, of the scalar function; f64: the same;
 *   who serves f64 with 16, 32, 64 bytes: LIB libmvec, OWN f64.h, WIDE
 *   f64_wide.h; the error of OWN, 0: none)
 * glibc has had the first list since 2.22, the second since 2.35. */
#define OLD_FUNCTIONS(X)                                                                \
    X(POW, pow, vv, 0.62, 0.62, 0.62, 0.67, 1.00, 1.00, 1.00, 0.51, LIB, LIB, LIB, 0)   \
    X(EXP, exp, v, 2.84, 2.57, 2.57, 0.50, 3.01, 3.01, 3.01, 0.51, LIB, OWN, OWN, 0.87) \
    X(LOG, log, v, 3.97, 3.94, 3.94, 0.82, 1.57, 1.57, 1.57, 0.52, LIB, LIB, LIB, 0)    \
    X(SIN, sin, v, 2.13, 1.81, 1.81, 0.56, 3.44, 3.32, 3.32, 0.52, LIB, OWN, OWN, 1.57) \
    X(COS, cos, v, 2.03, 1.93, 1.93, 0.56, 3.57, 3.53, 3.53, 0.52, LIB, OWN, OWN, 1.57)
#define NEW_FUNCTIONS(X)                                                                     \
    X(CBRT, cbrt, v, 2.85, 2.85, 1.94, 0.96, 2.52, 2.52, 1.80, 3.35, WIDE, OWN, LIB, 0.50)   \
    X(EXP2, exp2, v, 1.08, 0.82, 0.99, 0.50, 1.64, 1.64, 1.03, 0.51, LIB, LIB, LIB, 0)       \
    X(EXPM1, expm1, v, 1.79, 1.66, 2.34, 0.81, 2.95, 2.95, 2.08, 0.85, LIB, OWN, OWN, 1.76)  \
    X(LOG2, log2, v, 2.55, 2.06, 2.04, 0.75, 1.91, 1.91, 1.83, 0.55, LIB, LIB, LIB, 0)       \
    X(LOG10, log10, v, 2.63, 2.79, 3.50, 2.04, 1.94, 1.94, 1.94, 1.59, LIB, LIB, LIB, 0)     \
    X(LOG1P, log1p, v, 2.00, 1.95, 1.95, 0.84, 2.21, 2.21, 1.91, 0.86, LIB, LIB, LIB, 0)     \
    X(TAN, tan, v, 3.95, 3.66, 3.91, 1.39, 3.54, 3.37, 3.79, 0.57, LIB, OWN, OWN, 1.83)      \
    X(ASIN, asin, v, 3.01, 2.70, 3.12, 0.89, 2.90, 2.62, 2.57, 0.51, LIB, OWN, OWN, 1.11)    \
    X(ACOS, acos, v, 2.42, 2.07, 2.07, 0.89, 2.13, 1.76, 1.76, 0.52, LIB, LIB, LIB, 0)       \
    X(ATAN, atan, v, 2.62, 2.33, 2.00, 0.83, 2.41, 2.41, 2.41, 0.52, LIB, OWN, OWN, 0.75)    \
    X(ATAN2, atan2, vv, 3.48, 3.31, 3.31, 1.47, 2.15, 2.59, 2.59, 0.52, LIB, OWN, OWN, 1.43) \
    X(SINH, sinh, v, 1.85, 1.72, 1.72, 1.78, 2.11, 1.88, 1.88, 1.76, LIB, LIB, LIB, 0)       \
    X(COSH, cosh, v, 1.84, 2.03, 2.48, 1.72, 1.70, 1.70, 2.00, 1.70, LIB, LIB, LIB, 0)       \
    X(TANH, tanh, v, 1.03, 1.03, 1.37, 2.12, 2.17, 2.13, 1.18, 2.15, WIDE, OWN, LIB, 0.86)   \
    X(ASINH, asinh, v, 2.20, 2.12, 0.97, 1.58, 2.57, 2.50, 1.48, 1.69, LIB, LIB, LIB, 0)     \
    X(ACOSH, acosh, v, 2.79, 2.39, 1.05, 2.00, 2.63, 2.63, 0.98, 1.92, LIB, LIB, LIB, 0)     \
    X(ATANH, atanh, v, 2.06, 2.01, 1.74, 1.72, 3.04, 3.04, 1.42, 1.68, LIB, LIB, LIB, 0)     \
    X(ERF, erf, v, 1.93, 1.93, 4.00, 0.90, 2.46, 2.46, 2.46, 1.18, LIB, OWN, OWN, 1.07)      \
    X(ERFC, erfc, v, 1.67, 1.59, 1.59, 2.91, 2.04, 2.04, 2.04, 3.53, WIDE, OWN, OWN, 1.65)   \
    X(HYPOT, hypot, vv, 1.38, 1.16, 1.16, 0.50, 2.04, 1.23, 1.32, 0.56, LIB, LIB, LIB, 0)

#if defined(__x86_64__) && defined(__GLIBC__)
#if __GLIBC_PREREQ(2, 35)
#define FUNCTIONS(X) OLD_FUNCTIONS(X) NEW_FUNCTIONS(X)
#elif __GLIBC_PREREQ(2, 22)
#define FUNCTIONS(X) OLD_FUNCTIONS(X)
#endif
#endif
#ifndef FUNCTIONS
#define FUNCTIONS(X)
#endif

#define DECLARE(row, name, args, f4, f8, f16, f1, d2, d4, d8, d1, by2, by4, by8, own)             \
    extern void _ZGVbN4##args##_##name##f(void), _ZGVdN8##args##_##name##f(void),                 \
        _ZGVeN16##args##_##name##f(void), _ZGVbN2##args##_##name(void),                           \
        _ZGVdN4##args##_##name(void), _ZGVeN8##args##_##name(void), lun__f64_##name##_base(void), \
        lun__f64_##name##_avx2(void), lun__f64_##name##_avx512(void);
FUNCTIONS(DECLARE)

#define ENTRY(row, f64, fn, error, scalar, most) \
    [2 * LUN_OP_##row + f64] = GOOD(error, scalar, most) ? (const void *)fn : NULL

#define ENTRY_BASE(row, name, args, f4, f8, f16, f1, d2, d4, d8, d1, by2, by4, by8, own) \
    ENTRY(row, 0, _ZGVbN4##args##_##name##f, f4, f1, LIMIT_F32),                         \
        ENTRY_##by2(row, _ZGVbN2##args##_##name, lun__f64_##name##_base, d2, d1, 0.51),
#define ENTRY_AVX2(row, name, args, f4, f8, f16, f1, d2, d4, d8, d1, by2, by4, by8, own) \
    ENTRY(row, 0, _ZGVdN8##args##_##name##f, f8, f1, LIMIT_F32),                         \
        ENTRY_##by4(row, _ZGVdN4##args##_##name, lun__f64_##name##_avx2, d4, d1, own),
#define ENTRY_AVX512(row, name, args, f4, f8, f16, f1, d2, d4, d8, d1, by2, by4, by8, own) \
    ENTRY(row, 0, _ZGVeN16##args##_##name##f, f16, f1, LIMIT_F32),                         \
        ENTRY_##by8(row, _ZGVeN8##args##_##name, lun__f64_##name##_avx512, d8, d1, own),
#define ENTRY_LIB(row, lib, fn, error, scalar, own)  ENTRY(row, 1, lib, error, scalar, LIMIT_F64)
#define ENTRY_WIDE(row, lib, fn, error, scalar, own) ENTRY(row, 1, fn, own, scalar, LIMIT_F64)
#define ENTRY_OWN(row, lib, fn, error, scalar, own)  ENTRY(row, 1, fn, own, scalar, LIMIT_F64)

enum { ENTRIES = 2 * LUN_OP_COUNT };
static const void *const none[ENTRIES] = {NULL};
static const void *const tables[][ENTRIES] = {
    [LUN_ISA_BASE] = {FUNCTIONS(ENTRY_BASE)[ENTRIES - 1] = NULL},
    [LUN_ISA_AVX2] = {FUNCTIONS(ENTRY_AVX2)[ENTRIES - 1] = NULL},
    [LUN_ISA_AVX512] = {FUNCTIONS(ENTRY_AVX512)[ENTRIES - 1] = NULL},
};

const void *const *lun__vecmath(lun_isa isa, lun_math mode)
{
    return mode == LUN_MATH_PRECISE ? none : tables[isa];
}

/* ---- which of them --------------------------------------------------------------------------- */

/* The build contains all three on x86-64 (x86-64-v3 and -v4), the base alone elsewhere. */
static lun_isa widest(void)
{
#ifdef __x86_64__
    bool v3 = __builtin_cpu_supports("avx2") && __builtin_cpu_supports("fma") &&
              __builtin_cpu_supports("bmi") && __builtin_cpu_supports("bmi2");
    bool v4 = v3 && __builtin_cpu_supports("avx512f") && __builtin_cpu_supports("avx512bw") &&
              __builtin_cpu_supports("avx512cd") && __builtin_cpu_supports("avx512dq") &&
              __builtin_cpu_supports("avx512vl");
    return v4 ? LUN_ISA_AVX512 : v3 ? LUN_ISA_AVX2 : LUN_ISA_BASE;
#else
    return LUN_ISA_BASE;
#endif
}

/* Written once, before anything runs: what was compiled for one is not run by another. */
static pthread_once_t once = PTHREAD_ONCE_INIT;
static lun_isa here = LUN_ISA_BASE;

static void look(void)
{
    static const char *const words[] = {[LUN_ISA_BASE] = "sse2", [LUN_ISA_AVX2] = "avx2"};
    const char *word = getenv("LUNARRAY_VECTORS");
    here = widest();
    for (int i = LUN_ISA_BASE; word && i < (int)here; i++)
        if (!strcmp(word, words[i]))
            here = (lun_isa)i;
}

lun_isa lun__vecmath_isa_here(void)
{
    pthread_once(&once, look);
    return here;
}

int lun__vecmath_isa_bytes(lun_isa isa)
{
    return 16 << (int)isa;
}
