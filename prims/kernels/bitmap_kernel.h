/* bitmap_kernel.h - the kernel of a body that marks elements, called for each round of a loop.
 * Private to prims/. */
#ifndef LUN_BITMAP_KERNEL_H
#define LUN_BITMAP_KERNEL_H

#include "kernels/inplace_kernel.h"

/* What a loop's rounds, of which the first axis is the slowest, give to a body: indices along each
 * axis, then `taken`, numbers and elements, as its further scalars; nodes by array slot, LEAFs,
 * NULL: the body has no use for it. */
typedef struct lun_marking {
    const lun_ir *body;
    int32_t value; /* of the body: what it gives for each round, an i64 */
    int rank;
    const int64_t *first, *extent;
    const lun_taken *taken;
    lun_node *const *arrays;
    const char *const *notes; /* texts of what may fail */
    int note_count;
    lun_node *like; /* an array of one i64 for each round */
} lun_marking;

/* Its kernel, whose last slot, OUT, is what the body gives. */
lun_status lun__bitmap_kernel_lower(lun_engine *e, const lun_marking *m, lun_lowered *out);

#endif
