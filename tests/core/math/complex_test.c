/* complex_test.c - complex arrays from C: parts, lanes, elements, DLPack, and what is refused. */
#include <string.h>

#include "array_kit.h"
#include "lunarray_bind.h"
#include "lunarray_dlpack.h"

/* a, which is released, has these elements, pairs of parts. */
static void holds(lun_array *a, lun_dtype t, const double *wanted, int64_t n)
{
    double re, im;
    assert_int_equal(lun_dtype_of(a), t);
    assert_int_equal(lun_size(a), n);
    for (int64_t k = 0; k < n; k++) {
        OK(lun_getcomplex(e, a, k, &re, &im));
        assert_true(re == wanted[2 * k] && im == wanted[2 * k + 1]);
    }
    lun_release(a);
}

static lun_array *floats(const double *x, int64_t n)
{
    lun_array *a;
    OK(lun_vector(e, x, n, LUN_F64, &a));
    return a;
}

/* 1 + 3i and 2 + 4i. */
static lun_array *two(void)
{
    lun_array *re = floats((double[]){1, 2}, 2), *im = floats((double[]){3, 4}, 2), *a;
    OK(lun_complex(e, re, im, &a));
    lun_release(re);
    lun_release(im);
    return a;
}

static void test_parts(void **state)
{
    (void)state;
    lun_array *a = two(), *part, *out;
    double x[4];
    OK(lun_read(e, a, x, 0, 2));
    assert_memory_equal(x, ((double[]){1, 3, 2, 4}), sizeof x);
    OK(lun_conj(e, a, &out));
    holds(out, LUN_C128, (double[]){1, -3, 2, -4}, 2);
    OK(lun_imag(e, a, &part));
    OK(lun_set(e, part, 0, (lun_value){.dtype = LUN_F64, .as.d = 9}));
    lun_release(part);
    OK(lun_real(e, a, &part));
    OK(lun_set(e, part, 1, (lun_value){.dtype = LUN_F64, .as.d = 7}));
    lun_release(part);
    OK(lun_setcomplex(e, a, 1, 7, -1));
    OK(lun_mul(e, a, a, &out));
    holds(out, LUN_C128, (double[]){-80, 18, 48, -14}, 2);
    OK(lun_cast(e, a, LUN_C64, &out));
    holds(out, LUN_C64, (double[]){1, 9, 7, -1}, 2);
    OK(lun_abs(e, a, &out));
    assert_int_equal(lun_dtype_of(out), LUN_F64);
    lun_release(out);
    lun_release(a);
    assert_int_equal(lun_complex_part(LUN_C64), LUN_F32);
    assert_int_equal(lun_complex_part(LUN_F64), LUN_DTYPE_COUNT);
    assert_int_equal(lun_dtype_size(LUN_C128), 16);
}

static void test_lanes(void **state)
{
    (void)state;
    const int64_t shape[] = {2, 3, 2};
    float x[12];
    int64_t got[LUN_MAX_RANK];
    lun_array *lanes, *a, *back, *again, *double_a;
    for (int k = 0; k < 12; k++)
        x[k] = (float)k;
    OK(lun_tensor(e, x, 3, shape, LUN_F32, &lanes));
    OK(lun_complex_of(e, lanes, &a));
    assert_int_equal(lun_dtype_of(a), LUN_C64);
    assert_int_equal(lun_shape(a, got), 2);
    assert_int_equal(got[1], 3);
    OK(lun_complex_lanes(e, a, &back));
    assert_int_equal(lun_shape(back, got), 3);
    assert_int_equal(got[2], 2);
    float y[12];
    OK(lun_read(e, back, y, 0, 12));
    assert_memory_equal(x, y, sizeof x);
    lun_release(back);
    OK(lun_setcomplex(e, a, 0, 50, 60)); /* the lanes that it was made of stay */
    OK(lun_read(e, lanes, y, 0, 12));
    assert_memory_equal(x, y, sizeof x);
    OK(lun_add(e, a, a, &double_a));
    OK(lun_complex_lanes(e, double_a, &again));
    OK(lun_read(e, again, y, 0, 12));
    assert_true(y[0] == 100 && y[1] == 120 && y[2] == 4 && y[11] == 22);
    lun_release(again);
    lun_release(double_a);
    lun_release(a);
    lun_release(lanes);
}

static void test_dlpack(void **state)
{
    (void)state;
    lun_array *a = two(), *back;
    DLManagedTensorVersioned *m;
    OK(lun_to_dlpack(e, a, &m));
    assert_int_equal(m->dl_tensor.dtype.code, kDLComplex);
    assert_int_equal(m->dl_tensor.dtype.bits, 128);
    assert_int_equal(m->dl_tensor.ndim, 1);
    assert_int_equal(m->dl_tensor.strides[0], 1);
    assert_memory_equal(m->dl_tensor.data, ((double[]){1, 3, 2, 4}), 4 * sizeof(double));
    OK(lun_from_dlpack(e, m, &back));
    holds(back, LUN_C128, (double[]){1, 3, 2, 4}, 2);
    lun_release(a);
}

static void test_refused(void **state)
{
    (void)state;
    lun_array *a = two(), *x = floats((double[]){1, 3}, 2), *three, *out;
    lun_value v;
    const void *data;
    double re, im;
    assert_int_equal(lun_lt(e, a, a, &out), LUN_EDTYPE);
    assert_int_equal(lun_cast(e, a, LUN_F64, &out), LUN_EDTYPE);
    assert_int_equal(lun_store(e, x, a), LUN_EDTYPE);
    assert_int_equal(lun_get(e, a, 0, &v), LUN_EDTYPE);
    assert_int_equal(lun_data(e, a, &data), LUN_EDTYPE);
    assert_int_equal(lun_total(e, LUN_SUM, a, 0, &v), LUN_EDTYPE);
    assert_int_equal(lun_complex(e, a, x, &out), LUN_EDTYPE);
    assert_int_equal(lun_complex(e, NULL, x, &out), LUN_EARG);
    three = floats((double[]){1, 2, 3}, 3);
    assert_int_equal(lun_complex_of(e, three, &out), LUN_ESHAPE);
    lun_release(three);
    assert_int_equal(lun_complex_of(e, a, &out), LUN_EDTYPE);
    assert_int_equal(lun_complex_lanes(e, x, &out), LUN_EDTYPE);
    assert_int_equal(lun_getcomplex(e, x, 0, &re, &im), LUN_EDTYPE);
    assert_int_equal(lun_getcomplex(e, a, 2, &re, &im), LUN_ERANGE);
    assert_int_equal(lun_setcomplex(e, a, -1, 0, 0), LUN_ERANGE);
    assert_int_equal(lun_set_missing(e, a, 0), LUN_EDTYPE);
    lun_release(a);
    lun_release(x);
}

/* Values are those of NumPy 2.4: tests/spec/math/complex_moves.py. */
static void test_made_and_written(void **state)
{
    (void)state;
    const double pairs[] = {1, 2, -3, 0.5, 0, 4};
    const float narrow[] = {1, 2, -3, 0.5F};
    lun_array *a, *i, *x, *out;
    OK(lun_vector(e, narrow, 2, LUN_C64, &a));
    holds(a, LUN_C64, (double[]){1, 2, -3, 0.5}, 2);
    OK(lun_full(e, 1, (int64_t[]){2}, LUN_C128, (lun_value){.dtype = LUN_F64, .as.d = 2.5}, &a));
    holds(a, LUN_C128, (double[]){2.5, 0, 2.5, 0}, 2);
    OK(lun_vector(e, NULL, 3, LUN_C128, &a));
    OK(lun_write(e, a, pairs, 0, 3));
    OK(lun_set(e, a, 0, (lun_value){.dtype = LUN_F64, .as.d = 7}));
    OK(lun_write(e, a, pairs + 4, 1, 1));
    assert_int_equal(lun_write(e, a, pairs, 2, 2), LUN_ERANGE);
    lun_retain(a);
    holds(a, LUN_C128, (double[]){7, 0, 0, 4, 0, 4}, 3);
    OK(lun_vector(e, (int64_t[]){2, 2, 0}, 3, LUN_I64, &i));
    OK(lun_vector(e, pairs, 3, LUN_C128, &x));
    OK(lun_put(e, a, i, x, 0, LUN_OP_ADD));
    lun_retain(a);
    holds(a, LUN_C128, (double[]){7, 4, 0, 4, -2, 6.5}, 3);
    OK(lun_put(e, a, i, x, 0, LUN_OP_NONE));
    lun_retain(a);
    holds(a, LUN_C128, (double[]){0, 4, 0, 4, -3, 0.5}, 3);
    assert_int_equal(lun_put(e, a, i, x, 0, LUN_OP_MAX), LUN_EDTYPE);
    OK(lun_fill(e, a, (lun_value){.dtype = LUN_I64, .as.i = 3}));
    holds(a, LUN_C128, (double[]){3, 0, 3, 0, 3, 0}, 3);
    lun_array *real = floats((double[]){1, 2, 3}, 3);
    assert_int_equal(lun_put(e, real, i, x, 0, LUN_OP_NONE), LUN_EDTYPE);
    lun_release(real);
    OK(lun_complex_number(e, 0, 1, &out));
    OK(lun_mul(e, x, out, &a));
    holds(a, LUN_C128, (double[]){-2, 1, -0.5, -3, -4, 0}, 3);
    lun_release(out);
    lun_release(i);
    lun_release(x);
}

static void test_combined(void **state)
{
    (void)state;
    const double pairs[] = {1, 2, -3, 0.5, 0, 4};
    lun_array *a, *out, *id;
    lun_function *plus, *times, *most;
    OK(lun_vector(e, pairs, 3, LUN_C128, &a));
    OK(lun_function_op(e, LUN_OP_ADD, &plus));
    OK(lun_function_op(e, LUN_OP_MUL, &times));
    OK(lun_function_op(e, LUN_OP_MAX, &most));
    OK(lun_complex_number(e, 0, 1, &id));
    OK(lun_reduce(e, plus, NULL, a, &out));
    holds(out, LUN_C128, (double[]){-2, 6.5}, 1);
    OK(lun_reduce(e, times, NULL, a, &out));
    holds(out, LUN_C128, (double[]){22, -16}, 1);
    OK(lun_reduce(e, times, id, a, &out));
    holds(out, LUN_C128, (double[]){16, 22}, 1);
    OK(lun_along(e, LUN_PROD, a, NULL, 0, NULL, &out));
    holds(out, LUN_C128, (double[]){22, -16}, 1);
    OK(lun_scan(e, plus, NULL, a, true, &out));
    holds(out, LUN_C128, (double[]){1, 2, -2, 2.5, -2, 6.5}, 3);
    OK(lun_scan(e, times, NULL, a, false, &out));
    holds(out, LUN_C128, (double[]){1, 0, 1, 2, -4, -5.5}, 3);
    OK(lun_zip(e, times, a, a, NULL, 0, &out));
    holds(out, LUN_C128, (double[]){-3, 4, 8.75, -3, -16, 0}, 3);
    assert_int_equal(lun_reduce(e, most, NULL, a, &out), LUN_EDTYPE);
    assert_int_equal(lun_scan(e, most, NULL, a, true, &out), LUN_EDTYPE);
    lun_release(id);
    lun_release(a);
    lun_function_release(plus);
    lun_function_release(times);
    lun_function_release(most);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test_setup_teardown(test_parts, kit_reference_open, kit_close),
        cmocka_unit_test_setup_teardown(test_lanes, kit_reference_open, kit_close),
        cmocka_unit_test_setup_teardown(test_dlpack, kit_reference_open, kit_close),
        cmocka_unit_test_setup_teardown(test_made_and_written, kit_reference_open, kit_close),
        cmocka_unit_test_setup_teardown(test_combined, kit_reference_open, kit_close),
        cmocka_unit_test_setup_teardown(test_refused, kit_reference_open, kit_close),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
