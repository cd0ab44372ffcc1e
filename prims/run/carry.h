/* carry.h - what a scan has come to at an index, for the place that goes on from there.  Private to
 * prims/run. */
#ifndef LUN_CARRY_H
#define LUN_CARRY_H

#include "plan/plan.h"

/* A kernel whose only result, in the OUT slot of l, is the exclusive value of l's SCAN, as it is
 * accumulated; of the rest it shares with l, which has to stay.  To be closed. */
lun_status lun__carry_open(lun_engine *e, const lun_lowered *l, lun_lowered *out);
void lun__carry_close(lun_lowered *carry);

#endif
