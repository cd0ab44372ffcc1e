/* thread_team.c - threads by OpenMP; see thread_team.h.  Knows nothing of kernels. */
#ifndef _GNU_SOURCE
#define _GNU_SOURCE /* sched_getcpu, dladdr */
#endif
#include "openmp/threads/thread_team.h"

#include <dlfcn.h>
#include <omp.h>
#include <pthread.h>
#include <sched.h>
#include <signal.h>
#include <stdatomic.h>
#include <stdlib.h>
#include <sys/syscall.h>
#include <time.h>
#include <unistd.h>

#include "base/fp_mode.h"
#include "openmp/threads/cpus.h"
#include "openmp/threads/stack.h"

enum { ALONE = 1024 }; /* indices that one thread computes before others have woken up */

/* ---- whether they can be made ---------------------------------------------------------------- */

/* Forks of this process so far: what is known of threads does not hold in a child. */
static atomic_ulong forks;
static pthread_once_t once = PTHREAD_ONCE_INIT;

static void before_fork(void)
{
    /* libgomp's threads must be gone, or the child waits for them for ever; libomp, clang's
     * runtime, sees to that itself and does not survive that call */
#ifndef __clang__
    omp_pause_resource_all(omp_pause_hard);
#endif
    atomic_fetch_add(&forks, 1);
}

static void watch_forks(void)
{
    pthread_atfork(before_fork, NULL, NULL);
}

typedef struct trial {
    pthread_t thread;
    pthread_mutex_t *gate;
    pid_t id;
} trial;

static void *stay(void *self)
{
    trial *t = self;
    t->id = (pid_t)syscall(SYS_gettid);
    pthread_mutex_lock(t->gate);
    pthread_mutex_unlock(t->gate);
    return NULL;
}

/* Waits for a thread's end, also in the kernel, which counts it for a moment after the join: the
 * OpenMP runtime ends the process if it cannot make the thread that was just tried. */
static void see_off(const trial *t)
{
    pthread_join(t->thread, NULL);
    for (int i = 0; i < 20000 && syscall(SYS_tgkill, getpid(), t->id, 0) == 0; i++)
        nanosleep(&(struct timespec){.tv_nsec = 100000}, NULL);
}

/* How many of n threads with the stack of the OpenMP runtime's can exist at once. */
static int try_threads(int n)
{
    pthread_mutex_t gate = PTHREAD_MUTEX_INITIALIZER;
    trial *trials = calloc((size_t)n, sizeof *trials);
    pthread_attr_t attributes;
    size_t stack;
    int made = 0;
    if (!trials || pthread_attr_init(&attributes) != 0) {
        free(trials);
        return 0;
    }
    if (lun__stack_bytes(&stack)) /* what is refused here the runtime ignores, too */
        (void)pthread_attr_setstacksize(&attributes, stack);
    sigset_t all, before; /* signals are for the threads that were here before */
    sigfillset(&all);
    pthread_sigmask(SIG_SETMASK, &all, &before);
    pthread_mutex_lock(&gate);
    for (; made < n; made++) {
        trials[made].gate = &gate;
        if (pthread_create(&trials[made].thread, &attributes, stay, &trials[made]) != 0)
            break;
    }
    pthread_mutex_unlock(&gate);
    pthread_sigmask(SIG_SETMASK, &before, NULL);
    for (int i = 0; i < made; i++)
        see_off(&trials[i]);
    pthread_attr_destroy(&attributes);
    free(trials);
    return made;
}

/* ---- where they run -------------------------------------------------------------------------- */

/* Whether threads of the team may be moved: no affinity was set, no variable of the environment
 * places threads, and the OpenMP runtime is linked into the same object as this code, so no other
 * library's regions use its threads. */
static bool may_move(const lun_openmp_team *t)
{
    static const char *const said[] = {"OMP_PROC_BIND", "OMP_PLACES", "GOMP_CPU_AFFINITY",
                                       "KMP_AFFINITY"};
    Dl_info ours, runtime;
    if (!t->topology.here || t->topology.count < 2)
        return false;
    for (int i = 0; i < t->topology.count; i++)
        if (!t->topology.slots[i].allowed)
            return false;
    for (size_t i = 0; i < sizeof said / sizeof *said; i++)
        if (getenv(said[i]))
            return false;
    return dladdr((void *)(uintptr_t)lun__thread_team_for, &ours) &&
           dladdr((void *)(uintptr_t)omp_get_num_threads, &runtime) &&
           ours.dli_fbase == runtime.dli_fbase;
}

/* The calling thread may run on the slots of which `takes` holds. */
static void stay_on(const lun_topology *t, const void *ctx,
                    bool (*takes)(const lun_cpu_slot *p, const void *ctx))
{
    int most = 0;
    for (int i = 0; i < t->count; i++)
        if (t->slots[i].cpu > most)
            most = t->slots[i].cpu;
    cpu_set_t *set = CPU_ALLOC((size_t)most + 1);
    size_t bytes = CPU_ALLOC_SIZE((size_t)most + 1);
    if (!set)
        return;
    CPU_ZERO_S(bytes, set);
    for (int i = 0; i < t->count; i++)
        if (takes(&t->slots[i], ctx))
            CPU_SET_S((size_t)t->slots[i].cpu, bytes, set);
    (void)sched_setaffinity(0, bytes, set); /* where it may not, it stays */
    CPU_FREE(set);
}

static int node_of_cpu(const lun_topology *t, int cpu)
{
    for (int i = 0; i < t->count; i++)
        if (t->slots[i].cpu == cpu)
            return t->slots[i].node;
    return -1;
}

/* Slots but the caller's, of one node; node -1: of any. */
typedef struct near_caller {
    int callers, node;
} near_caller;

static bool is_near(const lun_cpu_slot *p, const void *ctx)
{
    const near_caller *of = ctx;
    return p->cpu != of->callers && (of->node < 0 || p->node == of->node);
}

/* Moves the calling thread, a worker but the first, to where it belongs: the memory node of its
 * chunks where there are several, and away from the caller's hardware thread.  The system wakes it
 * there again and again otherwise, and it runs only once the caller has given up waiting for it. */
static void go_to_place(const lun_openmp_team *t, int worker, int callers)
{
    const near_caller of = {callers, t->slots.node_count > 1 ? t->slots.nodes[worker] : -1};
    int cpu = sched_getcpu();
    if (cpu != callers && (of.node < 0 || node_of_cpu(&t->topology, cpu) == of.node))
        return;
    stay_on(&t->topology, &of, is_near);
}

static bool is_cpu(const lun_cpu_slot *p, const void *cpu)
{
    return p->cpu == *(const int *)cpu;
}

static bool is_allowed(const lun_cpu_slot *p, const void *ctx)
{
    (void)ctx;
    return p->allowed;
}

/* Binds the calling thread, a worker but the first.  The threads are the runtime's, which another
 * engine may have bound elsewhere: what holds is asked of the system. */
static void go_to_slot(const lun_openmp_team *t, int worker, int callers)
{
    cpu_set_t now;
    int cpu =
        lun__cpu_slots_of(&t->topology, &t->slots, worker, callers, t->bind == LUN_BIND_THREADS);
    if (cpu < 0 || (sched_getaffinity(0, sizeof now, &now) == 0 && CPU_COUNT(&now) == 1 &&
                    cpu < CPU_SETSIZE && CPU_ISSET((size_t)cpu, &now)))
        return;
    stay_on(&t->topology, &cpu, is_cpu);
}

/* The calling thread runs where the team wants this worker; the first is the caller's own thread,
 * which stays. */
static void go(const lun_openmp_team *t, int worker, int callers)
{
    if (worker > 0 && t->bound)
        go_to_slot(t, worker, callers);
    else if (worker > 0 && t->move)
        go_to_place(t, worker, callers);
}

/* From here on threads that are made take no signals but those of their own faults and of
 * profilers: a signal that the caller holds back would reach them instead, and its handler would
 * run where the host does not expect it. */
static void hold_back(sigset_t *before)
{
    static const int own[] = {SIGSEGV, SIGBUS, SIGFPE, SIGILL, SIGTRAP, SIGSYS, SIGABRT, SIGPROF};
    sigset_t others;
    sigfillset(&others);
    for (size_t i = 0; i < sizeof own / sizeof *own; i++)
        sigdelset(&others, own[i]);
    pthread_sigmask(SIG_BLOCK, &others, before);
}

static void parallel(const lun_team *team, void *ctx, int workers,
                     void (*task)(void *ctx, int worker))
{
    const lun_openmp_team *t = team->self;
    sigset_t before;
    int callers = sched_getcpu();
    hold_back(&before);
#pragma omp parallel num_threads(workers)
    {
        if (omp_get_thread_num() == 0) /* the caller, as it was */
            pthread_sigmask(SIG_SETMASK, &before, NULL);
        /* the runtime may give fewer threads than asked for: each then takes several slots */
        int step = omp_get_num_threads();
        int w = omp_get_thread_num();
        const uint64_t mode = lun__fp_mode_enter();
        go(t, w, callers);
        for (; w < workers; w += step)
            task(ctx, w);
        lun__fp_mode_leave(mode);
    }
}

/* The same of all workers that the runtime gives, no thread being more than one. */
static void together(const lun_team *team, void *ctx, int workers,
                     void (*task)(void *ctx, int worker, int of))
{
    const lun_openmp_team *t = team->self;
    sigset_t before;
    int callers = sched_getcpu();
    hold_back(&before);
#pragma omp parallel num_threads(workers)
    {
        const int w = omp_get_thread_num();
        if (w == 0)
            pthread_sigmask(SIG_SETMASK, &before, NULL);
        const uint64_t mode = lun__fp_mode_enter();
        go(t, w, callers);
        task(ctx, w, omp_get_num_threads());
        lun__fp_mode_leave(mode);
    }
}

/* ---- teams ----------------------------------------------------------------------------------- */

static void leave_slot(void *ctx, int worker)
{
    const lun_openmp_team *t = ctx;
    if (worker > 0 && omp_get_thread_num() > 0)
        stay_on(&t->topology, NULL, is_allowed);
}

/* Bound threads may run anywhere again: the runtime keeps them for others. */
static void leave_slots(lun_openmp_team *t)
{
    if (!t->bound)
        return;
    t->bound = false;
    const lun_team team = lun__thread_team_for(t, INT64_MAX);
    if (team.threads > 1)
        parallel(&team, t, team.threads, leave_slot);
}

void lun__thread_team_init(lun_openmp_team *t, int wanted, int bind)
{
    *t = (lun_openmp_team){.asked = wanted > 0 ? wanted : 0, .bind = bind, .possible = 1};
    t->wanted = t->asked ? t->asked : lun__cpus_allowed();
    int quota = t->asked || t->wanted < 2 ? 0 : lun__cpus_quota_here();
    if (quota > 0 && quota < t->wanted)
        t->wanted = quota;
    if (lun__topology_described() || bind == LUN_BIND_CORES)
        lun__thread_team_look(t);
}

void lun__thread_team_change(lun_openmp_team *t, int wanted, int bind)
{
    if (t->asked == (wanted > 0 ? wanted : 0) && t->bind == bind)
        return;
    int64_t *near_bytes = t->near_bytes;
    lun__thread_team_free(t);
    lun__thread_team_init(t, wanted, bind);
    t->near_bytes = near_bytes;
}

void lun__thread_team_free(lun_openmp_team *t)
{
    leave_slots(t);
    lun__cpu_slots_free(&t->slots);
    lun__topology_free(&t->topology);
}

void lun__thread_team_look(lun_openmp_team *t)
{
    if (t->looked)
        return;
    t->looked = true;
    lun_cpu_slots_limits limits = {.threads = t->asked,
                                   .quota = lun__cpus_quota_here(),
                                   .siblings = t->bind != LUN_BIND_CORES};
    if (!lun__topology_load(NULL, &t->topology) ||
        !lun__cpu_slots_make(&t->topology, &limits, &t->slots)) {
        lun__thread_team_free(t);
        return;
    }
    t->wanted = t->slots.threads;
    t->move = t->bind == LUN_BIND_AUTO && may_move(t);
    t->bound = (t->bind == LUN_BIND_CORES || t->bind == LUN_BIND_THREADS) && t->topology.here;
    if (t->near_bytes)
        *t->near_bytes = t->slots.chunk_bytes;
}

lun_team lun__thread_team_for(lun_openmp_team *t, int64_t n)
{
    lun_team team = {.threads = 1, .parallel = parallel, .together = together, .self = t};
    if (t->wanted < 2 || n <= ALONE || omp_in_parallel())
        return team;
    lun__thread_team_look(t);
    unsigned long seen = atomic_load(&forks) + 1;
    if (t->tried != seen) {
        pthread_once(&once, watch_forks);
        /* all or none: a process that cannot have all its threads is near a limit */
        t->possible = try_threads(t->wanted - 1) == t->wanted - 1 ? t->wanted : 1;
        t->tried = seen;
    }
    team.threads = t->possible;
    team.chunk_bytes = t->slots.chunk_bytes;
    team.cache_bytes = t->slots.cache_bytes;
    return team;
}

/* Ranges that are taken one by one. */
typedef struct shared {
    int64_t n, range;
    void *ctx;
    lun_range_fn *task;
    atomic_llong next;
} shared;

static void take_ranges(void *ctx, int worker)
{
    shared *s = ctx;
    int64_t from;
    (void)worker;
    while ((from = atomic_fetch_add(&s->next, s->range)) < s->n)
        s->task(s->ctx, from, s->n - from < s->range ? s->n : from + s->range);
}

void lun__thread_team_share(lun_openmp_team *t, int64_t n, int64_t bytes, void *ctx,
                            lun_range_fn *task)
{
    enum { RANGE_BYTES = 512 << 10, BLOCK = 64 };
    lun_team team = lun__thread_team_for(t, bytes);
    int64_t ranges = bytes / RANGE_BYTES + 1, range = n / ranges / BLOCK * BLOCK;
    shared s = {.n = n, .range = range < BLOCK ? BLOCK : range, .ctx = ctx, .task = task};
    if (team.threads < 2 || n <= s.range)
        task(ctx, 0, n);
    else
        parallel(&team, &s, team.threads, take_ranges);
}
