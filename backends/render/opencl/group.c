/* group.c - the kernels of an OpenCL text in the SCALAR form: an element for each work-item or, where order
 * matters, a chunk for each work-group of 64 lanes, in host/host.h's order.  Scans are in group_scan.c, statements in
 * render/body/item.c and render/body/statement.c. */
#include <inttypes.h>

#include "host/host.h"
#include "render/chunk/chunk.h"
#include "render/opencl/opencl.h"

enum { LIGHT = 40 }; /* cost of an element */

static const char barrier[] = "barrier(CLK_LOCAL_MEM_FENCE);\n";

/* ---- a kernel's statements ----------------------------------------------------------------------- */

static void parameters(lun_crender *r, unsigned need, lun_strbuf *out)
{
    if (r->ir->scan >= 0)
        lun_strbuf_printf(out, need == LUN_CF_BODY ? ", const %s scan" : ", %s *x",
                          lun_ctype((lun_dtype)r->ir->ins[r->ir->scan].dtype).s);
    for (int32_t v = 0; v < r->ir->count; v++) {
        const lun_ir_ins *ins = &r->ir->ins[v];
        if (ins->kind == LUN_IR_REDUCE && (r->flags[v] & need))
            lun_strbuf_printf(out, ", %s *x%" PRId64, lun_ctype((lun_dtype)ins->dtype).s, ins->imm);
    }
}

/* body(i, f, u, [scan], &x0, ...) or operand(i, f, u, &x) */
static void section(lun_crender *r, unsigned need, const char *name, lun_strbuf *out)
{
    lun_strbuf body = LUN_STRBUF_INIT;
    lun_csection s = {.r = r, .out = &body, .need = need, .scope = -1, .element = true};
    lun_cbody(&s);
    lun_strbuf_printf(
        out, "\nINLINE void %s(const lun_i64 i, struct frame *f, const struct uniform *u", name);
    parameters(r, need, out);
    lun_strbuf_printf(out, ")\n{\n%s}\n", lun_strbuf_text(&body));
    if (body.failed || s.labels.failed)
        out->failed = true;
    lun_strbuf_free(&body);
    lun_strbuf_free(&s.labels);
}

lun_status lun_clscalar_unit(lun_crender *r, const char *first, lun_strbuf *out)
{
    lun_strbuf parts = LUN_STRBUF_INIT, kernels = LUN_STRBUF_INIT;
    lun_status s = lun_cfacts_element(r);
    if (s != LUN_OK)
        return s;
    lun_strbuf_puts(out, "/* Lunarray kernel: single elements. */\n");
    lun_cfunctions(r, out);
    lun_strbuf_puts(out, first);
    if (r->ir->scan >= 0)
        section(r, LUN_CF_OPERAND, "operand", &parts);
    section(r, LUN_CF_BODY, "body", &parts);
    r->dialect->exports(r, &kernels);
    lun_strbuf_printf(out,
                      "\n%s\nstruct uniform {\n    lun_i64 n;\n%s};\n\n"
                      "INLINE void prepare(const struct frame *f, struct uniform *u)\n{\n"
                      "    u->n = f->n;\n%s}\n%s%s",
                      lun_strbuf_text(&r->helpers), lun_strbuf_text(&r->fields),
                      lun_strbuf_text(&r->setup), lun_strbuf_text(&parts),
                      lun_strbuf_text(&kernels));
    if (parts.failed || kernels.failed)
        out->failed = true;
    lun_strbuf_free(&parts);
    lun_strbuf_free(&kernels);
    return LUN_OK;
}

/* ---- values that lanes combine ------------------------------------------------------------------- */

static lun_cname type_of(const lun_crender *r, int32_t v)
{
    return lun_ctype((lun_dtype)r->ir->ins[v].dtype);
}

void lun_cllocal(lun_crender *r, lun_dtype t, const char *name, int count, lun_strbuf *out)
{
    lun_strbuf_printf(out, "    __local %s %s[%d];\n", lun_ctype(t).s, name, count);
    r->local_bytes += (size_t)count * lun_dtype_get(t)->bytes;
}

/* The identity, or anything where there is none. */
static lun_cname neutral(lun_crender *r, int32_t v)
{
    uint64_t bits = 0;
    lun_cin_lanes(r, v, &bits);
    return lun_cscalar_const(r, (lun_dtype)r->ir->ins[v].dtype, bits);
}

void lun_clsinks_body(lun_crender *r, lun_clsinks *l)
{
    uint64_t identity;
    for (int32_t v = 0; v < r->ir->count; v++) {
        if (r->ir->ins[v].kind != LUN_IR_REDUCE)
            continue;
        if (l->count == LUN_CL_SINKS) {
            lun_strbuf_puts(&r->problem, "too many reductions in one kernel");
            return;
        }
        l->sink[l->count++] = (lun_clsink){.v = v,
                                           .lanes = lun_cin_lanes(r, v, &identity),
                                           .x = lun_cname_of("x%" PRId64, r->ir->ins[v].imm)};
    }
}

void lun_clsinks_arguments(const lun_clsinks *l, lun_strbuf *out)
{
    for (int k = 0; k < l->count; k++)
        lun_strbuf_printf(out, ", &%s", l->sink[k].x.s);
}

/* Lane 0 keeps the roots of complete subtrees, the largest first: one for each bit of blocks. */
static void tree_helper(lun_crender *r, int32_t v)
{
    lun_cname t = type_of(r, v), join = lun_ccombiner(r, v);
    if (!lun_cmake(r, lun_cname_of("lun_tree%" PRId32, v).s))
        return;
    lun_strbuf_printf(&r->helpers,
                      "struct lun_tree%" PRId32 " { %s root[32]; int top; lun_u32 blocks; };\n"
                      "INLINE void lun_tree_add%" PRId32 "(struct lun_tree%" PRId32
                      " *t, %s y, struct frame *f)\n{\n"
                      "    for (lun_u32 b = t->blocks++; b & 1; b >>= 1) y = %s(t->root[--t->top], "
                      "y, f);\n    t->root[t->top++] = y;\n}\n",
                      v, t.s, v, v, t.s, join.s);
    lun_strbuf_printf(&r->helpers,
                      "INLINE %s lun_tree_end%" PRId32 "(struct lun_tree%" PRId32
                      " *t, struct frame *f)\n{\n    %s y = t->root[--t->top];\n"
                      "    while (t->top) y = %s(t->root[--t->top], y, f);\n    return y;\n}\n",
                      t.s, v, v, t.s, join.s);
}

void lun_clsinks_open(lun_crender *r, const lun_clsinks *l, lun_strbuf *out)
{
    for (int k = 0; k < l->count; k++) {
        int32_t v = l->sink[k].v;
        lun_cllocal(r, (lun_dtype)r->ir->ins[v].dtype, lun_cname_of("l%" PRId32, v).s, LUN_LANES,
                    out);
        if (l->sink[k].lanes) {
            lun_strbuf_printf(out, "    %s a%" PRId32 " = %s;\n", type_of(r, v).s, v,
                              neutral(r, v).s);
            continue;
        }
        tree_helper(r, v);
        lun_strbuf_printf(out,
                          "    struct lun_tree%" PRId32 " t%" PRId32 ";\n    t%" PRId32
                          ".top = 0;\n    t%" PRId32 ".blocks = 0;\n",
                          v, v, v, v);
    }
}

void lun_clsinks_fresh(lun_crender *r, const lun_clsinks *l, lun_strbuf *out)
{
    for (int k = 0; k < l->count; k++)
        lun_strbuf_printf(out, "        %s %s = %s;\n", type_of(r, l->sink[k].v).s, l->sink[k].x.s,
                          neutral(r, l->sink[k].v).s);
}

/* A block's tree: levels of pairs in local memory, the odd one goes up unchanged. */
static void join_tree(lun_crender *r, const lun_clsink *s, lun_strbuf *out)
{
    int32_t v = s->v;
    lun_strbuf_printf(out, "        l%" PRId32 "[lane] = %s;\n        %s", v, s->x.s, barrier);
    lun_strbuf_printf(out,
                      "        for (int n = left < %d ? (int)left : %d; n > 1; n = (n + 1) / 2) {\n"
                      "            %s y = l%" PRId32 "[lane];\n"
                      "            if (2 * lane + 1 < n) y = %s(l%" PRId32 "[2 * lane], l%" PRId32
                      "[2 * lane + 1], &f);\n"
                      "            else if (2 * lane < n) y = l%" PRId32
                      "[2 * lane];\n            %s"
                      "            l%" PRId32 "[lane] = y;\n            %s        }\n"
                      "        if (lane == 0) lun_tree_add%" PRId32 "(&t%" PRId32 ", l%" PRId32
                      "[0], &f);\n        %s",
                      LUN_LANES, LUN_LANES, type_of(r, v).s, v, lun_ccombiner(r, v).s, v, v, v,
                      barrier, v, barrier, v, v, v, barrier);
}

void lun_clsinks_join(lun_crender *r, const lun_clsinks *l, lun_strbuf *out)
{
    for (int k = 0; k < l->count; k++) {
        const lun_clsink *s = &l->sink[k];
        if (s->lanes)
            lun_strbuf_printf(out, "        a%" PRId32 " = %s(a%" PRId32 ", %s, &f);\n", s->v,
                              lun_ccombiner(r, s->v).s, s->v, s->x.s);
        else
            join_tree(r, s, out);
    }
}

void lun_clsinks_end(lun_crender *r, const lun_clsinks *l, const char *target, lun_strbuf *out)
{
    for (int k = 0; k < l->count; k++) {
        int32_t v = l->sink[k].v;
        const lun_ir_ins *ins = &r->ir->ins[v];
        lun_cname cell = lun_cscalar_cell(r, (lun_dtype)ins->dtype),
                  to = lun_cname_of("%s", target);
        if (ins->kind == LUN_IR_REDUCE)
            to = lun_cname_of("%s[%" PRId64 "]", target, ins->imm);
        if (!l->sink[k].lanes) {
            lun_strbuf_printf(
                out, "    if (lane == 0) %s = %s(lun_tree_end%" PRId32 "(&t%" PRId32 ", &f));\n",
                to.s, cell.s, v, v);
            continue;
        }
        lun_strbuf_printf(
            out,
            "    l%" PRId32 "[lane] = a%" PRId32 ";\n    %s"
            "    for (int s = %d; s; s /= 2) {\n        if (lane < s) l%" PRId32
            "[lane] = %s(l%" PRId32 "[lane], l%" PRId32 "[lane + s], &f);\n        %s    }\n"
            "    if (lane == 0) %s = %s(l%" PRId32 "[0]);\n",
            v, v, barrier, LUN_LANES / 2, v, lun_ccombiner(r, v).s, v, v, barrier, to.s, cell.s, v);
    }
}

/* ---- kernels ------------------------------------------------------------------------------------- */

static void elementwise(lun_crender *r, lun_strbuf *out)
{
    lun_clkernel(r, "lun_kernel", 0, out);
    lun_strbuf_puts(out, "    struct uniform u;\n    prepare(&f, &u);\n"
                         "    for (lun_i64 i = cells[1] + get_global_id(0); i < f.n; i += "
                         "get_global_size(0))\n        body(i, &f, &u);\n");
    lun_clkernel_end(r, out);
}

static void reductions(lun_crender *r, lun_strbuf *out)
{
    lun_clsinks l = {.count = 0};
    lun_clsinks_body(r, &l);
    lun_clkernel(r, "lun_kernel", LUN_LANES, out);
    lun_clsinks_open(r, &l, out);
    lun_strbuf_puts(
        out, "    struct uniform u;\n    prepare(&f, &u);\n"
             "    const int lane = get_local_id(0);\n"
             "    const lun_i64 k = cells[4] + get_group_id(0), lo = cells[1] + k * cells[2];\n"
             "    const lun_i64 hi = f.n - lo < cells[2] ? f.n : lo + cells[2];\n");
    if (lun_ir_cost(r->ir) <= LIGHT) /* several loads at once hide their latency */
        lun_strbuf_puts(out, "#pragma unroll 4\n");
    lun_strbuf_printf(out,
                      "    for (lun_i64 b = lo; b < hi; b += %d) {\n"
                      "        const lun_i64 left = hi - b;\n",
                      LUN_LANES);
    lun_clsinks_fresh(r, &l, out);
    lun_strbuf_puts(out, "        if (lane < left) body(b + lane, &f, &u");
    lun_clsinks_arguments(&l, out);
    lun_strbuf_puts(out, ");\n");
    lun_clsinks_join(r, &l, out);
    lun_strbuf_puts(out, "    }\n");
    lun_strbuf_printf(out, "    f.partials = partials + k * %d;\n", r->ir->result_count);
    lun_clsinks_end(r, &l, "f.partials", out);
    lun_clkernel_end(r, out);
}

/* Level by level, from one half of the memory for partial results to the other. */
static void finish(lun_crender *r, lun_strbuf *out)
{
    int results = r->ir->result_count;
    lun_strbuf pairs = LUN_STRBUF_INIT;
    for (int32_t v = 0; v < r->ir->count; v++) {
        const lun_ir_ins *ins = &r->ir->ins[v];
        lun_dtype t = (lun_dtype)ins->dtype;
        if (ins->kind != LUN_IR_REDUCE)
            continue;
        lun_cname join = lun_ccombiner(r, v), of = lun_cscalar_uncell(r, t);
        lun_strbuf_printf(&pairs,
                          "            to[j * %d + %" PRId64 "] = two ? %s(%s(%s(a[%" PRId64
                          "]), %s(a[%d + %" PRId64 "]), &f)) : a[%" PRId64 "];\n",
                          results, ins->imm, lun_cscalar_cell(r, t).s, join.s, of.s, ins->imm, of.s,
                          results, ins->imm, ins->imm);
    }
    lun_clkernel(r, "lun_finish", LUN_CL_JOINERS, out);
    lun_strbuf_printf(
        out,
        "    const int lane = get_local_id(0);\n"
        "    __global lun_u64 *from = partials, *to = partials + chunks * %d;\n"
        "    for (lun_i64 n = chunks; n > 1; n = (n + 1) / 2) {\n"
        "        for (lun_i64 j = lane; j < (n + 1) / 2; j += %d) {\n"
        "            const bool two = 2 * j + 1 < n;\n"
        "            __global const lun_u64 *const a = from + 2 * j * %d;\n%s        }\n"
        "        barrier(CLK_GLOBAL_MEM_FENCE);\n"
        "        __global lun_u64 *const t = from;\n        from = to;\n        to = t;\n    }\n"
        "    for (int q = lane; q < %d; q += %d) work[2 + q] = from[q];\n",
        results, LUN_CL_JOINERS, results, lun_strbuf_text(&pairs), results, LUN_CL_JOINERS);
    lun_clkernel_end(r, out);
    if (pairs.failed)
        out->failed = true;
    lun_strbuf_free(&pairs);
}

void lun_clgroups(lun_crender *r, lun_strbuf *out)
{
    lun_clhelpers(r);
    if (r->ir->scan >= 0)
        lun_clscan(r, out);
    else if (r->ir->result_count)
        reductions(r, out);
    else
        elementwise(r, out);
    if (r->ir->result_count)
        finish(r, out);
}
