/* alone.c - steps that run where the first place of a set computes: what they read, and where; see
 * placing.h.  Knows no distribution. */
#include "placing/placing.h"
#include "plan/matmul_plan.h"

const lun_node *lun__placing_array(const lun_node *n)
{
    while (n &&
           (n->kind == LUN_NODE_VIEW || n->kind == LUN_NODE_PAD || n->kind == LUN_NODE_RESHAPE))
        n = n->in[0];
    return n;
}

bool lun__placing_on_device(const lun_engine *e, const lun_step *step)
{
    if (!e->backends[e->current]->backend->buffer_new || step->kind == LUN_STEP_LAUNCH)
        return e->backends[e->current]->backend->buffer_new != NULL;
    if (step->kind != LUN_STEP_PRODUCT)
        return false;
    const lun_product p = lun__product_of(step->node);
    return !lun__product_elsewhere(e, &p);
}
