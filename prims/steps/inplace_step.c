/* inplace_step.c - the launch of a kernel that writes arrays in place (kernels/inplace_kernel.c).
 */
#include "steps/step_runners.h"

#include <stdlib.h>

#include "base/clock.h"
#include "launch/bind.h"
#include "launch/launch_dist.h"
#include "launch/profile.h"
#include "store/fetch.h"
#include "store/storage.h"

static lun_status launch(lun_engine *e, const lun_lowered *l, lun_kernel_entry *k, int64_t n,
                         lun_storage *out)
{
    lun_binding to;
    lun_status s = lun__bind_open(e, l, &to);
    for (int i = 0; s == LUN_OK && i < l->ir.slot_count; i++) {
        const lun_node *x = l->slots[i].node;
        if (l->ir.slots[i].role == LUN_SLOT_OUT)
            s = lun__bind_slot(e, &to, i, out, 0, n);
        else
            s = lun__bind_part(e, &to, i, x->storage, x->offset, NULL, x->n,
                               l->ir.slots[i].role == LUN_SLOT_TARGET);
    }
    if (s == LUN_OK)
        s = lun__launch_run(e, &to, k, n, 0, n, NULL);
    lun__bind_close(&to);
    return s;
}

/* The result, if there is one, is distributed as the indices are. */
static lun_status share(lun_engine *e, const lun_lowered *l, int64_t n, lun_storage *out)
{
    lun_step step;
    lun_share x;
    lun_storage **written = calloc((size_t)l->ir.slot_count + 1, sizeof *written);
    if (!written)
        return lun__fail_nomem(e);
    for (int i = 0; i < l->ir.slot_count; i++)
        written[i] = l->ir.slots[i].role == LUN_SLOT_OUT ? out : NULL;
    lun_status s = lun__share_kernel(e, l, n, &lun__share_done, e, &step, &x);
    if (s == LUN_OK && out)
        s = lun__placement_decide(e, out, x.cut);
    if (s == LUN_OK)
        s = lun__launch_dist_run(&x, written, NULL);
    if (s == LUN_OK)
        s = lun__share_settle(&x);
    lun__share_close(&x);
    free(written);
    return s;
}

static lun_status run(lun_engine *e, const lun_lowered *l, int64_t n, bool shared, lun_storage *out)
{
    const lun_stats before = e->stats;
    const double start = e->profiling ? lun__clock_now() : 0;
    const int current = e->current;
    lun_kernel_entry *k;
    lun_status s = lun__kernel_of(e, l, &k);
    if (s == LUN_OK)
        s = shared ? share(e, l, n, out) : launch(e, l, k, n, out);
    if (s == LUN_OK && e->profiling && lun__kernel_of(e, l, &k) == LUN_OK)
        lun__profile_after(e, &before, lun__clock_now() - start, l, k, n);
    e->current = current;
    return s;
}

lun_status lun__inplace_step_run(lun_engine *e, const lun_lowered *l, int64_t n, bool shared,
                                 lun_storage **out)
{
    lun_backend_slot *b;
    lun_status s = lun__backend(e, &b);
    *out = NULL;
    for (int i = 0; s == LUN_OK && i < l->ir.slot_count; i++)
        if (l->ir.slots[i].role == LUN_SLOT_OUT)
            s = (shared ? lun__storage_empty
                        : lun__mirror_result)(e, (lun_dtype)l->ir.slots[i].dtype, n, out);
    if (s == LUN_OK && n > 0)
        s = run(e, l, n, shared, *out);
    if (s != LUN_OK && *out) {
        lun__storage_release(e, *out);
        *out = NULL;
    }
    return s;
}
