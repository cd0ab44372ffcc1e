/* assigned_arrays.h - which arrays a C text may assign elements of, as its tokens tell. */
#ifndef LUN_ASSIGNED_ARRAYS_H
#define LUN_ASSIGNED_ARRAYS_H

#include "ctext/maker.h"

/* Of m, whose head is read: pointers through which the text surely assigns nothing become pointers
 * to const; of the others tells by which atomic operation alone it does (lun_csignature).  Surely:
 * each use is an element's value, or goes to a helper's pointer to const.  LUN_ENOMEM. */
lun_status lun__cassigned_find(lun_cmaker *m);
/* Whether there is a pointer through which it may assign. */
bool lun__cassigned_any(const lun_csignature *head);

#endif
