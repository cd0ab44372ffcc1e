/* inplace_kernel.h - the kernel of a C text that is called for each index and writes arrays in
 * place. Private to prims/. */
#ifndef LUN_INPLACE_KERNEL_H
#define LUN_INPLACE_KERNEL_H

#include "plan/plan.h"

/* What a parameter of the text takes: the index in the launch; or a number, its cell of the
 * parameter's dtype; or of an array, a LEAF, the element at the index, or all of it. */
typedef enum lun_taking {
    LUN_TAKES_INDEX,
    LUN_TAKES_NUMBER,
    LUN_TAKES_ELEMENT,
    LUN_TAKES_ARRAY
} lun_taking;
typedef struct lun_taken {
    lun_taking how;
    lun_node *node;
    uint64_t cell;
} lun_taken;

/* The kernel that calls f with these, one for each of its parameters.  like: an array that has one
 * element for each index, NULL: f gives nothing; else the last slot, OUT, is what it gives. */
lun_status lun__inplace_kernel_lower(lun_engine *e, const lun_ir_function *f,
                                     const lun_taken *taken, lun_node *like, lun_lowered *out);

#endif
