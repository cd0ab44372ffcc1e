/* take_nodes.h - the elements of an array at given indices along an axis, or these indices,
 * checked: a CALL whose body checks, and gathers.  Private to prims/.
 *
 * The array is seen as [outer][length][inner], the result as [outer][count][inner]. */
#ifndef LUN_TAKE_NODES_H
#define LUN_TAKE_NODES_H

#include "graph/node.h"

typedef struct lun_taking {
    lun_node *source; /* of rank 1 or more, with at least one element; NULL: the indices, i64 */
    lun_node
        *index; /* i64, of the result's shape: counted from `first`, negative ones from the end */
    lun_node
        *number;    /* i64, of the result's shape: the flat number of each element of the result */
    lun_node *base; /* the same, or a number: where index 0 stands; NULL: at 0, step is 1 */
    int64_t length, inner, count;
    int64_t step;  /* between neighbours along the axis */
    int64_t first; /* the first index, 0 or 1 */
    bool lenient;  /* the index `none` takes any element, and is no error */
    int64_t none;
    int axis; /* from 0; for messages */
} lun_taking;

/* Indices out of range fail the evaluation with LUN_EBOUNDS, and a text that launch/index_error.c
 * exchanges for one that names the index. */
lun_status lun__take_node(lun_engine *e, const lun_taking *t, lun_node **out);
/* What n was made of, borrowed; false: it is no such node. */
bool lun__take_node_of(const lun_node *n, lun_taking *out);
/* Whether that is the text of such a failure. */
bool lun__take_nodes_failed(const char *note);
/* The index, from 0, along the axis; -1: it is out of range. */
int64_t lun__take_nodes_index(const lun_taking *t, int64_t index);

#endif
