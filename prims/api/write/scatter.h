/* scatter.h - values assigned to elements at given indices, one after the other.  Private to
 * prims/api. */
#ifndef LUN_SCATTER_H
#define LUN_SCATTER_H

#include "engine/state.h"
#include "ir/ir.h"

/* What is written: the k-th value into element index[k], from 0, for k = 0 .. count - 1 in this
 * order; where index[k] is below low, nothing.  All other indices are within. */
typedef struct lun_scatter {
    void *elements;
    lun_dtype dtype;   /* of the elements */
    int64_t low, span; /* indices are low .. low + span - 1 */
    const int64_t *index;
    const void *values;
    int64_t step;   /* of the values: 1, or 0: there is one for all */
    lun_dtype from; /* of the values: that of the elements where how is LUN_COMBINING_NONE; else the
                       one in which they are combined: i64 with integers (of a bool as well), or u64
                       with unsigned ones, f32 or f64 */
    int64_t count;
    lun_combining how;
    bool behind; /* the element is the second operand */
    bool exact;  /* integers that do not fit into an element end it; else they wrap */
} lun_scatter;

/* Returns s->count; or the number k of the first value whose combination does not fit, and that in
 * *bad: then the elements hold what came before it.  Floats are rounded at each step. */
int64_t lun__scatter(lun_engine *e, const lun_scatter *s, int64_t *bad);
/* Into how many tasks the range of elements is divided, LUN_SCATTER_PARTS at most. */
enum { LUN_SCATTER_PARTS = 16 };
int lun__scatter_parts(const lun_engine *e, const lun_scatter *s);
/* The same on this thread alone. */
int64_t lun__scatter_serial(const lun_scatter *s, int64_t *bad);
/* The same on this thread, only for values that go to elements low .. low + span - 1; others are
 * skipped. */
int64_t lun__scatter_range(const lun_scatter *s, int64_t *bad);
/* The same of several, none of which is exact or writes what another one does. */
void lun__scatter_all(lun_engine *e, lun_scatter *const *s, int count);

#endif
