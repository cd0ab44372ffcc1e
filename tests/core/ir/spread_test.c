/* spread_test.c - how elements are divided among places (spread/spread.h) and sets of elements
 * (spread/intervals.h), against plain counting. */
#include <stdlib.h>
#include <string.h>

#include "engine_kit.h"
#include "spread/spread.h"

enum { ROUNDS = 3000, MOST = 90 };

/* ---- intervals ------------------------------------------------------------------------------- */

static int64_t below(int64_t n)
{
    return (int64_t)((uint64_t)rand() % (uint64_t)n);
}

static void same_set(const lun_intervals *s, const bool *in)
{
    bool seen[MOST] = {false};
    for (int i = 0; i < s->count; i++) {
        assert_true(s->at[i].lo < s->at[i].hi);
        assert_true(i == 0 || s->at[i - 1].hi < s->at[i].lo); /* in order, and none touch */
        for (int64_t k = s->at[i].lo; k < s->at[i].hi; k++)
            seen[k] = true;
    }
    assert_memory_equal(seen, in, sizeof seen);
}

static void around(const lun_intervals *s, const bool *in)
{
    int64_t lo = below(MOST), hi = lo + 1 + below(MOST - lo), at = lo + below(hi - lo);
    int64_t first = at, last = at;
    bool all = true, is;
    while (first > lo && in[first - 1] == in[at])
        first--;
    while (last + 1 < hi && in[last + 1] == in[at])
        last++;
    lun_interval x = lun__intervals_around(s, at, lo, hi, &is);
    assert_int_equal(is, in[at]);
    assert_int_equal(x.lo, first);
    assert_int_equal(x.hi, last + 1);
    for (int64_t k = lo; k < hi; k++)
        all &= in[k];
    assert_int_equal(lun__intervals_cover(s, lo, hi), all);
    assert_true(lun__intervals_cover(s, at, at));
}

static void test_intervals(void **state)
{
    (void)state;
    lun_intervals s = {0}, copy;
    bool in[MOST] = {false};
    for (int round = 0; round < ROUNDS; round++) {
        int64_t lo = below(MOST + 1), hi = lo + below(MOST + 1 - lo);
        if (round % 20 == 0) {
            lun__intervals_clear(&s);
            memset(in, 0, sizeof in);
        }
        hi = hi > lo + 9 ? lo + 9 : hi;
        const bool more = below(3) > 0;
        assert_true((more ? lun__intervals_add : lun__intervals_remove)(&s, lo, hi));
        for (int64_t k = lo; k < hi; k++)
            in[k] = more;
        same_set(&s, in);
        around(&s, in);
    }
    assert_true(lun__intervals_copy(&s, &copy));
    same_set(&copy, in);
    assert_true(lun__intervals_room(&copy, 40));
    assert_true(copy.room >= copy.count + 40);
    same_set(&copy, in);
    lun__intervals_free(&copy);
    lun__intervals_free(&s);
}

/* ---- rules ----------------------------------------------------------------------------------- */

static void expect_sizes(lun_spread_rule rule, const double *weights, int64_t n, int places,
                         const int64_t *wanted)
{
    int64_t bound[LUN_MAX_PLACES + 1];
    lun__spread_cut(rule, weights, n, places, bound);
    for (int k = 0; k < places; k++)
        assert_int_equal(bound[k + 1] - bound[k], wanted[k]);
}
#define SIZES(...)    \
    (const int64_t[]) \
    {                 \
        __VA_ARGS__   \
    }

static void test_rules_by_hand(void **state)
{
    (void)state;
    const double one_three[] = {1, 3}, last[] = {0, 0, 5};
    expect_sizes(LUN_SPREAD_REMAINDER, NULL, 50, 4, SIZES(12, 12, 12, 14));
    expect_sizes(LUN_SPREAD_CEILING, NULL, 50, 4, SIZES(13, 13, 13, 11));
    expect_sizes(LUN_SPREAD_BALANCED, NULL, 50, 4, SIZES(13, 13, 12, 12));
    expect_sizes(LUN_SPREAD_REMAINDER, NULL, 5, 4, SIZES(1, 1, 1, 2));
    expect_sizes(LUN_SPREAD_CEILING, NULL, 5, 4, SIZES(2, 2, 1, 0));
    expect_sizes(LUN_SPREAD_BALANCED, NULL, 5, 4, SIZES(2, 1, 1, 1));
    expect_sizes(LUN_SPREAD_REMAINDER, NULL, 3, 4, SIZES(0, 0, 0, 3));
    expect_sizes(LUN_SPREAD_WEIGHTS, one_three, 10, 2, SIZES(2, 8));
    expect_sizes(LUN_SPREAD_WEIGHTS, last, 7, 3, SIZES(0, 0, 7));
    for (int rule = LUN_SPREAD_REMAINDER; rule < LUN_SPREAD_WEIGHTS; rule++)
        expect_sizes((lun_spread_rule)rule, NULL, 0, 3, SIZES(0, 0, 0));
}

/* Elements handed out one by one. */
static void count_out(lun_spread_rule rule, int64_t n, int places, int64_t *size)
{
    int64_t most = 0;
    memset(size, 0, (size_t)places * sizeof *size);
    while (most * places < n)
        most++;
    if (rule == LUN_SPREAD_BALANCED)
        for (int64_t i = 0; i < n; i++)
            size[i % places]++;
    else if (rule == LUN_SPREAD_CEILING)
        for (int64_t i = 0; i < n; i++)
            size[i / most]++;
    else
        for (int64_t i = 0; i < n; i++)
            size[i < n - n % places ? i % places : places - 1]++;
}

static void test_rules_by_counting(void **state)
{
    (void)state;
    int64_t size[LUN_MAX_PLACES];
    for (int places = 1; places <= 9; places++)
        for (int64_t n = 0; n < 150; n++)
            for (int rule = LUN_SPREAD_REMAINDER; rule < LUN_SPREAD_WEIGHTS; rule++) {
                count_out((lun_spread_rule)rule, n, places, size);
                expect_sizes((lun_spread_rule)rule, NULL, n, places, size);
            }
    int64_t bound[LUN_MAX_PLACES + 1];
    for (int rule = LUN_SPREAD_REMAINDER; rule < LUN_SPREAD_WEIGHTS; rule++) {
        lun__spread_cut((lun_spread_rule)rule, NULL, INT64_MAX, LUN_MAX_PLACES, bound);
        for (int k = 0; k < LUN_MAX_PLACES; k++)
            assert_true(bound[k] <= bound[k + 1]);
        assert_int_equal(bound[LUN_MAX_PLACES], INT64_MAX);
    }
}

/* ---- parts ----------------------------------------------------------------------------------- */

static lun_spread *cut_into(lun_spread_kind kind, int64_t slices, int64_t unit, int64_t halo,
                            int places)
{
    lun_spread *s = lun__spread_new(places);
    assert_non_null(s);
    s->kind = kind;
    s->rule = LUN_SPREAD_BALANCED;
    s->n = slices * unit;
    s->unit = unit;
    s->halo = halo;
    lun__spread_cut(s->rule, NULL, slices, places, s->bound);
    for (int k = 0; k <= places; k++)
        s->bound[k] *= unit;
    return s;
}

/* Halos reach over several parts, and never beyond the ends. */
static void test_parts(void **state)
{
    (void)state;
    for (int round = 0; round < ROUNDS; round++) {
        int places = 1 + (int)below(6);
        int64_t slices = below(20), unit = 1 + below(4), halo = below(25);
        lun_spread *s = cut_into(LUN_SPREAD_OVERLAP, slices, unit, halo, places);
        for (int k = 0; k < places; k++) {
            lun_interval x = lun__spread_part(s, k);
            for (int64_t i = 0; i < s->n; i++) {
                int64_t row = i / unit;
                bool near = s->bound[k] < s->bound[k + 1] && row >= s->bound[k] / unit - halo &&
                            row < s->bound[k + 1] / unit + halo;
                assert_int_equal(x.lo <= i && i < x.hi, near);
                if (s->bound[k] <= i && i < s->bound[k + 1])
                    assert_int_equal(lun__spread_owner(s, i), k);
            }
        }
        lun__spread_release(s);
    }
}

/* Spreads over few places and over as many as there may be, side by side. */
static void test_same(void **state)
{
    (void)state;
    lun_spread *copy = cut_into(LUN_SPREAD_COPY, 7, 1, 0, 3);
    lun_spread *single = cut_into(LUN_SPREAD_SINGLE, 7, 1, 0, 3);
    single->device = 1;
    for (int k = 0; k < 3; k++) {
        assert_int_equal(lun__spread_part(copy, k).hi, 7);
        assert_int_equal(lun__spread_part(single, k).hi, k == 1 ? 7 : 0);
    }
    assert_false(lun__spread_same(copy, single));
    lun_spread *block = cut_into(LUN_SPREAD_BLOCK, 7, 1, 0, 3);
    lun_spread *overlap = cut_into(LUN_SPREAD_OVERLAP, 7, 1, 2, 3);
    assert_true(lun__spread_same(block, overlap));
    overlap->bound[1]++;
    assert_false(lun__spread_same(block, overlap));
    lun_spread *wide = cut_into(LUN_SPREAD_BLOCK, 7, 3, 0, LUN_MAX_PLACES);
    wide->place[LUN_MAX_PLACES - 1] = wide;
    lun_spread *again = lun__spread_copy(wide);
    assert_non_null(again);
    assert_true(lun__spread_same(wide, again));
    assert_ptr_equal(again->place[LUN_MAX_PLACES - 1], wide);
    assert_int_equal(again->bound[LUN_MAX_PLACES], 21);
    again->bound[LUN_MAX_PLACES - 1]--;
    assert_false(lun__spread_same(wide, again));
    lun_spread *all[] = {copy, single, block, overlap, wide, again};
    for (size_t i = 0; i < sizeof all / sizeof *all; i++)
        lun__spread_release(all[i]);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_intervals),
        cmocka_unit_test(test_rules_by_hand),
        cmocka_unit_test(test_rules_by_counting),
        cmocka_unit_test(test_parts),
        cmocka_unit_test(test_same),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
