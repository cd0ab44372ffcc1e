/* watch.h - stretches of work: their time limit and their cancellation. Private to prims/.
 *
 * Running work polls one flag, e->cancel. lun_cancel sets it, and so does a thread that sleeps
 * until the time limit; that thread exists only in engines with a limit. */
#ifndef LUN_WATCH_H
#define LUN_WATCH_H

#include "lunarray.h"

typedef struct lun_watch lun_watch;

/* What e->cancel can be. */
enum { LUN_STOP_NONE, LUN_STOP_CANCEL, LUN_STOP_LIMIT };

/* Why the stretch that runs now must end, as a failure; LUN_OK: it need not. */
lun_status lun__watch_stopped(lun_engine *e);
/* In a stretch without a limit: it must end at this time, which was a limit of so many seconds;
 * 0: it need not any more. */
void lun__watch_take(lun_engine *e, double deadline, double seconds);
/* Ends the thread. NULL is allowed. */
void lun__watch_close(lun_watch *w);

#endif
