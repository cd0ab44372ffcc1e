/* host.c - chunks, the fixed reduction tree, the scan chain on the host's cores; see host.h.
 *
 * Knows what a chunk is and in which order results meet; not how a chunk is computed, nor how threads
 * are made. A run lives on the caller's stack; small ones allocate nothing and take no lock. */
#include "host.h"

#include <sched.h>
#include <stdatomic.h>
#include <stdlib.h>
#include <string.h>

#include "bounce.h"
#include "feed.h"
#include "hostcut.h"

enum {
    ALIGNMENT = 64,
    LOCAL_SCRATCH = 24 << 10,
    LOCAL_CELLS = 64,
    SMALL_BYTES = 1 << 20,
    SHARES = 32,
    SPINS = 256,
    CASTS = 8
};

/* Chunks that are left: the first in the lower half, the end in the upper one. */
typedef struct share {
    _Alignas(ALIGNMENT) atomic_ullong rest;
} share;

typedef struct run {
    const lun_services *services;
    const lun_exec *exec;
    const lun_ir *ir;
    lun_launch *launch;
    int64_t end; /* first + count */
    lun_cut cut;
    bool plain;    /* neither REDUCE nor SCAN */
    char *scratch; /* of worker 0; the others follow */
    size_t scratch_step;
    uint64_t *partials; /* chunk by chunk, a cell for each result */
    lun_bounce *bounce;
    char *feeds; /* of worker 0; NULL: all elements are in memory */
    size_t feed_step;

    share shares[SHARES];
    int share_count;
    atomic_llong next;  /* SCAN: the chunk to be taken */
    atomic_llong ready; /* SCAN: the chunk whose carry stands in `carry` */
    uint64_t carry;
    atomic_int stop;      /* cancelled */
    atomic_llong trapped; /* the lowest chunk that met a trap; INT64_MAX: none */
    atomic_flag trap_lock;
    int64_t trap, trap_value; /* of that chunk; under the lock */
    lun_status failure;       /* what that makes of the run */
} run;

/* What a worker has of its own. */
typedef struct own {
    lun_frame frame;
    lun_feed feed;
} own;

/* ---- one chunk ---------------------------------------------------------------------------------------- */

/* True when chunk k need not run: the run was stopped, or has failed before k. */
static bool finished(run *r, int64_t k)
{
    const volatile int *cancel = r->services->cancel;
    if (cancel && __atomic_load_n(cancel, __ATOMIC_RELAXED))
        atomic_store_explicit(&r->stop, 1, memory_order_relaxed);
    return atomic_load_explicit(&r->stop, memory_order_relaxed) != 0 ||
           atomic_load_explicit(&r->trapped, memory_order_relaxed) < k;
}

/* Keeps the trap of the lowest chunk, so that the error does not depend on the threads. */
static void note(run *r, int64_t k, lun_status failure, int64_t trap, int64_t value)
{
    while (atomic_flag_test_and_set_explicit(&r->trap_lock, memory_order_acquire))
        sched_yield();
    if (k < atomic_load_explicit(&r->trapped, memory_order_relaxed)) {
        r->trap = trap;
        r->trap_value = value;
        r->failure = failure;
        atomic_store_explicit(&r->trapped, k, memory_order_relaxed);
    }
    atomic_flag_clear_explicit(&r->trap_lock, memory_order_release);
}

static lun_status kind_of_trap(const lun_ir *ir, int64_t trap)
{
    return ir->ins[trap].kind == LUN_IR_CHECK ? LUN_EBOUNDS : LUN_EZERO;
}

static void note_trap(run *r, int64_t k, const lun_frame *frame)
{
    note(r, k, kind_of_trap(r->ir, frame->trap), frame->trap, frame->trap_value);
}

static void *const *slots_of(const run *r, const own *w, void *const *slots)
{
    return r->feeds ? lun__feed_slots(&w->feed, r->ir, r->launch, slots) : slots;
}

/* Reads chunk k's batch, unless it is there. */
static int feed(const run *r, own *w, int64_t k)
{
    int64_t lo = r->launch->first + k / r->cut.batch * r->cut.batch * r->cut.chunk;
    int64_t hi =
        r->end - lo < r->cut.batch * r->cut.chunk ? r->end : lo + r->cut.batch * r->cut.chunk;
    return r->feeds ? lun__feed_fill(&w->feed, r->ir, r->launch, lo, hi) : 0;
}

/* Runs fn on chunk k; from the bounce's cut on with the stand-ins. */
static void call(run *r, lun_chunk_fn fn, int64_t k, own *w)
{
    lun_frame *frame = &w->frame;
    int64_t lo = r->launch->first + k * r->cut.chunk, cut = r->bounce->cut;
    int64_t hi = r->end - lo < r->cut.chunk ? r->end : lo + r->cut.chunk;
    int failure = feed(r, w, k);
    frame->trap = -1;
    frame->trap_value = 0;
    if (failure) {
        note(r, k, LUN_EIO, w->feed.slot, failure);
        return;
    }
    frame->slots = slots_of(r, w, r->launch->slots);
    if (lo < cut && hi > cut) {
        fn(r->exec->self, lo, cut, frame);
        lo = cut;
    }
    if (frame->trap < 0) {
        if (lo >= cut)
            frame->slots = slots_of(r, w, r->bounce->slots);
        fn(r->exec->self, lo, hi, frame);
    }
    if (frame->trap >= 0)
        note_trap(r, k, frame);
}

static lun_frame make_frame(const run *r, int worker)
{
    static const volatile int never = 0;
    return (lun_frame){.n = r->end,
                       .cancel = r->services->cancel ? r->services->cancel : &never,
                       .args = r->launch->args,
                       .math = r->exec->math,
                       .stream = r->cut.stream,
                       .scratch = r->scratch + (size_t)worker * r->scratch_step};
}

static own make_own(const run *r, int worker)
{
    own w = {.frame = make_frame(r, worker)};
    if (r->feeds)
        lun__feed_open(&w.feed, r->ir, r->feeds + (size_t)worker * r->feed_step,
                       r->cut.batch * r->cut.chunk);
    return w;
}

static void run_chunk(run *r, int64_t k, own *w)
{
    w->frame.partials = r->partials + k * r->ir->result_count;
    call(r, r->exec->body, k, w);
}

/* Tells how many chunks are done, about. For worker 0, which is the thread that wants the result. */
static void tell(const run *r, int64_t chunks)
{
    const lun_services *s = r->services;
    if (chunks > r->cut.chunks)
        chunks = r->cut.chunks;
    if (s->tick)
        s->tick(s->tick_ctx,
                r->ir->scan >= 0          ? "scan"
                : r->ir->result_count > 0 ? "reduce"
                                          : "map",
                chunks * r->cut.chunk, r->end - r->launch->first);
}

/* ---- workers ------------------------------------------------------------------------------------------- */

static int64_t take(run *r)
{
    return atomic_fetch_add_explicit(&r->next, r->cut.batch, memory_order_relaxed);
}

/* Takes the first or the last chunk that is left of a share; -1: none is. */
static int64_t take_of(share *s, bool first)
{
    unsigned long long rest = atomic_load_explicit(&s->rest, memory_order_relaxed), less;
    do {
        if ((rest & UINT32_MAX) >= rest >> 32)
            return -1;
        less = first ? rest + 1 : rest - (1ull << 32);
    } while (!atomic_compare_exchange_weak_explicit(&s->rest, &rest, less, memory_order_relaxed,
                                                    memory_order_relaxed));
    return (int64_t)(first ? rest & UINT32_MAX : (rest >> 32) - 1);
}

/* Cuts the chunks into shares, one for each worker as far as there is room. */
static void make_shares(run *r)
{
    r->share_count = r->cut.workers < SHARES ? r->cut.workers : SHARES;
    for (int s = 0; s < r->share_count; s++) {
        int64_t from, to;
        lun_cut_share(&r->cut, r->share_count, s, &from, &to);
        atomic_init(&r->shares[s].rest, (unsigned long long)to << 32 | (unsigned long long)from);
    }
}

/* A worker takes its own share from the front; then what others have left, from the back and from its
 * neighbours first.  Whoever stops at a chunk stops before or behind all that is left of the share. */
static void work_on_shares(run *r, int worker)
{
    own w = make_own(r, worker);
    int64_t k, done = 0;
    int mine = (int)((int64_t)worker * r->share_count / r->cut.workers);
    for (int i = 0; i < r->share_count; i++) {
        share *s = &r->shares[(mine + i) % r->share_count];
        while ((k = take_of(s, i == 0)) >= 0 && !finished(r, k)) {
            run_chunk(r, k, &w);
            if (worker == 0)
                tell(r, ++done * r->cut.workers);
        }
    }
}

/* In order, batch by batch: where files are read, or there are more chunks than a share can count. */
static void work_in_order(run *r, int worker)
{
    own w = make_own(r, worker);
    int64_t k, to;
    while ((k = take(r)) < r->cut.chunks && !finished(r, k))
        for (to = k + r->cut.batch; k < to && k < r->cut.chunks && !finished(r, k); k++) {
            run_chunk(r, k, &w);
            if (worker == 0)
                tell(r, k + 1);
        }
}

/* Waits until the carry of chunk k is there. False: it may never come. */
static bool wait_for_carry(run *r, int64_t k)
{
    for (int spins = 0; atomic_load_explicit(&r->ready, memory_order_acquire) != k; spins++) {
        if (finished(r, k))
            return false;
        if (spins >= SPINS)
            sched_yield();
#ifdef __x86_64__
        else
            __builtin_ia32_pause();
#endif
    }
    return true;
}

/* Chunks are taken in order, so whoever waits for a carry waits for a chunk that somebody runs. A worker
 * that gives up (cancelled, or a trap in a lower chunk) has a reason that all waiting ones see too. */
static void work_on_scan(run *r, int worker)
{
    own w = make_own(r, worker);
    lun_frame *frame = &w.frame;
    int64_t k;
    while ((k = take(r)) < r->cut.chunks && !finished(r, k)) {
        uint64_t total = 0, carry;
        bool last = k + 1 == r->cut.chunks;
        frame->carry = &total;
        if (!last)
            call(r, r->exec->total, k, &w);
        if (!wait_for_carry(r, k))
            return;
        carry = r->carry;
        if (!last) {
            frame->trap = -1;
            r->exec->combine(r->exec->self, -1, &carry, &total, &r->carry, frame);
            if (frame->trap >= 0)
                note_trap(r, k, frame);
            atomic_store_explicit(&r->ready, k + 1, memory_order_release);
        }
        frame->carry = &carry;
        run_chunk(r, k, &w);
    }
}

static bool in_order(const run *r)
{
    return r->cut.in_order || r->cut.chunks > UINT32_MAX;
}

static void work(void *ctx, int worker)
{
    run *r = ctx;
    if (r->ir->scan >= 0)
        work_on_scan(r, worker);
    else if (in_order(r))
        work_in_order(r, worker);
    else
        work_on_shares(r, worker);
#ifdef __x86_64__
    if (r->cut.stream) /* once, not after each chunk: what others shall see is in memory now */
        __builtin_ia32_sfence();
#endif
}

/* ---- results ---------------------------------------------------------------------------------------------- */

/* Partial results, in order, by the adjacent-pair tree. */
static void combine_partials(run *r)
{
    lun_frame frame = make_frame(r, 0);
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
        note_trap(r, 0, &frame);
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

/* ---- a run ------------------------------------------------------------------------------------------------ */

static lun_status outcome(run *r)
{
    if (finished(r, -1)) /* the last chunk may have given up */
        return LUN_ECANCEL;
    if (atomic_load(&r->trapped) == INT64_MAX)
        return LUN_OK;
    r->launch->trap = (int)r->trap;
    r->launch->trap_value = r->trap_value;
    return r->failure;
}

/* With memory for partial results and scratch. */
static lun_status go(run *r, const lun_team *team)
{
    lun_bounce b;
    int64_t cut = r->plain ? r->end / LUN_BLOCK * LUN_BLOCK
                           : r->launch->first + (r->cut.chunks - 1) * r->cut.chunk;
    r->bounce = &b;
    lun_status s = lun__bounce_open(&b, r->ir, r->launch, cut);
    if (s != LUN_OK)
        return s;
    if (r->ir->scan < 0 && !in_order(r))
        make_shares(r);
    if (r->cut.workers == 1)
        work(r, 0);
    else
        team->parallel(team, r, r->cut.workers, work);
    s = outcome(r);
    if (s == LUN_OK && r->ir->result_count) {
        combine_partials(r);
        s = outcome(r);
    }
    lun__bounce_close(&b, r->ir, r->launch, s == LUN_OK);
    return s;
}

/* What does not fit the caller's stack. */
static lun_status go_with_memory(run *r, const lun_team *team, size_t scratch, size_t cells)
{
    size_t bytes;
    size_t feeds;
    if (__builtin_mul_overflow(cells, sizeof *r->partials, &bytes) ||
        __builtin_mul_overflow(r->feed_step, (size_t)r->cut.workers, &feeds) ||
        __builtin_add_overflow(bytes, feeds, &bytes) ||
        __builtin_add_overflow(bytes, scratch + 2 * ALIGNMENT, &bytes))
        return LUN_ENOMEM;
    char *memory = malloc(bytes);
    if (!memory)
        return LUN_ENOMEM;
    r->scratch = memory + -(uintptr_t)memory % ALIGNMENT;
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
    return kind_of_trap(ir, frame.trap);
}

static lun_status run_large(const lun_services *services, const lun_exec *exec,
                            const lun_team *team, const lun_ir *ir, int64_t cost,
                            lun_launch *launch)
{
    run r = {.services = services,
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
    lun_cut_make(&(lun_cut_wish){.count = launch->count,
                                 .bytes = launch->bytes,
                                 .cost = cost,
                                 .scans = ir->scan >= 0,
                                 .plain = r.plain},
                 team, &r.cut);
    r.scratch_step = (exec->scratch + ALIGNMENT - 1) / ALIGNMENT * ALIGNMENT;
    r.feed_step = lun__feed_bytes(ir, launch, r.cut.batch * r.cut.chunk);
    size_t scratch, cells;
    if (__builtin_mul_overflow(r.scratch_step, (size_t)r.cut.workers, &scratch) ||
        __builtin_mul_overflow((size_t)r.cut.chunks, (size_t)ir->result_count, &cells))
        return LUN_ENOMEM;
    if (scratch > LOCAL_SCRATCH || cells > LOCAL_CELLS || r.feed_step)
        return go_with_memory(&r, team, scratch, cells);
    _Alignas(ALIGNMENT) char local[LOCAL_SCRATCH];
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
