/* clc_combine_test.c - kernels in OpenCL C: what combine_cases.h says, on every device
 * and in every form. */
#include "clc_kit.h"

#include "combine_cases.h"

static int group(void)
{
    const struct CMUnitTest tests[] = {TEST(test_reductions),     TEST(test_places),
                                       TEST(test_scans),          TEST(test_functions_in_ir),
                                       TEST(test_functions_in_c), TEST(test_user_text)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}

int main(void)
{
    int failed = cl_run_all(group);
    lun__strbuf_free(&test_error);
    return failed;
}
