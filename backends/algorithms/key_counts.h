/* key_counts.h - how often each number below a bound occurs among many, counted by several threads.
 *
 * A thread counts in a cache of its own, an entry for all numbers that are equal modulo its length;
 * the number that is there goes to the counts of all when another one comes. So a frequent number
 * is not fought for. Private to algorithms/. */
#ifndef LUN_KEY_COUNTS_H
#define LUN_KEY_COUNTS_H

#include <stdatomic.h>
#include <stdint.h>

typedef struct lun_key_count {
    int32_t number;
    uint32_t count;
} lun_key_count;

typedef struct lun_key_counts {
    int workers;
    int64_t room;   /* of each worker's cache, a power of two */
    int64_t length; /* of it, those in use */
    _Atomic int64_t *of;
    lun_key_count *caches; /* workers x room */
} lun_key_counts;

/* A cache's room where `count` numbers below `bound`, a power of two, are counted. */
int64_t lun__key_counts_room(int64_t count, int64_t bound, int workers);
/* All counts of numbers below `bound`, a power of two, are 0. */
void lun__key_counts_begin(lun_key_counts *c, int64_t bound);
/* n numbers more. */
void lun__key_counts_add(const lun_key_counts *c, int worker, const int32_t *numbers, int64_t n);
/* All that the caches hold goes to the counts. */
void lun__key_counts_end(const lun_key_counts *c);

#endif
