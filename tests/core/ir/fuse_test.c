/* fuse_test.c - how graphs are cut: limits of a kernel, functions with several results at a cut,
 * work that several kernels share, wide graphs in linear time. */
#include <stdlib.h>
#include <string.h>

#include "graph_steps.h"

#include "array_kit.h" /* last: parameters above have the name of its engine */

static functions f;

static int open_engine(void **state)
{
    (void)state;
    functions_open(&f);
    return kit_engine_open("reference");
}

static int close_engine(void **state)
{
    (void)state;
    int left = kit_engine_close();
    functions_close(&f);
    return left;
}

static lun_array *rising(int64_t n, double first)
{
    double *x = malloc((size_t)n * sizeof *x + 1);
    lun_array *a;
    assert_non_null(x);
    for (int64_t i = 0; i < n; i++)
        x[i] = first + (double)i;
    OK(lun_vector(e, x, n, LUN_F64, &a));
    free(x);
    return a;
}

/* a + 1 + 1 + ... */
static lun_array *chain(lun_array *a, int length)
{
    lun_array *x = a;
    lun_retain(x);
    for (int i = 0; i < length; i++) {
        lun_array *y = with_number(LUN_OP_ADD, x, 1);
        lun_release(x);
        x = y;
    }
    return x;
}

static int plan(lun_array *const *roots, int count, int64_t *ops)
{
    lun_plan *p;
    OK(lun_explain(e, roots, count, &p));
    int n = lun_plan_count(p);
    *ops = 0;
    for (int i = 0; i < n; i++)
        *ops += lun_plan_at(p, i)->ops;
    lun_plan_release(p);
    return n;
}

/* ---- functions at a cut ---------------------------------------------------------------------- */

/* x*y + x and x - y of x = a + 1 + ... (length times), y = a. */
static void two_results(int length)
{
    lun_function *two;
    lun_front front = {.ctx = &f.of[TWO_RESULTS], .specialise = specialise};
    lun_array *a = rising(5, 2), *x = chain(a, length), *out[2], *in[2] = {x, a};
    int results;
    OK(lun__make_function_front(e, &front, &two));
    OK(lun_call(e, two, in, 2, 2, out, 2, &results));
    assert_int_equal(results, 2);
    OK(lun_eval(e, out, 2));
    double xs = 3 + length;
    assert_true(at(out[0], 1) == xs * 3 + xs);
    assert_true(at(out[1], 1) == xs - 3);
    lun_array *all[] = {a, x, out[0], out[1]};
    release_all(all, 4);
    lun_function_release(two);
}

static void test_results_of_a_function_at_the_limit(void **state)
{
    (void)state;
    for (int length = 495; length < 505; length++)
        two_results(length);
}

/* A function of more arrays than one kernel is to read: all of it still is one call. */
static lun_status many(void *ctx, const lun_front_param *params, int count, lun_front_result *out,
                       lun_strbuf *error)
{
    (void)params;
    (void)error;
    (void)count;
    out->function = ctx;
    return LUN_OK;
}

static void test_function_of_64_arrays(void **state)
{
    (void)state;
    lun_ir body;
    lun_function *fn;
    lun_array *a[66], *out[2];
    int results, sum = -1;
    lun__ir_init(&body);
    lun_ir_function made = {.body = &body, .outputs = 2};
    for (int i = 0; i < 64; i++) {
        lun__ir_arg_add(&body, LUN_F64);
        int x = ins(&body, LUN_IR_ARG, LUN_F64, i);
        sum = i ? op2(&body, LUN_OP_ADD, LUN_F64, LUN_F64, sum, x) : x;
        made.output[1] = x;
        a[i] = rising(3, i);
    }
    made.output[0] = sum;
    lun_front front = {.ctx = &made, .specialise = many};
    OK(lun__make_function_front(e, &front, &fn));
    OK(lun_call(e, fn, a, 64, 64, out, 2, &results));
    OK(lun_eval(e, out, 2));
    assert_true(at(out[0], 2) == 63 * 64 / 2 + 2 * 64);
    assert_true(at(out[1], 2) == 65);
    a[64] = out[0];
    a[65] = out[1];
    release_all(a, 66);
    lun_function_release(fn);
    lun__ir_free(&body);
}

/* A virtual array that a function indexes has no elements of its own. */
static void test_function_indexes_a_virtual_array(void **state)
{
    (void)state;
    const int64_t n = 10;
    lun_function *fn;
    lun_front front = {.ctx = &f.of[WITH_ARRAY], .params = 2, .specialise = specialise};
    lun_value seven = {.dtype = LUN_F64, .as.d = 7}, zero = {.dtype = LUN_I64},
              one = {.dtype = LUN_I64, .as.i = 1};
    lun_array *full, *range, *out[2];
    int results;
    OK(lun__make_function_front(e, &front, &fn));
    OK(lun_full(e, 1, &n, LUN_F64, seven, &full));
    OK(lun_range(e, zero, one, n, LUN_I64, &range));
    lun_array *in[2] = {range, full}, *both[2] = {range, range};
    OK(lun_call(e, fn, in, 2, 1, &out[0], 1, &results));
    OK(lun_call(e, fn, both, 2, 1, &out[1], 1, &results));
    assert_true(at(out[0], 9) == 7);
    lun_value v;
    OK(lun_get(e, out[1], 9, &v));
    assert_int_equal(v.as.i, 9);
    lun_array *all[] = {full, range, out[0], out[1]};
    release_all(all, 4);
    lun_function_release(fn);
}

/* ---- shared work ----------------------------------------------------------------------------- */

static void test_roots_share_a_large_part(void **state)
{
    (void)state;
    int64_t ops;
    lun_array *a = rising(5, 2), *x = chain(a, 300), *roots[20];
    for (int i = 0; i < 20; i++)
        roots[i] = with_number(LUN_OP_MUL, x, i);
    assert_int_equal(plan(roots, 20, &ops), 1);
    assert_int_equal(ops, 320);
    OK(lun_eval(e, roots, 20));
    assert_true(at(roots[19], 1) == 303 * 19);
    release_all(roots, 20);
    lun_release(x);
    lun_release(a);
}

/* A costly value is computed once, though two kernels need it: a soft maximum. */
static void test_kernels_share_a_dear_part(void **state)
{
    (void)state;
    int64_t ops;
    lun_array *a = rising(5, 0), *x, *sum, *soft;
    OK(lun_exp(e, a, &x));
    OK(lun_total_lazy(e, LUN_SUM, x, 0, &sum));
    OK(lun_div(e, x, sum, &soft));
    assert_int_equal(plan(&soft, 1, &ops), 2);
    assert_int_equal(ops, 3);
    double total = 0;
    for (int i = 0; i < 5; i++)
        total += at(soft, i);
    assert_true(total > 0.999999 && total < 1.000001);
    lun_array *all[] = {a, x, sum, soft};
    release_all(all, 4);
}

/* ---- graphs that are nearly the same --------------------------------------------------------- */

/* (a + b) * (a - b), and its parts. */
static void parts(lun_array *a, lun_array *b, lun_array *out[3])
{
    OK(lun_add(e, a, b, &out[0]));
    OK(lun_sub(e, a, b, &out[1]));
    OK(lun_mul(e, out[0], out[1], &out[2]));
}

static void test_other_roots_of_one_graph(void **state)
{
    (void)state;
    static const int roots[][3] = {{2, 2, 2}, {2, 0, 0}, {2, 1, 1},
                                   {0, 2, 1}, {1, 2, 0}, {0, 1, 2}};
    for (int round = 0; round < 2; round++)
        for (int k = 0; k < 6; k++)
            for (int count = 1; count <= 3; count++) {
                lun_array *a = rising(5, 10 * k), *b = rising(5, count), *x[3], *r[3];
                parts(a, b, x);
                for (int i = 0; i < count; i++)
                    r[i] = x[roots[k][i]];
                OK(lun_eval(e, r, count));
                for (int i = 0; i < 3; i++) {
                    bool wanted = false;
                    for (int j = 0; j < count; j++)
                        wanted |= roots[k][j] == i;
                    assert_int_equal(lun_class_of(x[i]), wanted ? LUN_VECTOR : LUN_COMPOSITION);
                }
                double p = 10 * k + 4, q = count + 4;
                assert_true(at(x[0], 4) == p + q && at(x[1], 4) == p - q);
                assert_true(at(x[2], 4) == (p + q) * (p - q));
                lun_array *all[] = {a, b, x[0], x[1], x[2]};
                release_all(all, 5);
            }
}

/* An operand of n elements: 0: in memory, 1: computed, 2: virtual. */
static lun_array *operand(int kind, int rank, int64_t n, double x)
{
    lun_array *a, *b;
    double *xs = malloc((size_t)n * sizeof *xs);
    assert_non_null(xs);
    for (int64_t i = 0; i < n; i++)
        xs[i] = x;
    OK(lun_tensor(e, xs, rank, &n, LUN_F64, &a));
    free(xs);
    if (kind == 0)
        return a;
    if (kind == 1)
        OK(lun_neg(e, a, &b));
    else
        OK(lun_full(e, rank, &n, LUN_F64, (lun_value){.dtype = LUN_F64, .as.d = -x}, &b));
    lun_release(a);
    return b;
}

/* x + y for operands of every kind, length and rank: what was done for one is never
 * taken for another. */
static void test_operands_of_all_kinds(void **state)
{
    (void)state;
    static const struct {
        int rank;
        int64_t n;
    } shapes[] = {{0, 1}, {1, 1}, {1, 5}};
    for (int round = 0; round < 2; round++)
        for (int k = 0; k < 81; k++) {
            int i = k % 9, j = k / 9;
            double p = 3 + k, q = 100 - k, z;
            lun_array *x = operand(i / 3, shapes[i % 3].rank, shapes[i % 3].n, p);
            lun_array *y = operand(j / 3, shapes[j % 3].rank, shapes[j % 3].n, q), *sum, *total;
            int64_t n = lun_size(x) > lun_size(y) ? lun_size(x) : lun_size(y);
            OK(lun_add(e, x, y, &sum));
            OK(lun_total_lazy(e, LUN_SUM, sum, 0, &total));
            lun_array *both[2] = {sum, total};
            OK(lun_eval(e, both, 2));
            z = (i / 3 ? -p : p) + (j / 3 ? -q : q);
            assert_int_equal(lun_size(sum), n);
            assert_true(at(sum, n - 1) == z && at(total, 0) == z * (double)n);
            lun_array *all[] = {x, y, sum, total};
            release_all(all, 4);
        }
}

static void test_scans_that_differ_little(void **state)
{
    (void)state;
    lun_function *add;
    OK(lun_function_op(e, LUN_OP_ADD, &add));
    for (int round = 0; round < 2; round++)
        for (int k = 0; k < 12; k++) {
            bool inclusive = k % 2;
            int kind = k / 2 % 3, rank = k / 6;
            lun_array *id = operand(kind, rank, 1, 5), *a = rising(4, 1), *out;
            OK(lun_scan(e, add, id, a, inclusive, &out));
            double first = kind ? -5 : 5;
            assert_true(at(out, 0) == first + (inclusive ? 1 : 0));
            assert_true(at(out, 3) == first + (inclusive ? 10 : 6));
            lun_array *all[] = {id, a, out};
            release_all(all, 3);
        }
    lun_function_release(add);
}

int main(void)
{
#define TEST(name) cmocka_unit_test_setup_teardown(name, open_engine, close_engine)
    const struct CMUnitTest tests[] = {
        TEST(test_results_of_a_function_at_the_limit),
        TEST(test_function_of_64_arrays),
        TEST(test_function_indexes_a_virtual_array),
        TEST(test_roots_share_a_large_part),
        TEST(test_kernels_share_a_dear_part),
        TEST(test_other_roots_of_one_graph),
        TEST(test_operands_of_all_kinds),
        TEST(test_scans_that_differ_little),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
