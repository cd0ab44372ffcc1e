/* flow_cases.h - control flow: random structured kernels, of values that are equal for all
 * indices and values that are not, by a kit and by the interpreter.  TEST_SEEDS=a-b runs others.
 * Include a kit first. */
#ifndef TEST_FLOW_CASES_H
#define TEST_FLOW_CASES_H

enum { MOST = 3000, TABLE = 37, N = 1111, TYPES = 4 };

static const lun_dtype flow_types[TYPES] = {LUN_I32, LUN_F32, LUN_I64, LUN_U8};

/* Values and variables that may be used, by type; a block's own are forgotten at its end. */
typedef struct pool {
    int32_t at[MOST];
    int count;
} pool;

typedef struct writer {
    lun_ir *ir;
    uint64_t seed;
    pool values[TYPES], vars[TYPES];
    int nest, blocks, budget;
    bool is_loop[16]; /* of the open LOOPs and BLOCKs */
    bool may_trap;
} writer;

static int pick(writer *w, int n)
{
    return (int)(test_random(&w->seed) % (uint64_t)n);
}

static int32_t any(writer *w, int t)
{
    return w->values[t].at[pick(w, w->values[t].count)];
}

static void add(writer *w, int t, int32_t v)
{
    w->values[t].at[w->values[t].count++] = v;
}

static int32_t condition(writer *w)
{
    static const lun_op ops[] = {LUN_OP_LT, LUN_OP_LE, LUN_OP_EQ, LUN_OP_NE};
    int t = pick(w, TYPES);
    int32_t c = ir_op(w->ir, ops[pick(w, 4)], flow_types[t], any(w, t), any(w, t), -1);
    if (pick(w, 3))
        return c;
    int u = pick(w, TYPES);
    int32_t d = ir_op(w->ir, LUN_OP_LT, flow_types[u], any(w, u), any(w, u), -1);
    return ir_op(w->ir, pick(w, 2) ? LUN_OP_LAND : LUN_OP_LOR, LUN_BOOL, c, d, -1);
}

static void write_block(writer *w);

static void open_if(writer *w)
{
    ir_flow(w->ir, LUN_IR_IF, condition(w), -1, 0);
}

static void end(writer *w)
{
    ir_flow(w->ir, LUN_IR_END, -1, -1, 0);
}

/* Every loop ends after a few rounds; the bound may be a number or an element. */
static void write_loop(writer *w)
{
    lun_ir *ir = w->ir;
    bool loop = pick(w, 3) != 0;
    int32_t one = ir_const(ir, LUN_I32, 1), count = -1, most = -1;
    if (loop) {
        int32_t seven = ir_const(ir, LUN_I32, 7);
        most =
            pick(w, 2) ? ir_arg(ir, LUN_I32) : ir_op(ir, LUN_OP_MOD, LUN_I32, any(w, 0), seven, -1);
        count = ir_flow(ir, LUN_IR_VAR, one, -1, 0);
    }
    ir_flow(ir, loop ? LUN_IR_LOOP : LUN_IR_BLOCK, -1, -1, 0);
    w->is_loop[w->blocks++] = loop;
    w->nest++;
    if (loop) {
        int32_t now = ir_flow(ir, LUN_IR_GET, count, -1, 0);
        ir_flow(ir, LUN_IR_SET, count, ir_op(ir, LUN_OP_ADD, LUN_I32, now, one, -1), 0);
        ir_flow(ir, LUN_IR_IF, ir_op(ir, LUN_OP_LT, LUN_I32, most, now, -1), -1, 0);
        ir_flow(ir, LUN_IR_BREAK, -1, -1, 0);
        end(w);
        int values = w->values[0].count;
        add(w, 0, now);
        write_block(w);
        w->values[0].count = values;
    } else {
        write_block(w);
    }
    end(w);
    w->blocks--;
    w->nest--;
    if (loop)
        add(w, 0, ir_flow(ir, LUN_IR_GET, count, -1, 0)); /* the rounds of each element */
}

static void write_if(writer *w)
{
    open_if(w);
    w->nest++;
    write_block(w);
    if (pick(w, 2)) {
        ir_flow(w->ir, LUN_IR_ELSE, -1, -1, 0);
        write_block(w);
    }
    end(w);
    w->nest--;
}

static void write_jump(writer *w)
{
    int level = pick(w, w->blocks);
    bool again = w->is_loop[w->blocks - 1 - level] && pick(w, 2), bare = pick(w, 8) == 0;
    if (!bare)
        open_if(w);
    ir_flow(w->ir, again ? LUN_IR_CONTINUE : LUN_IR_BREAK, -1, -1, level);
    if (!bare)
        end(w);
}

static void write_gather(writer *w)
{
    int t = pick(w, 2); /* a table of each: slots 2 and 3 */
    int32_t size = ir_const(w->ir, LUN_I64, TABLE);
    int32_t at = ir_op(w->ir, LUN_OP_MOD, LUN_I64, any(w, 2), size, -1);
    add(w, t,
        ir_add(w->ir,
               (lun_ir_ins){
                   .kind = LUN_IR_GATHER, .dtype = (uint8_t)flow_types[t], .a = at, .imm = 2 + t}));
}

static void write_trap(writer *w)
{
    int t = pick(w, 2) ? 0 : 2;
    if (pick(w, 2)) {
        add(w, t, ir_op(w->ir, LUN_OP_IDIV, flow_types[t], any(w, t), any(w, t), -1));
        return;
    }
    ir_flow(w->ir, LUN_IR_CHECK, condition(w), pick(w, 2) ? any(w, 2) : -1, 0);
}

static void write_op(writer *w)
{
    static const lun_op ints[] = {LUN_OP_ADD,  LUN_OP_SUB, LUN_OP_MUL,
                                  LUN_OP_BXOR, LUN_OP_MIN, LUN_OP_SHR};
    static const lun_op floats[] = {LUN_OP_ADD, LUN_OP_SUB, LUN_OP_MUL,
                                    LUN_OP_MAX, LUN_OP_MIN, LUN_OP_DIV};
    int t = pick(w, TYPES), u = pick(w, TYPES), what = pick(w, 8);
    if (what == 0)
        add(w, t, ir_cast(w->ir, flow_types[t], any(w, u)));
    else if (what == 1)
        add(w, t, ir_op(w->ir, LUN_OP_WHERE, flow_types[t], condition(w), any(w, t), any(w, t)));
    else
        add(w, t,
            ir_op(w->ir, lun__dtype_is_float(flow_types[t]) ? floats[pick(w, 6)] : ints[pick(w, 6)],
                  flow_types[t], any(w, t), any(w, t), -1));
}

static void write_block(writer *w)
{
    int values[TYPES], vars[TYPES];
    for (int t = 0; t < TYPES; t++) {
        values[t] = w->values[t].count;
        vars[t] = w->vars[t].count;
    }
    for (int k = 1 + pick(w, 6); k > 0 && w->budget > 0; k--, w->budget--) {
        int what = pick(w, 17), t = pick(w, TYPES);
        pool *vs = &w->vars[t];
        if (what < 5)
            write_op(w);
        else if (what < 6)
            add(w, t,
                pick(w, 2) ? ir_arg(w->ir, flow_types[t]) : ir_const(w->ir, flow_types[t], 3));
        else if (what < 7)
            vs->at[vs->count++] = ir_flow(w->ir, LUN_IR_VAR, any(w, t), -1, 0);
        else if (what < 9 && vs->count)
            add(w, t, ir_flow(w->ir, LUN_IR_GET, vs->at[pick(w, vs->count)], -1, 0));
        else if (what < 11 && vs->count)
            ir_flow(w->ir, LUN_IR_SET, vs->at[pick(w, vs->count)], any(w, t), 0);
        else if (what < 12)
            write_gather(w);
        else if (what < 13 && w->may_trap)
            write_trap(w);
        else if (what < 14 && w->nest < 5)
            write_if(w);
        else if (what < 15 && w->nest < 5)
            write_loop(w);
        else if (what < 16 && w->blocks)
            write_jump(w);
        else if (w->nest)
            ir_store(w->ir, 8 + t, any(w, t));
    }
    for (int t = 0; t < TYPES; t++) {
        w->values[t].count = values[t];
        w->vars[t].count = vars[t];
    }
}

/* Slots: 0 and 1 in, 2 and 3 tables, 4 .. 7 out, one for each type, 8 .. 11 out, from branches. */
static void write_kernel(lun_ir *ir, uint64_t seed, bool may_trap)
{
    static writer w;
    memset(&w, 0, sizeof w);
    w.ir = ir;
    w.seed = seed;
    w.budget = 10 + (int)(seed % 4) * 20; /* small ones run several vectors at once */
    w.may_trap = may_trap;
    lun__ir_init(ir);
    for (int t = 0; t < 2; t++)
        lun__ir_slot_add(ir, flow_types[t], LUN_SLOT_IN);
    for (int t = 0; t < 2; t++)
        lun__ir_slot_add(ir, flow_types[t], LUN_SLOT_ARRAY);
    for (int t = 0; t < 2 * TYPES; t++)
        lun__ir_slot_add(ir, flow_types[t % TYPES], LUN_SLOT_OUT);
    int32_t x[TYPES] = {ir_load(ir, 0), ir_load(ir, 1)}, vars[TYPES];
    x[2] = seed % 3 ? ir_index(ir) : ir_arg(ir, LUN_I64);
    x[3] = seed % 2 ? ir_cast(ir, LUN_U8, x[0]) : ir_arg(ir, LUN_U8);
    for (int t = 0; t < TYPES; t++) {
        add(&w, t, x[t]);
        add(&w, t, ir_arg(ir, flow_types[t]));
        /* half of the variables start equal for all indices */
        vars[t] = w.vars[t].at[w.vars[t].count++] =
            ir_flow(ir, LUN_IR_VAR, w.values[t].at[pick(&w, 2)], -1, 0);
    }
    for (int k = 0; k < 8; k++)
        write_block(&w);
    for (int t = 0; t < TYPES; t++)
        ir_store(ir, 4 + t, ir_flow(ir, LUN_IR_GET, vars[t], -1, 0));
    assert_true(ir->count < MOST);
}

static void check_kernel(kit *k, uint64_t seed)
{
    static int32_t a[N + 64], table[TABLE];
    static float b[N + 64], table_f[TABLE];
    uint64_t r = seed * 77 + 1, args[512];
    lun_ir ir;
    write_kernel(&ir, seed, seed % 4 == 3);
    for (int i = 0; i < N; i++) {
        a[i] = i % 3 ? (int32_t)(test_random(&r) % 41) - 20 : (int32_t)test_random(&r);
        b[i] = (float)((int)(test_random(&r) % 2001) - 1000) / 64;
    }
    for (int i = 0; i < TABLE; i++) {
        table[i] = i * i - 100;
        table_f[i] = (float)i / 3;
    }
    assert_true(ir.arg_count < 512);
    for (int i = 0; i < ir.arg_count; i++) {
        float x = (float)(test_random(&r) % 100) / 8;
        args[i] = test_random(&r) % 12;
        if (ir.args[i] == LUN_F32)
            memcpy(&args[i], &x, sizeof x);
    }
    kit_kernel kernel = kit_build(k, &ir);
    void *slots[12] = {a, b, table, table_f};
    kit_compare(k, &ir, &kernel, slots, N, args, 0);
    kit_release(k, &kernel);
    lun__ir_free(&ir);
}

static void test_random_kernels(void **state)
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

#endif
