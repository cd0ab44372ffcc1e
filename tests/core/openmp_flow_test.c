/* openmp_flow_test.c - control flow in machine code: random structured kernels, of values that are equal
 * for all indices and values that are not, against the interpreter.  TEST_SEEDS=a-b runs others. */
#include "openmp_kit.h"

#include "flow_cases.h"

int main(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(test_random_kernels)};
    int failed = kit_group(tests);
    lun_strbuf_free(&test_error);
    return failed;
}
