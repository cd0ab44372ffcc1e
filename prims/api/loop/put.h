/* put.h - put where complex numbers are among its arrays.  Private to prims/. */
#ifndef LUN_PUT_H
#define LUN_PUT_H

#include "api/array/array.h"

/* Where elements go, as lun_put_from has it, how they are combined (LUN_OP_NONE: replaced), and
 * lun_put_from itself, which puts the parts. */
typedef struct lun__put_at {
    int axis, first;
    lun_op op;
    lun_status (*put)(lun_engine *e, lun_array *a, lun_array *i, lun_array *x, int axis, int first,
                      lun_op op);
} lun__put_at;
/* lun_put_from where a or x is complex. */
lun_status lun__put_complex(lun_engine *e, lun_array *a, lun_array *i, lun_array *x,
                            lun__put_at at);

#endif
