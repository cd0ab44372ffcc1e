/* lowering_state.c - dtypes, notes, inputs and integer division, for all of lowering. */
#include "luafn/lower/lowering_state.h"

#include <stdarg.h>
#include <string.h>

lun_dtype luafn_lowering_dtype(const lf_compile *c, lf_type t)
{
    switch (lf_settled(c, t)) {
    case LF_I32:
        return LUN_I32;
    case LF_I64:
        return LUN_I64;
    case LF_F32:
        return LUN_F32;
    case LF_F64:
        return LUN_F64;
    default:
        return LUN_BOOL;
    }
}

int luafn_lowering_note(lf_lowering *l, int extent_of, const char *format, ...)
{
    lun_strbuf text = LUN_STRBUF_INIT;
    va_list args;
    char *copy = NULL;
    lf_note *note = LF_NEW(l->g->u, lf_note, 1);
    luafn_debug_where(l->from->proto, l->from->pc, &text);
    lun__strbuf_puts(&text, ": ");
    va_start(args, format);
    lun__strbuf_vprintf(&text, format, args);
    va_end(args);
    if (!text.failed)
        copy = luafn_arena_take(&l->g->u->arena, text.length + 1);
    if (copy)
        memcpy(copy, text.text, text.length);
    lun__strbuf_free(&text);
    if (!copy)
        luafn_arena_nomem(l->g->u);
    note->text = copy;
    note->extent_of = extent_of;
    luafn_arena_push(l->g->u, &l->c->notes, note);
    return l->c->notes.count;
}

static int find_input(lf_compile *c, const lf_input *like)
{
    for (int i = 0; i < c->inputs.count; i++) {
        const lf_input *in = c->inputs.at[i];
        if (in->origin == like->origin && in->number == like->number && in->axis == like->axis &&
            in->array == like->array)
            return i;
    }
    lf_input *in = LF_NEW(&c->unit, lf_input, 1);
    *in = *like;
    luafn_arena_push(&c->unit, &c->inputs, in);
    return c->inputs.count - 1;
}

int luafn_lowering_input(lf_compile *c, lf_origin origin, int number, lun_dtype t, bool array)
{
    return find_input(c, &(lf_input){origin, number, 0, -1, t, array, false});
}

int luafn_lowering_extent(lf_compile *c, bool param, int number, int axis)
{
    lf_origin origin = param ? LF_PARAM_EXTENT : LF_SOURCE_EXTENT;
    return find_input(c, &(lf_input){origin, number, axis, -1, LUN_I64, false, false});
}

int luafn_lowering_memory(lf_compile *c, int memory, int axis)
{
    return find_input(c, &(lf_input){LF_MEMORY_EXTENT, memory, axis, -1, LUN_I64, false, false});
}

void luafn_lowering_givens(lf_compile *c)
{
    for (int k = 0; k < c->givens.count; k++) {
        const lf_memory_extent *x = c->givens.at[k];
        lf_value *v = luafn_graph_find(x->base);
        const int number = (int)v->as.i;
        lun_dtype t = luafn_lowering_dtype(c, (lf_type)v->type);
        int input;
        if (v->kind == LF_LENGTH) {
            const lf_whose of = lf_whose_is(c, v->arg[0]);
            input = luafn_lowering_extent(c, of.param, of.number, of.fixed);
        } else if (v->kind == LF_ELEMENT) {
            t = c->source[number].capture.dtype;
            input = luafn_lowering_input(c, LF_FROM_SCALAR, number, t, false);
        } else if (v->kind == LF_PARAM) {
            t = c->param[number].weak ? t : c->param[number].dtype;
            input = luafn_lowering_input(c, LF_FROM_PARAM, number, t, false);
        } else {
            input = luafn_lowering_input(c, LF_FROM_SOURCE, number, t, false);
        }
        ((lf_input *)c->inputs.at[input])->used = true;
        c->scratch[x->memory].of[x->axis].from = (int16_t)input;
    }
}

/* Integer // and %: the operation itself fails where y is 0. */
lf_value *luafn_lowering_divide(lf_lowering *l, lun_op op, lf_value *x, lf_value *y)
{
    int64_t n = lf_ir_is_const(y) ? luafn_const_int(y) : 0;
    if (op == LUN_OP_MOD && n > 0 && (n & (n - 1)) == 0)
        return luafn_ir_value_op2(l, LUN_OP_BAND, x,
                                  luafn_const_ir_int(l, (lun_dtype)x->type, n - 1));
    lf_value *v = luafn_ir_value_op2(l, op, x, y);
    if (n == 0 && v->kind == LF_IR_OP && !v->note)
        v->note = luafn_lowering_note(
            l, -1, op == LUN_OP_MOD ? "attempt to perform 'n%%%%0'" : "attempt to perform 'n//0'");
    return v;
}
