/* static_indices.c - indices that are known before a launch: in a function that lun.generate calls,
 * a constant, or a parameter that counts along an axis plus a constant.  The engine compares their
 * ends with the extent of the array's axis, so the kernel need not check each of them; an element
 * all of whose indices are known is read as that of a window of its array, elementwise like the
 * other operands.  The kernel then has neither check nor gather.  Decides nothing about values. */
#include "luafn/lower/lowering_state.h"
#include "luafn/ssa/cells.h"

/* The most windows of elements at constant indices: a table of weights would use up the windows of
 * other elements, and gathering from it costs nothing. */
enum { LF_FIXED_WINDOWS = 8 };

/* The captured array that v, an array or a part, belongs to; -1: a parameter. */
static int source_of(const lf_compile *c, const lf_value *v)
{
    lf_whose of = lf_whose_is(c, v);
    return of.param ? -1 : of.number;
}

static void add_bound(lf_compile *c, lf_bound bound)
{
    for (int i = 0; i < c->bounds.count; i++) {
        const lf_bound *b = c->bounds.at[i];
        if (b->source == bound.source && b->axis == bound.axis && b->at.param == bound.at.param &&
            b->at.shift == bound.at.shift)
            return;
    }
    lf_bound *b = LF_NEW(&c->unit, lf_bound, 1);
    *b = bound;
    luafn_arena_push(&c->unit, &c->bounds, b);
}

bool luafn_static_index_of(lf_lowering *l, const lf_value *v)
{
    lf_compile *c = l->c;
    lf_bound bound = {source_of(c, v->arg[0]), lf_whose_is(c, v->arg[0]).fixed, {0}};
    if (bound.source < 0 || !c->known || !luafn_cell_find_index(c, v->arg[1], &bound.at))
        return false;
    add_bound(c, bound);
    return true;
}

/* The number of a window like that one; -1: there are too many. */
static int window_number(lf_compile *c, const lf_window *like)
{
    int i = 0;
    while (i < c->windows.count && !luafn_cell_same_window(c->windows.at[i], like))
        i++;
    if (i == LUN_FRONT_WINDOWS)
        return -1;
    if (i == c->windows.count) {
        lf_window *w = LF_NEW(&c->unit, lf_window, 1);
        *w = *like;
        luafn_arena_push(&c->unit, &c->windows, w);
    }
    return i;
}

lf_value *luafn_static_index_element(lf_lowering *l, const lf_value *v)
{
    lf_compile *c = l->c;
    lf_whose of = lf_whose_is(c, v->arg[0]);
    lf_window w = {.source = source_of(c, v->arg[0])};
    bool moves = false;
    if (w.source < 0 || !c->windowed)
        return NULL;
    for (int axis = of.fixed; axis >= 0; axis--, v = v->arg[0]) {
        if (!luafn_cell_find_index(c, v->arg[1], &w.at[axis]))
            return NULL;
        moves |= w.at[axis].param >= 0;
    }
    if (!moves && c->windows.count >= LF_FIXED_WINDOWS)
        return NULL;
    int number = window_number(c, &w);
    if (number < 0)
        return NULL;
    return luafn_ir_value_arg(l, luafn_lowering_input(c, LF_FROM_WINDOW, number, of.dtype, false),
                              of.dtype);
}

/* ---- elements that lun.each assigns ---------------------------------------------------------- */

/* The row-major index of the window's element, clamped to the range. */
static lf_value *clamped_index(lf_lowering *l, const lf_window *w)
{
    lf_compile *c = l->c;
    int rank = c->source[w->source].capture.rank;
    lf_value *one = luafn_const_ir_int(l, LUN_I64, 1), *flat = NULL;
    for (int k = 0; k < rank; k++) {
        lf_value *n = luafn_ir_value_arg(l, luafn_lowering_extent(c, false, w->source, k), LUN_I64);
        lf_value *i = luafn_const_ir_int(l, LUN_I64, w->at[k].shift);
        if (w->at[k].param >= 0)
            i = luafn_ir_value_op2(
                l, LUN_OP_ADD, luafn_ir_operand_as(l, c->param_value[w->at[k].param], LUN_I64), i);
        i = luafn_ir_value_op2(l, LUN_OP_MAX, luafn_ir_value_op2(l, LUN_OP_MIN, i, n), one);
        i = luafn_ir_value_op2(l, LUN_OP_SUB, i, one);
        flat =
            flat ? luafn_ir_value_op2(l, LUN_OP_ADD, luafn_ir_value_op2(l, LUN_OP_MUL, flat, n), i)
                 : i;
    }
    return flat;
}

lf_value *luafn_static_index_old(lf_lowering *l, const lf_cell *cell)
{
    lf_compile *c = l->c;
    const lf_capture *s = &c->source[cell->is.source].capture;
    int number = c->windowed ? window_number(c, &cell->is) : -1;
    for (int k = 0; c->known && number >= 0 && k < s->rank; k++)
        add_bound(c, (lf_bound){cell->is.source, k, cell->is.at[k]});
    if (number >= 0)
        return luafn_ir_value_arg(
            l, luafn_lowering_input(c, LF_FROM_WINDOW, number, s->dtype, false), s->dtype);
    int in = luafn_lowering_input(c, LF_FROM_SOURCE, cell->is.source, s->dtype, true);
    return luafn_ir_value_gather(l, in, s->dtype, clamped_index(l, &cell->is));
}
