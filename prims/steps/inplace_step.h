/* inplace_step.h - the launch of a kernel that writes arrays in place, index by index.  Private to
 * prims/. */
#ifndef LUN_INPLACE_STEP_H
#define LUN_INPLACE_STEP_H

#include "plan/plan.h"

/* Runs it over n indices where the backend in use computes; TARGETs are written in place, and
 * what failed may have written before.  apart: the places of the set in use share the indices as
 * they do those of other kernels, but none of an array that each has a copy of; each writes its
 * own version of the TARGETs, which have versions.  *out: elements of the OUT slot, if there is
 * one, a reference; else NULL. */
lun_status lun__run_in_place(lun_engine *e, const lun_lowered *l, int64_t n, bool apart,
                             lun_storage **out);

#endif
