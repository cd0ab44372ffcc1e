/* sweep.c - sweeps on the host: a worker takes a piece of the box through all stages, unit by unit;
 * see backend.h, host.h and base/sweep.h.
 *
 * Lines of results go straight to memory where whole blocks of them may be written there and no
 * stage reads them.  Knows neither how a kernel computes nor what it is for. */
#include "host/piece.h"

#include <stdlib.h>
#include <string.h>

enum { OVERLAPS = 32 }; /* times that a band is as long as what it computes beyond its ends */

/* The links of a run. */
typedef struct lun__sweeps {
    lun_sweep *sweep;
    const lun_host_kernel *kernels;
    lun_sweep_plan plan;
    int64_t first, end, band;      /* units; of a band */
    int64_t cuts[LUN_LAYOUT_RANK]; /* pieces along axes 1 and up */
    size_t *rings, *values;        /* by array, in a worker's memory */
    size_t newest, readers;        /* in a worker's memory, as the others below */
    size_t slots, spare, ends;     /* the same: slots, a stand-in for each, and where those go */
    size_t bytes;
} sweeps;

/* A stage at work on a unit. */
typedef struct shift {
    const lun__run *r;
    const sweeps *x;
    lun_worker *w;
    const lun_piece *p;
    int64_t chunk;
    int stage;
    const lun_sweep_stage *s;
    const lun_ir *ir;
    int64_t unit;
    int64_t lo[LUN_LAYOUT_RANK], hi[LUN_LAYOUT_RANK], index[LUN_LAYOUT_RANK];
} shift;

static size_t rounded(size_t bytes)
{
    return (bytes + LUN_ALIGNMENT - 1) / LUN_ALIGNMENT * LUN_ALIGNMENT;
}

static size_t size_of(const lun_sweep *s, int array)
{
    return (size_t)s->box.size[array];
}

static int last_axis(const shift *s)
{
    return s->p->sweep->box.rank - 1;
}

/* ---- results --------------------------------------------------------------------------------- */

/* Elements of the line that belong to the piece; false: none do. */
static bool own_part(const shift *s, int64_t *lo, int64_t *hi)
{
    const int last = last_axis(s);
    bool own = s->unit >= s->p->lo[0] && s->unit < s->p->hi[0];
    for (int k = 1; k < last; k++)
        own = own && s->index[k] >= s->p->lo[k] && s->index[k] < s->p->hi[k];
    *lo = s->p->lo[last];
    *hi = s->p->hi[last];
    return own;
}

/* Where element j of the line is in the memory of a result. */
static char *result_place(const shift *s, int array, int64_t j)
{
    const lun_sweep_box *b = &s->p->sweep->box;
    int64_t at = s->unit;
    for (int k = 1; k < last_axis(s); k++)
        at = at * b->extent[k] + s->index[k];
    at = at * b->extent[last_axis(s)] + j;
    return (char *)s->p->sweep->arrays[array].to + (size_t)at * size_of(s->p->sweep, array);
}

/* Whether whole blocks of the line may be written to memory: what follows it there is this worker's
 * and comes later. */
static bool is_direct(const shift *s)
{
    const int last = last_axis(s);
    int64_t lo, hi, outer = last > 1 ? s->index[last - 1] : s->unit;
    if (!own_part(s, &lo, &hi) || lo != s->lo[last] || hi != s->hi[last])
        return false;
    return (hi - lo) % LUN_BLOCK == 0 ||
           (hi - lo == s->p->sweep->box.extent[last] && outer + 1 < s->p->hi[last - 1]);
}

/* Lines of the unit that are elsewhere go to memory. */
static void hand_out(const shift *s, void *const *slots, const bool *direct)
{
    int64_t lo, hi;
    const int last = last_axis(s);
    for (int i = 0; i < s->ir->slot_count; i++) {
        int array = s->s->slots[i];
        if (s->ir->slots[i].role != LUN_SLOT_OUT || direct[i] || !s->p->sweep->arrays[array].to)
            continue;
        size_t size = size_of(s->p->sweep, array);
        if (own_part(s, &lo, &hi))
            memcpy(result_place(s, array, lo), (char *)slots[i] + (size_t)(lo - s->lo[last]) * size,
                   (size_t)(hi - lo) * size);
    }
}

/* ---- a line ---------------------------------------------------------------------------------- */

/* The slots of a line; direct: by slot, whether it is written to memory.  True: all results are. */
static bool place_line(const shift *s, void **slots, bool *direct)
{
    bool all = true;
    char *spare = s->w->lines + s->x->spare;
    for (int i = 0; i < s->ir->slot_count; i++) {
        const int role = s->ir->slots[i].role, at = s->s->slots[i];
        direct[i] = false;
        if (role == LUN_SLOT_IN) {
            slots[i] = lun__piece_read(s->p, at, s->unit, s->lo, s->index);
        } else if (role == LUN_SLOT_OUT && s->p->plan->array[at].ring) {
            slots[i] = lun__piece_place(s->p, at, s->unit, s->index);
        } else if (role == LUN_SLOT_OUT) {
            direct[i] = s->p->sweep->arrays[at].to && is_direct(s);
            slots[i] = direct[i] ? result_place(s, at, s->lo[last_axis(s)]) : spare;
            spare +=
                rounded((size_t)lun__order_blocks(s->p->plan->piece[last_axis(s)] +
                                                  s->p->plan->stage[s->stage].before[last_axis(s)] +
                                                  s->p->plan->stage[s->stage].after[last_axis(s)]) *
                        size_of(s->p->sweep, at));
        } else {
            slots[i] = s->s->launch->slots[i];
        }
        all = all && (role != LUN_SLOT_OUT || direct[i]);
    }
    return all;
}

static bool has_failed(const shift *s)
{
    lun_frame *frame = &s->w->frame;
    if (frame->trap >= 0)
        lun__run_note((lun__run *)(uintptr_t)s->r, s->chunk,
                      lun__ir_trap_status(s->ir->ins[frame->trap].kind),
                      frame->trap | (int64_t)s->stage << 32, frame->trap_value);
    return frame->trap >= 0 || __atomic_load_n(frame->cancel, __ATOMIC_RELAXED);
}

/* ---- a unit ---------------------------------------------------------------------------------- */

static bool run_unit(shift *s)
{
    const lun_exec *x = s->x->kernels[s->stage].exec;
    const int last = last_axis(s);
    lun_frame *frame = &s->w->frame;
    void **slots = (void **)(void *)(s->w->lines + s->x->slots);
    bool *direct = (bool *)(s->w->lines + s->x->ends);
    for (int k = 1; k <= last; k++) {
        lun__piece_range(s->p, &s->p->plan->stage[s->stage], k, &s->lo[k], &s->hi[k]);
        s->index[k] = s->lo[k];
    }
    frame->slots = slots;
    frame->args = s->s->launch->args;
    frame->math = x->math;
    frame->n = s->hi[last] - s->lo[last];
    frame->trap = -1;
    frame->trap_value = 0;
    do {
        bool all = place_line(s, slots, direct);
        frame->stream = all && s->r->cut.stream && frame->n % LUN_BLOCK == 0 &&
                        s->p->sweep->box.extent[last] % LUN_BLOCK == 0;
        x->body(x->self, 0, frame->n, frame);
        if (has_failed(s))
            return false;
        if (!all)
            hand_out(s, slots, direct);
    } while (lun__piece_next(last + 1, s->lo, s->hi, s->index));
    for (int i = 0; i < s->ir->slot_count; i++)
        if (s->ir->slots[i].role == LUN_SLOT_OUT && s->p->plan->array[s->s->slots[i]].ring)
            lun__piece_margins(s->p, s->s->slots[i], s->unit);
    return true;
}

static bool load_unit(const shift *s, int array)
{
    const lun_sweep_array *from = &s->p->sweep->arrays[array];
    int failure = lun__piece_load(s->p, array, s->unit);
    if (failure)
        lun__run_note((lun__run *)(uintptr_t)s->r, s->chunk, LUN_EIO,
                      from->slot | (int64_t)from->stage << 32, failure);
    else
        lun__piece_margins(s->p, array, s->unit);
    return !failure;
}

/* ---- a chunk --------------------------------------------------------------------------------- */

/* What happens at one step. */
static bool run_step(shift *s, int64_t step)
{
    const lun_sweep *w = s->x->sweep;
    int64_t lo, hi;
    for (int a = 0; a < w->box.arrays; a++) {
        const lun_sweep_part *part = &s->p->plan->array[a];
        lun__piece_range(s->p, part, 0, &lo, &hi);
        s->unit = step - part->lag;
        if (w->box.maker[a] < 0 && part->ring && s->unit >= lo && s->unit < hi && !load_unit(s, a))
            return false;
    }
    for (s->stage = 0; s->stage < w->box.stages; s->stage++) {
        const lun_sweep_part *part = &s->p->plan->stage[s->stage];
        lun__piece_range(s->p, part, 0, &lo, &hi);
        s->unit = step - part->lag;
        s->s = &w->stages[s->stage];
        s->ir = s->x->kernels[s->stage].ir;
        if (s->unit >= lo && s->unit < hi && !run_unit(s))
            return false;
    }
    return true;
}

static void run_chunk(lun__run *r, int64_t k, lun_worker *w)
{
    const sweeps *x = r->sweeps;
    const lun_sweep_box *b = &x->sweep->box;
    int64_t rest = k, from = INT64_MAX, to = INT64_MIN, lo, hi;
    lun_piece p = {.sweep = x->sweep,
                   .plan = &x->plan,
                   .memory = w->lines,
                   .newest = (int64_t *)(void *)(w->lines + x->newest),
                   .readers = (lun_piece_reader *)(void *)(w->lines + x->readers),
                   .rings = x->rings,
                   .values = x->values};
    for (int i = b->rank - 1; i >= 1; i--) {
        p.lo[i] = rest % x->cuts[i] * x->plan.piece[i];
        p.hi[i] = p.lo[i] + x->plan.piece[i];
        p.hi[i] = p.hi[i] < b->extent[i] ? p.hi[i] : b->extent[i];
        rest /= x->cuts[i];
    }
    p.lo[0] = x->first + rest * x->band;
    p.hi[0] = x->end - p.lo[0] < x->band ? x->end : p.lo[0] + x->band;
    if (!w->opened) {
        memset(w->lines, 0, x->bytes);
        lun__piece_values(&p);
        w->opened = true;
    }
    for (int i = 0; i < b->stages + b->arrays; i++) { /* stages, then arrays */
        const lun_sweep_part *part = &x->plan.stage[i];
        lun__piece_range(&p, part, 0, &lo, &hi);
        from = lo + part->lag < from ? lo + part->lag : from;
        to = hi + part->lag > to ? hi + part->lag : to;
    }
    shift s = {.r = r, .x = x, .w = w, .p = &p, .chunk = k};
    for (lun__piece_begin(&p, from); p.step < to && run_step(&s, p.step);)
        lun__piece_step(&p);
}

/* ---- a run ----------------------------------------------------------------------------------- */

static void make_cut(lun__run *r, const lun_team *team, sweeps *x)
{
    const lun_sweep_box *b = &x->sweep->box;
    const int64_t units = x->end - x->first;
    int64_t each = 1, pieces = 1, cost = 0, over = 1;
    for (int k = 1; k < b->rank; k++) {
        each *= b->extent[k];
        x->cuts[k] = lun__cut_divide(b->extent[k], x->plan.piece[k]);
        pieces *= x->cuts[k];
    }
    for (int k = 0; k < b->stages; k++)
        cost += x->kernels[k].cost;
    for (int k = 0; k < b->stages + b->arrays; k++) {
        int64_t beyond = x->plan.stage[k].before[0] + x->plan.stage[k].after[0];
        over = beyond > over ? beyond : over;
    }
    int64_t bytes = x->sweep->bytes / b->extent[0] * units;
    double most = lun__host_guess(cost, units * each, bytes) / LUN_WORKER_NS;
    int64_t workers = most < team->threads ? (int64_t)most : team->threads;
    workers = workers < 1 ? 1 : workers;
    int64_t bands = units / (OVERLAPS * over);
    if (bands * pieces < workers)
        bands = lun__cut_divide(workers, pieces);
    bands = lun__cut_round(bands, workers);
    bands = bands < units ? bands : units;
    x->band = lun__cut_divide(units, bands);
    lun__cut_make(&(lun_cut_work){.count = units * each, .bytes = x->sweep->bytes, .cost = 1},
                  &(lun_team){.threads = 1, .cache_bytes = team->cache_bytes}, &r->cut);
    r->cut.chunks = lun__cut_divide(units, x->band) * pieces;
    r->cut.chunk = lun__cut_divide(units * each, r->cut.chunks);
    r->cut.batch = 1;
    r->cut.in_order = false;
    r->cut.workers = (int)(workers < r->cut.chunks ? workers : r->cut.chunks);
}

static size_t take(sweeps *x, size_t bytes)
{
    size_t at = x->bytes;
    x->bytes += rounded(bytes);
    return at;
}

static void plan_memory(sweeps *x)
{
    const lun_sweep *w = x->sweep;
    const int last = w->box.rank - 1;
    size_t slots = 0, spare = 0;
    for (int a = 0; a < w->box.arrays; a++) {
        const lun_sweep_part *part = &x->plan.array[a];
        int64_t line = last > 1 ? part->stride[last - 1] : part->unit;
        x->rings[a] = take(x, (size_t)(part->ring * part->unit) * size_of(w, a));
        x->values[a] = part->ring && w->arrays[a].pad ? take(x, (size_t)line * size_of(w, a)) : 0;
    }
    for (int k = 0; k < w->box.stages; k++) {
        const lun_ir *ir = x->kernels[k].ir;
        const lun_sweep_part *part = &x->plan.stage[k];
        int64_t line = x->plan.piece[last] + part->before[last] + part->after[last];
        size_t sizes = 0;
        for (int i = 0; i < ir->slot_count; i++)
            if (ir->slots[i].role == LUN_SLOT_OUT)
                sizes +=
                    rounded((size_t)lun__order_blocks(line) * size_of(w, w->stages[k].slots[i]));
        spare = sizes > spare ? sizes : spare;
        slots = (size_t)ir->slot_count > slots ? (size_t)ir->slot_count : slots;
    }
    x->newest = take(x, (size_t)w->box.arrays * sizeof(int64_t));
    x->readers = take(x, (size_t)w->box.reads * sizeof(lun_piece_reader));
    x->slots = take(x, slots * sizeof(void *));
    x->ends = take(x, slots * sizeof(bool));
    x->spare = take(x, spare);
}

lun_status lun__host_sweep(const lun_services *services, const lun_host_kernel *kernels,
                           const lun_team *team, lun_sweep *sweep, int64_t first, int64_t count)
{
    sweeps x = {.sweep = sweep, .kernels = kernels, .first = first, .end = first + count};
    lun__run r = {.services = services,
                  .ir = kernels[0].ir,
                  .launch = sweep->stages[0].launch,
                  .end = sweep->stages[0].launch->n,
                  .chain = run_chunk,
                  .sweeps = &x,
                  .trapped = INT64_MAX,
                  .trap_lock = ATOMIC_FLAG_INIT};
    size_t scratch = 0;
    lun_status s = LUN_ENOMEM;
    sweep->failed = 0;
    x.rings = calloc(2 * (size_t)sweep->box.arrays, sizeof *x.rings);
    if (x.rings && lun__sweep_plan(&sweep->box, sweep->box.stages, sweep->near, &x.plan)) {
        x.values = x.rings + sweep->box.arrays;
        for (int k = 0; k < sweep->box.stages; k++)
            scratch = kernels[k].exec->scratch > scratch ? kernels[k].exec->scratch : scratch;
        make_cut(&r, team, &x);
        plan_memory(&x);
        r.scratch_step = rounded(scratch);
        r.line_step = x.bytes;
        if (!__builtin_mul_overflow(r.scratch_step, (size_t)r.cut.workers, &scratch))
            s = lun__run_go(&r, team, scratch);
    }
    for (int k = 0; k < sweep->box.stages; k++)
        sweep->stages[k].ran |= s == LUN_OK;
    if (atomic_load(&r.trapped) != INT64_MAX) {
        sweep->failed = (int)(r.trap >> 32);
        sweep->stages[sweep->failed].launch->trap = (int)(r.trap & INT32_MAX);
        sweep->stages[sweep->failed].launch->trap_value = r.trap_value;
    }
    lun__sweep_plan_free(&x.plan);
    free(x.rings);
    return s;
}
