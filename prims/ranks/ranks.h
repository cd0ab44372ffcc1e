/* ranks.h - an engine as one of several ranks: beginning and end. What a host calls is in
 * lunarray.h (lun_spmd_*). Knows no array. */
#ifndef LUN_RANKS_H
#define LUN_RANKS_H

#include "lunarray.h"
#include "net/net.h"

/* Makes e one end of a transport, which it closes; NULL: one rank alone. */
lun_status lun__ranks_open(lun_engine *e, lun_net *net);
/* Ends this rank, in step with the others. */
void lun__ranks_close(lun_engine *e);

#endif
