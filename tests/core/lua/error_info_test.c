/* The last failure in its parts: of a call, of an evaluation, of scripts; what the struct's size
 * says; two threads. */
#include "engine_kit.h"

#include <pthread.h>

#include "lunarray_bind.h"

static lun_error_info got(void)
{
    lun_error_info info = {.size = sizeof info};
    OK(lun_error_get(e, &info));
    return info;
}

static void test_of_a_call(void **state)
{
    lun_array *a, *b, *c;
    (void)state;
    lun_error_info info = got();
    assert_int_equal(info.status, LUN_OK);
    assert_string_equal(info.message, "");
    assert_string_equal(info.call, "");
    OK(lun_vector(e, (double[]){1, 2}, 2, LUN_F64, &a));
    OK(lun_vector(e, (double[]){1, 2, 3}, 3, LUN_F64, &b));
    assert_int_equal(lun_add(e, a, b, &c), LUN_ESHAPE);
    info = got();
    assert_int_equal(info.status, LUN_ESHAPE);
    assert_string_equal(info.message, lun_error(e));
    assert_string_equal(info.call, "lun_apply");
    assert_string_equal(info.traceback, "");
    assert_string_equal(info.where, "");
    assert_int_equal(info.line, 0);
    assert_int_equal(lun_vector(e, NULL, 1, LUN_F64, NULL), LUN_EARG);
    info = got();
    assert_int_equal(info.status, LUN_EARG);
    assert_string_equal(info.call, "lun_tensor");
    OK(lun_eval(e, &a, 1)); /* a call that succeeds leaves it */
    assert_int_equal(got().status, LUN_EARG);
    lun_release(a);
    lun_release(b);
}

static lun_status run(lun_globals *g, const char *text)
{
    return lun_scope_run(g, text, strlen(text), "=rule");
}

static void test_of_scripts(void **state)
{
    lun_globals *g;
    (void)state;
    OK(lun_scope_new(e, &g));
    assert_int_equal(run(g, "local function f()\n  error 'no such thing'\nend\nf()"), LUN_ESCRIPT);
    lun_error_info info = got();
    assert_int_equal(info.status, LUN_ESCRIPT);
    assert_string_equal(info.message, "rule:2: no such thing");
    assert_non_null(strstr(info.traceback, "rule:4: in main chunk"));
    assert_null(strstr(info.message, "traceback"));
    assert_non_null(strstr(lun_error(e), "stack traceback:"));
    assert_string_equal(info.call, "");
    assert_string_equal(info.where, "rule:2");
    assert_int_equal(info.line, 2);
    assert_int_equal(
        run(g, "local a = lun.vector{1, 2}\n\nlocal b = a // lun.vector{1, 0}\nb:sum()"),
        LUN_EZERO);
    info = got();
    assert_int_equal(info.status, LUN_EZERO);
    assert_string_equal(info.where, "rule:3");
    assert_int_equal(info.line, 3);
    assert_int_equal(run(g, "x = = 1"), LUN_ESCRIPT);
    info = got();
    assert_int_equal(info.line, 1);
    lun_scope_free(g);
    lun_trim(e);
}

static void test_sizes(void **state)
{
    struct {
        size_t size;
        lun_status status;
        const char *message;
    } old = {.size = sizeof old};
    lun_error_info none = {.size = 0};
    (void)state;
    assert_int_equal(lun_vector(e, NULL, -1, LUN_F64, NULL), LUN_EARG);
    OK(lun_error_get(e,
                     (lun_error_info *)(void *)&old)); /* of a program built with fewer members */
    assert_int_equal(old.status, LUN_EARG);
    assert_string_equal(old.message, lun_error(e));
    assert_int_equal(lun_error_get(e, &none), LUN_EARG);
    assert_int_equal(lun_error_get(e, NULL), LUN_EARG);
    assert_int_equal(lun_error_get(NULL, &none), LUN_EARG);
}

/* What a thread is given while another one is inside of the engine. */
static void *call_meanwhile(void *ctx)
{
    lun_array *a;
    lun_error_info *info = ctx;
    (void)lun_vector(e, NULL, 1, LUN_F64, &a);
    (void)lun_error_get(e, info);
    return NULL;
}

static void test_another_thread(void **state)
{
    lun_engine *taken;
    lun_error_info info = {.size = sizeof info};
    pthread_t other;
    (void)state;
    assert_int_equal(lun_vector(e, NULL, -1, LUN_F64, NULL), LUN_EARG);
    OK(lun_thread_enter(e, &taken));
    assert_int_equal(pthread_create(&other, NULL, call_meanwhile, &info), 0);
    assert_int_equal(pthread_join(other, NULL), 0);
    lun_thread_leave(&taken);
    assert_int_equal(info.status, LUN_EARG);
    assert_non_null(strstr(info.message, "engine in use by another thread"));
    assert_string_equal(info.call, "");
    assert_string_equal(got().call, "lun_tensor"); /* this thread's own */
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test_setup_teardown(test_of_a_call, kit_reference_open, kit_close),
        cmocka_unit_test_setup_teardown(test_of_scripts, kit_reference_open, kit_close),
        cmocka_unit_test_setup_teardown(test_sizes, kit_reference_open, kit_close),
        cmocka_unit_test_setup_teardown(test_another_thread, kit_reference_open, kit_close),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
