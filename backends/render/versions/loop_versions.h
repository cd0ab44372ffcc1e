/* loop_versions.h - kernels that put elements, in versions: without the checks of indices that one
 * test before their loops decides, and with them. */
#ifndef LUN_LOOP_VERSIONS_H
#define LUN_LOOP_VERSIONS_H

#include "ir/ir.h"

enum { LUN_VERSIONS_DECIDED = 8 };

typedef struct lun_versions {
    lun_ir ir; /* does what the kernel does; not verified: a counter has a VAR in each version */
    int32_t *from; /* by instruction: the kernel's for which it stands, -1: none */
    /* TARGET slots from here on are private arrays, with slot.own elements, zero at
     * first; 0: there are none */
    int locals;
    /* value `holds` of `whole` says whether the conditions of these IFs hold for all indices from
     * INDEX with imm 0 to INDEX with imm 1.  No instructions: that is not to be known */
    lun_ir whole;
    int32_t holds, decided[LUN_VERSIONS_DECIDED];
    int decided_count;
} lun_versions;

/* Fills *out, to be freed in every case, for a kernel without REDUCE, SCAN and CALL.  out->ir has
 * no instructions where there is nothing to gain.  LUN_ENOMEM. */
lun_status lun__loop_versions_make(const lun_ir *ir, lun_versions *out);
void lun__loop_versions_free(lun_versions *v);

/* ---- private_memory.c ------------------------------------------------------------------------ */
/* Private memory (lun_ir_slot.own), which an array of a function
 * can replace. */

/* Sets own[slot] to whether an array can replace it. */
void lun__private_memory_find(const lun_ir *ir, uint8_t *own);
/* The number of an element within the part of its index, where instruction i gathers or puts it, of
 * a slot with `own`; -1: it is not to be seen. */
int32_t lun__private_memory_within(const lun_ir *ir, int32_t i);

#endif
