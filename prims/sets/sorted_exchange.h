/* sorted_exchange.h - algorithms on the locations of a set: each runs one on its shard of the
 * operands (shard_runs.c); runs of elements in order are merged on the host, or exchanged between
 * splitters and merged by all locations (sorted_exchange.c).  It must not know in what order:
 * backends do.
 *
 * Invariants: at[k].count elements of location k's run are in order in run[], the first of them at
 * the start of its memory there.  Between two calls no algorithm is under way. */
#ifndef LUN_SORTED_EXCHANGE_H
#define LUN_SORTED_EXCHANGE_H

#include "backend.h"
#include "engine/state.h"
#include "graph/node.h"
#include "placing/share.h"
#include "store/fetch.h"
#include "store/pool.h"

/* What one location does. */
typedef struct lun_exchange_at {
    lun_algorithm_run r; /* the algorithm that it runs next, */
    bool wants;
    lun_work_mark mark;   /* of what has begun */
    bool device;          /* in memory of its own, which the device does by itself */
    bool lent;            /* of a device that does not: on host memory, by the host */
    lun_interval shard;   /* the elements of the operands that it takes */
    bool kept;            /* its candidates for quantiles are its run */
    int64_t count;        /* elements of its run, */
    int64_t found;        /* of its shard of a result whose length is found */
    lun_interval samples; /* their numbers; */
    lun_interval merges;  /* those of the elements in order that it merges */
} lun_exchange_at;

typedef struct lun_exchange {
    lun_engine *e;
    lun_node *n; /* the algorithm, a reference */
    const lun_share *share;
    lun_spread *cut;     /* its */
    lun_exchange_at *at; /* by location; so many, of which some have elements: */
    int places, parts;
    int64_t longest; /* elements of a shard */
    int columns;     /* 2: elements have numbers beside them */
    bool once;       /* equal elements become one, with the sum of their numbers */
    int64_t every;   /* of so many elements in order one is a sample; 0: 64 of each location are */
    lun_storage *run[2], *received[2], *merged[2]; /* elements, numbers, at locations; merged: NULL:
                                                      that column is not wanted */
    lun_storage *host[2], *joined[2];              /* the same on the host: runs, merged */
    lun_storage *number[LUN_ALGORITHM_OPERANDS];   /* elements of an operand that is a NUMBER */
    lun_storage *result[2];
    /* sorted_exchange.c: memory of all that follows.  By sample in order: its number.  By
     * splitter: the location that it stands at, elements that come before it there.  By
     * location, by splitter: elements before that; one more: all.  By location: lengths of the
     * runs that it merges. */
    int64_t *words, *stood, *owner, *before, *cuts, *lengths;
    char *samples, *ordered, *splitters; /* as found, in order; those at which is cut */
    void *scratch;                       /* for one run on the host after the other */
    int64_t scratch_bytes;
    double seconds;
} lun_exchange;

static inline int64_t lun__exchange_size(const lun_storage *s)
{
    return lun__dtype_get(s->dtype)->bytes;
}

/* ---- shard_runs.c ---------------------------------------------------------------------------- */

/* Memory for elements lo .. hi - 1 of s at location k, in the place of what is there. */
lun_status lun__shard_run_room(lun_exchange *x, lun_storage *s, int k, int64_t lo, int64_t hi,
                               lun_column *out);
/* The shard of the operands of n at location k, for r. */
lun_status lun__shard_run_load(lun_exchange *x, int k, lun_algorithm_run *r);
/* Operand i, which all locations read. */
lun_status lun__shard_run_whole(lun_exchange *x, int i, lun_column *to);
/* Column i of the run of location k. */
lun_column lun__shard_run_of(const lun_exchange *x, int i, int k);
/* Location k is to run an algorithm; runs what is wanted, devices while the host works. */
lun_algorithm_run *lun__shard_run_want(lun_exchange *x, int k, lun_algorithm which);
lun_status lun__shard_run(lun_exchange *x);
/* Runs it on host memory, by the native backend. */
lun_status lun__shard_run_native(lun_exchange *x, lun_algorithm_run *r);
/* Has the scratch memory that location k needs for r. */
lun_status lun__shard_run_scratch(lun_exchange *x, int k, lun_algorithm_run *r);

/* Memory on the host for so many elements and numbers, twice; a column of it. */
lun_status lun__shard_run_host(lun_exchange *x, int64_t total);
lun_column lun__shard_run_column(lun_storage *s, int64_t at, int64_t count);
/* Merges the runs that the host has there: the first `keep` elements are the results, or with
 * `once` all. */
lun_status lun__shard_run_join(lun_exchange *x, int64_t keep);
/* The found elements of `from` at each location, as a result in shards of just these. */
lun_status lun__shard_run_found(lun_exchange *x, lun_storage *const *from, lun_spread_kind kind);

/* ---- sorted_exchange.c ----------------------------------------------------------------------- */

/* Memory for runs, samples and cuts. */
lun_status lun__exchange_open(lun_exchange *x);
/* The host memory of merged results and scratch is taken before any work is done, for shards a
 * little longer than these: a failure later would do work twice. */
lun_status lun__exchange_reserve(lun_exchange *x);
/* Runs are cut at splitters, which samples give, and exchanged; merged[] has them then, in order of
 * locations; unless `once`, those of the shards of `cut`. */
lun_status lun__exchange_splitters(lun_exchange *x);

#endif
