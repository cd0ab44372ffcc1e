/* openmp_ops_test.c - every operation and cast in every dtype: machine code gives the interpreter's
 * bits, for arrays and for numbers, in vectors of every width. */
#include "openmp_kit.h"

#include "ops_cases.h"

static int set_up_precise(void **state)
{
    static kit k;
    kit_open(&k, NULL, "cc", LUN_JIT_SYNC, 1, LUN_MATH_PRECISE);
    *state = &k;
    return 0;
}

static int set_up_narrow(void **state)
{
    set_up(state);
    kit_narrow(*state);
    return 0;
}

/* ---- remainders ------------------------------------------------------------------------------ */

enum { PAIRS = 1 << 15 };

/* What Lua's % gives, by C's fmod. */
static double remainder_of(lun_dtype t, double a, double b)
{
    double r = t == LUN_F32 ? (double)fmodf((float)a, (float)b) : fmod(a, b);
    if (r != 0 && (r < 0) != (b < 0))
        return t == LUN_F32 ? (double)((float)r + (float)b) : r + b;
    return r;
}

/* The float of dtype t next to x or next to that, or x. */
static double beside(lun_dtype t, double x, uint64_t r)
{
    double to = r & 1 ? INFINITY : -INFINITY;
    for (uint64_t k = r >> 1 & 1; k < 2 && r & 4; k++)
        x = t == LUN_F32 ? (double)nextafterf((float)x, (float)to) : nextafter(x, to);
    return t == LUN_F32 ? (double)(float)x : x;
}

/* A divisor: any size, subnormal ones, small integers, powers of two. */
static double divisor(lun_dtype t, uint64_t r)
{
    int range = t == LUN_F32 ? 140 : 1070, e = (int)(r >> 8 & 0xfff) % (2 * range) - range;
    double m = (r >> 3 & 3) == 0   ? 1
               : (r >> 3 & 3) == 1 ? (double)(r >> 40 & 63) + 1
                                   : (double)(r >> 11) * 0x1p-52 + 1;
    double b = ldexp(m, (r >> 5 & 1) == 0 ? 0 : e);
    return (r & 1 ? -1 : 1) * (t == LUN_F32 ? (double)(float)b : b);
}

/* Pairs of which quotients lie at or beside integers of every size up to 2^bits. */
static void remainders(kit *k, lun_dtype t, int bits, uint64_t seed)
{
    static double a[PAIRS], b[PAIRS];
    int64_t bytes = lun__dtype_get(t)->bytes;
    void *slots[3] = {test_alloc(PAIRS, bytes), test_alloc(PAIRS, bytes), test_alloc(PAIRS, bytes)};
    lun_ir ir;
    lun__ir_init(&ir);
    lun__ir_slot_add(&ir, t, LUN_SLOT_IN);
    lun__ir_slot_add(&ir, t, LUN_SLOT_IN);
    lun__ir_slot_add(&ir, t, LUN_SLOT_OUT);
    ir_store(&ir, 2, ir_op(&ir, LUN_OP_MOD, t, ir_load(&ir, 0), ir_load(&ir, 1), -1));
    for (int i = 0; i < PAIRS; i++) {
        uint64_t r = test_random(&seed), q = test_random(&seed);
        b[i] = divisor(t, r);
        a[i] = beside(t,
                      (q & 1 ? -1 : 1) *
                          (double)(q >> 1 >> (64 - bits + (int)(r % (unsigned)bits))) * b[i],
                      r >> 20);
        float x = (float)a[i], y = (float)b[i];
        memcpy((char *)slots[0] + i * bytes, t == LUN_F32 ? (void *)&x : (void *)&a[i],
               (size_t)bytes);
        memcpy((char *)slots[1] + i * bytes, t == LUN_F32 ? (void *)&y : (void *)&b[i],
               (size_t)bytes);
    }
    kit_kernel kernel = kit_build(k, &ir);
    test_run run = {0};
    assert_int_equal(kit_run(k, &kernel, &ir, slots, PAIRS, &run), LUN_OK);
    for (int i = 0; i < PAIRS; i++) {
        double got = t == LUN_F32 ? (double)((float *)slots[2])[i] : ((double *)slots[2])[i];
        double want = remainder_of(t, a[i], b[i]);
        if (memcmp(&got, &want, sizeof got) && !(isnan(got) && isnan(want)))
            fail_msg("%a %% %a is %a, not %a", a[i], b[i], got, want);
    }
    kit_release(k, &kernel);
    lun__ir_free(&ir);
    for (int s = 0; s < 3; s++)
        free(slots[s]);
}

/* Quotients that fit a significand, alone and among larger ones, for every instruction set. */
static void test_remainders(void **state)
{
    kit *k = *state;
    const lun_isa here = k->isa;
    for (int isa = LUN_ISA_BASE; isa <= (int)here; isa++) {
        lun__jit_finish(&k->jit);
        k->isa = (lun_isa)isa;
        lun__jit_init(&k->jit, &k->services, k->isa);
        remainders(k, LUN_F32, 23, 1);
        remainders(k, LUN_F64, 52, 2);
        remainders(k, LUN_F32, 26, 3);
        remainders(k, LUN_F64, 55, 4);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        TEST(test_ops),
        TEST(test_ops_narrow),
        TEST(test_ops_numbers),
        TEST(test_remainders),
        TEST(test_casts),
        TEST(test_random_bits),
        TEST(test_math_in_c),
        cmocka_unit_test_setup_teardown(test_ops_numbers, set_up_precise, tear_down),
        cmocka_unit_test_setup_teardown(test_casts, set_up_narrow, tear_down),
        TEST(test_stored_casts),
        cmocka_unit_test_setup_teardown(test_stored_casts, set_up_narrow, tear_down),
    };
    int failed = kit_group(tests);
    lun__strbuf_free(&test_error);
    return failed;
}
