/* segments.h - a kernel of teams cut into what runs once for a team and what runs in loops over its
 * threads, so that one after the other they do what the threads do together.
 *
 * Blocks in which there are barriers run once for the team.  What stands in them between two
 * barriers is a segment: a loop over the threads.  Values of the whole team are computed once,
 * before the segment in which they stand. */
#ifndef LUN_IR_SEGMENTS_H
#define LUN_IR_SEGMENTS_H

#include "ir/uniform.h"

/* By instruction, unless it says otherwise; -1: none. */
typedef struct lun_ir_segments {
    lun_ir_structure blocks;
    lun_ir_agreement agreement;
    uint8_t *split;   /* block: it runs once for the team, and with it what jumps to its end */
    int32_t *segment; /* in which one it runs; -1: once for the team */
    int32_t *spill;   /* value or VAR: its number among those of its dtype that segments leave for
                         one another, an element for each thread */
    int32_t *gone;    /* split block: the same of a bool, of threads that have left it alone */
    uint8_t *again;   /* value of a segment: others compute it, too, where they need it */
    int32_t *end;     /* by segment: the instruction before which it ends */
    int count;
    int spilled[LUN_DTYPE_COUNT]; /* by dtype */
} lun_ir_segments;

/* Fills *out, to be freed after LUN_OK, for a verified kernel of teams.  LUN_ENOMEM. */
lun_status lun__ir_segments_find(const lun_ir *ir, lun_ir_segments *out);
void lun__ir_segments_free(lun_ir_segments *s);

/* Whether i stands directly in what runs once for a team. */
static inline bool lun__ir_segments_is_outer(const lun_ir_segments *s, int32_t i)
{
    return s->blocks.parent[i] < 0 || s->split[s->blocks.parent[i]];
}

#endif
