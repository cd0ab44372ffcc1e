/* distinct_test.c - codes of keys far apart (backends/algorithms): keys that the hash puts
 * together, all different, met late, at the ends of their dtypes, NaNs of any bits; against the
 * sort of the C library, on 1 to 8 threads; and what unique makes of such, and of narrow ones. */
#include "algorithm_kit.h"

/* What the hash multiplies keys by, inverted: keys that are multiples of it stand side by side. */
#define TOGETHER_32 0x0e8b2f51u
#define TOGETHER_64 0xf1de83e19937733du

typedef struct keys {
    const char *name;
    lun_dtype dtype;
    int64_t n;
    uint64_t (*at)(int64_t i); /* a cell */
} keys;

static uint64_t scattered(int64_t i)
{
    return (uint64_t)i * 0xd1342543de82ef95u ^ (uint64_t)i << 40;
}

static uint64_t together_32(int64_t i)
{
    const uint32_t j = (uint32_t)(scattered(i) >> 33) % 1000;
    return j ? TOGETHER_32 * j - 1 : 0;
}

static uint64_t some_together_32(int64_t i)
{
    const uint32_t j = (uint32_t)(scattered(i) >> 33) % 100;
    return j ? TOGETHER_32 * j - 1 : 0;
}

static uint64_t together_64(int64_t i)
{
    const uint64_t h = TOGETHER_64 * ((scattered(i) >> 33) % 1000);
    return h ? (h ^ h >> 32) - 1 : 0;
}

static uint64_t different(int64_t i)
{
    return scattered(i);
}

static uint64_t equal(int64_t i)
{
    return i == 777 ? UINT64_C(1) << 60 : 3;
}

static uint64_t a_few_more(int64_t i)
{
    return (uint64_t)(i % 65537) * 1000000007u;
}

/* Few, and others only where a sample by blocks does not look. */
static uint64_t late(int64_t i)
{
    return (uint64_t)(i % 65536 == 300 ? i : i % 5) * 1000000007u;
}

static uint64_t ends(int64_t i)
{
    const uint64_t some[] = {0, UINT64_MAX, INT64_MAX, UINT64_C(1) << 63, UINT64_MAX - 1};
    return some[i % 5] - (uint64_t)(i % 3 == 0);
}

static uint64_t high_halves(int64_t i)
{
    return (UINT64_C(1) << 63) + (scattered(i) >> 1) % 5000 * 0x10000000000u;
}

/* NaNs of either sign and many payloads, infinities, zeros, numbers near each other. */
static uint64_t odd_floats(int64_t i)
{
    const uint64_t h = scattered(i) >> 32, sign = (h & 1) << 63;
    switch (h % 7) {
    case 0:
        return sign | 0x7ff0000000000001u | (h & 0xff) << 20;
    case 1:
        return sign | 0x7ff0000000000000u;
    case 2:
        return sign;
    case 3:
        return sign | 1;
    default:
        return sign | (0x3ff0000000000000u + h % 1000);
    }
}

static uint64_t odd_small_floats(int64_t i)
{
    const uint64_t h = scattered(i) >> 32, sign = (h & 1) << 31;
    return sign | (h % 3 == 0 ? 0x7f800000 + h % 100 : h % 3 == 1 ? h % 2 : 0x3f800000 + h % 50000);
}

/* All bits, of which only as many as the dtype has are taken. */
static uint64_t any_bits(int64_t i)
{
    return scattered(i) >> 32;
}

static uint64_t some_bits(int64_t i)
{
    return (scattered(i) >> 32) % 300 * 219;
}

static uint64_t bit(int64_t i)
{
    return scattered(i) >> 32 & 1;
}

static uint64_t many(int64_t i)
{
    return (scattered(i) >> 20) % 300000 * 1000003;
}

/* All keys far apart and different, in ascending order. */
static uint64_t ascending(int64_t i)
{
    return (uint64_t)i << 20;
}

static const keys cases[] = {
    {"together", LUN_U32, 200000, together_32},
    {"some together", LUN_U32, 200000, some_together_32},
    {"some together, short", LUN_U32, 900, some_together_32},
    {"together", LUN_U64, 200000, together_64},
    {"different", LUN_I64, 200000, different},
    {"different", LUN_U64, 65537, different},
    {"different", LUN_U32, 200001, different},
    {"different, short", LUN_I32, 3, different},
    {"equal", LUN_I64, 200000, equal},
    {"2^16 + 1", LUN_I64, 300001, a_few_more},
    {"2^16 + 1", LUN_I32, 300001, a_few_more},
    {"late", LUN_I64, 1000000, late},
    {"ends", LUN_U64, 70000, ends},
    {"ends", LUN_I64, 70000, ends},
    {"ends", LUN_U32, 70000, ends},
    {"ends", LUN_I32, 70000, ends},
    {"u64 from 2^63 on", LUN_U64, 300000, high_halves},
    {"floats", LUN_F64, 200000, odd_floats},
    {"floats", LUN_F32, 200000, odd_small_floats},
    {"many", LUN_I64, 3000000, many},
    {"many", LUN_I32, 3000000, many},
    {"ascending", LUN_I64, 500000, ascending},
    {"any bits", LUN_I16, 2200000, any_bits},
    {"any bits", LUN_U16, 70000, any_bits},
    {"any bits", LUN_F16, 1100000, any_bits},
    {"any bits", LUN_BF16, 300000, any_bits},
    {"any bits", LUN_U8, 2200000, any_bits},
    {"any bits", LUN_I8, 65536, any_bits},
    {"some bits", LUN_F16, 65535, some_bits},
    {"some bits", LUN_F16, 65537, some_bits},
    {"one bit", LUN_BOOL, 100000, bit},
};

/* The same rank for keys that are one group; NaNs have the last. */
static int by_key(const void *a, const void *b)
{
    const uint64_t *x = a, *y = b;
    return x[0] != y[0] ? (x[0] < y[0] ? -1 : 1) : 0;
}

static uint64_t rank_of(lun_dtype t, uint64_t cell)
{
    if (lun__dtype_is_float(t)) {
        double x = number_of(t, cell) + 0.0;
        uint64_t bits;
        memcpy(&bits, &x, sizeof bits);
        if (isnan(x))
            return UINT64_MAX;
        return bits >> 63 ? ~bits : bits | UINT64_C(1) << 63;
    }
    if (lun__dtype_is_signed(t))
        return lun__dtype_cell_cast(LUN_I64, t, cell) ^ UINT64_C(1) << 63;
    return cell;
}

/* The codes that keys have by the C library's sort. */
static int32_t *wanted_codes(const lun_column *c)
{
    uint64_t(*pairs)[2] = malloc((size_t)c->n * sizeof *pairs);
    int32_t *out = malloc(((size_t)c->n + 1) * sizeof *out), code = -1;
    assert_true(pairs && out);
    for (int64_t i = 0; i < c->n; i++) {
        pairs[i][0] = rank_of(c->dtype, cell_at(c, i));
        pairs[i][1] = (uint64_t)i;
    }
    qsort(pairs, (size_t)c->n, sizeof *pairs, by_key);
    for (int64_t i = 0; i < c->n; i++) {
        code += i == 0 || pairs[i][0] != pairs[i - 1][0];
        out[pairs[i][1]] = code;
    }
    out[c->n] = code + 1;
    free(pairs);
    return out;
}

/* Whether bits or hashing find the few values of keys without their order. */
static bool is_few(const keys *k)
{
    return (k->n >= 65536 && lun__dtype_get(k->dtype)->bytes <= 2) ||
           strcmp(k->name, "equal") == 0 || strcmp(k->name, "late") == 0;
}

/* What unique gives: of equal elements the first, of zeros 0.0; how many there are.  Where not all
 * fit it may give nothing. */
static void check_unique(const keys *k, const lun_column *in, const int32_t *codes, int64_t room,
                         int threads)
{
    const int64_t groups = codes[in->n];
    int64_t *firsts = calloc((size_t)groups, sizeof *firsts);
    int64_t *counts = calloc((size_t)groups, sizeof *counts);
    test_memory out[2];
    lun_algorithm_run r = {
        .in[0] = *in,
        .out = {lun__work_column(NULL, in->dtype, room), lun__work_column(NULL, LUN_I64, room)}};
    assert_true(firsts && counts);
    for (int64_t i = 0; i < in->n; i++)
        firsts[codes[i]] = counts[codes[i]]++ == 0 ? i : firsts[codes[i]];
    assert_int_equal(run_guarded(lun__unique_room, lun__unique_run, &r, 2, threads, out), LUN_OK);
    assert_int_equal(r.out[0].n, r.out[1].n);
    if (r.out[0].n != 0 || room == in->n || is_few(k))
        assert_int_equal(r.out[0].n, groups);
    for (int64_t g = 0; g < r.out[0].n; g++) {
        const uint64_t first = cell_at(in, firsts[g]);
        const bool zero = lun__dtype_is_float(in->dtype) && number_of(in->dtype, first) == 0;
        assert_true(cell_at(&r.out[0], g) == (zero ? 0 : first));
        assert_int_equal(((int64_t *)r.out[1].data)[g], counts[g]);
    }
    free(firsts);
    free(counts);
    test_guarded_free(&out[0]);
    test_guarded_free(&out[1]);
}

static void one(const keys *k)
{
    static const int threads[] = {1, 2, 5, 8};
    const int64_t bytes = lun__dtype_get(k->dtype)->bytes;
    test_memory data = test_guarded((size_t)(k->n * bytes));
    for (int64_t i = 0; i < k->n; i++) {
        const uint64_t cell = k->at(i);
        memcpy(data.data + i * bytes, &cell, (size_t)bytes);
    }
    const lun_column in = {data.data, k->dtype, k->n, false};
    int32_t *wanted = wanted_codes(&in);
    for (int t = 0; t < 4; t++) {
        test_memory codes;
        lun_algorithm_run r = {.in[0] = in, .out[0] = lun__work_column(NULL, LUN_I32, k->n + 1)};
        assert_int_equal(run_guarded(lun__group_room, lun__group_run, &r, 1, threads[t], &codes),
                         LUN_OK);
        if (memcmp(codes.data, wanted, ((size_t)k->n + 1) * sizeof *wanted) != 0)
            fail_msg("codes of %s, %s, on %d threads", k->name, lun__dtype_get(k->dtype)->name,
                     threads[t]);
        test_guarded_free(&codes);
        check_unique(k, &in, wanted, k->n, threads[t]);
        if (k->n >= 65536) /* as many fit as an evaluation takes memory for first */
            check_unique(k, &in, wanted, k->n > 2097152 ? k->n / 32 : 65536 - (k->n == 65536),
                         threads[t]);
    }
    free(wanted);
    test_guarded_free(&data);
}

static void codes(void **state)
{
    (void)state;
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++)
        one(&cases[i]);
}

int main(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(codes)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
