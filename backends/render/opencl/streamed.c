/* streamed.c - the kernels of the VECTOR form: a work-item runs a whole chunk in GNU vectors.
 * Knows no statement. */
#include "render/opencl/streamed.h"

#include <inttypes.h>

#include "render/body/combine.h"
#include "render/opencl/kernel.h"
#include "render/opencl/needs.h"
#include "render/text/element.h"
#include "render/text/text.h"

/* The bounds of the chunk of this work-item; a kernel returns at once if a trap is known. */
static void bounds(lun_crender *r, lun_strbuf *out)
{
    if (lun__cl_needs_report(r->ir))
        lun__text_put(r, out, "    if (*(@atomic_int *)work) return;\n");
    lun__text_put(r, out,
                  "    const lun_i64 k = cells[4] + @group_id, lo = cells[1] + k * cells[2];\n"
                  "    const lun_i64 hi = f.n - lo < cells[2] ? f.n : lo + cells[2];\n");
}

static void total(lun_crender *r, lun_strbuf *out)
{
    lun__cl_kernel_open(r, "lun_total", 1, out);
    bounds(r, out);
    lun__strbuf_puts(out,
                     "    lun_u64 carry;\n    f.carry = &carry;\n    chunk_total(lo, hi, &f);\n"
                     "    carries[k] = carry;\n");
    lun__cl_kernel_close(r, out);
}

/* Totals become carries. */
static void carry(lun_crender *r, lun_strbuf *out)
{
    int32_t v = r->ir->scan;
    lun_dtype t = (lun_dtype)r->ir->ins[v].dtype;
    lun_cname join = lun__combine_function(r, v), cell = lun__element_cell(r, t),
              of = lun__element_uncell(r, t), type = lun__element_type(t);
    lun__cl_kernel_open(r, "lun_carry", 1, out);
    lun__strbuf_printf(out,
                       "    %s y = %s(lun_initial(&f));\n"
                       "    for (lun_i64 k = 0; k < chunks - 1; k++) {\n"
                       "        const %s x = %s(carries[k]);\n        carries[k] = %s(y);\n"
                       "        y = %s(y, x, &f);\n    }\n    carries[chunks - 1] = %s(y);\n",
                       type.s, of.s, type.s, of.s, cell.s, join.s, cell.s);
    lun__cl_kernel_close(r, out);
}

static void finish(lun_crender *r, lun_strbuf *out)
{
    int results = r->ir->result_count;
    lun_strbuf pairs = LUN_STRBUF_INIT;
    for (int32_t v = 0; v < r->ir->count; v++) {
        const lun_ir_ins *ins = &r->ir->ins[v];
        lun_dtype t = (lun_dtype)ins->dtype;
        if (ins->kind != LUN_IR_REDUCE)
            continue;
        lun_cname join = lun__combine_function(r, v), of = lun__element_uncell(r, t);
        lun__strbuf_printf(
            &pairs,
            "            to[%" PRId64 "] = %s(%s(%s(a[%" PRId64 "]), %s(b[%" PRId64 "]), &f));\n",
            ins->imm, lun__element_cell(r, t).s, join.s, of.s, ins->imm, of.s, ins->imm);
    }
    lun__cl_kernel_open(r, "lun_finish", 1, out);
    lun__text_put(
        r, out,
        "    for (lun_i64 n = chunks; n > 1; n = (n + 1) / 2) {\n"
        "        for (lun_i64 j = 0; j < n / 2; j++) {\n"
        "            @global lun_u64 *const to = partials + j * %d;\n"
        "            @global const lun_u64 *const a = partials + 2 * j * %d, *const b = a + %d;\n"
        "%s        }\n"
        "        for (int q = 0; (n & 1) && q < %d; q++)\n"
        "            partials[n / 2 * %d + q] = partials[(n - 1) * %d + q];\n    }\n"
        "    for (int q = 0; q < %d; q++) work[2 + q] = partials[q];\n",
        results, results, results, lun__strbuf_text(&pairs), results, results, results, results);
    lun__cl_kernel_close(r, out);
    if (pairs.failed)
        out->failed = true;
    lun__strbuf_free(&pairs);
}

static void kernel(lun_crender *r, lun_strbuf *out)
{
    lun__cl_kernel_open(r, "lun_kernel", 1, out);
    bounds(r, out);
    if (r->ir->result_count)
        lun__strbuf_printf(out, "    f.partials = partials + k * %d;\n", r->ir->result_count);
    if (r->ir->scan >= 0)
        lun__strbuf_puts(out, "    lun_u64 carry = chunks > 1 ? carries[k] : lun_initial(&f);\n"
                              "    f.carry = &carry;\n");
    lun__strbuf_puts(out, "    chunk_kernel(lo, hi, &f);\n");
    lun__cl_kernel_close(r, out);
}

void lun__cl_streamed_kernels(lun_crender *r, lun_strbuf *out)
{
    lun__cl_kernel_helpers(r);
    if (r->ir->scan >= 0) {
        total(r, out);
        carry(r, out);
    }
    kernel(r, out);
    if (r->ir->result_count)
        finish(r, out);
}
