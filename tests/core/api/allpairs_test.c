/* allpairs_test.c - lun_allpairs from C: elements against loops, on two backends; the functions,
 * extra arguments and first values that it takes; its plan. */
#include <math.h>
#include <string.h>

#include "array_kit.h"

enum { ROWS = 67, OTHERS = 70, LINE = 300 };

static lun_array *a, *b;
static double x[ROWS][LINE], y[OTHERS][LINE];

static lun_array *matrix(const double *elements, int64_t n, int64_t k)
{
    lun_array *flat = vector(elements, n * k), *lazy, *out;
    OK(lun_reshape(e, flat, 2, (const int64_t[]){n, k}, &lazy));
    OK(lun_copy(e, lazy, &out));
    lun_release(flat);
    lun_release(lazy);
    return out;
}

static int open_on(const char *backend)
{
    if (kit_engine_open(backend))
        return 1;
    for (int l = 0; l < LINE; l++) {
        for (int i = 0; i < ROWS; i++)
            x[i][l] = (double)((i * 37 + l * 101) % 211 - 100) / 3;
        for (int j = 0; j < OTHERS; j++)
            y[j][l] = (double)((j * 53 + l * 29) % 197 - 90) / 7;
    }
    a = matrix(&x[0][0], ROWS, LINE);
    b = matrix(&y[0][0], OTHERS, LINE);
    return 0;
}

static int open_reference(void **state)
{
    (void)state;
    return open_on("reference");
}

static int open_openmp(void **state)
{
    (void)state;
    return open_on("openmp");
}

static int close_engine(void **state)
{
    (void)state;
    lun_release(a);
    lun_release(b);
    return kit_engine_close();
}

/* The distance of rows i and j in the stated order, from `first` on. */
static double distance(int i, int j, double first)
{
    double total = first;
    for (int from = 0; from < LINE; from += 256) {
        double block = 0;
        for (int l = from; l < from + 256 && l < LINE; l++)
            block += fabs(x[i][l] - y[j][l]);
        total += block;
    }
    return total;
}

static void check_distances(lun_array *got, double first)
{
    static double elements[ROWS * OTHERS];
    int64_t shape[LUN_MAX_RANK];
    assert_int_equal(lun_shape(got, shape), 2);
    assert_int_equal(shape[0], ROWS);
    assert_int_equal(shape[1], OTHERS);
    OK(lun_read(e, got, elements, 0, ROWS * OTHERS));
    for (int i = 0; i < ROWS; i++)
        for (int j = 0; j < OTHERS; j++)
            assert_true(elements[i * OTHERS + j] == distance(i, j, first));
    lun_release(got);
}

static void test_elements(void **state)
{
    (void)state;
    lun_function *zip, *add;
    lun_array *got, *left, *first;
    OK(lun_function_c(e, "double f(double p, double q) { return p > q ? p - q : q - p; }", &zip));
    OK(lun_function_op(e, LUN_OP_ADD, &add));
    OK(lun_allpairs(e, zip, NULL, 0, add, NULL, a, b, &got));
    lun_function_release(zip); /* the array keeps it */
    check_distances(got, 0);
    OK(lun_function_c(e, "double f(double p, double q) { return p > q ? p - q : q - p; }", &zip));
    OK(lun_arrange(e, b, LUN_LAYOUT_LEFT, NULL, &left));
    OK(lun_number(e, 1000, &first));
    OK(lun_allpairs(e, zip, NULL, 0, add, first, a, left, &got));
    check_distances(got, 1000);
    lun_release(left);
    lun_release(first);
    lun_function_release(zip);
    lun_function_release(add);
}

static void test_extras(void **state)
{
    (void)state;
    lun_function *zip, *most;
    lun_array *got, *scale;
    OK(lun_function_c(e, "double f(double p, double q, double s) { return s * p - q; }", &zip));
    OK(lun_function_op(e, LUN_OP_MAX, &most));
    OK(lun_number(e, 2, &scale));
    OK(lun_allpairs(e, zip, &scale, 1, most, NULL, a, b, &got));
    for (int i = 0; i < ROWS; i += 13)
        for (int j = 0; j < OTHERS; j += 9) {
            double wanted = -INFINITY;
            for (int l = 0; l < LINE; l++)
                wanted = fmax(wanted, 2 * x[i][l] - y[j][l]);
            assert_true(at(got, i * OTHERS + j) == wanted);
        }
    lun_release(got);
    lun_release(scale);
    lun_function_release(zip);
    lun_function_release(most);
}

static void test_plan(void **state)
{
    (void)state;
    lun_function *sub, *add, *mul;
    lun_array *got[3], *columns;
    lun_plan *p;
    OK(lun_function_op(e, LUN_OP_SUB, &sub));
    OK(lun_function_op(e, LUN_OP_ADD, &add));
    OK(lun_function_op(e, LUN_OP_MUL, &mul));
    OK(lun_allpairs(e, sub, NULL, 0, add, NULL, a, b, &got[0]));
    OK(lun_explain(e, got, 1, &p));
    assert_int_equal(lun_plan_count(p), 1);
    assert_string_equal(lun_plan_at(p, 0)->name, "allpairs");
    assert_int_equal(lun_plan_at(p, 0)->n, ROWS * OTHERS);
    lun_plan_release(p);
    OK(lun_allpairs(e, mul, NULL, 0, add, NULL, a, b, &got[1]));
    OK(lun_permute(e, b, NULL, &columns));
    OK(lun_matmul(e, a, columns, &got[2]));
    OK(lun_eval(e, got, 3));
    for (int i = 0; i < ROWS * OTHERS; i++)
        assert_true(at(got[1], i) == at(got[2], i));
    release_all(got, 3);
    lun_release(columns);
    lun_function_release(sub);
    lun_function_release(add);
    lun_function_release(mul);
}

static void test_empty(void **state)
{
    (void)state;
    lun_function *sub, *c;
    lun_array *got = NULL, *none, *first;
    OK(lun_function_op(e, LUN_OP_SUB, &sub));
    OK(lun_function_c(e, "double f(double p, double q) { return p + q; }", &c));
    OK(lun_full(e, 2, (const int64_t[]){3, 0}, LUN_F64, (lun_value){LUN_F64, {.d = 0}}, &none));
    OK(lun_number(e, 7, &first));
    assert_int_equal(lun_allpairs(e, sub, NULL, 0, c, NULL, none, none, &got), LUN_EARG);
    assert_non_null(strstr(lun_error(e), "needs an initial value"));
    OK(lun_allpairs(e, sub, NULL, 0, c, first, none, none, &got));
    assert_int_equal(lun_size(got), 9);
    assert_true(at(got, 8) == 7);
    lun_release(got);
    assert_int_equal(lun_allpairs(e, sub, NULL, 0, c, first, none, a, &got), LUN_ESHAPE);
    assert_non_null(strstr(lun_error(e), "f64[3, 0] and f64[67, 300]"));
    lun_release(none);
    lun_release(first);
    lun_function_release(sub);
    lun_function_release(c);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_elements),
        cmocka_unit_test(test_extras),
        cmocka_unit_test(test_plan),
        cmocka_unit_test(test_empty),
    };
    int failed = cmocka_run_group_tests_name("reference", tests, open_reference, close_engine);
    return failed + cmocka_run_group_tests_name("openmp", tests, open_openmp, close_engine);
}
