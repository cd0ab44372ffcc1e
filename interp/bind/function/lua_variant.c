/* lua_variant.c - lun.variant: several texts of one function, of which the one for the platform in
 * use runs.  It is chosen when an operation is called; lua/lunarray/function/variant.lua checks
 * what it is made of.
 *
 * Invariant: the user value of a variant is a table from names of backends and "default" to
 * functions, which no script reaches. */
#include <string.h>

#include "bind/host/bind.h"

enum { TEXTS = 1 };

bool lun__lua_variant_is(lua_State *L, const lun__host *h, int i)
{
    return lua_type(L, i) == LUA_TUSERDATA &&
           lun__host_test(L, h, i, LUN__VARIANT, sizeof(lun__box));
}

/* The backend of a place: "opencl" of "opencl:2" and of "opencl:1.2". */
static size_t platform_length(const char *place)
{
    return strcspn(place, ":.");
}

/* The name of the text that runs: that of the one platform of the places in use, or "default".
 * Raises an error if there is none of it. */
static void push_name(lua_State *L, lun__host *h, int texts)
{
    const char *first = lun_place_name(h->engine, 0), *place;
    const size_t length = platform_length(first);
    bool one = true;
    for (int k = 1; (place = lun_place_name(h->engine, k)); k++)
        one = one && platform_length(place) == length && !strncmp(place, first, length);
    lua_pushlstring(L, first, length);
    lua_pushvalue(L, -1);
    if (one && lua_rawget(L, texts) != LUA_TNIL) {
        lua_pop(L, 1);
        return;
    }
    lua_pushliteral(L, "default");
    if (lua_rawget(L, texts) == LUA_TNIL && one)
        luaL_error(L, "the variant has no function for %s: give one, or a default",
                   lua_tostring(L, -3));
    else if (lua_isnil(L, -1))
        luaL_error(L, "the places in use are of several platforms: the variant needs a default");
    lua_settop(L, -4);
    lua_pushliteral(L, "default");
}

/* Pushes the text of that name, at the top, which it pops. */
static void push_text(lua_State *L, int texts)
{
    lua_rawget(L, texts);
}

void lun__lua_variant_settle(lua_State *L, lun__host *h, int i)
{
    if (!lun__lua_variant_is(L, h, i))
        return;
    lua_getiuservalue(L, i, TEXTS);
    push_name(L, h, lua_gettop(L));
    push_text(L, lua_gettop(L) - 1);
    lua_copy(L, -1, i);
    lua_pop(L, 2);
}

void lun__lua_variant_push(lua_State *L, int i)
{
    lua_getiuservalue(L, i, TEXTS);
}

/* ---- comparing ------------------------------------------------------------------------------- */

/* Pushes the dtypes of the arrays at first and above. */
static const char *push_dtypes(lua_State *L, lun__host *h, int first, int results)
{
    luaL_Buffer text;
    luaL_buffinit(L, &text);
    for (int k = 0; k < results; k++) {
        if (k)
            luaL_addstring(&text, ", ");
        luaL_addstring(&text,
                       lun__lua_array_is(L, h, first + k)
                           ? lun_dtype_name(lun_dtype_of(lun__lua_array_check(L, h, first + k)))
                           : luaL_typename(L, first + k));
    }
    luaL_pushresult(&text);
    return lua_tostring(L, -1);
}

typedef struct comparison {
    const char *call; /* the name of the call */
    int argument;     /* the variant's; 0: it is none */
    lun__lua_variant_build *build;
    const void *data;
    int texts, known; /* where they are: the table, the name chosen, and behind it its dtypes */
} comparison;

/* Raises unless the text of that name gives the dtypes of the known one. */
static void compare_one(lua_State *L, lun__host *h, const comparison *c, const char *name)
{
    const int top = lua_gettop(L);
    luaL_checkstack(L, 2 * LUN_MAX_OUTPUTS + LUA_MINSTACK, "too many results");
    lua_pushstring(L, name);
    if (!strcmp(name, lua_tostring(L, c->known)) || (push_text(L, c->texts), lua_isnil(L, -1))) {
        lua_settop(L, top);
        return;
    }
    const int results = c->build(L, h, lua_gettop(L), c->data);
    const char *dtypes = push_dtypes(L, h, lua_gettop(L) - results + 1, results);
    if (strcmp(dtypes, lua_tostring(L, c->known + 1)) != 0)
        luaL_error(L,
                   "bad argument%s to '%s' (all functions of a variant give the same dtype: that "
                   "for %s gives %s, that for %s %s)",
                   c->argument ? lua_pushfstring(L, " #%d", c->argument) : "", c->call,
                   lua_tostring(L, c->known), lua_tostring(L, c->known + 1), name, dtypes);
    lua_settop(L, top);
}

int lun__lua_variant_run(lua_State *L, lun__host *h, int i, const char *call, int argument,
                         lun__lua_variant_build *build, const void *data)
{
    const char *name;
    lua_getiuservalue(L, i, TEXTS);
    comparison c = {call, argument, build, data, lua_gettop(L), lua_gettop(L) + 1};
    push_name(L, h, c.texts);
    lua_pushnil(L); /* the dtypes */
    lua_pushvalue(L, c.known);
    push_text(L, c.texts);
    const int results = build(L, h, lua_gettop(L), data);
    const int top = lua_gettop(L);
    push_dtypes(L, h, top - results + 1, results);
    lua_replace(L, c.known + 1);
    for (int k = 0; (name = lun_backend_at(h->engine, k, NULL)); k++)
        compare_one(L, h, &c, name);
    compare_one(L, h, &c, "default");
    return results;
}

/* ---- for lua/lunarray/function/variant.lua --------------------------------------------------- */

/* internal.variant(texts): a variant, which keeps the table. */
static int new_variant(lua_State *L)
{
    lun__host *h = lun__host_here(L);
    luaL_checktype(L, 1, LUA_TTABLE);
    lun__host_new_box(L, h, LUN__VARIANT, sizeof(lun__box), 1);
    lua_pushvalue(L, 1);
    lua_setiuservalue(L, -2, TEXTS);
    return 1;
}

/* internal.variant_texts(v): the table of a variant, nothing of another value. */
static int variant_texts(lua_State *L)
{
    lun__host *h = lun__host_here(L);
    if (!lun__lua_variant_is(L, h, 1))
        return 0;
    lua_getiuservalue(L, 1, TEXTS);
    return 1;
}

/* internal.variant_chosen(v): its function for the places in use, and the name of that; another
 * value itself. */
static int variant_chosen(lua_State *L)
{
    lun__host *h = lun__host_here(L);
    lua_settop(L, 1);
    if (!lun__lua_variant_is(L, h, 1))
        return 1;
    lua_getiuservalue(L, 1, TEXTS);
    push_name(L, h, 2);
    lua_pushvalue(L, -1);
    push_text(L, 2);
    lua_insert(L, -2);
    return 2;
}

void lun__open_variant(lua_State *L, const lun__parts *p)
{
    static const luaL_Reg internal[] = {{"variant", new_variant},
                                        {"variant_texts", variant_texts},
                                        {"variant_chosen", variant_chosen},
                                        {NULL, NULL}};
    lun__host_new_type(L, p->host_at, LUN__VARIANT, "lunarray.variant");
    lua_setfield(L, p->internal, "variant_type");
    lun__register(L, p, p->internal, internal);
}
