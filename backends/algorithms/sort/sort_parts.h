/* sort_parts.h - what sort.h's files share: a segment that is too long for a worker's cache, or for
 * one worker.  Private to algorithms/. */
#ifndef LUN_SORT_PARTS_H
#define LUN_SORT_PARTS_H

#include "algorithms/sort/radix.h"
#include "algorithms/sort/sort.h"

enum {
    LUN_SORT_CACHED = 512 << 10, /* bytes of records that are sorted in a worker's cache */
    LUN_SORT_LEAST = 1 << 14     /* elements of a worker's share */
};

/* One segment. */
typedef struct lun_sort_segment {
    const lun_services *services;
    const lun_team *team;
    int workers;
    lun_keys keys;
    lun_record record;
    int64_t n, base;
    const void *from;
    void *to;         /* or NULL */
    int64_t *indices; /* or NULL */
    char *scratch;
} lun_sort_segment;

lun_record lun__sort_record(lun_dtype t, int64_t segment, bool placed);
/* Bytes of memory for a segment of n elements of so many bytes. */
int64_t lun__sort_parts_room(lun_record r, int64_t size, int64_t n, int workers);
void lun__sort_parts_run(const lun_sort_segment *l);
/* The same, with the same memory, of 64-bit elements with indices where that takes words of 64
 * bits; false: it does not. */
bool lun__sort_packed(const lun_sort_segment *l);

/* Elements of 8 or 16 bits without indices: by counting.  Whether segments are long enough for
 * that. */
bool lun__sort_counts(const lun_sorting *s);
int64_t lun__sort_count_room(const lun_sorting *s, int workers);
void lun__sort_count_run(const lun_services *services, const lun_team *team, int workers,
                         const lun_sorting *s);

#endif
