/* owners.c - values sent to the places that have the elements which they go to; see owners.h.  Of a
 * device the host takes the part.  How values are combined is scatter.c's. */
#include "api/owners.h"

#include <stdlib.h>
#include <string.h>

#include "store/placed.h"

/* What comes from one place: in front of bucket k stand those for owners before k. */
typedef struct source {
    lun_backend_slot *at; /* NULL: the host */
    int64_t lo, hi;       /* of all values */
    const int64_t *place;
    const char *value;
    int64_t start[LUN_MAX_PLACES + 1];
    lun_interval hull[LUN_MAX_PLACES]; /* of the elements in each bucket */
    int64_t *places;                   /* from the owner's first element on; */
    char *values;                      /* NULL: one for all.  Owned */
} source;

struct lun_owners {
    lun_engine *e;
    lun_owned what;
    lun_scatter how;
    int sources, owners, size; /* size: bytes of a value */
    int64_t place_step, value_step;
    lun_interval part[LUN_MAX_PLACES], hull[LUN_MAX_PLACES];
    source source[LUN_MAX_PLACES];
};

/* Where the part of owner k is written; NULL: in host memory. */
static lun_backend_slot *writer(const lun_owners *o, int k)
{
    lun_backend_slot *at = lun__set_at(o->e, k);
    return at->backend->buffer_new ? NULL : at;
}

/* ---- where values come from ------------------------------------------------------------------ */

/* The values are taken from where the kernel that made them left them. */
static void cut_sources(lun_owners *o)
{
    const lun_node *n = o->what.place->kind == LUN_NODE_LEAF ? o->what.place : o->what.value;
    const lun_storage *s = n->kind == LUN_NODE_LEAF ? n->storage : NULL;
    const lun_spread *x = s && s->stale && !s->source && !n->offset && s->count == o->how.count
                              ? lun__placed_spread(o->e, s)
                              : NULL;
    o->sources = 1;
    o->source[0].hi = o->how.count;
    if (!x)
        return;
    o->sources = x->places;
    for (int j = 0; j < x->places; j++) {
        lun_interval part = lun__spread_part(x, j);
        if (x->kind == LUN_SPREAD_OVERLAP)
            part = (lun_interval){x->bound[j], x->bound[j + 1]};
        if (x->kind == LUN_SPREAD_COPY && j > 0)
            part = (lun_interval){0, 0};
        o->source[j].lo = part.lo;
        o->source[j].hi = part.hi;
        o->source[j].at = lun__set_at(o->e, j);
    }
}

/* Elements of n that a source has, where the host can read them. */
static lun_status load(const lun_owners *o, const source *from, const lun_node *n, const void **out)
{
    lun_storage *s = n->kind == LUN_NODE_LEAF ? n->storage : NULL;
    *out = &n->cell;
    if (!s || from->lo >= from->hi)
        return LUN_OK;
    if (from->at)
        return lun__placed_near(o->e, s, from->at, n->offset + from->lo, n->offset + from->hi, out);
    const lun_status status = lun__storage_host(o->e, s, false);
    *out = lun__leaf_data(n);
    return status;
}

static lun_status load_all(lun_owners *o)
{
    lun_status s = LUN_OK;
    for (int j = 0; s == LUN_OK && j < o->sources; j++) {
        source *from = &o->source[j];
        const void *place = NULL, *value = NULL;
        s = load(o, from, o->what.place, &place);
        if (s == LUN_OK)
            s = load(o, from, o->what.value, &value);
        from->place = place;
        from->value = value;
    }
    return s;
}

/* ---- buckets --------------------------------------------------------------------------------- */

/* The element that value i of a source goes to; -1: none. */
static int64_t element(const lun_owners *o, const source *from, bool dense, int64_t i)
{
    const int64_t p = from->place[i * o->place_step];
    if (p < o->how.low)
        return -1;
    return dense ? o->what.at.offset + p : lun__layout_place(&o->what.at, p);
}

/* Its owner, likely the last one's. */
static int owner_of(const lun_owners *o, int64_t element, int last)
{
    int k = last;
    while (element < o->part[k].lo || element >= o->part[k].hi)
        k = k + 1 < o->owners ? k + 1 : 0;
    return k;
}

static void count(const lun_owners *o, source *from)
{
    const bool dense = lun__layout_is_dense(&o->what.at);
    int64_t found[LUN_MAX_PLACES] = {0};
    int k = 0;
    for (int64_t i = 0; i < from->hi - from->lo; i++) {
        const int64_t x = element(o, from, dense, i);
        if (x < 0)
            continue;
        k = owner_of(o, x, k);
        lun_interval *h = &from->hull[k];
        if (!found[k]++)
            *h = (lun_interval){x, x + 1};
        h->lo = x < h->lo ? x : h->lo;
        h->hi = x < h->hi ? h->hi : x + 1;
    }
    for (k = 0; k < o->owners; k++)
        from->start[k + 1] = from->start[k] + found[k];
}

static void fill(const lun_owners *o, source *from)
{
    const bool dense = lun__layout_is_dense(&o->what.at);
    int64_t next[LUN_MAX_PLACES];
    int k = 0;
    memcpy(next, from->start, (size_t)o->owners * sizeof *next);
    for (int64_t i = 0; i < from->hi - from->lo; i++) {
        const int64_t x = element(o, from, dense, i);
        if (x < 0)
            continue;
        k = owner_of(o, x, k);
        from->places[next[k]] = x - o->hull[k].lo;
        if (from->values)
            memcpy(from->values + next[k] * o->size, from->value + i * o->size, (size_t)o->size);
        next[k]++;
    }
}

/* A task for each source. */
enum { PART = 64 };

static void count_some(void *ctx, int64_t from, int64_t to)
{
    lun_owners *o = ctx;
    for (int64_t j = (from + PART - 1) / PART; j * PART < to; j++)
        count(o, &o->source[j]);
}

static void fill_some(void *ctx, int64_t from, int64_t to)
{
    lun_owners *o = ctx;
    for (int64_t j = (from + PART - 1) / PART; j * PART < to; j++)
        fill(o, &o->source[j]);
}

static lun_status take_memory(lun_owners *o, source *from)
{
    const int64_t n = from->start[o->owners];
    from->places = malloc((size_t)n * sizeof *from->places + 1);
    if (o->value_step)
        from->values = malloc((size_t)(n * o->size) + 1);
    return from->places && (from->values || !o->value_step) ? LUN_OK : lun__nomem(o->e);
}

/* Values that change places: of each place to each other one what it has for that. */
static void tell_moves(const lun_owners *o)
{
    const int64_t each = (int64_t)sizeof(int64_t) + (o->value_step ? o->size : 0);
    for (int j = 0; j < o->sources; j++) {
        const source *from = &o->source[j];
        const lun_backend_slot *at =
            from->at && !from->at->backend->buffer_new ? from->at : NULL; /* else it is loaded */
        for (int k = 0; k < o->owners; k++) {
            const int64_t n = from->start[k + 1] - from->start[k];
            if (n && at != writer(o, k))
                lun__placed_count(o->e, at, writer(o, k), n * each);
        }
    }
}

static lun_status sort(lun_owners *o)
{
    const int64_t bytes = o->how.count * (o->size + (int64_t)sizeof(int64_t));
    lun_status s = LUN_OK;
    lun__share(o->e, (int64_t)o->sources * PART, bytes, o, count_some);
    for (int j = 0; s == LUN_OK && j < o->sources; j++) {
        s = take_memory(o, &o->source[j]);
        for (int k = 0; k < o->owners; k++) {
            const lun_interval *x = &o->source[j].hull[k];
            lun_interval *all = &o->hull[k];
            if (x->lo < x->hi && all->lo < all->hi)
                *all = (lun_interval){x->lo < all->lo ? x->lo : all->lo,
                                      x->hi > all->hi ? x->hi : all->hi};
            else if (x->lo < x->hi)
                *all = *x;
        }
    }
    if (s == LUN_OK)
        lun__share(o->e, (int64_t)o->sources * PART, bytes, o, fill_some);
    return s;
}

/* ---- writing --------------------------------------------------------------------------------- */

/* The elements that owner k changes, and what lies between, current where they are written. */
static lun_status bring(const lun_owners *o, lun_storage *to, int k, char **out)
{
    const int64_t lo = o->hull[k].lo, hi = o->hull[k].hi, size = lun__dtype_get(to->dtype)->bytes;
    lun_backend_slot *at = writer(o, k);
    lun_piece *x;
    if (!at) {
        const lun_status s = lun__placed_host(o->e, to, lo, hi);
        *out = (char *)to->data + lo * size;
        return s;
    }
    const lun_status s = lun__placed_ensure(o->e, to, at, lo, hi, &x);
    if (s == LUN_OK)
        *out = (char *)x->data + (lo - x->lo) * size;
    return s;
}

/* What comes from source j into the elements of owner k.  *done: how many of them did. */
static bool take(const lun_owners *o, int j, int k, void *elements, int64_t *done, int64_t *bad)
{
    const source *from = &o->source[j];
    const int64_t first = from->start[k], n = from->start[k + 1] - first;
    lun_scatter s = o->how;
    s.elements = elements;
    s.low = 0;
    s.span = o->hull[k].hi - o->hull[k].lo;
    s.place = from->places + first;
    s.values = from->values ? from->values + first * o->size : from->value;
    s.step = o->value_step;
    s.count = n;
    *done = n ? lun__scatter(o->e, &s, bad) : 0;
    return *done == n;
}

/* The number, from the source's first, of value m of bucket k. */
static int64_t number_of(const lun_owners *o, const source *from, int k, int64_t m)
{
    const bool dense = lun__layout_is_dense(&o->what.at);
    int64_t i = 0;
    for (;; i++) {
        const int64_t x = element(o, from, dense, i);
        if (x >= o->part[k].lo && x < o->part[k].hi && m-- == 0)
            return i;
    }
}

/* Whether all values fit, tried on copies of the elements; *bad: the first that does not. */
static lun_status try_all(const lun_owners *o, bool *fits, int64_t *bad)
{
    const int64_t size = lun__dtype_get(o->how.dtype)->bytes;
    int first = o->sources;
    int64_t least = 0;
    for (int k = 0; k < o->owners; k++) {
        const size_t bytes = (size_t)((o->hull[k].hi - o->hull[k].lo) * size);
        char *from, *copy;
        int64_t done, x;
        if (!bytes)
            continue;
        lun_status s = bring(o, o->what.array->storage, k, &from);
        if (s != LUN_OK || !(copy = malloc(bytes)))
            return s == LUN_OK ? lun__nomem(o->e) : s;
        memcpy(copy, from, bytes);
        for (int j = 0; j < o->sources && j <= first; j++) {
            if (take(o, j, k, copy, &done, &x))
                continue;
            const int64_t i = number_of(o, &o->source[j], k, done);
            if (j < first || i < least) {
                first = j;
                least = i;
                *bad = x;
            }
            break;
        }
        free(copy);
    }
    *fits = first == o->sources;
    return LUN_OK;
}

/* Each owner has what it needs, so that writing does not fail. */
static lun_status bring_all(const lun_owners *o, lun_storage *to)
{
    char *at;
    lun_status s = LUN_OK;
    for (int k = 0; s == LUN_OK && k < o->owners; k++)
        if (o->hull[k].lo < o->hull[k].hi)
            s = bring(o, to, k, &at);
    return s == LUN_OK ? lun__placed_writes(o->e, to, o->owners) : s;
}

lun_status lun__owners_write(lun_owners *o, const lun_node *array)
{
    lun_storage *to = array->storage;
    lun_status s = bring_all(o, to); /* what was stored since may have moved them */
    int64_t done, bad;
    char *at;
    for (int k = 0; s == LUN_OK && k < o->owners; k++) {
        if (o->hull[k].lo >= o->hull[k].hi)
            continue;
        s = bring(o, to, k, &at);
        for (int j = 0; s == LUN_OK && j < o->sources; j++)
            (void)take(o, j, k, at, &done, &bad);
        if (s == LUN_OK)
            lun__placed_wrote(to, writer(o, k), o->hull[k].lo, o->hull[k].hi);
    }
    return s;
}

/* ---- all of it ------------------------------------------------------------------------------- */

static bool is_operand(const lun_node *n)
{
    return n->kind == LUN_NODE_LEAF || n->kind == LUN_NODE_NUMBER;
}

/* Whether elements of n are at places alone. */
static bool is_placed(const lun_node *n)
{
    return n->kind == LUN_NODE_LEAF && n->storage->stale && !n->storage->source;
}

/* Whether it is for the places: some elements are there, or belong there. */
static bool is_apart(lun_engine *e, const lun_owned *w)
{
    return lun__placed_takes(e, w->array->storage) && is_operand(w->place) &&
           is_operand(w->value) && w->how->count &&
           (is_placed(w->array) || is_placed(w->place) || is_placed(w->value) ||
            lun__placed_spread(e, w->array->storage));
}

static lun_status open(lun_owners *o, bool *fits, int64_t *bad)
{
    lun_storage *to = o->what.array->storage;
    int64_t shape[LUN_MAX_RANK];
    lun__node_shape(o->what.array, shape);
    const int64_t unit = o->what.array->rank > 1 && shape[0] ? o->what.array->n / shape[0] : 1;
    lun_status s = to->stale ? lun__versions_merge(o->e, to) : LUN_OK;
    if (s == LUN_OK)
        s = lun__placed_owners(o->e, to, unit, o->part);
    if (s != LUN_OK)
        return s;
    cut_sources(o);
    s = load_all(o);
    if (s == LUN_OK)
        s = sort(o);
    if (s == LUN_OK && o->how.exact)
        s = try_all(o, fits, bad);
    if (s == LUN_OK && *fits)
        s = bring_all(o, to);
    if (s == LUN_OK && *fits)
        tell_moves(o);
    return s;
}

lun_status lun__owners_open(lun_engine *e, const lun_owned *what, lun_owners **out, bool *fits,
                            int64_t *bad)
{
    *out = NULL;
    *fits = true;
    if (!is_apart(e, what))
        return LUN_OK;
    lun_owners *o = *out = calloc(1, sizeof *o);
    if (!o)
        return lun__nomem(e);
    o->e = e;
    o->what = *what;
    o->how = *what->how;
    o->owners = lun__set_places(e);
    o->size = lun__dtype_get(o->how.from)->bytes;
    o->place_step = what->place->kind == LUN_NODE_LEAF;
    o->value_step = what->value->kind == LUN_NODE_LEAF;
    return open(o, fits, bad);
}

void lun__owners_close(lun_owners *o)
{
    for (int j = 0; o && j < o->sources; j++) {
        free(o->source[j].places);
        free(o->source[j].values);
    }
    free(o);
}
