/* cpus.h - how many CPUs this process may use at once.  Knows no threads. */
#ifndef LUN_CPUS_H
#define LUN_CPUS_H

/* By the affinity of the calling thread. */
int lun__cpus_allowed(void);
/* That the quota of the control group allows, rounded up; 0: no quota.  groups: a file like
 * /proc/self/cgroup, mount: where the hierarchies are mounted. */
int lun__cpus_quota(const char *groups, const char *mount);
/* Of this process' own group. */
int lun__cpus_quota_here(void);

#endif
