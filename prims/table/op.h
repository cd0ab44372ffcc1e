/* op.h - ops.def and dtypes.def expanded: what the operations and element types are.
 *
 * Pure data and rules on types; knows no graph, no storage, no backend. */
#ifndef LUN_OP_H
#define LUN_OP_H

#include <stdbool.h>
#include <stdint.h>

#include "lunarray.h"
#include "table/dtype.h"

typedef enum lun_rule {
    LUN_RULE_ARITH,
    LUN_RULE_PICK,
    LUN_RULE_FLOAT,
    LUN_RULE_INT,
    LUN_RULE_CMP,
    LUN_RULE_LOGIC,
    LUN_RULE_TEST,
    LUN_RULE_SELECT
} lun_rule;

enum {
    LUN_OPF_COMM = 1,
    LUN_OPF_ASSOC = 2,
    LUN_OPF_TRAP0 = 4,
    LUN_OPF_VEC = 8,
    LUN_OPF_HEAVY = 16
};

typedef enum lun_identity {
    LUN_ID_NONE,
    LUN_ID_ZERO,
    LUN_ID_ONE,
    LUN_ID_HIGHEST, /* +inf, or the dtype's largest value */
    LUN_ID_LOWEST,  /* -inf, or the dtype's smallest value */
    LUN_ID_ONES     /* all bits */
} lun_identity;

/* What missing elements make of a result; ops.def says it. */
typedef enum lun__missing_rule {
    LUN__MISSING_AND,
    LUN__MISSING_NAN,
    LUN__MISSING_FALSE,
    LUN__MISSING_TRUE,
    LUN__MISSING_KLEENE,
    LUN__MISSING_MOVE
} lun__missing_rule;

typedef struct lun_op_row {
    const char *name, *symbol; /* symbol: "+", or "" */
    uint8_t arity, rule, flags, identity;
    uint8_t missing;           /* lun__missing_rule */
    const char *flt, *integer; /* C expressions over a b c, NULL if there is none */
    const char *doc;
} lun_op_row;

extern const lun_op_row lun__op_rows[LUN_OP_COUNT];

/* Row of an operation below LUN_OP_COUNT. */
static inline const lun_op_row *lun__op_get(lun_op op)
{
    return &lun__op_rows[op];
}

/* Rough cost on one element, in plain operations. */
static inline int lun__op_cost(lun_op op)
{
    uint8_t flags = lun__op_get(op)->flags;
    return flags & LUN_OPF_HEAVY ? 10 : flags & LUN_OPF_TRAP0 ? 8 : 1;
}

/* Dtype to which operands are converted (*from) and of the result (*out), for operand dtypes
 * t[arity]; weak[i] marks a Lua number (t[i] is then I64, F64 or BOOL), which adapts to the others.
 * *from is LUN_DTYPE_COUNT where u64 and signed integers have none: CMP and PICK then compare by
 * value, and numbers stay what they are.
 * LUN_EDTYPE if the operation does not exist for these. */
lun_status lun__op_types(lun_op op, const lun_dtype *t, const bool *weak, lun_dtype *from,
                         lun_dtype *out);

/* Comparison `op` of integers of dtype t with any number x, on their right or left, as a comparison
 * with a number of dtype t, *edge, which it returns: the same for each integer. */
lun_op lun__op_compared(lun_op op, lun_dtype t, lun_value x, bool left, lun_value *edge);

/* What comparison `op` says of two integers. */
bool lun__op_holds(lun_op op, int a, int b);

/* The neutral element of an operation in a dtype, as bits in the low bytes of the cell.
 * False if the row has none. */
bool lun__op_identity(lun_op op, lun_dtype t, uint64_t *bits);

#endif
