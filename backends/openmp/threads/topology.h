/* topology.h - the machine's hardware threads, cores, caches and memory nodes, as hwloc sees
 * them. */
#ifndef LUN_TOPOLOGY_H
#define LUN_TOPOLOGY_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* A CPU slot: a hardware thread.  Cores, caches and nodes are numbered from 0, in the machine's
 * order. */
typedef struct lun_cpu_slot {
    int cpu;               /* the system's number */
    int core, cache, node; /* cache: of the last level */
    bool allowed;          /* this process may run there */
} lun_cpu_slot;

typedef struct lun_topology {
    lun_cpu_slot *slots;
    int count;
    int packages, nodes, cores, caches;
    int64_t l1, l2, l3; /* bytes of one; 0: there is none, or it is unknown */
    int l2_cores;       /* that share one of it */
    bool here;          /* it is this machine, not a simulated one */
    char **environment; /* owned, see topology.c */
} lun_topology;

/* Reads this machine's, or the one that HWLOC_SYNTHETIC describes; synthetic: such a description,
 * NULL: as the environment says.  Loads no driver and starts no thread.  False: it is not to be
 * had; then *t is empty. */
bool lun__topology_load(const char *synthetic, lun_topology *t);
/* Whether the environment describes a machine: this one says nothing then. */
bool lun__topology_described(void);
/* A line for people; of what could not be read, "unknown". */
void lun__topology_text(const lun_topology *t, char *to, size_t room);
void lun__topology_free(lun_topology *t);

#endif
