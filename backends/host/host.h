/* host.h - runs a kernel on the host's cores: chunks, their cells, the scan chain.
 *
 * Shared by every backend that computes in host memory.  How a chunk is computed (an interpreter or
 * compiled code) and how threads are made come as functions.  Elementwise kernels are cut into
 * chunks of any size, run in any order; kernels with REDUCE or SCAN as ir/combine_order.h
 * states, so that results have the same bits on any number of threads. */
#ifndef LUN_HOST_H
#define LUN_HOST_H

#include <stdint.h>

#include "backend.h"
#include "ir/combine_order.h"

/* The time of a plain operation on wide vectors, roughly, and the least work of a worker. */
#define LUN_OPERATION_NS 0.06
#define LUN_WORKER_NS    10000

/* What a chunk function gets.  The layout is part of the generated code's ABI. */
typedef struct lun_frame lun_frame;
struct lun_frame {
    int64_t n;               /* indices >= n are padding: never trap, call or reduce there */
    void *const *slots;      /* by slot: address of element 0 (or where it would be) */
    const uint64_t *args;    /* by argument: cells */
    const void *const *math; /* of a crew the frame itself, for code that copies it; else NULL */
    uint64_t *partials;      /* out, by result: this chunk's reduction, a cell */
    uint64_t *carry;         /* SCAN: in: the carry; total function: out: the chunk's total */
    int64_t trap;            /* out: -1, or an instruction that found b == 0 at an index < n */
    int64_t stream;          /* nonzero: use non-temporal stores; the caller fences */
    void *scratch;           /* for the executor's own use: this worker's memory */
    /* out: with trap: the value that a CHECK reports; of a function of a REDUCE or SCAN the
     * instruction in its body; else 0 */
    int64_t trap_value;
    const volatile int *cancel; /* nonzero: stop; results are then without meaning */
    /* Kernels with REDUCE and without SCAN: NULL, or to be called before index `from` of a chunk
     * that ends at hi: puts other addresses into `slots`, which count until the index that it
     * returns.  That is hi or a multiple of LUN_PART behind the chunk's first one; of LUN_BLOCK,
     * where all values are combined in lanes (lun__order_in_lanes). */
    int64_t (*part)(lun_frame *frame, int64_t from, int64_t hi);
    lun_races *races;              /* as in the launch */
    int (*meet)(lun_frame *frame); /* MEET, nonzero: leave; NULL: nothing */
};

/* Computes indices lo .. hi-1 (lo % 64 == 0; hi rounded up to 64 may be touched in every slot). */
typedef void (*lun_chunk_fn)(const void *self, int64_t lo, int64_t hi, lun_frame *frame);

typedef struct lun_exec lun_exec;
struct lun_exec {
    const void *self;
    lun_chunk_fn body;  /* kernels without SCAN: everything; with SCAN: out from carry */
    lun_chunk_fn total; /* SCAN only: the chunk's total into *carry */
    /* *out = reduction `result` (or the scan when result == -1) applied to cells *a and *b (with
     * its index, the next cells, which by itself is left alone);
     * out may be a or b.  Traps go into the frame, of which only args, whole arrays in slots and
     * cancel are given. */
    void (*combine)(const void *self, int result, const uint64_t *a, const uint64_t *b,
                    uint64_t *out, lun_frame *frame);
    /* The same for rows of `results` cells, of which row j becomes the combination of rows 2j and
     * 2j + 1, j < pairs, in column `result`; NULL: by combine. */
    void (*combine_rows)(const void *self, int result, int results, uint64_t *cells, int64_t pairs,
                         lun_frame *frame);
    size_t scratch; /* bytes of scratch one worker needs (64-byte aligned when lent) */
    /* Another executor of the same kernel, with the same bits and no need of scratch, that runs
     * from now on; NULL: none yet.  The thread that called lun__host_run asks, between chunks. */
    const lun_exec *(*next)(void *ctx); /* NULL: there will be none */
    void *ctx;
};

/* Runs task(ctx, worker) on `workers` threads at once, worker 0 .. workers-1, and waits. */
typedef struct lun_team lun_team;
typedef void (*lun_parallel_fn)(const lun_team *team, void *ctx, int workers,
                                void (*task)(void *ctx, int worker));

/* Runs task(ctx, worker, of) by `of` workers, at most `workers`, that wait for each other. */
typedef void lun_together_fn(const lun_team *team, void *ctx, int workers,
                             void (*task)(void *ctx, int worker, int of));

struct lun_team {
    int threads;               /* how many may run at once, >= 1 */
    lun_parallel_fn parallel;  /* not called for one worker */
    lun_together_fn *together; /* the same */
    const void *self;          /* for `parallel` */
    int64_t chunk_bytes,
        cache_bytes; /* what stays near a core, and in the last-level caches; 0: unknown */
    double alone_ns; /* what this run takes one thread, where it was measured; else 0 */
};

/* Runs exec over the launch.  ir gives slots, reductions and the scan's dtype; cost is
 * lun__ir_cost(ir).  Returns LUN_OK, LUN_EZERO (launch->trap set), LUN_ECANCEL or LUN_ENOMEM. */
lun_status lun__host_run(const lun_services *services, const lun_exec *exec, const lun_team *team,
                         const lun_ir *ir, int64_t cost, lun_launch *launch);
/* The same of a launch with a crew, from crew.c. */
lun_status lun__host_crew(const lun_services *services, const lun_exec *exec, const lun_team *team,
                          const lun_ir *ir, lun_launch *launch);
/* Runs rows first .. first + count - 1 of a chain, stage k by kernels[k].  Fails as lun__host_run
 * does, of chain->failed. */
typedef struct lun_host_kernel {
    const lun_exec *exec;
    const lun_ir *ir;
    int64_t cost;
} lun_host_kernel;
lun_status lun__host_chain(const lun_services *services, const lun_host_kernel *kernels,
                           const lun_team *team, lun_chain *chain, int64_t first, int64_t count);
/* Takes rows first .. first + count - 1 of what a product makes, from the thread that made them:
 * they are at `rows`, NULL: where all of it goes.  False: no more are needed. */
typedef struct lun_host_rows {
    bool (*take)(void *ctx, int worker, int64_t first, int64_t count, void *rows);
    void *ctx;
} lun_host_rows;
/* Makes chain->product by at most team->threads workers and hands its rows on. */
typedef lun_status lun_host_make(void *ctx, const lun_team *team, const lun_host_rows *take);
/* Runs a chain that begins with a product, which `make` makes. */
lun_status lun__host_chain_product(const lun_services *services, const lun_host_kernel *kernels,
                                   const lun_team *team, lun_chain *chain, lun_host_make *make,
                                   void *ctx);
/* Runs units first .. first + count - 1 of sweeps, stage k by kernels[k].  Fails as lun__host_run
 * does, of sweep->failed. */
lun_status lun__host_sweep(const lun_services *services, const lun_host_kernel *kernels,
                           const lun_team *team, lun_sweep *sweep, int64_t first, int64_t count);
/* Whether a run is one worker's, however many threads there are. */
bool lun__host_run_alone(const lun_ir *ir, int64_t cost, const lun_launch *launch);
/* Nanoseconds that a run takes one thread, roughly, on a machine whose memory is busy. */
double lun__split_guess(int64_t cost, int64_t count, int64_t bytes);
/* LUN_WORK_COMBINE by exec's combine, for rows of `results` cells. */
lun_status lun__host_run_combine(const lun_services *services, const lun_exec *exec, int results,
                                 lun_launch *launch, uint64_t *cells, int64_t pairs);
/* Bytes of the machine's memory; 0: unknown. */
int64_t lun__host_run_memory(void);

#endif
