/* allpairs.c - what is made of all pairs of rows on the places of a set: each makes some rows of
 * the result in memory of its own; for a device the host does it.  Who makes which rows is
 * plan/rows.c's. */
#include <stdlib.h>

#include "plan/placing.h"
#include "run/pairs.h"
#include "store/placed.h"

/* What a place reads; `memory` is that of near's elements, by slot. */
typedef struct reading {
    lun_pairs_near *near;
    lun_storage *memory;
} reading;

static lun_status near_of(lun_engine *e, const lun_pairs *p, int i, lun_backend_slot *at,
                          lun_interval rows, reading *to)
{
    bool all;
    const lun_node *n = p->kernel.slots[i].node;
    const lun_interval need = lun__placing_pairs_need(p, i, rows, &all);
    const void *data;
    if (need.lo >= need.hi)
        return LUN_OK;
    lun_status s =
        lun__placed_near(e, n->storage, at, n->offset + need.lo, n->offset + need.hi, &data);
    to->memory[i] = (lun_storage){.refs = 1,
                                  .dtype = n->storage->dtype,
                                  .count = need.hi - need.lo,
                                  .room = need.hi - need.lo,
                                  .data = (void *)(uintptr_t)data};
    to->near[i] = (lun_pairs_near){&to->memory[i], need.lo};
    return s;
}

/* All is made current before it is addressed: pieces move when they grow. */
static lun_status read_all(lun_engine *e, const lun_pairs *p, lun_backend_slot *at,
                           lun_interval rows, reading *to)
{
    lun_status s = LUN_OK;
    for (int twice = 0; twice < 2; twice++)
        for (int i = 0; s == LUN_OK && i < p->kernel.ir.slot_count; i++)
            s = near_of(e, p, i, at, rows, to);
    return s;
}

static lun_status run_at(lun_engine *e, const lun_pairs *p, int k, lun_interval rows,
                         lun_storage *to)
{
    const size_t slots = (size_t)p->kernel.ir.slot_count;
    const int64_t launches = e->stats.launches;
    lun_backend_slot *at = lun__set_at(e, k);
    lun_storage *made = NULL;
    reading r = {calloc(slots, sizeof *r.near), calloc(slots, sizeof *r.memory)};
    lun_status s = r.near && r.memory ? read_all(e, p, at, rows, &r) : lun__nomem(e);
    const int before = e->current;
    if (!at->backend->buffer_new)
        lun__set_enter(e, at);
    if (s == LUN_OK)
        s = lun__pairs_part(e, p, rows.lo, rows.hi - rows.lo, r.near, &made);
    e->current = before;
    at->counted->launches += e->stats.launches - launches;
    if (s == LUN_OK)
        s = lun__placed_give(e, to, at, rows.lo * p->extent[1], made);
    if (made)
        lun__storage_release(e, made);
    free(r.near);
    free(r.memory);
    return s;
}

static const lun_spread *look(void *ctx, const lun_node *n, int64_t *offset)
{
    *offset = n->offset;
    return n->kind == LUN_NODE_LEAF ? lun__placed_spread(ctx, n->storage) : NULL;
}

/* All rows, and how the result is distributed then. */
static lun_status run_all(lun_engine *e, const lun_pairs *p, const lun_spread *rows,
                          lun_storage *to)
{
    lun_spread *spread = lun__placing_of_rows(rows, p->extent[1]);
    lun_status s = spread ? lun__placed_decide(e, to, spread) : lun__nomem(e);
    lun__spread_release(spread);
    for (int k = 0; s == LUN_OK && k < rows->places; k++) {
        const lun_interval x = lun__spread_part(rows, k);
        if (x.lo < x.hi)
            s = run_at(e, p, k, x, to);
        if (s == LUN_OK)
            s = lun__stopped(e);
    }
    return s;
}

lun_status lun__pairs_shared(lun_engine *e, const lun_pairs *p)
{
    lun_node *n = p->result;
    lun_spread *rows;
    lun_storage *to = NULL;
    lun_status s = lun__placing_pairs_rows(e, p, look, e, &rows);
    if (s != LUN_OK)
        return s;
    s = lun__storage_empty(e, (lun_dtype)n->dtype, n->n, &to);
    if (s == LUN_OK)
        s = run_all(e, p, rows, to);
    lun__spread_release(rows);
    if (s == LUN_OK)
        lun__node_become_leaf(e, n, to, 0);
    else if (to)
        lun__storage_release(e, to);
    return s;
}
