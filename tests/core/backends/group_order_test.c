/* group_order_test.c - the elements of each group of host memory in order (backends/algorithms)
 * against the C library's qsort of groups and elements, on 1 to 8 threads, touching nothing
 * beyond. */
#include "algorithm_kit.h"

typedef struct pair {
    int32_t code;
    lun_dtype t;
    uint64_t cell;
} pair;

/* -0.0 comes before 0.0. */
static int by_code(const void *one, const void *other)
{
    const pair *a = one, *b = other;
    if (a->code != b->code)
        return a->code < b->code ? -1 : 1;
    const int c = compare(a->t, a->cell, b->cell);
    if (c || !lun__dtype_is_float(a->t))
        return c;
    return (int)(b->cell >> 63) - (int)(a->cell >> 63);
}

static void check(const lun_column *out, const pair *wanted)
{
    for (int64_t i = 0; i < out->n; i++) {
        const uint64_t got = cell_at(out, i), want = wanted[i].cell;
        const bool floats = lun__dtype_is_float(out->dtype);
        if (floats && isnan(number_of(out->dtype, want)))
            assert_true(isnan(number_of(out->dtype, got)));
        else
            assert_true(got == want);
    }
}

/* Some values, or any bits; `much` of the rows are in the first group. */
static void one_case(lun_dtype t, int64_t rows, int64_t groups, int64_t much, uint64_t *seed)
{
    static const int threads[] = {1, 2, 3, 8};
    static const double odd[] = {0.0, -0.0, NAN, INFINITY, -INFINITY, 1.5, -1.5, 7};
    test_memory x = test_guarded((size_t)rows * 8), codes = test_guarded((size_t)rows * 4);
    pair *wanted = malloc((size_t)(rows + 1) * sizeof *wanted);
    assert_non_null(wanted);
    for (int64_t i = 0; i < rows; i++) {
        uint64_t cell = test_random(seed);
        if (cell % 3 == 0)
            cell = lun__dtype_cell_from_value(
                t, (lun_value){.dtype = LUN_F64, .as.d = odd[cell / 3 % (t == LUN_F64 ? 8 : 1)]});
        const int32_t code = below(seed, 100) < much ? 0 : (int32_t)below(seed, groups);
        memcpy(x.data + i * 8, &cell, 8);
        ((int32_t *)(void *)codes.data)[i] = code;
        wanted[i] = (pair){code, t, cell};
    }
    qsort(wanted, (size_t)rows, sizeof *wanted, by_code);
    for (int k = 0; k < 4; k++) {
        test_memory out;
        lun_algorithm_run r = {
            .in = {lun__work_column(codes.data, LUN_I32, rows), lun__work_column(x.data, t, rows)},
            .out[0] = lun__work_column(NULL, t, rows),
            .option = {0, (uint64_t)groups}};
        assert_int_equal(run_guarded(lun__arrange_room, lun__arrange_run, &r, 1, threads[k], &out),
                         LUN_OK);
        check(&r.out[0], wanted);
        test_guarded_free(&out);
    }
    free(wanted);
    test_guarded_free(&x);
    test_guarded_free(&codes);
}

static void arranged(void **state)
{
    static const lun_dtype dtypes[] = {LUN_F64, LUN_I64, LUN_U64};
    uint64_t seed = 3;
    (void)state;
    for (int t = 0; t < 3; t++) {
        one_case(dtypes[t], 0, 3, 0, &seed);
        one_case(dtypes[t], 1, 1, 0, &seed);
        one_case(dtypes[t], 1000, 7, 0, &seed);
        one_case(dtypes[t], 1000, 5000, 0, &seed);
        one_case(dtypes[t], 70000, 900, 0, &seed);
        one_case(dtypes[t], 200000, 3, 0, &seed);
        one_case(dtypes[t], 200000, 40000, 50, &seed);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(arranged)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
