/* divergent.c - copies of an array that differ: each is a storage of its own until what wrote them
 * has them merged; see fetch.h.
 *
 * Invariant: e->diverged is the number of lun_versions.  Version k has as many elements as the
 * array, and is current at place[k] alone; a version belongs to its array, and ends with it or
 * once it is merged (lun__divergent_taken).  Where `decided`, `combine` is what the array had when
 * it was distributed anew, and no kernel may write the versions any more (goes_on). */
#include <stdlib.h>
#include <string.h>

#include "store/element_file.h"
#include "store/fetch.h"
#include "table/dtype.h"

/* ---- what they are --------------------------------------------------------------------------- */

lun_storage *lun__divergent_at(const lun_storage *s, const lun_backend_slot *at)
{
    const lun_versions *v = s->placed->versions;
    int k = 0;
    while (v->place[k] != at)
        k++;
    return v->at[k];
}

lun_function *lun__divergent_function(const lun_storage *s)
{
    const lun_placed *p = s->placed;
    const lun_combine *c = p->versions && p->versions->decided ? p->versions->combine : p->combine;
    return c ? c->f : NULL;
}

static void end(lun_engine *e, lun_versions *v)
{
    for (int k = 0; k < v->count; k++)
        if (v->at[k])
            lun__storage_release(e, v->at[k]);
    lun__current_combine_release(v->combine);
    e->diverged--;
    free(v->at);
    free(v->place);
    free(v);
}

/* ---- parting --------------------------------------------------------------------------------- */

/* Gives elements 0 .. count - 1 of the piece the cell. */
static lun_status fill(const lun_storage *s, const lun_piece *x, uint64_t cell)
{
    if (x->data) {
        lun__dtype_cell_fill(s->dtype, cell, x->data, s->count);
        return LUN_OK;
    }
    const lun_transfer t = {.bytes = lun__dtype_get(s->dtype)->bytes,
                            .to = x->buffer,
                            .at = lun__layout_right(1, &s->count),
                            .cell = cell};
    return s->count ? lun__state_transfer(x->at, &t) : LUN_OK;
}

/* A storage for the version at a location, which holds the cell, or has no memory yet: *piece. */
static lun_status new_version(lun_engine *e, const lun_storage *s, lun_backend_slot *at,
                              const uint64_t *cell, lun_storage **out, lun_piece **piece)
{
    lun_placed *p;
    lun_status status = lun__storage_empty(e, s->dtype, s->count, out);
    if (status == LUN_OK && cell)
        status = lun__fetch_result(e, *out, at, 0, s->count, piece);
    if (status == LUN_OK && cell)
        return fill(*out, *piece, *cell);
    if (status == LUN_OK)
        status = lun__fetch_open(e, *out, &p);
    if (status == LUN_OK && (!(*piece = lun__current_piece(p, at)) ||
                             !lun__intervals_add(&(*piece)->fresh, 0, s->count)))
        status = lun__fail_nomem(e);
    return status;
}

static void swap_memory(lun_piece *a, lun_piece *b)
{
    const lun_piece x = *a;
    a->buffer = b->buffer, a->data = b->data, a->bytes = b->bytes, a->lo = b->lo, a->hi = b->hi;
    b->buffer = x.buffer, b->data = x.data, b->bytes = x.bytes, b->lo = x.lo, b->hi = x.hi;
}

/* The storages of v, and what is to be theirs at the locations: from[k], NULL where they have
 * it. */
static lun_status make(lun_engine *e, lun_storage *s, lun_versions *v, lun_piece **to,
                       lun_piece **from)
{
    lun_status status = s->source ? lun__mirror_host(e, s, false) : LUN_OK;
    for (int k = 0; status == LUN_OK && k < v->count; k++) {
        const bool neutral = k > 0 && v->how.op < LUN_OP_COUNT;
        from[k] = NULL;
        if (!neutral)
            status = lun__fetch_ensure(e, s, v->place[k], 0, s->count, &from[k]);
        if (status == LUN_OK)
            status =
                new_version(e, s, v->place[k], neutral ? &v->how.cell : NULL, &v->at[k], &to[k]);
    }
    return lun__fetch_settled(e, status);
}

/* Versions at the locations in use, which have no storages yet; NULL without memory. */
static lun_versions *new_versions(lun_engine *e, const lun_writing *how)
{
    const int locations = lun__state_places(e);
    lun_versions *v = calloc(1, sizeof *v);
    if (!v)
        return NULL;
    e->diverged++;
    v->end = end;
    v->how = *how;
    v->at = calloc((size_t)locations, sizeof *v->at);
    v->place = calloc((size_t)locations, sizeof *v->place);
    if (!v->at || !v->place) {
        end(e, v);
        return NULL;
    }
    v->count = locations;
    for (int k = 0; k < locations; k++)
        v->place[k] = lun__set_at(e, k);
    return v;
}

/* s has v from now on; `from` and `to`: room for a piece of each location. */
static lun_status part_with(lun_engine *e, lun_storage *s, lun_versions *v, lun_piece **to,
                            lun_piece **from)
{
    lun_placed *p;
    lun_status status = lun__fetch_open(e, s, &p);
    if (status == LUN_OK)
        status = make(e, s, v, to, from);
    if (status != LUN_OK)
        return status;
    for (int k = 0; k < v->count; k++)
        if (from[k])
            swap_memory(to[k], from[k]);
    lun__current_outdate(s);
    for (int k = 0; k < p->count; k++)
        lun__current_piece_empty(e, p->pieces[k]);
    s->stale = true;
    p->versions = v;
    return LUN_OK;
}

static lun_status part(lun_engine *e, lun_storage *s, const lun_writing *how)
{
    const size_t locations = (size_t)lun__state_places(e);
    lun_versions *v = new_versions(e, how);
    lun_piece **pieces = calloc(2 * locations, sizeof *pieces);
    const lun_status status =
        v && pieces ? part_with(e, s, v, pieces, pieces + locations) : lun__fail_nomem(e);
    if (status != LUN_OK && v)
        end(e, v);
    free(pieces);
    return status;
}

/* Whether a kernel that writes so may go on with the versions as they are: they belong to its
 * locations, and what began with an operation's identity is combined by that alone. */
static bool goes_on(lun_engine *e, const lun_versions *v, const lun_writing *how)
{
    bool same = !v->decided && v->count == lun__state_places(e);
    for (int k = 0; same && k < v->count; k++)
        same = v->place[k] == lun__set_at(e, k);
    return same && (v->how.op == LUN_OP_COUNT || v->how.op == how->op);
}

lun_status lun__divergent_open(lun_engine *e, lun_storage *s, const lun_writing *how)
{
    const lun_versions *v = s->placed ? s->placed->versions : NULL;
    if (v && goes_on(e, v, how))
        return LUN_OK;
    lun_status status = v ? lun__fetch_merge(e, s) : LUN_OK;
    return status == LUN_OK ? part(e, s, how) : status;
}

/* ---- merging --------------------------------------------------------------------------------- */

lun_status lun__divergent_taken(lun_engine *e, lun_storage *s, lun_storage *from)
{
    lun_placed *p = s->placed, *own;
    lun_status status = lun__fetch_open(e, from, &own);
    if (status == LUN_OK && !from->stale && !s->data)
        status = lun__storage_memory(e, s);
    if (status != LUN_OK)
        return status;
    if (!from->stale && s->count)
        memcpy(s->data, from->data, (size_t)(s->count * lun__dtype_get(s->dtype)->bytes));
    s->stale = from->stale;
    lun__current_swap(p, own);
    end(e, p->versions);
    p->versions = NULL;
    return LUN_OK;
}
