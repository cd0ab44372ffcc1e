/* group_reduce.c - values that the 64 lanes of a work-group combine, in ir/combine_order.h's
 * order: from an identity, lane by lane and then in halves, or by the tree of adjacent pairs. */
#include "render/opencl/group_reduce.h"

#include <inttypes.h>

#include "ir/combine_order.h"
#include "render/body/combiner.h"
#include "render/facts/uses.h"
#include "render/text/element_text.h"
#include "render/text/text.h"

static lun_snippet type_of(const lun_renderer *r, int32_t v)
{
    return lun__element_type((lun_dtype)r->ir->ins[v].dtype);
}

void lun__group_reduce_local(lun_renderer *r, lun_dtype t, const char *name, int count,
                             lun_strbuf *out)
{
    lun__text_put(r, out, "    @local %s %s[%d];\n", lun__element_type(t).s, name, count);
    r->local_open += (size_t)count * lun__dtype_get(t)->bytes;
    if (r->local_open > r->local_bytes)
        r->local_bytes = r->local_open;
}

/* The identity, or anything where there is none. */
static lun_snippet neutral(lun_renderer *r, int32_t v)
{
    uint64_t bits = 0;
    lun__uses_identity(r, v, &bits);
    return lun__element_const(r, (lun_dtype)r->ir->ins[v].dtype, bits);
}

void lun__group_reduce_body(lun_renderer *r, lun_cl_sinks *l)
{
    uint64_t identity;
    for (int32_t v = 0; v < r->ir->count; v++) {
        if (r->ir->ins[v].kind != LUN_IR_REDUCE)
            continue;
        if (l->count == LUN_IR_SINKS) {
            lun__strbuf_puts(&r->problem, "too many reductions in one kernel");
            return;
        }
        l->sink[l->count++] = (lun_cl_sink){.v = v,
                                            .lanes = lun__uses_identity(r, v, &identity),
                                            .x = lun__text_name("x%" PRId64, r->ir->ins[v].imm)};
    }
}

void lun__group_reduce_arguments(const lun_cl_sinks *l, lun_strbuf *out)
{
    for (int k = 0; k < l->count; k++)
        lun__strbuf_printf(out, ", &%s", l->sink[k].x.s);
}

/* Lane 0 keeps the roots of complete subtrees, the largest first: one for each bit of blocks. */
static void tree_helper(lun_renderer *r, int32_t v)
{
    lun_snippet t = type_of(r, v), join = lun__combine_function(r, v);
    if (!lun__text_once(r, lun__text_name("lun_tree%" PRId32, v).s))
        return;
    lun__strbuf_printf(
        &r->helpers,
        "struct lun_tree%" PRId32 " { %s root[32]; int top; lun_u32 blocks; };\n"
        "INLINE void lun_tree_add%" PRId32 "(struct lun_tree%" PRId32
        " *t, %s y, struct frame *f)\n{\n"
        "    for (lun_u32 b = t->blocks++; b & 1; b >>= 1) y = %s(t->root[--t->top], "
        "y, f);\n    t->root[t->top++] = y;\n}\n",
        v, t.s, v, v, t.s, join.s);
    lun__strbuf_printf(&r->helpers,
                       "INLINE %s lun_tree_end%" PRId32 "(struct lun_tree%" PRId32
                       " *t, struct frame *f)\n{\n    %s y = t->root[--t->top];\n"
                       "    while (t->top) y = %s(t->root[--t->top], y, f);\n    return y;\n}\n",
                       t.s, v, v, t.s, join.s);
}

void lun__group_reduce_open(lun_renderer *r, const lun_cl_sinks *l, lun_strbuf *out)
{
    for (int k = 0; k < l->count; k++) {
        int32_t v = l->sink[k].v;
        lun__group_reduce_local(r, (lun_dtype)r->ir->ins[v].dtype, lun__text_name("l%" PRId32, v).s,
                                LUN_LANES, out);
        if (l->sink[k].lanes) {
            lun__strbuf_printf(out, "    %s a%" PRId32 " = %s;\n", type_of(r, v).s, v,
                               neutral(r, v).s);
            if (lun__ir_gives_index(&r->ir->ins[v])) {
                lun__group_reduce_local(r, LUN_I64, lun__text_name("q%" PRId32, v).s, LUN_LANES,
                                        out);
                lun__strbuf_printf(out, "    lun_i64 at%" PRId32 " = -1;\n", v);
            }
            continue;
        }
        tree_helper(r, v);
        lun__strbuf_printf(out,
                           "    struct lun_tree%" PRId32 " t%" PRId32 ";\n    t%" PRId32
                           ".top = 0;\n    t%" PRId32 ".blocks = 0;\n",
                           v, v, v, v);
    }
}

void lun__group_reduce_fresh(lun_renderer *r, const lun_cl_sinks *l, lun_strbuf *out)
{
    for (int k = 0; k < l->count; k++)
        lun__strbuf_printf(out, "        %s %s = %s;\n", type_of(r, l->sink[k].v).s, l->sink[k].x.s,
                           neutral(r, l->sink[k].v).s);
}

/* A block's tree: levels of pairs in local memory, the odd one goes up unchanged. */
static void join_tree(lun_renderer *r, const lun_cl_sink *s, lun_strbuf *out)
{
    int32_t v = s->v;
    lun_snippet l = lun__text_name("l%" PRId32, v);
    lun__text_put(r, out, "        %s[side + lane] = %s;\n        %s", l.s, s->x.s, lun__barrier);
    lun__text_put(r, out,
                  "        for (int n = most < %d ? (int)most : %d; n > 1; n = (n + 1) / 2) {\n"
                  "            %s y = %s[side + lane];\n"
                  "            if (left > 0 && 2 * lane + 1 < n) y = %s(%s[side + 2 * lane], "
                  "%s[side + 2 * lane + 1], &f);\n"
                  "            else if (2 * lane < n) y = %s[side + 2 * lane];\n            %s"
                  "            %s[side + lane] = y;\n            %s        }\n",
                  LUN_LANES, LUN_LANES, type_of(r, v).s, l.s, lun__combine_function(r, v).s, l.s,
                  l.s, l.s, lun__barrier, l.s, lun__barrier);
    lun__text_put(r, out,
                  "        if (lane == 0 && left > 0) lun_tree_add%" PRId32 "(&t%" PRId32
                  ", %s[side], &f);\n        %s",
                  v, v, l.s, lun__barrier);
}

void lun__group_reduce_join(lun_renderer *r, const lun_cl_sinks *l, lun_strbuf *out)
{
    for (int k = 0; k < l->count; k++) {
        const lun_cl_sink *s = &l->sink[k];
        if (lun__ir_gives_index(&r->ir->ins[s->v]))
            lun__strbuf_printf(out,
                               "        if (lane < left && (at%" PRId32 " < 0 || %s(%s, a%" PRId32
                               "))) a%" PRId32 " = %s, at%" PRId32 " = b + lane;\n",
                               s->v, lun__combine_better(r, s->v).s, s->x.s, s->v, s->v, s->x.s,
                               s->v);
        else if (s->lanes)
            lun__strbuf_printf(out, "        a%" PRId32 " = %s(a%" PRId32 ", %s, &f);\n", s->v,
                               lun__combine_function(r, s->v).s, s->v, s->x.s);
        else
            join_tree(r, s, out);
    }
}

/* The best element of the lanes that have one, of equal ones the first, and its index. */
static void end_places(lun_renderer *r, int32_t v, const char *target, lun_strbuf *out)
{
    const lun_ir_ins *ins = &r->ir->ins[v];
    lun_snippet better = lun__combine_better(r, v),
                cell = lun__element_cell(r, (lun_dtype)ins->dtype), t = type_of(r, v);
    lun_snippet x = lun__text_name("l%" PRId32, v), q = lun__text_name("q%" PRId32, v);
    lun__text_put(r, out,
                  "    %s[side + lane] = a%" PRId32 ";\n    %s[side + lane] = at%" PRId32
                  ";\n    %s    for (int s = wide / 2; s; s /= 2) {\n"
                  "        if (lane < s && %s[side + lane + s] >= 0) {\n"
                  "            const %s x = %s[side + lane + s], y = %s[side + lane];\n"
                  "            const lun_i64 at = %s[side + lane + s];\n",
                  x.s, v, q.s, v, lun__barrier, q.s, t.s, x.s, x.s, q.s);
    lun__text_put(r, out,
                  "            if (%s(x, y) || (!%s(y, x) && at < %s[side + lane]))\n"
                  "                %s[side + lane] = x, %s[side + lane] = at;\n        }\n"
                  "        %s    }\n",
                  better.s, better.s, q.s, x.s, q.s, lun__barrier);
    lun__strbuf_printf(out,
                       "    if (lane == 0 && lo < hi) {\n        %s[%" PRId64 "] = %s(%s[side]);\n"
                       "        %s[%" PRId64 "] = (lun_u64)%s[side];\n    }\n",
                       target, ins->imm, cell.s, x.s, target, ins->imm + 1, q.s);
}

/* Lanes in halves; those that a segment has not are the identity. */
static void end_lanes(lun_renderer *r, int32_t v, const char *to, lun_strbuf *out)
{
    lun_snippet l = lun__text_name("l%" PRId32, v), join = lun__combine_function(r, v),
                cell = lun__element_cell(r, (lun_dtype)r->ir->ins[v].dtype);
    lun__text_put(r, out,
                  "    for (int s = %d; s >= wide; s /= 2) a%" PRId32 " = %s(a%" PRId32
                  ", %s, &f);\n    %s[side + lane] = a%" PRId32 ";\n    %s",
                  LUN_LANES / 2, v, join.s, v, neutral(r, v).s, l.s, v, lun__barrier);
    lun__text_put(
        r, out,
        "    for (int s = wide / 2; s; s /= 2) {\n"
        "        if (lane < s) %s[side + lane] = %s(%s[side + lane], %s[side + lane + s], "
        "&f);\n        %s    }\n    if (lane == 0 && lo < hi) %s = %s(%s[side]);\n",
        l.s, join.s, l.s, l.s, lun__barrier, to, cell.s, l.s);
}

void lun__group_reduce_end(lun_renderer *r, const lun_cl_sinks *l, const char *target,
                           lun_strbuf *out)
{
    for (int k = 0; k < l->count; k++) {
        int32_t v = l->sink[k].v;
        const lun_ir_ins *ins = &r->ir->ins[v];
        lun_snippet cell = lun__element_cell(r, (lun_dtype)ins->dtype),
                    to = lun__text_name("%s", target);
        if (ins->kind == LUN_IR_REDUCE)
            to = lun__text_name("%s[%" PRId64 "]", target, ins->imm);
        if (lun__ir_gives_index(ins)) {
            end_places(r, v, target, out);
            continue;
        }
        if (!l->sink[k].lanes) {
            lun__strbuf_printf(out,
                               "    if (lane == 0 && lo < hi) %s = %s(lun_tree_end%" PRId32
                               "(&t%" PRId32 ", &f));\n",
                               to.s, cell.s, v, v);
            continue;
        }
        end_lanes(r, v, to.s, out);
    }
}
