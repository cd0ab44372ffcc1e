/* date.c - internal.parse_dates and internal.date_texts, for lun.date: lists of texts such as
 * "2012-01-31" to days since 1970-01-01 and back, in the proleptic Gregorian calendar. The parts of
 * dates are computed by lua/lunarray/table/date.lua. */
#include <limits.h>
#include <stdint.h>

#include "bind/host/bind.h"

enum {
    CHUNK = 1024,       /* days read at a time */
    ERA = 146097,       /* days of 400 years */
    ERA_BEFORE = 719468 /* days from 0000-03-01 to 1970-01-01 */
};

/* ---- texts to days --------------------------------------------------------------------------- */

/* The number of `count` digits, -1 if they are not all digits. */
static int digits(const char *text, int count)
{
    int x = 0;
    for (int i = 0; i < count; i++) {
        if (text[i] < '0' || text[i] > '9')
            return -1;
        x = 10 * x + (text[i] - '0');
    }
    return x;
}

/* Whether a date is followed by nothing or by a time: "T06:30", " 06:30:15.5", with "Z" or "+02:00"
 * after it. */
static bool is_time(const char *p, const char *end)
{
    if (p == end)
        return true;
    if (end - p < 6 || (*p != 'T' && *p != ' ') || p[3] != ':')
        return false;
    int hour = digits(p + 1, 2), minute = digits(p + 4, 2), second = 0;
    p += 6;
    if (end - p >= 3 && *p == ':') {
        second = digits(p + 1, 2);
        p += 3;
        if (p < end && *p == '.')
            for (p++; p < end && *p >= '0' && *p <= '9';)
                p++;
    }
    if (hour < 0 || hour > 23 || minute < 0 || minute > 59 || second < 0 || second > 60)
        return false;
    if (end - p == 1 && *p == 'Z')
        return true;
    if (end - p == 6 && (*p == '+' || *p == '-') && p[3] == ':')
        return digits(p + 1, 2) >= 0 && digits(p + 4, 2) >= 0;
    return p == end;
}

/* The day of a text; false if it is no date. */
static bool parse(const char *text, size_t length, int64_t *day)
{
    static const int lengths[] = {31, 28, 31, 30, 31, 30, 31, 31, 30, 31, 30, 31};
    if (length < 10 || text[4] != '-' || text[7] != '-')
        return false;
    int y = digits(text, 4), m = digits(text + 5, 2), d = digits(text + 8, 2);
    if (y < 0 || m < 1 || m > 12 || d < 1)
        return false;
    bool leap = y % 4 == 0 && (y % 100 != 0 || y % 400 == 0);
    if (d > lengths[m - 1] + (m == 2 && leap) || !is_time(text + 10, text + length))
        return false;
    int past = (m + 9) % 12; /* months since March, whose years end with their leap day */
    int years = y + 400 - (m <= 2);
    *day = (int64_t)years * 365 + years / 4 - years / 100 + years / 400 + (153 * past + 2) / 5 + d -
           1 - ERA_BEFORE - ERA;
    return true;
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
