/* flights.h - launches at several locations of a set at once, a flight at each: those of devices
 * begin, the host computes meanwhile, then all end, in order.  What they run is their callers'.
 *
 * Invariant: a binding is open from when its caller sets `open` until lun__flight_close.  A flight
 * is under way from lun__flights_begin until it fails or lun__flights_end; meanwhile its binding
 * and all memory that it names stay, and lun__flights_close is not called.  `failed` is the least
 * number of those that failed, `text` what that one says: later failures replace the engine's. */
#ifndef LUN_FLIGHTS_H
#define LUN_FLIGHTS_H

#include "launch/bind.h"

/* The launch of one location. */
typedef struct lun_flight {
    lun_kernel_entry *kernel;
    lun_binding binding; /* of the indices from 0 on */
    int64_t count;       /* indices */
    bool open;           /* the binding is */
    bool under_way;      /* it was submitted */
    bool ran;            /* the launch has failed, not what comes before */
    lun_status failed;
} lun_flight;

typedef struct lun_flights {
    lun_engine *e;
    int places, room;
    lun_flight *at; /* by location of the set in use */
    int failed;     /* the first location that failed, -1: none, */
    char *text;     /* and what it says */
} lun_flights;

/* None yet.  Also on failure they are to be closed. */
lun_status lun__flights_open(lun_engine *e, int places, lun_flights *out);
/* Closes all bindings that are open. */
void lun__flights_close(lun_flights *f);
void lun__flight_close(lun_flight *x);

/* Location k has failed; of all that do the first one is reported.  ran: in its launch, which
 * explains more. */
void lun__flights_fail(lun_flights *f, int k, lun_status s, bool ran);
/* The launch of location k, which is bound and in use, begins over indices 0 .. count - 1, and on
 * the host ends; devices are given theirs before. */
void lun__flights_begin(lun_flights *f, int k, int64_t count, uint64_t *partials);
/* All launches end: none of those that have begun is under way afterwards. */
void lun__flights_end(lun_flights *f);
/* The failure of the first location that failed, which is explained with its binding; LUN_OK: none
 * has. */
lun_status lun__flights_failure(lun_flights *f);

#endif
