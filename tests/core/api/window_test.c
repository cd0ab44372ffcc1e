/* window_test.c - windows from C: which elements they show, that writes go to their array, what is
 * refused; strides, layouts and elements where they stand. */
#include "array_kit.h"

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

/* 1, 2, ..., in memory, in row-major order. */
static lun_array *counted(int rank, const int64_t *shape)
{
    double x[64];
    int64_t n = 1;
    lun_array *flat, *lazy, *out;
    for (int k = 0; k < rank; k++)
        n *= shape[k];
    for (int64_t i = 0; i < n; i++)
        x[i] = (double)i + 1;
    flat = vector(x, n);
    OK(lun_reshape(e, flat, rank, shape, &lazy));
    OK(lun_copy(e, lazy, &out));
    lun_release(flat);
    lun_release(lazy);
    return out;
}

/* a shows these elements, by itself and in an expression; it is released. */
static void shows(lun_array *a, int rank, const int64_t *shape, const double *wanted)
{
    int64_t extents[LUN_MAX_RANK];
    double got[64], doubled[64];
    assert_int_equal(lun_shape(a, extents), rank);
    for (int k = 0; k < rank; k++)
        assert_int_equal(extents[k], shape[k]);
    lun_array *twice = with_number(LUN_OP_MUL, a, 2);
    OK(lun_read(e, a, got, 0, lun_size(a)));
    OK(lun_read(e, twice, doubled, 0, lun_size(a)));
    for (int64_t i = 0; i < lun_size(a); i++) {
        assert_true(got[i] == wanted[i]);
        assert_true(doubled[i] == 2 * wanted[i]);
        assert_true(at(a, i) == wanted[i]);
    }
    lun_release(twice);
    lun_release(a);
}

static void test_what_they_show(void **state)
{
    (void)state;
    lun_array *a = counted(2, SHAPE(3, 4)), *w;
    OK(lun_window(e, a, 2, SHAPE(2, 1), SHAPE(2, 2), SHAPE(-2, 2), &w));
    shows(w, 2, SHAPE(2, 2), LIST(10, 12, 2, 4));
    OK(lun_window(e, a, 1, SHAPE(1), SHAPE(2), NULL, &w)); /* further axes whole */
    shows(w, 2, SHAPE(2, 4), LIST(5, 6, 7, 8, 9, 10, 11, 12));
    OK(lun_window(e, a, 2, SHAPE(0, 4), SHAPE(3, 0), NULL, &w));
    shows(w, 2, SHAPE(3, 0), LIST(0));
    OK(lun_row(e, a, 1, &w));
    shows(w, 1, SHAPE(4), LIST(5, 6, 7, 8));
    OK(lun_select(e, a, 1, 3, &w));
    shows(w, 1, SHAPE(3), LIST(4, 8, 12));
    OK(lun_permute(e, a, NULL, &w));
    shows(w, 2, SHAPE(4, 3), LIST(1, 5, 9, 2, 6, 10, 3, 7, 11, 4, 8, 12));
    OK(lun_permute(e, a, (const int[]){0, 1}, &w));
    shows(w, 2, SHAPE(3, 4), LIST(1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12));
    OK(lun_view(e, a, 3, SHAPE(3, 2, 2), &w));
    shows(w, 3, SHAPE(3, 2, 2), LIST(1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12));
    OK(lun_diagonal(e, a, 0, &w));
    shows(w, 1, SHAPE(3), LIST(1, 6, 11));
    OK(lun_diagonal(e, a, 1, &w));
    shows(w, 1, SHAPE(3), LIST(2, 7, 12));
    OK(lun_diagonal(e, a, -2, &w));
    shows(w, 1, SHAPE(1), LIST(9));
    lun_release(a);
}

static void test_windows_and_broadcasts(void **state)
{
    (void)state;
    lun_array *v = counted(1, SHAPE(5)), *a = counted(2, SHAPE(2, 3)), *c = counted(2, SHAPE(2, 1)),
              *w;
    OK(lun_windows(e, v, 0, 3, 1, &w));
    shows(w, 2, SHAPE(3, 3), LIST(1, 2, 3, 2, 3, 4, 3, 4, 5));
    OK(lun_windows(e, v, 0, 2, 3, &w));
    shows(w, 2, SHAPE(2, 2), LIST(1, 2, 4, 5));
    OK(lun_windows(e, a, 1, 2, 1, &w));
    shows(w, 3, SHAPE(2, 2, 2), LIST(1, 2, 2, 3, 4, 5, 5, 6));
    OK(lun_windows(e, a, 0, 2, 1, &w));
    shows(w, 3, SHAPE(1, 3, 2), LIST(1, 4, 2, 5, 3, 6));
    OK(lun_broadcast(e, c, 2, SHAPE(2, 3), &w));
    shows(w, 2, SHAPE(2, 3), LIST(1, 1, 1, 2, 2, 2));
    OK(lun_broadcast(e, v, 2, SHAPE(2, 5), &w));
    shows(w, 2, SHAPE(2, 5), LIST(1, 2, 3, 4, 5, 1, 2, 3, 4, 5));
    lun_release(v);
    lun_release(a);
    lun_release(c);
}

static void test_writes_go_to_the_array(void **state)
{
    (void)state;
    lun_array *a = counted(2, SHAPE(3, 3)), *w, *t, *deep, *sum, *two;
    OK(lun_window(e, a, 2, SHAPE(1, 1), SHAPE(2, 2), NULL, &w));
    OK(lun_permute(e, w, NULL, &t));
    OK(lun_row(e, t, 0, &deep));
    sum = with_number(LUN_OP_ADD, a, 0); /* an expression keeps what it was built from */
    OK(lun_write(e, deep, LIST(50, 80), 0, 2));
    OK(lun_number(e, 7, &two));
    lun_array *corner;
    OK(lun_window(e, a, 2, SHAPE(0, 0), SHAPE(1, 1), NULL, &corner));
    OK(lun_store(e, corner, two));
    lun_retain(w);
    shows(w, 2, SHAPE(2, 2), LIST(50, 6, 80, 9));
    shows(sum, 2, SHAPE(3, 3), LIST(1, 2, 3, 4, 5, 6, 7, 8, 9));
    shows(a, 2, SHAPE(3, 3), LIST(7, 2, 3, 4, 50, 6, 7, 80, 9));
    assert_true(at(t, 1) == 80); /* a window keeps its array alive */
    lun_release(w);
    lun_release(t);
    lun_release(deep);
    lun_release(corner);
    lun_release(two);
}

static void test_overlapping_stores(void **state)
{
    (void)state;
    lun_array *v = counted(1, SHAPE(5)), *from, *to;
    OK(lun_window(e, v, 1, SHAPE(0), SHAPE(4), NULL, &from));
    OK(lun_window(e, v, 1, SHAPE(4), SHAPE(4), SHAPE(-1), &to));
    OK(lun_store(e, to, from)); /* all old elements are read first */
    lun_release(from);
    lun_release(to);
    shows(v, 1, SHAPE(5), LIST(1, 4, 3, 2, 1));
}

static void test_several_stores_at_once(void **state)
{
    (void)state;
    double memory[6] = {1, 2, 3, 4, 5, 6};
    lun_array *v, *low, *high, *grown, *two, *other;
    OK(lun_wrap(e, memory, 6, LUN_F64, NULL, NULL, &v));
    OK(lun_window(e, v, 1, SHAPE(0), SHAPE(3), NULL, &low));
    OK(lun_window(e, v, 1, SHAPE(3), SHAPE(3), NULL, &high));
    grown = with_number(LUN_OP_ADD, low, 10);
    OK(lun_store_all(e, (lun_array *[]){low, high}, (lun_array *[]){high, low}, 2));
    assert_memory_equal(memory, LIST(4, 5, 6, 1, 2, 3), sizeof memory);
    shows(grown, 1, SHAPE(3), LIST(11, 12, 13));
    OK(lun_number(e, 2, &two));
    other = counted(1, SHAPE(3));
    OK(lun_store_all(e, (lun_array *[]){v, other}, (lun_array *[]){two, high}, 2));
    assert_memory_equal(memory, LIST(2, 2, 2, 2, 2, 2), sizeof memory);
    lun_retain(other);
    shows(other, 1, SHAPE(3), LIST(1, 2, 3));
    FAILS(lun_store_all(e, (lun_array *[]){v, other}, (lun_array *[]){other, v}, 2), LUN_ESHAPE,
          "lengths differ: f64[6] and f64[3]");
    OK(lun_store_all(e, NULL, NULL, 0));
    FAILS(lun_store_all(e, NULL, NULL, 1), LUN_EARG, "");
    FAILS(lun_store_all(e, &v, &two, -1), LUN_EARG, "");
    lun_array *many[20], *from[20];
    for (int k = 0; k < 20; k++) {
        many[k] = high;
        from[k] = k % 2 ? two : low;
    }
    many[19] = low;
    OK(lun_store_all(e, many, from, 20));
    assert_memory_equal(memory, LIST(2, 2, 2, 2, 2, 2), sizeof memory);
    lun_release(v);
    lun_release(low);
    lun_release(high);
    lun_release(two);
    lun_release(other);
}

/* What expressions hold of memory that an array wraps, a dense part too, is what was there. */
static void test_wrapped_memory_and_old_expressions(void **state)
{
    (void)state;
    double memory[6] = {1, 2, 3, 4, 5, 6};
    lun_array *v, *low, *tail, *nine;
    OK(lun_wrap(e, memory, 6, LUN_F64, NULL, NULL, &v));
    OK(lun_window(e, v, 1, SHAPE(1), SHAPE(3), NULL, &low));
    lun_array *part = with_number(LUN_OP_MUL, low, 2), *all = with_number(LUN_OP_MUL, v, 3);
    OK(lun_slice(e, v, 3, 3, 1, &tail));
    OK(lun_number(e, 9, &nine));
    OK(lun_store(e, v, nine));
    assert_memory_equal(memory, LIST(9, 9, 9, 9, 9, 9), sizeof memory);
    shows(part, 1, SHAPE(3), LIST(4, 6, 8));
    shows(all, 1, SHAPE(6), LIST(3, 6, 9, 12, 15, 18));
    shows(tail, 1, SHAPE(3), LIST(4, 5, 6));
    shows(low, 1, SHAPE(3), LIST(9, 9, 9));
    lun_release(v);
    lun_release(nine);
}

static void test_shared_elements_are_not_written(void **state)
{
    (void)state;
    lun_array *v = counted(1, SHAPE(4)), *w, *b, *x;
    OK(lun_windows(e, v, 0, 2, 1, &w));
    OK(lun_broadcast(e, v, 2, SHAPE(2, 4), &b));
    OK(lun_number(e, 1, &x));
    assert_int_equal(lun_store(e, w, x), LUN_EARG);
    assert_int_equal(lun_store(e, b, x), LUN_EARG);
    shows(w, 2, SHAPE(3, 2), LIST(1, 2, 2, 3, 3, 4));
    lun_release(b);
    lun_release(x);
    lun_release(v);
}

static void test_strides_and_data(void **state)
{
    (void)state;
    int64_t strides[LUN_MAX_RANK];
    const void *data;
    const double *x;
    lun_array *a = counted(2, SHAPE(3, 4)), *t, *w, *lazy;
    assert_int_equal(lun_strides(a, strides), 2);
    assert_true(strides[0] == 4 && strides[1] == 1);
    assert_int_equal(lun_layout_of(a), LUN_LAYOUT_RIGHT);
    OK(lun_permute(e, a, NULL, &t));
    assert_int_equal(lun_strides(t, strides), 2);
    assert_true(strides[0] == 1 && strides[1] == 4);
    assert_int_equal(lun_layout_of(t), LUN_LAYOUT_LEFT);
    OK(lun_window(e, a, 2, SHAPE(2, 3), SHAPE(2, 2), SHAPE(-2, -1), &w));
    assert_int_equal(lun_strides(w, strides), 2);
    assert_true(strides[0] == -8 && strides[1] == -1);
    assert_int_equal(lun_layout_of(w), LUN_LAYOUT_STRIDED);
    OK(lun_data_strided(e, w, &data, strides));
    x = data;
    for (int i = 0; i < 2; i++)
        for (int j = 0; j < 2; j++)
            assert_true(x[i * strides[0] + j * strides[1]] == at(w, i * 2 + j));
    lazy = with_number(LUN_OP_ADD, t, 1);
    OK(lun_data_strided(e, lazy, &data, strides));
    x = data;
    for (int i = 0; i < 4; i++)
        for (int j = 0; j < 3; j++)
            assert_true(x[i * strides[0] + j * strides[1]] == at(t, i * 3 + j) + 1);
    lun_release(lazy);
    lun_release(w);
    lun_release(t);
    lun_release(a);
}

static void test_refusals(void **state)
{
    (void)state;
    lun_array *a = counted(2, SHAPE(3, 4)), *v = counted(1, SHAPE(4)), *t, *w;
    assert_int_equal(lun_window(e, a, 3, SHAPE(0, 0, 0), SHAPE(1, 1, 1), NULL, &w), LUN_ESHAPE);
    assert_int_equal(lun_window(e, a, 1, SHAPE(2), SHAPE(2), NULL, &w), LUN_ERANGE);
    assert_int_equal(lun_window(e, a, 1, SHAPE(1), SHAPE(3), SHAPE(-1), &w), LUN_ERANGE);
    assert_int_equal(lun_window(e, a, 1, SHAPE(0), SHAPE(-1), NULL, &w), LUN_ERANGE);
    assert_true(lun_window(e, a, 1, SHAPE(0), SHAPE(2), SHAPE(0), &w) != LUN_OK);
    assert_true(lun_window(e, a, 1, SHAPE(INT64_MAX), SHAPE(2), SHAPE(INT64_MAX), &w) != LUN_OK);
    assert_int_equal(lun_row(e, a, 3, &w), LUN_ERANGE);
    assert_int_equal(lun_row(e, a, -1, &w), LUN_ERANGE);
    assert_int_equal(lun_row(e, v, 0, &w), LUN_ESHAPE);
    assert_int_equal(lun_select(e, a, 2, 0, &w), LUN_ESHAPE);
    assert_int_equal(lun_select(e, a, 1, 4, &w), LUN_ERANGE);
    assert_int_equal(lun_permute(e, a, (const int[]){0, 0}, &w), LUN_ESHAPE);
    assert_int_equal(lun_permute(e, a, (const int[]){0, 2}, &w), LUN_ESHAPE);
    OK(lun_permute(e, a, NULL, &t));
    assert_int_equal(lun_view(e, t, 1, SHAPE(12), &w), LUN_ESHAPE);
    assert_int_equal(lun_view(e, a, 1, SHAPE(11), &w), LUN_ESHAPE);
    assert_int_equal(lun_diagonal(e, v, 0, &w), LUN_ESHAPE);
    assert_true(lun_windows(e, v, 0, 5, 1, &w) != LUN_OK);
    assert_true(lun_windows(e, v, 0, 2, 0, &w) != LUN_OK);
    assert_int_equal(lun_broadcast(e, a, 2, SHAPE(3, 8), &w), LUN_ESHAPE);
    assert_int_equal(lun_row(e, NULL, 0, &w), LUN_EARG);
    assert_int_equal(lun_row(e, a, 0, NULL), LUN_EARG);
    OK(lun_row(e, a, 0, &w));
    OK(lun_free(e, a));
    lun_value x;
    assert_int_equal(lun_get(e, w, 0, &x), LUN_EFREED);
    lun_release(w);
    lun_release(t);
    lun_release(v);
    lun_release(a);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test_setup_teardown(test_what_they_show, kit_reference_open, kit_close),
        cmocka_unit_test_setup_teardown(test_windows_and_broadcasts, kit_reference_open, kit_close),
        cmocka_unit_test_setup_teardown(test_writes_go_to_the_array, kit_reference_open, kit_close),
        cmocka_unit_test_setup_teardown(test_overlapping_stores, kit_reference_open, kit_close),
        cmocka_unit_test_setup_teardown(test_several_stores_at_once, kit_reference_open, kit_close),
        cmocka_unit_test_setup_teardown(test_wrapped_memory_and_old_expressions, kit_reference_open,
                                        kit_close),
        cmocka_unit_test_setup_teardown(test_shared_elements_are_not_written, kit_reference_open,
                                        kit_close),
        cmocka_unit_test_setup_teardown(test_strides_and_data, kit_reference_open, kit_close),
        cmocka_unit_test_setup_teardown(test_refusals, kit_reference_open, kit_close),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
