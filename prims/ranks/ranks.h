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

/* ---- rank_moves.c: what ranks give each other in a step -------------------------------------- */

enum { LUN_ALL_RANKS = -1, LUN_COUNTS_TO_ALL = -2 }; /* counts: int64_t, which travel short */
/* So many bytes of rank `from` are to go to rank `to`, or to all.  All ranks that take the step
 * call it, in one order; `bytes` is where they are, or shall be, on those that have a part in it,
 * until lun__rank_moves_end. */
lun_status lun__rank_move(lun_engine *e, int from, int to, void *bytes, int64_t count);
/* They go: one message from rank to rank, and one step for what goes to all.  s is how this rank
 * has fared: of failures that are told with that the first one, in the order of ranks, is
 * everyone's. */
lun_status lun__rank_moves_end(lun_engine *e, lun_status s);

/* What this rank has to say of a failure, to be freed; NULL: nothing. */
char *lun__rank_text(const lun_engine *e, lun_status s);
/* Once all know that a rank has failed: the failure of the first one, in the order of ranks, on all
 * of them; own: how this one has fared, and what it says. */
lun_status lun__rank_failure(lun_engine *e, lun_status own, const char *text);

/* What answers when another rank asks for elements that the engine keeps for all (lun_shared), by
 * lun_spmd_reply; and the question, whose answer is to be freed. */
/* The number of a rank among those of its machine. */
int lun__local_rank(const lun_config *c);

typedef void lun_serve_elements(lun_engine *e, int from, const char *bytes, int64_t count);
void lun__serve_elements(lun_engine *e, lun_serve_elements *serve);
lun_status lun__ask_element(lun_engine *e, int pe, const void *bytes, int64_t count, void **reply,
                            int64_t *reply_count);

#endif
