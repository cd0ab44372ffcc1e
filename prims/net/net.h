/* net.h - the transport between ranks: bytes from one to another, and four steps that all do
 * together. Three implementations: ranks that are threads of one process (threads.c), the same in
 * an order that a seed decides (sim.c), and MPI, loaded at run time (mpi_transport.c).
 *
 * Nothing here blocks but rest: a call starts something and gives a request, which test asks about
 * until it is done. The memory of a request stays as it is until then. All ranks start the steps
 * (bcast, gather, exchange, agree) in one order, which the caller makes sure of: the transport does
 * not check it. One rank's end is used by one thread. What the bytes mean is ranks/ranks_state.h's:
 * they travel as they are, so that all ranks need one byte order. */
#ifndef LUN_NET_H
#define LUN_NET_H

#include <stdbool.h>
#include <stdint.h>

/* ---- modelled_clock.c ------------------------------------------------------------------------ */

/* A rank's clock: what its messages cost, and how late it is. All 0: no network is modelled. */
typedef struct lun_net_clock {
    double latency, per_byte, now;
} lun_net_clock;

/* What a rank moves in an exchange: ranks that it gives to or gets from, and bytes, of both the
 * larger number. */
typedef struct lun_net_load {
    int partners;
    int64_t bytes;
} lun_net_load;

/* From its start to its arrival. */
double lun__net_clock_message(const lun_net_clock *c, int64_t bytes);
double lun__net_clock_bcast(const lun_net_clock *c, int size, int64_t bytes);
/* others: the bytes of all ranks but one. */
double lun__net_clock_gather(const lun_net_clock *c, int size, int64_t others);
/* most: the bytes of the rank that moves the most. */
double lun__net_clock_exchange(const lun_net_clock *c, int size, lun_net_load own, int64_t most);
double lun__net_clock_agree(const lun_net_clock *c, int size, int64_t bytes);

/* ---- the transport --------------------------------------------------------------------------- */

enum { LUN_NET_ANY = -1, LUN_NET_MOST = 1 << 30 };

typedef struct lun_net lun_net;
typedef struct lun_net_request lun_net_request; /* each transport's own */
typedef struct lun_net_group lun_net_group;     /* threads.c */

/* A message that has arrived. */
typedef struct lun_net_found {
    int from;
    int64_t count; /* bytes; -1: there is none */
} lun_net_found;

/* What each rank gives and gets in a step: bytes and how many for or from each rank, one after the
 * other. */
typedef struct lun_net_parts {
    void *bytes;
    const int *counts;
} lun_net_parts;

/* The calls of a transport. Each returns false with the reason in net->error; then no further call
 * makes sense but abandon and close. Counts are bytes, at most LUN_NET_MOST in one call, all ranks'
 * together in a step. */
typedef struct lun_net_calls {
    /* Messages between two ranks arrive in order for each tag (0 or above). A send may be done
     * before it arrives. */
    bool (*isend)(lun_net *n, int to, int tag, const void *bytes, int count, lun_net_request **out);
    /* Of a message that probe has found; count is its number of bytes. */
    bool (*irecv)(lun_net *n, int from, int tag, void *bytes, int count, lun_net_request **out);
    /* *request becomes NULL once it is done. */
    bool (*test)(lun_net *n, lun_net_request **request);
    /* The first message with that tag from a rank, or from LUN_NET_ANY. */
    bool (*probe)(lun_net *n, int from, int tag, lun_net_found *out);
    /* root's bytes to all. */
    bool (*ibcast)(lun_net *n, int root, void *bytes, int count, lun_net_request **out);
    /* Everyone's own bytes to all, in rank order. */
    bool (*iallgather)(lun_net *n, const void *own, int count, lun_net_parts all,
                       lun_net_request **out);
    /* A part for each rank, a part from each. */
    bool (*ialltoall)(lun_net *n, lun_net_parts given, lun_net_parts got, lun_net_request **out);
    /* Bitwise and of everyone's words, in place. */
    bool (*iagree)(lun_net *n, uint64_t *words, int count, lun_net_request **out);
    /* Waits until something may have come that this rank looked for in vain, at most so long. */
    void (*rest)(lun_net *n, int64_t nanoseconds);
    /* The seconds by which waits of ranks are measured; NULL: those of the machine's clock. */
    double (*now)(const lun_net *n);
    /* This rank makes no call any more but close; NULL: nothing hangs on it. */
    void (*leave)(lun_net *n);
    /* Requests that are not done are given up; only close follows. True: the memory of those must
     * stay, since the transport may still work on it. */
    bool (*abandon)(lun_net *n);
    /* Ends this rank's part, in step with the others unless it was abandoned. */
    void (*close)(lun_net *n);
} lun_net_calls;

struct lun_net {
    const lun_net_calls *calls;
    int rank, size;
    bool modelled; /* whether the transport heeds the clock */
    bool wakes;    /* whether what comes ends a rest at once */
    bool turns;    /* sim.c: ranks take turns. A wait rests at once, and no rank looks at others by
                      the machine's clock or from another thread */
    int lends;     /* threads: bytes from which messages and broadcasts are read where they are */
    const int64_t *waiting; /* bytes of this rank's messages that the transport has copied and no
                               rank has received, an atomic number; NULL: it does not know */
    lun_net_clock clock;
    char name[320]; /* for people: which transport, and which library */
    char error[512];
};

/* ---- threads of one process ------------------------------------------------------------------ */

/* A group of `size` ranks, which ends with lun__threads_group_free and the last of its ranks. NULL
 * without memory. */
lun_net_group *lun__threads_group_new(int size);
void lun__threads_group_free(lun_net_group *g);
int lun__threads_group_size(const lun_net_group *g);
/* The end of one rank of it, to be taken once. NULL without memory. */
lun_net *lun__net_threads(lun_net_group *g, int rank);

/* The same of a simulated rank; all ranks of the group must be. `text` is that of LUNARRAY_SIM.
 * NULL with the reason in `why`. */
lun_net *lun__net_sim(lun_net_group *g, int rank, const char *text, char *why, int room);

/* ---- MPI, and what launchers tell ------------------------------------------------------------ */

/* What the launcher's variables say of this process. */
typedef struct lun_net_launch {
    int rank, size;       /* size 1: there is no launcher, or one process alone */
    int local;            /* its number among those of its machine; where none says so, the rank */
    const char *launcher; /* the variable that says so, NULL: none */
    bool mpich;           /* which library such a launcher belongs to, if it is known */
    bool openmpi;
} lun_net_launch;

lun_net_launch lun__launcher_env(void);
/* Loads MPI, starts it if the host has not, which takes until all processes of the launcher do the
 * same, so many seconds at most (0: no limit), and checks that it counts as the launcher does. NULL
 * with the reason, which names the libraries tried, in `error`. */
lun_net *lun__mpi_transport(const lun_net_launch *launch, double seconds, char *error, int room);

#endif
