/* taken.c - an algorithm that takes its operands in order, on the places of a set: each takes those
 * elements that it has, and what it gives of them stays there.  For devices that cannot the host
 * does it.  Knows no algorithm; who takes which elements is placing/placing.c's. */
#include <stdlib.h>

#include "launch/launch_dist.h"
#include "launch/profile.h"
#include "placing/placing.h"
#include "sets/at_places.h"
#include "sets/shared_steps.h"
#include "steps/algorithm_step.h"
#include "store/fetch.h"
#include "store/pool.h"

/* What one place gives. */
typedef struct part {
    lun_interval taken, given; /* elements of the operands, of the result */
    void *made;                /* the pool's block, */
    int64_t bytes;
    lun_buffer *there; /* or a device's, which takes by itself */
} part;

typedef struct taking {
    lun_engine *e;
    lun_node *n;
    lun_spread *cut;
    part *part; /* by place, */
    lun_place_run *run;
    lun_storage *to;
    lun_scratch scratch;
    double seconds;
    int64_t read;
} taking;

static int64_t size_of(const lun_node *n)
{
    return lun__dtype_get((lun_dtype)n->dtype)->bytes;
}

/* Operand k at a place; *number: the memory of one that is a NUMBER, of so many bytes. */
static lun_status load(taking *w, const part *x, lun_backend_slot *at, int k, lun_column *to,
                       void **number, int64_t *bytes)
{
    const lun_node *n = w->n->more[k];
    const int64_t count = x->taken.hi - x->taken.lo;
    const void *data = NULL;
    lun_status s = LUN_OK;
    *to = (lun_column){.dtype = (lun_dtype)n->dtype, .n = count};
    if (n->kind == LUN_NODE_NUMBER) {
        s = lun__pool_take(w->e->pool, count * size_of(n), number, bytes);
        if (s != LUN_OK)
            return lun__nomem(w->e);
        lun__cell_fill(to->dtype, n->cell, *number, count);
        to->data = *number;
        return LUN_OK;
    }
    s = lun__placed_for_host(w->e, n->storage, at, n->offset + x->taken.lo, n->offset + x->taken.hi,
                             &data);
    to->data = (void *)(uintptr_t)data;
    w->read += count * size_of(n);
    return s;
}

static lun_algorithm_run run_of(const taking *w, const part *x)
{
    return (lun_algorithm_run){.which = (lun_algorithm)w->n->op,
                               .first = x->taken.lo,
                               .option = {w->n->cell, (uint64_t)w->n->offset}};
}

/* What place k gives of its elements. */
static lun_status take(taking *w, int k)
{
    part *x = &w->part[k];
    const int64_t count = x->taken.hi - x->taken.lo;
    lun_backend_slot *at = lun__set_at(w->e, k);
    void *number[LUN_ALGORITHM_OPERANDS] = {NULL};
    int64_t bytes[LUN_ALGORITHM_OPERANDS];
    lun_algorithm_run r = run_of(w, x);
    lun_status s = LUN_OK;
    for (int i = 0; s == LUN_OK && i < w->n->count; i++)
        s = load(w, x, at, i, &r.in[i], &number[i], &bytes[i]);
    if (s == LUN_OK && lun__pool_take(w->e->pool, count * size_of(w->n), &x->made, &x->bytes))
        s = lun__nomem(w->e);
    r.out[0] = (lun_column){.data = x->made, .dtype = (lun_dtype)w->n->dtype, .n = count};
    if (s == LUN_OK)
        s = lun__places_do(w->e, w->n, at, &r, &w->scratch, &w->seconds);
    x->given.hi = r.out[0].n;
    for (int i = 0; i < w->n->count; i++)
        if (number[i])
            lun__pool_give(w->e->pool, number[i], bytes[i]);
    return s;
}

/* ---- devices that take by themselves --------------------------------------------------------- */

/* The operands become current at the place; they may be parts of one array, whose memory moves when
 * it grows, so all do before one is addressed. */
static lun_status load_there(const taking *w, const part *x, lun_backend_slot *at,
                             lun_algorithm_run *r)
{
    lun_status s = LUN_OK;
    for (int i = 0; s == LUN_OK && i < 2 * w->n->count; i++) {
        const int k = i % w->n->count;
        const lun_node *n = w->n->more[k];
        const int64_t lo = n->offset + x->taken.lo;
        lun_piece *piece;
        if (n->storage->source)
            s = lun__storage_host(w->e, n->storage, false);
        if (s == LUN_OK)
            s = lun__placed_ensure(w->e, n->storage, at, lo, n->offset + x->taken.hi, &piece);
        if (s == LUN_OK)
            r->in[k] = (lun_column){.data = piece->buffer,
                                    .dtype = (lun_dtype)n->dtype,
                                    .n = x->taken.hi - x->taken.lo};
        r->origin[k] = s == LUN_OK ? lo - piece->lo : 0;
    }
    return s;
}

/* Place k begins to take. */
static lun_status begin(taking *w, int k)
{
    part *x = &w->part[k];
    const int64_t count = x->taken.hi - x->taken.lo;
    lun_backend_slot *at = lun__set_at(w->e, k);
    lun_algorithm_run *r = &w->run[k].r;
    *r = run_of(w, x);
    lun_status s = load_there(w, x, at, r);
    if (s == LUN_OK)
        s = at->backend->buffer_new(at->state, count * size_of(w->n), &x->there);
    if (s != LUN_OK)
        return s;
    for (int i = 0; i < w->n->count; i++)
        w->read += count * size_of(w->n->more[i]);
    r->out[0] = (lun_column){.data = x->there, .dtype = (lun_dtype)w->n->dtype, .n = count};
    return lun__places_begin(w->e, k, &w->run[k]);
}

/* What they have taken, of all that have begun; the first failure. */
static lun_status end_all(taking *w, lun_status s)
{
    s = lun__places_end(w->e, w->n, w->run, w->cut->places, &w->seconds, s);
    for (int k = 0; s == LUN_OK && k < w->cut->places; k++) {
        if (!w->part[k].there)
            continue;
        w->part[k].given.hi = w->run[k].r.out[0].n;
        w->e->stats.algorithms++;
    }
    return s;
}

/* From where place k has taken to its part of the result. */
static lun_status give_there(taking *w, int k)
{
    const part *x = &w->part[k];
    const int64_t count = x->given.hi - x->given.lo;
    lun_backend_slot *at = lun__set_at(w->e, k);
    lun_piece *piece;
    lun_status s = lun__placed_result(w->e, w->to, at, x->given.lo, x->given.hi, &piece);
    const lun_transfer t = {.bytes = (int)size_of(w->n),
                            .to = s == LUN_OK ? piece->buffer : NULL,
                            .from = x->there,
                            .at = lun__layout_right(1, &count),
                            .of = lun__layout_right(1, &count)};
    return s == LUN_OK ? at->backend->transfer(at->state, &t) : s;
}

/* ---- the result ------------------------------------------------------------------------------ */

/* Its distribution: as the operands', with the parts that result. */
static lun_spread *spread_of(taking *w)
{
    lun_spread *s = lun__spread_copy(w->cut);
    int64_t all = 0;
    if (!s)
        return NULL;
    s->unit = 1;
    s->rule = LUN_SPREAD_BOUNDS;
    for (int k = 0; k < s->places; k++) {
        part *x = &w->part[k];
        const int64_t count = x->given.hi;
        if (s->kind != LUN_SPREAD_COPY)
            x->given = (lun_interval){all, all + count};
        s->bound[k] = all;
        all = x->given.hi > all ? x->given.hi : all;
    }
    s->n = s->bound[s->places] = all;
    return s;
}

/* What place k has given, into its part of the result. */
static lun_status give(taking *w, int k)
{
    const part *x = &w->part[k];
    const int64_t size = size_of(w->n), bytes = (x->given.hi - x->given.lo) * size;
    lun_backend_slot *at = lun__set_at(w->e, k);
    lun_piece *piece;
    lun_status s;
    char *to = NULL;
    if (!bytes)
        return LUN_OK;
    if (x->there)
        return give_there(w, k);
    if (at->backend->buffer_new) {
        s = lun__placed_host(w->e, w->to, x->given.lo, x->given.hi);
        to = (char *)w->to->data + x->given.lo * size;
    } else {
        s = lun__placed_result(w->e, w->to, at, x->given.lo, x->given.hi, &piece);
        to = s == LUN_OK ? piece->data : NULL;
    }
    if (s == LUN_OK)
        lun__share_copy(w->e, to, x->made, bytes);
    return s;
}

static lun_status give_all(taking *w)
{
    lun_spread *spread = spread_of(w);
    lun_status s = spread ? lun__storage_empty(w->e, (lun_dtype)w->n->dtype, spread->n, &w->to)
                          : lun__nomem(w->e);
    if (s == LUN_OK)
        s = lun__placed_decide(w->e, w->to, spread);
    for (int k = 0; s == LUN_OK && k < w->cut->places; k++)
        s = give(w, k);
    lun__spread_release(spread);
    return s;
}

/* ---- all of it ------------------------------------------------------------------------------- */

lun_status lun__algorithm_settle(lun_engine *e, const lun_node *n, lun_spread *cut)
{
    lun_status s = LUN_OK;
    for (int i = 0; s == LUN_OK && i < n->count; i++) {
        const lun_node *in = n->more[i];
        if (in->kind != LUN_NODE_LEAF || in->offset || in->storage->count != cut->n)
            continue;
        const lun_spread *was = lun__placed_spread(e, in->storage);
        if (!was || !lun__spread_same(was, cut))
            s = lun__placed_decide(e, in->storage, cut);
    }
    return s;
}

static lun_status run(taking *w)
{
    lun_status s = LUN_OK;
    for (int k = 0; k < w->cut->places; k++)
        w->part[k].taken = lun__spread_part(w->cut, k);
    for (int k = 0; s == LUN_OK && k < w->cut->places; k++)
        if (w->part[k].taken.lo < w->part[k].taken.hi &&
            lun__placing_takes(lun__set_at(w->e, k), w->n))
            s = begin(w, k);
    for (int k = 0; s == LUN_OK && k < w->cut->places; k++) {
        if (w->part[k].there || w->part[k].taken.lo >= w->part[k].taken.hi)
            continue;
        s = take(w, k);
        w->e->stats.algorithms += s == LUN_OK;
        if (s == LUN_OK)
            s = lun__stopped(w->e);
    }
    s = end_all(w, s);
    return s == LUN_OK ? give_all(w) : s;
}

static void close_taking(taking *w)
{
    lun_engine *e = w->e;
    lun__scratch_free(e, &w->scratch);
    for (int k = 0; w->part && k < w->cut->places; k++) {
        const lun_backend_slot *at = lun__set_at(e, k);
        if (w->part[k].made)
            lun__pool_give(e->pool, w->part[k].made, w->part[k].bytes);
        if (w->part[k].there)
            at->backend->buffer_free(at->state, w->part[k].there);
    }
    free(w->part);
    free(w->run);
}

/* What has been taken is n. */
static void become(const taking *w, double transfer)
{
    lun_engine *e = w->e;
    const int64_t written = w->to->count * size_of(w->n);
    e->stats.run_time += w->seconds;
    e->stats.bytes_read += w->read;
    e->stats.bytes_written += written;
    if (e->profiling)
        lun__profile_algorithm(e, w->n, w->seconds, e->stats.transfer_time - transfer,
                               w->read + written);
    w->n->n = w->to->count;
    lun__node_become_leaf(e, w->n, w->to, 0);
}

lun_status lun__algorithm_shared(lun_engine *e, lun_node *n, lun_spread *cut)
{
    const int current = e->current;
    const double transfer = e->stats.transfer_time;
    taking w = {.e = e, .n = n, .cut = cut};
    w.part = calloc((size_t)cut->places, sizeof *w.part);
    w.run = calloc((size_t)cut->places, sizeof *w.run);
    lun_status s = w.part && w.run ? run(&w) : lun__nomem(e);
    e->current = current;
    if (s == LUN_OK)
        s = lun__algorithm_settle(e, n, cut);
    if (s == LUN_OK)
        become(&w, transfer);
    else if (w.to)
        lun__storage_release(e, w.to);
    close_taking(&w);
    return s;
}
