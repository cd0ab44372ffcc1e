/* teller.c - what would be where in the course of a plan; see teller.h.  Nothing is moved. */
#include "placing/teller.h"

#include <stdlib.h>

#include "base/grow.h"
#include "placing/placing.h"

lun_storage *lun__teller_find(const lun_teller *t, const void *of)
{
    for (int i = 0; i < t->count; i++)
        if (t->known[i].of == of)
            return t->known[i].at;
    return NULL;
}

/* Takes the sketch, NULL without memory. */
static lun_status add(lun_teller *t, const void *of, lun_dtype dtype, int64_t count,
                      lun_placed *placed)
{
    lun_storage *s = NULL;
    if (placed && lun__grow(&t->known, t->count, &t->room, sizeof *t->known))
        (void)lun__storage_empty(t->e, dtype, count, &s);
    if (!s) {
        lun__current_free(t->e, placed);
        return lun__fail_nomem(t->e);
    }
    s->placed = placed;
    t->known[t->count++] = (lun_told_array){.of = of, .at = s};
    return LUN_OK;
}

lun_status lun__teller_begin(lun_teller *t, const lun_storage *from, const lun_storage *s)
{
    const bool whole = !s->stale || s->source;
    lun_placed *p = lun__current_sketch(s->placed, whole, s->count);
    bool done = p != NULL;
    for (const lun_mirror *m = s->mirrors; done && m; m = m->next) {
        lun_piece *x = lun__current_piece(p, m->at);
        done = x && (!m->current || lun__intervals_add(&x->fresh, 0, s->count));
    }
    if (done)
        return add(t, from, s->dtype, s->count, p);
    lun__current_free(NULL, p);
    return lun__fail_nomem(t->e);
}

lun_storage *lun__teller_storage(void *ctx, const lun_node *n)
{
    lun_teller *t = ctx;
    const void *of = n->kind == LUN_NODE_LEAF ? (const void *)n->storage : n;
    lun_storage *s = lun__teller_find(t, of);
    if (s || n->kind != LUN_NODE_LEAF || lun__teller_begin(t, of, of) != LUN_OK)
        return s;
    t->known[t->count - 1].storage = n->storage;
    return t->known[t->count - 1].at;
}

static const char *name_of(const lun_backend_slot *at)
{
    return at ? at->name : "host";
}

lun_status lun__teller_move(lun_teller *t, const char *from, const char *to, int64_t bytes,
                            const char *why, bool exchange)
{
    lun_told *told = t->told;
    if (!lun__grow(&told->moves, told->move_count, &told->move_room, sizeof *told->moves))
        return lun__fail_nomem(t->e);
    told->moves[told->move_count++] = (lun_plan_move){.size = sizeof *told->moves,
                                                      .from = from,
                                                      .to = to,
                                                      .bytes = bytes,
                                                      .why = why,
                                                      .kernel = t->step,
                                                      .exchange = exchange};
    return LUN_OK;
}

static lun_status tell(void *ctx, const lun_placed_move *m)
{
    lun_teller *t = ctx;
    const char *why = t->merges ? "copies are merged" : m->from ? t->why : "first use";
    return lun__teller_move(t, m->from || !t->file ? name_of(m->from) : "file", name_of(m->to),
                            (m->hi - m->lo) * t->size, why, false);
}

const lun_node *lun__teller_array(const lun_teller *t, const lun_node *n)
{
    while (n && !lun__teller_find(t, n) && n != lun__placing_array(n))
        n = n->in[0];
    return n;
}

lun_status lun__teller_need(lun_teller *t, const lun_node *n, lun_backend_slot *at, int64_t lo,
                            int64_t hi, const char *why)
{
    lun_storage *s = lo < hi ? lun__teller_storage(t, n) : NULL;
    lun_piece *x = s && at ? lun__current_piece(s->placed, at) : NULL;
    const bool leaf = n->kind == LUN_NODE_LEAF;
    if (!s || (at && !x))
        return s || (leaf && lo < hi) ? lun__fail_nomem(t->e) : LUN_OK;
    t->size = lun__dtype_get(s->dtype)->bytes;
    t->file = leaf && n->storage->source;
    t->why = why;
    lo += leaf ? n->offset : 0;
    hi += leaf ? n->offset : 0;
    const lun_status status = lun__current_route(s->placed, false, at, lo, hi, tell, t);
    return status != LUN_OK || lun__intervals_add(at ? &x->fresh : &s->placed->host, lo, hi)
               ? status
               : lun__fail_nomem(t->e);
}

lun_status lun__teller_place(lun_teller *t, const char *what, int k, lun_interval indices)
{
    lun_told *to = t->told;
    if (t->merges) /* no kernel of the plan */
        return LUN_OK;
    if (!lun__grow(&to->places, to->place_count, &to->place_room, sizeof *to->places))
        return lun__fail_nomem(t->e);
    to->places[to->place_count++] = (lun_plan_place){.size = sizeof *to->places,
                                                     .name = lun__set_at(t->e, k)->name,
                                                     .first = indices.lo,
                                                     .count = indices.hi - indices.lo,
                                                     .kernel = t->step,
                                                     .what = what};
    return LUN_OK;
}

/* ---- results --------------------------------------------------------------------------------- */

lun_status lun__teller_made(lun_teller *t, const lun_node *n, bool whole, bool wishes,
                            lun_spread *other)
{
    lun_placed *p = lun__current_sketch(NULL, whole, n->n);
    lun_spread *spread =
        wishes && n->extended && n->wish && n->wish->spread ? n->wish->spread : other;
    if (p && spread)
        p->spread = lun__spread_retain(spread);
    return add(t, n, (lun_dtype)n->dtype, n->n, p);
}

lun_status lun__teller_fresh(lun_teller *t, const lun_node *n, lun_backend_slot *at,
                             lun_interval elements)
{
    lun_piece *x = lun__current_piece(lun__teller_find(t, n)->placed, at);
    return x && lun__intervals_add(&x->fresh, elements.lo, elements.hi) ? LUN_OK
                                                                        : lun__fail_nomem(t->e);
}

void lun__teller_free(lun_teller *t)
{
    for (int i = 0; i < t->count; i++)
        lun__storage_release(t->e, t->known[i].at);
    free(t->known);
}
