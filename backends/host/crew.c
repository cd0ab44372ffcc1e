/* crew.c - a launch with a crew: the threads of each team are shared out among workers, which meet
 * at its barriers and do one team after the other.
 *
 * Invariant: `arrived` counts the workers of the present round that have come to its meeting; the
 * last one sets it to 0 before it begins the next round.  A worker that leaves before the end sets
 * `left` and comes to no further meeting, so that whoever waits for it, or comes to wait, leaves
 * too; one whose round has begun goes on to the next meeting first, so that all failures of a round
 * are found. */
#include <sched.h>
#include <stdatomic.h>
#include <stdlib.h>
#include <string.h>

#include "host/host_run.h"

enum { SPINS = 256 };

typedef struct crew {
    const lun_services *services;
    const lun_exec *exec;
    const lun_launch *launch;
    const lun_ir *ir;
    char *members;     /* of worker 0; the others follow */
    size_t step, args; /* bytes of a member, of its arguments */
    atomic_int arrived, left;
    atomic_uint round;
} crew;

/* What a worker has: its arguments and scratch memory are behind it. */
typedef struct member {
    lun_frame frame; /* first */
    crew *crew;
    int of;
} member;

static size_t rounded(size_t bytes)
{
    return (bytes + LUN_ALIGNMENT - 1) / LUN_ALIGNMENT * LUN_ALIGNMENT;
}

static member *member_of(const crew *c, int worker)
{
    return (member *)(void *)(c->members + (size_t)worker * c->step);
}

static bool has_left(const crew *c)
{
    return atomic_load_explicit(&c->left, memory_order_acquire) ||
           lun__backend_stop_requested(c->services);
}

static void wait_a_little(int spins)
{
    if (spins >= SPINS)
        sched_yield();
#ifdef __x86_64__
    else
        __builtin_ia32_pause();
#endif
}

static int meet(lun_frame *frame)
{
    const member *m = (const member *)(const void *)frame;
    crew *c = m->crew;
    const unsigned round = atomic_load_explicit(&c->round, memory_order_relaxed);
    if (has_left(c))
        return 1;
    if (atomic_fetch_add_explicit(&c->arrived, 1, memory_order_acq_rel) + 1 == m->of) {
        atomic_store_explicit(&c->arrived, 0, memory_order_relaxed);
        atomic_store_explicit(&c->round, round + 1, memory_order_release);
        return 0;
    }
    for (int spins = 0; atomic_load_explicit(&c->round, memory_order_acquire) == round; spins++) {
        if (has_left(c)) /* perhaps in the next round already */
            return atomic_load_explicit(&c->round, memory_order_acquire) == round;
        wait_a_little(spins);
    }
    return 0;
}

/* The worker's share of the parts, of all of which the launch's arguments say the last. */
static void take_share(const crew *c, member *m, int worker)
{
    const lun_launch *l = c->launch;
    uint64_t *args = (uint64_t *)(void *)((char *)m + rounded(sizeof *m));
    const int64_t parts = (int64_t)l->args[l->crew + 1] + 1;
    memcpy(args, l->args, (size_t)c->ir->arg_count * sizeof *args);
    args[l->crew] = (uint64_t)(parts * worker / m->of);
    args[l->crew + 1] = (uint64_t)(parts * (worker + 1) / m->of - 1);
    m->frame.args = args;
    m->frame.scratch = (char *)args + c->args;
}

static void work(void *ctx, int worker, int of)
{
    static const volatile int never = 0;
    crew *c = ctx;
    const lun_launch *l = c->launch;
    member *m = member_of(c, worker);
    *m = (member){.frame = {.slots = l->slots,
                            .cancel = c->services->cancel ? c->services->cancel : &never,
                            .trap = -1,
                            .meet = meet},
                  .crew = c,
                  .of = of};
    m->frame.math = (const void *const *)(const void *)m;
    take_share(c, m, worker);
    for (int64_t i = l->first; i < l->first + l->count; i++) {
        m->frame.n = i + 1;
        c->exec->body(c->exec->self, i, i + 1, &m->frame);
        if (m->frame.trap >= 0 || meet(&m->frame)) {
            atomic_store_explicit(&c->left, 1, memory_order_release);
            return;
        }
    }
}

/* The failure of the first worker that has one, so that the error is that of its threads. */
static lun_status outcome(const crew *c, int workers, lun_launch *l)
{
    for (int w = 0; w < workers; w++) {
        const lun_frame *f = &member_of(c, w)->frame;
        if (f->trap < 0)
            continue;
        l->trap = (int)f->trap;
        l->trap_value = f->trap_value;
        return lun__ir_trap_status(c->ir->ins[f->trap].kind);
    }
    return lun__backend_stop_requested(c->services) ? LUN_ECANCEL : LUN_OK;
}

lun_status lun__host_crew(const lun_services *services, const lun_exec *exec, const lun_team *team,
                          const lun_ir *ir, lun_launch *launch)
{
    const int64_t parts = (int64_t)launch->args[launch->crew + 1] + 1;
    const int workers = parts < team->threads ? (int)parts : team->threads;
    const lun_exec *next = exec->next ? exec->next(exec->ctx) : NULL;
    crew c = {.services = services, .exec = next ? next : exec, .launch = launch, .ir = ir};
    size_t bytes;
    c.args = rounded((size_t)ir->arg_count * sizeof(uint64_t));
    c.step = rounded(sizeof(member)) + c.args + rounded(c.exec->scratch);
    if (__builtin_mul_overflow(c.step, (size_t)workers, &bytes) ||
        __builtin_add_overflow(bytes, LUN_ALIGNMENT, &bytes))
        return LUN_ENOMEM;
    char *memory = malloc(bytes);
    if (!memory)
        return LUN_ENOMEM;
    c.members = memory + -(uintptr_t)memory % LUN_ALIGNMENT;
    for (int w = 0; w < workers; w++)
        member_of(&c, w)->frame.trap = -1;
    if (workers > 1)
        team->together(team, &c, workers, work);
    else
        work(&c, 0, 1);
    const lun_status s = outcome(&c, workers, launch);
    free(memory);
    return s;
}
