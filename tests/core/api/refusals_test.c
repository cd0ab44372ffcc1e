/* refusals_test.c - calls of the C interface that are refused by what their arguments are together:
 * status and text of each, and the engine goes on. What is refused by one argument alone (NULL, no
 * such dtype) is in tests/torture/capi.c. */
#include <stdio.h>
#include <string.h>

#include "engine_kit.h"
#include "lunarray_bind.h"

enum { N = 6 };

static lun_array *vector, *matrix, *number, *scalar, *bytes;
static lun_function *add, *sub, *c;

static int set_up(void **state)
{
    (void)state;
    static const double x[N] = {1, 2, 3, 4, 5, 6};
    const int64_t shape[2] = {2, 3};
    if (kit_engine_open("reference"))
        return 1;
    OK(lun_vector(e, x, N, LUN_F64, &vector));
    OK(lun_reshape(e, vector, 2, shape, &matrix));
    OK(lun_number(e, 2, &number));
    OK(lun_total_lazy(e, LUN_SUM, vector, 0, &scalar));
    OK(lun_vector(e, "abcdef", N, LUN_U8, &bytes));
    OK(lun_function_op(e, LUN_OP_ADD, &add));
    OK(lun_function_op(e, LUN_OP_SUB, &sub));
    OK(lun_function_c(e, "double f(double x, const double *w, int n) { return x + w[n]; }", &c));
    return 0;
}

static int tear_down(void **state)
{
    (void)state;
    lun_array *arrays[] = {vector, matrix, number, scalar, bytes};
    lun_function *functions[] = {add, sub, c};
    for (int i = 0; i < 5; i++)
        lun_release(arrays[i]);
    for (int i = 0; i < 3; i++)
        lun_function_release(functions[i]);
    return kit_engine_close();
}

static void expect(lun_status got, lun_status wanted, const char *part)
{
    if (got != wanted || !strstr(lun_error(e), part))
        fail_msg("%s: %s\n%s: %s expected", lun_status_name(got), lun_error(e),
                 lun_status_name(wanted), part);
    lun_value sum;
    OK(lun_total(e, LUN_SUM, vector, 0, &sum));
    assert_true(sum.as.d == 21);
}

static void test_parts(void **state)
{
    (void)state;
    lun_array *out = NULL;
    const int64_t vast[3] = {INT64_C(1) << 31, INT64_C(1) << 31, 4};
    lun_value zero = {LUN_F64, {.d = 0}};
    expect(lun_slice(e, number, 0, 1, 1, &out), LUN_ESHAPE, "a Scalar cannot be sliced");
    expect(lun_slice(e, vector, 0, 2, 0, &out), LUN_ERANGE, "the step is 0");
    expect(lun_slice(e, vector, 4, 3, 1, &out), LUN_ERANGE,
           "elements 4 to 6 are out of range: the length is 6");
    expect(lun_slice(e, vector, 1, 3, -1, &out), LUN_ERANGE, "elements 1 to -1 are out of range");
    expect(lun_slice(e, vector, 1, 3, INT64_MAX, &out), LUN_ERANGE, "the length is 6");
    expect(lun_slice(e, matrix, 0, 2, 2, &out), LUN_ERANGE,
           "elements 0 to 2 are out of range: the length is 2");
    expect(lun_slice(e, matrix, 1, 3, -1, &out), LUN_ERANGE, "elements 1 to -1 are out of range");
    expect(lun_row(e, vector, 0, &out), LUN_ESHAPE,
           "a row needs an array of rank 2 or more, not of rank 1");
    expect(lun_row(e, matrix, 2, &out), LUN_ERANGE,
           "row 2 is out of range: the array has 2 rows, counted from 0");
    expect(lun_full(e, 3, vast, LUN_F64, zero, &out), LUN_ERANGE, "too many elements");
    assert_null(out);
}

static void test_numbers(void **state)
{
    (void)state;
    lun_array *out = NULL;
    const void *data;
    lun_value one = {LUN_F64, {.d = 1}};
    expect(lun_data(e, number, &data), LUN_EARG, "a number has no elements to map");
    expect(lun_write(e, number, &one.as.d, 0, 1), LUN_EARG, "a number cannot be written to");
    expect(lun_set(e, number, 0, one), LUN_EARG, "a number cannot be written to");
    expect(lun_fill(e, number, one), LUN_EARG, "a number cannot be written to");
    expect(lun_store(e, number, vector), LUN_EARG, "a number cannot be written to");
    expect(lun_scan(e, add, number, number, true, &out), LUN_EARG, "array expected, got a number");
    expect(lun_reduce(e, add, number, number, &out), LUN_EARG, "array expected, got a number");
    assert_null(out);
}

static void test_reductions(void **state)
{
    (void)state;
    lun_array *out = NULL;
    expect(lun_total_lazy(e, (lun_reduction)99, vector, 0, &out), LUN_EARG,
           "no such reduction: 99");
    expect(lun_reduce(e, sub, number, vector, &out), LUN_EARG, "sub is not associative");
    expect(lun_scan(e, sub, number, vector, true, &out), LUN_EARG, "sub is not associative");
    assert_null(out);
    lun_value v;
    expect(lun_dot(e, vector, matrix, &v), LUN_ESHAPE, "shapes differ");
    expect(lun_dot(e, vector, NULL, &v), LUN_EARG, "");
    OK(lun_dot(e, bytes, bytes, &v)); /* "abcdef" */
    assert_int_equal(v.dtype, LUN_U64);
    assert_int_equal(v.as.u, 97 * 97 + 98 * 98 + 99 * 99 + 100 * 100 + 101 * 101 + 102 * 102);
}

static void test_products(void **state)
{
    (void)state;
    lun_array *out = NULL;
    expect(lun_matmul(e, matrix, matrix, &out), LUN_ESHAPE, "shapes do not fit");
    expect(lun_matmul(e, matrix, scalar, &out), LUN_ESHAPE, "a Scalar is no matrix");
    expect(lun_matmul(e, number, matrix, &out), LUN_EARG, "array expected, got a number");
    expect(lun_matmul(e, matrix, NULL, &out), LUN_EARG, "");
    expect(lun_allpairs(e, sub, NULL, 0, add, NULL, matrix, vector, &out), LUN_ESHAPE,
           "a matrix is expected");
    expect(lun_allpairs(e, sub, NULL, 0, add, NULL, number, matrix, &out), LUN_EARG,
           "array expected, got a number");
    expect(lun_allpairs(e, sub, NULL, 0, sub, NULL, matrix, matrix, &out), LUN_EARG,
           "sub is not associative");
    expect(lun_allpairs(e, sub, NULL, 0, add, matrix, matrix, matrix, &out), LUN_ESHAPE,
           "the initial value must be a number");
    expect(lun_allpairs(e, NULL, NULL, 0, add, NULL, matrix, matrix, &out), LUN_EARG, "");
    assert_null(out);
}

static void test_arguments(void **state)
{
    (void)state;
    lun_array *out = NULL, *many[70];
    int results;
    for (int i = 0; i < 70; i++)
        many[i] = number;
    expect(lun_map(e, c, vector, (lun_array *[]){number, number}, 2, &out), LUN_EDTYPE,
           "parameter 2 of the function is an array of f64, but the argument is a number");
    expect(lun_map(e, c, vector, (lun_array *[]){bytes, number}, 2, &out), LUN_EDTYPE,
           "parameter 2 of the function is an array of f64, but the argument is u8[6]");
    expect(lun_map(e, c, vector, (lun_array *[]){vector, vector}, 2, &out), LUN_EDTYPE,
           "parameter 3 of the function is a number (i32), but the argument is an array, f64[6]; "
           "elements=3");
    expect(lun_zip(e, c, vector, vector, &number, 1, &out), LUN_EARG,
           "parameter 2 of the function receives an element: it cannot be a pointer");
    expect(lun_map(e, c, vector, many, 1, &out), LUN_EARG,
           "the function has 3 parameters, but is called with 1 element and 1 extra argument");
    expect(lun_map(e, c, vector, many, 70, &out), LUN_EARG, "more than 63 extra arguments");
    expect(lun_map(e, c, vector, many, -1, &out), LUN_EARG, "a count is negative");
    expect(lun_call(e, add, many, 70, 2, &out, 1, &results), LUN_EARG, "1 to 64 operands");
    assert_null(out);
}

static void test_sandbox(void **state)
{
    (void)state;
    lun_config config = {
        .size = sizeof config, .backend = "reference", .cache_dir = "", .sandbox = 1};
    lun_engine *inner;
    lun_function *f = NULL;
    assert_int_equal(lun_open(&config, &inner), LUN_OK);
    assert_int_equal(lun_function_c(inner, "(float x) { return x; }", &f), LUN_EARG);
    assert_string_equal(lun_error(inner), "C functions are not allowed in the sandbox");
    assert_int_equal(lun_function_file(inner, "/tmp/f.c", &f), LUN_EARG);
    assert_string_equal(lun_error(inner), "function files are not allowed in the sandbox");
    assert_null(f);
    lun_close(inner);
}

/* Where scripts come from: kept once each, however many there are. */
static void test_places(void **state)
{
    (void)state;
    lun_array *bad;
    char place[32];
    for (int round = 0; round < 2; round++)
        for (int i = 0; i < 40; i++) {
            snprintf(place, sizeof place, "script:%d", i);
            OK(lun_mark(e, place));
        }
    OK(lun_mark(e, "script:3"));
    OK(lun_vector(e, "\0\0", 2, LUN_U8, &bad));
    lun_array *wrong;
    OK(lun_idiv(e, bad, bad, &wrong));
    assert_int_equal(lun_eval(e, &wrong, 1), LUN_EZERO);
    assert_string_equal(lun_error_where(e), "script:3");
    lun_release(wrong);
    lun_release(bad);
}

static void test_names(void **state)
{
    (void)state;
    static const char *const names[] = {
#define LUN_STATUS(name, number, doc) [number] = #name,
#include "table/status.def"
#undef LUN_STATUS
    };
    int count = (int)(sizeof names / sizeof *names);
    for (int i = 0; i < count; i++)
        assert_string_equal(lun_status_name((lun_status)i), names[i]);
    assert_non_null(lun_status_name((lun_status)count));
    assert_non_null(lun_status_name((lun_status)-1));
}

#define TEST(f) cmocka_unit_test_setup_teardown(f, set_up, tear_down)

int main(void)
{
    const struct CMUnitTest tests[] = {
        TEST(test_parts),    TEST(test_numbers), TEST(test_reductions), TEST(test_arguments),
        TEST(test_products), TEST(test_sandbox), TEST(test_places),     TEST(test_names),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
