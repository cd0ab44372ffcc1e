/* sweep_unit.c - stages of sweeps on their units, row by row; see sweeps.h.
 *
 * Lines of results go straight to memory where whole blocks of them may be written there and no
 * stage reads them; elements in memory that only the same indices take are read there. */
#include <string.h>

#include "host/sweeps.h"

static size_t rounded(size_t bytes)
{
    return (bytes + LUN_ALIGNMENT - 1) / LUN_ALIGNMENT * LUN_ALIGNMENT;
}

static size_t size_of(const lun_stint *s, int array)
{
    return (size_t)s->p->sweep->box.size[array];
}

static int last_axis(const lun_stint *s)
{
    return s->p->sweep->box.rank - 1;
}

/* The next stand-in, with room for whole blocks of a row. */
static char *take_spare(const lun_stint *s, char **spare, int array)
{
    char *at = *spare;
    const int last = last_axis(s);
    *spare += rounded((size_t)lun__order_blocks(s->hi[last] - s->lo[last]) * size_of(s, array));
    return at;
}

/* ---- results --------------------------------------------------------------------------------- */

/* Elements of the row that belong to the tile; false: none do. */
static bool own_part(const lun_stint *s, int64_t *lo, int64_t *hi)
{
    const int last = last_axis(s);
    bool own = s->unit >= s->p->first && s->unit < s->p->end;
    for (int k = 1; k < last; k++)
        own = own && s->index[k] >= s->p->lo[k] && s->index[k] < s->p->hi[k];
    *lo = s->p->lo[last];
    *hi = s->p->hi[last];
    return own;
}

/* Where element j of the row is in the memory of a result. */
static char *result_place(const lun_stint *s, int array, int64_t j)
{
    const int64_t at = lun__sweep_buffer_flat(s->p, s->unit, s->index) + j;
    return (char *)s->p->sweep->arrays[array].to + (size_t)at * size_of(s, array);
}

/* Whether whole blocks of the row may be written to memory: what follows it there is this worker's
 * and comes later. */
static bool is_direct(const lun_stint *s)
{
    const int last = last_axis(s);
    int64_t lo, hi, outer = last > 1 ? s->index[last - 1] : s->unit;
    if (!own_part(s, &lo, &hi) || lo != s->lo[last] || hi != s->hi[last])
        return false;
    return (hi - lo) % LUN_BLOCK == 0 ||
           (hi - lo == s->p->sweep->box.extent[last] && outer + 1 < s->p->hi[last - 1]);
}

/* Lines of the unit that are elsewhere go to memory. */
static void hand_out(const lun_stint *s)
{
    int64_t lo, hi;
    const int last = last_axis(s);
    for (int i = 0; i < s->ir->slot_count; i++) {
        int array = s->s->slots[i];
        if (s->ir->slots[i].role != LUN_SLOT_OUT || s->rows.direct[i] ||
            !s->p->sweep->arrays[array].to)
            continue;
        size_t size = size_of(s, array);
        if (own_part(s, &lo, &hi))
            memcpy(result_place(s, array, lo),
                   (char *)s->rows.at[i] + (size_t)(lo - s->lo[last]) * size,
                   (size_t)(hi - lo) * size);
    }
}

/* ---- a row ---------------------------------------------------------------------------------- */

static bool note_unread(const lun_stint *s, const lun_sweep_array *from, int failure)
{
    lun__work_note((lun__run *)(uintptr_t)s->r, s->chunk, LUN_EIO,
                   from->slot | (int64_t)from->stage << 32, failure);
    return false;
}

/* An array that is read where it stands, or from a copy of the row where that has too few elements
 * behind it or is no memory. */
static bool read_in_place(lun_stint *s, int slot, int array, char **spare)
{
    const int last = last_axis(s);
    const lun_sweep_array *from = &s->p->sweep->arrays[array];
    const lun_launch *l = s->p->sweep->stages[from->stage].launch;
    const lun_stream *stream = l->streams ? &l->streams[from->slot] : NULL;
    const int64_t at = lun__sweep_buffer_flat(s->p, s->unit, s->index) + s->lo[last];
    const int64_t count = s->hi[last] - s->lo[last];
    const bool streams = stream && stream->read;
    int failure = 0;
    s->rows.by[slot] = s->p->sweep->box.extent[last] * (int64_t)size_of(s, array);
    s->rows.at[slot] = (char *)l->slots[from->slot] + (size_t)at * size_of(s, array);
    if (!streams && at + lun__order_blocks(count) <= l->room[from->slot])
        return true;
    char *to = take_spare(s, spare, array);
    if (streams)
        failure = stream->read(stream->self, stream->origin + at, count, to);
    else
        memcpy(to, s->rows.at[slot], (size_t)count * size_of(s, array));
    s->rows.at[slot] = to;
    s->rows.alike = false;
    return !failure || note_unread(s, from, failure);
}

static void place_result(lun_stint *s, int slot, int array, char **spare)
{
    lun_sweep_rows *l = &s->rows;
    const int last = last_axis(s);
    l->by[slot] = 0;
    if (s->p->plan->array[array].ring) {
        l->at[slot] = lun__sweep_buffer_at(s->p, array, s->unit, s->index);
        l->by[slot] = lun__sweep_buffer_segment(s->p, array);
    } else if (s->p->sweep->arrays[array].to && is_direct(s)) {
        l->direct[slot] = true;
        l->at[slot] = result_place(s, array, s->lo[last]);
        l->by[slot] = s->p->sweep->box.extent[last] * (int64_t)size_of(s, array);
    } else {
        l->at[slot] = take_spare(s, spare, array);
    }
}

/* The slots of row s->index of the unit.  False: what it reads cannot be read. */
static bool place_row(lun_stint *s)
{
    lun_sweep_rows *l = &s->rows;
    const int last = last_axis(s);
    char *spare = s->spare;
    l->all = true;
    l->alike = last > 1 && (s->hi[last] - s->lo[last]) % LUN_BLOCK == 0 &&
               s->lo[last - 1] == s->p->lo[last - 1] && s->hi[last - 1] == s->p->hi[last - 1];
    for (int i = 0; i < s->ir->slot_count; i++) {
        const int role = s->ir->slots[i].role, at = s->s->slots[i];
        const int array = role == LUN_SLOT_IN ? s->p->sweep->box.read[at].array : at;
        l->direct[i] = false;
        l->by[i] = 0;
        if (role == LUN_SLOT_IN && s->p->plan->array[array].ring)
            l->at[i] = lun__sweep_buffer_read(s->p, at, s->unit, s->lo, s->index, &l->by[i]);
        else if (role == LUN_SLOT_IN && !read_in_place(s, i, array, &spare))
            return false;
        else if (role == LUN_SLOT_OUT)
            place_result(s, i, array, &spare);
        else if (role != LUN_SLOT_IN)
            l->at[i] = s->s->launch->slots[i];
        l->all = l->all && (role != LUN_SLOT_OUT || l->direct[i]);
    }
    return true;
}

/* The same for the next row, if rows are alike. */
static void next_row(lun_stint *s)
{
    for (int i = 0; i < s->ir->slot_count; i++)
        s->rows.at[i] = (char *)s->rows.at[i] + s->rows.by[i];
}

bool lun__sweep_unit_failed(const lun_stint *s, const lun_frame *frame)
{
    if (frame->trap >= 0)
        lun__work_note((lun__run *)(uintptr_t)s->r, s->chunk,
                       lun__ir_trap_status(s->ir->ins[frame->trap].kind),
                       frame->trap | (int64_t)s->stage << 32, frame->trap_value);
    return frame->trap >= 0 || __atomic_load_n(frame->cancel, __ATOMIC_RELAXED);
}

/* ---- a unit ---------------------------------------------------------------------------------- */

void lun__sweep_unit_stage(lun_stint *s, int stage)
{
    const lun_sweeps *x = s->x;
    char *memory = s->w->tables;
    s->stage = stage;
    s->s = &x->sweep->stages[stage];
    s->ir = x->kernels[stage].ir;
    s->spare = memory + x->spare;
    s->rows.at = (void **)(void *)(memory + x->slots);
    s->rows.by = (int64_t *)(void *)(memory + x->steps);
    s->rows.direct = (bool *)(memory + x->direct);
    for (int k = 1; k <= last_axis(s); k++) {
        lun__sweep_buffer_range(s->p, &x->plan.stage[stage], k, &s->lo[k], &s->hi[k]);
        s->index[k] = s->lo[k];
    }
}

static bool run_unit(lun_stint *s)
{
    const lun_exec *x = s->x->kernels[s->stage].exec;
    const int last = last_axis(s);
    lun_frame *frame = &s->w->frame;
    const bool aligned = s->p->sweep->box.extent[last] % LUN_BLOCK == 0;
    frame->slots = s->rows.at;
    frame->args = s->s->launch->args;
    frame->n = s->hi[last] - s->lo[last];
    frame->trap = -1;
    frame->trap_value = 0;
    s->rows.alike = false;
    do {
        if (s->rows.alike && s->index[last - 1] != s->lo[last - 1])
            next_row(s);
        else if (!place_row(s))
            return false;
        frame->stream = s->rows.all && s->r->cut.stream && frame->n % LUN_BLOCK == 0 && aligned;
        x->body(x->self, 0, frame->n, frame);
        if (lun__sweep_unit_failed(s, frame))
            return false;
        if (!s->rows.all)
            hand_out(s);
    } while (lun__sweep_buffer_next(last + 1, s->lo, s->hi, s->index));
    for (int i = 0; i < s->ir->slot_count; i++)
        if (s->ir->slots[i].role == LUN_SLOT_OUT && s->p->plan->array[s->s->slots[i]].ring)
            lun__sweep_buffer_margins(s->p, s->s->slots[i], s->unit);
    return true;
}

/* ---- a step ---------------------------------------------------------------------------------- */

static bool load_unit(const lun_stint *s, int array)
{
    const lun_sweep_array *from = &s->p->sweep->arrays[array];
    int failure = lun__sweep_buffer_load(s->p, array, s->unit);
    if (failure)
        return note_unread(s, from, failure);
    lun__sweep_buffer_margins(s->p, array, s->unit);
    return true;
}

bool lun__sweep_unit_step(lun_stint *s, int64_t step, int stages)
{
    const lun_sweep *w = s->x->sweep;
    int64_t lo, hi;
    for (int a = 0; a < w->box.arrays; a++) {
        const lun_sweep_part *part = &s->p->plan->array[a];
        lun__sweep_buffer_range(s->p, part, 0, &lo, &hi);
        s->unit = step - part->lag;
        if (w->box.maker[a] < 0 && part->ring && s->unit >= lo && s->unit < hi && !load_unit(s, a))
            return false;
    }
    for (int k = 0; k < stages; k++) {
        const lun_sweep_part *part = &s->p->plan->stage[k];
        lun__sweep_buffer_range(s->p, part, 0, &lo, &hi);
        s->unit = step - part->lag;
        lun__sweep_unit_stage(s, k);
        if (s->unit >= lo && s->unit < hi && !run_unit(s))
            return false;
    }
    return true;
}
