/* owned.c - see owned.h.  The elements of all owners are taken for one array, so that values are
 * written as they come.  Knows no place's memory, and how values are combined is scatter.c's. */
#include "api/write/owned.h"

#include <stdlib.h>

_Static_assert(LUN_MAX_PLACES <= UINT16_MAX + 1, "an owner is two bytes");

/* ---- owners ---------------------------------------------------------------------------------- */

#define ALWAYS static inline __attribute__((always_inline))

/* The element that value i of a source goes to; -1: none.  dense, a constant where it is called:
 * the array's elements, and their places, stand side by side. */
ALWAYS int64_t element(const lun_owners *o, const lun_owned_source *from, bool dense, int64_t i)
{
    const int64_t p = from->place[dense ? i : i * o->place_step];
    if (p < o->how.low)
        return -1;
    return dense ? o->what.at.offset + p : lun__layout_place(&o->what.at, p);
}

static void make_buckets(lun_owners *o)
{
    const int64_t n = o->what.array->storage->count;
    int k = 0;
    while ((n - 1) >> o->shift >= LUN_OWNED_BUCKETS)
        o->shift++;
    for (int64_t b = 0; b << o->shift < n; b++) {
        while (b << o->shift >= o->part[k].hi) /* parts that are empty end before all elements */
            k++;
        o->owner[b] = (uint16_t)k;
    }
}

/* Without a guess that a processor would have to make: values go here and there. */
ALWAYS int owner_of(const lun_owners *o, int64_t element)
{
    int k = o->owner[element >> o->shift];
    while (element >= o->part[k].hi)
        k++;
    return k;
}

/* Two tallies of each owner, side by side, take values in turn: one would wait for itself. */
ALWAYS void count_by(const lun_owners *o, const lun_owned_source *from, bool dense,
                     lun_owned_tally (*of)[2])
{
    for (int k = 0; k < o->owners; k++)
        of[k][0] = of[k][1] = (lun_owned_tally){k, 0, INT64_MAX, 0};
    for (int64_t i = 0; i < from->hi - from->lo; i++) {
        const int64_t x = element(o, from, dense, i);
        if (x < 0)
            continue;
        lun_owned_tally *t = &of[owner_of(o, x)][i & 1];
        t->count++;
        t->lo = x < t->lo ? x : t->lo;
        t->hi = x < t->hi ? t->hi : x + 1;
    }
}

/* The owners that get some are kept: of many places each has values for few. */
static void keep_tallies(const lun_owners *o, lun_owned_source *from, lun_owned_tally (*of)[2])
{
    int some = 0;
    for (int k = 0; k < o->owners; k++)
        some += of[k][0].count || of[k][1].count;
    from->to = malloc(((size_t)some + 1) * sizeof *from->to);
    from->failed = !from->to;
    for (int k = 0; from->to && k < o->owners; k++) {
        const lun_owned_tally *a = &of[k][0], *b = &of[k][1];
        if (a->count || b->count)
            from->to[from->owners++] =
                (lun_owned_tally){k, a->count + b->count, a->lo < b->lo ? a->lo : b->lo,
                                  a->hi > b->hi ? a->hi : b->hi};
    }
}

static bool is_dense(const lun_owners *o)
{
    return o->place_step && lun__layout_is_dense(&o->what.at);
}

static void count(const lun_owners *o, lun_owned_source *from)
{
    lun_owned_tally(*of)[2] = NULL;
    if (from->lo >= from->hi)
        return;
    of = malloc((size_t)o->owners * sizeof *of);
    from->failed = !of;
    if (!of)
        return;
    if (is_dense(o))
        count_by(o, from, true, of);
    else
        count_by(o, from, false, of);
    keep_tallies(o, from, of);
    free(of);
}

/* A task for each source. */
enum { PART = 64 };

static void count_some(void *ctx, int64_t from, int64_t to)
{
    lun_owners *o = ctx;
    for (int64_t j = (from + PART - 1) / PART; j * PART < to; j++)
        count(o, &o->source[j]);
}

lun_status lun__owned_count(lun_owners *o)
{
    const int64_t bytes = o->how.count * (o->size + (int64_t)sizeof(int64_t));
    make_buckets(o);
    lun__share(o->e, (int64_t)o->sources * PART, bytes, o, count_some);
    for (int j = 0; j < o->sources; j++) {
        const lun_owned_source *from = &o->source[j];
        if (from->failed)
            return lun__nomem(o->e);
        for (int i = 0; i < from->owners; i++) {
            const lun_owned_tally *t = &from->to[i];
            lun_interval *hull = &o->hull[t->owner];
            hull->lo = !hull->hi || t->lo < hull->lo ? t->lo : hull->lo;
            hull->hi = t->hi > hull->hi ? t->hi : hull->hi;
        }
    }
    return LUN_OK;
}

/* ---- writing --------------------------------------------------------------------------------- */

/* Elements of all owners, which scatter.c takes for one array: that of the first one. */
typedef struct pieces {
    const lun_owners *o;
    char *base; /* an element's place there is o->offset of its owner behind it */
    int parts;  /* that threads take of the elements lo .. hi - 1 */
    int64_t lo, hi;
    struct {
        int64_t done, bad; /* values of all, in the order of sources, before the first that fails */
    } part[LUN_SCATTER_PARTS];
} pieces;

/* at[k]: element hull[k].lo of owner k. */
static void join(const lun_owners *o, char *const *at, pieces *p)
{
    const int64_t size = lun__dtype_get(o->how.dtype)->bytes;
    lun_scatter s = o->how;
    *p = (pieces){.o = o, .lo = INT64_MAX};
    for (int k = 0; k < o->owners; k++) {
        const lun_interval *x = &o->hull[k];
        if (x->lo >= x->hi)
            continue;
        p->base = p->base ? p->base : at[k];
        o->offset[k] = (at[k] - p->base) / size - x->lo; /* memory begins on whole elements */
        p->lo = x->lo < p->lo ? x->lo : p->lo;
        p->hi = x->hi;
    }
    s.span = p->hi - p->lo;
    p->parts = lun__scatter_parts(o->e, &s);
}

enum { BLOCK = 1024 };
static const int64_t NOWHERE = -((int64_t)1 << 61);

/* The places of values first .. first + n - 1 of a source that go to elements of a range; of others
 * NOWHERE. */
ALWAYS void find_by(const pieces *p, const lun_owned_source *from, int64_t first, int64_t n,
                    lun_interval range, bool dense, int64_t *place)
{
    const lun_owners *o = p->o;
    const uint64_t span = (uint64_t)(range.hi - range.lo);
    for (int64_t i = 0; i < n; i++) {
        const int64_t x = element(o, from, dense, first + i);
        const int64_t any = x < 0 ? 0 : x, at = any + o->offset[owner_of(o, any)];
        place[i] = (uint64_t)(x - range.lo) < span ? at : NOWHERE;
    }
}

/* These values: how many before the first that fails. */
static int64_t put_block(const pieces *p, const lun_owned_source *from, int64_t first, int64_t n,
                         lun_interval range, int64_t *bad)
{
    const lun_owners *o = p->o;
    int64_t place[BLOCK];
    lun_scatter s = o->how;
    if (is_dense(o))
        find_by(p, from, first, n, range, true, place);
    else
        find_by(p, from, first, n, range, false, place);
    s.elements = p->base;
    s.low = NOWHERE + 1;
    s.span = -2 * NOWHERE;
    s.place = place;
    s.values = from->value + first * o->size * o->value_step;
    s.step = o->value_step;
    s.count = n;
    return (p->parts > 1 ? lun__scatter_range : lun__scatter_here)(&s, bad);
}

static void put_part(pieces *p, int part)
{
    const lun_owners *o = p->o;
    const int64_t each = (p->hi - p->lo) / p->parts + 1, lo = p->lo + part * each;
    const lun_interval range = {lo, lo + each < p->hi ? lo + each : p->hi};
    int64_t *done = &p->part[part].done;
    *done = 0;
    for (int j = 0; j < o->sources; j++) {
        const lun_owned_source *from = &o->source[j];
        for (int64_t i = 0; i < from->hi - from->lo; i += BLOCK) {
            const int64_t left = from->hi - from->lo - i, n = left < BLOCK ? left : BLOCK;
            const int64_t some = put_block(p, from, i, n, range, &p->part[part].bad);
            *done += some;
            if (some < n)
                return;
        }
    }
}

static void put_some(void *ctx, int64_t from, int64_t to)
{
    for (int64_t k = (from + PART - 1) / PART; k * PART < to; k++)
        put_part(ctx, (int)k);
}

bool lun__owned_put(const lun_owners *o, char *const *at, int64_t *bad)
{
    enum { SHARE = 1 << 20 }; /* bytes by which each part is a range of its own */
    pieces p;
    int first = 0;
    join(o, at, &p);
    if (!p.base)
        return true;
    lun__share(o->e, (int64_t)p.parts * PART, (int64_t)p.parts * SHARE, &p, put_some);
    for (int k = 1; k < p.parts; k++)
        first = p.part[k].done < p.part[first].done ? k : first;
    *bad = p.part[first].bad;
    return p.part[first].done == o->how.count;
}
