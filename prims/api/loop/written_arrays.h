/* written_arrays.h - arrays of a kernel that runs at once and writes some of them in place: their
 * memory before and after the kernel. Knows no function.
 *
 * Invariant of a lun_held between open and end: an array that is written has a node that no other
 * array holds, or, with `back`, a copy that the array becomes when the kernel has succeeded;
 * `parted` says that its copies began to
 * differ by lun__written_part. */
#ifndef LUN_WRITTEN_ARRAYS_H
#define LUN_WRITTEN_ARRAYS_H

#include "api/array/api.h"
#include "store/fetch.h"

typedef struct lun_held {
    lun_array *array; /* borrowed */
    lun_node *node;   /* a LEAF that the kernel reads or writes; a reference, NULL: none yet */
    bool written;
    bool back;   /* node is a copy that replaces the array's elements */
    bool parted; /* its copies are about to differ */
} lun_held;

/* Whether an array is a whole copy at each location of the set in use, and no window: then each
 * location may write its own. */
bool lun__written_copied(lun_engine *e, const lun_array *a);
/* Whether one that is written shares elements with another one; LUN_EARG says so.  names: by array,
 * NULL: they have none. */
lun_status lun__written_check(lun_engine *e, const lun_held *all, int count,
                              const char *const *names);
/* h->node: of an array that is read its elements as they are; of one that is written its own
 * memory, which nothing else holds then, or a copy: of a window, and of all arrays if `aside`. */
lun_status lun__written_open(lun_engine *e, lun_held *h, bool aside);
/* Makes the copies of one that is written differ: each at its location. */
lun_status lun__written_part(lun_engine *e, lun_held *h, const lun_writing *how);
/* The kernel is not run: undoes lun__written_part. */
void lun__written_join(lun_engine *e, lun_held *h);
/* The kernel has run: arrays take the elements of the copies that were written. */
lun_status lun__written_back(lun_engine *e, lun_held *all, int count);
void lun__written_end(lun_engine *e, lun_held *all, int count);

#endif
