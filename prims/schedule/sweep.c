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
    APART_MOST = 10,
    LEAST_PARTS = 8 /* of a location's slices: as many times those that others compute, too */
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

/* Whether locations that compute their part of the first `stages` stages alone move no more than
 * they would step by step: these read around their indices what is made before them, and one array,
 * as far on either side. */
static bool may_share(lun_engine *e, const lun_steps *s, int first, const lun_sketch *k, int stages)
{
    const lun_sweep_box *b = &k->box;
    const int64_t slice = s->at[first].n / b->extent[0];
    int64_t low[LUN_SKETCH_STAGES] = {0}, high[LUN_SKETCH_STAGES] = {0};
    int outside = 0;
    for (int r = 0; r < b->reads && b->read[r].stage < stages; r++) {
        const lun_sweep_read *x = &b->read[r];
        low[x->stage] = x->by[0] < low[x->stage] ? x->by[0] : low[x->stage];
        high[x->stage] = x->by[0] > high[x->stage] ? x->by[0] : high[x->stage];
    }
    bool can = !b->wraps[0] && b->extent[0] > 1;
    for (int a = 0; a < b->arrays; a++) {
        const bool given = b->maker[a] < 0 && k->array[a].stage < stages;
        outside += given;
        can =
            can && b->size[a] == b->size[0] && (!given || k->array[a].node->kind == LUN_NODE_LEAF);
    }
    for (int j = 0; can && j < stages; j++) {
        const lun_lowered *l = &s->at[first + j].lowered;
        can = low[j] == -high[j] && lun__chain_unit(l, s->at[first].n) == slice;
        for (int i = 0; can && i < l->ir.slot_count; i++)
            can = l->ir.slots[i].role == LUN_SLOT_OUT || lun__sketch_pad(l, i) ||
                  (l->ir.slots[i].role == LUN_SLOT_IN && !l->slots[i].view &&
                   (lun__chain_makes(s, first, first + j - 1, l->slots[i].node) ||
                    lun__chain_goes(e, s, first, first + j, i, NULL)));
    }
    return can && outside == 1;
}

/* Slices beyond a location's part that its first `stages` stages read, on either side. */
static int64_t halo_of(const lun_sketch *k, int stages)
{
    const lun_sweep_box *b = &k->box;
    int64_t more[LUN_SKETCH_STAGES] = {0}, most = 0;
    for (int r = b->reads - 1; r >= 0; r--) {
        const lun_sweep_read *x = &b->read[r];
        if (x->stage >= stages)
            continue;
        const int64_t by = more[x->stage] + (x->by[0] < 0 ? -x->by[0] : x->by[0]);
        int64_t *to = b->maker[x->array] < 0 ? &most : &more[b->maker[x->array]];
        *to = by > *to ? by : *to;
    }
    return most;
}

/* On a set: how many of the first stages each location may run by itself, at least two; *halo: the
 * elements beyond its part that it computes, too.  Nothing here hangs on a machine. */
static int shared_depth(lun_engine *e, const lun_steps *s, int first, const lun_sketch *k,
                        int stages, int64_t *halo)
{
    stages -= k->box.whole && stages == k->box.stages;
    while (stages > 1 && !may_share(e, s, first, k, stages))
        stages--;
    *halo = stages > 1 ? halo_of(k, stages) : 0;
    if (!*halo || k->box.extent[0] / e->set_count < LEAST_PARTS * *halo)
        return 0;
    *halo *= s->at[first].n / k->box.extent[0];
    return stages;
}

/* How many steps from `first` on are to be run as sweeps together. */
static lun_status depth_from(lun_engine *e, const lun_steps *s, int first, int end,
                             int64_t cache_bytes, int *out, int64_t *halo)
{
    lun_sketch k;
    *out = 0;
    *halo = 0;
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
        *out = lun__sweep_geometry_depth(&k.box, rings);
    if (e->set_count)
        *out = shared_depth(e, s, first, &k, *out, halo);
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
    int64_t halo;
    for (int k = 0, depth; status == LUN_OK && k < count; k += depth ? depth : 1) {
        status = depth_from(e, s, k, count, cache_bytes, &depth, &halo);
        chains += depth > 1;
        for (int i = k; status == LUN_OK && i < k + depth; i++) {
            s->at[i].sweep = true;
            s->at[i].chain = depth > 1 ? chains : 0;
            s->at[i].of = e->set_count ? s : NULL;
            s->at[i].halo = halo;
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
