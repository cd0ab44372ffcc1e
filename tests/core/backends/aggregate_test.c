/* aggregate_test.c - aggregates of groups of host memory (backends/algorithms) against loops over
 * all rows, in the order that aggregate.c states, on 1 to 8 threads, touching nothing beyond. */
#include "algorithm_kit.h"

#include "table/aggregate.h"

enum { PART = 65536, FEW = 8192 };

typedef struct table {
    int64_t rows, groups, segment;
    lun_column codes, x, means;
    bool skipnan;
} table;

/* What an aggregate of element j of a group has after so many rows. */
typedef struct sofar {
    double f;
    uint64_t i;
    int64_t first, last, count;
    bool any, all, some;
} sofar;

static bool less_cell(lun_dtype t, uint64_t a, uint64_t b)
{
    return lun__dtype_is_float(t) ? number_of(t, a) < number_of(t, b) : compare(t, a, b) < 0;
}

static void take_least(lun_dtype t, uint64_t x, bool greatest, sofar *s)
{
    bool is_nan = lun__dtype_is_float(t) && isnan(number_of(t, x));
    bool was_nan = s->some && lun__dtype_is_float(t) && isnan(number_of(t, s->i));
    if (!s->some || is_nan)
        s->i = x;
    else if (!was_nan && (greatest ? less_cell(t, s->i, x) : less_cell(t, x, s->i)))
        s->i = x;
    s->some = true;
}

static void take(const table *a, lun_aggregate which, int64_t row, int64_t j, int64_t g, sofar *s)
{
    const lun_dtype t = a->x.dtype;
    const uint64_t x = cell_at(&a->x, row * a->segment + j);
    const double f = number_of(t, x);
    const uint64_t i = lun__dtype_cell_cast(LUN_I64, t, x);
    if (a->skipnan && lun__dtype_is_float(t) && isnan(f))
        return;
    if (which == LUN_AGGREGATE_SUM)
        s->f += f, s->i += i;
    else if (which == LUN_AGGREGATE_PROD)
        s->f *= f, s->i *= i;
    else if (which == LUN_AGGREGATE_MIN || which == LUN_AGGREGATE_MAX)
        take_least(t, x, which == LUN_AGGREGATE_MAX, s);
    else if (which == LUN_AGGREGATE_DEVIATIONS) {
        double d = f - ((const double *)a->means.data)[g * a->segment + j];
        s->f += d * d;
    }
    s->first = s->first ? s->first : row + 1;
    s->last = row + 1;
    s->count++;
    s->any |= i != 0;
    s->all &= i != 0;
}

static void add_part(const table *a, lun_aggregate which, const sofar *part, sofar *all)
{
    const lun_dtype t = a->x.dtype;
    if (which == LUN_AGGREGATE_SUM || which == LUN_AGGREGATE_DEVIATIONS)
        all->f += part->f, all->i += part->i;
    else if (which == LUN_AGGREGATE_PROD)
        all->f *= part->f, all->i *= part->i;
    else if (part->some)
        take_least(t, part->i, which == LUN_AGGREGATE_MAX, all);
    all->first = all->first ? all->first : part->first;
    all->last = part->last ? part->last : all->last;
    all->count += part->count;
    all->any |= part->any;
    all->all &= part->all;
}

static uint64_t double_bits(double x)
{
    uint64_t bits;
    memcpy(&bits, &x, sizeof bits);
    return bits;
}

/* The cell of the result, in its dtype. */
static uint64_t result_of(const table *a, lun_aggregate which, const sofar *s)
{
    const bool floats = lun__dtype_is_float(a->x.dtype);
    switch (which) {
    case LUN_AGGREGATE_SUM:
    case LUN_AGGREGATE_PROD:
        return floats ? double_bits(s->f) : s->i;
    case LUN_AGGREGATE_DEVIATIONS:
        return double_bits(s->f);
    case LUN_AGGREGATE_COUNT:
        return (uint64_t)s->count;
    case LUN_AGGREGATE_FIRST:
        return (uint64_t)s->first;
    case LUN_AGGREGATE_LAST:
        return (uint64_t)s->last;
    case LUN_AGGREGATE_ANY:
        return s->any;
    case LUN_AGGREGATE_ALL:
        return s->all;
    default:
        return s->i;
    }
}

static sofar nothing(lun_aggregate which)
{
    return (sofar){.f = which == LUN_AGGREGATE_PROD, .i = which == LUN_AGGREGATE_PROD, .all = true};
}

/* Element j of group g, by all rows, one after the other. */
static sofar expected(const table *a, lun_aggregate which, int64_t g, int64_t j)
{
    const int32_t *codes = a->codes.data;
    int64_t part = PART;
    while (a->groups > FEW && part < 8 * a->groups)
        part *= 2;
    sofar all = nothing(which);
    for (int64_t from = 0; from < a->rows; from += part) {
        sofar s = nothing(which);
        for (int64_t i = from; i < a->rows && i < from + part; i++)
            if (codes[i] == g)
                take(a, which, i, j, g, &s);
        add_part(a, which, &s, &all);
    }
    return all;
}

static lun_dtype dtype_of(lun_aggregate which, lun_dtype t)
{
    switch (which) {
    case LUN_AGGREGATE_SUM:
    case LUN_AGGREGATE_PROD:
        return lun__dtype_is_float(t) ? LUN_F64 : lun__dtype_is_unsigned(t) ? LUN_U64 : LUN_I64;
    case LUN_AGGREGATE_DEVIATIONS:
        return LUN_F64;
    case LUN_AGGREGATE_MIN:
    case LUN_AGGREGATE_MAX:
        return t;
    case LUN_AGGREGATE_ANY:
    case LUN_AGGREGATE_ALL:
        return LUN_BOOL;
    default:
        return LUN_I64;
    }
}

/* A few of the groups are compared with the oracle, all of them with the run of one thread. */
static void check_aggregate(const table *a, lun_aggregate which, const lun_column *out,
                            uint64_t *seed)
{
    for (int64_t k = 0; k < 6 && a->groups > 0; k++) {
        int64_t g = k < a->groups ? k : below(seed, a->groups), j = below(seed, a->segment);
        sofar s = expected(a, which, g, j);
        uint64_t got = cell_at(out, g * a->segment + j), want = result_of(a, which, &s);
        const bool least = which == LUN_AGGREGATE_MIN || which == LUN_AGGREGATE_MAX;
        const bool is_float = lun__dtype_is_float(out->dtype);
        if (least && s.count == 0 && !(a->skipnan && is_float))
            continue;
        if (is_float && isnan(number_of(out->dtype, got)) &&
            (s.count == 0 || isnan(number_of(out->dtype, want))))
            continue;
        if (got != want)
            fail_msg("aggregate %d of %s, %lld rows, %lld groups, line %lld: group %lld: %llx, "
                     "expected %llx",
                     (int)which, lun_dtype_name(a->x.dtype), (long long)a->rows,
                     (long long)a->groups, (long long)a->segment, (long long)g,
                     (unsigned long long)got, (unsigned long long)want);
    }
}

static void one_aggregate(const table *a, lun_aggregate which, uint64_t *seed)
{
    static const int threads[] = {1, 2, 3, 8};
    const int64_t count = a->groups * a->segment;
    test_memory out[4];
    size_t bytes = 0;
    for (int k = 0; k < 4; k++) {
        lun_algorithm_run r = {.in = {a->codes, a->x, a->means},
                               .out[0] = lun__work_column(NULL, dtype_of(which, a->x.dtype), count),
                               .segment = a->segment == 1 ? 0 : a->segment,
                               .option = {(uint64_t)which, (uint64_t)a->groups}};
        r.option[0] |= a->skipnan ? LUN_AGGREGATE_SKIPNAN : 0;
        bytes = (size_t)(count * lun__dtype_get(r.out[0].dtype)->bytes);
        assert_int_equal(
            run_guarded(lun__aggregate_room, lun__aggregate_run, &r, 1, threads[k], &out[k]),
            LUN_OK);
        if (k == 0)
            check_aggregate(a, which, &r.out[0], seed);
        assert_memory_equal(out[k].data, out[0].data, bytes);
    }
    for (int k = 0; k < 4; k++)
        test_guarded_free(&out[k]);
}

static uint64_t some_element(lun_dtype t, uint64_t *seed)
{
    uint64_t bits = test_random(seed);
    lun_value x = {.dtype = LUN_F64, .as.d = (double)(int64_t)bits * 0x1p-62};
    if (!lun__dtype_is_float(t))
        return lun__dtype_is_bool(t) ? bits & 1 : lun__dtype_cell_cast(t, LUN_I64, bits);
    if (bits % 11 == 0)
        x.as.d = bits & 1024 ? -0.0 : 0.0;
    if (bits % 997 == 0)
        x.as.d = NAN;
    return lun__dtype_cell_from_value(t, x);
}

static void one_table(lun_dtype t, int64_t rows, int64_t groups, int64_t segment, uint64_t *seed)
{
    const int64_t bytes = lun__dtype_get(t)->bytes;
    test_memory x = test_guarded((size_t)(rows * segment * bytes)), means, codes;
    means = test_guarded((size_t)(groups * segment * 8));
    codes = test_guarded((size_t)(rows * 4));
    for (int64_t i = 0; i < rows; i++)
        ((int32_t *)(void *)codes.data)[i] = (int32_t)below(seed, groups);
    for (int64_t i = 0; i < rows * segment; i++) {
        uint64_t cell = some_element(t, seed);
        memcpy(x.data + i * bytes, &cell, (size_t)bytes);
    }
    for (int64_t g = 0; g < groups * segment; g++)
        ((double *)(void *)means.data)[g] = (double)below(seed, 100) * 0.01;
    table a = {rows,
               groups,
               segment,
               {codes.data, LUN_I32, rows, false},
               {x.data, t, rows * segment, false},
               {means.data, LUN_F64, groups * segment, false},
               false};
    for (int which = 0; which < LUN_AGGREGATES; which++) {
        const bool places = which == LUN_AGGREGATE_FIRST || which == LUN_AGGREGATE_LAST;
        const bool truth = which == LUN_AGGREGATE_ANY || which == LUN_AGGREGATE_ALL;
        if ((places && segment > 1) || truth != lun__dtype_is_bool(t))
            continue;
        for (int skip = 0; skip < 2; skip++) {
            a.skipnan = skip;
            one_aggregate(&a, (lun_aggregate)which, seed);
        }
    }
    test_guarded_free(&x);
    test_guarded_free(&means);
    test_guarded_free(&codes);
}

static void aggregates(void **state)
{
    uint64_t seed = 2;
    (void)state;
    for (int t = 0; t < LUN_DTYPE_COUNT; t++) {
        one_table((lun_dtype)t, 0, 3, 1, &seed);
        one_table((lun_dtype)t, 1, 1, 1, &seed);
        one_table((lun_dtype)t, 1000, 7, 1, &seed);
        one_table((lun_dtype)t, 1000, 7, 3, &seed);
        one_table((lun_dtype)t, 100, 3, 2500, &seed);
        one_table((lun_dtype)t, PART + 77, FEW + 1, 1, &seed);
    }
    static const lun_dtype some[] = {LUN_F64, LUN_F32, LUN_U64, LUN_I16};
    for (int k = 0; k < 4; k++) {
        one_table(some[k], 3 * PART + 77, 5, 1, &seed);
        one_table(some[k], 2 * PART + 77, FEW, 3, &seed);
        one_table(some[k], PART + 77, FEW + 1, 3, &seed);
    }
    one_table(LUN_F64, 20 * PART, 1000, 1, &seed);
    one_table(LUN_F64, 5 * PART + 77, FEW + 1, 1, &seed);
    one_table(LUN_F32, 8 * PART, 2 * FEW, 1, &seed);
    one_table(LUN_F64, 2 * PART + 1, FEW + 1, 20, &seed);
    one_table(LUN_F32, 70000, 8000, 40, &seed);
}

int main(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(aggregates)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
