/* package_test.c - packages in C: a skeleton that a script packs runs in an engine in which no
 * script has run, and what comes in bytes is checked. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "array_kit.h"
#include "lunarray_bind.h"

static char *bytes;
static size_t length;

static int open_engine(void **state)
{
    lun_config c = {.size = sizeof c, .cache_dir = "", .jit = LUN_JIT_OFF, .threads = 2};
    (void)state;
    return lun_open(&c, &e) != LUN_OK;
}

static int close_engine(void **state)
{
    lun_stats s = {.size = sizeof s};
    (void)state;
    lun_stats_get(e, &s);
    lun_close(e);
    e = NULL;
    free(bytes);
    bytes = NULL;
    return s.allocated != 0;
}

/* The script's global s, from an engine of its own. */
static void pack(const char *script)
{
    lun_engine *mine = e;
    lun_config c = {.size = sizeof c, .cache_dir = "", .jit = LUN_JIT_OFF};
    const char *text;
    OK(lun_open(&c, &e));
    OK(lun_dostring(e, script));
    OK(lun_gettext(e, "s", &text, &length));
    bytes = malloc(length);
    assert_non_null(bytes);
    memcpy(bytes, text, length);
    lun_close(e);
    e = mine;
}

static void test_map(void **state)
{
    const double x[] = {1, 2, 3, 4};
    lun_package *p;
    lun_array *a = vector(x, 4), *out;
    int results;
    (void)state;
    pack("local c = lun.vector{10.0, 20, 30, 40} "
         "s = lun.pack(lun.map(function(x) return c[x // 1 | 0] + x end))");
    OK(lun_unpack(e, bytes, length, &p));
    assert_int_equal(lun_package_arrays(p), 1);
    OK(lun_package_apply(p, &a, 1, &out, 1, &results));
    assert_int_equal(results, 1);
    for (int k = 0; k < 4; k++)
        assert_true(at(out, k) == 11.0 * x[k]);
    lun_package_release(p); /* before its result */
    assert_true(at(out, 0) == 11);
    lun_release(out);
    lun_release(a);
}

static void test_result_before_package(void **state)
{
    const double x[] = {1, 2, 3};
    lun_package *p;
    lun_array *a = vector(x, 3), *out;
    int results;
    (void)state;
    pack("s = lun.pack(lun.map(function(x) return 2 * x end))");
    OK(lun_unpack(e, bytes, length, &p));
    memset(bytes, 0, length); /* they are copied */
    OK(lun_package_apply(p, &a, 1, &out, 1, &results));
    lun_package_release(p);
    assert_true(at(out, 2) == 6); /* evaluated now */
    lun_release(out);
    lun_release(a);
}

static void test_folds(void **state)
{
    const double x[] = {3, 1, 4, 1, 5};
    lun_package *p;
    lun_array *a = vector(x, 5), *outs[2];
    int results;
    (void)state;
    pack("s = lun.pack(lun.scan(function(a, b) return math.max(a, b) end, 2, {axis = -1, "
         "inclusive = true}))");
    OK(lun_unpack(e, bytes, length, &p));
    OK(lun_package_apply(p, &a, 1, outs, 2, &results));
    const double want[] = {3, 3, 4, 4, 5};
    for (int k = 0; k < 5; k++)
        assert_true(at(outs[0], k) == want[k]);
    lun_release(outs[0]);
    lun_package_release(p);
    lun_release(a);
}

static void test_several_results(void **state)
{
    const double x[] = {1, 2}, y[] = {5, 7};
    lun_package *p;
    lun_array *in[2] = {vector(x, 2), vector(y, 2)}, *outs[2];
    int results;
    (void)state;
    pack("s = lun.pack(lun.zip(function(x, y) return x + y, x * y end))");
    OK(lun_unpack(e, bytes, length, &p));
    FAILS(lun_package_apply(p, in, 2, outs, 1, &results), LUN_EARG, "gives 2 results, not 1");
    assert_int_equal(results, 2);
    OK(lun_package_apply(p, in, 2, outs, 2, &results));
    assert_true(at(outs[0], 1) == 9 && at(outs[1], 1) == 14);
    release_all(outs, 2);
    release_all(in, 2);
    lun_package_release(p);
}

static void test_mistakes(void **state)
{
    const double x[] = {1, 2};
    lun_package *p = NULL;
    lun_array *a = vector(x, 2), *i, *out;
    int results;
    (void)state;
    pack("s = lun.pack(lun.map(function(x) return 2 * x end))");
    FAILS(lun_unpack(e, NULL, 0, &p), LUN_EARG, "not a package of lun.pack");
    FAILS(lun_unpack(e, bytes, length - 1, &p), LUN_EARG, "has not the length that it says");
    bytes[length - 1] ^= 1;
    FAILS(lun_unpack(e, bytes, length, &p), LUN_EARG, "checksum");
    bytes[length - 1] ^= 1;
    assert_null(p);
    OK(lun_unpack(e, bytes, length, &p));
    FAILS(lun_package_apply(p, &a, 2, &out, 1, &results), LUN_EARG, "takes 1 array, got 2");
    OK(lun_cast(e, a, LUN_I32, &i));
    FAILS(lun_package_apply(p, &i, 1, &out, 1, &results), LUN_EDTYPE,
          "no function of (i32): it has those of (f64)");
    lun_release(i);
    lun_release(a);
    lun_package_release(p);
    lun_package_release(NULL);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test_setup_teardown(test_map, open_engine, close_engine),
        cmocka_unit_test_setup_teardown(test_result_before_package, open_engine, close_engine),
        cmocka_unit_test_setup_teardown(test_folds, open_engine, close_engine),
        cmocka_unit_test_setup_teardown(test_several_results, open_engine, close_engine),
        cmocka_unit_test_setup_teardown(test_mistakes, open_engine, close_engine),
    };
    return cmocka_run_group_tests_name("packages", tests, NULL, NULL);
}
