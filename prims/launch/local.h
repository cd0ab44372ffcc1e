/* local.h - a kernel bound at a location of a set. */
#ifndef LUN_RUN_LOCAL_H
#define LUN_RUN_LOCAL_H

#include "launch/bind.h"
#include "spread/spread.h"
#include "store/fetch.h"

/* Whether all that an aligned kernel reads at these indices is current at the location; of others
 * false. */
bool lun__local_has(const lun_lowered *l, const lun_backend_slot *at, lun_interval indices);
/* The kernel that the backend in use, a location's, has for l, bound to what a launch of it over
 * these indices needs, which is current at the location; of a TARGET its own version.  *k: NULL, or
 * that of another location.  written: by slot, the storage of an OUT slot.  Also on failure `to` is
 * to be closed. */
lun_status lun__local_bind(lun_engine *e, const lun_lowered *l, lun_storage *const *written,
                           lun_backend_slot *at, lun_interval indices, lun_binding *to,
                           lun_kernel_entry **k);
/* Slot i of that, which reads.  *x: where its elements are, unless they are in no memory. */
lun_status lun__local_read(lun_engine *e, lun_binding *to, int i, lun_backend_slot *at,
                           lun_interval indices, lun_piece **x);

/* Slot i reads elements of n, a LEAF, as a layout says, of what is current at a location. */
lun_status lun__local_bind_elements(lun_engine *e, lun_binding *to, int i, const lun_node *n,
                                    lun_backend_slot *at, const lun_layout *layout);
/* Slot i is n, of which these elements were made current so at a location. */
lun_status lun__local_bind_array(lun_engine *e, lun_binding *to, int i, const lun_node *n,
                                 lun_backend_slot *at, lun_interval need);
/* Slot i is a location's version of n, a LEAF. */
lun_status lun__local_bind_written(lun_engine *e, lun_binding *to, int i, const lun_node *n,
                                   lun_backend_slot *at);

#endif
