/* call.c - user functions in the generated text: the text itself, calls lane by lane, combiners of
 * reductions and scans.  What the text relies on is in render/user/prelude.c.  Knows no statement but the call. */
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "render/renderer.h"

/* ---- the text -------------------------------------------------------------------------------------- */

void lun_cfunctions(lun_crender *r, lun_strbuf *out)
{
    bool first = true;
    for (int i = 0; i < r->ir->function_count; i++) {
        const char *text = r->ir->functions[i]->text;
        if (!text)
            continue;
        if (first) {
            r->dialect->prelude(r, out);
        }
        first = false;
        lun_strbuf_printf(out, "#line 1 \"C function\"\n%s\n", text);
    }
    lun_strbuf_puts(out, lun_strbuf_text(&r->after));
    if (!first)
        lun_strbuf_puts(out, "#line 1 \"kernel\"\n");
}

/* ---- calls --------------------------------------------------------------------------------------- */

static int first_lane(int lane, int lanes, int arg)
{
    (void)lane, (void)lanes, (void)arg;
    return 0;
}

/* A varying operand: lanes beyond the last index take the first lane's value, so that the function sees
 * nothing it would not see anyway, and every vector takes the same way through it. */
static void call_operand(lun_crender *r, lun_strbuf *head, lun_strbuf *fill, lun_strbuf *args,
                         int k, int32_t o)
{
    lun_crep rep = lun_cvalue_rep(r, o);
    lun_cname a = lun_cname_of("a%d", k);
    lun_strbuf_printf(head, ", %s %s", lun_cvtype(r, rep).s, a.s);
    lun_strbuf_printf(fill, "        %s = %s(%s(left), %s, ", a.s, lun_cvector_select(r, rep).s,
                      lun_cvector_live(r, lun_crep_bytes(rep)).s, a.s);
    lun_cshuffle(r, fill, rep, a.s, a.s, first_lane, 0);
    lun_strbuf_puts(fill, ");\n");
    lun_strbuf_printf(args, "%s[l]%s", a.s, rep.mask ? " & 1" : "");
}

lun_cname lun_ccall(lun_crender *r, int32_t v)
{
    const lun_ir_ins *ins = &r->ir->ins[v];
    const lun_ir_function *f = r->ir->functions[ins->imm];
    lun_cname c = lun_cname_of("lun_call%" PRId32, v);
    lun_crep rep = lun_cvalue_rep(r, v);
    lun_strbuf head = LUN_STRBUF_INIT, fill = LUN_STRBUF_INIT, args = LUN_STRBUF_INIT;
    if (!lun_cmake(r, c.s))
        return c;
    for (int k = 0; k < ins->c; k++) {
        int32_t o = r->ir->operands[ins->b + k];
        if (k)
            lun_strbuf_puts(&args, ", ");
        if (o >= 0 && (r->flags[o] & LUN_CF_VARYING)) {
            call_operand(r, &head, &fill, &args, k, o);
            continue;
        }
        lun_dtype t = (lun_dtype)(o < 0 ? r->ir->slots[-1 - o].dtype : r->ir->ins[o].dtype);
        lun_strbuf_printf(&head, ", %s%s%s %sa%d", o < 0 ? r->dialect->global : "",
                          o < 0 ? "const " : "", lun_ctype(t).s, o < 0 ? "*" : "", k);
        lun_strbuf_printf(&args, "a%d", k);
    }
    lun_strbuf_printf(&r->helpers, "INLINE %s %s(lun_i64 left%s)\n{\n    %s r;\n",
                      lun_cvtype(r, rep).s, c.s, lun_strbuf_text(&head), lun_cvtype(r, rep).s);
    if (fill.length)
        lun_strbuf_printf(&r->helpers, "    if (left < %d) {\n%s    }\n", r->lanes,
                          lun_strbuf_text(&fill));
    lun_strbuf_printf(&r->helpers, "    LANES(%d) r[l] = %s%s(%s)%s;\n    return r;\n}\n", r->lanes,
                      rep.mask ? "-(" : "", f->name, lun_strbuf_text(&args),
                      rep.mask ? " != 0)" : "");
    lun_strbuf_free(&head);
    lun_strbuf_free(&fill);
    lun_strbuf_free(&args);
    return c;
}

/* ---- combiners ----------------------------------------------------------------------------------- */

/* A function in IR form, as one on single elements: its statements are those of a kernel in which
 * nothing differs between indices. */
static void ir_function(lun_crender *r, const lun_ir_function *fn, lun_strbuf *out, int32_t where)
{
    lun_crender outer = *r;
    lun_csection s = {.r = r,
                      .out = out,
                      .need = LUN_CF_BODY,
                      .scope = -1,
                      .single = true,
                      .where = where,
                      .captured = r->ir->ins[where].captured - 1};
    r->ir = fn->body;
    r->masked = false;
    if (lun_cfacts_single(r) == LUN_OK) {
        lun_cbody(&s);
        lun_cline(&s, "return %s;", lun_cas_scalar(&s, fn->output[0]).s);
    } else {
        out->failed = true;
    }
    if (s.labels.failed)
        out->failed = true;
    lun_strbuf_free(&s.labels);
    free(r->flags);
    free(r->mask);
    free(r->parent);
    free(r->origin);
    r->ir = outer.ir;
    r->masked = outer.masked;
    r->flags = outer.flags;
    r->mask = outer.mask;
    r->parent = outer.parent;
    r->origin = outer.origin;
}

lun_cname lun_ccombiner(lun_crender *r, int32_t v)
{
    const lun_ir_ins *ins = &r->ir->ins[v];
    lun_cname c = lun_cname_of("lun_join%" PRId32, v), t = lun_ctype((lun_dtype)ins->dtype);
    if (!lun_cmake(r, c.s))
        return c;
    lun_strbuf body = LUN_STRBUF_INIT;
    const char *truth = ins->dtype == LUN_BOOL ? " != 0" : "";
    int64_t k = ins->kind == LUN_IR_SCAN ? ins->imm : ins->c;
    if (ins->op < LUN_OP_COUNT) {
        lun_cname one = lun_cscalar_op(r, (lun_op)ins->op, (lun_dtype)ins->dtype);
        lun_strbuf_printf(&body, "    return %s(a, b);\n", one.s);
    } else if (r->ir->functions[k]->text) {
        lun_strbuf_printf(&body, "    return %s(a, b)%s;\n", r->ir->functions[k]->name, truth);
    } else {
        ir_function(r, r->ir->functions[k], &body, v);
    }
    lun_strbuf_printf(&r->helpers, "INLINE %s %s(%s a, %s b, struct frame *f)\n{\n%s}\n", t.s, c.s,
                      t.s, t.s, lun_strbuf_text(&body));
    if (body.failed)
        r->helpers.failed = true;
    lun_strbuf_free(&body);
    return c;
}
