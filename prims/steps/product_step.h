/* product_step.h - the step of a plan that multiplies matrices.  Private to prims/. */
#ifndef LUN_PRODUCT_STEP_H
#define LUN_PRODUCT_STEP_H

#include "engine/state.h"
#include "graph/node.h"

/* A product that is about to be made, with its memory. */
typedef struct lun_multiplying {
    lun_engine *e;
    const lun_node *n;
    lun_backend_slot *at;
    lun_product p;
    lun_storage *number[2]; /* the one element of an operand that is a NUMBER */
    lun_storage *scratch, *to;
} lun_multiplying;

/* Loads the operands of n, a MATMUL, and takes scratch memory.  pitch: as that of the product; > 0:
 * for the backend in use, and without memory for the result where `to` is NULL, which stays the
 * caller's.  Also on failure it is to be closed. */
lun_status lun__product_step_open(lun_engine *e, const lun_node *n, int64_t pitch, lun_storage *to,
                                  lun_multiplying *out);
void lun__product_step_close(lun_multiplying *m);
/* Two parts of that: an operand, which is a NUMBER or all of whose array is loaded; memory beside
 * operands and result, for that product and `other`. */
lun_status lun__product_step_load(lun_multiplying *w, const lun_node *n, lun_matrix *m,
                                  lun_storage **number);
lun_status lun__product_step_scratch(lun_multiplying *w, const lun_product *other);
/* The same to make some rows at a time: all rows of the result have memory, those of the first
 * operand are given with each part. */
lun_status lun__product_step_open_parts(lun_engine *e, const lun_node *n, int64_t rows,
                                        lun_multiplying *out);
/* Rows first .. first + count - 1, at most as many as it was opened for, of the first operand's
 * rows at `a`, which stand side by side in its dtype. */
lun_status lun__product_step_part(lun_multiplying *m, int64_t first, int64_t count, const void *a);
/* n becomes a LEAF of all rows. */
void lun__product_step_take(lun_multiplying *m, lun_node *n);
/* Bytes of the operands of a MATMUL. */
int64_t lun__product_step_reads(const lun_node *n);
/* n, a MATMUL of operands that are LEAFs, NUMBERs or VIEWs of LEAFs, becomes a LEAF. */
lun_status lun__product_step_run(lun_engine *e, lun_node *n);

#endif
