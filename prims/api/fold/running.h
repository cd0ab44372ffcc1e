/* running.h - scans and reductions of several arrays at once: their operands, and what the function
 * gives along lines.  Private to prims/. */
#ifndef LUN_API_RUNNING_H
#define LUN_API_RUNNING_H

#include "api/array/api.h"
#include "graph/function_ref.h"

typedef struct lun_several {
    lun_engine *e;
    lun_merger m;
    lun_node *id[LUN_MAX_VALUES], *x[LUN_MAX_VALUES]; /* ids: of one element; references */
    const lun_node *like;                             /* an operand of the shape of all */
} lun_several;

/* Arrays of one shape, numbers standing for such, and a first value for each.  To be ended also on
 * failure. */
lun_status lun__several_begin(lun_several *s, lun_function *f, lun_array *const *ids,
                              lun_array *const *arrays, int count, lun_extras extras);
void lun__several_end(lun_several *s);
/* What the function gives along lines of x, which have `line` elements, or which list[0] and
 * list[1], the number of each one's first element and of its elements, say (NULL: they do not),
 * from each line's values in `from` (NULL: none) on: of `shape`, a node for each value.  how:
 * lun_running. */
lun_status lun__several_run(lun_several *s, unsigned how, lun_node *const *list,
                            lun_node *const *from, lun_node *const *x, int64_t line, int rank,
                            const int64_t *shape, lun_node **out);

#endif
