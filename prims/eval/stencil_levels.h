/* stencil_levels.h - repeated stencils of arrays that a core's caches hold, one after the other. 
 * Private to prims/run. */
#ifndef LUN_STENCIL_LEVELS_H
#define LUN_STENCIL_LEVELS_H

#include "engine/state.h"
#include "graph/node.h"

/* Evaluates, by `run`, what stencils below the roots read of one another, from the first on, where
 * these are quicker one by one than together: what is left is a graph of one level, whose shape
 * has the form that it would have if each had been evaluated by itself.  *some: whether there was
 * anything. */
lun_status lun__levels_run(lun_engine *e, lun_node *const *roots, int count,
                           lun_status (*run)(lun_engine *e, lun_node *const *roots, int count),
                           bool *some);

#endif
