/* load_save.c - lun_load and lun_save: lun.load and lun.save of the module, called from C. */
#include <string.h>

#include "state/embed.h"
#include "state/modules.h"
#include "state/variant.h"

/* Pushes a function of the module, not of a script's copy. */
static void push_function(lua_State *L, const char *name)
{
    lun__module_push(L, "lunarray");
    lua_getfield(L, -1, name);
}

/* The module's failure, at i: nil, a message. */
static int fail(lua_State *L, lun__job *j, int i)
{
    const char *text = luaL_tolstring(L, i + 1, NULL);
    j->status = lun_fail(j->engine, LUN_EIO, text);
    return 0;
}

static int load_array(lua_State *L)
{
    lun__job *j = lua_touserdata(L, 1);
    lun__host *h = lun__host_here(L);
    push_function(L, "load");
    lua_pushstring(L, j->text);
    lua_call(L, 1, 2);
    int at = lua_gettop(L) - 1;
    if (lua_isnil(L, at))
        return fail(L, j, at);
    if (!lun__lua_array_is(L, h, at)) {
        const char *text = lua_pushfstring(
            L, "%s contains several columns, not one array: load it from a script", j->text);
        j->status = lun_fail(j->engine, LUN_EARG, text);
        return 0;
    }
    j->array = *lun__lua_array_slot(L, h, at);
    lun_retain(j->array);
    return 0;
}

static int save_array(lua_State *L)
{
    lun__job *j = lua_touserdata(L, 1);
    push_function(L, "save");
    lua_pushstring(L, j->text);
    lun__variant_push(L, lun__host_here(L),
                      &(lun_variant){.type = LUN_TYPE_ARRAY, .as.array = j->array});
    lua_call(L, 2, 2);
    int at = lua_gettop(L) - 1;
    return lua_toboolean(L, at) ? 0 : fail(L, j, at);
}

static int load_protected(lua_State *L)
{
    return lun__embed_with_host(L, load_array);
}

static int save_protected(lua_State *L)
{
    return lun__embed_with_host(L, save_array);
}

/* Errors that the module raises are mistakes of the caller, reported without Lua's traceback. */
static lun_status run(lun_engine *e, lua_CFunction f, lun__job *j)
{
    char text[512];
    lun_status s = lun__embed_run(e, f, j);
    if (s != LUN_ESCRIPT)
        return s;
    size_t length = strcspn(lun_error(e), "\n");
    length = length < sizeof text ? length : sizeof text - 1;
    memcpy(text, lun_error(e), length);
    text[length] = 0;
    return lun_fail(e, LUN_EARG, text);
}

lun_status lun_load(lun_engine *e, const char *path, lun_array **out)
{
    lun__job j = {.text = path};
    if (e && !out)
        return lun_fail(e, LUN_EARG, "the pointer for the result is missing (NULL)");
    lun_status s = run(e, load_protected, &j);
    if (s == LUN_OK)
        *out = j.array;
    return s;
}

lun_status lun_save(lun_engine *e, const char *path, lun_array *a)
{
    const lun_variant v = {.type = LUN_TYPE_ARRAY, .as.array = a};
    lun_status s = e ? lun__variant_check(e, &v, "argument", 2) : LUN_EARG;
    return s == LUN_OK ? run(e, save_protected, &(lun__job){.text = path, .array = a}) : s;
}
