/* value_text.c - a value of Lua's as text, the same in every locale. */
#include <locale.h>
#include <string.h>

#include "bind/host/bind.h"

const char *lun__value_text(lua_State *L, int i)
{
    bool is_float = lua_type(L, i) == LUA_TNUMBER && !lua_isinteger(L, i);
    const char *text = luaL_tolstring(L, i, NULL);
    const char *point = localeconv()->decimal_point;
    if (!is_float || !*point || strcmp(point, ".") == 0)
        return text;
    text = luaL_gsub(L, text, point, ".");
    lua_remove(L, -2);
    return text;
}
