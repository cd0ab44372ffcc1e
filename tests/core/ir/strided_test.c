/* strided_test.c - copies between layouts and contiguous memory (base/layout/layout.h) against
 * loops over places that are counted plainly; what stands around either side stays. */
#include <stdlib.h>

#include "base/layout/column_transpose.h"
#include "layout_kit.h"

enum { ROUNDS = 2500, GUARD = 256, FILLER = 0xa5 };

static places p;
static unsigned char packed[MOST_ELEMENTS * 8 + 2 * GUARD + 64];

static void expect_guards(const unsigned char *at, int64_t bytes)
{
    for (int i = 0; i < GUARD; i++) {
        assert_int_equal(at[-1 - i], FILLER);
        assert_int_equal(at[bytes + i], FILLER);
    }
}

/* Elements first .. first + count - 1 are read to a place of any alignment. */
static void expect_read(const lun_layout *l, const unsigned char *memory, int size, int64_t first,
                        int64_t count, int64_t shift)
{
    unsigned char *to = packed + GUARD + shift;
    memset(packed, FILLER, (size_t)(count * size + shift + 2 * GUARD));
    lun__strided_read(l, memory, size, first, count, to);
    expect_guards(to, count * size);
    for (int64_t i = 0; i < count; i++)
        if (memcmp(to + i * size, memory + p.at[first + i] * size, (size_t)size) != 0)
            fail_msg("element %lld of %lld, size %d", (long long)(first + i), (long long)p.count,
                     size);
}

/* And written, over other bytes: what is no element of the window stays. */
static void expect_write(const lun_layout *l, unsigned char *memory, int64_t span, int size,
                         int64_t first, int64_t count)
{
    unsigned char *expected = malloc((size_t)(span * size) + 1);
    assert_non_null(expected);
    memcpy(expected, memory, (size_t)(span * size));
    for (int64_t i = 0; i < count * size; i++)
        packed[i] = (unsigned char)~(i * 41 + i / 241);
    for (int64_t i = 0; i < count; i++)
        memcpy(expected + p.at[first + i] * size, packed + i * size, (size_t)size);
    lun__strided_write(l, memory, size, first, count, packed);
    assert_memory_equal(memory, expected, (size_t)(span * size));
    free(expected);
}

static void expect_places_of(const lun_layout *l, int64_t first, int64_t count)
{
    static int64_t got[MOST_ELEMENTS + 2];
    got[0] = got[count + 1] = -77;
    lun__strided_offsets(l, first, count, got + 1);
    assert_memory_equal(got + 1, p.at + first, (size_t)count * sizeof *got);
    assert_true(got[0] == -77 && got[count + 1] == -77);
}

/* Some windows of a layout whose places are p, in memory that ends with the last of them. */
static void expect_copies(const lun_layout *l, int size, rng *r)
{
    int64_t span = p.high + 1;
    unsigned char *memory = malloc((size_t)(span * size) + 1);
    assert_non_null(memory);
    for (int64_t i = 0; i < span * size; i++) /* neighbours differ, lines and pages too */
        memory[i] = (unsigned char)(i * 37 + i / 251 + i / 65536);
    bool distinct = has_distinct_places(&p);
    for (int turn = 0; turn < 4; turn++) {
        int64_t first = turn ? below(r, p.count + 1) : 0;
        int64_t count = turn ? below(r, p.count - first + 1) : p.count;
        expect_read(l, memory, size, first, count, below(r, 64 / size) * size);
        if (distinct)
            expect_write(l, memory, span, size, first, count);
        expect_places_of(l, first, count);
    }
    free(memory);
}

static void test_random_layouts(void **state)
{
    (void)state;
    rng r = {6};
    for (int i = 0; i < ROUNDS; i++) {
        lun_layout l = random_layout(&r, i % 4 ? 2000 : MOST_ELEMENTS, &p);
        expect_copies(&l, 1 << below(&r, 4), &r);
    }
}

/* Two axes of every combination of extents and strides that a path of its own may take. */
static void test_planes(void **state)
{
    (void)state;
    static const int64_t extents[] = {2, 3, 4, 7, 8, 9, 15, 16, 17, 31, 33, 63, 64, 65, 100};
    enum { SOME = sizeof extents / sizeof *extents };
    rng r = {7};
    for (int i = 0; i < SOME * SOME; i++) {
        int64_t rows = extents[i / SOME], n = extents[i % SOME];
        const int64_t strides[][2] = {
            {1, rows}, {1, rows + 3}, {-1, rows}, {1, -rows},   {-1, -rows - 1}, {0, 1},
            {0, 0},    {0, -1},       {1, 0},     {2 * n, 2},   {3 * n + 1, 3},  {-n, -1},
            {n, 1},    {n + 2, 1},    {n, -1},    {-2 * n, -2}, {4 * n, 4},      {5 * n, 5},
            {1, 4096}, {2, 2 * rows}, {1, 1},     {-8 * n, 8},
        };
        for (size_t j = 0; j < sizeof strides / sizeof *strides; j++) {
            lun_layout l = {
                .rank = 2, .extent = {rows, n}, .stride = {strides[j][0], strides[j][1]}};
            count_places(&l, &p);
            l.offset = -p.low;
            count_places(&l, &p);
            for (int size = 1; size <= 8; size *= 2)
                expect_copies(&l, size, &r);
        }
    }
}

/* Matrices of many rows or columns, transposed; pitches of powers of two on either side. */
static void test_large_transposes(void **state)
{
    (void)state;
    static const int64_t extents[][2] = {{600, 20},  {20, 700},  {1025, 9}, {9, 1025},
                                         {128, 128}, {16, 1024}, {64, 256}, {256, 64}};
    rng r = {9};
    for (size_t i = 0; i < sizeof extents / sizeof *extents; i++) {
        int64_t rows = extents[i][0], n = extents[i][1];
        for (int size = 1; size <= 8; size *= 2)
            for (int j = 0; j < 3; j++) {
                int64_t pitch = j == 0 ? rows : j == 1 ? 2048 : rows + 5;
                lun_layout l = {.rank = 2, .extent = {rows, n}, .stride = {1, pitch}};
                count_places(&l, &p);
                expect_copies(&l, size, &r);
            }
    }
}

/* The same with axes between, before and behind the two that are transposed. */
static void test_transposes(void **state)
{
    (void)state;
    static const int order[][3] = {{0, 1, 2}, {0, 2, 1}, {1, 0, 2},
                                   {1, 2, 0}, {2, 0, 1}, {2, 1, 0}};
    static const int64_t extents[] = {2, 3, 16, 20, 37, 64};
    rng r = {8};
    for (int i = 0; i < 6 * 6 * 6 * 6; i++) {
        const int64_t extent[] = {extents[i % 6], extents[i / 6 % 6], extents[i / 36 % 6]};
        lun_layout right = lun__layout_right(3, extent), l = {.rank = 3};
        if (lun__layout_count(&right) > MOST_ELEMENTS)
            continue;
        for (int k = 0; k < 3; k++) {
            l.extent[k] = extent[order[i / 216][k]];
            l.stride[k] = right.stride[order[i / 216][k]];
        }
        count_places(&l, &p);
        expect_copies(&l, 1 << below(&r, 4), &r);
    }
}

/* A layout of the same extents whose axes, in any order, leave gaps. */
static lun_layout apart(const lun_layout *l, rng *r)
{
    lun_layout to = {.rank = l->rank, .offset = below(r, 9)};
    int64_t step = 1 + below(r, 2), turn = below(r, 8);
    for (int i = 0; i < l->rank; i++) {
        int k = turn & 1 ? i : l->rank - 1 - i;
        to.extent[k] = l->extent[k];
        to.stride[k] = step;
        step = step * l->extent[k] + below(r, 3);
    }
    return to;
}

/* From one layout into another; what is between stays. */
static void test_between_layouts(void **state)
{
    (void)state;
    static places q;
    rng r = {12};
    for (int i = 0; i < ROUNDS; i++) {
        lun_layout from = random_layout(&r, i % 8 ? 2000 : MOST_ELEMENTS, &p),
                   to = apart(&from, &r);
        int size = 1 << below(&r, 4);
        int64_t first = below(&r, p.count + 1), count = below(&r, p.count - first + 1);
        count_places(&to, &q);
        unsigned char *source = malloc((size_t)((p.high + 1) * size) + 1);
        unsigned char *got = malloc((size_t)((q.high + 1) * size) + 1);
        unsigned char *want = malloc((size_t)((q.high + 1) * size) + 1);
        assert_true(source && got && want);
        for (int64_t k = 0; k < (p.high + 1) * size; k++)
            source[k] = (unsigned char)(k * 37 + k / 251);
        memset(got, FILLER, (size_t)((q.high + 1) * size));
        memset(want, FILLER, (size_t)((q.high + 1) * size));
        for (int64_t k = first; k < first + count; k++)
            memcpy(want + q.at[k] * size, source + p.at[k] * size, (size_t)size);
        lun__strided_copy(&from, source, &to, got, size, first, count);
        assert_memory_equal(got, want, (size_t)((q.high + 1) * size));
        free(source);
        free(got);
        free(want);
    }
}

static void test_nothing(void **state)
{
    (void)state;
    lun_layout l = {.rank = 2, .extent = {5, 0}, .stride = {1, 1}, .offset = 3};
    lun__strided_read(&l, NULL, 4, 0, 0, NULL);
    lun__strided_write(&l, NULL, 4, 0, 0, NULL);
    lun__strided_offsets(&l, 0, 0, NULL);
    l.extent[1] = 4;
    lun__strided_read(&l, NULL, 8, 20, 0, NULL);
    lun__strided_write(&l, NULL, 8, 7, 0, NULL);
    lun__strided_offsets(&l, 7, 0, NULL);
}

/* Neighbouring columns of rows, read together: all of them, some, from the middle of the rows.  The
 * memory ends with the last element that is asked for. */
static void expect_columns(int size, int64_t row, int64_t n, int columns)
{
    const int64_t span = ((n - 1) * row + columns) * size, each = n * size + 2 * GUARD;
    unsigned char *memory = malloc((size_t)span), *all = malloc((size_t)(each * columns));
    void *to[64];
    assert_true(memory && all && columns <= 64);
    for (int64_t i = 0; i < span; i++)
        memory[i] = (unsigned char)(i * 37 + i / 251);
    memset(all, FILLER, (size_t)(each * columns));
    for (int c = 0; c < columns; c++)
        to[c] = all + c * each + GUARD;
    bool done = lun__column_transpose(size, memory, row, n, columns, to);
    for (int c = 0; c < columns; c++) {
        expect_guards(to[c], n * size);
        for (int64_t i = 0; i < n; i++) {
            const unsigned char *got = (unsigned char *)to[c] + i * size;
            if (done && memcmp(got, memory + (i * row + c) * size, (size_t)size) != 0)
                fail_msg("row %lld of %lld, column %d of %d, %lld apart, size %d", (long long)i,
                         (long long)n, c, columns, (long long)row, size);
            if (!done && (got[0] != FILLER || got[size - 1] != FILLER))
                fail_msg("something is written, columns of size %d, %lld apart", size,
                         (long long)row);
        }
    }
    free(memory);
    free(all);
}

static void test_columns(void **state)
{
    (void)state;
    static const int64_t counts[] = {1, 7, 8, 9, 16, 17, 18, 33, 64, 65, 129, 1000};
    for (size_t i = 0; i < sizeof counts / sizeof *counts; i++)
        for (int size = 1; size <= 8; size *= 2)
            for (int64_t row = 2; row <= 40; row++)
                for (int columns = 1; columns <= row; columns += columns < 4 ? 1 : 5)
                    expect_columns(size, row, counts[i], columns);
    expect_columns(4, 5000, 70, 40);
    expect_columns(8, 64, 70, 64);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_random_layouts),   cmocka_unit_test(test_planes),
        cmocka_unit_test(test_large_transposes), cmocka_unit_test(test_columns),
        cmocka_unit_test(test_transposes),       cmocka_unit_test(test_between_layouts),
        cmocka_unit_test(test_nothing),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
