/* cwrites_test.c - C texts that write arrays, from C: in map and zip, over indices, their failures,
 * and texts without an end. */
#include "engine_kit.h"

enum { N = 1000 };

static lun_function *function(const char *c)
{
    lun_function *f = NULL;
    OK(lun_function_c(e, c, &f));
    return f;
}

static lun_array *vector(const double *x, int64_t n)
{
    lun_array *a;
    OK(lun_vector(e, x, n, LUN_F64, &a));
    return a;
}

static void test_map(void **state)
{
    (void)state;
    static const char *const backends[] = {"openmp", "reference"};
    double x[N], w[N], y[N];
    for (int i = 0; i < N; i++)
        x[i] = i;
    for (size_t b = 0; b < 2; b++) {
        memset(w, 0, sizeof w);
        OK(lun_use(e, backends[b]));
        lun_array *a = vector(x, N), *to = vector(w, N), *out = NULL, *none = a;
        lun_function *f =
            function("double f(double x, double *w) { w[(int)x] = 2 * x; return -x; }");
        OK(lun_map(e, f, a, &to, 1, &out));
        lun_function_release(f);
        f = function("void f(double x, double y, double *w) { w[(int)x] += y; }");
        OK(lun_zip(e, f, a, out, &to, 1, &none));
        assert_null(none);
        lun_function_release(f);
        OK(lun_read(e, to, w, 0, N));
        OK(lun_read(e, out, y, 0, N));
        for (int i = 0; i < N; i++)
            assert_true(y[i] == -i && w[i] == i);
        lun_release(a);
        lun_release(to);
        lun_release(out);
    }
}

static void test_each(void **state)
{
    (void)state;
    const int64_t extent[2] = {20, 50}, first[2] = {1, 3}, fewer[2] = {20, 48}, nothing[2] = {0, 4};
    const lun_each_options how = {.size = sizeof how, .tile = {4, 8}, .dynamic = true};
    double w[N] = {0};
    int64_t count = 0;
    lun_array *args[3];
    OK(lun_number(e, 0.5, &args[1]));
    args[0] = vector(w, N);
    OK(lun_vector(e, &count, 1, LUN_I64, &args[2]));
    lun_function *f = function("void f(int i, long j, double *w, double k, long *count) {"
                               " w[i * 50 + j] = i * 100 + j + k; LUN_ATOMIC_ADD(count, 0, 1); }");
    OK(lun_each(e, f, 2, NULL, extent, NULL, args, 3));
    OK(lun_each(e, f, 2, first, fewer, &how, args, 3));
    OK(lun_each(e, f, 2, NULL, nothing, NULL, args, 3));
    OK(lun_read(e, args[0], w, 0, N));
    OK(lun_read(e, args[2], &count, 0, 1));
    for (int i = 0; i < N; i++)
        assert_true(w[i] == i / 50 * 100 + i % 50 + 0.5);
    assert_int_equal(count, N + 20 * 48);
    FAILS(lun_each(e, f, 2, NULL, extent, NULL, args, 2), LUN_EARG,
          "3 parameters behind its indices, but is called with 2 arguments");
    FAILS(lun_each(e, f, 2, NULL, extent, NULL, args, -1), LUN_EARG, "-1 arguments");
    FAILS(lun_each(e, f, 2, NULL, extent, NULL, NULL, 1), LUN_EARG, "");
    lun_function_release(f);
    for (int k = 0; k < 3; k++)
        lun_release(args[k]);
}

static void test_failures(void **state)
{
    (void)state;
    const int64_t n = 4;
    double w[4] = {1, 2, 3, 4};
    lun_array *v = vector(w, 4), *out = NULL;
    lun_function *f = function("void f(long i, double *w) { w[0] = 9; LUN_AT(w, i + 1) = 0; }");
    FAILS(lun_each(e, f, 1, NULL, &n, NULL, &v, 1), LUN_EBOUNDS, "index 4 is out of range");
    OK(lun_read(e, v, w, 0, 4));
    assert_true(w[0] == 1 && w[1] == 2 && w[3] == 4);
    FAILS(lun_map(e, f, v, NULL, 0, &out), LUN_EARG, "2 parameters, but is called with 1 element");
    FAILS(lun_reduce(e, f, NULL, v, &out), LUN_EARG, "the result is void");
    lun_function_release(f);
    f = function("double f(double x, double *w) { w[0] = x; return x; }");
    FAILS(lun_each(e, f, 1, NULL, &n, NULL, &v, 1), LUN_EARG, "C text without a result");
    FAILS(lun_reduce(e, f, NULL, v, &out), LUN_EARG, "may assign elements of the array 'w'");
    lun_function_release(f);
    f = function("void f(long i, double *w) { w[i] = nothing; }");
    FAILS(lun_each(e, f, 1, NULL, &n, NULL, &v, 1), LUN_EBUILD, "nothing");
    lun_function_release(f);
    f = function("double f(double x, const double *w) { return w[0]; }");
    FAILS(lun_each(e, f, 1, NULL, &n, NULL, &v, 1), LUN_EARG, "each takes a function");
    lun_function_release(f);
    lun_release(v);
}

/* A loop without an end is stopped by the time limit; of `each` nothing has changed. */
static void test_endless(void **state)
{
    (void)state;
    const int64_t n = 2;
    int64_t y[2] = {3, 4};
    lun_array *v;
    OK(lun_vector(e, y, 2, LUN_I64, &v));
    lun_function *f = function("void f(long i, long *y) { while (1) y[i] = y[i] + 1 & 7; }");
    FAILS(lun_each(e, f, 1, NULL, &n, NULL, &v, 1), LUN_ELIMIT, "time limit reached");
    OK(lun_read(e, v, y, 0, 2));
    assert_true(y[0] == 3 && y[1] == 4);
    lun_function_release(f);
    lun_release(v);
}

static int open_native(void **state)
{
    (void)state;
    return kit_engine_open("openmp");
}

static int open_limited(void **state)
{
    (void)state;
    lun_config c = {.size = sizeof c, .backend = "openmp", .cache_dir = "", .time_limit = 0.5};
    return lun_open(&c, &e) != LUN_OK;
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test_setup_teardown(test_map, open_native, kit_close),
        cmocka_unit_test_setup_teardown(test_each, open_native, kit_close),
        cmocka_unit_test_setup_teardown(test_failures, open_native, kit_close),
        cmocka_unit_test_setup_teardown(test_endless, open_limited, kit_close),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
