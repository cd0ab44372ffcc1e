/* uses.h - questions about the facts and the IR. */
#ifndef LUN_RENDER_FACTS_USES_H
#define LUN_RENDER_FACTS_USES_H

#include "render/renderer.h"

/* The construct that contains instruction i and lies directly in block `outer`, -1: i itself
 * does. */
int32_t lun__uses_child(const lun_renderer *r, int32_t outer, int32_t i);
/* Calls visit for each value that instruction i reads. */
void lun__uses_inputs(lun_renderer *r, int32_t i,
                      void (*visit)(lun_renderer *r, int32_t i, int32_t v));
/* True for a division of integers whose divisor may be 0. */
bool lun__uses_traps(const lun_renderer *r, int32_t i);
/* True for a GET or SET of a TEMPORAL variable behind its LOOP, where it varies. */
bool lun__uses_behind(const lun_renderer *r, int32_t i);
/* True for a value that some section computes in lanes. */
bool lun__uses_in_lanes(const lun_renderer *r, int32_t i);
/* Number of statements that a section computes for every vector. */
int lun__uses_weight(const lun_renderer *r, unsigned need);
/* Number of those that are functions of math/sequences, which are texts of 20 to 60 statements. */
int lun__uses_sequences(const lun_renderer *r, unsigned need);
/* True if REDUCE or SCAN v combines in lanes, from an identity; its bits go to *identity. */
bool lun__uses_identity(const lun_renderer *r, int32_t v, uint64_t *identity);

#endif
