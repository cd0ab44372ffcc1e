/* keep.c - which arrays an evaluation writes beside its results, because the next one would compute
 * them again. */
#include "plan/plan.h"

static inline int64_t bytes_of(const lun_node *n)
{
    int64_t bytes;
    int size = lun__dtype_get((lun_dtype)n->dtype)->bytes;
    return __builtin_mul_overflow(n->n, size, &bytes) ? INT64_MAX : bytes;
}

bool lun__keep_may_store(const lun_node *n)
{
    return !lun__node_is(n, LUN_IS_UNBACKED) || bytes_of(n) <= LUN_KEPT_UNBACKED;
}

/* Whether memory may be taken for n before anything is known of what else will need it. */
static bool has_room(const lun_engine *e, const lun_node *n)
{
    return !lun__node_ready(n) && lun__keep_may_store(n) &&
           (!e->account->limit ||
            bytes_of(n) <= e->account->limit / 2 - lun__account_used(e->account));
}

bool lun__keeps(const lun_engine *e, const lun_node *n)
{
    return lun__node_recurs(n) && has_room(e, n);
}

bool lun__keeps_peeked(const lun_engine *e, const lun_node *n)
{
    return lun__node_recurs_peeked(n) && has_room(e, n);
}
