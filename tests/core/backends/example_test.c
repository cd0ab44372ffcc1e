/* example_test.c - the plug-in build/example.so against the interpreter: all operations, casts and
 * sums that it takes, on all dtypes, with chunks joined from its cells. */
#include <dlfcn.h>
#include <stdlib.h>

#include "backend_abi.h"
#include "opencl_kit.h"

enum { N = 40000 };
static const int64_t lengths[] = {1, 2, 63, 64, 65, 1000, 16383, 16384, 16385, N};

static bool load(lun_cache *cache, const char *key, size_t length, void **bytes, size_t *count)
{
    return lun__cache_entry_load(cache, key, length, bytes, count);
}

static int set_up(void **state)
{
    static const lun_host host = {LUN_BACKEND_ABI, sizeof host, load, lun__cache_entry_store};
    static device_kit k;
    char path[256];
    lun_backend_entry *entry;
    snprintf(path, sizeof path, "%s/example.so", getenv("BUILD") ? getenv("BUILD") : "./build");
    void *library = dlopen(path, RTLD_NOW | RTLD_LOCAL);
    if (!library)
        fail_msg("%s", dlerror());
    void *symbol = dlsym(library, "lunarray_backend");
    memcpy(&entry, &symbol, sizeof entry);
    assert_null(entry(LUN_BACKEND_ABI + 1, &host));
    device = entry(LUN_BACKEND_ABI, &host);
    assert_int_equal(device->size, sizeof *device);
    device_open(&k, "");
    *state = &k;
    return 0;
}

static int tear_down(void **state)
{
    device_close(*state, false);
    return 0;
}

/* Whether it takes the kernel; then it gives the interpreter's elements and results. */
static bool compare(device_kit *k, const lun_ir *ir, lun_dtype t, int operands)
{
    void *in[64] = {NULL};
    int64_t scratch;
    const lun_work asked = {.kind = LUN_WORK_LAUNCH, .is.run.ir = ir};
    const size_t bytes = (size_t)lun__dtype_get(t)->bytes;
    if (!device->takes(k->state, &asked, &scratch))
        return false;
    uint64_t seed = 5;
    for (int s = 0; s < operands; s++) {
        unsigned char *x = in[s] = test_alloc(N, (int64_t)bytes);
        for (size_t i = 0; i < N * bytes; i++) /* some floats are NaN or infinite; a bool is none */
            x[i] = (unsigned char)(test_random(&seed) >> 40 & (t == LUN_BOOL ? 1 : 0xff));
        for (size_t i = 0; s == 1 && i < N * bytes; i += bytes)
            x[i] |= 1; /* nothing is divided by zero */
    }
    lun_kernel *kernel = device_build(k, ir);
    for (size_t i = 0; i < sizeof lengths / sizeof *lengths; i++)
        device_compare(k, ir, kernel, in, lengths[i], NULL);
    device->release(k->state, kernel);
    for (int s = 0; s < operands; s++)
        free(in[s]);
    return true;
}

/* The lowered types of a row for operands of dtype t: false if it is none of t's. */
static bool is_of(const lun_op_row *row, lun_dtype t)
{
    if (lun__dtype_is_stored(t) || !(lun__dtype_is_float(t) ? row->flt : row->integer))
        return false;
    if (row->rule == LUN_RULE_LOGIC)
        return t == LUN_BOOL;
    if (row->rule == LUN_RULE_FLOAT)
        return lun__dtype_is_float(t);
    return t != LUN_BOOL || row->rule == LUN_RULE_CMP || row->rule == LUN_RULE_TEST;
}

static void test_operations(void **state)
{
    int taken = 0;
    for (int op = 0; op < LUN_OP_COUNT; op++)
        for (int t = 0; t < LUN_DTYPE_COUNT; t++) {
            const lun_op_row *row = lun__op_get((lun_op)op);
            lun_ir ir;
            int32_t x[3] = {-1, -1, -1};
            if (!is_of(row, (lun_dtype)t) || row->rule == LUN_RULE_SELECT)
                continue;
            lun__ir_init(&ir);
            for (int s = 0; s < row->arity; s++)
                lun__ir_slot_add(&ir, (lun_dtype)t, LUN_SLOT_IN);
            for (int s = 0; s < row->arity; s++)
                x[s] = ir_load(&ir, s);
            const int32_t y = ir_op(&ir, (lun_op)op, (lun_dtype)t, x[0], x[1], x[2]);
            lun__ir_slot_add(&ir, (lun_dtype)ir.ins[y].dtype, LUN_SLOT_OUT);
            ir_store(&ir, row->arity, y);
            taken += compare(*state, &ir, (lun_dtype)t, row->arity);
            lun__ir_free(&ir);
        }
    assert_in_range(taken, 200, 2000);
}

/* Of values and of what is computed of them, with a second one beside. */
static void test_sums(void **state)
{
    int taken = 0;
    for (int op = 0; op < LUN_OP_COUNT; op++)
        for (int t = 0; t < LUN_DTYPE_COUNT; t++) {
            const lun_op_row *row = lun__op_get((lun_op)op);
            lun_ir ir;
            if (!(row->flags & LUN_OPF_ASSOC) || !is_of(row, (lun_dtype)t))
                continue;
            lun__ir_init(&ir);
            lun__ir_slot_add(&ir, (lun_dtype)t, LUN_SLOT_IN);
            const int32_t x = ir_load(&ir, 0);
            ir_reduce(&ir, (lun_op)op, -1, x);
            ir_reduce(&ir, (lun_op)op, -1, ir_op(&ir, (lun_op)op, (lun_dtype)t, x, x, -1));
            taken += compare(*state, &ir, (lun_dtype)t, 1);
            lun__ir_free(&ir);
        }
    assert_in_range(taken, 20, 500);
}

static void test_casts(void **state)
{
    for (int from = 0; from < LUN_DTYPE_COUNT; from++)
        for (int to = 0; to < LUN_DTYPE_COUNT; to++) {
            lun_ir ir;
            if (lun__dtype_is_stored((lun_dtype)from) || lun__dtype_is_stored((lun_dtype)to) ||
                from == to)
                continue;
            lun__ir_init(&ir);
            lun__ir_slot_add(&ir, (lun_dtype)from, LUN_SLOT_IN);
            lun__ir_slot_add(&ir, (lun_dtype)to, LUN_SLOT_OUT);
            ir_store(&ir, 1, ir_cast(&ir, (lun_dtype)to, ir_load(&ir, 0)));
            assert_true(compare(*state, &ir, (lun_dtype)from, 1));
            lun__ir_free(&ir);
        }
}

/* An address of the host is no buffer, and what its kernels cannot do it does not take. */
static void test_refuses(void **state)
{
    device_kit *k = *state;
    float host[64] = {0};
    void *slots[3] = {host, host, host};
    const int64_t origin[3] = {0}, room[3] = {64, 64, 64};
    const uint64_t arg = 0;
    int64_t scratch;
    lun_ir axpy, loop;
    device_axpy(&axpy);
    device_loop(&loop);
    const lun_work asked = {.kind = LUN_WORK_LAUNCH, .is.run.ir = &loop};
    assert_false(device->takes(k->state, &asked, &scratch));
    lun_kernel *kernel = device_build(k, &axpy);
    lun_launch l = {
        .n = 64, .count = 64, .slots = slots, .room = room, .origin = origin, .args = &arg};
    /* as far from a buffer as its first bytes say */
    assert_int_equal(test_launch(device, k->state, kernel, &l), LUN_EBACKEND);
    device_says(k, "none of its buffers");
    device->release(k->state, kernel);
    lun__ir_free(&axpy);
    lun__ir_free(&loop);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_operations),
        cmocka_unit_test(test_sums),
        cmocka_unit_test(test_casts),
        cmocka_unit_test(test_refuses),
    };
    return cmocka_run_group_tests(tests, set_up, tear_down);
}
