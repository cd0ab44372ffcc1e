/* openmp_flow_test.c - control flow in machine code: random structured kernels, of values
 * that are equal for all indices and values that are not, against the interpreter.
 * TEST_SEEDS=a-b runs others. */
#include "openmp_kit.h"

#include "flow_cases.h"

/* Kernels that went wrong once, each on the instruction sets up to the one here. */
static void test_known_kernels(void **state)
{
    static const uint64_t seeds[] = {
        383,  /* 64-bit elements outside of a loop in narrower lanes take two vectors */
        2225, /* a loop that all lanes leave at once, its rounds counted in lanes */
    };
    (void)state;
    for (lun_isa isa = LUN_ISA_BASE; isa <= lun__isa_here(); isa++) {
        kit k;
        kit_open(&k, "", "cc", LUN_JIT_SYNC, 1, LUN_MATH_FAST);
        k.isa = isa;
        lun__jit_init(&k.jit, &k.services, isa);
        for (size_t i = 0; i < sizeof seeds / sizeof *seeds; i++)
            check_kernel(&k, seeds[i]);
        assert_int_equal(k.stats.interpreted,
                         0); /* a kernel that does not compile is no comparison */
        kit_close(&k, false);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(test_random_kernels),
                                       cmocka_unit_test(test_known_kernels)};
    int failed = kit_group(tests);
    lun__strbuf_free(&test_error);
    return failed;
}
