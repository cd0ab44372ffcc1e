/* graph_test.c - the engine through its C interface: laziness, fusion, sharing, copy-on-write, deep
 * graphs, counters.  Runs on the reference backend, which needs no compiler. */
#include <math.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#include "array_kit.h"
#include "lunarray_bind.h"

static lun_array *counting(int64_t n)
{
    lun_array *virt, *a;
    lun_value one = {.dtype = LUN_F64, .as.d = 1};
    OK(lun_range(e, one, one, n, LUN_F64, &virt));
    OK(lun_copy(e, virt, &a));
    lun_release(virt);
    return a;
}

static int64_t launches(void)
{
    lun_stats s = {.size = sizeof s};
    lun_stats_get(e, &s);
    return s.launches;
}

static int kernels(lun_array *a)
{
    lun_plan *p;
    OK(lun_explain(e, &a, 1, &p));
    int n = lun_plan_count(p);
    lun_plan_release(p);
    return n;
}

static void test_one_kernel(void **state)
{
    (void)state;
    lun_array *a[7];
    for (int i = 0; i < 4; i++)
        a[i] = counting(1000);
    a[4] = binary(LUN_OP_ADD, a[0], a[1]);
    a[5] = binary(LUN_OP_ADD, a[2], a[3]);
    a[6] = binary(LUN_OP_MUL, a[4], a[5]);
    assert_int_equal(lun_pending(a[6]), 3);
    assert_int_equal(lun_class_of(a[6]), LUN_COMPOSITION);
    assert_int_equal(kernels(a[6]), 1);
    lun_stats_reset(e);
    OK(lun_eval(e, &a[6], 1));
    lun_stats s = {.size = sizeof s};
    lun_stats_get(e, &s);
    assert_int_equal(s.launches, 1);
    assert_int_equal(s.bytes_read, 4 * 8000);
    assert_int_equal(s.bytes_written, 8000);
    assert_int_equal(lun_class_of(a[6]), LUN_VECTOR);
    assert_true(at(a[6], 9) == 400);
    OK(lun_eval(e, &a[6], 1)); /* kept */
    assert_int_equal(launches(), 1);
    release_all(a, 7);
}

static void test_map_reduce_is_one_pass(void **state)
{
    (void)state;
    lun_array *a = counting(5000), *b = with_number(LUN_OP_SUB, a, 1),
              *d = binary(LUN_OP_SUB, a, b);
    lun_array *q = with_number(LUN_OP_POW, d, 2);
    lun_value v;
    lun_stats s = {.size = sizeof s};
    lun_stats_reset(e);
    OK(lun_total(e, LUN_SUM, q, 0, &v));
    lun_stats_get(e, &s);
    assert_true(v.as.d == 5000);
    assert_int_equal(s.launches, 1);
    assert_int_equal(s.bytes_written, 0);
    lun_array *all[] = {a, b, d, q};
    release_all(all, 4);
}

static void test_mean_and_variance_share_a_pass(void **state)
{
    (void)state;
    lun_array *a = counting(1000);
    lun_value mean, var, sd;
    lun_stats_reset(e);
    OK(lun_total(e, LUN_MEAN, a, 0, &mean));
    OK(lun_total(e, LUN_VAR, a, 1, &var));
    OK(lun_total(e, LUN_STD, a, 1, &sd));
    assert_int_equal(launches(), 1);
    assert_true(mean.as.d == 500.5);
    assert_true(fabs(var.as.d - 83416.66666666667) < 1e-9);
    assert_true(sd.as.d == sqrt(var.as.d));
    lun_value x = {.dtype = LUN_F64, .as.d = 1e9};
    OK(lun_set(e, a, 0, x)); /* a write makes them stale */
    OK(lun_total(e, LUN_MEAN, a, 0, &mean));
    assert_true(mean.as.d > 1e6);
    lun_release(a);
}

static void test_variance_far_from_zero(void **state)
{
    (void)state; /* NIST StRD NumAcc4's shape: 1e7 + {0.2, 0.1, 0.3, 0.1, 0.3, ...} */
    double x[1001];
    lun_value v;
    for (int i = 0; i < 1001; i++)
        x[i] = i == 0 ? 10000000.2 : i % 2 ? 10000000.1 : 10000000.3;
    lun_array *a = vector(x, 1001);
    OK(lun_total(e, LUN_MEAN, a, 0, &v));
    assert_true(fabs(v.as.d - 10000000.2) / 10000000.2 < 1e-15);
    OK(lun_total(e, LUN_STD, a, 1, &v));
    assert_true(fabs(v.as.d - 0.1) / 0.1 < 1e-7);
    lun_array *far = with_number(LUN_OP_ADD, a, 0); /* not a leaf: no element to shift by */
    OK(lun_total(e, LUN_STD, far, 1, &v));
    assert_true(fabs(v.as.d - 0.1) / 0.1 < 1e-7);
    lun_release(far);
    lun_release(a);
}

static void test_scan_fuses_on_both_sides(void **state)
{
    (void)state;
    lun_function *add;
    lun_array *a = counting(100), *twice = with_number(LUN_OP_MUL, a, 2), *scan, *out;
    OK(lun_function_op(e, LUN_OP_ADD, &add));
    OK(lun_scan(e, add, NULL, twice, false, &scan));
    out = with_number(LUN_OP_ADD, scan, 1);
    assert_int_equal(kernels(out), 1);
    assert_true(at(out, 0) == 1 && at(out, 1) == 3 && at(out, 99) == 9901);
    lun_function_release(add);
    lun_array *all[] = {a, twice, scan, out};
    release_all(all, 4);
}

static void test_scalars_stay_lazy(void **state)
{
    (void)state;
    lun_function *add;
    lun_array *a = counting(10), *sum, *d;
    OK(lun_function_op(e, LUN_OP_ADD, &add));
    OK(lun_reduce(e, add, NULL, a, &sum));
    assert_int_equal(lun_class_of(sum), LUN_SCALAR);
    d = binary(LUN_OP_DIV, a, sum);
    assert_int_equal(kernels(d), 2);
    assert_true(at(d, 9) == 10.0 / 55);
    lun_function_release(add);
    lun_array *all[] = {a, sum, d};
    release_all(all, 3);
}

static void test_equal_expressions_are_one(void **state)
{
    (void)state;
    lun_array *a = counting(8), *x = binary(LUN_OP_ADD, a, a), *y = binary(LUN_OP_ADD, a, a);
    lun_array *z = binary(LUN_OP_MUL, x, y);
    assert_int_equal(lun_pending(z), 2);
    lun_array *all[] = {a, x, y, z};
    release_all(all, 4);
}

static void test_doubling_200_times(void **state)
{
    (void)state;
    const double one = 1;
    lun_array *x = vector(&one, 1);
    for (int i = 0; i < 200; i++) {
        lun_array *next = binary(LUN_OP_ADD, x, x);
        lun_release(x);
        x = next;
    }
    assert_int_equal(lun_pending(x), 200);
    assert_true(at(x, 0) == ldexp(1, 200)); /* exponential work would take for ever */
    lun_release(x);
}

static lun_array *chain(lun_array *from, int64_t length)
{
    lun_array *k, *x = from;
    OK(lun_number(e, 0.5, &k));
    lun_retain(x);
    for (int64_t i = 0; i < length; i++) {
        lun_array *next = binary(LUN_OP_ADD, x, k);
        lun_release(x);
        x = next;
    }
    lun_release(k);
    return x;
}

static void test_a_million_operations(void **state)
{
    (void)state;
    const double zero[3] = {0, 1, 2};
    lun_array *a = vector(zero, 3), *x = chain(a, 1000000);
    assert_true(at(x, 2) == 500002);
    lun_release(x);
    x = chain(a, 1000000); /* and dropped without being evaluated */
    lun_release(x);
    lun_release(a);
}

static void test_constants_do_not_compile(void **state)
{
    (void)state;
    lun_array *a = counting(100);
    lun_plan *p;
    char *ir = NULL;
    for (int i = 0; i < 50; i++) {
        lun_array *x = with_number(LUN_OP_MUL, a, 3 + 0.5 * i),
                  *y = with_number(LUN_OP_ADD, x, 50 - i);
        OK(lun_explain(e, &y, 1, &p));
        if (!ir)
            ir = strdup(lun_plan_at(p, 0)->ir);
        assert_string_equal(ir, lun_plan_at(p, 0)->ir);
        lun_plan_release(p);
        assert_true(at(y, 9) == 10 * (3 + 0.5 * i) + 50 - i);
        lun_release(x);
        lun_release(y);
    }
    free(ir);
    lun_release(a);
}

static void test_copy_on_write(void **state)
{
    (void)state;
    lun_array *a = counting(4), *before = with_number(LUN_OP_MUL, a, 10);
    lun_value v = {.dtype = LUN_F64, .as.d = 99};
    OK(lun_set(e, a, 0, v));
    assert_true(at(before, 0) == 10);
    assert_true(at(a, 0) == 99);
    lun_array *after = with_number(LUN_OP_MUL, a, 10);
    assert_true(at(after, 0) == 990);
    OK(lun_store(e, a, after)); /* in place */
    assert_true(at(a, 1) == 20);
    lun_array *all[] = {a, before, after};
    release_all(all, 3);
}

static int freed;

static void count_free(void *data, void *ctx)
{
    (void)data;
    (void)ctx;
    freed++;
}

static void test_wrapped_memory_is_written_through(void **state)
{
    (void)state;
    double own[3] = {1, 2, 3};
    lun_array *a, *part, *sum;
    freed = 0;
    OK(lun_wrap(e, own, 3, LUN_F64, count_free, NULL, &a));
    OK(lun_slice(e, a, 1, 2, 1, &part));
    sum = binary(LUN_OP_ADD, a, a);
    lun_value v = {.dtype = LUN_F64, .as.d = -5};
    OK(lun_set(e, a, 1, v));
    assert_true(own[1] == -5);                        /* the host sees it, */
    assert_true(at(part, 0) == 2 && at(sum, 1) == 4); /* what was built before does not */
    const void *data;
    OK(lun_data(e, a, &data));
    assert_ptr_equal(data, own);
    OK(lun_store(e, a, sum));
    assert_true(own[2] == 6);
    lun_array *all[] = {a, part, sum};
    release_all(all, 3);
    assert_int_equal(freed, 1);
}

static void test_rows_are_windows(void **state)
{
    (void)state;
    const double x[6] = {1, 2, 3, 4, 5, 6};
    const int64_t shape[2] = {2, 3};
    lun_array *m, *row;
    OK(lun_tensor(e, x, 2, shape, LUN_F64, &m));
    OK(lun_row(e, m, 1, &row));
    assert_int_equal(lun_class_of(row), LUN_VIEW);
    lun_value v = {.dtype = LUN_F64, .as.d = 60};
    OK(lun_set(e, row, 2, v));
    assert_true(at(m, 5) == 60);
    lun_release(m); /* the row keeps it alive */
    assert_true(at(row, 0) == 4);
    lun_release(row);
}

static void test_only_what_is_read_is_computed(void **state)
{
    (void)state;
    lun_array *i, *f, *q, *part;
    lun_value one = {.dtype = LUN_I64, .as.i = 1};
    double x[3];
    OK(lun_range(e, one, one, 1000000000000, LUN_I64, &i));
    f = with_number(LUN_OP_ADD, i, 0.5);
    q = with_number(LUN_OP_POW, f, 2);
    assert_true(lun_is_virtual(q));
    OK(lun_read(e, q, x, 999999999997, 3));
    assert_true(x[2] == 1e12 + 0.5 + 0.5 || x[2] == (1e12 + 0.5) * (1e12 + 0.5));
    OK(lun_slice(e, q, 10, 3, 2, &part)); /* 11, 13, 15 */
    OK(lun_read(e, part, x, 0, 3));
    assert_true(x[0] == 11.5 * 11.5 && x[2] == 15.5 * 15.5);
    lun_array *all[] = {i, f, q, part};
    release_all(all, 4);
}

static void test_errors_lose_nothing(void **state)
{
    (void)state;
    const int64_t z[3] = {1, 0, 2};
    lun_array *a, *b, *q, *out;
    OK(lun_vector(e, z, 3, LUN_I64, &a));
    OK(lun_mark(e, "script.lua:12"));
    q = binary(LUN_OP_IDIV, a, a);
    for (int i = 0; i < 2; i++) {
        assert_int_equal(lun_eval(e, &q, 1), LUN_EZERO);
        assert_string_equal(lun_error(e), "attempt to perform 'n//0'");
        assert_string_equal(lun_error_where(e), "script.lua:12");
    }
    b = counting(2);
    lun_array *both[2] = {a, b};
    assert_int_equal(lun_apply(e, LUN_OP_ADD, both, 2, &out), LUN_ESHAPE);
    assert_string_equal(lun_error(e), "lengths differ: i64[3] and f64[2]");
    OK(lun_free(e, b));
    assert_int_equal(lun_apply(e, LUN_OP_ADD, both, 2, &out), LUN_EFREED);
    lun_array *ok = binary(LUN_OP_ADD, a, a);
    lun_value v;
    OK(lun_get(e, ok, 2, &v));
    assert_int_equal(v.as.i, 4);
    lun_array *all[] = {a, b, q, ok};
    release_all(all, 4);
}

static void test_empty_arrays(void **state)
{
    (void)state;
    lun_array *a, *x;
    lun_value v;
    OK(lun_vector(e, NULL, 0, LUN_F32, &a));
    x = binary(LUN_OP_ADD, a, a);
    OK(lun_eval(e, &x, 1));
    assert_int_equal(lun_length(x), 0);
    OK(lun_total(e, LUN_SUM, x, 0, &v));
    assert_true(v.as.d == 0);
    OK(lun_total(e, LUN_PROD, x, 0, &v));
    assert_true(v.as.d == 1);
    assert_int_equal(lun_total(e, LUN_MIN, x, 0, &v), LUN_EARG);
    assert_string_equal(lun_error(e), "min of an empty array");
    lun_release(a);
    lun_release(x);
}

static void test_memory_limit(void **state)
{
    (void)state;
    lun_engine *small;
    lun_array *a, *b;
    lun_config c = {
        .size = sizeof c, .backend = "reference", .memory_limit = 1 << 20, .cache_dir = ""};
    assert_int_equal(lun_open(&c, &small), LUN_OK);
    assert_int_equal(lun_vector(small, NULL, 1 << 20, LUN_F64, &a), LUN_ELIMIT);
    assert_non_null(strstr(lun_error(small), "memory limit"));
    assert_int_equal(lun_vector(small, NULL, 1 << 10, LUN_F64, &b), LUN_OK);
    lun_release(b);
    lun_close(small);
}

static void test_pool_reuses(void **state)
{
    (void)state;
    lun_array *a = counting(100000);
    lun_stats s = {.size = sizeof s};
    for (int i = 0; i < 100; i++) {
        lun_array *x = with_number(LUN_OP_ADD, a, i);
        OK(lun_eval(e, &x, 1));
        lun_release(x);
        if (i == 1)
            lun_stats_reset(e);
    }
    lun_stats_get(e, &s);
    assert_int_equal(s.allocations, 0);
    lun_release(a);
}

int main(void)
{
#define TEST(name) cmocka_unit_test_setup_teardown(name, kit_reference_open, kit_close)
    const struct CMUnitTest tests[] = {
        TEST(test_one_kernel),
        TEST(test_map_reduce_is_one_pass),
        TEST(test_mean_and_variance_share_a_pass),
        TEST(test_variance_far_from_zero),
        TEST(test_scan_fuses_on_both_sides),
        TEST(test_scalars_stay_lazy),
        TEST(test_equal_expressions_are_one),
        TEST(test_doubling_200_times),
        TEST(test_a_million_operations),
        TEST(test_constants_do_not_compile),
        TEST(test_copy_on_write),
        TEST(test_wrapped_memory_is_written_through),
        TEST(test_rows_are_windows),
        TEST(test_only_what_is_read_is_computed),
        TEST(test_errors_lose_nothing),
        TEST(test_empty_arrays),
        TEST(test_memory_limit),
        TEST(test_pool_reuses),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
