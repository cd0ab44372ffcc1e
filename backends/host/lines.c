/* lines.c - elementwise kernels line by line, in place; see lines.h.
 *
 * A kernel computes whole blocks of 64.  What it reads beyond a line does no harm within the
 * array's memory; what it writes there is overwritten by the next line, where that is the same
 * worker's and stands behind.  Elsewhere the rest of a line goes through stand-ins of a block.
 * What is repeated along a line is read from a buffer of equal elements. */
#include "host/lines.h"

#include <string.h>

#include "ir/combine_order.h"

enum {
    PIECE = 2048, /* of a line at once, at most */
    ALIGNED = 64
};

/* How a slot goes along lines. */
typedef enum way {
    STAYS,   /* the same for all indices */
    FLAT,    /* it stands side by side */
    WALKS,   /* lines stand apart */
    REPEATS, /* each line is one element */
    SET      /* lines that are written stand apart */
} way;

typedef struct line_slot {
    way way;
    size_t size;
    char *base; /* of element 0 of the layout, or of the slot */
    const lun_layout *layout;
    int64_t index[LUN_LAYOUT_RANK], at; /* of the layout: of the element where the line is */
    int64_t room;                       /* elements from the base on */
    char *buffer;                       /* of REPEATS */
} line_slot;

typedef struct lines {
    const lun_ir *ir;
    const lun_exec *x;
    lun_frame *frame;
    line_slot *slots;
    void **at; /* the frame's slots */
    char *spare;
    bool exposed; /* what is written behind a line may be what another one reads, or keeps */
} lines;

static size_t rounded(size_t bytes)
{
    return (bytes + ALIGNED - 1) / ALIGNED * ALIGNED;
}

static size_t table_bytes(const lun_ir *ir)
{
    return rounded((size_t)ir->slot_count * (sizeof(line_slot) + sizeof(void *)));
}

static size_t size_of(const lun_ir *ir, int s)
{
    return (size_t)lun__dtype_get((lun_dtype)ir->slots[s].dtype)->bytes;
}

static bool repeats(const lun_stream *s)
{
    return s->read && s->layout->stride[s->layout->rank - 1] == 0;
}

size_t lun__lines_bytes(const lun_ir *ir, const lun_launch *l)
{
    size_t total = table_bytes(ir) + (size_t)ir->slot_count * LUN_BLOCK * sizeof(uint64_t);
    for (int s = 0; s < ir->slot_count; s++)
        total += repeats(&l->streams[s]) ? PIECE * size_of(ir, s) : 0;
    return rounded(total);
}

/* ---- whether --------------------------------------------------------------------------------- */

/* The elements of a line of a stream; 0: it has none. */
static int64_t line_of(const lun_stream *s)
{
    const int64_t line = s->room > 0 && !s->origin ? lun__layout_line(s->layout) : 0;
    return s->write && line && s->layout->stride[s->layout->rank - 1] == 0 ? 0 : line;
}

int64_t lun__lines_length(const lun_ir *ir, const lun_launch *l)
{
    int64_t length = 0;
    if (!l->streams || l->first || l->segment || !lun__ir_any_index(ir))
        return 0;
    for (int s = 0; s < ir->slot_count; s++) {
        const lun_stream *from = &l->streams[s];
        if (!from->read && !from->write)
            continue;
        const int64_t own = line_of(from);
        if (!own || (length && own % length && length % own))
            return 0;
        length = length && length < own ? length : own;
    }
    return length && l->count % length == 0 ? length : 0;
}

/* ---- slots ----------------------------------------------------------------------------------- */

/* The layout's element number `element`. */
static void move_to(line_slot *s, int64_t element)
{
    s->at = s->layout->offset;
    for (int k = s->layout->rank - 1; k >= 0; k--) {
        s->index[k] = element % s->layout->extent[k];
        element /= s->layout->extent[k];
        s->at += s->index[k] * s->layout->stride[k];
    }
}

/* On by n elements, which are of one line of it. */
static void move_on(line_slot *s, int64_t n)
{
    const lun_layout *l = s->layout;
    int k = l->rank - 1;
    s->index[k] += n;
    s->at += n * l->stride[k];
    while (k > 0 && s->index[k] == l->extent[k]) {
        s->index[k] = 0;
        s->at -= l->extent[k] * l->stride[k];
        k--;
        s->index[k]++;
        s->at += l->stride[k];
    }
}

static void open_slot(const lines *x, const lun_launch *l, int i, int64_t first, char *buffer)
{
    line_slot *s = &x->slots[i];
    const lun_stream *from = &l->streams[i];
    const int role = x->ir->slots[i].role;
    *s = (line_slot){.way = STAYS,
                     .size = size_of(x->ir, i),
                     .base = l->slots[i],
                     .room = l->room[i],
                     .buffer = buffer};
    x->at[i] = l->slots[i];
    if (from->read || from->write) {
        const int64_t step = from->layout->stride[from->layout->rank - 1];
        s->way = from->write ? SET : step ? WALKS : REPEATS;
        s->layout = from->layout;
        s->room = from->room;
        move_to(s, first);
    } else if (role == LUN_SLOT_IN || role == LUN_SLOT_OUT) {
        s->way = FLAT;
        s->at = first;
    }
}

/* n elements, whole blocks, that are the one at `from`: blocks of 64 bytes at a time. */
static void repeat(const line_slot *s, int64_t n)
{
    const char *from = s->base + s->at * (int64_t)s->size;
    const size_t bytes = (size_t)lun__order_blocks(n) * s->size;
    typedef uint64_t block __attribute__((vector_size(ALIGNED), aligned(8), may_alias));
    uint64_t cell = 0;
    memcpy(&cell, from, s->size);
    for (size_t size = s->size; size < sizeof cell; size *= 2)
        cell |= cell << (8 * size);
    const block all = cell - (block){0};
    for (size_t k = 0; k < bytes; k += ALIGNED)
        *(block *)(void *)(s->buffer + k) = all;
}

/* The slots for n elements from where the lines are. */
static void place(const lines *x, int64_t n)
{
    for (int i = 0; i < x->ir->slot_count; i++) {
        const line_slot *s = &x->slots[i];
        if (s->way == STAYS)
            continue;
        x->at[i] = s->way == REPEATS ? s->buffer : s->base + s->at * (int64_t)s->size;
        if (s->way == REPEATS)
            repeat(s, n);
    }
}

static void advance(const lines *x, int64_t n)
{
    for (int i = 0; i < x->ir->slot_count; i++) {
        line_slot *s = &x->slots[i];
        if (s->layout)
            move_on(s, n);
        else if (s->way == FLAT)
            s->at += n;
    }
}

/* ---- lines ----------------------------------------------------------------------------------- */

/* Whether whole blocks of n elements may be read and written; left: elements of the run from here
 * on. */
static bool has_room(const lines *x, int64_t n, int64_t left)
{
    const int64_t whole = lun__order_blocks(n);
    bool has = whole == n || (!x->exposed && whole <= left);
    for (int i = 0; has && i < x->ir->slot_count; i++) {
        const line_slot *s = &x->slots[i];
        has = s->way == STAYS || s->way == REPEATS || s->at + whole <= s->room;
    }
    return has;
}

static void call(const lines *x, int64_t n)
{
    x->frame->n = n;
    x->x->body(x->x->self, 0, n, x->frame);
}

/* The last n elements of a line, less than a block, from number `from` of it on. */
static void run_rest(const lines *x, int64_t from, int64_t n)
{
    char *spare = x->spare;
    for (int i = 0; i < x->ir->slot_count; i++) {
        const line_slot *s = &x->slots[i];
        if (s->way == STAYS || s->way == REPEATS)
            continue;
        char *at = (char *)x->at[i] + (size_t)from * s->size;
        x->at[i] = at;
        const bool out = x->ir->slots[i].role == LUN_SLOT_OUT;
        if (!out && s->at + from + LUN_BLOCK <= s->room)
            continue;
        if (!out) {
            memcpy(spare, at, (size_t)n * s->size);
            memset(spare + (size_t)n * s->size, 0, (size_t)(LUN_BLOCK - n) * s->size);
        }
        x->at[i] = spare;
        spare += LUN_BLOCK * sizeof(uint64_t);
    }
    call(x, n);
    for (int i = 0; x->frame->trap < 0 && i < x->ir->slot_count; i++) {
        const line_slot *s = &x->slots[i];
        if (x->ir->slots[i].role == LUN_SLOT_OUT)
            memcpy(s->base + (s->at + from) * (int64_t)s->size, x->at[i], (size_t)n * s->size);
    }
}

/* Whether an OUT slot's lines stand apart, or it is memory that is read as well. */
static bool is_exposed(const lines *x)
{
    bool is = false;
    for (int i = 0; i < x->ir->slot_count; i++) {
        is |= x->slots[i].way == SET;
        for (int k = 0; x->ir->slots[i].role == LUN_SLOT_OUT && k < x->ir->slot_count; k++)
            is |= x->ir->slots[k].role == LUN_SLOT_IN && x->slots[k].base == x->slots[i].base;
    }
    return is;
}

void lun__lines_run(const lun_ir *ir, const lun_launch *l, const lun_exec *x, lun_frame *frame,
                    char *memory, int64_t lo, int64_t hi)
{
    const int64_t length = lun__lines_length(ir, l);
    lines w = {.ir = ir, .x = x, .frame = frame, .slots = (line_slot *)(void *)memory};
    w.at = (void **)(void *)(w.slots + ir->slot_count);
    w.spare = memory + table_bytes(ir);
    char *buffer = w.spare + (size_t)ir->slot_count * LUN_BLOCK * sizeof(uint64_t);
    for (int i = 0; i < ir->slot_count; i++) {
        open_slot(&w, l, i, lo, buffer);
        buffer += repeats(&l->streams[i]) ? PIECE * size_of(ir, i) : 0;
    }
    w.exposed = is_exposed(&w);
    frame->slots = w.at;
    frame->stream = 0;
    for (int64_t at = lo, n; at < hi && frame->trap < 0; at += n) {
        const int64_t line = length - at % length;
        n = line < PIECE ? line : PIECE;
        const int64_t whole = has_room(&w, n, hi - at) ? n : n / LUN_BLOCK * LUN_BLOCK;
        place(&w, n);
        if (whole)
            call(&w, whole);
        if (whole < n && frame->trap < 0)
            run_rest(&w, whole, n - whole);
        advance(&w, n);
        if (__atomic_load_n(frame->cancel, __ATOMIC_RELAXED))
            break;
    }
}
