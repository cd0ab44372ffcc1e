/* intervals.h - a set of element numbers, as disjoint intervals in ascending order.  Knows no array
 * and no place.  Private to prims/. */
#ifndef LUN_INTERVALS_H
#define LUN_INTERVALS_H

#include <stdbool.h>
#include <stdint.h>

typedef struct lun_interval {
    int64_t lo, hi; /* lo .. hi - 1, never empty */
} lun_interval;

/* All zero: empty.  No two of them touch. */
typedef struct lun_intervals {
    lun_interval *at;
    int count, room;
} lun_intervals;

/* Each with lo <= hi.  False without memory: nothing has changed. */
bool lun__intervals_add(lun_intervals *s, int64_t lo, int64_t hi);
bool lun__intervals_remove(lun_intervals *s, int64_t lo, int64_t hi);
/* Memory for so many calls of these two, which do not fail then. */
bool lun__intervals_room(lun_intervals *s, int calls);
bool lun__intervals_copy(const lun_intervals *from, lun_intervals *to); /* to is empty */
void lun__intervals_clear(lun_intervals *s);                            /* keeps its memory */
void lun__intervals_free(lun_intervals *s);

bool lun__intervals_cover(const lun_intervals *s, int64_t lo, int64_t hi);
/* The part of s that contains `at`, or the gap that does, cut to lo .. hi - 1, in which `at` lies.
 * *in: which of the two it is. */
lun_interval lun__intervals_around(const lun_intervals *s, int64_t at, int64_t lo, int64_t hi,
                                   bool *in);

#endif
