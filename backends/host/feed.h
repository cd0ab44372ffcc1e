/* feed.h - slots whose elements are not in memory: buffers of one worker, into which a chunk's
 * elements are read before it runs.  A part of run.c. */
#ifndef LUN_FEED_H
#define LUN_FEED_H

#include "backend.h"

typedef struct lun_feed {
    void **slots; /* what the worker's frame gets; NULL: nothing is to be fed */
    char *buffers;
    int64_t chunk; /* elements that fit each buffer */
    int64_t held;  /* the index from which on they are filled, -1: none */
    int slot;      /* that could not be read */
} lun_feed;

/* Bytes of the widest element that is not in memory; 0: all slots are. */
int64_t lun__feed_widest(const lun_ir *ir, const lun_launch *l);
/* Bytes that a worker needs for chunks of so many elements; 0: all slots are in memory; SIZE_MAX:
 * more than can be addressed. */
size_t lun__feed_bytes(const lun_ir *ir, const lun_launch *l, int64_t chunk);
/* memory: as many bytes, aligned to a cache line. */
void lun__feed_open(lun_feed *f, const lun_ir *ir, char *memory, int64_t chunk);
/* Reads elements lo .. hi-1 unless they are there. 0, or what a stream's read gave. */
int lun__feed_fill(lun_feed *f, const lun_ir *ir, const lun_launch *l, int64_t lo, int64_t hi);
/* The slots as they stand in `base`, with those that are fed in the buffers. */
void **lun__feed_slots(const lun_feed *f, const lun_ir *ir, const lun_launch *l, void *const *base);

#endif
