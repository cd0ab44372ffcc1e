/* verify.c - checks every rule that ir.h states; producers run it in debug builds. */
#include "ir/ir.h"

#include <stdlib.h>

typedef struct verifier {
    const lun_ir *ir;
    lun_strbuf *why;
    uint8_t *open;   /* by value: may be used here */
    int32_t *blocks; /* instructions of the open IF, LOOP, BLOCK */
    int depth, i, scans;
} verifier;

static bool wrong(verifier *v, const char *what)
{
    lun_strbuf_printf(v->why, "instruction %d: %s\n", v->i, what);
    return false;
}

static bool operand(verifier *v, int32_t o)
{
    if (o < 0 || o >= v->i)
        return wrong(v, "an operand is no earlier instruction");
    if (!v->open[o])
        return wrong(v, "an operand has no value here");
    return true;
}

static bool slot(verifier *v, int64_t s, unsigned roles)
{
    if (s < 0 || s >= v->ir->slot_count)
        return wrong(v, "no such slot");
    if (!((1u << v->ir->slots[s].role) & roles))
        return wrong(v, "the slot has another role");
    return true;
}

static lun_dtype type_of(const verifier *v, int32_t o)
{
    return (lun_dtype)v->ir->ins[o].dtype;
}

static bool check_op(verifier *v, const lun_ir_ins *ins)
{
    if (ins->op < 0 || ins->op >= LUN_OP_COUNT)
        return wrong(v, "no such operation");
    const lun_op_row *row = lun_op_get((lun_op)ins->op);
    int32_t in[3], n = lun_ir_inputs(ins, in);
    for (int k = 0; k < n; k++) {
        bool condition = row->rule == LUN_RULE_SELECT && k == 0;
        if (type_of(v, in[k]) != (condition ? LUN_BOOL : (lun_dtype)ins->from))
            return wrong(v, "operand and operation differ in dtype");
    }
    bool to_bool =
        row->rule == LUN_RULE_CMP || row->rule == LUN_RULE_LOGIC || row->rule == LUN_RULE_TEST;
    if (ins->dtype != (to_bool ? LUN_BOOL : ins->from))
        return wrong(v, "wrong dtype of the result");
    if (lun_dtype_is_float((lun_dtype)ins->from) ? !row->flt : !row->integer)
        return wrong(v, "the operation does not exist for this dtype");
    return true;
}

static bool check_call(verifier *v, const lun_ir_ins *ins)
{
    const lun_ir *ir = v->ir;
    if (ins->imm < 0 || ins->imm >= ir->function_count)
        return wrong(v, "no such function");
    const lun_ir_function *f = ir->functions[ins->imm];
    if (!f->text || ins->c != f->params)
        return wrong(v, "wrong number of arguments");
    if (ins->b < 0 || ins->b + ins->c > ir->operand_count)
        return wrong(v, "no such operands");
    for (int k = 0; k < ins->c; k++) {
        int32_t o = ir->operands[ins->b + k];
        if ((o < 0) != (f->param[k].pointer != 0))
            return wrong(v, "array and scalar mixed up");
        if (o < 0 ? !slot(v, -1 - (int64_t)o, 1u << LUN_SLOT_ARRAY) : !operand(v, o))
            return false;
    }
    return true;
}

static bool check_combiner(verifier *v, const lun_ir_ins *ins, int64_t function)
{
    if (ins->op < LUN_OP_COUNT)
        return (lun_op_get((lun_op)ins->op)->flags & LUN_OPF_ASSOC) ||
               wrong(v, "the operation is not associative");
    if (function < 0 || function >= v->ir->function_count)
        return wrong(v, "no such function");
    const lun_ir *body = v->ir->functions[function]->body, *ir = v->ir;
    for (int k = 2; body && k < body->arg_count; k++)
        if (ins->captured < 1 || ins->captured - 1 + k - 2 >= ir->arg_count ||
            ir->args[ins->captured - 1 + k - 2] != body->args[k])
            return wrong(v, "no argument for what the function captures");
    return true;
}

static bool check_block(verifier *v, const lun_ir_ins *ins)
{
    switch ((lun_ir_kind)ins->kind) {
    case LUN_IR_IF:
    case LUN_IR_LOOP:
    case LUN_IR_BLOCK:
        v->blocks[v->depth++] = v->i;
        return true;
    case LUN_IR_ELSE:
        if (!v->depth || v->ir->ins[v->blocks[v->depth - 1]].kind != LUN_IR_IF)
            return wrong(v, "else without if");
        break;
    case LUN_IR_END:
        if (!v->depth)
            return wrong(v, "end without a block");
        break;
    default: { /* BREAK, CONTINUE: count loops and blocks from inside */
        int64_t k = ins->imm;
        for (int d = v->depth - 1; d >= 0; d--) {
            int kind = v->ir->ins[v->blocks[d]].kind;
            if (kind == LUN_IR_IF || k-- > 0)
                continue;
            if (ins->kind == LUN_IR_CONTINUE && kind != LUN_IR_LOOP)
                return wrong(v, "continue of a block");
            return true;
        }
        return wrong(v, "no such enclosing block");
    }
    }
    /* what was made inside the block that ends here is out of reach from now on */
    for (int k = v->blocks[v->depth - 1]; k < v->i; k++)
        v->open[k] = 0;
    if (ins->kind == LUN_IR_END)
        v->depth--;
    return true;
}

static bool check_memory(verifier *v, const lun_ir_ins *ins)
{
    switch ((lun_ir_kind)ins->kind) {
    case LUN_IR_LOAD:
        if (!slot(v, ins->imm, 1u << LUN_SLOT_IN))
            return false;
        break;
    case LUN_IR_LOADU:
        if (!slot(v, ins->imm, 1u << LUN_SLOT_UNIFORM | 1u << LUN_SLOT_ARRAY))
            return false;
        break;
    case LUN_IR_GATHER:
        if (!slot(v, ins->imm, 1u << LUN_SLOT_IN | 1u << LUN_SLOT_ARRAY))
            return false;
        if (!lun__dtype_is_index(type_of(v, ins->a)))
            return wrong(v, "an index must be i64");
        break;
    default: /* STORE */
        if (!slot(v, ins->imm, 1u << LUN_SLOT_OUT))
            return false;
        return type_of(v, ins->a) == (lun_dtype)v->ir->slots[ins->imm].dtype ||
               wrong(v, "value and slot differ in dtype");
    }
    return ins->dtype == v->ir->slots[ins->imm].dtype || wrong(v, "value and slot differ in dtype");
}

static bool check_ins(verifier *v, const lun_ir_ins *ins)
{
    const lun_ir *ir = v->ir;
    int32_t in[3], n;
    if (ins->kind == LUN_IR_OP && (ins->op < 0 || ins->op >= LUN_OP_COUNT))
        return wrong(v, "no such operation");
    n = ins->kind < LUN_IR_KIND_COUNT ? lun_ir_inputs(ins, in) : 0;
    for (int k = 0; k < n; k++)
        if (!operand(v, in[k]))
            return false;
    switch ((lun_ir_kind)ins->kind) {
    case LUN_IR_ARG:
        if (ins->imm < 0 || ins->imm >= ir->arg_count)
            return wrong(v, "no such argument");
        return ins->dtype == ir->args[ins->imm] || wrong(v, "wrong dtype of the argument");
    case LUN_IR_LOAD:
    case LUN_IR_LOADU:
    case LUN_IR_GATHER:
    case LUN_IR_STORE:
        return check_memory(v, ins);
    case LUN_IR_OP:
        return check_op(v, ins);
    case LUN_IR_CALL:
        return check_call(v, ins);
    case LUN_IR_SCAN:
        if (v->scans++)
            return wrong(v, "a second scan");
        return check_combiner(v, ins, ins->imm);
    case LUN_IR_REDUCE:
        if (ins->imm < 0 || ins->imm >= ir->result_count)
            return wrong(v, "no such result");
        if (type_of(v, ins->a) != (lun_dtype)ins->dtype)
            return wrong(v, "wrong dtype of the result");
        return check_combiner(v, ins, ins->c);
    case LUN_IR_GET:
        return ir->ins[ins->a].kind == LUN_IR_VAR || wrong(v, "get of what is no variable");
    case LUN_IR_SET:
        return (ir->ins[ins->a].kind == LUN_IR_VAR && type_of(v, ins->a) == type_of(v, ins->b)) ||
               wrong(v, "set of what is no variable of that dtype");
    case LUN_IR_CHECK:
        return lun__dtype_is_bool(type_of(v, ins->a)) || wrong(v, "a check needs a bool");
    case LUN_IR_IF:
        if (!lun__dtype_is_bool(type_of(v, ins->a)))
            return wrong(v, "a condition must be a bool");
        return check_block(v, ins);
    case LUN_IR_ELSE:
    case LUN_IR_LOOP:
    case LUN_IR_BLOCK:
    case LUN_IR_END:
    case LUN_IR_BREAK:
    case LUN_IR_CONTINUE:
        return check_block(v, ins);
    case LUN_IR_CONST:
    case LUN_IR_INDEX:
    case LUN_IR_RANDOM:
    case LUN_IR_CAST:
    case LUN_IR_VAR:
        return true;
    default:
        return wrong(v, "no such kind");
    }
}

lun_status lun_ir_verify(const lun_ir *ir, lun_strbuf *why)
{
    verifier v = {.ir = ir, .why = why};
    size_t n = (size_t)ir->count + 1;
    v.open = calloc(n, 1);
    v.blocks = malloc(n * sizeof *v.blocks);
    lun_status s = v.open && v.blocks ? LUN_OK : LUN_ENOMEM;
    for (v.i = 0; s == LUN_OK && v.i < ir->count; v.i++) {
        if (!check_ins(&v, &ir->ins[v.i]))
            s = LUN_EARG;
        v.open[v.i] = lun_ir_has_value(&ir->ins[v.i]);
    }
    if (s == LUN_OK && v.depth) {
        wrong(&v, "a block has no end");
        s = LUN_EARG;
    }
    free(v.open);
    free(v.blocks);
    return s;
}
