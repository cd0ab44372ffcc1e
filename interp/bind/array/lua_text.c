/* lua_text.c - arrays of dtype text: their elements as strings, and the methods that only they
 * have. What is made of texts in Lua is lua/lunarray/text's. */
#include "bind/host/bind.h"

bool lun__lua_text_is(lun_dtype t)
{
    return lun_dtype_kind(t) == LUN_KIND_TEXT;
}

bool lun__lua_text_has_gaps(lun_dtype t)
{
    return lun__lua_text_is(t) || lun_dtype_kind(t) == LUN_KIND_TIME;
}

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
    if (lun__lua_text_has_gaps(lun_dtype_of(a)))
        lun__blame_argument(L, arg,
                            lua_pushfstring(L, "%s: elements of %s are missing there, no number",
                                            what, lun_dtype_name(lun_dtype_of(a))));
}

/* The text array at 1. */
static lun_array *check_text(lua_State *L, lun__host *h)
{
    lun_array *a = lun__lua_array_check(L, h, 1);
    if (!lun__lua_text_is(lun_dtype_of(a)))
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

void lun__open_text(lua_State *L, const lun__parts *p)
{
    static const lun__entry methods[] = {
        {"codes", text_codes, 1}, {"levels", text_levels, 1}, {NULL, NULL, 0}};
    lun__register_offer(L, p, p->text_methods, methods);
}
