/* vector_kernels.c - the kernels of the VECTOR form: a work-item runs a whole chunk in GNU
 * vectors. */
#include "render/opencl/cl_texts.h"

#include <inttypes.h>

#include "render/body/combiner.h"
#include "render/opencl/cl_kernel_text.h"
#include "render/opencl/device_needs.h"
#include "render/text/element_text.h"
#include "render/text/text.h"

/* The bounds of the chunk of this work-item; a kernel returns at once if it shall stop or a trap is
 * known. */
static void bounds(lun_renderer *r, lun_strbuf *out)
{
    if (r->stops)
        lun__strbuf_puts(out, "    if (*stop) return;\n");
    if (lun__cl_needs_report(r->ir))
        lun__text_put(r, out, "    if (*(@atomic_int *)work) return;\n");
    lun__text_put(r, out,
                  "    const lun_i64 k = cells[4] + @group_id, lo = cells[1] + k * cells[2];\n"
                  "    const lun_i64 hi = f.n - lo < cells[2] ? f.n : lo + cells[2];\n");
}

static void total(lun_renderer *r, lun_strbuf *out)
{
    lun__cl_kernel_open(r, "lun_total", 1, out);
    bounds(r, out);
    lun__strbuf_puts(out,
                     "    lun_u64 carry;\n    f.carry = &carry;\n    chunk_total(lo, hi, &f);\n"
                     "    carries[k] = carry;\n");
    lun__cl_kernel_close(r, out);
}

/* Totals become carries. */
static void carry(lun_renderer *r, lun_strbuf *out)
{
    int32_t v = r->ir->scan;
    lun_dtype t = (lun_dtype)r->ir->ins[v].dtype;
    lun_snippet join = lun__combine_function(r, v), cell = lun__element_cell(r, t),
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

/* Calls of the kernel's function for this work-item's chunk, or for each of its segments. */
static void chunk_or_segments(lun_renderer *r, lun_strbuf *out)
{
    lun__strbuf_printf(out,
                       "    const lun_i64 line = cells[%d];\n"
                       "    for (lun_i64 at = lo; at < hi && f.trap < 0; at += line ? line : hi - "
                       "lo) {\n        lun_i64 from = lo, to = hi;\n        if (line) {\n"
                       "            from = 0;\n            f.n = to = line;\n",
                       LUN_CL_LINE);
    lun__cl_kernel_segment(r, "at", "            ", out);
    lun__strbuf_puts(out, "        }\n");
    if (r->ir->result_count)
        lun__strbuf_printf(out, "        f.partials = partials + (line ? at / line : k) * %d;\n",
                           r->ir->result_count);
    if (r->ir->scan >= 0)
        lun__strbuf_puts(out, "        lun_u64 carry = !line && chunks > 1 ? carries[k] : "
                              "lun_initial(&f);\n        f.carry = &carry;\n");
    lun__strbuf_puts(out, "        chunk_kernel(from, to, &f);\n    }\n");
}

static void kernel(lun_renderer *r, lun_strbuf *out)
{
    lun__cl_kernel_open(r, "lun_kernel", 1, out);
    bounds(r, out);
    if (r->ir->result_count || r->ir->scan >= 0)
        chunk_or_segments(r, out);
    else
        lun__strbuf_puts(out, "    chunk_kernel(lo, hi, &f);\n");
    lun__cl_kernel_close(r, out);
}

void lun__vector_kernels(lun_renderer *r, lun_strbuf *out)
{
    lun__cl_kernel_helpers(r);
    if (r->ir->scan >= 0) {
        total(r, out);
        carry(r, out);
    }
    kernel(r, out);
    lun__cl_kernel_pairs(r, out);
}
