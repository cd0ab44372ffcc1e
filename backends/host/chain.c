/* chain.c - chains on the host: a worker takes some rows at a time through all kernels; see
 * backend.h and host.h.
 *
 * What a kernel leaves for the next one stands in memory of the worker: lines in whole blocks, so
 * that a kernel may write these in full, and elements of rows side by side.  A line of memory whose
 * last block reaches beyond it goes through a stand-in where that block is not the worker's.  Knows
 * neither how a kernel computes nor what it is for. */
#include "host/run.h"

#include <stdlib.h>
#include <string.h>

enum {
    CACHE_BYTES = 256 << 10, /* of rows in work, where the machine's caches are not known */
    ROWS_MOST = 64,
    SHARES = 8 /* chunks for each worker, at least */
};

/* Where things stand in a worker's memory. */
typedef struct lun__links {
    const lun_chain *chain;
    const lun_host_kernel *kernels;
    int64_t first, end, rows; /* the run's rows; of a chunk */
    int64_t whole;            /* elements of a line in whole blocks */
    size_t *arrays;           /* by array, of those that pass through it */
    size_t *feeds;            /* by stage: buffers for streams */
    size_t slots, cells, spare, bytes;
} lun__links;

/* Rows in work. */
typedef struct portion {
    const lun__run *r;
    lun_worker *w;
    int stage;
    lun_chain_stage *s;
    const lun_ir *ir;
    int64_t row, count; /* the first; how many */
    void *const *fed;   /* the slots with streams read, or NULL */
} portion;

static size_t rounded(size_t bytes)
{
    return (bytes + LUN_ALIGNMENT - 1) / LUN_ALIGNMENT * LUN_ALIGNMENT;
}

static size_t size_of(lun_dtype t)
{
    return (size_t)lun__dtype_get(t)->bytes;
}

static void *by(const void *base, int64_t elements, size_t size)
{
    return (void *)((uintptr_t)base + (uintptr_t)elements * size);
}

/* Whether elements of an array pass through a worker's memory. */
static bool is_held(const lun_chain_array *a)
{
    return a->narrow || !a->data;
}

/* The array that slot i is written to; NULL: it is read. */
static const lun_chain_array *written(const portion *p, int i)
{
    bool out = p->ir->slots[i].role == LUN_SLOT_OUT;
    return out ? &p->r->links->chain->arrays[p->s->slots[i].array] : NULL;
}

/* ---- stand-ins ------------------------------------------------------------------------------- */

/* `count` elements, `step` apart, and zeros up to whole blocks. */
static void *stand_in(char **spare, const void *from, int64_t count, int64_t step, size_t size)
{
    char *to = *spare;
    size_t whole = (size_t)lun__order_blocks(count) * size;
    if (step == 1)
        memcpy(to, from, (size_t)count * size);
    for (int64_t k = 0; step != 1 && k < count; k++)
        memcpy(to + (size_t)k * size, by(from, k * step, size), size);
    memset(to + (size_t)count * size, 0, whole - (size_t)count * size);
    *spare += rounded(whole);
    return to;
}

/* An array's place for a line of row `row`; *outs: a stand-in is written instead. */
static void *line_of(const portion *p, const lun_chain_array *a, const void *held, int64_t row,
                     bool out, char **spare, bool *outs)
{
    const lun__links *l = p->r->links;
    const int64_t line = l->chain->line;
    size_t size = size_of(a->dtype);
    if (a->narrow)
        return by(held, row - p->row, size);
    if (!a->data)
        return by(held, (row - p->row) * l->whole, size);
    void *at = by(a->data, row * line, size);
    if (l->whole == line || row + 1 < p->row + p->count)
        return at; /* the next line is this worker's and comes later, or was read before */
    if (!out)
        return stand_in(spare, at, line, 1, size);
    *outs = true;
    at = *spare;
    *spare += rounded((size_t)l->whole * size);
    return at;
}

/* ---- slots ----------------------------------------------------------------------------------- */

/* The slots for the line of row `row`. */
static void place_line(const portion *p, int64_t row, bool *outs)
{
    const lun__links *l = p->r->links;
    const lun_launch *launch = p->s->launch;
    void **slots = (void **)(void *)(p->w->lines + l->slots);
    char *spare = p->w->lines + l->spare;
    *outs = false;
    for (int i = 0; i < p->ir->slot_count; i++) {
        const lun_chain_slot *slot = &p->s->slots[i];
        size_t size = size_of((lun_dtype)p->ir->slots[i].dtype);
        bool out = p->ir->slots[i].role == LUN_SLOT_OUT;
        if (slot->array >= 0) {
            slots[i] = line_of(p, &l->chain->arrays[slot->array],
                               p->w->lines + l->arrays[slot->array], row, out, &spare, outs);
        } else if (p->fed && launch->streams[i].read) {
            slots[i] = by(p->fed[i], row * l->chain->line, size);
        } else {
            int64_t at = row * slot->step;
            slots[i] = by(launch->slots[i], at, size);
            if (p->ir->slots[i].role == LUN_SLOT_IN && launch->room[i] < at + l->whole)
                slots[i] = stand_in(&spare, slots[i], l->chain->line, 1, size);
        }
    }
}

/* What stand-ins for the line of row `row` have got goes where it belongs. */
static void hand_out(const portion *p, int64_t row)
{
    const lun__links *l = p->r->links;
    void *const *slots = (void **)(void *)(p->w->lines + l->slots);
    for (int i = 0; i < p->ir->slot_count; i++) {
        const lun_chain_array *a = written(p, i);
        if (!a || is_held(a))
            continue;
        size_t size = size_of(a->dtype);
        memcpy(by(a->data, row * l->chain->line, size), slots[i], (size_t)l->chain->line * size);
    }
}

/* The slots for elements of rows: copies, but of what has no index. */
static void place_elements(const portion *p)
{
    const lun__links *l = p->r->links;
    const lun_launch *launch = p->s->launch;
    void **slots = (void **)(void *)(p->w->lines + l->slots);
    char *spare = p->w->lines + l->spare;
    for (int i = 0; i < p->ir->slot_count; i++) {
        const lun_chain_slot *slot = &p->s->slots[i];
        size_t size = size_of((lun_dtype)p->ir->slots[i].dtype);
        slots[i] = launch->slots[i];
        if (slot->array >= 0)
            slots[i] = p->w->lines + l->arrays[slot->array];
        else if (p->fed && launch->streams[i].read)
            slots[i] = by(p->fed[i], p->row, size);
        else if (p->ir->slots[i].role == LUN_SLOT_IN)
            slots[i] = stand_in(&spare, by(launch->slots[i], p->row * slot->step, size), p->count,
                                slot->step, size);
    }
}

/* ---- a stage --------------------------------------------------------------------------------- */

static bool has_failed(const portion *p, int64_t k)
{
    lun_frame *frame = &p->w->frame;
    lun__run *r = (lun__run *)(uintptr_t)p->r;
    if (frame->trap >= 0)
        lun__run_note(r, k, lun__ir_trap_status(p->ir->ins[frame->trap].kind),
                      frame->trap | (int64_t)p->stage << 32, frame->trap_value);
    return frame->trap >= 0 || __atomic_load_n(frame->cancel, __ATOMIC_RELAXED);
}

/* Reads the portion's part of streams into buffers. */
static bool feed(portion *p, int64_t k, lun_feed *feed)
{
    const lun__links *l = p->r->links;
    const int64_t each = p->s->launch->line ? p->s->launch->line : 1;
    if (!p->s->launch->streams)
        return true;
    lun__feed_open(feed, p->ir, p->w->lines + l->feeds[p->stage], l->rows * each + LUN_BLOCK);
    int failure =
        lun__feed_fill(feed, p->ir, p->s->launch, p->row * each, (p->row + p->count) * each);
    if (failure)
        lun__run_note((lun__run *)(uintptr_t)p->r, k, LUN_EIO, feed->slot | (int64_t)p->stage << 32,
                      failure);
    else
        p->fed = lun__feed_slots(feed, p->ir, p->s->launch, p->s->launch->slots);
    return !failure;
}

/* The cells of the portion's rows become elements of arrays. */
static void keep_cells(const portion *p)
{
    const lun__links *l = p->r->links;
    const uint64_t *cells = (const uint64_t *)(const void *)(p->w->lines + l->cells);
    const int results = p->ir->result_count;
    for (int k = 0; k < results; k++) {
        const lun_chain_array *a = &l->chain->arrays[p->s->results[k]];
        char *to = p->w->lines + l->arrays[p->s->results[k]];
        for (int64_t row = 0; row < p->count; row++, to += size_of(a->dtype)) {
            uint64_t cell =
                lun__cell_cast(a->dtype, (lun_dtype)p->ir->results[k], cells[row * results + k]);
            memcpy(to, &cell, size_of(a->dtype));
        }
    }
}

/* Stores may pass by the caches where no kernel of the chain reads the lines again. */
static bool streams_out(const portion *p)
{
    const lun__links *l = p->r->links;
    for (int i = 0; i < p->ir->slot_count; i++) {
        const lun_chain_array *a = written(p, i);
        if (a && (is_held(a) || a->read))
            return false;
    }
    return p->r->cut.stream && l->whole == l->chain->line;
}

/* Which of the portion's rows the stage is run for; NULL: all. */
static const uint8_t *needed_rows(const portion *p)
{
    const lun__links *l = p->r->links;
    if (p->s->needed_array >= 0)
        return (const uint8_t *)p->w->lines + l->arrays[p->s->needed_array];
    return p->s->needed ? p->s->needed + p->row : NULL;
}

static bool run_lines(const portion *p, int64_t k)
{
    const lun__links *l = p->r->links;
    const lun_exec *x = l->kernels[p->stage].exec;
    lun_frame *frame = &p->w->frame;
    const uint8_t *needed = needed_rows(p);
    uint64_t *cells = (uint64_t *)(void *)(p->w->lines + l->cells);
    const size_t results = (size_t)p->ir->result_count;
    frame->n = l->chain->line;
    frame->stream = streams_out(p);
    for (int64_t row = p->row; row < p->row + p->count; row++) {
        bool outs;
        frame->partials = cells + (size_t)(row - p->row) * results;
        if (needed && !needed[row - p->row]) {
            memset(frame->partials, 0, results * sizeof *cells);
            continue;
        }
        place_line(p, row, &outs);
        __atomic_store_n(&p->s->ran, 1, __ATOMIC_RELAXED);
        x->body(x->self, 0, frame->n, frame);
        if (has_failed(p, k))
            return false;
        if (outs)
            hand_out(p, row);
    }
    keep_cells(p);
    return true;
}

static bool run_elements(const portion *p, int64_t k)
{
    const lun_exec *x = p->r->links->kernels[p->stage].exec;
    place_elements(p);
    p->w->frame.n = p->count;
    p->w->frame.stream = 0;
    __atomic_store_n(&p->s->ran, 1, __ATOMIC_RELAXED);
    x->body(x->self, 0, p->count, &p->w->frame);
    return !has_failed(p, k);
}

/* The rows of chunk k. */
static void run_chunk(lun__run *r, int64_t k, lun_worker *w)
{
    const lun__links *l = r->links;
    const lun_chain *c = l->chain;
    portion p = {.r = r, .w = w, .row = l->first + k * l->rows};
    p.count = l->end - p.row < l->rows ? l->end - p.row : l->rows;
    for (p.stage = 0; p.stage < c->count; p.stage++) {
        lun_feed buffers;
        p.s = &c->stages[p.stage];
        p.ir = l->kernels[p.stage].ir;
        p.fed = NULL;
        w->frame.slots = (void **)(void *)(w->lines + l->slots);
        w->frame.args = p.s->launch->args;
        w->frame.math = l->kernels[p.stage].exec->math;
        w->frame.trap = -1;
        w->frame.trap_value = 0;
        if (!feed(&p, k, &buffers) || !(p.s->launch->line ? run_lines(&p, k) : run_elements(&p, k)))
            return;
    }
    for (int i = 0; i < c->array_count; i++) {
        const lun_chain_array *a = &c->arrays[i];
        if (a->narrow && a->data)
            memcpy(by(a->data, p.row, size_of(a->dtype)), w->lines + l->arrays[i],
                   (size_t)p.count * size_of(a->dtype));
    }
}

/* ---- a run ----------------------------------------------------------------------------------- */

/* Bytes of a row that pass through the caches, about. */
static int64_t row_bytes(const lun_chain *c, const lun_host_kernel *kernels)
{
    int64_t bytes = 0;
    for (int i = 0; i < c->array_count; i++)
        bytes += c->arrays[i].narrow ? 0 : (int64_t)size_of(c->arrays[i].dtype);
    for (int k = 0; k < c->count; k++)
        for (int i = 0; c->stages[k].launch->line && i < kernels[k].ir->slot_count; i++)
            if (c->stages[k].slots[i].array < 0 && kernels[k].ir->slots[i].role == LUN_SLOT_IN)
                bytes += (int64_t)size_of((lun_dtype)kernels[k].ir->slots[i].dtype);
    return bytes * c->line;
}

static void make_cut(lun__run *r, const lun_team *team, lun__links *l)
{
    const lun_chain *c = l->chain;
    const int64_t count = l->end - l->first, cache = team->chunk_bytes;
    int64_t cost = 0, rows = (cache > 0 ? cache : CACHE_BYTES) / row_bytes(c, l->kernels);
    for (int k = 0; k < c->count; k++)
        cost += l->kernels[k].cost * (c->stages[k].launch->line ? c->line : 1);
    double most = lun__host_guess(cost, count, c->bytes / c->rows * count) / LUN_WORKER_NS;
    int64_t workers = most < team->threads ? (int64_t)most : team->threads;
    if (workers > 1 && rows > count / (workers * SHARES))
        rows = count / (workers * SHARES);
    l->rows = rows < 1 ? 1 : rows > ROWS_MOST ? ROWS_MOST : rows;
    lun__cut_make(&(lun_cut_work){.count = count * c->line, .bytes = c->bytes, .cost = 1},
                  &(lun_team){.threads = 1, .cache_bytes = team->cache_bytes}, &r->cut);
    r->cut.chunk = l->rows * c->line;
    r->cut.chunks = lun__cut_divide(count, l->rows);
    r->cut.batch = 1;
    r->cut.in_order = false;
    if (workers > r->cut.chunks)
        workers = r->cut.chunks;
    r->cut.workers = workers < 1 ? 1 : (int)workers;
}

/* Takes bytes of a worker's memory. */
static size_t take(lun__links *l, size_t bytes)
{
    size_t at = l->bytes;
    l->bytes += rounded(bytes);
    return at;
}

/* Plans a worker's memory.  False: there are too many bytes to count. */
static bool plan_memory(lun__links *l)
{
    const lun_chain *c = l->chain;
    size_t slots = 0, results = 0, spare = 0;
    const size_t rows = (size_t)lun__order_blocks(l->rows);
    const size_t longest = (size_t)l->whole > rows ? (size_t)l->whole : rows;
    for (int k = 0; k < c->count; k++) {
        const lun_ir *ir = l->kernels[k].ir;
        const int64_t each = c->stages[k].launch->line ? c->line : 1;
        size_t sizes = 0;
        for (int i = 0; i < ir->slot_count; i++)
            sizes += rounded(longest * size_of((lun_dtype)ir->slots[i].dtype));
        spare = sizes > spare ? sizes : spare;
        slots = (size_t)ir->slot_count > slots ? (size_t)ir->slot_count : slots;
        results = (size_t)ir->result_count > results ? (size_t)ir->result_count : results;
        size_t feeds = lun__feed_bytes(ir, c->stages[k].launch, l->rows * each + LUN_BLOCK);
        if (feeds == SIZE_MAX)
            return false;
        l->feeds[k] = take(l, feeds);
    }
    l->slots = take(l, slots * sizeof(void *));
    l->cells = take(l, results * (size_t)l->rows * sizeof(uint64_t));
    l->spare = take(l, spare);
    for (int i = 0; i < c->array_count; i++) {
        const lun_chain_array *a = &c->arrays[i];
        size_t elements = a->narrow ? rows : (size_t)(l->rows * l->whole);
        l->arrays[i] = is_held(a) ? take(l, elements * size_of(a->dtype)) : 0;
    }
    return true;
}

lun_status lun__host_chain(const lun_services *services, const lun_host_kernel *kernels,
                           const lun_team *team, lun_chain *chain, int64_t first, int64_t count)
{
    lun__links l = {.chain = chain,
                    .kernels = kernels,
                    .first = first,
                    .end = first + count,
                    .whole = lun__order_blocks(chain->line)};
    lun__run r = {.services = services,
                  .ir = kernels[0].ir,
                  .launch = chain->stages[0].launch,
                  .end = chain->rows * chain->line,
                  .chain = run_chunk,
                  .links = &l,
                  .trapped = INT64_MAX,
                  .trap_lock = ATOMIC_FLAG_INIT};
    size_t scratch = 0;
    chain->failed = 0;
    l.arrays = calloc((size_t)(chain->array_count + chain->count), sizeof *l.arrays);
    if (!l.arrays)
        return LUN_ENOMEM;
    l.feeds = l.arrays + chain->array_count;
    for (int k = 0; k < chain->count; k++)
        scratch = kernels[k].exec->scratch > scratch ? kernels[k].exec->scratch : scratch;
    make_cut(&r, team, &l);
    r.scratch_step = rounded(scratch);
    lun_status s = LUN_ENOMEM;
    if (plan_memory(&l) &&
        !__builtin_mul_overflow(r.scratch_step, (size_t)r.cut.workers, &scratch)) {
        r.line_step = l.bytes;
        s = lun__run_go(&r, team, scratch);
    }
    if (atomic_load(&r.trapped) != INT64_MAX) {
        chain->failed = (int)(r.trap >> 32);
        chain->stages[chain->failed].launch->trap = (int)(r.trap & INT32_MAX);
        chain->stages[chain->failed].launch->trap_value = r.trap_value;
    }
    free(l.arrays);
    return s;
}
