/* piece.c - what is current where, the one rule that says where missing elements come from, and the
 * end of it all; see placed.h.  Moves nothing. */
#include <stdlib.h>

#include "store/placed.h"
#include "store/pool.h"

/* ---- what is where --------------------------------------------------------------------------- */

static const lun_piece *find(const lun_placed *p, const lun_backend_slot *at)
{
    const lun_piece *x = p->pieces;
    while (x && x->at != at)
        x = x->next;
    return x;
}

lun_piece *lun__placed_piece(lun_placed *p, lun_backend_slot *at)
{
    lun_piece **link = &p->pieces;
    while (*link && (*link)->at < at)
        link = &(*link)->next;
    if (*link && (*link)->at == at)
        return *link;
    lun_piece *x = calloc(1, sizeof *x);
    if (x) {
        x->at = at;
        x->next = *link;
        *link = x;
    }
    return x;
}

/* Where element `at` of the gap before `end` comes from, and up to which element. */
static bool find_source(const lun_placed *p, bool whole, const lun_backend_slot *to, int64_t at,
                        int64_t end, lun_placed_move *m)
{
    bool in = whole;
    *m = (lun_placed_move){NULL, to, at, end};
    if (to && !whole)
        m->hi = lun__intervals_around(&p->host, at, at, end, &in).hi;
    for (const lun_piece *x = p->pieces; x && !in; x = x->next) {
        m->from = x->at;
        m->hi = x->at == to ? end : lun__intervals_around(&x->fresh, at, at, end, &in).hi;
    }
    return in;
}

lun_status lun__placed_route(const lun_placed *p, bool whole, const lun_backend_slot *to,
                             int64_t lo, int64_t hi, lun_placed_fn *fn, void *ctx)
{
    static const lun_intervals none;
    const lun_piece *there = to ? find(p, to) : NULL;
    const lun_intervals *has = there ? &there->fresh : to ? &none : &p->host;
    lun_placed_move m;
    lun_status s = LUN_OK;
    if (!to && whole)
        return LUN_OK;
    while (s == LUN_OK && lo < hi) {
        bool in;
        const lun_interval x = lun__intervals_around(has, lo, lo, hi, &in);
        int64_t next = x.hi;
        if (!in && find_source(p, whole, to, lo, x.hi, &m)) {
            next = m.hi;
            s = fn(ctx, &m);
        }
        lo = next;
    }
    return s;
}

lun_placed *lun__placed_sketch(const lun_placed *p, bool whole, int64_t count)
{
    lun_placed *to = calloc(1, sizeof *to);
    bool done = to && (whole ? lun__intervals_add(&to->host, 0, count)
                             : !p || lun__intervals_copy(&p->host, &to->host));
    if (done && p && p->spread)
        to->spread = lun__spread_retain(p->spread);
    for (const lun_piece *x = p ? p->pieces : NULL; done && x; x = x->next) {
        lun_piece *y = lun__placed_piece(to, x->at);
        done = y && lun__intervals_copy(&x->fresh, &y->fresh);
    }
    if (done)
        return to;
    lun__placed_free(NULL, to);
    return NULL;
}

lun_combine *lun__combine_retain(lun_combine *c)
{
    if (c)
        c->refs++;
    return c;
}

void lun__combine_release(lun_combine *c)
{
    if (!c || --c->refs)
        return;
    c->release(c->f);
    free(c);
}

void lun__placed_outdate(lun_storage *s)
{
    for (lun_piece *x = s->placed->pieces; x; x = x->next)
        lun__intervals_clear(&x->fresh);
    lun__intervals_clear(&s->placed->host);
}

/* ---- memory ---------------------------------------------------------------------------------- */

void lun__piece_empty(lun_engine *e, lun_piece *x)
{
    if (x->buffer)
        x->at->backend->buffer_free(x->at->state, x->buffer);
    if (x->data)
        lun__pool_give(e->pool, x->data, x->bytes);
    x->buffer = NULL;
    x->data = NULL;
    x->lo = x->hi = 0;
}

void lun__placed_free(lun_engine *e, lun_placed *p)
{
    for (lun_piece *x = p ? p->pieces : NULL, *next; x; x = next) {
        next = x->next;
        lun__piece_empty(e, x);
        lun__intervals_free(&x->fresh);
        free(x);
    }
    if (p) {
        lun__intervals_free(&p->host);
        lun__spread_release(p->spread);
        lun__combine_release(p->combine);
        if (p->versions)
            p->versions->end(e, p->versions);
    }
    free(p);
}
