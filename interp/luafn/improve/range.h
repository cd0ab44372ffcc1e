/* range.h - what values integers can have. */
#ifndef LUAFN_RANGE_H
#define LUAFN_RANGE_H

#include "luafn/graph/compile.h"

typedef struct lf_range {
    int64_t low, high; /* low > high: nothing known to flow here yet */
} lf_range;

/* By value id: the range of every i64 and i32 value of the lowered graph. */
lf_range *luafn_ranges(lf_compile *c);
static inline bool lf_fits_i32(lf_range r)
{
    return r.low >= INT32_MIN && r.high <= INT32_MAX;
}

#endif
