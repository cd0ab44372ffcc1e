/* extreme_index.c - indices of least and largest elements: each lane keeps its best element and the
 * number of the block of 64 that it was in, which fits the narrowest element, for a chunk has 256
 * of them. Which element is the first is decided when the chunk ends: by value, by block, by
 * lane. */
#include "render/chunk/chunk.h"

#include <inttypes.h>

#include "ir/combine_order.h"
#include "render/facts/uses.h"
#include "render/text/element_text.h"
#include "render/text/text.h"
#include "render/vector/operation.h"
#include "render/vector/vector.h"

_Static_assert(LUN_CHUNK / LUN_LANES <= 1 << 8, "a block's number fits 8 bits");

static lun_rep rep_of(const lun_renderer *r, int32_t v)
{
    return lun__vector_rep((lun_dtype)r->ir->ins[v].dtype, 0);
}

lun_rep lun__extreme_index_rep(const lun_renderer *r, int32_t v)
{
    return lun__vector_rep(lun__element_unsigned(lun__vector_rep_bytes(rep_of(r, v))), 0);
}

/* Whether the conditions of floats are made in mask registers: of two of them, the compiler makes a
 * choice in twice the instructions. */
static bool by_mask(const lun_renderer *r, lun_rep rep)
{
    return r->target->isa == LUN_ISA_AVX512 && r->lanes * lun__vector_rep_bytes(rep) == r->bytes;
}

lun_snippet lun__extreme_index_lanes(lun_renderer *r, int32_t v)
{
    lun_rep rep = rep_of(r, v), index = lun__extreme_index_rep(r, v);
    const lun_ir_ins *ins = &r->ir->ins[v];
    lun_snippet c = lun__text_name("lun_place%" PRId32, v), u = lun__vector_type(r, index),
                op = lun__operation_vector(r, (lun_op)ins->op, rep),
                splat = lun__vector_splat(r, rep), full = lun__vector_splat(r, index),
                live = lun__vector_live(r, lun__vector_rep_bytes(rep)),
                select = lun__vector_select(r, rep), put = lun__vector_select(r, index);
    uint64_t bits = 0;
    lun__uses_identity(r, v, &bits);
    lun_snippet id = lun__element_const(r, (lun_dtype)ins->dtype, bits);
    const char *than = ins->op == LUN_OP_MIN ? "<" : ">";
    bool real = lun__dtype_is_float(rep.t);
    char size = lun__vector_rep_bytes(rep) == 4 ? 's' : 'd';
    if (!lun__text_once(r, c.s))
        return c;
    lun_strbuf text = LUN_STRBUF_INIT;
    lun__strbuf_printf(&text,
                       "INLINE $v lun_identity%" PRId32 "(void)\n{\n    return %s(%s);\n}\n"
                       "INLINE void %s($v *a, %s *p, $v x, lun_i64 left, lun_i64 block)\n{\n"
                       "    if (__builtin_expect(left < $W, 0))\n"
                       "        x = %s(%s(left), x, lun_identity%" PRId32 "());\n",
                       v, splat.s, id.s, c.s, u.s, select.s, live.s, v);
    lun__strbuf_printf(&text, "    const %s here = %s((%s)block);\n", u.s, full.s,
                       lun__element_type(index.t).s);
    if (!real)
        lun__strbuf_printf(&text, "    *p = %s(x %s *a, here, *p);\n    *a = %s(*a, x);\n}\n",
                           put.s, than, op.s);
    else if (by_mask(r, rep))
        lun__strbuf_printf(
            &text,
            "    __asm__(\"vcmpp%c $$%d, %%0, %%2, %%%%k1\\n\\tvcmpp%c $$7, %%0, %%0, "
            "%%%%k1%%{%%%%k1%%}\\n\\t\"\n"
            "            \"vmovap%c %%2, %%0%%{%%%%k1%%}\\n\\tvmovap%c %%3, %%1%%{%%%%k1%%}\"\n"
            "            : \"+&v\"(*a), \"+v\"(*p) : \"v\"(x), \"v\"(here) : \"k1\");\n}\n",
            size, ins->op == LUN_OP_MIN ? 9 : 6, size, size, size);
    else
        lun__strbuf_printf(&text,
                           "    const $m better = ((x %s *a) | (x != x)) & (*a == *a);\n"
                           "    *p = %s(better, here, *p);\n    *a = %s(better, x, *a);\n}\n",
                           than, put.s, select.s);
    lun__vector_helper(r, rep, lun__strbuf_text(&text));
    lun__strbuf_free(&text);
    return c;
}

static int halve(int lane, int lanes, int distance)
{
    return lane + distance < lanes ? lane + distance : lane;
}

/* Folds x[] in halves into x[0][0]. */
static void fold(lun_renderer *r, lun_op op, lun_rep rep, lun_strbuf *out)
{
    lun_snippet f = lun__operation_vector(r, op, rep);
    const char *x = "x[0]";
    if (r->lanes < LUN_LANES)
        lun__strbuf_printf(out,
                           "    for (int s = %d; s; s /= 2)\n        for (int k = 0; k < s; k++)\n"
                           "            x[k] = %s(x[k], x[k + s]);\n",
                           LUN_LANES / r->lanes / 2, f.s);
    for (int s = r->lanes / 2; s; s /= 2) {
        lun__strbuf_printf(out, "    %s = %s(%s, ", x, f.s, x);
        lun__vector_shuffle(r, out, rep, x, x, halve, s);
        lun__strbuf_puts(out, ");\n");
    }
}

/* lun_fold_<op>_<type>(x): the lanes of x[], which are lost, combined. */
static lun_snippet folded(lun_renderer *r, lun_op op, lun_rep rep)
{
    lun_snippet c =
        lun__text_name("lun_fold_%s_%s", lun__op_get(op)->name, lun__vector_rep_name(rep).s);
    lun_strbuf body = LUN_STRBUF_INIT, text = LUN_STRBUF_INIT;
    if (!lun__text_once(r, c.s))
        return c;
    fold(r, op, rep, &body);
    lun__strbuf_printf(&text, "INLINE $t %s($v *x)\n{\n%s    return x[0][0];\n}\n", c.s,
                       lun__strbuf_text(&body));
    if (body.failed)
        r->helpers.failed = true;
    lun__vector_helper(r, rep, lun__strbuf_text(&text));
    lun__strbuf_free(&body);
    lun__strbuf_free(&text);
    return c;
}

lun_snippet lun__extreme_index_end(lun_renderer *r, int32_t v)
{
    lun_rep rep = rep_of(r, v), index = lun__extreme_index_rep(r, v);
    const lun_ir_ins *ins = &r->ir->ins[v];
    lun_snippet c = lun__text_name("lun_place_end%" PRId32, v), u = lun__vector_type(r, index),
                best = folded(r, (lun_op)ins->op, rep), least = folded(r, LUN_OP_MIN, index),
                splat = lun__vector_splat(r, rep), full = lun__vector_splat(r, index),
                put = lun__vector_select(r, index), one = lun__element_type(index.t);
    const char *nan = lun__dtype_is_float(rep.t) ? " | ((a[k] != a[k]) & (y != y))" : "";
    int parts = LUN_LANES / r->lanes;
    if (!lun__text_once(r, c.s))
        return c;
    lun_strbuf text = LUN_STRBUF_INIT;
    lun__strbuf_printf(&text,
                       "static lun_i64 %s(const $v *a, const %s *p, $t *value)\n{\n"
                       "    $v x[%d];\n    $m is[%d];\n    %s q[%d];\n"
                       "    for (int k = 0; k < %d; k++) x[k] = a[k];\n"
                       "    *value = %s(x);\n    const $v y = %s(*value);\n"
                       "    for (int k = 0; k < %d; k++) {\n        is[k] = (a[k] == y)%s;\n"
                       "        q[k] = %s(is[k], p[k], %s((%s)-1));\n    }\n"
                       "    const %s block = %s(q);\n"
                       "    for (int k = 0; k < %d; k++) {\n        const %s lane = {",
                       c.s, u.s, parts, parts, u.s, parts, parts, best.s, splat.s, parts, nan,
                       put.s, full.s, one.s, one.s, least.s, parts, u.s);
    for (int l = 0; l < r->lanes; l++)
        lun__strbuf_printf(&text, "%s%d", l ? ", " : "", l);
    lun__strbuf_printf(
        &text,
        "};\n        q[k] = %s(is[k] & ($m)(p[k] == %s(block)), lane + (%s)(k * $W), "
        "%s((%s)-1));\n    }\n"
        "    return (lun_i64)block * %d + (lun_i64)%s(q);\n}\n",
        put.s, full.s, one.s, full.s, one.s, LUN_LANES, least.s);
    lun__vector_helper(r, rep, lun__strbuf_text(&text));
    lun__strbuf_free(&text);
    return c;
}
