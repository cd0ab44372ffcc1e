/* sweep.h - kernels that read elements around each index, alone or one after the other, as sweeps
 * (base/sweep.h).  Private to prims/. */
#ifndef LUN_PLAN_SWEEP_H
#define LUN_PLAN_SWEEP_H

#include "backend.h"
#include "plan/steps.h"

enum { LUN_SWEEP_NEAR = 256 << 10 }; /* bytes of rings, where caches are not known */

/* An array that sweeps read or make. */
typedef struct lun_sketch_array {
    lun_node *node;      /* what makes it or has its elements, */
    lun_node *view;      /* as this VIEW says; NULL: as they stand, */
    int64_t offset;      /* from here on */
    const lun_node *pad; /* what stands beyond its ends; NULL: nothing */
    int stage, slot;     /* the first that reads it, or what makes it */
} lun_sketch_array;

/* Steps as sweeps.  The pointers of `box` are to the sketch's own lists. */
typedef struct lun_sketch {
    lun_sweep_box box;
    lun_sweep_read *read;
    lun_sketch_array *array;
    int *maker, *size;
    int *slots;   /* of all stages in turn: lun_sweep_stage.slots */
    int64_t axes; /* along which it is known whether they wrap, as bits */
} lun_sketch;

/* The most of the steps from `first` on, before `end`, that can be run as sweeps together.  *out is
 * to be freed; it has no stages where not even the first can.  LUN_ENOMEM. */
lun_status lun__sketch(lun_engine *e, const lun_steps *s, int first, int end, lun_sketch *out);
void lun__sketch_free(lun_sketch *k);
/* What stands beyond the ends of an array that has a pad, in the box's rank. */
lun_padding lun__sketch_padding(const lun_sketch_array *a);

/* Whether steps over an array of so many bytes are quicker one by one: caches that are nearly as
 * near as rings hold it. */
bool lun__sweep_apart(const lun_engine *e, int64_t bytes, int64_t near);
/* Marks the steps, of the first `count`, that are sweeps (lun_step.sweep); those that are run
 * together get numbers as chains, from `chains` + 1 on.  near: see lun_backend.  LUN_ENOMEM. */
lun_status lun__sweeps_find(lun_engine *e, lun_steps *s, int count, int chains, int64_t near);
/* Bytes that a step which is a sweep takes from memory or leaves there for a slot. */
int64_t lun__sweep_moves(const lun_steps *s, int at, int slot);
/* Whether n, which step `at` makes, is asked for, or read behind step `last`. */
bool lun__sweep_keeps(const lun_steps *s, int at, int last, const lun_node *n);

#endif
