/* runtime_checks.h - what an expression demands of its operands while it runs.  Private to
 * prims/api. */
#ifndef LUN_RUNTIME_CHECKS_H
#define LUN_RUNTIME_CHECKS_H

#include "api/array/api.h"

/* n, of i64, where all elements of `holds`, a bool of n's shape, are true; else the evaluation
 * fails with LUN_EBOUNDS and note[0], in which %lld is the number of the first such element, from
 * 1.  note is kept: it is static. */
lun_status lun__demand(lun_engine *e, lun_node *n, lun_node *holds, const char *const *note,
                       lun_node **out);

#endif
