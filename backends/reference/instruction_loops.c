/* instruction_loops.c - the interpreter's inner loops; see instruction_loops.h. Compiled once per
 * instruction set, with -DLUN_ISA=base, avx2 or avx512 and the matching -march; each copy exports
 * lun__loops_<isa>.
 *
 * The loops per dtype come from table/ops.def and table/dtypes.def (loops_of.h); those that depend
 * on the size of an element alone are in this file. */
#include "reference/instruction_loops.h"

#include <math.h>
#include <stdint.h>
#include <string.h>

#include "table/dtype.h"
#include "table/floats.h"
#include "table/op_types.h"

#ifdef __x86_64__
#include <immintrin.h>
#endif

#ifndef LUN_ISA
#error "compile with -DLUN_ISA=base, avx2 or avx512"
#endif

#define JOIN3_(a, b, c) a##_##b##_##c
#define JOIN3(a, b, c)  JOIN3_(a, b, c)
#define UNUSED          __attribute__((unused))

/* A loop whose rounds do not depend on each other, even where the result is an operand's memory.
 * Under ThreadSanitizer it is left as it is: what it would become, clang does not let it watch. */
#ifdef __SANITIZE_THREAD__
#define EACH(i, n) for (int64_t i = 0; i < (n); i++)
#elif defined __clang__
#define EACH(i, n) _Pragma("clang loop vectorize(assume_safety)") for (int64_t i = 0; i < (n); i++)
#pragma clang diagnostic ignored "-Wpass-failed" /* scalar libm, integer division */
#else
#define EACH(i, n) _Pragma("GCC ivdep") for (int64_t i = 0; i < (n); i++)
#endif

#if defined(__AVX512F__)
#define BYTES 64
#elif defined(__AVX2__)
#define BYTES 32
#else
#define BYTES 16
#endif

/* ---- what the rows of the tables need -------------------------------------------------------- */

enum { GROUP = LUN_SCAN_GROUP };

#define LOADS_1
#define LOADS_2          \
    const T b = in_b[i]; \
    (void)b
#define LOADS_3                       \
    const T b = in_b[i], c = in_c[i]; \
    (void)b, (void)c

/* CAST from a kind to a kind; F: the C type of a. */
#define CONVERT_BOOL_TO_BOOL(F, a)         (a) != 0
#define CONVERT_SIGNED_TO_BOOL(F, a)       (a) != 0
#define CONVERT_UNSIGNED_TO_BOOL(F, a)     (a) != 0
#define CONVERT_FLOAT_TO_BOOL(F, a)        (a) != 0
#define CONVERT_BOOL_TO_SIGNED(F, a)       (a) != 0
#define CONVERT_BOOL_TO_UNSIGNED(F, a)     (a) != 0
#define CONVERT_BOOL_TO_FLOAT(F, a)        (a) != 0
#define CONVERT_SIGNED_TO_SIGNED(F, a)     a
#define CONVERT_SIGNED_TO_UNSIGNED(F, a)   a
#define CONVERT_SIGNED_TO_FLOAT(F, a)      a
#define CONVERT_UNSIGNED_TO_SIGNED(F, a)   a
#define CONVERT_UNSIGNED_TO_UNSIGNED(F, a) a
#define CONVERT_UNSIGNED_TO_FLOAT(F, a)    a
#define CONVERT_FLOAT_TO_FLOAT(F, a)       a
#define HALF_RANGE(F)                      ((F)((uint64_t)1 << (WIDTH - 1)))
#define CONVERT_FLOAT_TO_SIGNED(F, a)                 \
    (a) != (a)             ? 0                        \
    : (a) >= HALF_RANGE(F) ? (T)((U)-1 >> 1)          \
    : (a) < -HALF_RANGE(F) ? (T)((U)1 << (WIDTH - 1)) \
                           : (T)(a)
#define CONVERT_FLOAT_TO_UNSIGNED(F, a) (a) >= 2 * HALF_RANGE(F) ? (T)-1 : (a) > 0 ? (T)(a) : (T)0

/* SSE2 has no instruction for these, and a call for each element costs ten times as much. Adding
 * and taking away 2^52 (2^23) rounds what is smaller than that to a nearest integer; the rest is
 * one. */
#if defined(__x86_64__) && !defined(__SSE4_1__)
#define ROUNDING(T, suffix, limit, fabs, copysign)     \
    static inline T nearest##suffix(T a)               \
    {                                                  \
        T r = fabs(a) + (limit) - (limit);             \
        return copysign(fabs(a) < (limit) ? r : a, a); \
    }                                                  \
    static inline T floor_sse2##suffix(T a)            \
    {                                                  \
        T r = nearest##suffix(a);                      \
        return r > a ? r - 1 : r;                      \
    }                                                  \
    static inline T ceil_sse2##suffix(T a)             \
    {                                                  \
        T r = nearest##suffix(a);                      \
        return copysign(r < a ? r + 1 : r, a);         \
    }                                                  \
    static inline T trunc_sse2##suffix(T a)            \
    {                                                  \
        T r = nearest##suffix(fabs(a));                \
        return copysign(r > fabs(a) ? r - 1 : r, a);   \
    }
ROUNDING(float, f, 0x1p23f, fabsf, copysignf)
ROUNDING(double, , 0x1p52, fabs, copysign)
#define floor  floor_sse2
#define floorf floor_sse2f
#define ceil   ceil_sse2
#define ceilf  ceil_sse2f
#define trunc  trunc_sse2
#define truncf trunc_sse2f
#endif

/* ---- STORED floats: conversions alone -------------------------------------------------------- */

#define WIDEN_PLAIN(...)
#define WIDEN_STORED(ID, exponent, mantissa)                                    \
    static void widen_##ID(void *d, const void *va, int64_t n)                  \
    {                                                                           \
        uint32_t *out = d;                                                      \
        const type_##ID *in = va;                                               \
        n &= -LUN_BLOCK;                                                        \
        EACH(i, n)                                                              \
        {                                                                       \
            out[i] = lun__float_widen(in[i], exponent, mantissa);               \
        }                                                                       \
    }                                                                           \
    static void narrow32_##ID(void *d, const void *va, int64_t n)               \
    {                                                                           \
        type_##ID *out = d;                                                     \
        const uint32_t *in = va;                                                \
        n &= -LUN_BLOCK;                                                        \
        EACH(i, n)                                                              \
        {                                                                       \
            out[i] = (type_##ID)lun__float_narrow32(in[i], exponent, mantissa); \
        }                                                                       \
    }                                                                           \
    static void narrow64_##ID(void *d, const void *va, int64_t n)               \
    {                                                                           \
        type_##ID *out = d;                                                     \
        const uint64_t *in = va;                                                \
        n &= -LUN_BLOCK;                                                        \
        EACH(i, n)                                                              \
        {                                                                       \
            out[i] = (type_##ID)lun__float_narrow64(in[i], exponent, mantissa); \
        }                                                                       \
    }                                                                           \
    static const lun_loops_of loops_##ID = {                                    \
        .cast = {[LUN_F32] = narrow32_##ID, [LUN_F64] = narrow64_##ID}};
#define LUN_DTYPE(ID, name, ctype, utype, bytes, kind, rank, exponent, mantissa, form, ...) \
    WIDEN_##form(ID, exponent, mantissa)
#include "table/dtypes.def"
#undef LUN_DTYPE

/* The rows serve every dtype: comparisons that are always true for some, operands that C
 * promotes. */
#pragma GCC diagnostic push
#pragma GCC diagnostic ignored "-Wtype-limits"
#pragma GCC diagnostic ignored "-Wtautological-compare"
#pragma GCC diagnostic ignored "-Wconversion"
#pragma GCC diagnostic ignored "-Wsign-conversion"
#pragma GCC diagnostic ignored "-Wsign-compare"

#define LOOPS_OF "reference/loops_of.h"
#include "loops_each.h" /* made from table/dtypes.def: reference/loops_of.h for each PLAIN row */

#pragma GCC diagnostic pop

/* ---- the sequences of math functions --------------------------------------------------------- */

#define INLINE static inline __attribute__((always_inline))
#define LUN_W  BYTES
#pragma GCC diagnostic push
#pragma GCC diagnostic ignored "-Wunused-function"
#pragma GCC diagnostic ignored "-Wsign-conversion" /* the masks of built-in functions */
#include "math/erf_rows.h"
#include "math/gnu_words.h"
#include "math_all.h" /* made from math/texts.def: the texts */

typedef F32 loose_F32 __attribute__((aligned(4), may_alias));
typedef F64 loose_F64 __attribute__((aligned(8), may_alias));

#define OPERANDS_1(i) x[i]
#define OPERANDS_2(i) x[i], y[i]
#define LUN_FUNCTION(ROW, DTYPE, version, arity, name, text, bound)                          \
    static void math_##name(void *d, const void *a, const void *b, const void *c, int64_t n) \
    {                                                                                        \
        loose_##DTYPE *out = d;                                                              \
        const loose_##DTYPE *x = a, *y = b;                                                  \
        (void)y, (void)c;                                                                    \
        for (int64_t i = 0; i < n * width_##DTYPE / (8 * BYTES); i++)                        \
            out[i] = lun_seq_##name(OPERANDS_##arity(i));                                    \
    }
#include "math/functions.def"
#undef LUN_FUNCTION
#pragma GCC diagnostic pop

/* ---- by size --------------------------------------------------------------------------------- */

#define BY_SIZE(type)                                                                         \
    static void fill_##type(void *d, const void *cell, int64_t n)                             \
    {                                                                                         \
        type *out = d, x;                                                                     \
        memcpy(&x, cell, sizeof x);                                                           \
        n &= -LUN_BLOCK;                                                                      \
        for (int64_t i = 0; i < n; i++)                                                       \
            out[i] = x;                                                                       \
    }                                                                                         \
    static void gather_##type(void *d, const void *x, const void *index, const uint8_t *mask, \
                              int64_t n)                                                      \
    {                                                                                         \
        type *out = d;                                                                        \
        const type *in = x;                                                                   \
        const int64_t *at = index;                                                            \
        if (mask) {                                                                           \
            for (int64_t i = 0; i < n; i++)                                                   \
                if (mask[i])                                                                  \
                    out[i] = in[at[i]];                                                       \
        } else {                                                                              \
            EACH(i, n)                                                                        \
            {                                                                                 \
                out[i] = in[at[i]];                                                           \
            }                                                                                 \
        }                                                                                     \
    }                                                                                         \
    static void put_##type(void *x, const void *a, const void *index, const uint8_t *mask,    \
                           int64_t n)                                                         \
    {                                                                                         \
        type *out = x;                                                                        \
        const type *in = a;                                                                   \
        const int64_t *at = index;                                                            \
        for (int64_t i = 0; i < n; i++)                                                       \
            if (!mask || mask[i])                                                             \
                out[at[i]] = in[i];                                                           \
    }                                                                                         \
    static bool any_zero_##type(const void *x, const uint8_t *mask, int64_t n)                \
    {                                                                                         \
        const type *in = x;                                                                   \
        int found = 0;                                                                        \
        if (mask)                                                                             \
            for (int64_t i = 0; i < n; i++)                                                   \
                found |= (in[i] == 0) & mask[i];                                              \
        else                                                                                  \
            for (int64_t i = 0; i < n; i++)                                                   \
                found |= in[i] == 0;                                                          \
        return found != 0;                                                                    \
    }                                                                                         \
    static void blend_##type(void *d, const void *a, const uint8_t *mask, int64_t n)          \
    {                                                                                         \
        type *out = d;                                                                        \
        const type *in = a;                                                                   \
        n &= -LUN_BLOCK;                                                                      \
        EACH(i, n)                                                                            \
        {                                                                                     \
            out[i] = mask[i] ? in[i] : out[i];                                                \
        }                                                                                     \
    }                                                                                         \
    static void split_pairs_##type(void *d, void *e, const void *x, int64_t n)                \
    {                                                                                         \
        type *even = d, *odd = e;                                                             \
        const type *in = x;                                                                   \
        EACH(i, n)                                                                            \
        {                                                                                     \
            even[i] = in[2 * i];                                                              \
            odd[i] = in[2 * i + 1];                                                           \
        }                                                                                     \
    }
BY_SIZE(uint8_t)
BY_SIZE(uint16_t)
BY_SIZE(uint32_t)
BY_SIZE(uint64_t)

static void iota(void *d, int64_t first, int64_t n)
{
    int64_t *out = d;
    n &= -LUN_BLOCK;
    for (int64_t i = 0; i < n; i++)
        out[i] = first + i;
}

static void copy(void *d, const void *a, int64_t bytes)
{
    memmove(d, a, (size_t)bytes);
}

#ifdef __x86_64__
static void stream(void *d, const void *a, int64_t bytes)
{
    const char *from = a;
    char *to = d;
    for (int64_t i = 0; i + BYTES <= bytes; i += BYTES) {
#if BYTES == 64
        _mm512_stream_si512((void *)(to + i), _mm512_loadu_si512((const void *)(from + i)));
#elif BYTES == 32
        _mm256_stream_si256((void *)(to + i), _mm256_loadu_si256((const void *)(from + i)));
#else
        _mm_stream_si128((void *)(to + i), _mm_loadu_si128((const void *)(from + i)));
#endif
    }
}

static void fence(void)
{
    _mm_sfence();
}
#else
static void stream(void *d, const void *a, int64_t bytes)
{
    memcpy(d, a, (size_t)bytes);
}

static void fence(void)
{
}
#endif

/* ---- masks ----------------------------------------------------------------------------------- */

static void split(uint8_t *yes, uint8_t *no, const uint8_t *mask, const uint8_t *condition,
                  int64_t n)
{
    n &= -LUN_BLOCK;
    if (no) {
        EACH(i, n)
        {
            uint8_t m = mask[i], c = condition[i] != 0;
            yes[i] = m & c;
            no[i] = m & !c;
        }
    } else {
        EACH(i, n)
        {
            yes[i] = mask[i] & (condition[i] != 0);
        }
    }
}

static void drop(uint8_t *mask, const uint8_t *gone, int64_t n)
{
    n &= -LUN_BLOCK;
    EACH(i, n)
    {
        mask[i] = mask[i] & !gone[i];
    }
}

static bool any(const uint8_t *mask, int64_t n)
{
    uint8_t found = 0;
    n &= -LUN_BLOCK;
    for (int64_t i = 0; i < n; i++)
        found |= mask[i];
    return found != 0;
}

#include "reference/loops_random.h"

#define SIZES(name)                                                       \
    {                                                                     \
        name##_uint8_t, name##_uint16_t, name##_uint32_t, name##_uint64_t \
    }

const lun_loops JOIN(lun__loops_, LUN_ISA) = {
    .bytes = BYTES,
    .of =
        {
#define LUN_DTYPE(ID, ...) [LUN_##ID] = &loops_##ID,
#include "table/dtypes.def"
#undef LUN_DTYPE
        },
    .math =
        {
#define LUN_FUNCTION(ROW, DTYPE, version, arity, name, text, bound) \
    [LUN_VERSION_##version][width_##DTYPE == 64][LUN_OP_##ROW] = math_##name,
#include "math/functions.def"
#undef LUN_FUNCTION
        },
    .fill = SIZES(fill),
    .iota = iota,
    .random = {random32, random64},
    .copy = copy,
    .stream = stream,
    .fence = fence,
    .split_pairs = SIZES(split_pairs),
    .gather = SIZES(gather),
    .put = SIZES(put),
    .any_zero = SIZES(any_zero),
    .blend = SIZES(blend),
    .split = split,
    .drop = drop,
    .any = any,
};
