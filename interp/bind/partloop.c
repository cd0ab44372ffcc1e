/* partloop.c - what lua/lunarray/sharedon.lua needs of loops on parts of arrays: what they reach,
 * which elements they want, their rounds, and logs of these stored. Knows no transport. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "bind/field.h"
#include "bind/skeleton.h"

enum { MOST_PARTS = 64 };

/* ---- arguments ------------------------------------------------------------------------------- */

/* The field `name` of the table at the top, a list of {first, last}, of which there are *rank. */
static void read_box(lua_State *L, const char *name, int *rank, int64_t *first, int64_t *extent)
{
    if (lua_getfield(L, -1, name) != LUA_TTABLE || lua_rawlen(L, -1) > LUN_MAX_RANK)
        luaL_error(L, "a box of at most %d axes expected", LUN_MAX_RANK);
    *rank = (int)lua_rawlen(L, -1);
    for (int k = 0; k < *rank; k++) {
        int64_t last;
        lua_rawgeti(L, -1, k + 1);
        lua_rawgeti(L, -1, 1);
        lua_rawgeti(L, -2, 2);
        first[k] = luaL_checkinteger(L, -2);
        last = luaL_checkinteger(L, -1);
        lua_pop(L, 3);
        extent[k] = 0;
        if (last >= first[k] && (__builtin_sub_overflow(last, first[k], &extent[k]) ||
                                 __builtin_add_overflow(extent[k], 1, &extent[k])))
            luaL_error(L, "too many rounds");
    }
    lua_pop(L, 1);
}

/* The loop {whole=, box=} at 1, on the arrays from `from` on. */
static lun_part_loop read_loop(lua_State *L, lun__host *h, int from, lun_array **arrays)
{
    lun_part_loop loop = {.arrays = arrays, .count = lua_gettop(L) - from + 1};
    int rank;
    luaL_checktype(L, 1, LUA_TTABLE);
    luaL_argcheck(L, loop.count <= LUN_MAX_OPERANDS, from, "too many arrays");
    lua_pushvalue(L, 1);
    read_box(L, "whole", &loop.rank, loop.whole_first, loop.whole_extent);
    read_box(L, "box", &rank, loop.first, loop.extent);
    lua_pop(L, 1);
    luaL_argcheck(L, rank == loop.rank, 1, "boxes of one rank expected");
    for (int k = 0; k < loop.count; k++)
        arrays[k] = lun__check_array(L, h, from + k);
    return loop;
}

/* A field of the table at the top, which keeps the array alive; NULL: it is nil. */
static lun_array *array_field(lua_State *L, lun__host *h, const char *name)
{
    lun_array *a = NULL;
    if (lua_getfield(L, -1, name) != LUA_TNIL)
        a = lun__check_array(L, h, lua_gettop(L));
    lua_pop(L, 1);
    return a;
}

static int64_t integer_field(lua_State *L, const char *name)
{
    lua_getfield(L, -1, name);
    const int64_t x = luaL_optinteger(L, -1, 0);
    lua_pop(L, 1);
    return x;
}

/* The parts at i: {array=, elements=, first=} or {array=, elements=, computed=true, from=, words=};
 * how many there are. */
static int read_parts(lua_State *L, lun__host *h, int i, lun_part *parts)
{
    luaL_checktype(L, i, LUA_TTABLE);
    const int count = (int)lua_rawlen(L, i);
    luaL_argcheck(L, count <= MOST_PARTS, i, "too many parts");
    for (int k = 0; k < count; k++) {
        lun_part *x = &parts[k];
        lua_rawgeti(L, i, k + 1);
        luaL_checktype(L, -1, LUA_TTABLE);
        *x = (lun_part){.array = (int)integer_field(L, "array") - 1,
                        .elements = array_field(L, h, "elements"),
                        .from = integer_field(L, "from"),
                        .words = array_field(L, h, "words")};
        lua_getfield(L, -1, "computed");
        x->computed = lua_toboolean(L, -1);
        lua_getfield(L, -2, "first");
        for (int d = 0; lua_istable(L, -1) && d < LUN_MAX_RANK; d++) {
            lua_rawgeti(L, -1, d + 1);
            x->first[d] = luaL_optinteger(L, -1, 1) - 1;
            lua_pop(L, 1);
        }
        lua_pop(L, 3);
        luaL_argcheck(L, x->elements, i, "a part without elements");
    }
    return count;
}

static int raise(lua_State *L, lun__host *h, lun_status s)
{
    return lun__raise_as(L, h, s, s == LUN_EARG || s == LUN_EDTYPE ? 2 : 1, "each");
}

static void push_integers(lua_State *L, const int64_t *from, int count, int64_t more)
{
    lua_createtable(L, count, 0);
    for (int k = 0; k < count; k++) {
        lua_pushinteger(L, from[k] + more);
        lua_rawseti(L, -2, k + 1);
    }
}

/* ---- what is read ---------------------------------------------------------------------------- */

static void push_reach(lua_State *L, const lun_reach *x, int rank)
{
    lua_createtable(L, 0, 4);
    lun__set_integer(L, "array", x->array + 1);
    lun__set_bool(L, "assigned", x->assigned);
    lua_createtable(L, rank, 0);
    for (int d = 0; d < rank; d++) {
        lua_pushinteger(L, x->param[d] + 1);
        lua_rawseti(L, -2, d + 1);
    }
    lua_setfield(L, -2, "param");
    push_integers(L, x->shift, rank, 0);
    lua_setfield(L, -2, "shift");
}

/* internal.loop_reach(loop, f, array...): a list of { array=, assigned=, param=, shift= }, params
 * from 1, 0: none; and by array whether it is read at computed indices: false, "some", "all". */
static int loop_reach(lua_State *L)
{
    static const char *const how[] = {[LUN_COMPUTED_SOME] = "some", [LUN_COMPUTED_ALL] = "all"};
    lun__host *h = lun__here(L);
    lun_array *arrays[LUN_MAX_OPERANDS];
    lun_computed computed[LUN_MAX_OPERANDS];
    lun_reach list[LUN_MAX_REACHES];
    int64_t shape[LUN_MAX_RANK];
    int length;
    lun_status s;
    const lun_part_loop loop = read_loop(L, h, 3, arrays);
    lun_function *f = lun__function(L, h, 2, loop.rank, false);
    lun__mark(L, h);
    LUN__TRY(s, lun_loop_reach(h->engine, f, &loop, list, &length, computed));
    if (s != LUN_OK)
        raise(L, h, s);
    lua_createtable(L, length, 0);
    for (int k = 0; k < length; k++) {
        push_reach(L, &list[k], lun_shape(arrays[list[k].array], shape));
        lua_rawseti(L, -2, k + 1);
    }
    lua_createtable(L, loop.count, 0);
    for (int k = 0; k < loop.count; k++) {
        if (computed[k] == LUN_COMPUTED_NONE)
            lua_pushboolean(L, false);
        else
            lua_pushstring(L, how[computed[k]]);
        lua_rawseti(L, -2, k + 1);
    }
    return 2;
}

/* internal.loop_wanted(loop, f, parts, blocks, pe, array...): by array what is marked, or nil; how
 * often such elements are read. */
static int loop_wanted(lua_State *L)
{
    lun__host *h = lun__here(L);
    lun_array *arrays[LUN_MAX_OPERANDS], *marks[LUN_MAX_OPERANDS];
    const lun_blocks *blocks[LUN_MAX_OPERANDS];
    lun_part parts[MOST_PARTS];
    int64_t gets;
    lun_status s;
    const lun_whose whose = {blocks, (int)luaL_checkinteger(L, 5)};
    const lun_part_loop loop = read_loop(L, h, 6, arrays);
    luaL_checkstack(L, loop.count + LUA_MINSTACK, "too many arrays");
    const int count = read_parts(L, h, 3, parts);
    for (int k = 0; k < loop.count; k++) {
        lua_rawgeti(L, 4, k + 1);
        blocks[k] = lun__check_blocks(L, -1);
        luaL_argcheck(L, whose.pe >= 0 && whose.pe < blocks[k]->npes, 5, "no such PE");
        lua_pop(L, 1);
    }
    lun_function *f = lun__function(L, h, 2, loop.rank, false);
    const int top = lua_gettop(L);
    for (int k = 0; k < loop.count; k++)
        lun__new_array(L, h);
    lun__mark(L, h);
    LUN__TRY(s, lun_loop_wanted(h->engine, f, &loop, parts, count, &whose, marks, &gets));
    if (s != LUN_OK)
        raise(L, h, s);
    lua_createtable(L, loop.count, 0);
    for (int k = 0; k < loop.count; k++) {
        if (!marks[k])
            continue;
        *lun__array_place(L, h, top + 1 + k) = marks[k];
        lua_pushvalue(L, top + 1 + k);
        lua_rawseti(L, -2, k + 1);
    }
    lua_pushinteger(L, gets);
    lun__report_memory(L, h);
    return 2;
}

/* ---- marked elements ------------------------------------------------------------------------- */

static int push_bytes(lua_State *L)
{
    lua_pushlstring(L, lua_touserdata(L, 1), (size_t)lua_tointeger(L, 2));
    return 1;
}

/* internal.marks_request(marks, blocks, pe): what is asked for of a PE, "" if that is nothing. */
static int marks_request(lua_State *L)
{
    lun__host *h = lun__here(L);
    lun_array *marks = lun__check_array(L, h, 1);
    const lun_blocks *b = lun__check_blocks(L, 2);
    const int pe = (int)luaL_checkinteger(L, 3);
    void *bytes;
    int64_t count;
    lun_status s;
    luaL_argcheck(L, pe >= 0 && pe < b->npes, 3, "no such PE");
    LUN__TRY(s, lun_marks_request(h->engine, marks, b, pe, &bytes, &count));
    if (s != LUN_OK)
        raise(L, h, s);
    lua_pushcfunction(L, push_bytes);
    lua_pushlightuserdata(L, bytes);
    lua_pushinteger(L, count);
    const int status = lua_pcall(L, 2, 1, 0);
    free(bytes);
    return status == LUA_OK ? 1 : lua_error(L);
}

/* internal.marks_asked(size, bytes): the elements that are asked for. */
static int marks_asked(lua_State *L)
{
    lun__host *h = lun__here(L);
    size_t count;
    const char *bytes = luaL_checklstring(L, 2, &count);
    lun_array **out = lun__new_array(L, h), *places;
    lun_status s;
    LUN__TRY(s,
             lun_marks_asked(h->engine, luaL_checkinteger(L, 1), bytes, (int64_t)count, &places));
    if (s != LUN_OK)
        raise(L, h, s);
    *out = places;
    return 1;
}

/* internal.marks_fill(marks, blocks, pe, own, bytes): elements, from, words or nil. */
static int marks_fill(lua_State *L)
{
    lun__host *h = lun__here(L);
    lun_array *marks = lun__check_array(L, h, 1);
    const lun_blocks *b = lun__check_blocks(L, 2);
    const int pe = (int)luaL_checkinteger(L, 3);
    lun_array *own = lun__check_array(L, h, 4);
    lun_part x;
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
    lun__new_array(L, h);
    lun__new_array(L, h);
    LUN__TRY(s, lun_marks_fill(h->engine, marks, b, pe, own, bytes, counts, &x));
    if (s != LUN_OK)
        raise(L, h, s);
    *lun__array_place(L, h, top + 1) = x.elements;
    if (x.words)
        *lun__array_place(L, h, top + 2) = x.words;
    lua_pushvalue(L, top + 1);
    lua_pushinteger(L, x.from);
    if (x.words)
        lua_pushvalue(L, top + 2);
    else
        lua_pushnil(L);
    lun__report_memory(L, h);
    return 3;
}

/* ---- rounds ---------------------------------------------------------------------------------- */

/* Pushes what has been noted, places and values being the userdata from `at` on. */
static void push_logged(lua_State *L, const lun_logged *x, int rank, int at)
{
    lua_createtable(L, 0, 6);
    lun__set_integer(L, "array", x->array + 1);
    lua_pushvalue(L, at + 1);
    lua_setfield(L, -2, "values");
    if (x->boxed) {
        push_integers(L, x->first, rank, 1);
        lua_setfield(L, -2, "first");
        push_integers(L, x->count, rank, 0);
        lua_setfield(L, -2, "count");
        return;
    }
    lun__set_integer(L, "how", x->how);
    lun__set_bool(L, "behind", x->behind);
    lun__set_text(L, "note", x->note);
    lua_pushvalue(L, at);
    lua_setfield(L, -2, "places");
}

/* internal.loop_run(loop, f, parts, array...): a list of what the rounds assign to these arrays:
 * { array=, values=, first=, count= } or { array=, values=, places=, how=, behind=, note= }. */
static int loop_run(lua_State *L)
{
    lun__host *h = lun__here(L);
    lun_array *arrays[LUN_MAX_OPERANDS];
    lun_part parts[MOST_PARTS];
    lun_logged list[LUN_MAX_OUTPUTS];
    int64_t shape[LUN_MAX_RANK];
    int length;
    lun_status s;
    const lun_part_loop loop = read_loop(L, h, 4, arrays);
    luaL_checkstack(L, 2 * LUN_MAX_OUTPUTS + LUA_MINSTACK, "too many arrays");
    const int count = read_parts(L, h, 3, parts);
    lun_function *f = lun__function(L, h, 2, loop.rank, false);
    const int top = lua_gettop(L);
    for (int k = 0; k < 2 * LUN_MAX_OUTPUTS; k++)
        lun__new_array(L, h);
    lun__mark(L, h);
    LUN__TRY(s, lun_loop_run(h->engine, f, &loop, parts, count, list, &length));
    if (s != LUN_OK)
        raise(L, h, s);
    for (int k = 0; k < length; k++) {
        if (list[k].places)
            *lun__array_place(L, h, top + 1 + 2 * k) = list[k].places;
        *lun__array_place(L, h, top + 2 + 2 * k) = list[k].values;
    }
    lua_createtable(L, length, 0);
    for (int k = 0; k < length; k++) {
        push_logged(L, &list[k], lun_shape(arrays[list[k].array], shape), top + 1 + 2 * k);
        lua_rawseti(L, -2, k + 1);
    }
    lun__report_memory(L, h);
    return 1;
}

/* ---- logs ------------------------------------------------------------------------------------ */

static void read_logged(lua_State *L, lun__host *h, lun_logged *x)
{
    luaL_checktype(L, -1, LUA_TTABLE);
    *x = (lun_logged){.rounds = array_field(L, h, "rounds"),
                      .places = array_field(L, h, "places"),
                      .values = array_field(L, h, "values"),
                      .how = (int)integer_field(L, "how")};
    if (!x->rounds || !x->places || !x->values)
        luaL_error(L, "a log has rounds, places and values");
    lua_getfield(L, -1, "behind");
    x->behind = lua_toboolean(L, -1);
    lua_getfield(L, -2, "note");
    snprintf(x->note, sizeof x->note, "%s", luaL_optstring(L, -1, ""));
    lua_pop(L, 2);
}

/* internal.store_logged(array, logs): its elements, as a Vector, after what logs of such entries
 * say, each with rounds=, has been stored. */
static int store_logged(lua_State *L)
{
    lun__host *h = lun__here(L);
    lun_status s;
    luaL_checktype(L, 2, LUA_TTABLE);
    lua_settop(L, 2);
    const int count = (int)lua_rawlen(L, 2);
    lun_logged *logs = lua_newuserdatauv(L, (size_t)(count + 1) * sizeof *logs, 0);
    for (int k = 0; k < count; k++) {
        lua_rawgeti(L, 2, k + 1);
        read_logged(L, h, &logs[k]);
        lua_pop(L, 1);
    }
    lun__new_array(L, h);
    lun_array *to = lun__check_array(L, h, 1), *out;
    LUN__TRY(s, lun_store_logged(h->engine, to, logs, count, &out));
    if (s != LUN_OK)
        lun__raise_as(L, h, s, 1, "each");
    *lun__array_place(L, h, 4) = out;
    lun__report_memory(L, h);
    return 1;
}

void lun__open_partloop(lua_State *L, const lun__parts *p)
{
    static const luaL_Reg internal[] = {
        {"loop_reach", loop_reach},     {"loop_wanted", loop_wanted},
        {"loop_run", loop_run},         {"marks_request", marks_request},
        {"marks_asked", marks_asked},   {"marks_fill", marks_fill},
        {"store_logged", store_logged}, {NULL, NULL}};
    lun__register(L, p, p->internal, internal);
}
