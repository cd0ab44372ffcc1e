/* fission.h - a kernel of teams as one without: an index for each thread or, at barriers
 * at barriers, for each team. */
#ifndef LUN_IR_FISSION_H
#define LUN_IR_FISSION_H

#include "ir/ir.h"

/* Memory that the kernel needs beside that of the teams': its last slots, by their numbers. */
typedef struct lun_fission {
    lun_ir ir;
    bool together;  /* an index is a team, not a thread */
    int32_t *from;  /* by instruction: the one that it was, -1: none */
    int crew;       /* parted: the argument, the number of the first thread to be run; the next one
                       is that of the last */
    int first;      /* the first of those slots */
    int64_t *count; /* by slot from that one on: elements for each team */
} lun_fission;

/* Fills *out, to be freed in every case, for a verified kernel of teams.  base: the number of its
 * argument, an i64, that is the first team for which those slots have elements; moved: index 0 is
 * of that team; parted: several run a kernel with barriers, some of a team's threads each.
 * LUN_ENOMEM. */
lun_status lun__ir_fission(const lun_ir *ir, int base, bool moved, bool parted, lun_fission *out);
void lun__ir_fission_free(lun_fission *f);

#endif
