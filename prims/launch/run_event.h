/* run_event.h - runs of kernels, products and algorithms as tools see them (lun_tool): from the
 * clock's `start` to its `end` (0: now), which is what lun_stats.run_time counts.  Private to
 * prims/. */
#ifndef LUN_RUN_EVENT_H
#define LUN_RUN_EVENT_H

#include "plan/plan.h"
#include "schedule/steps.h"

/* A run that has begun; NULL: nothing watches, or there is no memory.  at: where it runs, NULL: at
 * all locations of the set in use. */
typedef struct lun_run_event lun_run_event;
lun_run_event *lun__run_event_kernel(lun_engine *e, double start, const lun_backend_slot *at,
                                     const lun_lowered *l, int64_t elements, int64_t bytes);
/* The kernels of steps first .. last, which run together. */
lun_run_event *lun__run_event_together(lun_engine *e, double start, const lun_backend_slot *at,
                                       const lun_steps *s, int first, int last, int64_t bytes);
/* A product or an algorithm n. */
lun_run_event *lun__run_event_product(lun_engine *e, double start, const lun_backend_slot *at,
                                      const lun_node *n);
lun_run_event *lun__run_event_algorithm(lun_engine *e, double start, const lun_backend_slot *at,
                                        const lun_node *n);
/* It ends, well or not. */
void lun__run_event_end(lun_engine *e, lun_run_event *x, double end);

/* The operations in the order of the kernel, as far as there is room. */
void lun__run_event_operations(const lun_ir *ir, char *to, size_t room);
/* The source line of its last operation that has one. */
const char *lun__run_event_line(const lun_engine *e, const lun_lowered *l);

#endif
