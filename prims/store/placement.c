/* placement.c - where the elements of an array shall be, and what merges copies that differ:
 * decided, taken over, asked; see fetch.h.  Moves nothing. */
#include <string.h>

#include "store/fetch.h"

/* The distribution of an array whose copies differ is decided anew: so is what they come to. */
static void decide_versions(lun_placed *p)
{
    if (p->versions->decided)
        return;
    p->versions->decided = true;
    p->versions->combine = lun__current_combine_retain(p->combine);
}

lun_status lun__placement_combine(lun_engine *e, lun_storage *s, lun_combine *c)
{
    lun_placed *p;
    lun_status status = lun__fetch_open(e, s, &p);
    if (status != LUN_OK)
        return status;
    lun__current_combine_retain(c);
    lun__current_combine_release(p->combine);
    p->combine = c;
    if (p->versions)
        decide_versions(p);
    return LUN_OK;
}

lun_status lun__placement_decide(lun_engine *e, lun_storage *s, lun_spread *spread)
{
    lun_placed *p;
    lun_status status = lun__fetch_open(e, s, &p);
    if (status != LUN_OK || p->spread == spread)
        return status;
    if (p->versions && !(p->spread && lun__spread_same(p->spread, spread)))
        decide_versions(p);
    lun__spread_release(p->spread);
    p->spread = lun__spread_retain(spread);
    return LUN_OK;
}

lun_status lun__placement_result(lun_engine *e, lun_dtype t, int64_t n, lun_spread *spread,
                                 lun_storage **out)
{
    const lun_status s = (spread ? lun__storage_empty : lun__storage_new)(e, t, n, out);
    return s == LUN_OK && spread ? lun__placement_decide(e, *out, spread) : s;
}

lun_placed *lun__placement_take(lun_engine *e, lun_storage *s, lun_placed *wish)
{
    lun_spread *before = s->placed ? s->placed->spread : NULL;
    const bool fits = !wish->spread || wish->spread->n == s->count;
    if (fits && !s->placed) {
        s->placed = wish;
        return NULL;
    }
    if (fits) {
        lun_combine *kept = s->placed->combine;
        s->placed->combine = wish->combine;
        wish->combine = kept;
    }
    if (fits && wish->spread) {
        s->placed->spread = wish->spread;
        wish->spread = before;
    }
    lun__current_free(e, wish);
    return NULL;
}

lun_status lun__placement_follow(lun_engine *e, const lun_placed *from, lun_storage *to)
{
    lun_spread *s = from ? from->spread : NULL;
    lun_status status = s && s->n == to->count ? lun__placement_decide(e, to, s) : LUN_OK;
    return status == LUN_OK && from && from->combine ? lun__placement_combine(e, to, from->combine)
                                                     : status;
}

const lun_spread *lun__placement_spread(lun_engine *e, const lun_storage *s)
{
    return lun__placement_fits(e, s->placed ? s->placed->spread : NULL);
}

const lun_spread *lun__placement_fits(lun_engine *e, const lun_spread *x)
{
    if (!x || x->places != lun__state_places(e))
        return NULL;
    if (!e->set_count)
        return x->place[0] == lun__set_at(e, 0) ? x : NULL;
    return memcmp(x->place, e->set, (size_t)x->places * sizeof *x->place) == 0 ? x : NULL;
}
