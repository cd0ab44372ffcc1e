/* element.c - the functions of a unit that runs a chunk element by element: the statements of one
 * element, and a loop over them. */
#include "render/chunk/element.h"

#include <inttypes.h>

#include "render/body/statement.h"
#include "render/text/element.h"
#include "render/text/text.h"

/* Whether statements read or put elements of the slot. */
static bool is_used(const lun_renderer *r, int slot)
{
    for (int32_t i = 0; i < r->ir->count; i++)
        if ((r->flags[i] & LUN_FACT_BODY) && r->ir->ins[i].imm == slot &&
            lun__ir_row(r->ir->ins[i].kind)->imm == LUN_IMM_SLOT)
            return true;
    return false;
}

/* A kernel in versions takes its arrays as parameters of the body, or with `call` as arguments:
 * those of which a compiler may know that they are apart (lun_ir_role). */
static void arrays(const lun_renderer *r, bool call, lun_strbuf *out)
{
    for (int k = 0; r->from && k < (r->locals ? r->locals : r->ir->slot_count); k++) {
        const lun_ir_slot *slot = &r->ir->slots[k];
        const bool written = slot->role == LUN_SLOT_TARGET || slot->role == LUN_SLOT_OUT;
        const bool apart = slot->role == LUN_SLOT_TARGET || slot->role == LUN_SLOT_ARRAY;
        if (!is_used(r, k))
            continue;
        if (call)
            lun__strbuf_printf(out, ", u.p%d", k);
        else
            lun__strbuf_printf(out, ", %s%s *%s p%d", written ? "" : "const ",
                               lun__element_type((lun_dtype)slot->dtype).s,
                               apart ? "restrict" : "const", k);
    }
}

/* The arrays of each index itself. */
static void locals(const lun_renderer *r, lun_strbuf *out)
{
    for (int k = r->locals; k && k < r->ir->slot_count; k++)
        if (is_used(r, k))
            lun__strbuf_printf(out, "    %s m%d[%" PRId64 "] = {0};\n",
                               lun__element_type((lun_dtype)r->ir->slots[k].dtype).s, k,
                               r->ir->slots[k].own);
}

/* A frame and arguments of its own can be held in registers. */
static void kernel(lun_renderer *r, lun_strbuf *out)
{
    lun_strbuf more = LUN_STRBUF_INIT;
    arrays(r, true, &more);
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
    locals(r, &body);
    arrays(r, false, &parameters);
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
