/* element_ref.c - an element of an array, or a part of it: where elements may be assigned, perhaps
 * the value assigned before. */
#include "luafn/graph/body_builder.h"
#include "luafn/ssa/cells.h"

lf_value *luafn_element(lf_builder *b, lf_value *t, lf_value *i)
{
    lf_whose of = lf_whose_is(b->c, t);
    bool part = of.fixed + 1 < of.rank;
    lf_value *v = !part && b->c->writes ? luafn_read_cell(b, t, i) : NULL;
    if (v)
        return v;
    v = luafn_emit2(b, part ? LF_PART : LF_LOAD, part ? (unsigned)of.fixed + 1 : 0, t, i);
    if (part)
        v->as.i = t->as.i;
    else if (b->c->writes)
        luafn_push(b->g->u, &b->c->loads, v);
    return v;
}
