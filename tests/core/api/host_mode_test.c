/* host_mode_test.c - a host whose threads round otherwise, or make subnormal numbers zero, gets the
 * bits that every other one gets, and its own mode back. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "base/fp_mode.h"
#include "lunarray.h"

enum { N = 100000 };

static void fill(double *x)
{
    for (int i = 0; i < N; i++) {
        const uint64_t bits =
            i % 3 ? UINT64_C(0x3fd5555555555555) + (uint64_t)i : (uint64_t)i * 977;
        memcpy(&x[i], &bits, sizeof *x);
    }
}

/* exp(x) / 3 + x x, which rounds, and x / 2, of subnormal numbers too; their sum last. */
static void compute(const char *backend, lun_jit jit, double *out)
{
    static double x[N];
    lun_engine *e;
    lun_array *a, *three, *half, *t, *u, *v, *w;
    const lun_config c = {.size = sizeof c, .backend = backend, .jit = jit, .threads = 4};
    fill(x);
    assert_int_equal(lun_open(&c, &e), LUN_OK);
    assert_int_equal(lun_wrap(e, x, N, LUN_F64, NULL, NULL, &a), LUN_OK);
    assert_int_equal(lun_number(e, 3, &three), LUN_OK);
    assert_int_equal(lun_number(e, 0.5, &half), LUN_OK);
    assert_int_equal(lun_exp(e, a, &t), LUN_OK);
    assert_int_equal(lun_div(e, t, three, &u), LUN_OK);
    assert_int_equal(lun_mul(e, a, half, &v), LUN_OK);
    assert_int_equal(lun_fma(e, a, a, u, &w), LUN_OK);
    assert_int_equal(lun_read(e, w, out, 0, N), LUN_OK);
    assert_int_equal(lun_read(e, v, out + N, 0, N), LUN_OK);
    lun_value sum;
    assert_int_equal(lun_total(e, LUN_SUM, w, 0, &sum), LUN_OK);
    out[2 * N] = sum.as.d;
    lun_close(e);
}

static void test_modes(void **state)
{
    (void)state;
    static double want[2 * N + 1], got[2 * N + 1];
    static const char *const backends[] = {"reference", "openmp", "openmp"};
    static const lun_jit jits[] = {LUN_JIT_OFF, LUN_JIT_OFF, LUN_JIT_SYNC};
    const uint64_t usual = lun__fp_mode_now();
    if (!LUN__FP_OTHER)
        skip();
    compute("reference", LUN_JIT_OFF, want);
    assert_true(want[N] == 0 && want[N + 3] != 0); /* halves of 0 and of a subnormal number */
    for (int k = 0; k < 3; k++) {
        const uint64_t mode = usual | LUN__FP_OTHER; /* towards zero, without subnormal numbers */
        lun__fp_mode_set(mode);
        compute(backends[k], jits[k], got);
        const uint64_t after = lun__fp_mode_now();
        lun__fp_mode_set(usual);
        assert_true((after & LUN__FP_OTHER) == LUN__FP_OTHER);
        assert_memory_equal(got, want, sizeof want);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(test_modes)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
