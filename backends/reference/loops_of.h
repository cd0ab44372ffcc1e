/* loops_of.h - the loops of one dtype, included by instruction_loops.c once for each.
 *
 * Before: ID is the dtype, KIND its kind. T, U, WIDTH and M(f), which the rows of table/ops.def
 * speak of, are taken from table/dtypes.def. Ends with the table of the dtype and forgets ID and
 * KIND. No include guard: it is made to be included again and again. */

#define T                    JOIN(type_, ID)
#define U                    JOIN(unsigned_, ID)
#define WIDTH                JOIN(width_, ID)
#define M(name)              __builtin_choose_expr(sizeof(T) == sizeof(float), name##f, name)
#define NAME(what, row)      JOIN3(what, row, ID)
#define PICK(flt, integer)   JOIN(PICK_, KIND)(flt, integer)
#define VALUE(expression)    JOIN(VALUE_, KIND)(expression)
#define EXISTS(flt, integer) HAS_TEXT(JOIN(PICK_, KIND)(flt, integer))

/* ---- elementwise ----------------------------------------------------------------------------- */

#define LUN_OP(ROW, name, symbol, arity, rule, flt, integer, flags, identity, missing, doc)   \
    static UNUSED void NAME(op, ROW)(void *d, const void *va, const void *vb, const void *vc, \
                                     int64_t n)                                               \
    {                                                                                         \
        RESULT_##rule *out = d;                                                               \
        const FIRST_##rule *in_a = va;                                                        \
        const T *in_b = vb, *in_c = vc;                                                       \
        (void)in_b, (void)in_c;                                                               \
        n &= -LUN_BLOCK;                                                                      \
        EACH(i, n)                                                                            \
        {                                                                                     \
            const FIRST_##rule a = in_a[i];                                                   \
            LOADS_##arity;                                                                    \
            (void)a;                                                                          \
            out[i] = (RESULT_##rule)(VALUE(PICK(flt, integer)));                              \
        }                                                                                     \
    }
#include "table/ops.def"
#undef LUN_OP

/* ---- lanes, trees and scans, for associative rows -------------------------------------------- */

/* to[i] = op(from[i - distance], from[i]) from the distance-th element of a group on. */
#define SCAN_STEP(ROW, distance)                                                                \
    static inline UNUSED void NAME(step##distance, ROW)(T *restrict to, const T *restrict from) \
    {                                                                                           \
        for (int i = 0; i < LUN_LANES; i++) {                                                   \
            T r = NAME(one, ROW)(from[i - (distance)], from[i]);                                \
            to[i] = i % GROUP >= (distance) ? r : from[i];                                      \
        }                                                                                       \
    }

#define LUN_OP(ROW, name, symbol, arity, rule, flt, integer, flags, identity, missing, doc)        \
    static inline UNUSED T NAME(one, ROW)(T a, T b)                                                \
    {                                                                                              \
        const T c = b;                                                                             \
        (void)a, (void)b, (void)c;                                                                 \
        return (T)(VALUE(PICK(flt, integer)));                                                     \
    }                                                                                              \
    static UNUSED void NAME(lanes, ROW)(void *acc, const void *vx, int64_t n)                      \
    {                                                                                              \
        const T *x = vx;                                                                           \
        T lane[LUN_LANES];                                                                         \
        memcpy(lane, acc, sizeof lane);                                                            \
        for (; n >= LUN_LANES; n -= LUN_LANES, x += LUN_LANES)                                     \
            for (int l = 0; l < LUN_LANES; l++)                                                    \
                lane[l] = NAME(one, ROW)(lane[l], x[l]);                                           \
        memcpy(acc, lane, sizeof lane);                                                            \
    }                                                                                              \
    static UNUSED void NAME(pairs, ROW)(void *work, const void *vx, int64_t n)                     \
    {                                                                                              \
        const T *x = vx;                                                                           \
        T *w = work;                                                                               \
        if (n == 1)                                                                                \
            w[0] = x[0];                                                                           \
        for (; n > 1; n = (n + 1) / 2, x = w) {                                                    \
            T odd = x[n - 1];                                                                      \
            EACH(j, n / 2)                                                                         \
            {                                                                                      \
                w[j] = NAME(one, ROW)(x[2 * j], x[2 * j + 1]);                                     \
            }                                                                                      \
            if (n % 2)                                                                             \
                w[n / 2] = odd;                                                                    \
        }                                                                                          \
    }                                                                                              \
    SCAN_STEP(ROW, 1)                                                                              \
    SCAN_STEP(ROW, 2)                                                                              \
    SCAN_STEP(ROW, 4)                                                                              \
    static inline UNUSED void NAME(shift, ROW)(T *restrict out, const T *restrict before,          \
                                               const T *restrict p)                                \
    {                                                                                              \
        for (int i = 0; i < LUN_LANES; i++) {                                                      \
            T r = NAME(one, ROW)(before[i], p[i - 1]);                                             \
            out[i] = i % GROUP ? r : before[i];                                                    \
        }                                                                                          \
    }                                                                                              \
    static UNUSED void NAME(scan, ROW)(void *d, const void *vx, void *carry, int64_t n,            \
                                       bool inclusive)                                             \
    {                                                                                              \
        enum { MOST = 512 }; /* steps in a row, so that none waits for what another just stored */ \
        const T *x = vx;                                                                           \
        T *out = d, acc, before[MOST], p[MOST + GROUP], q[MOST + GROUP];                           \
        memcpy(&acc, carry, sizeof acc);                                                           \
        memset(p, 0, GROUP * sizeof(T));                                                           \
        memset(q, 0, GROUP * sizeof(T));                                                           \
        for (int64_t m; n >= LUN_BLOCK; n -= m, x += m, out += m) {                                \
            m = n < MOST ? n & -LUN_BLOCK : MOST;                                                  \
            memcpy(p + GROUP, x, (size_t)m * sizeof(T));                                           \
            for (int64_t i = GROUP; i < m; i += LUN_BLOCK)                                         \
                NAME(step1, ROW)(q + i, p + i);                                                    \
            for (int64_t i = GROUP; i < m; i += LUN_BLOCK)                                         \
                NAME(step2, ROW)(p + i, q + i);                                                    \
            for (int64_t i = GROUP; i < m; i += LUN_BLOCK)                                         \
                NAME(step4, ROW)(q + i, p + i);                                                    \
            for (int64_t g = 0; g < m; g += GROUP) {                                               \
                for (int l = 0; l < GROUP; l++)                                                    \
                    before[g + l] = acc;                                                           \
                acc = NAME(one, ROW)(acc, q[2 * GROUP + g - 1]);                                   \
            }                                                                                      \
            if (inclusive)                                                                         \
                for (int64_t i = 0; i < m; i++)                                                    \
                    out[i] = NAME(one, ROW)(before[i], q[GROUP + i]);                              \
            else                                                                                   \
                for (int64_t i = 0; i < m; i += LUN_BLOCK)                                         \
                    NAME(shift, ROW)(out + i, before + i, q + GROUP + i);                          \
        }                                                                                          \
        memcpy(carry, &acc, sizeof acc);                                                           \
    }
#include "table/ops.def"
#undef LUN_OP
#undef SCAN_STEP

/* ---- conversions ----------------------------------------------------------------------------- */

#define CAST_STORED(...)
#define CAST_PLAIN(FROM, ctype, from_kind)                                 \
    static void NAME(cast, FROM)(void *d, const void *va, int64_t n)       \
    {                                                                      \
        T *out = d;                                                        \
        const ctype *in = va;                                              \
        n &= -LUN_BLOCK;                                                   \
        EACH(i, n)                                                         \
        {                                                                  \
            const ctype a = in[i];                                         \
            out[i] = (T)(JOIN(CONVERT_##from_kind##_TO_, KIND)(ctype, a)); \
        }                                                                  \
    }
#define LUN_DTYPE(FROM, name, ctype, utype, bytes, from_kind, rank, exponent, mantissa, form, ...) \
    CAST_##form(FROM, ctype, from_kind)
#include "table/dtypes.def"
#undef LUN_DTYPE
#undef CAST_STORED
#undef CAST_PLAIN

/* ---- the table ------------------------------------------------------------------------------- */

#define COMBINES(flags, flt, integer) (((flags)&ASSOC) != 0 && EXISTS(flt, integer))

static const lun_loops_of JOIN(loops_, ID) = {
    .op =
        {
#define LUN_OP(ROW, name, symbol, arity, rule, flt, integer, flags, identity, missing, doc) \
    [LUN_OP_##ROW] = EXISTS(#flt, #integer) ? NAME(op, ROW) : NULL,
#include "table/ops.def"
#undef LUN_OP
        },
    .lanes =
        {
#define LUN_OP(ROW, name, symbol, arity, rule, flt, integer, flags, identity, missing, doc) \
    [LUN_OP_##ROW] = COMBINES(flags, #flt, #integer) ? NAME(lanes, ROW) : NULL,
#include "table/ops.def"
#undef LUN_OP
        },
    .pairs =
        {
#define LUN_OP(ROW, name, symbol, arity, rule, flt, integer, flags, identity, missing, doc) \
    [LUN_OP_##ROW] = COMBINES(flags, #flt, #integer) ? NAME(pairs, ROW) : NULL,
#include "table/ops.def"
#undef LUN_OP
        },
    .scan =
        {
#define LUN_OP(ROW, name, symbol, arity, rule, flt, integer, flags, identity, missing, doc) \
    [LUN_OP_##ROW] = COMBINES(flags, #flt, #integer) ? NAME(scan, ROW) : NULL,
#include "table/ops.def"
#undef LUN_OP
        },
    .cast =
        {
#define ENTRY_PLAIN(FROM, compute)  NAME(cast, FROM)
#define ENTRY_STORED(FROM, compute) JOIN(LUN_, ID) == LUN_##compute ? widen_##FROM : NULL
#define LUN_DTYPE(FROM, name, ctype, utype, bytes, from_kind, rank, exponent, mantissa, form, \
                  compute, ...)                                                               \
    [LUN_##FROM] = ENTRY_##form(FROM, compute),
#include "table/dtypes.def"
#undef LUN_DTYPE
#undef ENTRY_PLAIN
#undef ENTRY_STORED
        },
};

#undef COMBINES
#undef EXISTS
#undef VALUE
#undef PICK
#undef NAME
#undef M
#undef WIDTH
#undef U
#undef T
#undef KIND
#undef ID
