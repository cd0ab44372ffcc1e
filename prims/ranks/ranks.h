/* ranks.h - an engine as one of several ranks: beginning and end. What a host calls is in
 * lunarray.h (lun_spmd_*). */
#ifndef LUN_RANKS_H
#define LUN_RANKS_H

#include "lunarray.h"
#include "net/net.h"

/* Makes e one end of a transport, which it closes; NULL: one rank alone. */
lun_status lun__ranks_open(lun_engine *e, lun_net *net);
/* Makes e, which is the one with the script, or serves, one of several ranks that are linked: its
 * services get the link.  Such an engine takes no steps: it is alone to lun_spmd. */
lun_status lun__ranks_link(lun_engine *e);
/* Ends this rank, in step with the others. */
void lun__ranks_close(lun_engine *e);

/* What answers when another rank asks for elements that the engine keeps for all (lun_shared), by
 * lun_spmd_reply; and the question, whose answer is to be freed. */
/* The number of a rank among those of its machine. */
int lun__local_rank(const lun_config *c);

typedef void lun_serve_elements(lun_engine *e, int from, const char *bytes, int64_t count);
void lun__serve_elements(lun_engine *e, lun_serve_elements *serve);
lun_status lun__ask_element(lun_engine *e, int pe, const void *bytes, int64_t count, void **reply,
                            int64_t *reply_count);

#endif
