/* gather.c - elements of arrays at computed indices, and checks of indices.
 *
 * Where the index is affine (render/facts/affine_values.c), that of the first lane gives those
 * of the others: a gather is a masked load, and a check of the range compares single elements. */
#include "render/body/statement.h"

#include <inttypes.h>

#include "render/body/lanes/lane_barrier.h"
#include "render/body/lanes/mask.h"
#include "render/body/lanes/value_text.h"
#include "render/facts/passes.h"
#include "render/text/element_text.h"
#include "render/text/text.h"
#include "render/vector/bits.h"
#include "render/vector/cast.h"
#include "render/vector/vector_memory.h"

void lun__gather_first(lun_section *s, int32_t v)
{
    const lun_ir_ins *ins = lun__renderer_ins(s->r, v);
    lun_snippet a = lun__value_name(s, 'a', v);
    if (!(s->r->flags[v] & LUN_FACT_AFFINE))
        return;
    if (ins->kind == LUN_IR_INDEX) {
        lun__text_line(s, "const lun_i64 %s = %s;", a.s, lun__value_index(s).s);
        return;
    }
    int32_t moving = s->r->flags[ins->a] & LUN_FACT_AFFINE ? ins->a : ins->b;
    lun__text_line(s, "const lun_i64 %s = %s %c %s;", a.s, lun__value_name(s, 'a', moving).s,
                   ins->op == LUN_OP_SUB ? '-' : '+',
                   lun__value_single(s, moving == ins->a ? ins->b : ins->a).s);
}

/* ---- loads ----------------------------------------------------------------------------------- */

/* The instruction that loads the lanes of a mask and reads no other memory; "": there is none. */
static const char *masked_load(const lun_renderer *r, lun_rep rep)
{
    int bytes = lun__vector_rep_bytes(rep), total = bytes * r->lanes;
    if (!lun__bits_usable(r) || rep.mask || total < 16 || total > 64)
        return "";
    return bytes == 1 ? "vmovdqu8" : bytes == 2 ? "vmovdqu16" : bytes == 4 ? "vmovups" : "vmovupd";
}

/* (array, index of the first lane, mask) */
static lun_snippet consecutive(lun_renderer *r, lun_rep rep)
{
    lun_snippet c = lun__text_name("lun_masked_%s", lun__vector_rep_name(rep).s);
    const char *load = masked_load(r, rep);
    lun_strbuf text = LUN_STRBUF_INIT;
    if (!lun__text_once(r, c.s))
        return c;
    lun_snippet mask = lun__vector_type(r, lun__value_mask_rep(r));
    lun__strbuf_printf(&text, "INLINE $v %s($gconst %s *p, lun_i64 a, %s mask)\n{\n    $v r;\n",
                       c.s, rep.mask ? "lun_u8" : "$t", mask.s);
    if (*load)
        lun__strbuf_printf(
            &text,
            "    typedef $v loose __attribute__((aligned(1), may_alias));\n"
            "    __asm__(\"%s %%1, %%0%%{%%2%%}%%{z%%}\" : \"=v\"(r) : \"m\"(*(const loose *)(p + "
            "a)), \"Yk\"(%s(mask)));\n",
            load, lun__bits_of_mask(r).s);
    else
        lun__strbuf_printf(&text,
                           "    if (__builtin_expect(!%s(~mask), 1)) return %s(p, a);\n"
                           "    for (int l = 0; l < $W; l++) r[l] = mask[l] ? %sp[a + l]%s : 0;\n",
                           lun__vector_any(r, lun__vector_rep_bytes(lun__value_mask_rep(r))).s,
                           lun__vector_memory_load(r, rep, false).s, rep.mask ? "-(" : "",
                           rep.mask ? " != 0)" : "");
    lun__strbuf_puts(&text, "    return r;\n}\n");
    lun__vector_helper(r, rep, lun__strbuf_text(&text));
    if (text.failed)
        r->helpers.failed = true;
    lun__strbuf_free(&text);
    return c;
}

/* (array, indices, mask): lanes that are not active read element 0, which every array has. */
static lun_snippet anywhere(lun_renderer *r, lun_rep rep)
{
    lun_snippet c = lun__text_name("lun_gather_%s", lun__vector_rep_name(rep).s);
    if (!lun__text_once(r, c.s))
        return c;
    lun_strbuf text = LUN_STRBUF_INIT;
    lun_snippet index = lun__vector_of(r, LUN_I64, r->lanes);
    lun__strbuf_printf(&text,
                       "INLINE $v %s($gconst %s *p, %s a, %s mask)\n{\n    $v r;\n    a &= mask;\n"
                       "    LANES($W) r[l] = %sp[a[l]]%s;\n    return r;\n}\n",
                       c.s, rep.mask ? "lun_u8" : "$t", index.s, index.s, rep.mask ? "-(" : "",
                       rep.mask ? " != 0)" : "");
    lun__vector_helper(r, rep, lun__strbuf_text(&text));
    lun__strbuf_free(&text);
    return c;
}

void lun__gather_statement(lun_section *s, int32_t v)
{
    lun_renderer *r = s->r;
    lun_rep rep = lun__value_rep(r, v);
    int32_t a = lun__renderer_ins(s->r, v)->a;
    lun_snippet p = lun__value_slot(r, lun__renderer_ins(s->r, v)->imm),
                type = lun__vector_type(r, rep);
    if (r->flags[a] & LUN_FACT_AFFINE)
        lun__text_line(s, "const %s %s = %s(u->%s, %s, %s);", type.s, lun__value_name(s, 'v', v).s,
                       consecutive(r, rep).s, p.s, lun__value_name(s, 'a', a).s,
                       lun__mask_current(s, lun__vector_rep_bytes(lun__value_mask_rep(r))).s);
    else
        lun__text_line(s, "const %s %s = %s(u->%s, %s, %s);", type.s, lun__value_name(s, 'v', v).s,
                       anywhere(r, rep).s, p.s,
                       lun__value_vector(s, a, (lun_rep){LUN_I64, false}).s,
                       lun__mask_current(s, 8).s);
}

/* ---- checks ---------------------------------------------------------------------------------- */

/* The lanes of what a check reports as i64: numbers, or the bits of floats. */
static lun_snippet reported(lun_section *s, int32_t v)
{
    lun_dtype t = (lun_dtype)lun__renderer_ins(s->r, v)->dtype;
    bool wide = lun__dtype_bits(t) == 64;
    lun_rep bits = {wide ? LUN_I64 : LUN_U32, false}, full = {LUN_I64, false};
    lun_snippet x = lun__value_vector(s, v, (lun_rep){t, false});
    if (lun__dtype_is_float(t))
        x = lun__text_name("(%s)%s", lun__vector_type(s->r, bits).s, x.s);
    return wide ? x : lun__text_name("%s(%s)", lun__cast_vector(s->r, full, bits).s, x.s);
}

/* The same of a single element. */
static lun_snippet reported_single(lun_section *s, int32_t v)
{
    lun_dtype t = (lun_dtype)lun__renderer_ins(s->r, v)->dtype;
    lun_snippet x = lun__value_single(s, v);
    if (!lun__dtype_is_float(t))
        return x;
    return lun__text_name("(lun_i64)%s(%s)", lun__element_cell(s->r, t).s, x.s);
}

/* The same as a combiner's trap (lun__ir_inner_trap); instructions have less than LUN_IR_WHERE_BITS
 * bits. */
static lun_snippet reported_inner(lun_section *s, int32_t where, int32_t v)
{
    if (v < 0 || lun__dtype_is_float((lun_dtype)lun__renderer_ins(s->r, v)->dtype))
        return lun__text_name("%" PRId32, where);
    lun_snippet x = lun__value_single(s, v);
    return lun__text_name("(%s >> 42) + 1 >> 1 ? %" PRId32
                          " : (lun_i64)((lun_u64)%s << %d) | %" PRId32,
                          x.s, where, x.s, LUN_IR_WHERE_BITS + 1, where | 1 << LUN_IR_WHERE_BITS);
}

static void check_single(lun_section *s, int32_t v)
{
    const lun_ir_ins *ins = lun__renderer_ins(s->r, v);
    lun_snippet value = lun__text_name("0");
    lun__text_line(s, "if (!%s) {", lun__value_single(s, ins->a).s);
    if (s->form == LUN_SECTION_FUNCTION)
        value = reported_inner(s, v, ins->b);
    else if (ins->b >= 0)
        value = reported_single(s, ins->b);
    lun__text_line(s, "    if (f->trap < 0) f->trap = %" PRId32 ", f->trap_value = %s;",
                   s->form == LUN_SECTION_FUNCTION ? s->where : lun__renderer_number(s->r, v),
                   value.s);
    s->depth++;
    if (s->r->barriers)
        lun__lane_barrier_leave(s, v);
    else
        lun__text_line(s, s->form == LUN_SECTION_FUNCTION ? "return 0;" : "return;");
    s->depth--;
    lun__text_line(s, "}");
}

/* (mask, i, first lane, low, high, frame, instruction): as lun__vector_note, for active lanes out
 * of range. */
static lun_snippet note_range(lun_renderer *r)
{
    lun_rep full = lun__value_mask_rep(r);
    lun_snippet c = lun__text_name("lun_note_range_%s", lun__vector_rep_name(full).s);
    if (lun__text_once(r, c.s))
        lun__vector_helper(
            r, full,
            "static __attribute__((noinline, cold)) int lun_note_range_$n(const $m *mask, "
            "lun_i64 i, lun_i64 first,\n    lun_i64 low, lun_i64 high, struct frame *f, "
            "lun_i64 where)\n{\n"
            "    for (int l = 0; l < $W; l++) {\n        if (!(*mask)[l] || i + l >= f->n) "
            "continue;\n"
            "        if (first + l >= low && first + l <= high) continue;\n"
            "        if (f->trap < 0) {\n            f->trap = where;\n"
            "            f->trap_value = first + l;\n        }\n"
            "        return 1;\n    }\n    return 0;\n}\n");
    return c;
}

/* The first lane and the last one decide; lanes are tested one by one only if one of these is out
 * of range. */
static void check_range(lun_section *s, int32_t v, int32_t x, lun_snippet low, lun_snippet high)
{
    lun_renderer *r = s->r;
    lun_snippet first = lun__value_name(s, 'a', x), note = note_range(r);
    lun__text_line(s, "if (__builtin_expect(!(%s >= %s && %s <= %s - %d), 0)) {", first.s, low.s,
                   first.s, high.s, r->lanes * r->parts - 1);
    s->depth++;
    EACH_PART(s)
    {
        lun_snippet z = lun__value_name(s, 'z', v);
        lun__text_line(s, "const %s %s = %s;", lun__mask_type(s).s, z.s,
                       lun__mask_of(s, s->scope).s);
        lun__text_line(s, "if (%s(&%s, %s, %s, %s, %s, f, %" PRId32 ")) return;", note.s, z.s,
                       lun__value_index(s).s, lun__value_name(s, 'a', x).s, low.s, high.s, v);
    }
    s->part = 0;
    s->depth--;
    lun__text_line(s, "}");
}

static void check_lanes(lun_section *s, int32_t v)
{
    const lun_ir_ins *ins = lun__renderer_ins(s->r, v);
    lun_renderer *r = s->r;
    lun_rep full = lun__value_mask_rep(r), value = {LUN_I64, false};
    lun_snippet note = lun__vector_note(r, lun__vector_rep_bytes(full));
    EACH_PART(s)
    lun__text_line(s, "const %s %s = %s & ~%s;", lun__mask_type(s).s, lun__value_name(s, 'z', v).s,
                   lun__mask_of(s, s->scope).s, lun__value_vector(s, ins->a, full).s);
    s->part = 0;
    lun__mask_test(s, "if (__builtin_expect(", 'z', v, ", 0)) {");
    s->depth++;
    EACH_PART(s)
    {
        lun_snippet z = lun__value_name(s, 'z', v), y = lun__value_name(s, 'y', v);
        if (ins->b >= 0)
            lun__text_line(s, "const %s %s = %s;", lun__vector_type(r, value).s, y.s,
                           reported(s, ins->b).s);
        lun__text_line(s, "if (%s(&%s, %s, f, %" PRId32 ", %s%s)) return;", note.s, z.s,
                       lun__value_index(s).s, v, ins->b >= 0 ? "(const lun_i64 *)&" : "0",
                       ins->b >= 0 ? y.s : "");
    }
    s->part = 0;
    s->depth--;
    lun__text_line(s, "}");
}

void lun__gather_check(lun_section *s, int32_t v)
{
    int32_t x, low, high;
    s->part = 0;
    if (s->form != LUN_SECTION_VECTORS)
        check_single(s, v);
    else if (lun__affine_range(s->r, v, &x, &low, &high))
        check_range(s, v, x, lun__value_single(s, low), lun__value_single(s, high));
    else
        check_lanes(s, v);
}
