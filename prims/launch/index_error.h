/* index_error.h - which index of a take is out of range.  Private to prims/. */
#ifndef LUN_INDEX_ERROR_H
#define LUN_INDEX_ERROR_H

#include "plan/plan.h"

/* As lun__run_range, which it is. */
typedef lun_status lun_run_range(lun_engine *e, lun_node *root, int64_t first, int64_t count,
                                 void *host, bool *done);
/* After an evaluation of the roots that has failed with LUN_EBOUNDS: where a kernel has found an
 * index of a take (graph/take_nodes.h) out of range, the failure's text names the first such
  * index. */
void lun__tell_index(lun_engine *e, lun_node *const *roots, int count, lun_run_range *run);

#endif
