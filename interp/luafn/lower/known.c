/* known.c - indices that are known before a launch: in a function that lun.generate calls, a
 * constant, or a parameter that counts along an axis plus a constant.  The engine compares their
 * ends with the extent of the array's axis, so the kernel need not check each of them; an element
 * all of whose indices are known is read as that of a window of its array, side by side with the
 * other operands.  The kernel then has neither check nor gather.  Decides nothing about values. */
#include "luafn/lower/lowering.h"

enum { LF_FAR = 1 << 30, LF_DEEP = 16 }; /* the largest shift; sums and differences in an index */

/* Index v as parameter + shift; false: it is something else. */
static bool find_index(const lf_compile *c, const lf_value *v, lun_front_index *out)
{
    *out = (lun_front_index){.param = -1};
    for (int depth = 0; depth < LF_DEEP; depth++) {
        if (v->kind == LF_PARAM && c->param[v->as.i].counts) {
            out->param = (int)v->as.i;
            return true;
        }
        bool add = v->kind == LF_ARITH && v->sub == LF_ADD;
        bool sub = v->kind == LF_ARITH && v->sub == LF_SUB;
        const lf_value *number = v;
        if (add || sub) {
            bool left = add && lf_is_const(v->arg[0], LF_WI);
            number = v->arg[left ? 0 : 1];
            v = v->arg[left ? 1 : 0];
        }
        if (!lf_is_const(number, LF_WI) || number->as.i > LF_FAR || number->as.i < -LF_FAR)
            return false;
        out->shift += sub ? -number->as.i : number->as.i;
        if (number == v)
            return true;
    }
    return false;
}

/* The captured array that v, an array or a part, belongs to; -1: a parameter. */
static int source_of(const lf_compile *c, const lf_value *v)
{
    lf_whose of = lf_whose_is(c, v);
    return of.param ? -1 : of.number;
}

bool luafn_known_index(lf_lowering *l, const lf_value *v)
{
    lf_compile *c = l->c;
    lf_bound bound = {source_of(c, v->arg[0]), lf_whose_is(c, v->arg[0]).fixed, {0}};
    if (bound.source < 0 || !c->counts || !find_index(c, v->arg[1], &bound.at))
        return false;
    for (int i = 0; i < c->bounds.count; i++) {
        const lf_bound *b = c->bounds.at[i];
        if (b->source == bound.source && b->axis == bound.axis && b->at.param == bound.at.param &&
            b->at.shift == bound.at.shift)
            return true;
    }
    lf_bound *b = LF_NEW(&c->unit, lf_bound, 1);
    *b = bound;
    luafn_push(&c->unit, &c->bounds, b);
    return true;
}

static bool same_window(const lf_window *a, const lf_window *b)
{
    bool same = a->source == b->source;
    for (int k = 0; same && k < LUN_MAX_RANK; k++)
        same = a->at[k].param == b->at[k].param && a->at[k].shift == b->at[k].shift;
    return same;
}

/* The number of a window like that one; -1: there are too many. */
static int window_number(lf_compile *c, const lf_window *like)
{
    int i = 0;
    while (i < c->windows.count && !same_window(c->windows.at[i], like))
        i++;
    if (i == LUN_FRONT_WINDOWS)
        return -1;
    if (i == c->windows.count) {
        lf_window *w = LF_NEW(&c->unit, lf_window, 1);
        *w = *like;
        luafn_push(&c->unit, &c->windows, w);
    }
    return i;
}

lf_value *luafn_known_element(lf_lowering *l, const lf_value *v)
{
    lf_compile *c = l->c;
    lf_whose of = lf_whose_is(c, v->arg[0]);
    lf_window w = {.source = source_of(c, v->arg[0])};
    if (w.source < 0 || !c->counts)
        return NULL;
    for (int axis = of.fixed; axis >= 0; axis--, v = v->arg[0])
        if (!find_index(c, v->arg[1], &w.at[axis]))
            return NULL;
    int number = window_number(c, &w);
    if (number < 0)
        return NULL;
    return luafn_ir_arg(l, luafn_input(c, LF_FROM_WINDOW, number, of.dtype, false), of.dtype);
}
