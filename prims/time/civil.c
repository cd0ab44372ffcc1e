/* civil.c - the proleptic Gregorian calendar as numbers of days: a year counts from March on, so
 * that its leap day is its last (H. Hinnant, chrono-compatible low-level date algorithms). */
#include "time/time.h"

enum {
    ERA = 146097,       /* days of 400 years */
    ERA_BEFORE = 719468 /* days from 0000-03-01 to 1970-01-01 */
};

int64_t lun__civil_days(int64_t year, int month, int day)
{
    const int64_t y = year - (month <= 2);
    const int64_t era = lun__time_floor(y, 400), of_era = y - era * 400;
    const int64_t of_year = (153 * ((month + 9) % 12) + 2) / 5 + day - 1;
    return era * ERA + of_era * 365 + of_era / 4 - of_era / 100 + of_year - ERA_BEFORE;
}

lun__civil lun__civil_of(int64_t days)
{
    const int64_t from = days + ERA_BEFORE, era = lun__time_floor(from, ERA);
    const int64_t of_era = from - era * ERA;
    const int64_t y = (of_era - of_era / 1460 + of_era / 36524 - of_era / 146096) / 365;
    const int of_year = (int)(of_era - (365 * y + y / 4 - y / 100));
    const int past = (5 * of_year + 2) / 153; /* months since March */
    return (lun__civil){.year = y + era * 400 + (past >= 10),
                        .month = past < 10 ? past + 3 : past - 9,
                        .day = of_year - (153 * past + 2) / 5 + 1};
}

int lun__civil_length(int64_t year, int month)
{
    static const int lengths[] = {31, 28, 31, 30, 31, 30, 31, 31, 30, 31, 30, 31};
    const bool leap = year % 4 == 0 && (year % 100 != 0 || year % 400 == 0);
    return lengths[month - 1] + (month == 2 && leap);
}

int64_t lun__civil_step(int64_t days, int64_t months)
{
    const lun__civil c = lun__civil_of(days);
    const int64_t all = c.year * 12 + c.month - 1 + months, year = lun__time_floor(all, 12);
    const int month = (int)(all - year * 12) + 1, last = lun__civil_length(year, month);
    return lun__civil_days(year, month, c.day < last ? c.day : last);
}
