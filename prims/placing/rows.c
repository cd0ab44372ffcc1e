/* rows.c - how the places of a set share matrix products, and what is made of all pairs of rows, by
 * rows of the result; see placing.h.  Knows no memory. */
#include "kernels/pairs_kernel.h"
#include "placing/placing.h"
#include "plan/matmul_plan.h"

/* ---- matrix products ------------------------------------------------------------------------- */

/* The distribution of matrices as one of their rows; *out NULL: it cuts slices of `unit` rows. */
static lun_status seen_by_rows(lun_engine *e, const lun_spread *of, int64_t rows, int64_t inner,
                               int64_t unit, lun_spread **out)
{
    *out = NULL;
    if (of->n != rows * inner)
        return LUN_OK;
    lun_spread *s = lun__placing_seen(of, 0, of->n);
    if (!s)
        return lun__fail_nomem(e);
    s->n = rows;
    s->unit = unit;
    for (int k = 0; s->kind == LUN_SPREAD_BLOCK && k <= s->places; k++) {
        if (s->bound[k] % (inner * unit)) {
            lun__spread_release(s);
            return LUN_OK;
        }
        s->bound[k] /= inner;
    }
    *out = s;
    return LUN_OK;
}

/* *out, where there is none yet: blocks of rows, in slices of `unit`. */
static lun_status or_blocks(lun_engine *e, int64_t rows, int64_t unit, lun_spread **out)
{
    if (!*out)
        *out = lun__placing_blocks(e, rows, unit);
    return *out ? LUN_OK : lun__fail_nomem(e);
}

lun_status lun__placing_rows(lun_engine *e, const lun_node *n, lun_placing_look *look, void *ctx,
                             lun_spread **out)
{
    const lun_product p = lun__matmul_plan_of(n);
    const lun_node *a = n->in[0];
    const bool array = a->kind != LUN_NODE_NUMBER && a->kind != LUN_NODE_VIEW;
    const int64_t rows = p.count * p.rows, least = p.count > 1 ? p.rows : 1;
    int64_t offset = 0, shape[LUN_MAX_RANK];
    const lun_spread *of = array ? look(ctx, a, &offset) : NULL;
    lun_status s = LUN_OK;
    *out = NULL;
    if (of && !offset)
        s = seen_by_rows(e, of, rows, p.inner, least, out);
    if (s != LUN_OK)
        return s;
    lun__node_shape(n, shape);
    return or_blocks(e, rows, shape[0] < lun__state_places(e) ? least : rows / shape[0], out);
}

lun_interval lun__placing_rows_need(const lun_node *n, int i, lun_interval rows)
{
    const lun_product p = lun__matmul_plan_of(n);
    lun_layout at;
    if (n->in[i]->kind == LUN_NODE_NUMBER || rows.lo >= rows.hi)
        return (lun_interval){0, 0};
    lun__node_layout(n->in[i], &at);
    if (!i)
        return lun__placing_reach(&at, rows.lo * p.inner, rows.hi * p.inner - 1);
    const int64_t first = rows.lo / p.rows, last = (rows.hi - 1) / p.rows; /* matrices */
    return lun__placing_reach(&at, first * p.inner * p.columns,
                              (last + 1) * p.inner * p.columns - 1);
}

lun_spread *lun__placing_of_rows(const lun_spread *rows, int64_t columns)
{
    lun_spread *s = lun__spread_copy(rows);
    if (!s)
        return NULL;
    s->n *= columns;
    s->unit *= columns;
    for (int k = 0; s->kind == LUN_SPREAD_BLOCK && k <= s->places; k++)
        s->bound[k] *= columns;
    return s;
}

/* ---- all pairs of rows ----------------------------------------------------------------------- */

bool lun__placing_packs(const lun_backend_slot *at)
{
    const lun_backend_slot *b = lun__state_computes_at((lun_backend_slot *)(uintptr_t)at);
    return b->backend->buffer_new ? b->can.turns : b->can.segments;
}

/* Whether slot i has the elements of an array of as many rows as the result, side by side; of those
 * that a function indexes none has. */
static bool has_rows(const lun_pairs *p, int i)
{
    const lun_node *n = p->kernel.slots[i].node;
    lun_layout at;
    return p->kernel.ir.slots[i].role == LUN_SLOT_ARRAY && n->kind != LUN_NODE_NUMBER &&
           p->kernel.slots[i].copy != LUN_PAIRS_OTHER &&
           lun__pairs_kernel_layout(p->extent, &p->kernel.slots[i], &at) && !at.offset &&
           at.stride[0] == p->extent[2] && n->n == p->extent[0] * p->extent[2];
}

lun_status lun__placing_pairs_rows(lun_engine *e, const lun_pairs *p, lun_placing_look *look,
                                   void *ctx, lun_spread **out)
{
    lun_status s = LUN_OK;
    *out = NULL;
    for (int i = 0; s == LUN_OK && !*out && i < p->kernel.ir.slot_count; i++) {
        int64_t offset = 0;
        const lun_spread *of = has_rows(p, i) ? look(ctx, p->kernel.slots[i].node, &offset) : NULL;
        if (of && !offset)
            s = seen_by_rows(e, of, p->extent[0], p->extent[2], 1, out);
    }
    return s == LUN_OK ? or_blocks(e, p->extent[0], 1, out) : s;
}

lun_interval lun__placing_pairs_need(const lun_pairs *p, int i, lun_interval rows, bool *all)
{
    const lun_slot_source *from = &p->kernel.slots[i];
    const int role = p->kernel.ir.slots[i].role;
    lun_layout at;
    *all = true;
    if (role == LUN_SLOT_OUT || rows.lo >= rows.hi)
        return (lun_interval){0, 0};
    if (role == LUN_SLOT_UNIFORM)
        return (lun_interval){from->offset, from->offset + 1};
    if (from->copy == LUN_PAIRS_OTHER)
        return (lun_interval){0, from->node->n};
    (void)lun__pairs_kernel_layout(p->extent, from, &at);
    *all = !at.stride[0];
    rows = lun__pairs_kernel_rows(p, rows);
    at.offset += rows.lo * at.stride[0];
    at.extent[0] = rows.hi - rows.lo;
    return lun__placing_reach(&at, 0, lun__layout_count(&at) - 1);
}
