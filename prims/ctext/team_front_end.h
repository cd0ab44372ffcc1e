/* team_front_end.h - C texts that write arrays in place: functions of teams, which have no result,
 * and such as are called for each index.  A front end (ir/ir.h), which makes the text for a
 * division of work and its parameters' types, or for the axes of a loop.
 *
 * What differs from other texts: pointers that are not to const are TARGETs, each the only way to
 * its elements; behind LUN_FRONT_NUMBERS parameters stand those of the text, then pointers to the
 * team's memory (LUN_SCRATCH), then lengths; the result is 0.  With a LUN_BARRIER a call is for a
 * whole team (ctext/barrier.h). */
#ifndef LUN_TEAM_FRONT_END_H
#define LUN_TEAM_FRONT_END_H

#include "ctext/maker.h"

/* A front end of the text in m, which it takes over, also where it fails. */
lun_status lun__cteam_make(lun_cmaker *m, lun_front *out);

#endif
