/* sort_test.c - elements in order (backends/algorithms/sort/sort.h) against the C library's qsort
 * on numbers and places: all dtypes, both directions, segments, numbers of threads; and that
 * nothing beyond the results is touched. */
#include "kernels.h"

#include <math.h>

#include "algorithms/sort/sort.h"

enum { MOST = 300000, ROUNDS = 500 };

/* ---- the oracle ------------------------------------------------------------------------------ */

typedef struct number {
    int is_nan, rank; /* rank: 0 below 2^63, 1 above it */
    int64_t whole;    /* of integers */
    double x;         /* of floats */
    bool negative;
    int64_t place;
} number;

static bool falling;

static int by_value(const void *one, const void *other)
{
    const number *a = one, *b = other;
    int c;
    if (a->is_nan || b->is_nan)
        c = a->is_nan - b->is_nan;
    else if (a->x != b->x)
        c = (a->x > b->x) - (a->x < b->x);
    else if (a->rank != b->rank)
        c = a->rank - b->rank;
    else if (a->whole != b->whole)
        c = (a->whole > b->whole) - (a->whole < b->whole);
    else
        c = b->negative - a->negative;
    if (falling && !a->is_nan && !b->is_nan)
        c = -c;
    return c ? c : (a->place > b->place) - (a->place < b->place);
}

static number number_of(lun_dtype t, uint64_t cell, int64_t place)
{
    number n = {.place = place};
    if (lun__dtype_is_float(t)) {
        uint64_t bits = lun__dtype_cell_cast(LUN_F64, t, cell);
        memcpy(&n.x, &bits, sizeof bits);
        n.is_nan = isnan(n.x);
        n.negative = signbit(n.x);
        return n;
    }
    n.whole = (int64_t)lun__dtype_cell_cast(lun__dtype_is_signed(t) ? LUN_I64 : LUN_U64, t, cell);
    n.rank = !lun__dtype_is_signed(t) && n.whole < 0;
    return n;
}

/* Where the elements of each segment in order come from. */
static int64_t *expected(const lun_sorting *s)
{
    const int64_t size = lun__dtype_get(s->dtype)->bytes;
    int64_t *indices = malloc((size_t)(s->n + 1) * sizeof *indices);
    number *segment = malloc((size_t)(s->segment + 1) * sizeof *segment);
    assert_non_null(indices);
    assert_non_null(segment);
    falling = s->descending;
    for (int64_t from = 0; from < s->n; from += s->segment) {
        for (int64_t i = 0; i < s->segment; i++) {
            uint64_t cell = 0;
            memcpy(&cell, (const char *)s->from + (from + i) * size, (size_t)size);
            segment[i] = number_of(s->dtype, cell, i);
        }
        qsort(segment, (size_t)s->segment, sizeof *segment, by_value);
        for (int64_t i = 0; i < s->segment; i++)
            indices[from + i] = segment[i].place;
    }
    free(segment);
    return indices;
}

/* ---- elements -------------------------------------------------------------------------------- */

static int64_t below(uint64_t *seed, int64_t n)
{
    return (int64_t)(test_random(seed) % (uint64_t)n);
}

typedef enum kind { ANY, FEW, SMALL, LARGE, SAME, UP, DOWN, SPECIAL, SKEWED, EVEN, KINDS } kind;

/* A float by its bits: NaNs of any, infinities, zeros, the least numbers. */
static uint64_t special(lun_dtype t, uint64_t *seed)
{
    static const double some[] = {0.0, -0.0, INFINITY, -INFINITY, 1, -1, 0x1p-14, -0x1p-14};
    lun_value x = {.dtype = LUN_F64, .as.d = some[below(seed, 8)]};
    if (!lun__dtype_is_float(t) || below(seed, 3))
        return lun__dtype_cell_from_value(t, x);
    x.as.d = NAN;
    return lun__dtype_cell_from_value(t, x) ^ (test_random(seed) & 0x7f) ^
           ((test_random(seed) & 1) << (lun__dtype_bits(t) - 1));
}

static uint64_t element(lun_dtype t, kind k, int64_t i, int64_t n, uint64_t *seed)
{
    uint64_t bits = test_random(seed);
    lun_value x = {.dtype = LUN_F64, .as.d = (double)(bits >> 11) * 0x1p-53};
    switch (k) {
    case ANY:
        return lun__dtype_is_bool(t) ? bits & 1 : bits;
    case FEW:
        return lun__dtype_cell_cast(t, LUN_I64, (bits % 7) * 11 - 20);
    case SMALL:
        return lun__dtype_cell_cast(t, LUN_I64, bits % 200 + 3);
    case LARGE:
        return lun__dtype_cell_cast(t, LUN_U64, UINT64_MAX - bits % 1000);
    case UP:
        return lun__dtype_cell_cast(t, LUN_I64, (uint64_t)(i / 2));
    case DOWN:
        return lun__dtype_cell_cast(t, LUN_I64, (uint64_t)((n - i) / 3));
    case SPECIAL:
        return special(t, seed);
    case SKEWED: /* half of them equal, the others over many magnitudes */
        x.as.d = bits & 1 ? 3.0 : ldexp(x.as.d, (int)(bits >> 1 & 31) - 16);
        return lun__dtype_cell_from_value(t, x);
    case EVEN: /* 0 .. 1: most have few exponents */
        return lun__dtype_cell_from_value(t, x);
    default:
        return lun__dtype_cell_cast(t, LUN_I64, 5);
    }
}

/* ---- runs ------------------------------------------------------------------------------------ */

static void compare(const lun_sorting *s, const int64_t *wanted, int threads)
{
    const int64_t size = lun__dtype_get(s->dtype)->bytes;
    for (int64_t i = 0; i < s->n; i++) {
        const int64_t from = i / s->segment * s->segment + wanted[i];
        const char *x = (const char *)s->from + from * size;
        if ((s->to && memcmp((const char *)s->to + i * size, x, (size_t)size)) ||
            (s->indices && s->indices[i] != wanted[i] + s->base))
            fail_msg("%s, %lld in lines of %lld, %s%s%s, %d threads: number %lld",
                     lun_dtype_name(s->dtype), (long long)s->n, (long long)s->segment,
                     s->descending ? "falling, " : "", s->to ? "elements " : "",
                     s->indices ? "places" : "", threads, (long long)i);
    }
}

static void run(lun_sorting *s, int threads, bool elements, bool indices, const int64_t *wanted)
{
    lun_services services = test_services();
    lun_team team = {.threads = threads,
                     .parallel = test_parallel,
                     .cache_bytes = threads & 1 ? 1 : 1 << 30}; /* segments bypass caches, or not */
    const int64_t size = lun__dtype_get(s->dtype)->bytes;
    test_memory to = {0}, at = {0}, scratch = {0};
    if (elements)
        to = test_guarded((size_t)(s->n * size));
    if (indices)
        at = test_guarded((size_t)s->n * sizeof(int64_t));
    s->to = to.data;
    s->indices = (int64_t *)(void *)at.data;
    const int64_t room = lun__sorting_room(s, threads);
    if (room)
        scratch = test_guarded((size_t)room);
    s->scratch = scratch.data;
    assert_int_equal(lun__sorting_run(&services, &team, s), LUN_OK);
    compare(s, wanted, threads);
    test_memory *all[] = {&to, &at, &scratch};
    for (int i = 0; i < 3; i++)
        if (all[i]->map)
            test_guarded_free(all[i]);
}

static void check(lun_dtype t, kind k, int64_t n, int64_t segment, bool descending, uint64_t *seed)
{
    const int64_t size = lun__dtype_get(t)->bytes;
    test_memory from = test_guarded((size_t)(n * size));
    for (int64_t i = 0; i < n; i++) {
        uint64_t cell = element(t, k, i, n, seed);
        memcpy(from.data + i * size, &cell, (size_t)size);
    }
    lun_sorting s = {.dtype = t,
                     .descending = descending,
                     .n = n,
                     .segment = segment,
                     .from = from.data,
                     .base = below(seed, 2)};
    int64_t *wanted = expected(&s);
    const int what = (int)below(seed, 3);
    for (int j = 0; j < THREADS; j++)
        run(&s, test_threads[j], what != 0, what != 1, wanted);
    run(&s, 1 + (int)below(seed, 8), what == 0, what != 2, wanted);
    free(wanted);
    test_guarded_free(&from);
}

static void test_all(void **state)
{
    (void)state;
    static const int64_t lengths[] = {1,    2,     3,     24,    25,    100,    1000,
                                      5000, 16385, 32767, 40000, 65537, 100000, MOST};
    uint64_t seed = 17;
    for (int round = 0; round < ROUNDS; round++) {
        const int64_t n = lengths[below(&seed, below(&seed, 4) ? 10 : 14)];
        const int64_t segments = n < 2000 && below(&seed, 2) ? 1 + below(&seed, 30) : 1;
        check((lun_dtype)(round % LUN_DTYPE_COUNT), (kind)below(&seed, KINDS), n * segments, n,
              below(&seed, 2), &seed);
    }
}

/* Each dtype at lengths where every way of sorting is taken. */
static void test_long(void **state)
{
    (void)state;
    uint64_t seed = 4;
    for (int t = 0; t < LUN_DTYPE_COUNT; t++)
        for (int k = 0; k < KINDS; k++)
            check((lun_dtype)t, (kind)k, MOST, k % 2 ? MOST : MOST / 3, k / 2 % 2, &seed);
}

static void test_none(void **state)
{
    (void)state;
    lun_services services = test_services();
    lun_team team = {.threads = 2, .parallel = test_parallel};
    for (int t = 0; t < LUN_DTYPE_COUNT; t++) {
        int64_t place = 7;
        lun_sorting s = {.dtype = (lun_dtype)t, .from = "", .to = &place, .indices = &place};
        assert_int_equal(lun__sorting_room(&s, 2), 0);
        assert_int_equal(lun__sorting_run(&services, &team, &s), LUN_OK);
        assert_int_equal(place, 7);
    }
}

static void test_stop(void **state)
{
    (void)state;
    uint64_t seed = 5;
    lun_services services = test_services();
    lun_team team = {.threads = 2, .parallel = test_parallel};
    for (int t = 0; t < LUN_DTYPE_COUNT; t++) {
        uint64_t *from = test_alloc(MOST, 8), *to = test_alloc(MOST, 8);
        for (int i = 0; i < MOST; i++)
            from[i] = test_random(&seed);
        lun_sorting s = {.dtype = (lun_dtype)t, .n = MOST, .segment = MOST, .from = from, .to = to};
        s.scratch = malloc((size_t)lun__sorting_room(&s, 2));
        assert_non_null(s.scratch);
        cancel_flag = 1;
        assert_int_equal(lun__sorting_run(&services, &team, &s), LUN_ECANCEL);
        free(s.scratch);
        free(from);
        free(to);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_all),
        cmocka_unit_test(test_long),
        cmocka_unit_test(test_none),
        cmocka_unit_test(test_stop),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
