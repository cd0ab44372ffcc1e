/* openmp.c - the backend `openmp`: kernels on the host's cores, compiled by the C compiler; see
 * backend.h.
 *
 * A kernel runs interpreted until its machine code is there, with the same bits; so nothing waits
 * for a compiler but kernels with functions in C, which cannot be interpreted.  Knows neither how
 * text is rendered (render/render.h) nor how it becomes code (jit.h). */
#include "openmp/openmp.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/clock.h"
#include "openmp/jit.h"
#include "openmp/pace.h"
#include "openmp/team.h"
#include "product/product.h"
#include "reference/reference.h"
#include "render/render.h"

enum {
    WORTHWHILE = 1 << 18, /* operations of one launch from which compiling pays */
    LAUNCHES = 3          /* or a kernel is run that often */
};

typedef struct openmp {
    const lun_services *services;
    lun_isa isa;
    lun_openmp_team team;
    lun_pace pace;
    lun_jit_compiler jit;
} openmp;

struct lun_kernel {
    lun_ir ir; /* a copy without functions: what the host and the interpreter look at */
    lun_interp *interp;
    lun_exec exec; /* the one that runs; body NULL: none yet */
    lun_unit unit;
    lun_rate rate;
    int64_t cost, launches;
    int64_t bytes;       /* in stats.kernel_bytes; its object counts itself */
    bool needs_compiler; /* it has functions in C, or is otherwise beyond the interpreter */
    bool compiled;       /* exec is machine code */
};

static lun_status fail(openmp *o, lun_status s, const char *what, const char *text)
{
    lun__strbuf_clear(o->services->error);
    lun__strbuf_puts(o->services->error, "backend openmp: ");
    lun__strbuf_puts(o->services->error, what);
    lun__strbuf_puts(o->services->error, text);
    return s;
}

static lun_status openmp_open(const lun_services *services, int device, void **state)
{
    (void)device;
    openmp *o = calloc(1, sizeof *o);
    if (!o) {
        lun__strbuf_clear(services->error);
        lun__strbuf_puts(services->error, "out of memory");
        return LUN_ENOMEM;
    }
    o->services = services;
    o->isa = lun__isa_here();
    lun__team_init(&o->team, services->threads);
    lun__jit_init(&o->jit, services, o->isa);
    *state = o;
    return LUN_OK;
}

static void openmp_close(void *state)
{
    openmp *o = state;
    lun__jit_finish(&o->jit);
    lun__team_free(&o->team);
    free(o);
}

/* ---- kernels --------------------------------------------------------------------------------- */

/* Functions in IR form are copied no more than others: they are lent for the build only. */
static bool copy_ir(const lun_ir *from, lun_ir *to)
{
    bool well = true;
    lun__ir_init(to);
    for (int i = 0; i < from->count; i++)
        well = well && lun__ir_add(to, from->ins[i]) >= 0;
    for (int i = 0; i < from->slot_count; i++)
        well = well && lun__ir_slot_add(to, (lun_dtype)from->slots[i].dtype,
                                        (lun_ir_role)from->slots[i].role) >= 0;
    for (int i = 0; i < from->arg_count; i++)
        well = well && lun__ir_arg_add(to, (lun_dtype)from->args[i]) >= 0;
    for (int i = 0; i < from->result_count; i++)
        well = well && lun__ir_result_add(to, (lun_dtype)from->results[i]) >= 0;
    return well;
}

static lun_status render(openmp *o, const lun_ir *ir, lun_strbuf *out, unsigned *needs)
{
    lun_render_target target = {o->isa, lun__vecmath(o->isa, (lun_math)o->services->math)};
    return lun__render_openmp(ir, &target, out, needs);
}

/* Tells how much memory the kernel takes now. */
static void weigh(openmp *o, lun_kernel *k)
{
    const lun_unit *u = &k->unit;
    int64_t bytes = (int64_t)sizeof *k + lun__ir_bytes(&k->ir) + lun__interp_bytes(k->interp) +
                    (u->source ? (int64_t)strlen(u->source) : 0);
    o->services->stats->kernel_bytes += bytes - k->bytes;
    k->bytes = bytes;
}

static void openmp_release(void *state, lun_kernel *k)
{
    openmp *o = state;
    o->services->stats->kernel_bytes -= k->bytes;
    lun__jit_forget(&o->jit, &k->unit);
    lun__unit_free(&k->unit);
    lun__interp_free(k->interp);
    lun__ir_free(&k->ir);
    free(k);
}

static lun_status openmp_build(void *state, const lun_ir *ir, const char *text, lun_kernel **out)
{
    openmp *o = state;
    lun_kernel *k = calloc(1, sizeof *k);
    lun_strbuf source = LUN_STRBUF_INIT;
    (void)text;
    if (!k)
        return fail(o, LUN_ENOMEM, "out of memory", "");
    lun_status s = copy_ir(ir, &k->ir) ? LUN_OK : LUN_ENOMEM;
    if (s == LUN_OK)
        s = lun__interp_make(ir, o->services->math, &k->interp);
    if (s == LUN_EBACKEND) {
        k->needs_compiler = true;
        s = LUN_OK;
    }
    if (s == LUN_OK && (k->needs_compiler || o->services->jit != LUN_JIT_OFF))
        s = render(o, ir, &source, &k->unit.needs);
    if (s == LUN_EARG)
        fail(o, s, "internal: ", lun__strbuf_text(&source));
    else if (s != LUN_OK)
        fail(o, s, "out of memory", "");
    k->unit.source = source.text;
    k->unit.wanted = k->needs_compiler;
    k->unit.math = o->services->math;
    k->unit.scans = ir->scan >= 0;
    k->unit.reduces = ir->result_count > 0;
    k->cost = lun__ir_cost(ir);
    if (k->interp)
        k->exec = *lun__interp_exec(k->interp);
    weigh(o, k);
    if (s == LUN_OK)
        *out = k;
    else
        openmp_release(state, k);
    return s;
}

/* What the compiler works on is worth waiting for. */
static bool openmp_busy(void *state, const lun_kernel *k)
{
    (void)state;
    return k->unit.state == LUN_UNIT_RUNNING;
}

/* ---- running --------------------------------------------------------------------------------- */

static lun_exec machine_code(const openmp *o, const lun_kernel *k)
{
    return (lun_exec){.body = k->unit.kernel,
                      .total = k->unit.total,
                      .combine = k->unit.combine,
                      .math = lun__vecmath(o->isa, (lun_math)k->unit.math)};
}

static void take_over(openmp *o, lun_kernel *k)
{
    k->compiled = true;
    k->exec = machine_code(o, k);
    lun__interp_free(k->interp);
    k->interp = NULL;
    k->rate = (lun_rate){0};
    weigh(o, k);
}

/* Brings the kernel nearer to machine code.  LUN_OK: it can run, one way or the other. */
static lun_status advance(openmp *o, lun_kernel *k, const lun_launch *launch)
{
    lun_unit *u = &k->unit;
    int jit = o->services->jit;
    if (jit == LUN_JIT_OFF && k->needs_compiler)
        return fail(o, LUN_EBACKEND,
                    "a C function needs the compiler, which is off (LUNARRAY_JIT=off)", "");
    if (jit == LUN_JIT_OFF)
        return LUN_OK;
    if (u->state == LUN_UNIT_NEW)
        lun__jit_look(&o->jit, u);
    if (u->state == LUN_UNIT_MISSED && (k->needs_compiler || jit == LUN_JIT_SYNC)) {
        lun_status s = lun__jit_wait(&o->jit, u);
        if (s == LUN_ECANCEL)
            return fail(o, s, "interrupted", "");
    } else if (u->state == LUN_UNIT_MISSED) {
        int64_t most = WORTHWHILE / (k->cost > 0 ? k->cost : 1);
        if (launch->count > most || k->launches + 1 >= LAUNCHES)
            lun__jit_queue(&o->jit, u);
    }
    lun__jit_poll(&o->jit);
    if (u->state == LUN_UNIT_READY)
        take_over(o, k);
    else if (k->needs_compiler)
        return fail(o, LUN_EBUILD,
                    "the function does not compile: ", lun__strbuf_text(&u->message));
    return LUN_OK;
}

/* An interpreted run, which machine code takes over between two chunks if it is ready by then. */
typedef struct overtaking {
    openmp *o;
    lun_kernel *k;
    lun_exec exec; /* machine code; body NULL: it is not ready yet */
} overtaking;

static const lun_exec *overtake(void *ctx)
{
    overtaking *t = ctx;
    lun__jit_poll(&t->o->jit);
    if (t->k->unit.state != LUN_UNIT_READY)
        return NULL;
    t->exec = machine_code(t->o, t->k);
    return &t->exec;
}

static lun_status run_on(openmp *o, lun_kernel *k, const lun_team *team, lun_launch *launch)
{
    if (k->compiled || o->services->jit == LUN_JIT_OFF)
        return lun__host_run(o->services, &k->exec, team, &k->ir, k->cost, launch);
    overtaking t = {o, k, {0}};
    lun_exec exec = k->exec;
    exec.next = overtake;
    exec.ctx = &t;
    lun_status s = lun__host_run(o->services, &exec, team, &k->ir, k->cost, launch);
    if (t.exec.body) {
        o->services->stats->overtaken++;
        take_over(o, k);
    }
    return s;
}

static lun_status openmp_prepare(void *state, lun_kernel *k)
{
    openmp *o = state;
    lun_unit *u = &k->unit;
    if (k->compiled)
        return LUN_OK;
    if (o->services->jit == LUN_JIT_OFF)
        return fail(o, LUN_EBUILD, "the compiler is off (LUNARRAY_JIT=off)", "");
    if (!lun__jit_look(&o->jit, u)) {
        u->wanted = true; /* its failure is told here, not in the log */
        lun_status s = lun__jit_wait(&o->jit, u);
        if (s == LUN_ECANCEL)
            return fail(o, s, "interrupted", "");
    }
    if (u->state != LUN_UNIT_READY)
        return fail(o, LUN_EBUILD, "a kernel does not compile: ",
                    u->message.length ? lun__strbuf_text(&u->message)
                                      : "the compiler failed earlier");
    take_over(o, k);
    return LUN_OK;
}

/* A run that a team could share: by one thread if that was faster lately. */
static lun_status run_paced(openmp *o, lun_kernel *k, lun_team *team, lun_launch *launch)
{
    lun_pace_plan plan =
        lun__pace_plan(&o->pace, &k->rate, launch->count,
                       lun__host_guess(k->cost, launch->count, launch->bytes), team->threads);
    double start = plan.timed ? lun__now() : 0;
    bool compiled = k->compiled;
    if (!plan.team)
        team->threads = 1;
    team->alone_ns = plan.alone_ns;
    lun_status s = run_on(o, k, team, launch);
    if (plan.timed && s == LUN_OK && compiled == k->compiled)
        lun__pace_note(&o->pace, &k->rate, launch->count, &plan, (lun__now() - start) * 1e9);
    return s;
}

static lun_status openmp_run(void *state, lun_kernel *k, lun_launch *launch)
{
    openmp *o = state;
    if (!k->compiled) {
        lun_status s = advance(o, k, launch);
        if (s != LUN_OK)
            return s;
        o->services->stats->interpreted += !k->compiled;
    } else {
        lun__jit_poll(&o->jit);
    }
    k->launches++;
    o->services->stats->launches++;
    lun_team team = {.threads = 1};
    if (!lun__host_alone(&k->ir, k->cost, launch))
        team = lun__team_for(&o->team, launch->count);
    if (team.threads > 1 && !launch->streams)
        return run_paced(o, k, &team, launch);
    return run_on(o, k, &team, launch);
}

/* What runs a kernel of several; *compiled: becomes false where it is still interpreted. */
static lun_status take_kernel(openmp *o, lun_kernel *k, lun_launch *launch, bool first,
                              lun_host_kernel *out, bool *compiled)
{
    lun_status s = k->compiled ? LUN_OK : advance(o, k, launch);
    *compiled = *compiled && (k->compiled || o->services->jit == LUN_JIT_OFF);
    *out = (lun_host_kernel){&k->exec, &k->ir, k->cost < 1 ? 1 : k->cost};
    k->launches += first;
    return s;
}

/* Kernels that are not compiled yet run some rows, so that they are looked for again. */
static int64_t rows_at_once(int64_t rows, int64_t line, bool compiled)
{
    enum { ELEMENTS = 1 << 22 };
    int64_t some = ELEMENTS / line;
    return compiled || some > rows ? rows : some < 1 ? 1 : some;
}

static lun_status run_rows(openmp *o, lun_chain *c, int64_t first, int64_t *count)
{
    lun_host_kernel *kernels = malloc((size_t)c->count * sizeof *kernels);
    if (!kernels)
        return LUN_ENOMEM;
    bool compiled = true;
    lun_status s = LUN_OK;
    for (int i = 0; s == LUN_OK && i < c->count; i++) {
        c->failed = i;
        s = take_kernel(o, c->stages[i].kernel, c->stages[i].launch, first == 0, &kernels[i],
                        &compiled);
    }
    *count = rows_at_once(c->rows - first, c->line, compiled);
    lun_team team = lun__team_for(&o->team, *count * c->line);
    if (s == LUN_OK)
        s = lun__host_chain(o->services, kernels, &team, c, first, *count);
    for (int i = 0; i < c->count; i++)
        o->services->stats->interpreted += c->stages[i].ran && !c->stages[i].kernel->compiled;
    free(kernels);
    return s;
}

static lun_status openmp_chain(void *state, lun_chain *c)
{
    openmp *o = state;
    lun_status s = LUN_OK;
    int64_t count;
    lun__jit_poll(&o->jit);
    for (int64_t row = 0; s == LUN_OK && row < c->rows; row += count)
        s = run_rows(o, c, row, &count);
    for (int i = 0; i < c->count; i++)
        o->services->stats->launches += c->stages[i].ran;
    return s;
}

static lun_status run_units(openmp *o, lun_sweep *w, int64_t first, int64_t *count)
{
    const int stages = w->box.stages;
    lun_host_kernel *kernels = malloc((size_t)stages * sizeof *kernels);
    if (!kernels)
        return LUN_ENOMEM;
    bool compiled = true;
    lun_status s = LUN_OK;
    for (int i = 0; s == LUN_OK && i < stages; i++) {
        w->failed = i;
        s = take_kernel(o, w->stages[i].kernel, w->stages[i].launch, first == 0, &kernels[i],
                        &compiled);
    }
    const int64_t unit = w->stages[0].launch->n / w->box.extent[0];
    *count = rows_at_once(w->box.extent[0] - first, unit * stages, compiled);
    lun_team team = lun__team_for(&o->team, *count * unit * stages);
    if (s == LUN_OK)
        s = lun__host_sweep(o->services, kernels, &team, w, first, *count);
    for (int i = 0; i < stages; i++)
        o->services->stats->interpreted += w->stages[i].ran && !w->stages[i].kernel->compiled;
    free(kernels);
    return s;
}

static lun_status openmp_sweep(void *state, lun_sweep *w)
{
    openmp *o = state;
    lun_status s = LUN_OK;
    int64_t count;
    lun__jit_poll(&o->jit);
    for (int64_t unit = 0; s == LUN_OK && unit < w->box.extent[0]; unit += count)
        s = run_units(o, w, unit, &count);
    for (int i = 0; i < w->box.stages; i++)
        o->services->stats->launches += w->stages[i].ran;
    return s;
}

static int64_t openmp_near(void *state)
{
    const openmp *o = state;
    int64_t near = o->team.places.chunk_bytes;
#ifdef _SC_LEVEL2_CACHE_SIZE
    if (near <= 0) /* one thread: nothing was looked at */
        near = sysconf(_SC_LEVEL2_CACHE_SIZE) / 2;
#endif
    return near;
}

static lun_status openmp_combine(void *state, lun_kernel *k, lun_launch *launch, uint64_t *cells,
                                 int64_t pairs)
{
    openmp *o = state;
    return lun__host_combine(o->services, &k->exec, k->ir.result_count, launch, cells, pairs);
}

static void openmp_share(void *state, int64_t n, int64_t bytes, void *ctx, lun_range_fn *task)
{
    openmp *o = state;
    lun__team_share(&o->team, n, bytes, ctx, task);
}

/* ---- matrix products ------------------------------------------------------------------------- */

static lun_team team_of_product(openmp *o, const lun_product *p)
{
    return lun__product_alone(o->isa, p) ? (lun_team){.threads = 1}
                                         : lun__team_for(&o->team, INT64_MAX);
}

static int64_t openmp_product_room(void *state, const lun_product *p)
{
    openmp *o = state;
    return lun__product_room(o->isa, team_of_product(o, p).threads, p);
}

static lun_status openmp_product(void *state, const lun_product *p)
{
    openmp *o = state;
    lun_team team = team_of_product(o, p);
    lun_status s = lun__product_run(o->services, o->isa, &team, p);
    return s == LUN_ECANCEL ? fail(o, s, "interrupted", "") : s;
}

/* ---- looking inside -------------------------------------------------------------------------- */

static lun_status openmp_source(void *state, const lun_ir *ir, lun_strbuf *out)
{
    unsigned needs;
    return render(state, ir, out, &needs);
}

/* "model name" of the first processor. */
static void cpu_name(char *to, size_t room)
{
    char line[256];
    FILE *f = fopen("/proc/cpuinfo", "re");
    snprintf(to, room, "host");
    while (f && fgets(line, sizeof line, f)) {
        char *colon = strchr(line, ':');
        if (strncmp(line, "model name", 10) || !colon)
            continue;
        line[strcspn(line, "\n")] = 0;
        snprintf(to, room, "%s", colon + 1 + strspn(colon + 1, " "));
        break;
    }
    if (f)
        fclose(f);
}

static int openmp_devices(void *state, lun_device *rows, int room)
{
    openmp *o = state;
    lun__team_look(&o->team);
    if (room > 0) {
        long pages = sysconf(_SC_PHYS_PAGES), page = sysconf(_SC_PAGESIZE);
        rows[0] = (lun_device){.kind = "cpu",
                               .backend = "openmp",
                               .units = o->team.wanted,
                               .memory = pages > 0 && page > 0 ? (int64_t)pages * page : 0};
        cpu_name(rows[0].name, sizeof rows[0].name);
        if (o->team.topology.count)
            lun__topology_tell(&o->team.topology, rows[0].machine, sizeof rows[0].machine);
    }
    return 1;
}

const lun_backend lun__backend_openmp = {
    .name = "openmp",
    .lines = true,
    .native = true,
    .open = openmp_open,
    .close = openmp_close,
    .build = openmp_build,
    .release = openmp_release,
    .prepare = openmp_prepare,
    .busy = openmp_busy,
    .run = openmp_run,
    .chain = openmp_chain,
    .sweep = openmp_sweep,
    .near = openmp_near,
    .combine = openmp_combine,
    .product_room = openmp_product_room,
    .product = openmp_product,
    .source = openmp_source,
    .share = openmp_share,
    .devices = openmp_devices,
    .portable_key = lun__compiler_portable_key,
};
