/* csv_test.c - decimal text to floats, beside the C library: known hard cases and random ones; what
 * a binding fills and runs itself (lun_blank_new, lun_host_share). */
#include "engine_kit.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "csv/number.h"
#include "lunarray_bind.h"

static void check(const char *text)
{
    char room[LUN__CSV_MARGIN * 2 + 1200] = {0};
    char *p = room + LUN__CSV_MARGIN;
    size_t n = strlen(text);
    double got = 0, wanted = strtod(text, NULL);
    assert_true(n < 1200);
    memcpy(p, text, n);
    assert_true(lun__csv_number_float(p, p + n, &got));
    if (memcmp(&got, &wanted, sizeof got) != 0)
        fail_msg("%s: %a, not %a", text, got, wanted);
    lun__csv_value v = lun__csv_number_value(p, p + n);
    assert_true(v.sort <= LUN__CSV_IS_FLOAT);
    got = lun__csv_number_of(v);
    assert_memory_equal(&got, &wanted, sizeof got);
}

/* Vern Paxson, "A Program for Testing IEEE Decimal-Binary Conversion" (1991), tables 1 and 2: close
 * to half way between two floats. */
static void test_paxson(void **state)
{
    static const char *const cases[] = {
        "5e125",
        "69e267",
        "999e-026",
        "7861e-034",
        "75569e-254",
        "928609e-261",
        "9210917e080",
        "84863171e114",
        "653777767e273",
        "5232604057e-298",
        "27235667517e-109",
        "653532977297e-123",
        "3142213164987e-294",
        "46202199371337e-072",
        "231010996856685e-073",
        "9324754620109615e212",
        "78459735791271921e049",
        "272104041512242479e200",
        "6802601037806061975e198",
        "20505426358836677347e-221",
        "836168422905420598437e-234",
        "4891559871276714924261e222",
        "9e-265",
        "85e-037",
        "623e100",
        "3571e263",
        "81661e153",
        "920657e-023",
        "4603285e-024",
        "87575437e-309",
        "245540327e122",
        "6138508175e120",
        "83356057653e193",
        "619534293513e124",
        "2335141086879e218",
        "36167929443327e-159",
        "609610927149051e-255",
        "3743626360493413e-165",
        "94080055902682397e-242",
        "899810892172646163e283",
        "7120190517612959703e120",
        "25188282901709339043e-252",
        "308984926168550152811e-052",
        "6372891218502368041059e064",
    };
    (void)state;
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++)
        check(cases[i]);
}

/* Numbers at the edges of the format; those that loops in PHP and Java once did not end for (Rick
 * Regan, exploringbinary.com, 2011); powers of ten of the table and beyond it. */
static void test_edges(void **state)
{
    static const char *const cases[] = {
        "2.2250738585072011e-308",
        "2.2250738585072012e-308",
        "2.2250738585072014e-308",
        "4.9406564584124654e-324",
        "2.4703282292062327e-324",
        "2.4703282292062328e-324",
        "1.7976931348623157e308",
        "1.7976931348623158e308",
        "1.7976931348623159e308",
        "9007199254740993",
        "9007199254740993.0000000000000000000000000000000001",
        "0.500000000000000166533453693773481063544750213623046875",
        "3.518437208883201171875e13",
        "62.5364939768271845828",
        "8.10109172351e-10",
        "1.50000000000000011102230246251565",
        "6.92949564460091516e18",
        "18446744073709551615",
        "18446744073709551616",
        "0.000000000000000000000000000000000000000000000000000000000000000000000000001e75",
        "-0",
        "-0.0",
        "0e999999999999",
        "1e99999999999999999999",
        "1e-99999999999999999999",
        "00000000000000000000000000000000000000000000000000012.5",
    };
    char text[64];
    (void)state;
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++)
        check(cases[i]);
    for (int q = -360; q <= 330; q++) {
        snprintf(text, sizeof text, "1e%d", q);
        check(text);
        snprintf(text, sizeof text, "9007199254740993e%d", q);
        check(text);
        snprintf(text, sizeof text, "18446744073709551615e%d", q);
        check(text);
    }
}

/* Digits that agree with a half for as long as can matter, and longer. */
static void test_long(void **state)
{
    char text[1100];
    (void)state;
    for (int zeros = 1; zeros < 1000; zeros += 37) {
        int n = snprintf(text, sizeof text, "9007199254740993.%0*d", zeros, 0);
        check(text);
        snprintf(text + n, sizeof text - (size_t)n, "1");
        check(text);
    }
    int n = snprintf(text, sizeof text, "0.%0*d", 900, 0);
    snprintf(text + n, sizeof text - (size_t)n, "123456789e902");
    check(text);
}

static uint64_t next(uint64_t *seed)
{
    *seed = *seed * UINT64_C(6364136223846793005) + UINT64_C(1442695040888963407);
    return *seed ^ *seed >> 29;
}

static void test_random(void **state)
{
    char text[128];
    uint64_t seed = 11;
    (void)state;
    for (int i = 0; i < 200000; i++) {
        uint64_t bits = next(&seed);
        double x;
        memcpy(&x, &bits, sizeof x);
        if (!isfinite(x))
            continue;
        snprintf(text, sizeof text, "%.*g", 1 + (int)(next(&seed) % 25), x);
        check(text);
        snprintf(text, sizeof text, "%llu.%llue%d", (unsigned long long)(next(&seed) >> bits % 64),
                 (unsigned long long)next(&seed), (int)(next(&seed) % 80) - 40);
        check(text);
        snprintf(text, sizeof text, "%.*f", (int)(next(&seed) % 18), (double)(int64_t)bits / 1e15);
        check(text);
    }
}

static void test_other_text(void **state)
{
    static const char *const cases[] = {"",     ".",   "-",   "+",   "e5",   "1e",
                                        "1e+",  "--1", "1 1", "0x1", "1.2.", "1e5.5",
                                        "1e5 ", "1_0", "1,5", "nan1"};
    (void)state;
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        char room[LUN__CSV_MARGIN * 2 + 16] = {0};
        double x;
        size_t n = strlen(cases[i]);
        memcpy(room + LUN__CSV_MARGIN, cases[i], n);
        assert_false(lun__csv_number_float(room + LUN__CSV_MARGIN, room + LUN__CSV_MARGIN + n, &x));
    }
}

/* ---- for bindings ---------------------------------------------------------------------------- */

enum { PARTS = 300, PART = 1000 };

static void fill(void *ctx, int64_t k)
{
    int64_t *to = ctx;
    for (int64_t i = 0; i < PART; i++)
        to[k * PART + i] += k * PART + i + 1;
}

static void test_blank(void **state)
{
    lun_blank *b;
    lun_array *a;
    void *data;
    lun_value v;
    (void)state;
    for (int64_t parts = 0; parts <= PARTS; parts += PARTS / 2) {
        OK(lun_blank_new(e, parts * PART, 8, &b, &data));
        memset(data, 0, (size_t)(parts * PART) * 8);
        lun_host_share(e, parts, data, fill);
        assert_int_equal(lun_blank_vector(e, b, LUN_F32, &a), LUN_EDTYPE);
        OK(lun_blank_vector(e, b, LUN_I64, &a));
        assert_int_equal(lun_length(a), parts * PART);
        OK(lun_total(e, LUN_SUM, a, 0, &v));
        assert_int_equal(v.as.i, parts * PART * (parts * PART + 1) / 2);
        lun_release(a);
    }
}

static void test_refused(void **state)
{
    lun_blank *b;
    lun_array *a;
    void *data;
    (void)state;
    assert_int_equal(lun_blank_new(e, 5, 3, &b, &data), LUN_EARG);
    assert_int_equal(lun_blank_new(e, 5, 8, NULL, &data), LUN_EARG);
    assert_int_equal(lun_blank_new(NULL, 5, 8, &b, &data), LUN_EARG);
    assert_true(lun_blank_new(e, -1, 8, &b, &data) != LUN_OK);
    assert_int_equal(lun_blank_vector(e, NULL, LUN_I64, &a), LUN_EARG);
    OK(lun_blank_new(e, 5, 1, &b, &data));
    lun_blank_drop(e, b);
    lun_blank_drop(e, NULL);
    int64_t one[PART] = {0};
    lun_host_share(NULL, 1, one, fill);
    lun_host_share(e, -1, one, fill);
    lun_host_share(e, 1, one, NULL);
    assert_int_equal(one[PART - 1], PART);
}

static int open_any(void **state)
{
    (void)state;
    return kit_engine_open(NULL);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_paxson),
        cmocka_unit_test(test_edges),
        cmocka_unit_test(test_long),
        cmocka_unit_test(test_random),
        cmocka_unit_test(test_other_text),
        cmocka_unit_test_setup_teardown(test_blank, open_any, kit_close),
        cmocka_unit_test_setup_teardown(test_refused, open_any, kit_close),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
