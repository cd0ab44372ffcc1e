/* time_field.c - what a date or timestamp is the year, month ... of, starts of units, and calendar
 * steps: expressions of integers, which go into the kernels that use them.
 *
 * 4 * n is a number of quarters of days, so that 146097 of them are a mean century and 1461 a mean
 * year; 2141 / 65536 and 979 / 32 count months through years of 31, 30, 31, 30, 31 days (Neri and
 * Schneider, Euclidean affine functions and their application to calendar algorithms). */
#include <stdlib.h>
#include <string.h>

#include "api/array/api.h"
#include "api/time/time_array.h"

typedef lun__calc calc;

static lun_array *op(calc *c, lun_op o, lun_array *a, lun_array *b)
{
    return lun__calc_op(c, o, a, b);
}

static lun_array *by(calc *c, lun_op o, lun_array *a, int64_t x)
{
    return lun__calc_by(c, o, a, x);
}

static lun_array *add(calc *c, lun_array *a, int64_t x)
{
    return by(c, LUN_OP_ADD, a, x);
}

static lun_array *mul(calc *c, lun_array *a, int64_t x)
{
    return by(c, LUN_OP_MUL, a, x);
}

/* a // x, which does not fail. */
static lun_array *per(calc *c, lun_array *a, int64_t x)
{
    return by(c, LUN_OP_IDIV, a, x);
}

static lun_array *sub(calc *c, lun_array *a, lun_array *b)
{
    return op(c, LUN_OP_SUB, a, b);
}

/* The remainder of a // x, from 0 on. */
static lun_array *rest(calc *c, lun_array *a, int64_t x)
{
    return sub(c, a, mul(c, per(c, a, x), x));
}

/* ---- the calendar ---------------------------------------------------------------------------- */

/* Year, month from 1, day from 1. */
typedef struct civil {
    lun_array *year, *month, *day;
} civil;

static civil civil_of(calc *c, lun_array *days)
{
    lun_array *quarters = add(c, mul(c, days, 4), 2877875);
    lun_array *century = per(c, quarters, 146097);
    lun_array *of_century = by(c, LUN_OP_BOR, sub(c, quarters, mul(c, century, 146097)), 3);
    lun_array *year = by(c, LUN_OP_SHR, mul(c, of_century, 2939745), 32);
    lun_array *of_year = by(c, LUN_OP_SHR, sub(c, of_century, mul(c, year, 1461)), 2);
    lun_array *month = by(c, LUN_OP_SHR, add(c, mul(c, of_year, 2141), 197913), 16);
    lun_array *before = by(c, LUN_OP_SHR, add(c, mul(c, month, 979), -2919), 5);
    lun_array *day = add(c, sub(c, of_year, before), 1);
    lun_array *late = by(c, LUN_OP_GT, month, 12);
    year = op(c, LUN_OP_ADD, mul(c, century, 100), year);
    return (civil){.year = op(c, LUN_OP_ADD, year, late),
                   .month = lun__calc_where(c, late, add(c, month, -12), month),
                   .day = day};
}

/* The day before the first one of a month from 1 to 12. */
static lun_array *before_month(calc *c, lun_array *year, lun_array *month)
{
    lun_array *early = by(c, LUN_OP_LT, month, 3);
    lun_array *y = sub(c, year, early), *century = per(c, y, 100);
    lun_array *past = lun__calc_where(c, early, add(c, month, 9), add(c, month, -3));
    lun_array *quarter = per(c, mul(c, y, 1461), 4);
    lun_array *leaps = sub(c, per(c, century, 4), century);
    lun_array *months = by(c, LUN_OP_SHR, add(c, mul(c, past, 979), 18), 5);
    return add(c, op(c, LUN_OP_ADD, op(c, LUN_OP_ADD, quarter, leaps), months), -719469);
}

/* The day of a month that is `months` after January of the year 0. */
static lun_array *before_months(calc *c, lun_array *months)
{
    lun_array *year = per(c, months, 12);
    return before_month(c, year, add(c, sub(c, months, mul(c, year, 12)), 1));
}

/* Months since January of the year 0. */
static lun_array *months_of(calc *c, const civil *of)
{
    return add(c, op(c, LUN_OP_ADD, mul(c, of->year, 12), of->month), -1);
}

/* From 0, Monday. */
static lun_array *weekday(calc *c, lun_array *days)
{
    return rest(c, add(c, days, 3), 7);
}

static lun_array *yearday(calc *c, lun_array *days)
{
    const civil of = civil_of(c, days);
    return sub(c, days, before_month(c, of.year, lun__calc_number(c, 1)));
}

/* The Thursday of a day's week, whose year is that of the week. */
static lun_array *thursday(calc *c, lun_array *days)
{
    return add(c, sub(c, days, weekday(c, days)), 3);
}

static lun_array *field(calc *c, lun_time_field f, lun_array *days, lun_array *us)
{
    switch (f) {
    case LUN_TIME_YEAR:
        return civil_of(c, days).year;
    case LUN_TIME_MONTH:
        return civil_of(c, days).month;
    case LUN_TIME_DAY:
        return civil_of(c, days).day;
    case LUN_TIME_WEEKDAY:
        return add(c, weekday(c, days), 1);
    case LUN_TIME_YEARDAY:
        return yearday(c, days);
    case LUN_TIME_QUARTER:
        return per(c, add(c, civil_of(c, days).month, 2), 3);
    case LUN_TIME_WEEK:
        return add(c, per(c, add(c, yearday(c, thursday(c, days)), -1), 7), 1);
    case LUN_TIME_ISOYEAR:
        return civil_of(c, thursday(c, days)).year;
    case LUN_TIME_HOUR:
        return rest(c, per(c, us, 3600 * LUN__TIME_SECOND), 24);
    case LUN_TIME_MINUTE:
        return rest(c, per(c, us, 60 * LUN__TIME_SECOND), 60);
    case LUN_TIME_SECOND:
        return rest(c, per(c, us, LUN__TIME_SECOND), 60);
    case LUN_TIME_MICROSECOND:
        return rest(c, us, LUN__TIME_SECOND);
    case LUN_TIME_FIELD_COUNT:
        break;
    }
    return NULL;
}

/* ---- the interface --------------------------------------------------------------------------- */

/* a's slots as i64, and its validity, NULL: nothing is missing; held by c. */
static lun_array *slots_of(calc *c, lun_array *a, lun_array **valid)
{
    lun_array *slots = NULL;
    lun_status s = c->s == LUN_OK ? lun__validity_parts(c->e, a, false, &slots, valid) : c->s;
    slots = lun__calc_take(c, s, slots);
    if (c->s == LUN_OK && *valid)
        lun__calc_take(c, LUN_OK, *valid);
    return lun__calc_cast(c, slots, LUN_I64);
}

/* The numbers x, missing where valid is false, in dtype t. */
static lun_status give(calc *c, lun_array *x, lun_array *valid, lun_dtype t, lun_array **out)
{
    lun_array *made = NULL;
    x = lun__calc_cast(c, x, lun__dtype_storage(t));
    if (valid) {
        lun_array *zero = lun__calc_number(c, 0);
        x = lun__calc_where(c, valid, x, zero);
        const lun_status s = c->s == LUN_OK ? lun_with_parts(c->e, x, valid, &made) : c->s;
        x = lun__calc_take(c, s, made);
    }
    if (c->s == LUN_OK && lun__dtype_is_logical(t)) {
        const lun_status s = lun__time_array(c->e, x, t, &made);
        x = lun__calc_take(c, s, made);
    }
    return lun__calc_end(c, x, out);
}

/* Whether a is of integers that can be days. */
static bool is_days(const lun_array *a)
{
    return !lun__array_logical(a) && lun__dtype_is_integer(lun_dtype_of(a));
}

lun_status lun_time_get_field(lun_engine *e, lun_array *a, lun_time_field f, lun_array **out)
{
    LUN_NEED(e, a && out);
    const bool clock = f >= LUN_TIME_HOUR;
    const unsigned times = LUN__TIME_BIT(LUN_TIMESTAMP);
    calc c = {.e = e};
    lun_array *valid = NULL;
    lun_status s = lun__array_present(e, a);
    if (s == LUN_OK && (clock || !is_days(a)))
        s = lun__time_array_check(e, a, clock ? times : times | LUN__TIME_BIT(LUN_DATE),
                                  clock ? "timestamps" : "dates or timestamps");
    if (s == LUN_OK && (unsigned)f >= LUN_TIME_FIELD_COUNT)
        s = lun__fail(e, LUN_EARG, "no such field: %d", (int)f);
    if (s != LUN_OK)
        return s;
    lun_array *x = slots_of(&c, a, &valid), *days = x;
    if (lun__array_logical(a) == LUN_TIMESTAMP && !clock)
        days = per(&c, x, LUN__TIME_DAY);
    return give(&c, field(&c, f, days, x), valid, LUN_I64, out);
}

lun_status lun_time_days(lun_engine *e, lun_array *year, lun_array *month, lun_array *day,
                         lun_array **out)
{
    LUN_NEED(e, year && month && day && out);
    calc c = {.e = e};
    char text[96];
    lun_array *const all[] = {year, month, day};
    for (int k = 0; k < 3; k++) {
        const lun_status s = lun__array_present(e, all[k]);
        if (s != LUN_OK)
            return s;
        if (!is_days(all[k]))
            return lun__fail(e, LUN_EDTYPE, "integers expected, got %s",
                             lun__array_describe(all[k], text));
    }
    lun_array *years = lun__calc_cast(&c, year, LUN_I64);
    lun_array *months = lun__calc_cast(&c, month, LUN_I64);
    months = add(&c, op(&c, LUN_OP_ADD, mul(&c, years, 12), months), -1);
    lun_array *days =
        op(&c, LUN_OP_ADD, before_months(&c, months), lun__calc_cast(&c, day, LUN_I64));
    return lun__calc_end(&c, days, out);
}

int64_t lun_civil_days(int64_t year, int64_t month, int64_t day)
{
    const int64_t past = lun__time_floor(month - 1, 12);
    return lun__civil_days(year + past, (int)(month - 12 * past), 1) + day - 1;
}

void lun_civil_of(int64_t days, int64_t *year, int *month, int *day)
{
    const lun__civil c = lun__civil_of(days);
    *year = c.year;
    *month = c.month;
    *day = c.day;
}

/* The microseconds since midnight. */
lun_status lun_time_of_day(lun_engine *e, lun_array *a, lun_array **out)
{
    LUN_NEED(e, a && out);
    calc c = {.e = e};
    lun_array *valid = NULL;
    lun_status s = lun__time_array_check(e, a, LUN__TIME_BIT(LUN_TIMESTAMP), "timestamps");
    if (s != LUN_OK)
        return s;
    lun_array *x = slots_of(&c, a, &valid);
    return give(&c, rest(&c, x, LUN__TIME_DAY), valid, LUN_DURATION, out);
}

static lun_status unit_of(lun_engine *e, const char *unit, lun__time_span *out)
{
    if (unit && lun__time_unit(unit, (int64_t)strlen(unit), out))
        return LUN_OK;
    return lun__fail(e, LUN_EARG, "'%s' is no unit such as 1d 2w 1mo 1q 1y 1h 15m 30s 10ms 5us",
                     unit ? unit : "");
}

/* The dates or timestamps at the starts of spans of months. */
static lun_array *month_start(calc *c, lun_array *days, int64_t months)
{
    const civil of = civil_of(c, days);
    if (months == 1)
        return sub(c, days, add(c, of.day, -1));
    lun_array *first = mul(c, per(c, months_of(c, &of), months), months);
    return add(c, before_months(c, first), 1);
}

lun_status lun_time_truncate(lun_engine *e, lun_array *a, const char *unit, lun_array **out)
{
    LUN_NEED(e, a && out);
    calc c = {.e = e};
    lun__time_span u;
    lun_array *valid = NULL;
    lun_status s = lun__time_array_check(e, a, ~0U, "dates, timestamps or durations");
    if (s == LUN_OK)
        s = unit_of(e, unit, &u);
    if (s != LUN_OK)
        return s;
    const lun_dtype t = lun__array_logical(a);
    if (u.months < 0 || u.us < 0)
        return lun__fail(e, LUN_EARG, "'%s': a positive unit expected", unit);
    if (t == LUN_DATE && !u.months && !u.days)
        return lun__fail(e, LUN_EARG, "'%s': dates have no parts of days", unit);
    if (t == LUN_DURATION && u.months)
        return lun__fail(e, LUN_EARG, "'%s': months of durations have no one length", unit);
    lun_array *x = slots_of(&c, a, &valid);
    const int64_t scale = t == LUN_DATE ? LUN__TIME_DAY : 1;
    if (u.months) {
        x = month_start(&c, t == LUN_DATE ? x : per(&c, x, LUN__TIME_DAY), u.months);
        x = t == LUN_DATE ? x : mul(&c, x, LUN__TIME_DAY);
    } else { /* 1969-12-29 was a Monday */
        const int64_t from = u.weeks && t != LUN_DURATION ? 3 * LUN__TIME_DAY / scale : 0;
        const int64_t step = u.us / scale;
        x = add(&c, mul(&c, per(&c, add(&c, x, from), step), step), -from);
    }
    return give(&c, x, valid, t, out);
}

/* The days `months` later, a number or an array. */
static lun_array *later(calc *c, lun_array *days, lun_array *months)
{
    const civil of = civil_of(c, days);
    lun_array *to = op(c, LUN_OP_ADD, months_of(c, &of), months);
    lun_array *before = before_months(c, to), *end = before_months(c, add(c, to, 1));
    return op(c, LUN_OP_MIN, op(c, LUN_OP_ADD, before, of.day), end);
}

/* x, days or microseconds as t has them, `count` times u later. */
static lun_array *stepped(calc *c, lun_array *x, lun_dtype t, const lun__time_span *u,
                          lun_array *count)
{
    const int64_t scale = t == LUN_DATE ? LUN__TIME_DAY : 1;
    if (!u->months)
        return op(c, LUN_OP_ADD, x, mul(c, count, u->us / scale));
    lun_array *months = mul(c, count, u->months);
    if (t == LUN_DATE)
        return later(c, x, months);
    lun_array *days = per(c, x, LUN__TIME_DAY), *clock = rest(c, x, LUN__TIME_DAY);
    return op(c, LUN_OP_ADD, mul(c, later(c, days, months), LUN__TIME_DAY), clock);
}

lun_status lun_time_add(lun_engine *e, lun_array *a, const char *unit, lun_array **out)
{
    LUN_NEED(e, a && out);
    calc c = {.e = e};
    lun__time_span u;
    lun_array *valid = NULL;
    const unsigned dates = LUN__TIME_BIT(LUN_DATE) | LUN__TIME_BIT(LUN_TIMESTAMP);
    lun_status s = lun__time_array_check(e, a, dates, "dates or timestamps");
    if (s == LUN_OK)
        s = unit_of(e, unit, &u);
    if (s != LUN_OK)
        return s;
    const lun_dtype t = lun__array_logical(a);
    if (t == LUN_DATE && !u.months && !u.days)
        return lun__fail(e, LUN_EARG, "'%s': dates have no parts of days; cast them to timestamp",
                         unit);
    lun_array *x = slots_of(&c, a, &valid);
    x = stepped(&c, x, t, &u, lun__calc_number(&c, 1));
    return give(&c, x, valid, t, out);
}

/* ---- ranges ---------------------------------------------------------------------------------- */

/* x, count times u later. */
static int64_t stepped_number(int64_t x, lun_dtype t, const lun__time_span *u, int64_t count)
{
    const int64_t scale = t == LUN_DATE ? LUN__TIME_DAY : 1;
    if (!u->months)
        return x + count * (u->us / scale);
    if (t == LUN_DATE)
        return lun__civil_step(x, count * u->months);
    const int64_t days = lun__time_floor(x, LUN__TIME_DAY);
    return lun__civil_step(days, count * u->months) * LUN__TIME_DAY + (x - days * LUN__TIME_DAY);
}

/* How many steps from x do not go past last. */
static int64_t steps_to(int64_t x, int64_t last, lun_dtype t, const lun__time_span *u)
{
    const int64_t scale = t == LUN_DATE ? LUN__TIME_DAY : 1;
    const bool up = u->months > 0 || u->us > 0;
    int64_t size = u->months ? llabs(u->months) * 28 * LUN__TIME_DAY / scale : llabs(u->us) / scale;
    int64_t low = 0, high = llabs(last - x) / size + 1;
    if (up ? last < x : last > x)
        return 0;
    while (low < high) { /* the most steps that are not past last */
        const int64_t middle = low + (high - low + 1) / 2;
        const int64_t at = stepped_number(x, t, u, middle);
        if (up ? at <= last : at >= last)
            low = middle;
        else
            high = middle - 1;
    }
    return low + 1;
}

lun_status lun_time_range(lun_engine *e, lun_dtype t, int64_t first, int64_t last, const char *unit,
                          lun_array **out)
{
    LUN_NEED(e, out);
    calc c = {.e = e};
    lun__time_span u;
    lun_array *count = NULL;
    const lun_value zero = {.dtype = LUN_I64}, one = {.dtype = LUN_I64, .as.i = 1};
    const int64_t most = INT64_C(1) << 61;
    lun_status s = unit_of(e, unit, &u);
    if (s != LUN_OK)
        return s;
    if (t != LUN_DATE && t != LUN_TIMESTAMP)
        return lun__fail(e, LUN_EDTYPE, "date or timestamp expected, got %s", lun_dtype_name(t));
    if (t == LUN_DATE && !u.months && !u.days)
        return lun__fail(e, LUN_EARG, "'%s': dates have no parts of days", unit);
    if (first > most || first < -most || last > most || last < -most)
        return lun__fail(e, LUN_ERANGE, "a range beyond 70,000 years from 1970");
    s = lun_range(e, zero, one, steps_to(first, last, t, &u), LUN_I64, &count);
    count = lun__calc_take(&c, s, count);
    lun_array *x = stepped(&c, lun__calc_number(&c, first), t, &u, count);
    return give(&c, x, NULL, t, out);
}
