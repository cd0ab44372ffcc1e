/* kit_compare.h - a kernel run by the interpreter and by a kit, and compared bit for bit.  A kit
 * has kit, kit_kernel, kit_open, kit_close, kit_build, kit_release, kit_run, kit_show,
 * kit_group. */
#ifndef TEST_KIT_COMPARE_H
#define TEST_KIT_COMPARE_H

#include "kernels.h"

#include <math.h>
#include <stdio.h>

/* True if two elements have the same bits, or are both NaN (whose payload C leaves open). */
static inline bool same_element(lun_dtype t, const void *a, const void *b)
{
    if (!memcmp(a, b, lun__dtype_get(t)->bytes))
        return true;
    if (t == LUN_F32) {
        float x, y;
        memcpy(&x, a, sizeof x);
        memcpy(&y, b, sizeof y);
        return isnan(x) && isnan(y);
    }
    if (t == LUN_F64) {
        double x, y;
        memcpy(&x, a, sizeof x);
        memcpy(&y, b, sizeof y);
        return isnan(x) && isnan(y);
    }
    return false;
}

/* Runs ir interpreted (one thread) and compiled, and compares outputs, results and traps.  IN slots
 * and arguments are given; OUT slots are made here. */
static inline void kit_compare(kit *k, const lun_ir *ir, kit_kernel *kernel, void *const *in,
                               int64_t n, const uint64_t *args, int64_t bytes)
{
    void *want[128], *got[128];
    uint64_t want_results[64] = {0}, got_results[64] = {0};
    for (int s = 0; s < ir->slot_count; s++) {
        bool out = ir->slots[s].role == LUN_SLOT_OUT;
        int64_t size = lun__dtype_get((lun_dtype)ir->slots[s].dtype)->bytes;
        want[s] = out ? test_alloc(n, size) : in[s];
        got[s] = out ? test_alloc(n, size) : in[s];
    }
    test_run a = {.isa = k->isa,
                  .args = args,
                  .results = want_results,
                  .math = k->services.math,
                  .bytes = bytes};
    test_run b = a;
    b.results = got_results;
    lun_status s = run_ir(ir, want, n, &a), t = kit_run(k, kernel, ir, got, n, &b);
    /* which of several faulty elements is reported is not fixed */
    bool both_trap = a.trap >= 0 && b.trap >= 0;
    if (s != t && !both_trap) {
        kit_show(k, ir);
        fail_msg("n %lld: interpreted %s, compiled %s (%s)", (long long)n, lun_status_name(s),
                 lun_status_name(t), lun__strbuf_text(&k->error));
    }
    for (int q = 0; q < ir->slot_count; q++) {
        lun_dtype d = (lun_dtype)ir->slots[q].dtype;
        if (ir->slots[q].role != LUN_SLOT_OUT)
            continue;
        for (int64_t i = 0; s == LUN_OK && i < n; i++) {
            size_t at = (size_t)i * lun__dtype_get(d)->bytes;
            if (same_element(d, (char *)want[q] + at, (char *)got[q] + at))
                continue;
            uint64_t x = 0, y = 0;
            memcpy(&x, (char *)want[q] + at, lun__dtype_get(d)->bytes);
            memcpy(&y, (char *)got[q] + at, lun__dtype_get(d)->bytes);
            kit_show(k, ir);
            fail_msg("slot %d (%s), n %lld, index %lld: interpreted %llx, compiled %llx", q,
                     lun__dtype_get(d)->name, (long long)n, (long long)i, (unsigned long long)x,
                     (unsigned long long)y);
        }
        free(want[q]);
        free(got[q]);
    }
    for (int q = 0; s == LUN_OK && n > 0 && q < ir->result_count; q++)
        if (!same_element((lun_dtype)ir->results[q], &want_results[q], &got_results[q])) {
            kit_show(k, ir);
            fail_msg("result %d, n %lld: interpreted %llx, compiled %llx", q, (long long)n,
                     (unsigned long long)want_results[q], (unsigned long long)got_results[q]);
        }
}

#endif
