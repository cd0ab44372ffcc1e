/* gpu_product.c - matrix products on a device; see gpu_state.h.
 *
 * A product is given to the device in slices, of squares of the result and, where k is long, of
 * that: so it is stopped soon. */
#include <stdlib.h>

#include "gpu/gpu_state.h"
#include "ir/combine_order.h"

enum {
    LONG = 32 * LUN_ORDER_BLOCK, /* values of k at once: whole sums */
    FIRST_COST = 1 << 20         /* operations of a square and a sum: for the first slice */
};

/* Sums that values of k are added up in. */
static int64_t sums_of(const lun_cl_product *part)
{
    return (part->end - part->begin + LUN_ORDER_BLOCK - 1) / LUN_ORDER_BLOCK;
}

/* ---- the kernels ----------------------------------------------------------------------------- */

/* Whether the device does it. On processors the host's own code is many times as fast. */
bool lun__gpu_product_multiplies(const lun_gpu *g, const lun_product *p)
{
    const lun_dtype all[] = {p->a.dtype, p->b.dtype, p->dtype};
    for (int i = 0; i < 3; i++)
        if (lun__dtype_is_stored(all[i]) || (lun__dtype_is_double(all[i]) && !g->target.fp64) ||
            (lun__dtype_is_float(all[i]) && g->target.lacks[lun__dtype_is_double(all[i])]))
            return false;
    return g->target.form == LUN_CL_SCALAR;
}

static lun_status make_multiplier(lun_gpu *g, const lun_product *p, lun_kernel **out)
{
    lun_strbuf text = LUN_STRBUF_INIT;
    lun_kernel *k = lun__gpu_builtin_open(g);
    if (!k)
        return LUN_ENOMEM;
    k->shape.cost = FIRST_COST;
    lun_status s = g->driver->render_product(p->a.dtype, p->b.dtype, p->dtype, &text);
    return lun__gpu_builtin_build(g, s, &text, k, out);
}

/* The kernel for these dtypes; of many the one that was made first is given up. */
static lun_status multiplier(lun_gpu *g, const lun_product *p, lun_kernel **out)
{
    lun_gpu_multiplier *m = g->multiplier;
    for (int i = 0; i < LUN_GPU_MULTIPLIERS; i++)
        if (m[i].kernel && m[i].a == p->a.dtype && m[i].b == p->b.dtype && m[i].c == p->dtype) {
            *out = m[i].kernel;
            return LUN_OK;
        }
    lun_status s = make_multiplier(g, p, out);
    if (s != LUN_OK)
        return s;
    m += g->multipliers++ % LUN_GPU_MULTIPLIERS;
    if (m->kernel)
        lun__gpu_kernel_release(g, m->kernel);
    *m = (lun_gpu_multiplier){p->a.dtype, p->b.dtype, p->dtype, *out};
    return LUN_OK;
}

/* ---- slices ---------------------------------------------------------------------------------- */

static lun_status give(lun_gpu *g, lun_kernel *k, const lun_product *p, const lun_cl_product *part)
{
    int64_t cells[LUN_CL_PRODUCT_CELLS];
    lun_gpu_builtin call = {.cells = cells,
                            .cell_count = LUN_CL_PRODUCT_CELLS,
                            .count = part->count * sums_of(part),
                            .memories = 3,
                            .memory = {((const lun_buffer *)p->a.data)->memory,
                                       ((const lun_buffer *)p->b.data)->memory,
                                       ((const lun_buffer *)p->c)->memory}};
    lun__product_kernel_plan(p, part, cells, &call.plan);
    return lun__gpu_builtin_run(g, k, &call);
}

/* `products` of the batch, from part->number on, whose operands are part->batch apart. */
static lun_status multiply(lun_gpu *g, lun_kernel *k, const lun_product *p, lun_cl_product *part,
                           int64_t products)
{
    const int64_t all = products * lun__product_kernel_squares(p);
    lun_status s = LUN_OK;
    for (part->begin = 0; s == LUN_OK && part->begin < p->inner; part->begin = part->end) {
        part->end = p->inner - part->begin < LONG ? p->inner : part->begin + LONG;
        const int64_t each = sums_of(part);
        for (part->first = 0; s == LUN_OK && part->first < all; part->first += part->count) {
            int64_t left = all - part->first;
            part->count = lun__gpu_slice(k, each, 0, left * each, 0) / each;
            part->count = part->count < 1 ? 1 : part->count > left ? left : part->count;
            s = give(g, k, p, part);
            if (s == LUN_OK && part->count < left)
                s = lun__gpu_slice_adapt(g, k, part->first == 0);
        }
    }
    return s;
}

lun_status lun__gpu_product(lun_gpu *g, const lun_product *p)
{
    lun_kernel *k = NULL;
    lun_cl_product part = {0};
    const lun_buffer *memory[] = {p->a.data, p->b.data, p->c};
    const lun_layout a = lun__layout_simplified(&p->a.batch),
                     b = lun__layout_simplified(&p->b.batch);
    lun_status s = lun__gpu_state_ready(g);
    if (s == LUN_OK)
        s = multiplier(g, p, &k);
    for (int i = 0; s == LUN_OK && i < 3; i++)
        s = lun__gpu_overlap_use_on(g, memory[i]);
    if (s == LUN_OK && a.rank == 1 && b.rank == 1) {
        part.batch[0] = a.stride[0];
        part.batch[1] = b.stride[0];
        s = multiply(g, k, p, &part, p->count);
    } else {
        for (; s == LUN_OK && part.number < p->count; part.number++)
            s = multiply(g, k, p, &part, 1);
    }
    return s == LUN_OK ? lun__gpu_batch_wait(g, 0) : s;
}
