/* indexing_test.c - elements at indices from C: counted from 0 and from the end, missing ones, what
 * is refused. */
#include <math.h>
#include <string.h>

#include "array_kit.h"

static lun_array *indices(const int64_t *i, int64_t n)
{
    lun_array *out;
    OK(lun_tensor(e, i, 1, &n, LUN_I64, &out));
    return out;
}

#define INDICES(...) \
    indices((const int64_t[]){__VA_ARGS__}, sizeof(int64_t[]){__VA_ARGS__} / sizeof(int64_t))

/* a holds these elements; it is released. */
static void holds(lun_array *a, const double *wanted, int64_t n)
{
    assert_int_equal(lun_size(a), n);
    for (int64_t k = 0; k < n; k++)
        assert_true(at(a, k) == wanted[k]);
    lun_release(a);
}

static void test_take(void **state)
{
    (void)state;
    lun_array *v = vector((const double[]){1, 2, 3, 4, 5, 6}, 6), *m, *t;
    lun_array *i = INDICES(0, 5, -1, -6, 2);
    OK(lun_take(e, v, i, 0, NULL, &t));
    holds(t, (const double[]){1, 6, 6, 1, 3}, 5);
    OK(lun_reshape(e, v, 2, (const int64_t[]){2, 3}, &m));
    lun_release(i);
    i = INDICES(2, -3);
    OK(lun_take(e, m, i, 1, NULL, &t));
    int64_t shape[LUN_MAX_RANK];
    assert_int_equal(lun_shape(t, shape), 2);
    assert_true(shape[0] == 2 && shape[1] == 2);
    holds(t, (const double[]){3, 1, 6, 4}, 4);
    lun_release(i);
    lun_release(m);
    lun_release(v);
}

static void test_take_missing(void **state)
{
    (void)state;
    lun_array *v = vector((const double[]){1, 2, 3}, 3), *i = INDICES(LUN_NO_INDEX, 0, -1), *t;
    const lun_value nine = {.dtype = LUN_F64, .as.d = 9};
    OK(lun_take(e, v, i, 0, &nine, &t));
    holds(t, (const double[]){9, 1, 3}, 3);
    OK(lun_take(e, v, i, 0, NULL, &t)); /* it waits */
    assert_int_equal(lun_eval(e, &t, 1), LUN_EBOUNDS);
    assert_string_equal(lun_error(e), "index -9223372036854775808 (number 0) is out of range for "
                                      "axis 0 of length 3, counted from 0");
    lun_release(t);
    lun_release(i);
    lun_release(v);
}

static void test_take_refusals(void **state)
{
    (void)state;
    lun_array *v = vector((const double[]){1, 2, 3}, 3), *i = INDICES(0, 1), *out = NULL, *number;
    const lun_value half = {.dtype = LUN_F64, .as.d = 0.5};
    assert_int_equal(lun_take(e, v, i, 1, NULL, &out), LUN_ESHAPE);
    assert_int_equal(lun_take(e, v, i, -1, NULL, &out), LUN_ESHAPE);
    assert_int_equal(lun_take(e, v, v, 0, NULL, &out), LUN_EDTYPE);
    assert_int_equal(lun_take(e, i, i, 0, &half, &out), LUN_ERANGE);
    assert_int_equal(lun_take(e, v, NULL, 0, NULL, &out), LUN_EARG);
    assert_int_equal(lun_take(e, NULL, i, 0, NULL, &out), LUN_EARG);
    assert_int_equal(lun_take(e, v, i, 0, NULL, NULL), LUN_EARG);
    OK(lun_integer(e, 2, &number));
    assert_int_equal(lun_take(e, number, i, 0, NULL, &out), LUN_EARG);
    assert_null(out);
    OK(lun_take(e, v, number, 0, NULL, &out)); /* a single index: the axis goes */
    int64_t shape[LUN_MAX_RANK];
    assert_int_equal(lun_shape(out, shape), 0);
    assert_true(at(out, 0) == 3);
    lun_release(out);
    lun_release(number);
    lun_release(i);
    lun_release(v);
}

/* a's elements are these. */
static void is(lun_array *a, const double *wanted, int64_t n)
{
    for (int64_t k = 0; k < n; k++)
        assert_true(at(a, k) == wanted[k]);
}

static void test_put(void **state)
{
    (void)state;
    lun_array *v = vector((const double[]){1, 2, 3, 4}, 4), *i = INDICES(0, -1, 0), *w;
    lun_array *x = vector((const double[]){10, 20, 30}, 3), *two;
    OK(lun_put(e, v, i, x, 0, (lun_op)66)); /* the number that programs of 0.1.0 give for none */
    is(v, (const double[]){30, 2, 3, 20}, 4);
    OK(lun_put(e, v, i, x, 0, LUN_OP_ADD));
    is(v, (const double[]){70, 2, 3, 40}, 4);
    OK(lun_number(e, 2, &two));
    OK(lun_put(e, v, i, two, 0, LUN_OP_SUB));
    is(v, (const double[]){66, 2, 3, 38}, 4);
    OK(lun_window(e, v, 1, (const int64_t[]){3}, (const int64_t[]){2}, (const int64_t[]){-2}, &w));
    OK(lun_put(e, w, i, two, 0, LUN_OP_MUL)); /* elements 3 twice, 1 once */
    is(v, (const double[]){66, 4, 3, 152}, 4);
    lun_release(w);
    lun_release(two);
    lun_release(x);
    lun_release(i);
    lun_release(v);
}

static void test_put_refusals(void **state)
{
    (void)state;
    lun_array *v = vector((const double[]){1, 2, 3}, 3), *i = INDICES(0, 3), *j = INDICES(0, 1);
    lun_array *x = vector((const double[]){7, 8, 9}, 3), *w;
    assert_int_equal(lun_put(e, v, i, i, 0, LUN_OP_NONE), LUN_EBOUNDS);
    assert_string_equal(lun_error(e), "index 3 (number 1) is out of range for axis 0 of length 3, "
                                      "counted from 0");
    assert_int_equal(lun_put(e, v, j, x, 0, LUN_OP_NONE), LUN_ESHAPE);
    assert_int_equal(lun_put(e, v, j, j, 1, LUN_OP_NONE), LUN_ESHAPE);
    assert_int_equal(lun_put(e, v, v, j, 0, LUN_OP_NONE), LUN_EDTYPE);
    assert_int_equal(lun_put(e, v, j, j, 0, LUN_OP_DIV), LUN_EARG);
    assert_int_equal(lun_put(e, j, j, v, 0, LUN_OP_ADD), LUN_EDTYPE);
    assert_int_equal(lun_put(e, v, j, NULL, 0, LUN_OP_NONE), LUN_EARG);
    assert_int_equal(lun_put(e, v, j, j, 0, LUN_OP_COUNT), LUN_EARG);
    OK(lun_windows(e, v, 0, 2, 1, &w));
    assert_int_equal(lun_put(e, w, j, j, 0, LUN_OP_NONE), LUN_EARG);
    is(v, (const double[]){1, 2, 3}, 3);
    lun_release(w);
    lun_release(x);
    lun_release(i);
    lun_release(j);
    lun_release(v);
}

static void test_histogram(void **state)
{
    (void)state;
    lun_array *v = vector((const double[]){1, 2, 2, 9, NAN}, 5), *edges, *counts, *sums, *w;
    OK(lun_histogram_edges(e, v, 2, NULL, &edges));
    OK(lun_histogram(e, v, edges, NULL, &counts, NULL));
    int64_t n[2];
    OK(lun_read(e, counts, n, 0, 2));
    assert_true(n[0] == 3 && n[1] == 1);
    lun_release(counts);
    holds(edges, (const double[]){1, 5, 9}, 3);
    OK(lun_histogram_edges(e, v, 2, (const double[]){0, 2}, &edges));
    w = vector((const double[]){1, 2, 4, 8, 16}, 5);
    OK(lun_histogram(e, v, edges, w, &counts, &sums));
    holds(sums, (const double[]){0, 7}, 2);
    OK(lun_read(e, counts, n, 0, 2));
    assert_true(n[0] == 0 && n[1] == 3);
    lun_release(counts);
    assert_int_equal(lun_histogram(e, v, edges, edges, &counts, &sums), LUN_ESHAPE);
    assert_int_equal(lun_histogram(e, v, edges, w, &counts, NULL), LUN_EARG);
    assert_int_equal(lun_histogram_edges(e, v, 0, NULL, &edges), LUN_ERANGE);
    assert_int_equal(lun_histogram_edges(e, v, 2, (const double[]){2, 1}, &edges), LUN_ERANGE);
    lun_release(edges);
    edges = vector((const double[]){2, 1}, 2);
    OK(lun_histogram(e, v, edges, NULL, &counts, NULL)); /* it waits */
    assert_int_equal(lun_eval(e, &counts, 1), LUN_ERANGE);
    lun_release(counts);
    lun_release(edges);
    lun_release(w);
    lun_release(v);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test_setup_teardown(test_take, kit_reference_open, kit_close),
        cmocka_unit_test_setup_teardown(test_take_missing, kit_reference_open, kit_close),
        cmocka_unit_test_setup_teardown(test_take_refusals, kit_reference_open, kit_close),
        cmocka_unit_test_setup_teardown(test_put, kit_reference_open, kit_close),
        cmocka_unit_test_setup_teardown(test_put_refusals, kit_reference_open, kit_close),
        cmocka_unit_test_setup_teardown(test_histogram, kit_reference_open, kit_close),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
