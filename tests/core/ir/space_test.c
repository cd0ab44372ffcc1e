/* space_test.c - the axes of an index space (base/layout/space.h) against the places of elements by
 * plain counting: each array's elements go on evenly along each axis, and with one axis less some
 * array's do not. */
#include "base/layout/space.h"
#include "layout_kit.h"

enum { ROUNDS = 3000, ARRAYS = 3 };

static places p[ARRAYS];

/* Whether element f stands, for all f, where a step along each axis of the space says. */
static bool goes_evenly(const lun_space *s, const places *at)
{
    int64_t extent[LUN_SPACE_AXES];
    const int axes = lun__space_extents(s, extent);
    for (int64_t f = 0; f < at->count; f++) {
        int64_t rest = f, under = 1, place = at->at[0];
        for (int k = axes - 1; k >= 0; under *= extent[k], k--) {
            if (extent[k] > 1)
                place += rest % extent[k] * (at->at[under] - at->at[0]);
            rest /= extent[k];
        }
        if (place != at->at[f])
            return false;
    }
    return true;
}

static bool all_go_evenly(const lun_space *s)
{
    for (int k = 0; k < ARRAYS; k++)
        if (!goes_evenly(s, &p[k]))
            return false;
    return true;
}

/* An array of that shape: its axes in another order in memory, broadcast along some, with gaps. */
static lun_layout array_of(rng *r, int rank, const int64_t *extent)
{
    lun_layout l = lun__layout_right(rank, extent);
    int order[LUN_LAYOUT_RANK];
    int64_t stride = 1 + below(r, 2);
    for (int k = 0; k < rank; k++)
        order[k] = k;
    for (int k = rank - 1; below(r, 2) && k > 0; k--) {
        const int other = (int)below(r, k + 1), held = order[k];
        order[k] = order[other];
        order[other] = held;
    }
    for (int k = rank - 1; k >= 0; k--) {
        l.stride[order[k]] = below(r, 5) ? stride : 0;
        stride = stride * extent[order[k]] + (below(r, 6) ? 0 : 1);
    }
    return l;
}

static void test_as_few_axes_as_say_it(void **state)
{
    (void)state;
    rng r = {7};
    int merged = 0, several = 0;
    for (int round = 0; round < ROUNDS; round++) {
        const int rank = 1 + (int)below(&r, 4);
        int64_t shape[LUN_LAYOUT_RANK], extent[LUN_SPACE_AXES], n = 1;
        for (int k = 0; k < rank; k++)
            n *= shape[k] = 1 + below(&r, 5);
        lun_space s = {.n = n};
        for (int k = 0; k < ARRAYS; k++) {
            const lun_layout l = array_of(&r, rank, shape);
            count_places(&l, &p[k]);
            lun__space_of_layout(&s, &l);
        }
        assert_true(all_go_evenly(&s));
        for (int k = 0; k < s.count; k++) {
            lun_space less = s;
            memmove(&less.under[k], &less.under[k + 1],
                    sizeof(int64_t) * (size_t)(s.count - k - 1));
            less.count--;
            assert_false(all_go_evenly(&less));
        }
        const int axes = lun__space_extents(&s, extent);
        int64_t all = 1;
        for (int k = 0; k < axes; k++)
            all *= extent[k];
        assert_int_equal(all, n);
        merged += axes < rank;
        several += axes > 1;
    }
    assert_true(merged > ROUNDS / 10 && several > ROUNDS / 10);
}

static void expect(const lun_space *s, int count, const int64_t *wanted)
{
    int64_t extent[LUN_SPACE_AXES];
    assert_int_equal(lun__space_extents(s, extent), count);
    for (int k = 0; k < count; k++)
        assert_int_equal(extent[k], wanted[k]);
}

static void test_padding(void **state)
{
    (void)state;
    lun_padding pad = {.rank = 3, .extent = {4, 3, 5}, .inner = {2, 3, 5}};
    lun_space s = {.n = 60};
    lun__space_of_padding(&s, &pad);
    expect(&s, 1, (const int64_t[]){60});
    pad.before[1] = 1; /* shifted along it, of the same extent */
    lun__space_of_padding(&s, &pad);
    expect(&s, 2, (const int64_t[]){4, 15});
    pad.inner[2] = 3;
    lun__space_of_padding(&s, &pad);
    expect(&s, 3, (const int64_t[]){4, 3, 5});
}

static void test_cuts(void **state)
{
    (void)state;
    lun_space s = {.n = 4800}, none = {.n = 0}, deep = {.n = INT64_C(1) << 40};
    expect(&s, 1, (const int64_t[]){4800});
    lun__space_cut(&s, 0);
    lun__space_cut(&s, 1);
    lun__space_cut(&s, 4800);
    lun__space_cut(&s, 7); /* does not divide it */
    expect(&s, 1, (const int64_t[]){4800});
    lun__space_cut(&s, 80);
    lun__space_cut(&s, 80);
    lun__space_cut(&s, 60); /* no box has both */
    lun__space_cut(&s, 20);
    expect(&s, 3, (const int64_t[]){60, 4, 20});
    lun__space_cut(&none, 80);
    expect(&none, 1, (const int64_t[]){0});
    for (int k = 39; k > 0; k--)
        lun__space_cut(&deep, INT64_C(1) << k);
    assert_int_equal(deep.count, LUN_SPACE_AXES - 1);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_as_few_axes_as_say_it),
        cmocka_unit_test(test_padding),
        cmocka_unit_test(test_cuts),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
