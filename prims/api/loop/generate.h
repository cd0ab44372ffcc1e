/* generate.h - functions called for a range of indices: shared by arrays made by functions and by
 * loops that assign elements.  Private to prims/api. */
#ifndef LUN_GENERATE_H
#define LUN_GENERATE_H

#include "api/array/apply_function.h"

/* Indices first[k] .. first[k] + extent - 1 along axis k; the extents are those of `at`. */
typedef struct lun_box {
    int rank;
    int64_t first[LUN_MAX_RANK];
    lun_layout at; /* row-major */
    bool empty;
} lun_box;

/* b, and its indices as arrays with references, one for each axis; none on failure. */
lun_status lun__generate_box_make(lun_engine *e, int rank, const int64_t *first,
                                  const int64_t *extent, lun_box *b, lun_array **index);
/* r: the front end's function f for these indices, with unchecked reads where all of them are
 * within.  writes: it may assign elements of arrays. */
lun_status lun__generate_box_prepare(lun_engine *e, lun_function *f, const lun_box *b,
                                     lun_array *const *index, bool writes, lun_front_result *r);
/* The elements of w's array at its indices, as t: 0 beyond its ends. */
lun_status lun__generate_box_window(lun_engine *e, const lun_box *b, const lun_front_window *w,
                                    lun_dtype t, lun_node **out);
/* Its results, as those of lun_call. */
lun_status lun__generate_box_apply(lun_engine *e, lun_function *f, const lun_box *b,
                                   lun_array *const *index, const lun_front_result *r,
                                   lun_array **outs, int room, int *results);

#endif
