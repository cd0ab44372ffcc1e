/* elements.h - elements of arrays in their memory: read, unshared, written.  Private to
 * prims/api. */
#ifndef LUN_ELEMENTS_H
#define LUN_ELEMENTS_H

#include "api/array/axes.h"

/* ---- reading (read_elements.c) --------------------------------------------------------------- */

/* LUN_ERANGE unless a has elements first .. first + count - 1, row-major, from 0. */
lun_status lun__read_check(lun_engine *e, const lun_array *a, int64_t first, int64_t count);
/* Elements first .. first + count - 1 of n, a LEAF or NUMBER, to host. */
lun_status lun__read_copy_out(lun_engine *e, const lun_node *n, int64_t first, int64_t count,
                              void *host);
/* Evaluates a, which is not row-major, in its own order, so that the result is kept. */
lun_status lun__read_settle(lun_engine *e, lun_array *a);
/* n's elements in storage with one reference, the caller's; a virtual n stays so if it can. */
lun_status lun__read_private_copy(lun_engine *e, lun_node *n, lun_storage **out);

/* ---- memory of one holder (copy_on_write.c) -------------------------------------------------- */

/* Makes top's node a LEAF that only top holds.  Other holders keep the old elements: in place,
 * since they may be mapped; in a copy if top wraps that memory, which stays top's. */
lun_status lun__copy_on_write(lun_engine *e, lun_array *top);

/* ---- writing (write.c) ----------------------------------------------------------------------- */

/* The target of a write: the elements at `at` from `data` on. */
typedef struct lun_target {
    char *data;
    lun_layout at;
    int size; /* bytes of an element */
    bool dense;
} lun_target;

/* LUN_EARG for a number, a read-only view and a window whose indices share elements. */
lun_status lun__write_check(lun_engine *e, const lun_array *a);
/* Makes a's elements those of a LEAF that only its top holds. */
lun_status lun__write_hold(lun_engine *e, lun_array *a);
/* a's elements, unshared. */
lun_status lun__write_target_of(lun_engine *e, lun_array *a, lun_target *to);
/* The same by the device in use, where a's elements are current on it only; x: their order, or
 * NULL; n: a NUMBER for each, or a LEAF or VIEW of one of as many. *done: nothing remains to be
 * written. */
lun_status lun__write_on_device(lun_engine *e, lun_array *a, const lun_axes *x, const lun_node *n,
                                bool *done);
/* The same at the locations of the set in use, where elements of a, which is held, or of n are
 * current only there: each location writes its shard (write_dist.c). */
lun_status lun__write_dist(lun_engine *e, lun_array *a, const lun_axes *x, const lun_node *n,
                           bool *done);
/* The same elements with their axes in that order. */
void lun__write_target_reorder(lun_target *to, const lun_axes *x);
/* Elements first .. first + count - 1 from host. */
void lun__write_target_put(lun_engine *e, const lun_target *to, int64_t first, int64_t count,
                           const void *host);
/* All elements become the cell, of dtype t. */
void lun__write_target_fill(lun_engine *e, const lun_target *to, lun_dtype t, uint64_t cell);

/* ---- storing (store.c) ----------------------------------------------------------------------- */

/* source's slots, converted to target's dtype only where elements are missing or of a logical
 * dtype, and its validity or NULL, as they go into target. */
lun_status lun__store_parts(lun_engine *e, lun_array *target, lun_array *source,
                            lun_array *from[2]);

#endif
