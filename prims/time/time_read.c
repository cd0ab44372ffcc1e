/* time_read.c - texts to dates, timestamps and durations: whole texts and days that there are, by
 * ISO 8601 or by a format. */
#include <string.h>

#include "time/time.h"

enum { OFFSET_MOST = 14 * 60, NANOS = 9 }; /* minutes from UTC; digits of a fraction */

/* What a text has said so far; -1: nothing. */
typedef struct parts {
    int64_t year;
    int month, day, yearday, hour, minute, second, half; /* half: 0 AM, 1 PM */
    int weekday;                                         /* from 0, Monday */
    int64_t us;
    int offset; /* minutes */
    bool zoned;
} parts;

static const parts nothing = {-1, -1, -1, -1, -1, -1, -1, -1, -1, 0, 0, false};

/* A place in a text. */
typedef struct place {
    const char *at, *end;
} place;

static bool is_digit(char c)
{
    return c >= '0' && c <= '9';
}

/* `least` to `most` digits; false: fewer. */
static bool number(place *p, int least, int most, int *out)
{
    int x = 0, count = 0;
    for (; count < most && p->at < p->end && is_digit(*p->at); count++)
        x = 10 * x + (*p->at++ - '0');
    *out = x;
    return count >= least;
}

static bool literal(place *p, char c)
{
    const bool is = p->at < p->end && *p->at == c;
    p->at += is;
    return is;
}

/* The digits behind a point, as microseconds: those beyond six are 0. */
static bool fraction(place *p, int64_t *us)
{
    int64_t x = 0;
    int count = 0;
    for (; count < NANOS && p->at < p->end && is_digit(*p->at); count++, p->at++) {
        if (count < 6)
            x = 10 * x + (*p->at - '0');
        else if (*p->at != '0')
            return false;
    }
    for (int k = count; k < 6; k++)
        x *= 10;
    *us = x;
    return count > 0;
}

/* "Z", "+02", "+0200", "+02:00". */
static bool zone(place *p, parts *o)
{
    int hours, minutes = 0;
    o->zoned = true;
    if (literal(p, 'Z'))
        return true;
    const bool west = literal(p, '-');
    if ((!west && !literal(p, '+')) || !number(p, 2, 2, &hours))
        return false;
    if (literal(p, ':') || (p->at < p->end && is_digit(*p->at)))
        if (!number(p, 2, 2, &minutes) || minutes > 59)
            return false;
    o->offset = hours * 60 + minutes;
    const bool good = o->offset <= OFFSET_MOST;
    o->offset = west ? -o->offset : o->offset;
    return good;
}

/* The element of dtype t of what a text has said. */
static lun__time_bad whole(lun_dtype t, const parts *o, int64_t *out)
{
    const int64_t year = o->year < 0 ? 1970 : o->year;
    const int month = o->month < 0 ? 1 : o->month, day = o->day < 0 ? 1 : o->day;
    if (year < 1 || month < 1 || month > 12 || day < 1 || day > lun__civil_length(year, month))
        return LUN__TIME_NONE;
    int64_t days = lun__civil_days(year, month, day);
    if (o->yearday >= 0) {
        const int64_t first = lun__civil_days(year, 1, 1), at = first + o->yearday - 1;
        const bool in = o->yearday > 0 && at < lun__civil_days(year + 1, 1, 1);
        if (!in || ((o->month >= 0 || o->day >= 0) && at != days))
            return LUN__TIME_NONE;
        days = at;
    }
    const int64_t weekday = days + 3 - 7 * lun__time_floor(days + 3, 7);
    if (o->weekday >= 0 && weekday != o->weekday)
        return LUN__TIME_NONE;
    int hour = o->hour < 0 ? 0 : o->hour;
    if (o->half >= 0)
        hour = hour % 12 + 12 * o->half;
    const int minute = o->minute < 0 ? 0 : o->minute, second = o->second < 0 ? 0 : o->second;
    if (hour > 23 || minute > 59 || second > 59)
        return LUN__TIME_NONE;
    *out = days;
    if (t == LUN_TIMESTAMP)
        *out = days * LUN__TIME_DAY +
               (hour * 3600 + (minute - o->offset) * 60 + second) * LUN__TIME_SECOND + o->us;
    return LUN__TIME_GOOD;
}

/* ---- durations ------------------------------------------------------------------------------- */

/* One amount, "2", "2.5", of a unit; false: it is beyond the range, or has more digits than
 * microseconds have. */
static bool amount(int64_t unit, int64_t x, int64_t us, int64_t *sum)
{
    int64_t part;
    if (__builtin_mul_overflow(x, unit, &x) || __builtin_mul_overflow(us, unit, &part) ||
        part % LUN__TIME_SECOND)
        return false;
    return !__builtin_add_overflow(*sum, x, sum) &&
           !__builtin_add_overflow(*sum, part / LUN__TIME_SECOND, sum);
}

/* ":mm:ss.f" behind hours. */
static bool clock_rest(place *p, int64_t hours, int64_t *sum)
{
    int minute, second = 0;
    int64_t us = 0;
    if (!number(p, 2, 2, &minute) || minute > 59)
        return false;
    if (literal(p, ':') &&
        (!number(p, 2, 2, &second) || second > 59 || (literal(p, '.') && !fraction(p, &us))))
        return false;
    return amount(3600 * LUN__TIME_SECOND, hours, 0, sum) &&
           amount(LUN__TIME_SECOND, minute * 60 + second, us, sum);
}

/* A number and its unit; a number alone is seconds, if it is `only`. */
static bool piece(place *p, bool only, int64_t *sum)
{
    int64_t x = 0, us = 0;
    const char *from = p->at;
    for (; p->at < p->end && is_digit(*p->at); p->at++)
        if (__builtin_mul_overflow(x, 10, &x) || __builtin_add_overflow(x, *p->at - '0', &x))
            return false;
    if (p->at == from)
        return false;
    if (literal(p, ':'))
        return clock_rest(p, x, sum) && p->at == p->end;
    if (literal(p, '.') && !fraction(p, &us))
        return false;
    from = p->at;
    while (p->at < p->end && *p->at >= 'a' && *p->at <= 'z')
        p->at++;
    const int64_t unit = p->at == from ? only && p->at == p->end ? LUN__TIME_SECOND : 0
                                       : lun__time_unit_us(from, p->at - from);
    return unit && amount(unit, x, us, sum);
}

static lun__time_bad duration(place p, int64_t *out)
{
    const bool negative = literal(&p, '-');
    int64_t sum = 0;
    bool first = true;
    do {
        if (!piece(&p, first, &sum))
            return LUN__TIME_NONE;
        first = false;
        while (p.at < p.end && *p.at == ' ')
            p.at++;
    } while (p.at < p.end);
    *out = negative ? -sum : sum;
    return LUN__TIME_GOOD;
}

/* ---- without a format ------------------------------------------------------------------------ */

static void trim(place *p)
{
    while (p->at < p->end && (*p->at == ' ' || (*p->at >= '\t' && *p->at <= '\r')))
        p->at++;
    while (p->at < p->end && (p->end[-1] == ' ' || (p->end[-1] >= '\t' && p->end[-1] <= '\r')))
        p->end--;
}

/* " 10:15", "T10:15:30.25Z" behind a date. */
static bool clock_of(place *p, parts *o)
{
    if (!literal(p, ' ') && !literal(p, 'T'))
        return false;
    if (!number(p, 2, 2, &o->hour) || !literal(p, ':') || !number(p, 2, 2, &o->minute))
        return false;
    if (literal(p, ':') &&
        (!number(p, 2, 2, &o->second) || (literal(p, '.') && !fraction(p, &o->us))))
        return false;
    return p->at == p->end || zone(p, o);
}

lun__time_bad lun__time_read(lun_dtype t, const char *s, int64_t n, int64_t *out, bool *zoned)
{
    place p = {s, s + n};
    parts o = nothing;
    int year;
    *zoned = false;
    trim(&p);
    if (t == LUN_DURATION)
        return duration(p, out);
    bool good = number(&p, 4, 4, &year) && literal(&p, '-') && number(&p, 2, 2, &o.month) &&
                literal(&p, '-') && number(&p, 2, 2, &o.day);
    o.year = year;
    if (good && p.at < p.end)
        good = t == LUN_TIMESTAMP && clock_of(&p, &o);
    if (!good || p.at < p.end)
        return LUN__TIME_NONE;
    *zoned = o.zoned;
    return whole(t, &o, out);
}

/* ---- by a format ----------------------------------------------------------------------------- */

/* Whether p begins with n letters of a name, of either case, and is behind them then. */
static bool word(place *p, const char *letters, size_t n)
{
    if ((size_t)(p->end - p->at) < n)
        return false;
    for (size_t k = 0; k < n; k++)
        if ((p->at[k] | 0x20) != (letters[k] | 0x20))
            return false;
    p->at += n;
    return true;
}

/* The number of the name at p, of `count`, whole or its first three letters. */
static bool name(place *p, const char *const *names, int count, bool brief, int *out)
{
    for (int k = 0; k < count; k++) {
        if (word(p, names[k], brief ? 3 : strlen(names[k]))) {
            *out = k;
            return true;
        }
    }
    return false;
}

static bool half(place *p, int *out)
{
    *out = word(p, "pm", 2);
    return *out || word(p, "am", 2);
}

static bool year_of(place *p, bool brief, parts *o)
{
    int x;
    if (!number(p, brief ? 2 : 4, brief ? 2 : 4, &x))
        return false;
    o->year = brief ? x + (x < 69 ? 2000 : 1900) : x;
    return true;
}

static bool month_name(place *p, bool brief, parts *o)
{
    if (!name(p, lun__time_write_months, 12, brief, &o->month))
        return false;
    o->month++;
    return true;
}

/* One conversion. */
static bool part_of(place *p, char part, parts *o)
{
    switch (part) {
    case 'Y':
    case 'y':
        return year_of(p, part == 'y', o);
    case 'm':
        return number(p, 1, 2, &o->month);
    case 'd':
        return number(p, 1, 2, &o->day);
    case 'j':
        return number(p, 1, 3, &o->yearday);
    case 'H':
        return number(p, 1, 2, &o->hour);
    case 'I':
        return number(p, 1, 2, &o->hour) && o->hour >= 1 && o->hour <= 12;
    case 'M':
        return number(p, 1, 2, &o->minute);
    case 'S':
        return number(p, 1, 2, &o->second);
    case 'f':
        return fraction(p, &o->us);
    case 'p':
        return half(p, &o->half);
    case 'b':
    case 'B':
        return month_name(p, part == 'b', o);
    case 'a':
    case 'A':
        return name(p, lun__time_write_days, 7, part == 'a', &o->weekday);
    case 'z':
        return zone(p, o);
    default: /* %% */
        return literal(p, part);
    }
}

lun__time_bad lun__time_read_as(lun_dtype t, const char *format, const char *s, int64_t n,
                                int64_t *out, bool *zoned)
{
    place p = {s, s + n};
    parts o = nothing;
    *zoned = false;
    trim(&p);
    for (const char *f = format; *f; f++)
        if (*f == '%' ? !part_of(&p, *++f, &o) : !literal(&p, *f))
            return LUN__TIME_NONE;
    *zoned = o.zoned;
    return p.at == p.end ? whole(t, &o, out) : LUN__TIME_NONE;
}

const char *lun__time_read_check(lun_dtype t, const char *format, bool write, char *which)
{
    static const char known[] = "YmdjHIMSfpybBaAz%", times[] = "HIMSfpz";
    bool date = false;
    for (const char *f = format; *f; f++) {
        if (*f != '%')
            continue;
        *which = *++f;
        if (!*f || !strchr(known, *f))
            return "is no conversion of dates: %Y %m %d %j %H %I %M %S %f %p %y %b %B %a %A %z %%";
        if (t == LUN_DATE && !write && strchr(times, *f))
            return "is of a time, which a date has not; use \"timestamp\"";
        if (write && *f == 'z')
            return "is an offset, which arrays do not have";
        date = date || *f == 'Y' || *f == 'y';
    }
    *which = 'Y';
    return date || write ? NULL : "is not there: a date needs a year";
}
