/* unit.c - the way through one kernel on GNU vectors: facts first, then the parts, then the unit
 * put together. */
#include "render/unit/unit.h"

#include <stdlib.h>
#include <string.h>

#include "render/chunk/chunk.h"
#include "render/facts/facts.h"
#include "render/facts/passes.h"
#include "render/facts/uses.h"
#include "render/user/user_text.h"

static bool is_guarded(const lun_renderer *r)
{
    for (int32_t v = 0; v < r->ir->count; v++)
        if (r->ir->ins[v].kind == LUN_IR_GATHER || r->ir->ins[v].kind == LUN_IR_CALL)
            return true;
    return r->masked;
}

/* An iteration of a loop depends on the one before: several vectors in turn hide its
 * latency, as long as they fit the registers.  One vector alone where a branch inside might
 * be skipped for it. */
static int parts_of(const lun_renderer *r)
{
    bool loops = false, divergent = false, branches = false;
    int parts = r->bytes == 64 ? 4 : 2, weight = lun__uses_weight(r, LUN_FACT_BODY);
    for (int32_t v = 0; v < r->ir->count; v++) {
        int kind = r->ir->ins[v].kind;
        bool varies = lun__renderer_varies(r, v);
        if (kind == LUN_IR_CALL)
            return 1;
        loops |= kind == LUN_IR_LOOP;
        divergent |= kind == LUN_IR_LOOP && varies;
        branches |= (kind == LUN_IR_IF || kind == LUN_IR_BLOCK) && varies;
    }
    while (parts > 1 && (parts * r->lanes > 64 || parts * weight > 240))
        parts /= 2;
    return divergent || (loops && !branches) ? parts : 1;
}

/* What facts.h's functions have allocated. */
static void forget_facts(lun_renderer *r)
{
    free(r->flags);
    free(r->mask);
    lun__ir_structure_free(&r->blocks);
    free(r->origin);
    free(r->first_var);
    r->flags = NULL;
    r->mask = NULL;
    r->origin = NULL;
    r->first_var = NULL;
}

lun_status lun__unit_versions(lun_renderer *r, lun_versions *to)
{
    const lun_ir *ir = r->ir;
    memset(to, 0, sizeof *to);
    lun_status s = lun__ir_puts(ir) ? lun__loop_versions_make(ir, to) : LUN_OK;
    if (s == LUN_OK && to->ir.count) {
        r->ir = &to->ir;
        r->from = to->from;
        r->locals = to->locals;
        r->whole = to->whole.count && r->dialect->elements ? to : NULL;
        r->libs |= LUN_RENDER_LOOPS;
    }
    if (s == LUN_OK)
        s = lun__facts_element(r);
    if (s != LUN_OK) {
        r->ir = ir;
        return s;
    }
    r->lanes = r->parts = 1;
    if (r->from)
        lun__packable_loop_find(r);
    if (!r->from || r->lanes > 1 || r->dialect->elements)
        return LUN_OK;
    /* drivers compile slowly: versions are for what gains most */
    forget_facts(r);
    r->ir = ir;
    r->from = NULL;
    r->locals = 0;
    return lun__facts_element(r);
}

lun_status lun__unit_render(lun_renderer *r, const char *first, lun_strbuf *out)
{
    lun_strbuf functions = LUN_STRBUF_INIT;
    lun_versions versions = {0};
    const lun_ir *ir = r->ir;
    lun_status s = lun__facts_find(r);
    if (s != LUN_OK)
        return s;
    bool single = r->dialect->elements && lun__walks_along(r);
    if (single) {
        r->libs |= LUN_RENDER_SINGLE;
        forget_facts(r);
        s = lun__unit_versions(r, &versions);
        if (s != LUN_OK) {
            lun__loop_versions_free(&versions);
            return s;
        }
        lun__strbuf_puts(out, "/* Lunarray kernel: single elements. */\n");
    } else {
        r->guarded = is_guarded(r);
        r->parts = parts_of(r);
        lun__strbuf_printf(out, "/* Lunarray kernel: vectors of %d bytes, %d lanes. */\n", r->bytes,
                           r->lanes);
    }
    lun__user_texts(r, out);
    lun__strbuf_puts(out, first);
    if (single)
        lun__chunk_elements(r, out, &functions);
    else
        lun__chunk_functions(r, out, &functions);
    lun__strbuf_puts(out, lun__strbuf_text(&functions));
    if (functions.failed)
        out->failed = true;
    lun__strbuf_free(&functions);
    r->ir = ir;
    r->whole = NULL;
    lun__loop_versions_free(&versions);
    return LUN_OK;
}

lun_status lun__unit_end(lun_renderer *r, lun_status s, lun_strbuf *out)
{
    lun_strbuf *const parts[] = {&r->types, &r->helpers, &r->fields, &r->setup,  &r->prepare,
                                 &r->keys,  &r->after,   &r->made,   &r->problem};
    bool failed = out->failed;
    for (size_t i = 0; i < sizeof parts / sizeof *parts; i++)
        failed |= parts[i]->failed;
    if (s == LUN_OK && failed)
        s = LUN_ENOMEM;
    if (s == LUN_OK && r->problem.length) {
        lun__strbuf_clear(out);
        lun__strbuf_puts(out, lun__strbuf_text(&r->problem));
        s = LUN_EARG;
    }
    for (size_t i = 0; i < sizeof parts / sizeof *parts; i++)
        lun__strbuf_free(parts[i]);
    forget_facts(r);
    return s;
}
