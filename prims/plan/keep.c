/* keep.c - which arrays an evaluation writes beside its results, because the next one would compute
 * them again.  Knows no kernel. */
#include "plan/plan.h"

/* Whether memory allows it. */
static bool has_room(const lun_engine *e, const lun_node *n)
{
    int64_t bytes;
    if (lun__node_ready(n))
        return false;
    if (__builtin_mul_overflow(n->n, lun__dtype_get((lun_dtype)n->dtype)->bytes, &bytes))
        return false;
    if (lun__node_is(n, LUN_IS_UNBACKED) && bytes > LUN_KEPT_UNBACKED)
        return false;
    return !e->memory_limit || e->stats.allocated + bytes <= e->memory_limit / 2;
}

bool lun__keeps(const lun_engine *e, const lun_node *n)
{
    return lun__node_recurs(n) && has_room(e, n);
}

bool lun__keeps_peeked(const lun_engine *e, const lun_node *n)
{
    return lun__node_recurs_peeked(n) && has_room(e, n);
}
