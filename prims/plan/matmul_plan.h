/* matmul_plan.h - the matrix product that a MATMUL is, and who does it.  Private to prims/. */
#ifndef LUN_MATMUL_PLAN_H
#define LUN_MATMUL_PLAN_H

#include "engine/state.h"
#include "graph/node.h"

/* The product that n, a MATMUL, is, without its operands' memory. */
lun_product lun__matmul_plan_of(const lun_node *n);
/* Whether the matrices of both operands stand evenly, so that some of them are a product, too. */
bool lun__matmul_plan_is_list(const lun_product *p);
/* Matrices first .. first + count - 1 of p, which is such. */
void lun__matmul_plan_cut(lun_product *p, int64_t first, int64_t count);
/* Whether the backend in use, which is open, has another one do it, on host memory. */
bool lun__matmul_plan_elsewhere(const lun_engine *e, const lun_product *p);
/* The library that does n, a MATMUL, instead, as lun_override says; NULL: none does. */
const lun_backend_slot *lun__matmul_plan_instead(lun_engine *e, const lun_node *n);

#endif
