/* enums_test.c - the numbers behind the public enumerations, which programs that were
 * linked before rely on.  A row that is added at the end of its table needs no line here;
 * the next release pins it. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "lunarray.h"

typedef struct pinned {
    const char *name;
    int now, was;
} pinned;

#define PIN(name, was)   \
    {                    \
#name, name, was \
    }

static void check(const char *table, const pinned *list, size_t count)
{
    for (size_t i = 0; i < count; i++)
        if (list[i].now != list[i].was)
            fail_msg("%s is %d now, and was %d: append new rows at the end of prims/table/%s, or "
                     "programs linked with liblunarray.so.0 mean another one",
                     list[i].name, list[i].now, list[i].was, table);
}

static void test_status(void **state)
{
    static const pinned list[] = {
        PIN(LUN_OK, 0),     PIN(LUN_EARG, 1),     PIN(LUN_EDTYPE, 2),   PIN(LUN_ESHAPE, 3),
        PIN(LUN_ERANGE, 4), PIN(LUN_ENOMEM, 5),   PIN(LUN_EFREED, 6),   PIN(LUN_EZERO, 7),
        PIN(LUN_EBUILD, 8), PIN(LUN_EBACKEND, 9), PIN(LUN_ECANCEL, 10), PIN(LUN_ELIMIT, 11),
        PIN(LUN_EIO, 12),   PIN(LUN_ESCRIPT, 13), PIN(LUN_EBOUNDS, 14),
    };
    (void)state;
    check("status.def", list, sizeof list / sizeof *list);
}

static void test_dtype(void **state)
{
    static const pinned list[] = {
        PIN(LUN_BOOL, 0), PIN(LUN_I8, 1),   PIN(LUN_U8, 2),    PIN(LUN_I16, 3), PIN(LUN_U16, 4),
        PIN(LUN_I32, 5),  PIN(LUN_U32, 6),  PIN(LUN_I64, 7),   PIN(LUN_U64, 8), PIN(LUN_F32, 9),
        PIN(LUN_F64, 10), PIN(LUN_F16, 11), PIN(LUN_BF16, 12),
    };
    (void)state;
    check("dtypes.def", list, sizeof list / sizeof *list);
}

static void test_op(void **state)
{
    static const pinned list[] = {
        PIN(LUN_OP_ADD, 0),    PIN(LUN_OP_SUB, 1),       PIN(LUN_OP_MUL, 2),
        PIN(LUN_OP_DIV, 3),    PIN(LUN_OP_IDIV, 4),      PIN(LUN_OP_MOD, 5),
        PIN(LUN_OP_POW, 6),    PIN(LUN_OP_NEG, 7),       PIN(LUN_OP_BAND, 8),
        PIN(LUN_OP_BOR, 9),    PIN(LUN_OP_BXOR, 10),     PIN(LUN_OP_SHL, 11),
        PIN(LUN_OP_SHR, 12),   PIN(LUN_OP_BNOT, 13),     PIN(LUN_OP_LT, 14),
        PIN(LUN_OP_LE, 15),    PIN(LUN_OP_GT, 16),       PIN(LUN_OP_GE, 17),
        PIN(LUN_OP_EQ, 18),    PIN(LUN_OP_NE, 19),       PIN(LUN_OP_LAND, 20),
        PIN(LUN_OP_LOR, 21),   PIN(LUN_OP_LNOT, 22),     PIN(LUN_OP_WHERE, 23),
        PIN(LUN_OP_ABS, 24),   PIN(LUN_OP_SIGN, 25),     PIN(LUN_OP_FLOOR, 26),
        PIN(LUN_OP_CEIL, 27),  PIN(LUN_OP_ROUND, 28),    PIN(LUN_OP_TRUNC, 29),
        PIN(LUN_OP_SQRT, 30),  PIN(LUN_OP_CBRT, 31),     PIN(LUN_OP_EXP, 32),
        PIN(LUN_OP_EXP2, 33),  PIN(LUN_OP_EXPM1, 34),    PIN(LUN_OP_LOG, 35),
        PIN(LUN_OP_LOG2, 36),  PIN(LUN_OP_LOG10, 37),    PIN(LUN_OP_LOG1P, 38),
        PIN(LUN_OP_SIN, 39),   PIN(LUN_OP_COS, 40),      PIN(LUN_OP_TAN, 41),
        PIN(LUN_OP_ASIN, 42),  PIN(LUN_OP_ACOS, 43),     PIN(LUN_OP_ATAN, 44),
        PIN(LUN_OP_ATAN2, 45), PIN(LUN_OP_SINH, 46),     PIN(LUN_OP_COSH, 47),
        PIN(LUN_OP_TANH, 48),  PIN(LUN_OP_ASINH, 49),    PIN(LUN_OP_ACOSH, 50),
        PIN(LUN_OP_ATANH, 51), PIN(LUN_OP_ERF, 52),      PIN(LUN_OP_ERFC, 53),
        PIN(LUN_OP_HYPOT, 54), PIN(LUN_OP_FMA, 55),      PIN(LUN_OP_COPYSIGN, 56),
        PIN(LUN_OP_MIN, 57),   PIN(LUN_OP_MAX, 58),      PIN(LUN_OP_FMIN, 59),
        PIN(LUN_OP_FMAX, 60),  PIN(LUN_OP_CLAMP, 61),    PIN(LUN_OP_ISNAN, 62),
        PIN(LUN_OP_ISINF, 63), PIN(LUN_OP_ISFINITE, 64), PIN(LUN_OP_FILLNAN, 65),
        PIN(LUN_OP_COSPI, 66),
    };
    (void)state;
    check("ops.def", list, sizeof list / sizeof *list);
}

static void test_reduction(void **state)
{
    static const pinned list[] = {
        PIN(LUN_SUM, 0),   PIN(LUN_PROD, 1),  PIN(LUN_MIN, 2),     PIN(LUN_MAX, 3),
        PIN(LUN_MEAN, 4),  PIN(LUN_VAR, 5),   PIN(LUN_STD, 6),     PIN(LUN_ANY, 7),
        PIN(LUN_ALL, 8),   PIN(LUN_COUNT, 9), PIN(LUN_ARGMIN, 10), PIN(LUN_ARGMAX, 11),
        PIN(LUN_NORM, 12),
    };
    (void)state;
    check("skeletons.def", list, sizeof list / sizeof *list);
}

static void test_others(void **state)
{
    static const pinned list[] = {
        PIN(LUN_TYPE_NIL, 0),     PIN(LUN_TYPE_BOOLEAN, 1), PIN(LUN_TYPE_INTEGER, 2),
        PIN(LUN_TYPE_NUMBER, 3),  PIN(LUN_TYPE_TEXT, 4),    PIN(LUN_TYPE_ARRAY, 5),
        PIN(LUN_VECTOR, 0),       PIN(LUN_VIEW, 1),         PIN(LUN_SCALAR, 2),
        PIN(LUN_COMPOSITION, 3),  PIN(LUN_JIT_DEFAULT, 0),  PIN(LUN_JIT_AUTO, 1),
        PIN(LUN_JIT_SYNC, 2),     PIN(LUN_JIT_OFF, 3),      PIN(LUN_MATH_FAST, 0),
        PIN(LUN_MATH_PRECISE, 1), PIN(LUN_UNIFORM, 0),      PIN(LUN_NORMAL, 1),
        PIN(LUN_KIND_BOOL, 0),    PIN(LUN_KIND_SIGNED, 1),  PIN(LUN_KIND_UNSIGNED, 2),
        PIN(LUN_KIND_FLOAT, 3),
    };
    (void)state;
    check("*.def", list, sizeof list / sizeof *list);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_status),    cmocka_unit_test(test_dtype),  cmocka_unit_test(test_op),
        cmocka_unit_test(test_reduction), cmocka_unit_test(test_others),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
