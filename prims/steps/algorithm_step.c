/* algorithm_step.c - the step of a plan that does an algorithm: operands in host memory, results
 * and scratch from the engine's memory, the work a backend's. */
#include "steps/algorithm_step.h"

#include <string.h>

#include "base/clock.h"
#include "launch/profile.h"
#include "launch/run_event.h"

static int64_t bytes_of(lun_dtype t, int64_t n)
{
    return n * lun__dtype_get(t)->bytes;
}

/* ---- begin ----------------------------------------------------------------------------------- */

static lun_status load(lun_algorithm_work *w, const lun_node *n, int k)
{
    lun_dtype t = (lun_dtype)n->dtype;
    w->r.in[k] = (lun_column){.dtype = t, .n = n->n};
    if (n->kind == LUN_NODE_LEAF) {
        lun_status s = lun__mirror_host(w->e, n->storage, false);
        w->r.in[k].data = s == LUN_OK ? lun__node_leaf_data(n) : NULL;
        w->read += bytes_of(t, n->n);
        return s;
    }
    if (n->kind != LUN_NODE_NUMBER)
        return LUN_OK;
    lun_status s = lun__storage_new(w->e, t, n->n, &w->number[k]);
    if (s != LUN_OK)
        return s;
    lun__dtype_cell_fill(t, n->cell, w->number[k]->data, n->n);
    w->r.in[k].data = w->number[k]->data;
    return LUN_OK;
}

/* Elements at a time of one that takes its operands in order and finds its length: its memory is in
 * proportion to what it finds, and to so many. */
enum { PIECE = 1 << 20 };

static bool takes_pieces(const lun_algorithm_work *w)
{
    return w->row->found && w->row->taken == LUN_TAKEN_PIECES;
}

/* Results for which there is memory first. */
static int64_t first_room(const lun_algorithm_work *w)
{
    const int64_t n = w->n->n;
    if (w->row->found == LUN_LENGTH_FEW)
        return lun__algorithm_few(n);
    return takes_pieces(w) && n > PIECE ? PIECE : n;
}

/* Scratch memory as the run asks for it now. */
static lun_status make_scratch(lun_algorithm_work *w)
{
    const lun_work work = {.kind = LUN_WORK_ALGORITHM, .is.algorithm = &w->r};
    int64_t bytes = 0;
    lun_status s = lun__backend_for(w->e, &work, &w->at, &bytes);
    lun__storage_release(w->e, w->scratch);
    w->scratch = NULL;
    if (s == LUN_OK && bytes)
        s = lun__storage_new(w->e, LUN_U8, bytes, &w->scratch);
    w->r.scratch = w->scratch ? w->scratch->data : NULL;
    return s;
}

/* Memory for so many results, and scratch. */
static lun_status make_room(lun_algorithm_work *w, int64_t room)
{
    lun_status s = LUN_OK;
    for (int k = 0; s == LUN_OK && k < w->row->results; k++) {
        lun_dtype t = k ? w->row->also : (lun_dtype)w->n->dtype;
        s = lun__storage_new(w->e, t, room, &w->to[k]);
        if (s == LUN_OK)
            w->r.out[k] = (lun_column){.data = w->to[k]->data, .dtype = t, .n = room};
    }
    return s == LUN_OK ? make_scratch(w) : s;
}

static void release_room(lun_algorithm_work *w)
{
    for (int k = 0; k < LUN_ALGORITHM_RESULTS; k++) {
        lun__storage_release(w->e, w->to[k]);
        w->to[k] = NULL;
    }
    lun__storage_release(w->e, w->scratch);
    w->scratch = NULL;
}

lun_status lun__algorithm_step_open(lun_engine *e, lun_node *n, lun_algorithm_work *w)
{
    *w = (lun_algorithm_work){.e = e, .n = n, .row = &lun__algorithm_rows[n->op]};
    w->r = (lun_algorithm_run){.which = (lun_algorithm)n->op,
                               .segment = n->step,
                               .option = {n->cell, (uint64_t)n->offset}};
    const double before = e->stats.transfer_time;
    lun_status s = LUN_OK;
    for (int k = 0; s == LUN_OK && k < w->row->operands; k++)
        s = load(w, n->more[k], k);
    w->transfer = e->stats.transfer_time - before;
    if (s == LUN_OK)
        w->node[0] = lun__node_retain(n);
    for (int k = 1; s == LUN_OK && k < w->row->results; k++)
        s = lun__fold_node_result(e, n, k, &w->node[k]); /* there is one already if it is asked */
    return s == LUN_OK ? make_room(w, first_room(w)) : s;
}

/* ---- work ------------------------------------------------------------------------------------ */

lun_status lun__algorithm_step_explain(lun_engine *e, const lun_node *n, lun_status s,
                                       const lun_algorithm_run *r)
{
    if (s == LUN_ECANCEL && lun__watch_stopped(e) == LUN_ELIMIT)
        return LUN_ELIMIT;
    if (s == LUN_OK || s == LUN_ECANCEL || !n->notes)
        return s;
    s = lun__fail(e, s, n->notes[r->failed < 0], (long long)r->failed, (long long)r->matrix,
                  (long long)r->matrices);
    e->error_where = lun__source_mark_text(e, n->where);
    e->error_operand = -1;
    return s;
}

static lun_status work_on(lun_algorithm_work *w, lun_algorithm_run *r)
{
    double start = lun__clock_now();
    lun_run_event *watched = lun__run_event_algorithm(w->e, start, w->at, w->n);
    const lun_work work = {.kind = LUN_WORK_ALGORITHM, .is.algorithm = r};
    lun_status s = lun__state_backend_do(w->at, &work);
    const double end = lun__clock_now(), took = end - start;
    lun__run_event_end(w->e, watched, end);
    w->e->stats.run_time += took;
    w->seconds += took;
    return lun__algorithm_step_explain(w->e, w->n, s, r);
}

/* Room for `more` results: as much as all will be if the elements to come are like those before
 * `first`, and at least half as much again. */
static lun_status grow(lun_algorithm_work *w, int64_t first, int64_t more)
{
    const int64_t room = w->to[0]->count, least = w->made + more, half = room + room / 2;
    if (least <= room)
        return LUN_OK;
    const double like = first ? 1.125 * (double)w->made * ((double)w->n->n / (double)first) : 0;
    int64_t wanted = like < (double)w->n->n ? (int64_t)like : w->n->n;
    wanted = wanted < half ? half : wanted;
    wanted = wanted > w->n->n ? w->n->n : wanted;
    wanted = wanted < least ? least : wanted;
    lun_storage *larger;
    const lun_status s = lun__storage_new(w->e, w->to[0]->dtype, wanted, &larger);
    if (s != LUN_OK)
        return s;
    memcpy(larger->data, w->to[0]->data, (size_t)bytes_of(larger->dtype, w->made));
    lun__storage_release(w->e, w->to[0]);
    w->to[0] = larger;
    w->r.out[0].data = larger->data;
    return LUN_OK;
}

lun_status lun__algorithm_step_tile(lun_algorithm_work *w, int64_t first, int64_t count,
                                    const void *(*piece)(const void *ctx, const lun_node *n),
                                    const void *ctx)
{
    const lun_status grown = grow(w, first, count);
    if (grown != LUN_OK)
        return grown;
    lun_algorithm_run r = w->r;
    for (int k = 0; k < w->row->operands; k++) {
        const void *made = piece(ctx, w->n->more[k]);
        const char *whole = (const char *)r.in[k].data + bytes_of(r.in[k].dtype, first);
        r.in[k].data = made ? (void *)(uintptr_t)made : (void *)(uintptr_t)whole;
        r.in[k].n = count;
    }
    r.out[0].data = (char *)r.out[0].data + bytes_of(r.out[0].dtype, w->made);
    r.out[0].n = count;
    r.first = first;
    lun_status s = work_on(w, &r);
    w->made += r.out[0].n;
    w->r.out[0].n = w->made;
    return s;
}

static const void *in_memory(const void *ctx, const lun_node *n)
{
    (void)ctx, (void)n;
    return NULL;
}

static lun_status run_pieces(lun_algorithm_work *w)
{
    lun_status s = LUN_OK;
    w->r.out[0].n = 0;
    for (int64_t first = 0; s == LUN_OK && first < w->n->n; first += PIECE)
        s = lun__algorithm_step_tile(w, first, w->n->n - first < PIECE ? w->n->n - first : PIECE,
                                     in_memory, NULL);
    return s;
}

static lun_status run_whole(lun_algorithm_work *w)
{
    lun_status s = work_on(w, &w->r);
    for (int way = 0; s == LUN_OK && w->r.way != way;) {
        way = w->r.way;
        s = make_scratch(w);
        if (s == LUN_OK)
            s = work_on(w, &w->r);
    }
    if (s != LUN_OK || w->row->found != LUN_LENGTH_FEW || w->r.out[0].n || !w->n->n)
        return s;
    release_room(w); /* there are more than fit */
    s = make_room(w, w->n->n);
    return s == LUN_OK ? work_on(w, &w->r) : s;
}

/* ---- end ------------------------------------------------------------------------------------- */

/* Result k without the memory that it did not need: where that is most of it, it moves. */
static lun_status fit(lun_algorithm_work *w, int k)
{
    const lun_column *c = &w->r.out[k];
    lun_storage *smaller;
    if (c->n > w->to[k]->count / 2)
        return LUN_OK;
    lun_status s = lun__storage_new(w->e, c->dtype, c->n, &smaller);
    if (s != LUN_OK)
        return s;
    memcpy(smaller->data, c->data, (size_t)bytes_of(c->dtype, c->n));
    lun__storage_release(w->e, w->to[k]);
    w->to[k] = smaller;
    return LUN_OK;
}

/* All results become LEAFs, the first, which the others are of, last. */
static void give(lun_algorithm_work *w)
{
    lun_engine *e = w->e;
    int64_t bytes = w->read;
    for (int k = 0; k < w->row->results; k++)
        bytes += bytes_of(w->r.out[k].dtype, w->r.out[k].n);
    if (e->profiling)
        lun__profile_algorithm(e, w->n, w->seconds, w->transfer, bytes);
    for (int k = w->row->results - 1; k >= 0; k--) {
        lun_node *n = w->node[k];
        if (w->row->found)
            n->n = w->r.out[k].n;
        lun__node_become_leaf(e, n, w->to[k], 0);
        w->to[k] = NULL;
    }
    e->stats.algorithms++;
    e->stats.bytes_read += w->read;
    e->stats.bytes_written += bytes - w->read;
}

lun_status lun__algorithm_step_close(lun_algorithm_work *w, lun_status s)
{
    for (int k = 0; s == LUN_OK && w->row->found && k < w->row->results; k++)
        s = fit(w, k);
    if (s == LUN_OK)
        give(w);
    for (int k = 0; k < LUN_ALGORITHM_OPERANDS; k++)
        if (w->number[k])
            lun__storage_release(w->e, w->number[k]);
    release_room(w);
    for (int k = 0; k < LUN_ALGORITHM_RESULTS; k++)
        lun__node_release(w->e, w->node[k]);
    return s;
}

/* ---- steps ----------------------------------------------------------------------------------- */

/* Whether n takes the rows that `first` takes, and may be run beside it now. */
static bool is_beside(const lun_node *first, const lun_node *n)
{
    if (first->kind != LUN_NODE_ALGORITHM || n->kind != LUN_NODE_ALGORITHM || first->op != n->op ||
        lun__algorithm_rows[n->op].taken != LUN_TAKEN_ROWS || first->step || n->step ||
        first->more[0] != n->more[0] || first->offset != n->offset)
        return false;
    for (int k = 0; k < n->count; k++)
        if (n->more[k]->kind != LUN_NODE_LEAF && n->more[k]->kind != LUN_NODE_NUMBER)
            return false;
    return true;
}

static lun_status run_all(lun_engine *e, lun_node *const *nodes, int count)
{
    lun_algorithm_work w[LUN_BESIDE];
    lun_status s = LUN_OK;
    int open = 0;
    while (s == LUN_OK && open < count) {
        lun_node *n = nodes[open];
        s = lun__algorithm_step_open(e, n->kind == LUN_NODE_RESULT ? n->in[0] : n, &w[open]);
        if (open > 0)
            w[open - 1].r.beside = &w[open].r;
        open++;
    }
    if (s == LUN_OK)
        s = takes_pieces(&w[0]) ? run_pieces(&w[0]) : run_whole(&w[0]);
    const double each = w[0].seconds / count;
    for (int k = 0; k < open; k++) {
        w[k].seconds = each;
        s = lun__algorithm_step_close(&w[k], s);
    }
    return s;
}

int lun__algorithm_step_beside(const lun_steps *s, int at, int after, int count)
{
    const lun_step *x = &s->at[at];
    if (x->kind != LUN_STEP_ALGORITHM || x->chain || x->sweep || lun__node_ready(x->node))
        return count; /* a RESULT, made with its ALGORITHM, or run beside another */
    for (int i = after + 1; i < count; i++)
        if (s->at[i].kind == LUN_STEP_ALGORITHM && !s->at[i].chain && !s->at[i].sweep &&
            is_beside(x->node, s->at[i].node))
            return i;
    return count;
}

lun_status lun__algorithm_step_run(lun_engine *e, const lun_steps *s, int at, int count)
{
    lun_node *nodes[LUN_BESIDE] = {s->at[at].node};
    int found = 1;
    if (lun__node_ready(nodes[0]))
        return LUN_OK;
    for (int i = at; (i = lun__algorithm_step_beside(s, at, i, count)) < count;)
        if (found < LUN_BESIDE)
            nodes[found++] = s->at[i].node;
    return run_all(e, nodes, found);
}
