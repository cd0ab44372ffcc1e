/* launch.c - runs of kernels on a rank that serves: a launch as rank 0 sends it, checked against
 * what the buffers hold, as the rank's backend takes it.  On host memory slots are addresses, and
 * elements that stand apart are read by a function.  Knows nothing of what a kernel computes. */
#include <stdlib.h>
#include <string.h>

#include "base/layout/layout.h"
#include "ir/combine_order.h"
#include "mpi/desk.h"

/* Elements of a slot that do not stand side by side. */
typedef struct apart {
    lun_layout at;
    const char *base; /* NULL: places */
    int size;
} apart;

/* A launch and all that it points to. */
typedef struct bench {
    lun_desk_kernel *k;
    lun_launch l;
    lun_desk_buffer **buffers; /* by slot, NULL: none */
    void **slots;
    int64_t *room, *origin;
    lun_stream *streams;
    apart *apart;
    uint64_t *args, *cells;
    bool any_apart;
} bench;

static int read_apart(const void *self, int64_t first, int64_t count, void *to)
{
    const apart *x = self;
    if (x->base)
        lun__strided_read(&x->at, x->base, x->size, first, count, to);
    else
        lun__strided_offsets(&x->at, first, count, to);
    return 0;
}

static void close_bench(bench *b)
{
    free(b->buffers);
    free(b->slots);
    free(b->room);
    free(b->streams);
    free(b->apart);
    free(b->args);
    free(b->cells);
}

static bool open_bench(bench *b, lun_desk_kernel *k)
{
    const size_t slots = (size_t)k->packed.ir.slot_count + 1;
    *b = (bench){.k = k};
    b->buffers = calloc(slots, sizeof *b->buffers);
    b->slots = calloc(slots, sizeof *b->slots);
    b->room = calloc(2 * slots, sizeof *b->room);
    b->streams = calloc(slots, sizeof *b->streams);
    b->apart = calloc(slots, sizeof *b->apart);
    b->args = calloc((size_t)k->packed.ir.arg_count + 1, sizeof *b->args);
    if (!b->buffers || !b->slots || !b->room || !b->streams || !b->apart || !b->args)
        return false;
    b->origin = b->room + slots;
    return true;
}

/* ---- reading --------------------------------------------------------------------------------- */

static void take_args(bench *b, lun_bytes *in)
{
    for (int i = 0; i < b->k->packed.ir.arg_count; i++)
        b->args[i] = (uint64_t)lun__bytes_take_i64(in);
}

static void take_slot(lun_desk *d, bench *b, int i, lun_bytes *in)
{
    const int32_t number = lun__bytes_take_i32(in);
    b->origin[i] = lun__bytes_take_i64(in);
    b->room[i] = lun__bytes_take_i64(in);
    const unsigned form = lun__bytes_take_u8(in);
    if (number >= 0 && (number >= d->buffer_count || !d->buffers[number].used))
        in->bad = true;
    else if (number >= 0)
        b->buffers[i] = &d->buffers[number];
    in->bad |= (number >= 0 && form == LUN_MPI_PLACES) || form > LUN_MPI_LINES;
    if (form == LUN_MPI_DENSE)
        return;
    b->any_apart = true;
    b->streams[i].origin = lun__bytes_take_i64(in);
    b->apart[i] = (apart){.at = lun__bytes_take_layout(in)};
    b->streams[i].layout = &b->apart[i].at;
    if (form == LUN_MPI_LINES)
        return;
    b->streams[i].read = read_apart;
    b->streams[i].self = &b->apart[i];
    b->streams[i].is_offsets = form == LUN_MPI_PLACES;
    in->bad |= b->k->packed.ir.slots[i].role != LUN_SLOT_IN;
}

/* Whether the launch may go in turns, or does not. */
static bool turns_fit(const lun_desk *d, const bench *b)
{
    const lun_ir *ir = &b->k->packed.ir;
    const lun_launch *l = &b->l;
    bool fits = true;
    int64_t run = 0;
    for (int i = 0; i < ir->slot_count; i++) {
        const lun_stream *x = &b->streams[i];
        fits &= l->turns ? !x->read : !x->layout || x->read;
    }
    if (!l->turns)
        return fits;
    return fits && !d->by->buffer_new && d->can.segments && !ir->result_count && ir->scan < 0 &&
           !ir->threads && l->segment > 0 && l->segment % LUN_BLOCK == 0 &&
           !__builtin_mul_overflow(l->segment, l->turns, &run) && l->n > 0 && l->n % run == 0;
}

static void take_range(const lun_desk *d, bench *b, lun_bytes *in)
{
    lun_launch *l = &b->l;
    l->n = lun__bytes_take_within(in, 0, INT64_MAX);
    l->first = lun__bytes_take_within(in, 0, l->n);
    l->count = lun__bytes_take_within(in, 1, l->n - l->first > 1 ? l->n - l->first : 1);
    l->segment = lun__bytes_take_within(in, 0, l->n);
    l->turns = lun__bytes_take_within(in, 0, l->n);
    l->bytes = lun__bytes_take_within(in, 0, INT64_MAX);
    l->chunk = lun__bytes_take_within(in, 0, INT64_MAX);
    l->workgroup = lun__bytes_take_i32(in);
    l->in_order = lun__bytes_take_u8(in);
    l->stage = (lun_stage)lun__bytes_take_u8(in);
    const lun_ir *ir = &b->k->packed.ir;
    const int64_t grain = ir->result_count && !l->segment ? LUN_CHUNK : LUN_BLOCK;
    const bool whole = l->segment || ir->scan >= 0;
    in->bad |= l->first + l->count > l->n || l->first % grain != 0 ||
               (whole && (l->first || l->count != l->n)) || (l->segment && l->n % l->segment) ||
               l->stage > LUN_STAGE_CARRIED ||
               (l->stage && (ir->scan < 0 || ir->result_count || l->segment)) || !turns_fit(d, b);
}

/* The cells of the launch, with what a stage begins with. */
static void take_cells(bench *b, lun_bytes *in, int64_t *count)
{
    const lun_ir *ir = &b->k->packed.ir;
    const lun_launch *l = &b->l;
    const int64_t rows = l->segment ? l->count / l->segment : lun__order_chunks(ir, l->count);
    int64_t bytes = 0;
    in->bad |= __builtin_mul_overflow(rows, l->stage ? 1 : (int64_t)ir->result_count, count) ||
               *count > LUN_MPI_CELLS;
    const void *from = l->stage > LUN_STAGE_TOTALS ? lun__bytes_take_bytes(in, &bytes) : NULL;
    in->bad |=
        bytes % (int64_t)sizeof *b->cells || (from && bytes / (int64_t)sizeof *b->cells != *count);
    b->cells = in->bad ? NULL : calloc((size_t)*count + 1, sizeof *b->cells);
    if (b->cells && bytes)
        memcpy(b->cells, from, (size_t)bytes);
}

/* ---- checking -------------------------------------------------------------------------------- */

/* Whether low .. high - 1, counted from `origin`, are among so many elements. */
static bool within(int64_t low, int64_t high, int64_t origin, int64_t elements)
{
    int64_t from, to;
    return !__builtin_add_overflow(low, origin, &from) &&
           !__builtin_add_overflow(high, origin, &to) && from >= 0 && from <= to && to <= elements;
}

/* The places of what a stream gives. */
static bool stream_fits(const bench *b, int i, int64_t elements)
{
    const lun_stream *s = &b->streams[i];
    int64_t first, end, low, high;
    if (__builtin_add_overflow(s->origin, b->l.first, &first) ||
        __builtin_add_overflow(first, b->l.count, &end) || first < 0 ||
        end > lun__layout_count(s->layout))
        return false;
    if (s->is_offsets)
        return true;
    return lun__layout_range_of(s->layout, first, end - 1, &low, &high) && high < INT64_MAX &&
           within(low, high + 1, b->origin[i], elements);
}

/* The elements of segments that go in turns: of each run the host finds the first two segments
 * by the layout, and the others as far apart. */
static bool segments_fit(const bench *b, int i, int64_t elements)
{
    const lun_layout *at = b->streams[i].layout;
    const lun_launch *l = &b->l;
    const int role = b->k->packed.ir.slots[i].role;
    const int64_t each = role == LUN_SLOT_IN || role == LUN_SLOT_OUT ? l->segment : 1;
    int64_t low, high;
    bool fits = lun__layout_count(at) == l->n && !b->streams[i].origin &&
                lun__layout_range(at, &low, &high) && high < INT64_MAX - each;
    for (int64_t f = 0; fits && f < l->n; f += l->segment * l->turns) {
        const int64_t first = lun__layout_offset(at, f);
        int64_t last = l->turns > 1 ? lun__layout_offset(at, f + l->segment) : first, end;
        fits = !__builtin_sub_overflow(last, first, &last) &&
               !__builtin_mul_overflow(last, l->turns - 1, &last) &&
               !__builtin_add_overflow(first, last, &last) &&
               !__builtin_add_overflow(first > last ? first : last, each, &end) &&
               within(first < last ? first : last, end, b->origin[i], elements);
    }
    return fits;
}

/* Whether a slot's elements are in its buffer; limits its room to them. */
static bool slot_fits(bench *b, int i)
{
    const lun_ir_slot *slot = &b->k->packed.ir.slots[i];
    const int64_t size = lun__dtype_get((lun_dtype)slot->dtype)->bytes;
    const int64_t elements = b->buffers[i] ? b->buffers[i]->bytes / size : 0;
    int64_t there, low = 0, high = slot->role == LUN_SLOT_UNIFORM ? 1 : 0;
    if (b->l.stage == LUN_STAGE_CARRIES &&
        (slot->role == LUN_SLOT_IN || slot->role == LUN_SLOT_OUT))
        return true;
    if (b->streams[i].read)
        return stream_fits(b, i, elements);
    if (b->streams[i].layout)
        return segments_fit(b, i, elements);
    if (slot->role == LUN_SLOT_IN || slot->role == LUN_SLOT_OUT) {
        low = b->l.first;
        high = low + b->l.count;
    }
    if (!within(low, high, b->origin[i], elements) ||
        __builtin_sub_overflow(elements, b->origin[i], &there))
        return false;
    b->room[i] = b->room[i] < there ? b->room[i] : there;
    return b->room[i] >= high;
}

/* What a launch reads or writes may be unusable. */
static lun_status check_flaws(lun_desk *d, const bench *b)
{
    lun_status s = lun__desk_check(d, &b->k->flaw);
    for (int i = 0; s == LUN_OK && i < b->k->packed.ir.slot_count; i++)
        if (b->buffers[i] && (b->k->packed.ir.slots[i].role != LUN_SLOT_OUT ||
                              (!b->buffers[i]->data && !b->buffers[i]->buffer)))
            s = lun__desk_ready(d, b->buffers[i]);
    return s;
}

/* Where slots are, as the backend sees them. */
static void place_slots(lun_desk *d, bench *b)
{
    for (int i = 0; i < b->k->packed.ir.slot_count; i++) {
        const int size = lun__dtype_get((lun_dtype)b->k->packed.ir.slots[i].dtype)->bytes;
        lun_desk_buffer *from = b->buffers[i];
        b->apart[i].size = size;
        if (d->by->buffer_new)
            b->slots[i] = from ? from->buffer : NULL;
        else if (from) /* the address of what may lie outside is not used as such */
            b->slots[i] = (void *)((uintptr_t)from->data + (uintptr_t)(b->origin[i] * size));
        b->apart[i].base = d->by->buffer_new ? NULL : b->slots[i];
    }
    b->l.slots = b->slots;
    b->l.room = b->room;
    b->l.origin = d->by->buffer_new ? b->origin : NULL;
    b->l.streams = b->any_apart ? b->streams : NULL;
    b->l.args = b->args;
}

/* ---- running --------------------------------------------------------------------------------- */

/* A run, in the thread that has time for it. */
typedef struct running {
    lun_desk *d;
    bench *b;
} running;

static lun_status run_kernel(void *ctx)
{
    const running *r = ctx;
    const lun_work work = lun__work_launch(r->b->k->kernel, &r->b->l);
    return lun__backend_work_do(r->d->by, r->d->state, &work);
}

static lun_status run(lun_desk *d, bench *b)
{
    lun_status s = check_flaws(d, b);
    if (s != LUN_OK)
        return s;
    if (!b->cells)
        return lun__desk_fail(d, LUN_ENOMEM, "out of memory");
    place_slots(d, b);
    b->l.partials = b->cells;
    b->l.trap = -1;
    running r = {d, b};
    if (b->k->lasts) {
        s = lun__hands_do(&d->hands, run_kernel, &r, d->listen, d->own.tick_ctx);
    } else {
        d->own.tick = d->listen; /* this thread runs it, and listens between its chunks */
        s = run_kernel(&r);
        d->own.tick = NULL;
    }
    d->trap = b->l.trap;
    d->trap_value = b->l.trap_value;
    return s;
}

/* What was written is usable, or is not. */
static void mark_written(lun_desk *d, const bench *b, lun_status s)
{
    for (int i = 0; i < b->k->packed.ir.slot_count; i++) {
        if (b->k->packed.ir.slots[i].role != LUN_SLOT_OUT || !b->buffers[i])
            continue;
        if (s == LUN_OK)
            lun__desk_mend(&b->buffers[i]->flaw);
        else
            lun__desk_spoil(d, &b->buffers[i]->flaw, s);
    }
}

lun_status lun__desk_run(lun_desk *d, lun_bytes *in, bool *answers)
{
    bench b = {0};
    int64_t cells = 0;
    lun_desk_kernel *k = lun__desk_kernel(d, in);
    lun_status s = LUN_OK;
    *answers = false;
    if (!k)
        return lun__desk_strange(d, in);
    if (!open_bench(&b, k))
        s = lun__desk_fail(d, LUN_ENOMEM, "out of memory");
    const lun_ir *ir = &k->packed.ir;
    if (s == LUN_OK) {
        take_args(&b, in);
        for (int i = 0; !in->bad && i < ir->slot_count; i++)
            take_slot(d, &b, i, in);
        take_range(d, &b, in);
        if (!in->bad)
            take_cells(&b, in, &cells);
        *answers = lun__bytes_take_u8(in);
        for (int i = 0; !in->bad && i < ir->slot_count; i++)
            in->bad = (!b.buffers[i] || b.buffers[i]->flaw.status == LUN_OK) && !slot_fits(&b, i);
        b.l.whole = !*answers; /* nobody would hear that it was stopped */
        d->stops = *answers;
        s = in->bad ? lun__desk_strange(d, in) : run(d, &b);
    }
    if (!in->bad)
        mark_written(d, &b, s);
    if (s == LUN_OK)
        lun__bytes_put_bytes(&d->rest, b.cells,
                             b.l.stage == LUN_STAGE_CARRIED ? 0 : cells * (int64_t)sizeof *b.cells);
    close_bench(&b);
    return s;
}

static lun_status combine(lun_desk *d, bench *b, uint64_t *cells, int64_t pairs)
{
    lun_status s = check_flaws(d, b);
    if (s != LUN_OK)
        return s;
    place_slots(d, b);
    b->l.trap = -1;
    const lun_work work = lun__work_combine(b->k->kernel, &b->l, cells, pairs);
    s = lun__backend_work_do(d->by, d->state, &work);
    d->trap = b->l.trap;
    d->trap_value = b->l.trap_value;
    return s;
}

lun_status lun__desk_combine(lun_desk *d, lun_bytes *in, bool *answers)
{
    bench b = {0};
    int64_t bytes, wanted = 0;
    lun_desk_kernel *k = lun__desk_kernel(d, in);
    *answers = true;
    if (!k)
        return lun__desk_strange(d, in);
    if (!open_bench(&b, k)) {
        close_bench(&b);
        return lun__desk_fail(d, LUN_ENOMEM, "out of memory");
    }
    const lun_ir *ir = &k->packed.ir;
    take_args(&b, in);
    for (int i = 0; !in->bad && i < ir->slot_count; i++)
        if (ir->slots[i].role == LUN_SLOT_ARRAY) {
            take_slot(d, &b, i, in);
            in->bad |= b.any_apart || (!in->bad && !slot_fits(&b, i));
        }
    const int64_t pairs = lun__bytes_take_within(in, 0, LUN_MPI_PIECE);
    const void *from = lun__bytes_take_bytes(in, &bytes);
    wanted = 2 * pairs * ir->result_count * (int64_t)sizeof(uint64_t);
    lun_status s = LUN_OK;
    if (in->bad || bytes != wanted)
        s = lun__desk_strange(d, in);
    else if (!(b.cells = malloc((size_t)bytes + 1)))
        s = lun__desk_fail(d, LUN_ENOMEM, "out of memory");
    if (s == LUN_OK) {
        if (bytes)
            memcpy(b.cells, from, (size_t)bytes);
        s = combine(d, &b, b.cells, pairs);
    }
    if (s == LUN_OK)
        lun__bytes_put_bytes(&d->rest, b.cells, bytes / 2);
    close_bench(&b);
    return s;
}
