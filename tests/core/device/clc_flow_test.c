/* clc_flow_test.c - kernels in OpenCL C: what flow_cases.h says, on every device
 * and in every form. */
#include "clc_kit.h"

#include "flow_cases.h"

static int group(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(test_random_kernels)};
    kit_array_elements = TABLE;
    return cmocka_run_group_tests(tests, NULL, NULL);
}

int main(void)
{
    setenv("TEST_SEEDS", "0-16", 0); /* PoCL compiles slowly */
    int failed = cl_run_all(group);
    lun__strbuf_free(&test_error);
    return failed;
}
