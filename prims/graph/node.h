/* node.h - the expression graph: immutable, hash-consed, reference-counted nodes.
 *
 * A node is an operation on operand nodes, or a leaf with elements.  Once evaluated it becomes a
 * leaf itself: its operands are released, its elements kept.
 */
#ifndef LUN_NODE_H
#define LUN_NODE_H

#include <stdbool.h>
#include <stdint.h>
#include <string.h>

#include "base/layout/layout.h"
#include "base/layout/pad_rows.h"
#include "base/strbuf.h"
#include "lunarray.h"
#include "spread/spread.h"
#include "store/storage.h"
#include "table/algorithm.h"
#include "table/op.h"

typedef struct lun_ir_function lun_ir_function;

typedef enum lun_node_kind {
    LUN_NODE_LEAF,    /* elements of storage from `offset` on */
    LUN_NODE_NUMBER,  /* the same cell at every index */
    LUN_NODE_INDEX,   /* 0, 1, 2, ... as i64 */
    LUN_NODE_RANDOM,  /* Philox bits; in[0]: key (u64 NUMBER), in[1]: index (i64) */
    LUN_NODE_OP,      /* table/ops.def row op; operands already of the row's dtype */
    LUN_NODE_CAST,    /* in[0] as dtype */
    LUN_NODE_CALL,    /* function on more[0 .. count): elements first, then extras */
    LUN_NODE_OUTPUT,  /* output number op of the CALL in[0], for functions with several results */
    LUN_NODE_REDUCE,  /* in[0] (of dtype acc) combined by op or function, in[1], a Scalar of dtype
                        acc or NULL, with the result of that; converted to dtype.  Of rank 0 over
                        all of it; else an element for each segment of `step` elements; see folds */
    LUN_NODE_SCAN,    /* in[0] combined by op or function, in[1]: initial value; op: see inclusive;
                        segments of `step` elements each alone, 0: all of it */
    LUN_NODE_VIEW,    /* elements of in[0], by their flat number, as lun__node_layout says */
    LUN_NODE_PAD,     /* in[0] with elements beyond its ends, as lun__node_padding says */
    LUN_NODE_CONCAT,  /* more[0 .. count): `step` times a block of each, of its n / step elements in
                        flat order */
    LUN_NODE_RESHAPE, /* in[0] in another shape */
    LUN_NODE_MATMUL,  /* products of the matrices that the last two axes of in[0] and in[1] are, of
                         any dtypes that go up to this one: F32, F64, I64 or U64; the axes before
                         are equal */
    LUN_NODE_ALGORITHM, /* the first result of lun_algorithm op of more[0 .. count), in segments of
                          `step` elements; its options are in cell and offset.  Of one whose length
                          is found when it runs n is the most that it may be */
    LUN_NODE_RUNNING,   /* the first result of a function that goes along segments of elements with
                         values of its own, see lun__fold_node_running */
    LUN_NODE_RESULT, /* result number op, from 1, of the ALGORITHM or RUNNING in[0]; of its shape */
    LUN_NODE_SOURCE_LINE, /* in[0], an operation that may fail, written again at source line
                             number op: equal expressions share a node, errors name the line of
                             each */
    LUN_NODE_KINDS
} lun_node_kind;

/* What waits in and below a node: nodes, each array as LUN_WAITS_ARRAY of them. */
enum { LUN_WAITS_ARRAY = 8 };

typedef enum lun_node_traits {
    LUN_IS_SOURCE = 1,   /* part of a virtual array (range, random): not counted as waiting work */
    LUN_IS_VIRTUAL = 2,  /* has no leaf below it */
    LUN_IS_UNBACKED = 4, /* no elements of its length are in memory below it */
    LUN_IS_COMPUTED = 8, /* an evaluation computed it and did not keep it */
    LUN_IS_PEEKED = 16,  /* one computed a few elements of it, and did not keep them */
    LUN_IS_HELD = 32,    /* a handle was used that was older than the last evaluation */
    LUN_IS_RUN = 64,     /* a LEAF that equal ones share, on elements of another one */
    LUN_IS_WHOLE = 128   /* a VIEW or RESHAPE whose operand is computed before: it is read often */
} lun_node_traits;

/* What else a REDUCE is. */
typedef enum lun_node_folds {
    LUN_FOLDS_PLAIN,
    LUN_FOLDS_INDEX,  /* by min or max: where the first such element is, i64 */
    LUN_FOLDS_NEEDED, /* in[1] is no first value but a bool for each result: what it gives where
                         that is false nothing uses, and where it is so everywhere nothing is
                         computed */
    LUN_FOLDS_BLOCKS  /* each segment of a matrix of segments in the order of blocks
                         (ir/combine_order.h) */
} lun_node_folds;

/* What making, walking and ending a graph look at is in the first line of cache, what evaluating
 * looks at in the second; the third is touched only where `extended` says so.  While a node is
 * unused all its pointers are NULL. */
typedef struct lun_node lun_node;
struct lun_node {
    _Alignas(64) int32_t op; /* lun_op; LUN_OP_COUNT: function */
    uint8_t kind, dtype, acc;
    union {
        uint8_t inclusive; /* SCAN */
        uint8_t folds;     /* REDUCE: lun_node_folds */
    };
    int32_t refs;
    uint8_t rank;
    uint8_t extended; /* some field from `shape` on is in use */
    uint8_t is;       /* lun_node_traits */
    uint32_t hash;    /* of what it is: equal nodes have the same */
    uint32_t form;    /* of its kind and those below when it was made, whatever the leaves are; see
                         lun__node_reform */
    int64_t n;        /* elements */
    lun_node *in[3];
    lun_node *chain; /* next in the hash bucket, or in the list of nodes to free */

    uint64_t mark;        /* the walk over the graph that saw it last, */
    int32_t slot;         /* and that walk's number for it */
    int32_t value;        /* its value in the kernel of */
    uint64_t lowered;     /* the walk of lowering that saw it last */
    uint32_t where;       /* the source line that built it */
    uint16_t workgroup;   /* asked for, 0: tuned */
    uint16_t waits;       /* about what waits in and below it, see lun__waits; at least that */
    lun_storage *storage; /* LEAF */
    int64_t offset;       /* LEAF, VIEW: in elements; PAD of rank 1: elements before in[0];
                             ALGORITHM: see there */
    int64_t step;         /* VIEW of rank 1: its stride; PAD: its rules, eight bits an axis; REDUCE,
                             SCAN, CONCAT, ALGORITHM: see there */
    uint64_t cell; /* NUMBER; PAD: its value; LEAF with LUN_IS_RUN: the address of its storage;
                      ALGORITHM: see there */

    int64_t *shape; /* rank extents, VIEW: then as many strides, PAD: then as many elements before
                         in[0]; NULL for rank 0 and 1 */
    double
        *moments; /* LEAF: count of shift, mean and variance once computed; see api/fold/total.c */
    lun_node **more;             /* CALL, CONCAT, ALGORITHM: operands */
    int32_t count;               /* of these */
    int32_t elements;            /* CALL: of these, elementwise ones; RUNNING: see there */
    lun_function *function;      /* keeps body alive */
    const lun_ir_function *body; /* CALL, REDUCE, SCAN by a function; RUNNING */
    /* CALL: texts of what may fail in body, for these operands; ALGORITHM: notes[0], in which %lld
     * is the number, from 1, of the element that it failed with; notes[1] where that is below 0 */
    const char *const *notes;
    lun_placed
        *wish; /* how its elements shall be distributed when it has some; NULL: as it comes */
};

/* Host memory must be current. */
static inline char *lun__node_leaf_data(const lun_node *n)
{
    return (char *)n->storage->data + n->offset * lun__dtype_get((lun_dtype)n->dtype)->bytes;
}

/* ---- making nodes ---------------------------------------------------------------------------- */
/* Each takes borrowed operands and gives a reference (an existing node where an
 * equal one lives). */

/* Indices are rounded up to whole vectors, chunks and work-groups, which must not overflow. */
#define LUN_MOST_ELEMENTS (INT64_MAX - (INT64_C(1) << 20))

/* Each gives a reference to a new node, or to an equal one that there is; it takes references of
 * its own to operands, functions and storages.  Extents are of `rank` (like: those of that node),
 * cells as in table/dtype.h.  Operands have the dtypes and extents that the operation needs:
 * callers convert before.  LUN_ENOMEM; LUN_ERANGE beyond LUN_MOST_ELEMENTS. */
lun_status lun__node_leaf(lun_engine *e, lun_storage *s, int64_t offset, int rank,
                          const int64_t *shape, lun_node **out); /* takes a reference to s */
lun_status lun__node_number(lun_engine *e, lun_dtype t, uint64_t cell, int rank,
                            const int64_t *shape, lun_node **out);
lun_status lun__node_index(lun_engine *e, int64_t n, lun_node **out);
lun_status lun__node_random(lun_engine *e, lun_node *key, lun_node *index, lun_dtype t,
                            lun_node **out);
lun_status lun__node_op(lun_engine *e, lun_op op, lun_node *const *in, lun_dtype t,
                        const lun_node *like, lun_node **out);
lun_status lun__node_cast(lun_engine *e, lun_node *a, lun_dtype t, lun_node **out);
lun_status lun__node_call(lun_engine *e, lun_function *f, const lun_ir_function *body,
                          lun_node *const *operands, int count, int elements, lun_dtype t,
                          const lun_node *like, lun_node **out);
lun_status lun__node_output(lun_engine *e, lun_node *call, int number, lun_dtype t, lun_node **out);
/* op LUN_OP_COUNT: function f.  a and id, which may be NULL, must be of dtype acc; t: dtype of the
 * result. */
lun_status lun__fold_node_reduce(lun_engine *e, lun_op op, lun_function *f,
                                 const lun_ir_function *body, lun_node *a, lun_node *id,
                                 lun_dtype t, lun_node **out);
/* The index, from 0, of the first least (MIN) or largest (MAX) element of a, the first NaN if there
 * is one: an i64.  a, of dtype acc, is no bool. */
lun_status lun__fold_node_index(lun_engine *e, lun_op op, lun_node *a, lun_node **out);
/* The same for each of the segments, of `segment` elements, that a's elements are in flat order:
 * one element each.  a->n == segment * the product of the extents; rank > 0, segment > 0. */
lun_status lun__fold_node_segments(lun_engine *e, lun_op op, lun_function *f,
                                   const lun_ir_function *body, lun_node *a, lun_node *id,
                                   lun_dtype t, int64_t segment, int rank, const int64_t *shape,
                                   lun_node **out);
/* The same for a matrix of segments, in the order of blocks. */
lun_status lun__fold_node_blocks(lun_engine *e, lun_op op, lun_function *f,
                                 const lun_ir_function *body, lun_node *a, lun_node *id,
                                 lun_dtype t, int64_t segment, const int64_t shape[2],
                                 lun_node **out);
/* A sum of a's segments, as above and in a's dtype; segment 0: of all of a.  needed: bools of the
 * result's extents, see LUN_FOLDS_NEEDED. */
lun_status lun__fold_node_sum_needed(lun_engine *e, lun_node *a, lun_node *needed, int64_t segment,
                                     int rank, const int64_t *shape, lun_node **out);
/* segment: elements of the segments that are scanned each alone; 0: all of a at once. */
lun_status lun__fold_node_scan(lun_engine *e, lun_op op, lun_function *f,
                               const lun_ir_function *body, lun_node *a, lun_node *id,
                               bool inclusive, int64_t segment, lun_node **out);
/* The elements of a at the offsets of l, counted in a's flat order.  What is dense is no VIEW but a
 * LEAF or a RESHAPE, where that can be; a VIEW of a VIEW is one, where strides can say it. */
lun_status lun__view_node(lun_engine *e, lun_node *a, const lun_layout *l, lun_node **out);
/* The same, as cheap as can be said: of an elementwise expression that expression of the operands'
 * elements, so that only what is asked for is computed (view.c). */
lun_status lun__view(lun_engine *e, lun_node *a, const lun_layout *l, lun_node **out);
/* a, of p's rank and inner extents, with elements beyond its ends; dense where there are none. */
lun_status lun__view_node_pad(lun_engine *e, lun_node *a, const lun_padding *p, lun_node **out);
/* A block of each of the operands, which are of one dtype, in turn, `blocks` times. */
lun_status lun__view_node_concat(lun_engine *e, lun_node *const *in, int count, int64_t blocks,
                                 int rank, const int64_t *shape, lun_node **out);
lun_status lun__view_node_reshape(lun_engine *e, lun_node *a, int rank, const int64_t *shape,
                                  lun_node **out);
/* a and b of equal rank, 2 or more; t as the node's kind says. */
lun_status lun__fold_node_matmul(lun_engine *e, lun_node *a, lun_node *b, lun_dtype t,
                                 lun_node **out);

/* What lun_algorithm does with its row's operands, in segments of `segment` elements (0: one),
 * with these options.  t, rank and shape: of the first result; where the length is found when it
 * runs, of rank 1 and as long as it may be.  notes: see the field; they are static. */
lun_status lun__fold_node_algorithm(lun_engine *e, lun_algorithm which, lun_node *const *in,
                                    int64_t segment, const uint64_t option[LUN_ALGORITHM_OPTIONS],
                                    lun_dtype t, int rank, const int64_t *shape,
                                    const char *const *notes, lun_node **out);
/* What a RUNNING does: as segments of `segment` elements, or of those that operands list, it goes
 * along each with values of its own, from given ones or from the segment's first elements.  By
 * the function body(values, elements) these become the next values.  It gives them for each
 * element, before or behind it, or for each segment at its end. */
typedef enum lun_running {
    LUN_RUNNING_BEFORE = 1, /* the values before each element; else behind it */
    LUN_RUNNING_ENDS = 2,   /* those at the end of each segment; not with BEFORE */
    LUN_RUNNING_BARE = 4,   /* without first values: no segment is empty, and elements are values */
    LUN_RUNNING_LISTED = 8  /* segments have their own first elements and lengths */
} lun_running;

/* f, with body in IR form, of as many results as it has values, its first parameters.  in: LISTED,
 * the number of each segment's first element, from 0, and of its elements (i64); unless BARE the
 * first values of each segment, of their dtypes; then `elements` arrays of equal length, which
 * the body takes in dtypes of its own.  how: of the above; `segment` counts unless LISTED. */
lun_status lun__fold_node_running(lun_engine *e, unsigned how, lun_function *f,
                                  const lun_ir_function *body, lun_node *const *in, int count,
                                  int elements, int64_t segment, int rank, const int64_t *shape,
                                  lun_node **out);
/* Result number k, from 1, of an ALGORITHM or RUNNING that is not evaluated yet. */
lun_status lun__fold_node_result(lun_engine *e, lun_node *of, int k, lun_node **out);
/* What `from`, no LEAF and of any engine, is, with this `op`, on operands of e: as many as it has,
 * or three, of which some are NULL.  f and body are what its function and body are for e. */
lun_status lun__node_again(lun_engine *e, const lun_node *from, int32_t op, lun_node *const *in,
                           lun_function *f, const lun_ir_function *body, lun_node **out);

static inline lun_node *lun__node_retain(lun_node *n)
{
    n->refs++;
    return n;
}

/* Frees the memory of all nodes and their table. */
void lun__nodes_close(lun_engine *e);
/* Ends a node without references; never recurses. */
void lun__node_end(lun_engine *e, lun_node *n);

/* NULL is allowed. */
static inline void lun__node_release(lun_engine *e, lun_node *n)
{
    if (n && !--n->refs)
        lun__node_end(e, n);
}

/* n, evaluated, becomes a leaf on s (takes the reference); its operands are released. */
void lun__node_become_leaf(lun_engine *e, lun_node *n, lun_storage *s, int64_t offset);
/* n, which waits, shall be distributed so when it is evaluated (NULL: as it comes), and copies that
 * differ be merged by `combine` (NULL: as was wished before); references are taken. */
lun_status lun__node_wish(lun_engine *e, lun_node *n, lun_spread *s, lun_combine *combine);
/* n, a Scalar evaluated to this cell, becomes a NUMBER; its operands are released. */
void lun__node_become_number(lun_engine *e, lun_node *n, uint64_t cell);

/* Which results of n are used, an array of bools; NULL: all may be. */
static inline lun_node *lun__node_needed(const lun_node *n)
{
    return n->kind == LUN_NODE_REDUCE && n->folds == LUN_FOLDS_NEEDED ? n->in[1] : NULL;
}

/* The first value of a REDUCE, NULL: it has none. */
static inline lun_node *lun__node_first(const lun_node *n)
{
    return n->folds == LUN_FOLDS_NEEDED ? NULL : n->in[1];
}

/* Whether n's operands are in more. */
static inline bool lun__node_has_many(const lun_node *n)
{
    return n->kind == LUN_NODE_CALL || n->kind == LUN_NODE_CONCAT ||
           n->kind == LUN_NODE_ALGORITHM || n->kind == LUN_NODE_RUNNING;
}

/* Operand k of n, NULL past the last. */
static inline lun_node *lun__node_operand(const lun_node *n, int k)
{
    if (lun__node_has_many(n))
        return k < n->count ? n->more[k] : NULL;
    return k < 3 ? n->in[k] : NULL;
}

/* The rank extents of n into shape. */
void lun__node_shape(const lun_node *n, int64_t shape[LUN_MAX_RANK]);
/* Where n's elements stand among those of in[0], for a VIEW; else row-major from 0. */
void lun__node_layout(const lun_node *n, lun_layout *out);
/* What stands where, for a PAD. */
void lun__node_padding(const lun_node *n, lun_padding *out);

/* Operation, kind and dtypes at once. */
static inline uint64_t lun__node_nature(const lun_node *n)
{
    uint64_t x;
    memcpy(&x, &n->op, sizeof x);
    return x;
}

/* n's form from now on: what is below it, of the same form, may be in memory by now. */
void lun__node_reform(lun_node *n);
/* The form of what a kernel only reads. */
static inline uint32_t lun__node_form(const lun_node *n)
{
    bool ready = n->kind == LUN_NODE_LEAF || n->kind == LUN_NODE_NUMBER;
    return ready ? (uint32_t)n->kind << 8 | n->dtype : n->form;
}

static inline bool lun__node_is(const lun_node *n, lun_node_traits trait)
{
    return n->is & (int)trait;
}

/* Whether n was computed before, and what the script held then it uses again. Virtual arrays take
 * no memory: they are computed each time. */
static inline bool lun__node_recurs(const lun_node *n)
{
    const int traits = LUN_IS_COMPUTED | LUN_IS_HELD;
    return (n->is & (traits | LUN_IS_SOURCE)) == traits;
}

/* The same, where a few elements were enough. */
static inline bool lun__node_recurs_peeked(const lun_node *n)
{
    return n->is & (LUN_IS_COMPUTED | LUN_IS_PEEKED) &&
           (n->is & (LUN_IS_HELD | LUN_IS_SOURCE)) == LUN_IS_HELD;
}

/* An operation of its own; else another node's result, elements or source line. */
static inline bool lun__node_works(const lun_node *n)
{
    return n->kind != LUN_NODE_OUTPUT && n->kind != LUN_NODE_SOURCE_LINE &&
           n->kind != LUN_NODE_VIEW;
}

/* Whether a stream makes n's elements, so that a VIEW of n needs none of them in memory. */
static inline bool lun__node_made(const lun_node *n)
{
    return n->kind == LUN_NODE_INDEX || n->kind == LUN_NODE_PAD;
}

/* Done by a step of its own, which reads its operands where they stand, and no kernel. */
static inline bool lun__node_is_step(const lun_node *n)
{
    return n->kind == LUN_NODE_CONCAT || n->kind == LUN_NODE_MATMUL ||
           n->kind == LUN_NODE_ALGORITHM || n->kind == LUN_NODE_RUNNING ||
           n->kind == LUN_NODE_RESULT;
}

/* The node that the results of a step are of: n itself, unless it is a further one. */
static inline const lun_node *lun__node_first_result(const lun_node *n)
{
    return n->kind == LUN_NODE_RESULT ? n->in[0] : n;
}

/* Whether the number of elements of n is known only once it has run: then it is an operand of
 * nothing. */
static inline bool lun__node_is_unknown(const lun_node *n)
{
    if (n->kind == LUN_NODE_RESULT)
        n = n->in[0];
    return n->kind == LUN_NODE_ALGORITHM && lun__algorithm_rows[n->op].found;
}

/* A reduction of segments in the order of blocks, which has a kernel of its own. */
static inline bool lun__node_in_blocks(const lun_node *n)
{
    return n->kind == LUN_NODE_REDUCE && n->folds == LUN_FOLDS_BLOCKS;
}

/* Elements in memory or none needed: nothing has to run before n is used in a kernel. */
static inline bool lun__node_ready(const lun_node *n)
{
    return n->kind == LUN_NODE_LEAF || n->kind == LUN_NODE_NUMBER;
}

/* One line for each node below the roots, operands before users: "%3 = add f32[1000] %0 %2".  A
 * shared node stands once.  False without memory. */
bool lun__print_graph(lun_engine *e, lun_node *const *roots, int count, lun_strbuf *out);
/* " f64[3, 4]"; which elements of its operand a VIEW shows, or what a PAD adds. */
void lun__print_graph_type(lun_strbuf *out, const lun_node *n);
void lun__print_graph_part(lun_strbuf *out, const lun_node *n);

#endif
