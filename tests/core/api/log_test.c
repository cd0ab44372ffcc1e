/* Messages that are no failure of a call: who receives them, with which level and subject. */
#include "engine_kit.h"

#include <stdio.h>
#include <stdlib.h>

typedef struct received {
    int count;
    lun_log_level level;
    char subject[16], text[256];
} received;

static received all[2];
static int plain_count;

static void receive(void *ctx, lun_log_level level, const char *subject, const char *text)
{
    received *r = ctx;
    r->count++;
    r->level = level;
    snprintf(r->subject, sizeof r->subject, "%s", subject);
    snprintf(r->text, sizeof r->text, "%s", text);
}

static void plain(void *ctx, const char *text)
{
    (void)ctx;
    (void)text;
    plain_count++;
}

static int open_logged(void **state)
{
    lun_config c = {.size = sizeof c, .backend = "reference", .cache_dir = "", .log = plain};
    (void)state;
    memset(all, 0, sizeof all);
    plain_count = 0;
    return lun_open(&c, &e) != LUN_OK;
}

static void test_levels(void **state)
{
    (void)state;
    OK(lun_on_log(e, LUN_LOG_WARN, receive, &all[0]));
    OK(lun_dostring(e, "warn('of a ', 'script')"));
    assert_int_equal(all[0].count, plain_count);
    assert_true(all[0].count > 0 && all[0].level == LUN_LOG_WARN);
    assert_string_equal(all[0].subject, "script");
    OK(lun_on_log(e, LUN_LOG_ERROR, receive, &all[1])); /* instead of the first */
    OK(lun_dostring(e, "warn 'again'"));
    assert_true(all[1].count == 0 && plain_count > all[0].count);
    OK(lun_on_log(e, LUN_LOG_DEBUG, receive, &all[1]));
    OK(lun_dostring(e, "warn 'again'"));
    assert_true(all[1].count == 1 && strcmp(all[1].text, "again") == 0);
    OK(lun_on_log(e, LUN_LOG_DEBUG, NULL, NULL));
    OK(lun_dostring(e, "warn 'no more'"));
    assert_int_equal(all[1].count, 1);
    FAILS(lun_on_log(e, (lun_log_level)4, receive, &all[0]), LUN_EARG, "an argument is missing");
    assert_int_equal(lun_on_log(NULL, LUN_LOG_WARN, receive, &all[0]), LUN_EARG);
    OK(lun_dostring(e, "collectgarbage()"));
}

/* There is no such compiler. */
static void test_compiler(void **state)
{
    lun_config c = {.size = sizeof c, .backend = "openmp", .cache_dir = "", .jit = LUN_JIT_SYNC};
    const double x[3] = {1, 2, 3};
    lun_array *a, *b;
    (void)state;
    memset(all, 0, sizeof all);
    setenv("LUNARRAY_CC", "/no/such/cc", 1);
    assert_int_equal(lun_open(&c, &e), LUN_OK);
    unsetenv("LUNARRAY_CC");
    OK(lun_on_log(e, LUN_LOG_WARN, receive, &all[0]));
    OK(lun_vector(e, x, 3, LUN_F64, &a));
    OK(lun_add(e, a, a, &b));
    OK(lun_eval(e, (lun_array *const *)&b, 1));  /* waits for the compiler, then interprets */
    OK(lun_on_log(e, LUN_LOG_WARN, NULL, NULL)); /* from here on nobody writes to `all` */
    assert_int_equal(all[0].count, 1);
    assert_string_equal(all[0].subject, "compile");
    assert_non_null(strstr(all[0].text, "/no/such/cc"));
    lun_release(a);
    lun_release(b);
    assert_int_equal(kit_engine_close(), 0);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test_setup_teardown(test_levels, open_logged, kit_close),
        cmocka_unit_test(test_compiler),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
