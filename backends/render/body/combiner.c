/* combiner.c - combiners of reductions and scans: functions on two single elements, from an
 * operation, a C function or a body in IR. */
#include "render/body/combiner.h"

#include <inttypes.h>
#include <stdlib.h>

#include "render/body/lanes/value_text.h"
#include "render/body/statement.h"
#include "render/facts/facts.h"
#include "render/text/element_text.h"
#include "render/text/text.h"
#include "render/user/faults.h"

/* A function in IR: its statements are those of a kernel without varying values. */
static void ir_function(lun_renderer *r, const lun_ir_function *fn, lun_strbuf *out, int32_t where)
{
    lun_renderer outer = *r;
    lun_section s = {.r = r,
                     .out = out,
                     .need = LUN_FACT_BODY,
                     .scope = -1,
                     .form = LUN_SECTION_FUNCTION,
                     .where = where,
                     .captured = r->ir->ins[where].captured - 1,
                     .arrays = r->ir->ins[where].arrays - 1};
    r->ir = fn->body;
    r->masked = false;
    if (lun__facts_single(r) == LUN_OK) {
        lun__statement_section(&s);
        lun__text_line(&s, "return %s;", lun__value_single(&s, fn->output[0]).s);
    } else {
        out->failed = true;
    }
    if (s.labels.failed)
        out->failed = true;
    lun__strbuf_free(&s.labels);
    free(r->flags);
    free(r->mask);
    lun__ir_structure_free(&r->blocks);
    free(r->origin);
    free(r->first_var);
    r->ir = outer.ir;
    r->masked = outer.masked;
    r->flags = outer.flags;
    r->mask = outer.mask;
    r->blocks = outer.blocks;
    r->parent = outer.parent;
    r->origin = outer.origin;
    r->first_var = outer.first_var;
}

/* A C function: numbers behind the two values are arguments of the kernel. */
static void c_function(lun_renderer *r, const lun_ir_function *fn, lun_strbuf *out, int32_t where)
{
    const lun_ir_ins *ins = &r->ir->ins[where];
    const char *truth = lun__element_truth((lun_dtype)ins->dtype);
    lun_snippet t = lun__element_type((lun_dtype)ins->dtype);
    lun__strbuf_printf(out, "%s    const %s y = %s(%sa, b", lun__faults_before(r, fn, where).s, t.s,
                       fn->name, lun__faults_argument(r, fn, where).s);
    for (int k = 2; k < fn->params; k++)
        lun__strbuf_printf(out, ", %s(f->args[%d])",
                           lun__element_uncell(r, (lun_dtype)fn->param[k].dtype).s,
                           ins->captured - 1 + k - 2);
    lun__strbuf_printf(out, ")%s;\n", truth);
    lun__faults_behind(r, fn, where, out);
    lun__strbuf_puts(out, "    return y;\n");
}

lun_snippet lun__combine_function(lun_renderer *r, int32_t v)
{
    const lun_ir_ins *ins = &r->ir->ins[v];
    lun_snippet c = lun__text_name("lun_join%" PRId32, v),
                t = lun__element_type((lun_dtype)ins->dtype);
    if (!lun__text_once(r, c.s))
        return c;
    lun_strbuf body = LUN_STRBUF_INIT;
    const lun_ir_function *f = lun__ir_combiner(r->ir, ins);
    if (!f) {
        lun_snippet one = lun__element_op(r, (lun_op)ins->op, (lun_dtype)ins->dtype);
        lun__strbuf_printf(&body, "    return %s(a, b);\n", one.s);
    } else if (f->text) {
        c_function(r, f, &body, v);
    } else {
        ir_function(r, f, &body, v);
    }
    lun__strbuf_printf(&r->helpers, "INLINE %s %s(%s a, %s b, struct frame *f)\n{\n%s}\n", t.s, c.s,
                       t.s, t.s, lun__strbuf_text(&body));
    if (body.failed)
        r->helpers.failed = true;
    lun__strbuf_free(&body);
    return c;
}

lun_snippet lun__combine_better(lun_renderer *r, int32_t v)
{
    const lun_ir_ins *ins = &r->ir->ins[v];
    lun_dtype t = (lun_dtype)ins->dtype;
    lun_snippet c = lun__text_name("lun_better%" PRId32, v), type = lun__element_type(t);
    const char *than = ins->op == LUN_OP_MIN ? "<" : ">";
    if (!lun__text_once(r, c.s))
        return c;
    lun__strbuf_printf(&r->helpers, "INLINE int %s(%s x, %s a)\n{\n    return ", c.s, type.s,
                       type.s);
    if (lun__dtype_is_float(t))
        lun__strbuf_printf(&r->helpers, "(x %s a || x != x) && a == a;\n}\n", than);
    else
        lun__strbuf_printf(&r->helpers, "x %s a;\n}\n", than);
    return c;
}

void lun__combine_indices(lun_renderer *r, int32_t v, const char *indent, const char *to,
                          const char *a, const char *b, lun_strbuf *out)
{
    lun_dtype t = (lun_dtype)r->ir->ins[v].dtype;
    lun_snippet better = lun__combine_better(r, v), of = lun__element_uncell(r, t);
    lun__strbuf_printf(out, "%sconst int later%" PRId32 " = %s(%s(%s[0]), %s(%s[0]));\n", indent, v,
                       better.s, of.s, b, of.s, a);
    for (int k = 0; k < 2; k++)
        lun__strbuf_printf(out, "%s%s[%d] = later%" PRId32 " ? %s[%d] : %s[%d];\n", indent, to, k,
                           v, b, k, a, k);
}
