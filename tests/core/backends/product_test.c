/* product_test.c - matrix products of host memory (backends/product) against the order that
 * lun_product states, element by element with the C library's fma: all instruction sets of this
 * machine, numbers of threads, layouts and dtypes give those bits, and touch nothing beyond. */
#include "kernels.h"

#include <math.h>
#include <stdatomic.h>

#include "product/block_product.h"

enum { ROUNDS = 500, MOST = 200000 };

typedef struct operand {
    test_memory memory;
    lun_matrix m;
} operand;

static int64_t below(uint64_t *seed, int64_t n)
{
    return (int64_t)(test_random(seed) % (uint64_t)n);
}

/* ---- operands -------------------------------------------------------------------------------- */

static uint64_t random_cell(lun_dtype t, uint64_t *seed)
{
    uint64_t bits = test_random(seed);
    lun_value x = {.dtype = LUN_F64, .as.d = (double)(int64_t)bits * 0x1p-63};
    if (lun__dtype_is_float(t))
        return lun__dtype_cell_from_value(t, x);
    return lun__dtype_cell_cast(t, LUN_I64, bits >> below(seed, 60));
}

/* rows x columns elements, `count` times or once for all, in some layout: right or left, with gaps,
 * backwards; the highest one ends at a page that must not be touched. */
static operand make_operand(lun_dtype t, int64_t rows, int64_t columns, int64_t count, bool one,
                            uint64_t *seed)
{
    const int64_t size = lun__dtype_get(t)->bytes;
    lun_layout l = {.rank = 3, .extent = {count, rows, columns}};
    int64_t gap = below(seed, 3) ? 1 : 1 + below(seed, 3), low, high, step = gap;
    bool left = below(seed, 3) == 0;
    int inner = left ? 1 : 2, outer = left ? 2 : 1;
    l.stride[inner] = step;
    step *= l.extent[inner] + below(seed, 4);
    l.stride[outer] = step;
    step *= l.extent[outer] + below(seed, 2);
    l.stride[0] = one ? 0 : step;
    for (int k = 0; k < 3; k++)
        if (below(seed, 6) == 0)
            l.stride[k] = -l.stride[k];
    if (below(seed, 20) == 0)
        l.stride[1 + below(seed, 2)] = 0;
    assert_true(lun__layout_range(&l, &low, &high));
    l.offset = -low;
    operand o = {.memory = test_guarded((size_t)((high - low + 1) * size))};
    for (int64_t i = 0; i <= high - low; i++) {
        uint64_t cell = random_cell(t, seed);
        memcpy(o.memory.data + i * size, &cell, (size_t)size);
    }
    o.m = (lun_matrix){
        .data = o.memory.data, .dtype = t, .row = l.stride[1], .column = l.stride[2], .batch = l};
    o.m.batch.rank = 1;
    return o;
}

static uint64_t element(const lun_matrix *m, lun_dtype as, int64_t n, int64_t i, int64_t j)
{
    const int64_t size = lun__dtype_get(m->dtype)->bytes;
    int64_t place = lun__layout_offset(&m->batch, n) + i * m->row + j * m->column;
    uint64_t cell = 0;
    memcpy(&cell, (const char *)m->data + place * size, (size_t)size);
    return lun__dtype_cell_cast(as, m->dtype, cell);
}

/* ---- the oracle ------------------------------------------------------------------------------ */

#define SUM(T, FMA)                                                       \
    {                                                                     \
        T c = 0;                                                          \
        for (int64_t from = 0; from < p->inner; from += 256) {            \
            T s = 0;                                                      \
            for (int64_t k = from; k < p->inner && k < from + 256; k++) { \
                uint64_t x = element(&p->a, p->dtype, n, i, k);           \
                uint64_t y = element(&p->b, p->dtype, n, k, j);           \
                T a, b;                                                   \
                memcpy(&a, &x, sizeof a);                                 \
                memcpy(&b, &y, sizeof b);                                 \
                s = FMA;                                                  \
            }                                                             \
            c = from ? c + s : s;                                         \
        }                                                                 \
        memcpy(to, &c, sizeof c);                                         \
        break;                                                            \
    }

static void expected_element(const lun_product *p, int64_t n, int64_t i, int64_t j, void *to)
{
    switch (p->dtype) {
    case LUN_F32:
        SUM(float, fmaf(a, b, s))
    case LUN_F64:
        SUM(double, fma(a, b, s))
    default:
        SUM(uint64_t, a * b + s)
    }
}

static char *expected(const lun_product *p)
{
    const int64_t size = lun__dtype_get(p->dtype)->bytes;
    char *c = malloc((size_t)(p->count * p->rows * p->columns * size)), *to = c;
    assert_non_null(c);
    for (int64_t n = 0; n < p->count; n++)
        for (int64_t i = 0; i < p->rows; i++)
            for (int64_t j = 0; j < p->columns; j++, to += size)
                expected_element(p, n, i, j, to);
    return c;
}

/* ---- runs ------------------------------------------------------------------------------------ */

/* What takes whole rows: copies them where they belong; some are refused. */
typedef struct taking {
    const lun_product *p;
    char *to;
    atomic_llong rows;
    int64_t most;
} taking;

static bool take_rows(void *ctx, int worker, int64_t first, int64_t count, void *rows)
{
    taking *t = ctx;
    const int64_t size = lun__dtype_get(t->p->dtype)->bytes, line = t->p->columns * size;
    assert_true(worker >= 0 && worker < 64 && first >= 0 && count > 0);
    assert_true(first + count <= t->p->rows * t->p->count);
    for (int64_t i = 0; rows && i < count; i++)
        memcpy(t->to + (first + i) * line, (char *)rows + i * t->p->pitch * size, (size_t)line);
    return atomic_fetch_add(&t->rows, count) + count < t->most;
}

/* The same by blocks of whole rows, each handed on once; in memory or not. */
static void run_by_rows(const lun_product *p, lun_isa isa, int threads, bool memory,
                        const char *wanted)
{
    lun_services services = test_services();
    lun_team team = {.threads = threads, .parallel = test_parallel};
    lun_product q = *p;
    const int64_t line = q.columns * lun__dtype_get(q.dtype)->bytes, rows = q.rows * q.count;
    test_memory c = test_guarded((size_t)(rows * line));
    taking t = {.p = &q, .to = c.data, .most = INT64_MAX};
    q.c = memory ? c.data : NULL;
    q.pitch = (q.columns + 63) / 64 * 64;
    test_memory scratch = test_guarded((size_t)lun__block_product_room(isa, threads, &q) + 1);
    q.scratch = scratch.data;
    if (!lun__block_product_room(isa, threads, &q))
        q.scratch = NULL;
    const lun_host_rows take = {take_rows, &t};
    assert_int_equal(lun__block_product_run(&services, isa, &team, &q, &take), LUN_OK);
    assert_int_equal(atomic_load(&t.rows), rows);
    assert_memory_equal(c.data, wanted, (size_t)(rows * line));
    atomic_store(&t.rows, 0);
    t.most = 1;
    assert_int_equal(lun__block_product_run(&services, isa, &team, &q, &take), LUN_OK);
    assert_true(atomic_load(&t.rows) > 0);
    test_guarded_free(&c);
    test_guarded_free(&scratch);
}

static void run(lun_product *p, lun_isa isa, int threads, const char *wanted)
{
    lun_services services = test_services();
    lun_team team = {.threads = threads, .parallel = test_parallel};
    const size_t bytes =
        (size_t)(p->count * p->rows * p->columns * lun__dtype_get(p->dtype)->bytes);
    const int64_t room = lun__block_product_room(isa, threads, p);
    test_memory c = test_guarded(bytes), scratch = {0};
    if (room)
        scratch = test_guarded((size_t)room);
    p->c = c.data;
    p->scratch = scratch.data;
    assert_int_equal(lun__block_product_run(&services, isa, &team, p, NULL), LUN_OK);
    if (memcmp(c.data, wanted, bytes))
        fail_msg("%lld x %lld x %lld, %lld times, dtypes %s and %s, isa %d, %d threads",
                 (long long)p->rows, (long long)p->inner, (long long)p->columns,
                 (long long)p->count, lun_dtype_name(p->a.dtype), lun_dtype_name(p->b.dtype),
                 (int)isa, threads);
    test_guarded_free(&c);
    if (room)
        test_guarded_free(&scratch);
    run_by_rows(p, isa, threads, false, wanted);
    run_by_rows(p, isa, threads, true, wanted);
}

static int64_t extent(uint64_t *seed)
{
    static const int64_t some[] = {1, 2, 7, 8, 9, 12, 16, 31, 63, 64, 65, 145, 256, 257, 600, 2100};
    return some[below(seed, below(seed, 3) ? 11 : 16)];
}

static lun_dtype goes_up_to(lun_dtype t, uint64_t *seed)
{
    static const lun_dtype wide[] = {LUN_F64, LUN_F32, LUN_BOOL, LUN_I8,  LUN_U8,  LUN_I16, LUN_U16,
                                     LUN_I32, LUN_U32, LUN_I64,  LUN_U64, LUN_F16, LUN_BF16};
    if (below(seed, 3))
        return t;
    if (t == LUN_F64)
        return wide[below(seed, 13)];
    if (t == LUN_F32)
        return wide[1 + below(seed, 12)];
    return wide[2 + below(seed, 9)];
}

static void test_random_products(void **state)
{
    (void)state;
    static const lun_dtype computed[] = {LUN_F32, LUN_F64, LUN_I64, LUN_U64};
    static const int64_t times[] = {1, 1, 1, 2, 17};
    uint64_t seed = 20260101;
    for (int round = 0; round < ROUNDS; round++) {
        lun_product p = {.rows = extent(&seed),
                         .columns = extent(&seed),
                         .inner = extent(&seed),
                         .count = times[below(&seed, 5)]};
        p.dtype = computed[below(&seed, 4)];
        if (p.rows * p.columns * p.inner * p.count > 5 * MOST)
            continue;
        operand a = make_operand(goes_up_to(p.dtype, &seed), p.rows, p.inner, p.count,
                                 below(&seed, 3) == 0, &seed);
        operand b = make_operand(goes_up_to(p.dtype, &seed), p.inner, p.columns, p.count,
                                 below(&seed, 2) == 0, &seed);
        p.a = a.m;
        p.b = b.m;
        char *wanted = expected(&p);
        for (lun_isa isa = LUN_ISA_BASE; isa <= lun__isa_here(); isa++)
            run(&p, isa, test_threads[below(&seed, THREADS)], wanted);
        free(wanted);
        test_guarded_free(&a.memory);
        test_guarded_free(&b.memory);
    }
}

/* Large enough that threads share a product, and so do the workers of a batch. */
static void test_threads_share(void **state)
{
    (void)state;
    static const int64_t shapes[][4] = {{300, 300, 270, 1}, {13, 520, 900, 1}, {2000, 33, 40, 1},
                                        {70, 90, 80, 20},   {5, 600, 2100, 1}, {65, 64, 63, 33}};
    uint64_t seed = 7;
    for (size_t i = 0; i < sizeof shapes / sizeof *shapes; i++)
        for (int d = 0; d < 2; d++) {
            lun_product p = {.dtype = d ? LUN_F32 : LUN_F64,
                             .rows = shapes[i][0],
                             .inner = shapes[i][1],
                             .columns = shapes[i][2],
                             .count = shapes[i][3]};
            operand a = make_operand(p.dtype, p.rows, p.inner, p.count, false, &seed);
            operand b = make_operand(LUN_F32, p.inner, p.columns, p.count, i & 1, &seed);
            p.a = a.m;
            p.b = b.m;
            char *wanted = expected(&p);
            for (int t = 0; t < THREADS; t++)
                run(&p, lun__isa_here(), test_threads[t], wanted);
            free(wanted);
            test_guarded_free(&a.memory);
            test_guarded_free(&b.memory);
        }
}

static void test_stops(void **state)
{
    (void)state;
    static float a[64], c[64];
    lun_services services = test_services();
    lun_team team = {.threads = 1};
    lun_matrix m = {.data = a, .dtype = LUN_F32, .row = 8, .column = 1};
    lun_product p = {
        .dtype = LUN_F32, .rows = 8, .columns = 8, .inner = 8, .count = 1, .a = m, .b = m, .c = c};
    cancel_flag = 1;
    assert_int_equal(lun__block_product_run(&services, lun__isa_here(), &team, &p, NULL),
                     LUN_ECANCEL);
    cancel_flag = 0;
    assert_int_equal(lun__block_product_run(&services, lun__isa_here(), &team, &p, NULL), LUN_OK);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_random_products),
        cmocka_unit_test(test_threads_share),
        cmocka_unit_test(test_stops),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
