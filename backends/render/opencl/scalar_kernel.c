/* scalar_kernel.c - the kernels of an OpenCL text in the SCALAR form: an element for each work-item
 * or, where order matters, a chunk for each work-group of 64 lanes, in ir/combine_order.h's
 * order.  Scans are in group_scan.c, statements in render/body/indexed_statement.c and
 * render/body/statement.c. */
#include "render/opencl/cl_texts.h"

#include <inttypes.h>

#include "ir/combine_order.h"
#include "render/body/arrays.h"
#include "render/body/combiner.h"
#include "render/body/lanes/lane_barrier.h"
#include "render/body/statement.h"
#include "render/facts/facts.h"
#include "render/opencl/cl_kernel_text.h"
#include "render/opencl/group_reduce.h"
#include "render/text/element_text.h"
#include "render/text/text.h"
#include "render/unit/unit.h"
#include "render/user/user_text.h"

enum { LIGHT = 40 }; /* cost of an element */

/* ---- a kernel's statements ------------------------------------------------------------------- */

static void parameters(lun_renderer *r, unsigned need, lun_strbuf *out)
{
    if (r->ir->scan >= 0)
        lun__strbuf_printf(out, need == LUN_FACT_BODY ? ", const %s scan" : ", %s *x",
                           lun__element_type((lun_dtype)r->ir->ins[r->ir->scan].dtype).s);
    for (int32_t v = 0; v < r->ir->count; v++) {
        const lun_ir_ins *ins = &r->ir->ins[v];
        if (ins->kind == LUN_IR_REDUCE && (r->flags[v] & need))
            lun__strbuf_printf(out, ", %s *x%" PRId64, lun__element_type((lun_dtype)ins->dtype).s,
                               ins->imm);
    }
}

/* body(i, f, u, [scan], &x0, ...) or operand(i, f, u, &x) */
static void section(lun_renderer *r, unsigned need, const char *name, lun_strbuf *out)
{
    lun_strbuf body = LUN_STRBUF_INIT;
    lun_section s = {.r = r, .out = &body, .need = need, .scope = -1, .form = LUN_SECTION_ELEMENT};
    lun__arrays_own(r, &body);
    if (r->barriers)
        lun__lane_barrier_declare(r, &body);
    lun__statement_section(&s);
    lun__strbuf_printf(
        out, "\nINLINE void %s(const lun_i64 i, struct frame *f, const struct uniform *u", name);
    parameters(r, need, out);
    lun__arrays_restrict(r, false, out);
    lun__cl_team_arguments(r, true, out);
    lun__strbuf_printf(out, ")\n{\n%s}\n", lun__strbuf_text(&body));
    if (body.failed || s.labels.failed)
        out->failed = true;
    lun__strbuf_free(&body);
    lun__strbuf_free(&s.labels);
}

lun_status lun__scalar_kernel_unit(lun_renderer *r, const char *first, lun_strbuf *out)
{
    lun_strbuf parts = LUN_STRBUF_INIT, kernels = LUN_STRBUF_INIT;
    const lun_ir *ir = r->ir;
    lun_versions versions = {0};
    lun_status s = r->versions ? lun__unit_versions(r, &versions) : lun__facts_element(r);
    if (s != LUN_OK) {
        lun__loop_versions_free(&versions);
        return s;
    }
    lun__strbuf_puts(out, "/* Lunarray kernel: single elements. */\n");
    lun__user_texts(r, out);
    lun__strbuf_puts(out, first);
    if (r->ir->scan >= 0)
        section(r, LUN_FACT_OPERAND, "operand", &parts);
    section(r, LUN_FACT_BODY, "body", &parts);
    lun__arrays_restrict(r, true, &r->keys);
    r->ir = ir;
    lun__loop_versions_free(&versions);
    r->from = NULL;
    r->dialect->exports(r, &kernels);
    lun__element_sequences(r, out);
    lun__strbuf_printf(out,
                       "\n%s%s\nstruct uniform {\n    lun_i64 n;\n%s};\n\n"
                       "INLINE void prepare(const struct frame *f, struct uniform *u)\n{\n"
                       "    u->n = f->n;\n%s}\n%s%s",
                       lun__strbuf_text(&r->types), lun__strbuf_text(&r->helpers),
                       lun__strbuf_text(&r->fields), lun__strbuf_text(&r->setup),
                       lun__strbuf_text(&parts), lun__strbuf_text(&kernels));
    if (parts.failed || kernels.failed)
        out->failed = true;
    lun__strbuf_free(&parts);
    lun__strbuf_free(&kernels);
    return LUN_OK;
}

/* ---- kernels --------------------------------------------------------------------------------- */

static void elementwise(lun_renderer *r, lun_strbuf *out)
{
    lun__cl_kernel_open(r, "lun_kernel", 0, out);
    lun__text_put(r, out,
                  "    struct uniform u;\n    prepare(&f, &u);\n"
                  "    for (lun_i64 i = cells[1] + @global_id; i < f.n; i += "
                  "@global_size)\n        body(i, &f, &u%s);\n",
                  lun__strbuf_text(&r->keys));
    lun__cl_kernel_close(r, out);
}

static void reductions(lun_renderer *r, const char *name, bool segments, lun_strbuf *out)
{
    lun_cl_sinks l = {.count = 0};
    lun__group_reduce_body(r, &l);
    lun__cl_kernel_open(r, name, LUN_LANES, out);
    lun__group_reduce_open(r, &l, out);
    lun__cl_kernel_group(r, segments, out);
    if (lun__ir_cost(r->ir) <= LIGHT) /* several loads at once hide their latency */
        lun__strbuf_puts(out, "#pragma unroll 4\n");
    lun__strbuf_printf(out,
                       "    for (lun_i64 b = lo; b < end; b += %d) {\n"
                       "        const lun_i64 left = hi - b, most = end - b;\n",
                       LUN_LANES);
    lun__group_reduce_fresh(r, &l, out);
    lun__strbuf_puts(out, "        if (lane < left) body(b + lane, &f, &u");
    lun__group_reduce_arguments(&l, out);
    lun__strbuf_puts(out, ");\n");
    lun__group_reduce_join(r, &l, out);
    lun__strbuf_puts(out, "    }\n");
    lun__strbuf_printf(out, "    f.partials = partials + k * %d;\n", r->ir->result_count);
    lun__group_reduce_end(r, &l, "f.partials", out);
    lun__cl_kernel_close(r, out);
}

void lun__scalar_kernel_all(lun_renderer *r, lun_strbuf *out)
{
    lun__cl_kernel_helpers(r);
    if (r->barriers) {
        lun__cl_team_kernel(r, out);
    } else if (r->ir->scan >= 0) {
        lun__cl_group_scan(r, out);
    } else if (r->ir->result_count) {
        reductions(r, "lun_kernel", false, out);
        reductions(r, "lun_lines", true, out);
    } else {
        elementwise(r, out);
    }
    lun__cl_kernel_pairs(r, out);
}
