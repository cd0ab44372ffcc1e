/* globals.c - the C interface to globals of an engine's own Lua state: scopes chosen, globals set
 * and read, a script's functions called; the same by paths of names, for scopes.c. */
#include <stdio.h>
#include <string.h>

#include "state/embed.h"
#include "state/globals.h"
#include "state/records.h"
#include "state/scope.h"
#include "state/variant.h"

static lun_status missing(lun_engine *e, const char *what)
{
    char text[80];
    snprintf(text, sizeof text, "%s is missing (NULL)", what);
    return lun_fail(e, LUN_EARG, text);
}

#define NO_PLACE "the pointer for the result"
#define VALUES   "nil, a boolean, a number, a text, an array or a table of columns"

/* Records that the value on the top is not of the type asked for; what: "global 'x'". */
static int refuse(lua_State *L, lun__job *j, const char *what, const char *expected)
{
    char kind[LUN__KIND_TEXT];
    lun__variant_kind(L, -1, kind);
    const char *text = lua_pushfstring(L, "%s '%s' is %s, not %s", what, j->text, kind, expected);
    j->status = lun_fail(j->engine, LUN_EARG, text);
    return 0;
}

/* ---- paths ----------------------------------------------------------------------------------- */

/* Pushes the table that the last name of a job's path is in, and that name; the tables before it
 * are made if `make` is set. False: one of them is no table, and the failure is recorded. */
static bool push_place(lua_State *L, lun__job *j, bool make)
{
    const char *at = j->text;
    lua_pushglobaltable(L);
    for (const char *dot; j->path && (dot = strchr(at, '.')); at = dot + 1) {
        lua_pushlstring(L, at, (size_t)(dot - at));
        lua_pushvalue(L, -1);
        int type = lua_gettable(L, -3);
        if (type == LUA_TNIL && make) {
            lua_pop(L, 1);
            lua_newtable(L);
            lua_pushvalue(L, -2);
            lua_pushvalue(L, -2);
            lua_settable(L, -5);
            type = LUA_TTABLE;
        }
        if (type != LUA_TTABLE) {
            char kind[LUN__KIND_TEXT];
            lun__variant_kind(L, -1, kind);
            lua_pushlstring(L, j->text, (size_t)(dot - j->text));
            const char *text =
                lua_pushfstring(L, "'%s' is %s, not a table", lua_tostring(L, -1), kind);
            j->status = lun_fail(j->engine, LUN_EARG, text);
            return false;
        }
        lua_replace(L, -3);
        lua_pop(L, 1);
    }
    lua_pushstring(L, at);
    return true;
}

bool lun__globals_push(lua_State *L, lun__job *j)
{
    if (j->held) {
        lun__scope_held(L, j->scope, j->held);
        return true;
    }
    if (!push_place(L, j, false))
        return false;
    lua_gettable(L, -2);
    lua_remove(L, -2);
    return true;
}

bool lun__globals_set(lua_State *L, lun__job *j)
{
    if (!push_place(L, j, true))
        return false;
    lua_pushvalue(L, -3);
    lua_settable(L, -3);
    return true;
}

/* ---- arrays ---------------------------------------------------------------------------------- */

static int set_array(lua_State *L)
{
    const lun__job *j = lua_touserdata(L, 1);
    lun__variant_push(L, lun__host_here(L),
                      &(lun_variant){.type = LUN_TYPE_ARRAY, .as.array = j->array});
    lua_setglobal(L, j->text);
    return 0;
}

static int set_global(lua_State *L)
{
    return lun__embed_with_host(L, set_array);
}

static int get_array(lua_State *L)
{
    lun__job *j = lua_touserdata(L, 1);
    lun__host *h = lun__host_here(L);
    bool own;
    lua_getglobal(L, j->text);
    (void)lun__records_replace(L, h, lua_gettop(L));
    if (!lun__lua_array_is(L, h, -1))
        return refuse(L, j, "global", "an array");
    (void)lun__lua_array_load(L, h, -1, &j->array, &own);
    lun_retain(j->array);
    return 0;
}

static int get_global(lua_State *L)
{
    return lun__embed_with_host(L, get_array);
}

lun_status lun_setglobal(lun_engine *e, const char *name, lun_array *a)
{
    if (e && !a)
        return missing(e, "an array");
    if (e && lun_engine_of(a) != e)
        return lun_fail(e, LUN_EARG, "the array belongs to another engine");
    return lun__embed_run(e, set_global, &(lun__job){.text = name, .array = a});
}

lun_status lun_getglobal(lun_engine *e, const char *name, lun_array **out)
{
    lun__job j = {.text = name};
    if (e && !out)
        return missing(e, NO_PLACE);
    lun_status s = lun__embed_run(e, get_global, &j);
    if (s == LUN_OK)
        *out = j.array;
    return s;
}

/* ---- numbers --------------------------------------------------------------------------------- */

static int set_number(lua_State *L)
{
    const lun__job *j = lua_touserdata(L, 1);
    lua_pushnumber(L, j->number);
    lua_setglobal(L, j->text);
    return 0;
}

/* An array of one element is its value. */
static int get_value(lua_State *L)
{
    lun__job *j = lua_touserdata(L, 1);
    lun__host *h = lun__host_here(L);
    lua_getglobal(L, j->text);
    const lun_array *a =
        lun__lua_array_is(L, h, -1) ? lun__lua_array_check(L, h, lua_gettop(L)) : NULL;
    if (a && lun_size(a) == 1) {
        lun__lua_value_push(L, lun__lua_array_value(L, h, lua_gettop(L)));
        lua_remove(L, -2);
    }
    if (lua_type(L, -1) != LUA_TNUMBER)
        return refuse(L, j, "global", "a number");
    j->number = lua_tonumber(L, -1);
    return 0;
}

static int get_number(lua_State *L)
{
    return lun__embed_with_host(L, get_value);
}

lun_status lun_setnumber(lun_engine *e, const char *name, double x)
{
    return lun__embed_run(e, set_number, &(lun__job){.text = name, .number = x});
}

lun_status lun_getnumber(lun_engine *e, const char *name, double *out)
{
    lun__job j = {.text = name};
    if (e && !out)
        return missing(e, NO_PLACE);
    lun_status s = lun__embed_run(e, get_number, &j);
    if (s == LUN_OK)
        *out = j.number;
    return s;
}

/* ---- texts ----------------------------------------------------------------------------------- */

static int set_text(lua_State *L)
{
    const lun__job *j = lua_touserdata(L, 1);
    lua_pushstring(L, j->found);
    lua_setglobal(L, j->text);
    return 0;
}

static int get_text(lua_State *L)
{
    lun__job *j = lua_touserdata(L, 1);
    if (lua_getglobal(L, j->text) != LUA_TSTRING)
        return refuse(L, j, "global", "a text");
    j->found = lua_tolstring(L, -1, &j->length);
    lun__variant_keep(L, -1);
    return 0;
}

lun_status lun_settext(lun_engine *e, const char *name, const char *text)
{
    if (e && !text)
        return missing(e, "a text");
    return lun__embed_run(e, set_text, &(lun__job){.text = name, .found = text});
}

lun_status lun_gettext(lun_engine *e, const char *name, const char **out, size_t *length)
{
    lun__job j = {.text = name};
    if (e && !out)
        return missing(e, NO_PLACE);
    lun_status s = lun__embed_run(e, get_text, &j);
    if (s != LUN_OK)
        return s;
    *out = j.found;
    if (length)
        *length = j.length;
    return s;
}

/* ---- calls ----------------------------------------------------------------------------------- */

/* The results, on the stack from `first` on, with a reference to each array; all or none. */
static int take_results(lua_State *L, lun__host *h, lun__job *j, int first)
{
    int room = j->given < j->room ? j->given : j->room;
    for (int i = 0; i < room; i++)
        if (!lun__variant_of(L, h, first + i, &j->results[i])) {
            char what[64];
            snprintf(what, sizeof what, "result %d of function", i);
            lua_settop(L, first + i);
            return refuse(L, j, what, VALUES);
        }
    lua_newtable(L); /* keeps the texts of the results alive */
    for (int i = 0; i < room; i++)
        if (j->results[i].type == LUN_TYPE_TEXT) {
            lua_pushvalue(L, first + i);
            lua_rawseti(L, -2, i + 1);
        }
    lun__variant_keep(L, -1);
    for (int i = 0; i < room; i++)
        lun__variant_retain(&j->results[i]);
    for (int i = room; i < j->room; i++)
        j->results[i] = (lun_variant){.type = LUN_TYPE_NIL};
    return 0;
}

static int call_function(lua_State *L)
{
    lun__job *j = lua_touserdata(L, 1);
    lun__host *h = lun__host_here(L);
    int first = lua_gettop(L) + 1;
    if (!lun__globals_push(L, j))
        return 0;
    if (lua_type(L, first) != LUA_TFUNCTION && luaL_getmetafield(L, first, "__call") == LUA_TNIL)
        return refuse(L, j, j->held ? "the value of" : "global", "a function");
    lua_settop(L, first);
    luaL_checkstack(L, j->count + 8, "too many arguments");
    for (int i = 0; i < j->count; i++)
        lun__variant_push(L, h, &j->args[i]);
    lua_call(L, j->count, LUA_MULTRET);
    j->given = lua_gettop(L) - first + 1;
    luaL_checkstack(L, 8, "too many results");
    return take_results(L, h, j, first);
}

int lun__globals_call(lua_State *L)
{
    return lun__embed_with_host(L, call_function);
}

lun_status lun__globals_check(lun_engine *e, const lun__job *j)
{
    if (j->count < 0 || j->room < 0 || (j->count && !j->args) || (j->room && !j->results))
        return lun_fail(e, LUN_EARG,
                        "arguments or results are missing (NULL), or their number is negative");
    for (int i = 0; i < j->count; i++) {
        lun_status s = lun__variant_check(e, &j->args[i], "argument", i);
        if (s != LUN_OK)
            return s;
    }
    return LUN_OK;
}

lun_status lun_callglobal(lun_engine *e, const char *name, const lun_variant *args, int count,
                          lun_variant *results, int room, int *given)
{
    lun__job j = {.text = name, .args = args, .count = count, .results = results, .room = room};
    lun_status s = e ? lun__globals_check(e, &j) : LUN_OK;
    if (s == LUN_OK)
        s = lun__embed_run(e, lun__globals_call, &j);
    if (s == LUN_OK && given)
        *given = j.given;
    return s;
}

/* ---- values ---------------------------------------------------------------------------------- */

static int set_value(lua_State *L)
{
    lun__job *j = lua_touserdata(L, 1);
    lun__variant_push(L, lun__host_here(L), j->args);
    lun__globals_set(L, j);
    return 0;
}

/* The value on the top is the job's one result. */
static int get_any(lua_State *L)
{
    lun__job *j = lua_touserdata(L, 1);
    const int first = lua_gettop(L) + 1;
    if (!lun__globals_push(L, j))
        return 0;
    if (!lun__variant_of(L, lun__host_here(L), first, j->results))
        return refuse(L, j, "global", VALUES);
    if (j->results->type == LUN_TYPE_TEXT)
        lun__variant_keep(L, first);
    lun__variant_retain(j->results);
    return 0;
}

int lun__globals_set_value(lua_State *L)
{
    return lun__embed_with_host(L, set_value);
}

int lun__globals_get_value(lua_State *L)
{
    return lun__embed_with_host(L, get_any);
}

/* ---- scopes ---------------------------------------------------------------------------------- */

static int choose(lua_State *L)
{
    const lun__job *j = lua_touserdata(L, 1);
    lun__scope_choose(L, j->text);
    return 0;
}

static int end(lua_State *L)
{
    lun__job *j = lua_touserdata(L, 1);
    if (!lun__scope_drop(L, j->text)) {
        const char *text = lua_pushfstring(L, "no scope '%s' was made by lun_scope", j->text);
        j->status = lun_fail(j->engine, LUN_EARG, text);
    }
    return 0;
}

/* Collects the globals of a dropped scope, which was in use until `end` returned. */
static int collect(lua_State *L)
{
    lun__host_collect(L, lun__host_of(L));
    return 0;
}

lun_status lun_scope(lun_engine *e, const char *name)
{
    return lun__embed_run(e, choose, &(lun__job){.text = name ? name : ""});
}

lun_status lun_scope_end(lun_engine *e, const char *name)
{
    lun_status s = lun__embed_run(e, end, &(lun__job){.text = name});
    return s == LUN_OK ? lun__embed_run(e, collect, &(lun__job){.text = name}) : s;
}
