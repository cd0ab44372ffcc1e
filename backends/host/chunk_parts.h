/* chunk_parts.h - a chunk part by part, so that stencils read their elements from the array
 * itself: slots whose elements are elsewhere (beyond the ends of an array) are copied for that
 * part alone, into buffers that stay in the nearest cache.  A part of host_run.c. */
#ifndef LUN_CHUNK_PARTS_H
#define LUN_CHUNK_PARTS_H

#include "host/host.h"
#include "host/staging.h"

enum {
    LUN_PART = 2048 /* indices of a part with copies; others are longer.  All begin at multiples */
};

typedef struct lun_parts {
    const lun_ir *ir;
    const lun_launch *launch;
    void *const *base;    /* the slots as the run has them, */
    void **slots;         /* as the kernel gets them, */
    void **edge_slots;    /* and for elements at edges */
    lun_stream_run *runs; /* by slot: of the part */
    bool *patched;        /* by slot: the run is copied, with other elements at edges */
    char *buffers, *edges;
    size_t slot_bytes, edge_bytes; /* of a slot's buffer, of a slot's elements at edges */
    /* Numbers of a segment below `low` and from `high` on are to be computed again; segment 0:
     * none. */
    lun_stream_run again_at;
    bool again; /* a kernel may compute elements a second time, anywhere */
} lun_parts;

/* Whether a run is cut into parts; else what is not side by side is fed (staging.h). */
bool lun__parts_fit(const lun_ir *ir, const lun_launch *l);
/* Bytes that a worker needs for chunks of so many indices. */
size_t lun__parts_bytes(const lun_ir *ir, int64_t chunk);
/* memory: as many bytes, aligned to a cache line. */
void lun__parts_open(lun_parts *p, const lun_ir *ir, const lun_launch *l, char *memory,
                     int64_t chunk);
/* The slots for the part that begins at lo; returns its end, at most hi. */
int64_t lun__parts_next(lun_parts *p, int64_t lo, int64_t hi);
/* Behind a part lo .. hi - 1 of a kernel that stores: computes those of its elements again that
 * are at edges of segments, and writes what went into buffers. */
void lun__parts_edges(lun_parts *p, const lun_exec *x, int64_t lo, int64_t hi, lun_frame *frame);

#endif
