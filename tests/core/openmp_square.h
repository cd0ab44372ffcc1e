/* openmp_square.h - a family of small kernels for tests of how kernels are compiled, and
 * compilers made of shell. */
#ifndef TEST_OPENMP_SQUARE_H
#define TEST_OPENMP_SQUARE_H

#include "openmp_kit.h"

#include <time.h>

enum { N = 20000 };

static float in[N], out[N + 64];

/* x * x + number, a kernel of its own for each number. */
static inline void write_square(lun_ir *ir, float number)
{
    uint64_t cell = 0;
    memcpy(&cell, &number, sizeof number);
    lun__ir_init(ir);
    lun__ir_slot_add(ir, LUN_F32, LUN_SLOT_IN);
    lun__ir_slot_add(ir, LUN_F32, LUN_SLOT_OUT);
    int32_t x = ir_load(ir, 0), c = ir_const(ir, LUN_F32, cell);
    ir_store(ir, 1,
             ir_op(ir, LUN_OP_ADD, LUN_F32, ir_op(ir, LUN_OP_MUL, LUN_F32, x, x, -1), c, -1));
}

static inline lun_kernel *build_square(kit *k, float number)
{
    lun_ir ir;
    lun_strbuf text = LUN_STRBUF_INIT;
    lun_kernel *kernel = NULL;
    write_square(&ir, number);
    lun__print_ir(&ir, &text);
    assert_int_equal(lun__backend_openmp.build(k->state, &ir, lun__strbuf_text(&text), &kernel),
                     LUN_OK);
    lun__strbuf_free(&text);
    lun__ir_free(&ir);
    return kernel;
}

static inline lun_status run_square(kit *k, lun_kernel *kernel, int64_t n)
{
    void *slots[2] = {in, out};
    int64_t room[2] = {N, N};
    lun_launch launch = {.n = n, .count = n, .slots = slots, .room = room, .trap = -1};
    memset(out, 0, sizeof out);
    return test_launch(&lun__backend_openmp, k->state, kernel, &launch);
}

static inline void check_square(kit *k, lun_kernel *kernel, float number, int64_t n)
{
    assert_int_equal(run_square(k, kernel, n), LUN_OK);
    for (int64_t i = 0; i < n; i++)
        assert_true(out[i] == in[i] * in[i] + number);
    assert_true(n + 63 > N || out[(n + 63) / 64 * 64] == 0); /* whole blocks at most */
}

/* Milliseconds in which a step that does not come is taken for a hang. */
enum { HANGS = 300000 };

/* Runs until the kernel is compiled. */
static inline void wait_until_compiled(kit *k, lun_kernel *kernel, float number)
{
    for (int i = 0; i < HANGS; i++) {
        int64_t before = k->stats.interpreted;
        check_square(k, kernel, number, 100);
        if (k->stats.interpreted == before)
            return;
        usleep(1000);
    }
    fail_msg("not compiled: %s", lun__strbuf_text(&k->log));
}

static char tools[64];

/* A compiler made of shell: "$o" is where the output belongs. */
static inline const char *script(const char *name, const char *body)
{
    static char path[160];
    snprintf(path, sizeof path, "%s/%s", tools, name);
    FILE *f = fopen(path, "w");
    assert_non_null(f);
    fprintf(f, "#!/bin/sh\nfor a; do test \"$last\" = -o && o=$a; last=$a; done\n%s\n", body);
    fclose(f);
    assert_int_equal(chmod(path, 0755), 0);
    return path;
}

static inline int set_up(void **state)
{
    (void)state;
    for (int i = 0; i < N; i++)
        in[i] = (float)(i % 100) / 4;
    snprintf(tools, sizeof tools, "/tmp/lunarray-tools-XXXXXX");
    return mkdtemp(tools) ? 0 : -1;
}

static inline int tear_down(void **state)
{
    (void)state;
    kit_remove(tools);
    return 0;
}

#endif
