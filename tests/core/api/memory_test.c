/* memory_test.c - memory of arrays from C: labels, read-only views, aliases, arrays that are empty
 * at first and that change their size. */
#include "array_kit.h"

#define SHAPE(...)    \
    (const int64_t[]) \
    {                 \
        __VA_ARGS__   \
    }

static void test_labels(void **state)
{
    (void)state;
    const double x[] = {1, 2, 3};
    char text[40] = "0123456789012345678901234567890";
    lun_array *a = vector(x, 3), *b = vector(x, 2), *w, *out = NULL, *number;
    assert_null(lun_label(a));
    assert_null(lun_label(NULL));
    OK(lun_set_label(e, a, "rho"));
    assert_string_equal(lun_label(a), "rho");
    OK(lun_window(e, a, 1, SHAPE(1), SHAPE(2), NULL, &w));
    assert_string_equal(lun_label(w), "rho");
    OK(lun_set_label(e, w, "inner"));
    assert_string_equal(lun_label(w), "inner");
    FAILS(lun_add(e, a, b, &out), LUN_ESHAPE, "'rho' f64[3] and f64[2]");
    OK(lun_set_label(e, a, text));
    text[31] = 'x';
    FAILS(lun_set_label(e, a, text), LUN_EARG, "has 32 bytes, at most 31");
    FAILS(lun_set_label(e, a, "a\tb"), LUN_EARG, "byte 2 of the label");
    OK(lun_number(e, 1, &number));
    FAILS(lun_set_label(e, number, "x"), LUN_EARG, "a number has no label");
    OK(lun_set_label(e, a, NULL));
    assert_null(lun_label(a));
    OK(lun_set_label(e, b, "given back with b"));
    lun_release(number);
    lun_release(w);
    lun_release(a);
    lun_release(b);
}

static void test_readonly(void **state)
{
    (void)state;
    const double x[] = {1, 2, 3};
    lun_array *a = vector(x, 3), *r, *w, *out = NULL, *number;
    OK(lun_readonly(e, a, &r));
    assert_true(lun_is_readonly(r) && !lun_is_readonly(a) && !lun_is_readonly(NULL));
    OK(lun_window(e, r, 1, SHAPE(1), SHAPE(2), NULL, &w));
    assert_true(lun_is_readonly(w));
    OK(lun_set(e, a, 1, (lun_value){.dtype = LUN_F64, .as.d = 7}));
    assert_true(at(r, 1) == 7 && at(w, 0) == 7);
    FAILS(lun_set(e, r, 0, (lun_value){.dtype = LUN_F64}), LUN_EARG, "f64[3] is read-only");
    FAILS(lun_fill(e, w, (lun_value){.dtype = LUN_F64}), LUN_EARG, "f64[2] is read-only");
    FAILS(lun_write(e, r, x, 0, 3), LUN_EARG, "read-only");
    FAILS(lun_store(e, r, a), LUN_EARG, "read-only");
    FAILS(lun_append(e, r, a), LUN_EARG, "read-only");
    OK(lun_number(e, 1, &number));
    FAILS(lun_readonly(e, number, &out), LUN_EARG, "array expected, got a number");
    assert_null(out);
    release_all((lun_array *[]){a, r, w, number}, 4);
}

static void test_aliases(void **state)
{
    (void)state;
    double memory[8] = {0};
    lun_array *all, *head, *tail, *own = vector(memory, 8), *even, *odd;
    bool share = false;
    OK(lun_wrap(e, memory, 8, LUN_F64, NULL, NULL, &all));
    OK(lun_wrap(e, memory, 4, LUN_F64, NULL, NULL, &head));
    OK(lun_wrap(e, memory + 4, 4, LUN_F64, NULL, NULL, &tail));
    OK(lun_window(e, own, 1, SHAPE(0), SHAPE(4), SHAPE(2), &even));
    OK(lun_window(e, own, 1, SHAPE(1), SHAPE(4), SHAPE(2), &odd));
    const struct {
        lun_array *a, *b;
        bool share;
    } rows[] = {{all, head, true},  {head, tail, false}, {all, tail, true}, {all, own, false},
                {even, odd, false}, {own, odd, true},    {even, own, true}, {own, own, true}};
    for (size_t k = 0; k < sizeof rows / sizeof *rows; k++) {
        OK(lun_aliases(e, rows[k].a, rows[k].b, &share));
        assert_int_equal(share, rows[k].share);
        OK(lun_aliases(e, rows[k].b, rows[k].a, &share));
        assert_int_equal(share, rows[k].share);
    }
    FAILS(lun_aliases(e, own, odd, NULL), LUN_EARG, "");
    release_all((lun_array *[]){all, head, tail, own, even, odd}, 6);
}

static void test_sizes(void **state)
{
    (void)state;
    const double x[] = {1, 2, 3, 4, 5, 6};
    double memory[2] = {1, 2};
    lun_array *flat = vector(x, 6), *lazy, *a, *row, *was, *wrapped, *fresh = NULL;
    int64_t shape[LUN_MAX_RANK];
    OK(lun_reshape(e, flat, 2, SHAPE(2, 3), &lazy));
    OK(lun_copy(e, lazy, &a));
    OK(lun_row(e, a, 1, &row));
    was = a;
    FAILS(lun_resize(e, &a, 1, SHAPE(6)), LUN_ESHAPE, "keeps its number of axes");
    FAILS(lun_resize(e, &row, 1, SHAPE(6)), LUN_EARG, "is a window on another array");
    assert_ptr_equal(a, was);
    OK(lun_resize(e, &a, 2, SHAPE(3, 2)));
    assert_int_equal(lun_shape(a, shape), 2);
    assert_true(shape[0] == 3 && shape[1] == 2);
    const double common[] = {1, 2, 4, 5, 0, 0};
    for (int k = 0; k < 6; k++)
        assert_true(at(a, k) == common[k]);
    assert_true(at(row, 0) == 4 && at(row, 2) == 6);
    for (int k = 0; k < 1000; k++)
        OK(lun_append(e, flat, row));
    assert_int_equal(lun_length(flat), 3006);
    assert_true(at(flat, 3005) == 6 && at(flat, 5) == 6 && at(flat, 6) == 4);
    OK(lun_wrap(e, memory, 2, LUN_F64, NULL, NULL, &wrapped));
    FAILS(lun_append(e, wrapped, flat), LUN_EARG, "memory of the host's");
    FAILS(lun_resize(e, &wrapped, 1, SHAPE(3)), LUN_EARG, "memory of the host's");
    OK(lun_empty(e, 2, SHAPE(4, 5), LUN_F32, &fresh));
    assert_int_equal(lun_size(fresh), 20);
    lun_array *bad = NULL;
    FAILS(lun_empty(e, 1, SHAPE(-1), LUN_F32, &bad), LUN_ERANGE, "negative");
    FAILS(lun_empty(e, 1, SHAPE(1), (lun_dtype)99, &bad), LUN_EDTYPE, "dtype");
    assert_null(bad);
    release_all((lun_array *[]){flat, lazy, a, row, wrapped, fresh}, 6);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test_setup_teardown(test_labels, kit_reference_open, kit_close),
        cmocka_unit_test_setup_teardown(test_readonly, kit_reference_open, kit_close),
        cmocka_unit_test_setup_teardown(test_aliases, kit_reference_open, kit_close),
        cmocka_unit_test_setup_teardown(test_sizes, kit_reference_open, kit_close),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
