/* affine.h - which values of a body are sums of its first arguments times numbers, and a number. */
#ifndef LUN_IR_AFFINE_H
#define LUN_IR_AFFINE_H

#include "ir/ir.h"

/* factor[p] times argument p, for each of so many, plus shift. */
typedef struct lun_ir_affine {
    bool known; /* the value is that */
    int64_t factor[LUN_MAX_RANK], shift;
} lun_ir_affine;

/* The arguments of a body: the first `variables` vary; of the others those that are known have
 * these values, by number of the argument. */
typedef struct lun_ir_given {
    int variables;
    const bool *known;
    const int64_t *value;
} lun_ir_given;

/* What each value of the body is; of[], by instruction, has room for all. */
void lun__ir_affine(const lun_ir *body, const lun_ir_given *given, lun_ir_affine *of);

#endif
