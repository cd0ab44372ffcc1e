/* sim.h - what the files of the simulator of ranks share: sim.c, the transport, and sim_turns.c,
 * who goes on. Private to the room. */
#ifndef LUN_NET_SIM_H
#define LUN_NET_SIM_H

#include <pthread.h>
#include <stdio.h>

#include "net/group.h"

/* LUNARRAY_SIM, read. Ranks are -1 where none is meant. */
typedef struct lun_sim_plan {
    uint64_t seed;
    double late; /* seconds that a message or a step takes at most beyond what the network costs */
    int lose_rank, kill_rank, slow;
    int64_t lose_call, kill_call;
    char log[256];
} lun_sim_plan;

/* A message between its sender's call and its arrival. */
typedef struct lun_sim_message {
    struct lun_sim_message *next;
    int from, to, tag, count;
    double due;          /* it may arrive from then on */
    lun_net_clock clock; /* the sender's modelled clock */
    const void *bytes;   /* `copy`, or the sender's own */
    bool waits, came;    /* waits: the send is done when it has come; the request's, then */
    char copy[];
} lun_sim_message;

/* A request of the simulator. All NULL: of a call that was lost, never done. */
struct lun_sim_request {
    lun_net_request *inner;   /* of a step or a receive */
    lun_sim_message *message; /* of a send */
    double due;               /* a step is not over before */
    struct lun_sim_request *next;
};
typedef struct lun_sim_request lun_sim_request;

typedef enum lun_sim_state {
    LUN_SIM_RUNS,  /* between two calls: at most one rank, once each has made its first */
    LUN_SIM_READY, /* in a call that may go on at once */
    LUN_SIM_RESTS, /* in a rest: goes on at `until`, or when its mailbox has changed */
    LUN_SIM_GONE   /* makes no call any more but close */
} lun_sim_state;

typedef struct lun_sim_rank {
    lun_sim_state state;
    pthread_cond_t turn;
    double until;
    uint64_t seen; /* changes of its mailbox before its last rest ended */
    int64_t calls; /* that it has made */
    bool lost;     /* the call that was to be lost has been */
    bool killed;
} lun_sim_rank;

/* The simulation of a group. `lock` guards what stands above `log`; the rest belongs to the rank
 * that runs, which is one once `running` has been 0 for the first time. */
struct lun_sim {
    pthread_mutex_t lock;
    int running;                    /* ranks in the state RUNS */
    bool hangs;                     /* nothing has moved for long: all calls fail */
    double now;                     /* seconds of the simulated clock, which is the same for all */
    double moved;                   /* when a message or a step last began or came */
    uint64_t state;                 /* of the generator */
    lun_sim_message *first, **last; /* on their way, in the order in which they were sent */
    FILE *log;
    lun_sim_plan plan;
    lun_net_group *group;
    lun_sim_rank ranks[];
};

typedef struct lun_sim_end {
    lun_net base;
    lun_net *inner; /* of threads.c */
    lun_sim *sim;
    lun_sim_request *open;
} lun_sim_end;

/* A number of the generator below `below`. */
uint64_t lun__sim_draw(lun_sim *s, uint64_t below);
/* The same as a time between 0 and `most`. */
double lun__sim_delay(lun_sim *s, double most);
/* This rank's turn ends, and begins again when the generator says so; until 0: it may at once. */
void lun__sim_turn(lun_sim_end *me, double until);
/* This rank takes no turn any more. */
void lun__sim_leave(lun_sim_end *me);
void lun__sim_log(lun_sim *s, const char *format, ...) __attribute__((format(printf, 2, 3)));

#endif
