/* lua_histogram.c - a:histogram: counts of elements in bins, and their edges. */
#include <string.h>

#include "bind/host/bind.h"

/* The options at 3; weights: an index of the stack, 0: none. */
typedef struct options {
    bool ranged;
    double range[2];
    int weights;
} options;

/* The range {lo, hi} at the top. */
static void read_range(lua_State *L, options *o)
{
    bool good = lua_istable(L, -1) && lua_rawlen(L, -1) == 2;
    for (int k = 0; good && k < 2; k++) {
        good = lua_rawgeti(L, -1, k + 1) == LUA_TNUMBER;
        o->range[k] = lua_tonumber(L, -1);
        lua_pop(L, 1);
    }
    if (!good)
        lun__blame_argument(L, 3, "option range: {lo, hi} expected");
    o->ranged = true;
}

/* Leaves the weights at 4. */
static options read_options(lua_State *L, lun__host *h)
{
    options o = {0};
    if (!lua_isnil(L, 3))
        luaL_checktype(L, 3, LUA_TTABLE);
    lua_pushnil(L);
    for (lua_pushnil(L); lua_istable(L, 3) && lua_next(L, 3); lua_pop(L, 1)) {
        if (!strcmp(lun__lua_along_option(L, 3, "range={0, 1}, weights=w"), "range")) {
            read_range(L, &o);
        } else {
            if (!lun__lua_array_is(L, h, -1))
                lun__blame_argument(L, 3,
                                    lua_pushfstring(L, "option weights: an array expected, got %s",
                                                    luaL_typename(L, -1)));
            lua_pushvalue(L, -1);
            lua_replace(L, 4);
            o.weights = 4;
        }
    }
    lua_settop(L, 4);
    return o;
}

/* Raises a failure; operand: the arguments that the engine's operands 1, 2 and 3 are. */
static void check(lua_State *L, lun__host *h, lun_status s, int fallback)
{
    static const int argument[] = {0, 1, 2, 3};
    int operand = s == LUN_OK ? 0 : lun_error_operand(h->engine);
    lun__error_check(L, h, s, operand > 0 && operand < 4 ? argument[operand] : fallback);
}

/* Pushes the edges. */
static void push_edges(lua_State *L, lun__host *h, const options *o)
{
    lun_status s;
    if (lun__lua_array_is(L, h, 2)) {
        if (o->ranged)
            lun__blame_argument(L, 3, "option range: the edges are given already");
        lun_array **out = lun__lua_array_new(L, h);
        lun_array *edges = lun__lua_array_check(L, h, 2);
        LUN__TRY(s, lun_cast(h->engine, edges, LUN_F64, out));
        check(L, h, s, 2);
        return;
    }
    int exact = 0;
    lua_Integer bins = lua_isnil(L, 2) ? 10 : lua_tointegerx(L, 2, &exact);
    if (!lua_isnil(L, 2) && (lua_type(L, 2) != LUA_TNUMBER || !exact))
        lun__error_bad_type(L, 2, "a number of bins or a Vector of edges");
    lun_array **out = lun__lua_array_new(L, h);
    lun_array *a = lun__lua_array_check(L, h, 1);
    LUN__TRY(s, lun_histogram_edges(h->engine, a, bins, o->ranged ? o->range : NULL, out));
    check(L, h, s, o->ranged && bins > 0 ? 3 : 2);
}

/* a:histogram([bins] [, {range=, weights=}]): counts, edges; with weights sums, edges, counts */
static int array_histogram(lua_State *L)
{
    lun__host *h = lun__host_here(L);
    lun_status s;
    lun__lua_array_check(L, h, 1);
    if (lua_istable(L, 2) && lua_isnoneornil(L, 3)) { /* only options */
        lua_settop(L, 2);
        lua_pushnil(L);
        lua_insert(L, 2);
    }
    lua_settop(L, 3);
    options o = read_options(L, h);
    lun__source_line_mark(L, h);
    push_edges(L, h, &o); /* at 5 */
    (void)lun__lua_array_new(L, h);
    if (o.weights)
        (void)lun__lua_array_new(L, h);
    lun_array *a = lun__lua_array_check(L, h, 1), *edges = lun__lua_array_check(L, h, 5);
    lun_array *weights = o.weights ? lun__lua_array_check(L, h, 4) : NULL;
    lun_array **counts = lun__lua_array_slot(L, h, 6);
    lun_array **sums = o.weights ? lun__lua_array_slot(L, h, 7) : NULL;
    LUN__TRY(s, lun_histogram(h->engine, a, edges, weights, counts, sums));
    check(L, h, s, 1);
    lun__host_report_memory(L, h);
    lua_pushvalue(L, o.weights ? 7 : 6);
    lua_pushvalue(L, 5);
    if (o.weights)
        lua_pushvalue(L, 6);
    return o.weights ? 3 : 2;
}

void lun__open_histogram(lua_State *L, const lun__parts *p)
{
    static const lun__entry functions[] = {{"histogram", array_histogram, 3}, {NULL, NULL, 0}};
    lun__register_offer(L, p, p->core, functions);
    lun__register_offer(L, p, p->methods, functions);
}
