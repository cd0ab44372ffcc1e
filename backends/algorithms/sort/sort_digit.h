/* sort_digit.h - the digit by which a long segment's records are scattered, and
 * how many have each.  Private to algorithms/sort_*.c. */
#ifndef LUN_SORT_DIGIT_H
#define LUN_SORT_DIGIT_H

#include <stdatomic.h>

#include "algorithms/sort/sort_parts.h"

enum {
    LUN_SORT_STAGE = 1 << 10, /* records that are made of elements at a time */
    LUN_SORT_BITS_LEAST = 6,  /* of a digit by which records are scattered */
    /* How often records can be scattered: once by any digit, then by so many bits; then parts. */
    LUN_SORT_LEVELS = 13,
    LUN_SORT_STARTS = 7 * (LUN_DIGITS + 1) + LUN_SORT_LEVELS
};

/* What one worker has. */
typedef struct lun_sort_own {
    int64_t counts[LUN_DIGITS];
    uint32_t part[2][LUN_DIGITS]; /* of the last records */
    lun_seen seen;
    int64_t nans;
    int64_t starts[LUN_SORT_STARTS];
    lun_spread spread;
    uint32_t settle[LUN_SETTLE_COUNTS * LUN_DIGITS];
    _Alignas(LUN_LINE) char stage[LUN_SORT_STAGE * sizeof(lun_placed)];
    _Alignas(LUN_LINE) char cached[LUN_SORT_CACHED];
} lun_sort_own;

/* Records of a segment; their keys differ below bit `high` only. */
typedef struct lun_sort_range {
    int side; /* the array that holds them; -1: elements */
    int64_t from, count;
    int high;
} lun_sort_range;

/* The parts of a range that was spread. */
typedef struct lun_sort_level {
    int side, parts, next;
    int high, end_high; /* of a part, of the first and the last one */
    int64_t *starts;
} lun_sort_level;

/* One that spreads and settles: all workers together, or a single one. */
typedef struct lun_sorter {
    const lun_sort_segment *l;
    const lun_radix *radix;
    char *side[2];
    lun_sort_own *own; /* of its workers */
    int workers, low;
    int64_t nans;                           /* among the elements of a segment that was spread */
    int64_t alone;                          /* a part of more records is for all workers */
    lun_sort_level levels[LUN_SORT_LEVELS]; /* the first `depth` are open */
    int depth;
    lun_sort_range now; /* what is scattered, by which digit, to where */
    lun_digit digit;
    char *to;
    lun_sort_level *parts;
    atomic_llong next;
} lun_sorter;

static inline int64_t lun__sort_digit_less(int64_t a, int64_t b)
{
    return a < b ? a : b;
}

static inline int64_t lun__sort_digit_share(int64_t n, int worker, int workers)
{
    return n / workers * worker + lun__sort_digit_less(worker, n % workers);
}

static inline bool lun__sort_digit_stopped(const lun_sorter *x)
{
    return lun__backend_stop_requested(x->l->services);
}

static inline int64_t lun__sort_digit_bytes(const lun_sort_segment *l)
{
    return l->keys.bits / 8;
}

/* All of x's workers at once. */
void lun__sort_digit_together(lun_sorter *x, void (*work)(void *ctx, int worker));
/* At most `count` records of x->now from `from` on; how many.  Adds how many NaNs were read. */
int64_t lun__sort_digit_records(const lun_sorter *x, lun_sort_own *o, int64_t from, int64_t count,
                                const void **out, int64_t *nans);
/* Chooses x->digit for the range, which x->now becomes, and counts by it. */
void lun__sort_digit_count(lun_sorter *x, lun_sort_range r);
/* Of what was counted: the bits that vary, and whether a share is out of order. */
uint64_t lun__sort_digit_varying(const lun_sorter *x, bool *descends);
/* Whether the last record of a worker's share is not greater than the first of the next one's. */
bool lun__sort_digit_ascends(const lun_sorter *x);

#endif
