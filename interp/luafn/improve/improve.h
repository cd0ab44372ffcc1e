/* improve.h - the passes that make lowered graphs smaller or faster. */
#ifndef LUAFN_IMPROVE_H
#define LUAFN_IMPROVE_H

#include "luafn/graph/compile.h"

/* The passes, in order. Each expects and leaves a simplified graph of IR values with its
 * dominators. */
void luafn_branches(lf_compile *c);
void luafn_narrow(lf_compile *c);
void luafn_hoist(lf_compile *c);

/* The cost in plain operations, about; LF_NEVER for values that must not run on other paths. */
enum { LF_NEVER = 1000 };
int luafn_branches_cost(const lf_value *v);

/* ---- what values integers can have (range.c) ------------------------------------------------- */

typedef struct lf_range {
    int64_t low, high; /* low > high: no value known yet */
} lf_range;

/* By value id: the range of every i64 and i32 value of the lowered graph. */
lf_range *luafn_ranges(lf_compile *c);
static inline bool lf_fits_i32(lf_range r)
{
    return r.low >= INT32_MIN && r.high <= INT32_MAX;
}

#endif
