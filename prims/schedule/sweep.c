/* sweep.c - which steps of a plan are sweeps, and what they move; see sweep.h.  Runs nothing. */
#include "schedule/sweep.h"

#include "schedule/chain.h"
#include "schedule/sketch.h"

enum {
    ALONE_BYTES = 4 << 20, /* of a unit from which one step by itself is a sweep */
    /* bytes of an array, as times those of rings, up to which steps are quicker one by one: the
     * next cache has them as soon as rings.  Where all that can be is blocked, from APART_LEAST on
     * they still are. */
    APART_LEAST = 2,
    APART_MOST = 10
};

/* ---- finding --------------------------------------------------------------------------------- */

/* Bytes of the widest array that a step reads or makes. */
static int64_t widest_of(const lun_step *step)
{
    int64_t widest = 1;
    for (int i = 0; i < step->lowered.ir.slot_count; i++) {
        int64_t size = lun__dtype_get((lun_dtype)step->lowered.ir.slots[i].dtype)->bytes;
        widest = size > widest ? size : widest;
    }
    return step->n * widest;
}

bool lun__sweep_is_slower(const lun_engine *e, int64_t bytes, int64_t cache_bytes)
{
    const int64_t rings = cache_bytes > 0 ? cache_bytes : LUN_SWEEP_CACHE;
    return bytes <= APART_MOST * rings && (!e->block_all || bytes > APART_LEAST * rings);
}

/* How many steps from `first` on are to be run as sweeps together. */
static lun_status depth_from(lun_engine *e, const lun_steps *s, int first, int end,
                             int64_t cache_bytes, int *out)
{
    lun_sketch k;
    *out = 0;
    if (!lun__sketch_takes(&s->at[first]))
        return LUN_OK;
    const int64_t rings = cache_bytes > 0 ? cache_bytes : LUN_SWEEP_CACHE,
                  whole = widest_of(&s->at[first]);
    const bool one_by_one = lun__sweep_is_slower(e, whole, cache_bytes);
    lun_status status = lun__sketch(e, s, first, one_by_one ? first + 1 : end, &k);
    if (status != LUN_OK)
        return status;
    const bool alone =
        k.box.stages && k.box.extent[0] > 1 && whole / k.box.extent[0] >= ALONE_BYTES;
    if (k.box.stages > 1 || alone)
        *out = lun__sweep_depth(&k.box, rings);
    if (*out == 1 && !alone)
        *out = 0;
    lun__sketch_free(&k);
    return LUN_OK;
}

/* Of what is not in memory behind sweeps that run together, lun__keeps says what is stored. */
static void keep_some(const lun_engine *e, lun_step *step)
{
    const lun_lowered *l = &step->lowered;
    int kept = 0;
    for (int i = 0; i < l->ir.slot_count; i++)
        kept += l->ir.slots[i].role == LUN_SLOT_OUT && lun__keeps(e, l->slots[i].node);
    step->kept = step->kept ? step->kept : kept;
}

lun_status lun__sweeps_find(lun_engine *e, lun_steps *s, int count, int chains, int64_t cache_bytes)
{
    lun_status status = LUN_OK;
    for (int k = 0, depth; status == LUN_OK && k < count; k += depth ? depth : 1) {
        status = depth_from(e, s, k, count, cache_bytes, &depth);
        chains += depth > 1;
        for (int i = k; status == LUN_OK && i < k + depth; i++) {
            s->at[i].sweep = true;
            s->at[i].chain = depth > 1 ? chains : 0;
            if (i + 1 < k + depth)
                keep_some(e, &s->at[i]);
        }
    }
    return status;
}

/* ---- what is moved --------------------------------------------------------------------------- */

bool lun__sweep_keeps(const lun_steps *s, int at, int last, const lun_node *n)
{
    for (int i = 0; i < s->root_count; i++)
        if (s->roots[i] == n)
            return true;
    if (s->at[at].kept)
        return true;
    return s->at[at].until > last && lun__chain_keeps(s, last, n);
}

/* The node whose elements a slot takes. */
static const lun_node *elements_of(const lun_lowered *l, int i)
{
    const lun_node *pad = lun__sketch_pad(l, i);
    return pad ? pad->in[0] : l->slots[i].node;
}

int64_t lun__sweep_moves(const lun_steps *s, int at, int slot)
{
    const lun_lowered *l = &s->at[at].lowered;
    const int size = lun__dtype_get((lun_dtype)l->ir.slots[slot].dtype)->bytes;
    const lun_node *n = elements_of(l, slot);
    const lun_node *view = lun__sketch_pad(l, slot) ? NULL : l->slots[slot].view;
    int first = at, last = lun__chain_last(s, at);
    while (s->at[at].chain && first > 0 && s->at[first - 1].chain == s->at[at].chain)
        first--;
    if (l->ir.slots[slot].role == LUN_SLOT_OUT)
        return lun__sweep_keeps(s, at, last, n) ? s->at[at].n * size : 0;
    if (lun__chain_makes(s, first, at - 1, n))
        return 0;
    for (int k = first; k <= at; k++) { /* what was read before, also in other slots */
        const lun_lowered *o = &s->at[k].lowered;
        for (int i = 0; i < (k < at ? o->ir.slot_count : slot); i++)
            if (o->ir.slots[i].role != LUN_SLOT_OUT && elements_of(o, i) == n &&
                (lun__sketch_pad(o, i) ? NULL : o->slots[i].view) == view &&
                o->slots[i].offset == l->slots[slot].offset)
                return 0;
    }
    lun_layout layout;
    if (n->kind == LUN_NODE_INDEX)
        return 0;
    if (!view)
        return size * (l->ir.slots[slot].role == LUN_SLOT_IN ? s->at[at].n : n->n);
    lun__node_layout(view, &layout);
    int64_t some = lun__layout_distinct(&layout);
    return size * (some < s->at[at].n ? some : s->at[at].n);
}
