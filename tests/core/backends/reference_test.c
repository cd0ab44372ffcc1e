/* reference_test.c - the interpreter's operations, conversions and memory against oracles
 * that are written here in another way: wide integers, double for f32, Lua's own rules,
 * libm called directly. */
#include "kernels.h"

#include <math.h>

typedef __int128 wide;

enum { SPECIALS = 14, N = 2000 };

/* ---- elements as numbers --------------------------------------------------------------------- */

/* What the C type of an element is, as the compiler sees it. */
static const int sizes[LUN_DTYPE_COUNT] = {
#define LUN_DTYPE(ID, name, ctype, ...) (int)sizeof(ctype),
#include "table/dtypes.def"
#undef LUN_DTYPE
};

static bool is_float(lun_dtype t)
{
    static const bool halves[LUN_DTYPE_COUNT] = {
#define LUN_DTYPE(ID, name, ctype, ...) (ctype)0.5 > 0,
#include "table/dtypes.def"
#undef LUN_DTYPE
    };
    return halves[t];
}

static bool is_signed(lun_dtype t)
{
    static const bool negative[LUN_DTYPE_COUNT] = {
#define LUN_DTYPE(ID, name, ctype, ...) (ctype)(-1) < (ctype)1,
#include "table/dtypes.def"
#undef LUN_DTYPE
    };
    return negative[t] && !is_float(t);
}

static double get_double(lun_dtype t, const void *p)
{
    float f;
    double d;
    if (t == LUN_F32) {
        memcpy(&f, p, sizeof f);
        return (double)f;
    }
    memcpy(&d, p, sizeof d);
    return d;
}

static wide get_wide(lun_dtype t, const void *p)
{
    uint64_t u = 0;
    memcpy(&u, p, (size_t)sizes[t]);
    wide w = (wide)u;
    if (is_signed(t) && (u >> (8 * sizes[t] - 1) & 1))
        w -= (wide)1 << (8 * sizes[t]);
    return w;
}

static void put_double(lun_dtype t, void *p, double d)
{
    float f = (float)d;
    memcpy(p, t == LUN_F32 ? (void *)&f : (void *)&d, (size_t)sizes[t]);
}

static void put_wide(lun_dtype t, void *p, wide w)
{
    uint64_t u = (uint64_t)w;
    memcpy(p, &u, (size_t)sizes[t]);
}

/* Special values first, in all pairs; then random ones, half of them small. */
static void fill_data(lun_dtype t, char *data, int64_t n, int operand, uint64_t seed)
{
    static const double floats[SPECIALS] = {0.0,       -0.0, 1.0,       -1.0, INFINITY,
                                            -INFINITY, NAN,  0x1p-1060, 0.5,  -2.5,
                                            3e38,      -7.0, 9e18,      1e-42};
    int bits = 8 * sizes[t];
    wide lowest = is_signed(t) ? -((wide)1 << (bits - 1)) : 0;
    wide highest = ((wide)1 << (is_signed(t) ? bits - 1 : bits)) - 1;
    const wide whole[SPECIALS] = {0, lowest, highest, lowest + 1, highest - 1, -1,    1,
                                  2, 3,      -3,      bits,       bits - 1,    -bits, 5};
    for (int64_t i = 0; i < n; i++) {
        void *p = data + i * sizes[t];
        int64_t k = operand == 0   ? i % SPECIALS
                    : operand == 1 ? i / SPECIALS % SPECIALS
                                   : i * 7 % SPECIALS;
        uint64_t r = test_random(&seed);
        bool special = i < 2 * SPECIALS * SPECIALS;
        if (t == LUN_BOOL)
            put_wide(t, p, special ? (i >> operand) & 1 : (wide)(r & 1));
        else if (is_float(t))
            put_double(t, p,
                       special ? floats[k] : ((double)(int64_t)r) * (r & 1 ? 0x1p-60 : 0x1p-50));
        else
            put_wide(t, p, special ? whole[k] : r & 1 ? (wide)r : (wide)(r % 31) - 15);
    }
}

/* ---- the oracle ------------------------------------------------------------------------------ */

static wide floor_divide(wide a, wide b)
{
    wide q = a / b;
    return a % b != 0 && (a < 0) != (b < 0) ? q - 1 : q;
}

/* Lua's rules: logical, counts beyond the width give 0, negative ones go the other way. */
static wide shift_left(lun_dtype t, wide a, wide count)
{
    int bits = 8 * sizes[t];
    unsigned __int128 u = (unsigned __int128)a & (((unsigned __int128)1 << bits) - 1);
    int64_t c = (int64_t)(uint64_t)count;
    if (c >= bits || c <= -bits)
        return 0;
    return (wide)(c >= 0 ? u << c : u >> -c);
}

/* On integers and bools. False: no such operation. */
static bool whole_oracle(lun_op op, lun_dtype t, wide a, wide b, wide c, wide *r)
{
    int64_t count = (int64_t)(uint64_t)b;
    switch (op) {
    case LUN_OP_ADD:
        *r = a + b;
        return true;
    case LUN_OP_SUB:
        *r = a - b;
        return true;
    case LUN_OP_MUL:
        *r = (wide)((unsigned __int128)a * (unsigned __int128)b);
        return true;
    case LUN_OP_IDIV:
        *r = b ? floor_divide(a, b) : 0;
        return true;
    case LUN_OP_MOD:
        *r = b ? a - b * floor_divide(a, b) : 0;
        return true;
    case LUN_OP_NEG:
        *r = -a;
        return true;
    case LUN_OP_BAND:
        *r = a & b;
        return true;
    case LUN_OP_BOR:
        *r = a | b;
        return true;
    case LUN_OP_BXOR:
        *r = a ^ b;
        return true;
    case LUN_OP_BNOT:
        *r = -a - 1;
        return true;
    case LUN_OP_SHL:
        *r = shift_left(t, a, count);
        return true;
    case LUN_OP_SHR:
        *r = count == INT64_MIN ? 0 : shift_left(t, a, -(wide)count);
        return true;
    case LUN_OP_LT:
        *r = b > a;
        return true;
    case LUN_OP_LE:
        *r = !(a > b);
        return true;
    case LUN_OP_GT:
        *r = b < a;
        return true;
    case LUN_OP_GE:
        *r = !(b > a);
        return true;
    case LUN_OP_EQ:
        *r = !(a - b);
        return true;
    case LUN_OP_NE:
        *r = (a - b) != 0;
        return true;
    case LUN_OP_LAND:
        *r = a ? b != 0 : 0;
        return true;
    case LUN_OP_LOR:
        *r = a ? 1 : b != 0;
        return true;
    case LUN_OP_LNOT:
        *r = a == 0;
        return true;
    case LUN_OP_WHERE:
        *r = a ? b : c;
        return true;
    case LUN_OP_ABS:
        *r = a > 0 ? a : -a;
        return true;
    case LUN_OP_SIGN:
        *r = a > 0 ? 1 : a ? -1 : 0;
        return true;
    case LUN_OP_FLOOR:
    case LUN_OP_CEIL:
    case LUN_OP_ROUND:
    case LUN_OP_TRUNC:
        *r = a;
        return true;
    case LUN_OP_MIN:
    case LUN_OP_FMIN:
        *r = a > b ? b : a;
        return true;
    case LUN_OP_MAX:
    case LUN_OP_FMAX:
        *r = b > a ? b : a;
        return true;
    case LUN_OP_CLAMP:
        *r = b > a ? b : c < a ? c : a;
        return true;
    case LUN_OP_ISNAN:
    case LUN_OP_ISINF:
        *r = 0;
        return true;
    case LUN_OP_ISFINITE:
        *r = 1;
        return true;
    default:
        return false;
    }
}

/* As Lua's virtual machine does it: the remainder takes the divisor's sign. */
static double lua_mod(double a, double b)
{
    double m = fmod(a, b);
    if (m * copysign(1.0, b) < 0)
        m += b;
    return m;
}

/* On floats, where the result is exact or correctly rounded from a double. */
static bool float_oracle(lun_op op, lun_dtype t, double a, double b, double c, double *r)
{
    double quotient = t == LUN_F32 ? (double)(float)(a / b) : a / b;
    switch (op) {
    case LUN_OP_ADD:
        *r = a + b;
        return true;
    case LUN_OP_SUB:
        *r = a - b;
        return true;
    case LUN_OP_MUL:
        *r = a * b;
        return true;
    case LUN_OP_DIV:
        *r = quotient;
        return true;
    case LUN_OP_IDIV:
        *r = floor(quotient);
        return true;
    case LUN_OP_MOD:
        *r = lua_mod(a, b);
        return true;
    case LUN_OP_NEG:
        *r = copysign(a, signbit(a) ? 1.0 : -1.0);
        return true;
    case LUN_OP_LT:
        *r = isless(a, b);
        return true;
    case LUN_OP_LE:
        *r = islessequal(a, b);
        return true;
    case LUN_OP_GT:
        *r = isgreater(a, b);
        return true;
    case LUN_OP_GE:
        *r = isgreaterequal(a, b);
        return true;
    case LUN_OP_EQ:
        *r = islessequal(a, b) && isgreaterequal(a, b);
        return true;
    case LUN_OP_NE:
        *r = !(islessequal(a, b) && isgreaterequal(a, b));
        return true;
    case LUN_OP_ABS:
        *r = copysign(a, 1.0);
        return true;
    case LUN_OP_SIGN:
        *r = isnan(a) ? a : isgreater(a, 0) ? 1 : isless(a, 0) ? -1 : 0;
        return true;
    case LUN_OP_FLOOR:
        *r = floor(a);
        return true;
    case LUN_OP_CEIL:
        *r = ceil(a);
        return true;
    case LUN_OP_ROUND:
        *r = round(a);
        return true;
    case LUN_OP_TRUNC:
        *r = trunc(a);
        return true;
    case LUN_OP_SQRT:
        *r = sqrt(a);
        return true;
    case LUN_OP_FMA:
        *r = t == LUN_F32 ? (double)fmaf((float)a, (float)b, (float)c) : fma(a, b, c);
        return true;
    case LUN_OP_COPYSIGN:
        *r = signbit(b) ? -fabs(a) : fabs(a);
        return true;
    case LUN_OP_MIN:
        *r = isnan(a) || isnan(b) ? NAN : fmin(a, b);
        return true;
    case LUN_OP_MAX:
        *r = isnan(a) || isnan(b) ? NAN : fmax(a, b);
        return true;
    case LUN_OP_FMIN:
        *r = fmin(a, b);
        return true;
    case LUN_OP_FMAX:
        *r = fmax(a, b);
        return true;
    case LUN_OP_CLAMP:
        *r = isless(a, b) ? b : isgreater(a, c) ? c : a;
        return true;
    case LUN_OP_ISNAN:
        *r = fpclassify(a) == FP_NAN;
        return true;
    case LUN_OP_ISINF:
        *r = fpclassify(a) == FP_INFINITE;
        return true;
    case LUN_OP_ISFINITE:
        *r = fpclassify(a) != FP_NAN && fpclassify(a) != FP_INFINITE;
        return true;
    default:
        return false;
    }
}

/* The true value, to well beyond a double. */
static bool math_oracle(lun_op op, long double a, long double b, long double *r)
{
    switch (op) {
    case LUN_OP_POW:
        *r = powl(a, b);
        return true;
    case LUN_OP_CBRT:
        *r = cbrtl(a);
        return true;
    case LUN_OP_EXP:
        *r = expl(a);
        return true;
    case LUN_OP_EXP2:
        *r = exp2l(a);
        return true;
    case LUN_OP_EXPM1:
        *r = expm1l(a);
        return true;
    case LUN_OP_LOG:
        *r = logl(a);
        return true;
    case LUN_OP_LOG2:
        *r = log2l(a);
        return true;
    case LUN_OP_LOG10:
        *r = log10l(a);
        return true;
    case LUN_OP_LOG1P:
        *r = log1pl(a);
        return true;
    case LUN_OP_SIN:
        *r = sinl(a);
        return true;
    case LUN_OP_COS:
        *r = cosl(a);
        return true;
    case LUN_OP_TAN:
        *r = tanl(a);
        return true;
    case LUN_OP_ASIN:
        *r = asinl(a);
        return true;
    case LUN_OP_ACOS:
        *r = acosl(a);
        return true;
    case LUN_OP_ATAN:
        *r = atanl(a);
        return true;
    case LUN_OP_ATAN2:
        *r = atan2l(a, b);
        return true;
    case LUN_OP_SINH:
        *r = sinhl(a);
        return true;
    case LUN_OP_COSH:
        *r = coshl(a);
        return true;
    case LUN_OP_TANH:
        *r = tanhl(a);
        return true;
    case LUN_OP_ASINH:
        *r = asinhl(a);
        return true;
    case LUN_OP_ACOSH:
        *r = acoshl(a);
        return true;
    case LUN_OP_ATANH:
        *r = atanhl(a);
        return true;
    case LUN_OP_ERF:
        *r = erfl(a);
        return true;
    case LUN_OP_ERFC:
        *r = erfcl(a);
        return true;
    case LUN_OP_HYPOT:
        *r = hypotl(a, b);
        return true;
    case LUN_OP_COSPI: /* by the sine: exact where it is 0 */
        *r = sinl(3.14159265358979323846264338327950288L * (0.5L - fabsl(remainderl(a, 2))));
        return true;
    default:
        return false;
    }
}

static bool same_float(double got, double want, bool zeros_differ)
{
    if (isnan(want) || isnan(got))
        return isnan(want) && isnan(got);
    return got == want && (!zeros_differ || want != 0 || !signbit(got) == !signbit(want));
}

/* Within `limit` units in the last place of t. */
static bool near(lun_dtype t, double got, long double want, double limit)
{
    double rounded = t == LUN_F32 ? (double)(float)want : (double)want;
    int digits = t == LUN_F32 ? 24 : 53, low = t == LUN_F32 ? -149 : -1074, e;
    if (same_float(got, rounded, true))
        return true;
    if (isnan(rounded) || isnan(got) || isinf(rounded) || isinf(got) || want == 0)
        return false;
    frexpl(want, &e);
    return fabsl((long double)got - want) <=
           (long double)limit * ldexpl(1, e - digits < low ? low : e - digits);
}

/* ---- operations ------------------------------------------------------------------------------ */

/* An operation that the oracles above do not know: rows behind these have theirs in
 * tests/diff/oracle.lua. */
static void left_to_diff(lun_op op)
{
    assert_true(op > LUN_OP_ISFINITE);
}

static void check_element(lun_op op, lun_dtype t, const char *const *in, int64_t i, const void *got)
{
    const lun_op_row *row = lun__op_get(op);
    bool select = row->rule == LUN_RULE_SELECT, to_bool = ir_result_of(op, t) == LUN_BOOL;
    const char *p[3];
    for (int k = 0; k < 3; k++)
        p[k] = in[k] + i * sizes[k == 0 && select ? LUN_BOOL : t];
    if (!is_float(t) || select) {
        wide r = 0, a = get_wide(select ? LUN_BOOL : t, p[0]);
        uint64_t want = 0, have = 0;
        if (!whole_oracle(op, t, a, get_wide(t, p[1]), get_wide(t, p[2]), &r)) {
            left_to_diff(op);
            return;
        }
        put_wide(to_bool ? LUN_BOOL : t, &want, r);
        memcpy(&have, got, (size_t)sizes[to_bool ? LUN_BOOL : t]);
        if (want != have)
            fail_msg("%s %s element %d: %llx, not %llx", row->name, lun_dtype_name(t), (int)i,
                     (unsigned long long)have, (unsigned long long)want);
        return;
    }
    double a = get_double(t, p[0]), b = get_double(t, p[1]), c = get_double(t, p[2]), r = 0;
    double have = to_bool ? (double)*(const uint8_t *)got : get_double(t, got);
    long double exact = 0;
    bool extreme = op == LUN_OP_MIN || op == LUN_OP_MAX || op == LUN_OP_FMIN || op == LUN_OP_FMAX;
    if (float_oracle(op, t, a, b, c, &r)) {
        if (t == LUN_F32)
            r = (double)(float)r;
        if (!same_float(have, r, !extreme))
            fail_msg("%s %s(%a, %a, %a): %a, not %a", row->name, lun_dtype_name(t), a, b, c, have,
                     r);
        return;
    }
    if (!math_oracle(op, (long double)a, (long double)b, &exact)) {
        left_to_diff(op);
        return;
    }
    if (!near(t, have, exact, 4.0))
        fail_msg("%s %s(%a, %a): %a, not %a", row->name, lun_dtype_name(t), a, b, have,
                 (double)exact);
}

static void check_op(lun_op op, lun_dtype t, lun_isa isa, int math)
{
    const lun_op_row *row = lun__op_get(op);
    bool select = row->rule == LUN_RULE_SELECT;
    lun_ir ir;
    void *slots[4];
    const char *in[3];
    int32_t v[3] = {-1, -1, -1};
    lun__ir_init(&ir);
    for (int k = 0; k < 3; k++) {
        lun_dtype own = k == 0 && select ? LUN_BOOL : t;
        lun__ir_slot_add(&ir, own, LUN_SLOT_IN);
        slots[k] = test_alloc(N, sizes[own]);
        fill_data(own, slots[k], N, k, (uint64_t)op * 64 + (uint64_t)t);
        in[k] = slots[k];
        /* elsewhere a zero divisor is tested: here it must not hide other results */
        if (k == 1 && (row->flags & LUN_OPF_TRAP0) && !is_float(t))
            for (int64_t i = 0; i < N; i++)
                if (!get_wide(t, in[k] + i * sizes[t]))
                    put_wide(t, (char *)slots[k] + i * sizes[t], 7);
    }
    int out = lun__ir_slot_add(&ir, ir_result_of(op, t), LUN_SLOT_OUT);
    slots[out] = test_alloc(N, sizes[ir_result_of(op, t)]);
    for (int k = 0; k < row->arity; k++)
        v[k] = ir_load(&ir, k);
    ir_store(&ir, out, ir_op(&ir, op, t, v[0], v[1], v[2]));
    test_run run = {.isa = isa, .math = math};
    assert_int_equal(run_ir(&ir, slots, N, &run), LUN_OK);
    for (int64_t i = 0; i < N; i++)
        check_element(op, t, in, i, (char *)slots[out] + i * sizes[ir_result_of(op, t)]);
    for (int k = 0; k < 4; k++)
        free(slots[k]);
    lun__ir_free(&ir);
}

static void test_operations(void **state)
{
    (void)state;
    int checked = 0;
    for (int isa = 0; isa <= (int)lun__isa_here(); isa++)
        for (int op = 0; op < LUN_OP_COUNT; op++)
            for (int t = 0; t < LUN_DTYPE_COUNT; t++) {
                lun_dtype types[3] = {(lun_dtype)t, (lun_dtype)t, (lun_dtype)t}, from, to;
                bool weak[3] = {false, false, false};
                if (lun__dtype_is_stored((lun_dtype)t) ||
                    lun__op_types((lun_op)op, types, weak, &from, &to) != LUN_OK || (int)from != t)
                    continue;
                check_op((lun_op)op, from, (lun_isa)isa, LUN_MATH_FAST);
                checked++;
            }
    assert_true(checked >= 130 * ((int)lun__isa_here() + 1));
}

static void test_precise_math(void **state)
{
    (void)state;
    for (int op = 0; op < LUN_OP_COUNT; op++)
        if (lun__op_get((lun_op)op)->flags & LUN_OPF_VEC) {
            check_op((lun_op)op, LUN_F32, lun__isa_here(), LUN_MATH_PRECISE);
            check_op((lun_op)op, LUN_F64, lun__isa_here(), LUN_MATH_PRECISE);
        }
}

/* ---- conversions ----------------------------------------------------------------------------- */

static void check_conversion(lun_dtype to, lun_dtype from, const void *x, const void *got)
{
    int bits = 8 * sizes[to];
    uint64_t want = 0, have = 0;
    if (to == LUN_BOOL) {
        put_wide(to, &want, is_float(from) ? get_double(from, x) != 0 : get_wide(from, x) != 0);
    } else if (is_float(to) && is_float(from)) {
        put_double(to, &want, get_double(from, x));
        if (isnan(get_double(from, x))) {
            assert_true(isnan(get_double(to, got)));
            return;
        }
    } else if (to == LUN_F32) {
        wide w = get_wide(from, x); /* one rounding: long double holds 64 bits */
        float f = (float)(long double)w;
        memcpy(&want, &f, sizeof f);
    } else if (to == LUN_F64) {
        put_double(to, &want, (double)(long double)get_wide(from, x));
    } else if (is_float(from)) {
        long double d = (long double)get_double(from, x), scale = ldexpl(1, bits);
        long double low = is_signed(to) ? -scale / 2 : 0,
                    high = (is_signed(to) ? scale / 2 : scale) - 1;
        d = isnan(d) ? 0 : truncl(d);
        put_wide(to, &want, (wide)(d < low ? low : d > high ? high : d));
    } else {
        put_wide(to, &want, get_wide(from, x));
    }
    memcpy(&have, got, (size_t)sizes[to]);
    if (have != want)
        fail_msg("%s from %s: %llx, not %llx", lun_dtype_name(to), lun_dtype_name(from),
                 (unsigned long long)have, (unsigned long long)want);
}

static void test_conversions(void **state)
{
    (void)state;
    for (int isa = 0; isa <= (int)lun__isa_here(); isa++)
        for (int to = 0; to < LUN_DTYPE_COUNT; to++)
            for (int from = 0; from < LUN_DTYPE_COUNT; from++) {
                lun_ir ir;
                if (lun__dtype_is_stored((lun_dtype)to) || lun__dtype_is_stored((lun_dtype)from))
                    continue; /* tests/diff/stored_spec.lua */
                char *x = test_alloc(N, sizes[from]), *y = test_alloc(N, sizes[to]);
                void *slots[2] = {x, y};
                fill_data((lun_dtype)from, x, N, 0, (uint64_t)(to * 16 + from));
                if (is_float((lun_dtype)from)) /* around the limits of every integer dtype */
                    for (int k = 0; k < 600; k++)
                        put_double((lun_dtype)from, x + (1000 + k) * sizes[from],
                                   (k & 1 ? -1 : 1) * (ldexp(1, k / 8) + (k / 2 % 4 - 1.5) * 0.75));
                lun__ir_init(&ir);
                lun__ir_slot_add(&ir, (lun_dtype)from, LUN_SLOT_IN);
                lun__ir_slot_add(&ir, (lun_dtype)to, LUN_SLOT_OUT);
                ir_store(&ir, 1, ir_cast(&ir, (lun_dtype)to, ir_load(&ir, 0)));
                test_run run = {.isa = (lun_isa)isa};
                assert_int_equal(run_ir(&ir, slots, N, &run), LUN_OK);
                for (int64_t i = 0; i < N; i++)
                    check_conversion((lun_dtype)to, (lun_dtype)from, x + i * sizes[from],
                                     y + i * sizes[to]);
                free(x);
                free(y);
                lun__ir_free(&ir);
            }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_operations),
        cmocka_unit_test(test_precise_math),
        cmocka_unit_test(test_conversions),
    };
    int failed = cmocka_run_group_tests(tests, NULL, NULL);
    lun__strbuf_free(&test_error);
    return failed;
}
