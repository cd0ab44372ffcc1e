/* host_test.c - the host's chunks, trees, scan chains, stand-ins, traps and cancellation, with
 * chunk functions written here, so that no interpreter is involved. */
#include "kernels.h"

#include <stdatomic.h>

enum { SLOTS = 3, MOST = 200000 };

/* Chunk functions of the tests: what they compute, and what they saw. */
typedef struct mock {
    const lun_ir *ir;
    atomic_llong elements, calls;
    int64_t cancel_after; /* calls until the run is cancelled; 0: never */
    int64_t trap_at[2];   /* indices whose elements trap, -1; the first, higher one reports after */
    atomic_int trapping[2]; /* the second has trapped, which it does while the first is running */
    bool together;
    atomic_llong seen_stream;
    uint8_t *times; /* by index: how often it was computed */
} mock;

/* Workers of the run, and those that have nothing left to do. */
typedef struct crew {
    void *ctx;
    void (*task)(void *ctx, int worker);
    int workers;
    atomic_int ended;
} crew;

static crew *working; /* of the run whose traps wait for each other */

static void work_and_end(void *ctx, int worker)
{
    crew *c = ctx;
    c->task(c->ctx, worker);
    atomic_fetch_add(&c->ended, 1);
}

static void counted_parallel(const lun_team *team, void *ctx, int workers,
                             void (*task)(void *ctx, int worker))
{
    crew c = {.ctx = ctx, .task = task, .workers = workers};
    working = &c;
    test_parallel(team, &c, workers, work_and_end);
}

/* Waits until trap k is on its way; a minute is a hang. */
static void wait_for_trap(mock *m, int k)
{
    for (int i = 0; i < 60000 && !atomic_load(&m->trapping[k]); i++)
        usleep(1000);
}

/* Waits until all other workers have ended, that of the other trap too; a minute is a hang. */
static void wait_for_others(void)
{
    for (int i = 0; i < 60000 && atomic_load(&working->ended) < working->workers - 1; i++)
        usleep(1000);
}

static void trap(mock *m, int k, lun_frame *frame)
{
    if (frame->trap >= 0)
        return;
    frame->trap = k;
    frame->trap_value = m->trap_at[k];
    atomic_store(&m->trapping[k], 1);
    if (!m->together)
        return;
    wait_for_trap(m, 1 - k);
    if (k == 0)
        wait_for_others(); /* the other trap is noted */
}

static mock *begin(const void *self, int64_t lo, int64_t hi, lun_frame *frame)
{
    mock *m = (mock *)(uintptr_t)self;
    assert_int_equal(lo % 64, 0);
    assert_true(hi > lo && hi <= frame->n);
    assert_int_equal((uintptr_t)frame->scratch % 64, 0);
    assert_non_null(frame->cancel); /* long loops look at it */
    assert_in_range(__atomic_load_n(frame->cancel, __ATOMIC_RELAXED), 0, 1);
    if (frame->scratch)
        memset(frame->scratch, 0x5a, 1000);
    atomic_store(&m->seen_stream, frame->stream);
    atomic_fetch_add(&m->elements, hi - lo);
    if (atomic_fetch_add(&m->calls, 1) + 1 == m->cancel_after)
        __atomic_store_n(&cancel_flag, 1, __ATOMIC_RELAXED);
    for (int k = 0; k < 2; k++)
        if (m->trap_at[k] >= lo && m->trap_at[k] < hi)
            trap(m, k, frame);
    return m;
}

/* Slot 2 = 3 * slot 0 + slot 1 (bytes and u32s), whole blocks of 64 like a vectorised kernel. */
static void elementwise(const void *self, int64_t lo, int64_t hi, lun_frame *frame)
{
    mock *m = begin(self, lo, hi, frame);
    const uint8_t *a = frame->slots[0];
    const uint32_t *b = frame->slots[1];
    uint32_t *c = frame->slots[2];
    for (int64_t i = lo; i < (hi + 63) / 64 * 64; i++)
        c[i] = 3u * a[i] + b[i];
    for (int64_t i = lo; m->times && i < hi; i++)
        m->times[i]++;
}

static uint64_t mix(uint64_t a, uint64_t b)
{
    return (a << 7 | a >> 57) * 0x9e3779b97f4a7c15u + b; /* neither commutative nor associative */
}

static void combine_mix(const void *self, int result, const uint64_t *a, const uint64_t *b,
                        uint64_t *out, lun_frame *frame)
{
    (void)self, (void)frame;
    *out = mix(*a, *b) + (uint64_t)(result > 0);
}

/* Adjacent-pair tree of cells, as ir/combine_order.h words it. */
static uint64_t tree(const uint64_t *cells, int64_t n, int result)
{
    uint64_t *x = malloc((size_t)n * sizeof *x), *y = malloc((size_t)n * sizeof *y);
    memcpy(x, cells, (size_t)n * sizeof *x);
    while (n > 1) {
        int64_t up = 0;
        for (int64_t j = 0; j + 1 < n; j += 2)
            combine_mix(NULL, result, &x[j], &x[j + 1], &y[up++], NULL);
        if (n % 2)
            y[up++] = x[n - 1];
        memcpy(x, y, (size_t)up * sizeof *x);
        n = up;
    }
    uint64_t root = x[0];
    free(x);
    free(y);
    return root;
}

/* A chunk's partial results: its elements from left to right. */
static void reducing(const void *self, int64_t lo, int64_t hi, lun_frame *frame)
{
    begin(self, lo, hi, frame);
    const uint64_t *x = frame->slots[0];
    uint64_t acc = 1, last = x[(hi + 63) / 64 * 64 - 1];
    (void)last; /* a kernel may read the whole block */
    for (int64_t i = lo; i < hi; i++)
        acc = mix(acc, x[i]);
    frame->partials[0] = acc;
    frame->partials[1] = acc + 1;
}

static void scan_total(const void *self, int64_t lo, int64_t hi, lun_frame *frame)
{
    begin(self, lo, hi, frame);
    const uint64_t *x = frame->slots[0];
    uint64_t acc = x[lo];
    assert_int_equal(hi - lo, LUN_SCAN_CHUNK); /* only whole chunks need one */
    for (int64_t i = lo + 1; i < hi; i++)
        acc = mix(acc, x[i]);
    *frame->carry = acc;
}

static void scan_body(const void *self, int64_t lo, int64_t hi, lun_frame *frame)
{
    begin(self, lo, hi, frame);
    const uint64_t *x = frame->slots[0];
    uint64_t *out = frame->slots[1], acc = *frame->carry;
    for (int64_t i = lo; i < hi; i++) {
        uint64_t here = x[i];
        out[i] = acc;
        acc = mix(acc, here);
    }
}

static mock *new_mock(const lun_ir *ir)
{
    mock *m = calloc(1, sizeof *m);
    assert_non_null(m);
    m->ir = ir;
    m->trap_at[0] = m->trap_at[1] = -1;
    return m;
}

static lun_exec exec_of(const mock *m, lun_chunk_fn body, lun_chunk_fn total)
{
    return (lun_exec){
        .self = m, .body = body, .total = total, .combine = combine_mix, .scratch = 1000};
}

static void make_elementwise(lun_ir *ir)
{
    lun__ir_init(ir);
    lun__ir_slot_add(ir, LUN_U8, LUN_SLOT_IN);
    lun__ir_slot_add(ir, LUN_U32, LUN_SLOT_IN);
    lun__ir_slot_add(ir, LUN_U32, LUN_SLOT_OUT);
    int32_t a = ir_cast(ir, LUN_U32, ir_load(ir, 0)), b = ir_load(ir, 1);
    int32_t three = ir_const(ir, LUN_U32, 3);
    a = ir_op(ir, LUN_OP_MUL, LUN_U32, a, three, -1);
    ir_store(ir, 2, ir_op(ir, LUN_OP_ADD, LUN_U32, a, b, -1));
    ir_check_valid(ir);
}

/* ---- few, heavy indices ---------------------------------------------------------------------- */

/* Whole blocks of 64 as far as n, like an interpreter; at most that far, like compiled code. */
static void putting(const void *self, int64_t lo, int64_t hi, lun_frame *frame)
{
    mock *m = (mock *)(uintptr_t)self;
    atomic_fetch_add(&m->calls, 1);
    for (int64_t i = lo; i < lo + 64 * ((hi - lo + 63) / 64) && i < frame->n; i++)
        __atomic_fetch_add(&m->times[i], 1, __ATOMIC_RELAXED);
}

static void test_heavy_indices_are_shared_out(void **state)
{
    (void)state;
    static const int64_t counts[] = {1, 2, 3, 8, 63, 64, 65, 130, 1000, 20000};
    lun_ir ir;
    lun__ir_init(&ir);
    lun__ir_slot_add(&ir, LUN_F64, LUN_SLOT_TARGET);
    lun__ir_add(&ir, (lun_ir_ins){.kind = LUN_IR_INDEX, .dtype = LUN_I64, .a = -1, .b = -1});
    for (size_t k = 0; k < sizeof counts / sizeof *counts; k++)
        for (int threads = 1; threads <= 8; threads++) {
            const int64_t n = counts[k], first = n / 3, room = 1;
            mock *m = new_mock(&ir);
            lun_exec exec = exec_of(m, putting, NULL);
            exec.scratch = 0;
            lun_services services = test_services();
            lun_team team = {.threads = threads, .parallel = test_parallel, .alone_ns = 1e9};
            double element = 0;
            void *slots[1] = {&element};
            m->times = calloc((size_t)n + 64, 1);
            lun_launch launch = {
                .n = n, .first = first, .count = n - first, .slots = slots, .room = &room};
            assert_int_equal(lun__host_run(&services, &exec, &team, &ir, 3, &launch), LUN_OK);
            for (int64_t i = 0; i < n + 64; i++)
                assert_int_equal(m->times[i], i >= first && i < n);
            assert_true(m->calls >= (n - first < threads ? n - first : threads));
            free(m->times);
            free(m);
        }
    lun__ir_free(&ir);
}

/* ---- elementwise ----------------------------------------------------------------------------- */

/* first and count of every kind; memory with room, or ending at a guard page;
 * cost light or heavy. */
static void run_elementwise(int64_t n, int64_t first, int threads, int64_t cost, bool guarded)
{
    lun_ir ir;
    make_elementwise(&ir);
    mock *m = new_mock(&ir);
    lun_exec exec = exec_of(m, elementwise, NULL);
    lun_services services = test_services();
    lun_team team = {.threads = threads, .parallel = test_parallel};
    int64_t room = guarded ? n : (n + 63) / 64 * 64;
    test_memory a = test_guarded((size_t)room), b = test_guarded((size_t)room * 4),
                c = test_guarded((size_t)room * 4);
    void *slots[SLOTS] = {a.data, b.data, c.data};
    int64_t rooms[SLOTS] = {room, room, room};
    uint64_t state = 5;
    for (int64_t i = 0; i < n; i++) {
        a.data[i] = (char)test_random(&state);
        ((uint32_t *)(void *)b.data)[i] = (uint32_t)test_random(&state);
        ((uint32_t *)(void *)c.data)[i] = 77;
    }
    m->times = calloc((size_t)n + 1, 1);
    lun_launch launch = {
        .n = n, .first = first, .count = n - first, .slots = slots, .room = rooms, .bytes = 9 * n};
    assert_int_equal(lun__host_run(&services, &exec, &team, &ir, cost, &launch), LUN_OK);
    assert_int_equal(launch.trap, -1);
    assert_int_equal(m->elements, n - first);
    for (int64_t i = 0; i < n; i++) {
        uint32_t want = i < first ? 77 : 3u * (uint8_t)a.data[i] + ((uint32_t *)(void *)b.data)[i];
        assert_int_equal(((uint32_t *)(void *)c.data)[i], want);
        assert_int_equal(m->times[i], i >= first);
    }
    free(m->times);
    free(m);
    test_guarded_free(&a);
    test_guarded_free(&b);
    test_guarded_free(&c);
    lun__ir_free(&ir);
}

static void test_elementwise(void **state)
{
    (void)state;
    for (int i = 0; i < LENGTHS; i++)
        for (int t = 0; t < THREADS; t++)
            for (int k = 0; k < 4; k++)
                run_elementwise(test_lengths[i], 0, test_threads[t], k & 1 ? 5000 : 3, k & 2);
}

static void test_part_of_the_indices(void **state)
{
    (void)state;
    run_elementwise(70000, 64, 1, 3, false);
    run_elementwise(70000, 16384, 2, 3, true);
    run_elementwise(70001, 69952, 3, 500, true);
    run_elementwise(1000, 960, 7, 3, true);
}

/* IN and OUT may be the same memory, also where stand-ins are used. */
static void test_in_place(void **state)
{
    (void)state;
    for (int i = 0; i < LENGTHS; i++) {
        int64_t n = test_lengths[i];
        lun_ir ir;
        make_elementwise(&ir);
        mock *m = new_mock(&ir);
        lun_exec exec = exec_of(m, elementwise, NULL);
        lun_services services = test_services();
        lun_team team = {.threads = 2, .parallel = test_parallel};
        test_memory a = test_guarded((size_t)n), b = test_guarded((size_t)n * 4);
        uint32_t *x = (uint32_t *)(void *)b.data;
        void *slots[SLOTS] = {a.data, x, x};
        int64_t rooms[SLOTS] = {n, n, n};
        for (int64_t j = 0; j < n; j++) {
            a.data[j] = (char)(j * 7);
            x[j] = (uint32_t)j;
        }
        lun_launch launch = {.n = n, .count = n, .slots = slots, .room = rooms, .bytes = 9 * n};
        assert_int_equal(lun__host_run(&services, &exec, &team, &ir, 3, &launch), LUN_OK);
        for (int64_t j = 0; j < n; j++)
            assert_int_equal(x[j], 3u * (uint8_t)(j * 7) + (uint32_t)j);
        free(m);
        test_guarded_free(&a);
        test_guarded_free(&b);
        lun__ir_free(&ir);
    }
}

/* A worker that is held up, as by another process on its core, leaves its share to the others. */
typedef struct held {
    int64_t chunks;
    atomic_llong done;
    atomic_int late;
} held;

static void hold_first(const void *self, int64_t lo, int64_t hi, lun_frame *frame)
{
    held *h = (held *)(uintptr_t)self;
    (void)hi;
    (void)frame;
    for (int i = 0; lo == 0 && atomic_load(&h->done) < h->chunks - 1; i++) {
        if (i == 120000) {
            atomic_store(&h->late, 1);
            break;
        }
        usleep(1000);
    }
    atomic_fetch_add(&h->done, 1);
}

static void test_shares_are_taken_over(void **state)
{
    (void)state;
    for (int threads = 2; threads <= 16; threads += 7) {
        held h = {.chunks = 40};
        int64_t n = h.chunks * LUN_CHUNK;
        lun_ir ir;
        make_elementwise(&ir);
        lun_exec exec = {.self = &h, .body = hold_first};
        lun_services services = test_services();
        lun_team team = {.threads = threads, .parallel = test_parallel};
        void *slots[SLOTS] = {NULL, NULL, NULL};
        int64_t rooms[SLOTS] = {n, n, n};
        lun_launch launch = {.n = n, .count = n, .slots = slots, .room = rooms, .bytes = 9 * n};
        /* whole chunks for each worker */
        h.chunks = threads == 2 ? 40 : (40 + threads - 1) / threads * threads;
        assert_int_equal(lun__host_run(&services, &exec, &team, &ir, 3, &launch), LUN_OK);
        assert_int_equal(atomic_load(&h.done), h.chunks);
        assert_int_equal(atomic_load(&h.late), 0);
        lun__ir_free(&ir);
    }
}

static void gather_and_load(const void *self, int64_t lo, int64_t hi, lun_frame *frame)
{
    begin(self, lo, hi, frame);
    const uint64_t *x = frame->slots[0];
    uint64_t *out = frame->slots[1];
    for (int64_t i = lo; i < (hi + 63) / 64 * 64; i++)
        out[i] = x[i] + (i < hi ? x[frame->n - 1 - i] : 0);
}

/* A slot that is read at i and gathered from: elements before the cut must be there too. */
static void test_gathered_slot_without_room(void **state)
{
    (void)state;
    const int64_t n = 16384 + 100;
    lun_ir ir;
    lun__ir_init(&ir);
    lun__ir_slot_add(&ir, LUN_U64, LUN_SLOT_IN);
    lun__ir_slot_add(&ir, LUN_U64, LUN_SLOT_OUT);
    int32_t at = ir_index(&ir), x = ir_load(&ir, 0);
    int32_t y = ir_add(&ir, (lun_ir_ins){.kind = LUN_IR_GATHER, .dtype = LUN_U64, .a = at});
    ir_store(&ir, 1, ir_op(&ir, LUN_OP_ADD, LUN_U64, x, y, -1));
    mock *m = new_mock(&ir);
    lun_exec exec = exec_of(m, gather_and_load, NULL);
    lun_services services = test_services();
    lun_team team = {.threads = 1};
    test_memory in = test_guarded((size_t)n * 8);
    uint64_t *data = (uint64_t *)(void *)in.data, *out = test_alloc(n, 8);
    for (int64_t i = 0; i < n; i++)
        data[i] = (uint64_t)(i * i);
    void *slots[2] = {data, out};
    int64_t rooms[2] = {n, (n + 63) / 64 * 64};
    lun_launch launch = {.n = n, .count = n, .slots = slots, .room = rooms, .bytes = 16 * n};
    assert_int_equal(lun__host_run(&services, &exec, &team, &ir, 3, &launch), LUN_OK);
    for (int64_t i = 0; i < n; i++)
        assert_int_equal(out[i], i * i + (n - 1 - i) * (n - 1 - i));
    free(out);
    free(m);
    test_guarded_free(&in);
    lun__ir_free(&ir);
}

static void test_streaming_follows_bytes(void **state)
{
    (void)state;
    static const int64_t bytes[] = {1000, (int64_t)64 << 20};
    for (int k = 0; k < 2; k++) {
        lun_ir ir;
        make_elementwise(&ir);
        mock *m = new_mock(&ir);
        lun_exec exec = exec_of(m, elementwise, NULL);
        lun_services services = test_services();
        lun_team team = {.threads = 1};
        void *slots[SLOTS] = {test_alloc(64, 1), test_alloc(64, 4), test_alloc(64, 4)};
        int64_t rooms[SLOTS] = {64, 64, 64};
        lun_launch launch = {
            .n = 64, .count = 64, .slots = slots, .room = rooms, .bytes = bytes[k]};
        assert_int_equal(lun__host_run(&services, &exec, &team, &ir, 3, &launch), LUN_OK);
        assert_int_equal(m->seen_stream != 0, k);
        for (int s = 0; s < SLOTS; s++)
            free(slots[s]);
        free(m);
        lun__ir_free(&ir);
    }
}

/* ---- reductions ------------------------------------------------------------------------------ */

static void make_reducing(lun_ir *ir)
{
    lun__ir_init(ir);
    lun__ir_slot_add(ir, LUN_U64, LUN_SLOT_IN);
    int32_t x = ir_load(ir, 0);
    ir_reduce(ir, LUN_OP_ADD, -1, x);
    ir_reduce(ir, LUN_OP_MUL, -1, x);
    ir_check_valid(ir);
}

static void test_reduction_tree(void **state)
{
    (void)state;
    static const int64_t more[] = {16384 * 3, 16384 * 5 + 1, MOST};
    uint64_t seed = 9;
    uint64_t *data = test_alloc(MOST, 8);
    for (int64_t i = 0; i < MOST; i++)
        data[i] = test_random(&seed);
    for (int k = 1; k < LENGTHS + 3; k++)
        for (int t = 0; t < THREADS; t++)
            for (int heavy = 0; heavy < 2; heavy++) {
                int64_t n = k < LENGTHS ? test_lengths[k] : more[k - LENGTHS];
                int64_t chunks = (n + LUN_CHUNK - 1) / LUN_CHUNK;
                uint64_t partial[2][16], results[2] = {1, 2};
                for (int64_t c = 0; c < chunks; c++) {
                    uint64_t acc = 1;
                    for (int64_t i = c * LUN_CHUNK; i < n && i < (c + 1) * LUN_CHUNK; i++)
                        acc = mix(acc, data[i]);
                    partial[0][c] = acc;
                    partial[1][c] = acc + 1;
                }
                lun_ir ir;
                make_reducing(&ir);
                mock *m = new_mock(&ir);
                lun_exec exec = exec_of(m, reducing, NULL);
                lun_services services = test_services();
                lun_team team = {.threads = test_threads[t], .parallel = test_parallel};
                test_memory in = test_guarded((size_t)n * 8);
                memcpy(in.data, data, (size_t)n * 8);
                void *slots[1] = {in.data};
                lun_launch launch = {
                    .n = n, .count = n, .slots = slots, .room = &n, .bytes = 100000000};
                int64_t cost = heavy ? 1000 : 2;
                assert_int_equal(
                    test_host_run(&services, &exec, &team, &ir, cost, &launch, results), LUN_OK);
                assert_true(results[0] == tree(partial[0], chunks, 0));
                assert_true(results[1] == tree(partial[1], chunks, 1));
                free(m);
                test_guarded_free(&in);
                lun__ir_free(&ir);
            }
    free(data);
}

/* Gives `exec` when it is asked for the third time. */
typedef struct successor {
    lun_exec exec;
    int asked;
} successor;

static const lun_exec *third_time(void *ctx)
{
    successor *s = ctx;
    return ++s->asked == 3 ? &s->exec : NULL;
}

static void test_code_that_comes_on_the_way(void **state)
{
    (void)state;
    enum { CHUNKS = (MOST + LUN_CHUNK - 1) / LUN_CHUNK };
    int64_t n = MOST;
    uint64_t seed = 9, want[2] = {0};
    test_memory in = test_guarded((size_t)n * 8);
    for (int64_t i = 0; i < n; i++)
        ((uint64_t *)(void *)in.data)[i] = test_random(&seed);
    void *slots[1] = {in.data};
    lun_ir ir;
    make_reducing(&ir);
    lun_services services = test_services();
    for (int t = 0; t < THREADS; t++) {
        mock *first = new_mock(&ir), *then = new_mock(&ir);
        successor next = {exec_of(then, reducing, NULL), 0};
        lun_exec exec = exec_of(first, reducing, NULL);
        exec.next = third_time;
        exec.ctx = &next;
        lun_team team = {.threads = test_threads[t], .parallel = test_parallel};
        lun_launch launch = {.n = n, .count = n, .slots = slots, .room = &n, .bytes = 100000000};
        uint64_t results[2];
        assert_int_equal(test_host_run(&services, &exec, &team, &ir, 1000, &launch, results),
                         LUN_OK);
        if (t == 0)
            memcpy(want, results, sizeof want);
        assert_memory_equal(want, results, sizeof want);
        assert_int_equal(first->calls + then->calls, CHUNKS);
        assert_int_equal(first->elements + then->elements, n);
        if (test_threads[t] == 1)
            assert_int_equal(first->calls, 2);
        free(first);
        free(then);
    }
    test_guarded_free(&in);
    lun__ir_free(&ir);
}

static void test_many_results_use_memory(void **state)
{
    (void)state;
    enum { N = 70000 };
    lun_ir ir;
    lun__ir_init(&ir);
    lun__ir_slot_add(&ir, LUN_U64, LUN_SLOT_IN);
    int32_t x = ir_load(&ir, 0);
    ir_reduce(&ir, LUN_OP_ADD, -1, x);
    ir_reduce(&ir, LUN_OP_ADD, -1, x);
    for (int i = 0; i < 40; i++)
        lun__ir_result_add(&ir, LUN_U64); /* 42 cells a chunk */
    mock *m = new_mock(&ir);
    lun_exec exec = exec_of(m, reducing, NULL);
    lun_services services = test_services();
    lun_team team = {.threads = 1};
    uint64_t *data = test_alloc(N, 8), results[42], one[8], acc;
    int64_t n = N, room = N + 64;
    for (int64_t i = 0; i < N; i++)
        data[i] = (uint64_t)i;
    for (int64_t c = 0; c < 5; c++) {
        acc = 1;
        for (int64_t i = c * LUN_CHUNK; i < N && i < (c + 1) * LUN_CHUNK; i++)
            acc = mix(acc, data[i]);
        one[c] = acc;
    }
    void *slots[1] = {data};
    lun_launch launch = {.n = n, .count = n, .slots = slots, .room = &room};
    assert_int_equal(test_host_run(&services, &exec, &team, &ir, 2, &launch, results), LUN_OK);
    assert_true(results[0] == tree(one, 5, 0));
    free(data);
    free(m);
    lun__ir_free(&ir);
}

/* ---- scans ----------------------------------------------------------------------------------- */

/* Of floats chunks are fixed, of integers free; the mocks take both for 8 bytes. */
static void make_scan(lun_ir *ir, lun_dtype t, int initial)
{
    lun__ir_init(ir);
    lun__ir_slot_add(ir, t, LUN_SLOT_IN);
    lun__ir_slot_add(ir, t, LUN_SLOT_OUT);
    lun__ir_slot_add(ir, LUN_I32, LUN_SLOT_UNIFORM);
    int32_t x = ir_load(ir, 0), first = -1;
    if (initial == 0)
        first = ir_const(ir, t, 42);
    if (initial == 1)
        first = ir_arg(ir, t);
    if (initial == 2)
        first = ir_cast(
            ir, t,
            ir_add(ir, (lun_ir_ins){.kind = LUN_IR_LOADU, .dtype = LUN_I32, .a = -1, .imm = 2}));
    ir_store(ir, 1, ir_scan(ir, LUN_OP_ADD, 0, false, x, first));
    ir_check_valid(ir);
}

static lun_status run_scan(mock *m, const lun_ir *ir, int threads, uint64_t *x, uint64_t *out,
                           int64_t n)
{
    int32_t uniform = 42;
    uint64_t args[1] = {42};
    void *slots[SLOTS] = {x, out, &uniform};
    int64_t rooms[SLOTS] = {n, n, 1};
    lun_services services = test_services();
    lun_team team = {.threads = threads, .parallel = test_parallel};
    lun_exec exec = exec_of(m, scan_body, scan_total);
    lun_launch launch = {
        .n = n, .count = n, .slots = slots, .room = rooms, .args = args, .bytes = 100000000};
    return lun__host_run(&services, &exec, &team, ir, 3, &launch);
}

static void test_scan_chain(void **state)
{
    (void)state;
    static const int64_t lengths[] = {0,     1,      64,     1000,   65535, 65536,
                                      65537, 131072, 131073, 150000, MOST};
    uint64_t seed = 3;
    for (int k = 0; k < 11; k++)
        for (int t = 0; t < THREADS; t++)
            for (int in_place = 0; in_place < 2; in_place++) {
                int64_t n = lengths[k];
                lun_ir ir;
                make_scan(&ir, LUN_F64, k % 3);
                mock *m = new_mock(&ir);
                test_memory in = test_guarded((size_t)n * 8), to = test_guarded((size_t)n * 8);
                uint64_t *x = (uint64_t *)(void *)in.data, *copy = test_alloc(n, 8);
                uint64_t *out = in_place ? x : (uint64_t *)(void *)to.data;
                uint64_t carry = k % 3 == 2 ? 0x4045000000000000 /* 42.0 */ : 42, acc = carry;
                for (int64_t i = 0; i < n; i++)
                    copy[i] = x[i] = test_random(&seed);
                assert_int_equal(run_scan(m, &ir, test_threads[t], x, out, n), LUN_OK);
                for (int64_t i = 0; i < n; i++) {
                    if (i % LUN_SCAN_CHUNK == 0 && i) { /* carry' = f(carry, total of the chunk) */
                        uint64_t total = copy[i - LUN_SCAN_CHUNK];
                        for (int64_t j = i - LUN_SCAN_CHUNK + 1; j < i; j++)
                            total = mix(total, copy[j]);
                        carry = mix(carry, total);
                        acc = carry;
                    }
                    assert_true(out[i] == acc);
                    acc = mix(acc, copy[i]);
                }
                free(copy);
                free(m);
                test_guarded_free(&in);
                test_guarded_free(&to);
                lun__ir_free(&ir);
            }
}

static void sum_total(const void *self, int64_t lo, int64_t hi, lun_frame *frame)
{
    begin(self, lo, hi, frame);
    const uint64_t *x = frame->slots[0];
    *frame->carry = 0;
    for (int64_t i = lo; i < hi; i++)
        *frame->carry += x[i];
}

static void sum_body(const void *self, int64_t lo, int64_t hi, lun_frame *frame)
{
    mock *m = begin(self, lo, hi, frame);
    const uint64_t *x = frame->slots[0];
    uint64_t *out = frame->slots[1], acc = *frame->carry;
    for (int64_t i = lo; i < hi; i++) {
        out[i] = acc;
        acc += x[i];
        m->times[i]++;
    }
}

static void combine_sum(const void *self, int result, const uint64_t *a, const uint64_t *b,
                        uint64_t *out, lun_frame *frame)
{
    (void)self, (void)result, (void)frame;
    *out = *a + *b;
}

/* Of integers, where chunks may have any size: each element once, each carry there, and no totals
 * where one thread does it all. */
static void test_free_chunks(void **state)
{
    (void)state;
    static const int64_t lengths[] = {1, 64, 16385, 65537, 100000, MOST};
    uint64_t seed = 5;
    for (int k = 0; k < 6; k++)
        for (int t = 0; t < THREADS; t++) {
            int64_t n = lengths[k], room = (n + 63) / 64 * 64;
            lun_ir ir;
            make_scan(&ir, LUN_U64, k % 3);
            mock *m = new_mock(&ir);
            uint64_t *x = test_alloc(room, 8), *out = test_alloc(room, 8), acc = 42, args[] = {42};
            int32_t uniform = 42;
            m->times = calloc((size_t)n, 1);
            for (int64_t i = 0; i < n; i++)
                x[i] = test_random(&seed);
            void *slots[SLOTS] = {x, out, &uniform};
            int64_t rooms[SLOTS] = {room, room, 1};
            lun_services services = test_services();
            lun_team team = {.threads = test_threads[t], .parallel = test_parallel};
            lun_exec exec = exec_of(m, sum_body, sum_total);
            exec.combine = combine_sum;
            lun_launch launch = {
                .n = n, .count = n, .slots = slots, .room = rooms, .args = args, .bytes = 1 << 28};
            assert_int_equal(lun__host_run(&services, &exec, &team, &ir, 3, &launch), LUN_OK);
            for (int64_t i = 0; i < n; acc += x[i++]) {
                assert_true(out[i] == acc);
                assert_int_equal(m->times[i], 1);
            }
            if (test_threads[t] == 1)
                assert_int_equal(atomic_load(&m->calls), 1);
            free(m->times);
            free(m);
            free(x);
            free(out);
            lun__ir_free(&ir);
        }
}

static void test_scan_refuses_a_varying_start(void **state)
{
    (void)state;
    lun_ir ir;
    lun__ir_init(&ir);
    lun__ir_slot_add(&ir, LUN_U64, LUN_SLOT_IN);
    lun__ir_slot_add(&ir, LUN_U64, LUN_SLOT_OUT);
    int32_t x = ir_load(&ir, 0);
    ir_store(&ir, 1, ir_scan(&ir, LUN_OP_ADD, 0, false, x, x));
    mock *m = new_mock(&ir);
    uint64_t *data = test_alloc(64, 8);
    assert_int_equal(run_scan(m, &ir, 1, data, data, 64), LUN_EARG);
    assert_int_equal(m->calls, 0);
    free(data);
    free(m);
    lun__ir_free(&ir);
}

/* ---- the end before the end ------------------------------------------------------------------ */

static void test_cancel(void **state)
{
    (void)state;
    int64_t n = 64 * LUN_SCAN_CHUNK;
    uint64_t *x = test_alloc(n, 8);
    memset(x, 1, (size_t)n * 8);
    for (int t = 0; t < THREADS; t++)
        for (int kind = 0; kind < 3; kind++) {
            lun_ir ir;
            mock *m;
            if (kind == 0)
                make_scan(&ir, LUN_F64, 0);
            else
                make_reducing(&ir);
            m = new_mock(&ir);
            m->cancel_after = kind == 2 ? 1 : 5;
            if (kind == 0) {
                assert_int_equal(run_scan(m, &ir, test_threads[t], x, x, n), LUN_ECANCEL);
            } else {
                lun_services services = test_services();
                lun_team team = {.threads = test_threads[t], .parallel = test_parallel};
                lun_exec exec = exec_of(m, reducing, NULL);
                uint64_t results[2] = {11, 12};
                void *slots[1] = {x};
                lun_launch launch = {
                    .n = n, .count = n, .slots = slots, .room = &n, .bytes = 8 * n};
                assert_int_equal(test_host_run(&services, &exec, &team, &ir, 3, &launch, results),
                                 LUN_ECANCEL);
                assert_int_equal(results[0], 11);
                assert_int_equal(results[1], 12);
            }
            assert_true(m->calls < m->cancel_after + 2 * test_threads[t]);
            free(m);
            lun__ir_free(&ir);
        }
    free(x);
}

/* A short run, too, tells its chunk where to look, and notices what the chunk saw. */
static void test_cancelled_in_a_short_run(void **state)
{
    (void)state;
    lun_ir ir;
    make_elementwise(&ir);
    uint8_t a[64] = {0};
    uint32_t b[64] = {0}, c[64];
    void *slots[SLOTS] = {a, b, c};
    int64_t room[SLOTS] = {64, 64, 64};
    lun_team team = {.threads = 1};
    for (int k = 0; k < 3; k++) {
        mock *m = new_mock(&ir);
        lun_exec exec = exec_of(m, elementwise, NULL);
        lun_services services = test_services();
        lun_launch launch = {
            .n = 64, .count = 64, .slots = slots, .room = room, .bytes = 64 * 9, .trap = -1};
        exec.scratch = 0;
        m->cancel_after = k == 1;
        if (k == 2)
            services.cancel = NULL;
        assert_int_equal(lun__host_run(&services, &exec, &team, &ir, 3, &launch),
                         k == 1 ? LUN_ECANCEL : LUN_OK);
        assert_int_equal(m->calls, 1);
        free(m);
    }
    cancel_flag = 0;
    lun__ir_free(&ir);
}

static void test_cancelled_before_it_starts(void **state)
{
    (void)state;
    lun_ir ir;
    make_reducing(&ir);
    mock *m = new_mock(&ir);
    lun_services services = test_services();
    lun_team team = {.threads = 1};
    lun_exec exec = exec_of(m, reducing, NULL);
    uint64_t x[64] = {0}, partials[2];
    void *slots[1] = {x};
    int64_t n = 64;
    lun_launch launch = {.n = n, .count = n, .slots = slots, .room = &n, .partials = partials};
    cancel_flag = 1;
    assert_int_equal(lun__host_run(&services, &exec, &team, &ir, 3, &launch), LUN_ECANCEL);
    assert_int_equal(m->calls, 0);
    cancel_flag = 0;
    free(m);
    lun__ir_free(&ir);
}

/* Where the last of some threads starts when 81 chunks are shared out. */
static int64_t last_share(int threads)
{
    int64_t share = 81 / threads, more = 81 % threads, before = threads - 1;
    return (before * share + (before < more ? before : more)) * LUN_CHUNK;
}

/* The trap of the lowest chunk is reported, whatever the number of threads, even if a higher one
 * comes later; what lies behind it is not run any more. */
static void test_trap(void **state)
{
    (void)state;
    int64_t n = 20 * LUN_SCAN_CHUNK + 3, low = 5 * LUN_SCAN_CHUNK + 17;
    uint64_t *x = test_alloc(n, 8);
    memset(x, 1, (size_t)n * 8);
    for (int t = 0; t < THREADS; t++)
        for (int scan = 0; scan < 2; scan++) {
            lun_ir ir;
            if (scan)
                make_scan(&ir, LUN_F64, 0);
            else
                make_reducing(&ir);
            mock *m = new_mock(&ir);
            m->trap_at[0] = test_threads[t] == 1 ? n - 1
                            : scan               ? low + LUN_SCAN_CHUNK
                                                 : last_share(test_threads[t]);
            m->trap_at[1] = low;
            m->together = test_threads[t] > 1;
            lun_services services = test_services();
            lun_team team = {.threads = test_threads[t], .parallel = counted_parallel};
            lun_exec exec = exec_of(m, scan ? scan_body : reducing, scan_total);
            uint64_t results[2] = {11, 12};
            void *slots[SLOTS] = {x, x, NULL};
            int64_t rooms[SLOTS] = {n + 64, n + 64, 1};
            lun_launch launch = {.n = n, .count = n, .slots = slots, .room = rooms, .bytes = 8 * n};
            assert_int_equal(test_host_run(&services, &exec, &team, &ir, 3, &launch, results),
                             LUN_EZERO);
            assert_int_equal(launch.trap, 1);
            assert_int_equal(launch.trap_value, low);
            assert_int_equal(results[0], 11);
            if (test_threads[t] == 1)
                assert_int_equal(m->calls, scan ? 12 : 21);
            free(m);
            lun__ir_free(&ir);
        }
    free(x);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_heavy_indices_are_shared_out),
        cmocka_unit_test(test_elementwise),
        cmocka_unit_test(test_part_of_the_indices),
        cmocka_unit_test(test_in_place),
        cmocka_unit_test(test_shares_are_taken_over),
        cmocka_unit_test(test_gathered_slot_without_room),
        cmocka_unit_test(test_streaming_follows_bytes),
        cmocka_unit_test(test_reduction_tree),
        cmocka_unit_test(test_code_that_comes_on_the_way),
        cmocka_unit_test(test_many_results_use_memory),
        cmocka_unit_test(test_scan_chain),
        cmocka_unit_test(test_free_chunks),
        cmocka_unit_test(test_scan_refuses_a_varying_start),
        cmocka_unit_test(test_cancel),
        cmocka_unit_test(test_cancelled_in_a_short_run),
        cmocka_unit_test(test_cancelled_before_it_starts),
        cmocka_unit_test(test_trap),
    };
    int failed = cmocka_run_group_tests(tests, NULL, NULL);
    lun__strbuf_free(&test_error);
    return failed;
}
