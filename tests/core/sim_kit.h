/* sim_kit.h - engines whose ranks are simulated, with a fault at a call of one of them. */
#ifndef SIM_KIT_H
#define SIM_KIT_H

#include "net/sim.h"
#include "ranks/ranks_state.h"

/* A call of a rank at which it is killed ("kill") or which is lost ("lose"); NULL: none. The call's
 * number is the seed, too. */
typedef struct sim_fault {
    const char *what;
    int rank, call;
} sim_fault;

/* Makes e the rank of that number of the group. */
static inline void sim_open(lun_engine *e, lun_net_group *group, int rank, sim_fault f)
{
    char text[64], why[256] = "";
    snprintf(text, sizeof text, "%d", f.call);
    if (f.what)
        snprintf(text, sizeof text, "%d,%s=%d@%d", f.call, f.what, f.rank, f.call);
    lun_net *n = lun__net_sim(group, rank, text, why, sizeof why);
    if (!n)
        fail_msg("%s", why);
    assert_int_equal(lun__ranks_open(e, n), LUN_OK);
}

/* Calls that this rank has made. */
static inline int64_t sim_calls(const lun_engine *e)
{
    const lun_sim_end *me = (const lun_sim_end *)e->ranks->net;
    return me->sim->ranks[me->base.rank].calls;
}

#endif
