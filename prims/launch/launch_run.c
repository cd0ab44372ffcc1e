/* launch_run.c - the run of a launch that is filled, and what becomes of a failure; see bind.h. */
#include "base/clock.h"
#include "base/layout/permuted.h"
#include "launch/bind.h"
#include "launch/join_chunks.h"
#include "launch/run_event.h"
#include "launch/trap.h"
#include "store/element_file.h"

static lun_status explain_stream(lun_engine *e, const lun_storage *s, int failure)
{
    return lun__element_file_fail(e, s->source, failure);
}

/* A storage that one slot needs whole is loaded into memory for all slots on it. */
static void bind_loaded(lun_binding *to)
{
    const lun_ir *ir = &to->l->ir;
    for (int i = 0; i < ir->slot_count; i++) {
        const lun_storage *s = to->streams[i].layout ? NULL : to->streams[i].self;
        if (!s || s->source)
            continue;
        to->streams[i] = (lun_stream){0};
        to->room[i] = s->room - to->origin[i];
        to->at[i] = (char *)s->data + to->origin[i] * lun__dtype_get(s->dtype)->bytes;
    }
}

/* Runs while tools watch; each is timed. */
static lun_status run_watched(lun_engine *e, lun_binding *to, lun_kernel *k)
{
    const double start = lun__clock_now();
    lun_run_event *x =
        lun__run_event_kernel(e, start, to->b, to->l, to->run.count, to->read + to->written);
    lun_status s = lun__join_submit(e, to->b, to->l, k, &to->run, &to->mark);
    if (s == LUN_OK)
        s = lun__join_collect(e, to->b, to->l, k, &to->run, to->mark, to->unjoined);
    const double end = lun__clock_now();
    e->stats.run_time += end - start;
    lun__run_event_end(e, x, end);
    return s;
}

/* Runs and counts the time.  Of launches too small for a look at the clock one in sixteen stands
 * for those before it. */
static lun_status run_timed(lun_engine *e, lun_binding *to, lun_kernel *k)
{
    if (lun__tools_watch(e->tools))
        return run_watched(e, to, k);
    enum { SMALL = 1 << 18, STANDS_FOR = 16 };
    const bool timed =
        to->run.bytes >= SMALL || e->stats.launches <= STANDS_FOR || e->untimed >= STANDS_FOR - 1;
    const double start = timed ? lun__clock_now() : 0;
    lun_status s = lun__join_submit(e, to->b, to->l, k, &to->run, &to->mark);
    if (s == LUN_OK)
        s = lun__join_collect(e, to->b, to->l, k, &to->run, to->mark, to->unjoined);
    if (timed)
        e->stats.run_time += (lun__clock_now() - start) * (e->untimed + 1);
    e->untimed = timed ? 0 : e->untimed + 1;
    return s;
}

lun_status lun__launch_run_no_memory(lun_engine *e, int64_t n)
{
    return lun__fail(e, LUN_ENOMEM,
                     "out of memory: no working memory for a kernel over %lld elements",
                     (long long)n);
}

lun_status lun__launch_run_failed(lun_engine *e, const lun_binding *to, lun_status s, int64_t count)
{
    const lun_launch *run = &to->run;
    if (s == LUN_EZERO || s == LUN_EBOUNDS)
        return lun__trap_explain(e, to->l, run);
    if (s == LUN_EBUILD)
        return lun__trap_refusal(e, to->l);
    if (s == LUN_ECANCEL && lun__watch_stopped(e) == LUN_ELIMIT)
        return LUN_ELIMIT;
    if (s == LUN_EIO && to->streams && run->trap >= 0)
        return explain_stream(e, to->streams[run->trap].self, (int)run->trap_value);
    return s == LUN_ENOMEM ? lun__launch_run_no_memory(e, count) : s;
}

void lun__launch_run_fill(lun_binding *to, int64_t n, int64_t first, int64_t count,
                          uint64_t *partials)
{
    if (to->streams)
        bind_loaded(to);
    if (to->streams && !to->b->backend->buffer_new)
        lun__adjacent_columns_find(to->streams, to->strided, to->l->ir.slot_count);
    to->run = (lun_launch){.n = n,
                           .first = first,
                           .count = count,
                           .segment = to->segment,
                           .turns = to->turns,
                           .slots = to->at,
                           .room = to->room,
                           .origin = to->origin,
                           .streams = to->streams,
                           .args = to->cells,
                           .partials = partials,
                           .stage = to->stage,
                           .races = to->races,
                           .bytes = to->bytes,
                           .whole = to->whole,
                           .workgroup = to->l->workgroup,
                           .chunk = to->e->chunk,
                           .in_order = to->e->in_order,
                           .crew = to->crew,
                           .trap = -1};
}

/* Of the stages of a scan the last one counts for all. */
static void count_bytes(lun_engine *e, const lun_binding *to)
{
    if (to->stage == LUN_STAGE_TOTALS || to->stage == LUN_STAGE_CARRIES)
        return;
    e->stats.bytes_read += to->read;
    e->stats.bytes_written += to->written;
}

lun_status lun__launch_run_submit(lun_engine *e, lun_binding *to, lun_kernel_entry *k, int64_t n,
                                  int64_t first, int64_t count, uint64_t *partials)
{
    lun__launch_run_fill(to, n, first, count, partials);
    return lun__join_submit(e, to->b, to->l, k->kernel, &to->run, &to->mark);
}

lun_status lun__launch_run_collect(lun_engine *e, lun_binding *to, lun_kernel_entry *k)
{
    lun_status s = lun__join_collect(e, to->b, to->l, k->kernel, &to->run, to->mark, to->unjoined);
    if (s == LUN_OK)
        count_bytes(e, to);
    return s;
}

/* ---- permuted axes --------------------------------------------------------------------------- */

typedef struct permuting {
    lun_permuted p;
    const void *from;
    void *to;
    int64_t first; /* the unit that a range counts from */
} permuting;

static void permute_range(void *ctx, int64_t lo, int64_t hi)
{
    const permuting *x = ctx;
    lun__permuted_read(&x->p, x->from, x->to, x->first + lo, x->first + hi);
}

/* Whether slot i is read in an order in which no window of the launch finds whole lines. */
static bool is_permuted(const lun_binding *to, int i, lun_permuted *out)
{
    const lun_stream *s = &to->streams[i];
    const lun_strided *x = &to->strided[i];
    return s->read && s->layout && !s->origin && x->base && !x->pad &&
           lun__permuted_plan(&x->at, x->size, out);
}

/* Whether the kernel does nothing but copy slot 0 to slot 1. */
static bool copies(const lun_binding *to)
{
    const lun_ir *ir = &to->l->ir;
    return ir->count == 2 && ir->slot_count == 2 && ir->ins[0].kind == LUN_IR_LOAD &&
           ir->ins[1].kind == LUN_IR_STORE && ir->ins[1].imm == 1 && !to->streams[1].write;
}

/* Does the launch, if it is such a copy. */
static lun_status permute(lun_engine *e, lun_binding *to, int64_t n, bool *done)
{
    enum { STEP = 32 << 20 }; /* bytes between two looks at whether it shall stop */
    permuting x = {.from = NULL};
    lun_status s = LUN_OK;
    *done = to->streams && !to->b->backend->buffer_new && copies(to) && is_permuted(to, 0, &x.p);
    if (!*done)
        return LUN_OK;
    x.from = to->strided[0].base;
    x.to = to->at[1];
    const int64_t each = n * x.p.size / x.p.units + 1, most = STEP / each + 1;
    for (; s == LUN_OK && x.first < x.p.units; x.first += most) {
        const int64_t left = x.p.units - x.first, some = left < most ? left : most;
        lun__backend_share_range(e, some, some * each, &x, permute_range);
        s = lun__watch_stopped(e);
    }
    e->stats.launches++;
    return s;
}

lun_status lun__launch_run(lun_engine *e, lun_binding *to, lun_kernel_entry *k, int64_t n,
                           int64_t first, int64_t count, uint64_t *partials)
{
    bool done = false;
    lun_status s = first == 0 && count == n ? permute(e, to, n, &done) : LUN_OK;
    lun__launch_run_fill(to, n, first, count, partials);
    if (!done)
        s = run_timed(e, to, k->kernel);
    if (s != LUN_OK)
        return lun__launch_run_failed(e, to, s, count);
    count_bytes(e, to);
    return LUN_OK;
}
