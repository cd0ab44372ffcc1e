/* uses.h - questions about the facts. */
#ifndef LUN_RENDER_FACTS_USES_H
#define LUN_RENDER_FACTS_USES_H

#include "render/renderer.h"

/* The construct around instruction i that stands directly in block `outer`, -1: i does itself. */
int32_t lun__uses_child(const lun_crender *r, int32_t outer, int32_t i);
/* Calls visit for each value that the instruction reads. */
void lun__uses_inputs(lun_crender *r, int32_t i,
                      void (*visit)(lun_crender *r, int32_t i, int32_t v));
/* True for an instruction that fails where its second operand is 0. */
bool lun__uses_traps(const lun_crender *r, int32_t i);
/* True for a GET or SET that sees a variable behind the LOOP that splits it. */
bool lun__uses_behind(const lun_crender *r, int32_t i);
/* True for a value that some section wants in lanes. */
bool lun__uses_in_lanes(const lun_crender *r, int32_t i);
/* Number of statements that the section evaluates for every vector. */
int lun__uses_weight(const lun_crender *r, unsigned need);
/* True if v is combined in lanes, starting from an identity. */
bool lun__uses_identity(const lun_crender *r, int32_t v, uint64_t *identity);

#endif
