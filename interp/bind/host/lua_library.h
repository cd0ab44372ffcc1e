/* lua_library.h - whether Lua's functions can be called: the shared library looks for them when it
 * first needs them (lua_library/find.c); elsewhere they are linked. */
#ifndef LUN_LUA_LIBRARY_H
#define LUN_LUA_LIBRARY_H

#include <stddef.h>

/* NULL if they can; else why not, and what to do. Only in the shared library; from any thread. */
__attribute__((weak, visibility("hidden"))) const char *lun__lua_find(void);

/* The same everywhere. */
static inline const char *lun__lua_library_missing(void)
{
    return lun__lua_find ? lun__lua_find() : NULL;
}

#endif
