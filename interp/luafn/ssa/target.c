/* target.c - arrays that a team kernel assigns as it goes: no value of one is found again, and
 * assignments stay where the program has them.  Knows no types. */
#include "luafn/ssa/target.h"

bool luafn_is_target(const lf_compile *c, int64_t array)
{
    for (int k = 0; k < c->targets.count; k++)
        if (((const lf_value *)c->targets.at[k])->as.i == array)
            return true;
    return false;
}

void luafn_note_target(lf_builder *b, lf_value *array)
{
    if (!luafn_is_target(b->c, array->as.i))
        luafn_push(b->g->u, &b->c->targets, array);
}

void luafn_assign(lf_builder *b, lf_value *t, lf_value *i, lf_value *x)
{
    lf_value *v = luafn_emit4(b, LF_WRITE, t, i, x, NULL);
    v->as.i = t->as.i;
    luafn_note_target(b, t);
}
