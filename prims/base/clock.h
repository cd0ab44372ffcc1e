/* clock.h - a clock for durations and deadlines. */
#ifndef LUN_CLOCK_H
#define LUN_CLOCK_H

/* Seconds on a clock that never goes back. */
double lun__clock_now(void);

#endif
