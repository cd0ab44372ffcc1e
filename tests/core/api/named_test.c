/* named_test.c - the C functions that have the name of an operation do what lun_apply does
 * with it, in f64, i32 and bool, and refuse what it refuses; lun_map, lun_zip and lun_is_weak,
 * which no script needs. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

#include <cmocka.h>

#include "lunarray_bind.h"

enum { N = 5 };

#define OK(call) assert_int_equal((call), LUN_OK)

typedef lun_status (*one)(lun_engine *, lun_array *, lun_array **);
typedef lun_status (*two)(lun_engine *, lun_array *, lun_array *, lun_array **);
typedef lun_status (*three)(lun_engine *, lun_array *, lun_array *, lun_array *, lun_array **);

typedef struct named {
    const char *name;
    int arity;
    one f1;
    two f2;
    three f3;
} named;

#define NAMED_1(name)                    \
    {                                    \
#name, 1, lun_##name, NULL, NULL \
    }
#define NAMED_2(name)                    \
    {                                    \
#name, 2, NULL, lun_##name, NULL \
    }
#define NAMED_3(name)                    \
    {                                    \
#name, 3, NULL, NULL, lun_##name \
    }
static const named functions[] = {
#define LUN_OP(ID, name, meta, arity, rule, FLT, INT, flags, identity, missing, doc) \
    NAMED_##arity(name),
#include "table/ops.def"
#undef LUN_OP
};

static lun_status call(lun_engine *e, const named *f, lun_array *const *x, lun_array **out)
{
    return f->arity == 1   ? f->f1(e, x[0], out)
           : f->arity == 2 ? f->f2(e, x[0], x[1], out)
                           : f->f3(e, x[0], x[1], x[2], out);
}

/* Both give the same elements of the same dtype, or fail alike. */
static void compare(lun_engine *e, lun_op op, lun_array *const *x)
{
    const named *f = &functions[op];
    lun_array *a = NULL, *b = NULL;
    lun_op_info row = {.size = sizeof row};
    assert_true(lun_op_describe(op, &row));
    assert_string_equal(row.name, f->name);
    assert_int_equal(row.arity, f->arity);
    lun_status s = call(e, f, x, &a), t = lun_apply(e, op, x, f->arity, &b);
    assert_int_equal(s, t);
    if (s == LUN_OK) {
        double p[N] = {0}, q[N] = {0};
        assert_int_equal(lun_dtype_of(a), lun_dtype_of(b));
        s = lun_read(e, a, p, 0, N);
        assert_int_equal(lun_read(e, b, q, 0, N), s);
        assert_memory_equal(p, q, sizeof p);
    } else {
        assert_string_not_equal(lun_error(e), "");
        assert_null(a);
    }
    lun_release(a);
    lun_release(b);
}

static void test_every_operation(void **state)
{
    static const double reals[3][N] = {
        {0.5, -0.25, 1, 0, 0.75}, {2, 0.5, -1, 3, 0.25}, {1, 2, 3, 4, 5}};
    (void)state;
    lun_engine *e;
    lun_array *f64[3], *i32[3], *truth[3];
    lun_config c = {.size = sizeof c, .backend = "reference", .cache_dir = ""};
    OK(lun_open(&c, &e));
    for (int k = 0; k < 3; k++) {
        OK(lun_vector(e, reals[k], N, LUN_F64, &f64[k]));
        OK(lun_cast(e, f64[k], LUN_I32, &i32[k]));
        OK(lun_cast(e, f64[k], LUN_BOOL, &truth[k]));
    }
    for (int op = 0; op < LUN_OP_COUNT; op++) {
        compare(e, (lun_op)op, f64);
        compare(e, (lun_op)op, i32);
        compare(e, (lun_op)op, truth);
        lun_array *out = NULL, *none[3] = {NULL, NULL, NULL};
        assert_int_equal(call(e, &functions[op], none, &out), LUN_EARG);
        assert_int_equal(call(NULL, &functions[op], f64, &out), LUN_EARG);
        assert_int_equal(call(e, &functions[op], f64, NULL), LUN_EARG);
        assert_null(out);
    }
    for (int k = 0; k < 3; k++) {
        lun_release(f64[k]);
        lun_release(i32[k]);
        lun_release(truth[k]);
    }
    lun_close(e);
}

static void test_map_and_zip(void **state)
{
    static const int32_t x[N] = {1, 2, 3, 4, 5}, y[N] = {10, 20, 30, 40, 50};
    static const int32_t sums[N] = {11, 22, 33, 44, 55}, negated[N] = {-1, -2, -3, -4, -5};
    int32_t got[N];
    (void)state;
    lun_engine *e;
    lun_array *a, *b, *n, *out;
    lun_function *neg, *add;
    lun_config c = {.size = sizeof c, .backend = "openmp", .cache_dir = "", .jit = LUN_JIT_OFF};
    OK(lun_open(&c, &e));
    OK(lun_vector(e, x, N, LUN_I32, &a));
    OK(lun_vector(e, y, N, LUN_I32, &b));
    OK(lun_function_op(e, LUN_OP_NEG, &neg));
    OK(lun_function_op(e, LUN_OP_ADD, &add));
    OK(lun_map(e, neg, a, NULL, 0, &out));
    OK(lun_read(e, out, got, 0, N));
    assert_memory_equal(got, negated, sizeof got);
    lun_release(out);
    OK(lun_zip(e, add, a, b, NULL, 0, &out));
    OK(lun_read(e, out, got, 0, N));
    assert_memory_equal(got, sums, sizeof got);
    lun_release(out);
    out = NULL;
    assert_int_equal(lun_zip(e, neg, a, b, NULL, 0, &out), LUN_EARG); /* takes one */
    assert_string_not_equal(lun_error(e), "");
    assert_int_equal(lun_map(e, add, a, NULL, 0, &out), LUN_EARG); /* takes two */
    assert_null(out);
    OK(lun_integer(e, 10, &n));
    assert_true(lun_is_weak(n));
    assert_false(lun_is_weak(a));
    assert_false(lun_is_weak(NULL));
    OK(lun_map(e, add, a, &n, 1, &out)); /* the second one is a number */
    OK(lun_read(e, out, got, 0, N));
    assert_int_equal(got[4], 15);
    lun_release(out);
    lun_release(n);
    lun_release(a);
    lun_release(b);
    lun_function_release(neg);
    lun_function_release(add);
    lun_close(e);
}

int main(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(test_every_operation),
                                       cmocka_unit_test(test_map_and_zip)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
