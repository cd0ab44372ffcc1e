/* lines_test.c - reductions and scans of lines: each has the bits that the same has of its line,
 * copied into a Vector, on every backend, and a device takes one launch for all lines. */
#include <stdio.h>
#include <stdlib.h>

#include "engine_kit.h"

static const char *backend;

static int open_on(const char *name, const char *form)
{
    backend = name;
    setenv("LUNARRAY_OPENCL_FORM", form, 1);
    return kit_engine_open(name);
}

static int open_vectors(void **state)
{
    (void)state;
    return open_on("opencl", "vector");
}

static int open_elements(void **state)
{
    (void)state;
    return open_on("opencl", "scalar");
}

static int open_host(void **state)
{
    (void)state;
    return open_on("openmp", "");
}

/* Shapes, and the axis of the lines. */
static const struct {
    int64_t rows, columns;
    int axis;
} shapes[] = {{5, 1, 1},    {700, 3, 1},   {3, 700, 0},   {41, 8, 1},    {33, 17, 1},
              {17, 33, 0},  {20, 64, 1},   {9, 65, 1},    {50, 100, 0},  {6, 513, 1},
              {513, 6, 1},  {3, 5000, 1},  {2, 16384, 1}, {2, 16385, 1}, {1, 10, 0},
              {7000, 5, 1}, {49152, 2, 0}, {81929, 3, 0}};
enum { SHAPES = sizeof shapes / sizeof *shapes };

typedef lun_status way(lun_array *a, int axis, lun_array **out);

static const char mix[] = "double mix(double x, double y) { return x + y - x * y / 4; }";

static lun_status fold(const char *text, lun_op op, lun_array *a, int axis, lun_array **out)
{
    lun_function *f;
    lun_array *id = NULL;
    OK(text ? lun_function_c(e, text, &f) : lun_function_op(e, op, &f));
    OK(lun_number(e, 0.25, &id));
    lun_status s = lun_fold_along(e, f, text ? id : NULL, a, &axis, 1, false, out);
    lun_release(id);
    lun_function_release(f);
    return s;
}

static lun_status scan(const char *text, bool inclusive, lun_array *a, int axis, lun_array **out)
{
    lun_function *f;
    lun_array *id;
    OK(text ? lun_function_c(e, text, &f) : lun_function_op(e, LUN_OP_ADD, &f));
    OK(lun_number(e, 0.25, &id));
    lun_status s = lun_scan_along(e, f, id, a, axis, inclusive, out);
    lun_release(id);
    lun_function_release(f);
    return s;
}

static lun_status sum(lun_array *a, int axis, lun_array **out)
{
    return fold(NULL, LUN_OP_ADD, a, axis, out);
}

static lun_status by_function(lun_array *a, int axis, lun_array **out)
{
    return fold(mix, LUN_OP_ADD, a, axis, out);
}

static lun_status last_place(lun_array *a, int axis, lun_array **out)
{
    return lun_along(e, LUN_ARGMAX, a, &axis, 1, NULL, out);
}

static lun_status running(lun_array *a, int axis, lun_array **out)
{
    return scan(NULL, true, a, axis, out);
}

static lun_status before(lun_array *a, int axis, lun_array **out)
{
    return scan(NULL, false, a, axis, out);
}

static lun_status running_function(lun_array *a, int axis, lun_array **out)
{
    return scan(mix, true, a, axis, out);
}

static lun_status before_function(lun_array *a, int axis, lun_array **out)
{
    return scan(mix, false, a, axis, out);
}

static double at(int64_t i)
{
    return (double)(i * 7919 % 1009) / 1009 - 0.3;
}

/* The elements of a way's result on the backend in use, as f64. */
static double *result(way *f, const double *x, int rank, const int64_t *extent, int axis,
                      int64_t *n)
{
    lun_array *a, *b, *wide;
    OK(lun_tensor(e, x, rank, extent, LUN_F64, &a));
    OK(f(a, axis, &b));
    OK(lun_eval(e, &b, 1));
    *n = lun_size(b);
    OK(lun_cast(e, b, LUN_F64, &wide));
    double *got = malloc((size_t)*n * sizeof *got);
    OK(lun_read(e, wide, got, 0, *n));
    lun_release(a);
    lun_release(b);
    lun_release(wide);
    return got;
}

/* Line `line` of the shape, each line copied into a Vector, has the elements line, line + step, ...
 * of the result: as many as there are. */
static void check_line(way *f, int shape, int64_t line, const double *got, int64_t count)
{
    const int64_t rows = shapes[shape].rows, columns = shapes[shape].columns;
    const bool along = shapes[shape].axis == 1;
    int64_t length = along ? columns : rows, n, lines = along ? rows : columns;
    double *x = malloc((size_t)length * sizeof *x);
    for (int64_t i = 0; i < length; i++)
        x[i] = at(along ? line * columns + i : i * columns + line);
    double *want = result(f, x, 1, &length, 0, &n);
    assert_int_equal(count, n * lines);
    for (int64_t i = 0; i < n; i++) {
        int64_t place = n == 1 ? line : along ? line * columns + i : i * columns + line;
        if (memcmp(&got[place], &want[i], sizeof *want))
            fail_msg("%lld x %lld, axis %d: element %lld of line %lld is %.17g, not %.17g",
                     (long long)rows, (long long)columns, shapes[shape].axis, (long long)i,
                     (long long)line, got[place], want[i]);
    }
    free(want);
    free(x);
}

/* All shapes, and how many launches they take: lines of more than a chunk have their own. */
static void check(way *f)
{
    for (int k = 0; k < SHAPES; k++) {
        int64_t extent[2] = {shapes[k].rows, shapes[k].columns}, n = extent[0] * extent[1], count;
        int64_t line = extent[shapes[k].axis];
        double *x = malloc((size_t)n * sizeof *x);
        lun_stats s = {.size = sizeof s};
        for (int64_t i = 0; i < n; i++)
            x[i] = at(i);
        OK(lun_use(e, backend));
        lun_stats_reset(e);
        double *got = result(f, x, 2, extent, shapes[k].axis, &count);
        lun_stats_get(e, &s);
        if (line <= 16384)
            assert_in_range(s.launches, 1, 5);
        OK(lun_use(e, "reference"));
        for (int64_t j = 0; j < n / line; j++)
            check_line(f, k, j, got, count);
        free(got);
        free(x);
    }
}

#define TEST(way)                            \
    static void way##_of_lines(void **state) \
    {                                        \
        (void)state;                         \
        check(way);                          \
    }

TEST(sum)
TEST(by_function)
TEST(last_place)
TEST(running)
TEST(before)
TEST(running_function)
TEST(before_function)

/* Workers do not write into each other's lines: of one element each, so that all is known. */
static void neighbours(void **state)
{
    enum { LINES = 200000, TIMES = 40 };
    const int64_t extent[2] = {LINES, 1};
    double *x = malloc(LINES * sizeof *x);
    (void)state;
    for (int64_t i = 0; i < LINES; i++)
        x[i] = at(i);
    for (int k = 0; k < TIMES; k++) {
        int64_t n;
        double *got = result(running, x, 2, extent, 1, &n);
        assert_int_equal(n, LINES);
        for (int64_t i = 0; i < LINES; i++)
            if (got[i] != 0.25 + x[i])
                fail_msg("line %lld is %.17g, not %.17g", (long long)i, got[i], 0.25 + x[i]);
        free(got);
    }
    free(x);
}

int main(void)
{
#define EACH(way)                                                              \
    {#way " in vectors", way##_of_lines, open_vectors, kit_close, NULL},       \
        {#way " by elements", way##_of_lines, open_elements, kit_close, NULL}, \
    {                                                                          \
#way " on the host", way##_of_lines, open_host, kit_close, NULL        \
    }
    const struct CMUnitTest tests[] = {
        EACH(sum),
        EACH(by_function),
        EACH(last_place),
        EACH(running),
        EACH(before),
        EACH(running_function),
        EACH(before_function),
        {"neighbours on the host", neighbours, open_host, kit_close, NULL}};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
