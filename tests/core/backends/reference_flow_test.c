/* reference_flow_test.c - control flow in the interpreter: random structured kernels against
 * an oracle that runs one index at a time, jump by jump; then cases that a random kernel
 * would seldom hit. */
#include "kernels.h"

#include <stdio.h>

enum { MOST = 4000, TABLE = 37, N = 1111 };

/* ---- the oracle: one index, one instruction after the other ---------------------------------- */

typedef struct element {
    int64_t value[MOST];
    int32_t end[MOST], other[MOST], around[MOST]; /* of blocks; innermost block of an instruction */
    int trap;
    int64_t trap_value;
} element;

static void find_blocks(const lun_ir *ir, element *e)
{
    int32_t open = -1;
    for (int i = 0; i < ir->count; i++) {
        int kind = ir->ins[i].kind;
        if (kind == LUN_IR_END) {
            e->end[open] = i;
            open = e->around[open];
        }
        e->around[i] = open;
        if (kind == LUN_IR_ELSE)
            e->other[open] = i;
        if (kind != LUN_IR_IF && kind != LUN_IR_LOOP && kind != LUN_IR_BLOCK)
            continue;
        e->other[i] = -1;
        open = i;
    }
}

static int32_t target_of(const lun_ir *ir, const element *e, int i)
{
    int64_t k = ir->ins[i].imm;
    int32_t b = e->around[i];
    while (ir->ins[b].kind == LUN_IR_IF || k-- > 0)
        b = e->around[b];
    return b;
}

static int64_t operate(lun_op op, int64_t a, int64_t b)
{
    switch (op) {
    case LUN_OP_ADD:
        return (int32_t)((uint32_t)a + (uint32_t)b);
    case LUN_OP_SUB:
        return (int32_t)((uint32_t)a - (uint32_t)b);
    case LUN_OP_MUL:
        return (int32_t)((uint32_t)a * (uint32_t)b);
    case LUN_OP_BXOR:
        return (int32_t)((uint32_t)a ^ (uint32_t)b);
    case LUN_OP_LT:
        return a < b;
    case LUN_OP_EQ:
        return a == b;
    case LUN_OP_MOD: {
        int64_t r = b ? a % b : 0;
        return r != 0 && (r < 0) != (b < 0) ? r + b : r;
    }
    default:
        abort();
    }
}

/* Runs index i; the element of the last STORE into each slot goes to out. */
static void run_element(const lun_ir *ir, element *e, const int32_t *const *slots, int64_t i,
                        int32_t *out)
{
    int64_t *v = e->value;
    for (int pc = 0; pc < ir->count && e->trap < 0; pc++) {
        const lun_ir_ins *ins = &ir->ins[pc];
        switch ((lun_ir_kind)ins->kind) {
        case LUN_IR_CONST:
            v[pc] = (int32_t)ins->imm;
            break;
        case LUN_IR_LOAD:
            v[pc] = slots[ins->imm][i];
            break;
        case LUN_IR_GATHER:
            v[pc] = slots[ins->imm][v[ins->a]];
            break;
        case LUN_IR_CAST:
        case LUN_IR_VAR:
        case LUN_IR_GET:
            v[pc] = v[ins->a];
            break;
        case LUN_IR_SET:
            v[ins->a] = v[ins->b];
            break;
        case LUN_IR_STORE:
            out[ins->imm] = (int32_t)v[ins->a];
            break;
        case LUN_IR_OP:
            v[pc] = operate((lun_op)ins->op, v[ins->a], v[ins->b]);
            if (ins->op == LUN_OP_MOD && v[ins->b] == 0)
                e->trap = pc;
            break;
        case LUN_IR_CHECK:
            if (v[ins->a])
                break;
            e->trap = pc;
            e->trap_value = ins->b < 0 ? 0 : v[ins->b];
            break;
        case LUN_IR_IF:
            if (!v[ins->a])
                pc = e->other[pc] >= 0 ? e->other[pc] : e->end[pc];
            break;
        case LUN_IR_ELSE:
            pc = e->end[e->around[pc]];
            break;
        case LUN_IR_END: /* which block ends here */
            for (int b = 0; b < pc; b++)
                if (ir->ins[b].kind == LUN_IR_LOOP && e->end[b] == pc) {
                    pc = b;
                    break;
                }
            break;
        case LUN_IR_BREAK:
            pc = e->end[target_of(ir, e, pc)];
            break;
        case LUN_IR_CONTINUE:
            pc = target_of(ir, e, pc);
            break;
        default:
            break;
        }
    }
}

/* ---- random kernels -------------------------------------------------------------------------- */

/* Values and variables that may be used; a block's own are forgotten at its end. */
typedef struct writer {
    lun_ir *ir;
    uint64_t seed;
    int32_t values[MOST], vars[MOST];
    int value_count, var_count, nest, blocks, budget;
    bool is_loop[16]; /* of the open LOOPs and BLOCKs */
    bool may_trap;
} writer;

static int pick(writer *w, int n)
{
    return (int)(test_random(&w->seed) % (uint64_t)n);
}

static int32_t any_value(writer *w)
{
    return w->values[pick(w, w->value_count)];
}

static void add_value(writer *w, int32_t v)
{
    w->values[w->value_count++] = v;
}

static int32_t condition(writer *w)
{
    lun_op op = pick(w, 4) ? LUN_OP_LT : LUN_OP_EQ;
    return ir_op(w->ir, op, LUN_I32, any_value(w), any_value(w), -1);
}

static void write_block(writer *w);

static void write_loop(writer *w)
{
    lun_ir *ir = w->ir;
    bool loop = pick(w, 3) != 0;
    int32_t zero = ir_const(ir, LUN_I32, 0), one = ir_const(ir, LUN_I32, 1);
    int32_t most = ir_const(ir, LUN_I32, (uint64_t)pick(w, 6));
    int32_t count = ir_flow(ir, LUN_IR_VAR, zero, -1, 0);
    ir_flow(ir, loop ? LUN_IR_LOOP : LUN_IR_BLOCK, -1, -1, 0);
    w->is_loop[w->blocks++] = loop;
    w->nest++;
    if (loop) { /* every loop ends */
        int32_t now = ir_flow(ir, LUN_IR_GET, count, -1, 0);
        ir_flow(ir, LUN_IR_SET, count, ir_op(ir, LUN_OP_ADD, LUN_I32, now, one, -1), 0);
        ir_flow(ir, LUN_IR_IF, ir_op(ir, LUN_OP_LT, LUN_I32, most, now, -1), -1, 0);
        ir_flow(ir, LUN_IR_BREAK, -1, -1, 0);
        ir_flow(ir, LUN_IR_END, -1, -1, 0);
    }
    write_block(w);
    ir_flow(ir, LUN_IR_END, -1, -1, 0);
    w->blocks--;
    w->nest--;
}

static void write_if(writer *w)
{
    ir_flow(w->ir, LUN_IR_IF, condition(w), -1, 0);
    w->nest++;
    write_block(w);
    if (pick(w, 2)) {
        ir_flow(w->ir, LUN_IR_ELSE, -1, -1, 0);
        write_block(w);
    }
    ir_flow(w->ir, LUN_IR_END, -1, -1, 0);
    w->nest--;
}

static void write_jump(writer *w)
{
    int level = pick(w, w->blocks);
    bool again = w->is_loop[w->blocks - 1 - level] && pick(w, 2);
    if (pick(w, 4))
        ir_flow(w->ir, LUN_IR_IF, condition(w), -1, 0);
    else
        ir_flow(w->ir, LUN_IR_IF, ir_op(w->ir, LUN_OP_EQ, LUN_I32, w->values[0], w->values[0], -1),
                -1, 0);
    ir_flow(w->ir, again ? LUN_IR_CONTINUE : LUN_IR_BREAK, -1, -1, level);
    ir_flow(w->ir, LUN_IR_END, -1, -1, 0);
}

/* slot 2[x mod TABLE], the index in range because TABLE > 0 */
static void write_gather(writer *w)
{
    int32_t size = ir_const(w->ir, LUN_I32, TABLE);
    int32_t at = ir_op(w->ir, LUN_OP_MOD, LUN_I32, any_value(w), size, -1);
    at = ir_cast(w->ir, LUN_I64, at);
    add_value(
        w, ir_add(w->ir, (lun_ir_ins){.kind = LUN_IR_GATHER, .dtype = LUN_I32, .a = at, .imm = 2}));
}

static void write_trap(writer *w)
{
    int32_t x = any_value(w);
    if (pick(w, 2)) {
        add_value(w, ir_op(w->ir, LUN_OP_MOD, LUN_I32, any_value(w), x, -1));
        return;
    }
    int32_t c = ir_op(w->ir, LUN_OP_LT, LUN_I32, x, ir_const(w->ir, LUN_I32, 2000000000), -1);
    ir_flow(w->ir, LUN_IR_CHECK, c, ir_cast(w->ir, LUN_I64, x), 0);
}

static void write_block(writer *w)
{
    static const lun_op ops[] = {LUN_OP_ADD, LUN_OP_SUB, LUN_OP_MUL, LUN_OP_BXOR};
    int values = w->value_count, vars = w->var_count;
    for (int k = 1 + pick(w, 6); k > 0 && w->budget > 0; k--, w->budget--) {
        int what = pick(w, 16);
        if (what < 5)
            add_value(w, ir_op(w->ir, ops[pick(w, 4)], LUN_I32, any_value(w), any_value(w), -1));
        else if (what < 6)
            add_value(w, ir_const(w->ir, LUN_I32, (uint64_t)pick(w, 100)));
        else if (what < 7)
            w->vars[w->var_count++] = ir_flow(w->ir, LUN_IR_VAR, any_value(w), -1, 0);
        else if (what < 9 && w->var_count)
            add_value(w, ir_flow(w->ir, LUN_IR_GET, w->vars[pick(w, w->var_count)], -1, 0));
        else if (what < 11 && w->var_count)
            ir_flow(w->ir, LUN_IR_SET, w->vars[pick(w, w->var_count)], any_value(w), 0);
        else if (what < 12)
            write_gather(w);
        else if (what < 13 && w->may_trap)
            write_trap(w);
        else if (what < 14 && w->nest < 5)
            write_if(w);
        else if (what < 15 && w->nest < 5)
            write_loop(w);
        else if (w->blocks)
            write_jump(w);
    }
    w->value_count = values;
    w->var_count = vars;
}

/* Slots: 0 and 1 in, 2 a table, 3 and 4 out. */
static void write_kernel(lun_ir *ir, uint64_t seed, bool may_trap)
{
    static writer w;
    memset(&w, 0, sizeof w);
    w.ir = ir;
    w.seed = seed;
    w.budget = 60;
    w.may_trap = may_trap;
    lun__ir_init(ir);
    lun__ir_slot_add(ir, LUN_I32, LUN_SLOT_IN);
    lun__ir_slot_add(ir, LUN_I32, LUN_SLOT_IN);
    lun__ir_slot_add(ir, LUN_I32, LUN_SLOT_ARRAY);
    lun__ir_slot_add(ir, LUN_I32, LUN_SLOT_OUT);
    lun__ir_slot_add(ir, LUN_I32, LUN_SLOT_OUT);
    add_value(&w, ir_load(ir, 0));
    add_value(&w, ir_load(ir, 1));
    int32_t a = ir_flow(ir, LUN_IR_VAR, w.values[0], -1, 0);
    int32_t b = ir_flow(ir, LUN_IR_VAR, w.values[1], -1, 0);
    w.vars[w.var_count++] = a;
    w.vars[w.var_count++] = b;
    for (int k = 0; k < 8; k++) {
        write_block(&w);
        if (k == 4)
            ir_store(ir, 3, ir_flow(ir, LUN_IR_GET, a, -1, 0));
    }
    ir_store(ir, 4, ir_flow(ir, LUN_IR_GET, b, -1, 0));
    assert_true(ir->count < MOST);
}

static void fail_with_kernel(const lun_ir *ir, uint64_t seed, int64_t i, const char *what)
{
    lun_strbuf text = LUN_STRBUF_INIT;
    lun__print_ir(ir, &text);
    fprintf(stderr, "%s\n", lun__strbuf_text(&text));
    lun__strbuf_free(&text);
    fail_msg("kernel %llu, index %lld: %s", (unsigned long long)seed, (long long)i, what);
}

static void check_kernel(uint64_t seed, bool may_trap, lun_isa isa)
{
    static element e;
    static int32_t in[2][N + 64], table[TABLE], out[2][N + 64], want[5];
    void *slots[5] = {in[0], in[1], table, out[0], out[1]};
    const int32_t *const read[3] = {in[0], in[1], table};
    uint64_t r = seed * 77 + 1;
    lun_ir ir;
    write_kernel(&ir, seed, may_trap);
    for (int i = 0; i < N; i++) {
        in[0][i] = (int32_t)(test_random(&r) % 41) - 20;
        in[1][i] = i % 3 ? (int32_t)test_random(&r) : i % 9;
    }
    for (int i = 0; i < TABLE; i++)
        table[i] = i * i - 100;
    test_run run = {.isa = isa};
    lun_status s = run_ir(&ir, slots, N, &run);
    find_blocks(&ir, &e);
    bool trapped = false, reported = false;
    for (int i = 0; i < N; i++) {
        e.trap = -1;
        e.trap_value = 0;
        run_element(&ir, &e, read, i, want);
        trapped |= e.trap >= 0;
        reported |= e.trap == run.trap && e.trap_value == run.trap_value;
        if (s != LUN_OK)
            continue;
        if (e.trap >= 0)
            fail_with_kernel(&ir, seed, i, "a trap was missed");
        if (want[3] != out[0][i] || want[4] != out[1][i])
            fail_with_kernel(&ir, seed, i, "another result");
    }
    if ((s != LUN_OK) != trapped || (trapped && !reported))
        fail_with_kernel(&ir, seed, -1, "trapped without a reason");
    lun__ir_free(&ir);
}

static void test_random_kernels(void **state)
{
    (void)state;
    for (uint64_t seed = 0; seed < 1500; seed++)
        check_kernel(seed, seed % 4 == 3, (lun_isa)(seed % (uint64_t)(1 + (int)lun__isa_here())));
}

/* ---- chosen cases ---------------------------------------------------------------------------- */

/* Lengths of Collatz sequences: rounds differ from element to element; padding must not run. */
static void test_collatz(void **state)
{
    (void)state;
    int64_t in[128] = {0}, out[128];
    void *slots[2] = {in, out};
    lun_ir ir;
    lun__ir_init(&ir);
    lun__ir_slot_add(&ir, LUN_I64, LUN_SLOT_IN);
    lun__ir_slot_add(&ir, LUN_I64, LUN_SLOT_OUT);
    int32_t zero = ir_const(&ir, LUN_I64, 0), one = ir_const(&ir, LUN_I64, 1);
    int32_t two = ir_const(&ir, LUN_I64, 2), three = ir_const(&ir, LUN_I64, 3);
    int32_t x = ir_flow(&ir, LUN_IR_VAR, ir_load(&ir, 0), -1, 0);
    int32_t n = ir_flow(&ir, LUN_IR_VAR, zero, -1, 0);
    ir_flow(&ir, LUN_IR_LOOP, -1, -1, 0);
    int32_t now = ir_flow(&ir, LUN_IR_GET, x, -1, 0);
    ir_flow(&ir, LUN_IR_IF, ir_op(&ir, LUN_OP_EQ, LUN_I64, now, one, -1), -1, 0);
    ir_flow(&ir, LUN_IR_BREAK, -1, -1, 0);
    ir_flow(&ir, LUN_IR_END, -1, -1, 0);
    int32_t odd = ir_op(&ir, LUN_OP_MOD, LUN_I64, now, two, -1);
    ir_flow(&ir, LUN_IR_IF, ir_op(&ir, LUN_OP_EQ, LUN_I64, odd, zero, -1), -1, 0);
    ir_flow(&ir, LUN_IR_SET, x, ir_op(&ir, LUN_OP_IDIV, LUN_I64, now, two, -1), 0);
    ir_flow(&ir, LUN_IR_ELSE, -1, -1, 0);
    int32_t up = ir_op(&ir, LUN_OP_MUL, LUN_I64, now, three, -1);
    ir_flow(&ir, LUN_IR_SET, x, ir_op(&ir, LUN_OP_ADD, LUN_I64, up, one, -1), 0);
    ir_flow(&ir, LUN_IR_END, -1, -1, 0);
    int32_t count = ir_flow(&ir, LUN_IR_GET, n, -1, 0);
    ir_flow(&ir, LUN_IR_SET, n, ir_op(&ir, LUN_OP_ADD, LUN_I64, count, one, -1), 0);
    ir_flow(&ir, LUN_IR_END, -1, -1, 0);
    ir_store(&ir, 1, ir_flow(&ir, LUN_IR_GET, n, -1, 0));
    for (int i = 0; i < 100; i++)
        in[i] = i + 1; /* then zeros, for which the loop would never end */
    test_run run = {.isa = lun__isa_here()};
    assert_int_equal(run_ir(&ir, slots, 100, &run), LUN_OK);
    for (int i = 0; i < 100; i++) {
        int64_t steps = 0;
        for (int64_t y = i + 1; y != 1; steps++)
            y = y % 2 ? 3 * y + 1 : y / 2;
        assert_int_equal(out[i], steps);
    }
    lun__ir_free(&ir);
}

/* A check keeps a gather from reading beyond its array; the first index that fails is reported. */
static void test_check_before_gather(void **state)
{
    (void)state;
    test_memory table = test_guarded(8 * 8);
    int64_t at[1000], out[1024], room[3] = {1000, 8, 1000};
    void *slots[3] = {at, table.data, out};
    for (int bad = -1; bad < 1000; bad += 111) {
        lun_ir ir;
        lun__ir_init(&ir);
        lun__ir_slot_add(&ir, LUN_I64, LUN_SLOT_IN);
        lun__ir_slot_add(&ir, LUN_I64, LUN_SLOT_ARRAY);
        lun__ir_slot_add(&ir, LUN_I64, LUN_SLOT_OUT);
        int32_t i = ir_load(&ir, 0);
        int32_t c = ir_op(&ir, LUN_OP_LT, LUN_I64, i, ir_const(&ir, LUN_I64, 8), -1);
        int32_t check = ir_flow(&ir, LUN_IR_CHECK, c, i, 3);
        ir_store(
            &ir, 2,
            ir_add(&ir, (lun_ir_ins){.kind = LUN_IR_GATHER, .dtype = LUN_I64, .a = i, .imm = 1}));
        for (int k = 0; k < 1000; k++)
            at[k] = k % 8;
        if (bad >= 0)
            at[bad] = (int64_t)1 << 40;
        if (bad >= 0)
            at[999] = (int64_t)1 << 41;
        test_run run = {.isa = lun__isa_here(), .room = room};
        assert_int_equal(run_ir(&ir, slots, 1000, &run), bad < 0 ? LUN_OK : LUN_EBOUNDS);
        assert_int_equal(run.trap, bad < 0 ? -1 : check);
        assert_int_equal(run.trap_value, bad < 0      ? 0
                                         : bad == 999 ? (int64_t)1 << 41
                                                      : (int64_t)1 << 40);
        lun__ir_free(&ir);
    }
    test_guarded_free(&table);
}

/* A STORE in a branch writes where the branch runs and nowhere else, in place too. */
static void test_store_in_a_branch(void **state)
{
    (void)state;
    int32_t x[256], y[256];
    void *slots[3] = {x, x, y};
    lun_ir ir;
    lun__ir_init(&ir);
    lun__ir_slot_add(&ir, LUN_I32, LUN_SLOT_IN);
    lun__ir_slot_add(&ir, LUN_I32, LUN_SLOT_OUT);
    lun__ir_slot_add(&ir, LUN_I32, LUN_SLOT_OUT);
    int32_t v = ir_load(&ir, 0), ten = ir_const(&ir, LUN_I32, 10);
    ir_flow(&ir, LUN_IR_IF, ir_op(&ir, LUN_OP_LT, LUN_I32, v, ten, -1), -1, 0);
    ir_store(&ir, 1, ir_op(&ir, LUN_OP_NEG, LUN_I32, v, -1, -1));
    ir_flow(&ir, LUN_IR_END, -1, -1, 0);
    ir_store(&ir, 2, ir_op(&ir, LUN_OP_ADD, LUN_I32, v, ten, -1));
    for (int i = 0; i < 256; i++)
        x[i] = i % 20;
    test_run run = {.isa = lun__isa_here()};
    assert_int_equal(run_ir(&ir, slots, 200, &run), LUN_OK);
    for (int i = 0; i < 200; i++) {
        assert_int_equal(x[i], i % 20 < 10 ? -(i % 20) : i % 20);
        assert_int_equal(y[i], i % 20 + 10);
    }
    lun__ir_free(&ir);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_random_kernels),
        cmocka_unit_test(test_collatz),
        cmocka_unit_test(test_check_before_gather),
        cmocka_unit_test(test_store_in_a_branch),
    };
    int failed = cmocka_run_group_tests(tests, NULL, NULL);
    lun__strbuf_free(&test_error);
    return failed;
}
