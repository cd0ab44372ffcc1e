/* counting_test.c - from where numbers in texts of failures count: from 0 for C, from 1 for scripts
 * and for bindings that ask so. */
#include "engine_kit.h"

#include "lunarray_bind.h"

static lun_array *matrix, *vector, *out; /* f64[2, 3], f64[4] */

static int open_arrays(void **state)
{
    const double data[6] = {1, 2, 3, 4, 5, 6};
    (void)state;
    return kit_engine_open("reference") ||
           lun_tensor(e, data, 2, (const int64_t[]){2, 3}, LUN_F64, &matrix) != LUN_OK ||
           lun_vector(e, data, 4, LUN_F64, &vector) != LUN_OK;
}

static int close_arrays(void **state)
{
    lun_release(matrix);
    lun_release(vector);
    return kit_close(state);
}

static lun_array *integers(int64_t n, const int64_t *data)
{
    lun_array *a = NULL;
    OK(lun_vector(e, data, n, LUN_I64, &a));
    return a;
}

/* The text of the last failure has the first of these for C, and the second for scripts. */
static void told(lun_status got, lun_status wanted, const char *c, const char *script)
{
    assert_int_equal(got, wanted);
    for (int k = 0; k < 4; k++) { /* either may be asked for, again and again */
        const char *text = k % 2 ? lun_error_from(e, 1) : lun_error(e);
        if (!strstr(text, k % 2 ? script : c))
            fail_msg("no '%s' in '%s'", k % 2 ? script : c, text);
        assert_null(strchr(text, '\2'));
    }
}

/* ---- axes ------------------------------------------------------------------------------------ */

static void test_axes(void **state)
{
    const int axes[2] = {1, 1}, far[2] = {0, 2}, nine = 9;
    const lun_value x = {LUN_F64, {.d = 0}};

    const int64_t first[2] = {0, 1}, some[2] = {2, 3}, negative[2] = {0, -1}, none[2] = {0, 0};
    const lun_edge value[2] = {LUN_EDGE_VALUE, LUN_EDGE_VALUE};
    lun_array *const both[2] = {matrix, vector};
    lun_array *turned, *i = integers(1, (const int64_t[]){0}), *mask;
    (void)state;
    told(lun_permute(e, matrix, axes, &out), LUN_ESHAPE, "axis 1 is given twice",
         "axis 2 is given twice");
    told(lun_permute(e, matrix, far, &out), LUN_ESHAPE, "axis 2 is out of range: f64[2, 3] has 2",
         "axis 3 is out of range: f64[2, 3] has 2");
    told(lun_along(e, LUN_SUM, matrix, &nine, 1, NULL, &out), LUN_ESHAPE, "axis 9 is",
         "axis 10 is");
    told(lun_along(e, LUN_SUM, matrix, axes, 2, NULL, &out), LUN_ESHAPE, "axis 1 of", "axis 2 of");
    told(lun_take(e, matrix, i, 2, NULL, &out), LUN_ESHAPE, "axis 2 is", "axis 3 is");
    told(lun_put(e, matrix, i, vector, 2, LUN_OP_NONE), LUN_ESHAPE, "axis 2 is", "axis 3 is");
    told(lun_shift(e, matrix, 1, -1, LUN_EDGE_WRAP, x, &out), LUN_ESHAPE, "axis -1 is",
         "axis 0 is");
    told(lun_pad(e, matrix, none, negative, value, x, &out), LUN_ERANGE, "axis 1: a negative",
         "axis 2: a negative");
    told(lun_concat_along(e, both, 1, 2, &out), LUN_ESHAPE, "axis 2 is", "axis 3 is");
    told(lun_stack(e, both, 1, 3, &out), LUN_ESHAPE, "axis 3 is", "axis 4 is");
    told(lun_window(e, matrix, 2, first, some, NULL, &out), LUN_ERANGE, "elements 1 to 3 are",
         "elements 2 to 4 are");
    told(lun_windows(e, matrix, 1, 4, 1, &out), LUN_ERANGE, "axis 1 of", "axis 2 of");
    told(lun_sort(e, matrix, 2, 0, &out), LUN_ESHAPE, "axis 2 is", "axis 3 is");
    told(lun_sort(e, matrix, -3, 0, &out), LUN_ESHAPE, "axis -3 is", "axis -3 is");
    told(lun_tensor(e, NULL, 2, negative, LUN_F64, &out), LUN_ERANGE, "extent 1 is negative",
         "extent 2 is negative");
    OK(lun_ge(e, vector, vector, &mask));
    told(lun_compress_along(e, matrix, mask, 2, &out), LUN_ESHAPE, "no axis 2", "no axis 3");
    told(lun_compress_along(e, matrix, mask, 1, &out), LUN_ESHAPE, "axis 1 of", "axis 2 of");
    lun_release(mask);
    OK(lun_permute(e, matrix, NULL, &turned));
    told(lun_add(e, matrix, turned, &out), LUN_ESHAPE, "axis 0: 2 and 3", "axis 1: 2 and 3");
    told(lun_store(e, matrix, turned), LUN_ESHAPE, "axis 1: 2 and 3", "axis 2: 2 and 3");
    lun_release(turned);
    lun_release(i);
    told(lun_arrange(e, matrix, LUN_LAYOUT_STRIDED, first, &out), LUN_ERANGE, "stride 0 is 0",
         "stride 1 is 0");
}

/* ---- elements -------------------------------------------------------------------------------- */

static void test_elements(void **state)
{
    double x[4] = {0};
    lun_value v = {LUN_F64, {.d = 0}};
    lun_array *i = integers(3, (const int64_t[]){0, 1, 4}), *edges, *counts;
    lun_grouping *g = NULL;
    (void)state;
    told(lun_slice(e, vector, 2, 3, 1, &out), LUN_ERANGE, "elements 2 to 4 are",
         "elements 3 to 5 are");
    told(lun_read(e, vector, x, 3, 2), LUN_ERANGE, "elements 3 to 4 are", "elements 4 to 5 are");
    told(lun_write(e, vector, x, INT64_MAX, 2), LUN_ERANGE, "elements 9223372036854775807 to",
         "out of range");
    told(lun_get(e, vector, 4, &v), LUN_ERANGE, "4", "5");
    OK(lun_take(e, vector, i, 0, NULL, &out)); /* evaluated, it says which */
    told(lun_eval(e, &out, 1), LUN_EBOUNDS, "index 4 (number 2) is out of range for axis 0 of",
         "index 4 (number 3) is out of range for axis 1 of");
    lun_release(out);
    told(lun_put(e, vector, i, i, 0, LUN_OP_NONE), LUN_EBOUNDS, "index 4 (number 2) is",
         "index 4 (number 3) is");
    OK(lun_vector(e, (const double[]){0, 2, 1}, 3, LUN_F64, &edges));
    OK(lun_histogram(e, vector, edges, NULL, &counts, NULL));
    told(lun_eval(e, &counts, 1), LUN_ERANGE, "edge 2 of", "edge 3 of");
    lun_release(counts);
    lun_release(edges);
    lun_release(i);
    i = integers(4, (const int64_t[]){0, 0, 2, 2});
    OK(lun_grouping_of(e, i, 3, 0, &g));
    told(lun_grouping_reduce(e, g, LUN_MIN, i, NULL, &out), LUN_EARG, "group 1 has no rows",
         "group 2 has no rows");
    lun_grouping_release(g);
    lun_release(i);
    out = NULL;
}

/* ---- arguments and the like ------------------------------------------------------------------ */

static void test_lists(void **state)
{

    lun_array *const args[2] = {matrix, vector};
    const lun_variant bad[2] = {{.type = LUN_TYPE_NIL}, {.type = LUN_TYPE_TEXT}};
    lun_function *f = NULL;
    int results = 0;
    (void)state;
    OK(lun_function_c(e, "double f(double a, double b) { return get(a, 0, 0) + b; }", &f));
    told(lun_stencil(e, f, args, 2, 2, NULL, &out, 1, &results), LUN_ESHAPE,
         "array 0 is f64[2, 3], array 1 is f64[4]", "array 1 is f64[2, 3], array 2 is f64[4]");
    lun_function_release(f);
    told(lun_callglobal(e, "print", bad, 2, NULL, 0, NULL), LUN_EARG, "argument 1 is a text",
         "argument 1 is a text");
    told(lun_distribute(
             e, vector,
             &(lun_distribution){.size = sizeof(lun_distribution), .kind = "single", .device = 7}),
         LUN_EARG, "there is no place 7", "there is no place 8");
}

/* ---- scripts --------------------------------------------------------------------------------- */

/* A function of a script that makes a mistake of its own. */
static lun_status sum_axis(void *ctx, lun_engine *own, const lun_variant *args, int count,
                           lun_variant *results, int *given)
{
    const int axis = 2;
    (void)ctx, (void)args, (void)count, (void)given;
    return lun_along(own, LUN_SUM, matrix, &axis, 1, NULL, &results[0].as.array);
}

static void test_scripts(void **state)
{
    (void)state;
    OK(lun_setglobal(e, "m", matrix));
    OK(lun_setglobal(e, "v", vector));
    OK(lun_register(e, "sum_axis", sum_axis, NULL));
    told(lun_dostring(e, "local x = m + m:transpose()"), LUN_ESCRIPT, "axis 1: 2 and 3",
         "axis 1: 2 and 3");
    told(lun_dostring(e, "v:take(lun.vector({1, 5}, 'i64')):eval()"), LUN_EBOUNDS,
         "index 5 (number 2) is out of range for axis 1", "axis 1");
    told(lun_dostring(e, "sum_axis()"), LUN_ESCRIPT, "sum_axis: axis 2 is out", "axis 2 is out");
    /* after a script as before it */
    told(lun_slice(e, vector, 2, 3, 1, &out), LUN_ERANGE, "elements 2 to 4 are",
         "elements 3 to 5 are");
    OK(lun_dostring(e, "m, v, sum_axis = nil collectgarbage() collectgarbage()"));
}

int main(void)
{
#define CASE(name) cmocka_unit_test_setup_teardown(name, open_arrays, close_arrays)
    const struct CMUnitTest tests[] = {CASE(test_axes), CASE(test_elements), CASE(test_lists),
                                       CASE(test_scripts)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
