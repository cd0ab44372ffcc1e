/* single.c - statements that make one element: values that are equal for all indices, and all values of a kernel or
 * function on single elements. */
#include "render/body/single.h"

#include <inttypes.h>

#include "render/body/value.h"
#include "render/facts/uses.h"
#include "render/text/element.h"
#include "render/text/text.h"
#include "render/vector/math.h"
#include "render/vector/operation.h"

/* Where the language's functions on vectors differ from those on single elements, and a vector of this dtype
 * exists: the bits shall not depend on whether a value is the same for all. */
static bool by_vector(const lun_csection *s, lun_op op, lun_dtype t)
{
    const lun_crender *r = s->r;
    if (!r->dialect->builtins || s->element || s->single || r->lanes > 16)
        return false;
    return lun_dtype_is_float(t) && (lun_op_get(op)->flags & LUN_OPF_VEC);
}

/* Division by zero.  Loops might not end with what there is no value for: what is inside control flow
 * stops here. */
static void trap_single(lun_csection *s, int32_t v, lun_cname divisor)
{
    lun_cline(s, "if (%s == 0) {", divisor.s);
    if (s->single)
        lun_cline(s, "    if (f->trap < 0) f->trap = %" PRId32 ", f->trap_value = %" PRId32 ";",
                  s->where, v);
    else
        lun_cline(s, "    if (f->trap < 0) f->trap = %" PRId32 ";", v);
    if (s->single)
        lun_cline(s, "    return 0;");
    else if (s->r->masked)
        lun_cline(s, "    return;");
    lun_cline(s, "}");
}

static void scalar_op(lun_csection *s, int32_t v)
{
    static const char *const bits[] = {"", ", ", ", "};
    const lun_ir_ins *ins = lun__ins(s->r, v);
    const lun_op_row *row = lun_op_get((lun_op)ins->op);
    lun_crender *r = s->r;
    lun_dtype from = (lun_dtype)ins->from;
    int32_t in[3];
    int n = lun_ir_inputs(ins, in);
    if (lun_cfacts_traps(r, v))
        trap_single(s, v, lun_cas_scalar(s, in[1]));
    lun_strbuf args = LUN_STRBUF_INIT;
    bool math = lun_chas_math(r, (lun_op)ins->op, from) && !s->single;
    bool vector = by_vector(s, (lun_op)ins->op, from);
    lun_crep rep = {from, false};
    for (int k = 0; k < n; k++)
        lun_strbuf_printf(&args, vector ? "%s%s(%s)" : "%s%s%s", math ? ", " : bits[k],
                          vector ? lun_cvector_splat(r, rep).s : "", lun_cas_scalar(s, in[k]).s);
    if (vector) {
        lun_cline(s, "%s = %s(%s)[0];", lun__value_declare(s, v).s,
                  lun_cvector_op(r, (lun_op)ins->op, rep).s, lun_strbuf_text(&args));
    } else if (math) { /* the same function as for arrays, so that the bits agree */
        lun_cname m = lun__value_math(r, (lun_op)ins->op, from),
                  f = lun_cscalar_math(r, from, row->arity);
        lun_cline(s, "%s = %s(u->%s%s);", lun__value_declare(s, v).s, f.s, m.s,
                  lun_strbuf_text(&args));
    } else {
        lun_cline(s, "%s = %s(%s);", lun__value_declare(s, v).s,
                  lun_cscalar_op(r, (lun_op)ins->op, from).s, lun_strbuf_text(&args));
    }
    lun_strbuf_free(&args);
}

void lun__single_statement(lun_csection *s, int32_t v)
{
    const lun_ir_ins *ins = lun__ins(s->r, v);
    lun_crender *r = s->r;
    lun_dtype t = (lun_dtype)ins->dtype;
    switch ((lun_ir_kind)ins->kind) {
    case LUN_IR_ARG:
        if (!s->single || ins->imm >= 2)
            lun_cline(s, "%s = %s(f->args[%" PRId64 "]);", lun__value_declare(s, v).s,
                      lun_cscalar_uncell(r, t).s,
                      s->single ? s->captured + ins->imm - 2 : ins->imm);
        break;
    case LUN_IR_CONST:
        lun_cline(s, "%s = %s;", lun__value_declare(s, v).s,
                  lun_cscalar_const(r, t, (uint64_t)ins->imm).s);
        break;
    case LUN_IR_LOADU:
        lun_cline(s, "%s = u->%s[0]%s;", lun__value_declare(s, v).s, lun_cslot(r, ins->imm).s,
                  t == LUN_BOOL ? " != 0" : "");
        break;
    case LUN_IR_GATHER:
        lun_cline(s, "%s = u->%s[%s]%s;", lun__value_declare(s, v).s, lun_cslot(r, ins->imm).s,
                  lun_cas_scalar(s, ins->a).s, t == LUN_BOOL ? " != 0" : "");
        break;
    case LUN_IR_CAST:
        lun_cline(s, "%s = %s(%s);", lun__value_declare(s, v).s,
                  lun_cscalar_cast(r, t, (lun_dtype)ins->from).s, lun_cas_scalar(s, ins->a).s);
        break;
    case LUN_IR_OP:
        scalar_op(s, v);
        break;
    default:
        lun_strbuf_printf(&r->problem, "instruction %" PRId32 " has no form on single elements", v);
    }
    if (s->need != LUN_CF_HOISTED)
        return;
    if (r->flags[v] & LUN_CF_AS_SCALAR) {
        lun_strbuf_printf(&r->fields, "    %s s%" PRId32 ";\n", lun_ctype(t).s, v);
        lun_cline(s, "u->s%" PRId32 " = s%" PRId32 ";", v, v);
    }
    if (r->flags[v] & LUN_CF_AS_VECTOR) {
        lun_crep rep = lun_cvalue_rep(r, v);
        lun_strbuf_printf(&r->fields, "    %s v%" PRId32 ";\n", lun_cvtype(r, rep).s, v);
        lun_cline(s, "u->v%" PRId32 " = %s(s%" PRId32 ");", v, lun_cvector_splat(r, rep).s, v);
    }
}
