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
#define LUN_OP(ID, name, symbol, arity, rule, flt, integer, flags, identity, doc) \
    {#name,     symbol,        arity, LUN_RULE_##rule, flags, LUN_ID_##identity,  \
     TEXT(flt), TEXT(integer), doc},
#include "table/ops.def"
#undef LUN_OP
};

/* The dtype that arrays and numbers meet in. A number takes the arrays' dtype; a float number makes
 * an integer array f64. */
static lun_dtype meet(const lun_dtype *t, const bool *weak, int n)
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
    if (lun__dtype_is_float(all))
        return all;
    if (number_float)
        return LUN_F64;
    return lun__dtype_is_bool(all) ? lun__dtype_common(all, numbers) : all;
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
        *from = *out = meet(t + 1, weak + 1, 2);
        return LUN_OK;
    case LUN_RULE_CMP:
        *from = meet(t, weak, r->arity);
        *out = LUN_BOOL;
        return LUN_OK;
    case LUN_RULE_INT:
        m = meet(t, weak, r->arity);
        if (!lun__dtype_is_integer(m))
            return LUN_EDTYPE;
        *from = *out = m;
        return LUN_OK;
    case LUN_RULE_FLOAT:
        m = meet(t, weak, r->arity);
        *from = *out = lun__dtype_is_float(m) ? m : LUN_F64;
        return LUN_OK;
    case LUN_RULE_ARITH:
    default:
        m = meet(t, weak, r->arity);
        *from = *out = lun__dtype_is_bool(m) ? LUN_I64 : m;
        return LUN_OK;
    }
}

static uint64_t extreme(lun_dtype t, bool highest)
{
    const lun_dtype_row *d = lun__dtype_get(t);
    lun_value v = {.dtype = LUN_F64};
    v.as.d = highest ? HUGE_VAL : -HUGE_VAL;
    if (d->kind == LUN_KIND_BOOL)
        return highest;
    return lun__cell_from_value(t, v); /* saturates for integers */
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
    *bits = lun__cell_from_value(t, v);
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
    return lun__give(out, &info, sizeof info);
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
