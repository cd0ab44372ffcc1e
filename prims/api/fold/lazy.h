/* lazy.h - reductions as expressions, of a whole array or of each of its segments.  Private to
 * prims/. */
#ifndef LUN_LAZY_H
#define LUN_LAZY_H

#include "api/array/api.h"
#include "graph/function_ref.h"

/* The segments of a reduction: of `length` elements, in flat order, each of which gives one element
 * of `shape`; length 0: all elements, which give a Scalar. */
typedef struct lun_segments {
    int64_t length;
    int rank;
    int64_t shape[LUN_MAX_RANK];
    bool skipnan; /* NaN is left out, also of the number of elements */
    bool blocks;  /* in the order of blocks, floats in the dtype they compute in; rank 2 */
    /* NULL, or where rows are at several locations: a's elements as rows, each the next element of
     * every segment. Not a reference */
    lun_node *rows;
} lun_segments;

/* Axes from 0 as a set; none named: all.  LUN_ESHAPE (along.c). */
lun_status lun__along_axis_set(lun_engine *e, const lun_array *a, const int *axes, int count,
                               unsigned *out);
/* a's elements with the axes in `set` last, in their order; *kept: how many others there are. */
lun_status lun__along_axes_last(lun_engine *e, lun_array *a, unsigned set, int *kept,
                                lun_node **out);
lun_status lun__along_node_axes_last(lun_engine *e, lun_node *n, unsigned set, int *kept,
                                     lun_node **out);
/* Moves the last axis of n to `axis`. */
lun_status lun__along_axis_back(lun_engine *e, lun_node *n, int axis, lun_node **out);

/* lun_along of an array of which nothing is missing, with all options (along.c). */
lun_status lun__along_slots(lun_engine *e, lun_reduction r, lun_array *a, const int *axes,
                            int count, const lun_along_options *options, lun_array **out);
/* x, results of the segments of a along the axes (count 0: all) that leave out NaN: NaN where an
 * element that is there is NaN, unless skipnan; missing where none is there (along_missing.c). */
lun_status lun__along_missing_of(lun_engine *e, lun_array *a, const int *axes, int count,
                                 bool skipnan, lun_array *x, lun_array **out);
/* The number that changes nothing in a reduction; NULL: there is none, or it is not used. */
const int *lun__along_missing_neutral(lun_reduction r);
/* The slots where there is an element, else x. */
lun_status lun__along_missing_filled(lun_engine *e, lun_array *slots, lun_array *valid, int x,
                                     lun_array **out);
/* The slots, and where elements are missing what a reduction passes over. */
lun_status lun__along_missing_passed(lun_engine *e, lun_reduction r, lun_array *slots,
                                     lun_array *valid, lun_array **out);

/* A reduction by one operation, given as t. */
lun_status lun__lazy_total(lun_engine *e, lun_reduction r, lun_node *a, const lun_segments *l,
                           lun_dtype t, lun_node **out);
/* A sum of squares in f64 from LEAST on has lost nothing below f64's range.  A smaller one, or an
 * infinite one, is summed again of elements times UP or DOWN: powers of 2, so that this rounds
 * nothing, with which squares of all elements that matter, and sums of 2^63 of them, are normal. */
#define LUN_SQUARES_LEAST 0x1p-900
#define LUN_SQUARES_UP    0x1p600
#define LUN_SQUARES_DOWN  0x1p-600
/* Whether squares and sums of elements of t can leave f64's range. */
bool lun__lazy_is_wide(lun_dtype t);
/* LUN_MEAN, LUN_VAR, LUN_STD or LUN_NORM of a, in f64.  shift: subtracted from the elements before
 * they are squared, an f64 Scalar or of the segments' shape; spread: the same for each element, in
 * terms of a, so that the pass that finds the mean can use it too. */
lun_status lun__lazy_moment(lun_engine *e, lun_reduction r, lun_node *a, const lun_segments *l,
                            lun_node *shift, lun_node *spread, double ddof, lun_node **out);
/* The least of the indices in i, which is i64 and goes with a's shape, at which a equals its
 * extreme value `best`, or is NaN if that is. */
lun_status lun__lazy_position(lun_engine *e, lun_node *a, lun_node *i, lun_node *best,
                              const lun_segments *l, lun_node **out);
/* a, of the dtype of its elements, combined by f; scanned by it in segments of that length, 0: all
 * elements are one (fold.c). */
lun_status lun__fold_segments(lun_engine *e, lun_function *f, lun_array *id, lun_node *a,
                              lun_extras extras, const lun_segments *l, lun_node **out);
lun_status lun__fold_scan_segments(lun_engine *e, lun_function *f, lun_array *id, lun_node *a,
                                   lun_extras extras, bool inclusive, int64_t length,
                                   lun_node **out);
/* The segments of rows of a, of `length` rows each, combined by function f, from `first` on, which
 * may be NULL; all of one dtype (fold_rows.c). */
lun_status lun__fold_rows(lun_engine *e, lun_function *f, const lun_ir_function *body, lun_node *a,
                          lun_node *first, int64_t length, lun_node **out);
/* Whether f combines two values of dtype t, as reduce needs it: LUN_EARG, LUN_EDTYPE. */
lun_status lun__fold_check(lun_engine *e, lun_function *f, lun_dtype t);
/* The dtype of a reduction by one operation of a whole array of dtype t. */
lun_dtype lun__lazy_total_dtype(lun_reduction r, lun_dtype t);

/* ---- scans and reductions of several arrays at once (running.c) ------------------------------ */

typedef struct lun_several {
    lun_engine *e;
    lun_merger m;
    lun_node *id[LUN_MAX_VALUES], *x[LUN_MAX_VALUES]; /* id: of one element; references */
    const lun_node *like;                             /* an operand with the shape of all */
} lun_several;

/* Arrays of one shape, or numbers broadcast to it, and a first value for each. To be ended also on
 * failure. */
lun_status lun__running_begin(lun_several *s, lun_function *f, lun_array *const *ids,
                              lun_array *const *arrays, int count, lun_extras extras);
void lun__running_end(lun_several *s);
/* Runs the function along segments of x and gives a node of `shape` for each value. Segments have
 * `length` elements, or, if list[0] is not NULL, begin at the elements list[0] and have list[1]
 * elements. from: the first values of each segment, or NULL. how: lun_running. */
lun_status lun__running_run(lun_several *s, unsigned how, lun_node *const *list,
                            lun_node *const *from, lun_node *const *x, int64_t length, int rank,
                            const int64_t *shape, lun_node **out);

/* lun_scan_with and lun_scan_along_with of an array of which nothing is missing. */
lun_status lun__fold_scan_whole(lun_engine *e, lun_function *f, lun_array *id, lun_array *a,
                                lun_array *const *extra, int extras, bool inclusive,
                                lun_array **out);
lun_status lun__along_scan(lun_engine *e, lun_function *f, lun_array *id, lun_array *a,
                           lun_array *const *extra, int extras, int axis, bool inclusive,
                           lun_array **out);

#endif
