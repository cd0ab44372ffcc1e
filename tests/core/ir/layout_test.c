/* layout_test.c - arithmetic on layouts (base/layout/layout.h) against plain counting of indices.
 * */
#include "layout_kit.h"

enum { ROUNDS = 4000 };

static places p, q;

static lun_layout layout(int rank, const int64_t *extent, const int64_t *stride, int64_t offset)
{
    lun_layout l = {.rank = rank, .offset = offset};
    for (int k = 0; k < rank; k++) {
        l.extent[k] = extent[k];
        l.stride[k] = stride[k];
    }
    return l;
}
#define LAYOUT(rank, offset, extents, strides) \
    layout(rank, (const int64_t[])extents, (const int64_t[])strides, offset)
#define L(...)      \
    {               \
        __VA_ARGS__ \
    }

static void same(const lun_layout *a, const lun_layout *b)
{
    assert_int_equal(a->rank, b->rank);
    assert_int_equal(a->offset, b->offset);
    for (int k = 0; k < a->rank; k++) {
        assert_int_equal(a->extent[k], b->extent[k]);
        assert_int_equal(a->stride[k], b->stride[k]);
    }
}

static void test_right_and_left(void **state)
{
    (void)state;
    const int64_t extent[] = {4, 3, 5}, empty[] = {INT64_MAX, 0, INT64_MAX};
    lun_layout right = LAYOUT(3, 0, L(4, 3, 5), L(15, 5, 1));
    lun_layout left = LAYOUT(3, 0, L(4, 3, 5), L(1, 4, 12));
    lun_layout l = lun__layout_right(3, extent);
    same(&l, &right);
    l = lun__layout_left(3, extent);
    same(&l, &left);
    l = lun__layout_right(0, NULL);
    assert_int_equal(lun__layout_count(&l), 1);
    assert_int_equal(lun__layout_offset(&l, 0), 0);
    l = lun__layout_right(3, empty);
    assert_int_equal(lun__layout_count(&l), 0);
    l = lun__layout_left(3, empty);
    assert_int_equal(lun__layout_count(&l), 0);
    l = lun__layout_right(1, &(int64_t){INT64_MAX});
    assert_int_equal(lun__layout_count(&l), INT64_MAX);
}

/* What count, place, reach and the questions say of a layout, by its places. */
static void expect_answers(const lun_layout *l)
{
    int64_t low, high;
    bool dense = true, distinct = has_distinct_places(&p);
    assert_int_equal(lun__layout_count(l), p.count);
    for (int64_t f = 0; f < p.count; f++) {
        dense = dense && p.at[f] == l->offset + f;
        assert_int_equal(lun__layout_offset(l, f), p.at[f]);
    }
    if (p.count) {
        assert_true(lun__layout_range(l, &low, &high));
        assert_int_equal(low, p.low);
        assert_int_equal(high, p.high);
    }
    assert_int_equal(lun__layout_is_dense(l), dense);
    bool fills = distinct && (!p.count || (p.low == l->offset && p.high - p.low + 1 == p.count));
    assert_int_equal(lun__layout_is_permutation(l), fills);
    if (l->rank <= 2)
        assert_int_equal(lun__layout_is_injective(l), distinct);
    else if (lun__layout_is_injective(l))
        assert_true(distinct);
    else
        assert_false(fills);
}

static void test_answers(void **state)
{
    (void)state;
    rng r = {1};
    for (int i = 0; i < ROUNDS; i++) {
        lun_layout l = random_layout(&r, i % 8 ? 600 : MOST_ELEMENTS, &p);
        expect_answers(&l);
    }
}

static void test_distinct_places_are_seen(void **state)
{
    (void)state;
    lun_layout l = LAYOUT(2, 7, L(3, 4), L(-4, 1)); /* rows upside down */
    assert_true(lun__layout_is_injective(&l));
    assert_false(lun__layout_is_permutation(&l));
    l = LAYOUT(3, 0, L(3, 1, 4), L(1, 0, 5)); /* a transpose with gaps, an axis of 1 */
    assert_true(lun__layout_is_injective(&l));
    l = LAYOUT(2, 0, L(3, 4), L(1, 1)); /* windows */
    assert_false(lun__layout_is_injective(&l));
    l = LAYOUT(2, 0, L(3, 4), L(0, 1)); /* a row repeated */
    assert_false(lun__layout_is_injective(&l));
    l = LAYOUT(2, 0, L(3, 0), L(0, 0));
    assert_true(lun__layout_is_injective(&l));
    l = LAYOUT(2, 0, L(4, 4), L(INT64_MIN, INT64_MAX)); /* nowhere */
    assert_false(lun__layout_is_injective(&l));
    l = LAYOUT(2, 0, L(2, 2), L(3, 2)); /* 0 2 3 5 */
    assert_true(lun__layout_is_injective(&l));
    l = LAYOUT(2, 0, L(4, 4), L(8, 5)); /* 5 * 8 = 8 * 5 is beyond both */
    assert_true(lun__layout_is_injective(&l));
    l = LAYOUT(2, 0, L(6, 9), L(8, 5));
    assert_false(lun__layout_is_injective(&l));
    l = LAYOUT(3, 0, L(2, 2, 2), L(6, 4, 3)); /* not easily seen */
    assert_false(lun__layout_is_injective(&l));
}

static void test_reach_beyond_numbers(void **state)
{
    (void)state;
    int64_t low, high;
    lun_layout l = LAYOUT(1, 0, L(2), L(INT64_MAX));
    assert_true(lun__layout_range(&l, &low, &high));
    assert_int_equal(high, INT64_MAX);
    l.offset = 1;
    assert_false(lun__layout_range(&l, &low, &high));
    l = LAYOUT(1, INT64_MAX, L(3), L(-INT64_MAX)); /* the span alone does not fit */
    assert_true(lun__layout_range(&l, &low, &high));
    assert_int_equal(low, -INT64_MAX);
    assert_int_equal(high, INT64_MAX);
    l = LAYOUT(1, -1, L(2), L(INT64_MIN));
    assert_false(lun__layout_range(&l, &low, &high));
    l = LAYOUT(2, 0, L(2, 2), L(INT64_MAX, INT64_MIN)); /* up and down do not make up for another */
    assert_true(lun__layout_range(&l, &low, &high));
    assert_int_equal(low, INT64_MIN);
    assert_int_equal(high, INT64_MAX);
    l = LAYOUT(2, 0, L(3, 3), L(INT64_MAX, INT64_MIN));
    assert_false(lun__layout_range(&l, &low, &high));
    l = LAYOUT(2, 0, L(INT64_C(1) << 32, INT64_C(1) << 30), L(INT64_C(1) << 32, INT64_C(1) << 32));
    assert_false(lun__layout_range(&l, &low, &high));
    const int64_t most[] = {INT64_MAX, 1, 1, 1, 1, 1, 1, 1};
    const int64_t far[] = {INT64_MIN, 0, 0, 0, 0, 0, 0, 0};
    l = layout(8, most, far, INT64_MAX);
    assert_false(lun__layout_range(&l, &low, &high));
}

static void test_simplified(void **state)
{
    (void)state;
    rng r = {2};
    for (int i = 0; i < ROUNDS; i++) {
        lun_layout l = random_layout(&r, 600, &p), s = lun__layout_simplified(&l);
        expect_places(&s, &p);
        assert_true(s.rank >= 1);
        for (int k = 0; k < s.rank; k++)
            assert_true(s.extent[k] != 1 || (s.rank == 1 && s.stride[k] == 1));
        for (int k = 1; k < s.rank; k++)
            assert_true(s.stride[k - 1] != s.stride[k] * s.extent[k]);
        if (p.count == 0)
            assert_true(s.rank == 1 && s.extent[0] == 0 && s.stride[0] == 1);
    }
}

/* Whether places that are counted by some extents are those of strides; which ones. */
static bool strides_of(int rank, const int64_t *extent, lun_layout *out)
{
    int64_t step = 1;
    *out = (lun_layout){.rank = rank, .offset = p.count ? p.at[0] : 0};
    for (int k = rank - 1; k >= 0; k--) {
        out->extent[k] = extent[k];
        out->stride[k] = p.count && extent[k] > 1 ? p.at[step] - p.at[0] : 0;
        step *= extent[k];
    }
    count_places(out, &q);
    return q.count == p.count && !memcmp(p.at, q.at, (size_t)p.count * sizeof *p.at);
}

/* Other extents of as many elements: neighbours joined, one split, ones put in. */
static int other_extents(rng *r, const lun_layout *l, int64_t *extent)
{
    int rank = 0;
    for (int k = 0; k < l->rank; k++) {
        int64_t n = l->extent[k], part = 1 + below(r, 8);
        if (rank < LUN_LAYOUT_RANK && below(r, 6) == 0)
            extent[rank++] = 1;
        bool join = rank && below(r, 3) == 0, divide = n && n % part == 0 && below(r, 2);
        if (join || rank == LUN_LAYOUT_RANK) {
            extent[rank - 1] *= n;
        } else if (divide && rank < LUN_LAYOUT_RANK - 1) {
            extent[rank++] = part;
            extent[rank++] = n / part;
        } else {
            extent[rank++] = n;
        }
    }
    return rank;
}

static void test_reshaped(void **state)
{
    (void)state;
    rng r = {3};
    int yes = 0, no = 0;
    for (int i = 0; i < ROUNDS; i++) {
        lun_layout l = random_layout(&r, 600, &p), s, oracle;
        int64_t extent[LUN_LAYOUT_RANK];
        int rank = other_extents(&r, &l, extent);
        bool says = strides_of(rank, extent, &oracle);
        assert_int_equal(lun__layout_reshaped(&l, rank, extent, &s), says);
        *(says ? &yes : &no) += 1;
        if (!says)
            continue;
        assert_int_equal(s.rank, rank);
        assert_memory_equal(s.extent, extent, (size_t)rank * sizeof *extent);
        expect_places(&s, &p);
    }
    assert_true(yes > ROUNDS / 4 && no > ROUNDS / 20);
}

static void test_reshaped_as_expected(void **state)
{
    (void)state;
    lun_layout l = LAYOUT(2, 5, L(4, 6), L(10, 1)), s; /* rows with gaps */
    lun_layout split = LAYOUT(3, 5, L(4, 2, 3), L(10, 3, 1));
    assert_true(lun__layout_reshaped(&l, 3, split.extent, &s));
    same(&s, &split);
    assert_false(lun__layout_reshaped(&l, 1, (const int64_t[]){24}, &s));
    assert_false(lun__layout_reshaped(&l, 2, (const int64_t[]){6, 4}, &s));
    assert_true(lun__layout_reshaped(&l, 4, (const int64_t[]){1, 4, 1, 6}, &s));
    l = LAYOUT(3, 0, L(2, 3, 4), L(1, 2, 6)); /* a left array */
    assert_false(lun__layout_reshaped(&l, 1, (const int64_t[]){24}, &s));
    l = LAYOUT(1, 3, L(1), L(99));
    assert_true(lun__layout_reshaped(&l, 0, NULL, &s));
    assert_int_equal(s.rank, 0);
    assert_int_equal(s.offset, 3);
    l = LAYOUT(2, 3, L(5, 0), L(7, 7));
    assert_true(lun__layout_reshaped(&l, 3, (const int64_t[]){0, 100, 9}, &s));
    assert_int_equal(lun__layout_count(&s), 0);
    l = LAYOUT(2, 3, L(5, 4), L(0, 0)); /* one element everywhere */
    assert_true(lun__layout_reshaped(&l, 2, (const int64_t[]){2, 10}, &s));
}

/* A layout over flat numbers below n, n > 0: axes with steps that stay within. */
static lun_layout random_picks(rng *r, int64_t n)
{
    for (;;) {
        lun_layout l = {.rank = (int)below(r, 4)};
        int64_t low, high;
        for (int k = 0; k < l.rank; k++) {
            l.extent[k] = 1 + below(r, below(r, 2) ? 4 : 20);
            l.stride[k] = below(r, 2 * n) - n;
            if (below(r, 2))
                l.stride[k] = below(r, 9) - 4;
        }
        assert_true(lun__layout_range(&l, &low, &high));
        if (high - low < n && lun__layout_count(&l) < MOST_ELEMENTS) {
            l.offset = below(r, n - (high - low)) - low;
            return l;
        }
    }
}

static void test_composed(void **state)
{
    (void)state;
    static places inner, outer;
    rng r = {4};
    int yes = 0, missed = 0;
    for (int i = 0; i < ROUNDS; i++) {
        lun_layout in = random_layout(&r, 600, &inner), s, oracle;
        if (!inner.count)
            continue;
        lun_layout out = random_picks(&r, inner.count);
        count_places(&out, &outer);
        p = (places){.count = outer.count};
        for (int64_t f = 0; f < outer.count; f++)
            p.at[f] = inner.at[outer.at[f]];
        bool says = strides_of(out.rank, out.extent, &oracle);
        if (!lun__layout_composed(&in, &out, &s)) {
            missed += says; /* carries that make up for one another take three axes */
            assert_true(!says || lun__layout_simplified(&in).rank > 2);
            continue;
        }
        yes++;
        assert_int_equal(s.rank, out.rank);
        assert_memory_equal(s.extent, out.extent, (size_t)s.rank * sizeof *s.extent);
        expect_places(&s, &p);
    }
    assert_true(yes > ROUNDS / 4);
    assert_true(missed <= ROUNDS / 100);
}

/* A part of a layout's indices: some rows of each axis by a step, and the axes in another order;
 * `flat` says the same of the flat numbers. */
static void random_part(rng *r, const lun_layout *l, lun_layout *places_of, lun_layout *flat)
{
    lun_layout rows = lun__layout_right(l->rank, l->extent);
    *places_of = (lun_layout){.rank = l->rank, .offset = l->offset};
    *flat = (lun_layout){.rank = l->rank};
    for (int k = 0; k < l->rank; k++) {
        int64_t n = l->extent[k], from = n ? below(r, n) : 0, to = n ? below(r, n) : 0;
        int64_t step = (to < from ? -1 : 1) * (1 + below(r, 3));
        int at = (int)below(r, k + 1);
        for (lun_layout *one = places_of;; one = flat) {
            int64_t stride = one == flat ? rows.stride[k] : l->stride[k];
            memmove(one->extent + at + 1, one->extent + at, (size_t)(k - at) * sizeof n);
            memmove(one->stride + at + 1, one->stride + at, (size_t)(k - at) * sizeof n);
            one->extent[at] = n ? (to - from) / step + 1 : 0;
            one->stride[at] = stride * step;
            one->offset += from * stride;
            if (one == flat)
                break;
        }
    }
}

/* Slices and transposes of slices and transposes always compose. */
static void test_parts_compose(void **state)
{
    (void)state;
    rng r = {5};
    for (int i = 0; i < ROUNDS; i++) {
        lun_layout l = random_layout(&r, 600, &p), direct, flat, s;
        for (int depth = 0; depth < 3; depth++) {
            random_part(&r, &l, &direct, &flat);
            assert_true(lun__layout_composed(&l, &flat, &s));
            count_places(&direct, &p);
            expect_places(&s, &p);
            for (int k = 0; p.count && k < s.rank; k++)
                assert_true(s.extent[k] == 1 || s.stride[k] == direct.stride[k]);
            l = s;
        }
    }
}

static void test_composed_as_expected(void **state)
{
    (void)state;
    lun_layout left = LAYOUT(2, 0, L(8, 8), L(1, 8)), s;
    lun_layout row = LAYOUT(2, 16, L(1, 8), L(8, 1)), diagonal = LAYOUT(1, 7, L(8), L(7));
    lun_layout half = LAYOUT(1, 0, L(32), L(2)), odd = LAYOUT(1, 0, L(20), L(3));
    lun_layout row_there = LAYOUT(2, 2, L(1, 8), L(1, 8));
    assert_true(lun__layout_composed(&left, &row, &s)); /* an axis of 1 keeps its natural stride */
    same(&s, &row_there);
    assert_true(lun__layout_composed(&left, &diagonal, &s));
    assert_int_equal(s.stride[0], 1 - 8);
    assert_false(lun__layout_composed(&left, &half, &s));
    assert_false(lun__layout_composed(&left, &odd, &s));
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_right_and_left),
        cmocka_unit_test(test_answers),
        cmocka_unit_test(test_distinct_places_are_seen),
        cmocka_unit_test(test_reach_beyond_numbers),
        cmocka_unit_test(test_simplified),
        cmocka_unit_test(test_reshaped),
        cmocka_unit_test(test_reshaped_as_expected),
        cmocka_unit_test(test_composed),
        cmocka_unit_test(test_parts_compose),
        cmocka_unit_test(test_composed_as_expected),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
