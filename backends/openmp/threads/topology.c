/* topology.c - hwloc's tree as a table; see topology.h.
 *
 * hwloc loads plugins (OpenCL, CUDA, GL, XML) wherever they are installed, at once, and only an
 * environment variable keeps it from that.  Hosts have threads that read the environment, so it is
 * not changed: for the moment of initialisation `environ` points to a copy with the variable in it,
 * and the copy lives as long as the topology, as they may still read it. */
#ifndef _GNU_SOURCE
#define _GNU_SOURCE /* environ */
#endif
#include "openmp/threads/topology.h"

#include <hwloc.h>
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

/* ---- loading --------------------------------------------------------------------------------- */

static char **environment_without_plugins(void)
{
    static char nowhere[] = "HWLOC_PLUGINS_PATH=/nonexistent";
    size_t n = 0;
    while (environ && environ[n])
        n++;
    char **copy = malloc((n + 2) * sizeof *copy);
    if (!copy)
        return NULL;
    copy[0] = nowhere;
    if (n)
        memcpy(copy + 1, environ, n * sizeof *copy);
    copy[n + 1] = NULL;
    return copy;
}

static pthread_mutex_t swapping = PTHREAD_MUTEX_INITIALIZER; /* engines may start at once */

/* A topology without plugins; *kept: the copy of the environment that it was made under. */
static bool initialise(hwloc_topology_t *h, char ***kept)
{
    if (getenv("HWLOC_PLUGINS_PATH"))
        return hwloc_topology_init(h) == 0;
    *kept = environment_without_plugins();
    if (!*kept)
        return false;
    char **usual = environ;
    __atomic_store_n(&environ, *kept, __ATOMIC_RELEASE); /* spawn.c may read it meanwhile */
    bool well = hwloc_topology_init(h) == 0;
    if (environ == *kept)
        __atomic_store_n(&environ, usual, __ATOMIC_RELEASE);
    return well;
}

/* One at a time; in a child of fork that may be waited for in vain. */
static bool initialise_alone(hwloc_topology_t *h, char ***kept)
{
    struct timespec until;
    clock_gettime(CLOCK_REALTIME, &until);
    until.tv_sec++;
    if (pthread_mutex_timedlock(&swapping, &until))
        return false;
    bool well = initialise(h, kept);
    pthread_mutex_unlock(&swapping);
    return well;
}

/* Only what /proc and /sys say: no device, no library of a driver, no thread moved from core to
 * core. False without /sys, of whose absence hwloc would complain on the standard error. */
static bool read_machine(hwloc_topology_t h, const char *synthetic)
{
    static const char *const unwanted[] = {"x86",  "pci",  "opencl", "cuda",
                                           "nvml", "rsmi", "gl",     "levelzero"};
    for (size_t i = 0; i < sizeof unwanted / sizeof *unwanted; i++)
        hwloc_topology_set_components(h, HWLOC_TOPOLOGY_COMPONENTS_FLAG_BLACKLIST, unwanted[i]);
    hwloc_topology_set_io_types_filter(h, HWLOC_TYPE_FILTER_KEEP_NONE);
    hwloc_topology_set_type_filter(h, HWLOC_OBJ_MISC, HWLOC_TYPE_FILTER_KEEP_NONE);
    if (synthetic && hwloc_topology_set_synthetic(h, synthetic))
        return false;
    if (!synthetic && !lun__topology_described() && access("/sys/devices/system/cpu", F_OK))
        return false;
    return hwloc_topology_load(h) == 0;
}

/* ---- the tree as a table --------------------------------------------------------------------- */

static int64_t bytes_of(hwloc_topology_t h, hwloc_obj_type_t level)
{
    hwloc_obj_t o = hwloc_get_obj_by_type(h, level, 0);
    return o && o->attr ? (int64_t)o->attr->cache.size : 0;
}

static int count_of(hwloc_topology_t h, hwloc_obj_type_t type)
{
    int n = hwloc_get_nbobjs_by_type(h, type);
    return n > 0 ? n : 1;
}

static int index_above(hwloc_topology_t h, hwloc_obj_t pu, hwloc_obj_type_t type)
{
    hwloc_obj_t o = hwloc_get_ancestor_obj_by_type(h, type, pu);
    return o ? (int)o->logical_index : 0;
}

/* The first memory node whose cores include this hardware thread. */
static int node_of(hwloc_topology_t h, hwloc_obj_t pu)
{
    int n = hwloc_get_nbobjs_by_type(h, HWLOC_OBJ_NUMANODE);
    for (int i = 0; i < n; i++) {
        hwloc_obj_t o = hwloc_get_obj_by_type(h, HWLOC_OBJ_NUMANODE, (unsigned)i);
        if (o && o->cpuset && hwloc_bitmap_isset(o->cpuset, pu->os_index))
            return i;
    }
    return 0;
}

static bool fill(lun_topology *t, hwloc_topology_t h)
{
    int n = hwloc_get_nbobjs_by_type(h, HWLOC_OBJ_PU);
    bool l3 = hwloc_get_nbobjs_by_type(h, HWLOC_OBJ_L3CACHE) > 0;
    hwloc_obj_type_t last = l3 ? HWLOC_OBJ_L3CACHE : HWLOC_OBJ_L2CACHE;
    hwloc_bitmap_t bound = hwloc_bitmap_alloc();
    t->slots = n > 0 ? calloc((size_t)n, sizeof *t->slots) : NULL;
    if (!t->slots || !bound) {
        hwloc_bitmap_free(bound);
        return false;
    }
    t->here = hwloc_topology_is_thissystem(h) != 0;
    if (!t->here || hwloc_get_cpubind(h, bound, HWLOC_CPUBIND_THREAD))
        hwloc_bitmap_fill(bound);
    for (int i = 0; i < n; i++) {
        hwloc_obj_t pu = hwloc_get_obj_by_type(h, HWLOC_OBJ_PU, (unsigned)i);
        bool cores = hwloc_get_ancestor_obj_by_type(h, HWLOC_OBJ_CORE, pu) != NULL;
        t->slots[i] = (lun_cpu_slot){.cpu = (int)pu->os_index,
                                     .core = cores ? index_above(h, pu, HWLOC_OBJ_CORE) : i,
                                     .cache = index_above(h, pu, last),
                                     .node = node_of(h, pu),
                                     .allowed = hwloc_bitmap_isset(bound, pu->os_index) != 0};
    }
    hwloc_bitmap_free(bound);
    t->count = n;
    t->packages = count_of(h, HWLOC_OBJ_PACKAGE);
    t->nodes = count_of(h, HWLOC_OBJ_NUMANODE);
    t->cores = hwloc_get_nbobjs_by_type(h, HWLOC_OBJ_CORE) > 0 ? count_of(h, HWLOC_OBJ_CORE) : n;
    t->caches = count_of(h, last);
    t->l1 = bytes_of(h, HWLOC_OBJ_L1CACHE);
    t->l2 = bytes_of(h, HWLOC_OBJ_L2CACHE);
    t->l3 = bytes_of(h, HWLOC_OBJ_L3CACHE);
    int l2s = count_of(h, HWLOC_OBJ_L2CACHE);
    t->l2_cores = t->l2 > 0 && t->cores > l2s ? t->cores / l2s : 1;
    return true;
}

bool lun__topology_load(const char *synthetic, lun_topology *t)
{
    hwloc_topology_t h;
    *t = (lun_topology){0};
    if (!initialise_alone(&h, &t->environment)) {
        lun__topology_free(t);
        return false;
    }
    bool well = read_machine(h, synthetic) && fill(t, h);
    hwloc_topology_destroy(h);
    if (!well)
        lun__topology_free(t);
    return well;
}

bool lun__topology_described(void)
{
    const char *synthetic = getenv("HWLOC_SYNTHETIC"), *file = getenv("HWLOC_XMLFILE");
    return (synthetic && *synthetic) || (file && *file);
}

void lun__topology_free(lun_topology *t)
{
    free(t->slots);
    free(t->environment);
    *t = (lun_topology){0};
}

/* ---- for people ------------------------------------------------------------------------------ */

static int put_count(char *to, size_t room, int n, const char *what)
{
    return snprintf(to, room, "%d %s%s, ", n, what, n == 1 ? "" : "s");
}

static int put_cache(char *to, size_t room, const char *name, int64_t bytes)
{
    if (bytes <= 0)
        return 0;
    bool mega = bytes >= 1 << 20 && bytes % (1 << 20) == 0;
    return snprintf(to, room, ", %s %lld %s", name, (long long)(bytes >> (mega ? 20 : 10)),
                    mega ? "MiB" : "KiB");
}

void lun__topology_text(const lun_topology *t, char *to, size_t room)
{
    char text[512];
    size_t n = 0;
    if (!t->count) {
        snprintf(to, room, "unknown");
        return;
    }
    n += (size_t)put_count(text + n, sizeof text - n, t->packages, "package");
    n += (size_t)put_count(text + n, sizeof text - n, t->nodes, "memory node");
    n += (size_t)put_count(text + n, sizeof text - n, t->cores, "core");
    n += (size_t)put_count(text + n, sizeof text - n, t->count, "hardware thread");
    n -= 2;
    n += (size_t)put_cache(text + n, sizeof text - n, "L1", t->l1);
    n += (size_t)put_cache(text + n, sizeof text - n, "L2", t->l2);
    n += (size_t)put_cache(text + n, sizeof text - n, "L3", t->l3);
    text[n] = 0;
    snprintf(to, room, "%s%s", text, t->here ? "" : " (simulated)");
}
