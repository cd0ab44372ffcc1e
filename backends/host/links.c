/* links.c - some rows of a chain through all of its kernels; see links.h and backend.h.
 *
 * A kernel's results for the next one are in memory of the worker: segments in whole blocks, so
 * that a kernel may write these in full, and elements of rows side by side.  A segment in memory
 * whose last block reaches beyond it goes through a stand-in where that block is not the
 * worker's. */
#include "host/links.h"

#include <string.h>

/* A tile: the rows in work. */
typedef struct tile {
    const lun__run *r;
    lun_worker *w;
    int stage;
    lun_chain_stage *s;
    const lun_ir *ir;
    int64_t row, count; /* the first; how many */
    void *const *fed;   /* the slots with streams read, or NULL */
    const void *given;  /* its rows of array 0, or NULL */
} tile;

static size_t size_of(lun_dtype t)
{
    return (size_t)lun__dtype_get(t)->bytes;
}

static void *by(const void *base, int64_t elements, size_t size)
{
    return (void *)((uintptr_t)base + (uintptr_t)elements * size);
}

/* Where the tile's elements of array number `at` stand, unless it is memory. */
static const void *held(const tile *p, int at)
{
    return p->given && at == 0 ? p->given : p->w->tables + p->r->links->arrays[at];
}

/* The array that slot i is written to; NULL: it is read. */
static const lun_chain_array *written(const tile *p, int i)
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
    *spare += lun__links_rounded(whole);
    return to;
}

/* An array's segment of row `row`; *outs: a stand-in is written instead. */
static void *segment_of(const tile *p, const lun_chain_array *a, const void *held, int64_t row,
                        bool out, char **spare, bool *outs)
{
    const lun__links *l = p->r->links;
    const int64_t segment = l->chain->segment;
    size_t size = size_of(a->dtype);
    if (a->narrow)
        return by(held, row - p->row, size);
    if (!a->data)
        return by(held, (row - p->row) * l->whole, size);
    void *at = by(a->data, row * segment, size);
    if (l->whole == segment || row + 1 < p->row + p->count)
        return at; /* the next segment is this worker's and comes later, or was read before */
    if (!out)
        return stand_in(spare, at, segment, 1, size);
    *outs = true;
    at = *spare;
    *spare += lun__links_rounded((size_t)l->whole * size);
    return at;
}

/* ---- slots ----------------------------------------------------------------------------------- */

/* The slots for the segment of row `row`. */
static void place_segment(const tile *p, int64_t row, bool *outs)
{
    const lun__links *l = p->r->links;
    const lun_launch *launch = p->s->launch;
    void **slots = (void **)(void *)(p->w->tables + l->slots);
    char *spare = p->w->tables + l->spare;
    *outs = false;
    for (int i = 0; i < p->ir->slot_count; i++) {
        const lun_chain_slot *slot = &p->s->slots[i];
        size_t size = size_of((lun_dtype)p->ir->slots[i].dtype);
        bool out = p->ir->slots[i].role == LUN_SLOT_OUT;
        if (slot->array >= 0) {
            slots[i] = segment_of(p, &l->chain->arrays[slot->array], held(p, slot->array), row, out,
                                  &spare, outs);
        } else if (p->fed && launch->streams[i].read) {
            slots[i] = by(p->fed[i], row * l->chain->segment, size);
        } else {
            int64_t at = row * slot->step;
            slots[i] = by(launch->slots[i], at, size);
            if (p->ir->slots[i].role == LUN_SLOT_IN && launch->room[i] < at + l->whole)
                slots[i] = stand_in(&spare, slots[i], l->chain->segment, 1, size);
        }
    }
}

/* What stand-ins for the segment of row `row` have got goes where it belongs. */
static void hand_out(const tile *p, int64_t row)
{
    const lun__links *l = p->r->links;
    void *const *slots = (void **)(void *)(p->w->tables + l->slots);
    for (int i = 0; i < p->ir->slot_count; i++) {
        const lun_chain_array *a = written(p, i);
        if (!a || a->narrow || !a->data)
            continue;
        size_t size = size_of(a->dtype);
        memcpy(by(a->data, row * l->chain->segment, size), slots[i],
               (size_t)l->chain->segment * size);
    }
}

/* The slots for elements of rows: copies, but of what has no index. */
static void place_elements(const tile *p)
{
    const lun__links *l = p->r->links;
    const lun_launch *launch = p->s->launch;
    void **slots = (void **)(void *)(p->w->tables + l->slots);
    char *spare = p->w->tables + l->spare;
    for (int i = 0; i < p->ir->slot_count; i++) {
        const lun_chain_slot *slot = &p->s->slots[i];
        size_t size = size_of((lun_dtype)p->ir->slots[i].dtype);
        slots[i] = launch->slots[i];
        if (slot->array >= 0)
            slots[i] = p->w->tables + l->arrays[slot->array];
        else if (p->fed && launch->streams[i].read)
            slots[i] = by(p->fed[i], p->row, size);
        else if (p->ir->slots[i].role == LUN_SLOT_IN)
            slots[i] = stand_in(&spare, by(launch->slots[i], p->row * slot->step, size), p->count,
                                slot->step, size);
    }
}

/* ---- a stage --------------------------------------------------------------------------------- */

static bool has_failed(const tile *p, int64_t k)
{
    lun_frame *frame = &p->w->frame;
    lun__run *r = (lun__run *)(uintptr_t)p->r;
    if (frame->trap >= 0)
        lun__work_note(r, k, lun__ir_trap_status(p->ir->ins[frame->trap].kind),
                       frame->trap | (int64_t)p->stage << 32, frame->trap_value);
    return frame->trap >= 0 || __atomic_load_n(frame->cancel, __ATOMIC_RELAXED);
}

/* Reads the tile's part of streams into buffers. */
static bool feed(tile *p, int64_t k, lun_staging *feed)
{
    const lun__links *l = p->r->links;
    const int64_t each = p->s->launch->segment ? p->s->launch->segment : 1;
    if (!p->s->launch->streams)
        return true;
    lun__staging_open(feed, p->ir, p->w->tables + l->feeds[p->stage], l->rows * each + LUN_BLOCK);
    int failure =
        lun__staging_fill(feed, p->ir, p->s->launch, p->row * each, (p->row + p->count) * each);
    if (failure)
        lun__work_note((lun__run *)(uintptr_t)p->r, k, LUN_EIO,
                       feed->slot | (int64_t)p->stage << 32, failure);
    else
        p->fed = lun__staging_slots(feed, p->ir, p->s->launch, p->s->launch->slots);
    return !failure;
}

/* The cells of the tile's rows become elements of arrays. */
static void keep_cells(const tile *p)
{
    const lun__links *l = p->r->links;
    const uint64_t *cells = (const uint64_t *)(const void *)(p->w->tables + l->cells);
    const int results = p->ir->result_count;
    for (int k = 0; k < results; k++) {
        const lun_chain_array *a = &l->chain->arrays[p->s->results[k]];
        char *to = p->w->tables + l->arrays[p->s->results[k]];
        for (int64_t row = 0; row < p->count; row++, to += size_of(a->dtype)) {
            uint64_t cell = lun__dtype_cell_cast(a->dtype, (lun_dtype)p->ir->results[k],
                                                 cells[row * results + k]);
            memcpy(to, &cell, size_of(a->dtype));
        }
    }
}

/* Stores may pass by the caches where no kernel of the chain reads the segments again. */
static bool streams_out(const tile *p)
{
    const lun__links *l = p->r->links;
    for (int i = 0; i < p->ir->slot_count; i++) {
        const lun_chain_array *a = written(p, i);
        if (a && (a->narrow || !a->data || a->read))
            return false;
    }
    return p->r->cut.stream && l->whole == l->chain->segment;
}

typedef struct joint {
    const lun_exec *x;
    int results;
    lun_frame *frame;
} joint;

static lun_status combine_level(void *ctx, void *rows, int64_t pairs)
{
    const joint *j = ctx;
    lun__host_run_combine_rows(j->x, j->results, rows, pairs, j->frame);
    return LUN_OK;
}

/* The segment in work: all of its chunks, whose cells become one. */
static void run_segment(const tile *p, const lun_exec *x)
{
    lun_frame *frame = &p->w->frame;
    const int64_t n = frame->n, chunks = lun__order_chunks(p->ir, n);
    const size_t results = (size_t)p->ir->result_count;
    if (!results || chunks == 1) {
        x->body(x->self, 0, n, frame);
        return;
    }
    uint64_t *cell = frame->partials;
    uint64_t *cells = (uint64_t *)(void *)(p->w->tables + p->r->links->chunks);
    for (int64_t k = 0; k < chunks && frame->trap < 0; k++) {
        const int64_t end = (k + 1) * LUN_CHUNK;
        frame->partials = cells + (size_t)k * results;
        x->body(x->self, k * LUN_CHUNK, end < n ? end : n, frame);
    }
    if (frame->trap >= 0)
        return;
    (void)lun__order_join(cells, chunks, results * sizeof *cells, combine_level,
                          &(joint){x, p->ir->result_count, frame});
    memcpy(cell, cells, results * sizeof *cells);
}

/* Which of the tile's rows the stage is run for; NULL: all. */
static const uint8_t *needed_rows(const tile *p)
{
    const lun__links *l = p->r->links;
    if (p->s->needed_array >= 0)
        return (const uint8_t *)p->w->tables + l->arrays[p->s->needed_array];
    return p->s->needed ? p->s->needed + p->row : NULL;
}

static bool run_segments(const tile *p, int64_t k)
{
    const lun__links *l = p->r->links;
    const lun_exec *x = l->kernels[p->stage].exec;
    lun_frame *frame = &p->w->frame;
    const uint8_t *needed = needed_rows(p);
    uint64_t *cells = (uint64_t *)(void *)(p->w->tables + l->cells);
    const size_t results = (size_t)p->ir->result_count;
    frame->n = l->chain->segment;
    frame->stream = streams_out(p);
    for (int64_t row = p->row; row < p->row + p->count; row++) {
        bool outs;
        frame->partials = cells + (size_t)(row - p->row) * results;
        if (needed && !needed[row - p->row]) {
            memset(frame->partials, 0, results * sizeof *cells);
            continue;
        }
        place_segment(p, row, &outs);
        __atomic_store_n(&p->s->ran, 1, __ATOMIC_RELAXED);
        run_segment(p, x);
        if (has_failed(p, k))
            return false;
        if (outs)
            hand_out(p, row);
    }
    keep_cells(p);
    return true;
}

static bool run_elements(const tile *p, int64_t k)
{
    const lun_exec *x = p->r->links->kernels[p->stage].exec;
    place_elements(p);
    p->w->frame.n = p->count;
    p->w->frame.stream = 0;
    __atomic_store_n(&p->s->ran, 1, __ATOMIC_RELAXED);
    x->body(x->self, 0, p->count, &p->w->frame);
    return !has_failed(p, k);
}

bool lun__links_run(lun__run *r, lun_worker *w, int64_t k, int64_t row, int64_t count,
                    const void *given)
{
    const lun__links *l = r->links;
    const lun_chain *c = l->chain;
    tile p = {.r = r, .w = w, .row = row, .count = count, .given = given};
    for (p.stage = 0; p.stage < c->count; p.stage++) {
        lun_staging buffers;
        p.s = &c->stages[p.stage];
        p.ir = l->kernels[p.stage].ir;
        p.fed = NULL;
        w->frame.slots = (void **)(void *)(w->tables + l->slots);
        w->frame.args = p.s->launch->args;
        w->frame.trap = -1;
        w->frame.trap_value = 0;
        if (!feed(&p, k, &buffers) ||
            !(p.s->launch->segment ? run_segments(&p, k) : run_elements(&p, k)))
            return false;
    }
    for (int i = 0; i < c->array_count; i++) {
        const lun_chain_array *a = &c->arrays[i];
        if (a->narrow && a->data)
            memcpy(by(a->data, p.row, size_of(a->dtype)), w->tables + l->arrays[i],
                   (size_t)p.count * size_of(a->dtype));
    }
    return true;
}
