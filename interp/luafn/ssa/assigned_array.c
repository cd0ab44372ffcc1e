/* assigned_array.c - arrays that a team kernel assigns in place: their elements are read again each
 * time, and assignments stay in program order.  Knows no types. */
#include "luafn/ssa/assigned_array.h"

#include "table/atomic.h"

bool luafn_assigned_is_target(const lf_compile *c, int64_t array)
{
    for (int k = 0; k < c->targets.count; k++)
        if (((const lf_value *)c->targets.at[k])->as.i == array)
            return true;
    return false;
}

bool luafn_assigned_has_targets(const lf_compile *c)
{
    for (int k = 0; k < c->targets.count; k++) {
        const lf_whose of = lf_whose_is(c, c->targets.at[k]);
        if (!of.param || of.number < c->params)
            return true;
    }
    return c->decided;
}

void luafn_assigned_note_target(lf_builder *b, lf_value *array)
{
    if (!luafn_assigned_is_target(b->c, array->as.i))
        luafn_arena_push(b->g->u, &b->c->targets, array);
}

void luafn_assigned_element(lf_builder *b, lf_value *t, lf_value *i, lf_value *x)
{
    lf_value *v = luafn_builder_emit4(b, LF_WRITE, t, i, x, NULL);
    v->as.i = t->as.i;
    luafn_assigned_note_target(b, t);
}

/* The array or part that the last index argument indexes; *k: which argument that is. */
static lf_value *changed_array(lf_builder *b, const char *name, const lf_list *args, int *k)
{
    lf_value *t = args->count ? args->at[0] : NULL;
    if (!t || (t->kind != LF_ARRAY && t->kind != LF_PART))
        luafn_builder_stop(b, "lun.atomic.%s: argument 1 is an array", name);
    for (*k = 1;; (*k)++) {
        lf_whose of = lf_whose_is(b->c, t);
        if (*k < args->count)
            luafn_builder_need_number(b, args->at[*k], -1, "indexing");
        if (of.fixed + 1 >= of.rank || *k >= args->count)
            return t;
        t = luafn_cell_element(b, t, args->at[*k]);
    }
}

lf_value *luafn_assigned_change(lf_builder *b, const lf_value *f, const lf_list *args)
{
    const lun_atomic_row *row = lun__atomic_get((lun_atomic)f->sub);
    const int values = row->expects ? 2 : 1;
    int k;
    if (!b->c->team)
        luafn_builder_stop(
            b,
            "lun.atomic.%s is for functions of lun.teams and tasks: in lun.each write h[e] = "
            "h[e] + x",
            row->name);
    lf_value *t = changed_array(b, row->name, args, &k);
    lf_whose of = lf_whose_is(b->c, t);
    if (args->count != k + 1 + values)
        luafn_builder_stop(
            b, "lun.atomic.%s: '%s' has %d dimension%s: so many indices, then %d value%s",
            row->name, luafn_captured_array_name(b->c, t), of.rank, of.rank == 1 ? "" : "s", values,
            values == 1 ? "" : "s");
    if (!lun__atomic_takes((lun_atomic)f->sub, of.stored))
        luafn_builder_stop(b, "lun.atomic.%s on elements of %s: it is for %s", row->name,
                           lun_dtype_name(of.stored),
                           lun__atomic_takes((lun_atomic)f->sub, LUN_F64) ? "numbers" : "integers");
    lf_value *x = args->at[k + values], *expected = values > 1 ? args->at[k + 1] : NULL;
    lf_value *v = luafn_builder_emit4(b, LF_CHANGE, t, args->at[k], x, expected);
    v->sub = f->sub;
    v->as.i = t->as.i;
    luafn_assigned_note_target(b, t);
    return v;
}
