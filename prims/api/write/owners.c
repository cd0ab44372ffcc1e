/* owners.c - values sent to the places that have the elements which they go to; see owners.h.  Of a
 * device the host takes the part.  How values are combined is scatter.c's. */
#include "api/write/owned.h"

#include <stdlib.h>
#include <string.h>

#include "store/fetch.h"

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
static lun_status load(const lun_owners *o, const lun_owned_source *from, const lun_node *n,
                       const void **out)
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
        lun_owned_source *from = &o->source[j];
        const void *place = NULL, *value = NULL;
        s = load(o, from, o->what.place, &place);
        if (s == LUN_OK)
            s = load(o, from, o->what.value, &value);
        from->place = place;
        from->value = value;
    }
    return s;
}

/* ---- writing --------------------------------------------------------------------------------- */

/* Values that change places: of each place to each other one what it has for that. */
static void tell_moves(const lun_owners *o)
{
    const int64_t each = (int64_t)sizeof(int64_t) + (o->value_step ? o->size : 0);
    for (int j = 0; j < o->sources; j++) {
        const lun_owned_source *from = &o->source[j];
        const lun_backend_slot *at =
            from->at && !from->at->backend->buffer_new ? from->at : NULL; /* else it is loaded */
        for (int i = 0; i < from->owners; i++) {
            const lun_backend_slot *to = writer(o, from->to[i].owner);
            if (at != to)
                lun__placed_count(o->e, at, to, from->to[i].count * each);
        }
    }
}

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

/* The elements that each owner changes, current where they are written. */
static lun_status bring_each(const lun_owners *o, lun_storage *to)
{
    lun_status s = LUN_OK;
    for (int k = 0; s == LUN_OK && k < o->owners; k++)
        if (o->hull[k].lo < o->hull[k].hi)
            s = bring(o, to, k, &o->at[k]);
    return s;
}

/* Whether all values fit, tried on copies of the elements; *bad: the first that does not. */
static lun_status try_all(const lun_owners *o, bool *fits, int64_t *bad)
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
            s = lun__nomem(o->e);
    }
    *fits = s != LUN_OK || lun__owned_put(o, o->copy, bad);
    for (int k = 0; k < o->owners; k++) {
        free(o->copy[k]);
        o->copy[k] = NULL;
    }
    return s;
}

/* Each owner has what it needs, so that writing does not fail. */
static lun_status bring_all(const lun_owners *o, lun_storage *to)
{
    const lun_status s = bring_each(o, to);
    return s == LUN_OK ? lun__placed_writes(o->e, to, o->owners) : s;
}

lun_status lun__owners_write(lun_owners *o, const lun_node *array)
{
    lun_storage *to = array->storage;
    int64_t bad;
    lun_status s = load_all(o); /* what was stored since may have moved them */
    if (s == LUN_OK)
        s = bring_all(o, to);
    if (s != LUN_OK)
        return s;
    (void)lun__owned_put(o, o->at, &bad);
    for (int k = 0; k < o->owners; k++)
        if (o->hull[k].lo < o->hull[k].hi)
            lun__placed_wrote(to, writer(o, k), o->hull[k].lo, o->hull[k].hi);
    return LUN_OK;
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
        s = lun__owned_count(o);
    if (s == LUN_OK && o->how.exact)
        s = try_all(o, fits, bad);
    if (s == LUN_OK && *fits)
        s = bring_all(o, to);
    if (s == LUN_OK && *fits)
        tell_moves(o);
    return s;
}

/* Lists by place; false: no memory. */
static bool open_lists(lun_owners *o)
{
    const size_t places = (size_t)o->owners;
    o->source = calloc(places, sizeof *o->source);
    o->part = calloc(places, sizeof *o->part);
    o->hull = calloc(places, sizeof *o->hull);
    o->at = calloc(places, sizeof *o->at);
    o->copy = calloc(places, sizeof *o->copy);
    o->offset = calloc(places, sizeof *o->offset);
    return o->source && o->part && o->hull && o->at && o->copy && o->offset;
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
    return open_lists(o) ? open(o, fits, bad) : lun__nomem(e);
}

void lun__owners_close(lun_owners *o)
{
    if (!o)
        return;
    for (int j = 0; o->source && j < o->sources; j++)
        free(o->source[j].to);
    free(o->source);
    free(o->part);
    free(o->hull);
    free(o->at);
    free(o->copy);
    free(o->offset);
    free(o);
}
