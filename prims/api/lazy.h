/* lazy.h - reductions of several steps as expressions.  Private to prims/. */
#ifndef LUN_LAZY_H
#define LUN_LAZY_H

#include "api/api.h"

/* LUN_MEAN, LUN_VAR, LUN_STD or LUN_NORM of a, in f64.  shift: that a sum of squares takes from the
 * elements at first. */
lun_status lun__moment_node(lun_engine *e, lun_reduction r, lun_node *a, double shift, int64_t ddof,
                            lun_node **out);
/* The smallest index, from 0, at which a equals its extreme value `best`, or is NaN if that is. */
lun_status lun__position_node(lun_engine *e, lun_node *a, lun_node *best, lun_node **out);

#endif
