/* exit_wait.h - exit while kernels run: the process ends before the driver's destructors.
 *
 * Threads of a driver that compile or run a kernel cannot be stopped, and still use what the
 * destructors of its libraries free. */
#ifndef LUN_EXIT_WAIT_H
#define LUN_EXIT_WAIT_H

/* Registers the exit handler.  Called after a driver's libraries are loaded, so that it runs before
 * their destructors. */
void lun__exit_wait_prepare(void);
/* Notes that a driver still works without anyone waiting for it: the exit skips its destructors.
 * Handlers registered later than prepare have run by then, and output is flushed. */
void lun__exit_wait_busy(void);

#endif
