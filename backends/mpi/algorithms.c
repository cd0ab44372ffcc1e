/* algorithms.c - algorithms in the memory of a rank that serves: what rank 0 asks for, checked
 * against what the buffers hold; see desk.h.  Those that may last are done by another thread, while
 * this one listens.  Knows no kernel and no matrix. */
#include <stdlib.h>
#include <string.h>

#include "mpi/desk.h"
#include "table/dtype.h"

/* Where a column is: a buffer, or memory of its own, which came with the request or goes with the
 * answer; neither: there is none. */
typedef struct place {
    lun_desk_buffer *buffer;
    void *own;
} place;

typedef struct task {
    lun_desk *d;
    lun_algorithm_run r;
    place from[LUN_ALGORITHM_OPERANDS], to[LUN_ALGORITHM_RESULTS];
    bool nomem;
} task;

/* ---- reading --------------------------------------------------------------------------------- */

/* A column that comes with the request, or goes with the answer. */
static void take_here(task *w, lun_bytes *in, lun_column *c, place *x, bool operand)
{
    int64_t count = 0;
    c->n = lun__bytes_take_within(in, 0, LUN_MPI_PIECE);
    c->here = true;
    const int64_t bytes = c->n * lun__dtype_get(c->dtype)->bytes;
    const void *given = operand ? lun__bytes_take_bytes(in, &count) : NULL;
    in->bad |= operand && (!given || count != bytes);
    if (in->bad)
        return;
    c->data = x->own = calloc((size_t)bytes + 1, 1);
    w->nomem |= !x->own;
    if (x->own && count)
        memcpy(x->own, given, (size_t)count);
}

/* A column of the dtype of its own and so many elements at most. */
static void take_column(task *w, lun_bytes *in, lun_column *c, place *x, bool operand)
{
    lun_bytes ahead = *in;
    const int32_t number = lun__bytes_take_i32(&ahead);
    *c = (lun_column){.n = 0};
    if (number < 0)
        *in = ahead;
    if (number == LUN_MPI_NONE || in->bad)
        return;
    if (number >= 0)
        x->buffer = lun__desk_buffer(w->d, in);
    const unsigned dtype = lun__bytes_take_u8(in);
    in->bad |= dtype >= LUN_DTYPE_COUNT || (number < 0 && number != LUN_MPI_HERE);
    if (in->bad)
        return;
    c->dtype = (lun_dtype)dtype;
    if (number < 0) {
        take_here(w, in, c, x, operand);
        return;
    }
    const int64_t bytes = lun__dtype_get(c->dtype)->bytes, most = INT64_MAX / 8;
    c->n = lun__bytes_take_within(in, 0, most);
    const int64_t origin = lun__bytes_take_within(in, 0, most);
    const lun_desk_buffer *b = x->buffer;
    in->bad |=
        !in->bad && b->flaw.status == LUN_OK && !lun__desk_fits(b, origin * bytes, c->n * bytes);
    c->data = b->data && !in->bad ? b->data + origin * bytes : NULL;
}

static void take_run(task *w, lun_bytes *in)
{
    lun_algorithm_run *r = &w->r;
    r->which = (lun_algorithm)lun__bytes_take_u8(in);
    r->segment = lun__bytes_take_i64(in);
    r->first = lun__bytes_take_i64(in);
    r->every = lun__bytes_take_i64(in);
    for (int k = 0; k < LUN_ALGORITHM_OPTIONS; k++)
        r->option[k] = (uint64_t)lun__bytes_take_i64(in);
    for (int k = 0; k < LUN_ALGORITHM_OPERANDS; k++)
        take_column(w, in, &r->in[k], &w->from[k], true);
    for (int k = 0; k < LUN_ALGORITHM_RESULTS; k++)
        take_column(w, in, &r->out[k], &w->to[k], false);
}

/* ---- checking -------------------------------------------------------------------------------- */

static bool is_there(const place *x)
{
    return x->buffer || x->own;
}

/* Whether a column is there and has that many elements of that dtype. */
static bool is(const lun_column *c, const place *x, lun_dtype t, int64_t n)
{
    return is_there(x) && c->dtype == t && c->n == n;
}

static bool none_or(const lun_column *c, const place *x, lun_dtype t, int64_t n)
{
    return !is_there(x) || is(c, x, t, n);
}

/* Of the elements, and of a bool for each, those where it is true, or their places. */
static bool chooses(const task *w)
{
    const lun_algorithm_run *r = &w->r;
    const bool keeps = r->which == LUN_ALGORITHM_KEEP;
    const int mask = keeps ? 1 : 0;
    const lun_dtype gives = keeps ? r->in[0].dtype : LUN_I64;
    return !r->segment && !is_there(&w->from[mask + 1]) && is_there(&w->from[mask]) &&
           lun__dtype_is_bool(r->in[mask].dtype) && r->in[mask].n == r->in[0].n &&
           is_there(&w->to[0]) && r->out[0].dtype == gives && r->out[0].n >= r->in[0].n;
}

/* Lines in order, or where their elements stood. */
static bool orders(const task *w)
{
    const lun_algorithm_run *r = &w->r;
    const lun_dtype gives = r->which == LUN_ALGORITHM_SORT ? r->in[0].dtype : LUN_I64;
    return r->segment >= 0 && (!r->segment || r->in[0].n % r->segment == 0) &&
           is(&r->out[0], &w->to[0], gives, r->in[0].n);
}

static bool orders_part(const task *w)
{
    const lun_algorithm_run *r = &w->r;
    const int64_t n = r->in[0].n, samples = r->out[2].n;
    return is(&r->out[0], &w->to[0], r->in[0].dtype, n) &&
           none_or(&r->out[1], &w->to[1], LUN_I64, n) &&
           none_or(&r->out[2], &w->to[2], r->in[0].dtype, samples) &&
           (!samples || (r->every > 0 && samples <= n / r->every));
}

/* The first elements, and where they stand. */
static bool takes_first(const task *w)
{
    const lun_algorithm_run *r = &w->r;
    const int64_t n = r->out[0].n;
    return n <= r->in[0].n && is(&r->out[0], &w->to[0], r->in[0].dtype, n) &&
           is(&r->out[1], &w->to[1], LUN_I64, n);
}

/* How many lie in each bin of edges that came with the request. */
static bool counts(const task *w)
{
    const lun_algorithm_run *r = &w->r;
    const int64_t bins = r->out[0].n;
    return bins > 0 && w->from[1].own && is(&r->in[1], &w->from[1], LUN_F64, bins + 1) &&
           is(&r->out[0], &w->to[0], LUN_I64, bins);
}

/* How many elements have each digit, and candidates, by a state that came with the request. */
static bool counts_digits(const task *w)
{
    const lun_algorithm_run *r = &w->r;
    const int64_t *state = w->from[1].own, quantiles = lun__algorithm_digit_quants(r->in[1].n);
    return state && quantiles > 0 && quantiles <= LUN_DIGIT_QUANTILES &&
           is(&r->in[1], &w->from[1], LUN_I64, lun__algorithm_digit_state(quantiles)) &&
           lun__algorithm_digit_fits(state, quantiles, 8 * lun__dtype_get(r->in[0].dtype)->bytes) &&
           w->to[0].own && is(&r->out[0], &w->to[0], LUN_I64, lun__algorithm_digit_counts(state)) &&
           none_or(&r->out[1], &w->to[1], r->in[0].dtype, r->out[1].n);
}

/* The different values, how many there are of each, and samples. */
static bool tells_apart(const task *w)
{
    const lun_algorithm_run *r = &w->r;
    const int64_t n = r->out[0].n;
    return n && n <= r->in[0].n && is(&r->out[0], &w->to[0], r->in[0].dtype, n) &&
           is(&r->out[1], &w->to[1], LUN_I64, n) &&
           none_or(&r->out[2], &w->to[2], r->in[0].dtype, r->out[2].n);
}

static bool cuts(const task *w)
{
    const lun_algorithm_run *r = &w->r;
    const int64_t n = r->in[1].n;
    return is(&r->in[1], &w->from[1], r->in[0].dtype, n) &&
           is(&r->in[2], &w->from[2], LUN_I64, n) && is(&r->out[0], &w->to[0], LUN_I64, n);
}

/* The lengths of runs, which come with the request, are all elements. */
static bool merges(const task *w)
{
    const lun_algorithm_run *r = &w->r;
    const int64_t n = r->in[0].n, *length = w->from[2].own;
    int64_t all = 0;
    bool fits = length && is(&r->in[2], &w->from[2], LUN_I64, r->in[2].n) && r->in[2].n > 0;
    for (int64_t i = 0; fits && i < r->in[2].n; i++) {
        fits = length[i] >= 0 && length[i] <= n - all;
        all += length[i];
    }
    return fits && all == n && none_or(&r->in[1], &w->from[1], LUN_I64, n) &&
           none_or(&r->out[0], &w->to[0], r->in[0].dtype, n) &&
           none_or(&r->out[1], &w->to[1], LUN_I64, n) &&
           is_there(&w->from[1]) == is_there(&w->to[1]) &&
           (!(r->option[0] & LUN_MERGED_ONE) || (is_there(&w->to[0]) && is_there(&w->to[1])));
}

/* What each takes and gives, at most so many columns. */
static const struct {
    int operands, results;
    bool (*fits)(const task *w);
} tasks[LUN_ALGORITHM_COUNT] = {
    [LUN_ALGORITHM_KEEP] = {2, 1, chooses},         [LUN_ALGORITHM_PLACES] = {1, 1, chooses},
    [LUN_ALGORITHM_SORT] = {1, 1, orders},          [LUN_ALGORITHM_ARGSORT] = {1, 1, orders},
    [LUN_ALGORITHM_ORDERED] = {1, 3, orders_part},  [LUN_ALGORITHM_CUTS] = {3, 1, cuts},
    [LUN_ALGORITHM_MERGED] = {3, 2, merges},        [LUN_ALGORITHM_TOPK] = {1, 2, takes_first},
    [LUN_ALGORITHM_UNIQUE] = {1, 3, tells_apart},   [LUN_ALGORITHM_HISTOGRAM] = {2, 1, counts},
    [LUN_ALGORITHM_DIGITS] = {2, 2, counts_digits},
};

/* Whether the columns are what the algorithm takes and gives, in different buffers. */
static bool run_fits(const task *w)
{
    const unsigned which = w->r.which;
    if (which >= LUN_ALGORITHM_COUNT || !tasks[which].fits || !is_there(&w->from[0]))
        return false;
    for (int k = tasks[which].operands; k < LUN_ALGORITHM_OPERANDS; k++)
        if (is_there(&w->from[k]))
            return false;
    for (int k = 0; k < LUN_ALGORITHM_RESULTS; k++) {
        if (k >= tasks[which].results && is_there(&w->to[k]))
            return false;
        for (int i = 0; w->to[k].buffer && i < LUN_ALGORITHM_OPERANDS; i++)
            if (w->from[i].buffer == w->to[k].buffer)
                return false;
        for (int i = 0; w->to[k].buffer && i < k; i++)
            if (w->to[i].buffer == w->to[k].buffer)
                return false;
    }
    return tasks[which].fits(w);
}

/* What it reads or writes may be unusable. */
static lun_status check_flaws(const task *w)
{
    lun_status s = LUN_OK;
    for (int k = 0; s == LUN_OK && k < LUN_ALGORITHM_OPERANDS; k++)
        if (w->from[k].buffer)
            s = lun__desk_ready(w->d, w->from[k].buffer);
    for (int k = 0; s == LUN_OK && k < LUN_ALGORITHM_RESULTS; k++)
        if (w->to[k].buffer && !w->to[k].buffer->data)
            s = lun__desk_check(w->d, &w->to[k].buffer->flaw);
    return s;
}

/* ---- doing ----------------------------------------------------------------------------------- */

static lun_status run_task(void *ctx)
{
    task *w = ctx;
    const lun_work work = {.kind = LUN_WORK_ALGORITHM, .is.algorithm = &w->r};
    return lun__backend_work_do(w->d->by, w->d->state, &work);
}

static lun_status run(task *w)
{
    const double each = 8; /* steps of an element, about */
    lun_desk *d = w->d;
    lun_status s = check_flaws(w);
    if (s != LUN_OK)
        return s;
    int64_t room;
    const lun_work work = {.kind = LUN_WORK_ALGORITHM, .is.algorithm = &w->r};
    if (!d->by->takes(d->state, &work, &room))
        return lun__desk_fail(d, LUN_EBACKEND, "it does no such algorithm");
    return lun__desk_work(d, room, &w->r.scratch, each * (double)w->r.in[0].n, run_task, w);
}

static void answer(task *w)
{
    for (int k = 0; k < LUN_ALGORITHM_RESULTS; k++) {
        const lun_column *c = &w->r.out[k];
        if (is_there(&w->to[k]))
            lun__bytes_put_i64(&w->d->rest, c->n);
        if (w->to[k].own)
            lun__bytes_put_bytes(&w->d->rest, c->data, c->n * lun__dtype_get(c->dtype)->bytes);
    }
}

lun_status lun__desk_algorithm(lun_desk *d, lun_bytes *in, bool *answers)
{
    task w = {.d = d};
    lun_status s = LUN_OK;
    take_run(&w, in);
    *answers = true;
    if (in->bad || d->by->buffer_new || (!w.nomem && !run_fits(&w)))
        s = lun__desk_strange(d, in);
    else if (w.nomem)
        s = lun__desk_fail(d, LUN_ENOMEM, "out of memory");
    else
        s = run(&w);
    d->trap_value = w.r.failed;
    if (s == LUN_OK)
        answer(&w);
    for (int k = 0; !in->bad && k < LUN_ALGORITHM_RESULTS; k++)
        if (w.to[k].buffer)
            (void)lun__desk_done(d, w.to[k].buffer, s);
    for (int k = 0; k < LUN_ALGORITHM_OPERANDS; k++)
        free(w.from[k].own);
    for (int k = 0; k < LUN_ALGORITHM_RESULTS; k++)
        free(w.to[k].own);
    return s;
}
