/* chunk_element.c - the functions of a unit that runs a chunk element by element: the statements of
 * one element, and a loop over them. */
#include "render/chunk/chunk.h"

#include <inttypes.h>

#include "render/body/arrays.h"
#include "render/body/statement.h"
#include "render/text/element_text.h"
#include "render/text/text.h"
#include "render/versions/loop_versions.h"

/* One value of the tests for many indices. */
static void whole_value(lun_renderer *r, int32_t v, lun_strbuf *out)
{
    const lun_ir *ir = &r->whole->whole;
    const lun_ir_ins *ins = &ir->ins[v];
    const lun_dtype t = (lun_dtype)ins->dtype, from = (lun_dtype)ins->from;
    int32_t in[LUN_IR_INPUTS];
    const int n = lun__ir_inputs(ir, ins, in);
    lun__strbuf_printf(out, "    const %s s%" PRId32 " = ", lun__element_type(t).s, v);
    if (ins->kind == LUN_IR_INDEX)
        lun__strbuf_puts(out, ins->imm ? "last" : "first");
    else if (ins->kind == LUN_IR_ARG)
        lun__strbuf_printf(out, "%s(f->args[%" PRId64 "])", lun__element_uncell(r, t).s, ins->imm);
    else if (ins->kind == LUN_IR_CONST)
        lun__strbuf_puts(out, lun__element_const(r, t, (uint64_t)ins->imm).s);
    else
        lun__strbuf_printf(out, "%s(",
                           ins->kind == LUN_IR_CAST ? lun__element_cast(r, t, from).s
                                                    : lun__element_op(r, (lun_op)ins->op, from).s);
    for (int k = 0; k < n; k++)
        lun__strbuf_printf(out, "%ss%" PRId32 "%s", k ? ", " : "", in[k], k + 1 == n ? ")" : "");
    lun__strbuf_puts(out, ";\n");
}

static void whole(lun_renderer *r, lun_strbuf *out)
{
    lun__strbuf_puts(out, "\nINLINE int is_whole(const lun_i64 first, const lun_i64 last, "
                          "const struct frame *f)\n{\n");
    for (int32_t v = 0; v < r->whole->whole.count; v++)
        whole_value(r, v, out);
    lun__strbuf_printf(out, "    return s%" PRId32 ";\n}\n", r->whole->holds);
}

/* The loop over a chunk.  One test decides those of all indices but the last, which may have fewer
 * elements. */
static void indices(const lun_renderer *r, const char *arrays, lun_strbuf *out)
{
    lun__strbuf_puts(out, "    lun_i64 i = lo;\n");
    if (r->whole)
        lun__strbuf_printf(out,
                           "    if (i < end - 1 && is_whole(i, end - 2, &own))\n"
                           "        for (; i < end - 1; i++)\n"
                           "            body(i, &own, &u, 1%s);\n",
                           arrays);
    lun__strbuf_printf(out, "    for (; i < end; i++)\n        body(i, &own, &u%s%s);\n",
                       r->whole ? ", 0" : "", arrays);
}

/* A frame and arguments of its own can be held in registers. */
static void kernel(lun_renderer *r, lun_strbuf *out)
{
    lun_strbuf more = LUN_STRBUF_INIT;
    if (r->whole)
        whole(r, out);
    lun__arrays_restrict(r, true, &more);
    lun__strbuf_printf(out, r->dialect->function, "kernel");
    lun__strbuf_printf(out,
                       "lun_i64 lo, lun_i64 hi, struct frame *f)\n{\n"
                       "    struct frame own = *f;\n    struct uniform u;\n"
                       "    lun_u64 args[%d];\n    for (int k = 0; k < %d; k++) args[k] = "
                       "f->args[k];\n    own.args = args;\n    prepare(&own, &u);\n"
                       "    const lun_i64 end = hi < f->n ? hi : f->n;\n",
                       r->ir->arg_count + 1, r->ir->arg_count);
    indices(r, lun__strbuf_text(&more), out);
    lun__strbuf_puts(out, "    f->trap = own.trap;\n    f->trap_value = own.trap_value;\n}\n");
    out->failed |= more.failed;
    lun__strbuf_free(&more);
}

void lun__chunk_elements(lun_renderer *r, lun_strbuf *out, lun_strbuf *functions)
{
    lun_strbuf body = LUN_STRBUF_INIT, parameters = LUN_STRBUF_INIT;
    lun__arrays_own(r, &body);
    lun__arrays_restrict(r, false, &parameters);
    lun_section s = {
        .r = r, .out = &body, .need = LUN_FACT_BODY, .scope = -1, .form = LUN_SECTION_ELEMENT};
    lun__statement_section(&s);
    kernel(r, functions);
    r->dialect->exports(r, functions);
    lun__element_sequences(r, out);
    lun__strbuf_printf(out,
                       "\n%s%s\nstruct uniform {\n    lun_i64 n;\n%s};\n\n"
                       "INLINE void prepare(const struct frame *f, struct uniform *u)\n{\n"
                       "    u->n = f->n;\n%s}\n\n"
                       "INLINE void body(const lun_i64 i, struct frame *f, const struct uniform "
                       "*u%s%s)\n{\n%s}\n",
                       lun__strbuf_text(&r->types), lun__strbuf_text(&r->helpers),
                       lun__strbuf_text(&r->fields), lun__strbuf_text(&r->setup),
                       r->whole ? ", const int whole" : "", lun__strbuf_text(&parameters),
                       lun__strbuf_text(&body));
    if (body.failed || parameters.failed || s.labels.failed)
        out->failed = true;
    lun__strbuf_free(&body);
    lun__strbuf_free(&parameters);
    lun__strbuf_free(&s.labels);
}
