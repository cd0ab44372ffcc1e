/* reference.c - the backend `reference`: interprets kernels on one thread, so it needs no compiler
 * and is what the others are compared with; see backend.h.  What cannot be interpreted, such as
 * functions given as C text, runs on one thread of the native backend. */
#include "reference/reference.h"

#include "algorithms/parts/algorithm_functions.h"
#include "product/block_product.h"

#include <stdlib.h>
#include <string.h>

struct lun_kernel {
    lun_interp *interp;
    lun_kernel *native;  /* of the native backend, which then runs all; NULL: none */
    lun_ir ir;           /* what the host looks at: instructions, slots, results */
    int64_t cost, bytes; /* bytes: in stats.kernel_bytes */
};

typedef struct reference {
    const lun_services *services;
    void *native;      /* the native backend's state; NULL: not needed yet */
    lun_services lent; /* its services: the engine's, but for one thread */
    lun_abilities can; /* its abilities */
} reference;

static lun_status fail(const lun_services *services, lun_status status, const char *why)
{
    lun__strbuf_clear(services->error);
    if (status == LUN_ENOMEM)
        lun__strbuf_puts(services->error, "out of memory");
    else
        lun__strbuf_printf(services->error, "backend reference: %s: use backend openmp", why);
    return status;
}

static lun_status reference_open(const lun_services *services, const lun_opening *how, void **out,
                                 lun_abilities *can)
{
    (void)how;
    reference *state = calloc(1, sizeof *state);
    if (!state)
        return fail(services, LUN_ENOMEM, NULL);
    state->services = services;
    *can = (lun_abilities){.segments = true, .teams = true, .memory_bytes = lun__host_run_memory()};
    *out = state;
    return LUN_OK;
}

static void reference_close(void *state)
{
    reference *r = state;
    if (r->native)
        r->lent.native->close(r->native);
    free(r);
}

static void reference_release(void *state, lun_kernel *kernel)
{
    const reference *r = state;
    r->services->stats->kernel_bytes -= kernel->bytes;
    if (kernel->native)
        r->lent.native->release(r->native, kernel->native);
    lun__interpreter_free(kernel->interp);
    lun__ir_free(&kernel->ir);
    free(kernel);
}

/* Why an IR cannot be interpreted. */
static const char *reason(const lun_ir *ir)
{
    for (int i = 0; i < ir->function_count; i++)
        if (ir->functions[i]->text)
            return "C functions need a compiler";
    return "the combining function is too large to be interpreted";
}

/* ---- the native backend ---------------------------------------------------------------------- */

/* Brings its services up to date: the engine changes some of its own between two calls. */
static const lun_backend *lend(reference *r)
{
    r->lent = *r->services;
    r->lent.threads = 1;
    return r->lent.native;
}

static lun_status build_native(reference *r, const lun_ir *ir, const char *text, lun_kernel *kernel)
{
    const lun_backend *native = lend(r);
    if (!native)
        return fail(r->services, LUN_EBACKEND, reason(ir));
    lun_status s =
        r->native ? LUN_OK : native->open(&r->lent, &(lun_opening){0}, &r->native, &r->can);
    return s == LUN_OK ? native->build(r->native, ir, text, &kernel->native) : s;
}

/* ---- kernels --------------------------------------------------------------------------------- */

static lun_status reference_build(void *state, const lun_ir *ir, const char *text, lun_kernel **out)
{
    reference *r = state;
    lun_kernel *kernel = calloc(1, sizeof *kernel);
    if (!kernel)
        return fail(r->services, LUN_ENOMEM, NULL);
    lun_status s = lun__interpreter_make(ir, lun__backend_version(r->services), &kernel->interp);
    if (s == LUN_EBACKEND) {
        s = build_native(r, ir, text, kernel);
        if (s == LUN_OK)
            *out = kernel;
        else
            reference_release(state, kernel);
        return s;
    }
    if (s == LUN_OK && !lun__ir_copy_plain(ir, &kernel->ir))
        s = LUN_ENOMEM;
    if (s != LUN_OK) {
        reference_release(state, kernel);
        return fail(r->services, LUN_ENOMEM, NULL);
    }
    kernel->cost = lun__ir_cost(ir);
    kernel->bytes = (int64_t)sizeof *kernel + lun__interpreter_bytes(kernel->interp) +
                    lun__ir_bytes(&kernel->ir);
    r->services->stats->kernel_bytes += kernel->bytes;
    *out = kernel;
    return LUN_OK;
}

static lun_status reference_prepare(void *state, lun_kernel *kernel, lun_kernel_facts *out)
{
    reference *r = state;
    *out = (lun_kernel_facts){0};
    return kernel->native ? lend(r)->prepare(r->native, kernel->native, out) : LUN_OK;
}

static bool reference_takes(void *state, const lun_work *w, int64_t *scratch)
{
    (void)state;
    *scratch = w->kind == LUN_WORK_PRODUCT
                   ? lun__block_product_room(lun__isa_here(), 1, w->is.product)
               : w->kind == LUN_WORK_ALGORITHM ? lun__algorithm_room(w->is.algorithm, 1)
                                               : 0;
    return w->kind == LUN_WORK_LAUNCH || w->kind == LUN_WORK_COMBINE ||
           w->kind == LUN_WORK_PRODUCT || w->kind == LUN_WORK_ALGORITHM;
}

/* A launch, or a level of cells. */
static lun_status run(reference *r, const lun_work *w)
{
    static const lun_team alone = {.threads = 1};
    const lun_kernel *k = w->is.run.kernel;
    lun_launch *l = w->is.run.launch;
    if (k->native) {
        lun_work same = *w;
        same.is.run.kernel = k->native;
        return lun__backend_work_do(lend(r), r->native, &same);
    }
    const lun_exec *exec = lun__interpreter_exec(k->interp);
    if (w->kind == LUN_WORK_COMBINE)
        return lun__host_run_combine(r->services, exec, k->ir.result_count, l, w->is.run.cells,
                                     w->is.run.pairs);
    lun__backend_count(&r->services->stats->launches);
    r->services->stats->interpreted++;
    return lun__host_run(r->services, exec, &alone, &k->ir, k->cost, l);
}

static lun_status reference_begin(void *state, const lun_work *w, lun_work_mark *mark)
{
    static const lun_team alone = {.threads = 1};
    reference *r = state;
    (void)mark;
    switch (w->kind) {
    case LUN_WORK_LAUNCH:
    case LUN_WORK_COMBINE:
        return run(r, w);
    case LUN_WORK_PRODUCT:
        return lun__block_product_run(r->services, lun__isa_here(), &alone, w->is.product, NULL);
    case LUN_WORK_ALGORITHM:
        return lun__algorithm_run(r->services, &alone, w->is.algorithm);
    default:
        return fail(r->services, LUN_EBACKEND, "internal: it does no such work");
    }
}

/* Nothing is compiled: what runs is the IR itself. */
static lun_status reference_source(void *state, const lun_ir *ir, lun_strbuf *out)
{
    (void)state;
    return lun__print_ir(ir, out);
}

static int reference_devices(const lun_services *services, void *state, lun_device *rows, int room)
{
    (void)services;
    if (room > 0)
        rows[0] = (lun_device){.name = "host, one thread, interpreted",
                               .kind = "cpu",
                               .backend = "reference",
                               .units = 1,
                               .memory = lun__host_run_memory()};
    return state != NULL;
}

const lun_backend lun__backend_reference = {
    .name = "reference",
    .devices = reference_devices,
    .open = reference_open,
    .close = reference_close,
    .build = reference_build,
    .release = reference_release,
    .prepare = reference_prepare,
    .source = reference_source,
    .takes = reference_takes,
    .begin = reference_begin,
    .wait = lun__backend_ended_at_once,
};
