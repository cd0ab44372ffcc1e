/* combiner.h - combiners of reductions and scans. */
#ifndef LUN_COMBINER_H
#define LUN_COMBINER_H

#include "render/renderer.h"

/* Name of a function (a, b, frame) that combines two single elements for REDUCE or SCAN instruction
 * v. */
lun_snippet lun__combine_function(lun_renderer *r, int32_t v);

/* Name of a function (x, a) on single elements: whether x, which comes later, is better than a for
 * REDUCE v with `with_index`. */
lun_snippet lun__combine_better(lun_renderer *r, int32_t v);
/* Appends statements, each behind `indent`: cells to[0], to[1], the element and its index, become
 * the better of those at a and b, of earlier and later chunks. */
void lun__combine_indices(lun_renderer *r, int32_t v, const char *indent, const char *to,
                          const char *a, const char *b, lun_strbuf *out);

#endif
