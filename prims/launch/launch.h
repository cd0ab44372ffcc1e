/* launch.h - one launch of a lowered group: its results' memory, the launch, the results' way to
 * their nodes.  Private to prims/. */
#ifndef LUN_LAUNCH_H
#define LUN_LAUNCH_H

#include "launch/kernels.h"
#include "placing/share.h"

/* Whether some of elements first .. first + count - 1 of needed, a LEAF or NUMBER, are true. */
lun_status lun__launch_needed(lun_engine *e, const lun_node *needed, int64_t first, int64_t count,
                              bool *out);
/* Allocates, launches over n > 0 indices and gives the results to the sinks of a lowered group. */
lun_status lun__launch_lowered(lun_engine *e, const lun_lowered *l, lun_kernel_entry *k, int64_t n);
/* The same of a step that the locations of the set in use share. */
lun_status lun__launch_shared(const lun_share *x);
/* Computes elements first .. first + count - 1 of the only result, of n, into host; the
 * node stays as it is. */
lun_status lun__launch_part(lun_engine *e, const lun_lowered *l, lun_kernel_entry *k, int64_t n,
                            int64_t first, int64_t count, void *host);
/* Runs an elementwise kernel on the host over n > 0 indices: what slot k writes goes to
 * targets[k], of memory that nothing else of the launch reads.  The nodes stay as they are. */
lun_status lun__launch_into(lun_engine *e, const lun_lowered *l, lun_kernel_entry *k, int64_t n,
                            const lun_storage_view *const *targets);
/* Whether s, of an evaluation that ended, says that memory was not enough, as far as it can be had
 * without a look for garbage (lun_thrifty). */
bool lun__launch_short_of_memory(lun_engine *e, lun_status s);

#endif
