/* print_ir.c - the canonical text of kernel IR: equal texts mean equal kernels. */
#include <inttypes.h>

#include "ir/ir.h"
#include "table/atomic.h"

static const char *name_of(int dtype)
{
    return lun__dtype_get((lun_dtype)dtype)->name;
}

static void print_imm(const lun_ir_ins *ins, lun_strbuf *out)
{
    static const char *const before[] = {
        [LUN_IMM_ARG] = "a",    [LUN_IMM_SLOT] = "s", [LUN_IMM_FUNCTION] = "f",
        [LUN_IMM_RESULT] = "r", [LUN_IMM_DEPTH] = "", [LUN_IMM_NOTE] = "",
    };
    int imm = lun__ir_row(ins->kind)->imm;
    if (imm == LUN_IMM_BITS)
        lun__strbuf_printf(out, " 0x%" PRIx64, (uint64_t)ins->imm);
    else if (imm != LUN_IMM_NONE && imm != LUN_IMM_NOTE1)
        lun__strbuf_printf(out, " %s%" PRId64, before[imm], ins->imm);
    if (imm == LUN_IMM_RESULT)
        lun__strbuf_printf(out, " %s", name_of(ins->dtype));
}

static void print_combiner(const lun_ir_ins *ins, lun_strbuf *out)
{
    if (ins->op < LUN_OP_COUNT)
        lun__strbuf_printf(out, " %s", lun__op_get((lun_op)ins->op)->name);
    else
        lun__strbuf_printf(out, " f%" PRId32, ins->c);
    if (ins->captured)
        lun__strbuf_printf(out, " a%d", ins->captured - 1);
    if (ins->arrays)
        lun__strbuf_printf(out, " s%d", ins->arrays - 1);
}

static void print_operands(const lun_ir *ir, const lun_ir_ins *ins, lun_strbuf *out)
{
    int32_t in[LUN_IR_INPUTS];
    if (lun__ir_row(ins->kind)->hold[1] == LUN_HOLD_LIST) {
        for (int k = 0; k < ins->c; k++) {
            int32_t o = ir->operands[ins->b + k];
            lun__strbuf_printf(out, o >= 0 ? " v%d" : " s%d", o >= 0 ? o : -1 - o);
        }
        return;
    }
    int n = lun__ir_inputs(ir, ins, in);
    for (int k = 0; k < n; k++)
        lun__strbuf_printf(out, " v%d", in[k]);
}

static void print_ins(const lun_ir *ir, int i, lun_strbuf *out)
{
    const lun_ir_ins *ins = &ir->ins[i];
    const lun_ir_row *row = lun__ir_row(ins->kind);
    if (row->value)
        lun__strbuf_printf(out, "v%d %s = ", i, name_of(ins->dtype));
    lun__strbuf_puts(out, row->fields & LUN_FIELD_OPERATION ? lun__op_get((lun_op)ins->op)->name
                                                            : row->text);
    if (row->fields & LUN_FIELD_ATOM)
        lun__strbuf_printf(out, " %s", lun__atomic_get((lun_atomic)ins->op)->name);
    print_imm(ins, out);
    if (row->fields & LUN_FIELD_FROM)
        lun__strbuf_printf(out, " %s", name_of(ins->from));
    if (row->fields & LUN_FIELD_COMBINER)
        print_combiner(ins, out);
    if (row->fields & LUN_FIELD_INCLUSIVE && ins->inclusive)
        lun__strbuf_puts(out, " inclusive");
    if (row->fields & LUN_FIELD_INDICES && ins->with_index)
        lun__strbuf_puts(out, " places");
    print_operands(ir, ins, out);
    lun__strbuf_puts(out, "\n");
}

static void print_body(const lun_ir *ir, lun_strbuf *out)
{
    for (int i = 0; i < ir->count; i++)
        print_ins(ir, i, out);
}

lun_status lun__print_ir(const lun_ir *ir, lun_strbuf *out)
{
    static const char *const roles[] = {"in", "out", "uniform", "array", "target"};
    if (ir->threads)
        lun__strbuf_printf(out, "teams of %d\n", ir->threads);
    for (int i = 0; i < ir->slot_count; i++) {
        lun__strbuf_printf(out, "s%d %s %s", i, roles[ir->slots[i].role],
                           name_of(ir->slots[i].dtype));
        if (ir->slots[i].own)
            lun__strbuf_printf(out, " own %" PRId64, ir->slots[i].own);
        if (ir->slots[i].shared > 0)
            lun__strbuf_printf(out, " shared %" PRId64, ir->slots[i].shared);
        if (ir->slots[i].shared < 0)
            lun__strbuf_printf(out, " shared a%" PRId64, -1 - ir->slots[i].shared);
        lun__strbuf_puts(out, "\n");
    }
    for (int i = 0; i < ir->function_count; i++) {
        const lun_ir_function *f = ir->functions[i];
        if (f->text) {
            lun__strbuf_printf(out, "f%d %s {\n%s\n}\n", i, f->name, f->text);
            continue;
        }
        lun__strbuf_printf(out, "f%d ir {\n", i);
        print_body(f->body, out);
        for (int k = 0; k < f->outputs; k++)
            lun__strbuf_printf(out, "%sv%d", k ? " " : "yield ", f->output[k]);
        lun__strbuf_puts(out, "\n}\n");
    }
    print_body(ir, out);
    return out->failed ? LUN_ENOMEM : LUN_OK;
}
