/* exit_wait.c - exit while kernels run; see exit_wait.h.
 *
 * Invariant: both flags are process-wide, as the exit is, and only ever set; the handler is
 * registered once. */
#ifndef _GNU_SOURCE
#define _GNU_SOURCE /* on_exit */
#endif
#include "gpu/exit_wait.h"

#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <unistd.h>

/* Of the process, as its end is. */
static bool prepared, busy;

static void leave(int status, void *unused)
{
    (void)unused;
    if (!__atomic_load_n(&busy, __ATOMIC_RELAXED))
        return;
    fflush(NULL);
    _exit(status);
}

void lun__exit_wait_prepare(void)
{
    if (!__atomic_exchange_n(&prepared, true, __ATOMIC_RELAXED))
        on_exit(leave, NULL);
}

void lun__exit_wait_busy(void)
{
    __atomic_store_n(&busy, true, __ATOMIC_RELAXED);
}
