/* atomic.h - atomics.def expanded.
 *
 * Pure data and rules on types; knows no graph, no backend. */
#ifndef LUN_ATOMIC_H
#define LUN_ATOMIC_H

#include "table/op.h"

typedef enum lun_atomic {
#define LUN_ATOMIC(ID, NAME, OP, EXPECTS) LUN_ATOMIC_##ID,
#include "table/atomics.def"
#undef LUN_ATOMIC
    LUN_ATOMIC_COUNT
} lun_atomic;

typedef struct lun_atomic_row {
    const char *name;
    int op; /* lun_op, or LUN_OP_COUNT */
    bool expects;
} lun_atomic_row;

extern const lun_atomic_row lun__atomic_rows[LUN_ATOMIC_COUNT];

static inline const lun_atomic_row *lun__atomic_get(lun_atomic a)
{
    return &lun__atomic_rows[a];
}

/* Whether elements of that dtype have it: all numbers, integers for bitwise ones. */
bool lun__atomic_takes(lun_atomic a, lun_dtype t);

#endif
