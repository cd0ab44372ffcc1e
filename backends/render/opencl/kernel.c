/* kernel.c - the kernels of an OpenCL text: arguments, a run's memory, traps, and the kernels of the
 * VECTOR form, in which a work-item runs a whole chunk.  render/render.h says what the host does with them,
 * plan.c how the memory is laid out.  Knows no statement. */
#include <inttypes.h>

#include "render/opencl/opencl.h"

/* ---- arguments ----------------------------------------------------------------------------------- */

lun_cname lun_clslot_type(const lun_crender *r, int slot)
{
    const lun_ir_slot *s = &r->ir->slots[slot];
    return lun_cname_of("__global %s%s", s->role == LUN_SLOT_OUT ? "" : "const ",
                        lun_ctype((lun_dtype)s->dtype).s);
}

void lun_clkernel(lun_crender *r, const char *name, int group, lun_strbuf *out)
{
    const lun_ir *ir = r->ir;
    lun_strbuf_puts(out, "\n__kernel ");
    if (group)
        lun_strbuf_printf(out, "__attribute__((reqd_work_group_size(%d, 1, 1))) ", group);
    lun_strbuf_printf(out, "void %s(\n    __constant lun_u64 *cells", name);
    for (int s = 0; s < ir->slot_count; s++)
        lun_strbuf_printf(out, ", %s *p%d", lun_clslot_type(r, s).s, s);
    if (lun_clworks(ir))
        lun_strbuf_puts(out, ", __global lun_u64 *work");
    lun_strbuf_printf(
        out, ")\n{\n    struct frame f = {.n = cells[0], .args = cells + %d, .trap = -1};\n",
        LUN_CL_HEAD + ir->slot_count);
    for (int s = 0; s < ir->slot_count; s++)
        lun_strbuf_printf(out, "    f.p%d = p%d + cells[%d];\n", s, s, LUN_CL_HEAD + s);
    if (!ir->result_count && ir->scan < 0)
        return;
    lun_strbuf_puts(out, "    const lun_i64 chunks = cells[3];\n");
    if (ir->result_count)
        lun_strbuf_printf(
            out, "    __global lun_u64 *const partials = work + 2 + (chunks > 1 ? %d : 0);\n",
            ir->result_count);
    if (ir->scan >= 0)
        lun_strbuf_printf(out,
                          "    __global lun_u64 *const carries = work + 2 + %d * (1 + chunks + "
                          "(chunks + 1) / 2);\n",
                          ir->result_count);
}

void lun_clkernel_end(lun_crender *r, lun_strbuf *out)
{
    lun_strbuf_puts(out, lun_cltraps(r->ir) ? "    lun_publish(&f, work);\n}\n" : "}\n");
}

/* ---- helpers ------------------------------------------------------------------------------------- */

/* A constant, an argument or one element, perhaps converted. */
static void initial(lun_crender *r)
{
    enum { MOST = 8 };
    const lun_ir *ir = r->ir;
    int32_t v = ir->ins[ir->scan].b, casts[MOST];
    int n = 0;
    for (; ir->ins[v].kind == LUN_IR_CAST && n < MOST; v = ir->ins[v].a)
        casts[n++] = v;
    const lun_ir_ins *ins = &ir->ins[v];
    lun_dtype t = (lun_dtype)ins->dtype;
    lun_strbuf text = LUN_STRBUF_INIT;
    if (ins->kind == LUN_IR_ARG)
        lun_strbuf_printf(&text, "%s(f->args[%" PRId64 "])", lun_cscalar_uncell(r, t).s, ins->imm);
    else if (ins->kind == LUN_IR_LOADU)
        lun_strbuf_printf(&text, "f->p%" PRId64 "[0]", ins->imm);
    else if (ins->kind == LUN_IR_CONST)
        lun_strbuf_puts(&text, lun_cscalar_const(r, t, (uint64_t)ins->imm).s);
    else
        lun_strbuf_puts(&r->problem, "the first value of a scan must be uniform");
    lun_cname cell = lun_cscalar_cell(r, (lun_dtype)ir->ins[ir->scan].dtype);
    lun_strbuf line = LUN_STRBUF_INIT;
    for (int k = 0; k < n; k++) {
        const lun_ir_ins *c = &ir->ins[casts[k]];
        lun_strbuf_printf(&line, "%s(",
                          lun_cscalar_cast(r, (lun_dtype)c->dtype, (lun_dtype)c->from).s);
    }
    lun_strbuf_puts(&line, lun_strbuf_text(&text));
    for (int k = 0; k < n; k++)
        lun_strbuf_puts(&line, ")");
    lun_strbuf_printf(
        &r->helpers,
        "INLINE lun_u64 lun_initial(const struct frame *f)\n{\n    return %s(%s);\n}\n", cell.s,
        lun_strbuf_text(&line));
    lun_strbuf_free(&text);
    lun_strbuf_free(&line);
}

void lun_clhelpers(lun_crender *r)
{
    if (r->ir->scan >= 0)
        initial(r);
    if (!lun_cltraps(r->ir))
        return;
    lun_strbuf_puts(&r->helpers,
                    "/* The first that comes is reported. */\n"
                    "INLINE void lun_publish(const struct frame *f, __global lun_u64 *work)\n{\n"
                    "    if (f->trap >= 0 && atomic_cmpxchg((volatile __global int *)work, 0, "
                    "(int)f->trap + 1) == 0)\n        work[1] = (lun_u64)f->trap_value;\n}\n");
}

/* ---- kernels ------------------------------------------------------------------------------------- */

/* The chunk of this work-item; none runs once a trap is known. */
static void bounds(const lun_crender *r, lun_strbuf *out)
{
    if (lun_cltraps(r->ir))
        lun_strbuf_puts(out, "    if (*(volatile __global int *)work) return;\n");
    lun_strbuf_puts(
        out, "    const lun_i64 k = cells[4] + get_group_id(0), lo = cells[1] + k * cells[2];\n"
             "    const lun_i64 hi = f.n - lo < cells[2] ? f.n : lo + cells[2];\n");
}

static void total(lun_crender *r, lun_strbuf *out)
{
    lun_clkernel(r, "lun_total", 1, out);
    bounds(r, out);
    lun_strbuf_puts(out, "    lun_u64 carry;\n    f.carry = &carry;\n    chunk_total(lo, hi, &f);\n"
                         "    carries[k] = carry;\n");
    lun_clkernel_end(r, out);
}

/* Totals become carries. */
static void carry(lun_crender *r, lun_strbuf *out)
{
    int32_t v = r->ir->scan;
    lun_dtype t = (lun_dtype)r->ir->ins[v].dtype;
    lun_cname join = lun_ccombiner(r, v), cell = lun_cscalar_cell(r, t),
              of = lun_cscalar_uncell(r, t), type = lun_ctype(t);
    lun_clkernel(r, "lun_carry", 1, out);
    lun_strbuf_printf(out,
                      "    %s y = %s(lun_initial(&f));\n"
                      "    for (lun_i64 k = 0; k < chunks - 1; k++) {\n"
                      "        const %s x = %s(carries[k]);\n        carries[k] = %s(y);\n"
                      "        y = %s(y, x, &f);\n    }\n    carries[chunks - 1] = %s(y);\n",
                      type.s, of.s, type.s, of.s, cell.s, join.s, cell.s);
    lun_clkernel_end(r, out);
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
        lun_cname join = lun_ccombiner(r, v), of = lun_cscalar_uncell(r, t);
        lun_strbuf_printf(
            &pairs,
            "            to[%" PRId64 "] = %s(%s(%s(a[%" PRId64 "]), %s(b[%" PRId64 "]), &f));\n",
            ins->imm, lun_cscalar_cell(r, t).s, join.s, of.s, ins->imm, of.s, ins->imm);
    }
    lun_clkernel(r, "lun_finish", 1, out);
    lun_strbuf_printf(
        out,
        "    for (lun_i64 n = chunks; n > 1; n = (n + 1) / 2) {\n"
        "        for (lun_i64 j = 0; j < n / 2; j++) {\n"
        "            __global lun_u64 *const to = partials + j * %d;\n"
        "            __global const lun_u64 *const a = partials + 2 * j * %d, *const b = a + %d;\n"
        "%s        }\n"
        "        for (int q = 0; (n & 1) && q < %d; q++)\n"
        "            partials[n / 2 * %d + q] = partials[(n - 1) * %d + q];\n    }\n"
        "    for (int q = 0; q < %d; q++) work[2 + q] = partials[q];\n",
        results, results, results, lun_strbuf_text(&pairs), results, results, results, results);
    lun_clkernel_end(r, out);
    if (pairs.failed)
        out->failed = true;
    lun_strbuf_free(&pairs);
}

static void kernel(lun_crender *r, lun_strbuf *out)
{
    lun_clkernel(r, "lun_kernel", 1, out);
    bounds(r, out);
    if (r->ir->result_count)
        lun_strbuf_printf(out, "    f.partials = partials + k * %d;\n", r->ir->result_count);
    if (r->ir->scan >= 0)
        lun_strbuf_puts(out, "    lun_u64 carry = chunks > 1 ? carries[k] : lun_initial(&f);\n"
                             "    f.carry = &carry;\n");
    lun_strbuf_puts(out, "    chunk_kernel(lo, hi, &f);\n");
    lun_clkernel_end(r, out);
}

void lun_clentries(lun_crender *r, lun_strbuf *out)
{
    lun_clhelpers(r);
    if (r->ir->scan >= 0) {
        total(r, out);
        carry(r, out);
    }
    kernel(r, out);
    if (r->ir->result_count)
        finish(r, out);
}
