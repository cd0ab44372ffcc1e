/* thread_team.h - threads for lun__host_run, by OpenMP.
 *
 * The OpenMP runtime ends the process when it cannot make a thread; so whether threads can be made
 * is tried first.  And its threads do not survive a fork: they are put away before one.
 *
 * Invariant: `possible` holds while `tried` is the process' count of forks plus 1, else it is
 * measured again. `looked` is set once; from then on topology, slots and wanted do not change,
 * and workers read them without a lock. */
#ifndef LUN_THREAD_TEAM_H
#define LUN_THREAD_TEAM_H

#include "host/host.h"
#include "openmp/threads/cpu_slots.h"

typedef struct lun_openmp_team {
    int wanted;          /* threads to use */
    int asked;           /* by the user; 0: as many as make sense */
    int bind;            /* lun_bind */
    unsigned long tried; /* forks seen when threads were last tried, plus 1; 0: never tried */
    int possible;        /* what came out */

    bool looked; /* at the machine */
    bool bound;  /* its threads have slots of their own, */
    bool move;   /* or they go to the memory nodes of their chunks, off the caller's CPU slot */
    lun_topology topology;
    lun_cpu_slots slots;
    int64_t *near_bytes; /* becomes slots.chunk_bytes when it has looked; NULL: not wanted */
} lun_openmp_team;

/* wanted: 0: as many as this process may use; bind: lun_bind.  The machine is not looked at before
 * a run is large enough for several threads. */
void lun__thread_team_init(lun_openmp_team *t, int wanted, int bind);
/* The same for a team that exists, if it is another one; nothing of it runs. */
void lun__thread_team_change(lun_openmp_team *t, int wanted, int bind);
void lun__thread_team_free(lun_openmp_team *t);
/* Looks at the machine: then t->wanted is final. */
void lun__thread_team_look(lun_openmp_team *t);
/* The team for a run over n indices: one thread where more cannot be had or make no sense. */
lun_team lun__thread_team_for(lun_openmp_team *t, int64_t n);
/* LUN_WORK_SHARE. */
void lun__thread_team_share(lun_openmp_team *t, int64_t n, int64_t bytes, void *ctx,
                            lun_range_fn *task);

#endif
