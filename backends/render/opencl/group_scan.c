/* group_scan.c - scans in the SCALAR form: a work-group of 64 lanes runs a chunk in tiles of 512
 * elements, in which each lane combines a group of 8, and one of them chains the groups;
 * ir/combine_order.h's order, and so its bits. By a function, one lane goes over the elements
 * from left to right. */
#include "render/opencl/cl_texts.h"

#include "ir/combine_order.h"
#include "render/body/combiner.h"
#include "render/facts/uses.h"
#include "render/opencl/cl_kernel_text.h"
#include "render/opencl/group_reduce.h"
#include "render/text/element_text.h"
#include "render/text/text.h"

enum { EACH = LUN_SCAN_GROUP, TILE = LUN_LANES * EACH };

static const lun_ir_ins *scan_of(const lun_renderer *r)
{
    return &r->ir->ins[r->ir->scan];
}

static bool by_op(const lun_renderer *r)
{
    return scan_of(r)->op < LUN_OP_COUNT;
}

static lun_dtype dtype_of(const lun_renderer *r)
{
    return (lun_dtype)scan_of(r)->dtype;
}

static lun_snippet type_of(const lun_renderer *r)
{
    return lun__element_type(dtype_of(r));
}

/* ---- totals and carries ---------------------------------------------------------------------- */

static void total_by_op(lun_renderer *r, lun_strbuf *out)
{
    uint64_t identity;
    lun_cl_sinks l = {.count = 1};
    l.sink[0] = (lun_cl_sink){.v = r->ir->scan,
                              .lanes = lun__uses_identity(r, r->ir->scan, &identity),
                              .x = lun__text_name("x")};
    lun__cl_kernel_open(r, "lun_total", LUN_LANES, out);
    lun__group_reduce_open(r, &l, out);
    lun__cl_kernel_group(r, false, out);
    lun__strbuf_printf(out,
                       "    for (lun_i64 b = lo; b < hi; b += %d) {\n"
                       "        const lun_i64 left = hi - b, most = left;\n",
                       LUN_LANES);
    lun__group_reduce_fresh(r, &l, out);
    lun__strbuf_puts(out, "        if (lane < left) operand(b + lane, &f, &u, &x);\n");
    lun__group_reduce_join(r, &l, out);
    lun__strbuf_puts(out, "    }\n");
    lun__group_reduce_end(r, &l, "carries[k]", out);
    lun__cl_kernel_close(r, out);
}

static void total_by_function(lun_renderer *r, lun_strbuf *out)
{
    lun_snippet t = type_of(r);
    lun__cl_kernel_open(r, "lun_total", LUN_LANES, out);
    lun__group_reduce_local(r, dtype_of(r), "x", LUN_LANES, out);
    lun__cl_kernel_group(r, false, out);
    lun__text_put(r, out,
                  "    %s y = 0;\n    for (lun_i64 b = lo; b < hi; b += %d) {\n"
                  "        %s v = 0;\n        if (b + lane < hi) operand(b + lane, &f, &u, &v);\n"
                  "        x[lane] = v;\n        %s"
                  "        for (int j = 0; lane == 0 && j < %d && b + j < hi; j++)\n"
                  "            y = b + j == lo ? x[j] : %s(y, x[j], &f);\n        %s    }\n"
                  "    if (lane == 0) carries[k] = %s(y);\n",
                  t.s, LUN_LANES, t.s, lun__barrier, LUN_LANES,
                  lun__combine_function(r, r->ir->scan).s, lun__barrier,
                  lun__element_cell(r, dtype_of(r)).s);
    lun__cl_kernel_close(r, out);
}

/* Totals become carries, 64 at a time. */
static void carry(lun_renderer *r, lun_strbuf *out)
{
    lun_snippet t = type_of(r), of = lun__element_uncell(r, dtype_of(r)),
                cell = lun__element_cell(r, dtype_of(r));
    lun__cl_kernel_open(r, "lun_carry", LUN_LANES, out);
    lun__group_reduce_local(r, dtype_of(r), "x", LUN_LANES, out);
    lun__text_put(
        r, out,
        "    const int lane = @local_id;\n    %s y = %s(lun_initial(&f));\n"
        "    for (lun_i64 b = 0; b < chunks; b += %d) {\n"
        "        if (b + lane < chunks - 1) x[lane] = %s(carries[b + lane]);\n        %s"
        "        for (int j = 0; lane == 0 && j < %d && b + j < chunks; j++) {\n"
        "            const %s z = x[j];\n            x[j] = y;\n"
        "            if (b + j < chunks - 1) y = %s(y, z, &f);\n        }\n        %s"
        "        if (b + lane < chunks) carries[b + lane] = %s(x[lane]);\n        %s    }\n",
        t.s, of.s, LUN_LANES, of.s, lun__barrier, LUN_LANES, t.s,
        lun__combine_function(r, r->ir->scan).s, lun__barrier, cell.s, lun__barrier);
    lun__cl_kernel_close(r, out);
}

/* ---- the running combinations of a tile ------------------------------------------------------ */

static void tile_by_op(lun_renderer *r, lun_strbuf *out)
{
    lun_snippet t = type_of(r), join = lun__combine_function(r, r->ir->scan);
    lun__text_put(r, out,
                  "        %s p[%d];\n"
                  "        for (int j = 0; j < %d; j++) p[j] = x[%d * (side + lane) + j];\n"
                  "        for (int d = 1; d < %d; d *= 2)\n"
                  "            for (int j = %d; j >= d; j--) p[j] = %s(p[j - d], p[j], &f);\n"
                  "        c[side + lane] = p[%d];\n        %s"
                  "        if (lane == 0) {\n            for (int g = side; g < side + wide; g++) "
                  "{\n                const %s z = %s(y, c[g], &f);\n                c[g] = y;\n"
                  "                y = z;\n            }\n        }\n        %s",
                  t.s, EACH, EACH, EACH, EACH, EACH - 1, join.s, EACH - 1, lun__barrier, t.s,
                  join.s, lun__barrier);
    if (scan_of(r)->inclusive)
        lun__text_put(r, out,
                      "        for (int j = 0; j < %d; j++) x[%d * (side + lane) + j] = "
                      "%s(c[side + lane], p[j], &f);\n        %s",
                      EACH, EACH, join.s, lun__barrier);
    else
        lun__text_put(r, out,
                      "        x[%d * (side + lane)] = c[side + lane];\n"
                      "        for (int j = 1; j < %d; j++) x[%d * (side + lane) + j] = "
                      "%s(c[side + lane], p[j - 1], &f);\n        %s",
                      EACH, EACH, EACH, join.s, lun__barrier);
}

static void tile_by_function(lun_renderer *r, lun_strbuf *out)
{
    lun_snippet t = type_of(r), join = lun__combine_function(r, r->ir->scan);
    lun__text_put(r, out,
                  "        for (int j = 0; lane == 0 && j < %d * wide && i + j < hi; j++) {\n"
                  "            const %s z = %s(y, x[%d * side + j], &f);\n"
                  "            x[%d * side + j] = %s;\n            y = z;\n        }\n        %s",
                  EACH, t.s, join.s, EACH, EACH, scan_of(r)->inclusive ? "z" : "y", lun__barrier);
}

static void kernel(lun_renderer *r, const char *name, bool segments, lun_strbuf *out)
{
    lun_cl_sinks l = {.count = 0};
    lun_snippet t = type_of(r);
    lun__group_reduce_body(r, &l);
    lun__cl_kernel_open(r, name, LUN_LANES, out);
    lun__group_reduce_local(r, dtype_of(r), "x", TILE, out);
    if (by_op(r))
        lun__group_reduce_local(r, dtype_of(r), "c", LUN_LANES, out);
    lun__group_reduce_open(r, &l, out);
    lun__cl_kernel_group(r, segments, out);
    lun__text_put(r, out,
                  "    %s y = %s(%slun_initial(&f));\n"
                  "    for (lun_i64 i = lo; i < end; i += %d * wide) {\n"
                  "        for (int j = lane; j < %d * wide; j += wide) {\n            %s v = 0;\n"
                  "            if (i + j < hi) operand(i + j, &f, &u, &v);\n"
                  "            x[%d * side + j] = v;\n        }\n        %s",
                  t.s, lun__element_uncell(r, dtype_of(r)).s,
                  segments ? "" : "chunks > 1 ? carries[k] : ", EACH, EACH, t.s, EACH,
                  lun__barrier);
    (by_op(r) ? tile_by_op : tile_by_function)(r, out);
    lun__strbuf_printf(out,
                       "        for (lun_i64 b = i; b < end && b < i + %d * wide; b += wide) {\n"
                       "        const lun_i64 left = hi - b, most = end - b;\n",
                       EACH);
    lun__group_reduce_fresh(r, &l, out);
    lun__strbuf_printf(
        out, "        if (lane < left) body(b + lane, &f, &u, x[%d * side + b - i + lane]", EACH);
    lun__group_reduce_arguments(&l, out);
    lun__strbuf_puts(out, ");\n");
    lun__group_reduce_join(r, &l, out);
    lun__text_put(r, out, "        }\n        %s    }\n", lun__barrier);
    if (l.count)
        lun__strbuf_printf(out, "    f.partials = partials + k * %d;\n", r->ir->result_count);
    lun__group_reduce_end(r, &l, "f.partials", out);
    lun__cl_kernel_close(r, out);
}

void lun__cl_group_scan(lun_renderer *r, lun_strbuf *out)
{
    (by_op(r) ? total_by_op : total_by_function)(r, out);
    carry(r, out);
    kernel(r, "lun_kernel", false, out);
    if (!r->ir->result_count) /* else no launch has segments */
        kernel(r, "lun_lines", true, out);
}
