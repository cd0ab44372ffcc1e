/* lua_text.c - arrays of dtype text: their elements as strings, and the methods that only they
 * have. What is made of texts in Lua is lua/lunarray/text's. */
#include <limits.h>
#include <string.h>

#include "bind/host/bind.h"

lun_string lun__lua_text_at(lua_State *L, int i)
{
    size_t n;
    const char *s = lua_tolstring(L, i, &n);
    return (lun_string){s, (int64_t)n};
}

void lun__lua_text_push(lua_State *L, lun_string s)
{
    if (s.data)
        lua_pushlstring(L, s.data, (size_t)s.length);
    else
        lua_pushnil(L);
}

void lun__lua_text_replace(lua_State *L, lun__host *h, int i)
{
    const lun_string text = lun__lua_text_at(L, i);
    lun_status s;
    lun_array **out = lun__lua_array_new(L, h);
    LUN__TRY(s, lun_text_tensor(h->engine, &text, 0, NULL, out));
    if (s == LUN_EARG)
        lun__blame_argument(L, i, "not UTF-8 text");
    lun__error_check(L, h, s, i);
    lua_replace(L, i);
}

void lun__lua_text_refuse_value(lua_State *L, int arg, const char *what, const lun_array *a)
{
    if (lun__lua_value_has_gaps(lun_dtype_of(a)))
        lun__blame_argument(L, arg,
                            lua_pushfstring(L, "%s: elements of %s are missing there, no number",
                                            what, lun_dtype_name(lun_dtype_of(a))));
}

/* The text array at 1. */
static lun_array *check_text(lua_State *L, lun__host *h)
{
    lun_array *a = lun__lua_array_check(L, h, 1);
    if (!lun__lua_value_is_text(lun_dtype_of(a)))
        lun__error_bad_type(L, 1, "text");
    return a;
}

/* a:codes(), a:levels() */
static int codes_or_levels(lua_State *L, bool codes)
{
    lun__host *h = lun__host_here(L);
    check_text(L, h);
    lun_array **first = lun__lua_array_new(L, h);
    lun_array **second = lun__lua_array_new(L, h);
    lun_array *a = check_text(L, h);
    lun_status s;
    LUN__TRY(s, lun_text_codes(h->engine, a, first, second));
    lun__error_check(L, h, s, 1);
    if (codes)
        lua_pop(L, 1);
    lun__host_report_memory(L, h);
    return 1;
}

static int text_codes(lua_State *L)
{
    return codes_or_levels(L, true);
}

static int text_levels(lua_State *L)
{
    return codes_or_levels(L, false);
}

/* The number of the function of texts of that name; -1: there is none. */
static int function_of(const char *name)
{
    lun_text_function_info info = {.size = sizeof info};
    int which = 0;
    while (lun_text_function_describe(which, &info) && strcmp(info.name, name) != 0)
        which++;
    return lun_text_function_describe(which, &info) ? which : -1;
}

/* core.internal.text_call(a, name, text, text, number, number): a function of texts. */
static int text_call(lua_State *L)
{
    lun__host *h = lun__host_here(L);
    lun_string texts[2] = {{"", 0}, {"", 0}};
    lua_settop(L, 6);
    check_text(L, h);
    const int which = function_of(luaL_checkstring(L, 2));
    for (int k = 0; k < 2; k++)
        if (!lua_isnil(L, 3 + k)) {
            luaL_checkstring(L, 3 + k);
            texts[k] = lun__lua_text_at(L, 3 + k);
        }
    const int64_t numbers[] = {luaL_optinteger(L, 5, 0), luaL_optinteger(L, 6, 0)};
    lun_array **out = lun__lua_array_new(L, h);
    lun_array *a = check_text(L, h);
    lun_status s;
    LUN__TRY(s, lun_text_call_function(h->engine, which, a, texts, numbers, out));
    return lun__lua_array_give(L, h, s, 1);
}

/* core.internal.text_values(a): a list of the texts that the codes of a count. */
static int text_values(lua_State *L)
{
    lun__host *h = lun__host_here(L);
    lun_array *a = check_text(L, h);
    int64_t n = 0;
    lun_string value;
    lun_status s = lun_text_values(h->engine, a, 0, 0, NULL, &n);
    lun__error_check(L, h, s, 1);
    lua_createtable(L, n < INT_MAX ? (int)n : INT_MAX, 0);
    for (int64_t k = 0; k < n; k++) {
        s = lun_text_values(h->engine, a, k, 1, &value, &n);
        lun__error_check(L, h, s, 1);
        lun__lua_text_push(L, value);
        lua_rawseti(L, -2, k + 1);
    }
    return 1;
}

/* core.internal.number_texts(a, format or nil) */
static int number_texts(lua_State *L)
{
    lun__host *h = lun__host_here(L);
    const char *format = luaL_optstring(L, 2, NULL);
    lun_array **out = lun__lua_array_new(L, h);
    lun_array *a = lun__lua_array_check(L, h, 1);
    lun_status s;
    LUN__TRY(s, lun_number_texts(h->engine, a, format, out));
    return lun__lua_array_give(L, h, s, 1);
}

/* core.internal.text_memory(a): the bytes of codes and values. */
static int text_memory(lua_State *L)
{
    lun__host *h = lun__host_here(L);
    int64_t bytes = 0;
    lun_status s;
    LUN__TRY(s, lun_text_memory(h->engine, check_text(L, h), &bytes));
    lun__error_check(L, h, s, 1);
    lua_pushinteger(L, bytes);
    return 1;
}

/* core.internal.text_slots(a): the codes of those, 0 where an element is missing. */
static int text_slots(lua_State *L)
{
    lun__host *h = lun__host_here(L);
    check_text(L, h);
    lun_array **out = lun__lua_array_new(L, h);
    lun_status s;
    LUN__TRY(s, lun_text_slots(h->engine, check_text(L, h), out));
    return lun__lua_array_give(L, h, s, 1);
}

void lun__open_text(lua_State *L, const lun__parts *p)
{
    static const lun__entry methods[] = {
        {"codes", text_codes, 1}, {"levels", text_levels, 1}, {NULL, NULL, 0}};
    static const luaL_Reg internal[] = {
        {"text_call", text_call},       {"text_values", text_values}, {"text_slots", text_slots},
        {"number_texts", number_texts}, {"text_memory", text_memory}, {NULL, NULL}};
    lun__register_offer(L, p, p->text_methods, methods);
    lun__register_offer(L, p, p->methods, methods);
    lun__register(L, p, p->internal, internal);
}
