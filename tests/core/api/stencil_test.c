/* stencil_test.c - stencils from C: what lun_stencil computes with C functions under every edge
 * rule, compared with loops over the elements, and what it refuses. */
#include "array_kit.h"

enum { ROWS = 5, COLUMNS = 67 };

static const char laplace[] =
    "double f(const double *x) {\n"
    "    return get(x, -1, 0) + get(x, 1, 0) + get(x, 0, -1) + get(x, 0, 2) - 4 * get(x, 0, 0);\n"
    "}";

static double elements[ROWS * COLUMNS];

static lun_array *grid(int seed)
{
    lun_array *flat, *out;
    for (int i = 0; i < ROWS * COLUMNS; i++)
        elements[i] = (i * 37 + seed) % 101 / 4.0;
    flat = vector(elements, ROWS * COLUMNS);
    OK(lun_reshape(e, flat, 2, (const int64_t[]){ROWS, COLUMNS}, &out));
    lun_release(flat);
    return out;
}

static lun_function *c_function(const char *text)
{
    lun_function *f;
    OK(lun_function_c(e, text, &f));
    return f;
}

/* Index i of an axis of n elements by its edge; -1: a number stands there. */
static int64_t inside(int64_t i, int64_t n, lun_edge edge)
{
    if (i >= 0 && i < n)
        return i;
    if (edge == LUN_EDGE_WRAP)
        return (i % n + n) % n;
    return edge == LUN_EDGE_NEAREST ? (i < 0 ? 0 : n - 1) : -1;
}

static double element(int64_t i, int64_t j, const lun_edge *edge, double x)
{
    i = inside(i, ROWS, edge[0]);
    j = inside(j, COLUMNS, edge[1]);
    return i < 0 || j < 0 ? x : elements[i * COLUMNS + j];
}

static double wanted(int i, int j, const lun_edge *edge, const bool *keep, double x)
{
    bool out_of_rows = i < 1 || i >= ROWS - 1, out_of_columns = j < 1 || j >= COLUMNS - 2;
    if ((keep[0] && out_of_rows) || (keep[1] && out_of_columns))
        return elements[i * COLUMNS + j];
    return element(i - 1, j, edge, x) + element(i + 1, j, edge, x) + element(i, j - 1, edge, x) +
           element(i, j + 2, edge, x) - 4 * element(i, j, edge, x);
}

static void check(const lun_stencil_options *how, const lun_edge *edge, const bool *keep, double x)
{
    lun_array *a = grid(3), *out;
    lun_function *f = c_function(laplace);
    double got[ROWS * COLUMNS];
    int64_t shape[LUN_MAX_RANK];
    int results = 0;
    OK(lun_stencil(e, f, &a, 1, 1, how, &out, 1, &results));
    assert_int_equal(results, 1);
    assert_int_equal(lun_shape(out, shape), 2);
    assert_true(shape[0] == ROWS && shape[1] == COLUMNS);
    OK(lun_read(e, out, got, 0, ROWS * COLUMNS));
    for (int i = 0; i < ROWS; i++)
        for (int j = 0; j < COLUMNS; j++)
            assert_true(got[i * COLUMNS + j] == wanted(i, j, edge, keep, x));
    lun_release(out);
    lun_function_release(f);
    lun_release(a);
}

static void test_edges(void **state)
{
    (void)state;
    static const lun_edge rules[] = {LUN_EDGE_VALUE, LUN_EDGE_WRAP, LUN_EDGE_NEAREST};
    static const lun_edge nearest[] = {LUN_EDGE_NEAREST, LUN_EDGE_NEAREST};
    static const bool none[2] = {false, false};
    check(NULL, nearest, none, 0);
    for (int k = 0; k < 9; k++) {
        const lun_edge edge[2] = {rules[k / 3], rules[k % 3]};
        const bool keep[2] = {k == 1 || k == 4, k == 4 || k == 5};
        const int64_t radius[2] = {1, 2};
        lun_stencil_options how = {.size = sizeof how, .edge = edge};
        how.x = (lun_value){.dtype = LUN_F64, .as.d = 2.5};
        check(&how, edge, none, 2.5);
        how.keep = keep;
        how.radius = radius;
        check(&how, edge, keep, 2.5);
    }
}

static void test_several_arrays_and_arguments(void **state)
{
    (void)state;
    const double x[4] = {1, 2, 4, 8}, y[4] = {10, 20, 30, 40}, w[2] = {0.5, 100};
    lun_array *in[4] = {vector(x, 4), vector(y, 4), NULL, vector(w, 2)}, *out;
    lun_function *f =
        c_function("double f(double x, float y, long n, const double *w)\n"
                   "{ return get(x, 1) * n + get(y, -1) + y + LUN_AT(w, n) + get(x, 1); }");
    int results;
    OK(lun_integer(e, 1, &in[2]));
    OK(lun_stencil(e, f, in, 4, 2, NULL, &out, 1, &results));
    for (int i = 0; i < 4; i++) {
        double next = x[i < 3 ? i + 1 : 3], last = y[i ? i - 1 : 0];
        assert_true(at(out, i) == next + last + y[i] + 100 + next);
    }
    lun_release(out);
    lun_release(in[2]);
    OK(lun_integer(e, 2, &in[2]));
    OK(lun_stencil(e, f, in, 4, 2, NULL, &out, 1, &results));
    FAILS(lun_eval(e, &out, 1), LUN_EBOUNDS,
          "C function, line 2: index 2 is out of range for array 'w' of length 2");
    lun_release(out);
    lun_function_release(f);
    release_all(in, 4);
}

static void test_refusals(void **state)
{
    (void)state;
    lun_array *a = grid(1), *line = vector(elements, 7), *both[2] = {a, line}, *one, *out;
    lun_function *f = c_function(laplace), *plain = c_function("(double x) { return x; }"),
                 *two = c_function("(double x, double y) { return get(x, 0, 1) + get(y, 1, 0); }"),
                 *op;
    const int64_t radius[2] = {1, 1}, negative[2] = {1, -1};
    const lun_edge edge[2] = {LUN_EDGE_WRAP, (lun_edge)7};
    int results;
    lun_stencil_options how = {.size = sizeof how, .radius = radius};
    OK(lun_number(e, 1, &one));
    OK(lun_function_op(e, LUN_OP_NEG, &op));
    FAILS(lun_stencil(e, f, &a, 1, 1, &how, &out, 1, &results), LUN_EARG,
          "offset 2 of get(x, ...) in line 2 is beyond the radius of axis 1, which is 1");
    how.radius = negative;
    FAILS(lun_stencil(e, f, &a, 1, 1, &how, &out, 1, &results), LUN_ERANGE,
          "negative radius -1 of axis 1");
    how = (lun_stencil_options){.size = sizeof how, .edge = edge};
    FAILS(lun_stencil(e, f, &a, 1, 1, &how, &out, 1, &results), LUN_EARG, "no such edge: 7");
    how.size = 0;
    assert_int_equal(lun_stencil(e, f, &a, 1, 1, &how, &out, 1, &results), LUN_EARG);
    FAILS(lun_stencil(e, f, &line, 1, 1, NULL, &out, 1, &results), LUN_EARG,
          "get(x, ...) with 2 offsets: it takes 1, one for each axis");
    FAILS(lun_stencil(e, two, both, 2, 2, NULL, &out, 1, &results), LUN_ESHAPE,
          "a stencil takes arrays of one shape: array 0 is f64[5, 67], array 1 is f64[7]");
    FAILS(lun_stencil(e, two, both, 2, 1, NULL, &out, 1, &results), LUN_EARG,
          "get reads parameter 2 of the function, which takes an extra argument");
    FAILS(lun_stencil(e, f, &one, 1, 1, NULL, &out, 1, &results), LUN_EARG, "an array is needed");
    FAILS(lun_stencil(e, f, both, 2, 1, NULL, &out, 1, &results), LUN_EARG,
          "the function has 1 parameter");
    FAILS(lun_stencil(e, plain, &a, 1, 1, NULL, &out, 1, &results), LUN_EARG,
          "the function reads no element around its index: get(x, -1, 0) is one");
    FAILS(lun_stencil(e, op, &a, 1, 1, NULL, &out, 1, &results), LUN_EARG,
          "a stencil takes a Lua function or a C function");
    FAILS(lun_map(e, f, a, NULL, 0, &out), LUN_EARG, "only a stencil's function may");
    FAILS(lun_reduce(e, two, one, a, &out), LUN_EARG, "need a function of two values");
    assert_int_equal(lun_stencil(e, f, &a, 1, 1, NULL, NULL, 1, &results), LUN_EARG);
    assert_int_equal(lun_stencil(e, f, NULL, 1, 1, NULL, &out, 1, &results), LUN_EARG);
    assert_int_equal(lun_stencil(e, NULL, &a, 1, 1, NULL, &out, 1, &results), LUN_EARG);
    lun_function_release(f);
    lun_function_release(plain);
    lun_function_release(two);
    lun_function_release(op);
    lun_release(one);
    lun_release(line);
    lun_release(a);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test_setup_teardown(test_edges, kit_reference_open, kit_close),
        cmocka_unit_test_setup_teardown(test_several_arrays_and_arguments, kit_reference_open,
                                        kit_close),
        cmocka_unit_test_setup_teardown(test_refusals, kit_reference_open, kit_close),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
