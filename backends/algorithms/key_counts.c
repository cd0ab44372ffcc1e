/* key_counts.c - how often each number occurs; see key_counts.h. */
#include "algorithms/key_counts.h"

#include <string.h>

enum { LEAST = 8192 };

int64_t lun__key_counts_room(int64_t count, int64_t bound, int workers)
{
    int64_t room = LEAST;
    while (room < bound && 4 * room * workers * (int64_t)sizeof(lun_key_count) <= count)
        room *= 2;
    return room;
}

void lun__key_counts_begin(lun_key_counts *c, int64_t bound)
{
    c->length = bound < c->room ? bound : c->room;
    memset(c->of, 0, (size_t)bound * sizeof *c->of);
    for (int w = 0; w < c->workers; w++)
        memset(c->caches + w * c->room, 0, (size_t)c->length * sizeof *c->caches);
}

static void give(const lun_key_counts *c, lun_key_count *from)
{
    atomic_fetch_add_explicit(&c->of[from->number], from->count, memory_order_relaxed);
    from->count = 0;
}

void lun__key_counts_add(const lun_key_counts *c, int worker, const int32_t *numbers, int64_t n)
{
    lun_key_count *cache = c->caches + worker * c->room;
    const int32_t mask = (int32_t)(c->length - 1);
    for (int64_t i = 0; i < n; i++) {
        lun_key_count *at = &cache[numbers[i] & mask];
        if (at->number != numbers[i] || at->count == UINT32_MAX) {
            if (at->count)
                give(c, at);
            at->number = numbers[i];
        }
        at->count++;
    }
}

void lun__key_counts_end(const lun_key_counts *c)
{
    for (int w = 0; w < c->workers; w++)
        for (int64_t k = 0; k < c->length; k++)
            if (c->caches[w * c->room + k].count)
                give(c, &c->caches[w * c->room + k]);
}
