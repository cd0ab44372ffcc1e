/* work.c - what workers do in a run: chunks by shares, in order, or along the chain of a scan; see
 * host_run.h.
 *
 * Knows what a chunk is and which comes next; not how one is computed, nor how results are
 * combined.
 *
 * Invariant: each chunk is in `rest` of exactly one share, or was taken by one worker; `rest`
 * changes by compare and exchange alone, its owner takes from the front, others from the back.
 * Scan: `ready` is the chunk whose carry is in `carry`; the worker of that chunk alone writes both,
 * the carry first. `trapped` only falls, under trap_lock, so that the error is that of the lowest
 * chunk. */
#include "host/host_run.h"
#include "host/host_segments.h"
#include "host/lines.h"
#include "table/skeleton.h"

#include <sched.h>

enum { SPINS = 256 };

/* ---- one chunk ------------------------------------------------------------------------------- */

bool lun__work_finished(lun__run *r, int64_t k)
{
    if (lun__backend_stop_requested(r->services))
        atomic_store_explicit(&r->stop, 1, memory_order_relaxed);
    return atomic_load_explicit(&r->stop, memory_order_relaxed) != 0 ||
           atomic_load_explicit(&r->trapped, memory_order_relaxed) < k;
}

/* Keeps the trap of the lowest chunk, so that the error does not depend on the threads. */
void lun__work_note(lun__run *r, int64_t k, lun_status failure, int64_t trap, int64_t value)
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

void lun__work_note_trap(lun__run *r, int64_t k, const lun_frame *frame)
{
    lun__work_note(r, k, lun__ir_trap_status(r->ir->ins[frame->trap].kind), frame->trap,
                   frame->trap_value);
}

static void *const *slots_of(const lun__run *r, lun_worker *w, void *const *slots)
{
    w->parts.base = slots;
    if (r->in_parts)
        return w->parts.slots;
    return r->feeds ? lun__staging_slots(&w->feed, r->ir, r->launch, slots) : slots;
}

/* Reads indices lo .. hi - 1 of chunk k, or all of its batch, unless they are there. */
static int feed(const lun__run *r, lun_worker *w, int64_t k, int64_t lo, int64_t hi)
{
    const int64_t most = r->cut.batch * r->cut.chunk;
    if (!r->feeds || r->in_parts)
        return 0;
    if (!r->cut.step) {
        lo = r->launch->first + k / r->cut.batch * most;
        hi = r->end - lo < most ? r->end : lo + most;
    }
    return lun__staging_fill(&w->feed, r->ir, r->launch, lo, hi);
}

/* What runs the next chunk; the frame is prepared for it. */
static const lun_exec *executor(lun__run *r, lun_worker *w)
{
    const lun_exec *x = atomic_load_explicit(&r->exec, memory_order_acquire);
    const lun_exec *next = w->leads && x->next ? x->next(x->ctx) : NULL;
    if (next) {
        atomic_store_explicit(&r->exec, next, memory_order_release);
        x = next;
    }
    return x;
}

/* The next part of a chunk that is reduced. */
static int64_t next_part(lun_frame *frame, int64_t from, int64_t hi)
{
    return lun__parts_next(&((lun_worker *)(void *)frame)->parts, from, hi);
}

/* Indices lo .. hi - 1, with the frame's slots. */
static void compute(const lun__run *r, const lun_exec *x, lun_chunk_fn fn, int64_t lo, int64_t hi,
                    lun_worker *w)
{
    lun_frame *frame = &w->frame;
    if (!r->in_parts || !r->plain) {
        fn(x->self, lo, hi, frame);
        return;
    }
    for (int64_t end; lo < hi && frame->trap < 0; lo = end) {
        end = lun__parts_next(&w->parts, lo, hi);
        frame->slots = w->parts.slots;
        fn(x->self, lo, end, frame);
        if (frame->trap < 0)
            lun__parts_edges(&w->parts, x, lo, end, frame);
    }
}

/* Runs indices lo .. hi - 1 of chunk k; from the bounce's cut on with the stand-ins. */
static void call_some(lun__run *r, const lun_exec *x, lun_chunk_fn fn, int64_t k, int64_t lo,
                      int64_t hi, lun_worker *w)
{
    lun_frame *frame = &w->frame;
    const int64_t first = lo, cut = r->bounce->cut;
    int failure = feed(r, w, k, lo, hi);
    frame->trap = -1;
    frame->trap_value = 0;
    if (failure) {
        lun__work_note(r, k, LUN_EIO, w->feed.slot, failure);
        return;
    }
    frame->slots = slots_of(r, w, r->launch->slots);
    if (r->launch->segment) {
        lun__host_segments_run(r, x, w, lo, hi);
        lo = hi;
    }
    if (r->lines) {
        lun__lines_run(r->ir, r->launch, x, frame, w->tables, lo, hi);
        lo = hi;
    }
    if (lo < cut && hi > cut) {
        compute(r, x, fn, lo, cut, w);
        lo = cut;
    }
    if (frame->trap < 0 && lo < hi) {
        if (lo >= cut)
            frame->slots = slots_of(r, w, r->bounce->slots);
        compute(r, x, fn, lo, hi, w);
    }
    if (frame->trap < 0 && r->drains)
        lun__staging_drain(&w->feed, r->ir, r->launch, first, hi);
    if (frame->trap >= 0)
        lun__work_note_trap(r, k, frame);
}

/* Runs chunk k, or finds its total. */
static void call(lun__run *r, bool total, int64_t k, lun_worker *w)
{
    const lun_exec *x = executor(r, w);
    const int64_t first = r->launch->first + k * r->cut.chunk;
    const int64_t hi = r->end - first < r->cut.chunk ? r->end : first + r->cut.chunk;
    const int64_t step = r->cut.step ? r->cut.step : hi - first;
    if (r->loose) /* what runs whole blocks leaves out what is beyond n */
        w->frame.n = hi;
    for (int64_t lo = first; lo < hi; lo += step) {
        call_some(r, x, total ? x->total : x->body, k, lo, hi - lo < step ? hi : lo + step, w);
        if (lun__work_finished(r, k + 1))
            break;
    }
}

lun_frame lun__work_frame(const lun__run *r, int worker)
{
    static const volatile int never = 0;
    return (lun_frame){.n = r->end,
                       .races = r->launch->races,
                       .cancel = r->services->cancel ? r->services->cancel : &never,
                       .args = r->launch->args,
                       .stream = r->cut.stream,
                       .scratch = r->scratch + (size_t)worker * r->scratch_step};
}

lun_worker lun__work_begin(const lun__run *r, int worker)
{
    lun_worker w = {.frame = lun__work_frame(r, worker), .leads = worker == 0};
    if (r->in_parts) {
        lun__parts_open(&w.parts, r->ir, r->launch, r->feeds + (size_t)worker * r->feed_step,
                        r->cut.chunk);
        w.frame.part = r->plain ? NULL : next_part;
    } else if (r->feeds) {
        lun__staging_open(&w.feed, r->ir, r->feeds + (size_t)worker * r->feed_step,
                          r->cut.batch * r->cut.chunk);
    }
    if (r->table_step)
        w.tables = r->tables + (size_t)worker * r->table_step;
    return w;
}

/* What was written past the caches is in memory for all other threads. Other processors than x86
 * have no such stores. */
static void store_fence(void)
{
#ifdef __x86_64__
    __builtin_ia32_sfence();
#endif
}

void lun__work_fence(const lun__run *r)
{
    if (r->cut.stream) /* once, not after each chunk */
        store_fence();
}

static void run_chunk(lun__run *r, int64_t k, lun_worker *w)
{
    if (r->chain) {
        r->chain(r, k, w);
        return;
    }
    w->frame.partials = r->launch->partials + k * r->ir->result_count;
    call(r, false, k, w);
}

/* Reports progress, about. Worker 0 is the calling thread: it alone does this. */
static void report(const lun__run *r, int64_t chunks)
{
    const lun_services *s = r->services;
    if (chunks > r->cut.chunks)
        chunks = r->cut.chunks;
    if (s->tick)
        s->tick(s->tick_ctx, lun__skeleton_kernel_name(r->ir->scan >= 0, r->ir->result_count > 0),
                chunks * r->cut.chunk, r->end - r->launch->first);
}

/* ---- workers --------------------------------------------------------------------------------- */

static int64_t take(lun__run *r)
{
    return atomic_fetch_add_explicit(&r->next, r->cut.batch, memory_order_relaxed);
}

/* Takes the first or the last chunk that is left of a share; -1: none is. */
static int64_t take_of(lun_share *s, bool first)
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

static bool in_order(const lun__run *r)
{
    return r->cut.in_order || r->cut.chunks > UINT32_MAX;
}

/* Cuts the chunks into shares, one for each worker as far as there is room. */
void lun__work_share(lun__run *r)
{
    if ((r->ir->scan >= 0 && !r->launch->segment) || in_order(r))
        return;
    r->share_count = r->cut.workers < LUN_SHARES ? r->cut.workers : LUN_SHARES;
    for (int s = 0; s < r->share_count; s++) {
        int64_t from, to;
        lun__split_share(&r->cut, r->share_count, s, &from, &to);
        atomic_init(&r->shares[s].rest, (unsigned long long)to << 32 | (unsigned long long)from);
    }
}

/* A worker takes its own share from the front; then chunks of the others' shares from the back,
 * neighbours first.  At a chunk that need not run both stop: the owner because none behind it need
 * run, another worker because the owner runs those before it. */
static void work_on_shares(lun__run *r, int worker)
{
    lun_worker w = lun__work_begin(r, worker);
    int64_t k, done = 0;
    int mine = (int)((int64_t)worker * r->share_count / r->cut.workers);
    for (int i = 0; i < r->share_count; i++) {
        lun_share *s = &r->shares[(mine + i) % r->share_count];
        while ((k = take_of(s, i == 0)) >= 0 && !lun__work_finished(r, k)) {
            run_chunk(r, k, &w);
            if (worker == 0)
                report(r, ++done * r->cut.workers);
        }
    }
}

/* In order, batch by batch: where files are read, or there are more chunks than a share can
 * count. */
static void work_in_order(lun__run *r, int worker)
{
    lun_worker w = lun__work_begin(r, worker);
    int64_t k, to;
    while ((k = take(r)) < r->cut.chunks && !lun__work_finished(r, k))
        for (to = k + r->cut.batch; k < to && k < r->cut.chunks && !lun__work_finished(r, k); k++) {
            run_chunk(r, k, &w);
            if (worker == 0)
                report(r, k + 1);
        }
}

/* Waits until the carry of chunk k is there. False: it may never come. */
static bool wait_for_carry(lun__run *r, int64_t k)
{
    for (int spins = 0; atomic_load_explicit(&r->ready, memory_order_acquire) != k; spins++) {
        if (lun__work_finished(r, k))
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

/* Chunks are taken in order, so the chunk whose carry a worker waits for is run by another. A
 * worker stops only for a reason that all waiting ones see too: the run is cancelled, or a lower
 * chunk trapped. */
static void work_on_scan(lun__run *r, int worker)
{
    lun_worker w = lun__work_begin(r, worker);
    lun_frame *frame = &w.frame;
    int64_t k;
    while ((k = take(r)) < r->cut.chunks && !lun__work_finished(r, k)) {
        uint64_t total = 0, carry;
        bool last = k + 1 == r->cut.chunks;
        frame->carry = &total;
        if (!last)
            call(r, true, k, &w);
        if (!wait_for_carry(r, k))
            return;
        carry = r->carry;
        if (!last) {
            frame->trap = -1;
            const lun_exec *x = executor(r, &w);
            x->combine(x->self, -1, &carry, &total, &r->carry, frame);
            if (frame->trap >= 0)
                lun__work_note_trap(r, k, frame);
            atomic_store_explicit(&r->ready, k + 1, memory_order_release);
        }
        frame->carry = &carry;
        run_chunk(r, k, &w);
    }
}

/* The chunks of a stage, which have a cell each, in any order. */
static void work_on_stage(lun__run *r, int worker)
{
    lun_worker w = lun__work_begin(r, worker);
    const bool total = r->launch->stage == LUN_STAGE_TOTALS;
    int64_t k;
    while ((k = take(r)) < r->cut.chunks && !lun__work_finished(r, k)) {
        uint64_t cell = total ? 0 : r->launch->partials[k];
        w.frame.carry = &cell;
        call(r, total, k, &w);
        if (total)
            r->launch->partials[k] = cell;
    }
}

void lun__work_all(void *ctx, int worker)
{
    lun__run *r = ctx;
    if (r->launch->stage)
        work_on_stage(r, worker);
    else if (r->ir->scan >= 0 && !r->launch->segment)
        work_on_scan(r, worker);
    else if (in_order(r))
        work_in_order(r, worker);
    else
        work_on_shares(r, worker);
    lun__work_fence(r);
}
