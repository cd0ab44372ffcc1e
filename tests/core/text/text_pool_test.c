/* text_pool_test.c - pools of texts: values found and added against a plain list, codes and
 * pointers that stay, order, the account; and the C interface of text arrays. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "engine_kit.h"
#include "lunarray_bind.h"
#include "text/texts.h"

enum { MANY = 3000 };

/* Text number i of a sequence in which some are long and some occur again. */
static int64_t text_of(int i, char out[64])
{
    const int k = i % 7 == 0 ? i / 2 : i;
    return snprintf(out, 64, k % 3 ? "v%d" : "a text of more than twelve bytes, %d", k);
}

static void test_values(void **state)
{
    (void)state;
    static uint32_t codes[MANY];
    static const char *at[MANY];
    lun_text_pool *t;
    char text[64];
    OK(lun__text_pool_new(e, &t));
    for (int i = 0; i < MANY; i++) {
        int64_t m;
        const int64_t n = text_of(i, text);
        uint32_t before, count = lun__text_pool_count(t);
        OK(lun__text_pool_find(e, t, text, n, &before));
        OK(lun__text_pool_add(e, t, text, n, &codes[i]));
        assert_int_equal(lun__text_pool_count(t), count + !before);
        assert_true(!before || before == codes[i]);
        at[i] = lun__text_pool_at(t, codes[i], &m);
        assert_int_equal(m, n);
        assert_memory_equal(at[i], text, (size_t)n);
    }
    assert_true(lun__text_pool_distinct(t));
    for (int i = 0; i < MANY; i++) { /* what is long stays where it was */
        int64_t n = text_of(i, text), m;
        const char *now = lun__text_pool_at(t, codes[i], &m);
        assert_memory_equal(now, text, (size_t)n);
        if (n > 12)
            assert_ptr_equal(now, at[i]);
    }
    lun__text_pool_release(t);
}

static void test_order(void **state)
{
    (void)state;
    const char *const words[] = {"b",
                                 "",
                                 "a",
                                 "ab",
                                 "a text of more than twelve bytes A",
                                 "a text of more than twelve bytes",
                                 "\xc3\x84",
                                 "b",
                                 "abcdefgh",
                                 "abcdefghi"};
    const int n = sizeof words / sizeof *words;
    const uint32_t *rank;
    lun_text_pool *t, *levels;
    OK(lun__text_pool_new(e, &t));
    for (int i = 0; i < n; i++)
        OK(lun__text_pool_append(e, t, words[i], (int64_t)strlen(words[i])));
    assert_int_equal(lun__text_pool_count(t), n);
    OK(lun__text_order_ranks(e, t, &rank, &levels));
    assert_false(lun__text_pool_distinct(t));
    assert_int_equal(lun__text_pool_count(levels), n - 1);
    assert_true(lun__text_pool_sorted(levels) && lun__text_pool_frozen(levels));
    assert_int_equal(rank[0], 0);
    for (int i = 0; i < n; i++) {
        int64_t m;
        const char *s = lun__text_pool_at(levels, rank[i + 1], &m);
        assert_int_equal(m, (int64_t)strlen(words[i]));
        assert_memory_equal(s, words[i], (size_t)m);
        for (int k = 0; k < n; k++) {
            const int c = strcmp(words[i], words[k]); /* bytes as unsigned ones */
            assert_true((c < 0) == (rank[i + 1] < rank[k + 1]));
        }
    }
    lun__text_pool_release(t);
}

static void test_account(void **state)
{
    (void)state;
    char text[64];
    const int64_t before = lun_memory_used(e);
    lun_text_pool *t, *copy;
    OK(lun__text_pool_new(e, &t));
    for (int i = 0; i < MANY; i++) {
        uint32_t code;
        const int64_t n = text_of(i, text);
        OK(lun__text_pool_add(e, t, text, n, &code));
    }
    assert_int_equal(lun_memory_used(e) - before, lun__text_pool_bytes(t));
    assert_true(lun__text_pool_bytes(t) > lun__text_pool_count(t) * (int64_t)sizeof(lun_text_view));
    OK(lun__text_pool_copy(e, t, &copy));
    lun__text_pool_release(t);
    assert_int_equal(lun_memory_used(e) - before, lun__text_pool_bytes(copy));
    lun__text_pool_release(copy);
    assert_int_equal(lun_memory_used(e), before);
}

static void test_utf8(void **state)
{
    (void)state;
    for (uint32_t c = 1; c < 0x110000; c += c < 0x900 ? 1 : 37) {
        char s[4];
        int bytes;
        const int n = lun__utf8_put(c, s);
        assert_int_equal(lun__utf8_valid(s, n), c < 0xd800 || c > 0xdfff);
        assert_int_equal(lun__utf8_get(s, &bytes), c);
        assert_int_equal(bytes, n);
        assert_int_equal(lun__utf8_count(s, n), 1);
        for (int cut = 1; cut < n; cut++)
            assert_false(lun__utf8_valid(s, cut));
    }
    assert_false(lun__utf8_valid("\0", 1));
    assert_false(lun__utf8_valid("\xff", 1));
    assert_int_equal(lun__utf8_skip("a\xc3\xa4"
                                    "b",
                                    4, 2),
                     3);
}

static void test_arrays(void **state)
{
    (void)state;
    const lun_string list[] = {{"b", 1}, {NULL, 0}, {"a", 1}, {"b", 1}};
    lun_string got[4];
    uint32_t numbers[4];
    lun_value v;
    lun_array *a, *codes, *levels;
    const void *data;
    OK(lun_text(e, list, 4, &a));
    assert_int_equal(lun_dtype_of(a), LUN_TEXT);
    assert_int_equal(lun_dtype_kind(LUN_TEXT), LUN_KIND_TEXT);
    assert_true(lun_has_missing(a));
    OK(lun_text_read(e, a, 0, 4, got));
    assert_null(got[1].data);
    assert_memory_equal(got[2].data, "a", 1);
    OK(lun_text_codes(e, a, &codes, &levels));
    OK(lun_read(e, codes, numbers, 0, 4));
    assert_memory_equal(numbers, ((uint32_t[]){2, 0, 1, 2}), sizeof numbers);
    OK(lun_text_read(e, levels, 0, 2, got));
    assert_memory_equal(got[0].data, "a", 1);
    assert_int_equal(lun_data(e, a, &data), LUN_EDTYPE);
    assert_int_equal(lun_get(e, a, 0, &v), LUN_EDTYPE);
    assert_int_equal(lun_text_read(e, codes, 0, 1, got), LUN_EDTYPE);
    assert_int_equal(lun_text_read(e, a, 3, 2, got), LUN_ERANGE);
    assert_int_equal(lun_text(e, &(lun_string){"\xff", 1}, 1, &levels), LUN_EARG);
    lun_release(a);
    lun_release(codes);
    lun_release(levels);
}

/* Values of a host's in memory of malloc, which the array takes. */
static lun_text_made made_values(bool distinct)
{
    static const char far[] = "a text of more than twelve bytes";
    lun_text_made v = {.size = sizeof v, .count = 3, .buffer_count = 1, .distinct = distinct};
    v.views = calloc(3, sizeof *v.views);
    v.buffers = calloc(1, sizeof *v.buffers);
    v.buffers[0] = (lun_text_bytes){malloc(sizeof far), sizeof far - 1};
    memcpy(v.buffers[0].bytes, far, sizeof far - 1);
    v.views[0].length = 1;
    v.views[0].as.in_place[0] = 'b';
    v.views[1].length = sizeof far - 1;
    memcpy(v.views[1].as.far.prefix, far, 4);
    v.views[2].length = 1;
    v.views[2].as.in_place[0] = distinct ? 'a' : 'b';
    return v;
}

static void test_codes_of_a_host(void **state)
{
    (void)state;
    const uint8_t numbers[] = {3, 0, 2, 1, 3};
    const bool there[] = {true, false, true, true, true};
    uint32_t rank[5];
    lun_string got[5];
    lun_array *codes, *valid, *a, *found, *levels;
    OK(lun_vector(e, numbers, 5, LUN_U8, &codes));
    OK(lun_vector(e, there, 5, LUN_BOOL, &valid));
    for (int distinct = 0; distinct < 2; distinct++) {
        lun_text_made v = made_values(distinct);
        OK(lun_text_of_codes(e, codes, valid, &v, &a));
        assert_null(v.views);
        assert_int_equal(v.count, 0);
        OK(lun_text_read(e, a, 0, 5, got));
        assert_null(got[1].data);
        assert_int_equal(got[2].length, 32);
        assert_memory_equal(got[2].data, "a text of more", 14);
        OK(lun_text_codes(e, a, &found, &levels));
        OK(lun_read(e, found, rank, 0, 5));
        assert_memory_equal(
            rank, distinct ? ((uint32_t[]){1, 0, 2, 3, 1}) : ((uint32_t[]){2, 0, 1, 2, 2}),
            sizeof rank);
        assert_int_equal(lun_size(levels), distinct ? 3 : 2);
        lun_release(a);
        lun_release(found);
        lun_release(levels);
    }
    lun_text_made none = {.size = sizeof none, .distinct = true};
    OK(lun_vector(e, numbers, 0, LUN_U8, &a));
    OK(lun_text_of_codes(e, a, NULL, &none, &levels));
    assert_int_equal(lun_size(levels), 0);
    lun_release(a);
    lun_release(levels);
    lun_release(codes);
    lun_release(valid);
}

static void test_times_of_a_host(void **state)
{
    (void)state;
    char which = 0;
    int64_t x = 0;
    bool zoned = false;
    assert_true(lun_time_scan(LUN_DATE, "%d.%m.%Y", (lun_string){"01.02.1970", 10}, &x, &zoned));
    assert_int_equal(x, 31);
    assert_true(
        lun_time_scan(LUN_TIMESTAMP, NULL, (lun_string){"1970-01-01T01:00+01:00", 22}, &x, &zoned));
    assert_int_equal(x, 0);
    assert_true(zoned);
    assert_false(lun_time_scan(LUN_DATE, NULL, (lun_string){"1970-02-30", 10}, &x, &zoned));
    assert_false(lun_time_scan(LUN_F64, NULL, (lun_string){"1970-02-03", 10}, &x, &zoned));
    assert_null(lun_time_check(LUN_DATE, "%Y-%m-%d", false, &which));
    assert_non_null(lun_time_check(LUN_DATE, "%Y %H", false, &which));
    assert_int_equal(which, 'H');
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test_setup_teardown(test_values, kit_reference_open, kit_close),
        cmocka_unit_test_setup_teardown(test_order, kit_reference_open, kit_close),
        cmocka_unit_test_setup_teardown(test_account, kit_reference_open, kit_close),
        cmocka_unit_test_setup_teardown(test_utf8, kit_reference_open, kit_close),
        cmocka_unit_test_setup_teardown(test_arrays, kit_reference_open, kit_close),
        cmocka_unit_test_setup_teardown(test_codes_of_a_host, kit_reference_open, kit_close),
        cmocka_unit_test(test_times_of_a_host),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
