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

int main(void)
{
    const struct CMUnitTest tests[] = {
        TEST(test_ops),
        TEST(test_ops_narrow),
        TEST(test_ops_numbers),
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
