/* host_run.h - a run on the host, as host_run.c makes it and work.c's workers do it. */
#ifndef LUN_HOST_RUN_H
#define LUN_HOST_RUN_H

#include <stdatomic.h>

#include "host/bounce.h"
#include "host/chunk_parts.h"
#include "host/host.h"
#include "host/split_run.h"
#include "host/staging.h"

enum { LUN_ALIGNMENT = 64, LUN_SHARES = 32 };

/* Chunks that are left: the first in the lower half, the end in the upper one. */
typedef struct lun_share {
    _Alignas(LUN_ALIGNMENT) atomic_ullong rest;
} lun_share;

typedef struct lun__run lun__run;
typedef struct lun_worker lun_worker;
struct lun__run {
    const lun_services *services;
    _Atomic(const lun_exec *) exec; /* worker 0 exchanges it */
    const lun_ir *ir;
    lun_launch *launch;
    int64_t end; /* first + count */
    lun_cut cut;
    bool plain;    /* neither REDUCE nor SCAN */
    bool loose;    /* chunks begin anywhere, see lun_cut_work */
    char *scratch; /* of worker 0; the others follow */
    size_t scratch_step;
    lun_bounce *bounce;
    char *feeds; /* of worker 0; NULL: all elements are in memory */
    size_t feed_step;
    int64_t lines; /* > 0: it is run line by line, of so many elements (lines.h) */
    bool in_parts; /* feeds are what parts need */
    bool drains;   /* else: some of them are written behind a chunk */
    char *tables;  /* of worker 0: for segments, chains, sweeps; table_step 0: nothing */
    size_t table_step;
    /* Runs chunk k of a chain, whose `links` are host_chain.c's, or of sweeps, which are
     * host_sweep.c's; NULL: it is neither. */
    void (*chain)(lun__run *r, int64_t k, lun_worker *w);
    const struct lun__links *links;
    const struct lun__sweeps *sweeps;
    /* Makes the rows that a chain takes and hands them on, by threads of the team, instead of
     * chunks; NULL: there are chunks. */
    lun_status (*drive)(lun__run *r, const lun_team *team, const void *driver);
    const void *driver;

    lun_share shares[LUN_SHARES];
    int share_count;
    atomic_llong next;  /* SCAN: the chunk to be taken */
    atomic_llong ready; /* SCAN: the chunk whose carry is in `carry` */
    uint64_t carry;
    atomic_int stop;      /* cancelled */
    atomic_llong trapped; /* the lowest chunk with a trap; INT64_MAX: none */
    atomic_flag trap_lock;
    int64_t trap, trap_value; /* of that chunk; under the lock */
    lun_status failure;       /* what that makes of the run */
};

/* What a worker has of its own. */
struct lun_worker {
    lun_frame frame;
    bool leads; /* worker 0: the calling thread */
    lun_staging feed;
    lun_parts parts;
    char *tables;
    bool opened; /* its first chunk of sweeps has begun */
};

/* True when chunk k need not run: the run was stopped, or has failed before k. */
bool lun__work_finished(lun__run *r, int64_t k);
/* Keeps what the frame says of chunk k, if no lower one has failed. */
void lun__work_note_trap(lun__run *r, int64_t k, const lun_frame *frame);
/* The same of a stage of a chain, that of the lowest one of a chunk first. */
void lun__work_note(lun__run *r, int64_t k, lun_status failure, int64_t trap, int64_t value);
lun_frame lun__work_frame(const lun__run *r, int worker);
/* Row j of cells becomes the combination of rows 2j and 2j + 1, j < pairs; traps go into frame. */
void lun__host_run_combine_rows(const lun_exec *exec, int results, uint64_t *cells, int64_t pairs,
                                lun_frame *frame);
/* What worker number `worker` begins with. */
lun_worker lun__work_begin(const lun__run *r, int worker);
/* To be called by a worker behind its last chunk: what it has stored others see. */
void lun__work_fence(const lun__run *r);
/* Shares the chunks out, where that is not done one by one. */
void lun__work_share(lun__run *r);
/* Runs r, whose cut is made, with so many bytes of scratch for all workers together. */
lun_status lun__host_run_go(lun__run *r, const lun_team *team, size_t scratch);
/* All that a worker does; ctx: the lun__run. */
void lun__work_all(void *ctx, int worker);

#endif
