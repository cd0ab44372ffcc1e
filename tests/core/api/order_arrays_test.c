/* order_arrays_test.c - lun_sort, lun_argsort, lun_topk, lun_unique, lun_quantile and
 * lun_searchsorted from C: axes, flags, what they refuse. */
#include "array_kit.h"

static void test_sort(void **state)
{
    (void)state;
    const double x[] = {3, 1, 2, 9, 8, 7};
    const int64_t shape[] = {2, 3};
    lun_array *a = vector(x, 6), *m, *r;
    OK(lun_view(e, a, 2, shape, &m));
    OK(lun_sort(e, m, -1, 0, &r));
    assert_int_equal(at(r, 0), 1);
    assert_int_equal(at(r, 3), 7);
    lun_release(r);
    OK(lun_sort(e, m, 0, LUN_DESCENDING, &r));
    assert_int_equal(at(r, 0), 9);
    assert_int_equal(at(r, 3), 3);
    lun_release(r);
    OK(lun_argsort(e, m, 0, LUN_DESCENDING, 5, &r));
    lun_value v;
    OK(lun_get(e, r, 0, &v));
    assert_int_equal(v.as.i, 6);
    lun_release(r);
    assert_int_equal(lun_sort(e, m, 2, 0, &r), LUN_ESHAPE);
    assert_int_equal(lun_sort(e, m, -3, 0, &r), LUN_ESHAPE);
    assert_int_equal(lun_sort(e, NULL, 0, 0, &r), LUN_EARG);
    assert_int_equal(lun_argsort(e, m, 0, 0, 0, NULL), LUN_EARG);
    lun_array *all[] = {a, m};
    release_all(all, 2);
}

static void test_parts(void **state)
{
    (void)state;
    const double x[] = {2, 7, 2, 1};
    const int64_t shape[] = {2, 2};
    lun_array *a = vector(x, 4), *m, *values, *others;
    lun_value v;
    OK(lun_view(e, a, 2, shape, &m));
    OK(lun_topk(e, a, 2, LUN_DESCENDING, 0, &values, &others));
    assert_int_equal(at(values, 1), 2);
    OK(lun_get(e, others, 1, &v));
    assert_int_equal(v.as.i, 0);
    lun_release(values);
    lun_release(others);
    OK(lun_unique(e, a, &values, &others));
    lun_release(values); /* the counts need it no more */
    assert_false(lun_is_measured(others));
    assert_int_equal(lun_length(others), 3);
    OK(lun_get(e, others, 1, &v));
    assert_int_equal(v.as.i, 2);
    lun_release(others);
    assert_int_equal(lun_topk(e, m, 1, 0, 0, &values, &others), LUN_ESHAPE);
    assert_int_equal(lun_topk(e, a, -1, 0, 0, &values, &others), LUN_ERANGE);
    assert_int_equal(lun_topk(e, a, 1, 0, 0, &values, NULL), LUN_EARG);
    assert_int_equal(lun_unique(e, a, NULL, &others), LUN_EARG);
    lun_array *all[] = {a, m};
    release_all(all, 2);
}

static void test_places(void **state)
{
    (void)state;
    const double x[] = {3, 1, 2, 9, 8, 7}, q[] = {0, 0.5, 1}, wrong = 1.5;
    const int64_t shape[] = {2, 3};
    const int axis = 1, none = 2;
    int64_t extents[LUN_MAX_RANK];
    lun_array *a = vector(x, 6), *m, *r, *sorted;
    lun_value v;
    OK(lun_view(e, a, 2, shape, &m));
    OK(lun_quantile(e, m, q, 3, &axis, 1, false, &r));
    assert_int_equal(lun_shape(r, extents), 2);
    assert_int_equal(extents[0], 3);
    assert_int_equal(at(r, 2), 2);
    assert_int_equal(at(r, 5), 9);
    lun_release(r);
    OK(lun_quantile(e, m, &q[1], 0, NULL, 0, true, &r));
    assert_int_equal(lun_shape(r, extents), 0);
    assert_true(at(r, 0) == 5);
    lun_release(r);
    assert_int_equal(lun_quantile(e, m, &wrong, 0, NULL, 0, false, &r), LUN_ERANGE);
    assert_int_equal(lun_quantile(e, m, q, 1, &none, 1, false, &r), LUN_ESHAPE);
    assert_int_equal(lun_quantile(e, m, NULL, 1, NULL, 0, false, &r), LUN_EARG);
    OK(lun_sort(e, a, 0, 0, &sorted));
    OK(lun_searchsorted(e, sorted, m, LUN_RIGHT, 0, &r));
    OK(lun_get(e, r, 3, &v));
    assert_int_equal(v.as.i, 6);
    lun_release(r);
    assert_int_equal(lun_searchsorted(e, m, a, 0, 0, &r), LUN_ESHAPE);
    lun_array *all[] = {a, m, sorted};
    release_all(all, 3);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test_setup_teardown(test_sort, kit_reference_open, kit_close),
        cmocka_unit_test_setup_teardown(test_places, kit_reference_open, kit_close),
        cmocka_unit_test_setup_teardown(test_parts, kit_reference_open, kit_close),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
