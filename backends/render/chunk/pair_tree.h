/* pair_tree.h - reductions by the tree of adjacent pairs. */
#ifndef LUN_PAIR_TREE_H
#define LUN_PAIR_TREE_H

#include "render/renderer.h"

/* For REDUCE or SCAN v: declares the tree and e<v>, the elements of a block; adds the first `left`
 * of e<v> as a block; the root as an expression. */
void lun__tree_start(lun_renderer *r, int32_t v, lun_strbuf *out);
void lun__tree_add(lun_renderer *r, int32_t v, lun_strbuf *out);
lun_snippet lun__tree_end(lun_renderer *r, int32_t v);

#endif
