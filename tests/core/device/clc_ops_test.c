/* clc_ops_test.c - kernels in OpenCL C: what ops_cases.h says, on every device
 * and in every form. */
#include "clc_kit.h"

#include "ops_cases.h"

static int group(void)
{
    const struct CMUnitTest tests[] = {TEST(test_ops),          TEST(test_casts),
                                       TEST(test_stored_casts), TEST(test_random_bits),
                                       TEST(test_math_in_c),    TEST(test_ops_narrow),
                                       TEST(test_ops_numbers)};
    const struct CMUnitTest few[] = {tests[0], tests[1], tests[2], tests[3], tests[4]};
    if (cl_place.target.form == LUN_CL_VECTOR)
        return cmocka_run_group_tests(tests, NULL, NULL);
    return cmocka_run_group_tests(few, NULL, NULL); /* the others are about vectors */
}

int main(void)
{
    int failed = cl_run_all(group);
    lun__strbuf_free(&test_error);
    return failed;
}
