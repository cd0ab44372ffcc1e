/* date.c - internal.parse_dates and internal.date_texts, for lun.date: lists of texts such as
 * "2012-01-31" to days since 1970-01-01 and back. */
#include <limits.h>
#include <stdint.h>

#include "bind/host/bind.h"

enum {
    CHUNK = 1024, /* days read at a time */
    DATE = 10     /* bytes of a date */
};

/* ---- texts to days --------------------------------------------------------------------------- */

static bool is_blank(char c)
{
    return c == ' ' || (c >= '\t' && c <= '\r');
}

/* The day of a text without blanks at its ends, which may have a time behind its date; false if it
 * is no date. */
static bool parse(const char *text, size_t length, int64_t *day)
{
    int64_t time;
    const lun_string all = {text, (int64_t)length}, date = {text, DATE};
    return length >= DATE && !is_blank(*text) && !is_blank(text[length - 1]) &&
           lun_time_read(LUN_DATE, date, day) &&
           (length == DATE || lun_time_read(LUN_TIMESTAMP, all, &time));
}

/* internal.parse_dates(list): the days as an i64 Vector; or nil and the number of the first element
 * that is no date. */
static int parse_dates(lua_State *L)
{
    lun__host *h = lun__host_here(L);
    luaL_checktype(L, 1, LUA_TTABLE);
    int64_t n = (int64_t)lua_rawlen(L, 1);
    int64_t *days = lua_newuserdatauv(L, (size_t)(n ? n : 1) * sizeof *days, 0);
    for (int64_t i = 0; i < n; i++) {
        size_t length = 0;
        const char *text =
            lua_rawgeti(L, 1, i + 1) == LUA_TSTRING ? lua_tolstring(L, -1, &length) : NULL;
        if (!text || !parse(text, length, &days[i])) {
            lua_pushnil(L);
            lua_pushinteger(L, i + 1);
            return 2;
        }
        lua_pop(L, 1);
    }
    lun_array **out = lun__lua_array_new(L, h);
    lun_status s;
    LUN__TRY(s, lun_tensor(h->engine, days, 1, &n, LUN_I64, out));
    lun__error_check(L, h, s, 1);
    lun__host_report_memory(L, h);
    return 1;
}

/* ---- days to texts --------------------------------------------------------------------------- */

/* Pushes the text of a day: "2012-01-31", "-0001-12-31" before the year 0. */
static void push_date(lua_State *L, int64_t day)
{
    char text[LUN_TIME_TEXT];
    lua_pushlstring(L, text, (size_t)lun_time_write(LUN_DATE, day, text));
}

/* internal.date_texts(days): a list of the texts of an i64 Vector. */
static int date_texts(lua_State *L)
{
    lun__host *h = lun__host_here(L);
    int64_t n = lun_size(lun__lua_array_check(L, h, 1)), days[CHUNK];
    lua_createtable(L, n < INT_MAX ? (int)n : INT_MAX, 0);
    for (int64_t first = 0, some; first < n; first += some) {
        lun_array *a = lun__lua_array_check(L, h, 1);
        lun_status s;
        luaL_argcheck(L, lun_dtype_size(lun_dtype_of(a)) == sizeof *days, 1, "not i64");
        luaL_argcheck(L, lun_size(a) == n, 1, "changed meanwhile");
        some = n - first < CHUNK ? n - first : CHUNK;
        LUN__TRY(s, lun_read(h->engine, a, days, first, some));
        lun__error_check(L, h, s, 1);
        for (int64_t i = 0; i < some; i++) {
            push_date(L, days[i]);
            lua_rawseti(L, -2, first + i + 1);
        }
    }
    return 1;
}

void lun__open_date(lua_State *L, const lun__parts *p)
{
    static const luaL_Reg internal[] = {
        {"parse_dates", parse_dates}, {"date_texts", date_texts}, {NULL, NULL}};
    lun__register(L, p, p->internal, internal);
}
