/* thread.h - threads of the library's own. */
#ifndef LUN_THREAD_H
#define LUN_THREAD_H

#include <pthread.h>
#include <stdbool.h>

/* Starts one that takes no signals: those are for the threads that were here before. */
bool lun__thread_start(pthread_t *out, void *(*run)(void *ctx), void *ctx);
/* A condition whose timed waits use the clock of lun__clock_now. */
void lun__thread_condition(pthread_cond_t *out);
/* Waits for it until that time at most. */
void lun__thread_wait(pthread_cond_t *c, pthread_mutex_t *lock, double until);

#endif
