/* group.h - what the files of the transport between threads share. Private to the room.
 *
 * Invariant: what the group has (mailboxes, steps, parcels in them) is under its one lock; a
 * lun_threads, a rank's own end, is its thread's. The conditions of the mailboxes wait with that
 * lock, and `changes` counts why they were signalled. A parcel belongs to the mailbox that it is
 * in, then to the receiver that took it out and frees it; one with `lent` bytes goes back to its
 * sender's request once it is `read`. Lent bytes are the sender's, who neither changes nor frees
 * them until its request is done or withdrawn; withdrawing waits for ranks that are `copying`. A
 * step is in the list `steps` from its first arrival until the last rank has taken its result. Its
 * parts, once left, do not change, so that a rank copies them without the lock: a broadcast's as
 * soon as the root's part is there, all others' once all have arrived. */
#ifndef LUN_NET_GROUP_H
#define LUN_NET_GROUP_H

#include <pthread.h>

#include "net/net.h"

typedef struct lun_sim lun_sim; /* sim.h */

/* A message in a mailbox, or a rank's part of a step. */
typedef struct lun_parcel {
    struct lun_parcel *next;
    int from, tag, count;
    double at;        /* of the sender's clock: a message's arrival, a part's start */
    const void *lent; /* the sender's own bytes, or a root's, which it keeps until they are read */
    int copying;      /* ranks that read these now */
    bool withdrawn;   /* of a broadcast: the root has given up */
    bool read;        /* of a message: it belongs to its sender again */
    _Alignas(16) char bytes[];
} lun_parcel;

typedef enum lun_net_kind {
    LUN_NET_SEND,
    LUN_NET_RECEIVE,
    LUN_NET_BCAST,
    LUN_NET_GATHER,
    LUN_NET_EXCHANGE,
    LUN_NET_AGREE
} lun_net_kind;

/* A step that all take part in; its number says which, since all start them in one order.  Once it
 * is complete nothing of it changes but `taken`. */
typedef struct lun_step {
    struct lun_step *next;
    uint64_t number;
    lun_net_kind kind;
    bool differ;         /* ranks took steps of several kinds, or agreed on several lengths */
    int arrived, taken;  /* ranks that have left their part, that have the result */
    double start;        /* of the modelled clock: when the last one arrived */
    int64_t bytes;       /* of all parts */
    lun_parcel *common;  /* of an agreement: what all have so far */
    lun_net_load *loads; /* of an exchange on a modelled network: of each rank */
    int64_t most;        /* bytes of the busiest one */
    lun_parcel *parts[];
} lun_step;

/* What is there for a rank. */
typedef struct lun_mailbox {
    lun_parcel *first, **last;
    pthread_cond_t changed;
    uint64_t changes; /* messages that came and steps that were completed */
    int64_t waiting;  /* bytes that its rank has sent, copied to mailboxes and not taken out */
} lun_mailbox;

struct lun_net_group {
    pthread_mutex_t lock;
    int size, users; /* ranks that are open, and the group's own handle */
    lun_step *steps;
    lun_sim *sim; /* NULL: the machine decides who goes on */
    void (*sim_end)(lun_sim *s);
    lun_mailbox boxes[];
};

typedef struct lun_threads {
    lun_net base;
    lun_net_group *group;
    uint64_t steps; /* started by this rank */
    uint64_t seen;  /* changes of its mailbox before it last looked */
    lun_net_request *open;
} lun_threads;

struct lun_net_request {
    lun_net_request *next; /* of the open ones */
    lun_net_kind kind;
    int from, tag, count; /* from: root of a bcast; of a send: the receiver */
    void *bytes;
    const int *counts;
    lun_step *step;
    lun_parcel *parcel; /* of a send */
};

/* Fails for that reason. */
bool lun__parcel_fail(lun_net *n, const char *why);
/* bytes NULL: they are filled in afterwards. */
lun_parcel *lun__parcel_new(lun_net *n, int tag, const void *bytes, int count);
/* A request in the list of the open ones, and its end. */
lun_net_request *lun__parcel_request(lun_net *n, lun_net_kind kind, lun_net_request **out);
void lun__parcel_done(lun_threads *me, lun_net_request **request);

/* Something has come for a rank. The lock is held. */
void lun__parcel_changed(lun_mailbox *box);

/* threads.c */
bool lun__threads_isend(lun_net *n, int to, int tag, const void *bytes, int count,
                        lun_net_request **out);

/* thread_steps.c */
bool lun__thread_step_bcast(lun_net *n, int root, void *bytes, int count, lun_net_request **out);
bool lun__thread_step_gather(lun_net *n, const void *own, int count, lun_net_parts all,
                             lun_net_request **out);
bool lun__thread_step_exchange(lun_net *n, lun_net_parts given, lun_net_parts got,
                               lun_net_request **out);
bool lun__thread_step_agree(lun_net *n, uint64_t *words, int count, lun_net_request **out);
/* Whether a step is over, with its result. */
bool lun__thread_step(lun_threads *me, lun_net_request **request);
void lun__thread_step_drop(lun_step *s, int size);
/* A step's request that is given up: what this rank has lent is read no more once it returns. */
void lun__thread_step_withdraw(lun_threads *me, const lun_net_request *r);

#endif
