/* remap_gathers.h - bodies of functions whose gathers find the elements of an array among those of
 * it that are at hand. */
#ifndef LUN_REMAP_GATHERS_H
#define LUN_REMAP_GATHERS_H

#include "ir/ir.h"

typedef enum lun_ir_having {
    LUN_HAS_ALL,   /* the slot is the whole array */
    LUN_HAS_RANGE, /* elements from one on: its index is an argument, an i64 */
    LUN_HAS_BOX,   /* elements whose numbers are sums of the body's first arguments times numbers,
                      plus a number: these are arguments, i64s */
    LUN_HAS_BITMAP /* those that bits mark, in the order of their indices: a further slot has, of 32
                      indices each, a u64: in its low half their bits, in its high half how many are
                      marked before */
} lun_ir_having;

/* Of an array slot of a body. */
typedef struct lun_ir_fetched {
    lun_ir_having how;
    int params, param[LUN_MAX_RANK]; /* of a box: the arguments that are summed */
    int gathers;                     /* of a box: out: how many gathers from it there are */
    int added; /* out: of the new body the number of the further slot, or of the first argument that
                  is added; of a box one for each param, then one for each gather in their order */
} lun_ir_fetched;

/* *to, to be freed in every case: `from`, whose gathers from slot k find elements as of[k] says;
 * of[k].added and gathers are set.  map[i]: what has become of value i.  LUN_ENOMEM. */
lun_status lun__remap_fetch(const lun_ir *from, lun_ir_fetched *of, lun_ir *to, int32_t *map);

/* ---- for bodies that are made of others ------------------------------------------------------ */

/* Each appends an instruction and gives its number; -1 without memory, or if an operand is -1 for
 * that reason. */
int32_t lun__remap_constant(lun_ir *ir, lun_dtype t, uint64_t bits);
int32_t lun__remap_argument(lun_ir *ir, int arg);
/* An operation on values of dtype t; b: -1 if it has one operand. */
int32_t lun__remap_apply(lun_ir *ir, lun_op op, lun_dtype t, int32_t a, int32_t b);
int32_t lun__remap_convert(lun_ir *ir, lun_dtype to, lun_dtype from, int32_t a);
/* ins with its operands replaced by what has become of them. */
int32_t lun__remap_moved(const lun_ir *from, const lun_ir_ins *ins, const int32_t *map, lun_ir *to);

#endif
