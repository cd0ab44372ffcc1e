/* field.h - sets fields of the table on top of the stack. */
#ifndef LUN_BIND_FIELD_H
#define LUN_BIND_FIELD_H

#include <lua.h>
#include <stdbool.h>

static inline void lun__field_set_integer(lua_State *L, const char *name, lua_Integer x)
{
    lua_pushinteger(L, x);
    lua_setfield(L, -2, name);
}

/* NULL: nil. */
static inline void lun__field_set_text(lua_State *L, const char *name, const char *text)
{
    lua_pushstring(L, text);
    lua_setfield(L, -2, name);
}

static inline void lun__field_set_bool(lua_State *L, const char *name, bool x)
{
    lua_pushboolean(L, x);
    lua_setfield(L, -2, name);
}

#endif
