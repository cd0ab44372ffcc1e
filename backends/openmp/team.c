/* team.c - threads by OpenMP; see team.h.  Knows nothing of kernels. */
#ifndef _GNU_SOURCE
#define _GNU_SOURCE /* sched_getaffinity */
#endif
#include "team.h"

#include <errno.h>
#include <limits.h>
#include <omp.h>
#include <pthread.h>
#include <sched.h>
#include <signal.h>
#include <stdatomic.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { ALONE = 1024 }; /* indices that one thread computes before others have woken up */

/* ---- how many ------------------------------------------------------------------------------------ */

static int affinity(void)
{
    for (int cpus = 1024; cpus <= 1 << 20; cpus *= 4) {
        cpu_set_t *set = CPU_ALLOC((size_t)cpus);
        size_t bytes = CPU_ALLOC_SIZE((size_t)cpus);
        if (!set)
            return 1;
        int n = sched_getaffinity(0, bytes, set) == 0 ? CPU_COUNT_S(bytes, set)
                : errno == EINVAL                     ? 0
                                                      : 1;
        CPU_FREE(set);
        if (n > 0)
            return n;
    }
    return 1;
}

/* CPUs by one group's files: "quota period" in cpu.max, or in two files; 0: no quota. */
static int group_quota(const char *directory)
{
    static const char *const files[][2] = {{"cpu.max", NULL},
                                           {"cpu.cfs_quota_us", "cpu.cfs_period_us"}};
    for (int k = 0; k < 2; k++) {
        char path[PATH_MAX], text[64] = "";
        long long quota = 0, period = 0;
        for (int part = 0; part < 2 && files[k][part]; part++) {
            if (snprintf(path, sizeof path, "%s/%s", directory, files[k][part]) >= PATH_MAX)
                continue;
            FILE *f = fopen(path, "re");
            size_t used = strlen(text);
            if (!f)
                continue;
            if (!fgets(text + used, (int)(sizeof text - used), f))
                text[used] = 0;
            fclose(f);
            text[strcspn(text, "\n")] = ' ';
        }
        if (sscanf(text, "%lld %lld", &quota, &period) == 2 && quota > 0 && period > 0) {
            long long cpus = quota / period + (quota % period != 0);
            return cpus < INT_MAX ? (int)cpus : INT_MAX;
        }
    }
    return 0;
}

/* The smallest quota from a group up to the root of its hierarchy. */
static int hierarchy_quota(const char *mount, const char *group)
{
    char path[PATH_MAX];
    int least = 0;
    size_t root = strlen(mount);
    if ((size_t)snprintf(path, sizeof path, "%s%s", mount, group) >= sizeof path)
        return 0;
    for (;;) {
        int n = group_quota(path);
        if (n > 0 && (least == 0 || n < least))
            least = n;
        char *slash = strrchr(path, '/');
        if (!slash || (size_t)(slash - path) < root)
            return least;
        *slash = 0;
    }
}

int lun_team_quota(const char *groups, const char *mount)
{
    char line[PATH_MAX], where[PATH_MAX];
    int least = 0;
    FILE *f = fopen(groups, "re");
    while (f && fgets(line, sizeof line, f)) { /* number:controllers:/path */
        line[strcspn(line, "\n")] = 0;
        char *controllers = strchr(line, ':'),
             *group = controllers ? strchr(controllers + 1, ':') : NULL;
        if (!group)
            continue;
        *group++ = 0;
        bool unified = !controllers[1];
        if (!unified && !strstr(controllers, "cpu"))
            continue;
        snprintf(where, sizeof where, "%.2000s%s", mount, unified ? "" : "/cpu");
        int n = hierarchy_quota(where, group);
        if (n > 0 && (least == 0 || n < least))
            least = n;
    }
    if (f)
        fclose(f);
    return least;
}

int lun_team_default(void)
{
    int n = affinity(), quota = lun_team_quota("/proc/self/cgroup", "/sys/fs/cgroup");
    return quota > 0 && quota < n ? quota : n;
}

/* ---- whether they can be made -------------------------------------------------------------------- */

/* Forks of this process so far: what is known of threads does not hold in a child. */
static atomic_ulong forks;
static pthread_once_t once = PTHREAD_ONCE_INIT;

static void before_fork(void)
{
    omp_pause_resource_all(omp_pause_hard);
    atomic_fetch_add(&forks, 1);
}

static void watch_forks(void)
{
    pthread_atfork(before_fork, NULL, NULL);
}

static void *stay(void *gate)
{
    pthread_mutex_lock(gate);
    pthread_mutex_unlock(gate);
    return NULL;
}

/* How many of n threads can exist at once. */
static int try_threads(int n)
{
    pthread_mutex_t gate = PTHREAD_MUTEX_INITIALIZER;
    pthread_t *threads = calloc((size_t)n, sizeof *threads);
    int made = 0;
    if (!threads)
        return 0;
    sigset_t all, before; /* signals are for the threads that were here before */
    sigfillset(&all);
    pthread_sigmask(SIG_SETMASK, &all, &before);
    pthread_mutex_lock(&gate);
    while (made < n && pthread_create(&threads[made], NULL, stay, &gate) == 0)
        made++;
    pthread_mutex_unlock(&gate);
    pthread_sigmask(SIG_SETMASK, &before, NULL);
    for (int i = 0; i < made; i++)
        pthread_join(threads[i], NULL);
    free(threads);
    return made;
}

static void parallel(void *ctx, int workers, void (*task)(void *ctx, int worker))
{
#pragma omp parallel num_threads(workers)
    {
        /* the runtime may give fewer threads than asked for: each then takes several places */
        int step = omp_get_num_threads();
        for (int w = omp_get_thread_num(); w < workers; w += step)
            task(ctx, w);
    }
}

/* ---- teams --------------------------------------------------------------------------------------- */

void lun_team_init(lun_openmp_team *t, int wanted)
{
    const char *s = getenv("LUNARRAY_THREADS");
    if (wanted <= 0 && s)
        wanted = atoi(s);
    *t = (lun_openmp_team){.wanted = wanted > 0 ? wanted : lun_team_default(), .possible = 1};
}

lun_team lun_team_for(lun_openmp_team *t, int64_t n)
{
    lun_team team = {1, parallel};
    if (t->wanted < 2 || n <= ALONE || omp_in_parallel())
        return team;
    unsigned long seen = atomic_load(&forks) + 1;
    if (t->tried != seen) {
        pthread_once(&once, watch_forks);
        /* all or none: whoever cannot have the threads it asked for is near a limit */
        t->possible = try_threads(t->wanted - 1) == t->wanted - 1 ? t->wanted : 1;
        t->tried = seen;
    }
    team.threads = t->possible;
    return team;
}
