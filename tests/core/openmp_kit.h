/* openmp_kit.h - a kernel built and run by the openmp backend, with services and a cache of its
 * own; one of the kits that *_cases.h take.  Knows no kernel. */
#ifndef TEST_OPENMP_KIT_H
#define TEST_OPENMP_KIT_H

#include "kernels.h"

#include <math.h>
#include <stdio.h>
#include <sys/stat.h>

#include "cache/cache.h"
#include "openmp/compiler/jit.h"
#include "openmp/openmp.h"
#include "render/render.h"
#include "texts.h"

/* TEST_ISA=0 or 1: tests run machine code for a smaller instruction set than this CPU's. */

/* ---- services -------------------------------------------------------------------------------- */

typedef struct kit {
    lun_services services;
    lun_strbuf error, log;
    lun_stats stats;
    volatile int cancel;
    void *state;
    lun_abilities can;
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
    lun__strbuf_puts(&k->log, text);
    lun__strbuf_puts(&k->log, "\n");
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
                                 .bits = LUN_BITS,
                                 .log = kit_log,
                                 .log_ctx = k,
                                 .cancel = &k->cancel};
    assert_int_equal(lun__cache_open(k->dir, LUN_CACHE_SIZE, kit_log, k, &k->services.cache),
                     LUN_OK);
    assert_int_equal(lun__backend_openmp.open(&k->services, &(lun_opening){0}, &k->state, &k->can),
                     LUN_OK);
    const char *isa = getenv("TEST_ISA");
    k->isa = isa ? (lun_isa)atoi(isa) : lun__isa_here();
    lun__jit_init(&k->jit, &k->services, k->isa);
}

/* From here on kernels are for vectors of 16 bytes, whatever this CPU has. */
static inline void kit_narrow(kit *k)
{
    lun__jit_finish(&k->jit);
    k->isa = LUN_ISA_BASE;
    lun__jit_init(&k->jit, &k->services, k->isa);
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
        fprintf(stderr, "%s", lun__strbuf_text(&k->log));
    lun__backend_openmp.close(k->state);
    lun__jit_finish(&k->jit);
    lun__cache_close(k->services.cache);
    if (remove && k->dir[0])
        kit_remove(k->dir);
    lun__strbuf_free(&k->error);
    lun__strbuf_free(&k->log);
}

/* ---- runs ------------------------------------------------------------------------------------ */

static inline lun_status kit_run_unit(kit *k, const lun_unit *unit, const lun_ir *ir,
                                      lun_launch *launch, uint64_t *results)
{
    const lun_exec exec = {.body = unit->kernel, .total = unit->total, .combine = unit->combine};
    const lun_team team = {.threads = k->services.threads, .parallel = test_parallel};
    return test_host_run(&k->services, &exec, &team, ir, lun__ir_cost(ir), launch, results);
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
                         .bytes = run->bytes,
                         .trap = -1};
    lun_status s = kernel->kernel ? test_backend_run(&lun__backend_openmp, k->state, kernel->kernel,
                                                     ir, &launch, run->results)
                                  : kit_run_unit(k, &kernel->unit, ir, &launch, run->results);
    run->trap = launch.trap;
    run->trap_value = launch.trap_value;
    if (s == LUN_EBUILD || s == LUN_EBACKEND)
        fprintf(stderr, "%s\n", lun__strbuf_text(&k->error));
    return s;
}

static inline kit_kernel kit_build(kit *k, const lun_ir *ir)
{
    lun_strbuf text = LUN_STRBUF_INIT;
    kit_kernel made = {.kernel = NULL};
    ir_check_valid(ir);
    texts_note(ir);
    if (k->isa != lun__isa_here()) {
        lun_render_target target = {k->isa, lun__backend_version(&k->services)};
        assert_int_equal(lun__gnu_render(ir, &target, &text, &made.unit.needs), LUN_OK);
        made.unit.source = text.text;
        if (lun__jit_wait(&k->jit, &made.unit) != LUN_OK)
            fail_msg("%s", lun__strbuf_text(&made.unit.message));
        return made;
    }
    assert_int_equal(lun__print_ir(ir, &text), LUN_OK);
    if (lun__backend_openmp.build(k->state, ir, lun__strbuf_text(&text), &made.kernel) != LUN_OK)
        fail_msg("%s", lun__strbuf_text(&k->error));
    lun__strbuf_free(&text);
    return made;
}

static inline void kit_release(kit *k, kit_kernel *kernel)
{
    if (kernel->kernel)
        lun__backend_openmp.release(k->state, kernel->kernel);
    lun__unit_result_free(&kernel->unit);
}

static inline void kit_show(kit *k, const lun_ir *ir)
{
    lun_strbuf text = LUN_STRBUF_INIT;
    lun_render_target target = {k->isa, lun__backend_version(&k->services)};
    unsigned libs;
    lun__print_ir(ir, &text);
    lun__gnu_render(ir, &target, &text, &libs);
    fprintf(stderr, "%s\n%s\n", lun__strbuf_text(&text), lun__strbuf_text(&k->log));
    lun__strbuf_free(&text);
}

/* The tests, and the texts of all kernels that they build. */
#define kit_group(tests) texts_check(cmocka_run_group_tests(tests, NULL, NULL), __FILE__)

#include "kit_compare.h"

#endif
