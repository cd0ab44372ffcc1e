/* guard_body.c - the body of a function that comes from elsewhere: what functions of elements may
 * not do is refused, and elements of arrays are gathered behind a check of the index, whatever the
 * body checks by itself. */
#include <stdlib.h>

#include "api/package/package.h"
#include "ir/writer.h"

static bool is_allowed(int kind)
{
    switch (kind) {
    case LUN_IR_ARG:
    case LUN_IR_CONST:
    case LUN_IR_LOADU:
    case LUN_IR_GATHER:
    case LUN_IR_RANDOM:
    case LUN_IR_OP:
    case LUN_IR_CAST:
    case LUN_IR_VAR:
    case LUN_IR_GET:
    case LUN_IR_SET:
    case LUN_IR_CHECK:
        return true;
    default:
        return lun__ir_row(kind)->flow != LUN_FLOW_NONE;
    }
}

static lun_status refuse(lun_strbuf *why, const char *what)
{
    lun__strbuf_puts(why, what);
    return LUN_EARG;
}

/* Whether element i of ir is one that a function of elements may have. */
static lun_status check(const lun_ir *ir, int i, const int64_t *sizes, int notes, lun_strbuf *why)
{
    const lun_ir_ins *x = &ir->ins[i];
    if (!is_allowed(x->kind))
        return refuse(why, "its function does what no function of elements does");
    if (x->kind == LUN_IR_LOADU && sizes[x->imm] < 1)
        return refuse(why, "its function reads an element of an empty array");
    if (lun__ir_may_fail(ir, x) && lun__ir_note(x) >= notes)
        return refuse(why, "a message is missing");
    return LUN_OK;
}

/* index < size, both taken as u64, or the launch fails. */
static void write_check(lun_ir_writer *w, int32_t index, int64_t size, int note)
{
    const int32_t at = lun__ir_write(w, LUN_IR_CAST, LUN_U64, index, -1, 0);
    const int32_t end = lun__ir_write(w, LUN_IR_CONST, LUN_U64, -1, -1, size);
    const int32_t below = lun__ir_write(w, LUN_IR_OP, LUN_BOOL, at, end, 0);
    if (w->failed)
        return;
    w->to->ins[at].from = LUN_I64;
    w->to->ins[below].op = LUN_OP_LT;
    w->to->ins[below].from = LUN_U64;
    (void)lun__ir_write(w, LUN_IR_CHECK, LUN_BOOL, below, index, note);
}

static bool write_guarded(lun_ir_writer *w, const int64_t *sizes, int note)
{
    for (int32_t i = 0; !w->failed && i < w->ir->count; i++) {
        const lun_ir_ins *x = &w->ir->ins[i];
        if (x->kind == LUN_IR_GATHER)
            write_check(w, w->map[x->a], sizes[x->imm], note);
        (void)lun__ir_write_copy(w, i);
    }
    return !w->failed;
}

lun_status lun__guard_body(lun_ir_function *f, const int64_t *sizes, int arrays, int note,
                           lun_strbuf *why)
{
    const lun_ir *ir = f->body;
    lun_status s = ir->slot_count == arrays ? LUN_OK : refuse(why, "arrays are missing");
    for (int i = 0; s == LUN_OK && i < ir->slot_count; i++)
        if (ir->slots[i].role != LUN_SLOT_ARRAY)
            s = refuse(why, "its function does what no function of elements does");
    for (int i = 0; s == LUN_OK && i < ir->count; i++)
        s = check(ir, i, sizes, note, why);
    if (s != LUN_OK)
        return s;
    lun_ir to;
    int32_t *from = NULL;
    lun_ir_writer w = {.ir = ir, .to = &to, .from = &from};
    w.map = calloc((size_t)ir->count + 1, sizeof *w.map);
    bool made = lun__ir_copy_outside(ir, &to) && w.map && write_guarded(&w, sizes, note);
    for (int k = 0; made && k < f->outputs; k++)
        f->output[k] = w.map[f->output[k]];
    free(w.map);
    free(from);
    lun__ir_free(made ? f->body : &to);
    if (made)
        *f->body = to;
    return made ? LUN_OK : LUN_ENOMEM;
}
