/* loading_lock.h - libraries are loaded by one thread of the process at a time, and none is while
 * it forks a child that shall load some: that child would wait for the linker's lock, which nobody
 * gives back there. */
#ifndef LUN_LOADING_LOCK_H
#define LUN_LOADING_LOCK_H

/* Around dlopen, dlclose and fork; after a fork in both processes. */
void lun__loading_lock_begin(void);
void lun__loading_lock_end(void);

#endif
