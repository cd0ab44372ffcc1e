/* private_memory.h - memory of each index itself (lun_ir_slot.own), for which an array of a
 * function can stand. */
#ifndef LUN_PRIVATE_MEMORY_H
#define LUN_PRIVATE_MEMORY_H

#include "ir/ir.h"

/* Sets own[slot] to whether an array can stand for it. */
void lun__own_find(const lun_ir *ir, uint8_t *own);
/* The number of an element within the part of its index, where instruction i gathers or puts it, of
 * a slot with `own`; -1: it is not to be seen. */
int32_t lun__own_within(const lun_ir *ir, int32_t i);

#endif
