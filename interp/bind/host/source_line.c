/* source_line.c - the source line of a script, which nodes keep and errors name. */
#include <stdio.h>
#include <string.h>

#include "bind/host/bind.h"

bool lun__source_line_is_module(const char *source)
{
    static const char own[] = "lua/lunarray/";
    return strncmp(source, own, sizeof own - 1) == 0;
}

/* "source:line", cut to `room`. Every call of the module needs it: no snprintf. */
static void write_line(const lua_Debug *at, char *line, size_t room)
{
    char digits[3 * sizeof at->currentline];
    const size_t source = strlen(at->short_src);
    size_t n = 0;
    for (int number = at->currentline; number > 0; number /= 10)
        digits[n++] = (char)('0' + number % 10);
    if (source + n + 2 > room) {
        snprintf(line, room, "%s:%d", at->short_src, at->currentline);
        return;
    }
    memcpy(line, at->short_src, source);
    line += source;
    *line++ = ':';
    while (n)
        *line++ = digits[--n];
    *line = '\0';
}

void lun__source_line(lua_State *L, int level, char *line, size_t room)
{
    enum { DEPTH = 64 };
    lua_Debug caller;
    bool nearest = level == 0, found = false;
    line[0] = '\0';
    for (; level < DEPTH && !found && lua_getstack(L, level, &caller); level++) {
        lua_getinfo(L, "Sl", &caller);
        bool own = lun__source_line_is_module(caller.short_src);
        if (caller.currentline > 0 && !own)
            write_line(&caller, line, room);
        nearest |= own;
        found = line[0] || !nearest;
    }
}

void lun__source_line_mark(lua_State *L, lun__host *h)
{
    char line[LUA_IDSIZE + 16] = "";
    lua_Debug caller;
    if (lua_getstack(L, 1, &caller) && lua_getinfo(L, "Sl", &caller)) {
        if (caller.currentline <= 0 ||
            lun__source_line_is_module(caller.short_src)) /* such as pcall(f, ...) */
            lun__source_line(L, 0, line, sizeof line);
        else
            write_line(&caller, line, sizeof line);
    }
    /* Without memory errors name no line; the call itself does not fail. */
    (void)lun_mark(h->engine, line);
}
