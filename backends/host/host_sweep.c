/* host_sweep.c - sweeps on the host: a worker takes a tile of the box through all stages, unit by
 * unit (sweep_unit.c); see backend.h, host.h and base/layout/sweep_geometry.h. */
#include "host/sweeps.h"

#include <stdlib.h>
#include <string.h>

enum { OVERLAPS = 32 }; /* times that a band is as long as what it computes beyond its ends */

static size_t rounded(size_t bytes)
{
    return (bytes + LUN_ALIGNMENT - 1) / LUN_ALIGNMENT * LUN_ALIGNMENT;
}

static size_t size_of(const lun_sweep *s, int array)
{
    return (size_t)s->box.size[array];
}

/* ---- a chunk --------------------------------------------------------------------------------- */

/* The tile's units, and for a fold its elements. */
static void open_band(const lun_sweeps *x, int64_t band, lun_sweep_tile *p, int64_t *from,
                      int64_t *to)
{
    const int64_t n = x->sweep->stages[0].launch->n, unit = n / x->sweep->box.extent[0];
    p->lo[0] = x->first + band * x->band;
    p->hi[0] = x->end - p->lo[0] < x->band ? x->end : p->lo[0] + x->band;
    if (x->folds) {
        const int64_t each = x->chunks * LUN_CHUNK, end = x->end * unit;
        *from = x->first * unit + band * each;
        *to = end - *from < each ? end : *from + each;
        p->lo[0] = *from / unit;
        p->hi[0] = lun__split_divide(*to, unit);
    }
    p->first = x->folds ? lun__split_divide(*from, unit) : p->lo[0];
    p->end = p->hi[0];
}

static void run_chunk(lun__run *r, int64_t k, lun_worker *w)
{
    const lun_sweeps *x = r->sweeps;
    const lun_sweep_box *b = &x->sweep->box;
    int64_t rest = k, from = INT64_MAX, to = INT64_MIN, lo, hi, element = 0, end = 0;
    lun_sweep_tile p = {.sweep = x->sweep,
                        .plan = &x->plan,
                        .memory = w->tables,
                        .newest = (int64_t *)(void *)(w->tables + x->newest),
                        .readers = (lun_sweep_reader *)(void *)(w->tables + x->readers),
                        .rings = x->rings,
                        .values = x->values};
    for (int i = b->rank - 1; i >= 1; i--) {
        p.lo[i] = rest % x->cuts[i] * x->plan.piece[i];
        p.hi[i] = p.lo[i] + x->plan.piece[i];
        p.hi[i] = p.hi[i] < b->extent[i] ? p.hi[i] : b->extent[i];
        rest /= x->cuts[i];
    }
    open_band(x, rest, &p, &element, &end);
    if (!w->opened) {
        memset(w->tables, 0, x->bytes);
        lun__sweep_buffer_values(&p);
        w->opened = true;
    }
    for (int i = 0; i < b->stages + b->arrays; i++) { /* stages, then arrays */
        const lun_sweep_part *part = &x->plan.stage[i];
        lun__sweep_buffer_range(&p, part, 0, &lo, &hi);
        from = lo + part->lag < from ? lo + part->lag : from;
        to = hi + part->lag > to ? hi + part->lag : to;
    }
    lun_stint s = {.r = r, .x = x, .w = w, .p = &p, .chunk = k};
    if (x->folds) {
        lun__sweep_fold_run(&s, from, element, end);
        return;
    }
    for (lun__sweep_buffer_begin(&p, from);
         p.step < to && lun__sweep_unit_step(&s, p.step, b->stages);)
        lun__sweep_buffer_step(&p);
}

/* ---- a run ----------------------------------------------------------------------------------- */

static void make_cut(lun__run *r, const lun_team *team, lun_sweeps *x)
{
    const lun_sweep_box *b = &x->sweep->box;
    const int64_t units = x->end - x->first;
    int64_t each = 1, pieces = 1, cost = 0, over = 1;
    for (int k = 1; k < b->rank; k++) {
        each *= b->extent[k];
        x->cuts[k] = lun__split_divide(b->extent[k], x->plan.piece[k]);
        pieces *= x->cuts[k];
    }
    for (int k = 0; k < b->stages; k++)
        cost += x->kernels[k].cost;
    for (int k = 0; k < b->stages + b->arrays; k++) {
        int64_t beyond = x->plan.stage[k].before[0] + x->plan.stage[k].after[0];
        over = beyond > over ? beyond : over;
    }
    int64_t bytes = x->sweep->bytes / b->extent[0] * units;
    double most = lun__split_guess(cost, units * each, bytes) / LUN_WORKER_NS;
    int64_t workers = most < team->threads ? (int64_t)most : team->threads;
    workers = workers < 1 ? 1 : workers;
    int64_t bands = units / (OVERLAPS * over);
    if (bands * pieces < workers)
        bands = lun__split_divide(workers, pieces);
    bands = lun__split_round(bands, workers);
    bands = bands < units ? bands : units;
    x->band = lun__split_divide(units, bands);
    lun__split_make(&(lun_cut_work){.count = units * each, .bytes = x->sweep->bytes, .cost = 1},
                    &(lun_team){.threads = 1, .cache_bytes = team->cache_bytes}, &r->cut);
    r->cut.chunks = lun__split_divide(units, x->band) * pieces;
    if (x->folds) { /* bands of whole chunks */
        const int64_t chunks = lun__split_divide(units * each, LUN_CHUNK);
        x->chunks = lun__split_divide(chunks, bands);
        r->cut.chunks = lun__split_divide(chunks, x->chunks);
    }
    r->cut.chunk = lun__split_divide(units * each, r->cut.chunks);
    r->cut.batch = 1;
    r->cut.in_order = false;
    r->cut.workers = (int)(workers < r->cut.chunks ? workers : r->cut.chunks);
}

static size_t take(lun_sweeps *x, size_t bytes)
{
    size_t at = x->bytes;
    x->bytes += rounded(bytes);
    return at;
}

/* Lines of a stage: of results, and of what may be read there. */
static size_t spares_of(const lun_sweeps *x, int stage)
{
    const int last = x->sweep->box.rank - 1;
    const lun_sweep_part *part = &x->plan.stage[stage];
    const lun_ir *ir = x->kernels[stage].ir;
    const int64_t row = x->plan.piece[last] + part->before[last] + part->after[last];
    size_t bytes = 0;
    for (int i = 0; i < ir->slot_count; i++)
        if (ir->slots[i].role == LUN_SLOT_OUT || ir->slots[i].role == LUN_SLOT_IN)
            bytes += rounded((size_t)lun__order_blocks(row) *
                             (size_t)lun__dtype_get((lun_dtype)ir->slots[i].dtype)->bytes);
    return bytes;
}

/* What stages have by slot, and stand-ins for these. */
static void plan_slots(lun_sweeps *x)
{
    const lun_sweep_box *b = &x->sweep->box;
    const lun_ir *last = x->kernels[b->stages - 1].ir;
    size_t slots = 0, spare = 0;
    for (int k = 0; k < b->stages; k++) {
        const size_t bytes = spares_of(x, k), count = (size_t)x->kernels[k].ir->slot_count;
        spare = bytes > spare ? bytes : spare;
        slots = count > slots ? count : slots;
    }
    x->slots = take(x, slots * sizeof(void *));
    x->steps = take(x, slots * sizeof(int64_t));
    x->direct = take(x, slots * sizeof(bool));
    x->spare = take(x, spare);
    if (!x->folds)
        return;
    x->fold_slots = take(x, slots * sizeof(void *));
    x->fold_places = take(x, lun__sweep_fold_slots(last));
    x->fold_copies = take(x, lun__sweep_fold_copies(last, b->extent[b->rank - 1]));
}

static void plan_memory(lun_sweeps *x)
{
    const lun_sweep *w = x->sweep;
    const int last = w->box.rank - 1;
    for (int a = 0; a < w->box.arrays; a++) {
        const lun_sweep_part *part = &x->plan.array[a];
        int64_t row = last > 1 ? part->stride[last - 1] : part->unit;
        x->rings[a] = take(x, (size_t)(part->ring * part->unit) * size_of(w, a));
        x->values[a] = part->ring && w->arrays[a].pad ? take(x, (size_t)row * size_of(w, a)) : 0;
    }
    x->newest = take(x, (size_t)w->box.arrays * sizeof(int64_t));
    x->readers = take(x, (size_t)w->box.reads * sizeof(lun_sweep_reader));
    plan_slots(x);
}

/* Bytes of a worker for its kernels: the last stage's is at work while those before it are. */
static size_t plan_scratch(lun_sweeps *x)
{
    const int last = x->sweep->box.stages - 1;
    size_t scratch = 0;
    for (int k = 0; k <= last - x->folds; k++)
        scratch = x->kernels[k].exec->scratch > scratch ? x->kernels[k].exec->scratch : scratch;
    x->scratch = rounded(scratch);
    return x->scratch + (x->folds ? rounded(x->kernels[last].exec->scratch) : 0);
}

lun_status lun__host_sweep(const lun_services *services, const lun_host_kernel *kernels,
                           const lun_team *team, lun_sweep *sweep, int64_t first, int64_t count)
{
    lun_sweeps x = {.sweep = sweep, .kernels = kernels, .first = first, .end = first + count};
    x.folds = kernels[sweep->box.stages - 1].ir->result_count > 0;
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
    if (x.rings && lun__sweep_geometry_plan(&sweep->box, sweep->box.stages, sweep->near, &x.plan)) {
        x.values = x.rings + sweep->box.arrays;
        make_cut(&r, team, &x);
        plan_memory(&x);
        r.scratch_step = plan_scratch(&x);
        r.table_step = x.bytes;
        if (!__builtin_mul_overflow(r.scratch_step, (size_t)r.cut.workers, &scratch))
            s = lun__host_run_go(&r, team, scratch);
    }
    for (int k = 0; k < sweep->box.stages; k++)
        sweep->stages[k].ran |= s == LUN_OK;
    if (atomic_load(&r.trapped) != INT64_MAX) {
        sweep->failed = (int)(r.trap >> 32);
        sweep->stages[sweep->failed].launch->trap = (int)(r.trap & INT32_MAX);
        sweep->stages[sweep->failed].launch->trap_value = r.trap_value;
    }
    lun__sweep_geometry_free(&x.plan);
    free(x.rings);
    return s;
}
