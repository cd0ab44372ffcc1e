/* value_text.c - the text of a value: its name as a vector or as a single element, its declaration,
 * the fields that hold the addresses of slots. */
#include "render/body/lanes/value_text.h"

#include <inttypes.h>

#include "render/text/element_text.h"
#include "render/text/text.h"
#include "render/vector/cast.h"

lun_rep lun__value_rep(const lun_renderer *r, int32_t v)
{
    return lun__vector_rep((lun_dtype)r->ir->ins[v].dtype, r->mask[v]);
}

lun_rep lun__value_mask_rep(const lun_renderer *r)
{
    return lun__vector_rep(LUN_BOOL, r->bytes / r->lanes);
}

lun_snippet lun__value_name(const lun_section *s, char kind, int32_t v)
{
    if (s->r->parts == 1)
        return lun__text_name("%c%" PRId32, kind, v);
    return lun__text_name("%c%" PRId32 "_%d", kind, v, s->part);
}

int lun__value_offset(const lun_section *s)
{
    return s->part * s->r->lanes;
}

lun_snippet lun__value_index(const lun_section *s)
{
    return s->part ? lun__text_name("i + %d", lun__value_offset(s)) : lun__text_name("i");
}

lun_snippet lun__value_single(const lun_section *s, int32_t v)
{
    if (s->form == LUN_SECTION_FUNCTION && lun__renderer_ins(s->r, v)->kind == LUN_IR_ARG &&
        lun__renderer_ins(s->r, v)->imm < 2)
        return lun__text_name("%c", 'a' + (int)lun__renderer_ins(s->r, v)->imm);
    bool field = (s->r->flags[v] & LUN_FACT_HOISTED) && s->need != LUN_FACT_HOISTED &&
                 s->form != LUN_SECTION_FUNCTION;
    return lun__text_name("%ss%" PRId32, field ? "u->" : "", v);
}

lun_snippet lun__value_vector(lun_section *s, int32_t v, lun_rep rep)
{
    lun_renderer *r = s->r;
    lun_rep own = lun__value_rep(r, v);
    lun_snippet x;
    if (lun__renderer_varies(r, v))
        x = lun__value_name(s, 'v', v);
    else if (r->flags[v] & LUN_FACT_HOISTED)
        x = lun__text_name("u->v%" PRId32, v);
    else
        x = lun__text_name("%s(s%" PRId32 ")", lun__vector_splat(r, own).s, v);
    if (own.mask && rep.mask && own.t != rep.t)
        return lun__text_name("%s(%s)", lun__cast_vector(r, rep, own).s, x.s);
    return x;
}

lun_snippet lun__value_declare(lun_section *s, int32_t v)
{
    if (lun__renderer_varies(s->r, v))
        return lun__text_name("const %s %s", lun__vector_type(s->r, lun__value_rep(s->r, v)).s,
                              lun__value_name(s, 'v', v).s);
    return lun__text_name("const %s s%" PRId32,
                          lun__element_type((lun_dtype)lun__renderer_ins(s->r, v)->dtype).s, v);
}

lun_snippet lun__value_slot(lun_renderer *r, int64_t slot)
{
    lun_snippet c = lun__text_name("p%" PRId64, slot),
                t = lun__element_type((lun_dtype)r->ir->slots[slot].dtype);
    bool out = r->ir->slots[slot].role == LUN_SLOT_OUT;
    bool written = out || r->ir->slots[slot].role == LUN_SLOT_TARGET;
    lun_snippet key = lun__text_name("slot %s", c.s);
    if (!lun__text_once(r, key.s))
        return c;
    lun__strbuf_printf(&r->fields, "    %s%s%s *%s;\n", lun__text_global(r).s,
                       written ? "" : "const ", t.s, c.s);
    lun__strbuf_printf(&r->setup,
                       r->dialect->frame_slots ? "    u->%s = f->slots[%" PRId64 "];\n"
                                               : "    u->%s = f->p%" PRId64 ";\n",
                       c.s, slot);
    if (!out || !r->dialect->streamed_stores)
        return c;
    lun__strbuf_printf(&r->fields, "    int t%" PRId64 ";\n", slot);
    lun__strbuf_printf(&r->setup, "    u->t%" PRId64 " = f->stream && (lun_u64)u->%s %% %d == 0;\n",
                       slot, c.s, r->bytes);
    return c;
}

bool lun__value_is_local(const lun_renderer *r, int64_t slot)
{
    return r->barriers && (r->ir->slots[slot].shared || r->ir->slots[slot].own);
}

lun_snippet lun__value_array(lun_section *s, int64_t slot)
{
    if ((s->r->locals && slot >= s->r->locals) || lun__value_is_local(s->r, slot))
        return lun__text_name("m%" PRId64, slot);
    return lun__text_name("%s%s", s->r->from ? "" : "u->", lun__value_slot(s->r, slot).s);
}

lun_snippet lun__value_element_index(lun_section *s, int64_t slot, int32_t index)
{
    lun_snippet x = lun__value_single(s, index);
    return lun__value_is_local(s->r, slot) ? lun__text_name("%s - o%" PRId64, x.s, slot) : x;
}
