/* assign_element.c - t[i] = x: an element of an array, or of captured records as a whole, each of
 * its values by itself; then the code is valid for their struct alone. */
#include "luafn/ssa/assign_element.h"
#include "luafn/graph/captured.h"
#include "luafn/ssa/assigned_array.h"
#include "luafn/ssa/build.h"
#include "luafn/ssa/captured_record.h"
#include "luafn/ssa/cells.h"
#include "luafn/ssa/complex_value.h"
#include "luafn/ssa/put_rounds.h"

#include <string.h>

/* An index of t, an array or a part of one, as one that counts from 1. */
lf_value *luafn_assign_element_index(lf_builder *b, const lf_value *t, lf_value *i)
{
    const lf_whose of = lf_whose_is(b->c, t);
    const int64_t shift = of.param ? 0 : b->c->source[of.number].capture.shift[of.fixed];
    int64_t known;
    if (!shift)
        return i;
    if (luafn_known_integer(b->c, i, &known) && known - shift > INT32_MIN &&
        known - shift < INT32_MAX)
        return luafn_graph_int(b->g, known - shift);
    return luafn_builder_emit2(b, LF_ARITH, LF_SUB, i, luafn_graph_int(b->g, shift));
}

/* t[i] = x, x no complex number. */
static void assign_number(lf_builder *b, lf_value *t, lf_value *i, lf_value *x)
{
    lf_whose of = lf_whose_is(b->c, t);
    if (of.fixed + 1 < of.rank)
        luafn_builder_stop(
            b, "an assignment to a part of '%s', which has %d dimensions: assign elements",
            luafn_captured_array_name(b->c, t), of.rank);
    i = luafn_assign_element_index(b, t, i);
    if (b->c->team)
        luafn_assigned_element(b, t, i, x);
    else if (!luafn_cell_write(b, t, i, x))
        luafn_put_rounds_element(b, t, i, x);
}

void luafn_assign_element(lf_builder *b, lf_value *t, lf_value *i, lf_value *x)
{
    lf_value *part[2];
    if (t->kind != LF_COMPLEXES) {
        assign_number(b, t, i, x);
        return;
    }
    luafn_complex_value_parts(b, x, part);
    for (int k = 0; k < 2; k++)
        assign_number(b, luafn_graph_find(t->arg[k]), i, part[k]);
}

void luafn_assign_element_list(lf_builder *b, lf_value *row, const char *form, lf_value *x)
{
    const char *rest;
    const int n = luafn_record_value_extent(form, &rest);
    x = luafn_captured_record_whole_field(b, x, form);
    if (x->kind != LF_RECORD || !luafn_record_value_is_list(x) || x->args != n)
        luafn_builder_stop(
            b, "an array %.40s of a record is assigned: a list of %d values expected", form, n);
    for (int k = 1; k <= n; k++) {
        lf_value *i = luafn_graph_int(b->g, k);
        if (*rest)
            luafn_assign_element_list(b, luafn_captured_record_element(b, row, i), rest,
                                      x->arg[k - 1]);
        else
            luafn_assign_element(b, row, i, x->arg[k - 1]);
    }
}

void luafn_assign_element_record(lf_builder *b, const lf_value *at, lf_value *x)
{
    const int source = (int)at->as.i, last = at->args - 1;
    x = luafn_captured_record_whole(b, luafn_captured_record_resolved(b, x));
    if (x->kind != LF_RECORD || luafn_record_value_is_list(x)) {
        const char *of = b->c->source[source].form;
        const int length = (int)strcspn(of, " ");
        luafn_builder_stop(b,
                           "a record of %.*s is assigned: a call of %.*s, or an element of such "
                           "records, expected",
                           length, of, length, of);
    }
    luafn_record_value_need_same(b, at, x);
    b->c->source[source].capture.whole = true;
    for (int k = 0; k < x->args; k++) {
        const char *form = b->c->source[source].field_form[k];
        lf_value *a =
            luafn_captured_field(b->c, b->f, b->pc, source, b->c->source[source].field_name[k]);
        if (luafn_record_value_is(b->c, a)) {
            luafn_assign_element_record(b, luafn_record_value_at_same(b, a, at), x->arg[k]);
            continue;
        }
        a = luafn_captured_record_row(b, a, at, last);
        lf_value *i = luafn_graph_find(at->arg[last]);
        if (*form == '[')
            luafn_assign_element_list(b, luafn_captured_record_element(b, a, i), form, x->arg[k]);
        else
            luafn_assign_element(b, a, i, x->arg[k]);
    }
    luafn_captured_record_renewed(b, source);
}
