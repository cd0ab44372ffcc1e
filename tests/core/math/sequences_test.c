/* sequences_test.c - the sequences of prims/math: the same bits by the loops of every instruction
 * set of this machine as on one element, whatever stands beside it; sin, cos and tan where random
 * arguments see no error. */
#include "kernels.h"

#include <math.h>
#include <string.h>

#include "math/op_cell.h"
#include "math/sequence.h"
#include "reference/instruction_loops.h"

enum { N = 4096, ROUNDS = 24 };

static const double special[] = {
    0,        -0.0,      INFINITY,  -INFINITY, NAN,       1,          -1,       2,        -2,
    0.5,      -0.5,      3,         -3,        0x1p-1074, -0x1p-1074, 0x1p-149, 0x1p-126, 0x1p-1022,
    0x1p52,   0x1p53,    0x1p24,    0x1p23,    1.5,       -1.5,       710,      -746,     88.8,
    -104,     0x1p1023,  -0x1p1023, 0x1p127,   0x1p30,    0x1p60,     0x1p15,   40,       -40,
    0x1p1000, 0x1p-1000, 6,         -6,        28,        27.2,       20,       0.4375,   0.6875,
    0.46875,  -0x1p-27,  709.7,     1023.9,    -1074.5,   0x1p500,    0x1p-450};
enum { SPECIALS = sizeof special / sizeof *special };

/* All pairs of special values first; then numbers of all binades, near k pi/2, near m 2^-e. */
static double argument(uint64_t *seed, int round, int i, bool second)
{
    uint64_t bits = test_random(seed);
    double x;
    if (round == 0 && i < SPECIALS * SPECIALS)
        return special[second ? i % SPECIALS : i / SPECIALS];
    switch (bits & 3) {
    case 0:
        memcpy(&x, &bits, sizeof x);
        break;
    case 1:
        x = (double)((long double)(bits >> 33 >> bits / 4 % 31) *
                     1.57079632679489661923132169163976L);
        break;
    case 2:
        x = ldexp((double)(bits >> 53), -(int)(bits / 4 % 12));
        break;
    default:
        x = ((double)(bits >> 11) * 0x1p-53 - 0.5) * 60;
    }
    for (uint64_t k = bits >> 10 & 3; k; k--)
        x = nextafter(x, bits & 16 ? INFINITY : -INFINITY);
    return bits & 32 ? -x : x;
}

static void put(lun_dtype t, void *x, int i, double v)
{
    if (lun__dtype_is_double(t))
        ((double *)x)[i] = v;
    else
        ((float *)x)[i] = (float)v;
}

static double get(lun_dtype t, const void *x, int i)
{
    return lun__dtype_is_double(t) ? ((const double *)x)[i] : (double)((const float *)x)[i];
}

static bool alike(lun_dtype t, const void *x, const void *y, int i)
{
    size_t bytes = lun__dtype_get(t)->bytes;
    return !memcmp((const char *)x + (size_t)i * bytes, (const char *)y + (size_t)i * bytes,
                   bytes) ||
           (isnan(get(t, x, i)) && isnan(get(t, y, i)));
}

/* Every instruction set against one element by itself. */
static void compare(lun_op op, lun_dtype t)
{
    static double x[N], y[N], want[N], got[N];
    uint64_t seed = 7 + (uint64_t)op;
    size_t bytes = lun__dtype_get(t)->bytes;
    for (int round = 0; round < ROUNDS; round++) {
        for (int i = 0; i < N; i++) {
            put(t, x, i, argument(&seed, round, i, false));
            put(t, y, i, argument(&seed, round, i, true));
            uint64_t cells[3] = {0}, cell = 0;
            memcpy(&cells[0], (char *)x + (size_t)i * bytes, bytes);
            memcpy(&cells[1], (char *)y + (size_t)i * bytes, bytes);
            assert_true(lun__op_cell(op, t, 0, cells, &cell));
            memcpy((char *)want + (size_t)i * bytes, &cell, bytes);
        }
        for (int isa = 0; isa <= (int)lun__isa_here(); isa++) {
            lun_loop_op loop =
                lun__instruction_loops_math(lun__interpreter_loops((lun_isa)isa), 0, op, t);
            assert_non_null(loop);
            loop(got, x, y, y, N);
            for (int i = 0; i < N; i++)
                if (!alike(t, want, got, i))
                    fail_msg("%s of %s, instruction set %d, at %a, %a: %a alone, %a in a vector",
                             lun__op_get(op)->name, lun__dtype_get(t)->name, isa, get(t, x, i),
                             get(t, y, i), get(t, want, i), get(t, got, i));
        }
    }
}

static void test_same_bits(void **state)
{
    (void)state;
    int count = 0;
    for (int op = 0; op < LUN_OP_COUNT; op++)
        for (int t = 0; t < LUN_DTYPE_COUNT; t++)
            if (lun__sequence((lun_op)op, (lun_dtype)t, 0)->name) {
                compare((lun_op)op, (lun_dtype)t);
                count++;
            }
    assert_int_equal(count, 52);
}

/* A row for every operation with the flag. */
static void test_rows(void **state)
{
    (void)state;
    for (int op = 0; op < LUN_OP_COUNT; op++)
        for (int t = 0; t < LUN_DTYPE_COUNT; t++) {
            bool flag = lun__op_get((lun_op)op)->flags & LUN_OPF_VEC;
            bool plain = lun__dtype_is_plain_float((lun_dtype)t);
            assert_int_equal(lun__sequence((lun_op)op, (lun_dtype)t, 0)->name != NULL,
                             flag && plain);
        }
}

/* Two million random arguments do not see what the neighbours of k pi/2 show: where the remainder's
 * low part is lost, sin is off by 11,176 units there. */
static void test_multiples_of_pi(void **state)
{
    (void)state;
    static double x[N], y[N];
    static const lun_op ops[] = {LUN_OP_SIN, LUN_OP_COS, LUN_OP_TAN};
    uint64_t seed = 3;
    for (int k = 0; k < 3; k++)
        for (int round = 0; round < 64; round++) {
            for (int i = 0; i < N; i++) {
                uint64_t bits = test_random(&seed);
                x[i] = (double)((long double)(bits >> 33 >> bits % 31) *
                                1.57079632679489661923132169163976L);
                for (uint64_t q = bits >> 8 & 3; q; q--)
                    x[i] = nextafter(x[i], bits & 64 ? INFINITY : 0);
            }
            lun__instruction_loops_math(lun__interpreter_loops(lun__isa_here()), 0, ops[k],
                                        LUN_F64)(y, x, NULL, NULL, N);
            for (int i = 0; i < N; i++) {
                long double v = (long double)x[i], exact = k == 0   ? sinl(v)
                                                           : k == 1 ? cosl(v)
                                                                    : tanl(v);
                int e;
                frexpl(exact, &e);
                if (fabsl((long double)y[i] - exact) > ldexpl(1.5L, e - 53))
                    fail_msg("%s(%a) is %a", lun__op_get(ops[k])->name, x[i], y[i]);
            }
        }
}

int main(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(test_same_bits),
                                       cmocka_unit_test(test_rows),
                                       cmocka_unit_test(test_multiples_of_pi)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
