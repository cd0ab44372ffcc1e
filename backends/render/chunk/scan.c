/* scan.c - scans over a chunk. ir/combine_order.h fixes their order.
 *
 * A block of 64 operands is stored, combined in place, and loaded again by the statements that
 * follow: the stores and loads overlap with the chain of carries. */
#include "render/chunk/chunk.h"

#include <inttypes.h>
#include <stdio.h>

#include "ir/combine_order.h"
#include "render/body/combiner.h"
#include "render/facts/uses.h"
#include "render/text/element_text.h"
#include "render/text/text.h"
#include "render/vector/operation.h"

static lun_rep rep_of(const lun_renderer *r, int32_t v)
{
    return lun__vector_rep((lun_dtype)r->ir->ins[v].dtype, r->bytes / r->lanes);
}

static bool by_op(const lun_renderer *r)
{
    return r->ir->ins[r->ir->scan].op < LUN_OP_COUNT;
}

/* ---- scans by an operation ------------------------------------------------------------------- */

enum { GROUP = LUN_SCAN_GROUP };

/* Within groups of 8: the lane `arg` below; lanes without one take the second operand. */
static int below_or_other(int lane, int lanes, int arg)
{
    return lane % GROUP >= arg ? lane - arg : lanes + lane;
}

/* Within groups of 8: the lane `arg` below; lanes without one keep their own. */
static int below(int lane, int lanes, int arg)
{
    (void)lanes;
    return lane % GROUP >= arg ? lane - arg : lane;
}

/* From the combined vector, or from the one before (second operand) for lanes that have none
 * below. */
static int combined(int lane, int lanes, int arg)
{
    return lane % GROUP >= arg ? lane : lanes + lane;
}

static int last_of_group(int lane, int lanes, int arg)
{
    (void)lane, (void)lanes;
    return GROUP * arg + GROUP - 1;
}

/* Carries by group: lanes below group `arg` from the first operand, the others from the second. */
static int carries(int lane, int lanes, int arg)
{
    return lane < GROUP * arg ? lane : lanes + lane;
}

/* One lane up within groups, the carry (second operand) in front. */
static int shifted(int lane, int lanes, int arg)
{
    (void)arg;
    return lane % GROUP ? lane - 1 : lanes + lane;
}

/* A value that changes no other's bits when combined with it, as a vector; false: the operation has
 * none. */
static bool neutral(lun_renderer *r, lun_rep rep, lun_snippet *out)
{
    const lun_ir_ins *ins = &r->ir->ins[r->ir->scan];
    lun_dtype t = (lun_dtype)ins->dtype;
    uint64_t bits;
    if (rep.mask || !lun__uses_identity(r, r->ir->scan, &bits))
        return false;
    if (ins->op == LUN_OP_ADD && lun__dtype_is_float(t)) /* 0 + -0 is not -0 */
        bits = (uint64_t)1 << (8 * lun__dtype_get(t)->bytes - 1);
    *out = lun__text_name("%s(%s)", lun__vector_splat(r, rep).s, lun__element_const(r, t, bits).s);
    return true;
}

/* Vectors that hold whole groups. */
static void groups_in_vector(lun_renderer *r, lun_rep rep, const char *op, bool inclusive,
                             lun_strbuf *out)
{
    int groups = r->lanes / GROUP;
    lun_snippet v = lun__vector_type(r, rep);
    lun_snippet id;
    bool whole = neutral(r, rep, &id);
    lun__strbuf_printf(out, "        %s p = *(%s *)(x + k);\n", v.s, v.s);
    if (whole)
        lun__strbuf_printf(out, "        const %s id = %s;\n", v.s, id.s);
    for (int d = 1; d < GROUP; d *= 2) {
        if (whole) {
            lun__strbuf_printf(out, "        p = %s(", op);
            lun__vector_shuffle(r, out, rep, "p", "id", below_or_other, d);
            lun__strbuf_puts(out, ", p);\n");
            continue;
        }
        lun__strbuf_printf(out, "        const %s q%d = %s(", v.s, d, op);
        lun__vector_shuffle(r, out, rep, "p", "p", below, d);
        lun__strbuf_puts(out, ", p);\n        p = ");
        lun__vector_shuffle(r, out, rep, lun__text_name("q%d", d).s, "p", combined, d);
        lun__strbuf_puts(out, ";\n");
    }
    lun__strbuf_printf(out, "        %s c0 = *carry, c = c0;\n", v.s);
    for (int g = 0; g < groups; g++) {
        lun__strbuf_printf(out, "        const %s c%d = %s(c%d, ", v.s, g + 1, op, g);
        lun__vector_shuffle(r, out, rep, "p", "p", last_of_group, g);
        lun__strbuf_puts(out, ");\n");
        if (g + 1 == groups)
            break;
        lun__strbuf_puts(out, "        c = ");
        lun__vector_shuffle(r, out, rep, "c", lun__text_name("c%d", g + 1).s, carries, g + 1);
        lun__strbuf_puts(out, ";\n");
    }
    lun__strbuf_printf(
        out, "        *carry = c%d;\n        p = %s(c, p);\n        *(%s *)(x + k) = ", groups, op,
        v.s);
    if (inclusive)
        lun__strbuf_puts(out, "p");
    else
        lun__vector_shuffle(r, out, rep, "p", "c", shifted, 0);
    lun__strbuf_puts(out, ";\n");
}

/* The lane `arg` lanes below, counted through the vector before (first operand) and this one
 * (second). */
static int across(int lane, int lanes, int arg)
{
    return lanes + lane - arg;
}

static int keep_low(int lane, int lanes, int arg)
{
    return lane >= arg ? lane : lanes + lane;
}

static int last_lane(int lane, int lanes, int arg)
{
    (void)lane, (void)arg;
    return lanes - 1;
}

/* Groups that fill several vectors p0, p1, ... */
static void vectors_in_group(lun_renderer *r, lun_rep rep, const char *op, bool inclusive,
                             lun_strbuf *out)
{
    int count = GROUP / r->lanes, lanes = r->lanes;
    lun_snippet v = lun__vector_type(r, rep);
    for (int j = 0; j < count; j++)
        lun__strbuf_printf(out, "        %s p%d = *(%s *)(x + k + %d);\n", v.s, j, v.s, j * lanes);
    for (int d = 1; d < GROUP; d *= 2) {
        for (int j = count - 1; j >= 0 && (j + 1) * lanes > d; j--) {
            lun_snippet p = lun__text_name("p%d", j);
            if (d >= lanes) { /* j >= d / lanes here */
                lun__strbuf_printf(out, "        p%d = %s(p%d, p%d);\n", j, op, j - d / lanes, j);
            } else if (j > 0) {
                lun__strbuf_printf(out, "        p%d = %s(", j, op);
                lun__vector_shuffle(r, out, rep, lun__text_name("p%d", j - 1).s, p.s, across, d);
                lun__strbuf_printf(out, ", p%d);\n", j);
            } else {
                lun__strbuf_printf(out, "        const %s q%d = %s(", v.s, d, op);
                lun__vector_shuffle(r, out, rep, "p0", "p0", across, d);
                lun__strbuf_puts(out, ", p0);\n        p0 = ");
                lun__vector_shuffle(r, out, rep, lun__text_name("q%d", d).s, "p0", keep_low, d);
                lun__strbuf_puts(out, ";\n");
            }
        }
    }
    lun__strbuf_printf(out, "        const %s c = *carry;\n        *carry = %s(c, ", v.s, op);
    lun_snippet last = lun__text_name("p%d", count - 1);
    lun__vector_shuffle(r, out, rep, last.s, last.s, last_lane, 0);
    lun__strbuf_puts(out, ");\n");
    for (int j = 0; j < count; j++)
        lun__strbuf_printf(out, "        p%d = %s(c, p%d);\n", j, op, j);
    for (int j = 0; j < count; j++) {
        lun__strbuf_printf(out, "        *(%s *)(x + k + %d) = ", v.s, j * lanes);
        if (inclusive)
            lun__strbuf_printf(out, "p%d", j);
        else
            lun__vector_shuffle(r, out, rep, j ? lun__text_name("p%d", j - 1).s : "c",
                                lun__text_name("p%d", j).s, across, 1);
        lun__strbuf_puts(out, ";\n");
    }
}

static void step_by_op(lun_renderer *r)
{
    int32_t v = r->ir->scan;
    const lun_ir_ins *ins = &r->ir->ins[v];
    lun_rep rep = rep_of(r, v);
    lun_snippet op = lun__operation_vector(r, (lun_op)ins->op, rep);
    int step = r->lanes < GROUP ? GROUP : r->lanes;
    lun_strbuf text = LUN_STRBUF_INIT;
    lun__strbuf_printf(
        &text,
        "INLINE void lun_scan(%s *x, %s *carry)\n{\n    for (int k = 0; k < " LUN_ORDER_TEXT(
            LUN_LANES) "; k += %d) {\n",
        lun__element_type(rep.t).s, lun__vector_type(r, rep).s, step);
    if (r->lanes < GROUP)
        vectors_in_group(r, rep, op.s, ins->inclusive, &text);
    else
        groups_in_vector(r, rep, op.s, ins->inclusive, &text);
    lun__strbuf_puts(&text, "    }\n}\n");
    lun__strbuf_puts(&r->helpers, lun__strbuf_text(&text));
    if (text.failed)
        r->helpers.failed = true;
    lun__strbuf_free(&text);
}

/* ---- scans by a function --------------------------------------------------------------------- */

/* Left to right, on elements; lanes of a bool are masks. */
static void step_by_function(lun_renderer *r)
{
    int32_t v = r->ir->scan;
    const lun_ir_ins *ins = &r->ir->ins[v];
    lun_rep rep = rep_of(r, v);
    lun_snippet join = lun__combine_function(r, v), t = lun__element_type((lun_dtype)ins->dtype);
    const char *in = rep.mask ? "x[k] & 1" : "x[k]", *minus = rep.mask ? "-" : "";
    lun__strbuf_printf(&r->helpers,
                       "static void lun_scan(%s *x, %s *carry, lun_i64 count, struct frame *f)\n{\n"
                       "    %s acc = *carry;\n    for (lun_i64 k = 0; k < count; k++) {\n        "
                       "const %s a = %s;\n",
                       lun__element_type(rep.t).s, t.s, t.s, t.s, in);
    if (ins->inclusive)
        lun__strbuf_printf(&r->helpers, "        acc = %s(acc, a, f);\n        x[k] = %sacc;\n",
                           join.s, minus);
    else
        lun__strbuf_printf(&r->helpers, "        x[k] = %sacc;\n        acc = %s(acc, a, f);\n",
                           minus, join.s);
    lun__strbuf_puts(&r->helpers, "    }\n    *carry = acc;\n}\n");
}

/* ---- in the kernel --------------------------------------------------------------------------- */

/* The block of operands, then of running combinations. */
static void block(lun_renderer *r, lun_strbuf *out)
{
    int32_t v = r->ir->scan;
    lun__strbuf_printf(
        out,
        "    %s e%" PRId32 "[" LUN_ORDER_TEXT(
            LUN_LANES) "] __attribute__((aligned(64)));\n    %s *const scan = e%" PRId32 ";\n",
        lun__element_type(rep_of(r, v).t).s, v, lun__element_type(rep_of(r, v).t).s, v);
}

void lun__scan_before(lun_renderer *r, lun_strbuf *out)
{
    int32_t v = r->ir->scan;
    lun_rep rep = rep_of(r, v);
    lun_dtype t = (lun_dtype)r->ir->ins[v].dtype;
    lun_snippet of = lun__element_uncell(r, t);
    block(r, out);
    if (by_op(r)) {
        step_by_op(r);
        lun__strbuf_printf(out, "    %s carry = %s(%s(*f->carry));\n", lun__vector_type(r, rep).s,
                           lun__vector_splat(r, rep).s, of.s);
    } else {
        step_by_function(r);
        lun__strbuf_printf(out, "    %s carry = %s(*f->carry);\n", lun__element_type(t).s, of.s);
    }
}

void lun__scan_sink(lun_renderer *r, lun_loop *l)
{
    lun_sink *s = &l->sinks[l->count++];
    s->v = r->ir->scan;
    s->way = LUN_LOOP_RAW;
    snprintf(s->name, sizeof s->name, "x");
}

void lun__scan_step(lun_renderer *r, lun_strbuf *out)
{
    lun__strbuf_printf(out, "        lun_scan(scan, &carry%s);\n",
                       by_op(r) ? ""
                                : ", left < " LUN_ORDER_TEXT(LUN_LANES) " ? left : " LUN_ORDER_TEXT(
                                      LUN_LANES) ", f");
}

/* ---- totals ---------------------------------------------------------------------------------- */

/* A function's total is the chain from the first element on. */
static void total_by_function(lun_renderer *r, lun_loop *l, lun_strbuf *out)
{
    int32_t v = r->ir->scan;
    lun_rep rep = rep_of(r, v);
    lun_dtype t = (lun_dtype)r->ir->ins[v].dtype;
    lun_snippet join = lun__combine_function(r, v), type = lun__element_type(t);
    block(r, out);
    lun__strbuf_printf(out, "    %s acc = {0};\n    int some = 0;\n", type.s);
    lun__loop_block(r, l->need, true, false, out);
    lun__loop_vectors(r, l, out);
    lun__strbuf_printf(
        out,
        "        for (lun_i64 k = 0; k < " LUN_ORDER_TEXT(
            LUN_LANES) " && k < left; k++) {\n"
                       "            const %s a = scan[k]%s;\n            acc = some ? %s(acc, a, "
                       "f) : a;\n"
                       "            some = 1;\n        }\n    }\n    *f->carry = %s(acc);\n",
        type.s, rep.mask ? " & 1" : "", join.s, lun__element_cell(r, t).s);
}

void lun__scan_total(lun_renderer *r, lun_strbuf *out)
{
    lun_loop l = {.need = LUN_FACT_OPERAND};
    uint64_t identity;
    lun__scan_sink(r, &l);
    snprintf(l.sinks[0].target, sizeof l.sinks[0].target, "*f->carry");
    lun__loop_open(r, "total", false, out);
    if (!by_op(r)) {
        total_by_function(r, &l, out);
    } else {
        l.sinks[0].way =
            lun__uses_identity(r, r->ir->scan, &identity) ? LUN_LOOP_LANES : LUN_LOOP_ELEMENTS;
        lun__loop_before(r, &l, out);
        lun__loop_block(r, l.need, true, false, out);
        lun__loop_vectors(r, &l, out);
        lun__loop_after_block(r, &l, out);
        lun__strbuf_puts(out, "    }\n");
        lun__loop_results(r, &l, out);
    }
    lun__strbuf_puts(out, "}\n");
}
