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
    bool bare;         /* of a window: it shows the slots alone, real parts */
    /* of no window: its logical dtype, a row of logical.def; 0: it has that of its node
     * (logical.c) */
    uint8_t logical;
    bool readonly; /* of a window: nothing is written through it, nor through windows on it */
    /* of no window: bools of its shape and layout, false where it has no element (validity.c);
     * NULL: nothing is missing; of a complex dtype the imaginary parts, in a layout that differs in
     * its offset alone */
    lun_array *valid;
    union {
        struct lun_text_pool *texts; /* of no window, of LUN_TEXT: the values of its codes */
        struct lun__record *record;  /* of LUN_RECORD: struct and fields */
    };
    union {
        lun_layout at;
        lun_later later; /* without references */
    };
    lun_node *shown; /* the copy that lun_data gave of strided elements */
    char *label;     /* its own, NULL: none */
};

/* The label of a, or of the array that it shows; NULL: none. */
static inline const char *lun__array_label(const lun_array *a)
{
    return a->label ? a->label : a->parent ? a->parent->label : NULL;
}

/* The label of an array whose elements n are, of those that scripts hold; NULL: none. */
const char *lun__array_label_of(const lun_engine *e, const lun_node *n);

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
/* A Vector on memory that is never written, by the engine or others, until release is called.  What
 * fails leaves it the caller's. */
lun_status lun__make_imported(lun_engine *e, const void *data, int64_t n, lun_dtype t,
                              void (*release)(void *data, void *ctx), void *ctx, lun_array **out);
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
/* LUN_EARG if elements of a are missing, with their number: for what would take them wrongly; of a
 * logical dtype LUN_EDTYPE. */
lun_status lun__array_refuse_missing(lun_engine *e, const lun_array *a);
/* Whether one of them is complex. */
bool lun__array_some_complex(lun_array *const *all, int count);
/* LUN_EDTYPE: elements of complex arrays are never missing. */
lun_status lun__array_refuse_gaps(lun_engine *e);
/* lun__array_usable for what reads elements as they are stored: texts alone are refused. */
lun_status lun__array_readable(lun_engine *e, const lun_array *a);
/* lun__array_node of a's slots, whatever is missing and whatever they mean. */
lun_status lun__array_slots(lun_engine *e, lun_array *a, lun_dtype t, lun_node **out);
/* The validity of a, an array that has one, or its imaginary parts, to be read and written: of a
 * window a window. */
lun_status lun__validity(lun_engine *e, lun_array *a, lun_array **out);
/* Writes an element's slot, which the caller has checked; the element is then there
 * (api/write/write.c). */
lun_status lun__write_slot(lun_engine *e, lun_array *a, int64_t index, const void *slot);
/* What stands in the slot of a missing element. */
lun_value lun__validity_blank(lun_dtype t);
/* Gives a's base a validity that says that all is there, if it has none. */
lun_status lun__write_validity(lun_engine *e, lun_array *a);

/* The elements of `of`, NULL: of a, at which a, of the same shape, has one: a Vector, evaluated
 * (api/data/compress.c). */
lun_status lun__compress_present(lun_engine *e, lun_array *a, lun_array *of, lun_array **out);
/* Whether elements of one of the arrays, which may be NULL, may be missing. */
bool lun__validity_some_missing(lun_array *const *all, int count);
/* a's logical dtype; 0: it has none. */
static inline lun_dtype lun__array_logical(const lun_array *a)
{
    return (lun_dtype)(a->bare ? 0 : lun__array_top(a)->logical);
}
static inline bool lun__array_is_complex(const lun_array *a)
{
    return lun_dtype_kind(lun__array_logical(a)) == LUN_KIND_COMPLEX;
}
/* Whether a has a second array beside its slots: a validity, or imaginary parts. */
static inline bool lun__array_has_second(const lun_array *a)
{
    return !a->bare && lun__array_top(a)->valid;
}
/* Whether elements of a may be missing. */
static inline bool lun__array_has_validity(const lun_array *a)
{
    return lun__array_has_second(a) && !lun__array_is_complex(a);
}
/* Whether an element of a is no slot: codes of texts, parts of complex numbers. */
static inline bool lun__array_is_coded(const lun_array *a)
{
    return lun_dtype_kind(lun__array_logical(a)) == LUN_KIND_TEXT || lun__array_is_complex(a);
}
/* "f32[100]", "f64[3, 4]", "'rho' f64[3, 4]" into buf, for messages. */
const char *lun__array_describe(const lun_array *a, char buf[96]);
/* A number as its own dtype's node, cast to t; rank 0. */
lun_status lun__array_constant(lun_engine *e, lun_dtype t, lun_value v, lun_node **out);

/* Whether a has more than slots: a validity, or a logical dtype. */
static inline bool lun__array_has_parts(const lun_array *a)
{
    return !a->bare && (lun__array_top(a)->valid || lun__array_top(a)->logical);
}
/* The dtype of a's slots. */
lun_dtype lun__array_stored_dtype(const lun_array *a);
/* Whether one of the arrays, which may be NULL, has a logical dtype. */
bool lun__array_some_logical(lun_array *const *all, int count);
/* LUN_EDTYPE: a's logical dtype is not taken here, and what a can be turned into. */
lun_status lun__array_refuse_logical(lun_engine *e, const lun_array *a);
/* The same of the operands of an operation, all of which are named. */
lun_status lun__logical_refuse(lun_engine *e, lun_array *const *all, int count);
/* Gives to, a handle that nothing else holds and that is no window, the logical dtype of `of`. */
void lun__validity_set_logical(lun_array *to, const lun_array *of);
/* lun_with_parts with the logical dtype of `of`; valid may be NULL. */
lun_status lun__validity_with_logical(lun_engine *e, const lun_array *of, lun_array *slots,
                                      lun_array *valid, lun_array **out);

/* A complex array of two arrays of floats of one shape, which is that of both. */
lun_status lun__validity_pair(lun_engine *e, lun_array *re, lun_array *im, lun_array **out);

/* Arrays of logical dtypes brought to one, with references: their slots in one dtype, and the
 * validities, which may be NULL.  LUN_EDTYPE: they have no common logical dtype. */
typedef struct lun_alike {
    lun_array **slots, **valid; /* `count` each */
    lun_array *prototype;       /* an array of that logical dtype */
    int count;
} lun_alike;
lun_status lun__logical_alike(lun_engine *e, lun_array *const *all, int count, lun_alike *out);
void lun__logical_alike_end(lun_alike *a);
/* Integers ordered as the elements of arrays of logical dtypes, missing where those are;
 * *prototype: what lun__logical_of_order takes.  LUN_EDTYPE as lun__logical_alike.  keys has room
 * for count. */
lun_status lun__logical_order(lun_engine *e, lun_array *const *all, int count, lun_array **keys,
                              lun_array **prototype);
/* The elements of which keys are the integers of lun__logical_order. */
lun_status lun__logical_of_order(lun_engine *e, lun_array *prototype, lun_array *keys,
                                 lun_array **out);
/* Returns what a call gives of the integers of lun__logical_order, `ordered`, of an array that has
 * a logical dtype, as it is. */
#define LUN_BY_ORDER(e, a, call)                                               \
    if ((a) && !lun_is_freed(a) && lun__array_logical(a)) {                    \
        lun_array *of_ = (a), *ordered, *prototype_;                           \
        lun_status s_ = lun__logical_order(e, &of_, 1, &ordered, &prototype_); \
        if (s_ != LUN_OK)                                                      \
            return s_;                                                         \
        s_ = (call);                                                           \
        lun_release(ordered);                                                  \
        lun_release(prototype_);                                               \
        return s_;                                                             \
    }
/* The same, *out then being the elements whose integers are in `made`. */
#define LUN_ORDERED(e, a, out, call)                                           \
    if ((a) && !lun_is_freed(a) && lun__array_logical(a)) {                    \
        lun_array *of_ = (a), *ordered, *prototype_, *keys_ = NULL;            \
        lun_array **const made = &keys_;                                       \
        lun_status s_ = lun__logical_order(e, &of_, 1, &ordered, &prototype_); \
        if (s_ != LUN_OK)                                                      \
            return s_;                                                         \
        s_ = (call);                                                           \
        if (s_ == LUN_OK)                                                      \
            s_ = lun__logical_of_order(e, prototype_, keys_, out);             \
        lun_release(ordered);                                                  \
        lun_release(prototype_);                                               \
        lun_release(keys_);                                                    \
        return s_;                                                             \
    }
/* Whether the reduction of a, of a logical dtype, is that of lun__logical_order's integers; where
 * it gives an element, that of its integer. */
bool lun__logical_reduced(const lun_array *a, lun_reduction r);
/* source's elements in the logical dtype of target, as slots and validity, which may be NULL. */
lun_status lun__logical_adopt(lun_engine *e, lun_array *target, lun_array *source,
                              lun_array **slots, lun_array **valid);

/* where(c, a, b) of a and b, brought to one logical dtype. */
lun_status lun__logical_move(lun_engine *e, lun_array *const *all, lun_array **out);
/* The operation on integers of lun__logical_order; where it picks operands, their elements. */
lun_status lun__logical_by_order(lun_engine *e, lun_op op, lun_array *const *all, int count,
                                 lun_array **out);
/* How the elements of segments are reduced, which of, a pointer, has. */
typedef struct lun_reducing {
    lun_status (*call)(const void *of, lun_reduction r, lun_array *x, lun_array **out);
    const void *of;
} lun_reducing;
/* A reduction of a logical dtype that is none of those of lun__logical_reduced. */
lun_status lun__logical_reduce(lun_engine *e, lun_reduction r, lun_array *a, const lun_reducing *by,
                               lun_array **out);

/* A reduction or a scan of a, from id on, which may be NULL, by a function that is an operation. */
typedef struct lun_folding {
    lun_function *f;
    lun_array *id, *a;
    const int *axes;
    int count; /* of axes; 0: all elements in their order */
    bool keep, scans, inclusive;
} lun_folding;
/* Whether a or the first value is of a kind that has folds of its own, and f an operation: then it
 * is done, with *s. */
bool lun__logical_fold(lun_engine *e, const lun_folding *x, lun_status *s, lun_array **out);

/* No index: all elements. */
enum { LUN__EVERY_ELEMENT = -1 };

/* What a kind of logical dtypes does; e->kinds has it by lun_kind. */
typedef struct lun_logical_kind {
    /* out->slots and out->valid are those of the arrays, of this kind: brings the slots to one
     * logical dtype, and gives its prototype. */
    lun_status (*alike)(lun_engine *e, lun_array *const *all, int count, lun_alike *out);
    /* lun__logical_order of arrays of this kind. */
    lun_status (*order)(lun_engine *e, lun_array *const *all, int count, lun_array **keys,
                        lun_array **prototype);
    /* lun__logical_adopt of a source of this kind. */
    lun_status (*adopt)(lun_engine *e, lun_array *target, lun_array *source, lun_array **slots,
                        lun_array **valid);
    /* lun_cast to or from a dtype of this kind, which is above that of the other one. */
    lun_status (*cast)(lun_engine *e, lun_array *a, lun_dtype t, lun_array **out);
    /* The operations of rows COMPUTE, and of ORDER, too; NULL: it has no rows COMPUTE. */
    lun_status (*compute)(lun_engine *e, lun_op op, lun_array *const *all, int count,
                          lun_array **out);
    /* lun__logical_reduce; NULL: it refuses all. */
    lun_status (*reduce)(lun_engine *e, lun_reduction r, lun_array *a, const lun_reducing *by,
                         lun_array **out);
    /* lun__logical_fold; NULL: it has none. */
    lun_status (*fold)(lun_engine *e, const lun_folding *x, lun_array **out);
    /* Elements as f64, measured from *from, an element or a missing one, and the elements of such
     * numbers, rounded down: how what lies between elements is found; NULL: nothing does. */
    lun_status (*numbers)(lun_engine *e, lun_array *a, lun_array **numbers, lun_array **from);
    lun_status (*of_numbers)(lun_engine *e, lun_array *from, lun_array *numbers, lun_array **out);
    /* lun_tensor, lun_full, lun_write of elements that are no slots; `number`: lun_set, or lun_fill
     * at LUN__EVERY_ELEMENT; NULL: they are slots. */
    lun_status (*tensor)(lun_engine *e, const void *data, int rank, const int64_t *shape,
                         lun_dtype t, lun_array **out);
    lun_status (*full)(lun_engine *e, int rank, const int64_t *shape, lun_dtype t, lun_value x,
                       lun_array **out);
    lun_status (*write)(lun_engine *e, lun_array *a, const void *host, int64_t first,
                        int64_t count);
    lun_status (*number)(lun_engine *e, lun_array *a, int64_t index, lun_value x);
    /* lun_read, and lun_matmul; NULL: they see the slots, and refuse it. */
    lun_status (*read)(lun_engine *e, lun_array *a, void *host, int64_t first, int64_t count);
    lun_status (*matmul)(lun_engine *e, lun_array *a, lun_array *b, lun_array **out);
    /* Of complex matrices, or real ones beside them: an axis more, with so many axes behind it, of
     * the real and the imaginary parts; what such an axis joins to, which takes `planes`. */
    lun_status (*planes)(lun_engine *e, lun_array *a, int behind, lun_array **out);
    lun_status (*of_planes)(lun_engine *e, lun_array *planes, int axis, lun_array **out);
    /* What a handle has beside slots and validity is given back; NULL: texts are. */
    void (*end)(lun_array *a);
} lun_logical_kind;

/* lun_apply and lun_cast of arrays of no logical dtype. */
lun_status lun__missing_elementwise_apply(lun_engine *e, lun_op op, lun_array *const *all,
                                          int count, lun_array **out);
lun_status lun__missing_elementwise_cast(lun_engine *e, lun_array *a, lun_dtype t, lun_array **out);
/* lun_apply and lun_cast of arrays of which nothing is missing. */
lun_status lun__elementwise_slots(lun_engine *e, lun_op op, lun_array *const *operands, int count,
                                  lun_array **out);
lun_status lun__elementwise_cast(lun_engine *e, lun_array *a, lun_dtype t, lun_array **out);

/* Returns what a call gives of an array with a validity or a logical dtype that moves elements and
 * computes none: the call, of `moved` into *made, of its slots and of its validity. */
#define LUN_MOVED(e, a, out, call) LUN_MOVED_WITH(e, a, false, out, call)
/* The same where elements that were not there may come in, which `gaps` says: of a logical dtype
 * they are missing. */
#define LUN_MOVED_WITH(e, a, gaps, out, call)                                    \
    if ((a) && !lun_is_freed(a) && lun__array_has_parts(a)) {                    \
        lun_array *parts_[2], *made_[2] = {NULL, NULL};                          \
        lun_status s_ = lun__validity_parts(e, a, gaps, &parts_[0], &parts_[1]); \
        for (int k_ = 0; s_ == LUN_OK && k_ < 2; k_++) {                         \
            lun_array *moved = parts_[k_], **made = &made_[k_];                  \
            s_ = moved ? (call) : LUN_OK;                                        \
        }                                                                        \
        return lun__validity_moved(e, s_, a, parts_, made_, out);                \
    }
/* Inside of LUN_MOVED_WITH: what stands where no element was, x for those of no logical dtype. */
#define LUN_INTO_GAPS(a, x)                                                     \
    (lun__array_is_complex(a) ? k_ ? (lun_value){.dtype = LUN_F64} : (x)        \
     : k_ ? (lun_value){.dtype = LUN_BOOL, .as.u = !lun__array_logical(a)}      \
     : lun__array_logical(a)  ? lun__validity_blank(lun__array_stored_dtype(a)) \
                              : (x))
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
#define LUN_NO_MISSING(e, a)                                                   \
    do {                                                                       \
        lun_array *const whole_ = (a);                                         \
        if (whole_ && !lun_is_freed(whole_) && lun__array_has_parts(whole_)) { \
            lun_status s_ = lun__array_refuse_missing(e, whole_);              \
            if (s_ != LUN_OK)                                                  \
                return s_;                                                     \
        }                                                                      \
    } while (0)
/* The array of both that were made; releases all. s: the status so far. */
lun_status lun__validity_moved(lun_engine *e, lun_status s, const lun_array *of,
                               lun_array *const parts[2], lun_array *const made[2],
                               lun_array **out);
/* The parts of an array whatever its slots mean, for what states to take a logical dtype; others
 * use lun_missing_parts, which refuses one. With `gaps` a logical dtype always has a validity. */
lun_status lun__validity_parts(lun_engine *e, lun_array *a, bool gaps, lun_array **slots,
                               lun_array **valid);

/* Releases what unreleased arrays hold: device buffers, memory, wrapped memory. */
void lun__arrays_end(lun_engine *e);
/* Frees the memory of all handles. */
void lun__arrays_close(lun_engine *e);

#endif
