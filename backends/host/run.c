/* run.c - the fixed reduction tree and the memory of runs on the host's cores; see host.h.
 *
 * Knows in which order results meet; not how chunks are computed or shared out (work.c), nor how
 * threads are made. A run lives on the caller's stack; small ones allocate nothing and take no
 * lock. */
#include "host/host.h"

#include <stdlib.h>
#include <string.h>

#include "host/run.h"

enum { LOCAL_SCRATCH = 24 << 10, LOCAL_CELLS = 64, SMALL_BYTES = 1 << 20, CASTS = 8 };

/* ---- results --------------------------------------------------------------------------------- */

/* Partial results, in order, by the adjacent-pair tree. */
static void combine_partials(lun_run *r)
{
    lun_frame frame = lun__run_frame(r, 0);
    frame.trap = -1;
    const int results = r->ir->result_count;
    uint64_t *cell = r->partials;
    for (int64_t n = r->cut.chunks; n > 1; n = lun_cut_divide(n, 2)) {
        for (int64_t j = 0; j < n / 2; j++)
            for (int k = 0; k < results; k++)
                r->exec->combine(r->exec->self, k, &cell[2 * j * results + k],
                                 &cell[(2 * j + 1) * results + k], &cell[j * results + k], &frame);
        if (n % 2)
            memmove(&cell[n / 2 * results], &cell[(n - 1) * results],
                    (size_t)results * sizeof *cell);
    }
    memcpy(r->launch->results, cell, (size_t)results * sizeof *cell);
    if (frame.trap >= 0)
        lun__run_note_trap(r, 0, &frame);
}

/* The SCAN's initial value: a constant, an argument or one element, perhaps converted. */
static bool initial_carry(const lun_ir *ir, const lun_launch *l, uint64_t *carry)
{
    int32_t v = ir->ins[ir->scan].b, casts[CASTS];
    int n = 0;
    for (; ir->ins[v].kind == LUN_IR_CAST; v = ir->ins[v].a) {
        if (n == CASTS)
            return false;
        casts[n++] = v;
    }
    const lun_ir_ins *ins = &ir->ins[v];
    const void *from = &ins->imm;
    if (ins->kind == LUN_IR_ARG)
        from = &l->args[ins->imm];
    else if (ins->kind == LUN_IR_LOADU)
        from = l->slots[ins->imm];
    else if (ins->kind != LUN_IR_CONST)
        return false;
    uint64_t cell = 0;
    memcpy(&cell, from, lun_dtype_get((lun_dtype)ins->dtype)->bytes);
    while (n-- > 0) {
        ins = &ir->ins[casts[n]];
        cell = lun_cell_cast((lun_dtype)ins->dtype, (lun_dtype)ins->from, cell);
    }
    *carry = cell;
    return true;
}

/* ---- a run ----------------------------------------------------------------------------------- */

static lun_status outcome(lun_run *r)
{
    if (lun__run_finished(r, -1)) /* the last chunk may have stopped early */
        return LUN_ECANCEL;
    if (atomic_load(&r->trapped) == INT64_MAX)
        return LUN_OK;
    r->launch->trap = (int)r->trap;
    r->launch->trap_value = r->trap_value;
    return r->failure;
}

/* With memory for partial results and scratch. */
static lun_status go(lun_run *r, const lun_team *team)
{
    lun_bounce b;
    int64_t cut = r->plain ? r->end / LUN_BLOCK * LUN_BLOCK
                           : r->launch->first + (r->cut.chunks - 1) * r->cut.chunk;
    r->bounce = &b;
    lun_status s = lun__bounce_open(&b, r->ir, r->launch, cut);
    if (s != LUN_OK)
        return s;
    lun__run_share(r);
    if (r->cut.workers == 1)
        lun__run_work(r, 0);
    else
        team->parallel(team, r, r->cut.workers, lun__run_work);
    s = outcome(r);
    if (s == LUN_OK && r->ir->result_count) {
        combine_partials(r);
        s = outcome(r);
    }
    lun__bounce_close(&b, r->ir, r->launch, s == LUN_OK);
    return s;
}

/* What does not fit the caller's stack. */
static lun_status go_with_memory(lun_run *r, const lun_team *team, size_t scratch, size_t cells)
{
    size_t bytes;
    size_t feeds;
    if (__builtin_mul_overflow(cells, sizeof *r->partials, &bytes) ||
        __builtin_mul_overflow(r->feed_step, (size_t)r->cut.workers, &feeds) ||
        __builtin_add_overflow(bytes, feeds, &bytes) ||
        __builtin_add_overflow(bytes, scratch + 2 * LUN_ALIGNMENT, &bytes))
        return LUN_ENOMEM;
    char *memory = malloc(bytes);
    if (!memory)
        return LUN_ENOMEM;
    r->scratch = memory + -(uintptr_t)memory % LUN_ALIGNMENT;
    r->feeds = feeds ? r->scratch + scratch : NULL;
    r->partials = (uint64_t *)(void *)(r->scratch + scratch + feeds);
    lun_status s = go(r, team);
    free(memory);
    return s;
}

/* Whether the run is one chunk on this thread, in memory with room for whole blocks. */
static bool is_small(const lun_exec *exec, const lun_ir *ir, int64_t cost, const lun_launch *l)
{
    int64_t end = l->first + l->count, whole = lun_cut_round(end, LUN_BLOCK);
    if (l->count > LUN_CHUNK || l->streams || l->bytes > SMALL_BYTES || exec->scratch ||
        ir->scan >= 0 || ir->result_count ||
        cost * l->count > (int64_t)(LUN_WORKER_NS / LUN_OPERATION_NS))
        return false;
    for (int s = 0; s < ir->slot_count; s++)
        if (l->room[s] < whole &&
            (ir->slots[s].role == LUN_SLOT_IN || ir->slots[s].role == LUN_SLOT_OUT))
            return false;
    return true;
}

/* With nothing to plan, to share out or to collect. */
static lun_status run_small(const lun_services *services, const lun_exec *exec, const lun_ir *ir,
                            lun_launch *l)
{
    static const volatile int never = 0;
    const volatile int *cancel = services->cancel ? services->cancel : &never;
    if (__atomic_load_n(cancel, __ATOMIC_RELAXED))
        return LUN_ECANCEL;
    lun_frame frame = {.n = l->first + l->count,
                       .slots = l->slots,
                       .args = l->args,
                       .math = exec->math,
                       .trap = -1,
                       .cancel = cancel};
    exec->body(exec->self, l->first, frame.n, &frame);
    if (frame.trap < 0) /* stopped on the way, or done */
        return __atomic_load_n(cancel, __ATOMIC_RELAXED) ? LUN_ECANCEL : LUN_OK;
    l->trap = (int)frame.trap;
    l->trap_value = frame.trap_value;
    return lun__trap_kind(ir, frame.trap);
}

static lun_status run_large(const lun_services *services, const lun_exec *exec,
                            const lun_team *team, const lun_ir *ir, int64_t cost,
                            lun_launch *launch)
{
    lun_run r = {.services = services,
                 .exec = exec,
                 .ir = ir,
                 .launch = launch,
                 .end = launch->first + launch->count,
                 .plain = ir->scan < 0 && ir->result_count == 0,
                 .trapped = INT64_MAX,
                 .trap_lock = ATOMIC_FLAG_INIT};
    if (ir->scan >= 0 && !initial_carry(ir, launch, &r.carry)) {
        lun_strbuf_clear(services->error);
        lun_strbuf_puts(services->error, "internal: the first value of a scan must be uniform");
        return LUN_EARG;
    }
    lun_cut_make(&(lun_cut_work){.count = launch->count,
                                 .bytes = launch->bytes,
                                 .cost = cost,
                                 .file_bytes = lun__feed_widest(ir, launch),
                                 .scans = ir->scan >= 0,
                                 .plain = r.plain},
                 team, &r.cut);
    r.scratch_step = (exec->scratch + LUN_ALIGNMENT - 1) / LUN_ALIGNMENT * LUN_ALIGNMENT;
    r.feed_step = lun__feed_bytes(ir, launch, r.cut.batch * r.cut.chunk);
    size_t scratch, cells;
    if (__builtin_mul_overflow(r.scratch_step, (size_t)r.cut.workers, &scratch) ||
        __builtin_mul_overflow((size_t)r.cut.chunks, (size_t)ir->result_count, &cells))
        return LUN_ENOMEM;
    if (scratch > LOCAL_SCRATCH || cells > LOCAL_CELLS || r.feed_step)
        return go_with_memory(&r, team, scratch, cells);
    _Alignas(LUN_ALIGNMENT) char local[LOCAL_SCRATCH];
    uint64_t local_cells[LOCAL_CELLS];
    r.scratch = local;
    r.partials = local_cells;
    return go(&r, team);
}

lun_status lun_host_run(const lun_services *services, const lun_exec *exec, const lun_team *team,
                        const lun_ir *ir, int64_t cost, lun_launch *launch)
{
    launch->trap = -1;
    launch->trap_value = 0;
    if (launch->count <= 0)
        return LUN_OK;
    if (is_small(exec, ir, cost, launch))
        return run_small(services, exec, ir, launch);
    return run_large(services, exec, team, ir, cost < 1 ? 1 : cost, launch);
}
