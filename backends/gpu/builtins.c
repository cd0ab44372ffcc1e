/* builtins.c - kernels of the backend's own texts, whose first argument is their cells: they are
 * built as other kernels are, and given to the device a step at a time; see gpu_state.h.
 *
 * What the cells and the other arguments mean is the caller's. */
#include <stdlib.h>
#include <string.h>

#include "gpu/gpu_state.h"
#include "gpu/signal_guard.h"

lun_kernel *lun__gpu_builtin_open(lun_gpu *g)
{
    lun_kernel *k = calloc(1, sizeof *k);
    if (k)
        k->claim = -1;
    if (k && (k->memory = calloc(1 + LUN_GPU_BUILTIN_MEMORIES, sizeof *k->memory))) {
        k->shape.form = g->target.form;
        return k;
    }
    free(k);
    lun__gpu_state_fail(g, LUN_ENOMEM, "out of memory");
    return NULL;
}

lun_status lun__gpu_builtin_build(lun_gpu *g, lun_status rendered, lun_strbuf *text, lun_kernel *k,
                                  lun_kernel **out)
{
    lun_status s = rendered;
    if (s == LUN_OK)
        s = lun__gpu_program(g, lun__strbuf_text(text), k);
    else
        lun__gpu_state_fail(g, s, "%s: out of memory", g->device.name);
    lun__strbuf_free(text);
    if (s == LUN_OK)
        *out = k;
    else
        lun__gpu_kernel_release(g, k);
    return s;
}

lun_status lun__gpu_builtin_sized(lun_gpu *g, lun_cl_builtin which, int bytes, lun_kernel **out)
{
    lun_strbuf text = LUN_STRBUF_INIT;
    int at = 0;
    while (1 << at < bytes)
        at++;
    *out = g->own[which][at];
    if (*out)
        return LUN_OK;
    lun_kernel *k = lun__gpu_builtin_open(g);
    if (!k)
        return LUN_ENOMEM;
    lun_status s = g->driver->render_builtin(which, k->shape.form, bytes, &text);
    s = lun__gpu_builtin_build(g, s, &text, k, &g->own[which][at]);
    *out = g->own[which][at];
    return s;
}

static lun_status submit(lun_gpu *g, lun_kernel *k, const lun_gpu_builtin *call)
{
    const size_t bytes = (size_t)call->cell_count * sizeof *call->cells;
    lun_gpu_batch *b;
    lun_gpu_entry *entry;
    lun_status s = lun__gpu_buffer_cells(g, &g->cells, &g->cell_room, call->cell_count);
    if (s == LUN_OK)
        s = lun__gpu_batch_reserve(g, call->cell_count, &b);
    if (s == LUN_OK)
        s = lun__gpu_program_entry(g, k, call->plan.step[0].kernel, &entry);
    if (s != LUN_OK)
        return s;
    lun_gpu_step step = {entry->kernel, call->plan.step[0].global, call->plan.step[0].local, 0};
    b->kernel = k;
    b->count = call->count;
    b->trial = -1;
    memcpy(b->cells, call->cells, bytes);
    k->memory[0] = g->cells;
    memcpy(k->memory + 1, call->memory, sizeof call->memory);
    s = lun__gpu_state_check(
        g, g->driver->write(g->queue, g->cells, 0, b->cells, (int64_t)bytes, false));
    if (s == LUN_OK)
        s = lun__gpu_batch_submit(g, b, &step, 1, 1 + call->memories);
    if (s != LUN_OK) /* the copy of the cells may be under way */
        lun__gpu_batch_wait_safe(g);
    return s;
}

lun_status lun__gpu_builtin_run(lun_gpu *g, lun_kernel *k, const lun_gpu_builtin *call)
{
    lun_guard guard;
    if (k->ran)
        return submit(g, k, call);
    lun__guard_enter(&guard, false); /* drivers compile in a kernel's first run */
    lun_status s = submit(g, k, call);
    if (s == LUN_OK)
        s = lun__gpu_batch_wait(g, 0);
    lun__guard_leave(&guard);
    if (s == LUN_OK) {
        k->ran = true;
        lun__gpu_program_store(g, k);
    }
    lun__gpu_program_unclaim(g, k);
    return s;
}
