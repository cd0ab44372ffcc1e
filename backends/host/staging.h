/* staging.h - strided slots: buffers of one worker, into
 * which a chunk's elements are read before it runs, and from which they are written behind it.  A
 * part of host_run.c.
 *
 * Invariant: held is -1, or the buffers hold the elements from index `held` on that the last
 * fill read, with zeros up to whole blocks. slots has the buffers of fed slots; one worker owns
 * them. */
#ifndef LUN_STAGING_H
#define LUN_STAGING_H

#include "backend.h"

typedef struct lun_staging {
    void **slots; /* what the worker's frame gets; NULL: nothing is to be fed */
    char *buffers;
    int64_t chunk; /* elements that fit each buffer */
    int64_t held;  /* the index from which on they are filled, -1: none */
    int slot;      /* that could not be read */
} lun_staging;

/* What is to be read for a run, for the choice of chunks. */
typedef struct lun_staging_need {
    int64_t file;    /* bytes of the widest element that is in a file; 0: none is */
    int64_t strided; /* bytes of an index's elements that are in strided memory */
    int64_t unit;    /* indices that are best moved at once there; 0: any number */
    bool columns;    /* some of them are read from end to end, as neighbouring columns */
    bool shuffled;   /* all of these are split by shuffles */
    bool written;    /* some slots are written through buffers */
} lun_staging_need;
void lun__staging_need(const lun_ir *ir, const lun_launch *l, lun_staging_need *out);
/* Bytes that a worker needs for chunks of so many elements; 0: no slot is strided; SIZE_MAX: more
 * than can be addressed. */
size_t lun__staging_bytes(const lun_ir *ir, const lun_launch *l, int64_t chunk);
/* memory: as many bytes, aligned to a cache line. */
void lun__staging_open(lun_staging *f, const lun_ir *ir, char *memory, int64_t chunk);
/* Reads elements lo .. hi-1 unless they are there. 0, or what a stream's read gave. */
int lun__staging_fill(lun_staging *f, const lun_ir *ir, const lun_launch *l, int64_t lo,
                      int64_t hi);
/* The slots of `base`, with those that are fed in the buffers. */
void **lun__staging_slots(const lun_staging *f, const lun_ir *ir, const lun_launch *l,
                          void *const *base);
/* Elements lo .. hi-1, of those that are there, of the slots that are written. */
void lun__staging_drain(const lun_staging *f, const lun_ir *ir, const lun_launch *l, int64_t lo,
                        int64_t hi);

/* Whether a slot's elements pass through a buffer. */
static inline bool lun__staging_holds(const lun_stream *s)
{
    return s->read || s->write;
}

#endif
