/* versions_test.c - two versions of the bits in one process: a library whose v2 has another exp of
 * f64 (tests/core/next) and v1's other functions, by engines of either version, on every backend,
 * interpreted and compiled, with one cache of kernels.
 *
 * The oracle of v2 is what its text says: one unit in the last place or two more than v1. */
#include <stdio.h>
#include <stdlib.h>
#include <unistd.h>

#include <math.h>

#include "engine_kit.h"

enum { N = 1003 };

static char cache[] = "/tmp/lunarray-versions-XXXXXX";

typedef struct case_of {
    const char *backend;
    lun_jit jit;
} case_of;

static const case_of cases[] = {{"reference", LUN_JIT_OFF},
                                {"openmp", LUN_JIT_OFF},
                                {"openmp", LUN_JIT_SYNC},
                                {"opencl", LUN_JIT_SYNC}};
enum { CASES = sizeof cases / sizeof *cases };

/* False: the machine has no such device. */
static bool open(const case_of *c, const char *version)
{
    const lun_config how = {
        .size = sizeof how, .backend = c->backend, .jit = c->jit, .cache_dir = cache};
    if (lun_open(&how, &e) != LUN_OK)
        return false;
    OK(lun_set_bits(e, version));
    return true;
}

static void arguments(double *x)
{
    for (int i = 0; i < N; i++)
        x[i] = (i - N / 2) * 0.7;
}

/* exp(x) and sin(x) of f64, exp of f32, and exp in C text. */
typedef struct results {
    double exp[N], sin[N], text[N];
    float narrow[N];
} results;

static void compute(results *out, bool text)
{
    static double x[N];
    lun_array *a, *y[4], *narrow;
    lun_function *f = NULL;
    arguments(x);
    OK(lun_wrap(e, x, N, LUN_F64, NULL, NULL, &a));
    OK(lun_cast(e, a, LUN_F32, &narrow));
    OK(lun_exp(e, a, &y[0]));
    OK(lun_sin(e, a, &y[1]));
    OK(lun_exp(e, narrow, &y[2]));
    OK(lun_read(e, y[0], out->exp, 0, N));
    OK(lun_read(e, y[1], out->sin, 0, N));
    OK(lun_read(e, y[2], out->narrow, 0, N));
    lun_release(narrow);
    if (text) {
        OK(lun_function_c(e, "double f(double x) { return exp(x); }", &f));
        OK(lun_map(e, f, a, NULL, 0, &y[3]));
        OK(lun_read(e, y[3], out->text, 0, N));
        lun_release(y[3]);
        lun_function_release(f);
    }
    for (int k = 0; k < 3; k++)
        lun_release(y[k]);
    lun_release(a);
}

static void same(const case_of *c, const char *what, const void *x, const void *y, size_t bytes)
{
    if (memcmp(x, y, bytes))
        fail_msg("%s, %s: other bits of %s", c->backend, c->jit ? "compiled" : "interpreted", what);
}

/* Engines of v1, v2 and v1 again, the last with what the others left in the cache. */
static void test_two_versions(void **state)
{
    (void)state;
    static results first, r, other;
    static double want[N];
    for (int k = 0; k < CASES; k++) {
        const case_of *c = &cases[k];
        if (!open(c, "v1"))
            continue;
        lun_engine *old = e;
        compute(&r, c->jit == LUN_JIT_SYNC);
        if (k == 0)
            first = r;
        assert_string_equal(lun_bits(e), "v1");
        assert_true(open(c, "v2"));
        lun_engine *new = e;
        assert_string_equal(lun_bits(e), "v2");
        compute(&other, c->jit == LUN_JIT_SYNC);
        for (int i = 0; i < N; i++)
            want[i] = fma(first.exp[i], 0x1p-52, first.exp[i]);
        same(c, "exp in v1", r.exp, first.exp, sizeof want);
        same(c, "exp in v2", other.exp, want, sizeof want);
        same(c, "sin in v2", other.sin, first.sin, sizeof want);
        same(c, "exp of f32 in v2", other.narrow, first.narrow, sizeof first.narrow);
        if (c->jit == LUN_JIT_SYNC) {
            same(c, "exp in C text, v1", r.text, first.exp, sizeof want);
            same(c, "exp in C text, v2", other.text, want, sizeof want);
        }
        e = old;
        compute(&r, c->jit == LUN_JIT_SYNC);
        same(c, "exp in v1 after v2", r.exp, first.exp, sizeof want);
        lun_close(new);
        lun_close(old);
        assert_true(open(c, "v1"));
        compute(&r, c->jit == LUN_JIT_SYNC);
        same(c, "exp in v1 with a full cache", r.exp, first.exp, sizeof want);
        lun_close(e);
    }
    assert_memory_not_equal(want, first.exp, sizeof want);
}

/* The choice comes before the first kernel, and of what is known. */
static void test_choice(void **state)
{
    (void)state;
    static results r;
    assert_true(open(&cases[0], "v2"));
    FAILS(lun_set_bits(e, "v3"), LUN_EARG, "no version of bits 'v3': this library knows v2, v1");
    compute(&r, false);
    FAILS(lun_set_bits(e, "v1"), LUN_EARG,
          "bits v1 are chosen before the first kernel, which has v2");
    OK(lun_math_mode(e, LUN_MATH_PRECISE));
    assert_string_equal(lun_bits(e), "none");
    lun_close(e);
}

/* The cache goes. */
static int clean(void **state)
{
    (void)state;
    char command[sizeof cache + 16];
    snprintf(command, sizeof command, "rm -rf %s", cache);
    return system(command);
}

static int make_cache(void **state)
{
    (void)state;
    return !mkdtemp(cache);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_two_versions),
        cmocka_unit_test(test_choice),
    };
    return cmocka_run_group_tests(tests, make_cache, clean);
}
