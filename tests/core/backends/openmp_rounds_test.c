/* openmp_rounds_test.c - divergent loops that may run some iterations without active lanes, in
 * machine code: random ones against the interpreter, with counters of several kinds and widths
 * that are wanted behind them.  TEST_SEEDS=a-b runs others. */
#include "openmp_kit.h"

enum { N = 777 };

typedef struct counter {
    int32_t var, step;
    lun_dtype t;
    lun_op op;
} counter;

typedef struct writer {
    lun_ir *ir;
    uint64_t seed;
    lun_dtype real;
    int32_t x, y, element; /* variables that differ, and what they start from */
    counter counters[4];
    int count;
} writer;

static int pick(writer *w, int n)
{
    return (int)(test_random(&w->seed) % (uint64_t)n);
}

static int32_t get(writer *w, int32_t var)
{
    return ir_flow(w->ir, LUN_IR_GET, var, -1, 0);
}

static int32_t small(writer *w, lun_dtype t, int value)
{
    uint64_t cell = (uint64_t)value;
    float f = (float)value;
    double d = value;
    if (t == LUN_F32)
        cell = 0, memcpy(&cell, &f, sizeof f);
    if (t == LUN_F64)
        memcpy(&cell, &d, sizeof d);
    return ir_const(w->ir, t, cell);
}

/* A variable that starts equal for all lanes; what a round does to it. */
static void add_counter(writer *w)
{
    static const lun_dtype types[] = {LUN_I64, LUN_I64, LUN_I32, LUN_U64, LUN_I32};
    static const lun_op ops[] = {LUN_OP_ADD, LUN_OP_ADD, LUN_OP_SUB, LUN_OP_MUL};
    counter *c = &w->counters[w->count++];
    c->t = pick(w, 5) ? types[pick(w, 5)] : w->real;
    c->op = ops[pick(w, 8) ? pick(w, 3) : 3];
    c->step = pick(w, 2) ? ir_arg(w->ir, c->t) : small(w, c->t, 1 + pick(w, 3));
    c->var = ir_flow(w->ir, LUN_IR_VAR,
                     pick(w, 2) ? ir_arg(w->ir, c->t) : small(w, c->t, pick(w, 3)), -1, 0);
}

static void advance(writer *w, const counter *c)
{
    int32_t now = get(w, c->var);
    bool turned = c->op == LUN_OP_ADD && pick(w, 2);
    int32_t next = ir_op(w->ir, c->op, c->t, turned ? c->step : now, turned ? now : c->step, -1);
    ir_flow(w->ir, LUN_IR_SET, c->var, next, 0);
}

/* Leaves the loop where a condition on the elements holds, perhaps together with one that
 * is equal for all. */
static void write_exit(writer *w)
{
    static const lun_op ops[] = {LUN_OP_GT, LUN_OP_GE, LUN_OP_LT};
    int32_t a = get(w, w->x), b = small(w, w->real, 50 + pick(w, 100));
    int32_t c = ir_op(w->ir, ops[pick(w, 2)], w->real, a, b, -1);
    if (pick(w, 2)) {
        counter *k = &w->counters[pick(w, w->count)];
        int32_t d = ir_op(w->ir, ops[pick(w, 3)], k->t, get(w, k->var),
                          small(w, k->t, 20 + pick(w, 40)), -1);
        bool turned = pick(w, 2);
        c = ir_op(w->ir, pick(w, 2) ? LUN_OP_LOR : LUN_OP_LAND, LUN_BOOL, turned ? d : c,
                  turned ? c : d, -1);
    }
    if (pick(w, 2)) { /* the same, said twice as turned round */
        c = ir_op(w->ir, LUN_OP_LNOT, LUN_BOOL, c, -1, -1);
        c = ir_op(w->ir, LUN_OP_LNOT, LUN_BOOL, c, -1, -1);
    }
    ir_flow(w->ir, LUN_IR_IF, c, -1, 0);
    ir_flow(w->ir, LUN_IR_BREAK, -1, -1, 0);
    ir_flow(w->ir, LUN_IR_END, -1, -1, 0);
}

static void write_work(writer *w)
{
    lun_ir *ir = w->ir;
    int32_t x = get(w, w->x), y = get(w, w->y);
    int32_t sum = ir_op(ir, LUN_OP_ADD, w->real, x, w->element, -1);
    if (pick(w, 3) == 0) { /* a branch inside */
        ir_flow(ir, LUN_IR_IF, ir_op(ir, LUN_OP_LT, w->real, y, x, -1), -1, 0);
        ir_flow(ir, LUN_IR_SET, w->y, sum, 0);
        ir_flow(ir, LUN_IR_END, -1, -1, 0);
    }
    counter *c = &w->counters[pick(w, w->count)];
    int32_t z = pick(w, 2) ? ir_cast(ir, w->real, get(w, c->var)) : y;
    ir_flow(ir, LUN_IR_SET, w->x,
            ir_op(ir, LUN_OP_MAX, w->real, sum, ir_op(ir, LUN_OP_SUB, w->real, x, z, -1), -1), 0);
}

static void write_loop(writer *w)
{
    lun_ir *ir = w->ir;
    int32_t rounds = ir_flow(ir, LUN_IR_VAR, small(w, LUN_I32, 0), -1, 0);
    ir_flow(ir, LUN_IR_LOOP, -1, -1, 0);
    int32_t now = get(w, rounds); /* every loop ends */
    ir_flow(ir, LUN_IR_IF, ir_op(ir, LUN_OP_GE, LUN_I32, now, ir_arg(ir, LUN_I32), -1), -1, 0);
    ir_flow(ir, LUN_IR_BREAK, -1, -1, 0);
    ir_flow(ir, LUN_IR_END, -1, -1, 0);
    ir_flow(ir, LUN_IR_SET, rounds, ir_op(ir, LUN_OP_ADD, LUN_I32, now, small(w, LUN_I32, 1), -1),
            0);
    for (int k = 0; k < 3; k++) {
        write_exit(w);
        write_work(w);
        if (k < w->count)
            advance(w, &w->counters[k]);
    }
    ir_flow(ir, LUN_IR_END, -1, -1, 0);
}

/* Slots: 0, 1 in; 2 real, 3 .. 6 counters as they are, 7 as i32, 8 as real. */
static void write_kernel(lun_ir *ir, uint64_t seed)
{
    writer w = {.ir = ir, .seed = seed * 31 + 7, .real = seed % 3 ? LUN_F32 : LUN_F64};
    lun__ir_init(ir);
    lun__ir_slot_add(ir, w.real, LUN_SLOT_IN);
    lun__ir_slot_add(ir, LUN_I32, LUN_SLOT_IN);
    lun__ir_slot_add(ir, w.real, LUN_SLOT_OUT);
    w.element = ir_load(ir, 0);
    w.x = ir_flow(ir, LUN_IR_VAR, w.element, -1, 0);
    w.y = ir_flow(ir, LUN_IR_VAR, small(&w, w.real, 1), -1, 0);
    for (int k = 1 + pick(&w, 3); k > 0; k--)
        add_counter(&w);
    bool branch = pick(&w, 4) == 0;
    if (branch)
        ir_flow(ir, LUN_IR_IF,
                ir_op(ir, LUN_OP_GT, LUN_I32, ir_load(ir, 1), small(&w, LUN_I32, 0), -1), -1, 0);
    write_loop(&w);
    if (pick(&w, 3) == 0)
        advance(&w, &w.counters[0]);
    if (branch)
        ir_flow(ir, LUN_IR_END, -1, -1, 0);
    ir_store(ir, 2, get(&w, w.x));
    for (int k = 0; k < w.count; k++) {
        const counter *c = &w.counters[k];
        int32_t v = get(&w, c->var);
        ir_store(ir, lun__ir_slot_add(ir, c->t, LUN_SLOT_OUT), v);
        if (pick(&w, 2))
            ir_store(ir, lun__ir_slot_add(ir, LUN_I32, LUN_SLOT_OUT), ir_cast(ir, LUN_I32, v));
        if (pick(&w, 2))
            ir_store(ir, lun__ir_slot_add(ir, LUN_F32, LUN_SLOT_OUT), ir_cast(ir, LUN_F32, v));
        if (c->t == LUN_I64 && pick(&w, 2)) {
            int32_t i = ir_op(ir, LUN_OP_MUL, LUN_I64, ir_index(ir), v, -1);
            ir_store(ir, lun__ir_slot_add(ir, LUN_I64, LUN_SLOT_OUT), i);
        }
    }
}

static void check_kernel(kit *k, uint64_t seed)
{
    static float f[N + 64];
    static double d[N + 64];
    static int32_t a[N + 64];
    uint64_t r = seed * 5 + 1, args[64];
    lun_ir ir;
    write_kernel(&ir, seed);
    for (int i = 0; i < N; i++) {
        d[i] = (double)((int)(test_random(&r) % 200) - 20) / 16;
        f[i] = (float)d[i];
        a[i] = (int32_t)(test_random(&r) % 9) - 4;
    }
    assert_true(ir.arg_count < 64);
    for (int i = 0; i < ir.arg_count; i++) {
        args[i] = ir.args[i] == LUN_I32 ? test_random(&r) % 60 : test_random(&r) % 5;
        float x = (float)args[i];
        double y = (double)args[i];
        if (ir.args[i] == LUN_F32)
            memcpy(&args[i], &x, sizeof x);
        if (ir.args[i] == LUN_F64)
            memcpy(&args[i], &y, sizeof y);
    }
    kit_kernel kernel = kit_build(k, &ir);
    void *slots[32] = {ir.slots[0].dtype == LUN_F64 ? (void *)d : (void *)f, a};
    kit_compare(k, &ir, &kernel, slots, N, args, 0);
    kit_release(k, &kernel);
    lun__ir_free(&ir);
}

static void test_random_loops(void **state)
{
    kit k;
    (void)state;
    unsigned long first = 0, last = 40;
    const char *seeds = getenv("TEST_SEEDS");
    if (seeds)
        sscanf(seeds, "%lu-%lu", &first, &last);
    kit_open(&k, NULL, "cc", LUN_JIT_SYNC, 1, LUN_MATH_FAST);
    for (uint64_t seed = first; seed < last; seed++) {
        check_kernel(&k, seed);
        if (k.stats.interpreted)
            fail_msg("seed %llu was not compiled", (unsigned long long)seed);
    }
    kit_close(&k, true);
}

/* What the loops above are about: 32-bit elements keep all their lanes beside a 64-bit counter, and
 * are looked at every few rounds; with AVX-512 a comparison narrows the mask by itself, and rounds
 * are counted together. */
static void test_lanes(void **state)
{
    lun_ir ir;
    lun_strbuf text = LUN_STRBUF_INIT;
    lun_render_target target = {LUN_ISA_AVX512, 0};
    unsigned needs;
    (void)state;
    lun__ir_init(&ir);
    lun__ir_slot_add(&ir, LUN_F32, LUN_SLOT_IN);
    lun__ir_slot_add(&ir, LUN_I64, LUN_SLOT_OUT);
    int32_t one = ir_const(&ir, LUN_I64, 1), x = ir_load(&ir, 0);
    int32_t n = ir_flow(&ir, LUN_IR_VAR, one, -1, 0), z = ir_flow(&ir, LUN_IR_VAR, x, -1, 0);
    ir_flow(&ir, LUN_IR_LOOP, -1, -1, 0);
    int32_t now = ir_flow(&ir, LUN_IR_GET, n, -1, 0), y = ir_flow(&ir, LUN_IR_GET, z, -1, 0);
    ir_flow(&ir, LUN_IR_IF, ir_op(&ir, LUN_OP_LT, LUN_F32, x, y, -1), -1, 0);
    ir_flow(&ir, LUN_IR_BREAK, -1, -1, 0);
    ir_flow(&ir, LUN_IR_END, -1, -1, 0);
    ir_flow(&ir, LUN_IR_SET, z, ir_op(&ir, LUN_OP_MUL, LUN_F32, y, y, -1), 0);
    ir_flow(&ir, LUN_IR_SET, n, ir_op(&ir, LUN_OP_ADD, LUN_I64, now, one, -1), 0);
    ir_flow(&ir, LUN_IR_END, -1, -1, 0);
    ir_store(&ir, 1, ir_flow(&ir, LUN_IR_GET, n, -1, 0));
    assert_int_equal(lun__gnu_render(&ir, &target, &text, &needs), LUN_OK);
    assert_non_null(strstr(lun__strbuf_text(&text), "vectors of 64 bytes, 16 lanes"));
    assert_non_null(strstr(lun__strbuf_text(&text), "for (int r = 0; r < 4; r++)"));
    assert_non_null(strstr(lun__strbuf_text(&text), "= lun_bits_unless_lt_f32("));
    assert_non_null(strstr(lun__strbuf_text(&text), "lun_bits_count(q2_0, k4_0, 4)"));
    lun__strbuf_free(&text);
    lun__ir_free(&ir);
}

int main(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(test_random_loops),
                                       cmocka_unit_test(test_lanes)};
    int failed = kit_group(tests);
    lun__strbuf_free(&test_error);
    return failed;
}
