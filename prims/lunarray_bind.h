/* lunarray_bind.h - what a binding to another language takes from Lunarray beside lunarray.h: the
 * tables of what exists, the place of what a script builds, errors in the terms of a call, and what
 * a garbage collector and an interpreter have to agree on with the engine.  A program in C needs
 * none of it.
 *
 * Errors, NULL, ownership and threads are as the head of lunarray.h says.
 */
#ifndef LUNARRAY_BIND_H
#define LUNARRAY_BIND_H

#include "lunarray.h"

#ifdef __cplusplus
extern "C" {
#endif

/* ---- tables ---------------------------------------------------------------------------------- */

typedef struct lun_op_info {
    size_t size;                     /* sizeof(lun_op_info) */
    const char *name, *symbol, *doc; /* symbol: the operator's text ("+"), "" if it has none */
    int arity;
    bool reduces; /* associative: may be given to reduce and scan */
} lun_op_info;
/* The row of an operation; its texts live for ever.  False past the last one, *out untouched. */
LUN_API bool lun_op_describe(lun_op op, lun_op_info *out);
/* An operation by name ("add") or operator text and arity ("-", 2); arity 0: any, the larger first.
 * False if there is none. */
LUN_API bool lun_op_find(const char *name, int arity, lun_op *out);

typedef struct lun_dtype_info {
    size_t size;                  /* sizeof(lun_dtype_info) */
    const char *name, *doc, *npy; /* npy: code in a .npy file without the byte order, "": none */
    int bytes;                    /* of one element */
    lun_kind kind;
    int exponent, mantissa; /* bits of a float's fields, the leading 1 not counted; else 0 */
} lun_dtype_info;
/* The row of a dtype; its texts live for ever.  False if t is no dtype, *out untouched. */
LUN_API bool lun_dtype_describe(lun_dtype t, lun_dtype_info *out);
/* One element in memory, of any alignment, as a number: bool, i64, u64 (of u64 alone) or f64.
 * The integer 0 for NULL or what is no dtype. */
LUN_API lun_value lun_element_get(lun_dtype t, const void *element);
/* Writes x as an element of t, converted as lun_cast converts: floats round to nearest, integers
 * are cut to their low bits, floats saturate where they become integers.  NULL, or what is no
 * dtype: nothing. */
LUN_API void lun_element_set(lun_dtype t, lun_value x, void *element);

/* Generated from the table by tests/lint/header.sh --write. */
/* clang-format off */
/* BEGIN GENERATED SKELETONS */
typedef enum lun_skeleton {
    LUN_SKELETON_MAP,
    LUN_SKELETON_ZIP,
    LUN_SKELETON_REDUCE,
    LUN_SKELETON_SCAN,
    LUN_SKELETON_STENCIL,
    LUN_SKELETON_ALLPAIRS,
    LUN_SKELETON_COUNT
} lun_skeleton;
/* END GENERATED SKELETONS */
/* clang-format on */

typedef struct lun_skeleton_info {
    size_t size; /* sizeof(lun_skeleton_info) */
    const char *name, *doc;
    const char *option; /* of a table after the arguments: "name=value, name=value"; "": none */
    int arrays;         /* that a call takes, element by element */
    int operands;       /* elements that the function takes, its first parameters */
    bool extras;        /* further arguments may follow the arrays, for further parameters */
    bool folds;         /* the function is associative; a first value may be given */
    bool combines; /* an associative function of two results of it follows; a first value, too */
} lun_skeleton_info;
/* The row of a skeleton; its texts live for ever.  False past the last one, *out untouched. */
LUN_API bool lun_skeleton_describe(lun_skeleton s, lun_skeleton_info *out);

typedef struct lun_reduction_info {
    size_t size; /* sizeof(lun_reduction_info) */
    const char *name, *doc;
    const char *option; /* the name of a number that may be given, "" if there is none */
    bool index;         /* the position of an element: from 0 */
} lun_reduction_info;
/* The row of a whole reduction, as that of a skeleton. */
LUN_API bool lun_reduction_describe(lun_reduction r, lun_reduction_info *out);

/* ---- what is built --------------------------------------------------------------------------- */

/* Marks where the script stands ("file:12"): what is built from now on reports it in errors. */
LUN_API lun_status lun_mark(lun_engine *e, const char *place);
/* Elements that a work-group of a device computes together, for kernels with what is built from now
 * on (LUN_MOST_WORKGROUP at most; a device may have to take fewer); 0: tuned.  Other backends
 * ignore it. */
enum { LUN_MOST_WORKGROUP = 65535 };
LUN_API void lun_workgroup(lun_engine *e, int elements);
/* lun_take where indices count from `first`, 0 or 1; of those from 1 on 0 takes `missing`. */
LUN_API lun_status lun_take_from(lun_engine *e, lun_array *a, lun_array *i, int axis, int first,
                                 const lun_value *missing, lun_array **out);
/* lun_put where indices count from `first`, 0 or 1. */
LUN_API lun_status lun_put_from(lun_engine *e, lun_array *a, lun_array *i, lun_array *x, int axis,
                                int first, lun_op op);
/* A scan of `count` arrays of equal shape (numbers stand for such), at most LUN_MOST_VALUES, by a
 * function of the host's language f(a1, ..., an, b1, ..., bn, extra...) of as many results,
 * associative; ids: a first value for each.  In outs as many arrays. */
enum { LUN_MOST_VALUES = 8 };
LUN_API lun_status lun_scan_several(lun_engine *e, lun_function *f, lun_array *const *ids,
                                    lun_array *const *arrays, int count, lun_array *const *extra,
                                    int extras, bool inclusive, lun_array **outs);
/* A reduction by such a function; in outs as many Scalars. */
LUN_API lun_status lun_reduce_several(lun_engine *e, lun_function *f, lun_array *const *ids,
                                      lun_array *const *arrays, int count, lun_array *const *extra,
                                      int extras, lun_array **outs);
/* f(value, element) along lines of a Vector, one element after the other: line k has the elements
 * from number first[k], from 0, on, counts[k] of them (these are trusted), and begins with id.  Of
 * x's length; f is any function of the host's language. */
LUN_API lun_status lun_scan_lines(lun_engine *e, lun_function *f, lun_array *id, lun_array *x,
                                  lun_array *first, lun_array *counts, bool inclusive,
                                  lun_array **out);
/* True for a number of a script. */
LUN_API bool lun_is_weak(const lun_array *a);

/* Memory for the elements of a Vector that is to be filled before there is one: as that of arrays,
 * but their dtype may be said afterwards. */
typedef struct lun_blank lun_blank;
/* n elements of so many bytes each, at *data, undefined.  LUN_EARG if no dtype has that size; fails
 * as lun_vector does. */
LUN_API lun_status lun_blank_new(lun_engine *e, int64_t n, int bytes, lun_blank **out, void **data);
/* Ends it.  NULL is allowed. */
LUN_API void lun_blank_drop(lun_engine *e, lun_blank *b);
/* The Vector of what was written, of a dtype of that size (LUN_EDTYPE); b is ended unless it
 * fails. */
LUN_API lun_status lun_blank_vector(lun_engine *e, lun_blank *b, lun_dtype t, lun_array **out);
/* Calls task(ctx, k) for each k from 0 to count - 1, on the threads that the backend in use has,
 * else the native one, and waits.  For parts of some 100 microseconds or more; a task calls nothing
 * of the engine. */
LUN_API void lun_host_share(lun_engine *e, int64_t count, void *ctx,
                            void (*task)(void *ctx, int64_t k));

/* ---- errors ---------------------------------------------------------------------------------- */

/* The operand, from 1, that the last failure of an elementwise operation is about; 0: not about one
 * of them. */
LUN_API int lun_error_operand(const lun_engine *e);

/* ---- a garbage collector --------------------------------------------------------------------- */

/* Bytes of elements allocated since the last call, less those freed: what a garbage collector
 * should be told. */
LUN_API int64_t lun_pressure(lun_engine *e);
/* on: the next call that needs a large block of memory, and finds none that an array has left, or
 * that copies a large array before a write because others hold its elements, fails with LUN_ENOMEM.
 * Returns how many bytes such a call has needed since the last lun_thrifty, or 0: then collect, and
 * make that call again.  A host that calls this is told nothing of large blocks by lun_pressure. */
LUN_API int64_t lun_thrifty(lun_engine *e, bool on);

/* ---- an interpreter -------------------------------------------------------------------------- */

/* One pointer of the host's per engine; close is called by lun_close before anything else ends. */
LUN_API void lun_host_set(lun_engine *e, void *data, void (*close)(void *data));
/* Has stop(data), with the pointer of lun_host_set, called by lun_cancel after it has told running
 * work: from any thread or signal handler.  NULL: no more. */
LUN_API void lun_host_on_cancel(lun_engine *e, void (*stop)(void *data));
/* The pointer of lun_host_set, NULL if there is none. */
LUN_API void *lun_host_get(lun_engine *e);
/* A stretch of work, such as a script: from begin to end the time limit counts once for all
 * evaluations in it, and lun_cancel holds until the end.  Stretches nest; the outermost counts. */
LUN_API void lun_host_begin(lun_engine *e);
/* Ends the stretch that began last. */
LUN_API void lun_host_end(lun_engine *e);
/* LUN_OK, or LUN_ECANCEL or LUN_ELIMIT if the stretch must end: to be asked from time to time. */
LUN_API lun_status lun_host_check(lun_engine *e);

#ifdef __cplusplus
}
#endif
#endif
