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
    bool viewed;       /* its elements are those of lun__array_top at the offsets of `at` */
    /* of no window: bools of its shape and layout, false where it has no element (validity.c);
     * NULL: nothing is missing */
    lun_array *valid;
    union {
        lun_layout at;
        lun_later later; /* without references */
    };
    lun_node *shown; /* the copy that lun_data gave of strided elements */
};

/* The array whose elements a shows: a itself if it is no window. */
static inline const lun_array *lun__array_top(const lun_array *a)
{
    return a->parent ? a->parent : a;
}

/* The same, to be written to. */
static inline lun_array *lun__array_base(lun_array *a)
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
lun_status lun__evaluate_early(lun_engine *e, lun_node *n);

/* A handle on a node (takes the reference, also on failure). */
lun_status lun__array(lun_engine *e, lun_node *n, bool made, lun_array **out);
/* A handle on the elements of a at the offsets of l in lun__array_top(a): a window. */
lun_status lun__array_window(lun_engine *e, lun_array *a, const lun_layout *l, lun_array **out);
/* A handle on n's elements at the offsets of l (takes the reference, also on failure). */
lun_status lun__array_viewed(lun_engine *e, lun_node *n, const lun_layout *l, bool made,
                             lun_array **out);
/* a's layout in the elements of lun__array_top(a). a is usable and no weak number. */
void lun__array_layout(const lun_array *a, lun_layout *out);
/* lun_wrap with a shape of n elements, which the caller has checked. */
lun_status lun__make_wrapped(lun_engine *e, void *data, int64_t n, int rank, const int64_t *shape,
                             lun_dtype t, void (*release)(void *data, void *ctx), void *ctx,
                             lun_array **out);
/* The present node of a, with a reference.  t: for weak numbers, the dtype they take (or
 * LUN_DTYPE_COUNT: their own).  Fails for freed arrays and numbers that do not fit. */
lun_status lun__array_node(lun_engine *e, lun_array *a, lun_dtype t, lun_node **out);
/* The node that an evaluation of a has to compute, with a reference: of a window of elements that
 * are in memory their array's, of an array in another layout its elements in their own order. */
lun_status lun__array_root(lun_engine *e, lun_array *a, lun_node **out);
/* A new LEAF on a copy of n's elements, evaluated. */
lun_status lun__read_node_copy(lun_engine *e, lun_node *n, lun_node **out);
/* Fails with LUN_EFREED or LUN_EARG unless a can be used on e.  An array of unknown length is
 * evaluated: only then can it be an operand. */
lun_status lun__array_present(lun_engine *e, const lun_array *a);
/* The same for what takes none of them missing: it sees NaN for those of floats, and LUN_EARG
 * refuses others. */
lun_status lun__array_usable(lun_engine *e, const lun_array *a);
/* LUN_EARG if elements of a are missing, with their number: for what would take them wrongly. */
lun_status lun__array_refuse_missing(lun_engine *e, const lun_array *a);
/* lun__array_node of a's slots, whatever is missing. */
lun_status lun__array_slots(lun_engine *e, lun_array *a, lun_dtype t, lun_node **out);
/* The validity of a, an array that has one, to be read and written: of a window a window. */
lun_status lun__validity(lun_engine *e, lun_array *a, lun_array **out);
/* What stands in the slot of a missing element. */
lun_value lun__validity_blank(lun_dtype t);
/* Gives a's base a validity that says that all is there, if it has none. */
lun_status lun__write_validity(lun_engine *e, lun_array *a);

/* The elements of `of`, NULL: of a, at which a, of the same shape, has one: a Vector, evaluated
 * (api/data/compress.c). */
lun_status lun__compress_present(lun_engine *e, lun_array *a, lun_array *of, lun_array **out);
/* Whether elements of one of the arrays, which may be NULL, may be missing. */
bool lun__validity_some_missing(lun_array *const *all, int count);
/* Whether elements of a may be missing. */
static inline bool lun__array_has_validity(const lun_array *a)
{
    return lun__array_top(a)->valid;
}
/* "f32[100]", "f64[3, 4]" into buf, for messages. */
const char *lun__array_describe(const lun_array *a, char buf[96]);
/* A number as its own dtype's node, cast to t; rank 0. */
lun_status lun__array_constant(lun_engine *e, lun_dtype t, lun_value v, lun_node **out);

/* lun_apply and lun_cast of arrays of which nothing is missing. */
lun_status lun__elementwise_slots(lun_engine *e, lun_op op, lun_array *const *operands, int count,
                                  lun_array **out);
lun_status lun__elementwise_cast(lun_engine *e, lun_array *a, lun_dtype t, lun_array **out);

/* Returns what a call gives of an array with a validity that moves elements and computes none: the
 * call, of `moved` into *made, of its slots and of its validity. */
#define LUN_MOVED(e, a, out, call)                                       \
    if (lun_has_missing(a)) {                                            \
        lun_array *parts_[2], *made_[2] = {NULL, NULL};                  \
        lun_status s_ = lun_missing_parts(e, a, &parts_[0], &parts_[1]); \
        for (int k_ = 0; s_ == LUN_OK && k_ < 2; k_++) {                 \
            lun_array *moved = parts_[k_], **made = &made_[k_];          \
            s_ = (call);                                                 \
        }                                                                \
        return lun__validity_moved(e, s_, parts_, made_, out);           \
    }
/* Returns what a call gives of a mask with a validity: missing bools count as false, which their
 * slots are. */
#define LUN_AS_MASK(e, m, call)                                                   \
    if (lun_has_missing(m) && lun_dtype_kind(lun_dtype_of(m)) == LUN_KIND_BOOL) { \
        lun_array *mask_ = (m), *slots_, *valid_;                                 \
        lun_status s_ = lun_missing_parts(e, mask_, &slots_, &valid_);            \
        if (s_ == LUN_OK) {                                                       \
            (m) = slots_;                                                         \
            s_ = (call);                                                          \
            lun_release(slots_);                                                  \
            lun_release(valid_);                                                  \
        }                                                                         \
        return s_;                                                                \
    }
/* Returns a failure where elements of a, which may be NULL, are missing. */
#define LUN_NO_MISSING(e, a)                                      \
    do {                                                          \
        lun_array *const whole_ = (a);                            \
        if (whole_ && lun_has_missing(whole_)) {                  \
            lun_status s_ = lun__array_refuse_missing(e, whole_); \
            if (s_ != LUN_OK)                                     \
                return s_;                                        \
        }                                                         \
    } while (0)
/* The array of both that were made; releases all. s: the status so far. */
lun_status lun__validity_moved(lun_engine *e, lun_status s, lun_array *const parts[2],
                               lun_array *const made[2], lun_array **out);

/* Releases what unreleased arrays hold: device buffers, memory, wrapped memory. */
void lun__arrays_end(lun_engine *e);
/* Frees the memory of all handles. */
void lun__arrays_close(lun_engine *e);

#endif
