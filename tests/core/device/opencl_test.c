/* opencl_test.c - the opencl backend through its contract: buffers, runs against the
 * interpreter, slices and cancelling, the cache on disk, signals, fork, failures. Needs a device
 * that the loader finds. */
#include "gpu/gpu_state.h"
#include "left_out.h"
#include "opencl_kit.h"

#include <fenv.h>
#include <pthread.h>
#include <signal.h>
#include <sys/wait.h>
#include <time.h>

static double now(void)
{
    struct timespec t;
    clock_gettime(CLOCK_MONOTONIC, &t);
    return (double)t.tv_sec + 1e-9 * (double)t.tv_nsec;
}

/* ---- devices and buffers --------------------------------------------------------------------- */

static void test_devices(void **unused)
{
    device_kit k;
    lun_device rows[64] = {{.size = sizeof rows[0]}};
    (void)unused;
    device_open(&k, "");
    int count = device->devices(&k.services, k.state, rows, 64);
    assert_in_range(count, 1, 64);
    for (int i = 0; i < count; i++) {
        assert_string_equal(rows[i].backend, "opencl");
        assert_true(rows[i].name[0] && rows[i].memory > 0 && rows[i].units > 0);
        assert_true(!strcmp(rows[i].kind, "gpu") || !strcmp(rows[i].kind, "cpu") ||
                    !strcmp(rows[i].kind, "accelerator"));
    }
    assert_int_equal(device->devices(&k.services, k.state, NULL, 0), count);
    void *state;
    lun_abilities can;
    assert_int_equal(device->open(&k.services, &(lun_opening){.device = 99}, &state, &can),
                     LUN_EBACKEND);
    device_says(&k, "no device 99");
    assert_int_equal(device->open(&k.services, &(lun_opening){.device = count}, &state, &can),
                     LUN_OK);
    device->close(state);
    device_close(&k, false);
}

static void test_buffers(void **unused)
{
    static const int64_t sizes[] = {0, 1, 255, 256, 257, 4096, 100000, 1 << 20, (1 << 20) + 1};
    enum { SIZES = sizeof sizes / sizeof *sizes };
    device_kit k;
    lun_buffer *b[SIZES];
    uint64_t seed = 1;
    (void)unused;
    device_open(&k, "");
    for (int round = 0; round < 3; round++) {
        int64_t before = k.stats.bytes_to_device, there = k.stats.bytes_to_host, all = 0;
        for (int i = 0; i < SIZES; i++) {
            char *bytes = test_alloc(sizes[i], 1), *back = test_alloc(sizes[i], 1);
            for (int64_t j = 0; j < sizes[i]; j++)
                bytes[j] = (char)test_random(&seed);
            b[i] = device_array(&k, bytes, sizes[i]);
            device_ok(&k, device->read(k.state, b[i], 0, back, sizes[i], NULL));
            assert_memory_equal(bytes, back, (size_t)sizes[i]);
            if (sizes[i] > 100) {
                device_ok(&k, device->read(k.state, b[i], 37, back, 50, NULL));
                assert_memory_equal(bytes + 37, back, 50);
                all += 50;
            }
            all += sizes[i];
            free(bytes);
            free(back);
        }
        assert_int_equal(k.stats.bytes_to_host - there, all);
        assert_int_equal(k.stats.bytes_to_device - before,
                         all - 50 * 7); /* seven are larger than 100 */
        for (int i = 0; i < SIZES; i++)
            device->buffer_free(k.state, b[i]);
    }
    device_close(&k, false);
}

static void test_limits(void **unused)
{
    device_kit k;
    lun_buffer *b;
    char bytes[64];
    (void)unused;
    device_open(&k, "");
    assert_int_equal(device->buffer_new(k.state, INT64_MAX, &b), LUN_ELIMIT);
    device_says(&k, "9223372036854775807 bytes exceeds the largest allocation");
    assert_int_equal(device->buffer_new(k.state, (int64_t)1 << 50, &b), LUN_ELIMIT);
    b = device_array(&k, NULL, 64);
    assert_int_equal(device->read(k.state, b, 1 << 20, bytes, 1, NULL), LUN_ERANGE);
    assert_int_equal(device->write(k.state, b, 0, bytes, 1 << 20, NULL), LUN_ERANGE);
    device_ok(&k, device->write(k.state, b, 0, bytes, 64, NULL)); /* nothing is broken */
    device->buffer_free(k.state, b);
    device_close(&k, false);
}

/* ---- runs ------------------------------------------------------------------------------------ */

static float *floats(int64_t n, uint64_t seed)
{
    float *x = test_alloc(n, sizeof *x);
    for (int64_t i = 0; i < n; i++)
        x[i] = (float)(int64_t)(test_random(&seed) % 2001 - 1000) / 8;
    return x;
}

static uint64_t cell_of(float x)
{
    uint64_t cell = 0;
    memcpy(&cell, &x, sizeof x);
    return cell;
}

static void test_elementwise(void **unused)
{
    device_kit k;
    lun_ir ir;
    uint64_t args[1] = {cell_of(2.5f)};
    (void)unused;
    device_open(&k, "");
    device_axpy(&ir);
    lun_kernel *kernel = device_build(&k, &ir);
    for (int i = 0; i < LENGTHS; i++) {
        void *in[3] = {floats(test_lengths[i], 1), floats(test_lengths[i], 2), NULL};
        device_compare(&k, &ir, kernel, in, test_lengths[i], args);
        free(in[0]);
        free(in[1]);
    }
    device->release(k.state, kernel);
    lun__ir_free(&ir);
    device_close(&k, false);
}

/* Slots whose element 0 is not where their buffer starts, and a part of the indices. */
static void test_origin(void **unused)
{
    enum { N = 1000, FIRST = 192, COUNT = 500, SHIFT = 77 };
    device_kit k;
    lun_ir ir;
    uint64_t args[1] = {cell_of(1)};
    const int64_t origin[3] = {SHIFT, 0, -FIRST};
    test_run run = {.args = args};
    float *a = floats(N + SHIFT, 1), *b = floats(N, 2), got[COUNT + 8];
    (void)unused;
    device_open(&k, "");
    device_axpy(&ir);
    lun_kernel *kernel = device_build(&k, &ir);
    memset(got, 0, sizeof got);
    lun_buffer *slots[3] = {device_array(&k, a, (N + SHIFT) * 4), device_array(&k, b, N * 4),
                            device_array(&k, got, sizeof got)};
    device_ok(&k, device_run(&k, kernel, &ir, slots, origin, N, FIRST, COUNT, &run));
    device_ok(&k, device->read(k.state, slots[2], 0, got, sizeof got, NULL));
    for (int i = 0; i < COUNT; i++)
        assert_true(got[i] == a[SHIFT + FIRST + i] * b[FIRST + i] + 1);
    for (int i = COUNT; i < COUNT + 8; i++)
        assert_true(got[i] == 0);
    for (int i = 0; i < 3; i++)
        device->buffer_free(k.state, slots[i]);
    device->release(k.state, kernel);
    lun__ir_free(&ir);
    free(a);
    free(b);
    device_close(&k, false);
}

/* Several results and an output; a scan; integer division that traps. */
static void test_epilogues(void **unused)
{
    device_kit k;
    lun_ir sums, scan, quotient;
    (void)unused;
    device_open(&k, "");
    lun__ir_init(&sums);
    lun__ir_slot_add(&sums, LUN_I32, LUN_SLOT_IN);
    lun__ir_slot_add(&sums, LUN_I32, LUN_SLOT_OUT);
    int32_t x = ir_load(&sums, 0), square = ir_op(&sums, LUN_OP_MUL, LUN_I32, x, x, -1);
    ir_store(&sums, 1, square);
    ir_reduce(&sums, LUN_OP_ADD, -1, square);
    ir_reduce(&sums, LUN_OP_MAX, -1, x);
    lun__ir_init(&scan);
    lun__ir_slot_add(&scan, LUN_I32, LUN_SLOT_IN);
    lun__ir_slot_add(&scan, LUN_I32, LUN_SLOT_OUT);
    int32_t seven = ir_const(&scan, LUN_I32, 7);
    int32_t y = ir_load(&scan, 0);
    scan.scan = ir_scan(&scan, LUN_OP_ADD, 0, false, y, seven);
    ir_store(&scan, 1, scan.scan);
    lun__ir_init(&quotient);
    lun__ir_slot_add(&quotient, LUN_I32, LUN_SLOT_IN);
    lun__ir_slot_add(&quotient, LUN_I32, LUN_SLOT_OUT);
    int32_t z = ir_load(&quotient, 0), hundred = ir_const(&quotient, LUN_I32, 100);
    ir_store(&quotient, 1, ir_op(&quotient, LUN_OP_IDIV, LUN_I32, hundred, z, -1));
    lun_ir *all[3] = {&sums, &scan, &quotient};
    lun_kernel *kernels[3];
    for (int q = 0; q < 3; q++)
        kernels[q] = device_build(&k, all[q]);
    for (int i = 0; i < LENGTHS; i++) {
        int64_t n = test_lengths[i];
        int32_t *data = test_alloc(n, 4);
        uint64_t seed = (uint64_t)i;
        for (int64_t j = 0; j < n; j++)
            data[j] = (int32_t)(test_random(&seed) % 1000) + 1;
        void *in[2] = {data, NULL};
        for (int q = 0; q < 3; q++)
            device_compare(&k, all[q], kernels[q], in, n, NULL);
        if (n) {
            data[n / 2] = 0;
            device_compare(&k, all[2], kernels[2], in, n, NULL);
        }
        free(data);
    }
    for (int q = 0; q < 3; q++) {
        device->release(k.state, kernels[q]);
        lun__ir_free(all[q]);
    }
    device_close(&k, false);
}

/* ---- time ------------------------------------------------------------------------------------ */

/* lun_services.tick that cancels: the run waits for its batches then. */
static void cancel_on_tick(void *flag, const char *what, int64_t done, int64_t total)
{
    (void)what, (void)done, (void)total;
    __atomic_store_n((volatile int *)flag, 1, __ATOMIC_RELAXED);
}

static void cancel_waiting(device_kit *k)
{
    k->services.tick = cancel_on_tick;
    k->services.tick_ctx = (void *)(uintptr_t)&k->cancel;
}

static void go_on(device_kit *k)
{
    k->services.tick = NULL;
    k->cancel = 0;
}

/* What index i becomes in so many rounds. */
static int64_t stirred_index(int64_t i, int64_t rounds)
{
    int64_t x = i;
    for (; rounds; rounds--)
        x = (int64_t)((uint64_t)x * 31) ^ rounds;
    return x;
}

static int64_t last_of(device_kit *k, lun_buffer *out, int64_t n)
{
    int64_t last;
    device_ok(k, device->read(k->state, out, (n - 1) * 8, &last, 8, NULL));
    return last;
}

/* A run that takes hours is cancelled: it ends before the last element, which stays as it was. */
static void ends_early(device_kit *k, lun_kernel *kernel, const lun_ir *ir, lun_buffer *out,
                       int64_t n, test_run *run)
{
    const int64_t before = last_of(k, out, n);
    cancel_waiting(k);
    assert_int_equal(device_run(k, kernel, ir, &out, NULL, n, 0, n, run), LUN_ECANCEL);
    go_on(k);
    assert_int_equal(last_of(k, out, n), before);
}

/* Many indices that each take long: cut in slices, right, and stopped long before the last. */
static void test_slices(void **unused)
{
    enum { N = 1 << 20 };
    device_kit k;
    lun_ir ir;
    uint64_t args[1] = {100};
    test_run run = {.args = args};
    int64_t *got = test_alloc(N, 8);
    (void)unused;
    device_open(&k, "");
    device_loop(&ir);
    lun_kernel *kernel = device_build(&k, &ir);
    lun_buffer *out = device_array(&k, NULL, N * 8);
    device_ok(&k, device_run(&k, kernel, &ir, &out, NULL, N, 0, N, &run));
    device_ok(&k, device->read(k.state, out, 0, got, N * 8, NULL));
    for (int64_t i = 0; i < N; i += 4097)
        assert_int_equal(got[i], stirred_index(i, 100));
    args[0] = 5000000;
    ends_early(&k, kernel, &ir, out, N, &run);
    args[0] = 10;
    device_ok(&k, device_run(&k, kernel, &ir, &out, NULL, N, 0, 1000, &run));
    device_ok(&k, device->read(k.state, out, 0, got, 8000, NULL));
    assert_int_equal(got[999], stirred_index(999, 10));
    device->buffer_free(k.state, out);
    device->release(k.state, kernel);
    lun__ir_free(&ir);
    free(got);
    device_close(&k, false);
}

/* The stirred indices, all of them summed up or, as a scan, up to each. */
static void stirred(lun_ir *ir, bool scan)
{
    device_loop(ir);
    ir->count--; /* its store */
    int32_t x = ir->count - 1;
    if (scan)
        ir_store(ir, 0, ir_scan(ir, LUN_OP_ADD, 0, true, x, ir_const(ir, LUN_I64, 0)));
    else
        ir_store(ir, 0, x);
    if (!scan)
        ir_reduce(ir, LUN_OP_ADD, -1, x);
}

/* Reductions and scans are cut too: right, also where the slices are not equal,
 * and stopped long before the end. */
static void ordered_slices(const char *form, bool scan)
{
    enum { N = 11 * 65536 + 77, LONG = 1 << 23 };
    device_kit k;
    lun_ir ir;
    uint64_t args[1] = {20}, results[1] = {0}, sum = 0;
    test_run run = {.args = args, .results = results};
    int64_t *got = test_alloc(N, 8);
    setenv("LUNARRAY_OPENCL_FORM", form, 1);
    device_open(&k, "");
    stirred(&ir, scan);
    lun_kernel *kernel = device_build(&k, &ir);
    assert_true(kernel->loops);
    lun_buffer *out = device_array(&k, NULL, (int64_t)LONG * 8);
    for (int times = 0; times < 2; times++) {
        device_ok(&k, device_run(&k, kernel, &ir, &out, NULL, N, 0, N, &run));
        device_ok(&k, device->read(k.state, out, 0, got, N * 8, NULL));
        sum = 0;
        for (int64_t i = 0; i < N; i++) {
            const int64_t x = stirred_index(i, 20);
            sum += (uint64_t)x;
            assert_int_equal(got[i], scan ? (int64_t)sum : x);
        }
        assert_true(scan || results[0] == sum);
    }
    args[0] = 200000;
    ends_early(&k, kernel, &ir, out, LONG, &run);
    args[0] = 0;
    device_ok(&k, device_run(&k, kernel, &ir, &out, NULL, 1000, 0, 1000, &run));
    device_ok(&k, device->read(k.state, out, 0, got, 8000, NULL));
    assert_int_equal(got[999], scan ? 999 * 500 : 999);
    device->buffer_free(k.state, out);
    device->release(k.state, kernel);
    lun__ir_free(&ir);
    free(got);
    device_close(&k, false);
    unsetenv("LUNARRAY_OPENCL_FORM");
}

static void test_ordered_slices(void **unused)
{
    (void)unused;
    for (int scan = 0; scan < 2; scan++) {
        ordered_slices("vector", scan != 0);
        ordered_slices("scalar", scan != 0);
    }
}

/* True if a kernel that runs can be stopped: its device and the host share their memory. */
static bool listens(const device_kit *k)
{
    lun_device rows[8];
    return device->devices(&k->services, k->state, rows, 8) > 0 && !strcmp(rows[0].kind, "cpu");
}

/* Runs a kernel of so many rounds for each element in the form until it is stopped; then the same
 * device, what was on it before and the same kernel must do. */
static int stopped(const char *form, uint64_t rounds)
{
    enum { N = 1000 };
    device_kit k;
    lun_ir ir;
    int64_t kept[N], got[N];
    uint64_t args[1] = {0};
    test_run run = {.args = args};
    setenv("LUNARRAY_OPENCL_FORM", form, 1);
    device_open(&k, "");
    device_loop(&ir);
    for (int i = 0; i < N; i++)
        kept[i] = 7 * i;
    lun_kernel *kernel = device_build(&k, &ir);
    lun_buffer *out = device_array(&k, NULL, sizeof got),
               *before = device_array(&k, kept, sizeof kept);
    device_ok(&k, device_run(&k, kernel, &ir, &out, NULL, N, 0, N, &run)); /* drivers compile now */
    args[0] = rounds;
    cancel_waiting(&k);
    lun_status s = device_run(&k, kernel, &ir, &out, NULL, N, 0, N, &run);
    if (s == LUN_OK)
        s = device->read(k.state, out, 0, got, sizeof got, NULL);
    go_on(&k);
    if (s != LUN_ECANCEL)
        return 1;
    s = device->read(k.state, before, 0, got, sizeof got, NULL);
    if (!listens(&k) && s == LUN_EBACKEND) {
        device_says(&k, "does not end");
        return device_run(&k, kernel, &ir, &out, NULL, N, 0, N, &run) == LUN_EBACKEND ? 0 : 2;
    }
    if (s != LUN_OK || memcmp(got, kept, sizeof kept))
        return 3;
    args[0] = 0;
    device_ok(&k, device_run(&k, kernel, &ir, &out, NULL, N, 0, N, &run));
    device_ok(&k, device->read(k.state, out, 0, got, sizeof got, NULL));
    for (int i = 0; i < N; i++)
        if (got[i] != i)
            return 4;
    device->buffer_free(k.state, out);
    device->buffer_free(k.state, before);
    device->release(k.state, kernel);
    lun__ir_free(&ir);
    device_close(&k, false);
    return 0;
}

/* What a process does that runs kernels without end; its exit status.  Of a processor it is known
 * that it sees what the host writes: it is tried there too. */
static int endless(void)
{
    static const uint64_t rounds[] = {UINT64_MAX, 100000000};
    int bad = stopped("vector", 100000000);
    if (!bad)
        bad = stopped("scalar", 100000000);
    setenv("LUNARRAY_OPENCL_STOP", "probe", 1);
    for (int i = 0; i < 2 && !bad; i++) {
        bad = stopped("vector", rounds[i]);
        if (!bad)
            bad = stopped("scalar", rounds[i]);
    }
    return bad;
}

/* An engine of its own: NULL if its results are right. */
static void *engine(void *failed)
{
    enum { N = 5000 };
    const lun_config config = {.size = sizeof config, .backend = "opencl", .cache_dir = ""};
    lun_engine *e;
    lun_array *a = NULL, *b = NULL;
    static const double zeros[N];
    double x = -1;
    if (lun_open(&config, &e) != LUN_OK)
        return failed;
    lun_status s = lun_vector(e, zeros, N, LUN_F64, &a);
    for (int i = 0; s == LUN_OK && i < 6; i++) { /* six kernels: their texts differ */
        s = i % 2 ? lun_exp(e, a, &b) : lun_cos(e, a, &b);
        for (int k = 0; s == LUN_OK && k < i; k++) {
            lun_array *c = NULL;
            s = lun_mul(e, b, b, &c);
            lun_release(b);
            b = c;
        }
        if (s == LUN_OK)
            s = lun_read(e, b, &x, N - 1, 1);
        lun_release(b);
        b = NULL;
        if (x != 1) /* NaN too */
            s = LUN_EARG;
    }
    lun_release(a);
    lun_close(e);
    return s == LUN_OK ? NULL : failed;
}

/* What a process does in which several engines ask for devices, and compile, at
 * once; its exit status. */
static int engines(void)
{
    enum { ENGINES = 6 };
    pthread_t thread[ENGINES];
    int bad = 0;
    for (int i = 0; i < ENGINES; i++)
        if (pthread_create(&thread[i], NULL, engine, &bad))
            return 99;
    for (int i = 0; i < ENGINES; i++) {
        void *failed;
        pthread_join(thread[i], &failed);
        bad += failed != NULL;
    }
    return bad;
}

/* Runs this program again with one argument; its wait status, -1 if it took longer
 * than so many seconds. */
static int again(const char *what, double limit)
{
    double start = now();
    pid_t child = fork();
    int status = 0;
    assert_true(child >= 0);
    if (child == 0) {
        execl("/proc/self/exe", "opencl_test", what, (char *)NULL);
        _exit(99);
    }
    while (waitpid(child, &status, WNOHANG) == 0) {
        if (now() - start > limit) {
            kill(child, SIGKILL);
            waitpid(child, &status, 0);
            return -1;
        }
        nanosleep(&(struct timespec){.tv_nsec = 10000000}, NULL);
    }
    return status;
}

static void test_endless(void **unused)
{
    (void)unused;
#ifdef __SANITIZE_ADDRESS__
    LEAVE_OUT("what a kernel that still runs may read is left to it: a leak to LeakSanitizer");
#endif
    assert_int_equal(again("endless", 600), 0);
}

static void test_engines(void **unused)
{
    (void)unused;
#ifdef __SANITIZE_ADDRESS__
    LEAVE_OUT(
        "children of a process with several threads may hang in AddressSanitizer's allocator");
#endif
    assert_int_equal(again("engines", 600), 0);
}

/* ---- the cache on disk ----------------------------------------------------------------------- */

static void run_once(device_kit *k)
{
    lun_ir ir;
    uint64_t args[1] = {cell_of(2.5f)};
    device_axpy(&ir);
    lun_kernel *kernel = device_build(k, &ir);
    void *in[3] = {floats(1000, 1), floats(1000, 2), NULL};
    device_compare(k, &ir, kernel, in, 1000, args);
    free(in[0]);
    free(in[1]);
    device->release(k->state, kernel);
    lun__ir_free(&ir);
}

static void test_cache(void **unused)
{
    device_kit k, second, third;
    char command[200];
    (void)unused;
    device_open(&k, NULL);
    run_once(&k);
    assert_int_equal(k.stats.compiles, 1);
    assert_int_equal(k.stats.cache_hits, 0);
    run_once(&k);
    assert_int_equal(k.stats.cache_hits, 1);
    device_open(&second, k.dir);
    run_once(&second);
    assert_int_equal(second.stats.compiles, 0);
    assert_int_equal(second.stats.cache_hits, 1);
    /* every byte of the entries is turned: they are made anew */
    snprintf(command, sizeof command,
             "for f in %s/????????????????????????????????; do tr '\\000-\\377' '\\001-\\377\\000' "
             "< $f > $f.new && chmod 600 $f.new && mv $f.new $f; done",
             k.dir);
    assert_int_equal(system(command), 0);
    device_open(&third, k.dir);
    run_once(&third);
    assert_int_equal(third.stats.compiles, 1);
    assert_int_equal(third.stats.cache_hits, 0);
    device_close(&third, false);
    device_close(&second, false);
    device_close(&k, true);
}

/* A compiler that cannot be stopped is not begun after the wish to stop; what was
 * claimed is given back. */
static void test_cancelled_build(void **unused)
{
    device_kit k;
    lun_ir ir;
    lun_strbuf text = LUN_STRBUF_INIT;
    lun_kernel *kernel = NULL;
    (void)unused;
    device_open(&k, NULL);
    device_axpy(&ir);
    assert_int_equal(lun__print_ir(&ir, &text), LUN_OK);
    k.cancel = 1;
    assert_int_equal(device->build(k.state, &ir, lun__strbuf_text(&text), &kernel), LUN_ECANCEL);
    device_says(&k, "interrupted");
    assert_null(kernel);
    k.cancel = 0;
    run_once(&k);
    run_once(&k);
    assert_int_equal(k.stats.compiles, 1);
    assert_int_equal(k.stats.cache_hits, 1);
    lun__strbuf_free(&text);
    lun__ir_free(&ir);
    device_close(&k, true);
}

/* ---- work-groups ----------------------------------------------------------------------------- */

static void run_large(device_kit *k, lun_kernel *kernel, const lun_ir *ir, lun_buffer **slots,
                      int times)
{
    enum { N = 1 << 18 };
    uint64_t args[1] = {cell_of(2.5f)};
    test_run run = {.args = args};
    for (int i = 0; i < times; i++)
        device_ok(k, device_run(k, kernel, ir, slots, NULL, N, 0, N, &run));
    device_ok(k, device->read(k->state, slots[2], 0, (char[8]){0}, 8, NULL)); /* all have ended */
    device_ok(k, device_run(k, kernel, ir, slots, NULL, N, 0, N, &run));
}

/* Kernels on single elements: sizes are tried, one stays, the next process knows it. */
static void test_tuning(void **unused)
{
    enum { N = 1 << 18 };
    device_kit k, second;
    lun_ir ir;
    float *x = floats(N, 1);
    (void)unused;
    setenv("LUNARRAY_OPENCL_FORM", "scalar", 1);
    device_open(&k, NULL);
    device_axpy(&ir);
    lun_kernel *kernel = device_build(&k, &ir);
    lun_buffer *slots[3] = {device_array(&k, x, N * 4), device_array(&k, x, N * 4),
                            device_array(&k, NULL, N * 4)};
    run_large(&k, kernel, &ir, slots, 1);
    assert_false(kernel->tuning.settled);
    run_large(&k, kernel, &ir, slots, 3 * LUN_GPU_TRIALS);
    assert_true(kernel->tuning.settled);
    assert_in_range(kernel->tuning.group, 1, kernel->tuning.most);
    int group = kernel->tuning.group;
    device_open(&second, k.dir);
    lun_kernel *other = device_build(&second, &ir);
    lun_buffer *there[3] = {device_array(&second, x, N * 4), device_array(&second, x, N * 4),
                            device_array(&second, NULL, N * 4)};
    run_large(&second, other, &ir, there, 1);
    assert_true(other->tuning.settled);
    assert_int_equal(other->tuning.group, group);
    for (int i = 0; i < 3; i++) {
        device->buffer_free(k.state, slots[i]);
        device->buffer_free(second.state, there[i]);
    }
    device->release(k.state, kernel);
    device->release(second.state, other);
    device_close(&second, false);
    device_close(&k, true);
    lun__ir_free(&ir);
    free(x);
    unsetenv("LUNARRAY_OPENCL_FORM");
}

/* The size that a script asks for: the same results, or a clear refusal. */
static void test_workgroup(void **unused)
{
    static const char *const forms[] = {"scalar", "vector"};
    static const int sizes[] = {1, 7, 64, 100, 1024, 4000};
    (void)unused;
    for (int f = 0; f < 2; f++) {
        device_kit k;
        lun_ir ir;
        uint64_t args[1] = {cell_of(2.5f)};
        setenv("LUNARRAY_OPENCL_FORM", forms[f], 1);
        device_open(&k, "");
        device_axpy(&ir);
        lun_kernel *kernel = device_build(&k, &ir);
        void *in[3] = {floats(3000, 1), floats(3000, 2), NULL};
        for (int i = 0; i < 6; i++) {
            device_workgroup = sizes[i];
            device_compare(&k, &ir, kernel, in, 3000, args);
        }
        if (f == 0) {
            test_run run = {.args = args};
            lun_buffer *slots[3] = {device_array(&k, in[0], 12000), device_array(&k, in[1], 12000),
                                    device_array(&k, NULL, 12000)};
            device_workgroup = 1 << 20;
            assert_int_equal(device_run(&k, kernel, &ir, slots, NULL, 3000, 0, 3000, &run),
                             LUN_ELIMIT);
            device_says(&k, "work-group of 1048576");
            for (int i = 0; i < 3; i++)
                device->buffer_free(k.state, slots[i]);
        }
        device_workgroup = 0;
        free(in[0]);
        free(in[1]);
        device->release(k.state, kernel);
        lun__ir_free(&ir);
        device_close(&k, false);
    }
    unsetenv("LUNARRAY_OPENCL_FORM");
}

/* ---- the host -------------------------------------------------------------------------------- */

static void handler(int s)
{
    (void)s;
}

/* What a process does that has handlers of its own before any driver is loaded; its exit status. */
static int signals(void)
{
    static const int which[] = {SIGINT,  SIGTERM, SIGFPE,  SIGSEGV,
                                SIGUSR1, SIGUSR2, SIGPIPE, SIGCHLD};
    struct sigaction before[8], after;
    device_kit k;
    for (int i = 0; i < 8; i++) {
        struct sigaction own = {.sa_handler = handler, .sa_flags = SA_RESTART};
        sigaddset(&own.sa_mask, SIGHUP);
        if (i < 7)
            sigaction(which[i], &own, NULL);
        sigaction(which[i], NULL, &before[i]);
    }
    device_open(&k, NULL);
    run_once(&k);
    for (int i = 0; i < 8; i++) {
        sigaction(which[i], NULL, &after);
        if (after.sa_handler != before[i].sa_handler ||
            ((after.sa_flags ^ before[i].sa_flags) & ~0x04000000) || /* SA_RESTORER */
            (after.sa_handler != SIG_DFL && /* ThreadSanitizer makes something up there */
             sigismember(&after.sa_mask, SIGHUP) != sigismember(&before[i].sa_mask, SIGHUP)))
            return 1 + i;
    }
    sigset_t mask;
    pthread_sigmask(SIG_SETMASK, NULL, &mask);
    for (int i = 0; i < 8; i++)
        if (sigismember(&mask, which[i]))
            return 20 + i;
    device_close(&k, true);
    return 0;
}

/* Loading drivers, compiling and running leave this thread's floating-point modes alone. */
static void test_modes(void **unused)
{
    static const int rounding[] = {FE_UPWARD, FE_TOWARDZERO, FE_TONEAREST};
    (void)unused;
    for (int i = 0; i < 3; i++) {
        device_kit k;
        volatile double least = 4.9406564584124654e-324;
        assert_int_equal(fesetround(rounding[i]), 0);
#ifdef __x86_64__
        unsigned before = __builtin_ia32_stmxcsr() & ~0x3fu, after;
#endif
        device_open(&k, "");
        run_once(&k);
        device_close(&k, false);
#ifdef __x86_64__
        after = __builtin_ia32_stmxcsr() & ~0x3fu;
        assert_int_equal(after, before);
#endif
        int now = fegetround();
        fesetround(FE_TONEAREST);
        assert_int_equal(now, rounding[i]);
        assert_true(least > 0 && least + least > least && least * 0.5 == 0);
    }
}

static void test_signals(void **unused)
{
    (void)unused;
    assert_int_equal(again("signals", 60), 0);
}

static void test_fork(void **unused)
{
    device_kit k;
    lun_ir ir;
    uint64_t args[1] = {0};
    test_run run = {.args = args};
    int status;
    (void)unused;
    device_open(&k, "");
    device_axpy(&ir);
    lun_kernel *kernel = device_build(&k, &ir);
    float *x = floats(100, 1);
    lun_buffer *slots[3] = {device_array(&k, x, 400), device_array(&k, x, 400),
                            device_array(&k, NULL, 400)};
    device_ok(&k, device_run(&k, kernel, &ir, slots, NULL, 100, 0, 100, &run));
    pid_t child = fork();
    if (child == 0) {
        lun_buffer *b;
        lun_kernel *other;
        int wrong = 0;
        alarm(120);
        wrong += device_run(&k, kernel, &ir, slots, NULL, 100, 0, 100, &run) != LUN_EBACKEND;
        wrong += !strstr(lun__strbuf_text(&k.error), "fork");
        wrong += device->buffer_new(k.state, 100, &b) != LUN_EBACKEND;
        wrong += device->write(k.state, slots[0], 0, x, 400, NULL) != LUN_EBACKEND;
        wrong += device->read(k.state, slots[0], 0, x, 400, NULL) != LUN_EBACKEND;
        wrong += device->build(k.state, &ir, "", &other) != LUN_EBACKEND;
        device->release(k.state, kernel);
        device->buffer_free(k.state, slots[0]);
        device->close(k.state);
        _exit(wrong);
    }
    assert_int_equal(waitpid(child, &status, 0), child);
    assert_int_equal(status, 0);
    device_ok(&k, device_run(&k, kernel, &ir, slots, NULL, 100, 0, 100, &run));
    for (int i = 0; i < 3; i++)
        device->buffer_free(k.state, slots[i]);
    device->release(k.state, kernel);
    lun__ir_free(&ir);
    free(x);
    device_close(&k, false);
}

/* ---- failures -------------------------------------------------------------------------------- */

/* A user's function that does not compile: the compiler's words are told, and the
 * next kernel works. */
static void test_build_failure(void **unused)
{
    device_kit k;
    lun_ir ir;
    char text[] = "float broken(float x) { return x * undeclared_name; }", name[] = "broken";
    lun_ir_function f = {
        .text = text, .name = name, .params = 1, .param = {{.dtype = LUN_F32}}, .result = LUN_F32};
    lun_kernel *kernel = NULL;
    (void)unused;
    device_open(&k, "");
    lun__ir_init(&ir);
    lun__ir_slot_add(&ir, LUN_F32, LUN_SLOT_IN);
    lun__ir_slot_add(&ir, LUN_F32, LUN_SLOT_OUT);
    int32_t x = ir_load(&ir, 0);
    int at = lun__ir_operand_add(&ir, x), function = lun__ir_function_add(&ir, &f);
    ir_store(
        &ir, 1,
        ir_add(
            &ir,
            (lun_ir_ins){
                .kind = LUN_IR_CALL, .dtype = LUN_F32, .a = -1, .b = at, .c = 1, .imm = function}));
    ir_check_valid(&ir);
    assert_int_equal(device->build(k.state, &ir, "", &kernel), LUN_EBUILD);
    device_says(&k, "does not compile");
    device_says(&k, "undeclared_name");
    lun__ir_free(&ir);
    run_once(&k);
    device_close(&k, false);
}

int main(int argc, char **argv)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_devices), cmocka_unit_test(test_buffers),
        cmocka_unit_test(test_limits),  cmocka_unit_test(test_elementwise),
        cmocka_unit_test(test_origin),  cmocka_unit_test(test_epilogues),
        cmocka_unit_test(test_slices),  cmocka_unit_test(test_ordered_slices),
        cmocka_unit_test(test_endless), cmocka_unit_test(test_engines),
        cmocka_unit_test(test_cache),   cmocka_unit_test(test_cancelled_build),
        cmocka_unit_test(test_tuning),  cmocka_unit_test(test_workgroup),
        cmocka_unit_test(test_modes),   cmocka_unit_test(test_signals),
        cmocka_unit_test(test_fork),    cmocka_unit_test(test_build_failure),
    };
    if (argc > 1 && !strcmp(argv[1], "endless"))
        return endless();
    if (argc > 1 && !strcmp(argv[1], "signals"))
        return signals();
    if (argc > 1 && !strcmp(argv[1], "engines"))
        return engines();
    return cmocka_run_group_tests(tests, NULL, NULL);
}
