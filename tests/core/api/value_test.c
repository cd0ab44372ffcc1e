/* value_test.c - elements in and out of arrays where it gets narrow: Views on what is not in
 * memory, stores that change nothing but elements, arrays of rank 0, writes to virtual arrays. */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "array_kit.h"
#include "lunarray_bind.h"

static lun_value number(double x)
{
    return (lun_value){.dtype = LUN_F64, .as.d = x};
}

static lun_array *tensor(const double *x, int rank, const int64_t *shape)
{
    lun_array *a;
    OK(lun_tensor(e, x, rank, shape, LUN_F64, &a));
    return a;
}

static void holds(lun_array *a, const double *x, int64_t n)
{
    double got[64];
    assert_int_equal(lun_size(a), n);
    OK(lun_read(e, a, got, 0, n));
    assert_memory_equal(got, x, (size_t)n * sizeof *x);
}

static const double six[6] = {1, 2, 3, 4, 5, 6};
static const int64_t two_by_three[2] = {2, 3}, three_by_two[2] = {3, 2};

/* ---- Views ----------------------------------------------------------------------------------- */

/* The pointer that lun_data gives for a row stays good while other arrays come and go. */
static void row_keeps_its_data(lun_array *m, const double *want)
{
    const void *at;
    lun_array *row, *others[20];
    const double junk[6] = {-1, -1, -1, -1, -1, -1};
    OK(lun_row(e, m, 1, &row));
    OK(lun_data(e, row, &at));
    for (int i = 0; i < 20; i++)
        others[i] = vector(junk, 6);
    assert_memory_equal(at, want, 3 * sizeof *want);
    release_all(others, 20);
    lun_release(row);
}

static void test_data_of_a_row(void **state)
{
    (void)state;
    const double negated[3] = {-4, -5, -6};
    double own[6];
    lun_array *m = tensor(six, 2, two_by_three), *flat, *wrapped, *n;
    row_keeps_its_data(m, six + 3);
    OK(lun_neg(e, m, &n)); /* a Composition */
    row_keeps_its_data(n, negated);
    memcpy(own, six, sizeof own);
    OK(lun_wrap(e, own, 6, LUN_F64, NULL, NULL, &flat));
    OK(lun_reshape(e, flat, 2, two_by_three, &wrapped));
    row_keeps_its_data(wrapped, six + 3);
    lun_array *all[] = {m, n, flat, wrapped};
    release_all(all, 4);
}

static void test_data_of_a_row_of_a_virtual_array(void **state)
{
    (void)state;
    const double sevens[3] = {7, 7, 7};
    lun_array *m;
    OK(lun_full(e, 2, two_by_three, LUN_F64, number(7), &m));
    row_keeps_its_data(m, sevens);
    lun_release(m);
}

/* ---- stores ---------------------------------------------------------------------------------- */

static void test_store_fills_from_rank_0(void **state)
{
    (void)state;
    const double x = 9, nines[6] = {9, 9, 9, 9, 9, 9};
    int64_t shape[LUN_MAX_RANK];
    lun_array *a = vector(six, 6), *s = tensor(&x, 0, NULL), *sum, *copy;
    OK(lun_store(e, a, s));
    assert_int_equal(lun_shape(a, shape), 1);
    holds(a, nines, 6);
    OK(lun_total_lazy(e, LUN_SUM, a, 0, &sum));
    OK(lun_copy(e, sum, &copy));
    OK(lun_store(e, a, copy));
    assert_int_equal(lun_shape(a, shape), 1);
    const double sums[6] = {54, 54, 54, 54, 54, 54};
    holds(a, sums, 6);
    lun_array *all[] = {a, s, sum, copy};
    release_all(all, 4);
}

static void test_store_keeps_the_shape(void **state)
{
    (void)state;
    static const int64_t one_more[3] = {1, 2, 3};
    int64_t shape[LUN_MAX_RANK];
    lun_array *a = tensor(six, 2, two_by_three), *b = tensor(six, 3, one_more), *n, *row;
    lun_array *turned = tensor(six, 2, three_by_two);
    OK(lun_row(e, a, 1, &row));
    OK(lun_neg(e, b, &n));
    assert_int_equal(lun_store(e, a, turned), LUN_ESHAPE);
    assert_string_equal(lun_error(e), "f64[3, 2] does not broadcast to f64[2, 3], axis 1: 2 and 3");
    assert_int_equal(lun_storable(e, a, turned), LUN_ESHAPE);
    OK(lun_storable(e, a, n));
    OK(lun_store(e, a, n));
    assert_int_equal(lun_shape(a, shape), 2);
    assert_true(shape[0] == 2 && shape[1] == 3);
    const double last[3] = {-4, -5, -6};
    holds(row, last, 3);
    lun_array *all[] = {a, b, n, row, turned};
    release_all(all, 5);
}

static void test_store_of_its_own_parts(void **state)
{
    (void)state;
    const double reversed[6] = {6, 5, 4, 3, 2, 1}, halves[6] = {6, 5, 4, 6, 5, 4};
    for (int wrap = 0; wrap < 2; wrap++) {
        double own[6];
        lun_array *a, *back, *m, *rows[2], *self;
        memcpy(own, six, sizeof own);
        if (wrap)
            OK(lun_wrap(e, own, 6, LUN_F64, NULL, NULL, &a));
        else
            a = vector(six, 6);
        OK(lun_slice(e, a, 5, 6, -1, &back));
        OK(lun_store(e, a, back));
        holds(a, reversed, 6);
        OK(lun_store(e, a, a));
        holds(a, reversed, 6);
        if (wrap)
            assert_memory_equal(own, reversed, sizeof own);
        OK(lun_reshape(e, a, 2, two_by_three, &m));
        for (int i = 0; i < 2; i++)
            OK(lun_row(e, m, i, &rows[i]));
        OK(lun_store(e, rows[1], rows[0]));
        holds(m, halves, 6);
        OK(lun_add(e, rows[1], rows[0], &self));
        OK(lun_store(e, rows[0], self));
        const double sum[6] = {12, 10, 8, 6, 5, 4};
        holds(m, sum, 6);
        holds(a, reversed, 6);
        lun_array *all[] = {a, back, m, rows[0], rows[1], self};
        release_all(all, 6);
    }
}

/* Arrays that are the same as another for a while. */
static void test_wrapped_memory_has_one_writer(void **state)
{
    (void)state;
    double own[6];
    const void *at;
    lun_array *a, *twin, *sum;
    memcpy(own, six, sizeof own);
    OK(lun_wrap(e, own, 6, LUN_F64, NULL, NULL, &a));
    OK(lun_cast(e, a, LUN_F64, &twin));
    OK(lun_add(e, twin, a, &sum));
    OK(lun_set(e, twin, 0, number(-1)));
    assert_memory_equal(own, six, sizeof own);
    OK(lun_set(e, a, 1, number(-2)));
    assert_true(own[0] == 1 && own[1] == -2);
    const double doubled[6] = {2, 4, 6, 8, 10, 12}, first[6] = {-1, 2, 3, 4, 5, 6};
    holds(sum, doubled, 6);
    holds(twin, first, 6);
    lun_release(twin);
    OK(lun_cast(e, a, LUN_F64, &twin));
    OK(lun_data(e, twin, &at));
    OK(lun_set(e, a, 2, number(-3)));
    assert_true(own[2] == -3 && ((const double *)at)[2] == 3);
    lun_release(a); /* the twin holds the elements, but does not write through */
    OK(lun_set(e, twin, 3, number(-4)));
    assert_true(own[3] == 4);
    lun_array *all[] = {twin, sum};
    release_all(all, 2);
}

static void test_a_mapping_outlives_writes_to_others(void **state)
{
    (void)state;
    const void *at;
    lun_array *a = vector(six, 6), *twin, *part;
    OK(lun_cast(e, a, LUN_F64, &twin));
    OK(lun_slice(e, a, 0, 3, 1, &part));
    OK(lun_data(e, a, &at));
    OK(lun_set(e, part, 0, number(-1)));
    OK(lun_set(e, twin, 1, number(-2)));
    assert_memory_equal(at, six, sizeof six);
    lun_array *all[] = {a, twin, part};
    release_all(all, 3);
}

static void test_overlapping_write(void **state)
{
    (void)state;
    const void *at;
    lun_array *a = vector(six, 6);
    OK(lun_data(e, a, &at));
    OK(lun_write(e, a, at, 1, 5));
    const double moved[6] = {1, 1, 2, 3, 4, 5};
    holds(a, moved, 6);
    lun_release(a);
}

/* ---- virtual arrays -------------------------------------------------------------------------- */

static int64_t allocated(void)
{
    lun_stats s = {.size = sizeof s};
    lun_stats_get(e, &s);
    return s.allocated;
}

static void test_writing_one_leaves_its_twin_virtual(void **state)
{
    (void)state;
    const int64_t n = 100000;
    lun_value v, one = {.dtype = LUN_I64, .as.i = 1};
    lun_array *a[2], *b[2];
    for (int i = 0; i < 2; i++) {
        OK(lun_full(e, 1, &n, LUN_F64, number(2), &a[i]));
        OK(lun_range(e, one, one, n, LUN_F64, &b[i]));
    }
    OK(lun_set(e, a[0], 5, number(7)));
    OK(lun_set(e, b[0], 5, number(7)));
    assert_true(lun_is_virtual(a[1]) && lun_is_virtual(b[1]));
    assert_true(allocated() < 3 * 8 * n);
    OK(lun_get(e, a[0], 5, &v));
    assert_true(v.as.d == 7);
    OK(lun_get(e, a[1], 5, &v));
    assert_true(v.as.d == 2);
    OK(lun_get(e, b[1], 5, &v));
    assert_true(v.as.d == 6);
    OK(lun_get(e, b[0], 4, &v));
    assert_true(v.as.d == 5);
    release_all(a, 2);
    release_all(b, 2);
}

/* Elements of an expression asked for one by one: it is computed once. */
static void test_reading_elements_evaluates(void **state)
{
    (void)state;
    double x[1000] = {0};
    lun_value v;
    lun_stats s = {.size = sizeof s};
    lun_array *a = vector(x, 1000), *y;
    OK(lun_cos(e, a, &y));
    lun_stats_reset(e);
    for (int i = 0; i < 1000; i++) {
        OK(lun_get(e, y, i, &v));
        assert_true(v.as.d == 1);
    }
    lun_stats_get(e, &s);
    assert_int_equal(s.launches, 1);
    lun_release(a);
    lun_release(y);
}

/* ---- one element, no rank -------------------------------------------------------------------- */

static void test_initial_value_of_one_element(void **state)
{
    (void)state;
    const double ten = 10, x = 5;
    int64_t shape[LUN_MAX_RANK];
    lun_function *add;
    OK(lun_function_op(e, LUN_OP_ADD, &add));
    for (int kind = 0; kind < 3; kind++)
        for (int64_t n = 0; n < 3; n++) {
            const double xs[2] = {x, x}, inclusive[2] = {15, 20};
            const double want = 10 + x * (double)n;
            lun_array *id = vector(&ten, 1), *a = vector(xs, n), *scan, *sum, *other = NULL;
            if (kind == 1) { /* not evaluated */
                OK(lun_neg(e, id, &other));
                lun_release(id);
                OK(lun_abs(e, other, &id));
            } else if (kind == 2) {
                lun_release(id);
                id = tensor(&ten, 0, NULL);
            }
            OK(lun_scan(e, add, id, a, true, &scan));
            OK(lun_reduce(e, add, id, a, &sum));
            assert_int_equal(lun_class_of(sum), LUN_SCALAR);
            assert_int_equal(lun_shape(sum, shape), 0);
            holds(scan, inclusive, n);
            holds(sum, &want, 1);
            lun_array *all[] = {id, a, scan, sum, other};
            release_all(all, 5);
        }
    lun_function_release(add);
}

static void test_where_of_equals_has_the_common_shape(void **state)
{
    (void)state;
    const double x = 3;
    const int64_t one_by_one[2] = {1, 1};
    int64_t shape[LUN_MAX_RANK];
    lun_array *s = tensor(&x, 0, NULL), *c1 = vector(&x, 1), *m = tensor(&x, 2, one_by_one);
    lun_array *a = vector(six, 6), *w, *part;
    OK(lun_where(e, c1, s, s, &w));
    assert_int_equal(lun_shape(w, shape), 1);
    holds(w, &x, 1);
    lun_release(w);
    OK(lun_where(e, m, c1, c1, &w));
    assert_int_equal(lun_shape(w, shape), 2);
    lun_release(w);
    OK(lun_where(e, a, s, s, &w)); /* six elements, a part of them one */
    OK(lun_slice(e, w, 2, 1, 1, &part));
    assert_int_equal(lun_shape(part, shape), 1);
    holds(part, &x, 1);
    lun_array *all[] = {s, c1, m, a, w, part};
    release_all(all, 6);
}

static void test_nothing_is_everywhere_legal(void **state)
{
    (void)state;
    const int64_t none[3] = {2, 0, 3};
    lun_array *a = vector(NULL, 0), *m = tensor(NULL, 3, none), *x, *y, *one = vector(six, 1);
    const void *at;
    lun_value v;
    lun_function *add;
    OK(lun_function_op(e, LUN_OP_ADD, &add));
    OK(lun_concat(e, a, a, &x));
    OK(lun_slice(e, x, 0, 0, 1, &y));
    lun_release(x);
    OK(lun_add(e, y, one, &x)); /* a single element broadcasts to none */
    assert_int_equal(lun_size(x), 0);
    OK(lun_prepare(e, &x, 1));
    OK(lun_eval(e, &x, 1));
    OK(lun_data(e, x, &at));
    OK(lun_write(e, x, NULL, 0, 0));
    OK(lun_fill(e, x, number(1)));
    OK(lun_store(e, x, a));
    OK(lun_total(e, LUN_NORM, x, 0, &v));
    assert_true(v.as.d == 0);
    OK(lun_total(e, LUN_ALL, x, 0, &v));
    assert_true(v.as.u == 1);
    assert_int_equal(lun_total(e, LUN_ARGMIN, x, 0, &v), LUN_EARG);
    assert_int_equal(lun_total(e, LUN_MEAN, x, 0, &v), LUN_EARG);
    assert_int_equal(lun_get(e, x, 0, &v), LUN_ERANGE);
    lun_release(y);
    OK(lun_scan(e, add, NULL, m, false, &y));
    OK(lun_eval(e, &y, 1));
    assert_int_equal(lun_size(y), 0);
    assert_int_equal(lun_length(y), 2);
    lun_array *all[] = {a, m, x, y, one};
    release_all(all, 5);
    lun_function_release(add);
}

/* ---- what is refused ------------------------------------------------------------------------- */

static void test_sizes_beyond_memory(void **state)
{
    (void)state;
    const int64_t huge = (int64_t)1 << 62, square[2] = {huge, 4}, hidden[3] = {huge, 0, 4};
    const int64_t negative = -1;
    lun_array *a, *b;
    lun_value v, one = {.dtype = LUN_I64, .as.i = 1};
    assert_int_equal(lun_vector(e, NULL, huge, LUN_F64, &a), LUN_ENOMEM);
    assert_int_equal(lun_vector(e, NULL, huge, LUN_U8, &a), LUN_ENOMEM);
    assert_int_equal(lun_vector(e, NULL, -1, LUN_U8, &a), LUN_ERANGE);
    assert_int_equal(lun_tensor(e, NULL, 2, square, LUN_U8, &a), LUN_ERANGE);
    assert_int_equal(lun_tensor(e, NULL, 3, hidden, LUN_U8, &a), LUN_ERANGE);
    assert_int_equal(lun_tensor(e, NULL, 9, hidden, LUN_U8, &a), LUN_ESHAPE);
    assert_int_equal(lun_full(e, 1, &negative, LUN_F64, number(1), &a), LUN_ERANGE);
    OK(lun_range(e, one, one, huge, LUN_I64, &a));
    OK(lun_get(e, a, huge - 1, &v));
    assert_true(v.as.i == huge);
    assert_int_equal(lun_eval(e, &a, 1), LUN_ENOMEM);
    assert_int_equal(lun_set(e, a, 0, one), LUN_ENOMEM);
    assert_int_equal(lun_slice(e, a, 1, huge, 1, &b), LUN_ERANGE);
    assert_int_equal(lun_slice(e, a, 0, 3, INT64_MAX, &b), LUN_ERANGE);
    assert_int_equal(lun_slice(e, a, 0, -1, 1, &b), LUN_ERANGE);
    assert_int_equal(lun_slice(e, a, INT64_MIN, 1, 1, &b), LUN_ERANGE);
    assert_int_equal(lun_read(e, a, &v, 1, INT64_MAX), LUN_ERANGE);
    assert_int_equal(lun_concat(e, a, a, &b), LUN_ERANGE);
    OK(lun_get(e, a, 7, &v));
    assert_true(v.as.i == 8);
    lun_release(a);
}

static void test_wrap_refuses_what_it_cannot_address(void **state)
{
    (void)state;
    _Alignas(16) char own[64];
    lun_array *a;
    assert_int_equal(lun_wrap(e, own + 1, 4, LUN_F64, NULL, NULL, &a), LUN_EARG);
    assert_int_equal(lun_wrap(e, own, (int64_t)1 << 61, LUN_F64, NULL, NULL, &a), LUN_ERANGE);
    assert_int_equal(lun_wrap(e, NULL, 1, LUN_F64, NULL, NULL, &a), LUN_EARG);
    OK(lun_wrap(e, own + 1, 4, LUN_U8, NULL, NULL, &a));
    lun_release(a);
    OK(lun_wrap(e, NULL, 0, LUN_F64, NULL, NULL, &a));
    OK(lun_eval(e, &a, 1));
    lun_release(a);
}

static void test_freed_means_freed(void **state)
{
    (void)state;
    lun_value v;
    lun_array *k;
    OK(lun_integer(e, 3, &k));
    OK(lun_free(e, k));
    assert_int_equal(lun_get(e, k, 0, &v), LUN_EFREED);
    lun_release(k);
    assert_int_equal(lun_get(e, NULL, 0, &v), LUN_EARG);
}

static void test_no_failure_has_no_text(void **state)
{
    (void)state;
    assert_string_equal(lun_error(e), "");
    assert_string_equal(lun_error_where(e), "");
    lun_array *a = vector(six, 6);
    assert_string_equal(lun_error(e), "");
    lun_release(a);
}

/* Where a failure was says nothing about the next one. */
static void test_place_of_the_last_failure(void **state)
{
    (void)state;
    const int64_t zero = 0;
    lun_array *a, *q, *b = vector(six, 6), *c = vector(six, 5), *out;
    OK(lun_vector(e, &zero, 1, LUN_I64, &a));
    OK(lun_mark(e, "script.lua:12"));
    OK(lun_idiv(e, a, a, &q));
    assert_int_equal(lun_eval(e, &q, 1), LUN_EZERO);
    assert_string_equal(lun_error_where(e), "script.lua:12");
    assert_int_equal(lun_add(e, b, c, &out), LUN_ESHAPE);
    assert_string_equal(lun_error_where(e), "");
    assert_int_equal(lun_eval(e, &q, 1), LUN_EZERO);
    lun_function *f;
    assert_int_not_equal(lun_function_c(e, "(float x{", &f), LUN_OK);
    assert_string_equal(lun_error_where(e), "");
    lun_array *all[] = {a, q, b, c};
    release_all(all, 4);
}

int main(void)
{
#define TEST(name) cmocka_unit_test_setup_teardown(name, kit_reference_open, kit_close)
    const struct CMUnitTest tests[] = {
        TEST(test_data_of_a_row),
        TEST(test_data_of_a_row_of_a_virtual_array),
        TEST(test_store_fills_from_rank_0),
        TEST(test_store_keeps_the_shape),
        TEST(test_store_of_its_own_parts),
        TEST(test_wrapped_memory_has_one_writer),
        TEST(test_a_mapping_outlives_writes_to_others),
        TEST(test_overlapping_write),
        TEST(test_writing_one_leaves_its_twin_virtual),
        TEST(test_reading_elements_evaluates),
        TEST(test_initial_value_of_one_element),
        TEST(test_where_of_equals_has_the_common_shape),
        TEST(test_nothing_is_everywhere_legal),
        TEST(test_sizes_beyond_memory),
        TEST(test_wrap_refuses_what_it_cannot_address),
        TEST(test_freed_means_freed),
        TEST(test_no_failure_has_no_text),
        TEST(test_place_of_the_last_failure),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
