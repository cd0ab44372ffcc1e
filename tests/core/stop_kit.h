/* stop_kit.h - when a script that is to be stopped has begun: it allocates SIGN bytes first; and
 * when its kernel has: the engine has counted a launch. */
#ifndef STOP_KIT_H
#define STOP_KIT_H

#include <sched.h>
#include <stdbool.h>
#include <stdlib.h>

#include "engine/state.h"

enum { SIGN = 100003 };
static int begun; /* atomic; to be cleared before each script */

/* lun_config.alloc that notes it. */
static inline void *note_begin(void *unused, void *old, size_t size)
{
    (void)unused;
    if (size >= SIGN)
        __atomic_store_n(&begun, 1, __ATOMIC_RELEASE);
    if (size)
        return realloc(old, size);
    free(old);
    return NULL;
}

static int64_t launched; /* kernels of an engine before the script */

static inline int64_t launches_of(lun_engine *e)
{
    return __atomic_load_n(&e->stats.launches, __ATOMIC_RELAXED);
}

/* Before the thread starts that waits. */
static inline void expect_begin(lun_engine *e)
{
    launched = launches_of(e);
    __atomic_store_n(&begun, 0, __ATOMIC_RELEASE);
}

/* Until the script has begun, and its first kernel if it has one. */
static inline void wait_for_begin(lun_engine *e, bool kernel)
{
    while (!__atomic_load_n(&begun, __ATOMIC_ACQUIRE) || (kernel && launches_of(e) == launched))
        sched_yield();
}

#endif
