/* gather.c - elements of arrays at computed places, and the checks that come before.
 *
 * Where places grow by one from index to index (AFFINE, render/facts/affine.c), the first lane's tells those of the
 * others: a gather is a load of the lanes that take part, and a check of the range compares single
 * elements. */
#include "render/body/gather.h"

#include <inttypes.h>

#include "render/body/mask.h"
#include "render/body/value.h"
#include "render/facts/affine.h"
#include "render/text/text.h"
#include "render/vector/bits.h"
#include "render/vector/memory.h"

void lun_cfirst_lane(lun_csection *s, int32_t v)
{
    const lun_ir_ins *ins = lun__ins(s->r, v);
    lun_cname a = lun_cnamed(s, 'a', v);
    if (!(s->r->flags[v] & LUN_CF_AFFINE))
        return;
    if (ins->kind == LUN_IR_INDEX) {
        lun_cline(s, "const lun_i64 %s = %s;", a.s, lun_cindex(s).s);
        return;
    }
    int32_t moving = s->r->flags[ins->a] & LUN_CF_AFFINE ? ins->a : ins->b;
    lun_cline(s, "const lun_i64 %s = %s %c %s;", a.s, lun_cnamed(s, 'a', moving).s,
              ins->op == LUN_OP_SUB ? '-' : '+',
              lun_cas_scalar(s, moving == ins->a ? ins->b : ins->a).s);
}

/* ---- loads --------------------------------------------------------------------------------------- */

/* The instruction that loads the lanes of a mask and leaves the rest of memory alone, "": none. */
static const char *masked_load(const lun_crender *r, lun_crep rep)
{
    int bytes = lun_crep_bytes(rep), total = bytes * r->lanes;
    if (!lun_cbits(r) || rep.mask || total < 16 || total > 64)
        return "";
    return bytes == 1 ? "vmovdqu8" : bytes == 2 ? "vmovdqu16" : bytes == 4 ? "vmovups" : "vmovupd";
}

/* (array, place of the first lane, mask) */
static lun_cname consecutive(lun_crender *r, lun_crep rep)
{
    lun_cname c = lun_cname_of("lun_masked_%s", lun_crep_name(rep).s);
    const char *load = masked_load(r, rep);
    lun_strbuf text = LUN_STRBUF_INIT;
    if (!lun_cmake(r, c.s))
        return c;
    lun_cname mask = lun_cvtype(r, lun_cfull_mask(r));
    lun_strbuf_printf(&text, "INLINE $v %s($gconst %s *p, lun_i64 a, %s mask)\n{\n    $v r;\n", c.s,
                      rep.mask ? "lun_u8" : "$t", mask.s);
    if (*load)
        lun_strbuf_printf(
            &text,
            "    typedef $v loose __attribute__((aligned(1), may_alias));\n"
            "    __asm__(\"%s %%1, %%0%%{%%2%%}%%{z%%}\" : \"=v\"(r) : \"m\"(*(const loose *)(p + "
            "a)), \"Yk\"(%s(mask)));\n",
            load, lun_cbits_of_mask(r).s);
    else
        lun_strbuf_printf(&text,
                          "    if (__builtin_expect(!%s(~mask), 1)) return %s(p, a);\n"
                          "    for (int l = 0; l < $W; l++) r[l] = mask[l] ? %sp[a + l]%s : 0;\n",
                          lun_cvector_any(r, lun_crep_bytes(lun_cfull_mask(r))).s,
                          lun_cvector_load(r, rep, false).s, rep.mask ? "-(" : "",
                          rep.mask ? " != 0)" : "");
    lun_strbuf_puts(&text, "    return r;\n}\n");
    lun_chelper(r, rep, lun_strbuf_text(&text));
    if (text.failed)
        r->helpers.failed = true;
    lun_strbuf_free(&text);
    return c;
}

/* (array, places, mask): lanes that take no part look at element 0, which exists as others do. */
static lun_cname anywhere(lun_crender *r, lun_crep rep)
{
    lun_cname c = lun_cname_of("lun_gather_%s", lun_crep_name(rep).s);
    if (!lun_cmake(r, c.s))
        return c;
    lun_strbuf text = LUN_STRBUF_INIT;
    lun_cname index = lun_cvector(r, LUN_I64, r->lanes);
    lun_strbuf_printf(&text,
                      "INLINE $v %s($gconst %s *p, %s a, %s mask)\n{\n    $v r;\n    a &= mask;\n"
                      "    LANES($W) r[l] = %sp[a[l]]%s;\n    return r;\n}\n",
                      c.s, rep.mask ? "lun_u8" : "$t", index.s, index.s, rep.mask ? "-(" : "",
                      rep.mask ? " != 0)" : "");
    lun_chelper(r, rep, lun_strbuf_text(&text));
    lun_strbuf_free(&text);
    return c;
}

void lun_cgather(lun_csection *s, int32_t v)
{
    lun_crender *r = s->r;
    lun_crep rep = lun_cvalue_rep(r, v);
    int32_t a = lun__ins(s->r, v)->a;
    lun_cname p = lun_cslot(r, lun__ins(s->r, v)->imm), type = lun_cvtype(r, rep);
    if (r->flags[a] & LUN_CF_AFFINE)
        lun_cline(s, "const %s %s = %s(u->%s, %s, %s);", type.s, lun_cnamed(s, 'v', v).s,
                  consecutive(r, rep).s, p.s, lun_cnamed(s, 'a', a).s,
                  lun_ccurrent(s, lun_crep_bytes(lun_cfull_mask(r))).s);
    else
        lun_cline(s, "const %s %s = %s(u->%s, %s, %s);", type.s, lun_cnamed(s, 'v', v).s,
                  anywhere(r, rep).s, p.s, lun_cas_vector(s, a, (lun_crep){LUN_I64, false}).s,
                  lun_ccurrent(s, 8).s);
}

/* ---- checks -------------------------------------------------------------------------------------- */

static void check_single(lun_csection *s, int32_t v)
{
    const lun_ir_ins *ins = lun__ins(s->r, v);
    lun_cname value = ins->b >= 0 ? lun_cas_scalar(s, ins->b) : lun_cname_of("0");
    lun_cline(s, "if (!%s) {", lun_cas_scalar(s, ins->a).s);
    if (s->single)
        value = lun_cname_of("%" PRId32, v);
    lun_cline(s, "    if (f->trap < 0) f->trap = %" PRId32 ", f->trap_value = %s;",
              s->single ? s->where : v, value.s);
    lun_cline(s, s->single ? "    return 0;" : "    return;");
    lun_cline(s, "}");
}

/* (mask, i, first lane, low, high, frame, instruction): as lun_cvector_note, for lanes out of range. */
static lun_cname note_range(lun_crender *r)
{
    lun_crep full = lun_cfull_mask(r);
    lun_cname c = lun_cname_of("lun_note_range_%s", lun_crep_name(full).s);
    if (lun_cmake(r, c.s))
        lun_chelper(r, full,
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

/* The first lane and the last one tell; each lane is looked at only if one of them is out of range. */
static void check_range(lun_csection *s, int32_t v, int32_t x, lun_cname low, lun_cname high)
{
    lun_crender *r = s->r;
    lun_cname first = lun_cnamed(s, 'a', x), note = note_range(r);
    lun_cline(s, "if (__builtin_expect(!(%s >= %s && %s <= %s - %d), 0)) {", first.s, low.s,
              first.s, high.s, r->lanes * r->parts - 1);
    s->depth++;
    EACH_PART(s)
    {
        lun_cname z = lun_cnamed(s, 'z', v);
        lun_cline(s, "const %s %s = %s;", lun_cmask_type(s).s, z.s, lun_cmask_of(s, s->scope).s);
        lun_cline(s, "if (%s(&%s, %s, %s, %s, %s, f, %" PRId32 ")) return;", note.s, z.s,
                  lun_cindex(s).s, lun_cnamed(s, 'a', x).s, low.s, high.s, v);
    }
    s->part = 0;
    s->depth--;
    lun_cline(s, "}");
}

static void check_lanes(lun_csection *s, int32_t v)
{
    const lun_ir_ins *ins = lun__ins(s->r, v);
    lun_crender *r = s->r;
    lun_crep full = lun_cfull_mask(r), value = {LUN_I64, false};
    lun_cname note = lun_cvector_note(r, lun_crep_bytes(full));
    EACH_PART(s)
    lun_cline(s, "const %s %s = %s & ~%s;", lun_cmask_type(s).s, lun_cnamed(s, 'z', v).s,
              lun_cmask_of(s, s->scope).s, lun_cas_vector(s, ins->a, full).s);
    s->part = 0;
    lun_ctest_line(s, "if (__builtin_expect(", 'z', v, ", 0)) {");
    s->depth++;
    EACH_PART(s)
    {
        lun_cname z = lun_cnamed(s, 'z', v), y = lun_cnamed(s, 'y', v);
        if (ins->b >= 0)
            lun_cline(s, "const %s %s = %s;", lun_cvtype(r, value).s, y.s,
                      lun_cas_vector(s, ins->b, value).s);
        lun_cline(s, "if (%s(&%s, %s, f, %" PRId32 ", %s%s)) return;", note.s, z.s, lun_cindex(s).s,
                  v, ins->b >= 0 ? "(const lun_i64 *)&" : "0", ins->b >= 0 ? y.s : "");
    }
    s->part = 0;
    s->depth--;
    lun_cline(s, "}");
}

void lun_ccheck(lun_csection *s, int32_t v)
{
    int32_t x, low, high;
    s->part = 0;
    if (s->single || s->element)
        check_single(s, v);
    else if (lun_cfacts_range(s->r, v, &x, &low, &high))
        check_range(s, v, x, lun_cas_scalar(s, low), lun_cas_scalar(s, high));
    else
        check_lanes(s, v);
}
