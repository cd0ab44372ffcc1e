/* written_arrays.h - arrays of a kernel that runs at once and writes some of them in place: their
 * memory, and what becomes of it.  Knows no function.  Private to prims/api. */
#ifndef LUN_WRITTEN_ARRAYS_H
#define LUN_WRITTEN_ARRAYS_H

#include "api/array/api.h"
#include "store/fetch.h"

typedef struct lun_held {
    lun_array *array; /* borrowed */
    lun_node *node;   /* a LEAF that the kernel reads or writes; a reference, NULL: none yet */
    bool written;
    bool back;   /* node is a copy, which the array is to become */
    bool parted; /* its copies are about to differ */
} lun_held;

/* Whether an array is a copy on each place of the set in use, whole, and no window: then places
 * may write theirs apart. */
bool lun__held_apart(lun_engine *e, const lun_array *a);
/* Whether one that is written shares elements with another one; LUN_EARG says so.  names: by array,
 * NULL: they have none. */
lun_status lun__held_check(lun_engine *e, const lun_held *all, int count, const char *const *names);
/* h->node: of an array that is read its elements as they are; of one that is written its own
 * memory, which nothing else holds then, or a copy: of a window, and of all arrays if `aside`. */
lun_status lun__held_open(lun_engine *e, lun_held *h, bool aside);
/* Of one that is written, each copy at its place. */
lun_status lun__held_part(lun_engine *e, lun_held *h, const lun_writing *how);
/* The kernel is not to be: nothing has written h, whose copies do not differ but for it. */
void lun__held_join(lun_engine *e, lun_held *h);
/* The kernel has run: arrays become the copies that were written. */
lun_status lun__held_back(lun_engine *e, lun_held *all, int count);
void lun__held_end(lun_engine *e, lun_held *all, int count);

#endif
