/* lua_reduce.c - reductions of whole arrays to Lua numbers, made in one loop over the engine's
 * table, and the functions built on them. A function that is an operation too (min, max) is that
 * with two arguments. */
#include <string.h>

#include "bind/host/bind.h"
#include "bind/host/field.h"

/* The row of a reduction of the engine's table. */
static lun_reduction_info row_of(lun_reduction r)
{
    lun_reduction_info row = {.size = sizeof row, .name = ""};
    (void)lun_reduction_describe(r, &row);
    return row;
}

enum { LEFT = 8 }; /* slots in which earlier calls may have left an operand */

/* Makes x the only value in this call's slots: the collector takes leftovers in them as alive until
 * the caller uses the slots again, so they would keep the reduced elements. */
static int only_number(lua_State *L, lun_value x)
{
    lua_settop(L, 0);
    lua_settop(L, LEFT);
    lua_settop(L, 0);
    lun__lua_value_push(L, x);
    return 1;
}

/* Pushes a reduction that gives a text; nil if it is missing. */
static int text_total(lua_State *L, lun__host *h, lun_reduction r, lun_array *a)
{
    lun_string text = {NULL, 0};
    lun_array *scalar = NULL;
    lun_status s;
    LUN__TRY(s, lun_total_lazy(h->engine, r, a, 0, &scalar));
    if (s == LUN_OK)
        LUN__TRY(s, lun_text_read(h->engine, scalar, 0, 1, &text));
    if (s == LUN_OK)
        lun__lua_text_push(L, text);
    lun_release(scalar);
    lun__error_check(L, h, s, 1);
    lun__host_report_memory(L, h);
    return 1;
}

/* Pushes a reduction that gives a date, timestamp or duration; nil if it is missing. */
static int time_total(lua_State *L, lun__host *h, lun_reduction r, lun_array *a)
{
    lun_array *scalar = NULL;
    lun_value x = {.dtype = LUN_I64};
    bool missing = false;
    lun_status s;
    LUN__TRY(s, lun_total_lazy(h->engine, r, a, 0, &scalar));
    const lun_dtype t = s == LUN_OK ? lun_dtype_of(scalar) : LUN_DATE;
    if (s == LUN_OK)
        LUN__TRY(s, lun_is_missing(h->engine, scalar, 0, &missing));
    if (s == LUN_OK && !missing)
        LUN__TRY(s, lun_get(h->engine, scalar, 0, &x));
    lun_release(scalar);
    lun__error_check(L, h, s, 1);
    if (missing)
        lua_pushnil(L);
    else
        lun__lua_value_push_time(L, t, x.as.i);
    lun__host_report_memory(L, h);
    return 1;
}

/* Pushes the reduction of the array at 1. */
static int total(lua_State *L, lun__host *h, lun_reduction r, const lun_along_options *o)
{
    lun_array *a = lun__lua_array_check(L, h, 1), *scalar = NULL;
    lun_value x;
    lun_status s;
    if (lun__lua_value_is_text(lun_dtype_of(a)) && !row_of(r).index)
        return text_total(L, h, r, a);
    if (lun__lua_value_is_time(lun_dtype_of(a)) && !row_of(r).index)
        return time_total(L, h, r, a);
    if (lun__lua_complex_number_is_of(a))
        return lun__lua_complex_total(L, h, r, a, o);
    if (o->ddof_part == 0) {
        LUN__TRY(s, lun_total(h->engine, r, a, o->ddof, &x));
    } else {
        LUN__TRY(s, lun_along(h->engine, r, a, NULL, 0, o, &scalar));
        if (s == LUN_OK)
            LUN__TRY(s, lun_get(h->engine, scalar, 0, &x));
        lun_release(scalar);
    }
    lun__error_check(L, h, s, 1);
    if (row_of(r).index)
        x.as.i++;
    lun__host_report_memory(L, h);
    const bool none = (r == LUN_MIN || r == LUN_MAX) && lun_has_missing(a) &&
                      lun_dtype_kind(lun_dtype_of(a)) != LUN_KIND_FLOAT &&
                      lun_dtype_kind(x.dtype) == LUN_KIND_FLOAT;
    only_number(L, x);
    if (none)
        lua_pushnil(L);
    return 1;
}

/* The reduction of the array at 1 along axes and with options, at 2: a number if that is of all
 * elements. */
static int along(lua_State *L, lun__host *h, lun_reduction r)
{
    lun_value x;
    lun_status s;
    if (!lun__lua_along_push(L, h, r, 2)) {
        lun__host_report_memory(L, h);
        return 1;
    }
    lun_array *one = *lun__lua_array_slot(L, h, -1);
    bool missing = false;
    if (lun_is_logical(one)) {
        lun__index_push(L, h, one, 0, 1);
        return 1;
    }
    if (lun_has_missing(one) && lun_dtype_kind(lun_dtype_of(one)) != LUN_KIND_FLOAT) {
        LUN__TRY(s, lun_is_missing(h->engine, one, 0, &missing));
        lun__error_check(L, h, s, 1);
    }
    if (missing) {
        lua_pushnil(L);
        return 1;
    }
    LUN__TRY(s, lun_get(h->engine, one, 0, &x));
    lun__error_check(L, h, s, 1);
    lun__host_report_memory(L, h);
    return only_number(L, x);
}

/* The number at i that a reduction may be given, as an option; 0 where it takes none. */
static lun_along_options option_of(lua_State *L, const lun_reduction_info *row, int i)
{
    lun_along_options o = {.size = sizeof o};
    if (row->option[0] && !lua_isnoneornil(L, i)) {
        luaL_checknumber(L, i);
        luaL_argcheck(L, lun__lua_along_ddof(L, i, &o), i,
                      lua_pushfstring(L, "'%s' is a number from 0 on, not %s", row->option,
                                      lun__error_push_shown(L, i)));
    }
    return o;
}

/* a:sum(), lun.sum(a). Upvalues: the host, the reduction. */
static int call_reduction(lua_State *L)
{
    lun__host *h = lun__host_here(L);
    lun_reduction r = (lun_reduction)lua_tointeger(L, lua_upvalueindex(2));
    const lun_reduction_info row = row_of(r);
    int other = lun__record_override_at(L, row.name);
    if (other)
        return lun__record_call(L, row.name, other);
    lun__lua_array_check(L, h, 1);
    lun__bind_count(L, row.name, 2);
    other = r == LUN_PROD ? lun__lua_complex_divert(L, h, row.name) : -1;
    if (other >= 0)
        return other;
    if (lun__lua_along_takes(L, h, &row, 2))
        return along(L, h, r);
    const lun_along_options o = option_of(L, &row, 2);
    return total(L, h, r, &o);
}

/* a:min() and a:min(b). Upvalues: the host, the reduction, the operation, its arity. */
static int call_either(lua_State *L)
{
    lun__host *h = lun__host_here(L);
    lun_reduction r = (lun_reduction)lua_tointeger(L, lua_upvalueindex(2));
    int other = lun__record_override_at(L, row_of(r).name);
    if (other)
        return lun__record_call(L, row_of(r).name, other);
    const lun_along_options none = {.size = sizeof none};
    if (lua_isnoneornil(L, 2))
        return total(L, h, r, &none);
    if (lua_type(L, 2) == LUA_TTABLE) {
        lun__bind_count(L, row_of(r).name, 2);
        return along(L, h, r);
    }
    int arity = (int)lua_tointeger(L, lua_upvalueindex(4));
    lun__bind_count(L, row_of(r).name, arity);
    return lun__ops_apply(L, h, (lun_op)lua_tointeger(L, lua_upvalueindex(3)), arity, false);
}

bool lun__lua_reduce_op_at(lua_State *L, int i, lun_op *op)
{
    if (lua_tocfunction(L, i) != call_either || !lua_getupvalue(L, i, 3))
        return false;
    *op = (lun_op)lua_tointeger(L, -1);
    lua_pop(L, 1);
    return true;
}

/* Whether a reduction is also an elementwise operation, such as min; then it takes axes in a
 * table. */
static bool is_either(const lun_reduction_info *row)
{
    lun_op op;
    return lun_op_find(row->name, 0, &op);
}

/* a:lazy("sum" [, option]): the reduction as a Scalar, to be evaluated together with others; along
 * axes as an array. */
static int array_lazy(lua_State *L)
{
    lun__host *h = lun__host_here(L);
    const char *name = luaL_checkstring(L, 2);
    lun_reduction_info row = {.size = sizeof row};
    int r = 0;
    while (lun_reduction_describe((lun_reduction)r, &row) && strcmp(row.name, name) != 0)
        r++;
    if (r == LUN_REDUCTION_COUNT)
        return lun__blame_argument(L, 2, lua_pushfstring(L, "unknown reduction '%s'", name));
    lun__bind_count(L, "lazy", 3);
    lun__lua_array_check(L, h, 1);
    if (lua_type(L, 3) == LUA_TNUMBER && is_either(&row))
        lun__blame_argument(L, 3,
                            lua_pushfstring(L, "%s expects its axis in a table: {axis=...}", name));
    if (lun__lua_along_takes(L, h, &row, 3)) {
        lun__lua_along_push(L, h, (lun_reduction)r, 3);
        return 1;
    }
    const lun_along_options o = option_of(L, &row, 3);
    lun_array **out = lun__lua_array_new(L, h);
    lun_array *a = lun__lua_array_check(L, h, 1);
    lun_status s;
    if (o.ddof_part == 0)
        LUN__TRY(s, lun_total_lazy(h->engine, (lun_reduction)r, a, o.ddof, out));
    else
        LUN__TRY(s, lun_along(h->engine, (lun_reduction)r, a, NULL, 0, &o, out));
    if (s == LUN_OK && row.index)
        s = lun__lua_along_from_1(h->engine, out);
    lun__error_check(L, h, s, 2);
    return 1;
}

/* The sum of the products of two arrays of one shape, of which one is complex. */
static int complex_dot(lua_State *L, lun__host *h, lun_array *a, lun_array *b)
{
    int64_t x[LUN_MAX_RANK], y[LUN_MAX_RANK];
    const int rank = lun_shape(a, x);
    const lun_along_options o = {.size = sizeof o};
    lun_status s;
    if (lun_shape(b, y) != rank || memcmp(x, y, (size_t)rank * sizeof *x) != 0) {
        lun__error_push_kind(L, h, 1);
        lun__error_push_kind(L, h, 2);
        lun__blame_argument(L, 2,
                            lua_pushfstring(L, "shapes differ: %s and %s", lua_tostring(L, -2),
                                            lua_tostring(L, -1)));
    }
    lun_array **product = lun__lua_array_new(L, h);
    LUN__TRY(s, lun_mul(h->engine, a, b, product));
    lun__error_check(L, h, s, 2);
    return lun__lua_complex_total(L, h, LUN_SUM, *product, &o);
}

/* a:dot(b): one pass, no temporary. */
static int array_dot(lua_State *L)
{
    lun__host *h = lun__host_here(L);
    lun_array *a = lun__lua_array_check(L, h, 1);
    lun_array *b = lun__lua_array_check(L, h, 2);
    lun_value x;
    lun_status s;
    if (lun__lua_complex_number_is_of(a) || lun__lua_complex_number_is_of(b))
        return complex_dot(L, h, a, b);
    LUN__TRY(s, lun_dot(h->engine, a, b, &x));
    lun__error_check(L, h, s, 2);
    lun__host_report_memory(L, h);
    return only_number(L, x);
}

/* internal.reductions(): the rows of the engine's table, in order. */
static int reductions(lua_State *L)
{
    lun_reduction_info row = {.size = sizeof row};
    lua_newtable(L);
    for (int r = 0; lun_reduction_describe((lun_reduction)r, &row); r++) {
        lua_createtable(L, 0, 4);
        lun__field_set_text(L, "name", row.name);
        lun__field_set_text(L, "doc", row.doc);
        lun__field_set_text(L, "option", row.option);
        lun__field_set_bool(L, "index", row.index);
        lua_rawseti(L, -2, r + 1);
    }
    return 1;
}

void lun__open_reduce(lua_State *L, const lun__parts *p)
{
    lun_reduction_info row = {.size = sizeof row};
    for (int r = 0; lun_reduction_describe((lun_reduction)r, &row); r++) {
        lun_op op;
        lun_op_info info = {.size = sizeof info};
        lua_pushvalue(L, p->host_at);
        lua_pushinteger(L, r);
        if (lun_op_find(row.name, 0, &op) && lun_op_describe(op, &info)) {
            lua_pushinteger(L, op);
            lua_pushinteger(L, info.arity);
            lua_pushcclosure(L, call_either, 4);
        } else {
            lua_pushcclosure(L, call_reduction, 2);
        }
        lua_pushvalue(L, -1);
        lua_setfield(L, p->core, row.name);
        lua_setfield(L, p->methods, row.name);
    }
    static const lun__entry methods[] = {
        {"lazy", array_lazy, 3}, {"dot", array_dot, 2}, {NULL, NULL, 0}};
    static const lun__entry functions[] = {{"dot", array_dot, 2}, {NULL, NULL, 0}};
    static const luaL_Reg internal[] = {{"reductions", reductions}, {NULL, NULL}};
    lun__register_offer(L, p, p->methods, methods);
    lun__register_offer(L, p, p->core, functions);
    lun__register(L, p, p->internal, internal);
}
