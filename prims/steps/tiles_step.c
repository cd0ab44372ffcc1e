/* tiles_step.c - a kernel and the algorithms or the product that take what it makes, some indices
 * at a time: what it makes stays in the cache. */
#include "steps/step_runners.h"

#include <stdlib.h>
#include <string.h>

#include "base/clock.h"
#include "ir/combine_order.h"
#include "launch/bind.h"
#include "launch/launch.h"
#include "launch/profile.h"
#include "schedule/tiles.h"
#include "steps/algorithm_step.h"
#include "steps/product_step.h"

typedef struct pieces {
    lun_engine *e;
    const lun_step *head; /* the kernel's, NULL: there is none */
    lun_kernel_entry *kernel;
    lun_storage **made; /* by slot of the kernel: a piece of what it writes, or NULL */
    lun_algorithm_work *works;
    int count;             /* of works, opened */
    lun_node *product;     /* that takes all of it, NULL: none */
    int64_t row;           /* its inner extent, and */
    lun_multiplying *rows; /* its memory; */
    double seconds;        /* that it took */
    int64_t n, piece;      /* indices; those of a piece */
} pieces;

static lun_status launch(const pieces *p, int64_t first, int64_t count)
{
    const lun_lowered *l = &p->head->lowered;
    lun_binding to;
    lun_status s = lun__bind_open(p->e, l, &to);
    for (int i = 0; s == LUN_OK && i < l->ir.slot_count; i++) {
        to.is_scratch = p->made[i] != NULL;
        s = lun__bind_slot(p->e, &to, i, p->made[i], first, count);
    }
    if (s == LUN_OK)
        s = lun__launch_run(p->e, &to, p->kernel, p->n, first, count, NULL);
    lun__bind_close(&to);
    return s;
}

/* The piece of n that the kernel has made, NULL: it is in memory. */
static const void *piece_of(const void *ctx, const lun_node *n)
{
    const pieces *p = ctx;
    for (int i = 0; p->head && i < p->head->lowered.ir.slot_count; i++)
        if (p->made[i] && p->head->lowered.slots[i].node == n)
            return p->made[i]->data;
    return NULL;
}

static lun_status multiply(pieces *p, int64_t first, int64_t count)
{
    const double start = lun__clock_now();
    lun_status s = lun__product_step_part(p->rows, first / p->row, count / p->row,
                                          piece_of(p, p->product->in[0]));
    p->seconds += lun__clock_now() - start;
    return s;
}

static lun_status run_all(pieces *p)
{
    lun_engine *e = p->e;
    lun_status s = LUN_OK;
    const lun_stats before = e->stats;
    double seconds = 0;
    for (int64_t first = 0; s == LUN_OK && first < p->n; first += p->piece) {
        const int64_t count = p->n - first < p->piece ? p->n - first : p->piece;
        s = lun__watch_stopped(e);
        const double start = e->profiling ? lun__clock_now() : 0;
        if (s == LUN_OK && p->head)
            s = launch(p, first, count);
        seconds += e->profiling ? lun__clock_now() - start : 0;
        for (int k = 0; s == LUN_OK && k < p->count; k++)
            s = lun__algorithm_step_tile(&p->works[k], first, count, piece_of, p);
        if (s == LUN_OK && p->product)
            s = multiply(p, first, count);
    }
    if (p->head && e->stats.launches > before.launches)
        e->stats.launches = before.launches + 1; /* one, in pieces */
    if (p->head && e->profiling)
        lun__profile_after(e, &before, seconds, &p->head->lowered, p->kernel, p->n);
    return s;
}

/* Memory for a piece of all that the kernel writes. */
static lun_status open_kernel(pieces *p)
{
    const lun_ir *ir = &p->head->lowered.ir;
    lun_status s = lun__kernel_of(p->e, &p->head->lowered, &p->kernel);
    p->made = calloc((size_t)ir->slot_count + 1, sizeof(lun_storage *));
    if (s == LUN_OK && !p->made)
        s = lun__fail_nomem(p->e);
    for (int i = 0; s == LUN_OK && i < ir->slot_count; i++)
        if (ir->slots[i].role == LUN_SLOT_OUT)
            s = lun__storage_new(p->e, (lun_dtype)ir->slots[i].dtype,
                                 p->n < p->piece ? p->n : p->piece, &p->made[i]);
    return s;
}

static void close_kernel(pieces *p)
{
    for (int i = 0; p->made && i < p->head->lowered.ir.slot_count; i++)
        if (p->made[i])
            lun__storage_release(p->e, p->made[i]);
    free(p->made);
}

static int64_t bytes_of(const lun_node *n)
{
    return n->n * lun__dtype_get((lun_dtype)n->dtype)->bytes;
}

/* Bytes that are read once though several algorithms take them. */
static int64_t shared(const lun_steps *s, int first, int last)
{
    int64_t bytes = 0;
    for (int k = first; k <= last; k++)
        for (int j = 0; s->at[k].node && j < s->at[k].node->count; j++) {
            const lun_node *in = s->at[k].node->more[j];
            if (lun__tiles_has_taken(s, k, in) && !lun__tiles_makes(s, k, in))
                bytes += bytes_of(in);
        }
    return bytes;
}

/* The product behind a kernel: whole rows, and blocks of 64 of them, are pieces. */
static lun_status run_product(lun_engine *e, const lun_steps *s, int first)
{
    lun_node *n = s->at[first + 1].node;
    lun_multiplying rows = {0};
    pieces p = {.e = e, .n = s->at[first].n, .head = &s->at[first], .product = n, .rows = &rows};
    int64_t shape[LUN_MAX_RANK];
    lun__node_shape(n->in[0], shape);
    p.row = shape[1];
    const int64_t some = LUN_TILE_INDICES / p.row / LUN_BLOCK * LUN_BLOCK,
                  count = some > LUN_TILE_ROWS ? some : LUN_TILE_ROWS;
    p.piece = count * p.row;
    lun_status status = open_kernel(&p);
    if (status == LUN_OK)
        status = lun__product_step_open_parts(e, n, count, &rows);
    if (status == LUN_OK)
        status = run_all(&p);
    if (status == LUN_OK) {
        e->stats.products++;
        e->stats.bytes_read += lun__product_step_reads(n) - bytes_of(n->in[0]);
        e->stats.bytes_written += bytes_of(n);
        if (e->profiling)
            lun__profile_product(e, &e->stats, p.seconds, n);
        lun__product_step_take(&rows, n);
    }
    lun__product_step_close(&rows);
    close_kernel(&p);
    return status;
}

lun_status lun__tiles_step_run(lun_engine *e, const lun_steps *s, int first, int last)
{
    pieces p = {.e = e, .n = s->at[first].n, .piece = LUN_TILE_INDICES};
    if (s->at[last].kind == LUN_STEP_PRODUCT)
        return run_product(e, s, first);
    p.head = s->at[first].kind == LUN_STEP_LAUNCH ? &s->at[first] : NULL;
    const int from = first + (p.head != NULL);
    const int64_t twice = shared(s, first, last);
    p.works = calloc((size_t)(last - from + 1), sizeof *p.works);
    lun_status status = p.works ? LUN_OK : lun__fail_nomem(e);
    if (status == LUN_OK && p.head)
        status = open_kernel(&p);
    for (int k = from; status == LUN_OK && k <= last; k++)
        status = lun__algorithm_step_open(e, s->at[k].node, &p.works[p.count++]);
    if (status == LUN_OK)
        status = run_all(&p);
    for (int k = 0; k < p.count; k++)
        status = lun__algorithm_step_close(&p.works[k], status);
    if (status == LUN_OK)
        e->stats.bytes_read -= twice;
    close_kernel(&p);
    free(p.works);
    return status;
}
