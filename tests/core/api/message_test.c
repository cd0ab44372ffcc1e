/* message_test.c - numbers in messages that count from where the reader counts, and texts of users
 * in them whose bytes look like the marks of such numbers. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

#include <cmocka.h>

#include "base/strbuf.h"
#include "lunarray_bind.h"

/* The text of a message that counts from `first`. */
static void expect(const lun_strbuf *message, int first, const char *wanted)
{
    lun_strbuf text = LUN_STRBUF_INIT;
    lun__strbuf_count_from(&text, lun__strbuf_text(message), first);
    assert_string_equal(lun__strbuf_text(&text), wanted);
    lun__strbuf_free(&text);
}

static void test_marks_are_those_of_formats(void **state)
{
    (void)state;
    const char *user = "a\002"
                       "7\002\002"
                       "8";
    lun_strbuf m = LUN_STRBUF_MESSAGE, other = LUN_STRBUF_MESSAGE;
    lun__strbuf_printf(&m, "%s, axis " LUN_NTH " of %s and " LUN_NTH_LONG, user, 4, user,
                       (long long)INT64_C(9));
    expect(&m, 0, "a?7??8, axis 4 of a?7??8 and 9");
    expect(&m, 1, "a?7??8, axis 5 of a?7??8 and 10");
    lun__strbuf_puts(&m, ", \002"
                         "3");
    lun__strbuf_printf(&m, ", %s", "\002");
    expect(&m, 1, "a?7??8, axis 5 of a?7??8 and 10, ?3, ?");
    lun__strbuf_marked(&other, lun__strbuf_text(&m)); /* passed on */
    expect(&other, 2, "a?7??8, axis 6 of a?7??8 and 11, ?3, ?");
    lun__strbuf_free(&m);
    assert_true(m.message);
    lun__strbuf_puts(&m, "\002"
                         "1");
    expect(&m, 1, "?1");
    lun__strbuf_free(&m);
    lun__strbuf_free(&other);
}

static void test_texts_of_programs_stay_whole(void **state)
{
    (void)state;
    lun_strbuf s = LUN_STRBUF_INIT;
    lun__strbuf_printf(&s, "%s", "char c = '\002';");
    lun__strbuf_puts(&s, "\002");
    assert_string_equal(s.text, "char c = '\002';\002");
    lun__strbuf_free(&s);
}

static void test_errors(void **state)
{
    (void)state;
    lun_engine *e;
    lun_array *a, *out;
    lun_config c = {.size = sizeof c, .backend = "reference", .cache_dir = ""};
    assert_int_equal(lun_open(&c, &e), LUN_OK);
    assert_int_equal(lun_fail(e, LUN_EARG,
                              "not \002"
                              "5"),
                     LUN_EARG);
    assert_string_equal(lun_error(e), "not ?5");
    assert_string_equal(lun_error_from(e, 1), "not ?5");
    assert_int_equal(lun_open_file(e, "/none/\0025", &a), LUN_EIO);
    assert_non_null(strstr(lun_error_from(e, 1), "/none/?5: "));
    assert_int_equal(lun_full(e, 2, (int64_t[]){2, 3}, LUN_F32, (lun_value){LUN_I64, {1}}, &a),
                     LUN_OK);
    assert_int_equal(lun_broadcast(e, a, 2, (int64_t[]){2, 4}, &out), LUN_ESHAPE);
    assert_string_equal(lun_error(e), "f32[2, 3] does not broadcast to f32[2, 4], axis 1: 3 and 4");
    assert_string_equal(lun_error_from(e, 1),
                        "f32[2, 3] does not broadcast to f32[2, 4], axis 2: 3 and 4");
    lun_release(a);
    lun_close(e);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_marks_are_those_of_formats),
        cmocka_unit_test(test_texts_of_programs_stay_whole),
        cmocka_unit_test(test_errors),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
