/* record_calls.c - calls with records among their arguments, tables of
 * lua/lunarray/record/record.lua, or with blocked arrays, whose functions take over. */
#include <string.h>

#include "bind/host/bind.h"
#include "luafn/luafn.h"

/* The field of a metatable with record.lua's functions by their names. */
static const char offered[] = "__records";

/* Whether a blocked array or an offset view is at i. */
static bool is_handle(lua_State *L, int i)
{
    const lun__box *box = lua_touserdata(L, i);
    return box && lua_rawlen(L, i) >= LUN__HELD_BYTES &&
           (box->kind == LUN__BLOCKED || box->kind == LUN__OFFSET);
}

bool lun__record_is_at(lua_State *L, int i)
{
    if (lua_type(L, i) != LUA_TTABLE && !is_handle(L, i))
        return false;
    if (luaL_getmetafield(L, i, offered) == LUA_TNIL)
        return false;
    lua_pop(L, 1);
    return true;
}

int lun__record_among(lua_State *L, int first)
{
    for (int i = first, top = lua_gettop(L); i <= top; i++)
        if (lun__record_is_at(L, i))
            return i;
    return 0;
}

/* The index of the first records in a list; 0: there are none before an element that is no
 * object. */
static lua_Integer first_records(lua_State *L, int i)
{
    bool found = false, goes_on = lua_type(L, i) == LUA_TTABLE;
    lua_Integer k = 0;
    while (goes_on && !found) {
        const int type = lua_rawgeti(L, i, ++k);
        goes_on = type == LUA_TTABLE || type == LUA_TUSERDATA;
        found = lun__record_is_at(L, lua_gettop(L));
        lua_pop(L, 1);
    }
    return found ? k : 0;
}

bool lun__record_is_listed(lua_State *L, int i)
{
    return first_records(L, i) > 0;
}

/* Pushes the function of that name for the records, or the struct, at i. */
static void push_offer(lua_State *L, int i, const char *name)
{
    luaL_checkstack(L, LUA_MINSTACK, "too many arguments");
    luaL_getmetafield(L, i, offered);
    lua_getfield(L, -1, name);
    lua_remove(L, -2);
}

bool lun__record_is_blocked(lua_State *L, int i)
{
    const bool is = luaL_getmetafield(L, i, "__blocked") != LUA_TNIL;
    lua_pop(L, is);
    return is;
}

int lun__record_override_at(lua_State *L, const char *name)
{
    int first = 0; /* but what is divided over ranks knows records, not the other way round */
    for (int i = 1, top = lua_gettop(L); i <= top; i++)
        if (lun__record_is_at(L, i)) {
            push_offer(L, i, name);
            const bool found = !lua_isnil(L, -1);
            lua_pop(L, 1);
            if (found && lun__record_is_blocked(L, i))
                return i;
            first = found && !first ? i : first;
        }
    return first;
}

/* The error for argument number `argument`, of the records at i. */
static int refuse(lua_State *L, int i, int argument)
{
    push_offer(L, i, "refusal");
    lua_pushvalue(L, i);
    lua_call(L, 1, 1);
    return lun__blame_argument(L, argument, lua_tostring(L, -1));
}

int lun__record_call(lua_State *L, const char *name, int i)
{
    push_offer(L, i, name);
    if (lua_isnil(L, -1))
        return refuse(L, i, i);
    lua_insert(L, 1);
    lua_call(L, lua_gettop(L) - 1, LUA_MULTRET);
    return lua_gettop(L);
}

int lun__record_call_shape(lua_State *L, const char *name)
{
    for (int k = 1; lua_type(L, 1) == LUA_TTABLE && k <= LUN_MAX_RANK; k++) {
        lua_rawgeti(L, 1, k);
        int extent = lua_gettop(L);
        if (lun__record_is_at(L, extent)) {
            push_offer(L, extent, name);
            if (!lua_isnil(L, -1)) {
                lua_remove(L, extent);
                lua_insert(L, 1);
                lua_call(L, lua_gettop(L) - 1, LUA_MULTRET);
                return lua_gettop(L);
            }
        }
        lua_settop(L, extent - 1);
    }
    return -1;
}

/* Its address is the registry's key for the functions for records. */
static const char offers_key;

void lun__record_set_overrides(lua_State *L)
{
    lua_rawsetp(L, LUA_REGISTRYINDEX, &offers_key);
}

/* Pushes what the registry has of these functions; nil before there are any. */
static bool push_offers(lua_State *L)
{
    return lua_rawgetp(L, LUA_REGISTRYINDEX, &offers_key) == LUA_TTABLE;
}

/* Whether a C text is at i, or the path of one. */
static bool is_text(lua_State *L, int i)
{
    const char *text = lua_type(L, i) == LUA_TSTRING ? lua_tostring(L, i) : "";
    return *text == '/' || *text == '.' || strchr(text, '{');
}

bool lun__record_defer_text(lua_State *L, int i)
{
    const int top = lua_gettop(L);
    bool deferred = false;
    if (!is_text(L, i))
        return false;
    if (push_offers(L) && (lua_pushliteral(L, "stand_in"), lua_rawget(L, -2)) == LUA_TFUNCTION) {
        lua_pushvalue(L, i);
        lua_call(L, 1, 1);
        deferred = lua_isfunction(L, -1);
        if (deferred)
            lua_copy(L, -1, i);
    }
    lua_settop(L, top);
    return deferred;
}

bool lun__record_one_is_at(lua_State *L, int i)
{
    const int top = lua_gettop(L);
    bool is = false;
    if (lua_type(L, i) != LUA_TTABLE)
        return false;
    luaL_checkstack(L, LUA_MINSTACK, "too many arguments");
    if (push_offers(L) && lua_getfield(L, -1, "is_one") == LUA_TFUNCTION) {
        lua_pushvalue(L, i);
        lua_call(L, 1, 1);
        is = lua_toboolean(L, -1);
    }
    lua_settop(L, top);
    return is;
}

bool lun__record_one_among(lua_State *L, int first)
{
    bool found = false;
    for (int i = first, top = lua_gettop(L); !found && i <= top; i++)
        found = lun__record_one_is_at(L, i);
    return found;
}

int lun__record_call_text(lua_State *L, const char *name)
{
    luaL_checkstack(L, LUA_MINSTACK, "too many arguments");
    if (!push_offers(L))
        return luaL_error(L, "'%s' of a C function without its files", name);
    lua_getfield(L, -1, name);
    lua_insert(L, 1);
    lua_pop(L, 1);
    lua_call(L, lua_gettop(L) - 1, LUA_MULTRET);
    return lua_gettop(L);
}

int lun__record_gather(lua_State *L, int first)
{
    push_offer(L, lua_gettop(L), "gather");
    lua_insert(L, first);
    lua_insert(L, first + 1); /* the struct, in front of the fields */
    lua_call(L, lua_gettop(L) - first, 1);
    return 1;
}

int lun__record_too_wide(lua_State *L, int most)
{
    if (!luafn_compile_returned(L))
        return 0;
    push_offer(L, lua_gettop(L), "measured");
    lua_insert(L, -2);
    lua_call(L, 1, 2); /* the struct, and its elements */
    const int lanes = (int)lua_tointeger(L, -1), wide = lanes > most ? lanes : 0;
    lua_pop(L, wide ? 1 : 2);
    return wide;
}

int lun__record_in_groups(lua_State *L, lun__host *h, int most, bool kept,
                          lun__lua_variant_build *build, const void *data)
{
    const int record = lua_gettop(L) - 1, list = record + 1;
    push_offer(L, record, "groups");
    lua_insert(L, list);
    lua_pushvalue(L, record);
    lua_pushinteger(L, most);
    lua_pushinteger(L, kept ? most : 0);
    lua_call(L, 4, 1);
    push_offer(L, record, "of_lanes");
    lua_pushvalue(L, record);
    for (int k = 1; lua_rawgeti(L, list, k) == LUA_TFUNCTION; k++) {
        const int to = lua_gettop(L);
        const int results = build(L, h, to, data), from = lua_gettop(L) + 1 - results;
        for (int i = 0; i < results; i++)
            lua_copy(L, from + i, to + i);
        lua_settop(L, to - 1 + results);
        luaL_checkstack(L, LUN_MAX_OUTPUTS + LUA_MINSTACK, "too many results");
    }
    lua_pop(L, 1);
    lua_call(L, lua_gettop(L) - list - 1, 1);
    lua_replace(L, record);
    lua_settop(L, record);
    return 1;
}

int lun__record_call_list(lua_State *L, const char *name, int i)
{
    lua_rawgeti(L, i, first_records(L, i));
    push_offer(L, lua_gettop(L), name);
    if (lua_isnil(L, -1))
        return refuse(L, lua_gettop(L) - 1, i);
    lua_remove(L, -2);
    lua_insert(L, 1);
    lua_call(L, lua_gettop(L) - 1, LUA_MULTRET);
    return lua_gettop(L);
}
