/* fft_test.c - lun_fft and its like from C: what they give, and what is refused.  Bits and values
 * are tests/spec/math's. */
#include "array_kit.h"
#include "lunarray_bind.h"

enum { MOST = 16 };

#define LIST(...)    \
    (const double[]) \
    {                \
        __VA_ARGS__  \
    }

#define OPTIONS(...)                                 \
    {                                                \
        .size = sizeof(lun_fft_options), __VA_ARGS__ \
    }

/* a has these elements, of complex ones the parts; it is released. */
static void holds(lun_array *a, lun_dtype t, int64_t n, const double *wanted)
{
    double got[MOST];
    assert_int_equal(lun_dtype_of(a), t);
    assert_int_equal(lun_size(a), n);
    OK(lun_read(e, a, got, 0, n));
    for (int64_t k = 0; k < (t == LUN_C128 ? 2 * n : n); k++)
        assert_true(got[k] == wanted[k]);
    lun_release(a);
}

static void test_transforms(void **state)
{
    (void)state;
    const lun_fft_options forward = OPTIONS(.axis = -1, .norm = LUN_NORM_FORWARD);
    const lun_fft_options ortho = OPTIONS(.norm = LUN_NORM_ORTHO),
                          two = OPTIONS(.n = 2, .axis = -1);
    lun_array *a = vector(LIST(1, 2, 3, 4), 4), *z, *half, *x;
    OK(lun_fft(e, a, NULL, &z));
    OK(lun_rfft(e, a, NULL, &half));
    OK(lun_ifft(e, z, NULL, &x));
    holds(x, LUN_C128, 4, LIST(1, 0, 2, 0, 3, 0, 4, 0));
    OK(lun_irfft(e, half, NULL, &x));
    holds(x, LUN_F64, 4, LIST(1, 2, 3, 4));
    OK(lun_hfft(e, half, &forward, &x));
    holds(x, LUN_F64, 4, LIST(1, 4, 3, 2));
    OK(lun_ihfft(e, a, &forward, &x));
    holds(x, LUN_C128, 3, LIST(10, 0, -2, -2, -2, 0));
    OK(lun_fft(e, a, &ortho, &x));
    holds(x, LUN_C128, 4, LIST(5, 0, -1, 1, -1, 0, -1, -1));
    OK(lun_rfft(e, a, &two, &x));
    holds(x, LUN_C128, 2, LIST(3, 0, -1, 0));
    holds(z, LUN_C128, 4, LIST(10, 0, -2, 2, -2, 0, -2, -2));
    holds(half, LUN_C128, 3, LIST(10, 0, -2, 2, -2, 0));
    lun_release(a);
    lun_trim(e); /* gives back the tables */
}

/* Tables of more lengths than are kept, and none after lun_trim. */
static void test_tables(void **state)
{
    (void)state;
    lun_array *a = vector(LIST(1, 2, 3, 4), 4), *x;
    for (int round = 0; round < 2; round++) {
        for (int n = 1; n <= 12; n++) {
            const lun_fft_options o = OPTIONS(.n = n, .axis = -1);
            double got[2 * MOST];
            OK(lun_fft(e, a, &o, &x));
            OK(lun_read(e, x, got, 0, n));
            assert_true(got[0] == (n == 1 ? 1 : n == 2 ? 3 : n == 3 ? 6 : 10));
            lun_release(x);
        }
        lun_trim(e);
    }
    lun_release(a);
}

static void test_refusals(void **state)
{
    (void)state;
    const lun_fft_options negative = OPTIONS(.n = -1, .axis = -1), far = OPTIONS(.axis = 1),
                          odd = OPTIONS(.norm = 3);
    const lun_fft_options long_one = OPTIONS(.n = INT64_MAX, .axis = -1);
    lun_array *a = vector(LIST(1, 2), 2), *one = vector(LIST(1), 1), *none, *number, *z, *x;
    const int64_t nothing = 0;
    OK(lun_full(e, 1, &nothing, LUN_F64, (lun_value){.dtype = LUN_F64}, &none));
    OK(lun_number(e, 1, &number));
    OK(lun_fft(e, a, NULL, &z));
    FAILS(lun_fft(e, NULL, NULL, &x), LUN_EARG, "");
    FAILS(lun_fft(e, a, &negative, &x), LUN_ESHAPE, "an axis of length 0 has no transform");
    FAILS(lun_fft(e, none, NULL, &x), LUN_ESHAPE, "an axis of length 0 has no transform");
    FAILS(lun_irfft(e, one, NULL, &x), LUN_ESHAPE, "an axis of length 0 has no transform");
    FAILS(lun_fft(e, a, &long_one, &x), LUN_ESHAPE, "too many for a transform");
    FAILS(lun_ifft(e, a, &far, &x), LUN_ESHAPE, "axis 1 is out of range: f64[2] has 1");
    FAILS(lun_fft(e, a, &odd, &x), LUN_EARG, "there is no norm 3");
    FAILS(lun_fft(e, number, NULL, &x), LUN_ESHAPE, "an array with an axis expected, got a number");
    FAILS(lun_rfft(e, z, NULL, &x), LUN_EDTYPE, "real numbers expected, got c128[2]");
    FAILS(lun_ihfft(e, z, NULL, &x), LUN_EDTYPE, "real numbers expected, got c128[2]");
    lun_release(a);
    lun_release(one);
    lun_release(none);
    lun_release(number);
    lun_release(z);
    lun_trim(e);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test_setup_teardown(test_transforms, kit_reference_open, kit_close),
        cmocka_unit_test_setup_teardown(test_tables, kit_reference_open, kit_close),
        cmocka_unit_test_setup_teardown(test_refusals, kit_reference_open, kit_close),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
