/* canonical_nan.c - see canonical_nan.h. */
#include "kernels/canonical_nan.h"

#include <stdlib.h>
#include <string.h>

#include "ir/writer.h"
#include "math/sequence.h"

/* ---- where bits can be seen ------------------------------------------------------------------ */

/* Whether an operation gives one of its operands of its own dtype, bits and all. */
static bool passes(int op)
{
    switch (op) {
    case LUN_OP_WHERE:
    case LUN_OP_MIN:
    case LUN_OP_MAX:
    case LUN_OP_FMIN:
    case LUN_OP_FMAX:
    case LUN_OP_CLAMP:
    case LUN_OP_FILLNAN:
        return true;
    default:
        return false;
    }
}

uint64_t lun__canonical_nan_result(int op, lun_dtype t, lun_dtype from, uint64_t cell)
{
    return passes(op) && t == from ? cell : lun__dtype_cell_cast(t, from, cell);
}

static void want(bool *seen, int32_t i, bool *more)
{
    if (i >= 0 && !seen[i])
        seen[i] = *more = true;
}

/* Marks the operands of instruction i whose bits can be seen if its own can. */
static void look(const lun_ir *ir, int i, bool *seen, bool *more)
{
    const lun_ir_ins *ins = &ir->ins[i];
    switch (ins->kind) {
    case LUN_IR_SWAP:
        want(seen, ins->c, more);
        /* fall through */
    case LUN_IR_STORE:
    case LUN_IR_PUT:
        want(seen, ins->a, more);
        break;
    case LUN_IR_SET:
        if (seen[ins->a])
            want(seen, ins->b, more);
        break;
    case LUN_IR_GET:
    case LUN_IR_VAR:
        if (seen[i])
            want(seen, ins->a, more);
        break;
    case LUN_IR_REDUCE:
    case LUN_IR_SCAN:
        if (passes(ins->op) && (seen[i] || ins->kind == LUN_IR_REDUCE)) {
            want(seen, ins->a, more);
            want(seen, ins->b, more);
        }
        break;
    case LUN_IR_OP:
        if (ins->op == LUN_OP_COPYSIGN)
            want(seen, ins->b, more);
        if (passes(ins->op) && seen[i]) {
            if (ins->op != LUN_OP_WHERE)
                want(seen, ins->a, more);
            want(seen, ins->b, more);
            want(seen, ins->c, more);
        }
        break;
    default:
        break;
    }
}

/* Whether a value, a float, is computed and may be any NaN. */
static bool computes(const lun_ir_ins *ins, int version)
{
    switch (ins->kind) {
    case LUN_IR_OP:
        return !passes(ins->op) &&
               !lun__sequence((lun_op)ins->op, (lun_dtype)ins->dtype, version)->name;
    case LUN_IR_SCAN:
        return !passes(ins->op);
    case LUN_IR_CAST:
        return lun__dtype_is_float((lun_dtype)ins->from);
    case LUN_IR_CALL:
        return true;
    default:
        return false;
    }
}

/* What of an instruction is made canonical. */
enum { VALUE = 1, SIGN = 2 };

/* Whether instruction i looks at the sign of a value that may be a NaN as it was loaded. */
static bool looks_at_sign(const lun_ir *ir, int i, int version)
{
    const lun_ir_ins *ins = &ir->ins[i], *of = ins->b >= 0 ? &ir->ins[ins->b] : NULL;
    if (ins->kind != LUN_IR_OP || ins->op != LUN_OP_COPYSIGN || !of ||
        !lun__dtype_is_plain_float((lun_dtype)ins->dtype))
        return false;
    const bool sequence =
        of->kind == LUN_IR_OP && lun__sequence((lun_op)of->op, (lun_dtype)of->dtype, version)->name;
    return of->kind != LUN_IR_CONST && !sequence && !computes(of, version);
}

/* By instruction: what of it is made canonical.  NULL: no memory. */
static uint8_t *find(const lun_ir *ir, int version, bool *any)
{
    bool *seen = calloc((size_t)ir->count + 1, sizeof *seen), more = seen != NULL;
    uint8_t *chosen = calloc((size_t)ir->count + 1, sizeof *chosen);
    *any = false;
    while (more) {
        more = false;
        for (int i = ir->count - 1; i >= 0; i--)
            look(ir, i, seen, &more);
    }
    for (int i = 0; seen && chosen && i < ir->count; i++) {
        const lun_ir_ins *ins = &ir->ins[i];
        const bool is = seen[i] && lun__ir_row(ins->kind)->value &&
                        lun__dtype_is_float((lun_dtype)ins->dtype) && computes(ins, version);
        chosen[i] = (is ? VALUE : 0) | (looks_at_sign(ir, i, version) ? SIGN : 0);
        *any |= chosen[i] != 0;
    }
    if (!seen) {
        free(chosen);
        chosen = NULL;
    }
    free(seen);
    return chosen;
}

/* ---- writing --------------------------------------------------------------------------------- */

/* The canonical NaN of a dtype that C computes in. */
static int64_t bits_of(lun_dtype t)
{
    const lun_dtype_row *row = lun__dtype_get(t);
    const uint64_t exponent = (UINT64_C(1) << row->exponent) - 1;
    return (int64_t)((exponent << row->mantissa) | UINT64_C(1) << (row->mantissa - 1));
}

/* Value a of dtype t, but the canonical NaN if it is NaN. */
static int32_t write_canonical(lun_ir_writer *w, lun_dtype t, int32_t a, const int32_t nan[2])
{
    const int32_t i = lun__ir_write(w, LUN_IR_OP, t, a, nan[lun__dtype_is_double(t)], 0);
    if (!w->failed)
        w->to->ins[i].op = LUN_OP_FILLNAN;
    return i;
}

/* Instruction i, of which a sign is looked at, with the canonical NaN as that operand. */
static int32_t write_signed(lun_ir_writer *w, int i, const int32_t nan[2])
{
    const lun_ir_ins *ins = &w->ir->ins[i];
    const int32_t before = w->map[ins->b];
    w->map[ins->b] = write_canonical(w, (lun_dtype)ins->dtype, before, nan);
    const int32_t made = lun__ir_write_copy(w, i);
    w->map[ins->b] = before;
    return made;
}

/* A float of which C knows the bits alone becomes one when it is canonical already. */
static void write_value(lun_ir_writer *w, int i, uint8_t chosen, const int32_t nan[2])
{
    const lun_ir_ins *ins = &w->ir->ins[i];
    const lun_dtype t = (lun_dtype)ins->dtype;
    if (lun__dtype_is_plain_float(t)) {
        const int32_t made = chosen & SIGN ? write_signed(w, i, nan) : lun__ir_write_copy(w, i);
        w->map[i] = chosen & VALUE ? write_canonical(w, t, made, nan) : made;
    } else if (ins->kind == LUN_IR_CAST && lun__dtype_is_plain_float((lun_dtype)ins->from)) {
        const int32_t before = w->map[ins->a];
        w->map[ins->a] = write_canonical(w, (lun_dtype)ins->from, before, nan);
        lun__ir_write_copy(w, i);
        w->map[ins->a] = before;
    } else {
        lun__ir_write_copy(w, i);
    }
}

/* The constants stand before all, where they may be used everywhere. */
static void write_nans(lun_ir_writer *w, const uint8_t *chosen, int32_t nan[2])
{
    bool needs[2] = {false, false};
    for (int i = 0; i < w->ir->count; i++) {
        const lun_dtype t = (lun_dtype)w->ir->ins[i].dtype;
        const lun_dtype by = lun__dtype_is_plain_float(t) ? t : (lun_dtype)w->ir->ins[i].from;
        if (chosen[i])
            needs[lun__dtype_is_double(by)] = true;
    }
    for (int k = 0; k < 2; k++)
        if (needs[k])
            nan[k] = lun__ir_write(w, LUN_IR_CONST, k ? LUN_F64 : LUN_F32, -1, -1,
                                   bits_of(k ? LUN_F64 : LUN_F32));
}

static lun_status rewrite(const lun_ir *from, lun_ir *to, const uint8_t *chosen, int32_t **origin)
{
    int32_t nan[2] = {-1, -1};
    lun_ir_writer w = {.ir = from, .to = to, .from = origin};
    w.map = malloc(((size_t)from->count + 1) * sizeof *w.map);
    w.failed = !w.map || !lun__ir_copy_outside(from, to);
    to->threads = from->threads;
    for (int i = 0; !w.failed && i < from->result_count; i++)
        w.failed = lun__ir_result_add(to, (lun_dtype)from->results[i]) < 0;
    for (int i = 0; !w.failed && i < from->function_count; i++)
        w.failed = lun__ir_function_add(to, from->functions[i]) < 0;
    if (!w.failed)
        write_nans(&w, chosen, nan);
    for (int i = 0; !w.failed && i < from->count; i++)
        if (chosen[i])
            write_value(&w, i, chosen[i], nan);
        else
            lun__ir_write_copy(&w, i);
    free(w.map);
    return w.failed ? LUN_ENOMEM : LUN_OK;
}

lun_status lun__canonical_nan(const lun_ir *from, int version, lun_ir *to, bool *any)
{
    int32_t *origin = NULL;
    lun__ir_init(to);
    uint8_t *chosen = find(from, version, any);
    lun_status s = !chosen ? LUN_ENOMEM : *any ? rewrite(from, to, chosen, &origin) : LUN_OK;
    free(origin);
    free(chosen);
    return s;
}

int lun__canonical_nan_origin(const lun_ir *from, int version, int at)
{
    lun_ir to;
    int32_t *origin = NULL;
    bool any;
    lun__ir_init(&to);
    uint8_t *chosen = find(from, version, &any);
    int found = any ? -1 : at;
    if (any && rewrite(from, &to, chosen, &origin) == LUN_OK && at < to.count)
        found = origin[at];
    lun__ir_free(&to);
    free(origin);
    free(chosen);
    return found;
}
