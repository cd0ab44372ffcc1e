/* host.h - runs a kernel on the host's cores: chunks, the fixed reduction tree, the scan chain.
 *
 * Shared by every backend that computes in host memory.  Knows neither how a chunk is computed (an
 * interpreter or compiled code) nor how threads are made: both come as functions.  It fixes the
 * order of combination, so that results have the same bits on any number of threads:
 *
 * - Elementwise: chunks of LUN_CHUNK indices, any order.
 * - REDUCE by a COMM op that has an identity: within a chunk 64 lanes, lane l combining elements
 *   l, l+64, l+128, ... in order, starting from the identity, missing elements replaced by the
 *   identity; then lanes are folded in halves: for s = 32, 16, 8, 4, 2, 1: lane[l] = op(lane[l],
 *   lane[l+s]).  Any other op or function: the adjacent-pair tree: x'[j] = f(x[2j], x[2j+1]), an
 *   odd last element goes up unchanged, until one is left.
 *   Chunk results, in order, are combined by the adjacent-pair tree.
 * - SCAN: chunks of LUN_SCAN_CHUNK.  total[k] of chunk k is as REDUCE defines for a predefined op
 *   (chunk of LUN_SCAN_CHUNK elements: the same lanes), for a function the plain left-to-right
 *   chain.
 *   carry[0] = initial value, carry[k+1] = f(carry[k], total[k]).
 *   Inside a chunk, by a function: acc = carry; exclusive: out[i] = acc, acc = f(acc, x[i]);
 *   inclusive: acc = f(acc, x[i]), out[i] = acc.
 *   By an op: groups of 8 elements; p = x; p[l] = op(p[l-1], p[l]) for l >= 1, then the same with
 *   distance 2 and 4 (all lanes at once, Hillis and Steele 1986);
 *   inclusive: out[l] = op(carry, p[l]); exclusive: out[0] = carry, out[l] = op(carry, p[l-1]);
 *   then carry = op(carry, p[7]).  Elements beyond n count as the identity.
 */
#ifndef LUN_HOST_H
#define LUN_HOST_H

#include <stdint.h>

#include "backend.h"
#include "ir/ir.h"

enum { LUN_LANES = 64, LUN_CHUNK = 16384, LUN_SCAN_CHUNK = 65536 };

/* The time of a plain operation on wide vectors, roughly, and the least work of a worker. */
#define LUN_OPERATION_NS 0.06
#define LUN_WORKER_NS    10000

/* What a chunk function gets.  The layout is part of the generated code's ABI. */
typedef struct lun_frame {
    int64_t n;               /* indices >= n are padding: never trap, call or reduce there */
    void *const *slots;      /* by slot: address of element 0 (or where it would be) */
    const uint64_t *args;    /* by argument: cells */
    const void *const *math; /* vector math functions, see math/vecmath.h */
    uint64_t *partials;      /* out, by result: this chunk's reduction, a cell */
    uint64_t *carry;         /* SCAN: in: the carry; total function: out: the chunk's total */
    int64_t trap;            /* out: -1, or an instruction that met b == 0 at an index < n */
    int64_t stream;          /* nonzero: use non-temporal stores; the caller fences */
    void *scratch;           /* for the executor's own use: this worker's memory */
    /* out: with trap: the value that a CHECK reports; of a function of a REDUCE or SCAN the
     * instruction in its body; else 0 */
    int64_t trap_value;
    const volatile int *cancel; /* nonzero: stop; results are then without meaning */
} lun_frame;

/* Computes indices lo .. hi-1 (lo % 64 == 0; hi rounded up to 64 may be touched in every slot). */
typedef void (*lun_chunk_fn)(const void *self, int64_t lo, int64_t hi, lun_frame *frame);

typedef struct lun_exec {
    const void *self;
    lun_chunk_fn body;  /* kernels without SCAN: everything; with SCAN: out from carry */
    lun_chunk_fn total; /* SCAN only: the chunk's total into *carry */
    /* *out = reduction `result` (or the scan when result == -1) applied to cells *a and *b;
     * out may be a or b.  Traps go into the frame, of which only args and cancel are given. */
    void (*combine)(const void *self, int result, const uint64_t *a, const uint64_t *b,
                    uint64_t *out, lun_frame *frame);
    size_t scratch; /* bytes of scratch one worker needs (64-byte aligned when lent) */
    const void *const *math;
} lun_exec;

/* Runs task(ctx, worker) on `workers` threads at once, worker 0 .. workers-1, and waits. */
typedef struct lun_team lun_team;
typedef void (*lun_parallel_fn)(const lun_team *team, void *ctx, int workers,
                                void (*task)(void *ctx, int worker));

struct lun_team {
    int threads;              /* how many may run at once, >= 1 */
    lun_parallel_fn parallel; /* not called for one worker */
    const void *self;         /* for `parallel` */
    int64_t chunk_bytes,
        cache_bytes; /* what stays near a core, and in the last-level caches; 0: unknown */
};

/* Runs exec over the launch.  ir gives slots, reductions and the scan's dtype; cost is
 * lun_ir_cost(ir).  Returns LUN_OK, LUN_EZERO (launch->trap set), LUN_ECANCEL or LUN_ENOMEM. */
lun_status lun_host_run(const lun_services *services, const lun_exec *exec, const lun_team *team,
                        const lun_ir *ir, int64_t cost, lun_launch *launch);

#endif
