/* gpu_pack.c - strided slots: a kernel copies the elements of a slice side by side, in a buffer
 * of the pool; see gpu_state.h.
 *
 * The queue is in order: the next slice is packed into the memory of the last one. */
#include <stdlib.h>

#include "gpu/gpu_state.h"

/* Bytes that are packed at once: what stays in no cache anyway, and takes no long time. */
static const int64_t AT_ONCE = 1 << 28;

/* Gives the device the packing of one slot. */
static lun_status give(lun_gpu *g, lun_kernel *k, const lun_cl_packing *what, void *from, void *to)
{
    int64_t cells[LUN_CL_PACK_CELLS];
    lun_gpu_builtin call = {.cells = cells,
                            .cell_count = LUN_CL_PACK_CELLS,
                            .count = what->count,
                            .memories = 2,
                            .memory = {what->places ? to : from, to}};
    lun__pack_kernel_plan(k->shape.form, what, g->device.units, cells, &call.plan);
    return lun__gpu_builtin_run(g, k, &call);
}

/* ---- the slots of a launch ------------------------------------------------------------------- */

static bool is_packed(const lun_launch *l, int slot)
{
    return l->streams && l->streams[slot].layout;
}

lun_status lun__gpu_pack_open(lun_gpu *g, const lun_kernel *k, const lun_launch *l,
                              lun_gpu_packing *p)
{
    const size_t n = (size_t)k->shape.slots;
    *p = (lun_gpu_packing){.from = l, .launch = *l, .slots = k->shape.slots, .most = INT64_MAX};
    for (size_t i = 0; i < n; i++)
        p->index_bytes += is_packed(l, (int)i) ? k->sizes[i] : 0;
    if (!p->index_bytes)
        return LUN_OK;
    int64_t limit = g->device.memory / 16 < AT_ONCE ? g->device.memory / 16 : AT_ONCE;
    int64_t piece = (g->device.most_bytes - LUN_CL_SLACK) / 8;
    p->most = limit / p->index_bytes < piece ? limit / p->index_bytes : piece;
    p->slot = malloc(n * sizeof *p->slot);
    p->origin = malloc(n * sizeof *p->origin);
    p->bytes = malloc(n);
    if (!p->slot || !p->origin || !p->bytes)
        return lun__gpu_state_fail(g, LUN_ENOMEM, "out of memory");
    for (size_t i = 0; i < n; i++) {
        bool packed = is_packed(l, (int)i);
        p->bytes[i] = packed ? k->sizes[i] : 0;
        p->slot[i] = packed ? NULL : l->slots[i];
        p->origin[i] = l->origin ? l->origin[i] : 0;
    }
    p->launch.slots = p->slot;
    p->launch.origin = p->origin;
    return LUN_OK;
}

static void let_go(lun_gpu *g, lun_gpu_packing *p)
{
    for (int i = 0; p->bytes && i < p->slots; i++)
        if (p->bytes[i]) {
            lun__gpu_buffer_free(g, p->slot[i]);
            p->slot[i] = NULL;
        }
    p->count = 0;
}

static lun_status allocate(lun_gpu *g, lun_gpu_packing *p, int64_t count)
{
    lun_status s = LUN_OK;
    let_go(g, p);
    for (int i = 0; s == LUN_OK && i < p->slots; i++) {
        lun_buffer *b = NULL;
        if (!p->bytes[i])
            continue;
        s = lun__gpu_buffer_new(g, count * p->bytes[i], &b);
        p->slot[i] = b;
    }
    if (s != LUN_OK)
        let_go(g, p);
    return s;
}

static lun_status fill(lun_gpu *g, lun_gpu_packing *p, int64_t first, int64_t count)
{
    lun_status s = LUN_OK;
    for (int i = 0; s == LUN_OK && i < p->slots; i++) {
        if (!p->bytes[i])
            continue;
        const lun_stream *from = &p->from->streams[i];
        const lun_buffer *in = p->from->slots[i], *to = p->slot[i];
        lun_cl_packing what = {.layout = from->layout,
                               .origin = p->from->origin ? p->from->origin[i] : 0,
                               .first = from->origin + first,
                               .count = count,
                               .places = from->is_offsets};
        lun_kernel *k = NULL;
        s = lun__gpu_builtin_sized(g, LUN_CL_PACK, p->bytes[i], &k);
        if (s == LUN_OK && in)
            s = lun__gpu_overlap_use_on(g, in);
        if (s == LUN_OK)
            s = give(g, k, &what, in ? in->memory : NULL, to->memory);
        p->origin[i] = -first;
    }
    p->first = first;
    p->count = s == LUN_OK ? count : 0;
    return s;
}

/* Half of the indices, in whole grains, but one at least. */
static int64_t fewer(int64_t count, int64_t grain)
{
    int64_t half = count / 2 / grain * grain;
    return half > 0 ? half : grain;
}

lun_status lun__gpu_pack(lun_gpu *g, lun_gpu_packing *p, int64_t first, int64_t *count,
                         int64_t grain)
{
    if (!p->index_bytes || (p->count && first >= p->first && first + *count <= p->first + p->count))
        return LUN_OK;
    while (*count > p->most && *count > grain)
        *count = fewer(*count, grain);
    lun_status s = allocate(g, p, *count);
    while (s == LUN_ENOMEM && *count > grain) {
        *count = fewer(*count, grain);
        p->most = *count;
        s = allocate(g, p, *count);
    }
    if (s == LUN_OK)
        s = fill(g, p, first, *count);
    if (s == LUN_OK) {
        g->services->stats->bytes_written += *count * p->index_bytes;
        g->services->stats->bytes_read += *count * p->index_bytes;
    }
    return s;
}

void lun__gpu_pack_close(lun_gpu *g, lun_gpu_packing *p)
{
    let_go(g, p);
    free(p->slot);
    free(p->origin);
    free(p->bytes);
}
