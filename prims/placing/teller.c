/* teller.c - what would be where in the course of a plan; see teller.h.  Nothing is moved. */
#include "placing/teller.h"

#include <stdlib.h>

#include "base/grow.h"
#include "placing/placing.h"

lun_placed *lun__teller_find(const lun_teller *t, const void *of)
{
    for (int i = 0; i < t->count; i++)
        if (t->known[i].of == of)
            return t->known[i].at;
    return NULL;
}

lun_status lun__teller_add(lun_teller *t, const void *of, lun_placed *at)
{
    if (at && lun__grow(&t->known, t->count, &t->room, sizeof *t->known)) {
        t->known[t->count++] = (lun_told_array){of, at};
        return LUN_OK;
    }
    lun__current_free(t->e, at);
    return lun__fail_nomem(t->e);
}

lun_placed *lun__teller_begin(const lun_storage *s)
{
    const bool whole = !s->stale || s->source;
    lun_placed *p = lun__current_sketch(s->placed, whole, s->count);
    bool done = p != NULL;
    for (const lun_mirror *m = s->mirrors; done && m; m = m->next) {
        lun_piece *x = lun__current_piece(p, m->at);
        done = x && (!m->current || lun__intervals_add(&x->fresh, 0, s->count));
    }
    if (done)
        return p;
    lun__current_free(NULL, p);
    return NULL;
}

lun_status lun__teller_of(lun_teller *t, const lun_node *n, lun_placed **out)
{
    const void *of = n->kind == LUN_NODE_LEAF ? (const void *)n->storage : n;
    *out = lun__teller_find(t, of);
    if (*out || n->kind != LUN_NODE_LEAF)
        return LUN_OK;
    lun_status s = lun__teller_add(t, of, lun__teller_begin(n->storage));
    *out = lun__teller_find(t, of);
    return s;
}

const lun_spread *lun__teller_spread(void *ctx, const lun_node *n, int64_t *offset)
{
    lun_teller *t = ctx;
    lun_placed *p;
    *offset = n->kind == LUN_NODE_LEAF ? n->offset : 0;
    if (n->kind == LUN_NODE_LEAF && !lun__teller_find(t, n->storage))
        return lun__placement_spread(t->e, n->storage);
    if (lun__teller_of(t, n, &p) != LUN_OK || !p)
        return NULL;
    return lun__placement_fits(t->e, p->spread);
}

static const char *name_of(const lun_backend_slot *at)
{
    return at ? at->name : "host";
}

static lun_status tell(void *ctx, const lun_placed_move *m)
{
    lun_teller *t = ctx;
    lun_told *to = t->told;
    if (!lun__grow(&to->moves, to->move_count, &to->move_room, sizeof *to->moves))
        return lun__fail_nomem(t->e);
    to->moves[to->move_count++] =
        (lun_plan_move){.size = sizeof *to->moves,
                        .from = m->from || !t->file ? name_of(m->from) : "file",
                        .to = name_of(m->to),
                        .bytes = (m->hi - m->lo) * t->size,
                        .why = t->merges             ? "copies are merged"
                               : m->from || t->works ? t->why
                                                     : "first use",
                        .kernel = t->step};
    return LUN_OK;
}

static lun_status ensure(lun_teller *t, lun_placed *p, lun_backend_slot *at, int64_t lo, int64_t hi)
{
    lun_piece *x = at ? lun__current_piece(p, at) : NULL;
    if (at && !x)
        return lun__fail_nomem(t->e);
    lun_status s = lun__current_route(p, false, at, lo, hi, tell, t);
    if (s == LUN_OK && !lun__intervals_add(at ? &x->fresh : &p->host, lo, hi))
        s = lun__fail_nomem(t->e);
    return s;
}

lun_status lun__teller_works(lun_teller *t, const lun_backend_slot *from,
                             const lun_backend_slot *at, int64_t bytes, const char *why)
{
    t->works = true;
    t->file = false;
    t->size = bytes;
    t->why = why;
    const lun_status s = tell(t, &(lun_placed_move){from, at, 0, 1});
    t->works = false;
    return s;
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
    const int64_t offset = n->kind == LUN_NODE_LEAF ? n->offset : 0;
    lun_placed *p;
    if (lo >= hi)
        return LUN_OK;
    lun_status s = lun__teller_of(t, n, &p);
    if (s != LUN_OK || !p)
        return s;
    t->size = lun__dtype_get((lun_dtype)n->dtype)->bytes;
    t->file = n->kind == LUN_NODE_LEAF && n->storage->source;
    t->why = why;
    return ensure(t, p, at, offset + lo, offset + hi);
}

lun_status lun__teller_settle(void *ctx, const lun_node *in, lun_spread *cut)
{
    lun_teller *t = ctx;
    int64_t offset;
    lun_placed *p = NULL;
    const lun_spread *was = lun__teller_spread(t, in, &offset);
    const int64_t all = in->kind == LUN_NODE_LEAF ? in->storage->count : in->n;
    lun_status s = LUN_OK;
    if (lun__placing_settles(cut, was, offset, all))
        s = lun__teller_of(t, in, &p);
    if (s != LUN_OK || !p)
        return s;
    lun__spread_release(p->spread);
    p->spread = lun__spread_retain(cut);
    return LUN_OK;
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

lun_status lun__teller_exchange(lun_teller *t, int k, int64_t bytes, const char *why)
{
    lun_told *to = t->told;
    if (t->merges)
        return LUN_OK;
    if (!lun__grow(&to->moves, to->move_count, &to->move_room, sizeof *to->moves))
        return lun__fail_nomem(t->e);
    to->moves[to->move_count++] = (lun_plan_move){.size = sizeof *to->moves,
                                                  .from = lun__set_at(t->e, k)->name,
                                                  .to = "other places",
                                                  .bytes = bytes,
                                                  .why = why,
                                                  .kernel = t->step,
                                                  .exchange = true};
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
    return lun__teller_add(t, n, p);
}

lun_status lun__teller_fresh(lun_teller *t, const lun_node *n, lun_backend_slot *at,
                             lun_interval elements)
{
    lun_piece *x = lun__current_piece(lun__teller_find(t, n), at);
    return x && lun__intervals_add(&x->fresh, elements.lo, elements.hi) ? LUN_OK
                                                                        : lun__fail_nomem(t->e);
}

void lun__teller_free(lun_teller *t)
{
    for (int i = 0; i < t->count; i++)
        lun__current_free(t->e, t->known[i].at);
    free(t->known);
}
