/* lua_memory.c - methods about an array's memory: its label, read-only views, whether two arrays
 * show the same elements, arrays that change their size. */
#include <string.h>

#include "bind/host/bind.h"

/* a:label(): its label or nil; a:label(text): gives it one, nil: none, and returns a. */
static int array_label(lua_State *L)
{
    lun__host *h = lun__host_here(L);
    lun_array *a = lun__lua_array_unevaluated(L, h, 1);
    size_t length = 0;
    lun_status s;
    if (lua_gettop(L) < 2) {
        lua_pushstring(L, lun_label(a)); /* NULL: nil */
        return 1;
    }
    const char *text = lua_isnil(L, 2) ? NULL : luaL_checklstring(L, 2, &length);
    luaL_argcheck(L, !text || strlen(text) == length, 2, "the label has a NUL byte");
    LUN__TRY(s, lun_set_label(h->engine, a, text));
    lun__error_check(L, h, s, 2);
    lua_settop(L, 1);
    return 1;
}

static int array_readonly(lua_State *L)
{
    lun__host *h = lun__host_here(L);
    lun_array **out = lun__lua_array_new(L, h);
    lun_array *a = lun__lua_array_check(L, h, 1);
    lun_status s;
    LUN__TRY(s, lun_readonly(h->engine, a, out));
    return lun__lua_array_give(L, h, s, 1);
}

static int array_aliases(lua_State *L)
{
    lun__host *h = lun__host_here(L);
    bool share = false;
    lun_status s;
    lun_array *a = lun__lua_array_check(L, h, 1), *b = lun__lua_array_check(L, h, 2);
    LUN__TRY(s, lun_aliases(h->engine, a, b, &share));
    lun__error_check(L, h, s, 2);
    lua_pushboolean(L, share);
    return 1;
}

/* a:resize(shape): a is another array then, with the elements that both have. */
static int array_resize(lua_State *L)
{
    lun__host *h = lun__host_here(L);
    int64_t shape[LUN_MAX_RANK];
    lun_status s;
    lun__lua_value_gather_shape(L, 2);
    lun__bind_count(L, "resize", 2);
    lun_array *a = lun__lua_array_check(L, h, 1);
    const int rank = lun__lua_value_shape(L, 2, shape);
    LUN__TRY(s, lun_resize(h->engine, &a, rank, shape));
    lun__error_check(L, h, s, s == LUN_ESHAPE || s == LUN_ERANGE ? 2 : 1);
    *lun__lua_array_slot(L, h, 1) = a;
    lun__host_report_memory(L, h);
    lua_settop(L, 1);
    return 1;
}

/* Replaces what is no number at 2 by an element of a's dtype. */
static void as_element(lua_State *L, lun__host *h, const lun_array *a)
{
    const lun_dtype t = lun_dtype_of(a);
    if (lun__lua_missing_at(L, h, 2))
        lun__lua_missing_replace(L, h, 2, t);
    else if (lun__lua_value_is_time(t) && !lun__lua_array_is(L, h, 2))
        lun__lua_time_replace(L, h, 2, t);
    else if (lun__lua_value_is_text(t) && lua_type(L, 2) == LUA_TSTRING)
        lun__lua_text_replace(L, h, 2);
}

/* a:append(x): the elements of a Vector, or a number, behind those of a, which is returned. */
static int array_append(lua_State *L)
{
    lun__host *h = lun__host_here(L);
    lun_array *x = NULL;
    bool own = false;
    lun_status s;
    luaL_checkany(L, 2);
    as_element(L, h, lun__lua_array_check(L, h, 1));
    lun__lua_array_operand(L, h, 2);
    LUN__TRY(s, lun__lua_array_load(L, h, 2, &x, &own));
    if (s == LUN_OK) {
        lun_array *a = lun__lua_array_check(L, h, 1);
        LUN__TRY(s, lun_append(h->engine, a, x));
        if (own)
            lun_release(x);
    }
    lun__error_check(L, h, s, 2);
    lun__host_report_memory(L, h);
    lua_settop(L, 1);
    return 1;
}

void lun__open_memory(lua_State *L, const lun__parts *p)
{
    static const lun__entry methods[] = {
        {"label", array_label, 2},     {"readonly", array_readonly, 1},
        {"aliases", array_aliases, 2}, {"resize", array_resize, LUN__ANY},
        {"append", array_append, 2},   {NULL, NULL, 0}};
    lun__register_offer(L, p, p->methods, methods);
}
