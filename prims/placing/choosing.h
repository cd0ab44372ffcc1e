/* choosing.h - the moves of what the places of a set find out together of their elements
 * (lun__placing_chooses), told beforehand. */
#ifndef LUN_CHOOSING_H
#define LUN_CHOOSING_H

#include "placing/teller.h"
#include "schedule/steps.h"

lun_status lun__choosing_tell(lun_teller *t, const lun_step *step);

#endif
