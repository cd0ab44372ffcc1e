/* sweep.h - kernels that read elements around each index, alone or one after the other, as sweeps
 * (base/layout/sweep_geometry.h).  Private to prims/. */
#ifndef LUN_PLAN_SWEEP_H
#define LUN_PLAN_SWEEP_H

#include "backend.h"
#include "schedule/steps.h"

enum { LUN_SWEEP_CACHE = 256 << 10 }; /* bytes of rings, where caches are not known */

/* Whether steps over an array of so many bytes are quicker one by one: caches that are nearly as
 * `cache_bytes` as rings hold it. */
bool lun__sweep_is_slower(const lun_engine *e, int64_t bytes, int64_t cache_bytes);
/* Marks the steps, of the first `count`, that are sweeps (lun_step.sweep); those that are run
 * together get numbers as chains, from `chains` + 1 on.  cache_bytes: see lun_backend.
 * LUN_ENOMEM. */
lun_status lun__sweeps_find(lun_engine *e, lun_steps *s, int count, int chains,
                            int64_t cache_bytes);
/* Bytes that a step which is a sweep takes from memory or leaves there for a slot. */
int64_t lun__sweep_moves(const lun_steps *s, int at, int slot);
/* Whether n, which step `at` makes, is asked for, or read behind step `last`. */
bool lun__sweep_keeps(const lun_steps *s, int at, int last, const lun_node *n);

#endif
