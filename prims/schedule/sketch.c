/* sketch.c - steps of a plan as sweeps over one box: their arrays, and what stands beyond the
 * ends; see sketch.h. */
#include "schedule/sketch.h"

#include <stdlib.h>
#include <string.h>

#include "ir/combine_order.h"

enum {
    /* elements of a segment, at least, for stages that are not stencils: in more than two axes, in
     * two; where segments end within blocks */
    LINE_CUBE = 128,
    LINE_PLANE = 256,
    LINE_BROKEN = 2048
};

static bool has_index(const lun_ir *ir)
{
    for (int i = 0; i < ir->count; i++)
        if (ir->ins[i].kind == LUN_IR_INDEX)
            return true;
    return false;
}

/* A failure tells which index it is of, the first one: sweeps would meet another one first. */
static bool may_fail(const lun_ir *ir)
{
    for (int i = 0; i < ir->count; i++)
        if (lun__ir_may_fail(ir, &ir->ins[i]))
            return true;
    return false;
}

bool lun__sketch_takes(const lun_step *step)
{
    const lun_lowered *l = &step->lowered;
    return step->kind == LUN_STEP_LAUNCH && !step->across && !step->blocks &&
           (!step->chain || step->sweep) && !l->needed && !l->segment && !l->unrolled &&
           l->ir.scan < 0 && step->n > 0 && !has_index(&l->ir) && !may_fail(&l->ir);
}

const lun_node *lun__sketch_pad(const lun_lowered *l, int i)
{
    const lun_slot_source *from = &l->slots[i];
    bool pad = l->ir.slots[i].role == LUN_SLOT_IN && from->view && from->node->kind == LUN_NODE_PAD;
    return pad ? from->node : NULL;
}

/* ---- arrays ---------------------------------------------------------------------------------- */

/* An array of that node that a stage makes; -1: none does. */
static int made(const lun_sketch *k, const lun_node *n)
{
    for (int a = 0; a < k->box.arrays; a++)
        if (k->maker[a] >= 0 && k->array[a].node == n)
            return a;
    return -1;
}

static bool makes(const lun_sketch *k, const lun_node *n)
{
    return made(k, n) >= 0 || (n->kind == LUN_NODE_PAD && made(k, n->in[0]) >= 0);
}

/* The number of the array `want`, which is added if there is none; -1: it is made with other
 * elements beyond its ends. */
static int array_of(lun_sketch *k, const lun_sketch_array *want, int maker)
{
    for (int a = 0; a < k->box.arrays; a++) {
        lun_sketch_array *has = &k->array[a];
        if (has->node != want->node || has->view != want->view || has->offset != want->offset)
            continue;
        if (!has->pad || !want->pad || has->pad == want->pad) {
            has->pad = has->pad ? has->pad : want->pad;
            return a;
        }
        if (k->maker[a] >= 0)
            return -1;
    }
    int a = k->box.arrays++;
    k->array[a] = *want;
    k->maker[a] = maker;
    k->size[a] = lun__dtype_get((lun_dtype)want->node->dtype)->bytes;
    return a;
}

static lun_padding padding_of(const lun_node *pad)
{
    lun_padding p;
    lun__node_padding(pad, &p);
    if (p.rank == 1) { /* one unit */
        p.rank = 2;
        p.extent[1] = p.extent[0];
        p.inner[1] = p.inner[0];
        p.before[1] = p.before[0];
        p.rule[1] = p.rule[0];
        p.extent[0] = p.inner[0] = 1;
        p.before[0] = 0;
        p.rule[0] = LUN_PAD_NEAREST;
    }
    return p;
}

lun_padding lun__sketch_padding(const lun_sketch_array *a)
{
    return padding_of(a->pad);
}

/* How far the elements of a VIEW of a PAD stand from each index.  False: they stand otherwise. */
static bool distance(const lun_sweep_box *b, const lun_padding *p, const lun_node *view,
                     int64_t *by)
{
    lun_layout at, all = lun__layout_right(p->rank, p->extent);
    lun__node_layout(view, &at);
    const int more = p->rank - at.rank; /* axes of one index in front */
    if (p->rank != b->rank || more < 0 || (more && view->rank != 1))
        return false;
    for (int k = 0; k < p->rank; k++) {
        int64_t n = k < more ? 1 : at.extent[k - more], start = at.offset / all.stride[k];
        start %= p->extent[k];
        if (n != b->extent[k] || p->inner[k] != n || start + n > p->extent[k] ||
            (n > 1 && at.stride[k - more] != all.stride[k]))
            return false;
        by[k] = start - p->before[k];
    }
    return true;
}

/* Whether the box wraps as the padding does along the axes that it extends. */
static bool agrees(lun_sketch *k, const lun_padding *p)
{
    for (int i = 0; i < p->rank; i++) {
        bool wraps = p->rule[i] == LUN_PAD_WRAP;
        if (p->extent[i] == p->inner[i])
            continue;
        if (k->axes >> i & 1 && k->box.wraps[i] != wraps)
            return false;
        k->axes |= (int64_t)1 << i;
        k->box.wraps[i] = wraps;
    }
    return true;
}

/* ---- stages ---------------------------------------------------------------------------------- */

/* Slot i of a stage reads an array. */
static bool add_read(lun_sketch *k, int stage, const lun_lowered *l, int i, int *slot)
{
    const lun_slot_source *from = &l->slots[i];
    const lun_node *pad = lun__sketch_pad(l, i);
    lun_sketch_array want = {from->node, from->view, from->offset, pad, stage, i};
    lun_sweep_read *r = &k->read[k->box.reads];
    *r = (lun_sweep_read){.stage = stage};
    if (pad) {
        lun_padding p = padding_of(pad);
        want = (lun_sketch_array){pad->in[0], NULL, 0, pad, stage, i};
        if (!agrees(k, &p) || !distance(&k->box, &p, from->view, r->by))
            return false;
    } else if (from->view
                   ? makes(k, from->node)
                   : from->node->kind == LUN_NODE_PAD || (from->offset && makes(k, from->node))) {
        return false;
    }
    r->array = array_of(k, &want, -1);
    *slot = k->box.reads++;
    return r->array >= 0;
}

/* The slots of a stage.  False: it cannot be one. */
static bool add_slots(lun_sketch *k, int stage, const lun_lowered *l, int *slots)
{
    for (int i = 0; i < l->ir.slot_count; i++) {
        const lun_slot_source *from = &l->slots[i];
        slots[i] = -1;
        if (l->ir.slots[i].role == LUN_SLOT_IN && !add_read(k, stage, l, i, &slots[i]))
            return false;
        if (l->ir.slots[i].role != LUN_SLOT_IN && l->ir.slots[i].role != LUN_SLOT_OUT &&
            (makes(k, from->node) || lun__node_made(from->node)))
            return false;
    }
    for (int i = 0; i < l->ir.arg_count; i++)
        if (l->args[i].node && makes(k, l->args[i].node))
            return false;
    for (int i = 0; i < l->ir.slot_count; i++)
        if (l->ir.slots[i].role == LUN_SLOT_OUT)
            slots[i] =
                array_of(k, &(lun_sketch_array){l->slots[i].node, NULL, 0, NULL, stage, i}, stage);
    return true;
}

static const lun_node *first_pad(const lun_step *step)
{
    const lun_node *pad = NULL;
    for (int i = 0; i < step->lowered.ir.slot_count && !pad; i++)
        pad = lun__sketch_pad(&step->lowered, i);
    return pad;
}

static bool writes(const lun_step *step, const lun_node *n)
{
    for (int i = 0; i < step->lowered.ir.slot_count; i++)
        if (step->lowered.ir.slots[i].role == LUN_SLOT_OUT && step->lowered.slots[i].node == n)
            return true;
    return false;
}

/* Whether what a segment costs is little beside a trip to memory for its elements. */
static bool has_long_segments(const lun_sweep_box *b)
{
    const int64_t segment = b->extent[b->rank - 1];
    return segment >= (segment % LUN_BLOCK ? LINE_BROKEN : b->rank > 2 ? LINE_CUBE : LINE_PLANE);
}

/* The box that the first stage is over, from what it reads around its indices, or from what the
 * step behind it, before `end`, reads of what it makes.  False: there is no such thing, or segments
 * are short. */
static bool open_box(lun_sketch *k, const lun_step *step, const lun_step *end)
{
    const lun_node *pad = first_pad(step);
    const lun_step *next = step + 1;
    if (!pad && next < end && next->kind == LUN_STEP_LAUNCH)
        pad = first_pad(next);
    if (!pad || !(first_pad(step) || writes(step, pad->in[0])))
        return false;
    lun_padding p = padding_of(pad);
    k->box.rank = p.rank;
    memcpy(k->box.extent, p.inner, sizeof p.inner);
    bool segments = first_pad(step) ? p.inner[p.rank - 1] >= LUN_BLOCK || pad->rank == 1
                                    : has_long_segments(&k->box);
    return segments && pad->in[0]->n == step->n;
}

/* Whether a stage may combine its elements: behind others, unit by unit, in lanes. */
static bool may_fold(const lun_sketch *k, const lun_lowered *l)
{
    return k->box.stages && k->box.extent[0] > 1 && has_long_segments(&k->box) &&
           lun__order_in_lanes(&l->ir);
}

/* Another stage, if that step can be one; what it adds otherwise is taken back. */
static bool add_stage(lun_sketch *k, const lun_step *step, const lun_step *end, int *slots)
{
    const lun_sketch before = *k;
    const lun_step *first = step - k->box.stages;
    const bool folds = step->lowered.ir.result_count > 0;
    bool can = lun__sketch_takes(step) && step->n == first->n && !k->box.whole &&
               (k->box.stages || open_box(k, step, end)) &&
               (!folds || may_fold(k, &step->lowered)) &&
               add_slots(k, k->box.stages, &step->lowered, slots);
    if (!can)
        *k = before;
    k->box.whole = k->box.whole || (can && folds);
    k->box.stages += can;
    return can;
}

lun_status lun__sketch(lun_engine *e, const lun_steps *s, int first, int end, lun_sketch *out)
{
    size_t slots = 1;
    *out = (lun_sketch){0};
    if (end > first + LUN_SKETCH_STAGES)
        end = first + LUN_SKETCH_STAGES;
    for (int k = first; k < end; k++)
        slots += (size_t)s->at[k].lowered.ir.slot_count;
    out->read = calloc(slots, sizeof *out->read);
    out->array = calloc(slots, sizeof *out->array);
    out->maker = calloc(3 * slots, sizeof *out->maker);
    if (!out->read || !out->array || !out->maker) {
        lun__sketch_free(out);
        return lun__fail_nomem(e);
    }
    out->size = out->maker + slots;
    out->slots = out->size + slots;
    int *at = out->slots;
    for (int k = first; k < end && add_stage(out, &s->at[k], s->at + end, at); k++)
        at += s->at[k].lowered.ir.slot_count;
    out->box.read = out->read;
    out->box.maker = out->maker;
    out->box.size = out->size;
    return LUN_OK;
}

void lun__sketch_free(lun_sketch *k)
{
    free(k->read);
    free(k->array);
    free(k->maker);
    *k = (lun_sketch){0};
}
