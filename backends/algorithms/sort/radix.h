/* radix.h - radix sort of records: which key bits vary, histograms of a digit, the scatter into
 * buckets by a digit, and the sort of what fits a cache.  Each is stable.  Knows neither dtypes nor
 * threads. Private to algorithms/.
 *
 * Invariant of the write-combining buffers of lun_spread: at[d] is where the next record of digit d
 * goes, first[d] where its bucket begins; of the cache line that holds at[d], the bytes below at[d]
 * that are not below first[d] are in line[d] and not yet in the bucket.  Whole lines before it are
 * written; flush writes the rest.  So buckets of several workers may be adjacent in a line. */
#ifndef LUN_RADIX_H
#define LUN_RADIX_H

#include "algorithms/sort/keys.h"

enum {
    LUN_DIGIT = 11, /* bits of a digit, at most */
    LUN_DIGITS = 1 << LUN_DIGIT,
    LUN_LINE = 64,         /* bytes that are written at once */
    LUN_SETTLE_COUNTS = 6, /* times LUN_DIGITS: what settle counts in */
    LUN_FEW = 24           /* records that are sorted by insertion */
};

/* What records have in common. */
typedef struct lun_seen {
    uint64_t any, all;   /* bits that some, that all keys have set */
    uint64_t last[2];    /* the last record, as lun_placed or its first half */
    bool some, descends; /* there are any; one is less than the one before it */
} lun_seen;

/* Some bits of a key, as a number from 0 to mask: (key >> shift) - base, of what is less or greater
 * the nearest one. */
typedef struct lun_digit {
    int shift;
    uint32_t mask;
    uint64_t base;
} lun_digit;

/* The buckets of a scatter: records of a digit go to consecutive offsets, gathered in whole lines.
 * */
typedef struct lun_spread {
    char *at[LUN_DIGITS];    /* the next record */
    char *first[LUN_DIGITS]; /* the first record */
    bool stream;             /* whole lines bypass the caches */
    _Alignas(LUN_LINE) char line[LUN_DIGITS][LUN_LINE];
} lun_spread;

typedef struct lun_radix {
    int64_t bytes; /* of a record */
    int low;       /* the lowest bit of a key */
    void (*see)(const void *x, int64_t n, lun_seen *seen);
    /* Adds how many of n records have each digit: in two tables, so that equal digits in a row do
     * not wait for one another. */
    void (*count)(const void *x, int64_t n, lun_digit digit, uint32_t counts[2][LUN_DIGITS]);
    /* What `wanted` says of the digit of each of n records. */
    void (*mark)(const void *x, int64_t n, lun_digit digit, const uint8_t *wanted, uint8_t *mask);
    void (*spread)(const void *x, int64_t n, lun_digit digit, lun_spread *to);
    /* What is left in lines of digits up to mask. */
    void (*flush)(uint32_t mask, lun_spread *to);
    /* Sorts n records, whose keys differ below bit `high` only; `beside` has room for as many,
     * `counts` for LUN_SETTLE_COUNTS * LUN_DIGITS numbers. */
    void (*settle)(void *x, int64_t n, int high, void *beside, uint32_t *counts);
} lun_radix;

/* By lun_record. */
extern const lun_radix lun__radix[4];

/* The bits above which all keys are equal, given those that vary. */
static inline int lun__radix_top(uint64_t varying)
{
    return varying ? 64 - __builtin_clzll(varying) : 0;
}

#endif
