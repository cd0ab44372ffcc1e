/* passes.h - the analyses that facts.c runs, in their order: each fills flags of lun_renderer that
 * the next ones read. */
#ifndef LUN_PASSES_H
#define LUN_PASSES_H

#include "ir/structure.h"
#include "render/renderer.h"

/* ---- divergence.c ---------------------------------------------------------------------------- */
/* Structure and divergence. */

/* True for BREAK and CONTINUE. */
bool lun__divergence_leaves(int kind);
/* Finds r->blocks, r->parent, r->origin but for VAR, LEFT and CONTINUED constructs, and whether the
 * kernel is masked. LUN_OK, LUN_ENOMEM, LUN_EARG for blocks that do not nest. */
lun_status lun__divergence_structure(lun_renderer *r);
/* Finds r->origin of VAR, VARYING, TEMPORAL and HOISTED. Needs the structure. */
void lun__divergence_find(lun_renderer *r);

/* ---- affine_values.c ------------------------------------------------------------------------- */
/* Affine values: the index plus a uniform value. */

/* Marks AFFINE and LINEAR values. Needs VARYING and the sections of every instruction. */
void lun__affine_find(lun_renderer *r);
/* True for a CHECK that the affine value it reports lies between two uniform ones. */
bool lun__affine_range(const lun_renderer *r, int32_t check, int32_t *value, int32_t *low,
                       int32_t *high);

/* ---- exits.c --------------------------------------------------------------------------------- */
/* Loops with a divergent exit that are strip-mined, and their induction variables. */

/* Marks STRIPPED loops and INDUCTION variables. Needs all facts but lanes. */
void lun__exits_find(lun_renderer *r);
/* Bytes of the widest value in lanes inside loops if wider ones outside may take two vectors; else
 * 0. */
int lun__exits_widest(const lun_renderer *r);
/* Iterations of a strip of a STRIPPED loop. */
int lun__exits_strip(const lun_renderer *r, int32_t loop);
/* The value that each iteration adds to a TEMPORAL variable (down: subtracts); -1: none. */
int32_t lun__exits_step(const lun_renderer *r, int32_t var, bool *down);

/* ---- lanes.c --------------------------------------------------------------------------------- */
/* How many lanes vectors have, and how wide masks are. */

/* Finds the number of lanes, the widths of masks, WIDE and NARROW reductions. Needs all other
 * facts. */
void lun__lanes_find(lun_renderer *r);

/* ---- packable_loops.c ------------------------------------------------------------------------ */
/* Loops whose rounds are lanes of vectors, in kernels that run element by
 * element. */

/* Finds them: LOOPs become PACKED, what differs between their rounds AFFINE (the number of an
 * element, by one more in each round) or VARYING (a float).  Sets the number of lanes. */
void lun__packable_loop_find(lun_renderer *r);
/* From now on the rounds of the LOOP are not packed. */
void lun__packable_loop_forget(lun_renderer *r, int32_t loop);

/* ---- trip_count.c ---------------------------------------------------------------------------- */
/* How many rounds a loop has, where constants say so. */

/* True if a LOOP is known to end soon, with those around it that are: it need not ask whether it
 * shall stop. */
bool lun__trip_count_few(const lun_ir *ir, const lun_ir_structure *blocks, int32_t loop);

/* ---- walks.c --------------------------------------------------------------------------------- */
/* Loops that walk along arrays, each index for another time. */

/* True if single elements are faster than lanes: in a divergent LOOP a counter steps by one from
 * iteration to iteration and an array is indexed by it, as in the rows of a sparse matrix. In lanes
 * all wait for the longest row, and neighbours in an array are never in one vector.  After
 * lun__facts_find; false for a kernel with reductions, a scan, calls or random numbers. */
bool lun__walks_along(const lun_renderer *r);

#endif
