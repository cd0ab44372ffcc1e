/* chunk.h - the functions that run chunks. */
#ifndef LUN_RENDER_CHUNK_CHUNK_H
#define LUN_RENDER_CHUNK_CHUNK_H

#include "render/chunk/loop.h"
#include "render/renderer.h"

/* Appends to out what follows the head of the unit, and to `functions` the functions that run
 * chunks and the exports. */
void lun__chunk_functions(lun_renderer *r, lun_strbuf *out, lun_strbuf *functions);

/* ---- chunk_element.c ------------------------------------------------------------------------- */
/* A chunk element by element. */

/* lun__chunk_functions in plain loops, after lun__facts_element, for a kernel without reductions
 * and scan. */
void lun__chunk_elements(lun_renderer *r, lun_strbuf *out, lun_strbuf *functions);

/* ---- scan.c ---------------------------------------------------------------------------------- */
/* Scans over a chunk. */

/* For the SCAN: declarations before the loop; the sink of its operand; a block of operands becomes
 * the running combinations. */
void lun__scan_before(lun_renderer *r, lun_strbuf *out);
void lun__scan_sink(lun_renderer *r, lun_loop *l);
void lun__scan_step(lun_renderer *r, lun_strbuf *out);
/* The function `total`: the combination of all operands of a chunk. */
void lun__scan_total(lun_renderer *r, lun_strbuf *out);

/* ---- extreme_index.c ------------------------------------------------------------------------- */
/* Reductions that give the index of the least or largest element. */

/* For REDUCE v with `with_index`, whose lanes are a<v> and beside each its index q<v>, the number
 * of a block of 64: */

/* Vectors of indices; to be called with v's lanes. */
lun_rep lun__extreme_index_rep(const lun_renderer *r, int32_t v);
/* The function (&a, &p, x, left, block): combines x, of a block, with the lanes a and p.  left:
 * indices from the first lane on; lanes beyond take no part. */
lun_snippet lun__extreme_index_lanes(lun_renderer *r, int32_t v);
/* The function (a, p, &value): the index in the chunk, and the element. */
lun_snippet lun__extreme_index_end(lun_renderer *r, int32_t v);

/* ---- pair_tree.c ----------------------------------------------------------------------------- */
/* Reductions by the tree of adjacent pairs. */

/* For REDUCE or SCAN v: declares the tree and e<v>, the elements of a block; adds the first `left`
 * of e<v> as a block; the root as an expression. */
void lun__pair_tree_start(lun_renderer *r, int32_t v, lun_strbuf *out);
void lun__pair_tree_add(lun_renderer *r, int32_t v, lun_strbuf *out);
lun_snippet lun__pair_tree_end(lun_renderer *r, int32_t v);

#endif
