/* uniform.h - what the threads of a team have in common: which values are the same for all of them,
 * and which instructions they come to together. */
#ifndef LUN_UNIFORM_H
#define LUN_UNIFORM_H

#include "ir/structure.h"

/* By instruction; a VAR varies if what it holds does. */
typedef struct lun_ir_agreement {
    uint8_t *varies; /* threads of one team may have different values */
    uint8_t *loose;  /* some threads may come here while others do not, or another time */
} lun_ir_agreement;

/* Fills *out, to be freed after LUN_OK.  LUN_ENOMEM. */
lun_status lun__ir_uniform_find(const lun_ir *ir, const lun_ir_structure *s, lun_ir_agreement *out);
void lun__ir_uniform_free(lun_ir_agreement *a);

/* The first BARRIER that is loose, -1: none. */
int32_t lun__ir_uniform_loose(const lun_ir *ir, const lun_ir_agreement *a);

#endif
