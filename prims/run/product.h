/* product.h - the step of a plan that multiplies matrices.  Private to prims/. */
#ifndef LUN_RUN_PRODUCT_H
#define LUN_RUN_PRODUCT_H

#include "engine/state.h"
#include "graph/node.h"

/* The product that n, a MATMUL, is, without its operands' memory. */
lun_product lun__product_of(const lun_node *n);
/* Whether the backend in use, which is open, has another one do it, on host memory. */
bool lun__product_elsewhere(const lun_engine *e, const lun_product *p);
/* n, a MATMUL of operands that are LEAFs, NUMBERs or VIEWs of LEAFs, becomes a LEAF. */
lun_status lun__run_product(lun_engine *e, lun_node *n);

#endif
