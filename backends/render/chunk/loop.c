/* loop.c - the loop over a chunk in blocks of 64 indices, and where the values go that a part's
 * statements hand over: lanes of reductions, elements for the pair tree, operands of a scan.
 * ir/combine_order.h fixes the order of combination. */
#include "render/chunk/loop.h"

#include <inttypes.h>

#include "render/chunk/chunk.h"
#include "render/facts/uses.h"
#include "render/text/element_text.h"
#include "render/text/text.h"
#include "render/vector/cast.h"
#include "render/vector/operation.h"
#include "render/vector/vector_memory.h"

enum { UNROLLED = 64 }; /* statements of a loop that is unrolled by a pragma, at most */

/* ---- parameters ------------------------------------------------------------------------------ */

static bool needed(const lun_renderer *r, int32_t v, unsigned need)
{
    return (r->flags[v] & need) != 0;
}

/* Parameters after (i, f, u) or, with `offset`, the arguments for them; values are handed over in
 * arrays with that suffix, an element for each part. */
void lun__loop_parameters(lun_renderer *r, unsigned need, lun_strbuf *out, const char *offset,
                          const char *suffix)
{
    for (int32_t v = 0; v < r->ir->count; v++) {
        const lun_ir_ins *ins = &r->ir->ins[v];
        lun_dtype t = (lun_dtype)ins->dtype;
        if (!needed(r, v, need))
            continue;
        if (r->flags[v] & (LUN_FACT_WIDE | LUN_FACT_NARROW))
            t = r->flags[v] & LUN_FACT_WIDE ? LUN_F32 : LUN_I32;
        lun_rep rep = lun__vector_rep(t, r->bytes / r->lanes);
        if (ins->kind == LUN_IR_REDUCE) {
            if (offset)
                lun__strbuf_printf(out, ", x%" PRId64 "%s", ins->imm, suffix);
            else
                lun__strbuf_printf(out, ", %s *x%" PRId64, lun__vector_type(r, rep).s, ins->imm);
        } else if (ins->kind == LUN_IR_SCAN) {
            if (offset)
                lun__strbuf_printf(out, ", scan%s", offset);
            else
                lun__strbuf_printf(out, ", const %s *scan", lun__element_type(rep.t).s);
        } else if (r->flags[v] & LUN_FACT_STREAM) {
            if (offset)
                lun__strbuf_printf(out, ", w%" PRId32 "%s", v, offset);
            else
                lun__strbuf_printf(out, ", const %s *w%" PRId32, lun__element_type(t).s, v);
        }
    }
    if (need != LUN_FACT_OPERAND)
        return;
    lun_rep rep = lun__vector_rep((lun_dtype)r->ir->ins[r->ir->scan].dtype, r->bytes / r->lanes);
    if (offset)
        lun__strbuf_printf(out, ", x%s", suffix);
    else
        lun__strbuf_printf(out, ", %s *x", lun__vector_type(r, rep).s);
}

/* ---- lanes ----------------------------------------------------------------------------------- */

static lun_rep rep_of(const lun_renderer *r, int32_t v)
{
    if (r->flags[v] & LUN_FACT_NARROW)
        return (lun_rep){LUN_I32, false};
    return lun__vector_rep((lun_dtype)r->ir->ins[v].dtype, r->bytes / r->lanes);
}

/* The accumulators of a WIDE reduction have half the lanes of other vectors: sets r->lanes, returns
 * what it was. */
static int shorten(lun_renderer *r, int32_t v)
{
    int lanes = r->lanes;
    if (r->flags[v] & LUN_FACT_WIDE)
        r->lanes /= 2;
    return lanes;
}

/* Name of the function that takes one half of an f32 vector as f64; to be called with full
 * lanes. */
static lun_snippet half(lun_renderer *r, int number)
{
    int lanes = r->lanes;
    lun_rep single = lun__vector_rep(LUN_F32, 4), twice = lun__vector_rep(LUN_F64, 8);
    lun_snippet c = lun__text_name("lun_half%d", number), whole = lun__vector_type(r, single);
    if (!lun__text_once(r, c.s))
        return c;
    r->lanes /= 2;
    lun_snippet part = lun__vector_type(r, single), to = lun__vector_type(r, twice),
                cast = lun__cast_vector(r, twice, single);
    r->lanes = lanes;
    lun_strbuf *out = &r->helpers;
    lun__strbuf_printf(out,
                       "INLINE %s %s(%s a)\n{\n    %s b;\n"
                       "    __builtin_memcpy(&b, (const lun_f32 *)&a + %d, sizeof b);\n"
                       "    return %s(b);\n}\n",
                       to.s, c.s, whole.s, part.s, number * lanes / 2, cast.s);
    return c;
}

/* lun_lane<v>(acc, x, left): combines x with the accumulator; lanes beyond the last index take the
 * identity. */
static void lane_helper(lun_renderer *r, int32_t v)
{
    lun_rep rep = rep_of(r, v);
    uint64_t bits = 0;
    lun_snippet op = lun__operation_vector(r, (lun_op)r->ir->ins[v].op, rep),
                splat = lun__vector_splat(r, rep);
    if (!lun__uses_identity(r, v, &bits) ||
        !lun__text_once(r, lun__text_name("lun_lane%" PRId32, v).s))
        return;
    lun_snippet id = lun__element_const(r, (lun_dtype)r->ir->ins[v].dtype, bits);
    lun_strbuf text = LUN_STRBUF_INIT;
    lun__strbuf_printf(&text, "INLINE $v lun_identity%" PRId32 "(void)\n{\n    return %s(%s);\n}\n",
                       v, splat.s, id.s);
    lun__strbuf_printf(
        &text,
        "INLINE $v lun_lane%" PRId32 "($v acc, $v x, lun_i64 left)\n{\n"
        "    if (__builtin_expect(left < $W, 0))\n        x = %s(%s(left), x, lun_identity%" PRId32
        "());\n    return %s(acc, x);\n}\n",
        v, lun__vector_select(r, rep).s, lun__vector_live(r, lun__vector_rep_bytes(rep)).s, v,
        op.s);
    lun__vector_helper(r, rep, lun__strbuf_text(&text));
    lun__strbuf_free(&text);
}

static int halve(int lane, int lanes, int distance)
{
    return lane + distance < lanes ? lane + distance : lane;
}

/* <name><v>[] of <name><v>_0, <name><v>_1, ... */
static void gathered(lun_renderer *r, lun_rep rep, const char *name, int32_t v, lun_strbuf *out)
{
    int parts = LUN_LANES / r->lanes;
    lun__strbuf_printf(out, "    %s %s%" PRId32 "[%d] = {", lun__vector_type(r, rep).s, name, v,
                       parts);
    for (int k = 0; k < parts; k++)
        lun__strbuf_printf(out, "%s%s%" PRId32 "_%d", k ? ", " : "", name, v, k);
    lun__strbuf_puts(out, "};\n");
}

/* Folds a<v>_0 ... or a<v>[] in halves into a single element, as an expression. */
static lun_snippet fold(lun_renderer *r, int32_t v, bool unrolled, lun_strbuf *out)
{
    lun_rep rep = rep_of(r, v);
    lun_snippet op = lun__operation_vector(r, (lun_op)r->ir->ins[v].op, rep),
                a0 = lun__text_name("a%" PRId32 "[0]", v);
    int parts = LUN_LANES / r->lanes;
    if (unrolled)
        gathered(r, rep, "a", v, out);
    if (parts > 1)
        lun__strbuf_printf(out,
                           "    for (int s = %d; s; s /= 2)\n        for (int k = 0; k < s; k++)\n"
                           "            a%" PRId32 "[k] = %s(a%" PRId32 "[k], a%" PRId32
                           "[k + s]);\n",
                           parts / 2, v, op.s, v, v);
    for (int s = (r->lanes < LUN_LANES ? r->lanes : LUN_LANES) / 2; s; s /= 2) {
        lun__strbuf_printf(out, "    %s = %s(%s, ", a0.s, op.s, a0.s);
        lun__vector_shuffle(r, out, rep, a0.s, a0.s, halve, s);
        lun__strbuf_puts(out, ");\n");
    }
    return lun__text_name("a%" PRId32 "[0][0]%s", v, rep.mask ? " & 1" : "");
}

/* ---- the loop -------------------------------------------------------------------------------- */

/* Hands over a value x of the vector at an offset (" + 16"), the number-th of the block; -1: in a
 * loop, k / W + part. */
static void sink_wide(lun_renderer *r, const lun_sink *s, const char *x, const char *at, int number,
                      int part, lun_strbuf *out)
{
    for (int k = 0; k < 2; k++) {
        lun_snippet f = half(r, k),
                    a = number >= 0 ? lun__text_name("a%" PRId32 "_%d", s->v, 2 * number + k)
                                    : lun__text_name("a%" PRId32 "[2 * (k / %d + %d) + %d]", s->v,
                                                     r->lanes, part, k);
        lun__strbuf_printf(out,
                           "            %s = lun_lane%" PRId32 "(%s, %s(%s), left -%s - %d);\n",
                           a.s, s->v, a.s, f.s, x, at + 2, part * r->lanes + k * r->lanes / 2);
    }
}

static void sink(lun_renderer *r, const lun_sink *s, const char *x, const char *at, int number,
                 int part, lun_strbuf *out)
{
    if (r->flags[s->v] & LUN_FACT_WIDE) {
        sink_wide(r, s, x, at, number, part, out);
        return;
    }
    lun_rep rep = rep_of(r, s->v);
    const char *indent = number >= 0 ? "        " : "            ";
    if (s->way == LUN_LOOP_INDICES) {
        lun_snippet k = number >= 0 ? lun__text_name("_%d", number)
                                    : lun__text_name("[k / %d + %d]", r->lanes, part);
        lun__strbuf_printf(
            out, "%s%s(&a%" PRId32 "%s, &q%" PRId32 "%s, %s, left -%s - %d, (i - lo) >> 6);\n",
            indent, lun__extreme_index_lanes(r, s->v).s, s->v, k.s, s->v, k.s, x, at + 2,
            part * r->lanes);
        return;
    }
    if (s->way != LUN_LOOP_LANES) {
        if (s->way == LUN_LOOP_RAW)
            rep.mask = false;
        lun__strbuf_printf(out, "%s%s(e%" PRId32 "%s, %d, %s, 0);\n", indent,
                           lun__vector_memory_store(r, rep, true).s, s->v, at, part * r->lanes, x);
        return;
    }
    lun_snippet a = number >= 0 ? lun__text_name("a%" PRId32 "_%d", s->v, number)
                                : lun__text_name("a%" PRId32 "[k / %d + %d]", s->v, r->lanes, part);
    lun__strbuf_printf(out, "%s%s = lun_lane%" PRId32 "(%s, %s, left -%s", indent, a.s, s->v, a.s,
                       x, at + 2);
    if (part)
        lun__strbuf_printf(out, " - %d", part * r->lanes);
    lun__strbuf_puts(out, ");\n");
}

/* One evaluation of a section at an offset; number: as for sink. */
static void evaluate(lun_renderer *r, const lun_loop *l, const char *at, int number,
                     lun_strbuf *out)
{
    const char *indent = number >= 0 ? "        " : "            ";
    lun_snippet suffix = number >= 0 ? lun__text_name("_%d", number) : lun__text_name("%s", "");
    for (int k = 0; k < l->count; k++) {
        bool wide = r->flags[l->sinks[k].v] & LUN_FACT_WIDE;
        lun_rep rep = wide ? lun__vector_rep(LUN_F32, 4) : rep_of(r, l->sinks[k].v);
        lun__strbuf_printf(out, "%s%s %s%s[%d] = {};\n", indent, lun__vector_type(r, rep).s,
                           l->sinks[k].name, suffix.s, r->parts);
    }
    lun__strbuf_printf(out, "%s%s(i%s, f, &u", indent,
                       l->need == LUN_FACT_BODY ? "body" : "operand", at);
    lun__loop_parameters(r, l->need, out, at, suffix.s);
    lun__strbuf_puts(out, ");\n");
    for (int k = 0; k < l->count; k++)
        for (int part = 0; part < r->parts; part++) {
            lun_snippet x = lun__text_name("%s%s[%d]", l->sinks[k].name, suffix.s, part);
            sink(r, &l->sinks[k], x.s, at, number, part, out);
        }
}

/* True if the loop over a block is written out: accumulators stay in registers only if each has a
 * name. */
static bool unrolls(const lun_renderer *r, const lun_loop *l)
{
    int parts = LUN_LANES / r->lanes;
    bool lanes = false;
    for (int k = 0; k < l->count; k++)
        lanes |= l->sinks[k].way <= LUN_LOOP_INDICES;
    int weight = lun__uses_weight(r, l->need) + 16 * lun__uses_sequences(r, l->need);
    return lanes && r->parts == 1 && parts <= 8 && parts * weight <= 128;
}

/* Iterations of a loop over a block that a pragma unrolls: all of a few statements, where the loop
 * itself would cost; two of a function, whose text is compiled for each; else 0. */
static int iterations(const lun_renderer *r, const lun_loop *l, int all)
{
    int functions = lun__uses_sequences(r, l->need);
    if (all * lun__uses_weight(r, l->need) > UNROLLED || functions > 2)
        return 0;
    return functions && all > 2 ? 2 : all;
}

void lun__loop_vectors(lun_renderer *r, const lun_loop *l, lun_strbuf *out)
{
    if (unrolls(r, l)) {
        for (int k = 0; k < LUN_LANES / r->lanes; k++)
            evaluate(r, l, lun__text_name(" + %d", k * r->lanes).s, k, out);
        return;
    }
    int step = r->lanes * r->parts, times = iterations(r, l, LUN_LANES / step);
    if (r->dialect->unrolls && times)
        lun__strbuf_printf(out, "        _Pragma(\"GCC unroll %d\")\n", times);
    lun__strbuf_printf(
        out, "        for (int k = 0; k < " LUN_ORDER_TEXT(LUN_LANES) "; k += %d) {\n", step);
    evaluate(r, l, " + k", -1, out);
    lun__strbuf_puts(out, "        }\n");
}

/* The indices beside accumulators, all 0: an element as bad as what lanes start with is not better,
 * and if all are that bad the first one, in lane 0 of block 0, is the one. */
static void places_before(lun_renderer *r, int32_t v, bool unrolled, lun_strbuf *out)
{
    int parts = LUN_LANES / r->lanes;
    lun__extreme_index_lanes(r, v);
    lun_snippet type = lun__vector_type(r, lun__extreme_index_rep(r, v));
    for (int p = 0; unrolled && p < parts; p++)
        lun__strbuf_printf(out, "    %s q%" PRId32 "_%d = {};\n", type.s, v, p);
    if (!unrolled)
        lun__strbuf_printf(out,
                           "    %s q%" PRId32 "[%d];\n    for (int k = 0; k < %d; k++) q%" PRId32
                           "[k] = (%s){};\n",
                           type.s, v, parts, parts, v, type.s);
}

void lun__loop_before(lun_renderer *r, const lun_loop *l, lun_strbuf *out)
{
    for (int k = 0; k < l->count; k++) {
        int32_t v = l->sinks[k].v;
        lun_rep rep = rep_of(r, v);
        if (l->sinks[k].way == LUN_LOOP_ELEMENTS)
            lun__pair_tree_start(r, v, out);
        if (l->sinks[k].way == LUN_LOOP_INDICES)
            places_before(r, v, unrolls(r, l), out);
        if (l->sinks[k].way > LUN_LOOP_INDICES)
            continue;
        bool unrolled = unrolls(r, l);
        int lanes = shorten(r, v), parts = LUN_LANES / r->lanes;
        if (l->sinks[k].way == LUN_LOOP_LANES)
            lane_helper(r, v);
        lun_snippet type = lun__vector_type(r, rep);
        r->lanes = lanes;
        if (unrolled) {
            for (int p = 0; p < parts; p++)
                lun__strbuf_printf(out, "    %s a%" PRId32 "_%d = lun_identity%" PRId32 "();\n",
                                   type.s, v, p, v);
        } else {
            lun__strbuf_printf(out,
                               "    %s a%" PRId32
                               "[%d];\n    for (int k = 0; k < %d; k++) a%" PRId32
                               "[k] = lun_identity%" PRId32 "();\n",
                               type.s, v, parts, parts, v, v);
        }
    }
}

void lun__loop_after_block(lun_renderer *r, const lun_loop *l, lun_strbuf *out)
{
    for (int k = 0; k < l->count; k++)
        if (l->sinks[k].way == LUN_LOOP_ELEMENTS)
            lun__pair_tree_add(r, l->sinks[k].v, out);
}

/* The element and its index. */
static void place_results(lun_renderer *r, int32_t v, bool unrolled, lun_strbuf *out)
{
    const lun_ir_ins *ins = &r->ir->ins[v];
    lun_snippet end = lun__extreme_index_end(r, v), t = lun__element_type((lun_dtype)ins->dtype);
    if (unrolled) {
        gathered(r, rep_of(r, v), "a", v, out);
        gathered(r, lun__extreme_index_rep(r, v), "q", v, out);
    }
    lun__strbuf_printf(out,
                       "    %s y%" PRId32 ";\n    f->partials[%" PRId64
                       "] = (lun_u64)(lo + %s(a%" PRId32 ", q%" PRId32 ", &y%" PRId32
                       "));\n    f->partials[%" PRId64 "] = %s(y%" PRId32 ");\n",
                       t.s, v, ins->imm + 1, end.s, v, v, v, ins->imm,
                       lun__element_cell(r, (lun_dtype)ins->dtype).s, v);
}

void lun__loop_results(lun_renderer *r, const lun_loop *l, lun_strbuf *out)
{
    for (int k = 0; k < l->count; k++) {
        int32_t v = l->sinks[k].v;
        lun_dtype t = (lun_dtype)r->ir->ins[v].dtype;
        lun_snippet value;
        if (l->sinks[k].way == LUN_LOOP_INDICES)
            place_results(r, v, unrolls(r, l), out);
        if (l->sinks[k].way == LUN_LOOP_LANES) {
            bool unrolled = unrolls(r, l);
            int lanes = shorten(r, v);
            value = fold(r, v, unrolled, out);
            r->lanes = lanes;
        } else if (l->sinks[k].way == LUN_LOOP_ELEMENTS)
            value = lun__pair_tree_end(r, v);
        else
            continue;
        lun__strbuf_printf(out, "    %s = %s(%s);\n", l->sinks[k].target, lun__element_cell(r, t).s,
                           value.s);
    }
}

void lun__loop_open(lun_renderer *r, const char *name, bool parts, lun_strbuf *out)
{
    lun__strbuf_printf(out, r->dialect->function, name);
    lun__strbuf_printf(out,
                       "lun_i64 lo, lun_i64 hi, struct frame *f)\n{\n    struct uniform u;\n%s",
                       parts ? "" : "    prepare(lo, f, &u);\n");
}

void lun__loop_parts(lun_strbuf *out)
{
    lun__strbuf_puts(out, "    for (lun_i64 from = lo, to; from < hi; from = to) {\n"
                          "    to = f->part ? f->part(f, from, hi) : hi;\n"
                          "    prepare(from, f, &u);\n");
}

void lun__loop_block(lun_renderer *r, unsigned need, bool left, bool parts, lun_strbuf *out)
{
    lun__strbuf_puts(
        out, parts ? "    for (lun_i64 i = from; i < to; i += " LUN_ORDER_TEXT(LUN_LANES) ") {\n"
                   : "    for (lun_i64 i = lo; i < hi; i += " LUN_ORDER_TEXT(LUN_LANES) ") {\n");
    if (left)
        lun__strbuf_puts(out, "        const lun_i64 left = u.n - i;\n");
    lun__random_streams(r, need, out);
}
