/* opencl_kit.h - what the tests of the opencl backend share: services with a cache of their own,
 * arrays on the device, a kernel run there and by the interpreter.  Knows no kernel. */
#ifndef TEST_OPENCL_KIT_H
#define TEST_OPENCL_KIT_H

#include "kernels.h"

#include <math.h>
#include <stdio.h>

#include "cache/cache.h"
#include "opencl/opencl.h"

typedef struct device_kit {
    lun_services services;
    lun_strbuf error;
    lun_stats stats;
    volatile int cancel;
    void *state;
    lun_abilities can;
    char dir[64];
} device_kit;

static const lun_backend *device = &lun__backend_opencl; /* example_test has another one */
static int device_workgroup;                             /* of the launches to come */

/* Services without a device.  dir "": no cache; NULL: a new one. */
static inline void device_services(device_kit *k, const char *dir)
{
    memset(k, 0, sizeof *k);
    snprintf(k->dir, sizeof k->dir, "%s", dir ? dir : "/tmp/lunarray-test-XXXXXX");
    if (!dir)
        assert_non_null(mkdtemp(k->dir));
    k->services = (lun_services){
        .error = &k->error, .stats = &k->stats, .cancel = &k->cancel, .bits = LUN_BITS};
    assert_int_equal(lun__cache_open(k->dir, LUN_CACHE_SIZE, NULL, NULL, &k->services.cache),
                     LUN_OK);
}

static inline void device_open(device_kit *k, const char *dir)
{
    device_services(k, dir);
    if (device->open(&k->services, &(lun_opening){0}, &k->state, &k->can) != LUN_OK)
        fail_msg("%s", lun__strbuf_text(&k->error));
}

static inline void device_close(device_kit *k, bool remove)
{
    char command[128];
    if (k->state)
        device->close(k->state);
    lun__cache_close(k->services.cache);
    snprintf(command, sizeof command, "rm -rf '%s'", k->dir);
    if (remove && k->dir[0])
        assert_int_equal(system(command), 0);
    lun__strbuf_free(&k->error);
}

static inline void device_ok(device_kit *k, lun_status s)
{
    if (s != LUN_OK)
        fail_msg("%s: %s", lun_status_name(s), lun__strbuf_text(&k->error));
}

/* The last failure's text must say this. */
static inline void device_says(device_kit *k, const char *words)
{
    if (!strstr(lun__strbuf_text(&k->error), words))
        fail_msg("'%s' is not in '%s'", words, lun__strbuf_text(&k->error));
}

static inline lun_kernel *device_build(device_kit *k, const lun_ir *ir)
{
    lun_strbuf text = LUN_STRBUF_INIT;
    lun_kernel *kernel = NULL;
    ir_check_valid(ir);
    assert_int_equal(lun__print_ir(ir, &text), LUN_OK);
    device_ok(k, device->build(k->state, ir, lun__strbuf_text(&text), &kernel));
    lun__strbuf_free(&text);
    return kernel;
}

static inline lun_buffer *device_array(device_kit *k, const void *from, int64_t bytes)
{
    lun_buffer *b = NULL;
    device_ok(k, device->buffer_new(k->state, bytes, &b));
    if (from)
        device_ok(k, device->write(k->state, b, 0, from, bytes, NULL));
    return b;
}

/* Runs indices first .. first+count-1 of n, joins their chunks; origin: of all slots, or NULL. */
static inline lun_status device_run(device_kit *k, lun_kernel *kernel, const lun_ir *ir,
                                    lun_buffer **slots, const int64_t *origin, int64_t n,
                                    int64_t first, int64_t count, test_run *run)
{
    static const int64_t zeros[64];
    int64_t room[64];
    for (int i = 0; i < 64; i++)
        room[i] = INT64_MAX;
    lun_launch l = {.workgroup = device_workgroup,
                    .n = n,
                    .first = first,
                    .count = count,
                    .slots = (void **)slots,
                    .room = room,
                    .origin = origin ? origin : zeros,
                    .args = run->args,
                    .trap = -1};
    lun_status s = test_backend_run(device, k->state, kernel, ir, &l, run->results);
    run->trap = l.trap;
    run->trap_value = l.trap_value;
    return s;
}

/* The same bits, or both NaN. */
static inline bool device_same(lun_dtype t, const void *a, const void *b)
{
    float f, g;
    double x, y;
    if (!memcmp(a, b, (size_t)lun__dtype_get(t)->bytes))
        return true;
    if (t == LUN_F32) {
        memcpy(&f, a, sizeof f);
        memcpy(&g, b, sizeof g);
        return isnan(f) && isnan(g);
    }
    if (t == LUN_F64) {
        memcpy(&x, a, sizeof x);
        memcpy(&y, b, sizeof y);
        return isnan(x) && isnan(y);
    }
    return false;
}

/* Runs ir on the device and interpreted, and compares all outputs, results and traps.  in: host
 * memory by slot (OUT: NULL). */
static inline void device_compare(device_kit *k, const lun_ir *ir, lun_kernel *kernel,
                                  void *const *in, int64_t n, const uint64_t *args)
{
    void *want[64] = {NULL};
    lun_buffer *slots[64] = {NULL};
    uint64_t wanted[64] = {0}, results[64] = {0};
    test_run a = {.args = args, .results = wanted, .isa = lun__isa_here()}, b = a;
    b.results = results;
    for (int s = 0; s < ir->slot_count; s++) {
        int64_t size = lun__dtype_get((lun_dtype)ir->slots[s].dtype)->bytes;
        want[s] = in[s] ? in[s] : test_alloc(n, size);
        slots[s] = device_array(k, in[s], n * size);
    }
    lun_status s = run_ir(ir, want, n, &a);
    lun_status t = device_run(k, kernel, ir, slots, NULL, n, 0, n, &b);
    if (s != t)
        fail_msg("n %lld: interpreted %s, on the device %s (%s)", (long long)n, lun_status_name(s),
                 lun_status_name(t), lun__strbuf_text(&k->error));
    assert_int_equal(a.trap, b.trap);
    for (int q = 0; q < ir->slot_count; q++) {
        lun_dtype d = (lun_dtype)ir->slots[q].dtype;
        int64_t size = lun__dtype_get(d)->bytes;
        char *got = test_alloc(n, size);
        if (!in[q] && s == LUN_OK) {
            device_ok(k, device->read(k->state, slots[q], 0, got, n * size, NULL));
            for (int64_t i = 0; i < n; i++)
                if (!device_same(d, (char *)want[q] + i * size, got + i * size))
                    fail_msg("slot %d, n %lld: index %lld differs", q, (long long)n, (long long)i);
        }
        free(got);
        if (!in[q])
            free(want[q]);
        device->buffer_free(k->state, slots[q]);
    }
    for (int q = 0; s == LUN_OK && n > 0 && q < ir->result_count; q++)
        if (!device_same((lun_dtype)ir->results[q], &wanted[q], &results[q]))
            fail_msg("result %d, n %lld: interpreted %llx, on the device %llx", q, (long long)n,
                     (unsigned long long)wanted[q], (unsigned long long)results[q]);
}

/* ---- kernels --------------------------------------------------------------------------------- */

/* out = a * b + argument, in f32. */
static inline void device_axpy(lun_ir *ir)
{
    lun__ir_init(ir);
    for (int i = 0; i < 3; i++)
        lun__ir_slot_add(ir, LUN_F32, i < 2 ? LUN_SLOT_IN : LUN_SLOT_OUT);
    int32_t s = ir_arg(ir, LUN_F32), a = ir_load(ir, 0), b = ir_load(ir, 1);
    int32_t p = ir_op(ir, LUN_OP_MUL, LUN_F32, a, b, -1);
    ir_store(ir, 2, ir_op(ir, LUN_OP_ADD, LUN_F32, p, s, -1));
}

/* out = index, stirred `rounds` times, an argument: it takes as long as one likes. */
static inline void device_loop(lun_ir *ir)
{
    lun__ir_init(ir);
    lun__ir_slot_add(ir, LUN_I64, LUN_SLOT_OUT);
    int32_t rounds = ir_arg(ir, LUN_I64), i = ir_index(ir), one = ir_const(ir, LUN_I64, 1);
    int32_t x = ir_flow(ir, LUN_IR_VAR, i, -1, 0);
    int32_t left = ir_flow(ir, LUN_IR_VAR, rounds, -1, 0);
    ir_flow(ir, LUN_IR_LOOP, -1, -1, 0);
    int32_t now = ir_flow(ir, LUN_IR_GET, left, -1, 0);
    int32_t done = ir_op(ir, LUN_OP_EQ, LUN_I64, now, ir_const(ir, LUN_I64, 0), -1);
    ir_flow(ir, LUN_IR_IF, done, -1, 0);
    ir_flow(ir, LUN_IR_BREAK, -1, -1, 0);
    ir_flow(ir, LUN_IR_END, -1, -1, 0);
    ir_flow(ir, LUN_IR_SET, left, ir_op(ir, LUN_OP_SUB, LUN_I64, now, one, -1), 0);
    int32_t old = ir_flow(ir, LUN_IR_GET, x, -1, 0);
    int32_t grown = ir_op(ir, LUN_OP_MUL, LUN_I64, old, ir_const(ir, LUN_I64, 31), -1);
    int32_t turned = ir_op(ir, LUN_OP_BXOR, LUN_I64, grown, now, -1);
    ir_flow(ir, LUN_IR_SET, x, turned, 0);
    ir_flow(ir, LUN_IR_END, -1, -1, 0);
    ir_store(ir, 0, ir_flow(ir, LUN_IR_GET, x, -1, 0));
}

#endif
