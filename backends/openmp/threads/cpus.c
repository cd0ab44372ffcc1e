/* cpus.c - affinity and quotas; see cpus.h. */
#ifndef _GNU_SOURCE
#define _GNU_SOURCE /* sched_getaffinity */
#endif
#include "openmp/threads/cpus.h"

#include <errno.h>
#include <limits.h>
#include <sched.h>
#include <stdbool.h>
#include <stdio.h>
#include <string.h>

int lun__cpus_allowed(void)
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

int lun__cpus_quota(const char *groups, const char *mount)
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

int lun__cpus_quota_here(void)
{
    return lun__cpus_quota("/proc/self/cgroup", "/sys/fs/cgroup");
}
