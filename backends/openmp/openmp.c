/* openmp.c - the backend `openmp`: kernels on the host's cores, compiled by the C compiler; see
 * backend.h.
 *
 * A kernel runs interpreted until its machine code is there, with the same bits; so nothing waits
 * for a compiler but kernels with functions in C, which cannot be interpreted.  Text is rendered by
 * render/render.h and becomes code by jit.h. */
#include "openmp/openmp.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "algorithms/parts/algorithm_functions.h"
#include "base/clock.h"
#include "openmp/openmp_state.h"
#include "product/block_product.h"

/* Near a core, as far as it is known without a look at the machine. */
static int64_t level2_share(void)
{
#ifdef _SC_LEVEL2_CACHE_SIZE
    return sysconf(_SC_LEVEL2_CACHE_SIZE) / 2;
#else
    return 0;
#endif
}

static lun_status openmp_open(const lun_services *services, const lun_opening *how, void **state,
                              lun_abilities *out)
{
    (void)how;
    lun_openmp *o = calloc(1, sizeof *o);
    if (!o) {
        lun__strbuf_clear(services->error);
        lun__strbuf_puts(services->error, "out of memory");
        return LUN_ENOMEM;
    }
    o->services = services;
    o->isa = lun__isa_here();
    *out = (lun_abilities){.segments = true,
                           .chains = true,
                           .sweeps = true,
                           .shares = true,
                           .crews = true,
                           .memory_bytes = lun__host_run_memory(),
                           .machine = lun__compiler_machine()};
    lun__thread_team_init(&o->team, services->threads, services->bind);
    out->cache_bytes = o->team.looked ? o->team.slots.chunk_bytes : level2_share();
    o->team.near_bytes = &out->cache_bytes;
    lun__jit_init(&o->jit, services, o->isa);
    *state = o;
    return LUN_OK;
}

static void openmp_close(void *state)
{
    lun_openmp *o = state;
    lun__jit_finish(&o->jit);
    lun__thread_team_free(&o->team);
    free(o);
}

/* ---- running --------------------------------------------------------------------------------- */

/* An interpreted run, which machine code takes over between two chunks if it is ready by then. */
typedef struct overtaking {
    lun_openmp *o;
    lun_kernel *k;
    lun_exec exec; /* machine code; body NULL: it is not ready yet */
} overtaking;

static const lun_exec *overtake(void *ctx)
{
    overtaking *t = ctx;
    lun__jit_poll(&t->o->jit);
    if (t->k->unit.state != LUN_UNIT_READY)
        return NULL;
    t->exec = lun__openmp_kernel_code(t->k);
    return &t->exec;
}

static lun_status run_on(lun_openmp *o, lun_kernel *k, const lun_team *team, lun_launch *launch)
{
    if (k->compiled || o->services->jit == LUN_JIT_OFF)
        return lun__host_run(o->services, &k->exec, team, &k->ir, k->cost, launch);
    overtaking t = {o, k, {0}};
    lun_exec exec = k->exec;
    exec.next = overtake;
    exec.ctx = &t;
    lun_status s = lun__host_run(o->services, &exec, team, &k->ir, k->cost, launch);
    if (t.exec.body) {
        o->services->stats->overtaken++;
        lun__openmp_kernel_take(o, k);
    }
    return s;
}

/* A run that a team could share: by one thread if that was faster lately. */
static lun_status run_paced(lun_openmp *o, lun_kernel *k, lun_team *team, lun_launch *launch)
{
    double guess = lun__split_guess(k->cost, launch->count, launch->bytes);
    if (k->puts_in_loops && guess < LUN_PACE_GUESSED_NS)
        guess = LUN_PACE_GUESSED_NS;
    lun_pace_plan plan = lun__pace_plan(&o->pace, &k->rate, launch->count, guess, team->threads);
    double start = plan.timed ? lun__clock_now() : 0;
    bool compiled = k->compiled;
    if (!plan.team)
        team->threads = 1;
    team->alone_ns = plan.alone_ns;
    if (k->puts_in_loops && plan.team && plan.alone_ns <= 0)
        team->alone_ns = guess * team->threads;
    lun_status s = run_on(o, k, team, launch);
    if (plan.timed && s == LUN_OK && compiled == k->compiled)
        lun__pace_note(&o->pace, &k->rate, launch->count, &plan, (lun__clock_now() - start) * 1e9);
    return s;
}

static lun_status run(lun_openmp *o, lun_kernel *k, lun_launch *launch)
{
    if (!k->compiled) {
        lun_status s = lun__openmp_kernel_advance(o, k, launch);
        if (s != LUN_OK)
            return s;
        o->services->stats->interpreted += !k->compiled;
    } else {
        lun__jit_poll(&o->jit);
    }
    k->launches++;
    lun__backend_count(&o->services->stats->launches);
    lun_team team = {.threads = 1};
    if (launch->crew) {
        team = lun__thread_team_for(&o->team, INT64_MAX);
        return run_on(o, k, &team, launch);
    }
    if (k->puts_in_loops && launch->count > 1)
        team = lun__thread_team_for(&o->team, INT64_MAX);
    else if (!lun__host_run_alone(&k->ir, k->cost, launch))
        team = lun__thread_team_for(&o->team, launch->count);
    if (team.threads > 1 && !launch->streams)
        return run_paced(o, k, &team, launch);
    return run_on(o, k, &team, launch);
}

/* ---- work ------------------------------------------------------------------------------------ */

static lun_status multiply(lun_openmp *o, const lun_product *p)
{
    lun_team team = lun__joint_product_team(o, p);
    return lun__block_product_run(o->services, o->isa, &team, p, NULL);
}

static lun_status run_algorithm(lun_openmp *o, lun_algorithm_run *r)
{
    lun_team team = lun__thread_team_for(&o->team, INT64_MAX);
    return lun__algorithm_run(o->services, &team, r);
}

/* The state, with the threads that are wanted now. */
static lun_openmp *state_now(void *state)
{
    lun_openmp *o = state;
    lun__thread_team_change(&o->team, o->services->threads, o->services->bind);
    return o;
}

static bool openmp_takes(void *state, const lun_work *w, int64_t *scratch)
{
    lun_openmp *o = state_now(state);
    *scratch = 0;
    if (w->kind == LUN_WORK_PRODUCT)
        *scratch = lun__block_product_room(
            o->isa, lun__joint_product_team(o, w->is.product).threads, w->is.product);
    else if (w->kind == LUN_WORK_ALGORITHM)
        *scratch =
            lun__algorithm_room(w->is.algorithm, lun__thread_team_for(&o->team, INT64_MAX).threads);
    return w->kind != LUN_WORK_PAD && w->kind != LUN_WORK_TRANSFER;
}

static lun_status openmp_begin(void *state, const lun_work *w, lun_work_mark *mark)
{
    lun_openmp *o = state_now(state);
    const lun_work_run *r = &w->is.run;
    lun_status s = LUN_OK;
    (void)mark;
    switch (w->kind) {
    case LUN_WORK_LAUNCH:
        return run(o, r->kernel, r->launch);
    case LUN_WORK_COMBINE:
        return lun__host_run_combine(o->services, &r->kernel->exec, r->kernel->ir.result_count,
                                     r->launch, r->cells, r->pairs);
    case LUN_WORK_CHAIN:
        return lun__joint_chain(o, w->is.chain);
    case LUN_WORK_SWEEP:
        return lun__joint_sweep(o, w->is.sweep);
    case LUN_WORK_SHARE:
        lun__thread_team_share(&o->team, w->is.share.n, w->is.share.bytes, w->is.share.ctx,
                               w->is.share.task);
        return s;
    case LUN_WORK_PRODUCT:
        s = multiply(o, w->is.product);
        break;
    case LUN_WORK_ALGORITHM:
        s = run_algorithm(o, w->is.algorithm);
        break;
    default:
        return lun__openmp_kernel_fail(o, LUN_EBACKEND,
                                       "internal: ", "no such work on host memory");
    }
    return s == LUN_ECANCEL ? lun__openmp_kernel_fail(o, s, "interrupted", "") : s;
}

/* ---- looking inside -------------------------------------------------------------------------- */

static lun_status openmp_source(void *state, const lun_ir *ir, lun_strbuf *out)
{
    unsigned needs;
    return lun__openmp_kernel_render(state, ir, out, &needs);
}

/* "model name" of the first processor. */
static void cpu_name(char *to, size_t room)
{
    char segment[256];
    FILE *f = fopen("/proc/cpuinfo", "re");
    snprintf(to, room, "host");
    while (f && fgets(segment, sizeof segment, f)) {
        char *colon = strchr(segment, ':');
        if (strncmp(segment, "model name", 10) || !colon)
            continue;
        segment[strcspn(segment, "\n")] = 0;
        snprintf(to, room, "%s", colon + 1 + strspn(colon + 1, " "));
        break;
    }
    if (f)
        fclose(f);
}

static int openmp_devices(const lun_services *services, void *state, lun_device *rows, int room)
{
    static const char *const bound[] = {"", ", bound to cores", ", bound to hardware threads", ""};
    if (!state)
        return 0;
    lun_openmp *o = state_now(state);
    const char *by = services->threads_by;
    lun__thread_team_look(&o->team);
    if (room > 0) {
        rows[0] = (lun_device){.kind = "cpu",
                               .backend = "openmp",
                               .units = o->team.wanted,
                               .memory = lun__host_run_memory()};
        cpu_name(rows[0].name, sizeof rows[0].name);
        lun__topology_text(&o->team.topology, rows[0].machine, sizeof rows[0].machine);
        const size_t told = strlen(rows[0].machine);
        snprintf(rows[0].machine + told, sizeof rows[0].machine - told, "; %s; %d thread%s: %s%s",
                 lun__isa_name(o->isa), o->team.wanted, o->team.wanted == 1 ? "" : "s",
                 by ? by : "as many as this process may use",
                 o->team.bound ? bound[services->bind] : "");
    }
    return 1;
}

const lun_backend lun__backend_openmp = {
    .name = "openmp",
    .is = LUN_IS_NATIVE,
    .devices = openmp_devices,
    .open = openmp_open,
    .close = openmp_close,
    .build = lun__openmp_kernel_build,
    .release = lun__openmp_kernel_release,
    .prepare = lun__openmp_kernel_prepare,
    .source = openmp_source,
    .takes = openmp_takes,
    .begin = openmp_begin,
    .wait = lun__backend_ended_at_once,
};
