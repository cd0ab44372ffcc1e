/* node.h - the expression graph: immutable, hash-consed, reference-counted nodes.
 *
 * A node is an operation on operand nodes, or a leaf with elements.  Once evaluated it becomes a leaf
 * itself: its operands are let go, its elements kept.  Knows no backend and no IR.
 */
#ifndef LUN_NODE_H
#define LUN_NODE_H

#include <stdbool.h>
#include <stdint.h>
#include <string.h>

#include "lunarray.h"
#include "table/op.h"

typedef struct lun_ir_function lun_ir_function;

typedef enum lun_node_kind {
    LUN_NODE_LEAF,   /* elements of storage from `offset` on */
    LUN_NODE_NUMBER, /* the same cell at every index */
    LUN_NODE_INDEX,  /* 0, 1, 2, ... as i64 */
    LUN_NODE_RANDOM, /* Philox bits; in[0]: key (u64 NUMBER), in[1]: index (i64) */
    LUN_NODE_OP,     /* table/ops.def row op; operands already of the row's dtype */
    LUN_NODE_CAST,   /* in[0] as dtype */
    LUN_NODE_CALL,   /* function on more[0 .. count): elements first, then extras */
    LUN_NODE_OUTPUT, /* output number op of the CALL in[0], for functions with several results */
    LUN_NODE_REDUCE, /* in[0] (of dtype acc) combined by op or function; converted to dtype */
    LUN_NODE_SCAN,   /* in[0] combined by op or function, in[1]: initial value; op: see inclusive */
    LUN_NODE_SLICE,  /* in[0] from element offset, `step` elements apart */
    LUN_NODE_CONCAT, /* in[0] then in[1] */
    LUN_NODE_RESHAPE, /* in[0] in another shape */
    LUN_NODE_KINDS
} lun_node_kind;

/* The same elements in the memory of a device. */
typedef struct lun_mirror {
    struct lun_mirror *next;
    struct lun_backend_slot *at;
    struct lun_buffer *buffer;
    bool current;
} lun_mirror;

/* Elements in memory, shared by leaves.  Writers need the only reference.  Host memory or one of the
 * mirrors holds what is current; store/mirror.c moves it when it is needed elsewhere. */
typedef struct lun_storage {
    int refs;
    lun_dtype dtype;
    int64_t count; /* elements */
    int64_t room;  /* elements that may be touched from data[0] on */
    int64_t bytes; /* size of the pool's block; 0: none */
    void *data;    /* NULL: not in host memory yet */
    bool stale;    /* host memory does not hold the current elements */
    bool wrapped;  /* data is the host's own */
    bool swapped;  /* source has the bytes of each element in the other order */
    uint8_t peeks; /* times that a part was taken from a device */
    lun_mirror *mirrors;
    /* The file that holds the elements from byte `start` on until somebody needs them in host memory or
     * changes them; NULL: none.  Kernels take them from there, chunk by chunk. */
    struct lun_source *source;
    int64_t start;
    struct lun_storage *chain;              /* next unused one */
    void (*release)(void *data, void *ctx); /* wrapped memory */
    void *ctx;
} lun_storage;

/* What making, walking and ending a graph look at is in the first line of cache, what evaluating looks at
 * in the second; the third is touched only where `rich` says so.  While a node is unused all its pointers
 * are NULL. */
typedef struct lun_node lun_node;
struct lun_node {
    _Alignas(64) int32_t op; /* lun_op; LUN_OP_COUNT: function */
    uint8_t kind, dtype, acc, inclusive;
    int32_t refs;
    uint8_t rank;
    uint8_t source; /* part of a virtual array (range, random): not counted as waiting work */
    uint8_t virt;   /* has no leaf below it */
    uint8_t rich;   /* some of what stands from `shape` on is used */
    uint32_t hash;  /* of what it is: equal nodes have the same */
    uint32_t form;  /* of its kind and those below when it was made, whatever the leaves are */
    int64_t n;      /* elements */
    lun_node *in[3];
    lun_node *chain; /* next in the hash bucket; next to die */

    uint64_t mark;        /* the walk over the graph that saw it last, */
    int32_t slot;         /* and that walk's number for it */
    int32_t value;        /* its value in the kernel of */
    uint64_t lowered;     /* the walk of lowering that saw it last */
    uint32_t where;       /* the place that built it */
    uint16_t workgroup;   /* asked for, 0: tuned; not part of what a node is */
    lun_storage *storage; /* LEAF */
    int64_t offset, step; /* LEAF, SLICE: in elements */
    uint64_t cell;        /* NUMBER */

    int64_t *shape;   /* rank extents; NULL for rank 0 and 1 */
    double *moments;  /* LEAF: count of shift, mean and variance once computed; see api/total.c */
    lun_node **more;  /* CALL: operands */
    int32_t count;    /* CALL: their number */
    int32_t elements; /* CALL: of these, elementwise ones */
    lun_function *function;      /* keeps body alive */
    const lun_ir_function *body; /* CALL, REDUCE, SCAN by a function */
    const char *const *notes;    /* CALL: texts of what may fail in body, for these operands */
};

/* ---- storage ------------------------------------------------------------------------------------ */

/* Elements undefined, padding to whole blocks of 64 included. */
lun_status lun_storage_new(lun_engine *e, lun_dtype t, int64_t count, lun_storage **out);
/* The same without host memory, which lun_storage_memory gives it; until then it is stale. */
lun_status lun_storage_empty(lun_engine *e, lun_dtype t, int64_t count, lun_storage **out);
lun_status lun_storage_memory(lun_engine *e, lun_storage *s);
void lun_storage_release(lun_engine *e, lun_storage *s);

/* ---- store/mirror.c: storage in host memory and in that of devices ------------------------------------ */

/* The same, where kernels of the backend in use write their results. */
lun_status lun_storage_result(lun_engine *e, lun_dtype t, int64_t count, lun_storage **out);
/* Makes host memory current, so that data may be read; `change`: and written, which outdates mirrors. */
lun_status lun_storage_host(lun_engine *e, lun_storage *s, bool change);
/* Elements first .. first+count-1 into host memory; from a device without keeping them where few
 * are asked for. */
lun_status lun_storage_read(lun_engine *e, lun_storage *s, int64_t first, int64_t count,
                            void *host);
/* The buffer of the backend `at` that holds s, brought up to date. */
lun_status lun_storage_buffer(lun_engine *e, lun_storage *s, struct lun_backend_slot *at,
                              struct lun_buffer **out);
void lun_storage_mirrors_free(lun_storage *s);
/* Where the current elements are: the backend in use if it can read them, "host", or another device's. */
const char *lun_storage_place(const lun_engine *e, const lun_storage *s);

/* ---- store/filed.c: storage in a file ------------------------------------------------------------------- */

/* Elements first .. first+count-1 of one in a file, as a storage of their own. */
lun_status lun_storage_part(lun_engine *e, const lun_storage *s, int64_t first, int64_t count,
                            lun_storage **out);
/* Elements from the file into memory: 0, or what lun_source_fail tells.  From any thread. */
int lun_storage_fetch(const lun_storage *s, int64_t first, int64_t count, void *to);
/* The same with all that is to be said about it; can be stopped. */
lun_status lun_storage_fetch_all(lun_engine *e, const lun_storage *s, int64_t first, int64_t count,
                                 void *to);

/* Host memory must be current. */
static inline char *lun_leaf_data(const lun_node *n)
{
    return (char *)n->storage->data + n->offset * lun_dtype_get((lun_dtype)n->dtype)->bytes;
}

/* ---- making nodes -------------------------------------------------------------------------------- */
/* Each takes borrowed operands and gives a reference (an existing node where an equal one lives). */

/* Indices are rounded up to whole vectors, chunks and work-groups, which must not overflow. */
#define LUN_MOST_ELEMENTS (INT64_MAX - (INT64_C(1) << 20))

lun_status lun_node_leaf(lun_engine *e, lun_storage *s, int64_t offset, int rank,
                         const int64_t *shape, lun_node **out); /* takes a reference to s */
lun_status lun_node_number(lun_engine *e, lun_dtype t, uint64_t cell, int rank,
                           const int64_t *shape, lun_node **out);
lun_status lun_node_index(lun_engine *e, int64_t n, lun_node **out);
lun_status lun_node_random(lun_engine *e, lun_node *key, lun_node *index, lun_dtype t,
                           lun_node **out);
lun_status lun_node_op(lun_engine *e, lun_op op, lun_node *const *in, lun_dtype t,
                       const lun_node *like, lun_node **out);
lun_status lun_node_cast(lun_engine *e, lun_node *a, lun_dtype t, lun_node **out);
lun_status lun_node_call(lun_engine *e, lun_function *f, const lun_ir_function *body,
                         lun_node *const *operands, int count, int elements, lun_dtype t,
                         const lun_node *like, lun_node **out);
lun_status lun_node_output(lun_engine *e, lun_node *call, int number, lun_dtype t, lun_node **out);
/* op LUN_OP_COUNT: function f.  a must be of dtype acc; t: dtype of the result. */
lun_status lun_node_reduce(lun_engine *e, lun_op op, lun_function *f, const lun_ir_function *body,
                           lun_node *a, lun_dtype t, lun_node **out);
lun_status lun_node_scan(lun_engine *e, lun_op op, lun_function *f, const lun_ir_function *body,
                         lun_node *a, lun_node *id, bool inclusive, lun_node **out);
lun_status lun_node_slice(lun_engine *e, lun_node *a, int64_t offset, int64_t step, int rank,
                          const int64_t *shape, lun_node **out);
lun_status lun_node_concat(lun_engine *e, lun_node *a, lun_node *b, int rank, const int64_t *shape,
                           lun_node **out);
lun_status lun_node_reshape(lun_engine *e, lun_node *a, int rank, const int64_t *shape,
                            lun_node **out);

static inline lun_node *lun_node_retain(lun_node *n)
{
    n->refs++;
    return n;
}

/* Ends a node without references; never recurses. */
void lun__node_end(lun_engine *e, lun_node *n);

/* NULL is allowed. */
static inline void lun_node_release(lun_engine *e, lun_node *n)
{
    if (n && !--n->refs)
        lun__node_end(e, n);
}

/* n has been evaluated: it becomes a leaf on s (takes the reference), its operands are released. */
void lun_node_become_leaf(lun_engine *e, lun_node *n, lun_storage *s, int64_t offset);
/* n, a Scalar, has been evaluated to this cell. */
void lun_node_become_number(lun_engine *e, lun_node *n, uint64_t cell);

/* Operand k of n, NULL past the last. */
static inline lun_node *lun_node_operand(const lun_node *n, int k)
{
    if (n->kind == LUN_NODE_CALL)
        return k < n->count ? n->more[k] : NULL;
    return k < 3 ? n->in[k] : NULL;
}

void lun_node_shape(const lun_node *n, int64_t shape[LUN_MAX_RANK]);
/* Operation, kind and dtypes at once. */
static inline uint64_t lun_node_nature(const lun_node *n)
{
    uint64_t x;
    memcpy(&x, &n->op, sizeof x);
    return x;
}

/* The form of what a kernel only reads. */
static inline uint32_t lun_node_form(const lun_node *n)
{
    bool ready = n->kind == LUN_NODE_LEAF || n->kind == LUN_NODE_NUMBER;
    return ready ? (uint32_t)n->kind << 8 | n->dtype : n->form;
}

/* Elements in memory or none needed: nothing has to run before n is used in a kernel. */
static inline bool lun_node_ready(const lun_node *n)
{
    return n->kind == LUN_NODE_LEAF || n->kind == LUN_NODE_NUMBER;
}

#endif
