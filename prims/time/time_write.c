/* time_write.c - dates, timestamps and durations to texts. */
#include <string.h>

#include "time/time.h"

const char *const lun__time_write_months[12] = {"January",   "February", "March",    "April",
                                                "May",       "June",     "July",     "August",
                                                "September", "October",  "November", "December"};
const char *const lun__time_write_days[7] = {"Monday", "Tuesday",  "Wednesday", "Thursday",
                                             "Friday", "Saturday", "Sunday"};

/* Writes the last `count` decimal digits of x >= 0. */
static char *put(char *to, int64_t x, int count)
{
    for (int i = count - 1; i >= 0; i--, x /= 10)
        to[i] = (char)('0' + x % 10);
    return to + count;
}

/* A number in as many digits as it has, at least `least`. */
static char *put_all(char *to, int64_t x, int least)
{
    int count = 1;
    for (int64_t rest = x / 10; rest > 0; rest /= 10)
        count++;
    return put(to, x, count > least ? count : least);
}

static char *put_year(char *p, int64_t year)
{
    if (year < 0)
        *p++ = '-';
    return put_all(p, year < 0 ? -year : year, 4);
}

static char *put_date(char *p, int64_t days)
{
    const lun__civil c = lun__civil_of(days);
    p = put_year(p, c.year);
    *p++ = '-';
    p = put(p, c.month, 2);
    *p++ = '-';
    return put(p, c.day, 2);
}

/* hh:mm:ss of microseconds of a day. */
static char *put_time(char *p, int64_t us)
{
    const int64_t s = us / LUN__TIME_SECOND;
    p = put(p, s / 3600, 2);
    *p++ = ':';
    p = put(p, s / 60 % 60, 2);
    *p++ = ':';
    return put(p, s % 60, 2);
}

/* "1d 02:03:04.5", of less than a day "02:03:04.5". */
static char *put_duration(char *p, int64_t us)
{
    uint64_t size = us < 0 ? 0 - (uint64_t)us : (uint64_t)us;
    const int64_t days = (int64_t)(size / (uint64_t)LUN__TIME_DAY);
    const int64_t rest = (int64_t)(size % (uint64_t)LUN__TIME_DAY);
    if (us < 0)
        *p++ = '-';
    if (days) {
        p = put_all(p, days, 1);
        *p++ = 'd';
        *p++ = ' ';
    }
    p = put_time(p, rest);
    if (rest % LUN__TIME_SECOND) {
        *p++ = '.';
        p = put(p, rest % LUN__TIME_SECOND, 6);
        while (p[-1] == '0')
            p--;
    }
    return p;
}

int lun__time_write(lun_dtype t, int64_t x, char text[LUN__TIME_TEXT])
{
    char *p = text;
    if (t == LUN_DURATION)
        return (int)(put_duration(p, x) - text);
    if (t == LUN_DATE)
        return (int)(put_date(p, x) - text);
    const int64_t days = lun__time_floor(x, LUN__TIME_DAY), us = x - days * LUN__TIME_DAY;
    p = put_date(p, days);
    *p++ = ' ';
    p = put_time(p, us);
    if (us % LUN__TIME_SECOND) {
        *p++ = '.';
        p = put(p, us % LUN__TIME_SECOND, 6);
    }
    return (int)(p - text);
}

static char *put_text(char *p, const char *s, size_t most)
{
    const size_t n = strlen(s) < most ? strlen(s) : most;
    memcpy(p, s, n);
    return p + n;
}

/* One conversion of an element that is day `days` at `us`. */
static char *put_part(char *p, char part, int64_t days, int64_t us)
{
    const lun__civil c = lun__civil_of(days);
    const int64_t hour = us / (3600 * LUN__TIME_SECOND);
    const int weekday = (int)(days + 3 - 7 * lun__time_floor(days + 3, 7));
    switch (part) {
    case 'Y':
        return put_year(p, c.year);
    case 'y':
        return put(p, c.year - 100 * lun__time_floor(c.year, 100), 2);
    case 'm':
        return put(p, c.month, 2);
    case 'd':
        return put(p, c.day, 2);
    case 'j':
        return put(p, days - lun__civil_days(c.year, 1, 1) + 1, 3);
    case 'H':
        return put(p, hour, 2);
    case 'I':
        return put(p, (hour + 11) % 12 + 1, 2);
    case 'M':
        return put(p, us / (60 * LUN__TIME_SECOND) % 60, 2);
    case 'S':
        return put(p, us / LUN__TIME_SECOND % 60, 2);
    case 'f':
        return put(p, us % LUN__TIME_SECOND, 6);
    case 'p':
        return put_text(p, hour < 12 ? "AM" : "PM", 2);
    case 'b':
    case 'B':
        return put_text(p, lun__time_write_months[c.month - 1], part == 'b' ? 3 : 9);
    case 'a':
    case 'A':
        return put_text(p, lun__time_write_days[weekday], part == 'a' ? 3 : 9);
    default: /* %% */
        *p = part;
        return p + 1;
    }
}

bool lun__time_write_as(lun_dtype t, const char *format, int64_t x, lun_strbuf *to)
{
    const int64_t days = t == LUN_DATE ? x : lun__time_floor(x, LUN__TIME_DAY);
    const int64_t us = t == LUN_DATE ? 0 : x - days * LUN__TIME_DAY;
    char part[LUN__TIME_TEXT];
    bool good = true;
    for (const char *f = format; good && *f; f++) {
        const char *end = part + 1;
        part[0] = *f;
        if (*f == '%')
            end = put_part(part, *++f, days, us);
        lun__strbuf_add(to, part, (size_t)(end - part));
        good = !to->failed;
    }
    return good;
}
