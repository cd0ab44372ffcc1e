/* owner_scatter.c - owner-computes scatter: each value goes to the location that owns the element
 * which it is for.  The elements of all owners are addressed as one array, so that values are
 * written in index order.  The host does the work of devices.  How values are combined is
 * scatter.c's.
 *
 * Invariant: part, hull, at, copy, offset have an entry for each owner; hull[k] lies within
 * part[k], and is empty where no value goes to owner k.  Between open and write elements are
 * unchanged and only `array` of `what` may have moved: write loads the sources again. */
#include "api/write/owner_scatter.h"

#include <stdlib.h>
#include <string.h>

#include "spread/spread.h"
#include "store/fetch.h"

_Static_assert(LUN_MAX_PLACES <= UINT16_MAX + 1, "an owner is two bytes");

/* Values that go to the elements of one owner. */
typedef struct lun_owner_tally {
    int64_t count, lo, hi; /* how many; from the lowest to behind the highest element */
} lun_owner_tally;

/* The values of one location. */
typedef struct lun_owner_source {
    lun_backend_slot *at; /* NULL: the host */
    int64_t lo, hi;       /* of all values */
    const int64_t *index;
    const char *value;
    lun_owner_tally (*to)[2]; /* by owner: those of even and of odd number */
} lun_owner_source;

enum { LUN_OWNER_BUCKETS = 256 };

struct lun_owner_scatter {
    lun_engine *e;
    lun_owner_write what;
    lun_scatter how;
    int sources, owners, size; /* size: bytes of a value */
    int64_t index_step, value_step;
    lun_interval *part, *hull; /* by owner: its elements; the range of them that values go to */
    char **at, **copy;         /* by owner: its element hull.lo in memory of the host; NULL: none */
    int64_t *offset; /* by owner: from an element to its index in the first one's memory */
    int shift; /* element k << shift belongs to owner[k], those behind it to that or a later one */
    uint16_t owner[LUN_OWNER_BUCKETS];
    lun_owner_source *source;
    lun_owner_tally (*tally)[2]; /* of all sources */
};

/* ---- owners ---------------------------------------------------------------------------------- */

#define ALWAYS static inline __attribute__((always_inline))

/* The element that value i of a source goes to; -1: none. dense, a constant where it is called: the
 * array is dense, and each value has its own index. */
ALWAYS int64_t element(const lun_owner_scatter *o, const lun_owner_source *from, bool dense,
                       int64_t i)
{
    const int64_t p = from->index[dense ? i : i * o->index_step];
    if (p < o->how.low)
        return -1;
    return dense ? o->what.at.offset + p : lun__layout_offset(&o->what.at, p);
}

static void make_buckets(lun_owner_scatter *o)
{
    const int64_t n = o->what.array->storage->count;
    int k = 0;
    while ((n - 1) >> o->shift >= LUN_OWNER_BUCKETS)
        o->shift++;
    for (int64_t b = 0; b << o->shift < n; b++) {
        while (b << o->shift >= o->part[k].hi) /* empty shards end at 0 */
            k++;
        o->owner[b] = (uint16_t)k;
    }
}

/* A table and no search: the owners of successive values are random, so branches would be
 * mispredicted. */
ALWAYS int owner_of(const lun_owner_scatter *o, int64_t element)
{
    int k = o->owner[element >> o->shift];
    while (element >= o->part[k].hi)
        k++;
    return k;
}

static bool is_dense(const lun_owner_scatter *o)
{
    return o->index_step && lun__layout_is_dense(&o->what.at);
}

/* An owner's two tallies take values in turn: with one, each update would wait for the last one's
 * store. */
ALWAYS void count_by(const lun_owner_scatter *o, const lun_owner_source *from, bool dense)
{
    for (int64_t i = 0; i < from->hi - from->lo; i++) {
        const int64_t x = element(o, from, dense, i);
        if (x < 0)
            continue;
        lun_owner_tally *t = &from->to[owner_of(o, x)][i & 1];
        t->lo = !t->count || x < t->lo ? x : t->lo;
        t->hi = x < t->hi ? t->hi : x + 1;
        t->count++;
    }
}

/* A task for each source. */
enum { PART = 64 };

static void count_some(void *ctx, int64_t from, int64_t to)
{
    const lun_owner_scatter *o = ctx;
    for (int64_t j = (from + PART - 1) / PART; j * PART < to; j++)
        is_dense(o) ? count_by(o, &o->source[j], true) : count_by(o, &o->source[j], false);
}

static void count_all(lun_owner_scatter *o)
{
    const int64_t bytes = o->how.count * (o->size + (int64_t)sizeof(int64_t));
    make_buckets(o);
    lun__backend_share_range(o->e, (int64_t)o->sources * PART, bytes, o, count_some);
    for (int i = 0; i < o->sources * o->owners * 2; i++) {
        const lun_owner_tally *t = &o->tally[i / 2][i % 2];
        lun_interval *hull = &o->hull[i / 2 % o->owners];
        if (!t->count)
            continue;
        hull->lo = !hull->hi || t->lo < hull->lo ? t->lo : hull->lo;
        hull->hi = t->hi > hull->hi ? t->hi : hull->hi;
    }
}

/* ---- writing --------------------------------------------------------------------------------- */

/* The elements of all owners as one array, for scatter.c: indices count from the memory of the
 * first one. */
typedef struct pieces {
    const lun_owner_scatter *o;
    char *base; /* element x of owner k has index x + o->offset[k] from here */
    int parts;  /* of the elements lo .. hi - 1: a task each */
    int64_t lo, hi;
    struct {
        int64_t done, bad; /* values, in the order of sources, before the first that does not fit */
    } part[LUN_SCATTER_PARTS];
} pieces;

/* at[k]: element hull[k].lo of owner k. */
static void join(const lun_owner_scatter *o, char *const *at, pieces *p)
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

/* The indices, from `base` on, of values first .. first + n - 1 of a source that go to elements of
 * a range; NOWHERE for others. */
ALWAYS void find_by(const pieces *p, const lun_owner_source *from, int64_t first, int64_t n,
                    lun_interval range, bool dense, int64_t *index)
{
    const lun_owner_scatter *o = p->o;
    const uint64_t span = (uint64_t)(range.hi - range.lo);
    for (int64_t i = 0; i < n; i++) {
        const int64_t x = element(o, from, dense, first + i);
        const int64_t any = x < 0 ? 0 : x, at = any + o->offset[owner_of(o, any)];
        index[i] = (uint64_t)(x - range.lo) < span ? at : NOWHERE;
    }
}

/* Writes these values: how many before the first that does not fit. */
static int64_t put_block(const pieces *p, const lun_owner_source *from, int64_t first, int64_t n,
                         lun_interval range, int64_t *bad)
{
    const lun_owner_scatter *o = p->o;
    int64_t index[BLOCK];
    lun_scatter s = o->how;
    if (is_dense(o))
        find_by(p, from, first, n, range, true, index);
    else
        find_by(p, from, first, n, range, false, index);
    s.elements = p->base;
    s.low = NOWHERE + 1;
    s.span = -2 * NOWHERE;
    s.index = index;
    s.values = from->value + first * o->size * o->value_step;
    s.step = o->value_step;
    s.count = n;
    return (p->parts > 1 ? lun__scatter_range : lun__scatter_serial)(&s, bad);
}

static void put_part(pieces *p, int part)
{
    const lun_owner_scatter *o = p->o;
    const int64_t each = (p->hi - p->lo) / p->parts + 1, lo = p->lo + part * each;
    const lun_interval range = {lo, lo + each < p->hi ? lo + each : p->hi};
    int64_t *done = &p->part[part].done;
    *done = 0;
    for (int j = 0; j < o->sources; j++) {
        const lun_owner_source *from = &o->source[j];
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

static bool put_all(const lun_owner_scatter *o, char *const *at, int64_t *bad)
{
    enum { SHARE = 1 << 20 }; /* bytes by which each part is a range of its own */
    pieces p;
    int first = 0;
    join(o, at, &p);
    if (!p.base)
        return true;
    lun__backend_share_range(o->e, (int64_t)p.parts * PART, (int64_t)p.parts * SHARE, &p, put_some);
    for (int k = 1; k < p.parts; k++)
        first = p.part[k].done < p.part[first].done ? k : first;
    *bad = p.part[first].bad;
    return p.part[first].done == o->how.count;
}

/* The backend slot at which owner k's elements are written; NULL: in host memory. */
static lun_backend_slot *writer(const lun_owner_scatter *o, int k)
{
    lun_backend_slot *at = lun__set_at(o->e, k);
    return at->backend->buffer_new ? NULL : at;
}

/* ---- where values come from ------------------------------------------------------------------ */

/* Sources are the shards of the kernel that computed the values. */
static void cut_sources(lun_owner_scatter *o)
{
    const lun_node *n = o->what.index->kind == LUN_NODE_LEAF ? o->what.index : o->what.value;
    const lun_storage *s = n->kind == LUN_NODE_LEAF ? n->storage : NULL;
    const lun_spread *x = s && s->stale && !s->source && !n->offset && s->count == o->how.count
                              ? lun__placement_spread(o->e, s)
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

/* A source's elements of n, in memory that the host can read. */
static lun_status load(const lun_owner_scatter *o, const lun_owner_source *from, const lun_node *n,
                       const void **out)
{
    lun_storage *s = n->kind == LUN_NODE_LEAF ? n->storage : NULL;
    *out = &n->cell;
    if (!s || from->lo >= from->hi)
        return LUN_OK;
    if (from->at)
        return lun__host_elements_for(o->e, s, from->at, n->offset + from->lo, n->offset + from->hi,
                                      out);
    const lun_status status = lun__mirror_host(o->e, s, false);
    *out = lun__node_leaf_data(n);
    return status;
}

static lun_status load_all(lun_owner_scatter *o)
{
    lun_status s = LUN_OK;
    for (int j = 0; s == LUN_OK && j < o->sources; j++) {
        lun_owner_source *from = &o->source[j];
        const void *index = NULL, *value = NULL;
        s = load(o, from, o->what.index, &index);
        if (s == LUN_OK)
            s = load(o, from, o->what.value, &value);
        from->index = index;
        from->value = value;
    }
    return s;
}

/* ---- writing --------------------------------------------------------------------------------- */

/* Counts the values that move, from each location to each other one. */
static void predict_moves(const lun_owner_scatter *o)
{
    const int64_t each = (int64_t)sizeof(int64_t) + (o->value_step ? o->size : 0);
    for (int j = 0; j < o->sources; j++) {
        const lun_owner_source *from = &o->source[j];
        const lun_backend_slot *at =
            from->at && !from->at->backend->buffer_new ? from->at : NULL; /* else it is loaded */
        for (int k = 0; k < o->owners; k++) {
            const int64_t count = from->to[k][0].count + from->to[k][1].count;
            if (count && at != writer(o, k))
                lun__fetch_count(o->e, at, writer(o, k), count * each);
        }
    }
}

/* The hull of the elements that owner k changes, current where they are written. */
static lun_status bring(const lun_owner_scatter *o, lun_storage *to, int k, char **out)
{
    const int64_t lo = o->hull[k].lo, hi = o->hull[k].hi, size = lun__dtype_get(to->dtype)->bytes;
    lun_backend_slot *at = writer(o, k);
    lun_piece *x;
    if (!at) {
        const lun_status s = lun__host_elements_ensure(o->e, to, lo, hi);
        *out = (char *)to->data + lo * size;
        return s;
    }
    const lun_status s = lun__fetch_ensure(o->e, to, at, lo, hi, &x);
    if (s == LUN_OK)
        *out = (char *)x->data + (lo - x->lo) * size;
    return s;
}

/* The elements that each owner changes, current where they are written. */
static lun_status bring_each(const lun_owner_scatter *o, lun_storage *to)
{
    lun_status s = LUN_OK;
    for (int k = 0; s == LUN_OK && k < o->owners; k++)
        if (o->hull[k].lo < o->hull[k].hi)
            s = bring(o, to, k, &o->at[k]);
    return s;
}

/* Whether all values fit, tried on copies of the elements; *bad: the first that does not. */
static lun_status try_all(const lun_owner_scatter *o, bool *fits, int64_t *bad)
{
    const int64_t size = lun__dtype_get(o->how.dtype)->bytes;
    lun_status s = bring_each(o, o->what.array->storage);
    for (int k = 0; s == LUN_OK && k < o->owners; k++) {
        const size_t bytes = (size_t)((o->hull[k].hi - o->hull[k].lo) * size);
        if (!bytes)
            continue;
        o->copy[k] = malloc(bytes);
        if (o->copy[k])
            memcpy(o->copy[k], o->at[k], bytes);
        else
            s = lun__fail_nomem(o->e);
    }
    *fits = s != LUN_OK || put_all(o, o->copy, bad);
    for (int k = 0; k < o->owners; k++) {
        free(o->copy[k]);
        o->copy[k] = NULL;
    }
    return s;
}

/* Each owner has what it needs, so that writing does not fail. */
static lun_status bring_all(const lun_owner_scatter *o, lun_storage *to)
{
    const lun_status s = bring_each(o, to);
    return s == LUN_OK ? lun__host_elements_writes(o->e, to, o->owners) : s;
}

lun_status lun__owner_scatter_write(lun_owner_scatter *o, const lun_node *array)
{
    lun_storage *to = array->storage;
    int64_t bad;
    lun_status s = load_all(o); /* a store since then may have moved them */
    if (s == LUN_OK)
        s = bring_all(o, to);
    if (s != LUN_OK)
        return s;
    (void)put_all(o, o->at, &bad);
    for (int k = 0; k < o->owners; k++)
        if (o->hull[k].lo < o->hull[k].hi)
            lun__host_elements_wrote(to, writer(o, k), o->hull[k].lo, o->hull[k].hi);
    return LUN_OK;
}

/* ---- all of it ------------------------------------------------------------------------------- */

static bool is_operand(const lun_node *n)
{
    return n->kind == LUN_NODE_LEAF || n->kind == LUN_NODE_NUMBER;
}

/* Whether elements of n are current at locations only. */
static bool is_placed(const lun_node *n)
{
    return n->kind == LUN_NODE_LEAF && n->storage->stale && !n->storage->source;
}

/* Whether the scatter is done by owners: some elements are at locations, or distributed. */
static bool is_distributed(lun_engine *e, const lun_owner_write *w)
{
    return lun__host_elements_takes(e, w->array->storage) && is_operand(w->index) &&
           is_operand(w->value) && w->how->count &&
           (is_placed(w->array) || is_placed(w->index) || is_placed(w->value) ||
            lun__placement_spread(e, w->array->storage));
}

static lun_status open(lun_owner_scatter *o, bool *fits, int64_t *bad)
{
    lun_storage *to = o->what.array->storage;
    int64_t shape[LUN_MAX_RANK];
    lun__node_shape(o->what.array, shape);
    const int64_t unit = o->what.array->rank > 1 && shape[0] ? o->what.array->n / shape[0] : 1;
    lun_status s = to->stale ? lun__fetch_merge(o->e, to) : LUN_OK;
    if (s == LUN_OK)
        s = lun__host_elements_owners(o->e, to, unit, o->part);
    if (s != LUN_OK)
        return s;
    cut_sources(o);
    s = load_all(o);
    if (s == LUN_OK)
        count_all(o);
    if (s == LUN_OK && o->how.exact)
        s = try_all(o, fits, bad);
    if (s == LUN_OK && *fits)
        s = bring_all(o, to);
    if (s == LUN_OK && *fits)
        predict_moves(o);
    return s;
}

/* Lists by location; false: no memory. */
static bool open_lists(lun_owner_scatter *o)
{
    const size_t owners = (size_t)o->owners;
    o->source = calloc(owners, sizeof *o->source);
    o->part = calloc(owners, sizeof *o->part);
    o->hull = calloc(owners, sizeof *o->hull);
    o->at = calloc(owners, sizeof *o->at);
    o->copy = calloc(owners, sizeof *o->copy);
    o->offset = calloc(owners, sizeof *o->offset);
    o->tally = calloc(owners * owners, sizeof *o->tally);
    for (size_t j = 0; o->source && o->tally && j < owners; j++)
        o->source[j].to = o->tally + j * owners;
    return o->source && o->part && o->hull && o->at && o->copy && o->offset && o->tally;
}

lun_status lun__owner_scatter_open(lun_engine *e, const lun_owner_write *what,
                                   lun_owner_scatter **out, bool *fits, int64_t *bad)
{
    *out = NULL;
    *fits = true;
    if (!is_distributed(e, what))
        return LUN_OK;
    lun_owner_scatter *o = *out = calloc(1, sizeof *o);
    if (!o)
        return lun__fail_nomem(e);
    o->e = e;
    o->what = *what;
    o->how = *what->how;
    o->owners = lun__state_places(e);
    o->size = lun__dtype_get(o->how.from)->bytes;
    o->index_step = what->index->kind == LUN_NODE_LEAF;
    o->value_step = what->value->kind == LUN_NODE_LEAF;
    return open_lists(o) ? open(o, fits, bad) : lun__fail_nomem(e);
}

void lun__owner_scatter_close(lun_owner_scatter *o)
{
    if (!o)
        return;
    free(o->source);
    free(o->part);
    free(o->hull);
    free(o->at);
    free(o->copy);
    free(o->offset);
    free(o->tally);
    free(o);
}
