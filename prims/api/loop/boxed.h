/* boxed.h - a loop whose function captures stand-ins for arrays of which this process has only
 * parts: its kernel, compiled for the stand-ins and run on the parts.  Private to prims/api. */
#ifndef LUN_API_BOXED_H
#define LUN_API_BOXED_H

#include "api/loop/generate.h"
#include "lunarray_bind.h"

typedef struct lun_boxed {
    const lun_part_loop *loop; /* &own */
    lun_part_loop own;
    lun_box box, whole; /* rounds that are run; all of the loop's */
    lun_array *index[LUN_MAX_RANK];
    lun_front_result r;
    lun_front_window windows[LUN_FRONT_WINDOWS];
} lun_boxed;

/* Compiles f as for all rounds of the loop, so that each part of them has the same kernel.  To be
 * closed where that was LUN_OK, which leaves r as it is until f is compiled again. */
lun_status lun__boxed_open(lun_engine *e, lun_function *f, const lun_part_loop *loop,
                           lun_boxed *out);
void lun__boxed_close(lun_boxed *b);

/* The number of a stand-in; -1: the array is none. */
int lun__boxed_number(const lun_part_loop *loop, const lun_array *a);
/* The part of array number k that has what is read at computed indices; NULL: none. */
const lun_part *lun__boxed_computed(const lun_part *parts, int count, int k);
/* Makes b->r read at the loop's indices from boxes among the parts. LUN_EARG: a box is missing. */
lun_status lun__boxed_windows(lun_engine *e, lun_boxed *b, const lun_part *parts, int count);
/* The elements of window k, for each round that is run. */
lun_status lun__boxed_window(lun_engine *e, const lun_boxed *b, int k, lun_node **out);

#endif
