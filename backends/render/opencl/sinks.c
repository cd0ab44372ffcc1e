/* sinks.c - values that the 64 lanes of a work-group combine, in ir/order.h's order: from an
 * identity, lane by lane and then in halves, or by the tree of adjacent pairs. */
#include "render/opencl/sinks.h"

#include <inttypes.h>

#include "ir/order.h"
#include "render/body/combine.h"
#include "render/facts/uses.h"
#include "render/text/element.h"
#include "render/text/text.h"

static lun_snippet type_of(const lun_renderer *r, int32_t v)
{
    return lun__element_type((lun_dtype)r->ir->ins[v].dtype);
}

void lun__cl_sinks_local(lun_renderer *r, lun_dtype t, const char *name, int count, lun_strbuf *out)
{
    lun__text_put(r, out, "    @local %s %s[%d];\n", lun__element_type(t).s, name, count);
    r->local_bytes += (size_t)count * lun__dtype_get(t)->bytes;
}

/* The identity, or anything where there is none. */
static lun_snippet neutral(lun_renderer *r, int32_t v)
{
    uint64_t bits = 0;
    lun__uses_identity(r, v, &bits);
    return lun__element_const(r, (lun_dtype)r->ir->ins[v].dtype, bits);
}

void lun__cl_sinks_body(lun_renderer *r, lun_cl_sinks *l)
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

void lun__cl_sinks_arguments(const lun_cl_sinks *l, lun_strbuf *out)
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

void lun__cl_sinks_open(lun_renderer *r, const lun_cl_sinks *l, lun_strbuf *out)
{
    for (int k = 0; k < l->count; k++) {
        int32_t v = l->sink[k].v;
        lun__cl_sinks_local(r, (lun_dtype)r->ir->ins[v].dtype, lun__text_name("l%" PRId32, v).s,
                            LUN_LANES, out);
        if (l->sink[k].lanes) {
            lun__strbuf_printf(out, "    %s a%" PRId32 " = %s;\n", type_of(r, v).s, v,
                               neutral(r, v).s);
            continue;
        }
        tree_helper(r, v);
        lun__strbuf_printf(out,
                           "    struct lun_tree%" PRId32 " t%" PRId32 ";\n    t%" PRId32
                           ".top = 0;\n    t%" PRId32 ".blocks = 0;\n",
                           v, v, v, v);
    }
}

void lun__cl_sinks_fresh(lun_renderer *r, const lun_cl_sinks *l, lun_strbuf *out)
{
    for (int k = 0; k < l->count; k++)
        lun__strbuf_printf(out, "        %s %s = %s;\n", type_of(r, l->sink[k].v).s, l->sink[k].x.s,
                           neutral(r, l->sink[k].v).s);
}

/* A block's tree: levels of pairs in local memory, the odd one goes up unchanged. */
static void join_tree(lun_renderer *r, const lun_cl_sink *s, lun_strbuf *out)
{
    int32_t v = s->v;
    lun__text_put(r, out, "        l%" PRId32 "[lane] = %s;\n        %s", v, s->x.s, lun__barrier);
    lun__text_put(r, out,
                  "        for (int n = left < %d ? (int)left : %d; n > 1; n = (n + 1) / 2) {\n"
                  "            %s y = l%" PRId32 "[lane];\n"
                  "            if (2 * lane + 1 < n) y = %s(l%" PRId32 "[2 * lane], l%" PRId32
                  "[2 * lane + 1], &f);\n"
                  "            else if (2 * lane < n) y = l%" PRId32 "[2 * lane];\n            %s"
                  "            l%" PRId32 "[lane] = y;\n            %s        }\n"
                  "        if (lane == 0) lun_tree_add%" PRId32 "(&t%" PRId32 ", l%" PRId32
                  "[0], &f);\n        %s",
                  LUN_LANES, LUN_LANES, type_of(r, v).s, v, lun__combine_function(r, v).s, v, v, v,
                  lun__barrier, v, lun__barrier, v, v, v, lun__barrier);
}

void lun__cl_sinks_join(lun_renderer *r, const lun_cl_sinks *l, lun_strbuf *out)
{
    for (int k = 0; k < l->count; k++) {
        const lun_cl_sink *s = &l->sink[k];
        if (s->lanes)
            lun__strbuf_printf(out, "        a%" PRId32 " = %s(a%" PRId32 ", %s, &f);\n", s->v,
                               lun__combine_function(r, s->v).s, s->v, s->x.s);
        else
            join_tree(r, s, out);
    }
}

void lun__cl_sinks_end(lun_renderer *r, const lun_cl_sinks *l, const char *target, lun_strbuf *out)
{
    for (int k = 0; k < l->count; k++) {
        int32_t v = l->sink[k].v;
        const lun_ir_ins *ins = &r->ir->ins[v];
        lun_snippet cell = lun__element_cell(r, (lun_dtype)ins->dtype),
                    to = lun__text_name("%s", target);
        if (ins->kind == LUN_IR_REDUCE)
            to = lun__text_name("%s[%" PRId64 "]", target, ins->imm);
        if (!l->sink[k].lanes) {
            lun__strbuf_printf(
                out, "    if (lane == 0) %s = %s(lun_tree_end%" PRId32 "(&t%" PRId32 ", &f));\n",
                to.s, cell.s, v, v);
            continue;
        }
        lun__text_put(r, out,
                      "    l%" PRId32 "[lane] = a%" PRId32 ";\n    %s"
                      "    for (int s = %d; s; s /= 2) {\n        if (lane < s) l%" PRId32
                      "[lane] = %s(l%" PRId32 "[lane], l%" PRId32
                      "[lane + s], &f);\n        %s    }\n"
                      "    if (lane == 0) %s = %s(l%" PRId32 "[0]);\n",
                      v, v, lun__barrier, LUN_LANES / 2, v, lun__combine_function(r, v).s, v, v,
                      lun__barrier, to.s, cell.s, v);
    }
}
