/* dense_test.c - lun_lu and its like from C: what they give, and what is refused.  Bits and values
 * are tests/spec/math's. */
#include <math.h>

#include "array_kit.h"
#include "lunarray_bind.h"

static lun_array *matrix(const double *x, int rank, const int64_t *shape)
{
    int64_t n = 1;
    lun_array *flat, *out;
    for (int k = 0; k < rank; k++)
        n *= shape[k];
    flat = vector(x, n);
    OK(lun_reshape(e, flat, rank, shape, &out));
    lun_release(flat);
    return out;
}

/* a has these elements; it is released. */
static void holds(lun_array *a, int64_t n, const double *wanted)
{
    assert_int_equal(lun_size(a), n);
    for (int64_t i = 0; i < n; i++) {
        lun_value v;
        OK(lun_get(e, a, i, &v));
        assert_true(v.as.d == wanted[i]);
    }
    lun_release(a);
}

#define LIST(...)    \
    (const double[]) \
    {                \
        __VA_ARGS__  \
    }
static const int64_t square[] = {2, 2}, right[] = {2, 1}, oblong[] = {2, 3}, high[] = {3, 2},
                     batch[] = {2, 1, 1};

static void test_factors_and_solutions(void **state)
{
    (void)state;
    lun_array *a = matrix(LIST(1, 3, 2, 4), 2, square), *b = matrix(LIST(5, 8), 2, right), *lu, *x;
    OK(lun_lu(e, a, &lu));
    OK(lun_lu_solve(e, lu, b, &x));
    holds(x, 2, LIST(2, 1));
    OK(lun_lu_det(e, lu, 0, &x));
    holds(x, 1, LIST(-2));
    OK(lun_lu_det(e, lu, LUN_SIGN, &x));
    holds(x, 1, LIST(-1));
    OK(lun_lu_det(e, lu, LUN_LOGARITHM, &x));
    lun_value v;
    OK(lun_get(e, x, 0, &v));
    assert_true(fabs(v.as.d - log(2)) < 1e-15);
    lun_release(x);
    holds(lu, 8, LIST(2, 4, 0.5, 1, 1, 0, 1, 1));
    lun_release(a);
    a = matrix(LIST(4, 99, 2, 5), 2, square);
    OK(lun_cholesky(e, a, &x));
    holds(x, 4, LIST(2, 1, 0, 2));
    OK(lun_solve_triangular(e, a, b, 0, &x));
    holds(x, 2, LIST(1.25, 1.1));
    OK(lun_solve_triangular(e, a, b, LUN_UNIT | LUN_TRANSPOSED, &x));
    holds(x, 2, LIST(-11, 8));
    lun_release(a);
    a = matrix(LIST(5, 99, 0, 2), 2, square);
    OK(lun_eigh(e, a, LUN_VALUES, &x));
    holds(x, 2, LIST(2, 5));
    OK(lun_eigh(e, a, 0, &x));
    holds(x, 6, LIST(2, 5, 0, 1, 1, 0));
    OK(lun_eig(e, a, LUN_VALUES, &x));
    holds(x, 4, LIST(2, 5, 0, 0));
    lun_release(a);
    a = matrix(LIST(3, 0, 0, 2), 2, square);
    OK(lun_eig(e, a, 0, &x));
    holds(x, 12, LIST(2, 3, 0, 0, 0, 1, 1, 0, 0, 0, 0, 0));
    lun_release(a);
    a = matrix(LIST(0, -2, 0), 2, (const int64_t[]){3, 1});
    OK(lun_qr(e, a, 0, &x));
    holds(x, 4, LIST(0, -1, 0, 2));
    OK(lun_qr(e, a, LUN_TRIANGULAR, &x));
    holds(x, 1, LIST(2));
    OK(lun_qr(e, a, LUN_COMPLETE, &x));
    assert_int_equal(lun_size(x), 12);
    lun_release(x);
    OK(lun_svd(e, a, 0, &x));
    holds(x, 5, LIST(0, -1, 0, 2, 1));
    OK(lun_svd(e, a, LUN_VALUES, &x));
    holds(x, 1, LIST(2));
    lun_release(a);
    lun_release(b);
}

static void test_complex_matrices(void **state)
{
    (void)state;
    lun_array *re = matrix(LIST(0, 0), 2, (const int64_t[]){2, 1}), *x, *a;
    lun_array *im = matrix(LIST(0, -2), 2, (const int64_t[]){2, 1});
    OK(lun_complex(e, re, im, &a));
    lun_release(re);
    lun_release(im);
    OK(lun_qr(e, a, 0, &x));
    assert_int_equal(lun_dtype_of(x), LUN_C128);
    OK(lun_imag(e, x, &im));
    holds(im, 3, LIST(0, -1, 0));
    lun_release(x);
    OK(lun_svd(e, a, LUN_VALUES, &x));
    assert_int_equal(lun_dtype_of(x), LUN_F64);
    holds(x, 1, LIST(2));
    OK(lun_svd(e, a, 0, &x));
    OK(lun_real(e, x, &re));
    holds(re, 4, LIST(0, 0, 2, 1));
    lun_release(x);
    lun_release(a);
    re = matrix(LIST(3, 0, 0, 2), 2, square);
    im = matrix(LIST(0, 99, 0, 0), 2, square);
    OK(lun_complex(e, re, im, &a));
    OK(lun_eigh(e, a, LUN_VALUES, &x));
    assert_int_equal(lun_dtype_of(x), LUN_F64);
    holds(x, 2, LIST(2, 3));
    OK(lun_eig(e, a, LUN_VALUES, &x));
    holds(x, 4, LIST(2, 3, 0, 0));
    lun_release(a);
    lun_release(re);
    lun_release(im);
}

static void test_refusals(void **state)
{
    (void)state;
    lun_array *a = matrix(LIST(1, 2, 2, 4), 2, square), *b = matrix(LIST(1, 1), 2, right), *lu, *x;
    lun_array *wide = matrix(LIST(1, 2, 3, 4, 5, 6), 2, oblong), *number;
    lun_array *tall = matrix(LIST(1, 2, 3, 4, 5, 6), 2, high);
    lun_array *none = matrix(LIST(0), 2, (const int64_t[]){3, 0});
    FAILS(lun_lu(e, wide, &x), LUN_ESHAPE, "matrix of shape 2 x 3 is not square");
    FAILS(lun_eigh(e, wide, 0, &x), LUN_ESHAPE, "matrix of shape 2 x 3 is not square");
    FAILS(lun_cholesky(e, NULL, &x), LUN_EARG, "");
    FAILS(lun_eigh(e, a, 2, &x), LUN_EARG, "");
    FAILS(lun_eig(e, a, 2, &x), LUN_EARG, "");
    FAILS(lun_eig(e, wide, 0, &x), LUN_ESHAPE, "matrix of shape 2 x 3 is not square");
    FAILS(lun_qr(e, a, 3, &x), LUN_EARG, "");
    FAILS(lun_svd(e, a, 2, &x), LUN_EARG, "");
    FAILS(lun_svd(e, none, 0, &x), LUN_ESHAPE, "matrix is empty");
    FAILS(lun_qr(e, none, 0, &x), LUN_ESHAPE, "matrix is empty");
    FAILS(lun_solve_triangular(e, a, b, 8, &x), LUN_EARG, "");
    OK(lun_number(e, 1, &number));
    FAILS(lun_lu(e, number, &x), LUN_ESHAPE, "a matrix expected, got");
    OK(lun_lu(e, a, &lu));
    FAILS(lun_lu_solve(e, lu, tall, &x), LUN_ESHAPE, "right sides do not fit matrices of 2 rows");
    OK(lun_lu_solve(e, lu, b, &x));
    FAILS(lun_eval(e, &x, 1), LUN_EARG, "matrix is singular (pivot 2 is 0)");
    assert_int_equal(lun_error_operand(e), -1);
    FAILS(lun_eval(e, &x, 1), LUN_EARG, "matrix is singular (pivot 2 is 0)"); /* again */
    lun_release(x);
    OK(lun_cholesky(e, a, &x));
    FAILS(lun_eval(e, &x, 1), LUN_EARG, "matrix is not positive definite (leading minor 2)");
    lun_release(x);
    lun_release(a);
    a = matrix(LIST(1, NAN), 3, batch);
    OK(lun_eigh(e, a, 0, &x));
    FAILS(lun_eval(e, &x, 1), LUN_EARG, "matrix 2 of 2 contains NaN or infinity");
    lun_release(x);
    OK(lun_svd(e, a, 0, &x));
    FAILS(lun_eval(e, &x, 1), LUN_EARG, "matrix 2 of 2 contains NaN or infinity");
    lun_release(x);
    lun_release(a);
    lun_release(b);
    lun_release(lu);
    lun_release(wide);
    lun_release(tall);
    lun_release(none);
    lun_release(number);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test_setup_teardown(test_factors_and_solutions, kit_reference_open, kit_close),
        cmocka_unit_test_setup_teardown(test_complex_matrices, kit_reference_open, kit_close),
        cmocka_unit_test_setup_teardown(test_refusals, kit_reference_open, kit_close),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
