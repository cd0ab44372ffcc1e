/* at_places.c - runs of algorithms at the places of a set; see at_places.h.  Knows no algorithm. */
#include "sets/at_places.h"

#include "base/clock.h"
#include "steps/algorithm_step.h"
#include "store/fetch.h"
#include "store/pool.h"

/* A failure of the run, as the script is told of it. */
static lun_status explained(lun_engine *e, const lun_node *n, lun_status s,
                            const lun_algorithm_run *r)
{
    if (s == LUN_ECANCEL && lun__stopped(e) == LUN_ELIMIT)
        return LUN_ELIMIT;
    return s == LUN_OK || s == LUN_ECANCEL || !n->notes
               ? s
               : lun__fail(e, s, n->notes[0], (long long)r->failed);
}

lun_status lun__places_begin(lun_engine *e, int k, lun_place_run *run)
{
    const lun_backend_slot *at = lun__set_at(e, k);
    const lun_status s = at->backend->begin_algorithm(at->state, &run->r);
    run->begun = s == LUN_OK;
    return s;
}

void lun__scratch_free(lun_engine *e, lun_scratch *s)
{
    if (s->data)
        lun__pool_give(e->pool, s->data, s->bytes);
    *s = (lun_scratch){NULL, 0};
}

/* The backend that does it, of a place or the native one, and memory for what it needs beside. */
static lun_status open_run(lun_engine *e, lun_backend_slot *at, const lun_algorithm_run *r,
                           lun_scratch *scratch, lun_backend_slot **out)
{
    lun_backend_slot *b = *out = lun__computes_at(at);
    lun__set_enter(e, at);
    lun_status s = lun__algorithm_elsewhere(e) ? lun__backend_native(e, out) : LUN_OK;
    b = *out;
    const int64_t bytes = s == LUN_OK ? b->backend->algorithm_room(b->state, r) : 0;
    if (bytes <= scratch->bytes)
        return s;
    lun__scratch_free(e, scratch);
    return lun__pool_take(e->pool, bytes, &scratch->data, &scratch->bytes) == LUN_OK
               ? LUN_OK
               : lun__nomem(e);
}

lun_status lun__places_reserve(lun_engine *e, lun_backend_slot *at, const lun_algorithm_run *r,
                               lun_scratch *scratch)
{
    const int current = e->current;
    lun_backend_slot *b;
    const lun_status s = open_run(e, at, r, scratch, &b);
    e->current = current;
    return s;
}

lun_status lun__places_do(lun_engine *e, const lun_node *n, lun_backend_slot *at,
                          lun_algorithm_run *r, lun_scratch *scratch, double *seconds)
{
    lun_backend_slot *b;
    lun_status s = open_run(e, at, r, scratch, &b);
    if (s != LUN_OK)
        return s;
    r->scratch = scratch->data;
    const double start = lun__now();
    lun__set_advance(e);
    s = b->backend->algorithm(b->state, r);
    *seconds += lun__now() - start;
    return explained(e, n, s, r);
}

lun_status lun__places_end(lun_engine *e, const lun_node *n, lun_place_run *runs, int places,
                           double *seconds, lun_status s)
{
    const double start = lun__now();
    for (int k = 0; k < places; k++) {
        const lun_backend_slot *at = lun__set_at(e, k);
        if (!runs[k].begun)
            continue;
        runs[k].begun = false;
        const lun_status ended = at->backend->settle(at->state);
        if (s == LUN_OK)
            s = explained(e, n, ended, &runs[k].r);
    }
    *seconds += lun__now() - start;
    return s;
}

lun_status lun__places_run(lun_engine *e, const lun_node *n, lun_place_run *runs, int places,
                           lun_scratch *scratch, double *seconds)
{
    const int current = e->current;
    lun_status s = LUN_OK;
    for (int k = 0; s == LUN_OK && k < places; k++)
        if (runs[k].wanted && runs[k].there)
            s = lun__places_begin(e, k, &runs[k]);
    s = lun__placed_carried(e, s); /* what the host is to do it on */
    for (int k = 0; s == LUN_OK && k < places; k++) {
        if (!runs[k].wanted || runs[k].there)
            continue;
        s = lun__places_do(e, n, lun__set_at(e, k), &runs[k].r, scratch, seconds);
        if (s == LUN_OK)
            s = lun__stopped(e);
    }
    e->current = current;
    return lun__places_end(e, n, runs, places, seconds, s);
}
