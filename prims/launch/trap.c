/* trap.c - what went wrong in a kernel, in the script's words. */
#include "launch/trap.h"

#include <stdio.h>
#include <string.h>

#include "graph/take_nodes.h"
#include "kernels/canonical_nan.h"

/* Puts the text of a note into a message, with the reported value: %lld stands for an integer, with
 * or without a mark, %g for a float. NULL: the value is not known; it is left out, with the blank
 * before it. */
static void put_note(lun_strbuf *out, const char *note, const lun_value *value)
{
    const char *whole = strstr(note, "%lld"), *real = strstr(note, "%g");
    const char *at = whole && (!real || whole < real) ? whole : real;
    char text[LUN_NUMBER_TEXT];
    if (!at) {
        lun__strbuf_puts(out, note);
        return;
    }
    size_t before = (size_t)(at - note);
    if (!value && before > 0 && note[before - 1] == ' ')
        before--;
    lun__strbuf_add(out, note, before);
    if (value && at == whole)
        lun__strbuf_printf(out, at > note && at[-1] == *LUN_NTH_MARK ? LUN_NTH_LONG : "%lld",
                           (long long)value->as.i);
    else if (value)
        lun__strbuf_puts(out, value->as.d == value->as.d ? lun__strbuf_number(value->as.d, text)
                                                         : "NaN");
    lun__strbuf_puts(out, at + (at == whole ? 4 : 2));
}

lun_status lun__trap_fail_note(lun_engine *e, lun_status status, const char *note,
                               const lun_value *value)
{
    lun_strbuf text = LUN_STRBUF_MESSAGE;
    char where_text[sizeof e->error_line] = "";
    for (const char *p = strchr(note, ':'); p; p = strchr(p + 1, ':')) {
        size_t digits = strspn(p + 1, "0123456789"), length = (size_t)(p - note) + 1 + digits;
        if (!digits || strncmp(p + 1 + digits, ": ", 2) || length >= sizeof e->error_line)
            continue;
        memcpy(where_text, note, length);
        note += length + 2;
        break;
    }
    put_note(&text, note, value);
    e->error_where = NULL;
    lun__fail_text(e, status, lun__strbuf_text(&text));
    lun__strbuf_free(&text);
    if (*where_text) {
        memcpy(e->error_line, where_text, sizeof e->error_line);
        e->error_where = e->error_line;
    }
    return status;
}

/* The C text of a call or of a combination, NULL: there is none. */
static const lun_ir_function *c_text(const lun_ir *ir, const lun_ir_ins *ins)
{
    const lun_ir_function *f =
        ins->kind == LUN_IR_CALL ? ir->functions[ins->imm] : lun__ir_combiner(ir, ins);
    return f && f->text ? f : NULL;
}

lun_status lun__trap_refusal(lun_engine *e, const lun_lowered *l)
{
    for (int i = 0; i < l->ir.count; i++) {
        if (!c_text(&l->ir, &l->ir.ins[i]))
            continue;
        e->error_where = lun__source_mark_text(e, l->where[i]);
        break;
    }
    return LUN_EBUILD;
}

/* In a function given as C text: its own segment is part of the message. */
static lun_status explain_fault(lun_engine *e, const lun_lowered *l, const lun_launch *launch,
                                int trap)
{
    const lun_ir_ins *ins = &l->ir.ins[trap];
    const lun_ir_function *f = c_text(&l->ir, ins);
    int64_t number = (launch->trap_value & ((1 << LUN_IR_FAULT_BITS) - 1)) - 1;
    const lun_ir_slip *fault = number < f->fault_count && number >= 0 ? &f->faults[number] : NULL;
    lun_status s = fault && fault->param >= 0 ? LUN_EBOUNDS : LUN_EZERO;
    if (s == LUN_EBOUNDS) {
        int32_t slot = -1 - l->ir.operands[ins->b + fault->param];
        const char *first = strstr(fault->text, "%lld"), *second = strstr(first + 4, "%lld");
        lun__fail(e, s, "%.*s%lld%.*s%lld%s", (int)(first - fault->text), fault->text,
                  (long long)(launch->trap_value >> LUN_IR_FAULT_BITS), (int)(second - first) - 4,
                  first + 4, (long long)l->slots[slot].node->n, second + 4);
    } else {
        lun__fail(e, s, "%s", fault ? fault->text : "attempt to perform 'n/0'");
    }
    e->error_where = lun__source_mark_text(e, l->where[trap]);
    return s;
}

lun_status lun__trap_explain(lun_engine *e, const lun_lowered *l, const lun_launch *launch)
{
    const int version = lun__backend_version(&e->services);
    const int trap =
        launch->trap < 0 ? -1 : lun__canonical_nan_origin(&l->ir, version, launch->trap);
    const lun_ir_ins *ins = trap >= 0 ? &l->ir.ins[trap] : NULL;
    if (!ins)
        return lun__fail(e, LUN_EZERO, "attempt to perform 'n//0'");
    if (c_text(&l->ir, ins))
        return explain_fault(e, l, launch, trap);
    const char *note = lun__plan_lowered_note(l, trap);
    bool reports = ins->kind == LUN_IR_CHECK && ins->b >= 0;
    lun_dtype t = reports ? (lun_dtype)l->ir.ins[ins->b].dtype : LUN_I64;
    lun_value reported = lun__dtype_cell_to_value(t, (uint64_t)launch->trap_value),
              *value = &reported;
    const lun_ir_function *f = lun__ir_combiner(&l->ir, ins);
    int64_t where = launch->trap_value & ((1 << LUN_IR_WHERE_BITS) - 1);
    if (f && f->body && where < f->body->count) {
        const lun_ir *body = f->body;
        ins = &body->ins[where];
        bool known = launch->trap_value >> LUN_IR_WHERE_BITS & 1;
        reports = known && ins->kind == LUN_IR_CHECK && ins->b >= 0;
        reported = (lun_value){LUN_I64, {.i = launch->trap_value >> (LUN_IR_WHERE_BITS + 1)}};
        value =
            reports && lun__dtype_is_index((lun_dtype)body->ins[ins->b].dtype) ? &reported : NULL;
        int64_t number = lun__ir_note(ins);
        if (f->notes && number >= 0 && number < f->note_count)
            note = f->notes[number];
    }
    lun_status s = lun__ir_trap_status(ins->kind);
    if (!note)
        note = s == LUN_EBOUNDS        ? "a check failed"
               : ins->op == LUN_OP_MOD ? "attempt to perform 'n%%0'"
                                       : "attempt to perform 'n//0'";
    lun__trap_fail_note(e, s, note, value);
    if (!e->error_where)
        e->error_where = lun__source_mark_text(e, l->where[trap]);
    e->error_is_index = lun__take_nodes_failed(note);
    return s;
}
