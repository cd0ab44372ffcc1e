/* run.h - the interpreter while it runs: shared by make_interpreter.c, interp.c and
 * reference_reduce.c alone.
 *
 * All memory of a run is the frame's scratch: first the accumulators of reductions, then addresses
 * of operands, then the registers, then the same for combining functions. Nothing is allocated.
 *
 * Invariant: at[i] is the address of operand i for the current block, of `n` elements, 64 at a
 * time, of which `valid` are real. trap is -1 or the instruction of the first failure, and stays
 * so. Programs and interp are constant: any number of threads run them. */
#ifndef LUN_RUN_H
#define LUN_RUN_H

#include "reference/reference.h"
#include "reference/write_program.h"

enum {
    ALIGNMENT = 64,
    LANE_BYTES = 8 * LUN_LANES,
    COMBINE_BYTES = 32 << 10 /* what a function may take where only the stack is at hand */
};

struct lun_interp {
    lun_exec exec;
    int version; /* of the bits */
    const lun_loops *loops;
    lun_program body, total;
    bool scans;
    int64_t threads, lanes; /* of a team, and its indices; 0: there are none */
    lun_program *functions;
    int function_count;
    lun_reducer *reducers; /* the scan's last */
    int reducer_count;
};

/* A reduction while a chunk runs: lanes, or the complete subtrees so far. */
typedef struct accumulator {
    _Alignas(ALIGNMENT) unsigned char lanes[LANE_BYTES];
    lun_order_roots roots;
    uint64_t
        chain; /* function of a scan: combined from left to right; gives_index: the best element */
    int64_t index; /* its index, -1: none yet */
    bool started;  /* lanes or chain hold something */
} accumulator;

/* One call of a chunk function, or one use of a combining function. */
typedef struct run {
    const lun_interp *interp;
    const lun_program *program;
    lun_frame *frame;     /* NULL for a function */
    const uint64_t *args; /* the kernel's; for a function, those that it captures */
    void *const *slots;   /* the same */
    const volatile int *cancel;
    char **at;       /* by operand */
    char *functions; /* memory for combining functions */
    accumulator *accumulators;
    int64_t first;    /* index of the block's first element */
    int64_t valid, n; /* elements of the block: real ones; rounded up to 64 */
    uint64_t carry;
    int64_t trap, trap_value;
    bool stream, streamed;
    lun_races *races; /* as in the launch */
} run;

static inline size_t rounded(size_t bytes)
{
    return (bytes + ALIGNMENT - 1) / ALIGNMENT * ALIGNMENT;
}

/* Addresses and registers of a program. */
static inline size_t program_bytes(const lun_program *p)
{
    return rounded((size_t)p->operand_count * sizeof(char *)) + (size_t)(p->bytes * p->block);
}

/* interp.c: sets up p in memory (r->n: elements of the largest block); runs it on a block. */
void lun__interp_start(run *r, const lun_program *p, char *memory);
void lun__interp_steps(run *r);
void lun__interp_body(const void *self, int64_t lo, int64_t hi, lun_frame *frame);
void lun__interp_total(const void *self, int64_t lo, int64_t hi, lun_frame *frame);

/* reference_reduce.c: a block of a REDUCE or, if `total`, of the total of a SCAN; the end of
 * either; a block of a SCAN; two cells; rows of them. */
void lun__reduce_block(run *r, const lun_step *s, bool total);
uint64_t lun__reduce_finish(run *r, const lun_reducer *d, accumulator *acc);
void lun__reduce_scan_block(run *r, const lun_step *s);
void lun__reduce_combine(const void *self, int result, const uint64_t *a, const uint64_t *b,
                         uint64_t *out, lun_frame *frame);
void lun__reduce_combine_rows(const void *self, int result, int results, uint64_t *cells,
                              int64_t pairs, lun_frame *frame);

#endif
