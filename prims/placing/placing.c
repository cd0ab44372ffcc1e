/* placing.c - the rule by which the places of a set share a kernel; see placing.h.  Pure functions
 * of plans and distributions: knows no memory. */
#include "placing/placing.h"

#include "kernels/running_kernel.h"
#include "placing/padded.h"
#include "placing/reached.h"
#include "plan/matmul_plan.h"
#include "schedule/chain.h"

#include <stdlib.h>
#include <string.h>

#include "ir/combine_order.h"

bool lun__placing_gathers(const lun_ir *ir, int slot)
{
    for (int k = 0; k < ir->count; k++)
        if (ir->ins[k].kind == LUN_IR_GATHER && ir->ins[k].imm == slot)
            return true;
    return false;
}

bool lun__placing_counts(const lun_lowered *l, int i)
{
    return l->ir.slots[i].role == LUN_SLOT_IN &&
           (l->aligned || (!lun__plan_lowered_strides(l, i) && !lun__placing_gathers(&l->ir, i)));
}

bool lun__placing_aligned(const lun_lowered *l)
{
    for (int i = 0; i < l->ir.slot_count; i++)
        if (l->ir.slots[i].role != LUN_SLOT_OUT &&
            (!lun__placing_counts(l, i) || l->slots[i].offset))
            return false;
    return true;
}

/* ---- the choice ------------------------------------------------------------------------------ */

lun_spread *lun__placing_blocks(lun_engine *e, int64_t n, int64_t unit)
{
    lun_spread *s = lun__spread_new(lun__state_places(e));
    if (!s)
        return NULL;
    s->kind = LUN_SPREAD_BLOCK;
    s->n = n;
    s->unit = unit;
    for (int k = 0; k < s->places; k++)
        s->place[k] = lun__set_at(e, k);
    lun__spread_cut(s->rule, NULL, n / unit, s->places, s->bound);
    for (int k = 0; k <= s->places; k++)
        s->bound[k] *= unit;
    return s;
}

lun_spread *lun__placing_seen(const lun_spread *of, int64_t offset, int64_t n)
{
    lun_spread *out = lun__spread_copy(of);
    if (!out)
        return NULL;
    out->n = n;
    out->halo = 0;
    if (of->kind != LUN_SPREAD_BLOCK && of->kind != LUN_SPREAD_OVERLAP)
        return out;
    out->kind = LUN_SPREAD_BLOCK;
    for (int k = 1; k < of->places; k++) {
        int64_t at = of->bound[k] - offset;
        out->bound[k] = at < 0 ? 0 : at > n ? n : at;
    }
    out->bound[0] = 0;
    out->bound[of->places] = n;
    if (offset || n != of->n)
        out->rule = LUN_SPREAD_BOUNDS;
    return out;
}

/* What several operands say. */
typedef struct votes {
    bool differ;               /* not all are distributed in the same way */
    bool failed;               /* there was no memory for one */
    lun_spread *first, *parts; /* the first of them, the first in parts; NULL: there is none */
} votes;

/* The distribution of an operand as one of the n indices that read it from `offset` on; NULL: no
 * memory. */
static void vote(votes *v, const lun_spread *of, int64_t offset, int64_t n)
{
    const bool is_same = !offset && n == of->n && of->kind != LUN_SPREAD_OVERLAP;
    if (is_same && v->first == of)
        return;
    lun_spread *s = is_same ? lun__spread_retain(of) : lun__placing_seen(of, offset, n);
    v->failed |= !s;
    if (!s)
        return;
    v->differ |= v->first && !lun__spread_same(v->first, s);
    if (!v->first)
        v->first = lun__spread_retain(s);
    if (!v->parts && s->kind == LUN_SPREAD_BLOCK)
        v->parts = lun__spread_retain(s);
    lun__spread_release(s);
}

/* What they come to, over n indices; where they say nothing, blocks of whole slices.  Ends the
 * votes. */
static lun_status elect(lun_engine *e, votes *v, int64_t n, int64_t unit, lun_spread **out)
{
    lun_spread **chosen = v->differ ? &v->parts : &v->first;
    *out = v->failed ? NULL : *chosen ? *chosen : lun__placing_blocks(e, n, unit);
    if (*out == *chosen)
        *chosen = NULL;
    lun__spread_release(v->first);
    lun__spread_release(v->parts);
    return *out ? LUN_OK : lun__fail_nomem(e);
}

/* Whether the indices of a kernel go with elements of slot i, from its element *first on. */
static bool goes_with(const lun_lowered *l, int i, int64_t *first)
{
    lun_layout at;
    *first = l->slots[i].offset;
    if (!l->unrolled || l->ir.slots[i].role != LUN_SLOT_IN || l->slots[i].copy < 0)
        return lun__placing_counts(l, i);
    const bool dense = l->slots[i].node->kind != LUN_NODE_INDEX && lun__lowered_layout(l, i, &at) &&
                       lun__layout_is_dense(&at);
    *first = dense ? at.offset : 0;
    return dense;
}

/* Operands that are read around each index vote, too; false: none of any kind is divided. */
static bool vote_around(votes *v, const lun_lowered *l, int64_t n, lun_placing_look *look,
                        void *ctx)
{
    bool divided = false;
    for (int i = 0; !v->first && i < l->ir.slot_count; i++) {
        int64_t offset = 0;
        const lun_node *of = lun__placing_array(l->slots[i].node);
        const lun_spread *s = of ? look(ctx, of, &offset) : NULL;
        divided |= s != NULL;
        if (s && !offset && s->n == n)
            vote(v, s, 0, n);
    }
    return divided;
}

lun_status lun__placing_cut(lun_engine *e, const lun_lowered *l, int64_t n, lun_placing_look *look,
                            void *ctx, lun_spread **out)
{
    votes v = {.differ = false};
    *out = NULL;
    for (int i = 0; i < l->ir.slot_count; i++) {
        int64_t offset = 0, first;
        const lun_spread *s = goes_with(l, i, &first) ? look(ctx, l->slots[i].node, &offset) : NULL;
        if (!s || (s->kind == LUN_SPREAD_COPY && lun__ir_puts(&l->ir)))
            continue; /* what an index does, one place does */
        vote(&v, s, offset + first, n);
    }
    if (lun__state_of_ranks(e) && !v.first && !v.failed && !vote_around(&v, l, n, look, ctx))
        return LUN_OK; /* each rank has what it reads */
    return elect(e, &v, n, lun__chain_unit(l, n), out);
}

bool lun__placing_takes(const lun_backend_slot *at, const lun_node *n)
{
    lun_algorithm_run r = {.which = n->op == LUN_ALGORITHM_QUANTILE ? LUN_ALGORITHM_DIGITS
                                                                    : (lun_algorithm)n->op};
    const lun_work work = {.kind = LUN_WORK_ALGORITHM, .is.algorithm = &r};
    int64_t scratch;
    bool arrays = at->state && at->backend->buffer_new;
    for (int i = 0; i < n->count; i++)
        arrays &= n->more[i]->kind != LUN_NODE_NUMBER;
    return arrays && at->backend->takes(at->state, &work, &scratch);
}

lun_status lun__placing_stream(lun_engine *e, const lun_node *n, lun_placing_look *look, void *ctx,
                               lun_spread **out)
{
    const lun_node *first = n->more[0];
    int64_t shape[LUN_MAX_RANK];
    votes v = {.differ = false};
    for (int i = 0; i < lun__placing_shared(n); i++) {
        int64_t offset = 0;
        const lun_spread *s =
            n->more[i]->kind == LUN_NODE_NUMBER ? NULL : look(ctx, n->more[i], &offset);
        if (!s)
            continue;
        vote(&v, s, offset, first->n);
    }
    lun__node_shape(first, shape);
    return elect(e, &v, first->n, first->rank > 1 ? first->n / shape[0] : 1, out);
}

lun_spread *lun__placing_of_segments(const lun_spread *cut, int64_t segment)
{
    lun_spread *s = lun__spread_copy(cut);
    if (!s)
        return NULL;
    s->n /= segment;
    s->unit = s->unit % segment || s->unit < segment ? 1 : s->unit / segment;
    s->rule = LUN_SPREAD_BOUNDS;
    for (int k = 0; k <= s->places; k++)
        s->bound[k] /= segment;
    return s;
}

int lun__placing_turn(lun_engine *e, int places, int i)
{
    for (int device = 1; device >= 0; device--)
        for (int k = 0; k < places; k++)
            if ((lun__set_at(e, k)->can.parts) == device && i-- == 0)
                return k;
    return 0;
}

lun_interval lun__placing_keeps(const lun_spread *segments, const lun_backend_slot *at, int k)
{
    const bool none = segments->kind == LUN_SPREAD_COPY || at->backend->buffer_new;
    return none ? (lun_interval){0, 0} : lun__spread_part(segments, k);
}

lun_interval lun__placing_widened(const lun_spread *cut, int k, int64_t halo)
{
    const lun_interval x = lun__spread_part(cut, k);
    if (x.lo >= x.hi)
        return x;
    return (lun_interval){x.lo < halo ? 0 : x.lo - halo,
                          x.hi > cut->n - halo ? cut->n : x.hi + halo};
}

/* ---- shares ---------------------------------------------------------------------------------- */

/* The first index of the first chunk whose last index is `at` or behind it. */
static int64_t chunk_of(const lun_lowered *l, int64_t at, int64_t n)
{
    const int64_t chunk = l->segment ? l->segment : LUN_CHUNK;
    return at < n ? at / chunk * chunk : n;
}

/* Where a scan may begin for index `at`: anywhere, where bits do not depend on chunks. */
static int64_t scan_chunk(const lun_lowered *l, int64_t at)
{
    return lun__order_free(&l->ir) ? at : at / LUN_SCAN_CHUNK * LUN_SCAN_CHUNK;
}

lun_interval lun__placing_range(const lun_spread *cut, const lun_lowered *l, int k)
{
    lun_interval x = lun__spread_part(cut, k);
    bool writes = false;
    for (int i = 0; i < l->ir.slot_count; i++)
        writes |= l->ir.slots[i].role == LUN_SLOT_OUT;
    if (cut->kind == LUN_SPREAD_COPY && !writes && k > 0)
        return (lun_interval){0, 0};
    if (cut->kind != LUN_SPREAD_BLOCK || x.lo >= x.hi)
        return cut->kind == LUN_SPREAD_BLOCK ? (lun_interval){0, 0} : x;
    if (l->ir.result_count || l->segment)
        return (lun_interval){chunk_of(l, x.lo, cut->n), chunk_of(l, x.hi, cut->n)};
    return l->ir.scan >= 0 ? (lun_interval){scan_chunk(l, x.lo), x.hi} : x;
}

lun_interval lun__placing_totals(const lun_step *step, const lun_spread *cut, int k)
{
    const lun_lowered *l = &step->lowered;
    const lun_interval x = lun__spread_part(cut, k);
    if (l->ir.scan < 0 || l->segment || cut->kind != LUN_SPREAD_BLOCK || x.lo >= x.hi ||
        x.hi - x.lo == cut->n)
        return (lun_interval){0, 0};
    const int64_t lo = scan_chunk(l, x.lo);
    const int64_t hi = x.hi == cut->n ? lo + (x.hi - 1 - lo) / LUN_SCAN_CHUNK * LUN_SCAN_CHUNK
                                      : scan_chunk(l, x.hi);
    return (lun_interval){lo, hi};
}

/* ---- reach ----------------------------------------------------------------------------------- */

lun_interval lun__placing_reach(const lun_layout *at, int64_t first, int64_t last)
{
    int64_t low = 0, high = 0;
    if (!lun__layout_range_of(at, first, last, &low, &high))
        return (lun_interval){0, INT64_MAX};
    return (lun_interval){low, high + 1};
}

lun_interval lun__placing_need(const lun_lowered *l, int i, lun_interval indices)
{
    const lun_slot_source *from = &l->slots[i];
    const lun_node *n = from->node;
    const int role = l->ir.slots[i].role;
    lun_layout layout;
    if (role == LUN_SLOT_OUT || n->kind == LUN_NODE_INDEX || indices.lo >= indices.hi)
        return (lun_interval){0, 0};
    if (l->aligned)
        return indices;
    if (n->kind == LUN_NODE_PAD)
        return lun__padded_under(n, lun__padded_read(l, i, indices));
    if (role == LUN_SLOT_UNIFORM && !from->view)
        return (lun_interval){from->offset, from->offset + 1};
    if (role == LUN_SLOT_ARRAY)
        return lun__reached(l, i, indices);
    if (lun__placing_gathers(&l->ir, i))
        return (lun_interval){0, n->n};
    if (!lun__plan_lowered_strides(l, i))
        return (lun_interval){from->offset + indices.lo, from->offset + indices.hi};
    if (l->unrolled && from->copy >= 0) { /* all copies at once: what is around is moved once */
        indices = (lun_interval){indices.lo * l->unrolled, indices.hi * l->unrolled};
        lun__node_layout(from->view ? from->view : n, &layout);
        layout.offset += from->offset;
    } else {
        (void)lun__lowered_layout(l, i, &layout);
    }
    return lun__placing_reach(&layout, indices.lo, indices.hi - 1);
}

/* ---- what a step reads where the first location computes ------------------------------------- */

const lun_node *lun__placing_array(const lun_node *n)
{
    while (n &&
           (n->kind == LUN_NODE_VIEW || n->kind == LUN_NODE_PAD || n->kind == LUN_NODE_RESHAPE))
        n = n->in[0];
    return n;
}

bool lun__placing_on_device(lun_engine *e, const lun_step *step)
{
    const lun_backend_slot *b = e->backends[e->current];
    if (!b->backend->buffer_new || step->kind == LUN_STEP_LAUNCH)
        return b->backend->buffer_new && lun__backend_runs(b, &step->lowered.ir);
    if (step->kind == LUN_STEP_RUNNING) {
        const lun_node *n = lun__node_first_result(step->node);
        lun_lowered l;
        const bool made = /* another result's step has run where n is none any more */
            n->kind == LUN_NODE_RUNNING &&
            lun__running_kernel_lower(e, (lun_node *)(uintptr_t)n, n->more, &l) == LUN_OK;
        const bool runs = made && lun__backend_runs(b, &l.ir);
        if (made)
            lun__lowered_free(&l);
        return runs;
    }
    if (step->kind != LUN_STEP_PRODUCT)
        return false;
    const lun_product p = lun__matmul_plan_of(step->node);
    return !lun__matmul_plan_elsewhere(e, &p);
}
