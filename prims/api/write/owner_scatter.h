/* owner_scatter.h - owner-computes scatter: values sent to the locations that own the elements
 * which they are for, each with the index of its element; an owner takes them in index order. 
 * Private to prims/api. */
#ifndef LUN_OWNER_SCATTER_H
#define LUN_OWNER_SCATTER_H

#include "api/write/scatter.h"
#include "base/layout/layout.h"
#include "graph/node.h"

typedef struct lun_owners lun_owners;

/* What is written: how->count values into elements of `array`, a LEAF, value k into the one at
 * index place[k] of `at`, as lun_scatter says it; how->elements, place, values, step and span are
 * not used.  place, of i64, and value: LEAFs of how->count elements, or NUMBERs. */
typedef struct lun_owned {
    const lun_node *array, *place, *value;
    lun_layout at;
    const lun_scatter *how;
} lun_owned;

/* Does everything that may fail but moves of the array's own elements; none has changed after it.
 * *out: NULL where no location has elements of these, nor shall have; *bad: of an exact scatter the
 * first value that does not fit, *fits is false then. *out is to be closed also after a failure. */
lun_status lun__owners_open(lun_engine *e, const lun_owned *what, lun_owners **out, bool *fits,
                            int64_t *bad);
/* Writes them: into `array`, the same elements as before. */
lun_status lun__owners_write(lun_owners *o, const lun_node *array);
void lun__owners_close(lun_owners *o); /* NULL is allowed */

#endif
