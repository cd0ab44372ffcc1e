/* gpu.c - the contract of backend.h on any driver: opening, kernels from IR; see gpu.h.
 *
 * Devices are listed when the backend is opened; the queue is opened with the first buffer or
 * kernel.  Text is rendered by render/render.h. */
#include "gpu/gpu.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "gpu/exit_wait.h"
#include "gpu/gpu_device.h"
#include "gpu/gpu_state.h"

/* ---- opening and closing --------------------------------------------------------------------- */

/* An environment variable of this driver. */
static const char *setting(const lun_gpu *g, const char *name)
{
    char full[64];
    snprintf(full, sizeof full, "%s_%s", g->driver->settings, name);
    return getenv(full);
}

/* How kernels are written for the device: in vectors for processors, element by element for
 * others; polling the stop flag, unless the device is known not to be coherent. */
static void choose_form(lun_gpu *g)
{
    const char *form = setting(g, "FORM"), *stop = setting(g, "STOP"),
               *groups = setting(g, "GROUPS");
    if (stop && !strcmp(stop, "probe"))
        g->device.coherence = LUN_GPU_UNTRIED;
    else if (stop && !strcmp(stop, "off"))
        g->device.coherence = LUN_GPU_NOT_COHERENT;
    g->target = (lun_cl_target){.form = LUN_CL_SCALAR,
                                .fp64 = g->device.fp64,
                                .wide_atomics = g->device.wide_atomics,
                                .more_atomics = g->device.more_atomics,
                                .plain_reads = g->device.kind == LUN_GPU_PROCESSOR,
                                .coherent = g->device.coherence != LUN_GPU_NOT_COHERENT,
                                .bytes = 16,
                                .lacks = {g->device.lacks[0], g->device.lacks[1]}};
    if (g->device.kind == LUN_GPU_PROCESSOR)
        g->target.form = LUN_CL_VECTOR;
    while (g->target.bytes < 64 && 2 * g->target.bytes <= g->device.vector)
        g->target.bytes *= 2;
    g->groups = groups ? strcmp(groups, "0") != 0 : g->device.kind != LUN_GPU_PROCESSOR;
    g->form_fixed = form && (!strcmp(form, "scalar") || !strcmp(form, "vector"));
    if (g->form_fixed)
        g->target.form = form[0] == 's' ? LUN_CL_SCALAR : LUN_CL_VECTOR;
}

/* Takes part number `part` of so many of the device. */
static bool choose_part(lun_gpu *g, int parts, int part, lun_strbuf *why)
{
    lun_gpu_device *d = &g->device;
    if (parts > LUN_GPU_DEVICES || !g->driver->split || d->units % parts) {
        lun__strbuf_printf(why, "%s has %d compute unit%s: it is not divided into %d equal parts",
                           d->name, d->units, d->units == 1 ? "" : "s", parts);
        return false;
    }
    if (g->driver->split(g->library, d, parts, g->piece, &g->failure) != LUN_GPU_OK) {
        lun__strbuf_printf(why, "%s is not divided: ", d->name);
        lun__gpu_state_failure_text(why, g->failure);
        return false;
    }
    g->whole = d->id;
    g->parts = parts;
    g->part = part;
    d->id = g->piece[part - 1];
    d->units /= parts;
    return true;
}

/* Takes the device, number 0: the first; false with the reason appended to why. */
static bool choose_device(lun_gpu *g, const lun_opening *how, lun_strbuf *why)
{
    const lun_gpu_devices *all = &g->devices;
    const int number = how->device;
    if (number <= all->count) {
        g->device = all->device[number ? number - 1 : 0];
        return !how->parts || choose_part(g, how->parts, how->part, why);
    }
    lun__strbuf_printf(why, "no device %d: %s has %d here", number, g->driver->title, all->count);
    for (int i = 0; i < all->count && i < 8; i++)
        lun__strbuf_printf(why, ", %d is %s", i + 1, all->device[i].name);
    if (all->silent) {
        lun__strbuf_printf(why, "; %d skipped, ", all->silent);
        lun__gpu_state_failure_text(why, all->unclear);
    }
    return false;
}

/* What it can do; groups need memory of their own beside what the kernel's text takes. */
static lun_abilities abilities(const lun_gpu *g)
{
    const int64_t left = g->device.local_bytes - LUN_CL_TEAM_BYTES;
    lun_abilities can = {.segments = true, .parts = true, .memory_bytes = g->device.memory};
    if (left > 0)
        can.team_bytes = left;
    if (g->groups && left >= 0)
        can.team_threads = g->device.group < INT32_MAX ? (int)g->device.group : INT32_MAX;
    return can;
}

lun_status lun__gpu_open(const lun_gpu_driver *driver, const lun_services *services,
                         const lun_opening *how, void **state, lun_abilities *out)
{
    lun_strbuf why = LUN_STRBUF_INIT;
    lun_gpu *g = calloc(1, sizeof *g);
    if (!g) {
        lun__strbuf_clear(services->error);
        lun__strbuf_puts(services->error, "out of memory");
        return LUN_ENOMEM;
    }
    g->driver = driver;
    g->services = services;
    g->owner = getpid();
    g->peer = g;
    g->library = driver->list(&g->devices, &why);
    bool open = g->library && choose_device(g, how, &why);
    if (open) {
        const char *pool = setting(g, "POOL"); /* off: for tools that watch memory */
        g->pooled = !pool || strcmp(pool, "off") != 0;
        choose_form(g);
        if (how->with)
            lun__gpu_state_link_peer(g, how->with);
        if (how->beside)
            g->first = ((const lun_gpu *)how->beside)->queue;
        *out = abilities(g);
        *state = g;
    } else {
        lun__strbuf_clear(services->error);
        lun__strbuf_puts(services->error, lun__strbuf_text(&why));
        free(g->library);
        free(g);
    }
    lun__strbuf_free(&why);
    return open ? LUN_OK : LUN_EBACKEND;
}

void lun__gpu_close(void *state)
{
    lun_gpu *g = state;
    lun__gpu_batch_drain(g);
    if (g->stuck && g->owner == getpid())
        lun__exit_wait_busy();
    for (int i = 0; i < LUN_CL_BUILTINS * LUN_GPU_SIZES; i++)
        if (g->own[i / LUN_GPU_SIZES][i % LUN_GPU_SIZES])
            lun__gpu_kernel_release(g, g->own[i / LUN_GPU_SIZES][i % LUN_GPU_SIZES]);
    for (int i = 0; i < LUN_GPU_MULTIPLIERS; i++)
        if (g->multiplier[i].kernel)
            lun__gpu_kernel_release(g, g->multiplier[i].kernel);
    lun__gpu_buffer_trim(g);
    lun__gpu_overlap_close(g);
    lun__gpu_state_unlink_peer(g);
    if (g->cells && lun__gpu_state_may_release(g))
        g->driver->free(g->queue, g->cells);
    if (g->work && lun__gpu_state_may_release(g))
        g->driver->free(g->queue, g->work);
    lun__gpu_stop_close(g);
    if (g->queue)
        g->driver->close(g->queue, lun__gpu_state_may_release(g));
    if (g->parts && lun__gpu_state_may_release(g))
        g->driver->drop(g->library, g->piece, g->parts);
    free(g->library);
    free(g);
}

bool lun__gpu_preferred(const lun_gpu_driver *driver)
{
    lun_strbuf why = LUN_STRBUF_INIT;
    if (!lun__gpu_device_node())
        return false;
    lun_gpu_devices *devices = calloc(1, sizeof *devices);
    void *library = devices ? driver->list(devices, &why) : NULL;
    bool is = library && devices->device[0].kind == LUN_GPU_GRAPHICS;
    free(library);
    free(devices);
    lun__strbuf_free(&why);
    return is;
}

int lun__gpu_devices(void *state, lun_device *rows, int room)
{
    const lun_gpu *g = state;
    for (int i = 0; i < g->devices.count && i < room; i++)
        rows[i] = lun__gpu_device_row(g->driver->name, &g->devices.device[i]);
    return g->devices.count;
}

/* ---- kernels --------------------------------------------------------------------------------- */

static lun_status render(lun_gpu *g, const lun_ir *ir, lun_strbuf *text, lun_cl_shape *shape)
{
    g->target.version = lun__version_number(g->services->bits);
    lun_status s = g->driver->render(ir, &g->target, text, shape);
    if (s == LUN_OK && shape->stops && g->device.coherence == LUN_GPU_UNTRIED) {
        s = lun__gpu_coherence_find(g);
        if (s != LUN_OK)
            return s;
        if (!g->target.coherent) {
            lun__strbuf_clear(text);
            s = g->driver->render(ir, &g->target, text, shape);
        }
    }
    if (s == LUN_OK)
        return LUN_OK;
    return lun__gpu_state_fail(g, s, "%s: %s", g->device.name,
                               s == LUN_ENOMEM ? "out of memory" : lun__strbuf_text(text));
}

lun_status lun__gpu_source(void *state, const lun_ir *ir, lun_strbuf *out)
{
    lun_cl_shape shape;
    lun_strbuf text = LUN_STRBUF_INIT;
    lun_status s = render(state, ir, &text, &shape);
    if (s == LUN_OK)
        lun__strbuf_add(out, lun__strbuf_text(&text), text.length);
    lun__strbuf_free(&text);
    return s;
}

static lun_status check_parameters(lun_gpu *g, const lun_ir *ir)
{
    int64_t bytes = ((int64_t)ir->slot_count + 3) * (int64_t)sizeof(void *);
    if (bytes <= g->device.parameter_bytes)
        return LUN_OK;
    return lun__gpu_state_fail(
        g, LUN_ELIMIT,
        "%s: a kernel of %d arrays needs %lld bytes of arguments, but the device "
        "supports %lld: evaluate parts of the expression first",
        g->device.name, ir->slot_count, (long long)bytes, (long long)g->device.parameter_bytes);
}

/* A kernel of teams fits if a work-group of it can have a work-item for each thread.  Of one that
 * does not nothing is kept but that it does not. */
static lun_status check_team(lun_gpu *g, lun_kernel *k)
{
    lun_gpu_entry *entry = NULL;
    if (!k->shape.team)
        return LUN_OK;
    lun_status s = lun__gpu_program_entry(g, k, "lun_kernel", &entry);
    if (s != LUN_OK || !entry->most || k->shape.team <= entry->most)
        return s;
    k->narrow = true;
    lun__gpu_kernel_unload(g, k);
    return LUN_OK;
}

lun_status lun__gpu_prepare(void *state, lun_kernel *k, lun_kernel_facts *out)
{
    (void)state; /* it is compiled when it is built */
    *out = (lun_kernel_facts){.team_threads = k->narrow ? 0 : k->shape.team};
    return LUN_OK;
}

static lun_status render_and_compile(lun_gpu *g, const lun_ir *ir, lun_kernel *k)
{
    lun_strbuf text = LUN_STRBUF_INIT;
    lun_status s = render(g, ir, &text, &k->shape);
    if (s == LUN_OK)
        s = lun__gpu_program(g, lun__strbuf_text(&text), k);
    lun__strbuf_free(&text);
    return s;
}

/* The form in vectors needs a compiler that knows GNU vectors: where a device's does not,
 * everything is rendered element by element from then on. */
static lun_status compile(lun_gpu *g, const lun_ir *ir, lun_kernel *k)
{
    lun_status s = render_and_compile(g, ir, k);
    if (s != LUN_EBUILD || g->form_fixed || g->target.form != LUN_CL_VECTOR || ir->function_count)
        return s;
    g->target.form = LUN_CL_SCALAR;
    lun__strbuf_clear(&k->key);
    return render_and_compile(g, ir, k);
}

/* Chunks are joined on the host where that gives the device's bits: a level there costs less than
 * the way to the device. */
static lun_status make_joiner(lun_gpu *g, const lun_ir *ir, lun_kernel *k)
{
    if (!k->shape.results || k->shape.math || k->shape.arrays)
        return LUN_OK;
    lun_status s = lun__interpreter_combine(ir, lun__backend_version(g->services), &k->joiner);
    if (s == LUN_OK || (s == LUN_EBACKEND && k->shape.pairs)) /* a function in C, or too large */
        return LUN_OK;
    return lun__gpu_state_fail(g, s,
                               s == LUN_ENOMEM ? "out of memory" : "internal: no combination");
}

lun_status lun__gpu_build(void *state, const lun_ir *ir, const char *text, lun_kernel **out)
{
    lun_gpu *g = state;
    (void)text;
    lun_status s = lun__gpu_state_ready(g);
    if (s == LUN_OK)
        s = check_parameters(g, ir);
    if (s != LUN_OK)
        return s;
    lun_kernel *k = lun__gpu_kernel(ir);
    if (!k)
        return lun__gpu_state_fail(g, LUN_ENOMEM, "out of memory");
    s = compile(g, ir, k);
    if (s == LUN_OK)
        s = lun__gpu_math_probe(g, ir);
    if (s == LUN_OK)
        s = check_team(g, k);
    if (s == LUN_OK)
        s = make_joiner(g, ir, k);
    k->bytes = (int64_t)(sizeof *k + k->key.length + (size_t)ir->count +
                         (size_t)ir->slot_count * sizeof *k->memory) +
               lun__interpreter_bytes(k->joiner);
    g->services->stats->kernel_bytes += k->bytes;
    if (s == LUN_OK)
        *out = k;
    else
        lun__gpu_kernel_release(g, k);
    return s;
}

/* ---- work ------------------------------------------------------------------------------------ */

bool lun__gpu_takes(void *state, const lun_work *w, int64_t *scratch)
{
    const unsigned always =
        1 << LUN_WORK_LAUNCH | 1 << LUN_WORK_COMBINE | 1 << LUN_WORK_PAD | 1 << LUN_WORK_TRANSFER;
    *scratch = 0;
    return w->kind == LUN_WORK_PRODUCT ? lun__gpu_product_multiplies(state, w->is.product)
                                       : always >> w->kind & 1;
}

lun_status lun__gpu_begin(void *state, const lun_work *w, lun_work_mark *mark)
{
    lun_gpu *g = state;
    switch (w->kind) {
    case LUN_WORK_LAUNCH:
        return lun__gpu_flight_launch(g, w->is.run.kernel, w->is.run.launch, mark);
    case LUN_WORK_COMBINE:
        return lun__gpu_run_combine(g, &w->is.run);
    case LUN_WORK_PRODUCT:
        return lun__gpu_product(g, w->is.product);
    case LUN_WORK_PAD:
        return lun__gpu_device_copy_pad(g, &w->is.pad);
    case LUN_WORK_TRANSFER:
        return lun__gpu_device_copy(g, w->is.transfer);
    default:
        return lun__gpu_state_fail(g, LUN_EBACKEND, "internal: it does no such work");
    }
}

lun_status lun__gpu_wait_for(void *state, lun_work_mark mark, lun_wait_how how, bool *ended)
{
    lun_gpu *g = state;
    if (how == LUN_WAIT_GIVE)
        return lun__gpu_flight_advance(g, ended);
    if (how == LUN_WAIT_ALL)
        return lun__gpu_buffer_finish(g);
    const lun_status launched = g->flight.mark <= mark ? lun__gpu_flight_collect(g) : LUN_OK;
    const lun_status sent = g->sent <= mark ? lun__gpu_overlap_settle(g) : LUN_OK;
    return launched == LUN_OK ? sent : launched;
}
