/* sketch.h - the arrays of steps that may be run as sweeps (base/layout/sweep_geometry.h).
 * Private to prims/. */
#ifndef LUN_PLAN_SKETCH_H
#define LUN_PLAN_SKETCH_H

#include "schedule/steps.h"

enum { LUN_SKETCH_STAGES = 16 }; /* most in one sketch */

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

/* Whether a step may be a stage. */
bool lun__sketch_takes(const lun_step *step);
/* The PAD that slot i reads; NULL: none. */
const lun_node *lun__sketch_pad(const lun_lowered *l, int i);

#endif
