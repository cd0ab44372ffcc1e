/* owner_scatter.h - owner-computes scatter: values sent to the locations that own the elements
 * which they are for, each with the index of its element; an owner takes them in index order.
 * Private to prims/api. */
#ifndef LUN_OWNER_SCATTER_H
#define LUN_OWNER_SCATTER_H

#include "api/write/scatter.h"
#include "base/layout/layout.h"
#include "graph/node.h"

typedef struct lun_owner_scatter lun_owner_scatter;

/* What is written: how->count values into elements of `array`, a LEAF, value k into the one at
 * index index[k] of `at`, as lun_scatter says it; how->elements, index, values, step and span are
 * not used.  index, of i64, and value: LEAFs of how->count elements, or NUMBERs. */
typedef struct lun_owner_write {
    const lun_node *array, *index, *value;
    lun_layout at;
    const lun_scatter *how;
} lun_owner_write;

/* Does everything that may fail but moves of the array's own elements; none has changed after it.
 * *out: NULL where no location has elements of these, nor shall have; *bad: of an exact scatter the
 * first value that does not fit, *fits is false then. *out is to be closed also after a failure. */
lun_status lun__owner_scatter_open(lun_engine *e, const lun_owner_write *what,
                                   lun_owner_scatter **out, bool *fits, int64_t *bad);
/* Writes them: into `array`, the same elements as before. */
lun_status lun__owner_scatter_write(lun_owner_scatter *o, const lun_node *array);
void lun__owner_scatter_close(lun_owner_scatter *o); /* NULL is allowed */

#endif
