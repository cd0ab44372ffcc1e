/* tree.h - reductions by the tree of adjacent pairs. */
#ifndef LUN_RENDER_CHUNK_TREE_H
#define LUN_RENDER_CHUNK_TREE_H

#include "render/renderer.h"

void lun__tree_start(lun_crender *r, int32_t v, lun_strbuf *out);
void lun__tree_add(lun_crender *r, int32_t v, lun_strbuf *out);
lun_cname lun__tree_end(lun_crender *r, int32_t v);

#endif
