/* ir.c - kernel IR: building, inlining, canonical text.  Checking it is verify.c's job.
 * Knows no producer and no renderer. */
#include "ir/ir.h"

#include "base/grow.h"

#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

void lun_ir_init(lun_ir *ir)
{
    memset(ir, 0, sizeof *ir);
    ir->scan = -1;
}

void lun_ir_free(lun_ir *ir)
{
    free(ir->ins);
    free(ir->slots);
    free(ir->args);
    free(ir->operands);
    free(ir->functions);
    free(ir->results);
    lun_ir_init(ir);
}

int lun_ir_add(lun_ir *ir, lun_ir_ins ins)
{
    if (!lun__grow(&ir->ins, ir->count, &ir->ins_room, sizeof *ir->ins))
        return -1;
    if (ins.kind == LUN_IR_SCAN)
        ir->scan = ir->count;
    ir->ins[ir->count] = ins;
    return ir->count++;
}

int lun_ir_slot_add(lun_ir *ir, lun_dtype dtype, lun_ir_role role)
{
    if (!lun__grow(&ir->slots, ir->slot_count, &ir->slot_room, sizeof *ir->slots))
        return -1;
    ir->slots[ir->slot_count] = (lun_ir_slot){(uint8_t)dtype, (uint8_t)role};
    return ir->slot_count++;
}

int lun_ir_arg_add(lun_ir *ir, lun_dtype dtype)
{
    if (!lun__grow(&ir->args, ir->arg_count, &ir->arg_room, sizeof *ir->args))
        return -1;
    ir->args[ir->arg_count] = (uint8_t)dtype;
    return ir->arg_count++;
}

int lun_ir_operand_add(lun_ir *ir, int32_t operand)
{
    if (!lun__grow(&ir->operands, ir->operand_count, &ir->operand_room, sizeof *ir->operands))
        return -1;
    ir->operands[ir->operand_count] = operand;
    return ir->operand_count++;
}

int lun_ir_function_add(lun_ir *ir, lun_ir_function *f)
{
    for (int i = 0; i < ir->function_count; i++)
        if (ir->functions[i] == f)
            return i;
    if (!lun__grow(&ir->functions, ir->function_count, &ir->function_room, sizeof *ir->functions))
        return -1;
    ir->functions[ir->function_count] = f;
    return ir->function_count++;
}

int lun_ir_result_add(lun_ir *ir, lun_dtype dtype)
{
    if (!lun__grow(&ir->results, ir->result_count, &ir->result_room, sizeof *ir->results))
        return -1;
    ir->results[ir->result_count] = (uint8_t)dtype;
    return ir->result_count++;
}

bool lun_ir_has_value(const lun_ir_ins *ins)
{
    switch ((lun_ir_kind)ins->kind) {
    case LUN_IR_STORE:
    case LUN_IR_REDUCE:
    case LUN_IR_SET:
    case LUN_IR_IF:
    case LUN_IR_ELSE:
    case LUN_IR_LOOP:
    case LUN_IR_BLOCK:
    case LUN_IR_END:
    case LUN_IR_BREAK:
    case LUN_IR_CONTINUE:
    case LUN_IR_CHECK:
        return false;
    default:
        return true;
    }
}

int lun_ir_inputs(const lun_ir_ins *ins, int32_t in[3])
{
    int n = 0;
    switch ((lun_ir_kind)ins->kind) {
    case LUN_IR_OP:
        for (n = 0; n < lun_op_get((lun_op)ins->op)->arity; n++)
            in[n] = n == 0 ? ins->a : n == 1 ? ins->b : ins->c;
        return n;
    case LUN_IR_CHECK:
        in[n++] = ins->a;
        if (ins->b >= 0)
            in[n++] = ins->b;
        return n;
    case LUN_IR_RANDOM:
    case LUN_IR_SCAN:
    case LUN_IR_SET:
        in[0] = ins->a;
        in[1] = ins->b;
        return 2;
    case LUN_IR_CAST:
    case LUN_IR_GATHER:
    case LUN_IR_STORE:
    case LUN_IR_REDUCE:
    case LUN_IR_VAR:
    case LUN_IR_GET:
    case LUN_IR_IF:
        in[0] = ins->a;
        return 1;
    default:
        return 0;
    }
}

int64_t lun_ir_cost(const lun_ir *ir)
{
    int64_t cost = 1;
    for (int i = 0; i < ir->count; i++) {
        const lun_ir_ins *ins = &ir->ins[i];
        switch ((lun_ir_kind)ins->kind) {
        case LUN_IR_OP:
            if (lun_op_get((lun_op)ins->op)->flags & LUN_OPF_HEAVY)
                cost += 10;
            else if (lun_op_get((lun_op)ins->op)->flags & LUN_OPF_TRAP0)
                cost += 8;
            else
                cost += 1;
            break;
        case LUN_IR_RANDOM:
        case LUN_IR_CALL:
            cost += 10;
            break;
        case LUN_IR_LOOP:
            cost += 200;
            break;
        case LUN_IR_GATHER:
            cost += 4;
            break;
        default:
            cost += 1;
        }
    }
    return cost;
}

/* ---- inlining ------------------------------------------------------------------------------------- */

lun_status lun_ir_inline(lun_ir *ir, const lun_ir_function *f, const int32_t *params,
                         const int32_t *arrays, int32_t *result)
{
    const lun_ir *body = f->body;
    int32_t *map = malloc(((size_t)body->count + 1) * sizeof *map);
    lun_status s = map ? LUN_OK : LUN_ENOMEM;
    for (int i = 0; s == LUN_OK && i < body->count; i++) {
        lun_ir_ins ins = body->ins[i];
        if (ins.kind == LUN_IR_ARG) {
            map[i] = params[ins.imm];
            continue;
        }
        int32_t in[3], n = lun_ir_inputs(&ins, in);
        if (n > 0)
            ins.a = map[ins.a];
        if (n > 1)
            ins.b = map[ins.b];
        if (n > 2)
            ins.c = map[ins.c];
        if (ins.kind == LUN_IR_GATHER || ins.kind == LUN_IR_LOADU)
            ins.imm = arrays[ins.imm];
        map[i] = lun_ir_add(ir, ins);
        if (map[i] < 0)
            s = LUN_ENOMEM;
    }
    for (int k = 0; s == LUN_OK && k < f->outputs; k++)
        result[k] = map[f->output[k]];
    free(map);
    return s;
}

/* ---- canonical text ---------------------------------------------------------------------------------- */

static const char *const kind_text[] = {
#define LUN_IR(kind, text) text,
#include "ir/ir.def"
#undef LUN_IR
};

static void print_combiner(const lun_ir_ins *ins, int64_t function, lun_strbuf *out)
{
    if (ins->op < LUN_OP_COUNT)
        lun_strbuf_printf(out, " %s", lun_op_get((lun_op)ins->op)->name);
    else
        lun_strbuf_printf(out, " f%" PRId64, function);
    if (ins->captured)
        lun_strbuf_printf(out, " a%d", ins->captured - 1);
}

static void print_ins(const lun_ir *ir, int i, lun_strbuf *out)
{
    const lun_ir_ins *ins = &ir->ins[i];
    const char *type = lun_dtype_get((lun_dtype)ins->dtype)->name;
    if (lun_ir_has_value(ins))
        lun_strbuf_printf(out, "v%d %s = ", i, type);
    if (ins->kind == LUN_IR_OP)
        lun_strbuf_puts(out, lun_op_get((lun_op)ins->op)->name);
    else
        lun_strbuf_puts(out, kind_text[ins->kind]);
    switch ((lun_ir_kind)ins->kind) {
    case LUN_IR_CONST:
        lun_strbuf_printf(out, " 0x%" PRIx64, (uint64_t)ins->imm);
        break;
    case LUN_IR_ARG:
        lun_strbuf_printf(out, " a%" PRId64, ins->imm);
        break;
    case LUN_IR_LOAD:
    case LUN_IR_LOADU:
    case LUN_IR_GATHER:
    case LUN_IR_STORE:
        lun_strbuf_printf(out, " s%" PRId64, ins->imm);
        break;
    case LUN_IR_BREAK:
    case LUN_IR_CONTINUE:
    case LUN_IR_CHECK:
        lun_strbuf_printf(out, " %" PRId64, ins->imm);
        break;
    case LUN_IR_CAST:
        lun_strbuf_printf(out, " %s", lun_dtype_get((lun_dtype)ins->from)->name);
        break;
    case LUN_IR_OP:
        lun_strbuf_printf(out, " %s", lun_dtype_get((lun_dtype)ins->from)->name);
        break;
    case LUN_IR_CALL:
        lun_strbuf_printf(out, " f%" PRId64, ins->imm);
        for (int k = 0; k < ins->c; k++) {
            int32_t o = ir->operands[ins->b + k];
            lun_strbuf_printf(out, o >= 0 ? " v%d" : " s%d", o >= 0 ? o : -1 - o);
        }
        break;
    case LUN_IR_SCAN:
        print_combiner(ins, ins->imm, out);
        if (ins->inclusive)
            lun_strbuf_puts(out, " inclusive");
        break;
    case LUN_IR_REDUCE:
        lun_strbuf_printf(out, " r%" PRId64 " %s", ins->imm, type);
        print_combiner(ins, ins->c, out);
        break;
    default:
        break;
    }
    int32_t in[3], n = lun_ir_inputs(ins, in);
    for (int k = 0; k < n; k++)
        lun_strbuf_printf(out, " v%d", in[k]);
    lun_strbuf_puts(out, "\n");
}

static void print_body(const lun_ir *ir, lun_strbuf *out)
{
    for (int i = 0; i < ir->count; i++)
        print_ins(ir, i, out);
}

lun_status lun_ir_print(const lun_ir *ir, lun_strbuf *out)
{
    static const char *const roles[] = {"in", "out", "uniform", "array"};
    for (int i = 0; i < ir->slot_count; i++)
        lun_strbuf_printf(out, "s%d %s %s\n", i, roles[ir->slots[i].role],
                          lun_dtype_get((lun_dtype)ir->slots[i].dtype)->name);
    for (int i = 0; i < ir->function_count; i++) {
        const lun_ir_function *f = ir->functions[i];
        if (f->text) {
            lun_strbuf_printf(out, "f%d %s {\n%s\n}\n", i, f->name, f->text);
            continue;
        }
        lun_strbuf_printf(out, "f%d ir {\n", i);
        print_body(f->body, out);
        for (int k = 0; k < f->outputs; k++)
            lun_strbuf_printf(out, "%sv%d", k ? " " : "yield ", f->output[k]);
        lun_strbuf_puts(out, "\n}\n");
    }
    print_body(ir, out);
    return out->failed ? LUN_ENOMEM : LUN_OK;
}
