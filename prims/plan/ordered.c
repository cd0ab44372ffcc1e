/* ordered.c - how the places of a set share lines that are put in order; see placing.h.  Knows no
 * memory. */
#include "plan/placing.h"

bool lun__placing_orders(lun_engine *e, const lun_step *step)
{
    const lun_node *n = step->node;
    if (step->kind != LUN_STEP_ALGORITHM || step->chain || n->kind != LUN_NODE_ALGORITHM || !n->n ||
        (n->op != LUN_ALGORITHM_SORT && n->op != LUN_ALGORITHM_ARGSORT) ||
        n->more[0]->kind == LUN_NODE_NUMBER)
        return false;
    for (int k = 0; k < lun__set_places(e); k++) {
        const lun_backend_slot *at = lun__set_at(e, k);
        if (at->backend->buffer_new && !lun__placing_takes(at, n))
            return false;
    }
    return true;
}

bool lun__placing_one_line(const lun_node *n)
{
    return n->step == n->n;
}

lun_status lun__placing_order(lun_engine *e, const lun_node *n, lun_placing_look *look, void *ctx,
                              lun_spread **out)
{
    int64_t shape[LUN_MAX_RANK];
    bool cuts = false; /* a line */
    lun_status s = lun__placing_stream(e, n, look, ctx, out);
    for (int k = 0; s == LUN_OK && (*out)->kind == LUN_SPREAD_BLOCK && k < (*out)->places; k++)
        cuts |= (*out)->bound[k] % n->step != 0;
    if (s != LUN_OK || !cuts || lun__placing_one_line(n))
        return s;
    lun__node_shape(n, shape);
    lun__spread_release(*out);
    *out = lun__placing_blocks(e, n->n, n->n / shape[0]);
    return *out ? LUN_OK : lun__nomem(e);
}
