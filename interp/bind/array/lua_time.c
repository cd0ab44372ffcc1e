/* lua_time.c - elements of dates, timestamps and durations, ISO texts in Lua, and seconds; and
 * core.internal's calls on arrays of them, which lua/lunarray/names/times.lua makes methods of. */
#include <math.h>
#include <string.h>

#include "bind/host/bind.h"

#define SECOND 1000000
#define FAR    (INT64_C(1) << 40) /* years and days that single dates have */

/* Complains about the string at `arg`. */
static int no_such(lua_State *L, int arg, lun_dtype t)
{
    static const char *const forms[] = {"2024-01-31", "2024-01-31 10:15:00", "1d 2h30m"};
    return lun__blame_argument(L, arg,
                               lua_pushfstring(L, "'%s' is no %s such as \"%s\"",
                                               lua_tostring(L, arg), lun_dtype_name(t),
                                               forms[t - LUN_DATE]));
}

lun_value lun__lua_time_value(lua_State *L, lun__host *h, int arg, lun_dtype t)
{
    lun_value x = {.dtype = LUN_I64};
    if (lua_type(L, arg) == LUA_TSTRING) {
        if (!lun_time_read(t, lun__lua_text_at(L, arg), &x.as.i))
            no_such(L, arg, t);
        return x;
    }
    if (t == LUN_DURATION && lua_type(L, arg) == LUA_TNUMBER) {
        const double us = round(lua_tonumber(L, arg) * SECOND);
        if (!(fabs(us) < 0x1p63))
            lun__blame_argument(L, arg, "the seconds are beyond the range of durations");
        x.as.i = (int64_t)us;
        return x;
    }
    if (lun__lua_array_is(L, h, arg)) {
        const lun_dtype from = lun_dtype_of(lun__lua_array_check(L, h, arg));
        if (from == t || (from == LUN_DATE && t == LUN_TIMESTAMP)) {
            x = lun__lua_array_value(L, h, arg);
            x.as.i *= from == t ? 1 : (int64_t)86400 * SECOND;
            return x;
        }
    }
    lun__error_bad_type(L, arg,
                        t == LUN_DURATION    ? "seconds or a text such as \"1d 2h30m\""
                        : t == LUN_TIMESTAMP ? "text such as \"2024-01-31 10:15:00\""
                                             : "text such as \"2024-01-31\"");
    return x;
}

void lun__lua_time_replace(lua_State *L, lun__host *h, int arg, lun_dtype t)
{
    if (lun__lua_array_is(L, h, arg))
        return;
    const lun_value x = lun__lua_time_value(L, h, arg, t);
    lun_status s;
    lun_array **out = lun__lua_array_new(L, h);
    lun_array *number;
    LUN__TRY(s, lun_full(h->engine, 0, NULL, LUN_I64, x, &number));
    if (s == LUN_OK) {
        LUN__TRY(s, lun_cast(h->engine, number, t, out));
        lun_release(number);
    }
    lun__error_check(L, h, s, arg);
    lua_replace(L, arg);
}

/* ---- calls ---- */

/* Gives the array that `call`, of a, makes of the one at 1. */
#define GIVE(L, call)                                 \
    do {                                              \
        lun__host *h = lun__host_here(L);             \
        lun_array **out = lun__lua_array_new(L, h);   \
        lun_array *a = lun__lua_array_check(L, h, 1); \
        lun_status s;                                 \
        LUN__TRY(s, (call));                          \
        return lun__lua_array_give(L, h, s, 1);       \
    } while (0)

/* core.internal.time_parse(texts, dtype, format or nil, missing) */
static int time_parse(lua_State *L)
{
    const lun_dtype t = lun__lua_value_any_dtype(L, 2);
    const char *format = luaL_optstring(L, 3, NULL);
    const bool missing = lua_toboolean(L, 4);
    GIVE(L, lun_time_parse(h->engine, a, t, format, missing, out));
}

/* core.internal.time_check(dtype, format, write): nothing if it is a format; else what is wrong,
 * and with which conversion. */
static int time_check(lua_State *L)
{
    char which[2] = "";
    const lun_dtype t = lun__lua_value_any_dtype(L, 1);
    const char *fault = lun_time_check(t, luaL_checkstring(L, 2), lua_toboolean(L, 3), which);
    if (!fault)
        return 0;
    lua_pushstring(L, fault);
    lua_pushstring(L, which);
    return 2;
}

/* core.internal.time_texts(a, format or nil) */
static int time_texts(lua_State *L)
{
    const char *format = luaL_optstring(L, 2, NULL);
    GIVE(L, lun_time_texts(h->engine, a, format, out));
}

/* core.internal.time_cast(a, dtype, unit or nil): of integers, or of dates to anything but texts */
static int time_cast(lua_State *L)
{
    static const char *const units[] = {"s", "ms", "us", "ns", NULL};
    const lun_dtype t = lun__lua_value_any_dtype(L, 2);
    if (lua_isnoneornil(L, 3))
        GIVE(L, lun_cast(h->engine, a, t, out));
    const lun_time_unit unit = (lun_time_unit)luaL_checkoption(L, 3, NULL, units);
    GIVE(L, lun_time_of(h->engine, a, t, unit, out));
}

/* core.internal.time_field(a, name) */
static int time_field(lua_State *L)
{
    static const char *const names[] = {"year",    "month",       "day",     "weekday", "yearday",
                                        "quarter", "week",        "isoyear", "hour",    "minute",
                                        "second",  "microsecond", NULL};
    const lun_time_field f = (lun_time_field)luaL_checkoption(L, 2, NULL, names);
    GIVE(L, lun_time_get_field(h->engine, a, f, out));
}

/* core.internal.time_days(year, month, day): of i64 arrays */
static int time_days(lua_State *L)
{
    lun__host *h = lun__host_here(L);
    lun_array **out = lun__lua_array_new(L, h);
    lun_array *year = lun__lua_array_check(L, h, 1), *month = lun__lua_array_check(L, h, 2);
    lun_array *day = lun__lua_array_check(L, h, 3);
    lun_status s;
    LUN__TRY(s, lun_time_days(h->engine, year, month, day, out));
    return lun__lua_array_give(L, h, s, 1);
}

static int64_t within(lua_State *L, int arg)
{
    const lua_Integer x = luaL_checkinteger(L, arg);
    luaL_argcheck(L, x >= -FAR && x <= FAR, arg, "beyond the calendar");
    return x;
}

/* core.internal.civil_days(year, month, day): a number of days */
static int civil_days(lua_State *L)
{
    lua_pushinteger(L, lun_civil_days(within(L, 1), within(L, 2), within(L, 3)));
    return 1;
}

/* core.internal.civil_of(days): year, month, day */
static int civil_of(lua_State *L)
{
    int64_t year;
    int month, day;
    lun_civil_of(within(L, 1), &year, &month, &day);
    lua_pushinteger(L, year);
    lua_pushinteger(L, month);
    lua_pushinteger(L, day);
    return 3;
}

/* core.internal.time_read(dtype, text): the element as it is stored, nil: the text is none */
static int time_read(lua_State *L)
{
    int64_t x;
    const lun_dtype t = lun__lua_value_any_dtype(L, 1);
    luaL_checktype(L, 2, LUA_TSTRING);
    if (!lun_time_read(t, lun__lua_text_at(L, 2), &x))
        return 0;
    lua_pushinteger(L, x);
    return 1;
}

static int time_of_day(lua_State *L)
{
    GIVE(L, lun_time_of_day(h->engine, a, out));
}

/* core.internal.time_truncate(a, unit) */
static int time_truncate(lua_State *L)
{
    const char *unit = luaL_checkstring(L, 2);
    GIVE(L, lun_time_truncate(h->engine, a, unit, out));
}

/* core.internal.time_add(a, unit) */
static int time_add(lua_State *L)
{
    const char *unit = luaL_checkstring(L, 2);
    GIVE(L, lun_time_add(h->engine, a, unit, out));
}

/* core.internal.time_range(dtype, first, last, unit): texts or arrays of one element */
static int time_range(lua_State *L)
{
    lun__host *h = lun__host_here(L);
    const lun_dtype t = lun__lua_value_any_dtype(L, 1);
    const int64_t first = lun__lua_time_value(L, h, 2, t).as.i;
    const int64_t last = lun__lua_time_value(L, h, 3, t).as.i;
    const char *unit = luaL_checkstring(L, 4);
    lun_array **out = lun__lua_array_new(L, h);
    lun_status s;
    LUN__TRY(s, lun_time_range(h->engine, t, first, last, unit, out));
    return lun__lua_array_give(L, h, s, 4);
}

/* core.internal.time_text(dtype, x): the text of an element as it is stored; x of a duration:
 * seconds. */
static int time_text(lua_State *L)
{
    char text[LUN_TIME_TEXT];
    const lun_dtype t = lun__lua_value_any_dtype(L, 1);
    int64_t x = 0;
    if (t == LUN_DURATION) { /* the float nearest to the largest one is beyond it */
        const double us = round(luaL_checknumber(L, 2) * SECOND);
        x = us >= 0x1p63 ? INT64_MAX : us < -0x1p63 ? INT64_MIN : (int64_t)us;
    } else {
        x = luaL_checkinteger(L, 2);
    }
    lua_pushlstring(L, text, (size_t)lun_time_write(t, x, text));
    return 1;
}

void lun__open_time(lua_State *L, const lun__parts *p)
{
    static const luaL_Reg internal[] = {
        {"time_parse", time_parse}, {"time_texts", time_texts},   {"time_cast", time_cast},
        {"time_field", time_field}, {"time_of_day", time_of_day}, {"time_truncate", time_truncate},
        {"time_add", time_add},     {"time_range", time_range},   {"time_text", time_text},
        {"time_days", time_days},   {"time_read", time_read},     {"civil_days", civil_days},
        {"civil_of", civil_of},     {"time_check", time_check},   {NULL, NULL}};
    lun__register(L, p, p->internal, internal);
}
