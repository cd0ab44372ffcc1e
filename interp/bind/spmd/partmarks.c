/* partmarks.c - what lua/lunarray/loop/loopread.lua needs of elements that loops read at computed
 * indices: which they are, what that hangs on, and these found and kept. Knows no transport. */
#include <stdlib.h>

#include "bind/function/lua_skeleton.h"
#include "bind/spmd/partloop.h"

/* internal.snapshot(array): a handle on the elements that it has now, or nil. */
static int snapshot(lua_State *L)
{
    lun__host *h = lun__host_here(L);
    lun_array **out = lun__lua_array_new(L, h), *made;
    lun_status s;
    LUN__TRY(s, lun_snapshot(h->engine, lun__lua_array_check(L, h, 1), &made));
    if (s != LUN_OK)
        lun__raise_loop(L, h, s);
    if (!made)
        return 0;
    *out = made;
    return 1;
}

/* internal.same_elements(array, array) */
static int same_elements(lua_State *L)
{
    lun__host *h = lun__host_here(L);
    lua_pushboolean(
        L, lun_same_elements(lun__lua_array_check(L, h, 1), lun__lua_array_check(L, h, 2)));
    return 1;
}

/* internal.loop_depends(loop, f, computed, array...): what marks hang on: numbers as a string, the
 * numbers of the stand-ins, snapshots of other arrays, nil if it cannot be told whether these
 * change. */
static int loop_depends(lua_State *L)
{
    lun__host *h = lun__host_here(L);
    lun_array *arrays[LUN_MAX_OPERANDS];
    lun_computed computed[LUN_MAX_OPERANDS];
    lun_depends x = {.size = sizeof x};
    lun_status s;
    const lun_part_loop loop = lun__read_loop(L, h, 4, arrays);
    luaL_checktype(L, 3, LUA_TTABLE);
    luaL_checkstack(L, LUN_MAX_OPERANDS + LUA_MINSTACK, "too many arrays");
    for (int k = 0; k < loop.count; k++) {
        lua_rawgeti(L, 3, k + 1);
        computed[k] = (lun_computed)luaL_checkoption(L, -1, NULL, lun__computed_names);
        lua_pop(L, 1);
    }
    lun_function *f = lun__lua_function_at(L, h, 2, loop.rank, false);
    const int top = lua_gettop(L);
    for (int k = 0; k < LUN_MAX_OPERANDS; k++)
        lun__lua_array_new(L, h);
    LUN__TRY(s, lun_loop_depends(h->engine, f, &loop, computed, &x));
    if (s != LUN_OK)
        lun__raise_loop(L, h, s);
    for (int k = 0; k < x.arrays; k++)
        *lun__lua_array_slot(L, h, top + 1 + k) = x.array[k];
    lua_pushlstring(L, (const char *)x.cell, (size_t)x.cells * sizeof x.cell[0]);
    lua_newtable(L);
    for (int k = 0; k < loop.count; k++)
        if (x.stand_in[k]) {
            lua_pushinteger(L, k + 1);
            lua_rawseti(L, -2, (lua_Integer)lua_rawlen(L, -2) + 1);
        }
    lua_newtable(L);
    for (int k = 0; k < x.arrays; k++) {
        lua_pushvalue(L, top + 1 + k);
        lua_rawseti(L, -2, k + 1);
    }
    if (!x.lasts) {
        lua_pop(L, 1);
        lua_pushnil(L);
    }
    return 3;
}

/* internal.loop_wanted(loop, f, parts, blocks, pe, array...): by array what is marked, or nil; how
 * often such elements are read. */
static int loop_wanted(lua_State *L)
{
    lun__host *h = lun__host_here(L);
    lun_array *arrays[LUN_MAX_OPERANDS], *marks[LUN_MAX_OPERANDS];
    const lun_blocks *blocks[LUN_MAX_OPERANDS];
    lun_part parts[LUN__MOST_PARTS];
    int64_t gets;
    lun_status s;
    const lun_whose whose = {sizeof whose, blocks, (int)luaL_checkinteger(L, 5)};
    const lun_part_loop loop = lun__read_loop(L, h, 6, arrays);
    luaL_checkstack(L, loop.count + LUA_MINSTACK, "too many arrays");
    const int count = lun__read_parts(L, h, 3, parts);
    for (int k = 0; k < loop.count; k++) {
        lua_rawgeti(L, 4, k + 1);
        blocks[k] = lun__check_blocks(L, -1);
        luaL_argcheck(L, whose.pe >= 0 && whose.pe < blocks[k]->npes, 5, "no such PE");
        lua_pop(L, 1);
    }
    lun_function *f = lun__lua_function_at(L, h, 2, loop.rank, false);
    const int top = lua_gettop(L);
    for (int k = 0; k < loop.count; k++)
        lun__lua_array_new(L, h);
    lun__source_line_mark(L, h);
    LUN__TRY(s, lun_loop_wanted(h->engine, f, &loop, parts, count, &whose, marks, &gets));
    if (s != LUN_OK)
        lun__raise_loop(L, h, s);
    lua_createtable(L, loop.count, 0);
    for (int k = 0; k < loop.count; k++) {
        if (!marks[k])
            continue;
        *lun__lua_array_slot(L, h, top + 1 + k) = marks[k];
        lua_pushvalue(L, top + 1 + k);
        lua_rawseti(L, -2, k + 1);
    }
    lua_pushinteger(L, gets);
    lun__host_report_memory(L, h);
    return 2;
}

/* ---- marked elements ------------------------------------------------------------------------- */

static int push_bytes(lua_State *L)
{
    lua_pushlstring(L, lua_touserdata(L, 1), (size_t)lua_tointeger(L, 2));
    return 1;
}

/* internal.marks_request(marks, blocks, pe): what is asked for of a PE, "" if that is nothing; of
 * how many elements. */
static int marks_request(lua_State *L)
{
    lun__host *h = lun__host_here(L);
    lun_array *marks = lun__lua_array_check(L, h, 1);
    const lun_blocks *b = lun__check_blocks(L, 2);
    const int pe = (int)luaL_checkinteger(L, 3);
    void *bytes;
    int64_t count, wanted;
    lun_status s;
    luaL_argcheck(L, pe >= 0 && pe < b->npes, 3, "no such PE");
    LUN__TRY(s, lun_marks_request(h->engine, marks, b, pe, &bytes, &count, &wanted));
    if (s != LUN_OK)
        lun__raise_loop(L, h, s);
    lua_pushcfunction(L, push_bytes);
    lua_pushlightuserdata(L, bytes);
    lua_pushinteger(L, count);
    const int status = lua_pcall(L, 2, 1, 0);
    free(bytes);
    if (status != LUA_OK)
        return lua_error(L);
    lua_pushinteger(L, wanted);
    return 2;
}

/* internal.marks_asked(size, bytes): the elements that are asked for. */
static int marks_asked(lua_State *L)
{
    lun__host *h = lun__host_here(L);
    size_t count;
    const char *bytes = luaL_checklstring(L, 2, &count);
    lun_array **out = lun__lua_array_new(L, h), *places;
    lun_status s;
    LUN__TRY(s,
             lun_marks_asked(h->engine, luaL_checkinteger(L, 1), bytes, (int64_t)count, &places));
    if (s != LUN_OK)
        lun__raise_loop(L, h, s);
    *out = places;
    return 1;
}

/* internal.marks_fill(marks, blocks, pe, own, bytes): elements, from, words or nil. */
static int marks_fill(lua_State *L)
{
    lun__host *h = lun__host_here(L);
    lun_array *marks = lun__lua_array_check(L, h, 1);
    const lun_blocks *b = lun__check_blocks(L, 2);
    const int pe = (int)luaL_checkinteger(L, 3);
    lun_array *own = lun__lua_array_check(L, h, 4);
    lun_part x = {.size = sizeof x};
    lun_status s;
    luaL_argcheck(L, pe >= 0 && pe < b->npes, 3, "no such PE");
    luaL_checktype(L, 5, LUA_TTABLE);
    const size_t n = (size_t)b->npes;
    const void **bytes = lua_newuserdatauv(L, n * sizeof *bytes, 0);
    int64_t *counts = lua_newuserdatauv(L, n * sizeof *counts, 0);
    for (size_t k = 0; k < n; k++) {
        size_t length;
        lua_rawgeti(L, 5, (lua_Integer)k + 1);
        bytes[k] = luaL_checklstring(L, -1, &length); /* the list keeps it */
        counts[k] = (int64_t)length;
        lua_pop(L, 1);
    }
    const int top = lua_gettop(L);
    lun__lua_array_new(L, h);
    lun__lua_array_new(L, h);
    LUN__TRY(s, lun_marks_fill(h->engine, marks, b, pe, own, bytes, counts, &x));
    if (s != LUN_OK)
        lun__raise_loop(L, h, s);
    *lun__lua_array_slot(L, h, top + 1) = x.elements;
    if (x.words)
        *lun__lua_array_slot(L, h, top + 2) = x.words;
    lua_pushvalue(L, top + 1);
    lua_pushinteger(L, x.from);
    if (x.words)
        lua_pushvalue(L, top + 2);
    else
        lua_pushnil(L);
    lun__host_report_memory(L, h);
    return 3;
}

void lun__open_partmarks(lua_State *L, const lun__parts *p)
{
    static const luaL_Reg internal[] = {
        {"snapshot", snapshot},           {"same_elements", same_elements},
        {"loop_depends", loop_depends},   {"loop_wanted", loop_wanted},
        {"marks_request", marks_request}, {"marks_asked", marks_asked},
        {"marks_fill", marks_fill},       {NULL, NULL}};
    lun__register(L, p, p->internal, internal);
}
