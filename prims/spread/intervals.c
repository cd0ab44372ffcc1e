/* intervals.c - sets of element numbers; see intervals.h. */
#include "spread/intervals.h"

#include <stdlib.h>
#include <string.h>

#include "base/grow.h"

/* The number of the first interval that ends at `at` or behind it. */
static int find(const lun_intervals *s, int64_t at)
{
    int low = 0, high = s->count;
    while (low < high) {
        int middle = low + (high - low) / 2;
        if (s->at[middle].hi < at)
            low = middle + 1;
        else
            high = middle;
    }
    return low;
}

bool lun__intervals_add(lun_intervals *s, int64_t lo, int64_t hi)
{
    if (lo >= hi)
        return true;
    int first = find(s, lo), last = first; /* those that touch lo .. hi */
    while (last < s->count && s->at[last].lo <= hi)
        last++;
    if (first == last) {
        if (!lun__grow(&s->at, s->count, &s->room, sizeof *s->at))
            return false;
        memmove(s->at + first + 1, s->at + first, (size_t)(s->count - first) * sizeof *s->at);
        s->at[first] = (lun_interval){lo, hi};
        s->count++;
        return true;
    }
    if (s->at[first].lo > lo)
        s->at[first].lo = lo;
    s->at[first].hi = s->at[last - 1].hi > hi ? s->at[last - 1].hi : hi;
    memmove(s->at + first + 1, s->at + last, (size_t)(s->count - last) * sizeof *s->at);
    s->count -= last - first - 1;
    return true;
}

bool lun__intervals_room(lun_intervals *s, int calls)
{
    while (s->room - s->count < calls)
        if (!lun__grow(&s->at, s->room, &s->room, sizeof *s->at))
            return false;
    return true;
}

bool lun__intervals_remove(lun_intervals *s, int64_t lo, int64_t hi)
{
    if (lo >= hi)
        return true;
    int first = find(s, lo + 1), last = first; /* those that meet lo .. hi - 1 */
    while (last < s->count && s->at[last].lo < hi)
        last++;
    if (first == last)
        return true;
    const lun_interval before = {s->at[first].lo, lo}, behind = {hi, s->at[last - 1].hi};
    const int kept = (before.lo < before.hi) + (behind.lo < behind.hi);
    if (kept > last - first && !lun__intervals_room(s, 1))
        return false;
    memmove(s->at + first + kept, s->at + last, (size_t)(s->count - last) * sizeof *s->at);
    s->count += kept - (last - first);
    if (before.lo < before.hi)
        s->at[first++] = before;
    if (behind.lo < behind.hi)
        s->at[first] = behind;
    return true;
}

bool lun__intervals_copy(const lun_intervals *from, lun_intervals *to)
{
    *to = (lun_intervals){0};
    if (!from->count)
        return true;
    to->at = malloc((size_t)from->count * sizeof *to->at);
    if (!to->at)
        return false;
    memcpy(to->at, from->at, (size_t)from->count * sizeof *to->at);
    to->count = to->room = from->count;
    return true;
}

void lun__intervals_clear(lun_intervals *s)
{
    s->count = 0;
}

void lun__intervals_free(lun_intervals *s)
{
    free(s->at);
    *s = (lun_intervals){0};
}

lun_interval lun__intervals_around(const lun_intervals *s, int64_t at, int64_t lo, int64_t hi,
                                   bool *in)
{
    int k = find(s, at + 1); /* the first that ends behind `at` */
    lun_interval x = {lo, hi};
    *in = k < s->count && s->at[k].lo <= at;
    if (*in) {
        x = s->at[k];
    } else {
        if (k > 0)
            x.lo = s->at[k - 1].hi;
        if (k < s->count)
            x.hi = s->at[k].lo;
    }
    x.lo = x.lo < lo ? lo : x.lo;
    x.hi = x.hi > hi ? hi : x.hi;
    return x;
}

bool lun__intervals_cover(const lun_intervals *s, int64_t lo, int64_t hi)
{
    bool in = true;
    return lo >= hi || (lun__intervals_around(s, lo, lo, hi, &in).hi == hi && in);
}
