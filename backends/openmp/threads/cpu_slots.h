/* cpu_slots.h - where the threads of a team belong on a machine, and what its caches hold for them:
 * a function of tables, which reads nothing and moves no thread.
 *
 * Invariant: cpus[w] and nodes[w] are set for each worker w < threads, workers of a node are
 * consecutive, and node_count is the number of different nodes. Constant once made. */
#ifndef LUN_CPU_SLOTS_H
#define LUN_CPU_SLOTS_H

#include "openmp/threads/topology.h"

/* What is asked for. */
typedef struct lun_cpu_slots_limits {
    int threads;   /* 0: as many as make sense */
    int quota;     /* CPUs of the control group's quota; 0: none */
    bool siblings; /* a core's further hardware threads count too */
} lun_cpu_slots_limits;

typedef struct lun_cpu_slots {
    int threads;
    int *cpus,
        *nodes;     /* by worker; the workers of a node are neighbours, so their chunks are too */
    int node_count; /* nodes that have workers */
    int64_t
        chunk_bytes; /* that a chunk should touch at most, so that it stays near its core; 0: any */
    int64_t cache_bytes; /* that stay in the last-level caches of the workers; 0: unknown */
} lun_cpu_slots;

/* False without memory. */
bool lun__cpu_slots_make(const lun_topology *t, const lun_cpu_slots_limits *limits,
                         lun_cpu_slots *out);
/* The slot of a worker: its own, unless the caller's thread is on the same core or, with
 * `siblings`, on the same hardware thread: then the first worker's, which the caller is.  -1:
 * none. */
int lun__cpu_slots_of(const lun_topology *t, const lun_cpu_slots *s, int worker, int callers,
                      bool siblings);
/* The core of a hardware thread by the system's number; -1: it is not in the table. */
int lun__cpu_slots_core(const lun_topology *t, int cpu);
void lun__cpu_slots_free(lun_cpu_slots *p);

#endif
