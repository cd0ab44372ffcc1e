/* ordering.c - memory and algorithms at the places that order lines; see ordering.h. */
#include "sets/ordering.h"

#include "launch/launch_dist.h"

lun_status lun__ordering_room(lun_ordering *w, lun_storage *s, int k, int64_t lo, int64_t hi,
                              lun_column *out)
{
    lun_backend_slot *at = lun__set_at(w->e, k);
    lun_placed *p;
    lun_status status = lun__placed_open(w->e, s, &p);
    lun_piece *x = status == LUN_OK ? lun__placed_piece(p, at) : NULL;
    if (!x)
        return lun__nomem(w->e);
    lun__intervals_clear(&x->fresh);
    const int64_t padded = (hi - lo + 63) / 64 * 64;
    if (x->data && padded * lun__dtype_get(s->dtype)->bytes <= x->bytes) {
        x->lo = lo;
        x->hi = hi;
        lun__pool_pad(x->data, hi - lo, lun__dtype_get(s->dtype)->bytes);
    } else {
        lun__piece_empty(w->e, x);
        status = lun__placed_result(w->e, s, at, lo, hi, &x);
    }
    if (status == LUN_OK)
        *out = lun__ordering_column(x, s->dtype, hi - lo);
    return status;
}

lun_status lun__ordering_reserve(lun_ordering *w)
{
    lun_status s = LUN_OK;
    for (int k = 0; s == LUN_OK && k < w->places; k++) {
        const lun_interval x = lun__spread_part(w->cut, k);
        const int64_t most = x.hi + (x.hi - x.lo) / 16;
        lun_backend_slot *at = lun__set_at(w->e, k);
        lun_algorithm_run r = {.which = LUN_ALGORITHM_MERGED, .every = w->every};
        if (x.lo >= x.hi || at->backend->buffer_new)
            continue;
        s = lun__ordering_room(w, w->to, k, x.lo, most, &r.out[0]);
        for (int i = 0; s == LUN_OK && i < 1 + w->asks_places; i++) {
            s = lun__ordering_room(w, w->run[i], k, x.lo, x.hi, &r.out[i]);
            if (s == LUN_OK)
                s = lun__ordering_room(w, w->met[i], k, x.lo, most, &r.in[i]);
        }
        r.in[2].n = w->places;
        if (s == LUN_OK)
            s = lun__places_reserve(w->e, at, &r, &w->scratch);
        r.which = LUN_ALGORITHM_ORDERED;
        if (s == LUN_OK)
            s = lun__places_reserve(w->e, at, &r, &w->scratch);
    }
    return s;
}

lun_status lun__ordering_carry(lun_ordering *w, const lun_storage *from, int k, int64_t from_at,
                               const lun_storage *to, int j, int64_t to_at, int64_t bytes)
{
    lun_backend_slot *a = lun__set_at(w->e, k), *b = lun__set_at(w->e, j);
    const lun_status s = lun__piece_carry(w->e, lun__placed_piece(from->placed, a), from_at,
                                          lun__placed_piece(to->placed, b), to_at, bytes);
    if (s == LUN_OK && k != j) {
        w->e->stats.bytes_exchanged += bytes;
        if (a->counted)
            a->counted->bytes_exchanged += bytes;
    }
    return s;
}

lun_algorithm_run *lun__ordering_want(lun_ordering *w, int k, lun_algorithm which)
{
    lun_place_run *x = &w->runs[k];
    *x =
        (lun_place_run){.wanted = true, .there = lun__set_at(w->e, k)->backend->buffer_new != NULL};
    x->r = (lun_algorithm_run){.which = which, .option = {w->n->cell, (uint64_t)w->n->offset}};
    return &x->r;
}

lun_status lun__ordering_run(lun_ordering *w)
{
    const lun_status s = lun__places_run(w->e, w->n, w->runs, w->places, &w->scratch, &w->seconds);
    for (int k = 0; k < w->places; k++)
        w->runs[k].wanted = false;
    return s;
}

lun_status lun__ordering_load(lun_ordering *w, int k, lun_algorithm_run *r)
{
    const lun_node *in = w->n->more[0];
    const lun_interval x = lun__ordering_part(w, k);
    lun_piece *piece;
    const lun_status s = lun__placed_ensure(w->e, in->storage, lun__set_at(w->e, k),
                                            in->offset + x.lo, in->offset + x.hi, &piece);
    if (s != LUN_OK)
        return s;
    r->in[0] = lun__ordering_column(piece, (lun_dtype)in->dtype, x.hi - x.lo);
    r->origin[0] = in->offset + x.lo - piece->lo;
    if (piece->data)
        r->in[0].data = (char *)piece->data + r->origin[0] * lun__ordering_size(w);
    return LUN_OK;
}
