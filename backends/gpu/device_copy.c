/* device_copy.c - elements that stay in the device's memory and go elsewhere there: to what
 * surrounds an array, to the offsets of a layout; see gpu_state.h. */
#include "gpu/gpu_state.h"

static const int64_t AT_ONCE = 1 << 28; /* bytes, so that it is stopped soon */

/* What is made by one kernel, a range of elements after the other. */
typedef struct making {
    const lun_cl_padding *pad; /* or NULL: */
    const lun_transfer *transfer;
    void *from, *to;
} making;

/* Gives the device elements first .. first + count - 1. */
static lun_status give(lun_gpu *g, lun_kernel *k, const making *m, int64_t first, int64_t count)
{
    int64_t cells[LUN_CL_TRANSFER_CELLS];
    _Static_assert((int)LUN_CL_PAD_CELLS <= (int)LUN_CL_TRANSFER_CELLS, "room for both");
    lun_gpu_builtin call = {.cells = cells,
                            .cell_count = m->pad ? LUN_CL_PAD_CELLS : LUN_CL_TRANSFER_CELLS,
                            .count = count,
                            .memories = 2,
                            .memory = {m->from, m->to}};
    if (m->pad)
        lun__pad_kernel_plan(k->shape.form, m->pad, first, count, g->device.units, cells,
                             &call.plan);
    else
        lun__transfer_kernel_plan(k->shape.form, m->transfer, first, count, g->device.units, cells,
                                  &call.plan);
    return lun__gpu_builtin_run(g, k, &call);
}

static lun_status make(lun_gpu *g, const making *m, int bytes, int64_t n)
{
    const int64_t most = AT_ONCE / bytes;
    lun_kernel *k = NULL;
    lun_status s = lun__gpu_state_ready(g);
    if (s == LUN_OK)
        s = lun__gpu_builtin_sized(g, m->pad ? LUN_CL_PAD : LUN_CL_TRANSFER, bytes, &k);
    for (int64_t done = 0; s == LUN_OK && done < n; done += most)
        s = give(g, k, m, done, n - done < most ? n - done : most);
    return s;
}

/* from: NULL is allowed. */
static lun_status use(lun_gpu *g, const lun_buffer *to, const lun_buffer *from)
{
    lun_status s = lun__gpu_overlap_use_on(g, to);
    return s == LUN_OK && from ? lun__gpu_overlap_use_on(g, from) : s;
}

lun_status lun__gpu_device_copy_pad(lun_gpu *g, const lun_work_pad *w)
{
    int64_t n = 1;
    for (int i = 0; i < w->pad->rank; i++)
        n *= w->pad->extent[i];
    const lun_cl_padding pad = {.padding = w->pad, .origin = w->origin};
    const making m = {&pad, NULL, w->from->memory, w->to->memory};
    lun_status s = use(g, w->to, w->from);
    return s == LUN_OK ? make(g, &m, w->bytes, n) : s;
}

lun_status lun__gpu_device_copy(lun_gpu *g, const lun_transfer *t)
{
    void *to = t->to->memory, *from = t->from ? t->from->memory : to;
    lun_status s = use(g, t->to, t->from);
    return s == LUN_OK ? make(g, &(making){NULL, t, from, to}, t->bytes, lun__layout_count(&t->at))
                       : s;
}
