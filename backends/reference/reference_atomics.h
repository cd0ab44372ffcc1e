/* reference_atomics.h - atomic operations of the interpreter on elements of memory. */
#ifndef LUN_REFERENCE_ATOMICS_H
#define LUN_REFERENCE_ATOMICS_H

#include "table/atomic.h"

/* Where the mask (NULL: everywhere) holds, for i < n in order: d[i] = element at[i] of the slot,
 * which becomes what it and a[i] come to; c: what is expected, or NULL. */
typedef void lun_loop_atomic(void *slot, void *d, const void *a, const int64_t *at, const void *c,
                             const uint8_t *mask, int64_t n);

/* NULL: elements of that dtype do not have it. */
lun_loop_atomic *lun__loop_atomic(lun_atomic which, lun_dtype t);

#endif
