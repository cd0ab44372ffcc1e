/* host_chain_test.c - chains on the host, with chunk functions written here: whole blocks are
 * computed, and nothing beside the segments of an array is touched, on any number of threads. */
#include "kernels.h"

#include <stdatomic.h>

/*  stage  reads                     gives
 *  0      A                         total: of a row
 *  1      total, weight             level: of a row, stored
 *  2      A, level                  B: only the chain needs it
 *  3      B, column (from the end)  C: stored, read by the next
 *  4      C, A                      D: stored */
enum { STAGES = 5, TOTAL = 0, LEVEL, B, C, D, ARRAYS };

typedef struct table {
    int64_t rows, segment, pitch; /* of A: elements from one row's first to the next one's */
    uint32_t *a, *c, *d;
    uint64_t *weight, *column, *level;
    int64_t trap_row; /* whose stage 3 fails; -1: none */
} table;

static int64_t blocks(int64_t n)
{
    return (n + 63) / 64 * 64;
}

static void totals(const void *self, int64_t lo, int64_t hi, lun_frame *frame)
{
    const uint32_t *a = frame->slots[0];
    uint64_t sum = 0, more = 0;
    (void)self;
    assert_int_equal(lo, 0);
    assert_int_equal(hi, frame->n);
    for (int64_t i = 0; i < blocks(hi); i++)
        *(i < hi ? &sum : &more) += a[i];
    frame->partials[0] = sum;
}

static void levels(const void *self, int64_t lo, int64_t hi, lun_frame *frame)
{
    const uint64_t *total = frame->slots[0], *weight = frame->slots[1];
    uint64_t *level = frame->slots[2];
    (void)self;
    assert_int_equal(lo, 0);
    for (int64_t i = 0; i < blocks(hi); i++)
        level[i] = total[i] * weight[i];
}

static void mixed(const void *self, int64_t lo, int64_t hi, lun_frame *frame)
{
    const uint32_t *a = frame->slots[0];
    const uint64_t *level = frame->slots[1];
    uint32_t *b = frame->slots[2];
    (void)self, (void)lo;
    for (int64_t i = 0; i < blocks(hi); i++)
        b[i] = a[i] ^ (uint32_t)level[0];
}

static void shifted(const void *self, int64_t lo, int64_t hi, lun_frame *frame)
{
    const table *t = self;
    const uint32_t *b = frame->slots[0];
    const uint64_t *column = frame->slots[1];
    uint32_t *c = frame->slots[2];
    (void)lo;
    for (int64_t i = 0; i < blocks(hi); i++)
        c[i] = b[i] + (uint32_t)column[0];
    if (t->trap_row >= 0 && t->column + t->rows - 1 - t->trap_row == column) {
        frame->trap = 3;
        frame->trap_value = t->trap_row;
    }
}

static void tripled(const void *self, int64_t lo, int64_t hi, lun_frame *frame)
{
    const uint32_t *c = frame->slots[0], *a = frame->slots[1];
    uint32_t *d = frame->slots[2];
    (void)self, (void)lo;
    for (int64_t i = 0; i < blocks(hi); i++)
        d[i] = 3 * c[i] - a[i];
}

static void add_slots(lun_ir *ir, lun_dtype first, lun_dtype second, lun_ir_role role,
                      lun_dtype out)
{
    lun__ir_init(ir);
    lun__ir_slot_add(ir, first, LUN_SLOT_IN);
    lun__ir_slot_add(ir, second, role);
    lun__ir_slot_add(ir, out, LUN_SLOT_OUT);
    for (int k = 0; k < 4; k++)
        lun__ir_add(ir, (lun_ir_ins){.kind = LUN_IR_CHECK, .a = -1, .b = -1, .c = -1});
}

static void make_irs(lun_ir irs[STAGES])
{
    lun__ir_init(&irs[0]);
    lun__ir_slot_add(&irs[0], LUN_U32, LUN_SLOT_IN);
    lun__ir_result_add(&irs[0], LUN_U64);
    add_slots(&irs[1], LUN_U64, LUN_U64, LUN_SLOT_IN, LUN_U64);
    add_slots(&irs[2], LUN_U32, LUN_U64, LUN_SLOT_UNIFORM, LUN_U32);
    add_slots(&irs[3], LUN_U32, LUN_U64, LUN_SLOT_UNIFORM, LUN_U32);
    add_slots(&irs[4], LUN_U32, LUN_U32, LUN_SLOT_IN, LUN_U32);
}

static lun_status run_chain(table *t, int threads, int64_t chunk_bytes, lun_chain *out)
{
    static const lun_chunk_fn bodies[STAGES] = {totals, levels, mixed, shifted, tripled};
    static const int results[] = {TOTAL};
    static lun_launch launches[STAGES];
    static lun_chain_stage stages[STAGES];
    const int64_t n = t->rows * t->segment, from = (t->rows - 1) * t->pitch + t->segment;
    lun_ir irs[STAGES];
    lun_exec execs[STAGES];
    lun_host_kernel kernels[STAGES];
    lun_chain_slot slots[STAGES][3] = {{{-1, t->pitch}},
                                       {{TOTAL, 0}, {-1, 1}, {LEVEL, 0}},
                                       {{-1, t->pitch}, {LEVEL, 0}, {B, 0}},
                                       {{B, 0}, {-1, -1}, {C, 0}},
                                       {{C, 0}, {-1, t->pitch}, {D, 0}}};
    void *memory[STAGES][3] = {{t->a},
                               {NULL, t->weight, NULL},
                               {t->a, NULL, NULL},
                               {NULL, t->column + t->rows - 1, NULL},
                               {NULL, t->a, NULL}};
    int64_t room[STAGES][3] = {{from}, {0, t->rows, 0}, {from, 0, 0}, {0, 1, 0}, {0, from, 0}};
    lun_chain_array arrays[ARRAYS] = {{LUN_U64, true, true, NULL},
                                      {LUN_U64, true, true, t->level},
                                      {LUN_U32, false, true, NULL},
                                      {LUN_U32, false, true, t->c},
                                      {LUN_U32, false, false, t->d}};
    lun_services services = test_services();
    lun_team team = {.threads = threads, .parallel = test_parallel, .chunk_bytes = chunk_bytes};
    make_irs(irs);
    for (int k = 0; k < STAGES; k++) {
        int64_t each = k == 1 ? t->rows : n;
        launches[k] = (lun_launch){.n = each,
                                   .count = each,
                                   .segment = k == 1 ? 0 : t->segment,
                                   .slots = memory[k],
                                   .room = room[k],
                                   .trap = -1};
        stages[k] = (lun_chain_stage){
            .launch = &launches[k], .slots = slots[k], .results = results, .needed_array = -1};
        execs[k] = (lun_exec){.self = t, .body = bodies[k]};
        kernels[k] = (lun_host_kernel){&execs[k], &irs[k], 1000};
    }
    *out = (lun_chain){.rows = t->rows,
                       .segment = t->segment,
                       .stages = stages,
                       .count = STAGES,
                       .arrays = arrays,
                       .array_count = ARRAYS,
                       .bytes = 16 * n};
    int64_t half = t->rows / 2;
    lun_status s = lun__host_chain(&services, kernels, &team, out, 0, half ? half : t->rows);
    if (s == LUN_OK && half)
        s = lun__host_chain(&services, kernels, &team, out, half, t->rows - half);
    for (int k = 0; k < STAGES; k++)
        lun__ir_free(&irs[k]);
    return s;
}

typedef struct memory {
    test_memory a, c, d, weight, column, level;
} memory;

/* Everything ends at a page that must not be touched. */
static table make_table(int64_t rows, int64_t segment, int64_t pitch, memory *m)
{
    const size_t n = (size_t)(rows * segment), from = (size_t)((rows - 1) * pitch + segment);
    m->a = test_guarded(from * 4);
    m->c = test_guarded(n * 4);
    m->d = test_guarded(n * 4);
    m->weight = test_guarded((size_t)rows * 8);
    m->column = test_guarded((size_t)rows * 8);
    m->level = test_guarded((size_t)rows * 8);
    table t = {.rows = rows,
               .segment = segment,
               .pitch = pitch,
               .trap_row = -1,
               .a = (void *)m->a.data,
               .c = (void *)m->c.data,
               .d = (void *)m->d.data,
               .weight = (void *)m->weight.data,
               .column = (void *)m->column.data,
               .level = (void *)m->level.data};
    uint64_t state = 11;
    for (size_t i = 0; i < from; i++)
        t.a[i] = (uint32_t)test_random(&state);
    for (int64_t i = 0; i < rows; i++) {
        t.weight[i] = test_random(&state);
        t.column[i] = test_random(&state);
    }
    return t;
}

static void free_memory(memory *m)
{
    test_guarded_free(&m->a);
    test_guarded_free(&m->c);
    test_guarded_free(&m->d);
    test_guarded_free(&m->weight);
    test_guarded_free(&m->column);
    test_guarded_free(&m->level);
}

static void check_table(const table *t)
{
    for (int64_t row = 0; row < t->rows; row++) {
        const uint32_t *a = t->a + row * t->pitch;
        uint64_t total = 0;
        for (int64_t i = 0; i < t->segment; i++)
            total += a[i];
        uint64_t level = total * t->weight[row];
        assert_true(t->level[row] == level);
        for (int64_t i = 0; i < t->segment; i++) {
            uint32_t c = (a[i] ^ (uint32_t)level) + (uint32_t)t->column[t->rows - 1 - row];
            assert_int_equal(t->c[row * t->segment + i], c);
            assert_int_equal(t->d[row * t->segment + i], 3 * c - a[i]);
        }
    }
}

static const int64_t segments[] = {64, 65, 100, 127, 128, 1003}, rows[] = {1, 2, 5, 64, 217};

static void test_segments_of_any_length(void **state)
{
    (void)state;
    for (int l = 0; l < 6; l++)
        for (int r = 0; r < 5; r++)
            for (int t = 0; t < THREADS; t++)
                for (int bytes = 0; bytes < 3; bytes++) {
                    memory m;
                    lun_chain c;
                    table x = make_table(rows[r], segments[l], segments[l] + bytes * 3, &m);
                    assert_int_equal(run_chain(&x, test_threads[t], bytes * 6000, &c), LUN_OK);
                    check_table(&x);
                    free_memory(&m);
                }
}

/* The stage and what it reports, on any number of threads. */
static void test_failures(void **state)
{
    (void)state;
    for (int t = 0; t < THREADS; t++)
        for (int64_t row = 0; row < 200; row += 33) {
            memory m;
            lun_chain c;
            table x = make_table(200, 100, 100, &m);
            x.trap_row = row;
            assert_int_equal(run_chain(&x, test_threads[t], 6000, &c), LUN_EBOUNDS);
            assert_int_equal(c.failed, 3);
            assert_int_equal(c.stages[3].launch->trap, 3);
            assert_int_equal(c.stages[3].launch->trap_value, row);
            free_memory(&m);
        }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_segments_of_any_length),
        cmocka_unit_test(test_failures),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
