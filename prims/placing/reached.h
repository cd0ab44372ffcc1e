/* reached.h - which elements of an array that it indexes a kernel can reach, for some of its
 * indices.  Private to prims/. */
#ifndef LUN_REACHED_H
#define LUN_REACHED_H

#include "plan/plan.h"
#include "spread/intervals.h"

/* From the first element of ARRAY slot i on, of n, that a launch over these indices can reach; all
 * of them where that is not known.  Nothing where no index can be one of the array's. */
lun_interval lun__reached(const lun_lowered *l, int i, lun_interval indices);
/* The same of a kernel of teams, whose arguments are set, and so many indices of a launch. */
lun_interval lun__reached_by_teams(const lun_lowered *l, int i, int64_t indices);

#endif
