/* chain_step.c - a chain of steps (schedule/chain.h) as one run of the backend, tile by tile; on a
 * set one run for each location, of its rows.
 *
 * Every kernel of a chain is elementwise or takes each row alone, so results do not depend on the
 * rows of a tile, nor on those of a location. How a backend runs a chain is its own. */
#include "steps/step_runners.h"

#include <stdlib.h>

#include "base/clock.h"
#include "ir/combine_order.h"
#include "launch/bind.h"
#include "launch/launch.h"
#include "launch/launch_dist.h"
#include "launch/local.h"
#include "launch/profile.h"
#include "launch/run_event.h"
#include "placing/placing.h"
#include "steps/pairs_step.h"
#include "steps/product_step.h"

enum { BAND_BYTES = 4 << 20 }; /* of rows of pairs in work, about: what caches hold */

/* A result of the chain. */
typedef struct made {
    lun_node *node;
    lun_storage *storage; /* NULL: only the chain needs it */
    bool reduced;         /* it is made of rows' cells, in host memory; */
    bool used;            /* of its step */
} made;

typedef struct chain {
    lun_engine *e;
    const lun_steps *s;
    lun_node *product; /* that it begins with, array 0; NULL: none */
    lun_multiplying multiplying;
    const lun_pairs *pairs; /* the same of all pairs of rows */
    lun_pairs_work *pairing;
    int64_t band;    /* rows of these at a time */
    int first, last; /* steps that are its stages */
    int64_t n, segment;
    lun_spread *cut; /* how the locations of the set in use share its indices; NULL: one alone */
    lun_spread *row; /* and its rows */
    lun_backend_slot *at; /* the location that runs */
    lun_interval rows;    /* these rows, else all */
    made *made;           /* beside arrays[] */
    lun_chain_array *arrays;
    int count;
    lun_chain_stage *stages;
    lun_kernel_entry **kernels; /* by stage */
    lun_binding *bindings;
    int opened;            /* bindings */
    lun_chain_slot *slots; /* of all stages, in turn */
    int *results;
    int64_t bytes, written;
    double seconds, paired; /* of the backend, before that of rows of pairs */
} chain;

/* ---- results --------------------------------------------------------------------------------- */

static int find(const chain *c, const lun_node *n)
{
    for (int i = 0; i < c->count; i++)
        if (c->made[i].node == n)
            return i;
    return -1;
}

static const lun_lowered *lowered(const chain *c, int stage)
{
    return &c->s->at[c->first + stage].lowered;
}

/* Whether a step of the chain behind stage `from` reads n. */
static bool is_read(const chain *c, int from, const lun_node *n)
{
    for (int k = from + 1; k <= c->last - c->first; k++)
        for (int i = 0; i < lowered(c, k)->ir.slot_count; i++)
            if (lun__chain_reads(&lowered(c, k)->slots[i], n) &&
                lowered(c, k)->ir.slots[i].role != LUN_SLOT_OUT)
                return true;
    return false;
}

static lun_status add_made(chain *c, lun_node *n, bool narrow, bool reduced, int stage)
{
    if (find(c, n) >= 0)
        return LUN_OK;
    lun_storage *storage = NULL;
    lun_status s = LUN_OK;
    if (lun__chain_keeps(c->s, c->last, n))
        s = lun__placement_result(c->e, (lun_dtype)n->dtype, n->n,
                                  reduced  ? NULL
                                  : narrow ? c->row
                                           : c->cut,
                                  &storage);
    c->made[c->count] = (made){n, storage, reduced, stage >= 0 && c->s->at[c->first + stage].used};
    c->arrays[c->count++] = (lun_chain_array){.dtype = (lun_dtype)n->dtype,
                                              .narrow = narrow,
                                              .read = is_read(c, stage, n),
                                              .data = storage ? storage->data : NULL};
    return s;
}

static bool is_narrow(const chain *c, int stage)
{
    return lun__chain_width(&c->s->at[c->first + stage], c->n, c->segment) == LUN_CHAINED_NARROW;
}

static lun_status make_results(chain *c, int stage)
{
    const lun_lowered *l = lowered(c, stage);
    lun_status s = LUN_OK;
    for (int r = 0; s == LUN_OK && r < l->ir.result_count; r++)
        s = add_made(c, l->results[r], true, true, stage);
    for (int i = 0; s == LUN_OK && i < l->ir.slot_count; i++)
        if (l->ir.slots[i].role == LUN_SLOT_OUT)
            s = add_made(c, l->slots[i].node, is_narrow(c, stage), false, stage);
    return s;
}

static lun_status make_pairs(chain *c)
{
    const lun_pairs *p = c->pairs;
    const int64_t row = c->segment * lun__dtype_get((lun_dtype)p->result->dtype)->bytes;
    const int64_t turns = BAND_BYTES / row / LUN_BLOCK, most = turns < 1 ? 1 : turns;
    lun_status s = add_made(c, p->result, false, false, -1);
    c->written = c->made[0].storage ? c->n / c->segment * row : 0;
    c->bytes = lun__pairs_kernel_reads(p) + c->written;
    c->band = most * LUN_BLOCK;
    if (s == LUN_OK) /* what is left at the end may be too few rows by themselves */
        s = lun__pairs_step_open(c->e, p, c->band + LUN_PAIRS_ROWS, c->made[0].storage,
                                 &c->pairing);
    return s;
}

/* The product that the chain begins with. */
static lun_status make_product(chain *c)
{
    if (c->pairs)
        return make_pairs(c);
    if (!c->product)
        return LUN_OK;
    lun_status s = add_made(c, c->product, false, false, -1);
    if (s != LUN_OK)
        return s;
    const lun_node *n = c->product;
    c->bytes = lun__product_step_reads(n);
    if (c->made[0].storage) {
        c->written = n->n * lun__dtype_get((lun_dtype)n->dtype)->bytes;
        c->bytes += c->written;
    }
    return lun__product_step_open(c->e, n, lun__order_blocks(c->segment), c->made[0].storage,
                                  &c->multiplying);
}

/* ---- stages ---------------------------------------------------------------------------------- */

/* The indices of a stage that the location runs. */
static lun_interval indices_of(const chain *c, int stage)
{
    const int64_t each = is_narrow(c, stage) ? 1 : c->segment;
    return (lun_interval){c->rows.lo * each, c->rows.hi * each};
}

/* What was there before the chain: memory where each row's elements stand evenly, else a stream. */
static lun_status bind_other(chain *c, int stage, int i, lun_chain_slot *slot)
{
    lun_binding *to = &c->bindings[stage];
    const lun_lowered *l = to->l;
    const lun_slot_source *from = &l->slots[i];
    const int64_t each = is_narrow(c, stage) ? 1 : c->segment;
    const bool walked = l->ir.slots[i].role == LUN_SLOT_IN;
    int64_t along;
    lun_piece *x;
    lun_layout at;
    slot->step = walked ? each : 0;
    lun_status s = c->cut ? lun__local_read(c->e, to, i, c->at, indices_of(c, stage), &x)
                          : lun__bind_slot(c->e, to, i, NULL, 0, c->s->at[c->first + stage].n);
    if (s != LUN_OK || !from->view || from->node->kind != LUN_NODE_LEAF)
        return s;
    lun__node_layout(from->view, &at);
    if (lun__layout_segments(&at, each, &slot->step, &along) && along == (walked && each > 1)) {
        const lun_storage *storage = from->node->storage;
        const int64_t origin = at.offset + c->rows.lo * slot->step,
                      room = c->cut ? x->lo + lun__order_blocks(x->hi - x->lo) : storage->room;
        to->streams[i] = (lun_stream){0};
        to->at[i] = (char *)to->at[i] + origin * lun__dtype_get(storage->dtype)->bytes;
        to->room[i] = room - from->node->offset - origin;
    }
    return LUN_OK;
}

static lun_status bind_slots(chain *c, int stage, lun_chain_slot *slots)
{
    lun_binding *to = &c->bindings[stage];
    const lun_ir *ir = &to->l->ir;
    lun_status s = LUN_OK;
    for (int i = 0; s == LUN_OK && i < ir->slot_count; i++) {
        slots[i] = (lun_chain_slot){.array = find(c, to->l->slots[i].node)};
        if (slots[i].array < 0)
            s = bind_other(c, stage, i, &slots[i]);
        else
            to->at[i] = NULL, to->room[i] = to->origin[i] = 0;
    }
    return s;
}

/* Which rows a stage is needed for; locations of a set run it for all, as launches there do. */
static lun_status bind_needed(const chain *c, const lun_lowered *l, lun_chain_stage *to)
{
    to->needed_array = l->needed && !c->cut ? find(c, l->needed) : -1;
    if (!l->needed || c->cut || to->needed_array >= 0)
        return LUN_OK;
    lun_status s = lun__mirror_host(c->e, l->needed->storage, false);
    to->needed = (const uint8_t *)lun__node_leaf_data(l->needed);
    return s;
}

static lun_status bind_stage(chain *c, int stage, lun_chain_slot *slots, int *results)
{
    const lun_lowered *l = lowered(c, stage);
    lun_chain_stage *to = &c->stages[stage];
    const lun_interval x = indices_of(c, stage);
    lun_kernel_entry *k;
    lun_status s = lun__bind_open(c->e, l, &c->bindings[c->opened++]);
    if (s == LUN_OK)
        s = bind_slots(c, stage, slots);
    for (int r = 0; s == LUN_OK && r < l->ir.result_count; r++)
        results[r] = find(c, l->results[r]);
    if (s == LUN_OK)
        s = bind_needed(c, l, to);
    if (s == LUN_OK)
        s = lun__kernel_of(c->e, l, &k);
    if (s != LUN_OK)
        return s;
    lun__launch_run_fill(&c->bindings[stage], x.hi - x.lo, 0, x.hi - x.lo, NULL);
    c->kernels[stage] = k;
    to->kernel = k->kernel;
    to->launch = &c->bindings[stage].run;
    to->slots = slots;
    to->results = results;
    return LUN_OK;
}

/* All stages, for the location that runs. */
static lun_status bind_stages(chain *c)
{
    int slots = 0, results = 0;
    lun_status s = LUN_OK;
    for (int k = 0; s == LUN_OK && k <= c->last - c->first; k++) {
        s = bind_stage(c, k, c->slots + slots, c->results + results);
        slots += lowered(c, k)->ir.slot_count;
        results += lowered(c, k)->ir.result_count;
    }
    return s;
}

static void close_stages(chain *c)
{
    while (c->opened > 0)
        lun__bind_close(&c->bindings[--c->opened]);
}

/* Memory for the stages, and their results. */
static lun_status make_stages(chain *c)
{
    int slots = 1, results = 1;
    const unsigned count = (unsigned)(c->last - c->first + 1);
    for (int k = 0; k < (int)count; k++) {
        slots += lowered(c, k)->ir.slot_count;
        results += lowered(c, k)->ir.result_count;
    }
    const size_t most = (size_t)(slots + results + 1);
    c->made = calloc(most, sizeof *c->made);
    c->arrays = calloc(most, sizeof *c->arrays);
    c->slots = calloc((size_t)slots, sizeof *c->slots);
    c->results = calloc((size_t)results, sizeof *c->results);
    c->stages = calloc(count, sizeof *c->stages);
    c->kernels = calloc(count, sizeof *c->kernels);
    c->bindings = calloc(count, sizeof *c->bindings);
    if (!c->made || !c->arrays || !c->slots || !c->results || !c->stages || !c->kernels ||
        !c->bindings)
        return lun__fail_nomem(c->e);
    lun_status s = make_product(c);
    for (int k = 0; s == LUN_OK && k < (int)count; k++) {
        s = make_results(c, k);
        for (int i = 0; i < lowered(c, k)->ir.slot_count; i++) {
            const int64_t bytes = lun__chain_moves(c->s, c->first + k, i);
            c->bytes += bytes;
            c->written += lowered(c, k)->ir.slots[i].role == LUN_SLOT_OUT ? bytes : 0;
        }
    }
    return s;
}

/* ---- a chain --------------------------------------------------------------------------------- */

/* A product has that part of the time which its sums are worth, beside kernels of a few operations;
 * it counts all that was moved. */
static void profile(const chain *c, const lun_stats *before, double seconds, int stages)
{
    double product = 0;
    if (c->product) {
        const double sums = 1 + (double)c->multiplying.p.inner / 16;
        product = seconds * sums / (sums + stages);
        lun__profile_product(c->e, before, product, c->product);
    }
    lun__profile_together(c->e, c->product ? &c->e->stats : before, seconds - product, c->s,
                          c->first, c->kernels, stages);
}

static lun_status run_kernels(const chain *c, const lun_backend_slot *b, lun_chain *run)
{
    lun_run_event *watched =
        lun__run_event_together(c->e, 0, b, c->s, c->first, c->last, run->bytes);
    const lun_status s =
        lun__state_backend_do(b, &(lun_work){.kind = LUN_WORK_CHAIN, .is.chain = run});
    lun__run_event_end(c->e, watched, 0);
    return s;
}

/* Rows of pairs and what follows them, band by band; seconds: of the pairs. */
static lun_status run_bands(chain *c, lun_chain *run, double *seconds)
{
    lun_engine *e = c->e;
    const lun_backend_slot *b = e->backends[e->current];
    const int64_t launches = e->stats.launches, rows = run->rows;
    lun_status s = LUN_OK;
    for (int64_t count; s == LUN_OK && run->first < rows; run->first += count) {
        count = rows - run->first;
        if (count >= c->band + LUN_PAIRS_ROWS)
            count = c->band;
        const double start = lun__clock_now();
        s = lun__watch_stopped(e);
        if (s == LUN_OK)
            s = lun__pairs_step_rows(c->pairing, run->first, count, &c->arrays[0].data);
        *seconds += lun__clock_now() - start;
        if (s != LUN_OK)
            return s;
        run->rows = run->first + count;
        run->bytes = c->bytes / rows * count;
        s = run_kernels(c, b, run);
        if (s != LUN_OK)
            s = lun__launch_run_failed(e, &c->bindings[run->failed], s, c->n);
    }
    e->stats.launches = launches + 1; /* of each kernel one, in bands */
    for (int k = 0; k < run->count; k++)
        e->stats.launches += c->stages[k].ran;
    return s;
}

static lun_status run_stages(chain *c)
{
    lun_engine *e = c->e;
    const lun_backend_slot *b = e->backends[e->current];
    const int64_t all = c->n / c->segment, rows = c->rows.hi - c->rows.lo;
    lun_chain run = {.product = c->product ? &c->multiplying.p : NULL,
                     .rows = rows,
                     .segment = c->segment,
                     .stages = c->stages,
                     .count = c->last - c->first + 1,
                     .arrays = c->arrays,
                     .array_count = c->count,
                     .bytes = rows < all ? c->bytes / all * rows : c->bytes};
    const double start = lun__clock_now(), paired = c->paired;
    const lun_status s = c->pairs ? run_bands(c, &run, &c->paired) : run_kernels(c, b, &run);
    c->seconds += lun__clock_now() - start - (c->paired - paired);
    return s == LUN_OK || c->pairs
               ? s
               : lun__launch_run_failed(e, &c->bindings[run.failed], s, rows * c->segment);
}

/* Counts what has run since `before`. */
static void count(const chain *c, const lun_stats *before)
{
    lun_engine *e = c->e;
    const int stages = c->last - c->first + 1;
    e->stats.run_time += c->seconds;
    e->stats.products += c->product != NULL;
    e->stats.bytes_read += c->bytes - c->written;
    e->stats.bytes_written += c->written;
    if (e->profiling && c->pairs)
        lun__profile_after(e, before, c->paired, &c->pairs->kernel,
                           lun__pairs_step_kernel(c->pairing), c->n);
    if (e->profiling)
        profile(c, c->pairs ? &e->stats : before, c->seconds, stages);
}

/* ---- locations ------------------------------------------------------------------------------- */

/* Memory at the location for the rows of what is stored. */
static lun_status open_results(chain *c)
{
    lun_status s = LUN_OK;
    for (int i = 0; s == LUN_OK && i < c->count; i++) {
        lun_storage *to = c->made[i].storage;
        const int64_t each = c->arrays[i].narrow ? 1 : c->segment;
        lun_piece *x;
        if (!to)
            continue;
        if (c->made[i].reduced) {
            c->arrays[i].data = (char *)to->data + c->rows.lo * lun__dtype_get(to->dtype)->bytes;
            continue;
        }
        s = lun__fetch_result(c->e, to, c->at, c->rows.lo * each, c->rows.hi * each, &x);
        c->arrays[i].data = s == LUN_OK ? x->data : NULL;
    }
    return s;
}

/* The rows of location k. */
static lun_status run_at(void *ctx, int k)
{
    chain *c = ctx;
    const lun_interval x = lun__placing_range(c->cut, lowered(c, 0), k);
    c->at = lun__set_at(c->e, k);
    c->rows = (lun_interval){x.lo / c->segment, x.hi / c->segment};
    if (c->rows.lo >= c->rows.hi)
        return LUN_OK;
    lun_status s = open_results(c);
    if (s == LUN_OK)
        s = bind_stages(c);
    if (s == LUN_OK)
        s = run_stages(c);
    close_stages(c);
    return s;
}

static lun_status run_set(chain *c)
{
    lun_status s = lun__launch_dist_chain(c->e, c->s, c->first, c->last, run_at, c);
    for (int i = 0; s == LUN_OK && i < c->count; i++)
        if (c->made[i].storage && c->made[i].reduced)
            s = lun__launch_dist_reduced(c->e, c->made[i].storage, c->row, c->made[i].used);
    return s;
}

/* ---- the whole ------------------------------------------------------------------------------- */

/* The results go to their nodes, but for those that only the chain needed. */
static void keep_results(chain *c)
{
    for (int i = 0; i < c->count; i++)
        if (c->made[i].storage) {
            lun__node_become_leaf(c->e, c->made[i].node, c->made[i].storage, 0);
            c->made[i].storage = NULL;
        }
}

static void free_chain(chain *c)
{
    if (c->product)
        lun__product_step_close(&c->multiplying);
    lun__pairs_step_close(c->pairing);
    close_stages(c);
    for (int i = 0; i < c->count; i++)
        if (c->made[i].storage)
            lun__storage_release(c->e, c->made[i].storage);
    free(c->made);
    free(c->arrays);
    free(c->slots);
    free(c->results);
    free(c->stages);
    free(c->kernels);
    free(c->bindings);
    lun__spread_release(c->row);
}

lun_status lun__chain_step_run(lun_engine *e, const lun_steps *s, int first, int last,
                               const lun_share *share)
{
    const lun_step *head = &s->at[first];
    lun_spread *cut = share ? share->cut : NULL;
    chain c = {.e = e, .s = s, .first = first, .last = last, .n = head->n, .cut = cut};
    c.segment = lun__chain_segment(head);
    if (cut && !(c.row = lun__placing_of_segments(cut, c.segment)))
        return lun__fail_nomem(e);
    c.rows.hi = c.n / c.segment;
    c.product = head->kind == LUN_STEP_PRODUCT ? head->node : NULL;
    c.pairs = head->pairs;
    c.first += c.product || c.pairs;
    e->kernels_held++;
    lun_status status = make_stages(&c);
    if (status == LUN_OK && !cut)
        status = bind_stages(&c);
    const lun_stats before = e->stats;
    if (status == LUN_OK)
        status = cut ? run_set(&c) : run_stages(&c);
    e->kernels_held--;
    if (status == LUN_OK)
        count(&c, &before);
    if (status == LUN_OK)
        keep_results(&c);
    free_chain(&c);
    return status;
}
