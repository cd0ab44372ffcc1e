/* lua_window.c - methods that make windows, which show elements of another array: sub, select, row,
 * col, transpose, view, diagonal, windows, broadcast; also layout and strides. Axes and indices
 * count from 1, or back from the end if negative; the engine's count from 0. */
#include <string.h>

#include "bind/host/bind.h"

/* ---- axes and indices ------------------------------------------------------------------------ */

/* The axis, from 0, of the array at 1 that the number at `at`, within argument `arg`, names. */
static int axis_at(lua_State *L, lun__host *h, int at, int arg)
{
    int exact = 0;
    lua_Integer axis = lua_type(L, at) == LUA_TNUMBER ? lua_tointegerx(L, at, &exact) : 0;
    if (!exact)
        lun__blame_argument(
            L, arg,
            lua_pushfstring(L, "an axis must be an integer, not %s", lun__error_push_shown(L, at)));
    int resolved;
    const char *wrong = lun__lua_along_resolve(L, h, 1, axis, &resolved);
    return wrong ? lun__blame_argument(L, arg, wrong) : resolved;
}

/* The index at `arg` along an axis, from 0, of the array at 1. */
static int64_t check_index(lua_State *L, lun__host *h, int arg, int axis)
{
    int64_t shape[LUN_MAX_RANK];
    lua_Integer i = luaL_checkinteger(L, arg);
    lun_shape(lun__lua_array_check(L, h, 1), shape);
    int64_t n = shape[axis];
    if (i >= 1 && i <= n)
        return i - 1;
    if (i < 0 && i >= -n)
        return n + i;
    lun__error_push_kind(L, h, 1);
    return lun__blame_argument(L, arg,
                               lua_pushfstring(L, "index %I is out of range for axis %d of %s", i,
                                               axis + 1, lua_tostring(L, -1)));
}

/* ---- sub ------------------------------------------------------------------------------------- */

/* string.sub's reading of a first index: at least 1. */
static int64_t first_index(lua_Integer i, int64_t n)
{
    if (i > 0)
        return i;
    return i == 0 || i < -n ? 1 : n + i + 1;
}

/* string.sub's reading of a last index: at most n. */
static int64_t last_index(lua_Integer i, int64_t n)
{
    if (i > n)
        return n;
    if (i >= 0)
        return i;
    return i < -n ? 0 : n + i + 1;
}

/* Elements first, first + step, ... along each axis; first from 0. */
typedef struct cuts {
    int64_t first[LUN_MAX_RANK], count[LUN_MAX_RANK], step[LUN_MAX_RANK];
} cuts;

/* Axis k, of n elements: i to j as string.sub has them; a negative step goes down from i to j. */
static void cut(cuts *c, int k, int64_t n, lua_Integer i, lua_Integer j, lua_Integer step)
{
    int64_t first = step > 0 ? first_index(i, n) : last_index(i, n);
    int64_t last = step > 0 ? last_index(j, n) : first_index(j, n);
    /* Both lie in 0 .. n + 1, so only the step can be large. */
    int64_t span = step > 0 ? last - first : first - last;
    uint64_t pace = step > 0 ? (uint64_t)step : 0 - (uint64_t)step;
    c->count[k] = span < 0 ? 0 : (int64_t)((uint64_t)span / pace) + 1;
    c->first[k] = c->count[k] ? first - 1 : 0;
    c->step[k] = c->count[k] > 1 ? step : 1;
}

/* Field `field` of the table at `arg`, for axis k. */
static lua_Integer part(lua_State *L, int arg, int k, int field, lua_Integer fallback)
{
    int exact = 0, type = lua_rawgeti(L, arg, field);
    lua_Integer x = type == LUA_TNUMBER ? lua_tointegerx(L, -1, &exact) : fallback;
    if (type != LUA_TNIL && !exact)
        lun__blame_argument(
            L, arg,
            lua_pushfstring(L, "axis %d: integers {first, last, step} expected, got %s", k + 1,
                            lun__error_push_shown(L, -1)));
    lua_pop(L, 1);
    return x;
}

/* The table at `arg`: {first, last, step} of axis k; a field left out is the end of the axis. */
static void read_part(lua_State *L, cuts *c, int arg, int k, int64_t n)
{
    for (lua_pushnil(L); lua_next(L, arg); lua_pop(L, 1)) {
        int exact = 0;
        lua_Integer field = lua_isinteger(L, -2) ? lua_tointegerx(L, -2, &exact) : 0;
        if (field < 1 || field > 3)
            lun__blame_argument(
                L, arg,
                lua_pushfstring(L, "axis %d: unknown field '%s': {first, last, step} expected",
                                k + 1, lun__error_push_shown(L, -2)));
    }
    lua_Integer step = part(L, arg, k, 3, 1);
    if (step == 0)
        lun__blame_argument(L, arg, lua_pushfstring(L, "axis %d: the step is zero", k + 1));
    lua_Integer i = part(L, arg, k, 1, step > 0 ? 1 : -1);
    cut(c, k, n, i, part(L, arg, k, 2, step > 0 ? -1 : 1), step);
}

/* A:sub({i, j, step}, ...): a table for each axis, from the first on. Returns how many. */
static int read_parts(lua_State *L, lun__host *h, const int64_t *shape, int rank, cuts *c)
{
    int parts = lua_gettop(L) - 1;
    if (parts > rank) {
        lun__error_push_kind(L, h, 1);
        lun__blame_argument(L, rank + 2,
                            lua_pushfstring(L, "axis %d is out of range: %s has %d", rank + 1,
                                            lua_tostring(L, -1), rank));
    }
    for (int k = 0; k < parts; k++) {
        if (lua_type(L, k + 2) != LUA_TTABLE)
            lun__error_bad_type(L, k + 2, "table {first, last, step}");
        read_part(L, c, k + 2, k, shape[k]);
    }
    return parts;
}

/* A:sub(i, j [, step]) cuts the first axis. */
static int read_range(lua_State *L, const int64_t *shape, cuts *c)
{
    lun__bind_count(L, "sub", 4);
    if (lua_type(L, 2) != LUA_TNUMBER)
        lun__error_bad_type(L, 2, "table {first, last, step} or number");
    lua_Integer step = luaL_optinteger(L, 4, 1);
    luaL_argcheck(L, step != 0, 4, "'step' is zero");
    lua_Integer i = luaL_checkinteger(L, 2);
    cut(c, 0, shape[0], i, luaL_optinteger(L, 3, step > 0 ? -1 : 1), step);
    return 1;
}

static int array_sub(lua_State *L)
{
    lun__host *h = lun__host_here(L);
    cuts c;
    int64_t shape[LUN_MAX_RANK] = {1};
    int rank = lun_shape(lun__lua_array_check(L, h, 1), shape);
    int parts =
        lua_type(L, 2) == LUA_TTABLE ? read_parts(L, h, shape, rank, &c) : read_range(L, shape, &c);
    lun_array **out = lun__lua_array_new(L, h);
    lun_array *a = lun__lua_array_check(L, h, 1);
    lun_status s;
    LUN__TRY(s, lun_window(h->engine, a, parts, c.first, c.count, c.step, out));
    return lun__lua_array_give(L, h, s, 1);
}

/* ---- one index of an axis -------------------------------------------------------------------- */

/* Pushes the window of that axis at the index at `arg`. */
static int select_at(lua_State *L, lun__host *h, int axis, int arg)
{
    int64_t i = check_index(L, h, arg, axis);
    lun_array **out = lun__lua_array_new(L, h);
    lun_array *a = lun__lua_array_check(L, h, 1);
    lun_status s;
    LUN__TRY(s, lun_select(h->engine, a, axis, i, out));
    return lun__lua_array_give(L, h, s, arg);
}

/* A:select(axis, i) */
static int array_select(lua_State *L)
{
    lun__host *h = lun__host_here(L);
    lun__lua_array_check(L, h, 1);
    luaL_checkinteger(L, 3);
    return select_at(L, h, axis_at(L, h, 2, 2), 3);
}

/* A:row(i), A:col(j): of arrays that have rows. Upvalues: the host; the axis. */
static int select_axis(lua_State *L, int axis, const char *what)
{
    lun__host *h = lun__host_here(L);
    int64_t shape[LUN_MAX_RANK];
    if (lun_shape(lun__lua_array_check(L, h, 1), shape) < 2) {
        lun__error_push_kind(L, h, 1);
        lun__blame_argument(
            L, 1,
            lua_pushfstring(L, "%s has no %s: its rank is below 2", lua_tostring(L, -1), what));
    }
    return select_at(L, h, axis, 2);
}

static int array_row(lua_State *L)
{
    return select_axis(L, 0, "rows");
}

static int array_col(lua_State *L)
{
    return select_axis(L, 1, "columns");
}

/* A:diagonal([k]) */
static int array_diagonal(lua_State *L)
{
    lun__host *h = lun__host_here(L);
    lun__lua_array_check(L, h, 1);
    lua_Integer k = luaL_optinteger(L, 2, 0);
    lun_array **out = lun__lua_array_new(L, h);
    lun_array *a = lun__lua_array_check(L, h, 1);
    lun_status s;
    LUN__TRY(s, lun_diagonal(h->engine, a, k, out));
    return lun__lua_array_give(L, h, s, 1);
}

/* ---- other axes ------------------------------------------------------------------------------ */

/* The list of all axes at 2. */
static void read_axes(lua_State *L, lun__host *h, int rank, int *axes)
{
    bool seen[LUN_MAX_RANK] = {false};
    if (lua_type(L, 2) != LUA_TTABLE)
        lun__error_bad_type(L, 2, "table of axes");
    lua_Unsigned count = lua_rawlen(L, 2);
    lun__error_push_kind(L, h, 1);
    if (count != (lua_Unsigned)rank)
        lun__blame_argument(L, 2,
                            lua_pushfstring(L, "all %d axes of %s must be listed, not %I", rank,
                                            lua_tostring(L, -1), (lua_Integer)count));
    for (int k = 0; k < rank; k++) {
        lua_rawgeti(L, 2, k + 1);
        axes[k] = axis_at(L, h, lua_gettop(L), 2);
        lua_pop(L, 1);
        if (seen[axes[k]])
            lun__blame_argument(L, 2,
                                lua_pushfstring(L, "axis %d of %s is listed twice", axes[k] + 1,
                                                lua_tostring(L, -1)));
        seen[axes[k]] = true;
    }
    lua_pop(L, 1);
}

/* A:transpose([{p1, ...}]) */
static int array_transpose(lua_State *L)
{
    lun__host *h = lun__host_here(L);
    int axes[LUN_MAX_RANK];
    int64_t shape[LUN_MAX_RANK];
    int rank = lun_shape(lun__lua_array_check(L, h, 1), shape);
    bool listed = !lua_isnoneornil(L, 2);
    if (lua_type(L, 2) == LUA_TNUMBER)
        lun__blame_argument(
            L, 2,
            "table of all axes expected, such as {2, 1}; bare numbers are ambiguous, "
            "since Torch swaps two axes where NumPy lists them");
    lun__bind_count(L, "transpose", 2);
    if (listed)
        read_axes(L, h, rank, axes);
    lun_array **out = lun__lua_array_new(L, h);
    lun_array *a = lun__lua_array_check(L, h, 1);
    lun_status s;
    LUN__TRY(s, lun_permute(h->engine, a, listed ? axes : NULL, out));
    return lun__lua_array_give(L, h, s, 2);
}

/* A:view(shape), one extent may be -1 */
static int array_view(lua_State *L)
{
    lun__host *h = lun__host_here(L);
    int64_t shape[LUN_MAX_RANK];
    lun__lua_value_gather_shape(L, 2);
    lun__bind_count(L, "view", 2);
    int rank = lun__lua_value_new_shape(L, 2, lun_size(lun__lua_array_check(L, h, 1)), shape);
    lun_array **out = lun__lua_array_new(L, h);
    lun_array *a = lun__lua_array_check(L, h, 1);
    lun_status s;
    LUN__TRY(s, lun_view(h->engine, a, rank, shape, out));
    return lun__lua_array_give(L, h, s, 2);
}

/* A:broadcast(shape) */
static int array_broadcast(lua_State *L)
{
    lun__host *h = lun__host_here(L);
    int64_t shape[LUN_MAX_RANK];
    lun__lua_value_gather_shape(L, 2);
    lun__bind_count(L, "broadcast", 2);
    lun__lua_array_check(L, h, 1);
    int rank = lun__lua_value_shape(L, 2, shape);
    lun_array **out = lun__lua_array_new(L, h);
    lun_array *a = lun__lua_array_check(L, h, 1);
    lun_status s;
    LUN__TRY(s, lun_broadcast(h->engine, a, rank, shape, out));
    return lun__lua_array_give(L, h, s, 2);
}

/* Windows along several axes, one after the other. */
typedef struct panes {
    int count, axis[LUN_MAX_RANK];
    lua_Integer width[LUN_MAX_RANK], step[LUN_MAX_RANK];
} panes;

/* The integer at the top; what: what it is, "'step'". */
static lua_Integer whole_at_top(lua_State *L, int arg, const char *what)
{
    int exact = 0;
    lua_Integer x = lua_type(L, -1) == LUA_TNUMBER ? lua_tointegerx(L, -1, &exact) : 0;
    if (!exact)
        lun__blame_argument(L, arg,
                            lua_pushfstring(L, "%s: an integer expected, got %s", what,
                                            lun__error_push_shown(L, -1)));
    return x;
}

/* Calls read for each pane with its value of the option at the top: one for all, or a list. */
static void each_pane(lua_State *L, lun__host *h, panes *p, const char *name,
                      void (*read)(lua_State *L, lun__host *h, panes *p, int k))
{
    const bool list = lua_type(L, -1) == LUA_TTABLE;
    if (list && lua_rawlen(L, -1) != (lua_Unsigned)p->count)
        lun__blame_argument(L, 3,
                            lua_pushfstring(L,
                                            "option %s: a list of %d expected, one for each width",
                                            name, p->count));
    for (int k = 0; k < p->count; k++) {
        if (list)
            lua_rawgeti(L, -1, k + 1);
        else
            lua_pushvalue(L, -1);
        read(L, h, p, k);
        lua_pop(L, 1);
    }
}

static void read_pane_axis(lua_State *L, lun__host *h, panes *p, int k)
{
    p->axis[k] = axis_at(L, h, lua_gettop(L), 3);
    for (int j = 0; j < k; j++)
        if (p->axis[j] == p->axis[k])
            lun__blame_argument(
                L, 3, lua_pushfstring(L, "option axis: axis %d is given twice", p->axis[k] + 1));
}

static void read_pane_step(lua_State *L, lun__host *h, panes *p, int k)
{
    (void)h;
    p->step[k] = whole_at_top(L, 3, "option step");
}

/* The options {axis=, step=} at 3; false: they name no axes. */
static bool windows_options(lua_State *L, lun__host *h, panes *p)
{
    bool axes = false;
    if (lua_isnoneornil(L, 3))
        return false;
    if (lua_type(L, 3) == LUA_TNUMBER && lua_type(L, 2) == LUA_TNUMBER)
        lun__blame_argument(
            L, 3,
            lua_pushfstring(L, "widths of two axes are a list, {%s, %s}; an axis is {axis=%s}",
                            lua_tostring(L, 2), lua_tostring(L, 3), lua_tostring(L, 3)));
    lun__lua_along_check(L, 3, "axis=1, step=1");
    for (lua_pushnil(L); lua_next(L, 3); lua_pop(L, 1)) {
        const char *name = lun__lua_along_option(L, 3, "axis=1, step=1");
        if (!strcmp(name, "step")) {
            each_pane(L, h, p, name, read_pane_step);
            continue;
        }
        axes = true;
        each_pane(L, h, p, name, read_pane_axis);
    }
    return axes;
}

/* The width at 2, or a list of them, and the options at 3. */
static void read_panes(lua_State *L, lun__host *h, panes *p)
{
    int64_t shape[LUN_MAX_RANK];
    const int rank = lun_shape(lun__lua_array_check(L, h, 1), shape);
    const bool list = lua_type(L, 2) == LUA_TTABLE;
    const lua_Unsigned count = list ? lua_rawlen(L, 2) : 1;
    if (count < 1 || count > (lua_Unsigned)rank)
        lun__blame_argument(L, 2,
                            lua_pushfstring(L, "%I widths for %s: one for each axis expected",
                                            (lua_Integer)count, lun__error_push_kind(L, h, 1)));
    p->count = (int)count;
    for (int k = 0; k < p->count; k++) {
        p->axis[k] = k;
        p->step[k] = 1;
        if (list) {
            lua_rawgeti(L, 2, k + 1);
            p->width[k] = whole_at_top(L, 2, "width");
            lua_pop(L, 1);
        } else {
            p->width[k] = luaL_checkinteger(L, 2);
        }
    }
    if (!windows_options(L, h, p) && list && p->count < rank)
        lun__blame_argument(
            L, 2,
            lua_pushfstring(
                L, "%d width%s for %s, of %d axes: write %d, or the axes as {axis={...}}", p->count,
                p->count == 1 ? "" : "s", lun__error_push_kind(L, h, 1), rank, rank));
}

/* a:windows(w [, {axis=1, step=1}]), a:windows{w1, w2, ...} */
static int array_windows(lua_State *L)
{
    lun__host *h = lun__host_here(L);
    panes p;
    lun__lua_array_check(L, h, 1);
    lua_settop(L, 3);
    read_panes(L, h, &p);
    lun_array **out = lun__lua_array_new(L, h);
    lun_array *a = lun__lua_array_check(L, h, 1);
    lun_status s = LUN_OK;
    for (int k = 0; k < p.count && s == LUN_OK; k++) {
        lun_array *before = *out, *next = NULL;
        LUN__TRY(s,
                 lun_windows(h->engine, k ? before : a, p.axis[k], p.width[k], p.step[k], &next));
        *out = next;
        lun_release(before);
    }
    return lun__lua_array_give(L, h, s, 2);
}

/* ---- layouts -------------------------------------------------------------------------------- */

static int array_layout(lua_State *L)
{
    static const char *const names[] = {"right", "left", "strided"};
    lun__host *h = lun__host_here(L);
    lua_pushstring(L, names[lun_layout_of(lun__lua_array_check(L, h, 1))]);
    return 1;
}

static int array_strides(lua_State *L)
{
    lun__host *h = lun__host_here(L);
    int64_t strides[LUN_MAX_RANK];
    int rank = lun_strides(lun__lua_array_check(L, h, 1), strides);
    for (int d = 0; d < rank; d++)
        lua_pushinteger(L, strides[d]);
    return rank;
}

void lun__open_window(lua_State *L, const lun__parts *p)
{
    static const lun__entry methods[] = {
        {"sub", array_sub, LUN__ANY},    {"select", array_select, 3},
        {"row", array_row, 2},           {"col", array_col, 2},
        {"diagonal", array_diagonal, 2}, {"transpose", array_transpose, LUN__ANY},
        {"view", array_view, LUN__ANY},  {"broadcast", array_broadcast, LUN__ANY},
        {"windows", array_windows, 3},   {"layout", array_layout, 1},
        {"strides", array_strides, 1},   {NULL, NULL, 0}};
    lun__register_offer(L, p, p->methods, methods);
}
