/* stream_test.c - slots whose elements are not in memory: the same results as from memory, each
 * element read once, and what happens when one cannot be read. */
#include "kernels.h"

#include <stdatomic.h>

enum { SHIFT = 5, FAILURE = 77 };

/* Elements that are handed out on demand, from `origin` on. */
typedef struct tape {
    const char *data;
    int size; /* of an element */
    atomic_llong given;
    atomic_int reads;
    int64_t bad; /* the element that cannot be read, -1 */
} tape;

static int read_tape(const void *self, int64_t first, int64_t count, void *to)
{
    tape *t = (tape *)(uintptr_t)self;
    assert_true(first >= SHIFT && count > 0);
    if (t->bad >= first - SHIFT && t->bad < first - SHIFT + count)
        return FAILURE;
    memcpy(to, t->data + (first - SHIFT) * t->size, (size_t)(count * t->size));
    atomic_fetch_add(&t->given, count);
    atomic_fetch_add(&t->reads, 1);
    return 0;
}

typedef enum shape { MAP, SUM, SCAN, SHAPES } shape;

/* out = 3 a + b (u8, u64), the sums of both that way, or its running sums. */
static void make(lun_ir *ir, shape what)
{
    lun__ir_init(ir);
    lun__ir_slot_add(ir, LUN_U8, LUN_SLOT_IN);
    lun__ir_slot_add(ir, LUN_U64, LUN_SLOT_IN);
    if (what != SUM)
        lun__ir_slot_add(ir, LUN_U64, LUN_SLOT_OUT);
    int32_t a = ir_cast(ir, LUN_U64, ir_load(ir, 0)), b = ir_load(ir, 1);
    int32_t x = ir_op(ir, LUN_OP_MUL, LUN_U64, a, ir_const(ir, LUN_U64, 3), -1);
    x = ir_op(ir, LUN_OP_ADD, LUN_U64, x, b, -1);
    if (what == SUM) {
        ir_reduce(ir, LUN_OP_ADD, -1, x);
        ir_reduce(ir, LUN_OP_BXOR, -1, x);
    } else {
        if (what == SCAN)
            x = ir_scan(ir, LUN_OP_ADD, 0, false, x, ir_const(ir, LUN_U64, 9));
        ir_store(ir, 2, x);
    }
    ir_check_valid(ir);
}

typedef struct job {
    shape what;
    int64_t n, first;
    int threads;
    bool both; /* both operands are streamed, else the bytes alone */
    tape tapes[2];
    uint64_t *out, results[2];
    lun_launch launch;
} job;

static lun_status run(job *j, bool streamed, int64_t cost)
{
    lun_ir ir;
    lun_interp *interp;
    make(&ir, j->what);
    assert_int_equal(lun__interpreter_make(&ir, LUN_MATH_FAST, &interp), LUN_OK);
    lun_services services = test_services();
    lun_team team = {.threads = j->threads, .parallel = test_parallel};
    lun_stream streams[3] = {{.read = read_tape, .self = &j->tapes[0], .origin = SHIFT}};
    int64_t rooms[3] = {j->n, j->n, j->n};
    void *slots[3] = {(void *)(uintptr_t)j->tapes[0].data, (void *)(uintptr_t)j->tapes[1].data,
                      j->out};
    if (streamed) {
        slots[0] = NULL;
        rooms[0] = INT64_MAX;
    }
    if (streamed && j->both) {
        streams[1] = (lun_stream){.read = read_tape, .self = &j->tapes[1], .origin = SHIFT};
        slots[1] = NULL;
        rooms[1] = INT64_MAX;
    }
    j->launch = (lun_launch){.n = j->n,
                             .first = j->first,
                             .count = j->n - j->first,
                             .slots = slots,
                             .room = rooms,
                             .streams = streamed ? streams : NULL,
                             .bytes = 17 * j->n};
    lun_status s = test_host_run(&services, lun__interpreter_exec(interp), &team, &ir, cost,
                                 &j->launch, j->results);
    lun__interpreter_free(interp);
    lun__ir_free(&ir);
    return s;
}

static void open_job(job *j, uint8_t *bytes, uint64_t *words)
{
    uint64_t state = 7;
    for (int64_t i = 0; i < j->n; i++) {
        bytes[i] = (uint8_t)test_random(&state);
        words[i] = test_random(&state);
    }
    j->tapes[0] = (tape){.data = (char *)bytes, .size = 1, .bad = -1};
    j->tapes[1] = (tape){.data = (char *)words, .size = 8, .bad = -1};
}

static void compare(job *j)
{
    uint8_t *bytes = calloc((size_t)j->n, 1);
    uint64_t *words = calloc((size_t)j->n, 8), *want = calloc((size_t)j->n, 8), results[2];
    j->out = calloc((size_t)j->n, 8);
    assert_true(bytes && words && want && j->out);
    open_job(j, bytes, words);
    assert_int_equal(run(j, false, 3), LUN_OK);
    memcpy(want, j->out, (size_t)j->n * 8);
    memcpy(results, j->results, sizeof results);
    for (int heavy = 0; heavy < 2; heavy++) {
        memset(j->out, 0, (size_t)j->n * 8);
        memset(j->results, 0, sizeof j->results);
        j->tapes[0].given = j->tapes[1].given = 0;
        assert_int_equal(run(j, true, heavy ? 5000 : 3), LUN_OK);
        assert_memory_equal(&j->out[j->first], &want[j->first], (size_t)(j->n - j->first) * 8);
        assert_memory_equal(j->results, results, sizeof results);
        assert_int_equal(j->tapes[0].given, j->n - j->first);
        assert_int_equal(j->tapes[1].given, j->both ? j->n - j->first : 0);
    }
    free(bytes);
    free(words);
    free(want);
    free(j->out);
}

static void test_same_as_memory(void **state)
{
    (void)state;
    static const int64_t lengths[] = {1, 63, 65, 16384, 70001, 700001};
    for (int k = 0; k < 6; k++)
        for (int t = 0; t < THREADS; t++)
            for (int what = 0; what < SHAPES; what++)
                for (int both = 0; both < 2; both++)
                    compare(&(job){.what = (shape)what,
                                   .n = lengths[k],
                                   .threads = test_threads[t],
                                   .both = both});
}

static void test_part_of_the_indices(void **state)
{
    (void)state;
    for (int t = 0; t < THREADS; t++)
        compare(&(job){.n = 300001, .first = 70016, .threads = test_threads[t], .both = true});
}

/* A file is read in large pieces, however small the chunks: 128 KB at once. */
static void test_large_pieces(void **state)
{
    (void)state;
    enum { N = 700001, PIECE = 128 << 10 };
    uint8_t *bytes = calloc(N, 1);
    uint64_t *words = calloc(N, 8), *out = calloc(N, 8);
    assert_true(bytes && words && out);
    for (int what = MAP; what <= SUM; what++)
        for (int t = 0; t < THREADS; t++) {
            job j = {.what = (shape)what, .n = N, .threads = test_threads[t], .out = out};
            open_job(&j, bytes, words);
            assert_int_equal(run(&j, true, 3), LUN_OK);
            assert_int_equal(j.tapes[0].given, N);
            assert_in_range(j.tapes[0].reads, 1, (N + PIECE - 1) / PIECE);
        }
    free(bytes);
    free(words);
    free(out);
}

/* The lowest chunk that fails is told, whichever thread meets it; the run ends. */
static void test_failure(void **state)
{
    (void)state;
    enum { N = 700001 };
    uint8_t *bytes = calloc(N, 1);
    uint64_t *words = calloc(N, 8), *out = calloc(N, 8);
    assert_true(bytes && words && out);
    for (int what = 0; what < SHAPES; what++)
        for (int t = 0; t < THREADS; t++)
            for (int slot = 0; slot < 2; slot++) {
                job j = {.what = (shape)what,
                         .n = N,
                         .threads = test_threads[t],
                         .both = true,
                         .out = out};
                open_job(&j, bytes, words);
                j.tapes[slot].bad = 333333;
                assert_int_equal(run(&j, true, 3), LUN_EIO);
                assert_int_equal(j.launch.trap, slot);
                assert_int_equal(j.launch.trap_value, FAILURE);
            }
    free(bytes);
    free(words);
    free(out);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_same_as_memory),
        cmocka_unit_test(test_part_of_the_indices),
        cmocka_unit_test(test_large_pieces),
        cmocka_unit_test(test_failure),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
