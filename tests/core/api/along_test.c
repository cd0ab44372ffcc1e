/* along_test.c - lun_along, lun_fold_along and lun_scan_along of small arrays: shapes, dtypes,
 * options, what is refused.  Bits and dtypes of all kinds are tests/diff's. */
#include <math.h>

#include "array_kit.h"

/* 1, 2, ... in row-major order, as f64[2, 3, 2] or of fewer axes. */
static lun_array *counted(int rank, const int64_t *shape)
{
    double x[64];
    int64_t n = 1;
    lun_array *flat, *out;
    for (int k = 0; k < rank; k++)
        n *= shape[k];
    for (int64_t i = 0; i < n; i++)
        x[i] = (double)i + 1;
    flat = vector(x, n);
    OK(lun_reshape(e, flat, rank, shape, &out));
    lun_release(flat);
    return out;
}

/* a has that shape and dtype, and those elements; it is released. */
static void holds(lun_array *a, lun_dtype t, int rank, const int64_t *shape, const double *wanted)
{
    int64_t extents[LUN_MAX_RANK];
    assert_int_equal(lun_dtype_of(a), t);
    assert_int_equal(lun_shape(a, extents), rank);
    for (int k = 0; k < rank; k++)
        assert_int_equal(extents[k], shape[k]);
    for (int64_t i = 0; i < lun_size(a); i++) {
        lun_value v;
        OK(lun_get(e, a, i, &v));
        double x = v.dtype == LUN_F64 ? v.as.d : (double)v.as.i;
        assert_true(x == wanted[i] || (isnan(x) && isnan(wanted[i])));
    }
    lun_release(a);
}

static lun_array *along(lun_reduction r, lun_array *a, int axis, const lun_along_options *o)
{
    lun_array *out;
    OK(lun_along(e, r, a, &axis, 1, o, &out));
    return out;
}

#define SHAPE(...)    \
    (const int64_t[]) \
    {                 \
        __VA_ARGS__   \
    }
#define LIST(...)    \
    (const double[]) \
    {                \
        __VA_ARGS__  \
    }

static void test_axes_go_or_are_kept(void **state)
{
    (void)state;
    lun_array *a = counted(2, SHAPE(2, 3)), *out;
    const lun_along_options keep = {.size = sizeof keep, .keep = true};
    holds(along(LUN_SUM, a, 0, NULL), LUN_F64, 1, SHAPE(3), LIST(5, 7, 9));
    holds(along(LUN_SUM, a, 1, NULL), LUN_F64, 1, SHAPE(2), LIST(6, 15));
    holds(along(LUN_MAX, a, 1, &keep), LUN_F64, 2, SHAPE(2, 1), LIST(3, 6));
    holds(along(LUN_MEAN, a, 0, &keep), LUN_F64, 2, SHAPE(1, 3), LIST(2.5, 3.5, 4.5));
    holds(along(LUN_ARGMAX, a, 1, NULL), LUN_I64, 1, SHAPE(2), LIST(2, 2)); /* from 0 */
    holds(along(LUN_COUNT, a, 0, NULL), LUN_I64, 1, SHAPE(3), LIST(2, 2, 2));
    OK(lun_along(e, LUN_SUM, a, NULL, 0, NULL, &out));
    holds(out, LUN_F64, 0, NULL, LIST(21));
    OK(lun_along(e, LUN_ARGMIN, a, NULL, 0, &keep, &out));
    holds(out, LUN_I64, 2, SHAPE(1, 1), LIST(0));
    lun_release(a);
}

static void test_several_axes(void **state)
{
    (void)state;
    lun_array *a = counted(3, SHAPE(2, 3, 2)), *out;
    const lun_along_options keep = {.size = sizeof keep, .keep = true};
    OK(lun_along(e, LUN_SUM, a, (const int[]){2, 0}, 2, NULL, &out));
    holds(out, LUN_F64, 1, SHAPE(3), LIST(1 + 2 + 7 + 8, 3 + 4 + 9 + 10, 5 + 6 + 11 + 12));
    OK(lun_along(e, LUN_MIN, a, (const int[]){0, 1}, 2, &keep, &out));
    holds(out, LUN_F64, 3, SHAPE(1, 1, 2), LIST(1, 2));
    OK(lun_along(e, LUN_PROD, a, (const int[]){1, 0, 2}, 3, NULL, &out));
    holds(out, LUN_F64, 0, NULL, LIST(479001600));
    lun_release(a);
}

static void test_options(void **state)
{
    (void)state;
    const double x[] = {1, NAN, 3, NAN, NAN, NAN};
    lun_array *flat = vector(x, 6), *a;
    const lun_along_options skip = {.size = sizeof skip, .skipnan = true},
                            one = {.size = sizeof one, .skipnan = true, .ddof = 1};
    OK(lun_reshape(e, flat, 2, SHAPE(2, 3), &a));
    holds(along(LUN_SUM, a, 1, NULL), LUN_F64, 1, SHAPE(2), LIST(NAN, NAN));
    holds(along(LUN_SUM, a, 1, &skip), LUN_F64, 1, SHAPE(2), LIST(4, 0));
    holds(along(LUN_PROD, a, 1, &skip), LUN_F64, 1, SHAPE(2), LIST(3, 1));
    holds(along(LUN_MIN, a, 1, &skip), LUN_F64, 1, SHAPE(2), LIST(1, NAN));
    holds(along(LUN_MEAN, a, 1, &skip), LUN_F64, 1, SHAPE(2), LIST(2, NAN));
    holds(along(LUN_VAR, a, 1, &skip), LUN_F64, 1, SHAPE(2), LIST(1, NAN));
    holds(along(LUN_VAR, a, 1, &one), LUN_F64, 1, SHAPE(2), LIST(2, NAN));
    holds(along(LUN_COUNT, a, 1, &skip), LUN_I64, 1, SHAPE(2), LIST(2, 0));
    lun_value none;
    lun_array *at = along(LUN_ARGMIN, a, 1, &skip);
    FAILS(lun_get(e, at, 0, &none), LUN_EBOUNDS, "every element of line 2 along the axis is NaN");
    lun_release(at);
    /* a caller that knows less of the options: keep alone */
    lun_along_options less = {.size = offsetof(lun_along_options, skipnan), .skipnan = true};
    holds(along(LUN_SUM, a, 1, &less), LUN_F64, 1, SHAPE(2), LIST(NAN, NAN));
    lun_release(flat);
    lun_release(a);
}

static void test_empty_axes(void **state)
{
    (void)state;
    lun_array *a = counted(2, SHAPE(2, 0)), *out;
    const int axis = 1;
    holds(along(LUN_SUM, a, 1, NULL), LUN_F64, 1, SHAPE(2), LIST(0, 0));
    holds(along(LUN_PROD, a, 1, NULL), LUN_F64, 1, SHAPE(2), LIST(1, 1));
    holds(along(LUN_COUNT, a, 1, NULL), LUN_I64, 1, SHAPE(2), LIST(0, 0));
    holds(along(LUN_MAX, a, 0, NULL), LUN_F64, 1, SHAPE(0), LIST(0)); /* no lines: no failure */
    FAILS(lun_along(e, LUN_MAX, a, &axis, 1, NULL, &out), LUN_EARG,
          "max of no elements is undefined: an axis of f64[2, 0] is empty");
    FAILS(lun_along(e, LUN_MEAN, a, NULL, 0, NULL, &out), LUN_EARG, "mean of no elements");
    holds(along(LUN_MEAN, a, 1, NULL), LUN_F64, 1, SHAPE(2), LIST(NAN, NAN));
    lun_release(a);
}

static void test_functions(void **state)
{
    (void)state;
    lun_array *a = counted(2, SHAPE(2, 3)), *id, *out;
    lun_function *add, *max;
    const int axis = 1, first = 0;
    OK(lun_function_op(e, LUN_OP_ADD, &add));
    OK(lun_function_op(e, LUN_OP_MAX, &max));
    OK(lun_number(e, 100, &id));
    OK(lun_fold_along(e, add, id, a, &axis, 1, false, &out));
    holds(out, LUN_F64, 1, SHAPE(2), LIST(106, 115));
    OK(lun_fold_along(e, max, NULL, a, &first, 1, true, &out));
    holds(out, LUN_F64, 2, SHAPE(1, 3), LIST(4, 5, 6));
    OK(lun_fold_along(e, add, NULL, a, NULL, 0, false, &out));
    holds(out, LUN_F64, 0, NULL, LIST(21));
    OK(lun_scan_along(e, add, id, a, 1, false, &out));
    holds(out, LUN_F64, 2, SHAPE(2, 3), LIST(100, 101, 103, 100, 104, 109));
    OK(lun_scan_along(e, add, NULL, a, 0, true, &out));
    holds(out, LUN_F64, 2, SHAPE(2, 3), LIST(1, 2, 3, 5, 7, 9));
    lun_release(a);
    a = counted(1, SHAPE(3));
    OK(lun_scan_along(e, add, NULL, a, 0, true, &out));
    holds(out, LUN_F64, 1, SHAPE(3), LIST(1, 3, 6));
    lun_release(a);
    lun_release(id);
    lun_function_release(add);
    lun_function_release(max);
}

/* One graph after the other, of another length of line: plans that are remembered go with all. */
static void test_lines_of_any_length(void **state)
{
    (void)state;
    lun_function *add;
    OK(lun_function_op(e, LUN_OP_ADD, &add));
    for (int64_t rows = 1; rows <= 12; rows++) {
        if (12 % rows)
            continue;
        lun_array *a = counted(2, SHAPE(rows, 12 / rows)), *b;
        double sums[12], scanned[12];
        for (int64_t i = 0; i < 12; i++) {
            bool begins = i % (12 / rows) == 0;
            double before = begins ? 0 : scanned[i - 1];
            scanned[i] = before + (double)i + 1;
            sums[i / (12 / rows)] = scanned[i];
        }
        OK(lun_copy(e, a, &b));
        holds(along(LUN_SUM, b, 1, NULL), LUN_F64, 1, SHAPE(rows), sums);
        lun_array *scan;
        OK(lun_scan_along(e, add, NULL, b, 1, true, &scan));
        holds(scan, LUN_F64, 2, SHAPE(rows, 12 / rows), scanned);
        lun_release(a);
        lun_release(b);
    }
    lun_function_release(add);
}

static void test_refusals(void **state)
{
    (void)state;
    lun_array *a = counted(2, SHAPE(2, 3)), *number, *out;
    lun_function *sub;
    const int over = 2, under = -1;
    OK(lun_function_op(e, LUN_OP_SUB, &sub));
    OK(lun_number(e, 1, &number));
    FAILS(lun_along(e, LUN_SUM, a, &over, 1, NULL, &out), LUN_ESHAPE,
          "axis 2 is out of range: f64[2, 3] has 2");
    FAILS(lun_along(e, LUN_SUM, a, &under, 1, NULL, &out), LUN_ESHAPE, "out of range");
    FAILS(lun_along(e, LUN_SUM, a, (const int[]){1, 1}, 2, NULL, &out), LUN_ESHAPE,
          "axis 1 of f64[2, 3] is given twice");
    lun_array *cube = counted(3, SHAPE(2, 2, 2));
    FAILS(lun_along(e, LUN_ARGMIN, cube, (const int[]){0, 1}, 2, NULL, &out), LUN_EARG,
          "argmin reduces along one axis or over the whole array, not along several axes");
    lun_release(cube);
    FAILS(lun_along(e, LUN_SUM, a, NULL, -2, NULL, &out), LUN_ESHAPE,
          "the number of axes is negative: -2");
    OK(lun_along(e, LUN_SUM, a, NULL, LUN_NO_AXES, NULL, &out));
    holds(out, LUN_F64, 2, SHAPE(2, 3), LIST(1, 2, 3, 4, 5, 6));
    FAILS(lun_along(e, (lun_reduction)99, a, NULL, 0, NULL, &out), LUN_EARG, "no such reduction");
    FAILS(lun_along(e, LUN_SUM, number, NULL, 0, NULL, &out), LUN_EARG,
          "array expected, got a number");
    FAILS(lun_along(e, LUN_SUM, NULL, NULL, 0, NULL, &out), LUN_EARG, "");
    assert_int_equal(lun_along(e, LUN_SUM, a, NULL, 1, NULL, &out), LUN_EARG);
    assert_int_equal(lun_along(e, LUN_SUM, a, NULL, 0, NULL, NULL), LUN_EARG);
    FAILS(lun_fold_along(e, sub, NULL, a, NULL, 0, false, &out), LUN_EARG, "not associative");
    FAILS(lun_fold_along(e, NULL, NULL, a, NULL, 0, false, &out), LUN_EARG, "no function");
    FAILS(lun_scan_along(e, sub, NULL, a, 5, false, &out), LUN_ESHAPE, "axis 5 is out of range");
    OK(lun_free(e, a));
    assert_int_equal(lun_along(e, LUN_SUM, a, NULL, 0, NULL, &out), LUN_EFREED);
    lun_release(a);
    lun_release(number);
    lun_function_release(sub);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test_setup_teardown(test_axes_go_or_are_kept, kit_reference_open, kit_close),
        cmocka_unit_test_setup_teardown(test_several_axes, kit_reference_open, kit_close),
        cmocka_unit_test_setup_teardown(test_options, kit_reference_open, kit_close),
        cmocka_unit_test_setup_teardown(test_empty_axes, kit_reference_open, kit_close),
        cmocka_unit_test_setup_teardown(test_functions, kit_reference_open, kit_close),
        cmocka_unit_test_setup_teardown(test_lines_of_any_length, kit_reference_open, kit_close),
        cmocka_unit_test_setup_teardown(test_refusals, kit_reference_open, kit_close),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
