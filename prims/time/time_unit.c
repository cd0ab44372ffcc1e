/* time_unit.c - units of time by their names. */
#include <string.h>

#include "time/time.h"

/* The most units of one span, and of calendar ones: 10,000 years or more. */
#define MOST INT64_C(1000000000000000)
enum { MONTHS = 10000 };

typedef struct unit {
    const char *name;
    int64_t months, us;
} unit;

static const unit units[] = {
    {"us", 0, 1},
    {"ms", 0, 1000},
    {"s", 0, LUN__TIME_SECOND},
    {"m", 0, 60 * LUN__TIME_SECOND},
    {"h", 0, 3600 * LUN__TIME_SECOND},
    {"d", 0, LUN__TIME_DAY},
    {"w", 0, 7 * LUN__TIME_DAY},
    {"mo", 1, 0},
    {"q", 3, 0},
    {"y", 12, 0},
};

/* The unit of that name; NULL: there is none. */
static const unit *find(const char *s, int64_t n)
{
    for (size_t k = 0; k < sizeof units / sizeof *units; k++)
        if ((int64_t)strlen(units[k].name) == n && !memcmp(units[k].name, s, (size_t)n))
            return &units[k];
    return NULL;
}

bool lun__time_unit(const char *s, int64_t n, lun__time_span *out)
{
    const bool negative = n > 0 && *s == '-';
    int64_t count = 0, at = negative;
    for (; at < n && s[at] >= '0' && s[at] <= '9'; at++)
        if (__builtin_mul_overflow(count, 10, &count) ||
            __builtin_add_overflow(count, s[at] - '0', &count))
            return false;
    const unit *u = at > negative ? find(s + at, n - at) : NULL;
    count = negative ? -count : count;
    if (!u || !count)
        return false;
    if (count > MOST || count < -MOST || (u->months && (count > MONTHS || count < -MONTHS)))
        return false;
    *out = (lun__time_span){.days = u->us % LUN__TIME_DAY == 0, .weeks = s[n - 1] == 'w'};
    out->months = count * u->months;
    return !__builtin_mul_overflow(count, u->us, &out->us);
}

int64_t lun__time_unit_us(const char *s, int64_t n)
{
    const unit *u = find(s, n);
    return u ? u->us : 0;
}
