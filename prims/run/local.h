/* local.h - a kernel bound at a place of a set.  Private to prims/run. */
#ifndef LUN_RUN_LOCAL_H
#define LUN_RUN_LOCAL_H

#include "run/bind.h"
#include "spread/spread.h"

/* The kernel that the backend in use, a place's, has for l, and all that a launch of it over these
 * indices needs, current at the place.  written: by slot, the storage of an OUT slot.  Also on
 * failure `to` is to be closed. */
lun_status lun__local_bind(lun_engine *e, const lun_lowered *l, lun_storage *const *written,
                           lun_backend_slot *at, lun_interval indices, lun_binding *to,
                           lun_kernel_entry **k);

#endif
