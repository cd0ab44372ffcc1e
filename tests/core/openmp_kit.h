/* openmp_kit.h - what the tests of the openmp backend share: engines' services with a cache of their own,
 * a kernel run by two backends and compared bit for bit.  Knows no kernel. */
#ifndef TEST_OPENMP_KIT_H
#define TEST_OPENMP_KIT_H

#include "kernels.h"

#include <math.h>
#include <stdio.h>
#include <sys/stat.h>

#include "cache.h"
#include "cstyle.h"
#include "openmp/jit.h"
#include "openmp/openmp.h"

/* TEST_ISA=0 or 1: tests run machine code for a smaller instruction set than this CPU's. */

/* ---- services ------------------------------------------------------------------------------------ */

typedef struct kit {
    lun_services services;
    lun_strbuf error, log;
    lun_stats stats;
    volatile int cancel;
    void *state;
    char dir[64];
    lun_isa isa;
    lun_jit_compiler jit; /* for another instruction set than the backend takes */
} kit;

/* A kernel of the backend, or one compiled for another instruction set. */
typedef struct kit_kernel {
    lun_kernel *kernel;
    lun_unit unit;
} kit_kernel;

static inline void kit_log(void *ctx, const char *text)
{
    kit *k = ctx;
    lun_strbuf_puts(&k->log, text);
    lun_strbuf_puts(&k->log, "\n");
}

/* dir "": no cache; NULL: a new one. */
static inline void kit_open(kit *k, const char *dir, const char *compiler, int jit, int threads,
                            int math)
{
    memset(k, 0, sizeof *k);
    snprintf(k->dir, sizeof k->dir, "%s", dir ? dir : "/tmp/lunarray-test-XXXXXX");
    if (!dir)
        assert_non_null(mkdtemp(k->dir));
    k->services = (lun_services){.error = &k->error,
                                 .stats = &k->stats,
                                 .compiler = compiler,
                                 .threads = threads,
                                 .jit = jit,
                                 .math = math,
                                 .log = kit_log,
                                 .log_ctx = k,
                                 .cancel = &k->cancel};
    assert_int_equal(lun_cache_open(k->dir, kit_log, k, &k->services.cache), LUN_OK);
    assert_int_equal(lun_backend_openmp.open(&k->services, 0, &k->state), LUN_OK);
    const char *isa = getenv("TEST_ISA");
    k->isa = isa ? (lun_isa)atoi(isa) : lun_isa_here();
    lun_jit_init(&k->jit, &k->services, k->isa);
}

static inline void kit_remove(const char *dir)
{
    char command[128];
    snprintf(command, sizeof command, "rm -rf '%s'", dir);
    assert_int_equal(system(command), 0);
}

static inline void kit_close(kit *k, bool remove)
{
    if (k->log.length)
        fprintf(stderr, "%s", lun_strbuf_text(&k->log));
    lun_backend_openmp.close(k->state);
    lun_jit_finish(&k->jit);
    lun_cache_close(k->services.cache);
    if (remove && k->dir[0])
        kit_remove(k->dir);
    lun_strbuf_free(&k->error);
    lun_strbuf_free(&k->log);
}

/* ---- runs ---------------------------------------------------------------------------------------- */

static inline lun_status kit_run_unit(kit *k, const lun_unit *unit, const lun_ir *ir,
                                      lun_launch *launch)
{
    const lun_exec exec = {.body = unit->kernel,
                           .total = unit->total,
                           .combine = unit->combine,
                           .math = lun_vecmath(k->isa, (lun_math)k->services.math)};
    const lun_team team = {k->services.threads, test_parallel};
    return lun_host_run(&k->services, &exec, &team, ir, lun_ir_cost(ir), launch);
}

static inline lun_status kit_run(kit *k, kit_kernel *kernel, const lun_ir *ir, void **slots,
                                 int64_t n, test_run *run)
{
    int64_t room[128];
    assert_true(ir->slot_count <= 128);
    for (int i = 0; i < ir->slot_count; i++)
        room[i] = INT64_MAX;
    lun_launch launch = {.n = n,
                         .first = run->first,
                         .count = n - run->first,
                         .slots = slots,
                         .room = run->room ? run->room : room,
                         .args = run->args,
                         .results = run->results,
                         .bytes = run->bytes,
                         .trap = -1};
    lun_status s = kernel->kernel ? lun_backend_openmp.run(k->state, kernel->kernel, &launch)
                                  : kit_run_unit(k, &kernel->unit, ir, &launch);
    run->trap = launch.trap;
    run->trap_value = launch.trap_value;
    if (s == LUN_EBUILD || s == LUN_EBACKEND)
        fprintf(stderr, "%s\n", lun_strbuf_text(&k->error));
    return s;
}

static inline kit_kernel kit_build(kit *k, const lun_ir *ir)
{
    lun_strbuf text = LUN_STRBUF_INIT;
    kit_kernel made = {.kernel = NULL};
    ir_check_valid(ir);
    if (k->isa != lun_isa_here()) {
        lun_cstyle_target target = {k->isa, lun_vecmath(k->isa, (lun_math)k->services.math)};
        assert_int_equal(lun_cstyle_openmp(ir, &target, &text, &made.unit.needs), LUN_OK);
        made.unit.source = text.text;
        if (lun_jit_wait(&k->jit, &made.unit) != LUN_OK)
            fail_msg("%s", lun_strbuf_text(&made.unit.message));
        return made;
    }
    assert_int_equal(lun_ir_print(ir, &text), LUN_OK);
    if (lun_backend_openmp.build(k->state, ir, lun_strbuf_text(&text), &made.kernel) != LUN_OK)
        fail_msg("%s", lun_strbuf_text(&k->error));
    lun_strbuf_free(&text);
    return made;
}

static inline void kit_release(kit *k, kit_kernel *kernel)
{
    if (kernel->kernel)
        lun_backend_openmp.release(k->state, kernel->kernel);
    lun_unit_free(&kernel->unit);
}

static inline void kit_show(kit *k, const lun_ir *ir)
{
    lun_strbuf text = LUN_STRBUF_INIT;
    lun_cstyle_target target = {k->isa, lun_vecmath(k->isa, (lun_math)k->services.math)};
    unsigned libs;
    lun_ir_print(ir, &text);
    lun_cstyle_openmp(ir, &target, &text, &libs);
    fprintf(stderr, "%s\n%s\n", lun_strbuf_text(&text), lun_strbuf_text(&k->log));
    lun_strbuf_free(&text);
}

/* True if two elements have the same bits, or are both NaN (whose payload C leaves open). */
static inline bool same_element(lun_dtype t, const void *a, const void *b)
{
    if (!memcmp(a, b, lun_dtype_get(t)->bytes))
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

/* Runs ir interpreted (one thread) and compiled, and compares outputs, results and traps.  IN slots and
 * arguments are given; OUT slots are made here. */
static inline void kit_compare(kit *k, const lun_ir *ir, kit_kernel *kernel, void *const *in,
                               int64_t n, const uint64_t *args, int64_t bytes)
{
    void *want[128], *got[128];
    uint64_t want_results[64] = {0}, got_results[64] = {0};
    for (int s = 0; s < ir->slot_count; s++) {
        bool out = ir->slots[s].role == LUN_SLOT_OUT;
        int64_t size = lun_dtype_get((lun_dtype)ir->slots[s].dtype)->bytes;
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
                 lun_status_name(t), lun_strbuf_text(&k->error));
    }
    for (int q = 0; q < ir->slot_count; q++) {
        lun_dtype d = (lun_dtype)ir->slots[q].dtype;
        if (ir->slots[q].role != LUN_SLOT_OUT)
            continue;
        for (int64_t i = 0; s == LUN_OK && i < n; i++) {
            size_t at = (size_t)i * lun_dtype_get(d)->bytes;
            if (same_element(d, (char *)want[q] + at, (char *)got[q] + at))
                continue;
            uint64_t x = 0, y = 0;
            memcpy(&x, (char *)want[q] + at, lun_dtype_get(d)->bytes);
            memcpy(&y, (char *)got[q] + at, lun_dtype_get(d)->bytes);
            kit_show(k, ir);
            fail_msg("slot %d (%s), n %lld, index %lld: interpreted %llx, compiled %llx", q,
                     lun_dtype_get(d)->name, (long long)n, (long long)i, (unsigned long long)x,
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
