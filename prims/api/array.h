/* array.h - lun_array, the handle that users hold: a reference to a node that writes may exchange.
 * Private to prims/. */
#ifndef LUN_ARRAY_H
#define LUN_ARRAY_H

#include "engine/state.h"
#include "graph/node.h"

/* What a plain array needs is in one line of cache. */
struct lun_array {
    _Alignas(64) int32_t refs;
    /* a script's number; lun_free was called; made as an array, not by an operation; its node is
     * the leaf on the memory that lun_wrap was given */
    uint8_t weak, freed, made, wraps;
    lun_engine *engine;
    lun_node *node; /* NULL for a weak number, a View or when freed */
    lun_array
        *parent; /* View: rows of this array, which may be a View itself; the next unused handle */
    lun_value number; /* weak */
    int64_t offset;   /* View: first element in parent */
    int8_t rank;      /* View */
    uint32_t born;    /* e->looks when it was made */
    int64_t shape[LUN_MAX_RANK - 1];
};

/* a is an operand: its node is held, if an evaluation has run since a was made. */
static inline void lun__array_used(const lun_engine *e, const lun_array *a)
{
    if (a->born != e->looks)
        a->node->is |= LUN_IS_HELD;
}

/* Evaluates n, which is new, if too much waits below it: see waiting.c.  LUN_ECANCEL, LUN_ELIMIT:
 * it was stopped; if it cannot be evaluated it just waits on. */
lun_status lun__waiting(lun_engine *e, lun_node *n);

/* A handle on a node (takes the reference, also on failure). */
lun_status lun__array(lun_engine *e, lun_node *n, bool made, lun_array **out);
/* lun_wrap with a shape of n elements, which the caller has checked. */
lun_status lun__wrap(lun_engine *e, void *data, int64_t n, int rank, const int64_t *shape,
                     lun_dtype t, void (*release)(void *data, void *ctx), void *ctx,
                     lun_array **out);
/* The node that a stands for now, with a reference.  t: for weak numbers, the dtype they take (or
 * LUN_DTYPE_COUNT: their own).  Fails for freed arrays and numbers that do not fit. */
lun_status lun__node(lun_engine *e, lun_array *a, lun_dtype t, lun_node **out);
/* Fails with LUN_EFREED or LUN_EARG unless a can be used on e. */
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
