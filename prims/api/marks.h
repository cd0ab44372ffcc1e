/* marks.h - which elements a loop assigns at places that its rounds compute, noted while lun_each
 * stores them.  Private to prims/api. */
#ifndef LUN_API_MARKS_H
#define LUN_API_MARKS_H

#include "api/api.h"

typedef struct lun_marks {
    lun_array *const *arrays;
    int count;
    uint8_t *marked[LUN_MAX_OPERANDS]; /* by array: a byte for each element */
} lun_marks;

/* Notes in e->marks that elements of `to` were assigned: those at `places`, i64, row-major from 0;
 * negative ones are none. */
lun_status lun__marks_note(lun_engine *e, const lun_array *to, lun_array *places);

#endif
