/* lua_package.c - lun.pack and lun.unpack: skeletons as strings and back. */
#include <string.h>

#include "bind/function/lua_skeleton.h"
#include "luafn/luafn.h"

/* ---- packing --------------------------------------------------------------------------------- */

/* k as the engine packs it. */
static lun_skeleton_use use_of(lua_State *L, const lun__skeleton *k)
{
    if (k->kind > LUN_SKELETON_SCAN)
        lun__blame_argument(
            L, 1, lua_pushfstring(L, "a map, zip, reduce or scan expected, got a %s", k->name));
    lun_skeleton_use u = lun__lua_skeleton_use(k);
    u.outs = k->outs;
    for (int i = 0; i < k->axes.count; i++)
        u.axis[i] = (int)(k->axes.named[i] > 0 ? k->axes.named[i] - 1 : k->axes.named[i]);
    for (int i = 0; i < LUN_MAX_OUTPUTS; i++)
        u.out[i] = (lun_dtype)k->out[i];
    return u;
}

static void wrong_dtypes(lua_State *L, int i)
{
    lun__blame_argument(
        L, 2,
        lua_pushfstring(L,
                        "option dtypes: a list of dtypes expected, or of lists of one for each "
                        "array; got %s",
                        lun__error_push_shown(L, i)));
}

/* The dtype whose name is at i. */
static lun_dtype dtype_at(lua_State *L, int i)
{
    lun_dtype t = LUN_BOOL;
    if (lua_type(L, i) != LUA_TSTRING || !lun_dtype_find(lua_tostring(L, i), &t))
        wrong_dtypes(L, i);
    return t;
}

/* The variant at the top, a dtype or a list, into one dtype for each array. */
static void one_variant(lua_State *L, const lun__skeleton *k, lun_dtype *out)
{
    const int at = lua_gettop(L);
    const bool list = lua_istable(L, at);
    if (list && lua_rawlen(L, at) != (lua_Unsigned)k->leaves)
        lun__blame_argument(L, 2,
                            lua_pushfstring(L,
                                            "option dtypes: a list of %d dtypes expected, got %I",
                                            k->leaves, (lua_Integer)lua_rawlen(L, at)));
    for (int i = 0; i < k->leaves; i++) {
        if (list)
            lua_rawgeti(L, at, i + 1);
        out[i] = dtype_at(L, list ? -1 : at);
        lua_settop(L, at);
    }
}

/* The option dtypes of the table at 2, f64 by default; how many variants. */
static int read_dtypes(lua_State *L, const lun__skeleton *k, lun_dtype *out, int room)
{
    for (int i = 0; i < k->leaves; i++)
        out[i] = LUN_F64;
    if (lua_isnoneornil(L, 2))
        return 1;
    luaL_checktype(L, 2, LUA_TTABLE);
    for (lua_pushnil(L); lua_next(L, 2); lua_pop(L, 1))
        (void)lun__lua_along_option(L, 2, "dtypes={\"f64\"}");
    lua_getfield(L, 2, "dtypes");
    if (lua_isnil(L, -1))
        return 1;
    if (!lua_istable(L, -1) || !lua_rawlen(L, -1))
        wrong_dtypes(L, -1);
    const int list = lua_gettop(L), variants = (int)lua_rawlen(L, list);
    if (variants > room)
        lun__blame_argument(
            L, 2, lua_pushfstring(L, "option dtypes: at most %d expected, got %d", room, variants));
    for (int v = 0; v < variants; v++) {
        lua_rawgeti(L, list, v + 1);
        one_variant(L, k, out + (ptrdiff_t)v * k->leaves);
        lua_pop(L, 1);
    }
    return variants;
}

/* Stack: a light userdata, the text's bytes and length. */
typedef struct text {
    void *bytes;
    size_t length;
} text;

static int push_text(lua_State *L)
{
    const text *t = lua_touserdata(L, 1);
    lua_pushlstring(L, t->bytes, t->length);
    return 1;
}

/* lun.pack(skeleton, {dtypes = }) */
static int pack(lua_State *L)
{
    enum { VARIANTS = 16 };
    lun__host *h = lun__host_here(L);
    lun_dtype dtypes[VARIANTS * LUN_MOST_VALUES];
    text t = {NULL, 0};
    lua_settop(L, 2);
    const lun__skeleton *k = lun__lua_skeleton_check(L, h, 1);
    const lun_skeleton_use u = use_of(L, k);
    if (k->leaves > LUN_MOST_VALUES)
        lun__blame_argument(L, 1,
                            lua_pushfstring(L, "a skeleton of at most %d arrays expected, got %d",
                                            LUN_MOST_VALUES, k->leaves));
    const int variants = read_dtypes(L, k, dtypes, VARIANTS);
    lun_status s;
    if (luafn_compile_returned(L))
        lua_pop(L, 1);
    (void)luafn_compile_pairs(L);
    lun__source_line_mark(L, h);
    LUN__TRY(s, lun_pack(h->engine, &u, dtypes, variants, &t.bytes, &t.length));
    lun__error_check(L, h, s, 1);
    const bool records = luafn_compile_returned(L);
    const bool plain = !records && !luafn_compile_pairs(L);
    lua_settop(L, 0);
    lua_pushcfunction(L, push_text);
    lua_pushlightuserdata(L, &t);
    const int status = plain ? lua_pcall(L, 1, 1, 0) : LUA_OK;
    lun_bytes_free(h->engine, t.bytes);
    if (!plain)
        lun__blame_argument(L, 1,
                            "a function that returns records or complex numbers: these are "
                            "not packed");
    return status == LUA_OK ? 1 : lua_error(L);
}

/* ---- unpacking ------------------------------------------------------------------------------- */

/* Fills k with what the package has, and pushes what keeps it alive: the function and the first
 * values. */
static void fill(lua_State *L, lun__host *h, lun__skeleton *k, const lun_skeleton_use *u)
{
    k->name = lun__lua_skeleton_row(k->kind).name;
    k->leaves = u->elements;
    k->axes = (lun__axes){.options = {.size = sizeof k->axes.options, .keep = u->keep},
                          .count = u->axes,
                          .inclusive = u->inclusive};
    for (int i = 0; i < u->axes; i++)
        k->axes.named[i] = u->axis[i] < 0 ? u->axis[i] : u->axis[i] + 1;
    k->outs = u->outs;
    for (int i = 0; i < LUN_MAX_OUTPUTS; i++)
        k->out[i] = (signed char)u->out[i];
    lun_function **f = &lun__host_new_held(L, h, LUN__FUNCTION)->as.function;
    lun_function_retain(u->f);
    k->f = *f = u->f;
    lua_createtable(L, u->elements, 0);
    for (int i = 0; i < u->elements; i++) {
        if (!u->id[i])
            continue;
        lun_array **id = lun__lua_array_new(L, h);
        lun_retain(u->id[i]);
        *id = u->id[i];
        lua_rawseti(L, -2, i + 1);
        if (u->elements > 1)
            k->ids[i] = u->id[i];
        else
            k->id = u->id[i];
    }
}

/* Stack: the host's pointer, the package's; returns the skeleton. */
static int push_skeleton(lua_State *L)
{
    lun__host *h = lua_touserdata(L, 1);
    lun_skeleton_use u = {.size = sizeof u};
    lun_package_describe(lua_touserdata(L, 2), &u);
    lun__skeleton *k = lun__lua_skeleton_new(L, h, (int)u.kind);
    const int at = lua_gettop(L);
    fill(L, h, k, &u);
    lua_setiuservalue(L, at, LUN__USE_ID);
    lua_setiuservalue(L, at, LUN__USE_FUNCTION);
    return 1;
}

/* lun.unpack(bytes) */
static int unpack(lua_State *L)
{
    lun__host *h = lun__host_here(L);
    size_t length;
    lun_package *p = NULL;
    lun_status s;
    if (lua_type(L, 1) != LUA_TSTRING)
        lun__error_bad_type(L, 1, "string of lun.pack");
    const char *bytes = lua_tolstring(L, 1, &length);
    LUN__TRY(s, lun_unpack(h->engine, bytes, length, &p));
    lun__error_check(L, h, s, 1);
    lua_settop(L, 1);
    lua_pushvalue(L, lua_upvalueindex(1));
    lua_pushcclosure(L, push_skeleton, 1);
    lua_pushlightuserdata(L, h);
    lua_pushlightuserdata(L, p);
    const int status = lua_pcall(L, 2, 1, 0);
    lun_package_release(p);
    return status == LUA_OK ? 1 : lua_error(L);
}

void lun__open_package(lua_State *L, const lun__parts *p)
{
    static const lun__entry entries[] = {{"pack", pack, 2}, {"unpack", unpack, 1}, {NULL, NULL, 0}};
    lun__register_offer(L, p, p->core, entries);
}
