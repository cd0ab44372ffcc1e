/* pad.c - arrays with elements beyond their ends, made in the device's memory; see state.h.  Knows
 * no text and no plan but those of padding. */
#include "gpu/state.h"

/* Bytes that are made at once, so that it is stopped soon. */
static const int64_t AT_ONCE = 1 << 28;

static lun_status make_padder(lun_gpu *g, int bytes, lun_kernel **out)
{
    lun_strbuf text = LUN_STRBUF_INIT;
    lun_kernel *k = lun__gpu_own_open(g);
    if (!k)
        return LUN_ENOMEM;
    lun_status s = g->driver->render_pad(k->shape.form, bytes, &text);
    return lun__gpu_own_build(g, s, &text, k, out);
}

/* The kernel for elements of so many bytes. */
static lun_status padder(lun_gpu *g, int bytes, lun_kernel **out)
{
    int at = 0;
    while (1 << at < bytes)
        at++;
    lun_status s = g->padder[at] ? LUN_OK : make_padder(g, bytes, &g->padder[at]);
    *out = g->padder[at];
    return s;
}

/* Gives the device the making of some elements. */
static lun_status give(lun_gpu *g, lun_kernel *k, const lun_cl_padding *what, void *from, void *to)
{
    int64_t cells[LUN_CL_PAD_CELLS];
    lun_gpu_own call = {.cells = cells,
                        .cell_count = LUN_CL_PAD_CELLS,
                        .count = what->count,
                        .memories = 2,
                        .memory = {from, to}};
    lun__cl_plan_pad(k->shape.form, what, g->device.units, cells, &call.plan);
    return lun__gpu_own_run(g, k, &call);
}

lun_status lun__gpu_pad(void *state, const lun_padding *p, int bytes, const lun_buffer *from,
                        int64_t origin, lun_buffer *to)
{
    lun_gpu *g = state;
    lun_kernel *k = NULL;
    int64_t n = 1, most = AT_ONCE / bytes;
    for (int i = 0; i < p->rank; i++)
        n *= p->extent[i];
    lun_status s = lun__gpu_ready(g);
    if (s == LUN_OK)
        s = padder(g, bytes, &k);
    for (int64_t done = 0; s == LUN_OK && done < n; done += most) {
        lun_cl_padding what = {.padding = p,
                               .origin = origin,
                               .first = done,
                               .count = n - done < most ? n - done : most};
        s = give(g, k, &what, from->memory, to->memory);
    }
    return s;
}
