/* allpairs.c - what is made of all pairs of rows on the places of a set: each makes some rows of
 * the result in memory of its own, all at once.  Places get what they need of each other before any
 * packs it, so that none waits for another one's packing.  Who makes which rows, and by which of
 * the two kernels, is placing/rows.c's. */
#include <stdlib.h>

#include "base/clock.h"
#include "launch/flights.h"
#include "launch/launch_dist.h"
#include "launch/local.h"
#include "launch/profile.h"
#include "launch/run_event.h"
#include "placing/placing.h"
#include "sets/shared_steps.h"
#include "steps/pairs_step.h"
#include "store/fetch.h"

/* The part of one place. */
typedef struct turn {
    lun_interval rows;    /* of the result, */
    lun_interval indices; /* and its elements */
    bool packs;
    lun_scratch_buffer *near; /* by slot, where it packs: where its array is there */
    lun_scratch_buffer to;    /* and the rows */
    lun_pairs_work *work;
} turn;

typedef struct sharing {
    lun_engine *e;
    const lun_share *share;
    const lun_pairs *p;
    lun_storage *to;       /* the result */
    lun_storage **written; /* by slot of the step's own kernel: it, or NULL */
    turn *turns;           /* by place */
    int places;
    int stage; /* the launches that are run: as of lun__pairs_step_bind */
    lun_flights flights;
} sharing;

/* ---- operands -------------------------------------------------------------------------------- */

/* Where element 0 of s, if `first` is its first one, is in a piece. */
static lun_scratch_buffer within(const lun_piece *x, int64_t first)
{
    return (lun_scratch_buffer){.data = x->data,
                                .buffer = x->buffer,
                                .origin = first - x->lo,
                                .room = lun__fetch_end(x) - first};
}

/* What each slot reads at place k, which packs, is current there. */
static void find_near(const sharing *w, int k)
{
    const lun_backend_slot *at = lun__set_at(w->e, k);
    for (int i = 0; i < w->p->kernel.ir.slot_count; i++) {
        const lun_node *n = w->p->kernel.slots[i].node;
        const bool read = n->kind == LUN_NODE_LEAF && n->storage->placed;
        const lun_piece *x = read ? lun__current_find(n->storage->placed, at) : NULL;
        if (x)
            w->turns[k].near[i] = within(x, n->offset);
    }
}

/* ---- launches -------------------------------------------------------------------------------- */

/* All that place k's launches need beside what it reads. */
static lun_status begin(const sharing *w, int k)
{
    turn *t = &w->turns[k];
    lun_piece *x;
    lun_status s =
        lun__fetch_result(w->e, w->to, lun__set_at(w->e, k), t->indices.lo, t->indices.hi, &x);
    if (s != LUN_OK)
        return s;
    t->to = within(x, t->indices.lo);
    return lun__pairs_step_begin(w->e, w->p, t->rows, t->near, &t->to, &t->work);
}

/* The stage's launch of place k is bound, over *n indices; 0: there is none. */
static lun_status bind(sharing *w, int k, int64_t *n)
{
    turn *t = &w->turns[k];
    lun_flight *x = &w->flights.at[k];
    lun_status s = LUN_OK;
    *n = 0;
    if (!t->packs) { /* one launch for all */
        if (w->stage)
            return LUN_OK;
        x->open = true;
        *n = t->indices.hi - t->indices.lo;
        return lun__local_bind(w->e, &w->share->step->lowered, w->written, lun__set_at(w->e, k),
                               t->indices, &x->binding, &x->kernel);
    }
    if (!t->work)
        find_near(w, k);
    if (!t->work)
        s = begin(w, k);
    if (s == LUN_OK)
        s = lun__pairs_step_bind(t->work, w->stage, &x->binding, n);
    x->open = *n > 0;
    if (s == LUN_OK)
        x->kernel = lun__pairs_step_kernel(t->work);
    return s;
}

static lun_status submit(void *ctx, int k)
{
    sharing *w = ctx;
    int64_t n = 0;
    if (w->turns[k].rows.lo >= w->turns[k].rows.hi)
        return LUN_OK;
    if (!lun__set_at(w->e, k)->can.parts) /* it packs now: others are to be under way */
        lun__set_advance(w->e);
    const lun_status s = bind(w, k, &n);
    if (s != LUN_OK)
        lun__flights_fail(&w->flights, k, s, false);
    else if (n)
        lun__flights_begin(&w->flights, k, n, NULL);
    return w->flights.failed < 0 ? LUN_OK : w->flights.at[w->flights.failed].failed;
}

/* One launch of each place, all at once. */
static lun_status run_stage(sharing *w)
{
    const lun_status s = lun__launch_dist_each(w->e, w->places, true, submit, w);
    lun__flights_end(&w->flights);
    if (w->flights.failed >= 0)
        return lun__flights_failure(&w->flights);
    for (int k = 0; k < w->places; k++)
        lun__flight_close(&w->flights.at[k]);
    return s;
}

/* All rows, where they belong. */
static lun_status run_all(sharing *w)
{
    lun_status s = lun__share_bring(w->share, 1);
    for (w->stage = 0; s == LUN_OK && w->stage < LUN_PAIRS_STAGES; w->stage++)
        s = run_stage(w);
    for (int k = 0; s == LUN_OK && k < w->places; k++) {
        lun__state_set_enter(w->e, lun__set_at(w->e, k));
        if (w->turns[k].work)
            s = lun__pairs_step_end(w->turns[k].work, &w->turns[k].to);
    }
    return s;
}

/* ---- a step ---------------------------------------------------------------------------------- */

static lun_status open_turns(sharing *w, const lun_spread *rows)
{
    const lun_ir *plain = &w->share->step->lowered.ir;
    const size_t slots = (size_t)w->p->kernel.ir.slot_count, columns = (size_t)w->p->extent[1];
    w->places = rows->places;
    w->turns = calloc((size_t)rows->places, sizeof *w->turns);
    w->written = calloc((size_t)plain->slot_count + 1, sizeof *w->written);
    if (!w->turns || !w->written)
        return lun__fail_nomem(w->e);
    for (int i = 0; i < plain->slot_count; i++)
        w->written[i] = plain->slots[i].role == LUN_SLOT_OUT ? w->to : NULL;
    for (int k = 0; k < rows->places; k++) {
        turn *t = &w->turns[k];
        t->rows = lun__spread_part(rows, k);
        t->indices = (lun_interval){t->rows.lo * (int64_t)columns, t->rows.hi * (int64_t)columns};
        t->packs = t->rows.lo < t->rows.hi && lun__placing_packs(lun__set_at(w->e, k));
        t->near = t->packs ? calloc(slots, sizeof *t->near) : NULL;
        if (t->packs && !t->near)
            return lun__fail_nomem(w->e);
    }
    return lun__flights_open(w->e, rows->places, &w->flights);
}

static void close_turns(sharing *w)
{
    lun__flights_close(&w->flights);
    for (int k = 0; w->turns && k < w->places; k++) {
        lun__pairs_step_close(w->turns[k].work);
        free(w->turns[k].near);
    }
    free(w->turns);
    free(w->written);
}

static lun_status run(sharing *w)
{
    lun_engine *e = w->e;
    const lun_spread *rows = w->share->cut;
    const lun_stats before = e->stats;
    const int current = e->current;
    const double start = lun__clock_now();
    lun_kernel_entry *k;
    const lun_node *n = w->p->result;
    lun_spread *spread = lun__placing_of_rows(rows, w->p->extent[1]);
    lun_status s = spread ? lun__placement_result(e, (lun_dtype)n->dtype, n->n, spread, &w->to)
                          : lun__fail_nomem(e);
    lun__spread_release(spread);
    lun_run_event *watched = lun__run_event_kernel(e, start, NULL, &w->p->kernel, n->n, 0);
    e->kernels_held++;
    if (s == LUN_OK)
        s = open_turns(w, rows);
    if (s == LUN_OK)
        s = run_all(w);
    s = lun__fetch_settled(e, s);
    const double end = lun__clock_now();
    e->stats.run_time += end - start;
    lun__run_event_end(e, watched, end);
    close_turns(w);
    e->kernels_held--;
    e->current = current;
    if (s == LUN_OK && e->profiling && lun__kernel_of(e, &w->p->kernel, &k) == LUN_OK)
        lun__profile_after(e, &before, lun__clock_now() - start, &w->p->kernel, k, w->p->result->n);
    return s;
}

lun_status lun__allpairs_run(const lun_share *x)
{
    lun_engine *e = x->e;
    sharing w = {.e = e, .share = x, .p = x->step->pairs};
    const lun_status s = run(&w);
    if (s == LUN_OK)
        lun__node_become_leaf(e, w.p->result, w.to, 0);
    else if (w.to)
        lun__storage_release(e, w.to);
    return s;
}
