/* index.c - elements of arrays: v[i], v[i] = x, iteration, filling, storing. Indices count from 1,
 * or back from the end if negative; the engine's count from 0. */
#include <string.h>

#include "bind/host/bind.h"

/* Raises the bad argument for an index outside the array at 1. */
static int out_of_range(lua_State *L, int arg, lua_Integer i, int64_t n)
{
    const char *label = lun_label(lun__lua_array_at(L, 1));
    const char *of = label ? lua_pushfstring(L, " of '%s'", label) : "";
    return lun__blame_argument(
        L, arg,
        n == 0
            ? lua_pushfstring(L, "index %I%s is out of range: the array is empty", i, of)
            : lua_pushfstring(L, "index %I%s is out of range: 1 to %I, or -1 to -%I from the end",
                              i, of, (lua_Integer)n, (lua_Integer)n));
}

/* The index at `arg`, from 0; n for one past the end if `past` allows it. */
static int64_t check_index(lua_State *L, int arg, int64_t n, bool past)
{
    int exact = 0;
    lua_Integer i = lua_type(L, arg) == LUA_TNUMBER ? lua_tointegerx(L, arg, &exact) : 0;
    if (!exact) {
        if (lua_type(L, arg) == LUA_TNUMBER)
            lun__blame_argument(L, arg, "number has no integer representation");
        if (lun__lua_array_is(L, lun__host_here(L), arg))
            lun__blame_argument(L, arg,
                                "integer index expected, got an array: a:compress(mask) has the "
                                "elements where a mask is true, a:take(indices) those at indices, "
                                "a:set(lun.where(mask, x, a)) and a:put(indices, x) write them");
        if (lua_type(L, arg) == LUA_TTABLE)
            lun__blame_argument(
                L, arg,
                "integer index expected, got a table: a:take(t) has the elements at "
                "the indices in it, a:put(t, x) writes them, A[i][j] is an element");
        lun__error_bad_type(L, arg, "integer index");
    }
    if (i >= 1 && i <= n)
        return i - 1;
    if (i < 0 && i >= -n)
        return n + i;
    if (past && i - 1 == n)
        return n;
    return out_of_range(L, arg, i, n);
}

/* Replaces the value of an element at i by a Scalar of a's dtype, if that is a logical one; whether
 * it is. */
static bool as_element(lua_State *L, lun__host *h, int i, const lun_array *a)
{
    const lun_dtype t = lun_dtype_of(a);
    const bool string = lua_type(L, i) == LUA_TSTRING;
    if (string && lun__lua_value_is_text(t))
        lun__lua_text_replace(L, h, i);
    else if (lun__lua_value_is_time(t) && !lun__lua_missing_at(L, h, i))
        lun__lua_time_replace(L, h, i, t);
    else
        return false;
    return true;
}

void lun__index_push(lua_State *L, lun__host *h, lun_array *a, int64_t i, int arg)
{
    int64_t shape[LUN_MAX_RANK];
    lun_status s;
    if (lun_shape(a, shape) > 1) {
        lun_array **out = lun__lua_array_new(L, h);
        LUN__TRY(s, lun_row(h->engine, a, i, out));
        lun__error_check(L, h, s, arg);
    } else {
        lun_value x;
        lun_string text;
        bool missing = false;
        if (lun__lua_value_is_text(lun_dtype_of(a))) {
            LUN__TRY(s, lun_text_read(h->engine, a, i, 1, &text));
            lun__error_check(L, h, s, arg);
            lun__lua_text_push(L, text);
            lun__host_report_memory(L, h);
            return;
        }
        if (lun__lua_complex_number_is_of(a)) {
            double re, im;
            LUN__TRY(s, lun_getcomplex(h->engine, a, i, &re, &im));
            lun__error_check(L, h, s, arg);
            lun__lua_complex_number_push(L, h, re, im);
            lun__host_report_memory(L, h);
            return;
        }
        if (lun_has_missing(a) && lun_dtype_kind(lun_dtype_of(a)) != LUN_KIND_FLOAT)
            LUN__TRY(s, lun_is_missing(h->engine, a, i, &missing));
        else
            s = LUN_OK;
        if (s == LUN_OK && !missing)
            LUN__TRY(s, lun_get(h->engine, a, i, &x));
        lun__error_check(L, h, s, arg);
        if (missing)
            lua_pushnil(L);
        else if (lun__lua_value_is_time(lun_dtype_of(a)))
            lun__lua_value_push_time(L, lun_dtype_of(a), x.as.i);
        else
            lun__lua_value_push(L, x);
    }
    lun__host_report_memory(L, h);
}

/* Pushes a window on the real or the imaginary parts of a. */
static void push_part(lua_State *L, lun__host *h, lun_array *a, bool imaginary)
{
    lun_status s;
    lun_array **out = lun__lua_array_new(L, h);
    if (imaginary)
        LUN__TRY(s, lun_imag(h->engine, a, out));
    else
        LUN__TRY(s, lun_real(h->engine, a, out));
    lun__error_check(L, h, s, 1);
}

/* a[key]: a method for a string (the second upvalue is their table), else an element or a row. */
static int array_index(lua_State *L)
{
    if (lua_type(L, 2) == LUA_TSTRING) {
        const lun_array *of = lun__lua_array_at(L, 1);
        lua_settop(L, 2);
        if (of && lun_is_logical(of) && !lun_is_freed(of)) {
            lua_pushvalue(L, 2);
            const bool text = lun__lua_value_is_text(lun_dtype_of(of));
            if (lun__lua_complex_number_is_of(of)) {
                const char *key = lua_tostring(L, 2);
                if (strcmp(key, "re") == 0 || strcmp(key, "im") == 0) {
                    push_part(L, lun__host_here(L), lun__lua_array_at(L, 1), key[0] == 'i');
                    return 1;
                }
            } else if (lua_rawget(L, lua_upvalueindex(text ? 3 : 4)) != LUA_TNIL)
                return 1;
            lua_settop(L, 2);
        }
        lua_rawget(L, lua_upvalueindex(2));
        return 1;
    }
    lun__host *h = lun__host_here(L);
    lun_array *a = lun__lua_array_check(L, h, 1);
    int64_t n = lun_length(a);
    int64_t i = check_index(L, 2, n, true);
    if (i == n)
        lua_pushnil(L);
    else
        lun__index_push(L, h, a, i, 2);
    return 1;
}

/* Stores the operand at `from` into the array `target`. */
static void store(lua_State *L, lun__host *h, lun_array *target, int from, int arg)
{
    lun_status s;
    lun_array *source = NULL;
    bool own = false;
    LUN__TRY(s, lun__lua_array_load(L, h, from, &source, &own));
    if (s == LUN_OK) {
        LUN__TRY(s, lun_store(h->engine, target, source));
        if (own)
            lun_release(source);
    }
    lun__error_check(L, h, s, arg);
    lun__host_report_memory(L, h);
}

/* Raises that a complex number is no element of a. */
static void refuse_complex(lua_State *L, int arg, const lun_array *a)
{
    lun__blame_argument(L, arg,
                        lua_pushfstring(L, "a complex number does not fit %s: take re, im or abs()",
                                        lun_dtype_name(lun_dtype_of(a))));
}

/* a[i] = x; a[i] = row where a has rows. */
static int array_newindex(lua_State *L)
{
    lun__host *h = lun__host_here(L);
    lun_array *a = lun__lua_array_check(L, h, 1);
    int64_t i = check_index(L, 2, lun_length(a), false);
    int64_t shape[LUN_MAX_RANK];
    lun_status s;
    if (lun_shape(a, shape) > 1) {
        if (lun__lua_missing_at(L, h, 3))
            lun__lua_missing_replace(L, h, 3, lun_dtype_of(a));
        as_element(L, h, 3, a);
        lun__lua_array_operand(L, h, 3);
        lun_array **row = lun__lua_array_new(L, h);
        LUN__TRY(s, lun_row(h->engine, a, i, row));
        lun__error_check(L, h, s, 2);
        store(L, h, *row, 3, 3);
        return 0;
    }
    if (lun__lua_missing_at(L, h, 3)) {
        LUN__TRY(s, lun_set_missing(h->engine, a, i));
        lun__error_check(L, h, s, 3);
        lun__host_report_memory(L, h);
        return 0;
    }
    if (lua_type(L, 3) == LUA_TSTRING && lun__lua_value_is_text(lun_dtype_of(a))) {
        LUN__TRY(s, lun_text_set(h->engine, a, i, lun__lua_text_at(L, 3)));
        lun__error_check(L, h, s, 3);
        lun__host_report_memory(L, h);
        return 0;
    }
    double z[2];
    if (lun__lua_complex_number_is_of(a)) {
        if (!lun__lua_complex_number_or_real(L, h, 3, z))
            lun__error_bad_type(L, 3, "number");
        LUN__TRY(s, lun_setcomplex(h->engine, a, i, z[0], z[1]));
        lun__error_check(L, h, s, 3);
        lun__host_report_memory(L, h);
        return 0;
    }
    if (lun__lua_complex_number_at(L, h, 3, z))
        refuse_complex(L, 3, a);
    lun_value x = lun__lua_value_is_time(lun_dtype_of(a))
                      ? lun__lua_time_value(L, h, 3, lun_dtype_of(a))
                      : lun__lua_array_value(L, h, 3);
    LUN__TRY(s, lun_set(h->engine, a, i, x));
    lun__error_check(L, h, s, 3);
    lun__host_report_memory(L, h);
    return 0;
}

static int array_fill(lua_State *L)
{
    lun__host *h = lun__host_here(L);
    lun_array *a = lun__lua_array_check(L, h, 1);
    const bool made = as_element(L, h, 2, a);
    if (made || lun__lua_missing_at(L, h, 2)) {
        if (!made)
            lun__lua_missing_replace(L, h, 2, lun_dtype_of(a));
        store(L, h, a, 2, 2);
        lua_settop(L, 1);
        return 1;
    }
    double z[2];
    if (lun__lua_complex_number_is_of(a) && lun__lua_complex_number_or_real(L, h, 2, z)) {
        store(L, h, a, 2, 2);
        lua_settop(L, 1);
        return 1;
    }
    if (lun__lua_complex_number_at(L, h, 2, z))
        refuse_complex(L, 2, a);
    lun_value x = lun__lua_array_value(L, h, 2);
    lun_status s;
    LUN__TRY(s, lun_fill(h->engine, a, x));
    lun__error_check(L, h, s, 2);
    lua_settop(L, 1);
    lun__host_report_memory(L, h);
    return 1;
}

static int array_set(lua_State *L)
{
    lun__host *h = lun__host_here(L);
    lun_array *a = lun__lua_array_check(L, h, 1);
    if (lun__lua_missing_at(L, h, 2))
        lun__lua_missing_replace(L, h, 2, lun_dtype_of(a));
    else
        as_element(L, h, 2, a);
    lun__lua_array_operand(L, h, 2);
    store(L, h, a, 2, 2);
    lua_settop(L, 1);
    return 1;
}

/* A:copyto(B): the elements of A into B, which has its shape; gives B. */
static int array_copyto(lua_State *L)
{
    lun__host *h = lun__host_here(L);
    int64_t from[LUN_MAX_RANK], to[LUN_MAX_RANK];
    int rank = lun_shape(lun__lua_array_check(L, h, 1), from);
    lun_array *target = lun__lua_array_check(L, h, 2);
    if (lun_shape(target, to) != rank || memcmp(from, to, (size_t)rank * sizeof *from) != 0) {
        lun__error_push_kind(L, h, 1);
        lun__error_push_kind(L, h, 2);
        lun__blame_argument(
            L, 2,
            lua_pushfstring(L, "shapes differ: %s cannot be copied into %s (use set to broadcast)",
                            lua_tostring(L, -2), lua_tostring(L, -1)));
    }
    store(L, h, target, 1, 2);
    lua_settop(L, 2);
    return 1;
}

/* ---- iteration ------------------------------------------------------------------------------- */

static int iterate(lua_State *L)
{
    lun__host *h = lun__host_here(L);
    lun_array *a = lun__lua_array_check(L, h, 1);
    lua_Integer i = luaL_checkinteger(L, 2);
    if (i < 0 || i >= lun_length(a))
        return 0;
    lua_pushinteger(L, i + 1);
    lun__index_push(L, h, a, i, 1);
    return 2;
}

/* for i, x in v:iter(), or in pairs(v): elements, or rows, from the first on. */
static int array_iter(lua_State *L)
{
    lun__bind_count(L, "iter", 1);
    lun__host *h = lun__host_here(L);
    lun_array *a = lun__lua_array_check(L, h, 1);
    if (!lun_is_virtual(a)) {
        lun_status s;
        LUN__TRY(s, lun_eval(h->engine, &a, 1));
        lun__error_check(L, h, s, 1);
        lun__host_report_memory(L, h);
    }
    lua_pushvalue(L, lua_upvalueindex(2));
    lua_pushvalue(L, 1);
    lua_pushinteger(L, 0);
    return 3;
}

/* s:value(): the element of an array of one element, as a number. */
static int array_value(lua_State *L)
{
    lun__host *h = lun__host_here(L);
    lun_array *a = lun__lua_array_check(L, h, 1);
    if (lun__lua_value_is_text(lun_dtype_of(a)) && lun_size(a) == 1) {
        lun_string text;
        lun_status s;
        LUN__TRY(s, lun_text_read(h->engine, a, 0, 1, &text));
        lun__error_check(L, h, s, 1);
        lun__lua_text_push(L, text);
        return 1;
    }
    if ((lun__lua_value_is_time(lun_dtype_of(a)) || lun__lua_complex_number_is_of(a)) &&
        lun_size(a) == 1) {
        lun__index_push(L, h, a, 0, 1);
        return 1;
    }
    lun_value x = lun__lua_array_value(L, h, 1);
    lun__lua_value_push(L, x);
    lun__host_report_memory(L, h);
    return 1;
}

void lun__open_index(lua_State *L, const lun__parts *p)
{
    static const lun__entry methods[] = {{"fill", array_fill, 2},
                                         {"set", array_set, 2},
                                         {"copyto", array_copyto, 2},
                                         {"value", array_value, 1},
                                         {NULL, NULL, 0}};
    static const luaL_Reg events[] = {{"__newindex", array_newindex}, {NULL, NULL}};
    lun__register_offer(L, p, p->methods, methods);
    lun__register(L, p, p->array, events);

    lua_pushvalue(L, p->host_at);
    lua_pushvalue(L, p->methods);
    lua_pushvalue(L, p->text_methods);
    lua_pushvalue(L, p->time_methods);
    lua_pushcclosure(L, array_index, 4);
    lua_setfield(L, p->array, "__index");

    lua_pushvalue(L, p->host_at);
    lua_pushvalue(L, p->host_at);
    lua_pushcclosure(L, iterate, 1);
    lua_pushcclosure(L, array_iter, 2);
    lua_pushvalue(L, -1);
    lua_setfield(L, p->methods, "iter");
    lua_setfield(L, p->array, "__pairs");
}
