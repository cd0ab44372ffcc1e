/* openmp_kernel.c - kernels of the backend `openmp`: made of IR, interpreted until their machine
 * code is there; see openmp_state.h. */
#include <stdlib.h>
#include <string.h>

#include "openmp/openmp_state.h"

enum {
    WORTHWHILE = 1 << 18, /* operations of one launch from which compiling pays */
    LAUNCHES = 3          /* or a kernel is run that often */
};

lun_status lun__openmp_kernel_fail(lun_openmp *o, lun_status s, const char *what, const char *text)
{
    lun__strbuf_clear(o->services->error);
    lun__strbuf_puts(o->services->error, "backend openmp: ");
    lun__strbuf_puts(o->services->error, what);
    lun__strbuf_puts(o->services->error, text);
    return s;
}

/* ---- kernels --------------------------------------------------------------------------------- */

lun_status lun__openmp_kernel_render(lun_openmp *o, const lun_ir *ir, lun_strbuf *out,
                                     unsigned *needs)
{
    lun_render_target target = {o->isa, lun__backend_version(o->services)};
    return lun__gnu_render(ir, &target, out, needs);
}

static bool has_loop(const lun_ir *ir)
{
    for (int i = 0; i < ir->count; i++)
        if (ir->ins[i].kind == LUN_IR_LOOP)
            return true;
    return false;
}

/* Tells how much memory the kernel takes now. */
static void weigh(lun_openmp *o, lun_kernel *k)
{
    const lun_unit *u = &k->unit;
    int64_t bytes = (int64_t)sizeof *k + lun__ir_bytes(&k->ir) + lun__interpreter_bytes(k->interp) +
                    (u->source ? (int64_t)strlen(u->source) : 0);
    o->services->stats->kernel_bytes += bytes - k->bytes;
    k->bytes = bytes;
}

void lun__openmp_kernel_release(void *state, lun_kernel *k)
{
    lun_openmp *o = state;
    o->services->stats->kernel_bytes -= k->bytes;
    lun__jit_forget(&o->jit, &k->unit);
    lun__unit_result_free(&k->unit);
    lun__interpreter_free(k->interp);
    lun__ir_free(&k->ir);
    free(k);
}

lun_status lun__openmp_kernel_build(void *state, const lun_ir *ir, const char *text,
                                    lun_kernel **out)
{
    lun_openmp *o = state;
    lun_kernel *k = calloc(1, sizeof *k);
    lun_strbuf source = LUN_STRBUF_INIT;
    (void)text;
    if (!k)
        return lun__openmp_kernel_fail(o, LUN_ENOMEM, "out of memory", "");
    lun_status s = lun__ir_copy_plain(ir, &k->ir) ? LUN_OK : LUN_ENOMEM;
    if (s == LUN_OK)
        s = lun__interpreter_make(ir, lun__backend_version(o->services), &k->interp);
    if (s == LUN_EBACKEND) {
        k->needs_compiler = true;
        s = LUN_OK;
    }
    if (s == LUN_OK && (k->needs_compiler || o->services->jit != LUN_JIT_OFF))
        s = lun__openmp_kernel_render(o, ir, &source, &k->unit.needs);
    if (s == LUN_EARG)
        lun__openmp_kernel_fail(o, s, "internal: ", lun__strbuf_text(&source));
    else if (s != LUN_OK)
        lun__openmp_kernel_fail(o, s, "out of memory", "");
    k->unit.source = source.text;
    k->unit.wanted = k->needs_compiler;
    k->unit.bits = lun__backend_bits(o->services);
    k->unit.scans = ir->scan >= 0;
    k->unit.reduces = ir->result_count > 0;
    k->cost = lun__ir_cost(ir);
    k->puts_in_loops = lun__ir_puts(ir) && has_loop(ir);
    if (k->interp)
        k->exec = *lun__interpreter_exec(k->interp);
    weigh(o, k);
    if (s == LUN_OK)
        *out = k;
    else
        lun__openmp_kernel_release(state, k);
    return s;
}

/* ---- to machine code ------------------------------------------------------------------------- */

lun_exec lun__openmp_kernel_code(const lun_kernel *k)
{
    return (lun_exec){.body = k->unit.kernel, .total = k->unit.total, .combine = k->unit.combine};
}

void lun__openmp_kernel_take(lun_openmp *o, lun_kernel *k)
{
    k->compiled = true;
    k->exec = lun__openmp_kernel_code(k);
    lun__interpreter_free(k->interp);
    k->interp = NULL;
    k->rate = (lun_rate){0};
    weigh(o, k);
}

lun_status lun__openmp_kernel_advance(lun_openmp *o, lun_kernel *k, const lun_launch *launch)
{
    lun_unit *u = &k->unit;
    int jit = o->services->jit;
    if (jit == LUN_JIT_OFF && k->needs_compiler)
        return lun__openmp_kernel_fail(
            o, LUN_EBACKEND, "a C function needs the compiler, which is off (LUNARRAY_JIT=off)",
            "");
    if (jit == LUN_JIT_OFF)
        return LUN_OK;
    if (u->state == LUN_UNIT_NEW)
        lun__jit_look(&o->jit, u);
    if (u->state == LUN_UNIT_MISSED && (k->needs_compiler || jit == LUN_JIT_SYNC)) {
        lun_status s = lun__jit_wait(&o->jit, u);
        if (s == LUN_ECANCEL)
            return lun__openmp_kernel_fail(o, s, "interrupted", "");
    } else if (u->state == LUN_UNIT_MISSED) {
        int64_t most = WORTHWHILE / (k->cost > 0 ? k->cost : 1);
        if (launch->count > most || k->launches + 1 >= LAUNCHES)
            lun__jit_queue(&o->jit, u);
    }
    lun__jit_poll(&o->jit);
    if (u->state == LUN_UNIT_READY)
        lun__openmp_kernel_take(o, k);
    else if (k->needs_compiler)
        return lun__openmp_kernel_fail(
            o, LUN_EBUILD, "the function does not compile: ", lun__strbuf_text(&u->message));
    return LUN_OK;
}

lun_status lun__openmp_kernel_prepare(void *state, lun_kernel *k, lun_kernel_facts *out)
{
    lun_openmp *o = state;
    lun_unit *u = &k->unit;
    *out = (lun_kernel_facts){0};
    if (k->compiled)
        return LUN_OK;
    if (o->services->jit == LUN_JIT_OFF)
        return lun__openmp_kernel_fail(o, LUN_EBUILD, "the compiler is off (LUNARRAY_JIT=off)", "");
    if (!lun__jit_look(&o->jit, u)) {
        u->wanted = true; /* its failure is an error here, not in the log */
        lun_status s = lun__jit_wait(&o->jit, u);
        if (s == LUN_ECANCEL)
            return lun__openmp_kernel_fail(o, s, "interrupted", "");
    }
    if (u->state != LUN_UNIT_READY)
        return lun__openmp_kernel_fail(o, LUN_EBUILD, "a kernel does not compile: ",
                                       u->message.length ? lun__strbuf_text(&u->message)
                                                         : "the compiler failed earlier");
    lun__openmp_kernel_take(o, k);
    return LUN_OK;
}
