/* arrange_test.c - arrays that are not row-major: strided memory of the host, which keeps what
 * stands between the elements, values in a layout, and expressions on them. What is expected is
 * found index by index in plain loops. */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "array_kit.h"

static int threads;

static int open_engine(void **state)
{
    lun_config c = {
        .size = sizeof c, .backend = *state, .cache_dir = "", .threads = threads % 4 + 1};
    threads++;
    *state = NULL;
    return lun_open(&c, &e) != LUN_OK;
}

/* ---- boxes of memory ------------------------------------------------------------------------- */

enum { GUARD = 0xA5, PAD = 16 };

/* A shape in strides, `memory` elements in all of which element (0, ..., 0) is number `at`. */
typedef struct box {
    int rank;
    int64_t shape[3], strides[3];
} box;

static const box boxes[] = {
    {1, {5}, {1}},
    {1, {65}, {3}},
    {1, {64}, {-2}},
    {1, {0}, {2}},
    {1, {1}, {-7}},
    {2, {3, 4}, {4, 1}},
    {2, {3, 4}, {1, 3}},
    {2, {63, 65}, {1, 63}},
    {2, {64, 3}, {1, 67}},
    {2, {65, 64}, {-70, 1}},
    {2, {5, 1}, {1, 5}},
    {2, {1, 5}, {9, 2}},
    {2, {0, 3}, {1, 1}},
    {2, {3, 0}, {1, 3}},
    {2, {3, 63}, {-1, -4}},
    {3, {2, 3, 4}, {1, 2, 6}},
    {3, {3, 4, 5}, {4, 1, 12}},
    {3, {3, 1, 65}, {2, 100, 6}},
    {3, {4, 5, 6}, {-1, 50, -5}},
};
enum { BOXES = sizeof boxes / sizeof *boxes };

static int64_t count_of(const box *b)
{
    int64_t n = 1;
    for (int k = 0; k < b->rank; k++)
        n *= b->shape[k];
    return n;
}

/* Where element f, in row-major order, stands from element 0 on. */
static int64_t place(const box *b, int64_t f)
{
    int64_t at = 0;
    for (int k = b->rank - 1; k >= 0; k--) {
        at += f % b->shape[k] * b->strides[k];
        f /= b->shape[k];
    }
    return at;
}

/* Memory around a box; element (0, ..., 0) is number `zero`. */
typedef struct memory {
    char *bytes;
    int64_t zero, count;
    int size;
} memory;

static memory guarded(const box *b, lun_dtype t)
{
    int64_t low = 0, high = 0;
    for (int k = 0; k < b->rank; k++) {
        int64_t span = b->shape[k] > 0 ? (b->shape[k] - 1) * b->strides[k] : 0;
        *(span < 0 ? &low : &high) += span;
    }
    memory m = {.zero = PAD - low, .count = high - low + 1 + 2 * PAD, .size = lun_dtype_size(t)};
    m.bytes = aligned_alloc(64, (size_t)((m.count * m.size + 63) / 64 * 64));
    assert_non_null(m.bytes);
    memset(m.bytes, GUARD, (size_t)(m.count * m.size));
    return m;
}

static char *element(const memory *m, const box *b, int64_t f)
{
    return m->bytes + (m->zero + place(b, f)) * m->size;
}

/* All bytes that are no element's are as they were; ends the memory. */
static void check_guards(memory *m, const box *b)
{
    for (int64_t f = 0; f < count_of(b); f++)
        memset(element(m, b, f), GUARD, (size_t)m->size);
    for (int64_t i = 0; i < m->count * m->size; i++)
        if ((unsigned char)m->bytes[i] != GUARD)
            fail_msg("byte %lld was written", (long long)i);
    free(m->bytes);
}

static const lun_dtype dtypes[] = {LUN_BOOL, LUN_I8,  LUN_U8,  LUN_I16, LUN_U16, LUN_I32, LUN_U32,
                                   LUN_I64,  LUN_U64, LUN_F32, LUN_F64, LUN_F16, LUN_BF16};
enum { DTYPES = sizeof dtypes / sizeof *dtypes };

/* An element of some dtype that tells f. */
static void pack(lun_dtype t, int64_t f, void *to)
{
    int64_t x = f % 100;
    lun_array *one, *cast;
    switch (t) {
    case LUN_BOOL:
        memset(to, x % 3 == 1, 1);
        return;
    case LUN_F32:
        memcpy(to, &(float){(float)x}, sizeof(float));
        return;
    case LUN_F64:
        memcpy(to, &(double){(double)x}, sizeof(double));
        return;
    case LUN_F16:
    case LUN_BF16:
        OK(lun_vector(e, &(double){(double)x}, 1, LUN_F64, &one));
        OK(lun_cast(e, one, t, &cast));
        OK(lun_read(e, cast, to, 0, 1));
        lun_release(one);
        lun_release(cast);
        return;
    default:
        memcpy(to, &x, (size_t)lun_dtype_size(t)); /* little-endian */
    }
}

static void fill(const memory *m, const box *b, lun_dtype t)
{
    for (int64_t f = 0; f < count_of(b); f++)
        pack(t, f, element(m, b, f));
}

/* Elements of memory, in row-major order. */
static char *packed(const memory *m, const box *b)
{
    char *list = malloc((size_t)(count_of(b) * m->size + 1));
    assert_non_null(list);
    for (int64_t f = 0; f < count_of(b); f++)
        memcpy(list + f * m->size, element(m, b, f), (size_t)m->size);
    return list;
}

static void holds(lun_array *a, const char *want, int64_t n, int size)
{
    char *got = malloc((size_t)(n * size + 1));
    assert_non_null(got);
    assert_int_equal(lun_size(a), n);
    OK(lun_read(e, a, got, 0, n));
    assert_memory_equal(got, want, (size_t)(n * size));
    free(got);
}

/* ---- the host's memory ----------------------------------------------------------------------- */

static int released;

static void on_release(void *data, void *ctx)
{
    assert_ptr_equal(data, *(void **)ctx);
    released++;
}

static void wrapped_is_read(const box *b, lun_dtype t)
{
    memory m = guarded(b, t);
    fill(&m, b, t);
    void *zero = m.bytes + m.zero * m.size;
    char *want = packed(&m, b);
    int64_t n = count_of(b), shape[LUN_MAX_RANK], strides[LUN_MAX_RANK];
    lun_array *a, *same, *copy;
    released = 0;
    OK(lun_wrap_strided(e, zero, b->rank, b->shape, b->strides, t, on_release, &zero, &a));
    assert_int_equal(lun_shape(a, shape), b->rank);
    assert_memory_equal(shape, b->shape, (size_t)b->rank * sizeof *shape);
    assert_int_equal(lun_strides(a, strides), b->rank);
    for (int k = 0; k < b->rank && n > 1; k++)
        if (b->shape[k] > 1)
            assert_int_equal(strides[k], b->strides[k]);
    holds(a, want, n, m.size);
    for (int64_t f = 0; f < n; f += n / 5 + 1) {
        char got[8];
        OK(lun_read(e, a, got, f, 1));
        assert_memory_equal(got, want + f * m.size, (size_t)m.size);
    }
    const void *data;
    OK(lun_data(e, a, &data));
    if (n)
        assert_memory_equal(data, want, (size_t)(n * m.size));
    OK(lun_data_strided(e, a, &data, strides));
    if (n)
        assert_ptr_equal(data, zero);
    OK(lun_copy(e, a, &copy));
    assert_int_equal(lun_layout_of(copy), LUN_LAYOUT_RIGHT);
    OK(lun_eq(e, a, copy, &same));
    lun_value all;
    OK(lun_total(e, LUN_ALL, same, 0, &all));
    assert_true(all.as.u);
    lun_release(a);
    lun_release(same);
    holds(copy, want, n, m.size);
    lun_release(copy);
    assert_int_equal(released, 1);
    free(want);
    check_guards(&m, b);
}

static void test_wrapped_is_read(void **state)
{
    (void)state;
    for (int i = 0; i < BOXES; i++)
        for (int t = 0; t < DTYPES; t++)
            wrapped_is_read(&boxes[i], dtypes[t]);
}

/* Each way of writing reaches the elements and nothing else. */
static void wrapped_is_written(const box *b, lun_dtype t)
{
    memory m = guarded(b, t), other = guarded(b, t);
    fill(&other, b, t);
    char *want = packed(&other, b);
    int64_t n = count_of(b);
    lun_array *a, *from, *row, *before;
    OK(lun_wrap_strided(e, m.bytes + m.zero * m.size, b->rank, b->shape, b->strides, t, NULL, NULL,
                        &a));
    OK(lun_tensor(e, want, b->rank, b->shape, t, &from));
    OK(lun_fill(e, a, (lun_value){.dtype = LUN_I64, .as.i = 1}));
    for (int64_t f = 0; f < n; f++) {
        char one[8];
        pack(t, 1, one);
        assert_memory_equal(element(&m, b, f), one, (size_t)m.size);
    }
    OK(lun_abs(e, a, &before)); /* keeps the old elements */
    OK(lun_store(e, a, from));
    for (int64_t f = 0; f < n; f++)
        assert_memory_equal(element(&m, b, f), want + f * m.size, (size_t)m.size);
    if (n) {
        OK(lun_write(e, a, want + (n - 1) * m.size, 0, 1));
        OK(lun_set(e, a, n - 1, (lun_value){.dtype = LUN_I64, .as.i = 0}));
        assert_memory_equal(element(&m, b, 0), n > 1 ? want + (n - 1) * m.size : want,
                            n > 1 ? (size_t)m.size : 0);
    }
    if (b->rank > 1 && b->shape[0] > 0) {
        OK(lun_select(e, a, 0, b->shape[0] - 1, &row));
        OK(lun_fill(e, row, (lun_value){.dtype = LUN_I64, .as.i = 1}));
        lun_release(row);
    }
    for (int64_t f = 0; f < n; f++) {
        char one[8], got[8];
        pack(t, 1, one);
        OK(lun_read(e, before, got, f, 1));
        assert_memory_equal(got, one, (size_t)m.size);
    }
    lun_array *all[] = {a, from, before};
    release_all(all, 3);
    free(want);
    check_guards(&m, b);
    check_guards(&other, b);
}

static void test_wrapped_is_written(void **state)
{
    (void)state;
    static const lun_dtype some[] = {LUN_U8, LUN_I16, LUN_F32, LUN_I64};
    for (int i = 0; i < BOXES; i++)
        for (int t = 0; t < 4; t++)
            wrapped_is_written(&boxes[i], some[t]);
}

static void test_wrapping_is_refused(void **state)
{
    (void)state;
    double x[16];
    lun_array *a = NULL;
    int64_t shape[9] = {2, 3, 1, 1, 1, 1, 1, 1, 1}, over[2] = {1, 1}, none[2] = {0, 1};
    int64_t far[2] = {INT64_MAX, 1}, apart[2] = {3, 1};
#define WRAP(data, rank, shape, strides, t) \
    lun_wrap_strided(e, data, rank, shape, strides, t, NULL, NULL, &a)
    FAILS(WRAP(x, 2, shape, over, LUN_F64), LUN_ESHAPE, "two indices to the same element");
    FAILS(WRAP(x, 2, shape, none, LUN_F64), LUN_ESHAPE, "two indices to the same element");
    FAILS(WRAP(x, 2, shape, far, LUN_F64), LUN_ERANGE, "addressed");
    FAILS(WRAP(x, 9, shape, NULL, LUN_F64), LUN_ESHAPE, "rank 9");
    FAILS(WRAP(NULL, 2, shape, apart, LUN_F64), LUN_EARG, "is missing (NULL)");
    FAILS(WRAP((char *)x + 1, 2, shape, apart, LUN_F64), LUN_EARG, "aligned");
    FAILS(WRAP(x, 2, shape, apart, LUN_DTYPE_COUNT), LUN_EDTYPE, "no such dtype");
    FAILS(WRAP(x, 2, NULL, NULL, LUN_F64), LUN_EARG, "");
    assert_null(a);
    OK(WRAP(x, 2, shape, NULL, LUN_F64));
    assert_int_equal(lun_layout_of(a), LUN_LAYOUT_RIGHT);
    lun_release(a);
#undef WRAP
}

/* ---- values in a layout ---------------------------------------------------------------------- */

/* Number f of a shape whose elements stand in `kind`, found by counting indices. */
static int64_t left_place(const int64_t *shape, int rank, int64_t f)
{
    int64_t at = 0, index[LUN_MAX_RANK];
    for (int k = rank - 1; k >= 0; k--) {
        index[k] = f % shape[k];
        f /= shape[k];
    }
    for (int k = rank - 1; k >= 0; k--)
        at = at * shape[k] + index[k];
    return at;
}

static double *count_up(int64_t n)
{
    double *x = malloc((size_t)n * sizeof *x + 1);
    assert_non_null(x);
    for (int64_t i = 0; i < n; i++)
        x[i] = (double)(i % 251) - 17;
    return x;
}

static void in_left(int rank, const int64_t *shape)
{
    int64_t n = 1, strides[LUN_MAX_RANK];
    for (int k = 0; k < rank; k++)
        n *= shape[k];
    double *x = count_up(n);
    lun_array *a, *left, *lazy, *back, *expression;
    const void *data;
    OK(lun_tensor(e, x, rank, shape, LUN_F64, &a));
    OK(lun_copy_layout(e, a, LUN_LAYOUT_LEFT, NULL, &left));
    holds(left, (char *)x, n, sizeof *x);
    OK(lun_data_strided(e, left, &data, strides));
    for (int64_t f = 0; f < n; f++)
        assert_true(((const double *)data)[left_place(shape, rank, f)] == x[f]);
    OK(lun_arrange(e, left, LUN_LAYOUT_RIGHT, NULL, &back));
    holds(back, (char *)x, n, sizeof *x);
    OK(lun_neg(e, a, &expression));
    OK(lun_arrange(e, expression, LUN_LAYOUT_LEFT, NULL, &lazy));
    assert_true(n == 0 || lun_pending(lazy) == 1);
    for (int64_t f = 0; f < n; f++)
        assert_true(at(lazy, f) == -x[f]);
    OK(lun_eval(e, &lazy, 1));
    assert_int_equal(lun_pending(lazy), 0);
    OK(lun_data_strided(e, lazy, &data, strides));
    for (int64_t f = 0; f < n; f++)
        assert_true(((const double *)data)[left_place(shape, rank, f)] == -x[f]);
    /* a write goes to one of them alone */
    if (n) {
        OK(lun_set(e, left, n - 1, (lun_value){.dtype = LUN_F64, .as.d = 1000}));
        assert_true(at(left, n - 1) == 1000 && at(a, n - 1) == x[n - 1]);
        assert_true(at(back, n - 1) == x[n - 1]);
    }
    lun_array *all[] = {a, left, back, expression, lazy};
    release_all(all, 5);
    free(x);
}

static void test_left(void **state)
{
    (void)state;
    static const int64_t extents[] = {0, 1, 3, 63, 64, 65};
    for (int i = 0; i < 6; i++)
        for (int j = 0; j < 6; j++)
            in_left(2, (int64_t[]){extents[i], extents[j]});
    in_left(1, (int64_t[]){65});
    in_left(3, (int64_t[]){3, 65, 4});
    in_left(4, (int64_t[]){2, 3, 1, 5});
    in_left(8, (int64_t[]){2, 1, 2, 3, 2, 1, 2, 3});
}

static void test_strides(void **state)
{
    (void)state;
    int64_t shape[2] = {3, 4}, apart[2] = {10, 2}, across[2] = {2, 7}, strides[LUN_MAX_RANK];
    double *x = count_up(12);
    const void *data;
    lun_array *a, *b, *c;
    OK(lun_tensor(e, x, 2, shape, LUN_F64, &a));
    OK(lun_copy_layout(e, a, LUN_LAYOUT_STRIDED, apart, &b));
    OK(lun_arrange(e, a, LUN_LAYOUT_STRIDED, across, &c));
    assert_int_equal(lun_layout_of(b), LUN_LAYOUT_STRIDED);
    holds(b, (char *)x, 12, sizeof *x);
    holds(c, (char *)x, 12, sizeof *x);
    OK(lun_data_strided(e, c, &data, strides));
    assert_memory_equal(strides, across, sizeof across);
    for (int64_t i = 0; i < 3; i++)
        for (int64_t j = 0; j < 4; j++)
            assert_true(((const double *)data)[2 * i + 7 * j] == x[4 * i + j]);
    lun_array *bad = NULL;
    int64_t over[2] = {1, 2}, zero[2] = {0, 1}, down[2] = {4, -1}, far[2] = {INT64_MAX / 2, 1};
    FAILS(lun_arrange(e, a, LUN_LAYOUT_STRIDED, over, &bad), LUN_ESHAPE, "two indices");
    FAILS(lun_arrange(e, a, LUN_LAYOUT_STRIDED, zero, &bad), LUN_ERANGE, "stride 0 is 0");
    FAILS(lun_arrange(e, a, LUN_LAYOUT_STRIDED, down, &bad), LUN_ERANGE, "stride 1 is -1");
    FAILS(lun_arrange(e, a, LUN_LAYOUT_STRIDED, far, &bad), LUN_ERANGE, "addressed");
    FAILS(lun_copy_layout(e, a, LUN_LAYOUT_STRIDED, NULL, &bad), LUN_EARG, "strides");
    FAILS(lun_copy_layout(e, a, (lun_layout_kind)3, NULL, &bad), LUN_EARG, "layout");
    FAILS(lun_copy_layout(e, NULL, LUN_LAYOUT_LEFT, NULL, &bad), LUN_EARG, "NULL");
    assert_null(bad);
    lun_array *all[] = {a, b, c};
    release_all(all, 3);
    free(x);
}

static void test_virtual_stays_virtual(void **state)
{
    (void)state;
    int64_t shape[2] = {65, 66};
    lun_array *a, *left, *b, *random, *turned;
    lun_stats s = {.size = sizeof s};
    OK(lun_full(e, 2, shape, LUN_F32, (lun_value){.dtype = LUN_F64, .as.d = 2}, &a));
    OK(lun_arrange(e, a, LUN_LAYOUT_LEFT, NULL, &left));
    OK(lun_random(e, 2, shape, 5, LUN_UNIFORM, LUN_F64, &random));
    OK(lun_arrange(e, random, LUN_LAYOUT_LEFT, NULL, &turned));
    lun_stats_get(e, &s);
    assert_int_equal(s.allocated, 0);
    assert_true(lun_is_virtual(left) && lun_is_virtual(turned));
    assert_int_equal(lun_pending(left), 0);
    assert_int_equal(lun_pending(turned), 0);
    assert_int_equal(lun_layout_of(left), LUN_LAYOUT_LEFT);
    for (int64_t f = 0; f < 65 * 66; f += 97)
        assert_true(at(random, f) == at(turned, f)); /* by the index, not by the place */
    OK(lun_set(e, left, 3, (lun_value){.dtype = LUN_I64, .as.i = 9}));
    OK(lun_add(e, left, left, &b));
    assert_int_equal(lun_layout_of(b), LUN_LAYOUT_LEFT);
    float got[65 * 66];
    OK(lun_read(e, b, got, 0, 65 * 66));
    for (int f = 0; f < 65 * 66; f++)
        assert_true(got[f] == (f == 3 ? 18 : 4));
    lun_array *all[] = {a, left, b, random, turned};
    release_all(all, 5);
}

/* ---- expressions ----------------------------------------------------------------------------- */

/* Operands in layouts by letter: l left, r right, t a transposed window, c a row, k a column, s
 * a part with gaps of a left array; the result's layout. */
typedef struct mix {
    const char *operands;
    lun_layout_kind result;
} mix;

static const mix mixes[] = {
    {"ll", LUN_LAYOUT_LEFT},  {"lt", LUN_LAYOUT_LEFT},  {"tt", LUN_LAYOUT_LEFT},
    {"lr", LUN_LAYOUT_RIGHT}, {"rt", LUN_LAYOUT_RIGHT}, {"rr", LUN_LAYOUT_RIGHT},
    {"lc", LUN_LAYOUT_LEFT},  {"kl", LUN_LAYOUT_LEFT},  {"rc", LUN_LAYOUT_RIGHT},
    {"tk", LUN_LAYOUT_LEFT},  {"ls", LUN_LAYOUT_LEFT},  {"ss", LUN_LAYOUT_LEFT},
    {"sr", LUN_LAYOUT_RIGHT},
};

static lun_array *in_layout(char kind, int64_t rows, int64_t columns, double first, double *x)
{
    int64_t shape[2] = {kind == 'c' ? 1 : rows, kind == 'k' ? 1 : columns},
            wide[2] = {rows + 3, columns + 2};
    lun_array *a, *b, *c;
    double *own = malloc((size_t)(wide[0] * wide[1]) * sizeof *own);
    assert_non_null(own);
    for (int64_t i = 0; i < rows; i++)
        for (int64_t j = 0; j < columns; j++) {
            int64_t r = kind == 'c' ? 0 : i, k = kind == 'k' ? 0 : j;
            x[i * columns + j] = first + (double)(r * 1000 + k);
        }
    if (kind == 'l' || kind == 'r' || kind == 'c' || kind == 'k') {
        for (int64_t i = 0; i < shape[0]; i++)
            for (int64_t j = 0; j < shape[1]; j++)
                own[i * shape[1] + j] = x[i * columns + j];
        OK(kind == 'c' ? lun_tensor(e, own, 1, shape + 1, LUN_F64, &a)
                       : lun_tensor(e, own, 2, shape, LUN_F64, &a));
        OK(lun_copy_layout(e, a, kind == 'l' ? LUN_LAYOUT_LEFT : LUN_LAYOUT_RIGHT, NULL, &b));
    } else if (kind == 't') {
        for (int64_t i = 0; i < rows; i++)
            for (int64_t j = 0; j < columns; j++)
                own[j * rows + i] = x[i * columns + j];
        OK(lun_tensor(e, own, 2, (int64_t[]){columns, rows}, LUN_F64, &a));
        OK(lun_permute(e, a, NULL, &b));
    } else {
        for (int64_t i = 0; i < wide[0] * wide[1]; i++)
            own[i] = -5;
        for (int64_t i = 0; i < rows; i++)
            for (int64_t j = 0; j < columns; j++)
                own[(i + 1) * wide[1] + j + 2] = x[i * columns + j];
        OK(lun_tensor(e, own, 2, wide, LUN_F64, &a));
        OK(lun_copy_layout(e, a, LUN_LAYOUT_LEFT, NULL, &c));
        OK(lun_window(e, c, 2, (int64_t[]){1, 2}, (int64_t[]){rows, columns}, NULL, &b));
        lun_release(c);
    }
    lun_release(a);
    free(own);
    return b;
}

static void mixed(const mix *m, int64_t rows, int64_t columns)
{
    int64_t n = rows * columns;
    double *x = malloc((size_t)n * sizeof *x), *y = malloc((size_t)n * sizeof *y);
    double *got = malloc((size_t)n * sizeof *got);
    assert_true(x && y && got);
    lun_array *a = in_layout(m->operands[0], rows, columns, 1, x);
    lun_array *b = in_layout(m->operands[1], rows, columns, 0.5, y);
    lun_array *sum, *twice, *number, *single, *all[6];
    lun_function *f;
    OK(lun_add(e, a, b, &sum));
    OK(lun_number(e, 2, &number));
    OK(lun_mul(e, number, sum, &twice)); /* of what waits */
    OK(lun_cast(e, twice, LUN_F32, &single));
    OK(lun_function_c(e, "(double p, double q) { return p - 2 * q; }", &f));
    lun_array *zipped;
    OK(lun_zip(e, f, a, b, NULL, 0, &zipped));
    lun_function_release(f);
    if (rows > 1 && columns > 1)
        for (int k = 0; k < 4; k++)
            assert_int_equal(lun_layout_of((lun_array *[]){sum, twice, single, zipped}[k]),
                             m->result);
    OK(lun_read(e, twice, got, 0, n));
    for (int64_t i = 0; i < n; i++)
        assert_true(got[i] == 2 * (x[i] + y[i]));
    OK(lun_read(e, zipped, got, 0, n));
    for (int64_t i = 0; i < n; i++)
        assert_true(got[i] == x[i] - 2 * y[i]);
    float *narrow = (float *)got;
    OK(lun_read(e, single, narrow, 0, n));
    for (int64_t i = 0; i < n; i++)
        assert_true(narrow[i] == (float)(2 * (x[i] + y[i])));
    assert_true(at(sum, n - 1) == x[n - 1] + y[n - 1]);
    memcpy(all, (lun_array *[]){a, b, sum, twice, single, number}, sizeof all);
    release_all(all, 6);
    lun_release(zipped);
    free(x);
    free(y);
    free(got);
}

static void test_expressions(void **state)
{
    (void)state;
    static const int64_t extents[] = {1, 3, 63, 64, 65};
    for (size_t k = 0; k < sizeof mixes / sizeof *mixes; k++)
        for (int i = 0; i < 5; i++)
            for (int j = 0; j < 5; j++)
                mixed(&mixes[k], extents[i], extents[j]);
}

/* Sums of the same elements in any layout have the same bits. */
static void test_same_bits(void **state)
{
    (void)state;
    int64_t shape[3] = {33, 47, 29}, n = 33 * 47 * 29;
    lun_array *random, *left, *strided, *all[3];
    int64_t axes[3] = {47, 1, 47 * 33};
    OK(lun_random(e, 3, shape, 11, LUN_NORMAL, LUN_F32, &random));
    OK(lun_copy_layout(e, random, LUN_LAYOUT_LEFT, NULL, &left));
    OK(lun_copy_layout(e, random, LUN_LAYOUT_STRIDED, axes, &strided));
    memcpy(all, (lun_array *[]){random, left, strided}, sizeof all);
    for (int r = 0; r < LUN_REDUCTION_COUNT; r++) {
        lun_value want, got;
        OK(lun_eval(e, all, 3));
        OK(lun_total(e, (lun_reduction)r, random, 0, &want));
        for (int k = 1; k < 3; k++) {
            OK(lun_total(e, (lun_reduction)r, all[k], 0, &got));
            if (memcmp(&got.as, &want.as, sizeof got.as))
                fail_msg("reduction %d of layout %d: %.17g, not %.17g", r, k, got.as.d, want.as.d);
        }
    }
    (void)n;
    release_all(all, 3);
}

/* Nothing is rearranged where all stand alike: as many bytes go through a kernel as for row-major
 * arrays, and it takes no streams. */
static void test_nothing_is_staged(void **state)
{
    (void)state;
    int64_t shape[2] = {64, 100};
    lun_array *a, *b, *x, *y, *sum, *flat;
    lun_plan *plan, *straight;
    OK(lun_random(e, 2, shape, 1, LUN_UNIFORM, LUN_F64, &a));
    OK(lun_random(e, 2, shape, 2, LUN_UNIFORM, LUN_F64, &b));
    lun_array *both[2] = {a, b};
    OK(lun_copy(e, a, &both[0]));
    OK(lun_copy(e, b, &both[1]));
    OK(lun_permute(e, both[0], NULL, &x));
    OK(lun_permute(e, both[1], NULL, &y));
    OK(lun_add(e, x, y, &sum));
    OK(lun_add(e, both[0], both[1], &flat));
    OK(lun_explain(e, &sum, 1, &plan));
    OK(lun_explain(e, &flat, 1, &straight));
    assert_int_equal(lun_plan_count(plan), 1);
    assert_string_equal(lun_plan_graph(plan), lun_plan_graph(straight));
    assert_string_equal(lun_plan_at(plan, 0)->ir, lun_plan_at(straight, 0)->ir);
    lun_plan_release(plan);
    lun_plan_release(straight);
    lun_array *all[] = {a, b, both[0], both[1], x, y, sum, flat};
    release_all(all, 8);
}

/* ---- writing --------------------------------------------------------------------------------- */

static void stored(char to, char from, int64_t rows, int64_t columns)
{
    int64_t n = rows * columns;
    double *x = malloc((size_t)n * sizeof *x), *y = malloc((size_t)n * sizeof *y);
    assert_true(x && y);
    lun_array *target = in_layout(to, rows, columns, 1, x);
    lun_array *source = in_layout(from, rows, columns, 0.25, y), *before, *negative;
    lun_layout_kind layout = lun_layout_of(target);
    OK(lun_neg(e, target, &before));
    OK(lun_neg(e, source, &negative));
    OK(lun_store(e, target, negative));
    assert_int_equal(lun_layout_of(target), layout);
    for (int64_t i = 0; i < n; i++) {
        assert_true(at(target, i) == -y[i]);
        assert_true(at(before, i) == -x[i]);
    }
    OK(lun_store(e, target, target));
    for (int64_t i = 0; i < n; i++)
        assert_true(at(target, i) == -y[i]);
    lun_array *all[] = {target, source, before, negative};
    release_all(all, 4);
    free(x);
    free(y);
}

static void test_stores(void **state)
{
    (void)state;
    const char *kinds = "lrtsck";
    for (int to = 0; to < 4; to++)
        for (int from = 0; from < 6; from++) {
            stored(kinds[to], kinds[from], 3, 5);
            stored(kinds[to], kinds[from], 65, 64);
            stored(kinds[to], kinds[from], 1, 63);
        }
}

/* A matrix transposed in place, through windows of itself. */
static void test_overlap(void **state)
{
    (void)state;
    enum { N = 65 };
    static double x[N * N];
    lun_array *a, *left, *turned;
    for (int i = 0; i < N * N; i++)
        x[i] = i;
    OK(lun_tensor(e, x, 2, (int64_t[]){N, N}, LUN_F64, &a));
    OK(lun_copy_layout(e, a, LUN_LAYOUT_LEFT, NULL, &left));
    OK(lun_permute(e, left, NULL, &turned));
    OK(lun_store(e, left, turned));
    for (int i = 0; i < N; i++)
        for (int j = 0; j < N; j++)
            assert_true(at(left, i * N + j) == x[j * N + i]);
    lun_array *all[] = {a, left, turned};
    release_all(all, 3);
}

#define BOTH(test)                                                                          \
    {#test " on reference", test, open_engine, kit_close, (void *)(uintptr_t) "reference"}, \
    {                                                                                       \
#test " on openmp", test, open_engine, kit_close, (void *)(uintptr_t) "openmp"      \
    }

int main(void)
{
    const struct CMUnitTest tests[] = {
        BOTH(test_wrapped_is_read),
        BOTH(test_wrapped_is_written),
        BOTH(test_wrapping_is_refused),
        BOTH(test_left),
        BOTH(test_strides),
        BOTH(test_virtual_stays_virtual),
        BOTH(test_expressions),
        BOTH(test_same_bits),
        BOTH(test_nothing_is_staged),
        BOTH(test_stores),
        BOTH(test_overlap),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
