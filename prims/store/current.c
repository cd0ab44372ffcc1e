/* current.c - what is current where, the one rule that says where missing elements come from, and
 * the end of pieces; see fetch.h.  Moves nothing. */
#include <stdlib.h>
#include <string.h>

#include "base/grow.h"
#include "store/fetch.h"
#include "store/pool.h"

enum { FEW = 16 }; /* pieces and intervals whose memory is kept */

/* ---- what is where --------------------------------------------------------------------------- */

/* The number of the first piece that is not of a slot before `at`. */
static int position(const lun_placed *p, const lun_backend_slot *at)
{
    int low = 0, high = p->count;
    const int guess = high ? at->number - p->pieces[0]->at->number : -1;
    if (guess >= 0 && guess < high && p->pieces[guess]->at == at)
        return guess; /* slots of a set mostly have numbers one behind the other, */
    if (high && p->pieces[high - 1]->at->number < at->number)
        return high; /* and pieces are made in that order */
    while (low < high) {
        const int middle = low + (high - low) / 2;
        if (p->pieces[middle]->at->number < at->number)
            low = middle + 1;
        else
            high = middle;
    }
    return low;
}

lun_piece *lun__current_find(const lun_placed *p, const lun_backend_slot *at)
{
    const int k = position(p, at);
    return k < p->count && p->pieces[k]->at == at ? p->pieces[k] : NULL;
}

lun_piece *lun__current_piece(lun_placed *p, lun_backend_slot *at)
{
    const int k = position(p, at);
    if (k < p->count && p->pieces[k]->at == at)
        return p->pieces[k];
    lun_piece *x = calloc(1, sizeof *x);
    if (!x || !lun__grow(&p->pieces, p->count, &p->room, sizeof *p->pieces)) {
        free(x);
        return NULL;
    }
    x->at = at;
    memmove(p->pieces + k + 1, p->pieces + k, (size_t)(p->count - k) * sizeof *p->pieces);
    p->pieces[k] = x;
    p->count++;
    return x;
}

void lun__current_swap(lun_placed *a, lun_placed *b)
{
    lun_placed was = *a;
    a->pieces = b->pieces, a->count = b->count, a->room = b->room;
    b->pieces = was.pieces, b->count = was.count, b->room = was.room;
}

/* The elements before `end` that are current with element `at` in a piece; *in: there are some. */
static int64_t current_until(const lun_piece *x, int64_t at, int64_t end, bool *in)
{
    return lun__intervals_around(&x->fresh, at, at, end, in).hi;
}

/* The location that owns element `at`, if that has it, and up to which of its own elements: of many
 * locations that need all of an array not all ask the first one that has it.  The host asks the
 * first one, whose memory may be its own machine's. */
static bool owner_has(const lun_placed *p, int64_t at, int64_t end, lun_placed_move *m)
{
    const lun_spread *s = p->spread;
    bool in = false;
    if (!m->to || !s || (s->kind != LUN_SPREAD_BLOCK && s->kind != LUN_SPREAD_OVERLAP))
        return false;
    const int k = lun__spread_owner(s, at);
    const lun_piece *x = lun__current_find(p, s->place[k]);
    if (!x || x->at == m->to)
        return false;
    m->from = x->at;
    m->hi = current_until(x, at, end < s->bound[k + 1] ? end : s->bound[k + 1], &in);
    return in;
}

/* Where element `at` of the gap before `end` comes from, and up to which element. */
static bool find_source(const lun_placed *p, bool whole, const lun_backend_slot *to, int64_t at,
                        int64_t end, lun_placed_move *m)
{
    bool in = whole;
    *m = (lun_placed_move){NULL, to, at, end};
    if (to && !whole)
        m->hi = lun__intervals_around(&p->host, at, at, end, &in).hi;
    if (!in && owner_has(p, at, end, m))
        return true;
    for (int k = 0; k < p->count && !in; k++) {
        const lun_piece *x = p->pieces[k];
        m->from = x->at;
        m->hi = x->at == to ? end : current_until(x, at, end, &in);
    }
    return in;
}

lun_status lun__current_route(const lun_placed *p, bool whole, const lun_backend_slot *to,
                              int64_t lo, int64_t hi, lun_placed_fn *fn, void *ctx)
{
    static const lun_intervals none;
    const lun_piece *there = to ? lun__current_find(p, to) : NULL;
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

lun_placed *lun__current_sketch(const lun_placed *p, bool whole, int64_t count)
{
    lun_placed *to = calloc(1, sizeof *to);
    bool done = to && (whole ? lun__intervals_add(&to->host, 0, count)
                             : !p || lun__intervals_copy(&p->host, &to->host));
    if (done && p && p->spread)
        to->spread = lun__spread_retain(p->spread);
    for (int k = 0; done && p && k < p->count; k++) {
        lun_piece *y = lun__current_piece(to, p->pieces[k]->at);
        done = y && lun__intervals_copy(&p->pieces[k]->fresh, &y->fresh);
    }
    if (done)
        return to;
    lun__current_free(NULL, to);
    return NULL;
}

lun_combine *lun__current_combine_retain(lun_combine *c)
{
    if (c)
        c->refs++;
    return c;
}

void lun__current_combine_release(lun_combine *c)
{
    if (!c || --c->refs)
        return;
    c->release(c->f);
    free(c);
}

void lun__current_outdate(lun_storage *s)
{
    for (int k = 0; k < s->placed->count; k++)
        lun__intervals_clear(&s->placed->pieces[k]->fresh);
    lun__intervals_clear(&s->placed->host);
}

/* ---- memory ---------------------------------------------------------------------------------- */

void lun__current_piece_empty(lun_engine *e, lun_piece *x)
{
    if (x->buffer)
        x->at->backend->buffer_free(x->at->state, x->buffer);
    if (x->data && x->bytes)
        lun__pool_give(e->pool, x->data, x->bytes);
    x->buffer = NULL;
    x->data = NULL;
    x->lo = x->hi = 0;
}

void lun__current_free(lun_engine *e, lun_placed *p)
{
    bool few = e && p && p->count <= FEW && p->host.room <= FEW;
    if (!p)
        return;
    for (int k = 0; k < p->count; k++) {
        lun__current_piece_empty(e, p->pieces[k]);
        lun__intervals_clear(&p->pieces[k]->fresh);
        few &= p->pieces[k]->fresh.room <= FEW;
    }
    lun__intervals_clear(&p->host);
    lun__spread_release(p->spread);
    lun__current_combine_release(p->combine);
    if (p->versions)
        p->versions->end(e, p->versions);
    if (few) {
        *p = (lun_placed){.host = p->host, .pieces = p->pieces, .count = p->count, .room = p->room};
        p->next = e->spare_placed;
        e->spare_placed = p;
        return;
    }
    for (int k = 0; k < p->count; k++) {
        lun__intervals_free(&p->pieces[k]->fresh);
        free(p->pieces[k]);
    }
    lun__intervals_free(&p->host);
    free(p->pieces);
    free(p);
}
