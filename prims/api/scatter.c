/* scatter.c - values assigned to elements at given places, one after the other: the order is that
 * of a serial loop, and so are the bits.  Knows no arrays. */
#include "api/scatter.h"

#include <string.h>

/* ---- replacing ------------------------------------------------------------------------------- */

#define REPLACE(bytes, T)                             \
    static void replace_##bytes(const lun_scatter *s) \
    {                                                 \
        T *to = s->elements;                          \
        const T *x = s->values;                       \
        for (int64_t k = 0; k < s->count; k++)        \
            if (s->place[k] >= 0)                     \
                to[s->place[k]] = x[k];               \
    }
REPLACE(1, uint8_t)
REPLACE(2, uint16_t)
REPLACE(4, uint32_t)
REPLACE(8, uint64_t)
#undef REPLACE

static void replace(const lun_scatter *s)
{
    switch (lun__dtype_get(s->dtype)->bytes) {
    case 1:
        replace_1(s);
        break;
    case 2:
        replace_2(s);
        break;
    case 4:
        replace_4(s);
        break;
    default:
        replace_8(s);
    }
}

/* ---- combining ------------------------------------------------------------------------------- */

#define ALWAYS static inline __attribute__((always_inline))

/* `how` is a constant wherever these are called, so that each loop is one operation. */
#define COMBINE(T, BITWISE)                           \
    ALWAYS T combine_##T(lun_combining how, T a, T b) \
    {                                                 \
        switch (how) {                                \
        case LUN_COMBINING_ADD:                       \
            return a + b;                             \
        case LUN_COMBINING_MUL:                       \
            return a * b;                             \
        case LUN_COMBINING_MIN:                       \
            return b < a ? b : a;                     \
        case LUN_COMBINING_MAX:                       \
            return a < b ? b : a;                     \
            BITWISE                                   \
        default:                                      \
            return b;                                 \
        }                                             \
    }
#define BITWISE              \
    case LUN_COMBINING_BAND: \
        return a & b;        \
    case LUN_COMBINING_BOR:  \
        return a | b;        \
    case LUN_COMBINING_BXOR: \
        return a ^ b;
COMBINE(float, )
COMBINE(double, )
COMBINE(int64_t, BITWISE)
#undef BITWISE
#undef COMBINE

typedef int64_t loop(const lun_scatter *s, int64_t *bad);

/* Elements of C type S combined with values as T; with `exact`, the sum has to be one of S. */
#define LOOP(name, S, T, exact)                                                     \
    ALWAYS int64_t name##_by(const lun_scatter *s, lun_combining how, int64_t *bad) \
    {                                                                               \
        S *to = s->elements;                                                        \
        const T *x = s->values;                                                     \
        bool first = !s->behind;                                                    \
        for (int64_t k = 0; k < s->count; k++) {                                    \
            int64_t at = s->place[k];                                               \
            if (at < 0)                                                             \
                continue;                                                           \
            T old = (T)to[at], a = first ? old : x[k], b = first ? x[k] : old;      \
            T sum = combine_##T(how, a, b);                                         \
            if (exact && sum != (T)(S)sum) {                                        \
                *bad = (int64_t)sum;                                                \
                return k;                                                           \
            }                                                                       \
            to[at] = (S)sum;                                                        \
        }                                                                           \
        return s->count;                                                            \
    }                                                                               \
    static int64_t name(const lun_scatter *s, int64_t *bad)                         \
    {                                                                               \
        switch (s->how) {                                                           \
        case LUN_COMBINING_ADD:                                                     \
            return name##_by(s, LUN_COMBINING_ADD, bad);                            \
        case LUN_COMBINING_MUL:                                                     \
            return name##_by(s, LUN_COMBINING_MUL, bad);                            \
        case LUN_COMBINING_BAND:                                                    \
            return name##_by(s, LUN_COMBINING_BAND, bad);                           \
        case LUN_COMBINING_BOR:                                                     \
            return name##_by(s, LUN_COMBINING_BOR, bad);                            \
        case LUN_COMBINING_BXOR:                                                    \
            return name##_by(s, LUN_COMBINING_BXOR, bad);                           \
        case LUN_COMBINING_MIN:                                                     \
            return name##_by(s, LUN_COMBINING_MIN, bad);                            \
        default:                                                                    \
            return name##_by(s, LUN_COMBINING_MAX, bad);                            \
        }                                                                           \
    }

/* By dtype: loops on values of i64, f64; of the element's own dtype, where that is a float that C
 * computes with; none where C knows the bits alone. */
#define INTEGERS(ID, S)                     \
    LOOP(wide_##ID, S, int64_t, (s->exact)) \
    static loop *const own_##ID = NULL;
#define FLOATS(ID, S)                 \
    LOOP(wide_##ID, S, double, false) \
    LOOP(own_loop_##ID, S, S, false)  \
    static loop *const own_##ID = own_loop_##ID;
#define NO_LOOPS(ID)                static loop *const wide_##ID = NULL, *const own_##ID = NULL;
#define LOOPS_BOOL_PLAIN(ID, S)     NO_LOOPS(ID)
#define LOOPS_SIGNED_PLAIN(ID, S)   INTEGERS(ID, S)
#define LOOPS_UNSIGNED_PLAIN(ID, S) INTEGERS(ID, S)
#define LOOPS_FLOAT_PLAIN(ID, S)    FLOATS(ID, S)
#define LOOPS_FLOAT_STORED(ID, S)   NO_LOOPS(ID)
#define LUN_DTYPE(ID, name, ctype, utype, bytes, kind, rank, exponent, mantissa, form, compute, \
                  sum, suffix, npy, doc)                                                        \
    LOOPS_##kind##_##form(ID, ctype)
#include "table/dtypes.def"
#undef LUN_DTYPE

static const struct loops {
    loop *own, *wide;
} loops[LUN_DTYPE_COUNT] = {
#define LUN_DTYPE(ID, name, ctype, utype, bytes, kind, rank, exponent, mantissa, form, compute, \
                  sum, suffix, npy, doc)                                                        \
    {own_##ID, wide_##ID},
#include "table/dtypes.def"
#undef LUN_DTYPE
};

/* Elements of which C knows the bits alone. */
static void stored_floats(const lun_scatter *s)
{
    uint16_t *to = s->elements;
    bool wide = lun__dtype_is_double(s->from);
    for (int64_t k = 0; k < s->count; k++) {
        if (s->place[k] < 0)
            continue;
        double old = lun__cell_to_value(s->dtype, to[s->place[k]]).as.d;
        double x = wide ? ((const double *)s->values)[k] : (double)((const float *)s->values)[k];
        double a = s->behind ? x : old, b = s->behind ? old : x;
        double sum =
            wide ? combine_double(s->how, a, b) : (double)combine_float(s->how, (float)a, (float)b);
        to[s->place[k]] =
            (uint16_t)lun__cell_from_value(s->dtype, (lun_value){LUN_F64, {.d = sum}});
    }
}

int64_t lun__scatter(const lun_scatter *s, int64_t *bad)
{
    const struct loops *l = &loops[s->dtype];
    loop *f = lun__dtype_bits(s->from) < 64 && l->own ? l->own : l->wide;
    *bad = 0;
    if (s->how != LUN_COMBINING_NONE && f)
        return f(s, bad);
    if (s->how == LUN_COMBINING_NONE)
        replace(s);
    else
        stored_floats(s);
    return s->count;
}
