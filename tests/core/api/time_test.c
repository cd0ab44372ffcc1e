/* time_test.c - dates, timestamps and durations from C: made of texts and integers, their fields,
 * units, and what is refused. */
#include <string.h>

#include "array_kit.h"
#include "lunarray_bind.h"

/* a, which is released, has these elements. */
static void holds(lun_array *a, lun_dtype t, const int64_t *wanted, int64_t n)
{
    lun_value x;
    assert_int_equal(lun_dtype_of(a), t);
    assert_int_equal(lun_size(a), n);
    for (int64_t k = 0; k < n; k++) {
        OK(lun_get(e, a, k, &x));
        assert_int_equal(x.as.i, wanted[k]);
    }
    lun_release(a);
}

/* Those texts as dtype t. */
static lun_array *read_texts(lun_dtype t, const char *one, const char *other)
{
    const lun_string s[] = {{one, (int64_t)strlen(one)}, {other, (int64_t)strlen(other)}};
    lun_array *texts, *out;
    OK(lun_text(e, s, 2, &texts));
    OK(lun_time_parse(e, texts, t, NULL, false, &out));
    lun_release(texts);
    return out;
}

static void test_texts(void **state)
{
    (void)state;
    char text[LUN_TIME_TEXT];
    lun_array *texts, *out;
    lun_string back[2];
    int64_t x;
    holds(read_texts(LUN_DATE, "1970-01-02", "0001-01-01"), LUN_DATE, (int64_t[]){1, -719162}, 2);
    holds(read_texts(LUN_TIMESTAMP, "1970-01-01 00:00:01", "1969-12-31"), LUN_TIMESTAMP,
          (int64_t[]){1000000, -86400000000}, 2);
    holds(read_texts(LUN_DURATION, "1m", "-2"), LUN_DURATION, (int64_t[]){60000000, -2000000}, 2);
    out = read_texts(LUN_DATE, "2024-02-29", "9999-12-31");
    OK(lun_time_texts(e, out, "%d.%m.%Y", &texts));
    OK(lun_text_read(e, texts, 0, 2, back));
    assert_int_equal(back[1].length, 10);
    assert_memory_equal(back[0].data, "29.02.2024", 10);
    assert_memory_equal(back[1].data, "31.12.9999", 10);
    lun_release(out);
    lun_release(texts);
    assert_int_equal(lun_time_write(LUN_DATE, 0, text), 10);
    assert_memory_equal(text, "1970-01-01", 10);
    assert_int_equal(lun_time_write(LUN_F64, 0, text), 0);
    assert_true(lun_time_read(LUN_DATE, (lun_string){"1970-01-03", 10}, &x));
    assert_int_equal(x, 2);
    assert_false(lun_time_read(LUN_DATE, (lun_string){"1970-02-30", 10}, &x));
    assert_false(lun_time_read(LUN_TEXT, (lun_string){"1970-01-03", 10}, &x));
}

static void test_computed(void **state)
{
    (void)state;
    lun_array *a, *b, *out;
    a = read_texts(LUN_TIMESTAMP, "2024-01-31 10:15:00", "1969-12-31 23:59:59.5");
    OK(lun_time_get_field(e, a, LUN_TIME_WEEK, &out));
    holds(out, LUN_I64, (int64_t[]){5, 1}, 2);
    OK(lun_time_get_field(e, a, LUN_TIME_SECOND, &out));
    holds(out, LUN_I64, (int64_t[]){0, 59}, 2);
    OK(lun_time_of_day(e, a, &out));
    holds(out, LUN_DURATION, (int64_t[]){36900000000, 86399500000}, 2);
    OK(lun_time_truncate(e, a, "1d", &b));
    OK(lun_cast(e, b, LUN_DATE, &out));
    lun_release(b);
    holds(out, LUN_DATE, (int64_t[]){19753, -1}, 2);
    OK(lun_time_add(e, a, "1mo", &b));
    OK(lun_cast(e, b, LUN_DATE, &out));
    lun_release(b);
    holds(out, LUN_DATE, (int64_t[]){19782, 30}, 2);
    lun_release(a);
    OK(lun_time_range(e, LUN_DATE, 0, 60, "1mo", &out));
    holds(out, LUN_DATE, (int64_t[]){0, 31, 59}, 3);
    OK(lun_integer(e, -1, &a));
    OK(lun_time_of(e, a, LUN_TIMESTAMP, LUN_TIME_NS, &out));
    holds(out, LUN_TIMESTAMP, (int64_t[]){-1}, 1);
    lun_release(a);
}

/* Days as integers: their fields, those of years, months and days, one by one too. */
static void test_days(void **state)
{
    (void)state;
    lun_array *years, *months, *days, *out;
    const int64_t y[] = {2024, 1969}, m[] = {14, 0}, d[] = {1};
    int64_t year;
    int month, day;
    OK(lun_vector(e, y, 2, LUN_I64, &years));
    OK(lun_vector(e, m, 2, LUN_I64, &months));
    OK(lun_vector(e, d, 1, LUN_I64, &days));
    OK(lun_time_days(e, years, months, days, &out));
    lun_release(months);
    OK(lun_time_get_field(e, out, LUN_TIME_YEARDAY, &months));
    holds(out, LUN_I64, (int64_t[]){20120, -396}, 2);
    holds(months, LUN_I64, (int64_t[]){32, 336}, 2);
    assert_int_equal(lun_time_get_field(e, years, LUN_TIME_HOUR, &out), LUN_EDTYPE);
    lun_release(years);
    OK(lun_vector(e, &(double){1.5}, 1, LUN_F64, &years));
    assert_int_equal(lun_time_days(e, years, days, days, &out), LUN_EDTYPE);
    assert_int_equal(lun_time_get_field(e, years, LUN_TIME_YEAR, &out), LUN_EDTYPE);
    lun_release(years);
    lun_release(days);
    for (int64_t x = -2000000; x < 2000000; x += 997) {
        lun_civil_of(x, &year, &month, &day);
        assert_int_equal(lun_civil_days(year, month, day), x);
        assert_int_equal(lun_civil_days(year - 1, month + 12, 1) + day - 1, x);
    }
}

static void test_refused(void **state)
{
    (void)state;
    const lun_string bad = {"2023-02-29", 10};
    lun_array *a = read_texts(LUN_DATE, "2024-01-31", "2024-02-01"), *texts, *out;
    assert_int_equal(lun_time_get_field(e, a, LUN_TIME_HOUR, &out), LUN_EDTYPE);
    assert_int_equal(lun_time_get_field(e, a, LUN_TIME_FIELD_COUNT, &out), LUN_EDTYPE);
    assert_int_equal(lun_time_of_day(e, a, &out), LUN_EDTYPE);
    assert_int_equal(lun_time_truncate(e, a, "1h", &out), LUN_EARG);
    assert_int_equal(lun_time_truncate(e, a, NULL, &out), LUN_EARG);
    assert_int_equal(lun_time_add(e, a, "1 mo", &out), LUN_EARG);
    assert_int_equal(lun_time_parse(e, a, LUN_DATE, NULL, false, &out), LUN_EDTYPE);
    assert_int_equal(lun_time_texts(e, a, "%Q", &out), LUN_EARG);
    assert_int_equal(lun_time_range(e, LUN_F64, 0, 1, "1d", &out), LUN_EDTYPE);
    OK(lun_text(e, &bad, 1, &texts));
    assert_int_equal(lun_time_parse(e, texts, LUN_DATE, NULL, false, &out), LUN_EARG);
    OK(lun_time_parse(e, texts, LUN_DATE, NULL, true, &out));
    assert_true(lun_has_missing(out));
    assert_int_equal(lun_time_parse(e, texts, LUN_I64, NULL, false, &a), LUN_EDTYPE);
    lun_release(a);
    lun_release(texts);
    lun_release(out);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test_setup_teardown(test_texts, kit_reference_open, kit_close),
        cmocka_unit_test_setup_teardown(test_computed, kit_reference_open, kit_close),
        cmocka_unit_test_setup_teardown(test_days, kit_reference_open, kit_close),
        cmocka_unit_test_setup_teardown(test_refused, kit_reference_open, kit_close),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
