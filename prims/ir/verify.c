/* verify.c - checks what ir.def says of each field, and that operands dominate; producers run it in
 * debug builds.  That blocks nest is structure.c's. */
#include "ir/uniform.h"
#include "table/atomic.h"

typedef struct verifier {
    const lun_ir *ir;
    lun_strbuf *why;
    lun_ir_structure blocks;
    int i;
    bool scanned; /* there was a SCAN */
} verifier;

static bool wrong(const verifier *v, const char *what)
{
    lun__strbuf_printf(v->why, "instruction %d: %s\n", v->i, what);
    return false;
}

/* ---- operands -------------------------------------------------------------------------------- */

static bool check_operand(const verifier *v, int32_t o)
{
    if (o < 0 || o >= v->i)
        return wrong(v, "an operand is no earlier instruction");
    if (!lun__ir_has_value(&v->ir->ins[o]) || !lun__ir_structure_dominates(&v->blocks, o, v->i))
        return wrong(v, "an operand has no value here");
    return true;
}

static bool check_slot(const verifier *v, int64_t s, unsigned roles)
{
    if (s < 0 || s >= v->ir->slot_count)
        return wrong(v, "no such slot");
    if (!((1u << v->ir->slots[s].role) & roles))
        return wrong(v, "the slot has another role");
    return true;
}

/* The dtype that a check's report must have: t, if it is a float. */
static lun_dtype reported(lun_dtype t)
{
    return lun__dtype_is_plain_float(t) ? t : LUN_I64;
}

/* The dtype that operand k must have. */
static lun_dtype dtype_of(const verifier *v, const lun_ir_ins *ins, int k)
{
    switch (lun__ir_row(ins->kind)->hold[k]) {
    case LUN_HOLD_BOOL:
        return LUN_BOOL;
    case LUN_HOLD_ELEMENT:
        return LUN_I64;
    case LUN_HOLD_REPORT:
        return reported((lun_dtype)v->ir->ins[ins->b].dtype);
    case LUN_HOLD_KEY:
        return LUN_U64;
    case LUN_HOLD_FROM:
        return (lun_dtype)ins->from;
    case LUN_HOLD_OPERAND:
        if (k == 0 && lun__op_get((lun_op)ins->op)->rule == LUN_RULE_SELECT)
            return LUN_BOOL;
        return (lun_dtype)ins->from;
    case LUN_HOLD_CELL:
        return (lun_dtype)v->ir->slots[ins->imm].dtype;
    case LUN_HOLD_ASSIGNED:
        return (lun_dtype)v->ir->ins[ins->a].dtype;
    case LUN_HOLD_VARIABLE:
        return (lun_dtype)(lun__ir_has_value(ins) ? ins->dtype : v->ir->ins[ins->a].dtype);
    default: /* SAME, START */
        return (lun_dtype)ins->dtype;
    }
}

static bool check_operands(const verifier *v, const lun_ir_ins *ins)
{
    static const char *const another_dtype[] = {"operand a has another dtype",
                                                "operand b has another dtype",
                                                "operand c has another dtype"};
    const lun_ir_row *row = lun__ir_row(ins->kind);
    int32_t in[LUN_IR_INPUTS];
    int n = lun__ir_inputs(v->ir, ins, in);
    for (int k = 0; k < n; k++) {
        if (!check_operand(v, in[k]))
            return false;
        if (row->hold[1] == LUN_HOLD_LIST)
            continue;
        if (row->hold[k] == LUN_HOLD_VARIABLE && v->ir->ins[in[k]].kind != LUN_IR_VAR)
            return wrong(v, "operand a is no variable");
        if (v->ir->ins[in[k]].dtype != dtype_of(v, ins, k))
            return wrong(v, another_dtype[k]);
    }
    return true;
}

/* A STORED float becomes what it is computed in, and is rounded from floats that are PLAIN. */
static bool check_cast(const verifier *v, const lun_ir_ins *ins)
{
    lun_dtype to = (lun_dtype)ins->dtype, from = (lun_dtype)ins->from;
    bool widens = !lun__dtype_is_stored(from) || lun__dtype_get(from)->compute == to;
    bool narrows = !lun__dtype_is_stored(to) || lun__dtype_is_plain_float(from);
    return (widens && narrows) || wrong(v, "a cast that a dtype that is only stored does not have");
}

/* operands[b .. b + c) against the parameters of function imm. */
static bool check_list(const verifier *v, const lun_ir_ins *ins)
{
    const lun_ir *ir = v->ir;
    const lun_ir_function *f = ir->functions[ins->imm];
    if (!f->text || ins->c != f->params)
        return wrong(v, "wrong number of arguments");
    if (ins->b < 0 || ins->b + ins->c > ir->operand_count)
        return wrong(v, "no such operands");
    for (int k = 0; k < ins->c; k++) {
        int32_t o = ir->operands[ins->b + k];
        if ((o < 0) != (f->param[k].pointer != 0))
            return wrong(v, "array and scalar mixed up");
        if (o < 0 && !check_slot(v, -1 - (int64_t)o, 1u << LUN_SLOT_ARRAY | 1u << LUN_SLOT_TARGET))
            return false;
    }
    return true;
}

/* ---- other fields ---------------------------------------------------------------------------- */

static bool check_imm(const verifier *v, const lun_ir_ins *ins)
{
    const lun_ir *ir = v->ir;
    const lun_ir_row *row = lun__ir_row(ins->kind);
    int64_t k = ins->imm;
    switch (row->imm) {
    case LUN_IMM_ARG:
        if (k < 0 || k >= ir->arg_count)
            return wrong(v, "no such argument");
        return ins->dtype == ir->args[k] || wrong(v, "wrong dtype of the argument");
    case LUN_IMM_SLOT:
        if (!check_slot(v, k, row->slots))
            return false;
        return !row->value || ins->dtype == ir->slots[k].dtype ||
               wrong(v, "value and slot differ in dtype");
    case LUN_IMM_FUNCTION:
        return (k >= 0 && k < ir->function_count) || wrong(v, "no such function");
    case LUN_IMM_RESULT:
        if (k < 0 || k >= ir->result_count)
            return wrong(v, "no such result");
        return ins->dtype == ir->results[k] || wrong(v, "wrong dtype of the result");
    default: /* DEPTH is structure.c's; the others are any number */
        return true;
    }
}

static bool check_op(const verifier *v, const lun_ir_ins *ins)
{
    if (ins->op < 0 || ins->op >= LUN_OP_COUNT)
        return wrong(v, "no such operation");
    const lun_op_row *row = lun__op_get((lun_op)ins->op);
    bool to_bool =
        row->rule == LUN_RULE_CMP || row->rule == LUN_RULE_LOGIC || row->rule == LUN_RULE_TEST;
    if (ins->dtype != (to_bool ? LUN_BOOL : ins->from))
        return wrong(v, "wrong dtype of the result");
    if (lun__dtype_is_stored((lun_dtype)ins->from))
        return wrong(v, "an operation on a dtype that is only stored");
    if (lun__dtype_is_float((lun_dtype)ins->from) ? !row->flt : !row->integer)
        return wrong(v, "the operation does not exist for this dtype");
    return true;
}

static bool check_combiner(const verifier *v, const lun_ir_ins *ins)
{
    if (ins->op < 0 || ins->op > LUN_OP_COUNT)
        return wrong(v, "no such operation");
    if (ins->op < LUN_OP_COUNT)
        return (lun__op_get((lun_op)ins->op)->flags & LUN_OPF_ASSOC) ||
               wrong(v, "the operation is not associative");
    if (ins->c < 0 || ins->c >= v->ir->function_count)
        return wrong(v, "no such function");
    const lun_ir_function *f = v->ir->functions[ins->c];
    const lun_ir *ir = v->ir;
    for (int k = 2; k < lun__ir_function_params(f); k++)
        if (ins->captured < 1 || ins->captured - 1 + k - 2 >= ir->arg_count ||
            ir->args[ins->captured - 1 + k - 2] != lun__ir_function_param(f, k))
            return wrong(v, "no argument for what the function captures");
    for (int k = 0; k < lun__ir_function_arrays(f); k++) {
        int slot = ins->arrays - 1 + k;
        if (!check_slot(v, slot, 1u << LUN_SLOT_ARRAY))
            return false;
        if (ir->slots[slot].dtype != f->body->slots[k].dtype)
            return wrong(v, "another dtype of an array that the function indexes");
    }
    return true;
}

/* A block's number within a chunk of LUN_CHUNK fits the narrowest element; a SCAN's does not. */
static bool check_index(const verifier *v, const lun_ir_ins *ins)
{
    const lun_ir *ir = v->ir;
    if (ins->op != LUN_OP_MIN && ins->op != LUN_OP_MAX)
        return wrong(v, "places of what is neither the least nor the largest");
    if (lun__dtype_is_bool((lun_dtype)ins->dtype) || ir->scan >= 0)
        return wrong(v, "places of bools, or beside a scan");
    return (ins->imm + 1 < ir->result_count &&
            lun__dtype_is_index((lun_dtype)ir->results[ins->imm + 1])) ||
           wrong(v, "no result for a place");
}

static bool check_atom(const verifier *v, const lun_ir_ins *ins)
{
    if (ins->op < 0 || ins->op >= LUN_ATOMIC_COUNT)
        return wrong(v, "no such operation");
    if (lun__atomic_get((lun_atomic)ins->op)->expects != (ins->kind == LUN_IR_SWAP))
        return wrong(v, "another number of operands");
    return lun__atomic_takes((lun_atomic)ins->op, (lun_dtype)ins->dtype) ||
           wrong(v, "the operation does not exist for this dtype");
}

static bool check_ins(verifier *v, const lun_ir_ins *ins)
{
    const lun_ir_row *row = lun__ir_row(ins->kind);
    if ((row->effects & LUN_EFFECT_TEAMS) && v->ir->threads < 1)
        return wrong(v, "threads of a team in a kernel without teams");
    if (ins->kind == LUN_IR_SCAN && v->scanned)
        return wrong(v, "a second scan");
    v->scanned |= ins->kind == LUN_IR_SCAN;
    return (!(row->fields & LUN_FIELD_OPERATION) || check_op(v, ins)) &&
           (!(row->fields & LUN_FIELD_ATOM) || check_atom(v, ins)) &&
           (ins->kind != LUN_IR_CAST || check_cast(v, ins)) && check_imm(v, ins) &&
           (row->hold[1] != LUN_HOLD_LIST || check_list(v, ins)) && check_operands(v, ins) &&
           (!(row->fields & LUN_FIELD_COMBINER) || check_combiner(v, ins)) &&
           (!(row->fields & LUN_FIELD_INDICES) || !ins->with_index || check_index(v, ins));
}

/* All threads of a team come to a barrier together. */
static lun_status check_barriers(verifier *v)
{
    lun_ir_agreement a;
    lun_status s = lun__ir_uniform_find(v->ir, &v->blocks, &a);
    if (s != LUN_OK)
        return s;
    int32_t loose = lun__ir_uniform_loose(v->ir, &a);
    lun__ir_uniform_free(&a);
    if (loose < 0)
        return LUN_OK;
    v->i = loose;
    wrong(v, "a barrier where not all threads come together");
    return LUN_EARG;
}

lun_status lun__ir_verify(const lun_ir *ir, lun_strbuf *why)
{
    verifier v = {.ir = ir, .why = why};
    lun_ir_fault fault;
    lun_status s = lun__ir_structure_find(ir, &v.blocks, &fault);
    if (s == LUN_EARG) {
        v.i = fault.at;
        wrong(&v, fault.what);
    }
    for (; s == LUN_OK && v.i < ir->count; v.i++)
        if (!check_ins(&v, &ir->ins[v.i]))
            s = LUN_EARG;
    if (s == LUN_OK && ir->threads)
        s = check_barriers(&v);
    lun__ir_structure_free(&v.blocks);
    return s;
}
