/* wanted.h - what a loop's function reads at computed indices, as its body tells.  Private to
 * prims/api. */
#ifndef LUN_API_WANTED_H
#define LUN_API_WANTED_H

#include "api/loop/boxed.h"
#include "ir/inspector.h"

/* What is looked for in the body: by its array slots. */
typedef struct lun_search {
    lun_ir_sought of[LUN_FRONT_ARRAYS];
    lun_ir body;
    int32_t count;
} lun_search;

/* blocks: by stand-in, or NULL. A stand-in that has a Vector among the parts is at hand, the others
 * are not.  out->body: to be freed in every case. */
lun_status lun__wanted_search(lun_engine *e, const lun_boxed *b, const lun_part *parts, int count,
                              const lun_blocks *const *blocks, lun_search *out);
/* What the gathers from array slot k of the body reach, in their order, if that is known
 * (LUN_COMPUTED_BOX), in list, with room for LUN_MAX_REACHES; *length 0: it is not. */
lun_status lun__reach_of_slot(lun_engine *e, const lun_boxed *b, int k, lun_reach *list,
                              int *length);
/* Whether a body has such an instruction. */
bool lun__wanted_is_read(const lun_ir *body, lun_ir_kind kind, int number);

#endif
