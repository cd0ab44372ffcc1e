/* moves.h - what a plan will move between places, and who will run what, told before anything runs.
 * Private to prims/. */
#ifndef LUN_MOVES_H
#define LUN_MOVES_H

#include "schedule/steps.h"

/* In their order; kernel: the step. */
typedef struct lun_told {
    lun_plan_move *moves;
    lun_plan_place *places;
    int move_count, move_room, place_count, place_room;
} lun_told;

/* Copies that differ, of a storage, which are merged before the plan: by the steps that make node
 * where the places of the versions are in use; NULL: the first one is taken. */
typedef struct lun_told_merge {
    const lun_storage *storage;
    const lun_node *node;
    const lun_steps *steps;
} lun_told_merge;

/* What running the steps would do; text, unless it is NULL: the steps, as of placing/plan_text.h.
 * To be freed also on failure. */
lun_status lun__moves_tell(lun_engine *e, const lun_told_merge *merges, int count,
                           const lun_steps *s, lun_strbuf *text, lun_told *out);
void lun__moves_free(lun_told *t);

#endif
