/* signal_guard.h - the host's signal handling, kept whole around calls into a driver.
 *
 * Drivers start threads and compilers that put handlers of their own in place of the host's.
 * leave puts every handler back that was changed since enter.  One thread of the process at a
 * time is between them: the others' guards would take the driver's handlers for the host's, and
 * drivers (PoCL 3.1) are not safe there either.  Guards do not nest.  Knows no OpenCL. */
#ifndef LUN_SIGNAL_GUARD_H
#define LUN_SIGNAL_GUARD_H

#include <signal.h>
#include <stdbool.h>

enum { LUN_GUARD_SIGNALS = 65 };

typedef struct lun_guard {
    struct sigaction before[LUN_GUARD_SIGNALS];
    sigset_t mask;
    bool blocked;
} lun_guard;

/* block: until leave this thread takes no asynchronous signal, and threads that are started
 * meanwhile never will; for calls that start threads and are short. */
void lun__guard_enter(lun_guard *g, bool block);
void lun__guard_leave(const lun_guard *g);

#endif
