/* sized.h - public structs, which begin with their size, between versions. Knows none of them. */
#ifndef LUN_SIZED_H
#define LUN_SIZED_H

#include <stdbool.h>
#include <stddef.h>
#include <string.h>

/* The bytes from `from` that fit a struct of the caller's, whose size stands first and stays;
 * false: it has none. size: of the library's own. */
static inline bool lun__give(void *out, const void *from, size_t size)
{
    size_t room;
    memcpy(&room, out, sizeof room);
    if (room < sizeof room)
        return false;
    memcpy((char *)out + sizeof room, (const char *)from + sizeof room,
           (room < size ? room : size) - sizeof room);
    return true;
}

/* What a struct of the caller's says, over what `to` says so far; of size 0: all of it. */
static inline void lun__take(void *to, const void *from, size_t size)
{
    size_t given;
    memcpy(&given, from, sizeof given);
    memcpy(to, from, given && given < size ? given : size);
}

#endif
