/* call.h - what applying a function (call.c) and combining by one (combine.c) share. */
#ifndef LUN_CALL_H
#define LUN_CALL_H

#include "api/api.h"
#include "graph/function.h"

/* A new function: an operation, a C text (taken), or a front end's (front; else NULL). */
lun_status lun__function_make(lun_engine *e, lun_op op, lun_ir_function *text,
                              const lun_front *front, lun_function **out);

/* The IR of the front end's function f for `count` operands, of which the first are elements, and
 * what it captures. */
lun_status lun__specialise(lun_engine *e, lun_function *f, lun_array *const *operands, int count,
                           int elements, lun_front_result *r);

#endif
