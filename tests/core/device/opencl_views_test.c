/* opencl_views_test.c - windows of arrays as operands of kernels on a device, in both forms of its
 * texts: chains of windows at random, whose elements are found a second time by plain index loops,
 * one window after the other. */
#include <stdio.h>
#include <stdlib.h>

#include "engine_kit.h"

enum { RANK = LUN_MAX_RANK, MOST = 40000 };

/* An array, and where its elements stand in the array that it began as. */
typedef struct shown {
    lun_array *a;
    int rank;
    int64_t extent[RANK], count;
    int32_t *place;
} shown;

/* Elements of the arrays that everything begins as; -1: what is beyond their ends. */
static int64_t element(int64_t place)
{
    return place < 0 ? 7 : place * 7919 % 50;
}

static uint32_t seed;

static int64_t some(int64_t low, int64_t high)
{
    seed = seed * 1664525u + 1013904223u;
    return low + (int64_t)(seed >> 8) % (high - low + 1);
}

static int open_vectors(void **state)
{
    (void)state;
    setenv("LUNARRAY_OPENCL_FORM", "vector", 1);
    return kit_engine_open("opencl");
}

static int open_elements(void **state)
{
    (void)state;
    setenv("LUNARRAY_OPENCL_FORM", "scalar", 1);
    return kit_engine_open("opencl");
}

/* ---- windows --------------------------------------------------------------------------------- */

static shown begin(lun_dtype t, int rank, const int64_t *extent)
{
    shown s = {.rank = rank, .count = 1};
    for (int k = 0; k < rank; k++)
        s.count *= s.extent[k] = extent[k];
    int64_t *x = malloc((size_t)s.count * sizeof *x);
    s.place = malloc((size_t)s.count * sizeof *s.place);
    for (int64_t i = 0; i < s.count; i++) {
        s.place[i] = (int32_t)i;
        x[i] = element(i);
    }
    lun_array *a;
    OK(lun_tensor(e, x, rank, extent, LUN_I64, &a));
    OK(lun_cast(e, a, t, &s.a));
    OK(lun_eval(e, &s.a, 1));
    lun_release(a);
    free(x);
    return s;
}

static void end(shown *s)
{
    lun_release(s->a);
    free(s->place);
}

/* Index vector `i` of the old array, for each of the new one: old[k] = base[k] + sum over the new
 * axes j of by[k][j] * new[j]. */
typedef struct move {
    int64_t base[RANK], by[RANK][RANK];
} move;

/* s becomes `a`, of these extents. */
static void become(shown *s, lun_array *a, int rank, const int64_t *extent, const move *m)
{
    shown new = {.a = a, .rank = rank, .count = 1};
    for (int k = 0; k < rank; k++)
        new.count *= new.extent[k] = extent[k];
    new.place = malloc((size_t) new.count * sizeof *new.place);
    for (int64_t f = 0; f < new.count; f++) {
        int64_t i[RANK], rest = f, old = 0;
        for (int k = rank - 1; k >= 0; k--) {
            i[k] = rest % extent[k];
            rest /= extent[k];
        }
        for (int k = 0; k < s->rank; k++) {
            int64_t at = m->base[k];
            for (int j = 0; j < rank; j++)
                at += m->by[k][j] * i[j];
            assert_in_range(at, 0, s->extent[k] - 1);
            old = old * s->extent[k] + at;
        }
        new.place[f] = s->place[old];
    }
    end(s);
    *s = new;
}

static void permute(shown *s)
{
    int axes[RANK];
    int64_t extent[RANK];
    move m = {{0}, {{0}}};
    lun_array *a;
    for (int k = 0; k < s->rank; k++)
        axes[k] = k;
    for (int k = s->rank - 1; k > 0; k--) {
        int j = (int)some(0, k), x = axes[k];
        axes[k] = axes[j];
        axes[j] = x;
    }
    for (int k = 0; k < s->rank; k++) {
        extent[k] = s->extent[axes[k]];
        m.by[axes[k]][k] = 1;
    }
    OK(lun_permute(e, s->a, axes, &a));
    become(s, a, s->rank, extent, &m);
}

static void cut(shown *s)
{
    int64_t first[RANK], count[RANK], step[RANK];
    move m = {{0}, {{0}}};
    lun_array *a;
    for (int k = 0; k < s->rank; k++) {
        int64_t n = s->extent[k];
        first[k] = some(0, n / 4);
        step[k] = some(1, 3);
        count[k] = (n - 1 - first[k]) / step[k] + 1;
        if (some(0, 1)) {
            first[k] += (count[k] - 1) * step[k];
            step[k] = -step[k];
        }
        m.base[k] = first[k];
        m.by[k][k] = step[k];
    }
    OK(lun_window(e, s->a, s->rank, first, count, step, &a));
    become(s, a, s->rank, count, &m);
}

static void choose(shown *s)
{
    int axis = (int)some(0, s->rank - 1), j = 0;
    int64_t extent[RANK], at = some(0, s->extent[axis] - 1);
    move m = {{0}, {{0}}};
    lun_array *a;
    if (s->rank < 2)
        return;
    m.base[axis] = at;
    for (int k = 0; k < s->rank; k++)
        if (k != axis) {
            extent[j] = s->extent[k];
            m.by[k][j++] = 1;
        }
    OK(lun_select(e, s->a, axis, at, &a));
    become(s, a, s->rank - 1, extent, &m);
}

static void diagonal(shown *s)
{
    int r = s->rank;
    int64_t extent[RANK];
    move m = {{0}, {{0}}};
    lun_array *a;
    if (r < 2)
        return;
    int64_t k = some(0, s->extent[r - 1] - 1), n = s->extent[r - 1] - k;
    for (int j = 0; j < r - 2; j++) {
        extent[j] = s->extent[j];
        m.by[j][j] = 1;
    }
    extent[r - 2] = n < s->extent[r - 2] ? n : s->extent[r - 2];
    m.by[r - 2][r - 2] = m.by[r - 1][r - 2] = 1;
    m.base[r - 1] = k;
    OK(lun_diagonal(e, s->a, k, &a));
    become(s, a, r - 1, extent, &m);
}

static void slide(shown *s)
{
    int axis = (int)some(0, s->rank - 1);
    int64_t extent[RANK], width = some(1, s->extent[axis] < 9 ? s->extent[axis] : 9);
    int64_t step = some(1, 3);
    move m = {{0}, {{0}}};
    lun_array *a;
    if (s->rank == RANK || s->count > MOST / 9)
        return;
    for (int k = 0; k < s->rank; k++) {
        extent[k] = s->extent[k];
        m.by[k][k] = 1;
    }
    extent[axis] = (s->extent[axis] - width) / step + 1;
    extent[s->rank] = width;
    m.by[axis][axis] = step;
    m.by[axis][s->rank] = 1;
    OK(lun_windows(e, s->a, axis, width, step, &a));
    become(s, a, s->rank + 1, extent, &m);
}

/* A new axis in front, and those of one element repeated. */
static void repeat(shown *s)
{
    int64_t extent[RANK];
    move m = {{0}, {{0}}};
    lun_array *a;
    int64_t count = s->count;
    if (s->rank == RANK)
        return;
    count *= extent[0] = some(1, 5);
    for (int k = 0; k < s->rank; k++) {
        extent[k + 1] = s->extent[k];
        m.by[k][k + 1] = 1;
        if (s->extent[k] == 1 && count < MOST / 7) {
            count *= extent[k + 1] = 7;
            m.by[k][k + 1] = 0;
        }
    }
    if (count > MOST)
        return;
    OK(lun_broadcast(e, s->a, s->rank + 1, extent, &a));
    become(s, a, s->rank + 1, extent, &m);
}

/* The index that stands for i on an axis of n elements; -1: none does. */
static int64_t stands_for(int64_t i, int64_t n, lun_edge edge)
{
    if (edge == LUN_EDGE_VALUE)
        return i < 0 || i >= n ? -1 : i;
    while (i < 0 || i >= n)
        i = edge == LUN_EDGE_NEAREST ? (i < 0 ? 0 : n - 1) : i < 0 ? i + n : i - n;
    return i;
}

static void surround(shown *s)
{
    int64_t before[RANK], after[RANK];
    lun_edge edge[RANK];
    shown new = {.rank = s->rank, .count = 1};
    for (int k = 0; k < s->rank; k++) {
        before[k] = some(0, 3);
        after[k] = some(0, 1) ? 0 : some(1, 2 * s->extent[k] < 9 ? 2 * s->extent[k] : 9);
        edge[k] = (lun_edge[]){LUN_EDGE_VALUE, LUN_EDGE_WRAP, LUN_EDGE_NEAREST}[some(0, 2)];
        new.count *= new.extent[k] = before[k] + s->extent[k] + after[k];
    }
    if (new.count > MOST)
        return;
    OK(lun_pad(e, s->a, before, after, edge, (lun_value){.dtype = LUN_I64, .as.i = 7}, &new.a));
    new.place = malloc((size_t) new.count * sizeof *new.place);
    for (int64_t f = 0; f < new.count; f++) {
        int64_t rest = f, old = 0, weight = 1;
        for (int k = s->rank - 1; k >= 0; k--) {
            int64_t at = stands_for(rest % new.extent[k] - before[k], s->extent[k], edge[k]);
            rest /= new.extent[k];
            old = at < 0 || old < 0 ? -1 : old + at * weight;
            weight *= s->extent[k];
        }
        new.place[f] = old < 0 ? -1 : s->place[old];
    }
    end(s);
    *s = new;
}

static shown chain(lun_dtype t)
{
    static void (*const moves[])(shown *) = {permute,  cut,   permute, choose,
                                             diagonal, slide, repeat,  surround};
    int64_t extent[4], most[] = {3000, 70, 20, 9};
    int rank = (int)some(1, 4);
    for (int k = 0; k < rank; k++)
        extent[k] = some(1, most[rank - 1]);
    shown s = begin(t, rank, extent);
    for (int64_t n = some(1, 4); n; n--)
        moves[some(0, 7)](&s);
    return s;
}

/* ---- what kernels make of them --------------------------------------------------------------- */

static int64_t value(const shown *s, int64_t i)
{
    return element(s->place[i]);
}

/* Elements first .. first+count-1 of s + s + 1. */
static void check_elements(const shown *s, int64_t first, int64_t count)
{
    lun_array *in[2] = {s->a, s->a}, *sum, *one, *more, *wide;
    int64_t *got = malloc((size_t)count * sizeof *got);
    OK(lun_apply(e, LUN_OP_ADD, in, 2, &sum));
    OK(lun_number(e, 1, &one));
    OK(lun_apply(e, LUN_OP_ADD, (lun_array *[]){sum, one}, 2, &more));
    OK(lun_cast(e, more, LUN_I64, &wide));
    OK(lun_read(e, wide, got, first, count));
    for (int64_t i = 0; i < count; i++)
        if (got[i] != 2 * value(s, first + i) + 1)
            fail_msg("element %lld of %lld is %lld", (long long)(first + i), (long long)s->count,
                     (long long)got[i]);
    lun_release(sum);
    lun_release(one);
    lun_release(more);
    lun_release(wide);
    free(got);
}

/* The sum and the running sums of the elements, in their order. */
static void check_order(const shown *s)
{
    lun_function *plus;
    lun_array *flat, *scan, *wide;
    lun_value sum;
    int64_t total = 0, *got = malloc((size_t)s->count * sizeof *got);
    OK(lun_function_op(e, LUN_OP_ADD, &plus));
    OK(lun_cast(e, s->a, LUN_I64, &wide));
    OK(lun_reshape(e, wide, 1, &s->count, &flat));
    OK(lun_scan(e, plus, NULL, flat, true, &scan));
    OK(lun_read(e, scan, got, 0, s->count));
    for (int64_t i = 0; i < s->count; i++) {
        total += value(s, i);
        if (got[i] != total)
            fail_msg("sum of %lld of %lld is %lld, not %lld", (long long)i + 1, (long long)s->count,
                     (long long)got[i], (long long)total);
    }
    OK(lun_total(e, LUN_SUM, s->a, 0, &sum));
    if (sum.dtype == LUN_I64 || sum.dtype == LUN_U64)
        assert_int_equal(sum.as.i, total);
    else
        assert_true(sum.as.d == (double)total);
    lun_release(flat);
    lun_release(scan);
    lun_release(wide);
    lun_function_release(plus);
    free(got);
}

static const lun_dtype dtypes[] = {LUN_F32, LUN_I8,  LUN_F64, LUN_U16, LUN_I32, LUN_U8,
                                   LUN_I16, LUN_U32, LUN_I64, LUN_U64, LUN_F16, LUN_BF16};

static void random_chains(void **state)
{
    (void)state;
    seed = 1;
    for (int n = 0; n < 120; n++) {
        shown s = chain(dtypes[n % 12]);
        check_elements(&s, 0, s.count);
        int64_t first = some(0, s.count - 1);
        check_elements(&s, first, some(1, s.count - first));
        if (n % 3 == 0 && dtypes[n % 12] != LUN_F16 && dtypes[n % 12] != LUN_BF16)
            check_order(&s);
        end(&s);
    }
}

/* Two chains of one shape in one kernel. */
static void two_operands(void **state)
{
    (void)state;
    int64_t extent[2] = {230, 310}, other[2] = {310, 230}, *got = malloc(230 * 310 * sizeof *got);
    for (int n = 0; n < 10; n++) {
        shown a = begin(dtypes[n], 2, extent), b = begin(dtypes[(n + 4) % 10], 2, other);
        move m = {{0}, {[0][1] = 1, [1][0] = 1}};
        lun_array *t, *sum, *wide;
        OK(lun_permute(e, b.a, NULL, &t));
        become(&b, t, 2, extent, &m);
        OK(lun_apply(e, LUN_OP_ADD, (lun_array *[]){a.a, b.a}, 2, &sum));
        OK(lun_cast(e, sum, LUN_I64, &wide));
        OK(lun_free(e, b.a)); /* a window: its elements are kept by the sum */
        OK(lun_read(e, wide, got, 0, a.count));
        for (int64_t i = 0; i < a.count; i++)
            assert_int_equal(got[i], value(&a, i) + value(&b, i));
        lun_release(sum);
        lun_release(wide);
        end(&a);
        end(&b);
    }
    free(got);
}

/* Many chunks and slices of a transposed array. */
static void many_elements(void **state)
{
    (void)state;
    int64_t extent[2] = {1031, 773};
    shown s = begin(LUN_F32, 2, extent);
    lun_array *t;
    move m = {{0}, {[0][1] = 1, [1][0] = 1}};
    OK(lun_permute(e, s.a, NULL, &t));
    become(&s, t, 2, (int64_t[]){773, 1031}, &m);
    for (int n = 0; n < 3; n++) {
        check_elements(&s, 0, s.count);
        check_order(&s);
        check_elements(&s, 500000, 7);
    }
    end(&s);
}

int main(void)
{
#define BOTH(test)                                                 \
    {#test " in vectors", test, open_vectors, kit_close, NULL},    \
    {                                                              \
#test " by elements", test, open_elements, kit_close, NULL \
    }
    const struct CMUnitTest tests[] = {BOTH(random_chains), BOTH(two_operands),
                                       BOTH(many_elements)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
