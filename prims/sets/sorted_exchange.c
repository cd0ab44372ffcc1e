/* sorted_exchange.c - runs of elements in order at the locations of a set, exchanged so that
 * there is one order over all: samples of all runs say about where to cut, what lies between two
 * splitters goes to one location, which merges it, and where each location is to have a shard of
 * given bounds, the few elements that belong to a neighbour move on.  Equal elements keep the
 * order of locations. Elements go from location to location.  See sorted_exchange.h. */
#include <stdlib.h>
#include <string.h>

#include "sets/sorted_exchange.h"

enum {
    SAMPLES = 64,     /* of a location, at most */
    NONE = -1,        /* owners of splitters: no element comes before it, */
    ALL = -2,         /* all do, */
    NOBODY = 1 << 30, /* and of equal elements those of all locations */
};

lun_status lun__exchange_open(lun_exchange *x)
{
    const int64_t places = x->places;
    int64_t samples = 0;
    for (int k = 0; k < x->places; k++) {
        const int64_t n = x->at[k].shard.hi - x->at[k].shard.lo;
        const int64_t some = x->every ? n / x->every : n < SAMPLES ? n : SAMPLES;
        x->at[k].samples = (lun_interval){samples, samples + some};
        samples += some;
    }
    const int64_t words = 3 * samples + 3 * places + places * (2 * places + 1);
    int64_t *at = x->words = calloc((size_t)words, sizeof *at);
    if (!at)
        return lun__fail_nomem(x->e);
    x->samples = (char *)at; /* elements have 8 bytes at most */
    x->ordered = (char *)(at += samples);
    x->stood = at += samples;
    x->splitters = (char *)(at += samples);
    x->owner = at += places;
    x->before = at += places;
    x->cuts = at += places;
    x->lengths = at + places * (places + 1);
    lun_status s = LUN_OK;
    for (int i = 0; s == LUN_OK && i < x->columns; i++) {
        const lun_dtype t = i ? LUN_I64 : (lun_dtype)x->n->more[0]->dtype;
        s = lun__storage_empty(x->e, t, x->n->more[0]->n, &x->run[i]);
        if (s == LUN_OK)
            s = lun__storage_empty(x->e, t, x->n->more[0]->n, &x->received[i]);
        if (s == LUN_OK && (x->once || i == x->columns - 1))
            s = lun__storage_empty(x->e, t, x->n->more[0]->n, &x->merged[i]);
    }
    return s;
}

lun_status lun__exchange_reserve(lun_exchange *x)
{
    const int last = x->columns - 1;
    lun_status s = LUN_OK;
    for (int k = 0; s == LUN_OK && k < x->places; k++) {
        const lun_interval own = x->at[k].shard;
        const int64_t most = own.hi + (own.hi - own.lo) / 16;
        lun_algorithm_run r = {.which = LUN_ALGORITHM_MERGED, .every = x->every};
        if (own.lo >= own.hi || x->at[k].device || lun__set_at(x->e, k)->away)
            continue;
        s = lun__shard_run_room(x, x->merged[last], k, own.lo, most, &r.out[0]);
        for (int i = 0; s == LUN_OK && i < x->columns; i++) {
            s = lun__shard_run_room(x, x->run[i], k, own.lo, own.hi, &r.out[i]);
            if (s == LUN_OK)
                s = lun__shard_run_room(x, x->received[i], k, own.lo, most, &r.in[i]);
        }
        r.in[2].n = x->places;
        if (s == LUN_OK)
            s = lun__shard_run_scratch(x, k, &r);
        r.which = LUN_ALGORITHM_ORDERED;
        if (s == LUN_OK)
            s = lun__shard_run_scratch(x, k, &r);
    }
    return s;
}

/* ---- splitters ------------------------------------------------------------------------------- */

/* Samples in order: as they stand by location and number, equal ones keep that order. */
static lun_status order_samples(lun_exchange *x)
{
    const int64_t count = x->at[x->places - 1].samples.hi;
    const lun_dtype t = x->run[0]->dtype;
    lun_algorithm_run r = {.which = LUN_ALGORITHM_ORDERED, .option = {x->n->cell}, .every = 1};
    r.in[0] = lun__work_column(x->samples, t, count);
    r.out[0] = lun__work_column(x->ordered, t, count);
    r.out[1] = lun__work_column(x->stood, LUN_I64, count);
    return lun__shard_run_native(x, &r);
}

/* The location of a sample. */
static int owner_of(const lun_exchange *x, int64_t sample)
{
    int low = 0, high = x->places;
    while (high - low > 1) {
        const int middle = low + (high - low) / 2;
        *(x->at[middle].samples.lo <= sample ? &low : &high) = middle;
    }
    return low;
}

static void split_at(lun_exchange *x, int j, int64_t i)
{
    const int64_t size = lun__exchange_size(x->run[0]);
    memcpy(x->splitters + j * size, x->ordered + i * size, (size_t)size);
}

/* Splitter j, behind which location j's elements begin: about as many as before its shard come
 * before. */
static void choose(lun_exchange *x, int j)
{
    const int64_t count = x->at[x->places - 1].samples.hi, bound = x->cut->bound[j];
    int64_t i = (bound + x->every / 2) / x->every - 1;
    i = i < count ? i : count - 1;
    x->owner[j] = bound == x->cut->n ? ALL : NONE;
    if (i < 0 || x->owner[j] == ALL)
        return;
    const int k = owner_of(x, x->stood[i]);
    x->owner[j] = k;
    x->before[j] = (x->stood[i] - x->at[k].samples.lo + 1) * x->every;
    split_at(x, j, i);
}

/* Of values, which are to be at one place each: those up to which location j and those before it
 * have about as many as their share.  Of a location's run there are as many values as of each of
 * its other samples.  All stay at the only location that has some. */
static void choose_values(lun_exchange *x)
{
    const int64_t samples = x->at[x->places - 1].samples.hi;
    double before = 0, total = 0;
    int j = 1;
    for (int k = 0; k < x->places; k++)
        total += (double)x->at[k].count;
    for (int k = 0; k < x->places; k++)
        x->owner[k] = x->parts > 1 ? NOBODY : k > owner_of(x, 0) ? ALL : NONE;
    for (int64_t i = 0; i < samples; i++) {
        const lun_exchange_at *at = &x->at[owner_of(x, x->stood[i])];
        before += (double)at->count / (double)(at->samples.hi - at->samples.lo);
        for (; j < x->places && before * x->places >= total * j; j++)
            split_at(x, j, i);
    }
    for (; j < x->places; j++)
        split_at(x, j, samples - 1);
}

/* ---- cuts ------------------------------------------------------------------------------------ */

static int64_t *cuts_of(const lun_exchange *x, int k)
{
    return x->cuts + (int64_t)k * (x->places + 1);
}

static lun_status find_cuts(lun_exchange *x)
{
    const int64_t places = x->places;
    x->owner[0] = NONE;
    for (int k = 0; k < x->places; k++) {
        if (!x->at[k].count || x->parts == 1)
            continue;
        lun_algorithm_run *r = lun__shard_run_want(x, k, LUN_ALGORITHM_CUTS);
        r->option[1] = (uint64_t)k;
        r->in[0] = lun__shard_run_of(x, 0, k);
        r->in[1] = (lun_column){x->splitters, x->run[0]->dtype, places, true};
        r->in[2] = (lun_column){x->owner, LUN_I64, places, true};
        r->out[0] = (lun_column){cuts_of(x, k), LUN_I64, places, true};
    }
    const lun_status s = lun__shard_run(x);
    for (int k = 0; k < x->places; k++) {
        int64_t *cuts = cuts_of(x, k);
        for (int j = 0; j < x->places; j++)
            cuts[j] = x->owner[j] == NONE                     ? 0
                      : x->owner[j] == ALL || !x->at[k].count ? x->at[k].count
                      : x->owner[j] == k                      ? x->before[j]
                                                              : cuts[j];
        cuts[places] = x->at[k].count;
    }
    return s;
}

/* ---- merging --------------------------------------------------------------------------------- */

/* Bytes of `from` at location k, from the start of its memory, to those of `to` at location j; they
 * are under way until lun__fetch_settled. */
static lun_status carry(const lun_exchange *x, const lun_storage *from, int k, int64_t from_at,
                        const lun_storage *to, int j, int64_t to_at, int64_t bytes)
{
    lun_backend_slot *a = lun__set_at(x->e, k), *b = lun__set_at(x->e, j);
    const lun_status s = lun__fetch_carry(x->e, lun__current_piece(from->placed, a), from_at,
                                          lun__current_piece(to->placed, b), to_at, bytes);
    if (s == LUN_OK && k != j && !x->once) { /* what is exchanged once is not told */
        x->e->stats.bytes_exchanged += bytes;
        if (a->counted)
            a->counted->bytes_exchanged += bytes;
    }
    return s;
}

/* The shard that location j is to have at the end; none where results stay as they are found. */
static lun_interval own_of(const lun_exchange *x, int j)
{
    return x->once ? (lun_interval){0, 0} : x->at[j].shard;
}

/* Memory of column i for what location j merges, and for what it is to have. */
static lun_status make_result(lun_exchange *x, int j, int i)
{
    const lun_interval own = own_of(x, j), in = x->at[j].merges;
    const bool owns = own.lo < own.hi, merges = in.lo < in.hi;
    const int64_t lo = !owns || (merges && in.lo < own.lo) ? in.lo : own.lo;
    const int64_t hi = !owns || (merges && in.hi > own.hi) ? in.hi : own.hi;
    lun_algorithm_run *r = &x->at[j].r;
    if (!owns && !merges)
        return LUN_OK;
    const lun_status s = lun__shard_run_room(x, x->merged[i], j, lo, hi, &r->out[i]);
    r->out[i].n = in.hi - in.lo;
    r->to_origin[i] = in.lo - lo;
    if (s == LUN_OK && r->out[i].data && !x->at[j].device)
        r->out[i].data = (char *)r->out[i].data + (in.lo - lo) * lun__exchange_size(x->merged[i]);
    return s;
}

/* All that location j merges is on its way there. */
static lun_status receive(lun_exchange *x, int j)
{
    const lun_interval in = x->at[j].merges;
    int64_t *lengths = x->lengths + (int64_t)j * x->places, at = 0;
    lun_algorithm_run *r = lun__shard_run_want(x, j, LUN_ALGORITHM_MERGED);
    lun_status s = LUN_OK;
    r->option[0] |= x->once ? LUN_MERGED_ONE : 0;
    r->in[2] = (lun_column){lengths, LUN_I64, 0, true};
    for (int i = 0; s == LUN_OK && i < x->columns; i++)
        s = lun__shard_run_room(x, x->received[i], j, in.lo, in.hi, &r->in[i]);
    for (int k = 0; s == LUN_OK && k < x->places; k++) {
        const int64_t from = cuts_of(x, k)[j], count = cuts_of(x, k)[j + 1] - from;
        for (int i = 0; s == LUN_OK && count && i < x->columns; i++) {
            const int64_t size = lun__exchange_size(x->run[i]);
            s = carry(x, x->run[i], k, from * size, x->received[i], j, at * size, count * size);
        }
        lengths[r->in[2].n] = count;
        r->in[2].n += count > 0;
        at += count;
    }
    return s;
}

static lun_status merge(lun_exchange *x)
{
    lun_status s = LUN_OK;
    int64_t end = 0;
    for (int j = 0; j < x->places; j++) {
        x->at[j].merges.lo = end;
        for (int k = 0; k < x->places; k++)
            end += cuts_of(x, k)[j + 1] - cuts_of(x, k)[j];
        x->at[j].merges.hi = end;
    }
    for (int j = 0; s == LUN_OK && j < x->places; j++)
        if (x->at[j].merges.lo < x->at[j].merges.hi)
            s = receive(x, j);
    for (int j = 0; s == LUN_OK && j < x->places; j++)
        for (int i = 0; s == LUN_OK && i < x->columns; i++)
            s = x->merged[i] ? make_result(x, j, i) : LUN_OK;
    s = s == LUN_OK ? lun__shard_run(x) : lun__fetch_settled(x->e, s);
    for (int j = 0; s == LUN_OK && x->once && j < x->places; j++)
        x->at[j].found = x->at[j].merges.lo < x->at[j].merges.hi ? x->at[j].r.out[0].n : 0;
    return s;
}

/* ---- where they belong ----------------------------------------------------------------------- */

/* Location j gets what others have merged of its elements. */
static lun_status get_own(lun_exchange *x, lun_storage *to, int j)
{
    const lun_interval own = own_of(x, j);
    const int64_t size = lun__exchange_size(to);
    lun_status s = LUN_OK;
    for (int k = 0; s == LUN_OK && own.lo < own.hi && k < x->places; k++) {
        const lun_interval in = x->at[k].merges;
        const int64_t lo = own.lo > in.lo ? own.lo : in.lo, hi = own.hi < in.hi ? own.hi : in.hi;
        if (k == j || lo >= hi)
            continue;
        const lun_piece *a = lun__current_piece(to->placed, lun__set_at(x->e, k));
        const lun_piece *b = lun__current_piece(to->placed, lun__set_at(x->e, j));
        s = carry(x, to, k, (lo - a->lo) * size, to, j, (lo - b->lo) * size, (hi - lo) * size);
    }
    return s;
}

static lun_status move_on(lun_exchange *x, lun_storage *to)
{
    lun_status s = LUN_OK;
    for (int j = 0; s == LUN_OK && j < x->places; j++)
        s = get_own(x, to, j);
    s = lun__fetch_settled(x->e, s);
    for (int j = 0; s == LUN_OK && j < x->places; j++) {
        lun_piece *piece = lun__current_piece(to->placed, lun__set_at(x->e, j));
        const lun_interval own = own_of(x, j);
        if (!piece)
            return lun__fail_nomem(x->e);
        lun__intervals_clear(&piece->fresh);
        if (own.lo < own.hi && !lun__intervals_add(&piece->fresh, own.lo, own.hi))
            s = lun__fail_nomem(x->e);
    }
    return s;
}

lun_status lun__exchange_splitters(lun_exchange *x)
{
    lun_status s = order_samples(x);
    if (s == LUN_OK && x->once)
        choose_values(x);
    for (int j = 0; s == LUN_OK && !x->once && j < x->places; j++)
        choose(x, j);
    if (s == LUN_OK)
        s = find_cuts(x);
    if (s == LUN_OK)
        s = merge(x);
    return s == LUN_OK && !x->once ? move_on(x, x->merged[x->columns - 1]) : s;
}
