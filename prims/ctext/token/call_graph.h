/* call_graph.h - which functions of a C text call which. */
#ifndef LUN_CALL_GRAPH_H
#define LUN_CALL_GRAPH_H

#include "ctext/token/names.h"

/* LUN_EARG with what and where in error if a function calls itself, also through others: OpenCL has
 * no recursion, and a driver may end the process over it.  own: see scopes.h.  LUN_ENOMEM. */
lun_status lun__ccalls_check(const lun_csource *s, const lun_cunits *units, const lun_cnames *names,
                             const bool *own, lun_strbuf *error);

#endif
