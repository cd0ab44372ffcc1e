/* instruction_loops.h - the inner loops of the interpreter: one operation on a block of elements.
 *
 * instruction_loops.c is compiled once per instruction set; each copy exports one table of this
 * form. The loops know memory, dtypes and operations, and nothing else.
 *
 * What holds for all of them, unless a line says otherwise:
 * - n is a multiple of 64; elements of one operand are contiguous, aligned as C aligns one element.
 * - The result may be the very memory of an operand whose elements have the same size: element i of
 *   the result depends on elements i of the operands alone. Any other overlap is forbidden.
 * - They never trap, whatever the elements are. A bool is a byte; results are 0 or 1. */
#ifndef LUN_INSTRUCTION_LOOPS_H
#define LUN_INSTRUCTION_LOOPS_H

#include "ir/combine_order.h"
#include "isa/isa.h"
#include "math/version.h"
#include "table/op.h"

typedef void (*lun_loop_op)(void *d, const void *a, const void *b, const void *c, int64_t n);
typedef void (*lun_loop_cast)(void *d, const void *a, int64_t n);
/* acc[i % 64] = op(acc[i % 64], x[i]) for i = 0 .. n-1 in order. */
typedef void (*lun_loop_lanes)(void *acc, const void *x, int64_t n);
/* work[0] = x[0 .. n) combined by the adjacent-pair tree; any n >= 1. work has room for (n+1)/2 and
 * may be x. */
typedef void (*lun_loop_pairs)(void *work, const void *x, int64_t n);
/* The scan that ir/combine_order.h states for operations: groups, *carry goes on. */
typedef void (*lun_loop_scan)(void *d, const void *x, void *carry, int64_t n, bool inclusive);

/* Loops of one dtype; NULL where the operation does not exist. */
typedef struct lun_loops_of {
    lun_loop_op op[LUN_OP_COUNT];       /* operands of the dtype, result as the row's rule says */
    lun_loop_lanes lanes[LUN_OP_COUNT]; /* these three for ASSOC rows alone */
    lun_loop_pairs pairs[LUN_OP_COUNT];
    lun_loop_scan scan[LUN_OP_COUNT];
    lun_loop_cast cast[LUN_DTYPE_COUNT]; /* to the dtype, from [dtype] */
} lun_loops_of;

/* Where a loop depends on the size of an element alone, it is found under log2 of the size. */
typedef struct lun_loops {
    int bytes; /* of a vector */
    const lun_loops_of *of[LUN_DTYPE_COUNT];

    /* The sequences of math/functions.def, by their version and whether they are f64; NULL where
     * there is none.  lun__instruction_loops_math finds them. */
    lun_loop_op math[LUN_VERSIONS][2][LUN_OP_COUNT];

    void (*fill[4])(void *d, const void *cell, int64_t n);
    void (*iota)(void *d, int64_t first, int64_t n); /* i64: first, first + 1, ... */
    /* bits of RANDOM for i64 indices under a key: u32, u64 */
    void (*random[2])(void *d, const void *index, uint64_t key, int64_t n);
    void (*copy)(void *d, const void *a, int64_t bytes);
    /* The same past the caches; d on a multiple of 64. The caller ends with `fence`. */
    void (*stream)(void *d, const void *a, int64_t bytes);
    void (*fence)(void);
    /* d[i] = x[2i], e[i] = x[2i + 1]; any n, counted in pairs; d, e not x. */
    void (*split_pairs[4])(void *d, void *e, const void *x, int64_t n);

    /* Under a mask of bytes 0 or 1; NULL: everywhere. Any n. */
    void (*gather[4])(void *d, const void *x, const void *index, const uint8_t *mask, int64_t n);
    /* x[index[i]] = a[i] */
    void (*put[4])(void *x, const void *a, const void *index, const uint8_t *mask, int64_t n);
    bool (*any_zero[4])(const void *x, const uint8_t *mask, int64_t n);
    void (*blend[4])(void *d, const void *a, const uint8_t *mask,
                     int64_t n); /* n: multiple of 64 */

    /* Masks. n: a multiple of 64. */
    void (*split)(uint8_t *yes, uint8_t *no, const uint8_t *mask, const uint8_t *condition,
                  int64_t n); /* no may be NULL */
    void (*drop)(uint8_t *mask, const uint8_t *gone, int64_t n);
    bool (*any)(const uint8_t *mask, int64_t n);
} lun_loops;

/* The table for an instruction set that this build contains. */
const lun_loops *lun__interpreter_loops(lun_isa isa);

/* The sequence of an operation by a version of the bits; NULL: it has none. */
static inline lun_loop_op lun__instruction_loops_math(const lun_loops *l, int version, lun_op op,
                                                      lun_dtype t)
{
    const int wide = lun__dtype_is_double(t);
    if (version < 0 || !lun__dtype_is_plain_float(t))
        return NULL;
    while (version < LUN_VERSIONS - 1 && !l->math[version][wide][op])
        version++;
    return l->math[version][wide][op];
}

extern const lun_loops lun__loops_base;
#ifdef __x86_64__
extern const lun_loops lun__loops_avx2, lun__loops_avx512;
#endif

#endif
