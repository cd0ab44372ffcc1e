/* plan_text.h - a plan as text, which hangs on the form of its graph, dtypes, extents,
 * distributions and the set's kind of devices alone: no address, machine or, but in the first line,
 * number of locations is in it.  Private to prims/. */
#ifndef LUN_PLAN_TEXT_H
#define LUN_PLAN_TEXT_H

#include "placing/share.h"

/* While steps are predicted, in their order; nodes have numbers of values in `slot`, and `walk` as
 * mark. */
typedef struct lun_plan_writer {
    lun_engine *e;
    lun_strbuf *out;
    lun_teller *teller;
    lun_share *share; /* of the step */
    uint64_t walk;
    int values, steps;
} lun_plan_writer;

/* Step x: results are where they will be, operands distributed as before it. */
lun_status lun__plan_text_step(lun_plan_writer *p, lun_share *x);

#endif
