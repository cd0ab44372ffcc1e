/* host_run.c - the memory of runs on the host's cores, and what becomes of them; see host.h.
 *
 * Chunks are shared out by work.c. A run lives on the caller's stack; small ones allocate nothing
 * and take no lock. */
#include "host/host.h"

#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "host/host_run.h"
#include "host/host_segments.h"
#include "host/lines.h"

enum { LOCAL_SCRATCH = 24 << 10, FED_SCRATCH = 48 << 10, SMALL_BYTES = 1 << 20 };

/* ---- a scan's first value -------------------------------------------------------------------- */

static bool initial_carry(const lun_ir *ir, const lun_launch *l, uint64_t *carry)
{
    int32_t casts[LUN_ORDER_CASTS];
    int n = 0;
    int32_t v = lun__order_first(ir, casts, &n);
    if (v < 0)
        return false;
    const lun_ir_ins *ins = &ir->ins[v];
    const void *from = &ins->imm;
    if (ins->kind == LUN_IR_ARG)
        from = &l->args[ins->imm];
    if (ins->kind == LUN_IR_LOADU)
        from = l->slots[ins->imm];
    uint64_t cell = 0;
    memcpy(&cell, from, lun__dtype_get((lun_dtype)ins->dtype)->bytes);
    while (n-- > 0) {
        ins = &ir->ins[casts[n]];
        cell = lun__dtype_cell_cast((lun_dtype)ins->dtype, (lun_dtype)ins->from, cell);
    }
    *carry = cell;
    return true;
}

/* ---- a run ----------------------------------------------------------------------------------- */

static lun_status outcome(lun__run *r)
{
    if (lun__work_finished(r, -1)) /* the last chunk may have stopped early */
        return LUN_ECANCEL;
    if (atomic_load(&r->trapped) == INT64_MAX)
        return LUN_OK;
    r->launch->trap = (int)r->trap;
    r->launch->trap_value = r->trap_value;
    return r->failure;
}

/* With memory for scratch. */
static lun_status go(lun__run *r, const lun_team *team)
{
    lun_bounce b;
    int64_t cut = r->plain ? r->end / LUN_BLOCK * LUN_BLOCK
                           : r->launch->first + (r->cut.chunks - 1) * r->cut.chunk;
    r->bounce = &b;
    lun_status s = LUN_OK;
    if (r->launch->segment || r->chain || r->lines) /* which have stand-ins of their own */
        lun__bounce_none(&b);
    else
        s = lun__bounce_open(&b, r->ir, r->launch, cut);
    if (s != LUN_OK)
        return s;
    if (!r->drive)
        lun__work_share(r);
    if (r->drive)
        s = r->drive(r, team, r->driver);
    else if (r->cut.workers == 1)
        lun__work_all(r, 0);
    else
        team->parallel(team, r, r->cut.workers, lun__work_all);
    s = s == LUN_OK ? outcome(r) : s;
    lun__bounce_close(&b, r->ir, r->launch, s == LUN_OK && r->launch->stage != LUN_STAGE_TOTALS);
    return s;
}

lun_status lun__host_run_go(lun__run *r, const lun_team *team, size_t scratch)
{
    size_t bytes, feeds, tables;
    if (__builtin_mul_overflow(r->feed_step, (size_t)r->cut.workers, &feeds) ||
        __builtin_mul_overflow(r->table_step, (size_t)r->cut.workers, &tables) ||
        __builtin_add_overflow(feeds, scratch + LUN_ALIGNMENT, &bytes) ||
        __builtin_add_overflow(bytes, tables, &bytes))
        return LUN_ENOMEM;
    _Alignas(LUN_ALIGNMENT) char local[LOCAL_SCRATCH];
    char *memory = bytes <= sizeof local ? local : malloc(bytes);
    if (!memory)
        return LUN_ENOMEM;
    r->scratch = memory + -(uintptr_t)memory % LUN_ALIGNMENT;
    r->feeds = feeds ? r->scratch + scratch : NULL;
    r->tables = r->scratch + scratch + feeds;
    lun_status s = go(r, team);
    if (memory != local)
        free(memory);
    return s;
}

bool lun__host_run_alone(const lun_ir *ir, int64_t cost, const lun_launch *l)
{
    if (l->segment)
        return l->count <= LUN_CHUNK;
    if (ir->scan >= 0 && lun__order_free(ir))
        return l->count <= LUN_CHUNK;
    if (ir->scan >= 0 || ir->result_count)
        return lun__order_chunks(ir, l->count) == 1;
    return l->count <= LUN_CHUNK && cost * l->count <= (int64_t)(LUN_WORKER_NS / LUN_OPERATION_NS);
}

/* Whether all slots have room for whole blocks of 64. */
static bool has_room(const lun_ir *ir, const lun_launch *l)
{
    int64_t whole = lun__split_round(l->first + l->count, LUN_BLOCK);
    for (int s = 0; s < ir->slot_count; s++)
        if (l->room[s] < whole &&
            (ir->slots[s].role == LUN_SLOT_IN || ir->slots[s].role == LUN_SLOT_OUT))
            return false;
    return true;
}

/* Whether no slot has elements of its own for each index. */
static bool is_loose(const lun_ir *ir)
{
    for (int s = 0; s < ir->slot_count; s++)
        if (ir->slots[s].role == LUN_SLOT_IN || ir->slots[s].role == LUN_SLOT_OUT)
            return false;
    return lun__ir_puts(ir);
}

/* Whether the run is one chunk on this thread with room for whole blocks, and what it does not find
 * side by side in memory is little. */
static bool is_small(const lun_exec *exec, const lun_ir *ir, int64_t cost, const lun_launch *l)
{
    return ir->scan < 0 && !ir->result_count && !l->segment && l->bytes <= SMALL_BYTES &&
           !exec->scratch && lun__host_run_alone(ir, cost, l) && has_room(ir, l) &&
           (!l->streams || lun__staging_bytes(ir, l, l->count) <= FED_SCRATCH);
}

/* With nothing to plan, to share out or to collect. */
static lun_status run_small(const lun_services *services, const lun_exec *exec, const lun_ir *ir,
                            lun_launch *l, void *const *slots)
{
    static const volatile int never = 0;
    const volatile int *cancel = services->cancel ? services->cancel : &never;
    if (__atomic_load_n(cancel, __ATOMIC_RELAXED))
        return LUN_ECANCEL;
    lun_frame frame = {
        .n = l->first + l->count, .slots = slots, .args = l->args, .trap = -1, .cancel = cancel};
    exec->body(exec->self, l->first, frame.n, &frame);
    if (frame.trap < 0) /* stopped on the way, or done */
        return __atomic_load_n(cancel, __ATOMIC_RELAXED) ? LUN_ECANCEL : LUN_OK;
    l->trap = (int)frame.trap;
    l->trap_value = frame.trap_value;
    return lun__ir_trap_status(ir->ins[frame.trap].kind);
}

/* The same where some slots are to be read first. */
static lun_status run_small_fed(const lun_services *services, const lun_exec *exec,
                                const lun_ir *ir, lun_launch *l)
{
    _Alignas(LUN_ALIGNMENT) char local[FED_SCRATCH];
    lun_staging f;
    lun__staging_open(&f, ir, local, l->count);
    const int64_t end = l->first + l->count;
    int failure = lun__staging_fill(&f, ir, l, l->first, end);
    if (failure) {
        l->trap = f.slot;
        l->trap_value = failure;
        return LUN_EIO;
    }
    lun_status s = run_small(services, exec, ir, l, lun__staging_slots(&f, ir, l, l->slots));
    if (s == LUN_OK)
        lun__staging_drain(&f, ir, l, l->first, end);
    return s;
}

/* Totals become carries. */
static lun_status chain_totals(lun__run *r)
{
    lun_launch *l = r->launch;
    const lun_exec *x = r->exec;
    const int64_t chunks = lun__order_chunks(r->ir, l->count);
    lun_frame frame = lun__work_frame(r, 0);
    frame.slots = l->slots;
    frame.trap = -1;
    for (int64_t k = 0; k < chunks && frame.trap < 0; k++) {
        const uint64_t carry = r->carry, total = l->partials[k];
        l->partials[k] = carry;
        if (k + 1 < chunks)
            x->combine(x->self, -1, &carry, &total, &r->carry, &frame);
        if (lun__backend_stop_requested(r->services))
            return LUN_ECANCEL;
    }
    if (frame.trap < 0)
        return LUN_OK;
    l->trap = (int)frame.trap;
    l->trap_value = frame.trap_value;
    return lun__ir_trap_status(r->ir->ins[frame.trap].kind);
}

/* A run of lines that is one chunk on this thread. */
static lun_status run_small_lines(const lun_services *services, const lun_exec *exec,
                                  const lun_ir *ir, lun_launch *l)
{
    static const volatile int never = 0;
    _Alignas(LUN_ALIGNMENT) char local[LOCAL_SCRATCH];
    const volatile int *cancel = services->cancel ? services->cancel : &never;
    lun_frame frame = {.args = l->args, .trap = -1, .cancel = cancel};
    if (__atomic_load_n(cancel, __ATOMIC_RELAXED))
        return LUN_ECANCEL;
    lun__lines_run(ir, l, exec, &frame, local, 0, l->count);
    if (frame.trap < 0)
        return __atomic_load_n(cancel, __ATOMIC_RELAXED) ? LUN_ECANCEL : LUN_OK;
    l->trap = (int)frame.trap;
    l->trap_value = frame.trap_value;
    return lun__ir_trap_status(ir->ins[frame.trap].kind);
}

static bool is_small_lines(const lun_exec *exec, const lun_ir *ir, int64_t cost,
                           const lun_launch *l)
{
    return l->bytes <= SMALL_BYTES && !exec->scratch && lun__host_run_alone(ir, cost, l) &&
           lun__lines_bytes(ir, l) <= LOCAL_SCRATCH;
}

static lun_status run_large(const lun_services *services, const lun_exec *exec,
                            const lun_team *team, const lun_ir *ir, int64_t cost, int64_t lines,
                            lun_launch *launch)
{
    lun__run r = {.services = services,
                  .exec = exec,
                  .ir = ir,
                  .launch = launch,
                  .end = launch->first + launch->count,
                  .plain = ir->scan < 0 && ir->result_count == 0,
                  .lines = lines,
                  .trapped = INT64_MAX,
                  .trap_lock = ATOMIC_FLAG_INIT};
    if (ir->scan >= 0 && !initial_carry(ir, launch, &r.carry)) {
        lun__strbuf_clear(services->error);
        lun__strbuf_puts(services->error, "internal: the first value of a scan must be uniform");
        return LUN_EARG;
    }
    if (launch->stage == LUN_STAGE_CARRIES)
        return chain_totals(&r);
    lun_staging_need need = {0};
    lun__staging_need(ir, launch, &need);
    const bool written = need.written;
    r.in_parts = !lines && lun__parts_fit(ir, launch);
    if (r.in_parts || lines)
        need = (lun_staging_need){0};
    r.drains = need.written;
    r.loose = r.plain && !ir->threads && !launch->segment && !need.strided && is_loose(ir);
    lun__split_make(
        &(lun_cut_work){
            .count = launch->count,
            .bytes = launch->bytes,
            .cost = cost,
            .need = need,
            .segment = lines ? lines : launch->segment * (launch->turns ? launch->turns : 1),
            .lanes = ir->threads ? lun__ir_lanes(ir) : 0,
            .scans = ir->scan >= 0,
            .free = ir->scan >= 0 && !launch->stage && lun__order_free(ir) && has_room(ir, launch),
            .plain = r.plain,
            .loose = r.loose,
            .chunk = launch->chunk,
            .in_order = launch->in_order},
        team, &r.cut);
    r.cut.stream &= !written; /* what is in buffers is read again at once */
    r.scratch_step = (exec->scratch + LUN_ALIGNMENT - 1) / LUN_ALIGNMENT * LUN_ALIGNMENT;
    r.feed_step = lines        ? 0
                  : r.in_parts ? lun__parts_bytes(ir, r.cut.chunk)
                               : lun__staging_bytes(ir, launch, r.cut.batch * r.cut.chunk);
    if (lines)
        r.table_step = lun__lines_bytes(ir, launch);
    if (launch->segment) /* turns need no stand-ins */
        r.table_step = lun__host_segments_bytes(ir, launch->turns ? 0 : launch->segment);
    size_t scratch;
    if (__builtin_mul_overflow(r.scratch_step, (size_t)r.cut.workers, &scratch))
        return LUN_ENOMEM;
    return lun__host_run_go(&r, team, scratch);
}

lun_status lun__host_run(const lun_services *services, const lun_exec *exec, const lun_team *team,
                         const lun_ir *ir, int64_t cost, lun_launch *launch)
{
    lun_services unstopped;
    launch->trap = -1;
    launch->trap_value = 0;
    if (launch->count <= 0)
        return LUN_OK;
    if (launch->whole) {
        unstopped = *services;
        unstopped.cancel = NULL;
        services = &unstopped;
    }
    if (launch->crew)
        return lun__host_crew(services, exec, team, ir, launch);
    const int64_t lines = lun__lines_length(ir, launch);
    if (lines && is_small_lines(exec, ir, cost, launch))
        return run_small_lines(services, exec, ir, launch);
    if (!lines && (team->threads == 1 || !lun__ir_puts(ir)) && is_small(exec, ir, cost, launch))
        return launch->streams ? run_small_fed(services, exec, ir, launch)
                               : run_small(services, exec, ir, launch, launch->slots);
    return run_large(services, exec, team, ir, cost < 1 ? 1 : cost, lines, launch);
}

void lun__host_run_combine_rows(const lun_exec *exec, int results, uint64_t *cells, int64_t pairs,
                                lun_frame *frame)
{
    for (int k = 0; k < results; k++) {
        if (exec->combine_rows) {
            exec->combine_rows(exec->self, k, results, cells, pairs, frame);
            continue;
        }
        for (int64_t j = 0; j < pairs; j++)
            exec->combine(exec->self, k, &cells[2 * j * results + k],
                          &cells[(2 * j + 1) * results + k], &cells[j * results + k], frame);
    }
}

lun_status lun__host_run_combine(const lun_services *services, const lun_exec *exec, int results,
                                 lun_launch *launch, uint64_t *cells, int64_t pairs)
{
    static const volatile int never = 0;
    lun_frame frame = {.args = launch->args,
                       .slots = launch->slots,
                       .trap = -1,
                       .cancel = services->cancel ? services->cancel : &never};
    lun__host_run_combine_rows(exec, results, cells, pairs, &frame);
    if (lun__backend_stop_requested(services)) /* a function may have given up */
        return LUN_ECANCEL;
    if (frame.trap < 0)
        return LUN_OK;
    launch->trap = (int)frame.trap;
    launch->trap_value = frame.trap_value;
    return LUN_EZERO;
}

/* ---- what backends on host memory have in common --------------------------------------------- */

int64_t lun__host_run_memory(void)
{
    const long pages = sysconf(_SC_PHYS_PAGES), page = sysconf(_SC_PAGESIZE);
    return pages > 0 && page > 0 ? (int64_t)pages * page : 0;
}
