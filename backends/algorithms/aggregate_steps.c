/* aggregate_steps.c - what an aggregate does with one element more; see aggregate_steps.h. */
#include "algorithms/aggregate_steps.h"

#include "table/dtype.h"

/* x: the element, t: what is in the table. */
#define STEP(name, type, step)                                                           \
    static void name##_rows(void *table, int64_t stride, const int32_t *codes,           \
                            const void *elements, int64_t n, int64_t columns)            \
    {                                                                                    \
        type *to = table;                                                                \
        const type *from = elements;                                                     \
        if (columns == 1 && stride == 1)                                                 \
            for (int64_t i = 0; i < n; i++) {                                            \
                const type x = from[i], t = to[codes[i]];                                \
                to[codes[i]] = step;                                                     \
            }                                                                            \
        else                                                                             \
            for (int64_t i = 0; i < n; i++)                                              \
                for (int64_t j = 0; j < columns; j++) {                                  \
                    const type x = from[i * columns + j], t = to[codes[i] * stride + j]; \
                    to[codes[i] * stride + j] = step;                                    \
                }                                                                        \
    }                                                                                    \
    static void name##_fold(void *table, const void *more, int64_t n)                    \
    {                                                                                    \
        type *to = table;                                                                \
        const type *from = more;                                                         \
        for (int64_t i = 0; i < n; i++) {                                                \
            const type x = from[i], t = to[i];                                           \
            to[i] = step;                                                                \
        }                                                                                \
    }

STEP(add_f, double, t + x)
STEP(add_i, uint64_t, t + x)
STEP(mul_f, double, t *x)
STEP(mul_i, uint64_t, t *x)
/* the comparison that cannot be foreseen is one instruction, for it stands alone */
STEP(min_f, double, x != x ? x : x < t ? x : t)
STEP(max_f, double, x != x ? x : x > t ? x : t)
STEP(fmin_f, double, t != t ? x : x < t ? x : t)
STEP(fmax_f, double, t != t ? x : x > t ? x : t)
STEP(min_i, int64_t, x < t ? x : t)
STEP(max_i, int64_t, x > t ? x : t)
STEP(min_u, uint64_t, x < t ? x : t)
STEP(max_u, uint64_t, x > t ? x : t)

#define ONE_F      0x3ff0000000000000u
#define INFINITE   0x7ff0000000000000u
#define MINUS      0x8000000000000000u
#define NOT_NUMBER 0x7ff8000000000000u
#define ROW(name, floats, identity)                \
    {                                              \
        floats, identity, name##_rows, name##_fold \
    }

static const lun_steps add[] = {ROW(add_i, false, 0), ROW(add_f, true, 0)};
static const lun_steps mul[] = {ROW(mul_i, false, 1), ROW(mul_f, true, ONE_F)};
static const lun_steps min_of[] = {ROW(min_i, false, INT64_MAX), ROW(min_u, false, UINT64_MAX),
                                   ROW(min_f, true, INFINITE), ROW(fmin_f, true, NOT_NUMBER)};
static const lun_steps max_of[] = {ROW(max_i, false, MINUS), ROW(max_u, false, 0),
                                   ROW(max_f, true, INFINITE | MINUS),
                                   ROW(fmax_f, true, NOT_NUMBER)};
static const lun_steps all = ROW(min_u, false, 1), last = ROW(max_i, false, 0);

const lun_steps *lun__aggregate_steps(lun_aggregate which, bool skipnan, lun_dtype t,
                                      lun_dtype gives)
{
    const bool floats = lun__dtype_is_float(t), sums = lun__dtype_is_float(gives);
    const int order = floats ? 2 + skipnan : lun__dtype_is_signed(t) ? 0 : 1;
    switch (which) {
    case LUN_AGGREGATE_PROD:
        return &mul[sums];
    case LUN_AGGREGATE_SUM:
        return &add[sums];
    case LUN_AGGREGATE_DEVIATIONS:
        return &add[1];
    case LUN_AGGREGATE_MIN:
        return &min_of[order];
    case LUN_AGGREGATE_MAX:
        return &max_of[order];
    case LUN_AGGREGATE_ANY:
        return &max_of[1];
    case LUN_AGGREGATE_ALL:
        return &all;
    case LUN_AGGREGATE_FIRST:
        return &min_of[0];
    case LUN_AGGREGATE_LAST:
        return &last;
    default:
        return &add[0];
    }
}
