/* chunk.c - the functions of a unit on GNU vectors: the parts that evaluate IR, what is computed
 * once for a chunk, and what runs the parts over a chunk. */
#include "render/chunk/chunk.h"

#include <inttypes.h>
#include <stdio.h>

#include "render/body/lanes/value_text.h"
#include "render/body/statement.h"
#include "render/facts/uses.h"
#include "render/text/element_text.h"
#include "render/text/text.h"

/* ---- the parts' functions -------------------------------------------------------------------- */

static void section(lun_renderer *r, unsigned need, const char *name, lun_strbuf *out)
{
    lun_strbuf body = LUN_STRBUF_INIT;
    lun_section s = {.r = r, .out = &body, .need = need, .scope = -1};
    if (r->guarded) {
        lun_rep full = lun__value_mask_rep(r);
        lun__text_line(&s, "if (i >= u->n) return;");
        for (s.part = 0; s.part < r->parts; s.part++)
            lun__text_line(&s, "const %s k%s = %s(u->n - (%s));", lun__vector_type(r, full).s,
                           r->parts > 1 ? lun__text_name("_%d", s.part).s : "",
                           lun__vector_live(r, lun__vector_rep_bytes(full)).s,
                           lun__value_index(&s).s);
        s.part = 0;
    }
    lun__statement_section(&s);
    lun__strbuf_printf(out, "\nINLINE void %s(lun_i64 i, struct frame *f, const struct uniform *u",
                       name);
    lun__loop_parameters(r, need, out, NULL, NULL);
    lun__strbuf_printf(out, ")\n{\n%s}\n", lun__strbuf_text(&body));
    if (body.failed || s.labels.failed)
        out->failed = true;
    lun__strbuf_free(&body);
    lun__strbuf_free(&s.labels);
}

/* Appends the function that computes hoisted values once for a chunk. Called after the other
 * sections: these say which values they read. */
static void prepare(lun_renderer *r, lun_strbuf *out)
{
    lun_section s = {.r = r, .out = &r->prepare, .need = LUN_FACT_HOISTED, .scope = -1};
    lun__statement_section(&s);
    lun__strbuf_printf(out,
                       "\nstruct uniform {\n    lun_i64 n;\n%s};\n\n"
                       "INLINE void prepare(lun_i64 i, struct frame *f, struct uniform *u)\n{\n"
                       "    u->n = f->n;\n%s%s%s}\n",
                       lun__strbuf_text(&r->fields), lun__strbuf_text(&r->setup),
                       lun__strbuf_text(&r->prepare), lun__strbuf_text(&r->keys));
}

/* ---- the unit's functions -------------------------------------------------------------------- */

/* The body's reductions. */
static void body_sinks(lun_renderer *r, lun_loop *l)
{
    uint64_t identity;
    for (int32_t v = 0; v < r->ir->count; v++) {
        const lun_ir_ins *ins = &r->ir->ins[v];
        if (ins->kind != LUN_IR_REDUCE)
            continue;
        if (l->count == LUN_IR_SINKS) {
            lun__strbuf_puts(&r->problem, "too many reductions in one kernel");
            return;
        }
        lun_sink *s = &l->sinks[l->count++];
        s->v = v;
        s->way = lun__ir_gives_index(ins)              ? LUN_LOOP_INDICES
                 : lun__uses_identity(r, v, &identity) ? LUN_LOOP_LANES
                                                       : LUN_LOOP_ELEMENTS;
        snprintf(s->name, sizeof s->name, "x%" PRId64, ins->imm);
        snprintf(s->target, sizeof s->target, "f->partials[%" PRId64 "]", ins->imm);
    }
}

static void kernel(lun_renderer *r, lun_strbuf *out)
{
    lun_loop body = {.need = LUN_FACT_BODY}, operand = {.need = LUN_FACT_OPERAND};
    bool scan = r->ir->scan >= 0;
    body_sinks(r, &body);
    const bool parts = body.count && !scan && r->dialect->frame_slots;
    lun__loop_open(r, "kernel", parts, out);
    lun__loop_before(r, &body, out);
    if (scan)
        lun__scan_before(r, out);
    if (parts)
        lun__loop_parts(out);
    lun__loop_block(r, scan ? LUN_FACT_BODY | LUN_FACT_OPERAND : LUN_FACT_BODY, body.count || scan,
                    parts, out);
    if (scan) {
        lun__scan_sink(r, &operand);
        lun__loop_vectors(r, &operand, out);
        lun__scan_step(r, out);
    }
    lun__loop_vectors(r, &body, out);
    lun__loop_after_block(r, &body, out);
    lun__strbuf_puts(out, parts ? "    }\n    }\n" : "    }\n");
    lun__loop_results(r, &body, out);
    lun__strbuf_puts(out, "}\n");
}

void lun__chunk_functions(lun_renderer *r, lun_strbuf *out, lun_strbuf *functions)
{
    lun_strbuf parts = LUN_STRBUF_INIT, uniform = LUN_STRBUF_INIT;
    bool scan = r->ir->scan >= 0;
    if (scan)
        section(r, LUN_FACT_OPERAND, "operand", &parts);
    section(r, LUN_FACT_BODY, "body", &parts);
    kernel(r, functions);
    if (scan)
        lun__scan_total(r, functions);
    r->dialect->exports(r, functions);
    prepare(r, &uniform);
    lun__strbuf_puts(out, "\n/* Vectors and single elements. */\n");
    lun__element_sequences(r, out);
    lun__strbuf_puts(out, lun__strbuf_text(&r->types));
    lun__strbuf_puts(out, lun__strbuf_text(&r->helpers));
    lun__strbuf_puts(out, lun__strbuf_text(&uniform));
    lun__strbuf_puts(out, lun__strbuf_text(&parts));
    if (parts.failed || uniform.failed)
        out->failed = true;
    lun__strbuf_free(&parts);
    lun__strbuf_free(&uniform);
}
