/* divergence.h - structure and divergence. */
#ifndef LUN_DIVERGENCE_H
#define LUN_DIVERGENCE_H

#include "render/renderer.h"

/* True for BREAK and CONTINUE. */
bool lun__flow_leaves(int kind);
/* Finds r->blocks, r->parent, r->origin but for VAR, LEFT and CONTINUED constructs, and whether the
 * kernel is masked. LUN_OK, LUN_ENOMEM, LUN_EARG for blocks that do not nest. */
lun_status lun__flow_structure(lun_renderer *r);
/* Finds r->origin of VAR, VARYING, TEMPORAL and HOISTED. Needs the structure. */
void lun__flow_divergence(lun_renderer *r);

#endif
