/* ops_cases.h - every operation and cast in every dtype: a kit gives the interpreter's bits, for
 * arrays and for numbers, in vectors of every width.  Include a kit first. */
#ifndef TEST_OPS_CASES_H
#define TEST_OPS_CASES_H

enum { N = 1103 };

/* ---- data ------------------------------------------------------------------------------------ */

static const double special_floats[] = {0.0,
                                        -0.0,
                                        1.0,
                                        -1.0,
                                        0.5,
                                        -0.5,
                                        1.5,
                                        2.5,
                                        -2.5,
                                        0.49999997,
                                        1e30,
                                        -1e30,
                                        1e-40,
                                        8388608.5,
                                        127.0,
                                        128.0,
                                        255.5,
                                        -129.0,
                                        65536.0,
                                        2147483647.0,
                                        2147483648.0,
                                        -2147483649.0,
                                        4294967296.0,
                                        9223372036854775807.0,
                                        -9223372036854775808.0,
                                        1.8446744073709552e19,
                                        INFINITY,
                                        -INFINITY,
                                        NAN,
                                        3.0,
                                        7.0,
                                        1e300,
                                        5e-324};
static const int64_t special_ints[] = {0,
                                       1,
                                       -1,
                                       2,
                                       -2,
                                       3,
                                       7,
                                       8,
                                       9,
                                       15,
                                       16,
                                       31,
                                       32,
                                       33,
                                       63,
                                       64,
                                       65,
                                       100,
                                       127,
                                       128,
                                       255,
                                       256,
                                       -128,
                                       -129,
                                       32767,
                                       32768,
                                       -32768,
                                       65535,
                                       2147483647,
                                       -2147483648LL,
                                       4294967295LL,
                                       INT64_MAX,
                                       INT64_MIN,
                                       -7,
                                       -8,
                                       -31,
                                       -32,
                                       -33,
                                       -63,
                                       -64};
enum {
    FLOATS = sizeof special_floats / sizeof *special_floats,
    INTS = sizeof special_ints / sizeof *special_ints
};

/* Element i of operand number k: pairs of special values first, then random ones;
 * no zero divisors. */
static uint64_t element(lun_dtype t, int k, int64_t i, uint64_t *random, bool nonzero)
{
    uint64_t r = test_random(random), cell = 0;
    int count = lun__dtype_is_float(t) ? FLOATS : INTS;
    int64_t which = k == 0 ? i % count : k == 1 ? i / count % count : (i * 7) % count;
    bool special = i < (int64_t)count * (count < 33 ? count : 25) || r % 8 == 0;
    if (t == LUN_BOOL)
        return r & 1;
    if (t == LUN_F32) {
        float x = special ? (float)special_floats[which]
                          : (float)((double)(int32_t)(r >> 32) / (double)(1 << (r % 31)));
        memcpy(&cell, &x, sizeof x);
    } else if (t == LUN_F64) {
        double x =
            special ? special_floats[which] : (double)(int64_t)r / (double)((int64_t)1 << (r % 61));
        memcpy(&cell, &x, sizeof x);
    } else {
        cell = special ? (uint64_t)special_ints[which] : r >> (r % 57);
        int bytes = lun__dtype_get(t)->bytes;
        if (bytes < 8)
            cell &= ((uint64_t)1 << (8 * bytes)) - 1;
        if (nonzero && cell == 0)
            cell = 3;
    }
    return cell;
}

static void *operand(lun_dtype t, int k, uint64_t seed, bool nonzero)
{
    int bytes = lun__dtype_get(t)->bytes;
    char *p = test_alloc(N, bytes);
    for (int64_t i = 0; i < N; i++) {
        uint64_t cell = element(t, k, i, &seed, nonzero);
        memcpy(p + i * bytes, &cell, (size_t)bytes);
    }
    return p;
}

/* ---- operations ------------------------------------------------------------------------------ */

static bool exists(lun_op op, lun_dtype t)
{
    const lun_op_row *row = lun__op_get(op);
    if (lun__dtype_is_float(t) ? !row->flt : !row->integer)
        return false;
    if (row->rule == LUN_RULE_LOGIC)
        return t == LUN_BOOL;
    if (row->rule == LUN_RULE_FLOAT)
        return lun__dtype_is_float(t);
    return t != LUN_BOOL || row->rule == LUN_RULE_CMP || row->rule == LUN_RULE_SELECT ||
           row->rule == LUN_RULE_TEST;
}

/* All operations of a dtype in one kernel; numbers: bits say which operands are arguments; wide:
 * the kernel has 64-bit elements too, so that the others fill only a part of a vector. */
static void write_ops(lun_ir *ir, lun_dtype t, unsigned numbers, bool wide, int part, int parts)
{
    int32_t v[4];
    lun__ir_init(ir);
    for (int k = 0; k < 3; k++)
        lun__ir_slot_add(ir, t, LUN_SLOT_IN);
    lun__ir_slot_add(ir, LUN_BOOL, LUN_SLOT_IN);
    for (int k = 0; k < 3; k++)
        v[k] = numbers >> k & 1 ? ir_arg(ir, t) : ir_load(ir, k);
    v[3] = numbers >> 3 & 1 ? ir_arg(ir, LUN_BOOL) : ir_load(ir, 3);
    if (wide)
        ir_store(ir, lun__ir_slot_add(ir, LUN_I64, LUN_SLOT_OUT), ir_index(ir));
    for (int op = 0; op < LUN_OP_COUNT; op++) {
        const lun_op_row *row = lun__op_get((lun_op)op);
        if (!exists((lun_op)op, t) || op % parts != part)
            continue;
        int32_t a = row->rule == LUN_RULE_SELECT ? v[3] : v[0];
        int32_t x =
            ir_op(ir, (lun_op)op, t, a, row->arity > 1 ? v[1] : -1, row->arity > 2 ? v[2] : -1);
        ir_store(ir, lun__ir_slot_add(ir, (lun_dtype)ir->ins[x].dtype, LUN_SLOT_OUT), x);
    }
}

static void compare_ops(kit *k, lun_dtype t, unsigned numbers, bool wide)
{
    uint64_t args[4], seed = 99;
    void *in[128] = {operand(t, 0, 1, false), operand(t, 1, 2, true), operand(t, 2, 3, false),
                     operand(LUN_BOOL, 3, 4, false)};
    const int parts = 2;
    for (int part = 0; part < parts; part++) {
        lun_ir ir;
        write_ops(&ir, t, numbers, wide, part, parts);
        kit_kernel kernel = kit_build(k, &ir);
        for (int round = 0; round < (numbers ? 12 : 1); round++) {
            int count = 0;
            for (int a = 0; a < 4; a++)
                if (numbers >> a & 1)
                    args[count++] = element(a == 3 ? LUN_BOOL : t, a, round * 5, &seed, a == 1);
            kit_compare(k, &ir, &kernel, in, numbers ? 70 : N, args, 0);
        }
        kit_release(k, &kernel);
        lun__ir_free(&ir);
    }
    for (int a = 0; a < 4; a++)
        free(in[a]);
}

static void test_ops(void **state)
{
    kit *k = *state;
    for (int t = 0; t < LUN_DTYPE_COUNT; t++)
        if (!lun__dtype_is_stored((lun_dtype)t))
            compare_ops(k, (lun_dtype)t, 0, false);
}

static void test_ops_narrow(void **state)
{
    kit *k = *state;
    for (int t = 0; t < LUN_DTYPE_COUNT; t++)
        if (lun__dtype_get((lun_dtype)t)->bytes < 8 && !lun__dtype_is_stored((lun_dtype)t))
            compare_ops(k, (lun_dtype)t, 0, true);
}

static void test_ops_numbers(void **state)
{
    kit *k = *state;
    static const lun_dtype types[] = {LUN_BOOL, LUN_I8,  LUN_U16, LUN_I32,
                                      LUN_U64,  LUN_F32, LUN_F64};
    for (size_t t = 0; t < sizeof types / sizeof *types; t++) {
        compare_ops(k, types[t], 15, false); /* nothing but numbers */
        compare_ops(k, types[t], 10, false); /* an array and numbers */
    }
}

/* ---- casts ----------------------------------------------------------------------------------- */

/* The casts that the IR has of STORED floats: from and to floats that are PLAIN. */
static bool casts_to(lun_dtype to, lun_dtype from)
{
    if (lun__dtype_is_stored(from))
        return lun__dtype_get(from)->compute == to;
    return !lun__dtype_is_stored(to) || lun__dtype_is_float(from);
}

/* One dtype to all others of at most `widest` bytes, STORED ones or the rest. */
static void compare_casts(kit *k, lun_dtype from, int widest, bool number, bool stored)
{
    uint64_t arg, seed = 7;
    void *in[64] = {operand(from, 0, 5, false)};
    lun_ir ir;
    lun__ir_init(&ir);
    lun__ir_slot_add(&ir, from, LUN_SLOT_IN);
    int32_t a = number ? ir_arg(&ir, from) : ir_load(&ir, 0);
    for (int to = 0; to < LUN_DTYPE_COUNT; to++)
        if (lun__dtype_get((lun_dtype)to)->bytes <= widest && casts_to((lun_dtype)to, from) &&
            (lun__dtype_is_stored((lun_dtype)to) || lun__dtype_is_stored(from)) == stored)
            ir_store(&ir, lun__ir_slot_add(&ir, (lun_dtype)to, LUN_SLOT_OUT),
                     ir_cast(&ir, (lun_dtype)to, a));
    kit_kernel kernel = kit_build(k, &ir);
    for (int round = 0; round < (number ? 40 : 1); round++) {
        arg = element(from, 0, round, &seed, false);
        kit_compare(k, &ir, &kernel, in, number ? 3 : N, &arg, 0);
    }
    kit_release(k, &kernel);
    lun__ir_free(&ir);
    free(in[0]);
}

static void test_casts(void **state)
{
    kit *k = *state;
    for (int from = 0; from < LUN_DTYPE_COUNT; from++) {
        if (lun__dtype_is_stored((lun_dtype)from))
            continue;
        for (int widest = lun__dtype_get((lun_dtype)from)->bytes; widest <= 8; widest *= 2)
            compare_casts(k, (lun_dtype)from, widest, false, false);
        compare_casts(k, (lun_dtype)from, 8, true, false);
    }
}

static void test_stored_casts(void **state)
{
    kit *k = *state;
    for (int from = 0; from < LUN_DTYPE_COUNT; from++)
        if (lun__dtype_is_float((lun_dtype)from)) {
            compare_casts(k, (lun_dtype)from, 8, false, true);
            compare_casts(k, (lun_dtype)from, 8, true, true);
        }
}

/* ---- random bits ----------------------------------------------------------------------------- */

static void test_random_bits(void **state)
{
    kit *k = *state;
    for (int way = 0; way < 6; way++) {
        lun_dtype t = way % 2 ? LUN_U64 : LUN_U32;
        uint64_t args[2] = {way == 5 ? 0x123456789abcdefu : 0, way / 2 == 1 ? 5 : 1000003};
        lun_ir ir;
        lun__ir_init(&ir);
        lun__ir_slot_add(&ir, t, LUN_SLOT_OUT);
        int32_t key = ir_arg(&ir, LUN_U64), more = ir_arg(&ir, LUN_I64), i = ir_index(&ir);
        if (way / 2 == 1)
            i = ir_op(&ir, LUN_OP_ADD, LUN_I64, more, i, -1); /* consecutive */
        if (way / 2 == 2)
            i = ir_op(&ir, LUN_OP_MUL, LUN_I64, i, more, -1); /* not */
        int32_t r =
            ir_add(&ir, (lun_ir_ins){.kind = LUN_IR_RANDOM, .dtype = (uint8_t)t, .a = i, .b = key});
        ir_store(&ir, 0, r);
        kit_kernel kernel = kit_build(k, &ir);
        kit_compare(k, &ir, &kernel, (void *[1]){NULL}, 1000, args, 0);
        if (way < 2) { /* the published vector: key 0, counter 0 */
            uint32_t out[128];
            static const uint32_t known[4] = {0x6627e8d5, 0xe169c58d, 0xbc57ac4c, 0x9b00dbd8};
            test_run run = {.args = args};
            assert_int_equal(kit_run(k, &kernel, &ir, (void *[1]){out}, 2, &run), LUN_OK);
            assert_memory_equal(out, known, t == LUN_U32 ? 8 : 16);
        }
        kit_release(k, &kernel);
        lun__ir_free(&ir);
    }
}

/* ---- functions in C -------------------------------------------------------------------------- */

/* exp(x) in a user's function is the operation, for float and double. */
static void compare_function(kit *k, lun_op op, lun_dtype t, bool wide)
{
    static char name[] = "fn";
    char text[128];
    const char *c = lun__dtype_get(t)->name[1] == '3' ? "float" : "double",
               *fn = lun__op_get(op)->name;
    bool two = lun__op_get(op)->arity == 2;
    snprintf(text, sizeof text, "static %s fn(%s x, %s y) { return %s(x%s); }", c, c, c, fn,
             two ? ", y" : "");
    lun_ir_function f = {.text = text, .name = name, .params = 2, .result = (uint8_t)t};
    f.param[0].dtype = f.param[1].dtype = (uint8_t)t;
    lun_ir ir;
    void *in[2] = {operand(t, 0, 21, false), operand(t, 1, 22, false)}, *out[2];
    lun__ir_init(&ir);
    for (int i = 0; i < 4; i++)
        lun__ir_slot_add(&ir, t, i < 2 ? LUN_SLOT_IN : LUN_SLOT_OUT);
    int32_t a = ir_load(&ir, 0), b = ir_load(&ir, 1), first = lun__ir_operand_add(&ir, a);
    lun__ir_operand_add(&ir, b);
    lun__ir_function_add(&ir, &f);
    ir_store(&ir, 2, ir_op(&ir, op, t, a, two ? b : -1, -1));
    ir_store(
        &ir, 3,
        ir_add(&ir, (lun_ir_ins){
                        .kind = LUN_IR_CALL, .dtype = (uint8_t)t, .a = -1, .b = first, .c = 2}));
    if (wide)
        ir_store(&ir, lun__ir_slot_add(&ir, LUN_I64, LUN_SLOT_OUT), ir_index(&ir));
    for (int i = 0; i < 2; i++)
        out[i] = test_alloc(N, 8);
    void *index = test_alloc(N, 8), *slots[5] = {in[0], in[1], out[0], out[1], index};
    kit_kernel kernel = kit_build(k, &ir);
    test_run run = {.threads = 1};
    assert_int_equal(kit_run(k, &kernel, &ir, slots, N, &run), LUN_OK);
    int bytes = lun__dtype_get(t)->bytes;
    for (int i = 0; i < N; i++)
        if (!same_element(t, (char *)out[0] + i * bytes, (char *)out[1] + i * bytes))
            fail_msg("%s of %s, element %d: the function differs from the operation", fn, c, i);
    kit_release(k, &kernel);
    lun__ir_free(&ir);
    for (int i = 0; i < 2; i++) {
        free(in[i]);
        free(out[i]);
    }
    free(index);
}

static void test_math_in_c(void **state)
{
    kit *k = *state;
    compare_function(k, LUN_OP_EXP, LUN_F32, false);
    compare_function(k, LUN_OP_EXP, LUN_F32, true);
    compare_function(k, LUN_OP_SIN, LUN_F64, false);
    compare_function(k, LUN_OP_POW, LUN_F32, false);
    compare_function(k, LUN_OP_ATAN2, LUN_F64, false);
    compare_function(k, LUN_OP_SQRT, LUN_F32, false);
}

static int set_up(void **state)
{
    static kit k;
    kit_open(&k, NULL, "cc", LUN_JIT_SYNC, 1, LUN_MATH_FAST);
    *state = &k;
    return 0;
}

static int tear_down(void **state)
{
    kit *k = *state;
    int interpreted = (int)k->stats.interpreted;
    kit_close(k, true);
    return interpreted; /* every run must have been compiled */
}

#define TEST(f) cmocka_unit_test_setup_teardown(f, set_up, tear_down)

#endif
