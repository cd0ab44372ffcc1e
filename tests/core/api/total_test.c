/* total_test.c - whole reductions at the edges of their dtypes, the ends of ranges, and random
 * numbers against a plain Philox4x32-10. */
#include <float.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "array_kit.h"

static double total(lun_reduction r, lun_array *a, int64_t ddof)
{
    lun_value v;
    OK(lun_total(e, r, a, ddof, &v));
    return v.dtype == LUN_F64 ? v.as.d : (double)v.as.i;
}

/* Of the elements as they are, and of an expression that gives the same. */
static double total_of(lun_reduction r, const double *x, int64_t n, int64_t ddof)
{
    lun_array *a = vector(x, n), *minus, *same;
    double d = total(r, a, ddof);
    OK(lun_neg(e, a, &minus));
    OK(lun_eval(e, &minus, 1));
    OK(lun_neg(e, minus, &same));
    double lazy = total(r, same, ddof);
    if (r != LUN_VAR && r != LUN_STD)
        assert_true(d == lazy || (isnan(d) && isnan(lazy)));
    lun_release(a);
    lun_release(minus);
    lun_release(same);
    return d;
}

#define COUNT_OF(x) (int64_t)(sizeof(x) / sizeof *(x))

static void test_nan_and_infinity(void **state)
{
    (void)state;
    const double nan[] = {1, NAN, -3, NAN, 5}, inf[] = {1, INFINITY, 2},
                 both[] = {INFINITY, -INFINITY};
    const double all_nan[] = {NAN, NAN}, zeros[] = {-0.0, 0.0};
    assert_true(isnan(total_of(LUN_MIN, nan, 5, 0)) && isnan(total_of(LUN_MAX, nan, 5, 0)));
    assert_true(total_of(LUN_ARGMIN, nan, 5, 0) == 1 && total_of(LUN_ARGMAX, nan, 5, 0) == 1);
    assert_true(total_of(LUN_ARGMIN, all_nan, 2, 0) == 0);
    assert_true(isnan(total_of(LUN_SUM, nan, 5, 0)) && isnan(total_of(LUN_MEAN, nan, 5, 0)));
    assert_true(isnan(total_of(LUN_VAR, nan, 5, 0)) && isnan(total_of(LUN_STD, nan, 5, 0)));
    assert_true(total_of(LUN_MEAN, inf, 3, 0) == INFINITY);
    assert_true(isnan(total_of(LUN_VAR, inf, 3, 0)));
    assert_true(isnan(total_of(LUN_MEAN, both, 2, 0)));
    assert_true(total_of(LUN_ARGMAX, inf, 3, 0) == 1 && total_of(LUN_MAX, inf, 3, 0) == INFINITY);
    assert_true(total_of(LUN_COUNT, nan, 5, 0) == 5); /* NaN is not zero */
    assert_true(total_of(LUN_COUNT, zeros, 2, 0) == 0);
    assert_true(total_of(LUN_ARGMIN, zeros, 2, 0) == 0);
}

static void test_ties_take_the_first(void **state)
{
    (void)state;
    double x[200];
    for (int i = 0; i < 200; i++)
        x[i] = i % 50;
    assert_true(total_of(LUN_ARGMIN, x, 200, 0) == 0);
    assert_true(total_of(LUN_ARGMAX, x, 200, 0) == 49);
    const uint8_t b[4] = {0, 1, 1, 0};
    lun_array *a;
    OK(lun_vector(e, b, 4, LUN_BOOL, &a));
    assert_true(total(LUN_ARGMAX, a, 0) == 1 && total(LUN_ARGMIN, a, 0) == 0);
    assert_true(total(LUN_SUM, a, 0) == 2 && total(LUN_MEAN, a, 0) == 0.5);
    lun_release(a);
}

static void test_few_elements(void **state)
{
    (void)state;
    const double one[] = {3}, two[] = {1, 3};
    assert_true(total_of(LUN_MEAN, one, 1, 0) == 3 && total_of(LUN_VAR, one, 1, 0) == 0);
    assert_true(isnan(total_of(LUN_VAR, one, 1, 1)) && isnan(total_of(LUN_STD, one, 1, 1)));
    assert_true(isnan(total_of(LUN_VAR, two, 2, 3)));
    assert_true(isnan(total_of(LUN_VAR, two, 2, INT64_MAX)));
    assert_true(total_of(LUN_VAR, two, 2, 1) == 2 && total_of(LUN_VAR, two, 2, -2) == 0.5);
    assert_true(total_of(LUN_NORM, two, 2, 0) == sqrt(10));
    lun_array *k;
    OK(lun_integer(e, 7, &k));
    assert_true(total(LUN_SUM, k, 0) == 7 && total(LUN_MEAN, k, 0) == 7);
    assert_true(total(LUN_ARGMAX, k, 0) == 0);
    lun_release(k);
}

static void test_a_failure_has_no_result(void **state)
{
    const int64_t of[] = {7, 9}, by[] = {2, 0};
    (void)state;
    for (int r = 0; r < LUN_REDUCTION_COUNT; r++) {
        lun_value v = {.dtype = LUN_DTYPE_COUNT, .as.u = 5};
        lun_array *a, *b, *divided;
        OK(lun_vector(e, of, 2, LUN_I64, &a));
        OK(lun_vector(e, by, 2, LUN_I64, &b));
        OK(lun_idiv(e, a, b, &divided));
        FAILS(lun_total(e, (lun_reduction)r, divided, 0, &v), LUN_EZERO, "n//0");
        assert_true(v.dtype == LUN_DTYPE_COUNT && v.as.u == 5);
        lun_release(a);
        lun_release(b);
        lun_release(divided);
    }
}

static void test_huge_values(void **state)
{
    (void)state;
    const double x[] = {DBL_MAX, DBL_MAX, DBL_MAX}, y[] = {DBL_MAX, -DBL_MAX, DBL_MAX, DBL_MAX};
    const double close[] = {1e200, 1e200, 1e200, 1e200}, mixed[] = {DBL_MAX, DBL_MAX, 5e-324};
    assert_true(total_of(LUN_MEAN, x, 3, 0) == DBL_MAX);
    assert_true(total_of(LUN_MEAN, y, 4, 0) == DBL_MAX / 2);
    assert_true(total_of(LUN_MEAN, mixed, 3, 0) == DBL_MAX / 3 * 2);
    assert_true(total_of(LUN_VAR, close, 4, 0) == 0);
    lun_array *a, *b;
    const int64_t n = 10;
    OK(lun_full(e, 1, &n, LUN_F64, (lun_value){.dtype = LUN_F64, .as.d = 1e200}, &a));
    assert_true(total(LUN_VAR, a, 0) == 0 && total(LUN_STD, a, 1) == 0); /* no element to look at */
    const float f[] = {FLT_MAX, FLT_MAX};
    OK(lun_vector(e, f, 2, LUN_F32, &b));
    assert_true(total(LUN_MEAN, b, 0) == (double)FLT_MAX);
    assert_true(total(LUN_SUM, b, 0) == 2 * (double)FLT_MAX);
    lun_release(a);
    lun_release(b);
}

static void test_integers_at_their_ends(void **state)
{
    (void)state;
    const int64_t s[] = {INT64_MIN, INT64_MAX, INT64_MIN};
    const uint64_t u[] = {UINT64_MAX, 1, UINT64_MAX};
    const int8_t c[] = {-128, 127, -128};
    lun_value v;
    lun_array *a;
    OK(lun_vector(e, s, 3, LUN_I64, &a));
    OK(lun_total(e, LUN_SUM, a, 0, &v));
    assert_true(v.dtype == LUN_I64 && v.as.i == INT64_MAX); /* wraps */
    OK(lun_total(e, LUN_MIN, a, 0, &v));
    assert_true(v.as.i == INT64_MIN);
    OK(lun_total(e, LUN_MAX, a, 0, &v));
    assert_true(v.as.i == INT64_MAX);
    assert_true(total(LUN_ARGMAX, a, 0) == 1);
    assert_true(total(LUN_MEAN, a, 0) == -0x1p63 / 3);
    lun_release(a);
    OK(lun_vector(e, u, 3, LUN_U64, &a));
    OK(lun_total(e, LUN_SUM, a, 0, &v));
    assert_true(v.dtype == LUN_U64 && v.as.u == UINT64_MAX);
    OK(lun_total(e, LUN_MAX, a, 0, &v));
    assert_true(v.dtype == LUN_U64 && v.as.u == UINT64_MAX);
    assert_true(total(LUN_ARGMIN, a, 0) == 1 && total(LUN_ARGMAX, a, 0) == 0);
    assert_true(total(LUN_MEAN, a, 0) == 0x1p65 / 3);
    lun_release(a);
    OK(lun_vector(e, c, 3, LUN_I8, &a));
    assert_true(total(LUN_SUM, a, 0) == -129 && total(LUN_PROD, a, 0) == 128 * 127 * 128);
    assert_true(total(LUN_ARGMIN, a, 0) == 0 && total(LUN_NORM, a, 0) == sqrt(48897));
    lun_release(a);
}

static void test_every_length_has_its_extremes(void **state)
{
    (void)state; /* the only NaN, or the only smallest one, is found wherever it stands */
    static double x[300];
    for (int64_t n = 1; n < 300; n += n < 70 ? 1 : 37)
        for (int64_t at = 0; at < n; at += 1 + n / 9) {
            for (int64_t i = 0; i < n; i++)
                x[i] = (double)(i % 7) + 1;
            x[at] = -1;
            assert_true(total_of(LUN_ARGMIN, x, n, 0) == (double)at);
            assert_true(total_of(LUN_MIN, x, n, 0) == -1);
            x[at] = NAN;
            assert_true(total_of(LUN_ARGMAX, x, n, 0) == (double)at);
            assert_true(isnan(total_of(LUN_MAX, x, n, 0)));
        }
}

/* ---- ranges ---------------------------------------------------------------------------------- */

static void test_ends_of_linspace(void **state)
{
    (void)state;
    const double ends[][2] = {{0.1, 7}, {-1, 1}, {1, -1}, {-DBL_MAX, DBL_MAX}, {3, 3}, {1e-320, 1}};
    for (int k = 0; k < 6; k++)
        for (int64_t n = 0; n < 12; n++) {
            lun_array *a;
            double x[12];
            OK(lun_linspace(e, ends[k][0], ends[k][1], n, LUN_F64, &a));
            OK(lun_read(e, a, x, 0, n));
            if (n)
                assert_true(x[0] == ends[k][0]);
            if (n > 1)
                assert_true(x[n - 1] == ends[k][1]);
            for (int64_t i = 1; i < n; i++)
                assert_true(ends[k][0] <= ends[k][1] ? x[i] >= x[i - 1] : x[i] <= x[i - 1]);
            lun_release(a);
        }
    lun_array *a;
    assert_int_equal(lun_linspace(e, 0, 1, 3, LUN_I32, &a), LUN_EDTYPE);
    assert_int_equal(lun_linspace(e, 0, 1, -1, LUN_F64, &a), LUN_ERANGE);
}

static void test_ranges(void **state)
{
    (void)state;
    lun_value v, tenth = {.dtype = LUN_F64, .as.d = 0.1}, down = {.dtype = LUN_I64, .as.i = -3};
    lun_value top = {.dtype = LUN_I64, .as.i = INT64_MAX}, one = {.dtype = LUN_I64, .as.i = 1};
    lun_value big = {.dtype = LUN_U64, .as.u = UINT64_MAX - 4};
    lun_array *a;
    OK(lun_range(e, tenth, tenth, 1000, LUN_F64, &a));
    for (int i = 0; i < 1000; i++) { /* not summed up step by step */
        OK(lun_get(e, a, i, &v));
        assert_true(v.as.d == i * 0.1 + 0.1);
    }
    lun_release(a);
    OK(lun_range(e, top, down, 4, LUN_I64, &a));
    OK(lun_get(e, a, 3, &v));
    assert_true(v.as.i == INT64_MAX - 9);
    lun_release(a);
    OK(lun_range(e, big, one, 5, LUN_U64, &a));
    OK(lun_get(e, a, 4, &v));
    assert_true(v.dtype == LUN_U64 && v.as.u == UINT64_MAX);
    lun_release(a);
    OK(lun_range(e, big, one, 5, LUN_F64, &a));
    OK(lun_get(e, a, 0, &v));
    assert_true(v.as.d == 0x1p64);
    lun_release(a);
    assert_int_equal(lun_range(e, one, one, -1, LUN_I64, &a), LUN_ERANGE);
}

/* ---- random numbers -------------------------------------------------------------------------- */

/* Philox4x32-10 as in Salmon, Moraes, Dror and Shaw 2011, one block at a time. */
static void philox(uint64_t seed, uint64_t block, uint32_t out[4])
{
    uint32_t key[2] = {(uint32_t)seed, (uint32_t)(seed >> 32)};
    uint32_t c[4] = {(uint32_t)block, (uint32_t)(block >> 32), 0, 0};
    for (int round = 0; round < 10; round++) {
        uint64_t a = (uint64_t)0xd2511f53 * c[0], b = (uint64_t)0xcd9e8d57 * c[2];
        uint32_t n[4] = {(uint32_t)(b >> 32) ^ c[1] ^ key[0], (uint32_t)b,
                         (uint32_t)(a >> 32) ^ c[3] ^ key[1], (uint32_t)a};
        memcpy(c, n, sizeof n);
        key[0] += 0x9e3779b9;
        key[1] += 0xbb67ae85;
    }
    memcpy(out, c, sizeof c);
}

static uint32_t word32(uint64_t seed, int64_t k)
{
    uint32_t w[4];
    philox(seed, (uint64_t)k / 4, w);
    return w[k % 4];
}

static uint64_t word64(uint64_t seed, int64_t k)
{
    uint32_t w[4];
    philox(seed, (uint64_t)k / 2, w);
    return (uint64_t)w[2 * (k % 2) + 1] << 32 | w[2 * (k % 2)];
}

static void test_philox_itself(void **state)
{
    (void)state; /* the authors' known answers */
    uint32_t w[4];
    const uint32_t zero[4] = {0x6627e8d5, 0xe169c58d, 0xbc57ac4c, 0x9b00dbd8};
    philox(0, 0, w);
    assert_memory_equal(w, zero, sizeof w);
}

static const lun_dtype random_dtypes[] = {LUN_U32, LUN_I32, LUN_U64, LUN_I64, LUN_F32, LUN_F64};

static void expected(lun_dtype t, uint64_t seed, int64_t k, void *out)
{
    float f = (float)(word32(seed, k) >> 8) * 0x1p-24f;
    double d = (double)(word64(seed, k) >> 11) * 0x1p-53;
    uint32_t w = word32(seed, k);
    uint64_t l = word64(seed, k);
    const void *from = t == LUN_F32             ? (const void *)&f
                       : t == LUN_F64           ? (const void *)&d
                       : lun_dtype_size(t) == 4 ? (const void *)&w
                                                : (const void *)&l;
    memcpy(out, from, (size_t)lun_dtype_size(t));
}

static void test_uniform(void **state)
{
    (void)state;
    enum { N = 300 };
    const uint64_t seeds[] = {0, 1, 42, 0x123456789abcdef0u, UINT64_MAX};
    const int64_t n = N, far = ((int64_t)1 << 35) + 3;
    for (int t = 0; t < 6; t++)
        for (int s = 0; s < 5; s++) {
            unsigned char got[8 * N], want[8];
            size_t size = (size_t)lun_dtype_size(random_dtypes[t]);
            lun_array *a, *b, *part;
            OK(lun_random(e, 1, &n, seeds[s], LUN_UNIFORM, random_dtypes[t], &a));
            OK(lun_slice(e, a, 297, 100, -3, &part)); /* from the back, by threes */
            OK(lun_read(e, part, got, 0, 100));
            for (int64_t i = 0; i < 100; i++) {
                expected(random_dtypes[t], seeds[s], 297 - 3 * i, want);
                assert_memory_equal(got + (size_t)i * size, want, size);
            }
            OK(lun_eval(e, &a, 1));
            OK(lun_read(e, a, got, 0, n));
            for (int64_t i = 0; i < N; i++) {
                expected(random_dtypes[t], seeds[s], i, want);
                assert_memory_equal(got + (size_t)i * size, want, size);
            }
            OK(lun_random(e, 1, &far, seeds[s], LUN_UNIFORM, random_dtypes[t], &b));
            OK(lun_read(e, b, got, far - 5, 5)); /* the block's number has a high half */
            for (int64_t i = 0; i < 5; i++) {
                expected(random_dtypes[t], seeds[s], far - 5 + i, want);
                assert_memory_equal(got + (size_t)i * size, want, size);
            }
            lun_release(part);
            lun_release(a);
            lun_release(b);
        }
}

/* Box and Muller from the same words; the sine and the logarithm are not the C library's. */
static void test_normal(void **state)
{
    (void)state;
    const int64_t n = 200, shape[2] = {100, 2};
    double got[200];
    lun_array *a;
    OK(lun_random(e, 2, shape, 7, LUN_NORMAL, LUN_F64, &a));
    OK(lun_read(e, a, got, 0, n));
    for (int64_t k = 0; k < n; k++) {
        double u = (double)((word64(7, 2 * k) >> 11) + 1) * 0x1p-53;
        double w = (double)(word64(7, 2 * k + 1) >> 11) * 0x1p-53;
        double want = sqrt(-2 * log(u)) * cos(6.283185307179586 * w);
        assert_true(fabs(got[k] - want) <= 1e-14 * (1 + fabs(want)));
    }
    lun_release(a);
    assert_int_equal(lun_random(e, 1, &n, 7, LUN_NORMAL, LUN_I32, &a), LUN_EDTYPE);
    assert_int_equal(lun_random(e, 1, &n, 7, LUN_UNIFORM, LUN_U8, &a), LUN_EDTYPE);
    assert_int_equal(lun_random(e, 1, &n, 7, LUN_UNIFORM, (lun_dtype)99, &a), LUN_EDTYPE);
}

int main(void)
{
#define TEST(name) cmocka_unit_test_setup_teardown(name, kit_reference_open, kit_close)
    const struct CMUnitTest tests[] = {
        TEST(test_nan_and_infinity),
        TEST(test_ties_take_the_first),
        TEST(test_few_elements),
        TEST(test_a_failure_has_no_result),
        TEST(test_huge_values),
        TEST(test_integers_at_their_ends),
        TEST(test_every_length_has_its_extremes),
        TEST(test_ends_of_linspace),
        TEST(test_ranges),
        TEST(test_philox_itself),
        TEST(test_uniform),
        TEST(test_normal),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
