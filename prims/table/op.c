/* op.c - ops.def expanded: rows, type rules, identities, and the tables of the public interface. */
#include "table/op.h"
#include "base/sized.h"
#include "lunarray_bind.h"

#include <math.h>
#include <string.h>

enum {
    COMM = LUN_OPF_COMM,
    ASSOC = LUN_OPF_ASSOC,
    TRAP0 = LUN_OPF_TRAP0,
    VEC = LUN_OPF_VEC,
    HEAVY = LUN_OPF_HEAVY
};

/* A column that says NONE becomes the string "NONE"; lun__op_get's rows hold NULL instead. */
#define TEXT(...) (#__VA_ARGS__[0] == 'N' && sizeof #__VA_ARGS__ == 5 ? NULL : #__VA_ARGS__)

const lun_op_row lun__op_rows[LUN_OP_COUNT] = {
#define LUN_OP(ID, name, symbol, arity, rule, flt, integer, flags, identity, missing, doc) \
    {#name,                                                                                \
     symbol,                                                                               \
     arity,                                                                                \
     LUN_RULE_##rule,                                                                      \
     flags,                                                                                \
     LUN_ID_##identity,                                                                    \
     LUN__MISSING_##missing,                                                               \
     TEXT(flt),                                                                            \
     TEXT(integer),                                                                        \
     doc},
#include "table/ops.def"
#undef LUN_OP
};

/* The common dtype of arrays and numbers. A number takes the arrays' dtype; a float number makes
 * an integer array f64. */
static lun_dtype common(const lun_dtype *t, const bool *weak, int n)
{
    bool any = false, number_float = false;
    lun_dtype all = LUN_BOOL, numbers = LUN_BOOL;
    for (int i = 0; i < n; i++) {
        if (weak[i]) {
            numbers = lun__dtype_common(numbers, t[i]);
            number_float |= lun__dtype_is_float(t[i]);
        } else {
            all = any ? lun__dtype_common(all, t[i]) : t[i];
            any = true;
        }
    }
    if (!any)
        return numbers;
    if (all != LUN_DTYPE_COUNT && lun__dtype_is_float(all))
        return all;
    if (number_float)
        return LUN_F64;
    return all == LUN_BOOL ? lun__dtype_common(all, numbers) : all;
}

/* The same of a comparison: a number beside integers is no operand that they are rounded for. */
static lun_dtype compared(const lun_dtype *t, const bool *weak)
{
    for (int k = 0; k < 2; k++)
        if (weak[k] && !weak[1 - k] && lun__dtype_is_integer(t[1 - k]))
            return t[1 - k];
    return common(t, weak, 2);
}

/* What a PICK of u64 and signed integers gives: the least is i64, the greatest u64. */
static lun_dtype picked(lun_op op, const lun_dtype *t)
{
    const bool wide[3] = {lun__dtype_is_wide_unsigned(t[0]), lun__dtype_is_wide_unsigned(t[1]),
                          lun__op_rows[op].arity > 2 && lun__dtype_is_wide_unsigned(t[2])};
    if (lun__op_rows[op].arity > 2) /* the least of the third and the greatest of the others */
        return wide[2] && (wide[0] || wide[1]) ? LUN_U64 : LUN_I64;
    return lun__op_rows[op].identity == LUN_ID_LOWEST || op == LUN_OP_FMAX ? LUN_U64 : LUN_I64;
}

lun_status lun__op_types(lun_op op, const lun_dtype *t, const bool *weak, lun_dtype *from,
                         lun_dtype *out)
{
    const lun_op_row *r = &lun__op_rows[op];
    lun_dtype m;
    switch ((lun_rule)r->rule) {
    case LUN_RULE_LOGIC:
        *from = *out = LUN_BOOL;
        return LUN_OK;
    case LUN_RULE_TEST:
        *from = t[0];
        *out = LUN_BOOL;
        return LUN_OK;
    case LUN_RULE_SELECT:
        *from = *out = common(t + 1, weak + 1, 2);
        return *from == LUN_DTYPE_COUNT ? LUN_EDTYPE : LUN_OK;
    case LUN_RULE_CMP:
        *from = compared(t, weak);
        *out = LUN_BOOL;
        return LUN_OK;
    case LUN_RULE_INT:
        *from = *out = m = common(t, weak, r->arity);
        return m != LUN_DTYPE_COUNT && lun__dtype_is_integer(m) ? LUN_OK : LUN_EDTYPE;
    case LUN_RULE_FLOAT:
        m = common(t, weak, r->arity);
        *from = *out = m != LUN_DTYPE_COUNT && lun__dtype_is_float(m) ? m : LUN_F64;
        return LUN_OK;
    case LUN_RULE_PICK:
        *from = *out = m = common(t, weak, r->arity);
        if (m == LUN_DTYPE_COUNT)
            *out = picked(op, t);
        else if (lun__dtype_is_bool(m))
            *from = *out = LUN_I64;
        return LUN_OK;
    case LUN_RULE_ARITH:
    default:
        m = common(t, weak, r->arity);
        *from = *out = m == LUN_BOOL ? LUN_I64 : m;
        return m == LUN_DTYPE_COUNT ? LUN_EDTYPE : LUN_OK;
    }
}

static uint64_t extreme(lun_dtype t, bool highest)
{
    const lun_dtype_row *d = lun__dtype_get(t);
    lun_value v = {.dtype = LUN_F64};
    v.as.d = highest ? HUGE_VAL : -HUGE_VAL;
    if (d->kind == LUN_KIND_BOOL)
        return highest;
    return lun__dtype_cell_from_value(t, v); /* saturates for integers */
}

/* ---- comparisons with numbers ---------------------------------------------------------------- */

bool lun__op_holds(lun_op op, int a, int b)
{
    switch (op) {
    case LUN_OP_LT:
        return a < b;
    case LUN_OP_LE:
        return a <= b;
    case LUN_OP_GT:
        return a > b;
    case LUN_OP_GE:
        return a >= b;
    case LUN_OP_EQ:
        return a == b;
    default:
        return a != b;
    }
}

/* The same comparison with its operands exchanged. */
static lun_op mirrored(lun_op op)
{
    static const lun_op pair[][2] = {{LUN_OP_LT, LUN_OP_GT}, {LUN_OP_LE, LUN_OP_GE}};
    for (int k = 0; k < 2; k++)
        if (op == pair[k][0] || op == pair[k][1])
            return pair[k][op == pair[k][0]];
    return op;
}

/* The integer that x may stand for on the right; false: x is no integer, and equals none. */
static bool whole(lun_op op, lun_value *x)
{
    if (!lun__dtype_value_is_float(*x))
        return true;
    const double up = ceil(x->as.d), down = floor(x->as.d);
    if (up != down && (op == LUN_OP_EQ || op == LUN_OP_NE))
        return false;
    x->as.d = op == LUN_OP_LT || op == LUN_OP_GE ? up : down;
    return !isnan(x->as.d);
}

lun_op lun__op_compared(lun_op op, lun_dtype t, lun_value x, bool left, lun_value *edge)
{
    lun_op o = left ? mirrored(op) : op;
    bool is_whole = whole(o, &x), all = o == LUN_OP_NE;
    *edge = x;
    if (is_whole && lun__dtype_value_fits(t, x))
        return op;
    if (is_whole) {
        const bool below =
            lun__dtype_value_is_float(x) ? x.as.d < 0 : lun__dtype_is_signed(x.dtype) && x.as.i < 0;
        all = lun__op_holds(o, below, !below);
    }
    const uint64_t least = extreme(t, false);
    *edge = lun__dtype_cell_to_value(t, least);
    o = all ? LUN_OP_GE : LUN_OP_LT; /* than the least: always, never */
    return left ? mirrored(o) : o;
}

bool lun__op_identity(lun_op op, lun_dtype t, uint64_t *bits)
{
    lun_value v = {.dtype = LUN_I64};
    switch ((lun_identity)lun__op_rows[op].identity) {
    case LUN_ID_ZERO:
        v.as.i = 0;
        break;
    case LUN_ID_ONE:
        v.as.i = 1;
        break;
    case LUN_ID_ONES:
        v.as.i = -1;
        break;
    case LUN_ID_HIGHEST:
    case LUN_ID_LOWEST:
        *bits = extreme(t, lun__op_rows[op].identity == LUN_ID_HIGHEST);
        return true;
    case LUN_ID_NONE:
    default:
        return false;
    }
    *bits = lun__dtype_cell_from_value(t, v);
    return true;
}

/* ---- the public tables ----------------------------------------------------------------------- */

bool lun_op_describe(lun_op op, lun_op_info *out)
{
    if ((unsigned)op >= LUN_OP_COUNT || !out)
        return false;
    const lun_op_row *r = &lun__op_rows[op];
    const lun_op_info info = {.name = r->name,
                              .symbol = r->symbol,
                              .doc = r->doc,
                              .arity = r->arity,
                              .reduces = (r->flags & LUN_OPF_ASSOC) != 0};
    return lun__sized_give(out, &info, sizeof info);
}

bool lun_op_find(const char *name, int arity, lun_op *out)
{
    bool found = false;
    if (!name || !name[0] || !out)
        return false;
    for (int i = 0; i < LUN_OP_COUNT; i++) {
        if (strcmp(lun__op_rows[i].name, name) && strcmp(lun__op_rows[i].symbol, name))
            continue;
        if (arity && lun__op_rows[i].arity != arity)
            continue;
        if (found && lun__op_rows[i].arity <= lun__op_rows[*out].arity)
            continue;
        *out = (lun_op)i;
        found = true;
    }
    return found;
}

const char *lun_status_name(lun_status s)
{
    switch (s) {
#define LUN_STATUS(ID, code, doc) \
    case LUN_##ID:                \
        return #ID;
#include "table/status.def"
#undef LUN_STATUS
    }
    return "unknown";
}
