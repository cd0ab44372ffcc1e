/* handles_test.c - OpenCL's handles of an engine, used by a host that has OpenCL of its own: it
 * asks the device what lun_devices says of it, and reads an array's memory by its own calls. */
#define CL_TARGET_OPENCL_VERSION 120
#include <CL/cl.h>
#include <dlfcn.h>
#include <stdio.h>

#include "array_kit.h"

static __typeof__(&clGetContextInfo) context_info;
static __typeof__(&clGetCommandQueueInfo) queue_info;
static __typeof__(&clGetDeviceInfo) device_info;
static __typeof__(&clEnqueueReadBuffer) read_buffer;
static __typeof__(&clGetMemObjectInfo) memory_info;

/* The host's own OpenCL; false: there is none. */
static bool load_library(void)
{
    void *l = dlopen("libOpenCL.so.1", RTLD_NOW);
    if (!l)
        return false;
    *(void **)&context_info = dlsym(l, "clGetContextInfo");
    *(void **)&queue_info = dlsym(l, "clGetCommandQueueInfo");
    *(void **)&device_info = dlsym(l, "clGetDeviceInfo");
    *(void **)&read_buffer = dlsym(l, "clEnqueueReadBuffer");
    *(void **)&memory_info = dlsym(l, "clGetMemObjectInfo");
    return context_info && queue_info && device_info && read_buffer && memory_info;
}

static int open_device(void **state)
{
    (void)state;
    return kit_engine_open("opencl");
}

static cl_device_id device_of(cl_command_queue queue)
{
    cl_device_id id = NULL;
    assert_int_equal(queue_info(queue, CL_QUEUE_DEVICE, sizeof id, &id, NULL), CL_SUCCESS);
    return id;
}

static void test_handles(void **state)
{
    (void)state;
    void *context = NULL, *queue = NULL;
    cl_context of = NULL;
    cl_uint devices = 0;
    OK(lun_opencl_context(e, &context));
    OK(lun_opencl_queue(e, &queue));
    assert_int_equal(context_info(context, CL_CONTEXT_NUM_DEVICES, sizeof devices, &devices, NULL),
                     CL_SUCCESS);
    assert_true(devices >= 1);
    assert_int_equal(queue_info(queue, CL_QUEUE_CONTEXT, sizeof of, &of, NULL), CL_SUCCESS);
    assert_ptr_equal(of, context);
    FAILS(lun_opencl_context(e, NULL), LUN_EARG, "");
}

static void test_memory(void **state)
{
    (void)state;
    enum { N = 5000 };
    static double x[N], got[N];
    void *queue = NULL, *memory = NULL, *other = NULL;
    int64_t offset = -1;
    cl_context of = NULL;
    void *context = NULL;
    for (int i = 0; i < N; i++)
        x[i] = 0.5 * i;
    lun_array *a = vector(x, N), *b = with_number(LUN_OP_MUL, a, 4), *w, *odd, *number;
    OK(lun_opencl_queue(e, &queue));
    OK(lun_opencl_context(e, &context));
    OK(lun_opencl_buffer(e, b, &memory, &offset));
    assert_int_equal(offset, 0);
    assert_int_equal(memory_info(memory, CL_MEM_CONTEXT, sizeof of, &of, NULL), CL_SUCCESS);
    assert_ptr_equal(of, context);
    assert_int_equal(read_buffer(queue, memory, CL_TRUE, 0, sizeof got, got, 0, NULL, NULL),
                     CL_SUCCESS);
    for (int i = 0; i < N; i++)
        assert_true(got[i] == 2.0 * i);
    const int64_t first = 100, count = 50, step = 2;
    OK(lun_window(e, a, 1, &first, &count, NULL, &w));
    OK(lun_opencl_buffer(e, w, &other, &offset));
    assert_int_equal(offset, 100 * sizeof(double));
    assert_int_equal(
        read_buffer(queue, other, CL_TRUE, (size_t)offset, 50 * sizeof(double), got, 0, NULL, NULL),
        CL_SUCCESS);
    for (int i = 0; i < 50; i++)
        assert_true(got[i] == 0.5 * (100 + i));
    OK(lun_window(e, a, 1, &first, &count, &step, &odd));
    FAILS(lun_opencl_buffer(e, odd, &other, &offset), LUN_EARG, "are not side by side");
    OK(lun_number(e, 1, &number));
    FAILS(lun_opencl_buffer(e, number, &other, &offset), LUN_EARG, "a number has no memory");
    release_all((lun_array *[]){a, b, w, odd, number}, 5);
}

/* A text that the device gives. */
static const char *told(cl_device_id id, cl_device_info what, char text[8192])
{
    memset(text, 0, 8192);
    assert_int_equal(device_info(id, what, 8191, text, NULL), CL_SUCCESS);
    return text;
}

static void test_rows(void **state)
{
    (void)state;
    void *queue = NULL;
    char text[8192], place[32];
    static lun_device rows[64];
    rows[0].size = sizeof *rows;
    OK(lun_opencl_queue(e, &queue));
    snprintf(place, sizeof place, "%s", lun_place_name(e, 0));
    const cl_device_id id = device_of(queue);
    const int count = lun_devices(e, rows, 64);
    const lun_device *d = NULL;
    for (int i = 0; i < count && i < 64; i++)
        if (!strcmp(rows[i].place, place) || (!d && !strcmp(rows[i].place, "opencl:1")))
            d = &rows[i];
    assert_non_null(d);
    cl_ulong bytes = 0;
    size_t group = 0;
    cl_device_fp_config doubles = 0;
    assert_string_equal(told(id, CL_DRIVER_VERSION, text), d->driver);
    assert_string_equal(told(id, CL_DEVICE_VERSION, text), d->version);
    assert_string_equal(told(id, CL_DEVICE_EXTENSIONS, text), d->extensions);
    assert_int_equal(device_info(id, CL_DEVICE_LOCAL_MEM_SIZE, sizeof bytes, &bytes, NULL), 0);
    assert_int_equal(bytes, d->local_memory);
    assert_int_equal(device_info(id, CL_DEVICE_MAX_MEM_ALLOC_SIZE, sizeof bytes, &bytes, NULL), 0);
    assert_int_equal(bytes, d->largest);
    assert_int_equal(device_info(id, CL_DEVICE_MAX_WORK_GROUP_SIZE, sizeof group, &group, NULL), 0);
    assert_int_equal(group, d->group);
    assert_int_equal(device_info(id, CL_DEVICE_DOUBLE_FP_CONFIG, sizeof doubles, &doubles, NULL),
                     0);
    assert_int_equal(doubles != 0, d->fp64);
    assert_true(d->platform[0]);
    for (int i = 0; i < count; i++)
        if (!strcmp(rows[i].backend, "openmp"))
            assert_true(rows[i].fp64 && !rows[i].extensions[0] && !rows[i].group);
}

static void test_other_backends(void **state)
{
    (void)state;
    void *handle = NULL;
    OK(lun_use(e, "reference"));
    FAILS(lun_opencl_queue(e, &handle), LUN_EBACKEND, "the backend in use is reference");
    OK(lun_use(e, "reference/2"));
    FAILS(lun_opencl_context(e, &handle), LUN_EARG, "2 places are in use");
    assert_null(handle);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test_setup_teardown(test_handles, open_device, kit_close),
        cmocka_unit_test_setup_teardown(test_memory, open_device, kit_close),
        cmocka_unit_test_setup_teardown(test_rows, open_device, kit_close),
        cmocka_unit_test_setup_teardown(test_other_backends, kit_reference_open, kit_close),
    };
    if (!load_library()) {
        print_message("left out: handles_test: there is no libOpenCL.so.1\n");
        return 0;
    }
    return cmocka_run_group_tests(tests, NULL, NULL);
}
