/* stop_kit.h - when a script that is to be stopped has begun: it allocates SIGN bytes first. */
#ifndef STOP_KIT_H
#define STOP_KIT_H

#include <stdlib.h>

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

#endif
