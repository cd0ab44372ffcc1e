/* apply_function.h - what applying a function (apply_function.c) and combining by one (combine.c)
 * share. */
#ifndef LUN_APPLY_FUNCTION_H
#define LUN_APPLY_FUNCTION_H

#include "api/array/api.h"
#include "api/array/axes.h"
#include "graph/function_ref.h"

/* A new function: an operation, a C text (taken), or a front end's (front; else NULL). */
lun_status lun__make_function(lun_engine *e, lun_op op, lun_ir_function *text,
                              const lun_front *front, lun_function **out);

/* What its elements are, and whether it may assign elements of arrays. */
typedef struct lun_specialising {
    lun_front_indexing index;
    bool writes;
    const int64_t *radius; /* by axis, of the neighbours of an index; NULL: not given */
} lun_specialising;

/* The IR of the front end's function f for `count` operands, the first of them elements, and the
 * values that it captures. */
lun_status lun__apply_specialise(lun_engine *e, lun_function *f, lun_array *const *operands,
                                 int count, int elements, lun_specialising how,
                                 lun_front_result *r);

/* Appends a node for each captured value to nodes[*count], with references; after a failure those
 * made so far. */
lun_status lun__apply_captured(lun_engine *e, const lun_front_result *r, lun_node **nodes,
                               int *count);

/* The operands of a body, in its order: the first are elementwise, single numbers or of the shape
 * of `like`, in the order of `axes` (NULL: row-major). */
typedef struct lun_operands {
    lun_node *const *nodes;
    int count, elements;
    const lun_node *like;
    const lun_axes *axes;
} lun_operands;

/* The results of the front end's function f, specialised as r, for these operands; LUN_EARG where
 * *results is more than room. */
lun_status lun__apply_outputs(lun_engine *e, lun_function *f, const lun_front_result *r,
                              const lun_operands *o, lun_array **outs, int room, int *results);

/* What a stencil reads beyond the ends of axes, and its radius along each axis once the function is
 * specialised. */
typedef struct lun_around {
    const lun_stencil_options *how;
    int64_t before[LUN_MAX_RANK], after[LUN_MAX_RANK];
} lun_around;

/* Whether f can be called with these operands, with room for so many results. */
lun_status lun__apply_check(lun_engine *e, const lun_function *f, lun_array *const *operands,
                            int count, int elements, int room);
/* lun_call of a function that only reads; around, if not NULL: lun_stencil. */
lun_status lun__apply_around(lun_engine *e, lun_function *f, lun_array *const *operands, int count,
                             int elements, lun_around *around, lun_array **outs, int room,
                             int *results);
/* Whether f is a function of that kind: only a stencil's reads elements around its index. */
lun_status lun__apply_check_around(lun_engine *e, const lun_function *f, bool around);
/* Whether the neighbours are within the radius of each axis (NULL: there is none). */
lun_status lun__neighbours_check_radius(lun_engine *e, const lun_neighbour *at,
                                        const int64_t *radius);
/* The elements around each index that `at` names, of arrays of one shape, as nodes with references;
 * none on failure.  axes: as lun__axes_node's. */
lun_status lun__neighbours(lun_engine *e, const lun_neighbour *at, int count,
                           lun_array *const *arrays, lun_around *around, const lun_axes *axes,
                           lun_node **out);

#endif
