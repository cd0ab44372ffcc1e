/* missing_test.c - missing elements from C: made, asked for, in orders, groups, joins. */
#include <math.h>

#include "array_kit.h"

/* Five i64 of which the second and the last are missing. */
static lun_array *gapped(void)
{
    const int64_t slots[] = {4, 9, 1, 7, 9}, n = 5;
    const bool gone[] = {false, true, false, false, true};
    lun_array *a, *mask, *out;
    OK(lun_tensor(e, slots, 1, &n, LUN_I64, &a));
    OK(lun_tensor(e, gone, 1, &n, LUN_BOOL, &mask));
    OK(lun_with_missing(e, a, mask, &out));
    lun_release(a);
    lun_release(mask);
    return out;
}

/* a has these elements, where -1 is a missing one; it is released. */
static void holds(lun_array *a, const int64_t *wanted, int64_t n)
{
    lun_array *mask;
    lun_value x, gone;
    assert_int_equal(lun_size(a), n);
    OK(lun_missing(e, a, &mask));
    for (int64_t k = 0; k < n; k++) {
        OK(lun_get(e, mask, k, &gone));
        assert_int_equal(gone.as.u != 0, wanted[k] == -1);
        if (wanted[k] == -1)
            continue;
        OK(lun_get(e, a, k, &x));
        assert_int_equal(x.as.i, wanted[k]);
    }
    lun_release(mask);
    lun_release(a);
}

static void test_made(void **state)
{
    lun_array *a = gapped(), *out, *plain, *window;
    (void)state;
    assert_true(lun_has_missing(a));
    OK(lun_slice(e, a, 1, 3, 1, &window));
    assert_true(lun_has_missing(window));
    holds(window, (const int64_t[]){-1, 1, 7}, 3);
    OK(lun_add(e, a, a, &out));
    holds(out, (const int64_t[]){8, -1, 2, 14, -1}, 5);
    OK(lun_with_missing(e, a, NULL, &plain));
    assert_false(lun_has_missing(plain));
    holds(plain, (const int64_t[]){4, 0, 1, 7, 0}, 5);
    OK(lun_set(e, a, 1, (lun_value){.dtype = LUN_I64, .as.i = 5}));
    holds(a, (const int64_t[]){4, 5, 1, 7, -1}, 5);
    assert_false(lun_has_missing(NULL));
}

static void test_refused(void **state)
{
    lun_array *a = gapped(), *out = NULL, *plain;
    const void *data;
    (void)state;
    FAILS(lun_data(e, a, &data), LUN_EARG, "takes no missing elements: 2 of 5 are");
    FAILS(lun_missing(e, NULL, &out), LUN_EARG, "no array given (NULL)");
    FAILS(lun_with_missing(e, NULL, NULL, &out), LUN_EARG, "no array given (NULL)");
    OK(lun_with_missing(e, a, NULL, &plain));
    FAILS(lun_with_missing(e, a, plain, &out), LUN_EDTYPE, "bool");
    assert_null(out);
    lun_release(plain);
    lun_release(a);
}

static void test_orders(void **state)
{
    lun_array *a = gapped(), *out, *places;
    (void)state;
    OK(lun_sort(e, a, 0, 0, &out));
    holds(out, (const int64_t[]){1, 4, 7, -1, -1}, 5);
    OK(lun_sort(e, a, -1, LUN_DESCENDING | LUN_MISSING_FIRST, &out));
    holds(out, (const int64_t[]){-1, -1, 7, 4, 1}, 5);
    OK(lun_argsort(e, a, 0, LUN_MISSING_FIRST, 0, &out));
    holds(out, (const int64_t[]){1, 4, 2, 0, 3}, 5);
    OK(lun_topk(e, a, 2, LUN_DESCENDING, 0, &out, &places));
    holds(out, (const int64_t[]){7, 4}, 2);
    holds(places, (const int64_t[]){3, 0}, 2);
    assert_int_equal(lun_argsort(e, a, 1, 0, 0, &out), LUN_ESHAPE);
    assert_int_equal(lun_sort(e, a, -2, 0, &out), LUN_ESHAPE);
    assert_int_equal(lun_topk(e, a, -1, 0, 0, &out, &places), LUN_ERANGE);
    lun_release(a);
}

static void test_reductions(void **state)
{
    const lun_along_options propagate = {.size = sizeof propagate, .propagate = true};
    const int axis = 0;
    lun_array *a = gapped(), *out;
    lun_value v = {.dtype = LUN_DTYPE_COUNT};
    (void)state;
    FAILS(lun_get(e, a, 1, &v), LUN_EARG, "element 1 is missing");
    assert_true(v.dtype == LUN_DTYPE_COUNT); /* a call that fails leaves it */
    OK(lun_total(e, LUN_ARGMAX, a, 0, &v));
    assert_int_equal(v.as.i, 3);
    OK(lun_along(e, LUN_SUM, a, &axis, 1, NULL, &out));
    holds(out, (const int64_t[]){12}, 1);
    OK(lun_along(e, LUN_SUM, a, &axis, 1, &propagate, &out));
    holds(out, (const int64_t[]){-1}, 1);
    lun_release(a);
}

static void test_keys(void **state)
{
    const lun_along_options propagate = {.size = sizeof propagate, .propagate = true};
    lun_array *a = gapped(), *i, *j, *out;
    lun_grouping *g;
    (void)state;
    OK(lun_join(e, &a, &a, 1, 0, 0, &i, &j));
    holds(i, (const int64_t[]){0, 2, 3}, 3);
    lun_release(j);
    OK(lun_join(e, &a, &a, 1, LUN_JOIN_MISSING, 0, &i, &j));
    holds(i, (const int64_t[]){0, 1, 1, 2, 3, 4, 4}, 7);
    holds(j, (const int64_t[]){0, 1, 4, 2, 3, 1, 4}, 7);
    OK(lun_grouping_make(e, &a, 1, 0, &g));
    OK(lun_grouping_key(e, g, 0, &out));
    holds(out, (const int64_t[]){1, 4, 7, -1}, 4);
    OK(lun_grouping_reduce(e, g, LUN_SUM, a, &propagate, &out));
    holds(out, (const int64_t[]){1, 4, 7, -1}, 4);
    OK(lun_grouping_pick(e, g, true, a, &propagate, &out));
    holds(out, (const int64_t[]){1, 4, 7, -1}, 4);
    lun_grouping_release(g);
    lun_release(a);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test_setup_teardown(test_made, kit_reference_open, kit_close),
        cmocka_unit_test_setup_teardown(test_refused, kit_reference_open, kit_close),
        cmocka_unit_test_setup_teardown(test_orders, kit_reference_open, kit_close),
        cmocka_unit_test_setup_teardown(test_reductions, kit_reference_open, kit_close),
        cmocka_unit_test_setup_teardown(test_keys, kit_reference_open, kit_close),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
