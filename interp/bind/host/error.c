/* error.c - a status becomes a Lua error: a caller's mistake "bad argument #2 to 'zip' (...)", a
 * fault in a kernel an error object with code, message and where. A function that raises holds
 * nothing that Lua does not own. */
#include <stdio.h>
#include <string.h>

#include "bind/host/bind.h"
#include "bind/host/field.h"

/* True for failures that other arguments avoid. */
static bool is_mistake(lun_status s)
{
    switch (s) {
    case LUN_EARG:
    case LUN_EDTYPE:
    case LUN_ESHAPE:
    case LUN_ERANGE:
        return true;
    default:
        return false;
    }
}

bool lun__error_again(lua_State *L, lun__host *h, lun_status s, int *tries)
{
    int64_t wanted = lun_thrifty(h->engine, false);
    if (wanted && *tries < LUN__COLLECTIONS) {
        lun__host_collect_for(L, h, wanted, ++*tries > 1);
        return true;
    }
    bool short_of_memory =
        s == LUN_ENOMEM || (s == LUN_ELIMIT && strstr(lun_error_from(h->engine, 1), "memory"));
    if (!short_of_memory || *tries > LUN__COLLECTIONS)
        return false;
    *tries = LUN__COLLECTIONS + 1;
    lun__host_collect(L, h);
    return true;
}

/* ---- a bad argument -------------------------------------------------------------------------- */

const char *lun__error_class_name(const lun_array *a)
{
    static const char *const names[] = {"Vector", "View", "Scalar", "Composition"};
    return names[lun_class_of(a)];
}

const char *lun__error_push_kind(lua_State *L, lun__host *h, int i)
{
    const lun__held *held = lun__host_array_at(L, h, i);
    if (!held && luaL_getmetafield(L, i, "__name") == LUA_TSTRING)
        return lua_tostring(L, -1);
    if (!held || !held->as.array || lun_is_freed(held->as.array))
        return lua_pushstring(L, held ? "a freed Vector" : luaL_typename(L, i));
    const lun_array *a = held->as.array;
    int64_t shape[LUN_MAX_RANK];
    int rank = lun_shape(a, shape);
    luaL_Buffer text;
    luaL_buffinit(L, &text);
    const char *label = lun_label(a);
    lua_pushfstring(L, "a %s ", lun__error_class_name(a));
    luaL_addvalue(&text);
    if (label)
        lua_pushfstring(L, "'%s' %s", label, lun_dtype_name(lun_dtype_of(a)));
    else
        lua_pushstring(L, lun_dtype_name(lun_dtype_of(a)));
    luaL_addvalue(&text);
    for (int d = 0; d < rank; d++) {
        lua_pushfstring(L, "%s%I", d ? ", " : "[", (lua_Integer)shape[d]);
        luaL_addvalue(&text);
    }
    luaL_addstring(&text, rank ? "]" : "");
    luaL_pushresult(&text);
    return lua_tostring(L, -1);
}

const char *lun__error_push_shown(lua_State *L, int i)
{
    lun__host *h = lun__host_here(L);
    return lun__host_array_at(L, h, i) ? lun__error_push_kind(L, h, i) : lun__value_text(L, i);
}

int lun__error_bad_type(lua_State *L, int arg, const char *expected)
{
    const char *got =
        lua_isnone(L, arg) ? "no value" : lun__error_push_kind(L, lun__host_here(L), arg);
    return lun__blame_argument(L, arg, lua_pushfstring(L, "%s expected, got %s", expected, got));
}

/* ---- a failure of the engine ----------------------------------------------------------------- */

/* Pushes the engine's text before anything else: Lua may run finalisers, which overwrite it. */
static const char *push_message(lua_State *L, const lun__host *h)
{
    return lua_pushstring(L, lun_error_from(h->engine, 1));
}

/* Pushes an error object; its source line is that of the expression, else the script's current one.
 * The host's userdata is at host_at. */
static void push_fault(lua_State *L, const lun__host *h, lun_status s, int host_at, int level)
{
    char where[LUN__SOURCE_LINE];
    snprintf(where, sizeof where, "%s", lun_error_where(h->engine));
    push_message(L, h);
    if (!where[0])
        lun__source_line(L, level, where, sizeof where);
    lua_createtable(L, 0, 3);
    lua_insert(L, -2);
    lua_setfield(L, -2, "message");
    lun__field_set_text(L, "code", lun_status_name(s));
    lun__field_set_text(L, "where", where);
    lua_getiuservalue(L, host_at, LUN__ERROR);
    lua_setmetatable(L, -2);
}

static int raise_fault(lua_State *L, const lun__host *h, lun_status s, int host_at, int level)
{
    push_fault(L, h, s, host_at, level);
    return lua_error(L);
}

int lun__error_raise_as(lua_State *L, lun__host *h, lun_status s, int arg, const char *name)
{
    if (s == LUN_EFREED)
        return luaL_error(L, "attempt to use a freed Vector");
    if (!is_mistake(s) || lun_error_operand(h->engine) < 0)
        return raise_fault(L, h, s, lua_upvalueindex(1), 1);
    const char *message = push_message(L, h);
    if (!name)
        return lun__blame_argument(L, arg, message);
    return luaL_error(L, "bad argument #%d to '%s' (%s)", arg, name, message);
}

int lun__error_raise(lua_State *L, lun__host *h, lun_status s, int arg)
{
    return lun__error_raise_as(L, h, s, arg, NULL);
}

int lun__error_raise_fault(lua_State *L, lun__host *h, lun_status s)
{
    return raise_fault(L, h, s, lua_upvalueindex(1), 0);
}

void lun__error_push_stop(lua_State *L, lun_status s)
{
    char text[256];
    const lun__host *h = lun__host_open(L);
    snprintf(text, sizeof text, "%s", lun_error_from(h->engine, 1));
    (void)lun_fail(h->engine, s, text); /* without the source line of an expression */
    push_fault(L, h, s, lua_gettop(L), 0);
}

int lun__error_raise_stop(lua_State *L, lun_status s)
{
    lun__error_push_stop(L, s);
    return lua_error(L);
}

void lun__error_check(lua_State *L, lun__host *h, lun_status s, int arg)
{
    if (s != LUN_OK)
        lun__error_raise_as(L, h, s, arg, NULL);
}

bool lun__error_is_fault(lua_State *L, int i)
{
    if (!lua_istable(L, i) || !lua_getmetatable(L, i))
        return false;
    lun__host_open(L);
    lua_getiuservalue(L, -1, LUN__ERROR);
    const bool is = lua_rawequal(L, -1, -3);
    lua_pop(L, 3);
    return is;
}

/* tostring of an error object: "where: message". */
static int error_text(lua_State *L)
{
    luaL_checktype(L, 1, LUA_TTABLE);
    lua_getfield(L, 1, "where");
    lua_getfield(L, 1, "message");
    const char *where = lua_tostring(L, -2);
    const char *message = luaL_tolstring(L, -1, NULL);
    if (where && *where)
        lua_pushfstring(L, "%s: %s", where, message);
    return 1;
}

/* "failed: " .. err is how scripts report errors that usually are strings. */
static int error_concat(lua_State *L)
{
    luaL_tolstring(L, 1, NULL);
    luaL_tolstring(L, 2, NULL);
    lua_concat(L, 2);
    return 1;
}

void lun__error_open(lua_State *L)
{
    lua_pushcfunction(L, error_text);
    lua_setfield(L, -2, "__tostring");
    lua_pushcfunction(L, error_concat);
    lua_setfield(L, -2, "__concat");
}
