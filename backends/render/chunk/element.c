/* element.c - the functions of a unit that runs a chunk element by element: the statements of one
 * element, and a loop over them. */
#include "render/chunk/element.h"

#include "render/body/arrays.h"
#include "render/body/statement.h"
#include "render/text/text.h"

/* A frame and arguments of its own can be held in registers. */
static void kernel(lun_renderer *r, lun_strbuf *out)
{
    lun_strbuf more = LUN_STRBUF_INIT;
    lun__arrays_apart(r, true, &more);
    lun__strbuf_printf(out, r->dialect->function, "kernel");
    lun__strbuf_printf(out,
                       "lun_i64 lo, lun_i64 hi, struct frame *f)\n{\n"
                       "    struct frame own = *f;\n    struct uniform u;\n"
                       "    lun_u64 args[%d];\n    for (int k = 0; k < %d; k++) args[k] = "
                       "f->args[k];\n    own.args = args;\n    prepare(&own, &u);\n"
                       "    const lun_i64 end = hi < f->n ? hi : f->n;\n"
                       "    for (lun_i64 i = lo; i < end; i++)\n        body(i, &own, &u%s);\n"
                       "    f->trap = own.trap;\n    f->trap_value = own.trap_value;\n}\n",
                       r->ir->arg_count + 1, r->ir->arg_count, lun__strbuf_text(&more));
    out->failed |= more.failed;
    lun__strbuf_free(&more);
}

void lun__chunk_elements(lun_renderer *r, lun_strbuf *out, lun_strbuf *functions)
{
    lun_strbuf body = LUN_STRBUF_INIT, parameters = LUN_STRBUF_INIT;
    lun__arrays_own(r, &body);
    lun__arrays_apart(r, false, &parameters);
    lun_section s = {
        .r = r, .out = &body, .need = LUN_FACT_BODY, .scope = -1, .form = LUN_SECTION_ELEMENT};
    lun__statement_section(&s);
    kernel(r, functions);
    r->dialect->exports(r, functions);
    lun__strbuf_printf(out,
                       "\n%s%s\nstruct uniform {\n    lun_i64 n;\n%s};\n\n"
                       "INLINE void prepare(const struct frame *f, struct uniform *u)\n{\n"
                       "    u->n = f->n;\n%s}\n\n"
                       "INLINE void body(const lun_i64 i, struct frame *f, const struct uniform "
                       "*u%s)\n{\n%s}\n",
                       lun__strbuf_text(&r->types), lun__strbuf_text(&r->helpers),
                       lun__strbuf_text(&r->fields), lun__strbuf_text(&r->setup),
                       lun__strbuf_text(&parameters), lun__strbuf_text(&body));
    if (body.failed || parameters.failed || s.labels.failed)
        out->failed = true;
    lun__strbuf_free(&body);
    lun__strbuf_free(&parameters);
    lun__strbuf_free(&s.labels);
}
