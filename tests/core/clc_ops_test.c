/* clc_ops_test.c - kernels in OpenCL C: what ops_cases.h says, on every device and in every form. */
#include "clc_kit.h"

#include "ops_cases.h"

static int group(void)
{
    const struct CMUnitTest tests[] = {TEST(test_ops),         TEST(test_ops_narrow),
                                       TEST(test_ops_numbers), TEST(test_casts),
                                       TEST(test_random_bits), TEST(test_math_in_c)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}

int main(void)
{
    int failed = cl_run_all(group);
    lun_strbuf_free(&test_error);
    return failed;
}
