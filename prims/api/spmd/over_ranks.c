/* over_ranks.c - the parts of ranks as one array whose locations are the ranks: it is evaluated as
 * on any other set, by all ranks in step; and a rank's part of such an array.  How the ranks move
 * elements is ranks/rank_moves.c's, which elements the plan's. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "api/array/api.h"
#include "base/sized.h"
#include "eval/eval.h"
#include "lunarray_bind.h"
#include "ranks/ranks_state.h"
#include "store/fetch.h"

/* The ranks as locations: they compute on host memory. */
static lun_status open_locations(lun_engine *e)
{
    lun_ranks_state *r = e->ranks;
    lun_backend_slot *native;
    lun_status s = lun__backend_native(e, &native);
    if (s != LUN_OK || r->locations)
        return s;
    lun_backend_slot **all = calloc((size_t)r->net->size, sizeof(lun_backend_slot *));
    for (int k = 0; all && k < r->net->size; k++) {
        lun_backend_slot at = {.backend = native->backend,
                               .device = k + 1,
                               .of = native,
                               .rank = k + 1,
                               .away = k != r->net->rank};
        snprintf(at.name, sizeof at.name, "rank %d", k);
        all[k] = lun__backend_add(e, at);
        if (!all[k]) {
            free(all);
            all = NULL;
        }
    }
    r->locations = all;
    return all ? LUN_OK : lun__fail_nomem(e);
}

lun_status lun_over_ranks_begin(lun_engine *e)
{
    LUN_NEED(e, !lun__alone(e));
    lun__fail_clear(e); /* what stands there at the end is this step's */
    const lun_status s = open_locations(e);
    e->ranks->told = false;
    e->ranks->allocated = e->stats.allocated;
    if (s == LUN_OK && !lun__state_of_ranks(e))
        lun__set_take(e, e->ranks->locations, e->ranks->net->size, &e->ranks->around_set);
    return s;
}

int64_t lun_over_ranks_end(lun_engine *e, lun_status s)
{
    LUN_NEED_OR(e, 0);
    if (!lun__state_of_ranks(e))
        return 0;
    lun__set_back(e, &e->ranks->around_set);
    e->ranks->part_count = 0; /* of a step that has failed */
    if ((s == LUN_ENOMEM || s == LUN_ELIMIT || s == LUN_ECANCEL) && !e->ranks->told)
        (void)lun__give_up_alone(e);
    return e->stats.allocated - e->ranks->allocated;
}

/* An array whose parts are slices of the first axis. */
static lun_spread *spread_of(const lun_engine *e, const lun_slices *at)
{
    lun_spread *s = lun__spread_new(e->ranks->net->size);
    if (!s)
        return NULL;
    s->kind = LUN_SPREAD_BLOCK;
    s->rule = LUN_SPREAD_BOUNDS;
    s->unit = 1;
    for (int d = 1; d < at->rank; d++)
        s->unit *= at->shape[d];
    s->n = s->unit * at->shape[0];
    for (int k = 0; k < s->places; k++)
        s->place[k] = e->ranks->locations[k];
    for (int k = 0; k <= s->places; k++)
        s->bound[k] = at->bound[k] * s->unit;
    return s;
}

/* Location k has its part, on this rank in memory that is lent. */
static lun_status lend_part(lun_engine *e, lun_storage *s, int k, const void *data)
{
    const lun_interval own = lun__spread_part(s->placed->spread, k);
    if (own.lo >= own.hi)
        return LUN_OK;
    lun_piece *x = lun__current_piece(s->placed, e->ranks->locations[k]);
    if (!x || !lun__intervals_add(&x->fresh, own.lo, own.hi))
        return lun__fail_nomem(e);
    x->data = x->at->away ? NULL : (void *)(uintptr_t)data;
    x->bytes = 0;
    x->lo = own.lo;
    x->hi = own.hi;
    return LUN_OK;
}

lun_status lun_over_ranks(lun_engine *e, const lun_slices *at, lun_array *part, lun_array **out)
{
    LUN_NEED(e, LUN_HAS(at, bound) && part && out && !lun__alone(e));
    const void *data;
    lun_spread *spread = NULL;
    lun_storage *made = NULL;
    lun_node *n = NULL;
    lun_status s = lun__array_refuse_missing(e, part);
    if (s == LUN_OK)
        s = open_locations(e);
    if (s == LUN_OK)
        s = lun_data(e, part, &data);
    if (s == LUN_OK && !(spread = spread_of(e, at)))
        s = lun__fail_nomem(e);
    if (s == LUN_OK)
        s = lun__placement_result(e, lun_dtype_of(part), spread->n, spread, &made);
    for (int k = 0; s == LUN_OK && k < spread->places; k++)
        s = lend_part(e, made, k, data);
    if (s == LUN_OK)
        s = lun__node_leaf(e, made, 0, at->rank, at->shape, &n);
    lun__spread_release(spread);
    lun__storage_release(e, made);
    return s == LUN_OK ? lun__array(e, n, true, out) : s;
}

/* The elements that this rank has of s, as a storage of their own. */
static lun_status take_part(lun_engine *e, lun_storage *s, lun_storage **out)
{
    const lun_interval own = lun__spread_part(s->placed->spread, e->ranks->net->rank);
    const lun_piece *x = lun__current_find(s->placed, e->ranks->locations[e->ranks->net->rank]);
    const int64_t count = own.hi - own.lo, size = lun__dtype_get(s->dtype)->bytes;
    const lun_status made = lun__storage_new(e, s->dtype, count, out);
    if (made == LUN_OK && count)
        lun__backend_share_copy(e, (*out)->data, (char *)x->data + (own.lo - x->lo) * size,
                                count * size);
    return made;
}

lun_status lun_over_ranks_own(lun_engine *e, lun_array *all, lun_array *a, lun_array **out)
{
    LUN_NEED(e, all && a && out && lun__state_of_ranks(e));
    int64_t shape[LUN_MAX_RANK];
    lun_node *n = NULL, *of = NULL, *leaf = NULL;
    lun_storage *part = NULL;
    *out = NULL;
    lun_status s = lun_eval(e, &a, 1);
    if (s == LUN_OK)
        s = lun__array_node(e, a, LUN_DTYPE_COUNT, &n);
    if (s == LUN_OK)
        s = lun__array_node(e, all, LUN_DTYPE_COUNT, &of);
    const lun_spread *wanted =
        s == LUN_OK && of->kind == LUN_NODE_LEAF ? lun__placement_spread(e, of->storage) : NULL;
    const lun_spread *has =
        wanted && n->kind == LUN_NODE_LEAF && n->storage->stale && n->n == n->storage->count
            ? lun__placement_spread(e, n->storage)
            : NULL;
    if (has && has->kind == LUN_SPREAD_BLOCK && lun__spread_same(has, wanted))
        s = take_part(e, n->storage, &part);
    else if (s == LUN_OK && n->kind == LUN_NODE_LEAF)
        s = lun__mirror_host(e, n->storage, false);
    if (s == LUN_OK && part) {
        lun__node_shape(of, shape);
        shape[0] = of->n ? part->count / (of->n / shape[0]) : 0;
        s = lun__node_leaf(e, part, 0, of->rank, shape, &leaf);
    }
    lun__storage_release(e, part);
    lun__node_release(e, of);
    lun__node_release(e, n);
    return s == LUN_OK && leaf ? lun__array(e, leaf, true, out) : s;
}
