/* profile.h - what each kernel and each algorithm costs, counted while a profile is on.  Private to
 * prims/. */
#ifndef LUN_PROFILE_H
#define LUN_PROFILE_H

#include "launch/kernels.h"
#include "schedule/steps.h"

typedef struct lun_profile lun_profile;

/* After a launch while e->profiling: the counters before it, how long it took, what it ran. */
void lun__profile_after(lun_engine *e, const lun_stats *before, double seconds,
                        const lun_lowered *l, const lun_kernel_entry *k, int64_t count);
/* The same of a matrix product n; products of a source line count together. */
void lun__profile_product(lun_engine *e, const lun_stats *before, double seconds,
                          const lun_node *n);
/* The same of an algorithm n: seconds of work, before them of transfers, and bytes read and
 * written. */
void lun__profile_algorithm(lun_engine *e, const lun_node *n, double seconds, double transfer,
                            int64_t bytes);
/* The same of kernels that ran together, `count` steps from s->at[first] on: each has an equal part
 * of the time, the first one all that was moved. */
void lun__profile_together(lun_engine *e, const lun_stats *before, double seconds,
                           const lun_steps *s, int first, lun_kernel_entry *const *k, int count);
/* Work of a queue: what it is, its text, body or neither; the source line that gave it, and what
 * doing it has counted.  Equal work of a source line counts together. */
typedef struct lun_profile_work {
    const char *name, *what;
    const lun_ir *body;
    uint32_t where;
    double seconds;
    int64_t elements;
    lun_stats before, after;
} lun_profile_work;
void lun__profile_queued(lun_engine *e, const lun_profile_work *w);
/* Adds the label of the array whose elements n are to a list, "rho, u", if it has one, it is not in
 * the list, and fits. */
enum { LUN_PROFILE_LABELS = 160 };
void lun__profile_label(const lun_engine *e, const lun_node *n, char list[LUN_PROFILE_LABELS]);
/* NULL is allowed. */
void lun__profile_free(lun_profile *p);

#endif
