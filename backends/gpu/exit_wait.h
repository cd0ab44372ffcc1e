/* exit_wait.h - how a process ends while a driver still works: before the driver's own end.
 *
 * Threads of a driver that compile or run a kernel cannot be stopped, and what the destructors of
 * its libraries take away they still use.  Knows no API. */
#ifndef LUN_EXIT_WAIT_H
#define LUN_EXIT_WAIT_H

/* To be called when a driver's libraries are loaded: what they do at the end of the process comes
 * after lun__leave's. */
void lun__leave_prepare(void);
/* A driver works that nothing waits for any more: the process shall end before its libraries do.
 * What was registered for the end after them is done, output is written. */
void lun__leave_busy(void);

#endif
