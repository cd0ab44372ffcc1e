/* unique_dist.c - the different values of elements that places have, and how many there are of
 * each; see chosen.h.  Each place tells its own apart.  Where these are few the host has them all;
 * else samples of them say about where to cut, what lies between two cuts goes to one place, which
 * makes equal ones one, and they stay there.  Knows no order but by backends' algorithms. */
#include "sets/chosen.h"

#include <stdlib.h>
#include <string.h>

enum {
    SAMPLES = 64,    /* of a place, at most */
    FEW = 16384,     /* values of all places that the host has: they take about what a step does */
    NOBODY = 1 << 30 /* the number of no place: equal ones of all places come before */
};

typedef struct telling {
    lun_choosing *c;
    int64_t *first; /* by place: the number of its first sample; one more */
    char *samples, *ordered, *splitters;
    int64_t *stood;                           /* by sample in order: its number */
    int64_t *owner, *cuts, *lengths, *begins; /* as of lun_ordering */
} telling;

static int64_t *cuts_of(const telling *t, int k)
{
    return t->cuts + (int64_t)k * (t->c->w.places + 1);
}

static lun_piece *piece_at(const telling *t, const lun_storage *s, int k)
{
    return lun__placed_piece(s->placed, lun__set_at(t->c->w.e, k));
}

/* ---- each place's own ------------------------------------------------------------------------ */

/* Place k's elements are to be told apart, which are so many values at most. */
static lun_status want(const telling *t, int k, int64_t most)
{
    lun_ordering *w = &t->c->w;
    const int64_t lo = lun__chosen_part(t->c, k).lo, size = lun__ordering_size(w);
    lun_algorithm_run *r = lun__ordering_want(w, k, LUN_ALGORITHM_UNIQUE);
    lun_status s = lun__ordering_load(w, k, r);
    for (int i = 0; s == LUN_OK && i < 2; i++)
        s = lun__ordering_room(w, w->run[i], k, lo, lo + most, &r->out[i]);
    r->out[2] = (lun_column){t->samples + t->first[k] * size, r->in[0].dtype,
                             t->first[k + 1] - t->first[k], true};
    return s;
}

static lun_status tell_apart(telling *t)
{
    lun_ordering *w = &t->c->w;
    lun_status s = LUN_OK;
    bool more = false; /* than fit, at some place */
    for (int k = 0; s == LUN_OK && k < w->places; k++) {
        const lun_interval x = lun__chosen_part(t->c, k);
        if (x.lo < x.hi)
            s = want(t, k, lun__algorithm_few(x.hi - x.lo));
    }
    if (s == LUN_OK)
        s = lun__ordering_run(w);
    for (int k = 0; s == LUN_OK && k < w->places; k++) {
        const lun_interval x = lun__chosen_part(t->c, k);
        if (x.lo >= x.hi || w->runs[k].r.out[0].n)
            continue;
        more = true;
        s = want(t, k, x.hi - x.lo);
    }
    if (s == LUN_OK && more)
        s = lun__ordering_run(w);
    for (int k = 0; s == LUN_OK && k < w->places; k++) {
        const lun_interval x = lun__chosen_part(t->c, k);
        t->c->count[k] = x.lo < x.hi ? w->runs[k].r.out[0].n : 0;
        t->c->total += t->c->count[k];
    }
    return s;
}

/* Place k's values, or their numbers. */
static lun_column own(const telling *t, int i, int k)
{
    const lun_storage *s = t->c->w.run[i];
    return lun__ordering_column(piece_at(t, s, k), s->dtype, t->c->count[k]);
}

/* ---- few of them ----------------------------------------------------------------------------- */

static lun_status bring_here(telling *t)
{
    lun_choosing *c = t->c;
    int64_t at = 0, found;
    lun_status s = lun__chosen_room(c);
    for (int k = 0; s == LUN_OK && k < c->w.places; at += c->count[k++]) {
        if (!c->count[k])
            continue;
        lun_algorithm_run *r = lun__ordering_want(&c->w, k, LUN_ALGORITHM_MERGED);
        for (int i = 0; i < 2; i++) {
            r->in[i] = own(t, i, k);
            r->out[i] = lun__chosen_column(c, i, at, c->count[k]);
        }
        r->in[2] = (lun_column){&c->count[k], LUN_I64, 1, true};
    }
    if (s == LUN_OK)
        s = lun__ordering_run(&c->w);
    if (s == LUN_OK)
        s = lun__chosen_merge(c, true, &found);
    return s == LUN_OK ? lun__chosen_give(c, found) : s;
}

/* ---- where to cut ---------------------------------------------------------------------------- */

static lun_status order_samples(telling *t)
{
    lun_ordering *w = &t->c->w;
    const int64_t count = t->first[w->places];
    const lun_dtype dtype = (lun_dtype)w->n->more[0]->dtype;
    const int current = w->e->current;
    lun_backend_slot *host;
    lun_algorithm_run r = {.which = LUN_ALGORITHM_ORDERED, .every = 1};
    r.in[0] = (lun_column){t->samples, dtype, count, false};
    r.out[0] = (lun_column){t->ordered, dtype, count, false};
    r.out[1] = (lun_column){t->stood, LUN_I64, count, false};
    lun_status s = lun__backend_native(w->e, &host);
    if (s == LUN_OK)
        s = lun__places_do(w->e, w->n, host, &r, &w->scratch, &w->seconds);
    w->e->current = current;
    return s;
}

/* The values up to which place j and those before it have about as many as their share: of a
 * place's sample there are as many values as of each of its others. */
static void choose(telling *t)
{
    const lun_ordering *w = &t->c->w;
    const int64_t size = lun__ordering_size(w), samples = t->first[w->places];
    double before = 0;
    int j = 1;
    for (int64_t i = 0; i < samples && j < w->places; i++) {
        int k = 0;
        while (t->first[k + 1] <= t->stood[i])
            k++;
        before += (double)t->c->count[k] / (double)(t->first[k + 1] - t->first[k]);
        for (; j < w->places && before * w->places >= (double)t->c->total * j; j++)
            memcpy(t->splitters + j * size, t->ordered + i * size, (size_t)size);
    }
    for (; j < w->places; j++)
        memcpy(t->splitters + j * size, t->ordered + (samples - 1) * size, (size_t)size);
}

static lun_status find_cuts(telling *t)
{
    lun_ordering *w = &t->c->w;
    const int64_t places = w->places;
    lun_status s = order_samples(t);
    if (s != LUN_OK)
        return s;
    choose(t);
    memcpy(t->splitters, t->ordered, (size_t)lun__ordering_size(w)); /* of which none is used */
    for (int k = 0; k < w->places; k++) {
        t->owner[k] = NOBODY;
        if (!t->c->count[k])
            continue;
        lun_algorithm_run *r = lun__ordering_want(w, k, LUN_ALGORITHM_CUTS);
        r->option[1] = (uint64_t)k;
        r->in[0] = own(t, 0, k);
        r->in[1] = (lun_column){t->splitters, r->in[0].dtype, places, true};
        r->in[2] = (lun_column){t->owner, LUN_I64, places, true};
        r->out[0] = (lun_column){cuts_of(t, k), LUN_I64, places, true};
    }
    s = lun__ordering_run(w);
    for (int k = 0; k < w->places; k++) {
        cuts_of(t, k)[0] = 0;
        cuts_of(t, k)[places] = t->c->count[k];
    }
    return s;
}

/* All stays at the only place that has some. */
static void cut_nothing(telling *t)
{
    for (int k = 0; k < t->c->w.places; k++)
        for (int j = 0; j <= t->c->w.places; j++)
            cuts_of(t, k)[j] = j > k ? t->c->count[k] : 0;
}

/* ---- values that meet ------------------------------------------------------------------------ */

static lun_status carry(const telling *t, int k, int j, int64_t at)
{
    const lun_ordering *w = &t->c->w;
    const int64_t from = cuts_of(t, k)[j], count = cuts_of(t, k)[j + 1] - from;
    lun_status s = LUN_OK;
    for (int i = 0; s == LUN_OK && i < 2; i++) {
        const int64_t size = lun__dtype_get(w->run[i]->dtype)->bytes;
        s = lun__piece_carry(w->e, piece_at(t, w->run[i], k), from * size,
                             piece_at(t, w->met[i], j), at * size, count * size);
    }
    return s;
}

/* What place j makes one is on its way there. */
static lun_status meet(telling *t, int j)
{
    lun_ordering *w = &t->c->w;
    const int64_t lo = t->begins[j], hi = t->begins[j + 1];
    int64_t *lengths = t->lengths + (int64_t)j * w->places, at = 0;
    lun_algorithm_run *r = lun__ordering_want(w, j, LUN_ALGORITHM_MERGED);
    lun_status s = LUN_OK;
    r->option[0] |= LUN_MERGED_ONE;
    for (int i = 0; s == LUN_OK && i < 2; i++) {
        s = lun__ordering_room(w, w->met[i], j, lo, hi, &r->in[i]);
        if (s == LUN_OK)
            s = lun__ordering_room(w, t->c->out[i], j, lo, hi, &r->out[i]);
    }
    r->in[2] = (lun_column){lengths, LUN_I64, 0, true};
    for (int k = 0; s == LUN_OK && k < w->places; k++) {
        const int64_t count = cuts_of(t, k)[j + 1] - cuts_of(t, k)[j];
        if (!count)
            continue;
        s = carry(t, k, j, at);
        lengths[r->in[2].n++] = count;
        at += count;
    }
    return s;
}

static lun_status make_one(telling *t)
{
    lun_ordering *w = &t->c->w;
    lun_status s = LUN_OK;
    for (int j = 0; j < w->places; j++) {
        t->begins[j + 1] = t->begins[j];
        for (int k = 0; k < w->places; k++)
            t->begins[j + 1] += cuts_of(t, k)[j + 1] - cuts_of(t, k)[j];
    }
    for (int j = 0; s == LUN_OK && j < w->places; j++)
        if (t->begins[j] < t->begins[j + 1])
            s = meet(t, j);
    if (s != LUN_OK)
        return lun__placed_carried(w->e, s);
    s = lun__ordering_run(w);
    for (int j = 0; s == LUN_OK && j < w->places; j++)
        t->c->found[j] = t->begins[j] < t->begins[j + 1] ? w->runs[j].r.out[0].n : 0;
    return s;
}

/* ---- the results ----------------------------------------------------------------------------- */

/* In parts, as they have been found. */
static lun_spread *spread_of(const telling *t)
{
    const lun_ordering *w = &t->c->w;
    lun_spread *x = lun__spread_copy(w->cut);
    if (!x)
        return NULL;
    x->kind = LUN_SPREAD_BLOCK;
    x->rule = LUN_SPREAD_BOUNDS;
    x->unit = 1;
    x->halo = 0;
    x->bound[0] = 0;
    for (int j = 0; j < w->places; j++)
        x->bound[j + 1] = x->bound[j] + t->c->found[j];
    x->n = x->bound[w->places];
    return x;
}

static lun_status give(const telling *t, const lun_spread *x, int i, int j)
{
    const lun_ordering *w = &t->c->w;
    lun_storage *to = t->c->to[i], *from = t->c->out[i];
    lun_piece *piece;
    if (x->bound[j] == x->bound[j + 1])
        return LUN_OK;
    const lun_status s =
        lun__placed_result(w->e, to, lun__set_at(w->e, j), x->bound[j], x->bound[j + 1], &piece);
    return s == LUN_OK ? lun__piece_carry(w->e, piece_at(t, from, j), 0, piece, 0,
                                          t->c->found[j] * lun__dtype_get(to->dtype)->bytes)
                       : s;
}

static lun_status give_all(telling *t)
{
    lun_ordering *w = &t->c->w;
    lun_spread *x = spread_of(t);
    lun_status s = x ? LUN_OK : lun__nomem(w->e);
    for (int i = 0; s == LUN_OK && i < 2; i++) {
        s = lun__storage_empty(w->e, w->run[i]->dtype, x->n, &t->c->to[i]);
        if (s == LUN_OK)
            s = lun__placed_decide(w->e, t->c->to[i], x);
        for (int j = 0; s == LUN_OK && j < w->places; j++)
            s = give(t, x, i, j);
    }
    lun__spread_release(x);
    return s;
}

/* ---- all of it ------------------------------------------------------------------------------- */

static lun_status open_work(telling *t)
{
    lun_choosing *c = t->c;
    lun_engine *e = c->w.e;
    const lun_node *in = c->w.n->more[0];
    const size_t places = (size_t)c->w.places, size = (size_t)lun__ordering_size(&c->w);
    lun_status s = LUN_OK;
    t->first = calloc(places + 1, sizeof *t->first);
    t->owner = calloc(places, sizeof *t->owner);
    t->begins = calloc(places + 1, sizeof *t->begins);
    if (!t->first || !t->owner || !t->begins)
        return lun__nomem(e);
    for (int k = 0; k < c->w.places; k++) {
        const lun_interval x = lun__chosen_part(c, k);
        t->first[k + 1] = t->first[k] + (x.hi - x.lo < SAMPLES ? x.hi - x.lo : SAMPLES);
    }
    const size_t samples = (size_t)t->first[places];
    t->samples = calloc(samples, size);
    t->ordered = calloc(samples, size);
    t->stood = calloc(samples, sizeof *t->stood);
    t->splitters = calloc(places, size);
    t->cuts = calloc(places * (places + 1), sizeof *t->cuts);
    t->lengths = calloc(places * places, sizeof *t->lengths);
    if (!t->samples || !t->ordered || !t->stood || !t->splitters || !t->cuts || !t->lengths)
        return lun__nomem(e);
    for (int i = 0; s == LUN_OK && i < 2; i++) {
        const lun_dtype dtype = i ? LUN_I64 : (lun_dtype)in->dtype;
        s = lun__storage_empty(e, dtype, in->n, &c->w.run[i]);
        if (s == LUN_OK)
            s = lun__storage_empty(e, dtype, in->n, &c->w.met[i]);
        if (s == LUN_OK)
            s = lun__storage_empty(e, dtype, in->n, &c->out[i]);
    }
    return s;
}

static lun_status work(telling *t)
{
    lun_status s = open_work(t);
    if (s == LUN_OK)
        s = tell_apart(t);
    if (s != LUN_OK || t->c->total <= FEW)
        return s == LUN_OK ? bring_here(t) : s;
    if (t->c->parts > 1)
        s = find_cuts(t);
    else
        cut_nothing(t);
    if (s == LUN_OK)
        s = make_one(t);
    return s == LUN_OK ? give_all(t) : s;
}

lun_status lun__choose_apart(lun_choosing *c)
{
    telling *t = calloc(1, sizeof *t);
    if (!t)
        return lun__nomem(c->w.e);
    t->c = c;
    const lun_status s = work(t);
    void *const all[] = {t->samples, t->ordered, t->stood,  t->splitters, t->cuts,
                         t->lengths, t->first,   t->begins, t->owner};
    for (size_t i = 0; i < sizeof all / sizeof *all; i++)
        free(all[i]);
    free(t);
    return s;
}
