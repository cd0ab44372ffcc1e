/* combine_order.h - the order in which a kernel's values are combined: the one statement of it.
 *
 * An index space is cut into chunks of fixed size, so that a result has the same bits on any number
 * of threads, devices and launches.  A launch may begin at any chunk; the cells of its chunks are
 * joined here.  What happens inside a chunk is stated here and done by the backend that runs it.
 *
 * The tree of adjacent pairs, for f and x[0 .. n):  x'[j] = f(x[2j], x[2j+1]), an odd last element
 * goes up unchanged, until one is left.
 *
 * REDUCE: chunks of LUN_CHUNK indices.
 *   A commutative operation with an identity: LUN_LANES lanes, lane l combining elements l, l+64,
 *   l+128, ... in order, from the identity on; elements beyond n count as the identity.  Then lanes
 *   are folded in halves: for s = 32, 16, 8, 4, 2, 1: lane[l] = op(lane[l], lane[l+s]), l < s;
 *   lane 0 is the chunk's cell.
 *   Any other operation or function: the tree of adjacent pairs over the chunk's elements.
 *   Chunk cells, in order, are joined by the tree of adjacent pairs.
 *
 * SCAN: chunks of LUN_SCAN_CHUNK indices.
 *   total[k] of chunk k: by an operation as REDUCE combines a chunk, but over LUN_SCAN_CHUNK
 *   indices; by a function from left to right.
 *   carry[0] = the first value, carry[k+1] = f(carry[k], total[k]).
 *   Inside a chunk, by a function: acc = carry; exclusive: out[i] = acc, acc = f(acc, x[i]);
 *   inclusive: acc = f(acc, x[i]), out[i] = acc.
 *   By an operation: groups of LUN_SCAN_GROUP elements; p = x; p[l] = op(p[l-1], p[l]) for l >= 1,
 *   then the same at distances 2 and 4, all lanes at once (Hillis and Steele: Data parallel
 *   algorithms, 1986); inclusive: out[l] = op(carry, p[l]); exclusive: out[0] = carry,
 *   out[l] = op(carry, p[l-1]); then carry = op(carry, p[7]).  Elements beyond n count as the
 *   identity.
 *
 *   By an associative operation on integers or bools bits do not depend on chunks: a backend may
 *   choose others.
 *
 *   The locations that share a scan do it in stages: all find the totals of their chunks, one of
 *   them makes carries of these in their order, and all scan from their carries.
 *
 * Blocks: an order that a kernel follows by itself, in a loop, for a segment x[0 .. n) of few
 * values, such as a row of a matrix (kernels/pairs_kernel.c).  s_b combines the b-th
 * LUN_ORDER_BLOCK values from left to right: from the identity of an operation that has one, else
 * from its first value. The result is f(f(first, s_0), s_1) ..., where `first` is the given first
 * value, or that identity; without one it starts with s_0.
 *
 * Tuples (api/fold/tuples.c): segments of LUN_RUNNING_SEGMENT elements, along axes those of each
 * row apart; total[k] of segment k from left to right, from its first element on.  carry[0] = the
 * first values, carry[k+1] = f(carry[k], total[k]): the last one is what a reduction gives, of one
 * segment the fold from the first values.  A scan goes through each segment from its carry, element
 * by element.
 *
 * A kernel with SCAN has chunks of LUN_SCAN_CHUNK; the engine makes none that has REDUCE as well,
 * and the order of such reductions is not fixed.
 *
 * Cells are as in table/dtype.h.  Operations, functions and launches come as callbacks. */
#ifndef LUN_COMBINE_ORDER_H
#define LUN_COMBINE_ORDER_H

#include <stdbool.h>

#include "ir/ir.h"

/* The numbers of the order, once.  They are macros so that generated text can quote them
 * (LUN_ORDER_TEXT); Lua has them as core.internal.order (lun__order_numbers); tests/lint/order.sh
 * refuses them elsewhere. */
#define LUN_LANES           64    /* lanes of a chunk, elements of a block of pairs */
#define LUN_CHUNK           16384 /* elements of a reduction that one cell is made of */
#define LUN_SCAN_CHUNK      65536 /* elements of a scan with one carry */
#define LUN_SCAN_GROUP      8     /* elements of a chunk that are scanned at a time */
#define LUN_ORDER_BLOCK     256   /* values of a pair of rows, or of k, in one partial sum */
#define LUN_RUNNING_SEGMENT 1024  /* elements of a tuple's scan or reduction in one piece */
#define LUN_ORDER_PART      65536 /* rows of one partial result of groups and of weighted bins */

/* A number of the order as text. */
#define LUN_ORDER_TEXT(number)  LUN_ORDER_QUOTE(number)
#define LUN_ORDER_QUOTE(number) #number

typedef struct lun_order_row {
    const char *name; /* in Lua */
    int64_t value;
} lun_order_row;

/* The numbers above; the last row has no name. */
extern const lun_order_row lun__order_numbers[];

/* Elements are computed in whole blocks where memory has room for them: one element for each
 * lane. */
enum { LUN_BLOCK = LUN_LANES };

/* n >= 0 elements, rounded up to whole blocks. */
static inline int64_t lun__order_blocks(int64_t n)
{
    return n / LUN_BLOCK * LUN_BLOCK + (n % LUN_BLOCK ? LUN_BLOCK : 0);
}

/* Chunks of `count` indices of a kernel that begin on a chunk. */
static inline int64_t lun__order_chunks(const lun_ir *ir, int64_t count)
{
    int64_t chunk = ir->scan >= 0 ? LUN_SCAN_CHUNK : LUN_CHUNK;
    return count / chunk + (count % chunk != 0);
}

/* What is done of a scan, with a cell for each chunk of its indices, counted from the first one.
 *  TOTALS   out: the chunks' totals; nothing is stored
 *  CARRIES  in: the totals of all chunks but the last, out: what each chunk starts from; no index
 *           is run
 *  CARRIED  in: what each chunk starts from */
typedef enum lun_stage {
    LUN_STAGE_ALL,
    LUN_STAGE_TOTALS,
    LUN_STAGE_CARRIES,
    LUN_STAGE_CARRIED
} lun_stage;

/* Whether the SCAN of ir, which has no REDUCE, gives the same bits in chunks of any size. */
bool lun__order_free(const lun_ir *ir);

/* Whether ir has REDUCEs, all of which combine elements in lanes, by operations, without
 * indices. */
bool lun__order_in_lanes(const lun_ir *ir);

/* ---- the tree over rows in memory ------------------------------------------------------------ */

/* Row j becomes the combination of rows 2j and 2j + 1, for j < pairs; in any order that reads a row
 * before it is written. */
typedef lun_status (*lun_order_level)(void *ctx, void *rows, int64_t pairs);

/* Joins n >= 1 rows of `bytes` bytes each into row 0, by the tree of adjacent pairs; the other rows
 * are overwritten.  Stops at the first level that fails and returns its status. */
lun_status lun__order_join(void *rows, int64_t n, size_t bytes, lun_order_level level, void *ctx);

/* ---- the same tree over cells that come one by one ------------------------------------------- */

/* *out = the combination of *a and *b; out may be either. */
typedef void (*lun_order_pair)(void *ctx, const uint64_t *a, const uint64_t *b, uint64_t *out);

/* Roots of complete subtrees, the largest first: one for each bit of `pushed`.  All zero: empty. */
typedef struct lun_order_roots {
    uint64_t root[64];
    uint64_t pushed;
    int height;
} lun_order_roots;

/* The next cell: one element, or the root of a subtree of as many elements as those before, a power
 * of two; the last may have fewer. */
void lun__order_push(lun_order_roots *r, uint64_t cell, lun_order_pair pair, void *ctx);
/* The root of what was pushed, at least one cell; r is empty then. */
uint64_t lun__order_finish(lun_order_roots *r, lun_order_pair pair, void *ctx);

/* ---- a chunk by an operation, element by element --------------------------------------------- */

/* In lanes, or by the tree of adjacent pairs, as REDUCE says above. */
typedef struct lun_order_chunk {
    lun_op op;
    lun_dtype dtype; /* which C computes in */
    bool in_lanes;
    int64_t pushed;
    uint64_t lane[LUN_LANES];
    lun_order_roots roots;
} lun_order_chunk;

void lun__order_chunk_begin(lun_order_chunk *c, lun_op op, lun_dtype t);
void lun__order_chunk_push(lun_order_chunk *c, uint64_t cell);
/* The cell of the chunk, of which at least one element was pushed. */
uint64_t lun__order_chunk_end(lun_order_chunk *c);

/* ---- a scan's first value -------------------------------------------------------------------- */

enum { LUN_ORDER_CASTS = 8 };

/* Where the SCAN of ir starts: the CONST, ARG or LOADU whose value casts[*count - 1] .. casts[0]
 * convert, in that order.  -1: the first value is not uniform, or has more casts. */
int32_t lun__order_first(const lun_ir *ir, int32_t casts[LUN_ORDER_CASTS], int *count);

#endif
