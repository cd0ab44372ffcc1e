/* joint_kernels.c - kernels that run together, chains and sweeps: each is brought to machine code
 * on the way, as single ones are; see openmp_state.h. */
#include <stdlib.h>

#include "openmp/openmp_state.h"
#include "product/block_product.h"

typedef struct part {
    lun_kernel *kernel;
    lun_launch *launch;
    int *ran;
} part;

/* A chain or a sweep: rows of so many elements, counting each stage of a sweep. */
typedef struct whole {
    lun_openmp *o;
    lun_chain *chain;
    lun_sweep *sweep;
    int count;
    part *parts;
    int *failed;
    int64_t first, rows, segment;
    int64_t step; /* rows that are run at once are a multiple of it, but the last ones */
} whole;

/* What runs a kernel of several; *compiled: becomes false where it is still interpreted. */
static lun_status take_kernel(lun_openmp *o, lun_kernel *k, lun_launch *launch, bool first,
                              lun_host_kernel *out, bool *compiled)
{
    lun_status s = k->compiled ? LUN_OK : lun__openmp_kernel_advance(o, k, launch);
    *compiled = *compiled && (k->compiled || o->services->jit == LUN_JIT_OFF);
    *out = (lun_host_kernel){&k->exec, &k->ir, k->cost < 1 ? 1 : k->cost};
    k->launches += first;
    return s;
}

/* Kernels that are not compiled yet run some of the rows that are left, so that they are looked for
 * again. */
static int64_t rows_at_once(const whole *w, int64_t rows, bool compiled)
{
    enum { ELEMENTS = 1 << 22 };
    int64_t some = ELEMENTS / w->segment / w->step * w->step;
    some = some < w->step ? w->step : some;
    return compiled || some > rows ? rows : some;
}

/* ---- chains that begin with a product -------------------------------------------------------- */

lun_team lun__joint_product_team(lun_openmp *o, const lun_product *p)
{
    return lun__block_product_alone(o->isa, p) ? (lun_team){.threads = 1}
                                               : lun__thread_team_for(&o->team, INT64_MAX);
}

static lun_status make_product(void *ctx, const lun_team *team, const lun_host_rows *take)
{
    const whole *w = ctx;
    return lun__block_product_run(w->o->services, w->o->isa, team, w->chain->product, take);
}

static lun_status run_product(const whole *w, const lun_host_kernel *kernels)
{
    lun_team team = lun__joint_product_team(w->o, w->chain->product);
    return lun__host_chain_product(w->o->services, kernels, &team, w->chain, make_product,
                                   (void *)(uintptr_t)w);
}

/* ---- runs ------------------------------------------------------------------------------------ */

/* Rows from `first` on; *count: how many. */
static lun_status run_rows(const whole *w, int64_t first, int64_t *count)
{
    lun_openmp *o = w->o;
    lun_host_kernel *kernels = malloc((size_t)w->count * sizeof *kernels);
    if (!kernels)
        return lun__openmp_kernel_fail(o, LUN_ENOMEM, "out of memory", "");
    bool compiled = true;
    lun_status s = LUN_OK;
    for (int i = 0; s == LUN_OK && i < w->count; i++) {
        *w->failed = i;
        s = take_kernel(o, w->parts[i].kernel, w->parts[i].launch, first == 0, &kernels[i],
                        &compiled);
    }
    *count = w->rows - first;
    if (!w->chain || !w->chain->product) /* which is made once */
        *count = rows_at_once(w, *count, compiled);
    lun_team team = lun__thread_team_for(&o->team, *count * w->segment);
    if (s == LUN_OK && w->chain && w->chain->product)
        s = run_product(w, kernels);
    else if (s == LUN_OK && w->chain)
        s = lun__host_chain(o->services, kernels, &team, w->chain, first, *count);
    else if (s == LUN_OK)
        s = lun__host_sweep(o->services, kernels, &team, w->sweep, first, *count);
    for (int i = 0; i < w->count; i++)
        o->services->stats->interpreted += *w->parts[i].ran && !w->parts[i].kernel->compiled;
    free(kernels);
    return s;
}

static lun_status run_all(const whole *w)
{
    lun_status s = LUN_OK;
    int64_t count = 0;
    lun__jit_poll(&w->o->jit);
    for (int64_t row = w->first; s == LUN_OK && row < w->rows; row += count)
        s = run_rows(w, row, &count);
    for (int i = 0; i < w->count; i++)
        w->o->services->stats->launches += *w->parts[i].ran;
    return s;
}

lun_status lun__joint_chain(lun_openmp *o, lun_chain *c)
{
    whole w = {.o = o, .chain = c, .count = c->count, .failed = &c->failed};
    w.step = 1;
    w.first = c->first;
    w.rows = c->rows;
    w.segment = c->segment;
    w.parts = malloc((size_t)c->count * sizeof *w.parts);
    if (!w.parts)
        return lun__openmp_kernel_fail(w.o, LUN_ENOMEM, "out of memory", "");
    for (int i = 0; i < c->count; i++)
        w.parts[i] = (part){c->stages[i].kernel, c->stages[i].launch, &c->stages[i].ran};
    lun_status s = run_all(&w);
    free(w.parts);
    return s;
}

lun_status lun__joint_sweep(lun_openmp *o, lun_sweep *sweep)
{
    const int stages = sweep->box.stages;
    whole w = {.o = o, .sweep = sweep, .count = stages, .failed = &sweep->failed};
    w.rows = sweep->box.extent[0];
    w.step = sweep->box.whole ? lun__sweep_geometry_chunks(&sweep->box, LUN_CHUNK) : 1;
    w.segment = w.rows ? sweep->stages[0].launch->n / w.rows * stages : 0;
    w.parts = malloc((size_t)stages * sizeof *w.parts);
    if (!w.parts)
        return lun__openmp_kernel_fail(w.o, LUN_ENOMEM, "out of memory", "");
    for (int i = 0; i < stages; i++)
        w.parts[i] =
            (part){sweep->stages[i].kernel, sweep->stages[i].launch, &sweep->stages[i].ran};
    lun_status s = run_all(&w);
    free(w.parts);
    return s;
}
