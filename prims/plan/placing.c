/* placing.c - the rule by which the places of a set share a kernel; see placing.h.  Pure functions
 * of plans and distributions: knows no memory. */
#include "plan/placing.h"

#include <stdlib.h>
#include <string.h>

#include "ir/order.h"

static bool is_gathered(const lun_ir *ir, int slot)
{
    for (int k = 0; k < ir->count; k++)
        if (ir->ins[k].kind == LUN_IR_GATHER && ir->ins[k].imm == slot)
            return true;
    return false;
}

static bool slot_divides(const lun_lowered *l, int i)
{
    const lun_slot_source *from = &l->slots[i];
    const lun_node_kind kind = (lun_node_kind)from->node->kind;
    const int role = l->ir.slots[i].role;
    if (role == LUN_SLOT_TARGET || kind == LUN_NODE_PAD)
        return false;
    return !(role != LUN_SLOT_IN && from->view) && (kind != LUN_NODE_INDEX || from->view);
}

/* A C function may do with a whole array what it likes. */
static bool hands_arrays_on(const lun_ir *ir)
{
    for (int k = 0; k < ir->operand_count; k++)
        if (ir->operands[k] < 0)
            return true;
    return false;
}

bool lun__placing_divides(const lun_step *step)
{
    const lun_lowered *l = &step->lowered;
    if (step->kind != LUN_STEP_LAUNCH || step->n == 0 || step->chain || step->sweep ||
        step->across || step->blocks || step->pairs)
        return false;
    if (l->needed || l->line || l->rows || l->ir.scan >= 0 || hands_arrays_on(&l->ir))
        return false;
    for (int i = 0; i < l->ir.slot_count; i++)
        if (!slot_divides(l, i))
            return false;
    return true;
}

bool lun__placing_counts(const lun_lowered *l, int i)
{
    return l->ir.slots[i].role == LUN_SLOT_IN && !l->slots[i].view && !is_gathered(&l->ir, i);
}

/* ---- the choice ------------------------------------------------------------------------------ */

/* The elements of a slice along the slowest axis of what a kernel over n makes, or reads. */
static int64_t unit_of(const lun_lowered *l, int64_t n)
{
    int64_t shape[LUN_MAX_RANK];
    for (int i = 0; i < l->ir.slot_count; i++) {
        const lun_node *x = l->slots[i].view ? l->slots[i].view : l->slots[i].node;
        const int role = l->ir.slots[i].role;
        if ((role != LUN_SLOT_OUT && role != LUN_SLOT_IN) || x->rank < 2 || x->n != n)
            continue;
        lun__node_shape(x, shape);
        return n / shape[0];
    }
    return 1;
}

static void name_places(lun_engine *e, lun_spread *s)
{
    s->places = lun__set_places(e);
    for (int k = 0; k < s->places; k++)
        s->place[k] = lun__set_at(e, k);
}

/* The distribution of an array as one of n indices, of which the first is its element `offset`. */
static void seen_from(const lun_spread *of, int64_t offset, int64_t n, lun_spread *out)
{
    *out = *of;
    out->refs = 1;
    out->n = n;
    out->halo = 0;
    if (of->kind != LUN_SPREAD_BLOCK && of->kind != LUN_SPREAD_OVERLAP)
        return;
    out->kind = LUN_SPREAD_BLOCK;
    for (int k = 1; k < of->places; k++) {
        int64_t at = of->bound[k] - offset;
        out->bound[k] = at < 0 ? 0 : at > n ? n : at;
    }
    out->bound[0] = 0;
    out->bound[of->places] = n;
    if (offset || n != of->n)
        out->rule = LUN_SPREAD_BOUNDS;
}

/* What several operands say. */
typedef struct votes {
    bool any, differ, block; /* some is distributed; not all in the same way; some is in parts */
    lun_spread first, parts; /* the first of them, the first in parts */
} votes;

static void vote(votes *v, const lun_spread *s)
{
    v->differ |= v->any && !lun__spread_same(&v->first, s);
    if (!v->any)
        v->first = *s;
    if (!v->block && s->kind == LUN_SPREAD_BLOCK)
        v->parts = *s;
    v->any = true;
    v->block |= s->kind == LUN_SPREAD_BLOCK;
}

lun_status lun__placing_cut(lun_engine *e, const lun_lowered *l, int64_t n, lun_placing_look *look,
                            void *ctx, lun_spread **out)
{
    votes v = {.any = false};
    lun_spread one;
    for (int i = 0; i < l->ir.slot_count; i++) {
        int64_t offset = 0;
        const lun_spread *s =
            lun__placing_counts(l, i) ? look(ctx, l->slots[i].node, &offset) : NULL;
        if (!s)
            continue;
        seen_from(s, offset + l->slots[i].offset, n, &one);
        vote(&v, &one);
    }
    if (v.any && (!v.differ || v.block)) {
        *out = lun__spread_copy(v.differ ? &v.parts : &v.first);
        return *out ? LUN_OK : lun__nomem(e);
    }
    const int64_t unit = unit_of(l, n);
    one = (lun_spread){.kind = LUN_SPREAD_BLOCK, .n = n, .unit = unit};
    name_places(e, &one);
    lun__spread_cut(one.rule, NULL, n / unit, one.places, one.bound);
    for (int k = 0; k <= one.places; k++)
        one.bound[k] *= unit;
    *out = lun__spread_copy(&one);
    return *out ? LUN_OK : lun__nomem(e);
}

const lun_spread *lun__placing_becomes(const lun_lowered *l, int i, const lun_spread *cut,
                                       const lun_spread *was, int64_t offset, int64_t count)
{
    const bool whole = !offset && !l->slots[i].offset && count == cut->n;
    if (!lun__placing_counts(l, i) || !whole || (was && lun__spread_same(was, cut)))
        return NULL;
    return cut;
}

/* ---- shares ---------------------------------------------------------------------------------- */

/* The first index of the first chunk whose last index is `at` or behind it. */
static int64_t chunk_of(int64_t at, int64_t n)
{
    return at < n ? at / LUN_CHUNK * LUN_CHUNK : n;
}

lun_interval lun__placing_range(const lun_spread *cut, const lun_lowered *l, int k)
{
    lun_interval x = lun__spread_part(cut, k);
    bool writes = false;
    for (int i = 0; i < l->ir.slot_count; i++)
        writes |= l->ir.slots[i].role == LUN_SLOT_OUT;
    if (!l->ir.result_count)
        return x;
    if (cut->kind == LUN_SPREAD_COPY && !writes && k > 0)
        return (lun_interval){0, 0};
    if (cut->kind == LUN_SPREAD_BLOCK) /* a chunk is run where its last index is */
        x = (lun_interval){chunk_of(x.lo, cut->n), chunk_of(x.hi, cut->n)};
    return x;
}

/* ---- reach ----------------------------------------------------------------------------------- */

/* Places of elements first .. last of a layout: of several rows, those of all of these rows. */
static lun_interval reach(lun_layout at, int64_t first, int64_t last)
{
    int64_t low = 0, high = 0;
    while (at.rank > 1) {
        int64_t inner = lun__layout_count(&at) / at.extent[0];
        int64_t row = first / inner, rows = last / inner - row + 1;
        at.offset += row * at.stride[0];
        at.extent[0] = rows;
        if (rows > 1)
            break;
        first -= row * inner;
        last -= row * inner;
        at.rank--;
        memmove(at.extent, at.extent + 1, (size_t)at.rank * sizeof *at.extent);
        memmove(at.stride, at.stride + 1, (size_t)at.rank * sizeof *at.stride);
    }
    if (at.rank == 1 && at.extent[0] > last - first + 1) {
        at.offset += first * at.stride[0];
        at.extent[0] = last - first + 1;
    }
    if (!lun__layout_reach(&at, &low, &high))
        return (lun_interval){0, INT64_MAX};
    return (lun_interval){low, high + 1};
}

lun_interval lun__placing_need(const lun_lowered *l, int i, lun_interval indices)
{
    const lun_slot_source *from = &l->slots[i];
    const int role = l->ir.slots[i].role;
    lun_layout at;
    if (role == LUN_SLOT_OUT || from->node->kind == LUN_NODE_INDEX || indices.lo >= indices.hi)
        return (lun_interval){0, 0};
    if (role == LUN_SLOT_UNIFORM)
        return (lun_interval){from->offset, from->offset + 1};
    if (role == LUN_SLOT_ARRAY || is_gathered(&l->ir, i))
        return (lun_interval){0, from->node->n};
    if (!from->view)
        return (lun_interval){from->offset + indices.lo, from->offset + indices.hi};
    lun__node_layout(from->view, &at);
    return reach(at, indices.lo, indices.hi - 1);
}

/* ---- one place alone ------------------------------------------------------------------------- */

const lun_node *lun__placing_operand(const lun_step *step, int i)
{
    const lun_lowered *l = &step->lowered;
    if (step->kind == LUN_STEP_LAUNCH && i < l->ir.slot_count)
        return l->slots[i].node;
    if (step->kind == LUN_STEP_LAUNCH)
        return i == l->ir.slot_count ? l->needed : NULL;
    return step->node ? lun__node_operand(lun__node_first_result(step->node), i) : NULL;
}

const lun_node *lun__placing_array(const lun_node *n)
{
    while (n &&
           (n->kind == LUN_NODE_VIEW || n->kind == LUN_NODE_PAD || n->kind == LUN_NODE_RESHAPE))
        n = n->in[0];
    return n;
}

bool lun__placing_on_device(const lun_engine *e, const lun_step *step)
{
    return e->backends[e->current].backend->buffer_new &&
           (step->kind == LUN_STEP_LAUNCH || step->kind == LUN_STEP_PRODUCT);
}
