/* pair_tree.c - reductions by the tree of adjacent pairs, a block of 64 elements at a time.
 * ir/combine_order.h fixes the tree. */
#include "render/chunk/chunk.h"

#include <inttypes.h>

#include "render/body/combiner.h"
#include "render/text/element_text.h"
#include "render/text/text.h"

static void tree_helpers(lun_renderer *r, int32_t v)
{
    lun_snippet t = lun__element_type((lun_dtype)r->ir->ins[v].dtype),
                join = lun__combine_function(r, v);
    lun_strbuf *out = &r->helpers;
    if (!lun__text_once(r, lun__text_name("lun_tree%" PRId32, v).s))
        return;
    lun__strbuf_printf(
        out,
        "/* Roots of complete subtrees, the largest first: one for each bit of blocks. */\n"
        "struct lun_tree%" PRId32 " { %s root[64]; int top; lun_u64 blocks; };\n"
        "static void lun_tree_add%" PRId32 "(struct lun_tree%" PRId32
        " *t, %s *x, lun_i64 count, struct frame *f)\n{\n    if (count >= " LUN_ORDER_TEXT(
            LUN_LANES) ") {\n",
        v, t.s, v, v, t.s);
    for (int n = 32; n; n /= 2) /* each level into memory of its own, so that it vectorises */
        lun__strbuf_printf(
            out,
            "        %s y%d[%d];\n        for (int j = 0; j < %d; j++) y%d[j] = %s(%s[2 * j], "
            "%s[2 * j + 1], f);\n",
            t.s, n, n, n, n, join.s, n == 32 ? "x" : lun__text_name("y%d", 2 * n).s,
            n == 32 ? "x" : lun__text_name("y%d", 2 * n).s);
    lun__strbuf_printf(
        out,
        "        x[0] = y1[0];\n    } else {\n"
        "        for (lun_i64 n = count; n > 1; n = (n + 1) / 2) {\n"
        "            for (lun_i64 j = 0; j < n / 2; j++) x[j] = %s(x[2 * j], x[2 * j + 1], f);\n"
        "            if (n & 1) x[n / 2] = x[n - 1];\n        }\n    }\n"
        "    %s y = x[0];\n"
        "    for (lun_u64 b = t->blocks++; b & 1; b >>= 1) y = %s(t->root[--t->top], y, f);\n"
        "    t->root[t->top++] = y;\n}\n"
        "static %s lun_tree_end%" PRId32 "(struct lun_tree%" PRId32
        " *t, struct frame *f)\n{\n    %s y = t->root[--t->top];\n"
        "    while (t->top) y = %s(t->root[--t->top], y, f);\n    return y;\n}\n",
        join.s, t.s, join.s, t.s, v, v, t.s, join.s);
}

void lun__pair_tree_start(lun_renderer *r, int32_t v, lun_strbuf *out)
{
    tree_helpers(r, v);
    lun__strbuf_printf(out, "    struct lun_tree%" PRId32 " t%" PRId32 " = {.top = 0};\n", v, v);
    lun__strbuf_printf(
        out, "    %s e%" PRId32 "[" LUN_ORDER_TEXT(LUN_LANES) "] __attribute__((aligned(64)));\n",
        lun__element_type((lun_dtype)r->ir->ins[v].dtype).s, v);
}

void lun__pair_tree_add(lun_renderer *r, int32_t v, lun_strbuf *out)
{
    (void)r;
    lun__strbuf_printf(
        out, "        lun_tree_add%" PRId32 "(&t%" PRId32 ", e%" PRId32 ", left, f);\n", v, v, v);
}

lun_snippet lun__pair_tree_end(lun_renderer *r, int32_t v)
{
    (void)r;
    return lun__text_name("lun_tree_end%" PRId32 "(&t%" PRId32 ", f)", v, v);
}
