/* key_counts.h - how often each number below a bound occurs among many, counted by several threads.
 *
 * A thread counts in a cache of its own, an entry for all numbers that are equal modulo its length;
 * the number that is there goes to the counts of all when another one comes. So a frequent number
 * is not fought for. Private to hash_keys.c. */
#ifndef LUN_KEY_COUNTS_H
#define LUN_KEY_COUNTS_H

#include <stdatomic.h>
#include <stdint.h>
#include <string.h>

enum { LUN_KEY_COUNTS_LEAST = 8192 /* of a cache */ };

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
static inline int64_t lun__key_counts_room(int64_t count, int64_t bound, int workers)
{
    int64_t room = LUN_KEY_COUNTS_LEAST;
    while (room < bound && 4 * room * workers * (int64_t)sizeof(lun_key_count) <= count)
        room *= 2;
    return room;
}

/* All counts of numbers below `bound`, a power of two, are 0. */
static inline void lun__key_counts_begin(lun_key_counts *c, int64_t bound)
{
    c->length = bound < c->room ? bound : c->room;
    memset(c->of, 0, (size_t)bound * sizeof *c->of);
    for (int w = 0; w < c->workers; w++)
        memset(c->caches + w * c->room, 0, (size_t)c->length * sizeof *c->caches);
}

static inline void lun__key_counts_give(const lun_key_counts *c, lun_key_count *from)
{
    atomic_fetch_add_explicit(&c->of[from->number], from->count, memory_order_relaxed);
    from->count = 0;
}

/* n numbers more. */
static inline void lun__key_counts_add(const lun_key_counts *c, int worker, const int32_t *numbers,
                                       int64_t n)
{
    lun_key_count *cache = c->caches + worker * c->room;
    const int32_t mask = (int32_t)(c->length - 1);
    for (int64_t i = 0; i < n; i++) {
        lun_key_count *at = &cache[numbers[i] & mask];
        if (at->number != numbers[i] || at->count == UINT32_MAX) {
            if (at->count)
                lun__key_counts_give(c, at);
            at->number = numbers[i];
        }
        at->count++;
    }
}

/* All that the caches hold goes to the counts. */
static inline void lun__key_counts_end(const lun_key_counts *c)
{
    for (int w = 0; w < c->workers; w++)
        for (int64_t k = 0; k < c->length; k++)
            if (c->caches[w * c->room + k].count)
                lun__key_counts_give(c, &c->caches[w * c->room + k]);
}

#endif
