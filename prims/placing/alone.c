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
    const lun_backend_slot *b = e->backends[e->current];
    if (!b->backend->buffer_new || step->kind == LUN_STEP_LAUNCH)
        return b->backend->buffer_new && lun__backend_runs(b, &step->lowered.ir);
    if (step->kind != LUN_STEP_PRODUCT)
        return false;
    const lun_product p = lun__matmul_plan_of(step->node);
    return !lun__matmul_plan_elsewhere(e, &p);
}
