/* kernels.h - what the tests of host and interpreter share: threads, random data, memory that ends
 * at a page that must not be touched, short ways to write IR. Knows no oracle. */
#ifndef TEST_KERNELS_H
#define TEST_KERNELS_H

#include <pthread.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

#include <cmocka.h>

#include "backend.h"
#include "host/host.h"
#include "ir/ir.h"
#include "reference/reference.h"
#include "table/dtype.h"

static const int64_t test_lengths[] = {0, 1, 7, 63, 64, 65, 1000, 16384, 16385, 70000};
static const int test_threads[] = {1, 2, 3, 7};
enum { LENGTHS = 10, THREADS = 4 };

/* ---- threads --------------------------------------------------------------------------------- */

typedef struct test_worker {
    void *ctx;
    int worker;
    void (*task)(void *ctx, int worker);
} test_worker;

static inline void *test_thread(void *arg)
{
    test_worker *w = arg;
    w->task(w->ctx, w->worker);
    return NULL;
}

static inline void test_parallel(const lun_team *team, void *ctx, int workers,
                                 void (*task)(void *ctx, int worker))
{
    (void)team;
    pthread_t threads[16];
    test_worker w[16];
    assert_true(workers >= 2 && workers <= 16);
    for (int i = 0; i < workers; i++) {
        w[i] = (test_worker){ctx, i, task};
        if (i)
            assert_int_equal(pthread_create(&threads[i], NULL, test_thread, &w[i]), 0);
    }
    task(ctx, 0);
    for (int i = 1; i < workers; i++)
        pthread_join(threads[i], NULL);
}

/* ---- services -------------------------------------------------------------------------------- */

static lun_strbuf test_error = LUN_STRBUF_INIT;
static lun_stats test_stats;
static volatile int cancel_flag;

static inline lun_services test_services(void)
{
    cancel_flag = 0;
    lun__strbuf_clear(&test_error);
    return (lun_services){
        .error = &test_error, .stats = &test_stats, .cancel = &cancel_flag, .bits = LUN_BITS};
}

/* ---- data ------------------------------------------------------------------------------------ */

static inline uint64_t test_random(uint64_t *state)
{
    uint64_t z = (*state += 0x9e3779b97f4a7c15u);
    z = (z ^ (z >> 30)) * 0xbf58476d1ce4e5b9u;
    z = (z ^ (z >> 27)) * 0x94d049bb133111ebu;
    return z ^ (z >> 31);
}

/* Memory of `bytes` bytes that ends exactly at a page without access. */
typedef struct test_memory {
    char *map, *data;
    size_t length;
} test_memory;

static inline test_memory test_guarded(size_t bytes)
{
    size_t page = (size_t)sysconf(_SC_PAGESIZE), used = (bytes + page - 1) / page * page;
    test_memory m = {.length = used + page};
    m.map = mmap(NULL, m.length, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
    assert_true(m.map != MAP_FAILED);
    assert_int_equal(mprotect(m.map + used, page, PROT_NONE), 0);
    m.data = m.map + used - bytes;
    return m;
}

static inline void test_guarded_free(test_memory *m)
{
    munmap(m->map, m->length);
}

/* Room for n elements and the rest of a block of 64. */
static inline void *test_alloc(int64_t n, int64_t size)
{
    size_t bytes = (size_t)((n + 63) / 64 * 64 * size + 64);
    void *p = aligned_alloc(64, (bytes + 63) / 64 * 64);
    assert_non_null(p);
    memset(p, 0xa5, bytes);
    return p;
}

/* ---- IR -------------------------------------------------------------------------------------- */

static inline int32_t ir_add(lun_ir *ir, lun_ir_ins ins)
{
    int i = lun__ir_add(ir, ins);
    assert_true(i >= 0);
    return i;
}

static inline int32_t ir_load(lun_ir *ir, int slot)
{
    return ir_add(ir, (lun_ir_ins){.kind = LUN_IR_LOAD,
                                   .dtype = ir->slots[slot].dtype,
                                   .a = -1,
                                   .b = -1,
                                   .c = -1,
                                   .imm = slot});
}

static inline int32_t ir_store(lun_ir *ir, int slot, int32_t value)
{
    return ir_add(ir, (lun_ir_ins){.kind = LUN_IR_STORE,
                                   .dtype = ir->slots[slot].dtype,
                                   .a = value,
                                   .b = -1,
                                   .c = -1,
                                   .imm = slot});
}

static inline int32_t ir_index(lun_ir *ir)
{
    return ir_add(ir,
                  (lun_ir_ins){.kind = LUN_IR_INDEX, .dtype = LUN_I64, .a = -1, .b = -1, .c = -1});
}

static inline int32_t ir_const(lun_ir *ir, lun_dtype t, uint64_t cell)
{
    return ir_add(ir, (lun_ir_ins){.kind = LUN_IR_CONST,
                                   .dtype = (uint8_t)t,
                                   .a = -1,
                                   .b = -1,
                                   .c = -1,
                                   .imm = (int64_t)cell});
}

static inline int32_t ir_arg(lun_ir *ir, lun_dtype t)
{
    int arg = lun__ir_arg_add(ir, t);
    return ir_add(
        ir, (lun_ir_ins){
                .kind = LUN_IR_ARG, .dtype = (uint8_t)t, .a = -1, .b = -1, .c = -1, .imm = arg});
}

static inline lun_dtype ir_result_of(lun_op op, lun_dtype from)
{
    int rule = lun__op_get(op)->rule;
    return rule == LUN_RULE_CMP || rule == LUN_RULE_LOGIC || rule == LUN_RULE_TEST ? LUN_BOOL
                                                                                   : from;
}

static inline int32_t ir_op(lun_ir *ir, lun_op op, lun_dtype from, int32_t a, int32_t b, int32_t c)
{
    return ir_add(ir, (lun_ir_ins){.kind = LUN_IR_OP,
                                   .dtype = (uint8_t)ir_result_of(op, from),
                                   .from = (uint8_t)from,
                                   .op = (int32_t)op,
                                   .a = a,
                                   .b = b,
                                   .c = c});
}

static inline int32_t ir_cast(lun_ir *ir, lun_dtype to, int32_t a)
{
    return ir_add(ir, (lun_ir_ins){.kind = LUN_IR_CAST,
                                   .dtype = (uint8_t)to,
                                   .from = ir->ins[a].dtype,
                                   .a = a,
                                   .b = -1,
                                   .c = -1});
}

static inline int32_t ir_reduce(lun_ir *ir, lun_op op, int function, int32_t a)
{
    int result = lun__ir_result_add(ir, (lun_dtype)ir->ins[a].dtype);
    ir_add(ir, (lun_ir_ins){.kind = LUN_IR_REDUCE,
                            .dtype = ir->ins[a].dtype,
                            .op = (int32_t)op,
                            .a = a,
                            .b = -1,
                            .c = function,
                            .imm = result});
    return result;
}

/* By min or max, with the place. */
static inline int32_t ir_reduce_places(lun_ir *ir, lun_op op, int32_t a)
{
    int32_t result = ir_reduce(ir, op, -1, a);
    lun__ir_result_add(ir, LUN_I64);
    ir->ins[ir->count - 1].with_index = 1;
    return result;
}

static inline int32_t ir_scan(lun_ir *ir, lun_op op, int function, bool inclusive, int32_t a,
                              int32_t initial)
{
    return ir_add(ir, (lun_ir_ins){.kind = LUN_IR_SCAN,
                                   .dtype = ir->ins[a].dtype,
                                   .op = (int32_t)op,
                                   .a = a,
                                   .b = initial,
                                   .c = function,
                                   .inclusive = inclusive});
}

/* Control flow and variables: a, b and imm as the kind means them. */
static inline int32_t ir_flow(lun_ir *ir, lun_ir_kind kind, int32_t a, int32_t b, int64_t imm)
{
    uint8_t dtype = kind == LUN_IR_VAR || kind == LUN_IR_GET ? ir->ins[a].dtype : 0;
    return ir_add(
        ir,
        (lun_ir_ins){.kind = (uint8_t)kind, .dtype = dtype, .a = a, .b = b, .c = -1, .imm = imm});
}

static inline void ir_check_valid(const lun_ir *ir)
{
    lun_strbuf why = LUN_STRBUF_INIT;
    if (lun__ir_verify(ir, &why) != LUN_OK)
        fail_msg("%s", lun__strbuf_text(&why));
    lun__strbuf_free(&why);
}

/* ---- results --------------------------------------------------------------------------------- */

/* What joins the chunks of a launch: a backend or, without one, exec. */
typedef struct test_joint {
    const lun_backend *backend;
    void *state;
    lun_kernel *kernel;
    const lun_services *services;
    const lun_exec *exec;
    const lun_ir *ir;
    lun_launch *launch;
} test_joint;

static inline lun_status test_combine(void *ctx, void *rows, int64_t pairs)
{
    const test_joint *j = ctx;
    const lun_work work = lun__work_combine(j->kernel, j->launch, rows, pairs);
    if (j->backend)
        return lun__backend_work_do(j->backend, j->state, &work);
    return lun__host_run_combine(j->services, j->exec, j->ir->result_count, j->launch, rows, pairs);
}

/* Room for the cells of a launch's chunks. */
static inline uint64_t *test_cells(const lun_ir *ir, int64_t count)
{
    uint64_t *cells = calloc((size_t)(lun__order_chunks(ir, count) * ir->result_count) + 1, 8);
    assert_non_null(cells);
    return cells;
}

/* What becomes of a launch that ended so: its chunks joined in results, its memory freed. */
static inline lun_status test_joined(test_joint *j, lun_status s, uint64_t *results)
{
    const size_t row = (size_t)j->ir->result_count * sizeof *results;
    if (s == LUN_OK && row && j->launch->count > 0) {
        s = lun__order_join(j->launch->partials, lun__order_chunks(j->ir, j->launch->count), row,
                            test_combine, j);
        if (s == LUN_OK)
            memcpy(results, j->launch->partials, row);
    }
    free(j->launch->partials);
    return s;
}

static inline lun_status test_host_run(const lun_services *services, const lun_exec *exec,
                                       const lun_team *team, const lun_ir *ir, int64_t cost,
                                       lun_launch *launch, uint64_t *results)
{
    test_joint j = {.services = services, .exec = exec, .ir = ir, .launch = launch};
    launch->partials = test_cells(ir, launch->count);
    return test_joined(&j, lun__host_run(services, exec, team, ir, cost, launch), results);
}

static inline lun_status test_launch(const lun_backend *b, void *state, lun_kernel *kernel,
                                     lun_launch *launch)
{
    const lun_work work = lun__work_launch(kernel, launch);
    return lun__backend_work_do(b, state, &work);
}

static inline lun_status test_backend_run(const lun_backend *b, void *state, lun_kernel *kernel,
                                          const lun_ir *ir, lun_launch *launch, uint64_t *results)
{
    test_joint j = {.backend = b, .state = state, .kernel = kernel, .ir = ir, .launch = launch};
    launch->partials = test_cells(ir, launch->count);
    return test_joined(&j, test_launch(b, state, kernel, launch), results);
}

/* ---- running --------------------------------------------------------------------------------- */

/* How a kernel is interpreted. */
typedef struct test_run {
    int threads, math;
    lun_isa isa;
    int64_t first; /* index to start at */
    int64_t bytes; /* as launch.bytes: more than the caches, and stores bypass them */
    const uint64_t *args;
    uint64_t *results;
    const int64_t *room; /* NULL: whole blocks everywhere */
    int trap;            /* out, as the launch says */
    int64_t trap_value;
} test_run;

static inline lun_status run_ir(const lun_ir *ir, void **slots, int64_t n, test_run *run)
{
    lun_interp *interp;
    int64_t room[64];
    lun_services services = test_services();
    lun_team team = {.threads = run->threads ? run->threads : 1, .parallel = test_parallel};
    ir_check_valid(ir);
    assert_true(ir->slot_count <= 64);
    for (int i = 0; i < ir->slot_count; i++)
        room[i] = INT64_MAX;
    lun_status s = lun__interpreter_make_isa(
        ir, run->math == LUN_MATH_PRECISE ? LUN_VERSION_NONE : 0, run->isa, &interp);
    if (s != LUN_OK)
        return s;
    lun_launch launch = {.n = n,
                         .first = run->first,
                         .count = n - run->first,
                         .slots = slots,
                         .room = run->room ? run->room : room,
                         .args = run->args,
                         .bytes = run->bytes,
                         .trap = -1};
    s = test_host_run(&services, lun__interpreter_exec(interp), &team, ir, lun__ir_cost(ir),
                      &launch, run->results);
    run->trap = launch.trap;
    run->trap_value = launch.trap_value;
    lun__interpreter_free(interp);
    return s;
}

#endif
