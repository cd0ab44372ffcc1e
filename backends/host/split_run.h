/* split_run.h - how a run on the host is cut into chunks and shared out: a function of sizes and
 * costs. */
#ifndef LUN_SPLIT_RUN_H
#define LUN_SPLIT_RUN_H

#include "host/host.h"
#include "host/staging.h"

typedef struct lun_cut_work {
    int64_t count, bytes;  /* indices; memory that they read and write */
    int64_t cost;          /* lun__ir_cost, >= 1 */
    lun_staging_need need; /* what is read from files and strided memory */
    int64_t segment;       /* chunks hold whole segments of so many indices; 0: there are none */
    int64_t lanes;         /* chunks hold whole teams of so many indices; 0: there are none */
    bool scans, plain;     /* plain: neither REDUCE nor SCAN, chunks may have any size */
    bool free;             /* chunks of a SCAN may have any size, too */
    bool loose;            /* an index puts what it computes anywhere: chunks begin anywhere */
    int64_t chunk; /* asked for, and the order of batches, where they are free: see lun_launch */
    bool in_order;
} lun_cut_work;

typedef struct lun_cut {
    int64_t chunk, chunks; /* indices of one; how many */
    int64_t step;          /* of a chunk, that are read and computed at once; 0: all */
    int64_t batch;         /* chunks that a worker takes, and reads from a file, at once */
    int workers;
    bool in_order; /* workers take batches from first to last; else each begins with its share */
    bool stream;   /* it outgrows the caches: non-temporal stores pay */
} lun_cut;

/* Where results depend on chunks, these depend on the count alone. */
void lun__split_make(const lun_cut_work *work, const lun_team *team, lun_cut *out);
/* The chunks *from .. *to - 1 of share number s: neighbours, always the same for equal counts, so
 * that memory stays on the node that touched it first. */
void lun__split_share(const lun_cut *cut, int shares, int s, int64_t *from, int64_t *to);

/* n / by and n, rounded up. */
static inline int64_t lun__split_divide(int64_t n, int64_t by)
{
    return n / by + (n % by != 0);
}

static inline int64_t lun__split_round(int64_t n, int64_t to)
{
    return lun__split_divide(n, to) * to;
}

#endif
