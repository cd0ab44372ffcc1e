/* grouping_test.c - groups and joins from C: keys, codes, reductions, pairs, what is refused. */
#include <math.h>
#include <string.h>

#include "array_kit.h"

static lun_array *integers(const int64_t *i, int64_t n)
{
    lun_array *out;
    OK(lun_tensor(e, i, 1, &n, LUN_I64, &out));
    return out;
}

#define INTEGERS(...) \
    integers((const int64_t[]){__VA_ARGS__}, sizeof(int64_t[]){__VA_ARGS__} / sizeof(int64_t))

static double number_at(lun_array *a, int64_t i)
{
    lun_value v;
    OK(lun_get(e, a, i, &v));
    return v.dtype == LUN_F64 ? v.as.d : (double)v.as.i;
}

/* a holds these elements; it is released. */
static void holds(lun_array *a, const double *wanted, int64_t n)
{
    assert_int_equal(lun_size(a), n);
    for (int64_t k = 0; k < n; k++) {
        const double x = number_at(a, k);
        assert_true(x == wanted[k] || (isnan(x) && isnan(wanted[k])));
    }
    lun_release(a);
}

static void test_groups(void **state)
{
    lun_array *k = INTEGERS(5, 2, 5, 9), *x = vector((const double[]){1, 2, 4, 8}, 4), *out;
    lun_grouping *g;
    (void)state;
    OK(lun_grouping_make(e, &k, 1, 0, &g));
    assert_int_equal(lun_grouping_groups(g), 3);
    assert_int_equal(lun_grouping_rows(g), 4);
    OK(lun_grouping_key(e, g, 0, &out));
    holds(out, (const double[]){2, 5, 9}, 3);
    OK(lun_grouping_codes(e, g, 0, &out));
    holds(out, (const double[]){1, 0, 1, 2}, 4);
    OK(lun_grouping_order(e, g, 0, &out));
    holds(out, (const double[]){1, 0, 2, 3}, 4);
    OK(lun_grouping_counts(e, g, &out));
    holds(out, (const double[]){1, 2, 1}, 3);
    OK(lun_grouping_reduce(e, g, LUN_MEAN, x, NULL, &out));
    holds(out, (const double[]){2, 2.5, 8}, 3);
    const lun_along_options one = {.size = sizeof one, .ddof = 1};
    OK(lun_grouping_reduce(e, g, LUN_VAR, x, &one, &out));
    holds(out, (const double[]){NAN, 4.5, NAN}, 3);
    OK(lun_grouping_pick(e, g, true, x, NULL, &out));
    holds(out, (const double[]){2, 4, 8}, 3);
    lun_grouping_release(g);
    OK(lun_grouping_make(e, (lun_array *[]){k, x}, 2, LUN_GROUPING_FIRST, &g));
    assert_int_equal(lun_grouping_groups(g), 4);
    OK(lun_grouping_key(e, g, 0, &out));
    holds(out, (const double[]){5, 2, 5, 9}, 4);
    lun_grouping_release(g);
    lun_grouping_release(NULL);
    lun_release(k);
    lun_release(x);
}

static void test_codes(void **state)
{
    lun_array *c = INTEGERS(0, 2, 0), *x = vector((const double[]){1, 2, 4}, 3), *i, *out = NULL;
    lun_grouping *g = NULL;
    (void)state;
    i = INTEGERS(1, 2, 3);
    OK(lun_grouping_of(e, c, 3, 0, &g));
    OK(lun_grouping_reduce(e, g, LUN_SUM, x, NULL, &out));
    holds(out, (const double[]){5, 0, 2}, 3);
    OK(lun_grouping_reduce(e, g, LUN_MIN, x, NULL, &out));
    holds(out, (const double[]){1, NAN, 2}, 3);
    assert_int_equal(lun_grouping_reduce(e, g, LUN_MIN, i, NULL, &out), LUN_EARG);
    assert_int_equal(lun_grouping_reduce(e, g, LUN_NORM, x, NULL, &out), LUN_EARG);
    assert_int_equal(lun_grouping_key(e, g, 0, &out), LUN_EARG);
    lun_grouping_release(g);
    assert_int_equal(lun_grouping_of(e, c, 2, 0, &g), LUN_EBOUNDS);
    assert_int_equal(lun_grouping_of(e, c, 3, 1, &g), LUN_EBOUNDS);
    assert_int_equal(lun_grouping_of(e, c, -1, 0, &g), LUN_ERANGE);
    assert_int_equal(lun_grouping_of(e, x, 3, 0, &g), LUN_EDTYPE);
    lun_release(c);
    lun_release(x);
    lun_release(i);
}

static void test_refusals(void **state)
{
    lun_array *a = INTEGERS(1, 2, 3), *b = INTEGERS(1, 2), *x = vector((const double[]){1}, 1),
              *out;
    lun_grouping *g;
    (void)state;
    assert_int_equal(lun_grouping_make(e, (lun_array *[]){a, b}, 2, 0, &g), LUN_ESHAPE);
    assert_string_equal(lun_error(e), "lengths differ: keys i64[3] and i64[2]");
    assert_int_equal(lun_grouping_make(e, &a, 0, 0, &g), LUN_EARG);
    assert_int_equal(lun_grouping_make(e, NULL, 1, 0, &g), LUN_EARG);
    OK(lun_grouping_make(e, &a, 1, 0, &g));
    assert_int_equal(lun_grouping_reduce(e, g, LUN_SUM, b, NULL, &out), LUN_ESHAPE);
    assert_int_equal(lun_grouping_pick(e, g, false, x, NULL, &out), LUN_ESHAPE);
    assert_int_equal(lun_grouping_reduce(e, NULL, LUN_SUM, a, NULL, &out), LUN_EARG);
    lun_grouping_release(g);
    lun_release(a);
    lun_release(b);
    lun_release(x);
}

static void test_join(void **state)
{
    lun_array *a = INTEGERS(7, 8, 7, 1), *b = INTEGERS(7, 9, 7, 8), *i, *j, *x;
    (void)state;
    x = vector((const double[]){1, 2, 3, 4}, 4);
    OK(lun_join(e, &a, &b, 1, 0, 0, &i, &j));
    holds(i, (const double[]){0, 0, 1, 2, 2}, 5);
    holds(j, (const double[]){0, 2, 3, 0, 2}, 5);
    OK(lun_join(e, &a, &b, 1, LUN_JOIN_LEFT, 0, &i, &j));
    holds(i, (const double[]){0, 0, 1, 2, 2, 3}, 6);
    holds(j, (const double[]){0, 2, 3, 0, 2, -1}, 6);
    assert_int_equal(lun_join(e, &a, &x, 1, 0, 0, &i, &j), LUN_EDTYPE);
    assert_int_equal(lun_join(e, &a, &b, 0, 0, 0, &i, &j), LUN_EARG);
    assert_int_equal(lun_join(e, NULL, &b, 1, 0, 0, &i, &j), LUN_EARG);
    lun_release(a);
    lun_release(b);
    lun_release(x);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test_setup_teardown(test_groups, kit_reference_open, kit_close),
        cmocka_unit_test_setup_teardown(test_codes, kit_reference_open, kit_close),
        cmocka_unit_test_setup_teardown(test_refusals, kit_reference_open, kit_close),
        cmocka_unit_test_setup_teardown(test_join, kit_reference_open, kit_close),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
