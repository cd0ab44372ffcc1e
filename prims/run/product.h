/* product.h - the step of a plan that multiplies matrices.  Private to prims/. */
#ifndef LUN_RUN_PRODUCT_H
#define LUN_RUN_PRODUCT_H

#include "engine/state.h"
#include "graph/node.h"

/* The product that n, a MATMUL, is, without its operands' memory. */
lun_product lun__product_of(const lun_node *n);
/* Whether the backend in use, which is open, has another one do it, on host memory. */
bool lun__product_elsewhere(const lun_engine *e, const lun_product *p);
/* A product that is about to be made, with its memory. */
typedef struct lun_multiplying {
    lun_engine *e;
    lun_backend_slot *at;
    lun_product p;
    lun_storage *number[2]; /* the one element of an operand that is a NUMBER */
    lun_storage *scratch, *to;
} lun_multiplying;

/* Loads the operands of n, a MATMUL, and takes scratch memory.  pitch: as that of the product; > 0:
 * for the backend in use, and without memory for the result where `to` is NULL, which stays the
 * caller's.  Also on failure it is to be closed. */
lun_status lun__product_open(lun_engine *e, const lun_node *n, int64_t pitch, lun_storage *to,
                             lun_multiplying *out);
void lun__product_close(lun_multiplying *m);
/* Bytes of the operands of a MATMUL. */
int64_t lun__product_reads(const lun_node *n);
/* n, a MATMUL of operands that are LEAFs, NUMBERs or VIEWs of LEAFs, becomes a LEAF. */
lun_status lun__run_product(lun_engine *e, lun_node *n);

#endif
