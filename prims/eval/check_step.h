/* check_step.h - LUNARRAY_CHECK=1: each step on a set is compared with what explain says of it.
 * Private to prims/.
 *
 * Invariant of an open check: the storages and nodes that its sketches are of are referenced by
 * it. */
#ifndef LUN_CHECK_STEP_H
#define LUN_CHECK_STEP_H

#include "placing/teller.h"

typedef struct lun_check {
    lun_teller teller;
    lun_told told;
    int64_t moves; /* so far */
    bool open;
} lun_check;

/* Steps first .. last, one step or a chain, are about to run on the set in use.  Does nothing where
 * no checks are asked for. */
lun_status lun__check_step_open(lun_engine *e, const lun_step *first, const lun_step *last,
                                lun_check *out);
/* The step is run with those that are open, too. */
lun_status lun__check_step_beside(lun_check *c, const lun_step *step);
/* They have run, or failed with s.  What they read is current where it was read, moves are those of
 * explain, and of each array that they read or made every element is somewhere, intervals lie in
 * their memory and the parts of its distribution cover it; else LUN_EBACKEND. */
lun_status lun__check_step_close(lun_check *c, lun_status s);

#endif
