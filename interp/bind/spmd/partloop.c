/* partloop.c - what lua/lunarray/loop/sharedon.lua needs of loops on parts of arrays: what they
 * reach, their rounds, and logs of these stored. Knows no transport. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "bind/function/lua_skeleton.h"
#include "bind/host/field.h"
#include "bind/spmd/partloop.h"

const char *const lun__computed_names[] = {
    [LUN_COMPUTED_NONE] = "none",
    [LUN_COMPUTED_BOX] = "box",
    [LUN_COMPUTED_SOME] = "some",
    [LUN_COMPUTED_ALL] = "all",
    NULL,
};

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
lun_part_loop lun__read_loop(lua_State *L, lun__host *h, int from, lun_array **arrays)
{
    lun_part_loop loop = {.size = sizeof loop, .arrays = arrays, .count = lua_gettop(L) - from + 1};
    int rank;
    luaL_checktype(L, 1, LUA_TTABLE);
    luaL_argcheck(L, loop.count <= LUN_MAX_OPERANDS, from, "too many arrays");
    lua_pushvalue(L, 1);
    read_box(L, "whole", &loop.rank, loop.whole_first, loop.whole_extent);
    read_box(L, "box", &rank, loop.first, loop.extent);
    lua_pop(L, 1);
    luaL_argcheck(L, rank == loop.rank, 1, "boxes of one rank expected");
    for (int k = 0; k < loop.count; k++)
        arrays[k] = lun__lua_array_check(L, h, from + k);
    return loop;
}

/* A field of the table at the top, which keeps the array alive; NULL: it is nil. */
static lun_array *array_field(lua_State *L, lun__host *h, const char *name)
{
    lun_array *a = NULL;
    if (lua_getfield(L, -1, name) != LUA_TNIL)
        a = lun__lua_array_check(L, h, lua_gettop(L));
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

/* A field of the table at the top, less `base`: of each axis a number; 0 without such a field. */
static void read_integers(lua_State *L, const char *name, int64_t *to, int64_t base)
{
    const bool is = lua_getfield(L, -1, name) == LUA_TTABLE;
    for (int d = 0; is && d < LUN_MAX_RANK; d++) {
        lua_rawgeti(L, -1, d + 1);
        to[d] = luaL_optinteger(L, -1, base) - base;
        lua_pop(L, 1);
    }
    lua_pop(L, 1);
}

/* The parts at i: {array=, elements=, first=} or {array=, elements=, computed=true} with from=,
 * words=, or first=, count=, step=; how many there are. */
int lun__read_parts(lua_State *L, lun__host *h, int i, lun_part *parts)
{
    luaL_checktype(L, i, LUA_TTABLE);
    const int count = (int)lua_rawlen(L, i);
    luaL_argcheck(L, count <= LUN__MOST_PARTS, i, "too many parts");
    for (int k = 0; k < count; k++) {
        lun_part *x = &parts[k];
        lua_rawgeti(L, i, k + 1);
        luaL_checktype(L, -1, LUA_TTABLE);
        *x = (lun_part){.size = sizeof *x,
                        .array = (int)integer_field(L, "array") - 1,
                        .elements = array_field(L, h, "elements"),
                        .from = integer_field(L, "from"),
                        .words = array_field(L, h, "words")};
        lua_getfield(L, -1, "computed");
        x->computed = lua_toboolean(L, -1);
        lua_pop(L, 1);
        read_integers(L, "first", x->first, 1);
        read_integers(L, "count", x->count, 0);
        read_integers(L, "step", x->step, 0);
        lua_pop(L, 1);
        luaL_argcheck(L, x->elements, i, "a part without elements");
    }
    return count;
}

int lun__raise_loop(lua_State *L, lun__host *h, lun_status s)
{
    return lun__error_raise_as(L, h, s, s == LUN_EARG || s == LUN_EDTYPE ? 2 : 1, "each");
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
    lua_createtable(L, 0, 6);
    lun__field_set_integer(L, "array", x->array + 1);
    lun__field_set_bool(L, "assigned", x->assigned);
    lun__field_set_bool(L, "computed", x->computed);
    lua_createtable(L, rank, 0);
    for (int d = 0; d < rank; d++) {
        lua_pushinteger(L, x->param[d] + 1);
        lua_rawseti(L, -2, d + 1);
    }
    lua_setfield(L, -2, "param");
    push_integers(L, x->factor, rank, 0);
    lua_setfield(L, -2, "factor");
    push_integers(L, x->shift, rank, 0);
    lua_setfield(L, -2, "shift");
}

/* internal.loop_reach(loop, f, array...): a list of { array=, assigned=, computed=, param=,
 * factor=, shift= }, params from 1, 0: none; and by array how it is read at computed indices:
 * "none", "box", "some", "all". */
static int loop_reach(lua_State *L)
{
    lun__host *h = lun__host_here(L);
    lun_array *arrays[LUN_MAX_OPERANDS];
    lun_computed computed[LUN_MAX_OPERANDS];
    lun_reach list[LUN_MAX_REACHES] = {{.size = sizeof *list}};
    int64_t shape[LUN_MAX_RANK];
    int length;
    lun_status s;
    const lun_part_loop loop = lun__read_loop(L, h, 3, arrays);
    lun_function *f = lun__lua_function_at(L, h, 2, loop.rank, false);
    lun__source_line_mark(L, h);
    LUN__TRY(s, lun_loop_reach(h->engine, f, &loop, list, &length, computed));
    if (s != LUN_OK)
        lun__raise_loop(L, h, s);
    lua_createtable(L, length, 0);
    for (int k = 0; k < length; k++) {
        push_reach(L, &list[k], lun_shape(arrays[list[k].array], shape));
        lua_rawseti(L, -2, k + 1);
    }
    lua_createtable(L, loop.count, 0);
    for (int k = 0; k < loop.count; k++) {
        lua_pushstring(L, lun__computed_names[computed[k]]);
        lua_rawseti(L, -2, k + 1);
    }
    return 2;
}

/* ---- rounds ---------------------------------------------------------------------------------- */

/* Pushes what has been noted, places and values being the userdata from `at` on. */
static void push_logged(lua_State *L, const lun_logged *x, int rank, int at)
{
    lua_createtable(L, 0, 6);
    lun__field_set_integer(L, "array", x->array + 1);
    lua_pushvalue(L, at + 1);
    lua_setfield(L, -2, "values");
    if (x->boxed) {
        push_integers(L, x->first, rank, 1);
        lua_setfield(L, -2, "first");
        push_integers(L, x->count, rank, 0);
        lua_setfield(L, -2, "count");
        return;
    }
    lun__field_set_integer(L, "how", x->how);
    lun__field_set_bool(L, "behind", x->behind);
    lun__field_set_text(L, "note", x->note);
    lua_pushvalue(L, at);
    lua_setfield(L, -2, "places");
}

/* internal.loop_run(loop, f, parts, array...): a list of what the rounds assign to these arrays:
 * { array=, values=, first=, count= } or { array=, values=, places=, how=, behind=, note= }. */
static int loop_run(lua_State *L)
{
    lun__host *h = lun__host_here(L);
    lun_array *arrays[LUN_MAX_OPERANDS];
    lun_part parts[LUN__MOST_PARTS];
    lun_logged list[LUN_MAX_OUTPUTS] = {{.size = sizeof *list}};
    int64_t shape[LUN_MAX_RANK];
    int length;
    lun_status s;
    const lun_part_loop loop = lun__read_loop(L, h, 4, arrays);
    luaL_checkstack(L, 2 * LUN_MAX_OUTPUTS + LUA_MINSTACK, "too many arrays");
    const int count = lun__read_parts(L, h, 3, parts);
    lun_function *f = lun__lua_function_at(L, h, 2, loop.rank, false);
    const int top = lua_gettop(L);
    for (int k = 0; k < 2 * LUN_MAX_OUTPUTS; k++)
        lun__lua_array_new(L, h);
    lun__source_line_mark(L, h);
    LUN__TRY(s, lun_loop_run(h->engine, f, &loop, parts, count, list, &length));
    if (s != LUN_OK)
        lun__raise_loop(L, h, s);
    for (int k = 0; k < length; k++) {
        if (list[k].places)
            *lun__lua_array_slot(L, h, top + 1 + 2 * k) = list[k].places;
        *lun__lua_array_slot(L, h, top + 2 + 2 * k) = list[k].values;
    }
    lua_createtable(L, length, 0);
    for (int k = 0; k < length; k++) {
        push_logged(L, &list[k], lun_shape(arrays[list[k].array], shape), top + 1 + 2 * k);
        lua_rawseti(L, -2, k + 1);
    }
    lun__host_report_memory(L, h);
    return 1;
}

/* ---- logs ------------------------------------------------------------------------------------ */

static void read_logged(lua_State *L, lun__host *h, lun_logged *x)
{
    luaL_checktype(L, -1, LUA_TTABLE);
    *x = (lun_logged){.size = sizeof *x,
                      .rounds = array_field(L, h, "rounds"),
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
    lun__host *h = lun__host_here(L);
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
    lun__lua_array_new(L, h);
    lun_array *to = lun__lua_array_check(L, h, 1), *out;
    LUN__TRY(s, lun_store_logged(h->engine, to, logs, count, &out));
    if (s != LUN_OK)
        lun__error_raise_as(L, h, s, 1, "each");
    *lun__lua_array_slot(L, h, 4) = out;
    lun__host_report_memory(L, h);
    return 1;
}

void lun__open_partloop(lua_State *L, const lun__parts *p)
{
    static const luaL_Reg internal[] = {{"loop_reach", loop_reach},
                                        {"loop_run", loop_run},
                                        {"store_logged", store_logged},
                                        {NULL, NULL}};
    lun__register(L, p, p->internal, internal);
}
