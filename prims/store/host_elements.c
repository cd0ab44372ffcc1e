/* host_elements.c - elements that the host reads and writes for the locations of a set; see
 * fetch.h. */
#include <string.h>

#include "store/fetch.h"
#include "table/dtype.h"

bool lun__host_elements_takes(const lun_engine *e, const lun_storage *s)
{
    return e->set_count && !s->wrapped && !s->source;
}

/* The shard of location k, without its halo. */
static lun_interval owned(const lun_spread *x, int k)
{
    return x->kind == LUN_SPREAD_OVERLAP ? (lun_interval){x->bound[k], x->bound[k + 1]}
                                         : lun__spread_part(x, k);
}

/* Blocks of whole slices. */
static lun_status new_blocks(lun_engine *e, int64_t n, int64_t unit, lun_spread **out)
{
    lun_spread *x = *out = lun__spread_new(lun__state_places(e));
    if (!x)
        return lun__fail_nomem(e);
    x->kind = LUN_SPREAD_BLOCK;
    x->n = n;
    x->unit = unit;
    for (int k = 0; k < x->places; k++)
        x->place[k] = lun__set_at(e, k);
    lun__spread_cut(x->rule, NULL, n / unit, x->places, x->bound);
    for (int k = 0; k <= x->places; k++)
        x->bound[k] *= unit;
    return LUN_OK;
}

lun_status lun__host_elements_owners(lun_engine *e, lun_storage *s, int64_t unit,
                                     lun_interval *part)
{
    const lun_spread *x = lun__placement_spread(e, s);
    lun_spread *made = NULL;
    lun_status status = LUN_OK;
    if (!x || x->kind == LUN_SPREAD_COPY)
        status = new_blocks(e, s->count, unit, &made);
    if (status == LUN_OK && !x)
        status = lun__placement_decide(e, s, made);
    const lun_spread *by = made ? made : x;
    for (int k = 0; status == LUN_OK && k < by->places; k++)
        part[k] = owned(by, k);
    lun__spread_release(made);
    return status;
}

lun_status lun__host_elements_ensure(lun_engine *e, lun_storage *s, int64_t lo, int64_t hi)
{
    lun_placed *p;
    lun_status status = lun__fetch_open(e, s, &p);
    if (status == LUN_OK && !s->data)
        status = lun__storage_memory(e, s);
    return status == LUN_OK && s->stale ? lun__fetch_missing(e, s, lo, hi) : status;
}

lun_status lun__host_elements_for(lun_engine *e, lun_storage *s, lun_backend_slot *at, int64_t lo,
                                  int64_t hi, const void **out)
{
    const bool host = at->backend->buffer_new != NULL;
    lun_piece *x = NULL;
    lun_status status = LUN_OK;
    *out = NULL;
    if (lo >= hi)
        return LUN_OK;
    if (host)
        status =
            s->source ? lun__mirror_host(e, s, false) : lun__host_elements_ensure(e, s, lo, hi);
    else
        status = lun__fetch_ensure(e, s, at, lo, hi, &x);
    if (status == LUN_OK)
        *out = (const char *)(host ? s->data : x->data) +
               (lo - (host ? 0 : x->lo)) * lun__dtype_get(s->dtype)->bytes;
    return status;
}

bool lun__host_elements_alone(lun_engine *e, const lun_storage *s)
{
    return e->set_count && s->stale && !s->source && lun__placement_spread(e, s);
}

lun_status lun__host_elements_copy(lun_engine *e, lun_storage *from, lun_storage *to)
{
    lun_piece *x = NULL, *y = NULL;
    lun_status status = lun__fetch_merge(e, from);
    const lun_spread *spread = lun__placement_spread(e, from);
    for (int k = 0; status == LUN_OK && k < spread->places; k++) {
        lun_backend_slot *at = lun__set_at(e, k);
        const lun_interval part = owned(spread, k);
        if (part.lo >= part.hi)
            continue;
        status = lun__fetch_ensure(e, from, at, part.lo, part.hi, &x);
        status = lun__fetch_settled(e, status);
        if (status == LUN_OK)
            status = lun__fetch_result(e, to, at, part.lo, part.hi, &y);
        if (status == LUN_OK)
            status = lun__fetch_copy(from, x, y, part.lo, part.hi);
    }
    return status;
}

lun_status lun__host_elements_writes(lun_engine *e, lun_storage *s, int calls)
{
    lun_placed *p;
    lun_status status = lun__fetch_open(e, s, &p);
    if (status != LUN_OK)
        return status;
    if (!s->stale) { /* what the host has are intervals from now on */
        lun__intervals_clear(&p->host);
        if (!lun__intervals_add(&p->host, 0, s->count))
            return lun__fail_nomem(e);
        s->stale = true;
    }
    bool room = lun__intervals_room(&p->host, calls);
    for (int k = 0; room && k < p->count; k++)
        room = lun__intervals_room(&p->pieces[k]->fresh, calls);
    return room ? LUN_OK : lun__fail_nomem(e);
}

void lun__host_elements_wrote(lun_storage *s, const lun_backend_slot *at, int64_t lo, int64_t hi)
{
    lun_placed *p = s->placed;
    for (int k = 0; k < p->count; k++) {
        lun_piece *x = p->pieces[k];
        (void)(x->at == at ? lun__intervals_add : lun__intervals_remove)(&x->fresh, lo, hi);
    }
    (void)(at ? lun__intervals_remove : lun__intervals_add)(&p->host, lo, hi);
}
