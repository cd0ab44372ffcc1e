/* prepare.c - the kernels of a plan made ready without running it. */
#include "eval/eval.h"
#include "eval/fast_path.h"
#include "kernels/pairs_kernel.h"
#include "launch/trap.h"
#include "lunarray_bind.h"
#include "schedule/steps.h"
#include "steps/running_step.h"

static lun_status prepare(lun_engine *e, lun_node *const *roots, int count)
{
    lun_steps s;
    lun_node *few[LUN_SHORT_ROOTS], *const *bases = lun__short_bases(roots, count, few);
    lun_node *cones[LUN_SHORT_ROOTS];
    bool less;
    lun_status status = lun__short_cones(e, bases, count, cones, &less);
    if (status == LUN_OK)
        status = lun__steps_make(e, less ? cones : bases, count, LUN_STEPS_KEEP, &s);
    const bool made = status == LUN_OK;
    for (int i = 0; made && status == LUN_OK && i < s.count; i++) {
        lun_kernel_entry *k;
        const lun_step *step = &s.at[i];
        if (step->kind == LUN_STEP_RUNNING)
            status = lun__prepare_running(e, step->node);
        if (step->kind != LUN_STEP_LAUNCH || step->n == 0)
            continue;
        const lun_lowered *l = step->pairs ? &step->pairs->kernel : &step->lowered;
        status = lun__run_kernel(e, l, &k);
        if (status == LUN_OK && k->at->backend->prepare)
            status = k->at->backend->prepare(k->at->state, k->kernel);
        if (status == LUN_EBUILD)
            status = lun__explain_refusal(e, l);
        if (status == LUN_ECANCEL && lun__stopped(e) == LUN_ELIMIT)
            status = LUN_ELIMIT;
    }
    if (made)
        lun__steps_free(e, &s);
    for (int i = 0; less && i < count; i++)
        lun__node_release(e, cones[i]);
    return status;
}

lun_status lun__prepare(lun_engine *e, lun_node *const *roots, int count)
{
    if (e->telling)
        return lun__refuse_telling(e);
    lun_host_begin(e);
    lun__progress_begin(e);
    lun_status status = prepare(e, roots, count);
    lun__progress_end(e);
    lun_host_end(e);
    return status;
}
