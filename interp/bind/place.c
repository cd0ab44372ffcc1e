/* place.c - where a script stands: the file and line that expressions are marked with, and that
 * errors name.  Knows nothing of what is computed there. */
#include <stdio.h>
#include <string.h>

#include "bind/bind.h"

/* A function of the module itself, by its source as lua_getinfo shortens it. */
static bool is_own(const char *source)
{
    static const char own[] = "lua/lunarray/";
    return strncmp(source, own, sizeof own - 1) == 0;
}

void lun__script_place(lua_State *L, int level, char *place, size_t room)
{
    enum { DEPTH = 32 };
    lua_Debug caller;
    int last = level ? level : DEPTH;
    place[0] = '\0';
    for (; level <= last && !place[0] && lua_getstack(L, level, &caller); level++)
        if (lua_getinfo(L, "Sl", &caller) && caller.currentline > 0 &&
            (last < DEPTH || !is_own(caller.short_src)))
            snprintf(place, room, "%s:%d", caller.short_src, caller.currentline);
}

void lun__mark(lua_State *L, lun__host *h)
{
    char place[LUA_IDSIZE + 16] = "";
    lua_Debug caller;
    if (lua_getstack(L, 1, &caller) && lua_getinfo(L, "Sl", &caller) && caller.currentline > 0) {
        if (is_own(caller.short_src))
            lun__script_place(L, 0, place, sizeof place);
        else
            snprintf(place, sizeof place, "%s:%d", caller.short_src, caller.currentline);
    }
    /* Without memory for the place errors name none; the call itself does not fail. */
    (void)lun_mark(h->engine, place);
}
