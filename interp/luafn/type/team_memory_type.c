/* team_memory_type.c - team scratch whose dtype is inferred from assignments: its type grows like
 * those of values. */
#include "luafn/type/rules.h"

lf_type luafn_team_memory_open(lf_compile *c, const lf_value *v)
{
    lf_open *open = lf_open_of(c, v->arg[0]);
    const lf_type x = (lf_type)v->arg[2]->type;
    if (!lf_is_number(x) && x != LF_BOOL)
        luafn_type_join_mistyped(c, v, 2, "a value of all threads");
    lf_type t = luafn_type_join(open->type, x);
    if (open->wide && lf_is_number(t))
        t = lf_is_int(t) ? LF_I64 : LF_F64;
    if (t == LF_MIX)
        luafn_debug_fail(&c->unit, v->proto, v->pc,
                         "a number here and a boolean there: values of threads are of one kind");
    open->type = t;
    return x;
}

/* The type of an identity that initialises memory: any number, or a boolean, until the others are
 * known. */
lf_type luafn_team_memory_identity(lf_compile *c, const lf_value *v)
{
    const lf_open *open = lf_open_of(c, v->arg[0]);
    if (v->arg[0]->kind != LF_ARRAY || !open)
        return (lf_type)v->arg[0]->type;
    if (open->type != LF_NONE)
        return open->type;
    return lun__op_get((lun_op)v->sub)->rule == LUN_RULE_LOGIC ? LF_BOOL : LF_WI;
}

/* Memory whose dtype is inferred. */
void luafn_team_memory_settle(lf_compile *c)
{
    for (int k = 0; k < c->scratches; k++) {
        lf_open *o = &c->open[k];
        lf_type t = lf_settled(c, o->type);
        if (!o->open)
            continue;
        o->type = t;
        c->scratch[k].dtype = t == LF_BOOL  ? LUN_BOOL
                              : t == LF_I32 ? LUN_I32
                              : t == LF_F32 ? LUN_F32
                              : t == LF_F64 ? LUN_F64
                                            : LUN_I64;
        c->param[c->params + k].dtype = c->param[c->params + k].stored = c->scratch[k].dtype;
    }
}
