/* loading_lock.c - see loading_lock.h. */
#include "base/loading_lock.h"

#include <pthread.h>

/* The process's, as the linker's own lock is. */
static pthread_mutex_t one_loads = PTHREAD_MUTEX_INITIALIZER;

void lun__loading_lock_begin(void)
{
    pthread_mutex_lock(&one_loads);
}

void lun__loading_lock_end(void)
{
    pthread_mutex_unlock(&one_loads);
}
