/* growth_test.c - the work of planning an evaluation and of translating a Lua function grows as
 * what is given: the basic blocks that those rooms run (COUNTED in tests.mk) are counted, for one
 * size and for four times that. */
#include <stdio.h>
#include <stdlib.h>

#include "engine_kit.h"

#include "array_kit.h"

/* ---- counting -------------------------------------------------------------------------------- */

static _Thread_local int64_t blocks;

/* The compiler's name: called in each basic block. */
void __sanitizer_cov_trace_pc(void);
void __sanitizer_cov_trace_pc(void)
{
    blocks++;
}

static int64_t work(void (*f)(int n), int n)
{
    const int64_t before = blocks;
    f(n);
    return blocks - before;
}

/* Four times the size is four times the work and a bit, 16 times where it grows as the square. */
static void grows(void (*f)(int n), int n, const char *what)
{
    f(n); /* what is made once is there */
    const int64_t once = work(f, n), more = work(f, 4 * n);
    print_message("%s: %.0f blocks each, %.2f times\n", what, (double)once / n,
                  (double)more / (double)once);
    assert_true(once > n);
    assert_true(more < 5 * once);
}

/* ---- expressions ----------------------------------------------------------------------------- */

static lun_array *rising(int64_t n, double first)
{
    double *x = malloc((size_t)n * sizeof *x);
    lun_array *a;
    assert_non_null(x);
    for (int64_t i = 0; i < n; i++)
        x[i] = first + (double)i;
    OK(lun_vector(e, x, n, LUN_F64, &a));
    free(x);
    return a;
}

static lun_array **list_of(int n)
{
    lun_array **list = malloc((size_t)n * sizeof *list);
    assert_non_null(list);
    return list;
}

static void concatenations(int n)
{
    lun_array **roots = list_of(n), *a = rising(2, 0);
    for (int i = 0; i < n; i++) {
        lun_array *x = with_number(LUN_OP_ADD, a, i);
        OK(lun_concat(e, x, a, &roots[i]));
        lun_release(x);
    }
    OK(lun_eval(e, roots, n));
    assert_true(at(roots[n - 1], 1) == n);
    release_all(roots, n);
    free(roots);
    lun_release(a);
}

/* Each of them in a kernel of its own. */
static void lengths(int n)
{
    lun_array **roots = list_of(n), **a = list_of(n);
    for (int i = 0; i < n; i++) {
        a[i] = rising(i % 50 + 1, i);
        roots[i] = with_number(LUN_OP_ADD, a[i], i);
    }
    OK(lun_eval(e, roots, n));
    assert_true(at(roots[n - 1], 0) == 2 * (n - 1));
    release_all(roots, n);
    release_all(a, n);
    free(roots);
    free(a);
}

/* Arrays summed pairwise. */
static void leaves(int n)
{
    lun_array **x = list_of(n);
    for (int i = 0; i < n; i++)
        x[i] = rising(1, i);
    for (int left = n; left > 1; left = (left + 1) / 2)
        for (int i = 0; i < left / 2; i++) {
            lun_array *sum;
            OK(lun_add(e, x[i], x[left - 1 - i], &sum));
            lun_release(x[i]);
            lun_release(x[left - 1 - i]);
            x[i] = sum;
        }
    assert_true(at(x[0], 0) == (double)n * (n - 1) / 2);
    lun_release(x[0]);
    free(x);
}

/* Each step uses the one before twice: the number of paths says nothing about the work. */
static void shared_steps(int n)
{
    lun_array *x = rising(3, 1);
    for (int i = 0; i < n; i++) {
        lun_array *half = with_number(LUN_OP_MUL, x, 0.5), *sum;
        OK(lun_add(e, half, half, &sum));
        lun_release(half);
        lun_release(x);
        x = sum;
    }
    assert_true(at(x, 2) == 3);
    lun_release(x);
}

static void test_expressions(void **state)
{
    (void)state;
    grows(concatenations, 3000, "concatenations");
    grows(lengths, 3000, "lengths");
    grows(leaves, 3000, "leaves");
    grows(shared_steps, 3000, "shared steps");
}

/* ---- functions ------------------------------------------------------------------------------- */

static const char *statement; /* of step k, as Lua computes it */
static int function_number;   /* none is like another */

static void translated(int n)
{
    char text[1024];
    snprintf(text, sizeof text,
             "local lines = { 'return function(x) local i = x + %d' }\n"
             "for k = 1, %d do lines[#lines + 1] = %s end\n"
             "lines[#lines + 1] = 'return i end'\n"
             "lun.vector { 1.0 }:map(load(table.concat(lines, '\\n'))())",
             function_number++, n, statement);
    OK(lun_dostring(e, text));
}

static void test_functions(void **state)
{
    (void)state;
    static const struct {
        const char *name, *statement;
    } rows[] = {
        {"while", "('while i < %d do i = i + 1 end'):format(k)"},
        {"for", "('for k = 1, %d do i = i + k end'):format(k % 7)"},
        {"if", "('if x == %d then return %d end'):format(k, k * k)"},
        {"local", "('do local a%d = i * 2 i = a%d + 1 end'):format(k, k)"},
    };
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
        statement = rows[i].statement;
        grows(translated, 400, rows[i].name);
    }
    OK(lun_dostring(e, "collectgarbage() collectgarbage()"));
}

/* What plans chains of skeletons that are called. */
static void chained(int n)
{
    char text[256];
    snprintf(text, sizeof text,
             "local s, minus = lun.map '-', lun.map '-'\n"
             "for _ = 2, %d do s = s >> minus end\n"
             "assert(s(lun.vector { 1.5 })[1] == 1.5)",
             n);
    OK(lun_dostring(e, text));
}

static void test_skeletons(void **state)
{
    (void)state;
    grows(chained, 1000, "skeletons");
    OK(lun_dostring(e, "collectgarbage() collectgarbage()"));
}

int main(void)
{
#define TEST(name) cmocka_unit_test_setup_teardown(name, kit_reference_open, kit_close)
    const struct CMUnitTest tests[] = {
        TEST(test_expressions),
        TEST(test_functions),
        TEST(test_skeletons),
    };
#undef TEST
    return cmocka_run_group_tests(tests, NULL, NULL);
}
