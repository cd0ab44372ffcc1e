/* sized.h - public structs, which begin with their size, between versions. Knows none of them. */
#ifndef LUN_SIZED_H
#define LUN_SIZED_H

#include <stdbool.h>
#include <stddef.h>
#include <stdlib.h>
#include <string.h>

/* The bytes from `from` that fit a struct of the caller's, whose size stands first and stays;
 * false: it has none. size: of the library's own. */
static inline bool lun__sized_give(void *out, const void *from, size_t size)
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
static inline void lun__sized_take(void *to, const void *from, size_t size)
{
    size_t given;
    memcpy(&given, from, sizeof given);
    memcpy(to, from, given && given < size ? given : size);
}

/* Whether there is a struct of the caller's, and by its size it has the members up to `last`. */
#define LUN_HAS(x, last) ((x) && (x)->size >= offsetof(__typeof__(*(x)), last) + sizeof((x)->last))

/* The same of a list, of which the first one's size is everyone's: as a list of structs of `size`
 * bytes, 0 where the caller's have no such members, to be freed.  NULL: no memory. */
static inline void *lun__sized_take_list(const void *list, int count, size_t size)
{
    char *own = calloc((size_t)count + 1, size);
    size_t given = 0;
    if (count > 0)
        memcpy(&given, list, sizeof given);
    for (size_t k = 0; own && k < (size_t)count; k++)
        memcpy(own + k * size, (const char *)list + k * given, given < size ? given : size);
    return own;
}

/* Such a list of the library's own in the caller's, whose first one has a size. */
static inline void lun__sized_give_list(void *list, const void *own, int count, size_t size)
{
    size_t given;
    memcpy(&given, list, sizeof given);
    for (size_t k = 0; k < (size_t)count; k++) {
        char *to = (char *)list + k * given;
        memcpy(to, &given, sizeof given);
        lun__sized_give(to, (const char *)own + k * size, size);
    }
}

#endif
