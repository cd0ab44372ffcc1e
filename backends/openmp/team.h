/* team.h - threads for lun_host_run, by OpenMP.  Knows nothing of what they do.
 *
 * The OpenMP runtime ends the process when it cannot make a thread; so whether threads can be made is
 * tried first.  And its threads do not survive a fork: they are put away before one. */
#ifndef LUN_TEAM_H
#define LUN_TEAM_H

#include "host.h"

typedef struct lun_openmp_team {
    int wanted;          /* threads to use */
    unsigned long tried; /* forks seen when threads were last tried, plus 1; 0: never tried */
    int possible;        /* what came out */
} lun_openmp_team;

/* wanted: 0: LUNARRAY_THREADS, else as many as this process may use. */
void lun_team_init(lun_openmp_team *t, int wanted);
/* The team for a run over n indices: one thread where more cannot be had or make no sense. */
lun_team lun_team_for(lun_openmp_team *t, int64_t n);
/* As many threads as this process may use at once: by affinity and CPU quota. */
int lun_team_default(void);
/* CPUs that the quota of the control group allows, rounded up; 0: no quota.  groups: a file like
 * /proc/self/cgroup, mount: where the hierarchies are mounted. */
int lun_team_quota(const char *groups, const char *mount);

#endif
