/* quiet_stderr.h - keeps what a driver's compiler writes to the host's stderr apart: its own
 * summary of errors, which the build log has in full, is dropped, all else is written
  * afterwards. */
#ifndef LUN_QUIET_STDERR_H
#define LUN_QUIET_STDERR_H

typedef struct lun_quiet {
    int kept, caught; /* descriptors; -1: nothing is kept apart */
} lun_quiet;

/* Between the two, what any thread of the process writes to stderr waits in memory.  One thread of
 * the process at a time (gpu/signal_guard.h). */
void lun__quiet_enter(lun_quiet *q);
void lun__quiet_leave(lun_quiet *q);

#endif
