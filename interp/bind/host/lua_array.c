/* lua_array.c - arrays as userdata: functions of all other parts to take and return them, and the
 * methods that query an array or make a value of it. Elements are index.c's, windows
 * lua_window.c's, operators ops.c's. */
#include "bind/host/bind.h"

/* ---- taking and giving ----------------------------------------------------------------------- */

lun_array **lun__lua_array_new(lua_State *L, lun__host *h)
{
    return &lun__host_new_held(L, h, LUN__ARRAY)->as.array;
}

lun_array **lun__lua_array_slot(lua_State *L, lun__host *h, int i)
{
    return &lun__host_array_at(L, h, i)->as.array;
}

lun_array *lun__lua_array_at(lua_State *L, int i)
{
    lun__host *h = lun__host_of(L);
    const lun__held *held = h ? lun__host_array_at(L, h, i) : NULL;
    return held ? held->as.array : NULL;
}

bool lun__lua_array_is(lua_State *L, lun__host *h, int i)
{
    return lun__host_array_at(L, h, i) != NULL;
}

/* Raises the error for a freed array. */
static lun_array *unfreed(lua_State *L, const lun__held *held)
{
    if (!held->as.array || lun_is_freed(held->as.array))
        luaL_error(L, "attempt to use a freed Vector");
    return held->as.array;
}

/* The same, with its length known. */
static lun_array *usable(lua_State *L, lun__host *h, const lun__held *held)
{
    lun_array *a = unfreed(L, held);
    lun_status s;
    if (!lun_is_measured(a)) {
        LUN__TRY(s, lun_measure(h->engine, a));
        lun__error_check(L, h, s, 1);
        lun__host_report_memory(L, h);
    }
    return a;
}

lun_array *lun__lua_array_unevaluated(lua_State *L, lun__host *h, int i)
{
    const lun__held *held = lun__host_array_at(L, h, i);
    if (!held)
        lun__error_bad_type(L, i, "array");
    return unfreed(L, held);
}

lun_array *lun__lua_array_check(lua_State *L, lun__host *h, int i)
{
    const lun__held *held = lun__host_array_at(L, h, i);
    if (!held)
        lun__error_bad_type(L, i, "array");
    return usable(L, h, held);
}

lun_array *lun__lua_array_operand(lua_State *L, lun__host *h, int i)
{
    const lun__held *held = lun__host_array_at(L, h, i);
    if (held)
        return usable(L, h, held);
    int type = lua_type(L, i);
    double z[2];
    if (type != LUA_TNUMBER && type != LUA_TBOOLEAN && !lun__lua_complex_number_at(L, h, i, z))
        lun__error_bad_type(L, i, "array or number");
    return NULL;
}

lun_status lun__lua_array_load(lua_State *L, lun__host *h, int i, lun_array **out, bool *own)
{
    int type = lua_type(L, i);
    double z[2];
    const bool complex = type == LUA_TUSERDATA && lun__lua_complex_number_at(L, h, i, z);
    *own = type != LUA_TUSERDATA || complex;
    if (complex)
        return lun_complex_number(h->engine, z[0], z[1], out);
    if (type == LUA_TBOOLEAN)
        return lun_boolean(h->engine, lua_toboolean(L, i), out);
    if (type == LUA_TNUMBER)
        return lua_isinteger(L, i) ? lun_integer(h->engine, lua_tointeger(L, i), out)
                                   : lun_number(h->engine, lua_tonumber(L, i), out);
    *out = lun__host_held_at(h, ((const lun__box *)lua_touserdata(L, i))->slot)->as.array;
    return LUN_OK;
}

lun_value lun__lua_array_value(lua_State *L, lun__host *h, int i)
{
    lun_value x = {.dtype = LUN_BOOL};
    if (lun__lua_value_at(L, i, &x))
        return x;
    const lun__held *held = lun__host_array_at(L, h, i);
    if (!held)
        lun__error_bad_type(L, i, "number or boolean");
    lun_array *a = usable(L, h, held);
    if (lun_size(a) != 1)
        lun__blame_argument(
            L, i,
            lua_pushfstring(L, "one number expected, got %I elements", (lua_Integer)lun_size(a)));
    lun_status s;
    LUN__TRY(s, lun_get(h->engine, a, 0, &x));
    lun__error_check(L, h, s, i);
    return x;
}

/* ---- what it is ------------------------------------------------------------------------------ */

static int array_len(lua_State *L)
{
    lun__host *h = lun__host_here(L);
    lua_pushinteger(L, lun_length(lun__lua_array_check(L, h, 1)));
    return 1;
}

static int array_dtype(lua_State *L)
{
    lun__host *h = lun__host_here(L);
    lua_pushstring(L, lun_dtype_name(lun_dtype_of(lun__lua_array_unevaluated(L, h, 1))));
    return 1;
}

static int array_shape(lua_State *L)
{
    lun__host *h = lun__host_here(L);
    int64_t shape[LUN_MAX_RANK];
    int rank = lun_shape(lun__lua_array_check(L, h, 1), shape);
    for (int d = 0; d < rank; d++)
        lua_pushinteger(L, shape[d]);
    return rank;
}

static int array_size(lua_State *L)
{
    lun__host *h = lun__host_here(L);
    lua_pushinteger(L, lun_size(lun__lua_array_check(L, h, 1)));
    return 1;
}

static int array_kind(lua_State *L)
{
    lun__host *h = lun__host_here(L);
    lua_pushstring(L, lun__error_class_name(lun__lua_array_unevaluated(L, h, 1)));
    return 1;
}

static int array_pending(lua_State *L)
{
    lun__host *h = lun__host_here(L);
    lua_pushinteger(L, lun_pending(lun__lua_array_unevaluated(L, h, 1)));
    return 1;
}

/* Whether the length is known without running anything. */
static int is_measured(lua_State *L)
{
    lun__host *h = lun__host_here(L);
    lua_pushboolean(L, lun_is_measured(lun__lua_array_unevaluated(L, h, 1)));
    return 1;
}

static int array_backend(lua_State *L)
{
    lun__host *h = lun__host_here(L);
    lua_pushstring(L, lun_device_of(lun__lua_array_check(L, h, 1)));
    return 1;
}

/* core.internal.kind_of(x): what a message calls x. */
static int push_kind_of(lua_State *L)
{
    lun__host *h = lun__host_here(L);
    luaL_checkany(L, 1);
    lun__error_push_kind(L, h, 1);
    return 1;
}

static int is_array(lua_State *L)
{
    lua_pushboolean(L, lun__lua_array_is(L, lun__host_here(L), 1));
    return 1;
}

/* ---- others made of it ----------------------------------------------------------------------- */

int lun__lua_array_give(lua_State *L, lun__host *h, lun_status s, int arg)
{
    lun__error_check(L, h, s, arg);
    lun__host_report_memory(L, h);
    return 1;
}

/* Ends a call of which an argument is of a logical dtype, or such a dtype, by the method of that
 * name in a table of core.internal, with all arguments: the number of results. */
static int call_method(lua_State *L, const char *table, const char *name)
{
    lua_getiuservalue(L, lua_upvalueindex(1), LUN__CORE);
    lua_getfield(L, -1, "internal");
    lua_getfield(L, -1, table);
    lua_getfield(L, -1, name);
    lua_insert(L, 1);
    lua_pop(L, 3);
    lua_call(L, lua_gettop(L) - 1, LUA_MULTRET);
    return lua_gettop(L);
}

static int array_cast(lua_State *L)
{
    lun__host *h = lun__host_here(L);
    lun_dtype t = lun__lua_value_any_dtype(L, 2);
    if (lun__lua_complex_number_is_of(lun__lua_array_check(L, h, 1)))
        (void)t; /* no method: lun_cast */
    else if (lun__lua_value_is_time(t) ||
             lun__lua_value_is_time(lun_dtype_of(lun__lua_array_check(L, h, 1))))
        return call_method(L, "time_methods", "cast");
    else if (lun__lua_value_is_text(t) ||
             lun__lua_value_is_text(lun_dtype_of(lun__lua_array_check(L, h, 1))))
        return call_method(L, "text_methods", "cast");
    lun_array **out = lun__lua_array_new(L, h);
    lun_array *a = lun__lua_array_check(L, h, 1);
    lun_status s;
    LUN__TRY(s, lun_cast(h->engine, a, t, out));
    return lun__lua_array_give(L, h, s, 1);
}

static int array_reshape(lua_State *L)
{
    lun__host *h = lun__host_here(L);
    int64_t shape[LUN_MAX_RANK];
    lun__lua_value_gather_shape(L, 2);
    lun__bind_count(L, "reshape", 2);
    int64_t size = lun_size(lun__lua_array_check(L, h, 1));
    int rank = lun__lua_value_new_shape(L, 2, size, shape);
    lun_array **out = lun__lua_array_new(L, h);
    lun_array *a = lun__lua_array_check(L, h, 1);
    lun_status s;
    LUN__TRY(s, lun_reshape(h->engine, a, rank, shape, out));
    return lun__lua_array_give(L, h, s, 2);
}

/* a:flatten(): the elements in row-major order as a Vector. */
static int array_flatten(lua_State *L)
{
    lun__host *h = lun__host_here(L);
    int64_t size = lun_size(lun__lua_array_check(L, h, 1));
    lun_array **out = lun__lua_array_new(L, h);
    lun_array *a = lun__lua_array_check(L, h, 1);
    lun_status s;
    LUN__TRY(s, lun_reshape(h->engine, a, 1, &size, out));
    return lun__lua_array_give(L, h, s, 1);
}

static int array_concat(lua_State *L)
{
    const int other = lun__record_among(L, 1);
    if (other && luaL_getmetafield(L, other, "__concat") != LUA_TNIL) {
        lua_insert(L, 1);
        lua_call(L, 2, 1);
        return 1;
    }
    lun__host *h = lun__host_here(L);
    for (int i = 1; i <= 2; i++)
        if (lua_type(L, i) == LUA_TSTRING ||
            (lun__lua_array_is(L, h, i) &&
             lun__lua_value_is_text(lun_dtype_of(lun__lua_array_check(L, h, i)))))
            return call_method(L, "text_methods", "..");
    if (!lun__lua_array_is(L, h, 1) || !lun__lua_array_is(L, h, 2))
        return call_method(L, "complex_methods", "joined");
    lun_array **out = lun__lua_array_new(L, h);
    lun_array *a = lun__lua_array_check(L, h, 1);
    lun_array *b = lun__lua_array_check(L, h, 2);
    lun_status s;
    LUN__TRY(s, lun_concat(h->engine, a, b, out));
    return lun__lua_array_give(L, h, s, 2);
}

/* a == b of two handles: whether both are arrays of one shape with equal elements, by a:equals(b).
 * lua_rawequal compares handles. */
static int array_eq(lua_State *L)
{
    lun__host *h = lun__host_here(L);
    if (!lun__lua_array_is(L, h, 1) || !lun__lua_array_is(L, h, 2)) {
        lua_pushboolean(L, 0);
        return 1;
    }
    lua_settop(L, 2);
    lua_getfield(L, 1, "equals");
    lua_insert(L, 1);
    lua_call(L, 2, 1);
    return 1;
}

/* ---- its life -------------------------------------------------------------------------------- */

/* A freed array keeps its reference until its userdata ends: a call that has its pointer may run
 * finalisers. */

static int array_eval(lua_State *L)
{
    lun__host *h = lun__host_here(L);
    lun_array *a = lun__lua_array_unevaluated(L, h, 1);
    lun_status s;
    LUN__TRY(s, lun_eval(h->engine, &a, 1));
    lun__error_check(L, h, s, 1);
    lua_settop(L, 1);
    lun__host_report_memory(L, h);
    return 1;
}

static int array_free(lua_State *L)
{
    lun__host *h = lun__host_here(L);
    lun_array *a = lun__lua_array_unevaluated(L, h, 1);
    lun__error_check(L, h, lun_free(h->engine, a), 1);
    return 0;
}

/* core.internal.let_go(a): gives up the reference of a userdata that nothing uses any more, so that
 * memory that others do not use is free before the collector finds it. */
static int let_go(lua_State *L)
{
    lun__held *held = lun__host_array_at(L, lun__host_here(L), 1);
    if (held && held->as.array) {
        lun_release(held->as.array);
        held->as.array = NULL;
    }
    return 0;
}

/* The end of a <close> variable, whether or not the array was freed before. */
static int array_close(lua_State *L)
{
    lun__host *h = lua_touserdata(L, lua_upvalueindex(1));
    const lun__held *held = h->engine ? lun__host_array_at(L, h, 1) : NULL;
    if (held && held->as.array && !lun_is_freed(held->as.array))
        lun__error_check(L, h, lun_free(h->engine, held->as.array), 1);
    return 0;
}

void lun__open_array(lua_State *L, const lun__parts *p)
{
    static const lun__entry methods[] = {
        {"dtype", array_dtype, 1},     {"shape", array_shape, 1},
        {"size", array_size, 1},       {"kind", array_kind, 1},
        {"pending", array_pending, 1}, {"backend", array_backend, 1},
        {"cast", array_cast, 3},       {"reshape", array_reshape, LUN__ANY},
        {"flatten", array_flatten, 1}, {"eval", array_eval, 1},
        {"free", array_free, 1},       {NULL, NULL, 0}};
    static const luaL_Reg events[] = {
        {"__len", array_len},     {"__eq", array_eq}, {"__concat", array_concat},
        {"__close", array_close}, {NULL, NULL},
    };
    static const lun__entry functions[] = {
        {"isarray", is_array, 1}, {"cast", array_cast, 3}, {NULL, NULL, 0}};
    static const luaL_Reg internal[] = {
        {"kind_of", push_kind_of}, {"let_go", let_go}, {"measured", is_measured}, {NULL, NULL}};
    lun__register_offer(L, p, p->methods, methods);
    lun__register(L, p, p->array, events);
    lun__register_offer(L, p, p->core, functions);
    lun__register(L, p, p->internal, internal);
}
