/* grow.h - room for one more element in an array that doubles.  Private to prims/. */
#ifndef LUN_GROW_H
#define LUN_GROW_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>

/* *array (of any pointer type) has `count` elements of so many bytes and space for *room.  The
 * array may move.  False without memory: nothing has changed. */
static inline bool lun__grow(void *array, int count, int *room, size_t bytes)
{
    void **p = array;
    if (count < *room)
        return true;
    if (*room > INT32_MAX / 4)
        return false;
    int more = *room ? 2 * *room : 16;
    void *q = realloc(*p, (size_t)more * bytes);
    if (!q)
        return false;
    *p = q;
    *room = more;
    return true;
}

#endif
