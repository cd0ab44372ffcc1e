/* mpi_start.h - MPI's start under a limit of time. Private to the room. */
#ifndef LUN_NET_MPI_START_H
#define LUN_NET_MPI_START_H

#include <stdbool.h>

/* Init_thread of whichever MPI it is. */
typedef int lun_net_init(int *argc, char ***argv, int wanted, int *provided);

/* What a start waits for at most, and whether that was too little. */
typedef struct lun_net_patience {
    double seconds; /* 0: no limit */
    double until;   /* by lun__now */
    bool late;
} lun_net_patience;

lun_net_patience lun__net_patience(double seconds);
/* Calls it; *code: what it gives. False: the time is over, and it goes on in a thread of its own,
 * which nothing ends. A limit takes a thread, so `wanted` says that calls come from several. */
bool lun__net_begin(lun_net_init *init, int wanted, lun_net_patience *p, int *code);
/* One of so many turns of a wait of the same kind; false once the time is over. */
bool lun__net_wait(lun_net_patience *p, int turn);

#endif
