/* reference.c - the backend `reference`: interprets kernels on one thread, so it needs no compiler
 * and is what the others are compared with; see backend.h.  What cannot be interpreted, such as
 * functions given as C text, runs on one thread of the native backend. */
#include "reference/reference.h"

#include "algorithms/algorithm_functions.h"
#include "product/block_product.h"

#include <stdlib.h>
#include <string.h>
#include <unistd.h>

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

static lun_status reference_open(const lun_services *services, int device, void **out)
{
    (void)device;
    reference *state = calloc(1, sizeof *state);
    if (!state)
        return fail(services, LUN_ENOMEM, NULL);
    state->services = services;
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
    lun__interp_free(kernel->interp);
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
    lun_status s = r->native ? LUN_OK : native->open(&r->lent, 0, &r->native);
    return s == LUN_OK ? native->build(r->native, ir, text, &kernel->native) : s;
}

/* ---- kernels --------------------------------------------------------------------------------- */

static lun_status reference_build(void *state, const lun_ir *ir, const char *text, lun_kernel **out)
{
    reference *r = state;
    lun_kernel *kernel = calloc(1, sizeof *kernel);
    if (!kernel)
        return fail(r->services, LUN_ENOMEM, NULL);
    lun_status s = lun__interp_make(ir, r->services->math, &kernel->interp);
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
    kernel->bytes =
        (int64_t)sizeof *kernel + lun__interp_bytes(kernel->interp) + lun__ir_bytes(&kernel->ir);
    r->services->stats->kernel_bytes += kernel->bytes;
    *out = kernel;
    return LUN_OK;
}

static lun_status reference_run(void *state, lun_kernel *kernel, lun_launch *launch)
{
    static const lun_team alone = {.threads = 1};
    reference *r = state;
    if (kernel->native)
        return lend(r)->run(r->native, kernel->native, launch);
    r->services->stats->launches++;
    r->services->stats->interpreted++;
    return lun__host_run(r->services, lun__interp_exec(kernel->interp), &alone, &kernel->ir,
                         kernel->cost, launch);
}

static lun_status reference_combine(void *state, lun_kernel *kernel, lun_launch *launch,
                                    uint64_t *cells, int64_t pairs)
{
    reference *r = state;
    if (kernel->native)
        return lend(r)->combine(r->native, kernel->native, launch, cells, pairs);
    return lun__host_combine(r->services, lun__interp_exec(kernel->interp), kernel->ir.result_count,
                             launch, cells, pairs);
}

static lun_status reference_prepare(void *state, lun_kernel *kernel)
{
    reference *r = state;
    const lun_backend *native = kernel->native ? lend(r) : NULL;
    return native && native->prepare ? native->prepare(r->native, kernel->native) : LUN_OK;
}

static bool reference_busy(void *state, const lun_kernel *kernel)
{
    const reference *r = state;
    const lun_backend *native = kernel->native ? r->lent.native : NULL;
    return native && native->busy && native->busy(r->native, kernel->native);
}

static int64_t reference_product_room(void *state, const lun_product *p)
{
    (void)state;
    return lun__product_room(lun__isa_here(), 1, p);
}

static lun_status reference_product(void *state, const lun_product *p)
{
    static const lun_team alone = {.threads = 1};
    const reference *r = state;
    return lun__product_run(r->services, lun__isa_here(), &alone, p, NULL);
}

static int64_t reference_algorithm_room(void *state, const lun_algorithm_run *r)
{
    (void)state;
    return lun__algorithm_room(r, 1);
}

static lun_status reference_algorithm(void *state, lun_algorithm_run *r)
{
    static const lun_team alone = {.threads = 1};
    const reference *own = state;
    return lun__algorithm_run(own->services, &alone, r);
}

/* Nothing is compiled: what runs is the IR itself. */
static lun_status reference_source(void *state, const lun_ir *ir, lun_strbuf *out)
{
    (void)state;
    return lun__ir_print(ir, out);
}

static int reference_devices(void *state, lun_device *rows, int room)
{
    (void)state;
    if (room > 0) {
        long pages = sysconf(_SC_PHYS_PAGES), page = sysconf(_SC_PAGESIZE);
        rows[0] = (lun_device){.name = "host, one thread, interpreted",
                               .kind = "cpu",
                               .backend = "reference",
                               .units = 1,
                               .memory = pages > 0 && page > 0 ? (int64_t)pages * page : 0};
    }
    return 1;
}

const lun_backend lun__backend_reference = {
    .name = "reference",
    .lines = true,
    .teams = true,
    .open = reference_open,
    .close = reference_close,
    .build = reference_build,
    .release = reference_release,
    .run = reference_run,
    .combine = reference_combine,
    .product_room = reference_product_room,
    .product = reference_product,
    .algorithm_room = reference_algorithm_room,
    .algorithm = reference_algorithm,
    .prepare = reference_prepare,
    .busy = reference_busy,
    .source = reference_source,
    .devices = reference_devices,
};
