/* merge_versions.h - operands whose copies differ.  Private to prims/. */
#ifndef LUN_MERGE_VERSIONS_H
#define LUN_MERGE_VERSIONS_H

#include "engine/state.h"

/* The storages below the roots whose copies differ, in the order in which they are met: *out, to be
 * freed in every case. */
lun_status lun__diverged_operands(lun_engine *e, lun_node *const *roots, int count,
                                  lun_storage ***out, int *found);
/* Merges these, before anything of a plan for the roots runs. */
lun_status lun__merge_operands(lun_engine *e, lun_node *const *roots, int count);

#endif
