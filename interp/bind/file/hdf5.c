/* hdf5.c - arrays in HDF5 files, for lua/lunarray/format/hdf5.lua: internal.hdf5_open, hdf5_create,
 * and methods of what these give: list, describe, read, write, close.
 *
 * Invariant: a file is open from its userdata's making to close or collection; NULL afterwards. */
#include <string.h>

#include "bind/host/bind.h"
#include "hdf5/h5_file.h"

#define TYPE "lunarray.hdf5"

static int collect(lua_State *L)
{
    lun_h5 **x = luaL_checkudata(L, 1, TYPE);
    lun_file_fault f;
    (void)lun__h5_file_close(*x, &f);
    *x = NULL;
    return 0;
}

static lun_h5 *check_file(lua_State *L)
{
    lun_h5 **x = luaL_checkudata(L, 1, TYPE);
    luaL_argcheck(L, *x, 1, "closed");
    return *x;
}

/* Nil, message, code; raises what is the engine's. */
static int push_fault(lua_State *L, lun__host *h, const lun_file_fault *f)
{
    if (f->status == LUN_ECANCEL || f->status == LUN_ELIMIT)
        return lun__error_raise_stop(L, f->status);
    if (f->status == LUN_ENOMEM)
        return luaL_error(L, "not enough memory");
    lun__error_check(L, h, f->status, 1);
    luaL_pushfail(L);
    lua_pushstring(L, f->text);
    lua_pushstring(L, f->code);
    return 3;
}

typedef lun_h5 *opener(lun_engine *e, const char *path, lun_file_fault *f);

static int push_file(lua_State *L, opener *how)
{
    lun__host *h = lun__host_here(L);
    const char *path = luaL_checkstring(L, 1);
    lun_file_fault f;
    lun_h5 **x = lua_newuserdatauv(L, sizeof *x, 0);
    *x = NULL;
    luaL_setmetatable(L, TYPE);
    *x = how(h->engine, path, &f);
    return *x ? 1 : push_fault(L, h, &f);
}

/* internal.hdf5_open(path): a file to read; or nil, message, code. */
static int open_file(lua_State *L)
{
    return push_file(L, lun__h5_file_open);
}

/* internal.hdf5_create(path): a file to write in the place of the one that is there; or nil,
 * message, code. */
static int create_file(lua_State *L)
{
    return push_file(L, lun__h5_file_create);
}

/* file:close(): true; or nil, message, code. */
static int close_file(lua_State *L)
{
    lun__host *h = lun__host_here(L);
    lun_h5 **x = luaL_checkudata(L, 1, TYPE), *open = *x;
    lun_file_fault f;
    *x = NULL;
    if (!lun__h5_file_close(open, &f))
        return push_fault(L, h, &f);
    lua_pushboolean(L, 1);
    return 1;
}

/* Pushes a description: dtype, or else what was refused, and whether it is numbers all the same;
 * shape; path. */
static void push_set(lua_State *L, const lun_h5_set *s)
{
    lua_createtable(L, 0, 4);
    lua_pushstring(L, s->path);
    lua_setfield(L, -2, "path");
    lua_pushstring(L, *s->refused ? s->refused : lun_dtype_name(s->dtype));
    lua_setfield(L, -2, *s->refused ? "refused" : "dtype");
    lua_pushboolean(L, s->is_number);
    lua_setfield(L, -2, "number");
    lua_createtable(L, s->rank, 0);
    for (int k = 0; k < s->rank; k++) {
        lua_pushinteger(L, s->shape[k]);
        lua_rawseti(L, -2, k + 1);
    }
    lua_setfield(L, -2, "shape");
}

/* Pushes the list of what there is; for lua_pcall. */
static int push_list(lua_State *L)
{
    const lun_h5_set *sets = lua_touserdata(L, 1);
    const int64_t count = lua_tointeger(L, 2);
    lua_createtable(L, count < INT_MAX ? (int)count : 0, 0);
    for (int64_t k = 0; k < count; k++) {
        push_set(L, &sets[k]);
        lua_rawseti(L, -2, k + 1);
    }
    return 1;
}

/* file:list(): descriptions of the datasets; or nil, message, code. */
static int list_sets(lua_State *L)
{
    lun__host *h = lun__host_here(L);
    lun_h5 *x = check_file(L);
    lun_h5_set *sets = NULL;
    int64_t count = 0;
    lun_file_fault f;
    int status = LUA_OK;
    luaL_checkstack(L, 4, NULL);
    lua_pushcfunction(L, push_list);
    const bool ok = lun__h5_file_list(x, &sets, &count, &f);
    if (ok) {
        lua_pushlightuserdata(L, sets);
        lua_pushinteger(L, count);
        status = lua_pcall(L, 2, 1, 0);
    }
    lun__h5_file_sets_free(sets, count);
    if (status != LUA_OK)
        return lua_error(L);
    return ok ? 1 : push_fault(L, h, &f);
}

/* file:describe(path): a description; or nil, message, code. */
static int describe_set(lua_State *L)
{
    lun__host *h = lun__host_here(L);
    lun_h5 *x = check_file(L);
    lun_h5_set set = {.path = NULL};
    lun_file_fault f;
    if (!lun__h5_file_describe(x, luaL_checkstring(L, 2), &set, &f))
        return push_fault(L, h, &f);
    push_set(L, &set);
    return 1;
}

/* The list of integers at i, one for each axis. */
static void check_extents(lua_State *L, int i, int rank, int64_t *out)
{
    luaL_checktype(L, i, LUA_TTABLE);
    for (int k = 0; k < rank; k++) {
        lua_rawgeti(L, i, k + 1);
        out[k] = luaL_checkinteger(L, -1);
        lua_pop(L, 1);
    }
}

/* The number of elements of a box; negative: too many for any memory. */
static int64_t box_size(int rank, const int64_t *count)
{
    int64_t n = 1;
    bool empty = false;
    for (int k = 0; k < rank; k++)
        empty = empty || count[k] == 0;
    for (int k = 0; k < rank && !empty; k++)
        if (__builtin_mul_overflow(n, count[k], &n))
            return -1;
    return empty ? 0 : n;
}

/* Reads a box into an array. */
static lun_status read_box(lun__host *h, lun_h5 *x, const char *path, const lun_h5_set *set,
                           const int64_t *first, const int64_t *count, lun_array **out,
                           lun_file_fault *f)
{
    const int64_t n = box_size(set->rank, count);
    lun_blank *blank;
    lun_array *flat;
    void *to;
    lun_status s =
        lun_blank_new(h->engine, n < 0 ? INT64_MAX : n, lun_dtype_size(set->dtype), &blank, &to);
    if (s != LUN_OK)
        return s;
    lun_host_event(h->engine, true, LUN_TOOL_DOOR, "hdf5 read", path);
    if (!lun__h5_elements_read(x, path, set, first, count, to, f))
        s = f->status;
    lun_host_event(h->engine, false, LUN_TOOL_DOOR, "hdf5 read", path);
    if (s == LUN_OK && !f->code)
        s = lun_blank_vector(h->engine, blank, set->dtype, &flat);
    else
        flat = NULL;
    if (!flat) {
        lun_blank_drop(h->engine, blank);
        return s;
    }
    s = lun_reshape(h->engine, flat, set->rank, count, out);
    lun_release(flat);
    return s;
}

/* file:read(path, first, count): the box of a dataset's elements, from 0, as an array; or nil,
 * message, code. */
static int read_set(lua_State *L)
{
    lun__host *h = lun__host_here(L);
    lun_h5 *x = check_file(L);
    const char *path = luaL_checkstring(L, 2);
    int64_t first[LUN_MAX_RANK], count[LUN_MAX_RANK];
    lun_h5_set set = {.path = NULL};
    lun_file_fault f;
    if (!lun__h5_file_describe(x, path, &set, &f))
        return push_fault(L, h, &f);
    luaL_argcheck(L, !*set.refused, 2, set.refused);
    check_extents(L, 3, set.rank, first);
    check_extents(L, 4, set.rank, count);
    for (int k = 0; k < set.rank; k++)
        luaL_argcheck(L,
                      first[k] >= 0 && count[k] >= 0 && first[k] <= set.shape[k] &&
                          count[k] <= set.shape[k] - first[k],
                      3, "beyond the shape, which has changed since the file was opened");
    lun_status s;
    lun_array **out = lun__lua_array_new(L, h);
    LUN__TRY(s, read_box(h, x, path, &set, first, count, out, &f));
    if (f.code || f.status != LUN_OK)
        return push_fault(L, h, &f);
    lun__error_check(L, h, s, 1);
    lun__host_report_memory(L, h);
    return 1;
}

/* file:write(path, a, level): makes a dataset of an array; level of deflate, or -1. True; or nil,
 * message, code. */
static int write_set(lua_State *L)
{
    lun__host *h = lun__host_here(L);
    lun_h5 *x = check_file(L);
    const char *path = luaL_checkstring(L, 2);
    lun_array *a = lun__lua_array_check(L, h, 3);
    lun_file_fault f;
    const int level = (int)luaL_checkinteger(L, 4);
    lun_host_event(h->engine, true, LUN_TOOL_DOOR, "hdf5 write", path);
    const bool done = lun__h5_elements_write(x, path, a, level, &f);
    lun_host_event(h->engine, false, LUN_TOOL_DOOR, "hdf5 write", path);
    if (!done)
        return push_fault(L, h, &f);
    lun__host_report_memory(L, h);
    lua_pushboolean(L, 1);
    return 1;
}

void lun__open_hdf5(lua_State *L, const lun__parts *p)
{
    static const luaL_Reg methods[] = {{"list", list_sets},   {"describe", describe_set},
                                       {"read", read_set},    {"write", write_set},
                                       {"close", close_file}, {NULL, NULL}};
    static const luaL_Reg internal[] = {
        {"hdf5_open", open_file}, {"hdf5_create", create_file}, {NULL, NULL}};
    luaL_newmetatable(L, TYPE);
    lua_createtable(L, 0, 5);
    lun__register(L, p, lua_gettop(L), methods);
    lua_setfield(L, -2, "__index");
    lua_pushcfunction(L, collect);
    lua_setfield(L, -2, "__gc");
    lua_pushcfunction(L, collect);
    lua_setfield(L, -2, "__close");
    lua_pop(L, 1);
    lun__register(L, p, p->internal, internal);
}
