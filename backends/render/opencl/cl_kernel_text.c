/* cl_kernel_text.c - what the kernels of an OpenCL text have in common: arguments, a run's memory,
 * traps, a scan's first carry.  render/render.h says what the host does with them, plan.c how the
 * memory is laid out. */
#include "render/opencl/cl_kernel_text.h"

#include <inttypes.h>

#include "ir/combine_order.h"
#include "render/body/combiner.h"
#include "render/opencl/device_needs.h"
#include "render/text/element_text.h"
#include "render/text/text.h"

/* ---- arguments ------------------------------------------------------------------------------- */

lun_snippet lun__cl_kernel_slot(const lun_renderer *r, int slot)
{
    const lun_ir_slot *s = &r->ir->slots[slot];
    bool written = s->role == LUN_SLOT_OUT || s->role == LUN_SLOT_TARGET;
    return lun__text_name("%s%s%s", lun__text_global(r).s, written ? "" : "const ",
                          lun__element_type((lun_dtype)s->dtype).s);
}

/* Whether the memory of a team is as large as a launch says. */
static bool takes_room(const lun_renderer *r)
{
    bool any = false;
    for (int s = 0; r->barriers && s < r->ir->slot_count; s++)
        any |= r->ir->slots[s].shared < 0;
    return any;
}

void lun__cl_kernel_open(lun_renderer *r, const char *name, int group, lun_strbuf *out)
{
    const lun_ir *ir = r->ir;
    r->local_open = 0;
    lun__text_put(r, out, "\n@kernel ");
    if (group) {
        lun__text_put(r, out, "@group_open");
        lun__text_put(r, out, "%d@group_close ", group);
    }
    lun__text_put(r, out, "void %s(\n    @constant lun_u64 *cells", name);
    for (int s = 0; s < ir->slot_count; s++)
        lun__strbuf_printf(out, ", %s *p%d", lun__cl_kernel_slot(r, s).s, s);
    if (lun__cl_needs_work(ir))
        lun__text_put(r, out, ", @global lun_u64 *work");
    if (r->stops)
        lun__text_put(r, out, ", @atomic_int *stop");
    if (takes_room(r))
        lun__text_put(r, out, ", @local lun_u64 *room");
    lun__strbuf_printf(
        out, ")\n{\n    struct frame f = {.n = cells[0], .args = cells + %d, .trap = -1};\n",
        LUN_CL_HEAD + ir->slot_count);
    for (int s = 0; s < ir->slot_count; s++)
        lun__strbuf_printf(out, "    f.p%d = p%d + cells[%d];\n", s, s, LUN_CL_HEAD + s);
    if (r->stops)
        lun__strbuf_puts(out, "    f.stop = stop;\n");
    if (ir->result_count)
        lun__text_put(r, out, "    @global lun_u64 *const partials = work + 2;\n");
    if (ir->scan >= 0)
        lun__text_put(r, out,
                      "    const lun_i64 chunks = cells[3];\n"
                      "    @global lun_u64 *const carries = work + 2 + %d * chunks;\n",
                      ir->result_count);
}

void lun__cl_kernel_segment(lun_renderer *r, const char *at, const char *indent, lun_strbuf *out)
{
    const lun_ir *ir = r->ir;
    for (int s = 0; s < ir->slot_count; s++)
        if (ir->slots[s].role == LUN_SLOT_IN || ir->slots[s].role == LUN_SLOT_OUT)
            lun__strbuf_printf(out, "%sf.p%d = p%d + cells[%d] + %s;\n", indent, s, s,
                               LUN_CL_HEAD + s, at);
}

static void open_segments(lun_renderer *r, lun_strbuf *out)
{
    lun__text_put(r, out,
                  "    const lun_i64 line = cells[%d];\n    const int wide = (int)cells[%d];\n"
                  "    const int lane = @local_id & (wide - 1), side = @local_id - lane;\n"
                  "    const lun_i64 k = (cells[4] + @group_id) * (%d / wide) + side / wide;\n"
                  "    const lun_i64 lo = 0, end = line;\n"
                  "    const lun_i64 hi = k < (lun_i64)cells[3] ? line : 0;\n    f.n = line;\n",
                  LUN_CL_LINE, LUN_CL_WIDE, LUN_LANES);
    lun__cl_kernel_segment(r, "k * line", "    ", out);
}

void lun__cl_kernel_group(lun_renderer *r, bool segments, lun_strbuf *out)
{
    if (segments)
        open_segments(r, out);
    else
        lun__text_put(
            r, out,
            "    const int wide = %d, lane = @local_id, side = 0;\n"
            "    const lun_i64 k = cells[4] + @group_id, lo = cells[1] + k * cells[2];\n"
            "    const lun_i64 hi = f.n - lo < cells[2] ? f.n : lo + cells[2], end = hi;\n",
            LUN_LANES);
    lun__strbuf_puts(out, "    struct uniform u;\n    prepare(&f, &u);\n");
}

void lun__cl_kernel_close(lun_renderer *r, lun_strbuf *out)
{
    lun__strbuf_puts(out, lun__cl_needs_report(r->ir) ? "    lun_publish(&f, work);\n}\n" : "}\n");
}

/* ---- pairs of chunks ------------------------------------------------------------------------- */

void lun__cl_kernel_pairs(lun_renderer *r, lun_strbuf *out)
{
    const int results = r->ir->result_count;
    if (!lun__cl_needs_pairs(r->ir))
        return;
    lun__cl_kernel_open(r, "lun_pairs", 0, out);
    lun__text_put(r, out,
                  "    for (lun_i64 j = @global_id; j < cells[3]; j += @global_size) {\n"
                  "        @global lun_u64 *const to = partials + j * %d;\n"
                  "        @global const lun_u64 *const a = partials + (cells[3] + 2 * j) * %d;\n"
                  "        @global const lun_u64 *const b = a + %d;\n",
                  results, results, results);
    for (int32_t v = 0; v < r->ir->count; v++) {
        const lun_ir_ins *ins = &r->ir->ins[v];
        if (ins->kind != LUN_IR_REDUCE)
            continue;
        if (lun__ir_gives_index(ins)) {
            lun_snippet to = lun__text_name("(to + %" PRId64 ")", ins->imm),
                        a = lun__text_name("(a + %" PRId64 ")", ins->imm),
                        b = lun__text_name("(b + %" PRId64 ")", ins->imm);
            lun__combine_indices(r, v, "        ", to.s, a.s, b.s, out);
            continue;
        }
        lun_dtype t = (lun_dtype)ins->dtype;
        lun_snippet of = lun__element_uncell(r, t);
        lun__strbuf_printf(
            out, "        to[%" PRId64 "] = %s(%s(%s(a[%" PRId64 "]), %s(b[%" PRId64 "]), &f));\n",
            ins->imm, lun__element_cell(r, t).s, lun__combine_function(r, v).s, of.s, ins->imm,
            of.s, ins->imm);
    }
    lun__strbuf_puts(out, "    }\n");
    lun__cl_kernel_close(r, out);
}

/* ---- helpers --------------------------------------------------------------------------------- */

/* lun_initial: the first value of the scan, as a cell. */
static void initial(lun_renderer *r)
{
    const lun_ir *ir = r->ir;
    int32_t casts[LUN_ORDER_CASTS];
    int n = 0;
    int32_t v = lun__order_first(ir, casts, &n);
    if (v < 0) {
        lun__strbuf_puts(&r->problem, "the first value of a scan must be uniform");
        return;
    }
    const lun_ir_ins *ins = &ir->ins[v];
    lun_dtype t = (lun_dtype)ins->dtype;
    lun_strbuf from = LUN_STRBUF_INIT, segment = LUN_STRBUF_INIT;
    if (ins->kind == LUN_IR_ARG)
        lun__strbuf_printf(&from, "%s(f->args[%" PRId64 "])", lun__element_uncell(r, t).s,
                           ins->imm);
    else if (ins->kind == LUN_IR_LOADU)
        lun__strbuf_printf(&from, "f->p%" PRId64 "[0]", ins->imm);
    else
        lun__strbuf_puts(&from, lun__element_const(r, t, (uint64_t)ins->imm).s);
    lun_snippet cell = lun__element_cell(r, (lun_dtype)ir->ins[ir->scan].dtype);
    for (int k = 0; k < n; k++) {
        const lun_ir_ins *c = &ir->ins[casts[k]];
        lun__strbuf_printf(&segment, "%s(",
                           lun__element_cast(r, (lun_dtype)c->dtype, (lun_dtype)c->from).s);
    }
    lun__strbuf_puts(&segment, lun__strbuf_text(&from));
    for (int k = 0; k < n; k++)
        lun__strbuf_puts(&segment, ")");
    lun__strbuf_printf(
        &r->helpers,
        "INLINE lun_u64 lun_initial(const struct frame *f)\n{\n    return %s(%s);\n}\n", cell.s,
        lun__strbuf_text(&segment));
    lun__strbuf_free(&from);
    lun__strbuf_free(&segment);
}

void lun__cl_kernel_helpers(lun_renderer *r)
{
    if (r->ir->scan >= 0)
        initial(r);
    if (!lun__cl_needs_report(r->ir))
        return;
    lun__text_put(r, &r->helpers,
                  "/* The first that comes is reported. */\n"
                  "INLINE void lun_publish(const struct frame *f, @global lun_u64 *work)\n{\n"
                  "    if (f->trap >= 0 && @compare_exchange((@atomic_int *)work, 0, "
                  "(int)f->trap + 1) == 0)\n        work[1] = (lun_u64)f->trap_value;\n}\n");
}
