/* opencl.c - the backend `opencl`: kernels on a device of any OpenCL driver; see backend.h.
 *
 * The library is opened and drivers are asked only when the backend is; context and queue are made with the
 * first buffer or kernel.  Knows neither how text is rendered (render/render.h) nor how it is compiled and run. */
#include "opencl/opencl.h"

#include <pthread.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "opencl/guard.h"
#include "opencl/probe.h"
#include "opencl/state.h"

/* ---- opening and closing ------------------------------------------------------------------------- */

/* Loads the library and lists the devices; false with the reason. */
static bool look_around(lun_cl *cl, lun_cl_devices *devices, lun_strbuf *why)
{
    /* a child that is forked to ask while another thread loads a library would wait for the loader's lock */
    static pthread_mutex_t one_asks = PTHREAD_MUTEX_INITIALIZER;
    lun_guard g;
    pthread_mutex_lock(&one_asks);
    bool loaded = lun_cl_probe(why) && lun_cl_load(cl, why);
    pthread_mutex_unlock(&one_asks);
    if (!loaded)
        return false;
    lun_guard_enter(&g, true);
    bool any = lun_cl_devices_list(cl, devices, why);
    lun_guard_leave(&g);
    return any;
}

/* How kernels are written for the device: in vectors for processors, element by element for others. */
static void choose_form(lun_opencl *o)
{
    const lun_cl_device *d = &o->device;
    const char *wanted = getenv("LUNARRAY_OPENCL_FORM");
    o->target = (lun_cl_target){.form = LUN_CL_SCALAR, .fp64 = d->fp64, .bytes = 16};
    if ((d->type & CL_DEVICE_TYPE_CPU) &&
        !(d->type & CL_DEVICE_TYPE_GPU)) /* some claim to be all */
        o->target.form = LUN_CL_VECTOR;
    while (o->target.bytes < 64 && 2 * o->target.bytes <= d->vector)
        o->target.bytes *= 2;
    o->chosen = wanted && (!strcmp(wanted, "scalar") || !strcmp(wanted, "vector"));
    if (o->chosen)
        o->target.form = wanted[0] == 's' ? LUN_CL_SCALAR : LUN_CL_VECTOR;
}

static lun_status opencl_open(const lun_services *services, int device, void **out)
{
    lun_strbuf why = LUN_STRBUF_INIT;
    lun_status s = LUN_OK;
    lun_opencl *o = calloc(1, sizeof *o);
    if (!o) {
        lun_strbuf_clear(services->error);
        lun_strbuf_puts(services->error, "out of memory");
        return LUN_ENOMEM;
    }
    o->services = services;
    o->owner = getpid();
    if (!look_around(&o->cl, &o->devices, &why)) {
        s = LUN_EBACKEND;
    } else if (device > o->devices.count || device < 0) {
        s = LUN_EBACKEND;
        lun_strbuf_printf(&why, "there is no device %d: OpenCL has %d here", device,
                          o->devices.count);
        for (int i = 0; i < o->devices.count && i < 8; i++)
            lun_strbuf_printf(&why, ", %d is %s", i + 1, o->devices.device[i].name);
        if (o->devices.silent) {
            lun_strbuf_printf(&why, "; %d left out, ", o->devices.silent);
            lun_cl_error_text(&why, "clGetDeviceInfo", o->devices.unclear);
        }
    }
    if (s == LUN_OK) {
        o->device = o->devices.device[device ? device - 1 : 0];
        const char *pool = getenv("LUNARRAY_OPENCL_POOL"); /* off: for tools that watch memory */
        o->pooled = !pool || strcmp(pool, "off") != 0;
        choose_form(o);
        *out = o;
    } else {
        lun_strbuf_clear(services->error);
        lun_strbuf_puts(services->error, lun_strbuf_text(&why));
        free(o);
    }
    lun_strbuf_free(&why);
    return s;
}

static void opencl_close(void *state)
{
    lun_opencl *o = state;
    lun_opencl_land(o);
    lun_opencl_trim(o);
    if (lun_opencl_may_release(o)) {
        if (o->cells)
            o->cl.clReleaseMemObject(o->cells);
        if (o->work)
            o->cl.clReleaseMemObject(o->work);
        if (o->queue)
            o->cl.clReleaseCommandQueue(o->queue);
        if (o->context)
            o->cl.clReleaseContext(o->context);
    }
    free(o);
}

static bool opencl_preferred(const lun_services *services)
{
    lun_strbuf why = LUN_STRBUF_INIT;
    lun_cl cl;
    (void)services;
    if (!lun_cl_gpu_node())
        return false;
    lun_cl_devices *devices = calloc(1, sizeof *devices);
    bool is = devices && look_around(&cl, devices, &why) &&
              (devices->device[0].type & CL_DEVICE_TYPE_GPU);
    free(devices);
    lun_strbuf_free(&why);
    return is;
}

static int opencl_devices(void *state, lun_device *rows, int room)
{
    const lun_opencl *o = state;
    for (int i = 0; i < o->devices.count && i < room; i++)
        rows[i] = lun_cl_device_row(&o->devices.device[i]);
    return o->devices.count;
}

/* ---- kernels ------------------------------------------------------------------------------------- */

static lun_status render(lun_opencl *o, const lun_ir *ir, lun_strbuf *text, lun_cl_shape *shape)
{
    lun_status s = lun__render_opencl(ir, &o->target, text, shape);
    if (s == LUN_OK)
        return LUN_OK;
    return lun_opencl_fail(o, s, "%s: %s", o->device.name,
                           s == LUN_ENOMEM ? "out of memory" : lun_strbuf_text(text));
}

static lun_status opencl_source(void *state, const lun_ir *ir, lun_strbuf *out)
{
    lun_cl_shape shape;
    lun_strbuf text = LUN_STRBUF_INIT;
    lun_status s = render(state, ir, &text, &shape);
    if (s == LUN_OK)
        lun_strbuf_add(out, lun_strbuf_text(&text), text.length);
    lun_strbuf_free(&text);
    return s;
}

static void opencl_release(void *state, lun_kernel *k)
{
    lun_opencl *o = state;
    lun_opencl_forget(o, k);
    if (lun_opencl_may_release(o)) {
        for (int i = 0; i < LUN_CL_STEPS && k->entry[i].name; i++)
            o->cl.clReleaseKernel(k->entry[i].kernel);
        if (k->program)
            o->cl.clReleaseProgram(k->program);
    }
    lun_opencl_program_unclaim(o, k);
    lun_strbuf_free(&k->key);
    free(k->kinds);
    free(k);
}

/* What a launch looks up in the IR. */
static bool note(const lun_ir *ir, lun_kernel *k)
{
    k->kinds = malloc((size_t)(ir->count > 0 ? ir->count : 1));
    if (!k->kinds)
        return false;
    k->kind_count = ir->count;
    for (int i = 0; i < ir->count; i++) {
        k->kinds[i] = ir->ins[i].kind;
        k->loops |= ir->ins[i].kind == LUN_IR_LOOP || ir->ins[i].kind == LUN_IR_CALL;
    }
    return true;
}

static lun_status check_parameters(lun_opencl *o, const lun_ir *ir)
{
    int64_t bytes = ((int64_t)ir->slot_count + 2) * (int64_t)sizeof(cl_mem);
    if (bytes <= o->device.parameter_bytes)
        return LUN_OK;
    return lun_opencl_fail(
        o, LUN_ELIMIT,
        "%s: a kernel of %d arrays needs %lld bytes of arguments, and the device "
        "takes %lld: evaluate parts of the expression first",
        o->device.name, ir->slot_count, (long long)bytes, (long long)o->device.parameter_bytes);
}

/* Renders and compiles; the form in vectors needs a compiler that knows GNU vectors, and where a device's
 * does not, everything is rendered element by element from then on. */
static lun_status compile(lun_opencl *o, const lun_ir *ir, lun_kernel *k)
{
    lun_strbuf text = LUN_STRBUF_INIT;
    lun_status s = render(o, ir, &text, &k->shape);
    if (s == LUN_OK)
        s = lun_opencl_program(o, lun_strbuf_text(&text), k);
    if (s == LUN_EBUILD && !o->chosen && o->target.form == LUN_CL_VECTOR && !ir->function_count) {
        o->target.form = LUN_CL_SCALAR;
        lun_strbuf_clear(&text);
        lun_strbuf_clear(&k->key);
        s = render(o, ir, &text, &k->shape);
        if (s == LUN_OK)
            s = lun_opencl_program(o, lun_strbuf_text(&text), k);
    }
    lun_strbuf_free(&text);
    return s;
}

static lun_status opencl_build(void *state, const lun_ir *ir, const char *text, lun_kernel **out)
{
    lun_opencl *o = state;
    (void)text;
    lun_status s = lun_opencl_ready(o);
    if (s == LUN_OK)
        s = check_parameters(o, ir);
    if (s != LUN_OK)
        return s;
    lun_kernel *k = calloc(1, sizeof *k);
    if (!k || !note(ir, k)) {
        free(k);
        return lun_opencl_fail(o, LUN_ENOMEM, "out of memory");
    }
    k->claim = -1;
    s = compile(o, ir, k);
    if (s != LUN_OK) {
        opencl_release(o, k);
        return s;
    }
    *out = k;
    return LUN_OK;
}

const lun_backend lun_backend_opencl = {
    .name = "opencl",
    .open = opencl_open,
    .close = opencl_close,
    .build = opencl_build,
    .release = opencl_release,
    .run = lun_opencl_run,
    .source = opencl_source,
    .devices = opencl_devices,
    .buffer_new = lun_opencl_buffer_new,
    .buffer_free = lun_opencl_buffer_free,
    .upload = lun_opencl_upload,
    .download = lun_opencl_download,
    .preferred = opencl_preferred,
};
