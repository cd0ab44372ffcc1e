/* time.h - the calendar, and dates, timestamps and durations as texts: one row each of
 * table/logical.def, whose elements are days or microseconds since 1970-01-01 00:00. */
#ifndef LUN_TIME_H
#define LUN_TIME_H

#include <stdbool.h>
#include <stdint.h>

#include "base/strbuf.h"
#include "lunarray.h"

#define LUN__TIME_SECOND INT64_C(1000000)
#define LUN__TIME_DAY    (86400 * LUN__TIME_SECOND)

/* Rounded down; b > 0. */
static inline int64_t lun__time_floor(int64_t a, int64_t b)
{
    return a / b - (a % b < 0);
}

/* ---- the calendar (civil.c) ---- */

typedef struct lun__civil {
    int64_t year;
    int month, day; /* from 1 */
} lun__civil;

/* The days from 1970-01-01 to a date of the proleptic Gregorian calendar. */
int64_t lun__civil_days(int64_t year, int month, int day);
/* The date of a day; any int32_t is one. */
lun__civil lun__civil_of(int64_t days);
/* Days of a month. */
int lun__civil_length(int64_t year, int month);
/* The day `months` later, clamped to the last one of its month. */
int64_t lun__civil_step(int64_t days, int64_t months);

/* ---- units (time_unit.c) ---- */

/* Calendar months, or microseconds, of which `days` says that they are whole days. */
typedef struct lun__time_span {
    int64_t months, us;
    bool days, weeks;
} lun__time_span;

/* One number and unit: "1d 7d 1w 1mo 3mo 1q 1y 1h 15m 30s 10ms 5us", also negative. */
bool lun__time_unit(const char *s, int64_t n, lun__time_span *out);
/* The microseconds of a unit of fixed length by its name, 0: it is none. */
int64_t lun__time_unit_us(const char *s, int64_t n);

/* ---- texts (time_read.c, time_write.c) ---- */

/* What is wrong with a text. */
typedef enum lun__time_bad { LUN__TIME_GOOD, LUN__TIME_NONE, LUN__TIME_RANGE } lun__time_bad;

/* The element of dtype t that a text means without a format; zoned: it says its offset from UTC,
 * which the element is converted to. */
lun__time_bad lun__time_read(lun_dtype t, const char *s, int64_t n, int64_t *out, bool *zoned);
/* The same of a text of that format, which lun__time_read_check has found to be one. */
lun__time_bad lun__time_read_as(lun_dtype t, const char *format, const char *s, int64_t n,
                                int64_t *out, bool *zoned);
/* NULL: a format of texts of dtype t, to be read or written; else what is wrong with it. */
const char *lun__time_read_check(lun_dtype t, const char *format, bool write, char *which);

enum { LUN__TIME_TEXT = 48 };
/* The text of an element; how many bytes. */
int lun__time_write(lun_dtype t, int64_t x, char text[LUN__TIME_TEXT]);
/* The same by a format, behind what is in `to`; false: no memory. */
bool lun__time_write_as(lun_dtype t, const char *format, int64_t x, lun_strbuf *to);
extern const char *const lun__time_write_months[12], *const lun__time_write_days[7];

#endif
