/* cpu_slots.h - where the threads of a team belong on a machine, and what its caches hold for them:
 * a function of tables, which reads nothing and moves no thread. */
#ifndef LUN_CPU_SLOTS_H
#define LUN_CPU_SLOTS_H

#include "openmp/threads/topology.h"

/* What is asked for. */
typedef struct lun_places_limits {
    int threads;   /* 0: as many as make sense */
    int quota;     /* CPUs of the control group's quota; 0: none */
    bool siblings; /* a core's further hardware threads count too */
} lun_places_limits;

typedef struct lun_places {
    int threads;
    int *cpus,
        *nodes;     /* by worker; the workers of a node are neighbours, so their chunks are too */
    int node_count; /* nodes that have workers */
    int64_t
        chunk_bytes; /* that a chunk should touch at most, so that it stays near its core; 0: any */
    int64_t cache_bytes; /* that stay in the last-level caches of the workers; 0: unknown */
} lun_places;

/* False without memory. */
bool lun__places_make(const lun_topology *t, const lun_places_limits *limits, lun_places *out);
void lun__places_free(lun_places *p);

#endif
