/* chosen.c - runs of elements in order, of several places, on the host; and the first elements of
 * all, which are among the first ones of each place.  See chosen.h.  Knows no order but by
 * backends' algorithms. */
#include "sets/chosen.h"

#include <string.h>

/* ---- runs on the host ------------------------------------------------------------------------ */

lun_dtype lun__chosen_dtype(const lun_choosing *c, int i)
{
    return i ? LUN_I64 : (lun_dtype)c->w.n->more[0]->dtype;
}

lun_status lun__chosen_room(lun_choosing *c)
{
    lun_status s = LUN_OK;
    for (int i = 0; s == LUN_OK && i < 2; i++) {
        s = lun__storage_new(c->w.e, lun__chosen_dtype(c, i), c->total, &c->here[i]);
        if (s == LUN_OK)
            s = lun__storage_new(c->w.e, lun__chosen_dtype(c, i), c->total, &c->merged[i]);
    }
    return s;
}

lun_column lun__chosen_column(const lun_choosing *c, int i, int64_t at, int64_t count)
{
    const int64_t size = lun__dtype_get(lun__chosen_dtype(c, i))->bytes;
    return (lun_column){(char *)c->here[i]->data + at * size, lun__chosen_dtype(c, i), count, true};
}

lun_status lun__chosen_merge(lun_choosing *c, bool one, int64_t *count)
{
    int64_t lengths[LUN_MAX_PLACES];
    const int current = c->w.e->current;
    lun_backend_slot *host;
    lun_algorithm_run r = {.which = LUN_ALGORITHM_MERGED,
                           .option = {c->w.n->cell | (one ? LUN_MERGED_ONE : 0)}};
    r.in[2] = (lun_column){lengths, LUN_I64, 0, true};
    for (int k = 0; k < c->w.places; k++)
        if (c->count[k])
            lengths[r.in[2].n++] = c->count[k];
    for (int i = 0; i < 2; i++) {
        r.in[i] = lun__chosen_column(c, i, 0, c->total);
        r.out[i] = r.in[i];
        r.out[i].data = c->merged[i]->data;
    }
    lun_status s = lun__backend_native(c->w.e, &host);
    if (s == LUN_OK)
        s = lun__places_do(c->w.e, c->w.n, host, &r, &c->w.scratch, &c->w.seconds);
    c->w.e->current = current;
    *count = r.out[0].n;
    return s;
}

lun_status lun__chosen_give(lun_choosing *c, int64_t count)
{
    lun_status s = LUN_OK;
    for (int i = 0; s == LUN_OK && i < 2; i++) {
        s = lun__storage_new(c->w.e, lun__chosen_dtype(c, i), count, &c->to[i]);
        if (s == LUN_OK)
            memcpy(c->to[i]->data, c->merged[i]->data,
                   (size_t)(count * lun__dtype_get(lun__chosen_dtype(c, i))->bytes));
    }
    return s;
}

/* ---- the first ones -------------------------------------------------------------------------- */

lun_status lun__choose_first(lun_choosing *c)
{
    const int64_t wanted = c->w.n->n;
    int64_t at = 0, count;
    for (int k = 0; k < c->w.places; k++) {
        const lun_interval x = lun__chosen_part(c, k);
        c->count[k] = x.hi - x.lo < wanted ? x.hi - x.lo : wanted;
        c->total += c->count[k];
    }
    lun_status s = lun__chosen_room(c);
    for (int k = 0; s == LUN_OK && k < c->w.places; at += c->count[k++]) {
        if (!c->count[k])
            continue;
        lun_algorithm_run *r = lun__ordering_want(&c->w, k, LUN_ALGORITHM_TOPK);
        r->option[1] += (uint64_t)lun__chosen_part(c, k).lo;
        s = lun__ordering_load(&c->w, k, r);
        for (int i = 0; i < 2; i++)
            r->out[i] = lun__chosen_column(c, i, at, c->count[k]);
    }
    if (s == LUN_OK)
        s = lun__ordering_run(&c->w);
    if (s == LUN_OK)
        s = lun__chosen_merge(c, false, &count);
    return s == LUN_OK ? lun__chosen_give(c, wanted) : s;
}
