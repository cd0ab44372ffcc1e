/* array.h - lun_array, the handle that users hold: a reference to a node, which a write may
 * replace. Private to prims/. */
#ifndef LUN_ARRAY_H
#define LUN_ARRAY_H

#include "engine/state.h"
#include "graph/node.h"

/* The fields of a plain array are in one cache line. */
struct lun_array {
    _Alignas(64) int32_t refs;
    /* a script's number; lun_free was called; made as an array, not by an operation; its node is
     * the leaf on the memory that lun_wrap was given */
    uint8_t weak, freed, made, wraps;
    lun_engine *engine;
    /* NULL for a weak number or when freed; of a window whose array is not evaluated: the node of
     * its elements, NULL before it is needed */
    lun_node *node;
    lun_array *parent; /* of a window: its array, which is no window; the next unused handle */
    lun_value number;  /* weak */
    uint32_t born;     /* e->looks when it was made */
    bool viewed;       /* its elements are those of lun__top at the offsets of `at` */
    union {
        lun_layout at;
        lun_later later; /* without references */
    };
    lun_node *shown; /* the copy that lun_data gave of strided elements */
};

/* The array whose elements a shows: a itself if it is no window. */
static inline const lun_array *lun__top(const lun_array *a)
{
    return a->parent ? a->parent : a;
}

/* The same, to be written to. */
static inline lun_array *lun__base(lun_array *a)
{
    return a->parent ? a->parent : a;
}

/* a is an operand: its node is held, if an evaluation has run since a was made. */
static inline void lun__array_used(const lun_engine *e, const lun_array *a)
{
    if (a->born != e->looks)
        a->node->is |= LUN_IS_HELD;
}

/* Evaluates n, which is new, if too many nodes below it are not evaluated: see evaluate_early.c.
 * LUN_ECANCEL, LUN_ELIMIT: it was stopped; another failure leaves n as it is. */
lun_status lun__waiting(lun_engine *e, lun_node *n);

/* A handle on a node (takes the reference, also on failure). */
lun_status lun__array(lun_engine *e, lun_node *n, bool made, lun_array **out);
/* A handle on the elements of a at the offsets of l in lun__top(a): a window. */
lun_status lun__window(lun_engine *e, lun_array *a, const lun_layout *l, lun_array **out);
/* A handle on n's elements at the offsets of l (takes the reference, also on failure). */
lun_status lun__viewed(lun_engine *e, lun_node *n, const lun_layout *l, bool made, lun_array **out);
/* a's layout in the elements of lun__top(a). a is usable and no weak number. */
void lun__layout_of(const lun_array *a, lun_layout *out);
/* lun_wrap with a shape of n elements, which the caller has checked. */
lun_status lun__wrap(lun_engine *e, void *data, int64_t n, int rank, const int64_t *shape,
                     lun_dtype t, void (*release)(void *data, void *ctx), void *ctx,
                     lun_array **out);
/* The present node of a, with a reference.  t: for weak numbers, the dtype they take (or
 * LUN_DTYPE_COUNT: their own).  Fails for freed arrays and numbers that do not fit. */
lun_status lun__node(lun_engine *e, lun_array *a, lun_dtype t, lun_node **out);
/* The node that an evaluation of a has to compute, with a reference: of a window of elements that
 * are in memory their array's, of an array in another layout its elements in their own order. */
lun_status lun__root(lun_engine *e, lun_array *a, lun_node **out);
/* A new LEAF on a copy of n's elements, evaluated. */
lun_status lun__node_copy(lun_engine *e, lun_node *n, lun_node **out);
/* Fails with LUN_EFREED or LUN_EARG unless a can be used on e.  An array of unknown length is
 * evaluated: only then can it be an operand. */
lun_status lun__usable(lun_engine *e, const lun_array *a);
/* "f32[100]", "f64[3, 4]" into buf, for messages. */
const char *lun__describe(const lun_array *a, char buf[96]);
/* A number as its own dtype's node, cast to t; rank 0. */
lun_status lun__constant(lun_engine *e, lun_dtype t, lun_value v, lun_node **out);

/* Releases what unreleased arrays hold: device buffers, memory, wrapped memory. */
void lun__arrays_end(lun_engine *e);
/* Frees the memory of all handles. */
void lun__arrays_close(lun_engine *e);

#endif
