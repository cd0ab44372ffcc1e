/* openmp_combine_test.c - reductions and scans: machine code gives the interpreter's bits for every
 * operation, length, number of threads, and for functions in C and in IR. */
#include "openmp_kit.h"

#include "combine_cases.h"

/* ---- threads --------------------------------------------------------------------------------- */

/* One bit pattern for a sum and a scan, whatever the threads. */
static void test_thread_counts(void **state)
{
    (void)state;
    float *in = data(LUN_F32, 12345), *out = test_alloc(MOST, 4), *first = test_alloc(MOST, 4);
    uint64_t sum[4] = {0}, zero = 0;
    for (int i = 0; i < 4; i++) {
        kit k;
        lun_ir ir;
        kit_open(&k, "/tmp/lunarray-test-threads", "cc", LUN_JIT_SYNC, test_threads[i],
                 LUN_MATH_FAST);
        for (int scans = 0; scans < 2; scans++) {
            lun__ir_init(&ir);
            lun__ir_slot_add(&ir, LUN_F32, LUN_SLOT_IN);
            lun__ir_slot_add(&ir, LUN_F32, LUN_SLOT_OUT);
            int32_t x = ir_load(&ir, 0), a = ir_arg(&ir, LUN_F32);
            if (scans)
                ir_store(&ir, 1, ir_scan(&ir, LUN_OP_ADD, 0, false, x, a));
            else
                ir_reduce(&ir, LUN_OP_ADD, -1, x);
            kit_kernel kernel = kit_build(&k, &ir);
            for (int round = 0; round < 5; round++) {
                uint64_t result = 0;
                test_run run = {.args = &zero, .results = &result};
                assert_int_equal(
                    kit_run(&k, &kernel, &ir, (void *[2]){in, scans ? out : first}, MOST, &run),
                    LUN_OK);
                if (scans && i == 0 && round == 0)
                    memcpy(first, out, MOST * 4);
                if (scans)
                    assert_memory_equal(first, out, MOST * 4);
                else
                    sum[i] = result;
                assert_int_equal(sum[i], sum[0]);
            }
            kit_release(&k, &kernel);
            lun__ir_free(&ir);
        }
        assert_int_equal(k.stats.interpreted, 0);
        assert_int_equal(k.stats.compiles + k.stats.cache_hits, 2);
        kit_close(&k, i == 3);
    }
    free(in);
    free(out);
    free(first);
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
        TEST(test_reductions),
        TEST(test_places),
        TEST(test_scans),
        TEST(test_functions_in_ir),
        TEST(test_functions_in_c),
        TEST(test_user_text),
        cmocka_unit_test(test_thread_counts),
        cmocka_unit_test_setup_teardown(test_scans, set_up_narrow, tear_down),
    };
    int failed = kit_group(tests);
    lun__strbuf_free(&test_error);
    return failed;
}
