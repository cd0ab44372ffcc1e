/* irverify_test.c - the rules of ir/ir.h: for each, IR that keeps it but for one word is refused
 * with a text that says which rule.  Knows no producer. */
#include "kernels.h"

#include <stdio.h>
#include <string.h>

static char fn_name[] = "fn", fn_text[] = "static float fn(float x) { return x; }";

static lun_ir_function scalar_function(void)
{
    lun_ir_function f = {.text = fn_text, .name = fn_name, .params = 1, .result = LUN_F32};
    f.param[0].dtype = LUN_F32;
    return f;
}

static lun_ir_function called;

/* A kernel with an instruction of nearly every kind.  The numbers below are their places. */
enum {
    ARG,
    CONST,
    INDEX,
    LOAD,
    LOADU,
    GATHER,
    ADD,
    LESS,
    CALL,
    VAR,
    CHECK,
    IF,
    SET,
    ELSE,
    INNER,
    END,
    LOOP,
    BREAK,
    LOOP_END,
    GET,
    REDUCE,
    SCAN,
    STORE,
    COUNT
};

static void make(lun_ir *ir)
{
    called = scalar_function();
    lun__ir_init(ir);
    lun__ir_slot_add(ir, LUN_F32, LUN_SLOT_IN);
    lun__ir_slot_add(ir, LUN_F32, LUN_SLOT_UNIFORM);
    lun__ir_slot_add(ir, LUN_F32, LUN_SLOT_OUT);
    lun__ir_function_add(ir, &called);
    int32_t arg = ir_arg(ir, LUN_F32), one = ir_const(ir, LUN_F32, 1), i = ir_index(ir);
    int32_t x = ir_load(ir, 0);
    ir_add(ir, (lun_ir_ins){.kind = LUN_IR_LOADU, .dtype = LUN_F32, .imm = 1});
    ir_add(ir, (lun_ir_ins){.kind = LUN_IR_GATHER, .dtype = LUN_F32, .a = i});
    int32_t y = ir_op(ir, LUN_OP_ADD, LUN_F32, x, one, -1);
    int32_t less = ir_op(ir, LUN_OP_LT, LUN_F32, x, y, -1);
    int32_t first = lun__ir_operand_add(ir, x);
    ir_add(ir, (lun_ir_ins){.kind = LUN_IR_CALL, .dtype = LUN_F32, .a = -1, .b = first, .c = 1});
    int32_t var = ir_add(ir, (lun_ir_ins){.kind = LUN_IR_VAR, .dtype = LUN_F32, .a = x});
    ir_add(ir, (lun_ir_ins){.kind = LUN_IR_CHECK, .a = less, .b = i});
    ir_add(ir, (lun_ir_ins){.kind = LUN_IR_IF, .a = less});
    ir_add(ir, (lun_ir_ins){.kind = LUN_IR_SET, .a = var, .b = y});
    ir_add(ir, (lun_ir_ins){.kind = LUN_IR_ELSE});
    ir_const(ir, LUN_F32, 2);
    ir_add(ir, (lun_ir_ins){.kind = LUN_IR_END});
    ir_add(ir, (lun_ir_ins){.kind = LUN_IR_LOOP});
    ir_add(ir, (lun_ir_ins){.kind = LUN_IR_BREAK});
    ir_add(ir, (lun_ir_ins){.kind = LUN_IR_END});
    ir_add(ir, (lun_ir_ins){.kind = LUN_IR_GET, .dtype = LUN_F32, .a = var});
    ir_reduce(ir, LUN_OP_ADD, -1, y);
    ir_store(ir, 2, ir_scan(ir, LUN_OP_ADD, 0, false, y, arg));
    assert_int_equal(ir->count, COUNT);
}

/* What is done to instruction `at`: one of its words becomes another. */
enum word { KIND, DTYPE, OP, A, B, C, IMM };

typedef struct damage {
    int at;
    enum word word;
    int64_t to;
    const char *why;
} damage;

static const damage table[] = {
    {ARG, IMM, 1, "no such argument"},
    {ARG, IMM, -1, "no such argument"},
    {ARG, DTYPE, LUN_F64, "wrong dtype of the argument"},
    {LOAD, IMM, 3, "no such slot"},
    {LOAD, IMM, -1, "no such slot"},
    {LOAD, IMM, 2, "the slot has another role"},
    {LOAD, DTYPE, LUN_F64, "value and slot differ in dtype"},
    {LOADU, IMM, 0, "the slot has another role"},
    {GATHER, IMM, 1, "the slot has another role"},
    {GATHER, A, CONST, "operand a has another dtype"},
    {ADD, OP, LUN_OP_COUNT, "no such operation"},
    {ADD, OP, -1, "no such operation"},
    {ADD, OP, LUN_OP_BXOR, "the operation does not exist for this dtype"},
    {ADD, OP, LUN_OP_EQ, "wrong dtype of the result"},
    {ADD, A, ADD, "an operand is no earlier instruction"},
    {ADD, A, -1, "an operand is no earlier instruction"},
    {ADD, A, INDEX, "operand a has another dtype"},
    {LESS, DTYPE, LUN_F32, "wrong dtype of the result"},
    {CALL, IMM, 1, "no such function"},
    {CALL, IMM, -1, "no such function"},
    {CALL, C, 2, "wrong number of arguments"},
    {CALL, B, 1, "no such operands"},
    {CALL, B, -1, "no such operands"},
    {ADD, B, INDEX, "operand b has another dtype"},
    {CHECK, A, LOAD, "operand a has another dtype"},
    {CHECK, B, LESS, "operand b has another dtype"},
    {IF, A, LOAD, "operand a has another dtype"},
    {SET, A, LOAD, "operand a is no variable"},
    {SET, B, INDEX, "operand b has another dtype"},
    {VAR, A, INDEX, "operand a has another dtype"},
    {GET, A, LOAD, "operand a is no variable"},
    {GET, DTYPE, LUN_F64, "operand a has another dtype"},
    {GET, A, INNER, "an operand has no value here"},
    {GET, A, SET, "an operand has no value here"},
    {IF, KIND, LUN_IR_BLOCK, "else without if"},
    {END, KIND, LUN_IR_ELSE, "else without if"},
    {ELSE, KIND, LUN_IR_END, "end without a block"},
    {LOOP_END, KIND, LUN_IR_LOOP, "a block has no end"},
    {BREAK, IMM, 1, "no such enclosing block"},
    {END, KIND, LUN_IR_BREAK, "no such enclosing block"},
    {REDUCE, IMM, 1, "no such result"},
    {REDUCE, IMM, -1, "no such result"},
    {REDUCE, DTYPE, LUN_F64, "wrong dtype of the result"},
    {REDUCE, OP, LUN_OP_SUB, "the operation is not associative"},
    {SCAN, OP, LUN_OP_DIV, "the operation is not associative"},
    {SCAN, OP, -1, "no such operation"},
    {SCAN, B, INDEX, "operand b has another dtype"},
    {STORE, IMM, 0, "the slot has another role"},
    {STORE, A, INDEX, "operand a has another dtype"},
    {STORE, KIND, LUN_IR_KIND_COUNT, "no such kind"},
};

/* One line that names the first instruction that is wrong: `at`, or a later one that shows it. */
static void expect_wrong(const lun_ir *ir, int at, const char *why)
{
    lun_strbuf text = LUN_STRBUF_INIT;
    int told = -1, used = 0;
    lun_status s = lun__ir_verify(ir, &text);
    const char *said = lun__strbuf_text(&text);
    if (s != LUN_EARG || sscanf(said, "instruction %d: %n", &told, &used) != 1 || told < at ||
        strncmp(said + used, why, strlen(why)) || strcmp(said + used + strlen(why), "\n"))
        fail_msg("instruction %d: %s expected: %s", at, why, said);
    lun__strbuf_free(&text);
}

static void test_sound(void **state)
{
    (void)state;
    lun_ir ir;
    make(&ir);
    ir_check_valid(&ir);
    lun__ir_free(&ir);
}

static void test_damaged(void **state)
{
    (void)state;
    for (size_t k = 0; k < sizeof table / sizeof *table; k++) {
        const damage *d = &table[k];
        lun_ir ir;
        make(&ir);
        lun_ir_ins *ins = &ir.ins[d->at];
        switch (d->word) {
        case KIND:
            ins->kind = (uint8_t)d->to;
            break;
        case DTYPE:
            ins->dtype = (uint8_t)d->to;
            break;
        case OP:
            ins->op = (int32_t)d->to;
            break;
        case A:
            ins->a = (int32_t)d->to;
            break;
        case B:
            ins->b = (int32_t)d->to;
            break;
        case C:
            ins->c = (int32_t)d->to;
            break;
        case IMM:
            ins->imm = d->to;
            break;
        }
        expect_wrong(&ir, d->at, d->why);
        lun__ir_free(&ir);
    }
}

/* A place needs its result, and an operation that chooses an element. */
static void test_places(void **state)
{
    (void)state;
    lun_ir ir;
    lun__ir_init(&ir);
    lun__ir_slot_add(&ir, LUN_F32, LUN_SLOT_IN);
    int32_t x = ir_load(&ir, 0);
    ir_reduce_places(&ir, LUN_OP_MAX, x);
    ir_check_valid(&ir);
    ir.ins[1].op = LUN_OP_ADD;
    expect_wrong(&ir, 1, "places of what is neither the least nor the largest");
    ir.ins[1].op = LUN_OP_MIN;
    ir.results[1] = LUN_F32;
    expect_wrong(&ir, 1, "no result for a place");
    ir.results[1] = LUN_I64;
    ir.result_count = 1;
    expect_wrong(&ir, 1, "no result for a place");
    ir.result_count = 2;
    ir.scan = 0;
    expect_wrong(&ir, 1, "places of bools, or beside a scan");
    lun__ir_free(&ir);
}

static void test_continue(void **state)
{
    (void)state;
    lun_ir ir;
    lun__ir_init(&ir);
    ir_add(&ir, (lun_ir_ins){.kind = LUN_IR_BLOCK});
    ir_add(&ir, (lun_ir_ins){.kind = LUN_IR_CONTINUE});
    ir_add(&ir, (lun_ir_ins){.kind = LUN_IR_END});
    expect_wrong(&ir, 1, "continue of a block");
    lun__ir_free(&ir);
}

static void test_two_scans(void **state)
{
    (void)state;
    lun_ir ir;
    make(&ir);
    ir_add(&ir, ir.ins[SCAN]);
    expect_wrong(&ir, COUNT, "a second scan");
    lun__ir_free(&ir);
}

/* Whole arrays go where pointers are, numbers where they are not. */
static void test_arguments_of_calls(void **state)
{
    (void)state;
    lun_ir ir;
    make(&ir);
    called.param[0].pointer = 1;
    expect_wrong(&ir, CALL, "array and scalar mixed up");
    ir.operands[0] = -1 - 0; /* slot 0 is no ARRAY */
    expect_wrong(&ir, CALL, "the slot has another role");
    ir.slots[0].role = LUN_SLOT_ARRAY;
    ir.ins[LOAD] = ir.ins[CONST];
    ir_check_valid(&ir);
    called.param[0].pointer = 0;
    expect_wrong(&ir, CALL, "array and scalar mixed up");
    ir.operands[0] = COUNT;
    expect_wrong(&ir, CALL, "an operand is no earlier instruction");
    lun__ir_free(&ir);
}

/* A combining function in IR gets what it captures from the kernel's arguments. */
static void test_combiners(void **state)
{
    (void)state;
    lun_ir ir, body;
    make(&ir);
    lun__ir_init(&body);
    for (int k = 0; k < 3; k++)
        ir_arg(&body, LUN_F32);
    lun_ir_function f = {.body = &body, .params = 2, .outputs = 1, .result = LUN_F32};
    int function = lun__ir_function_add(&ir, &f);
    lun_ir_ins *reduce = &ir.ins[REDUCE];
    reduce->op = LUN_OP_COUNT;
    reduce->c = function;
    expect_wrong(&ir, REDUCE, "no argument for what the function captures");
    reduce->captured = 2;
    expect_wrong(&ir, REDUCE, "no argument for what the function captures");
    reduce->captured = 1;
    ir_check_valid(&ir);
    ir.args[0] = LUN_F64;
    ir.ins[ARG].dtype = LUN_F64;
    ir.ins[SCAN].b = CONST;
    expect_wrong(&ir, REDUCE, "no argument for what the function captures");
    reduce->c = function + 1;
    expect_wrong(&ir, REDUCE, "no such function");
    lun__ir_free(&body);
    lun__ir_free(&ir);
}

/* ---- teams ---- */

/* if (thread < 2) { barrier }, or the condition of something that all threads have in common. */
static lun_status verify_barrier(bool common, int threads, lun_strbuf *why)
{
    lun_ir ir;
    lun__ir_init(&ir);
    ir.threads = threads;
    int32_t two = ir_const(&ir, LUN_I64, 2);
    int32_t i = ir_add(&ir, (lun_ir_ins){.kind = common ? LUN_IR_TEAM : LUN_IR_THREAD,
                                         .dtype = LUN_I64,
                                         .a = -1,
                                         .b = -1,
                                         .c = -1});
    int32_t less = ir_op(&ir, LUN_OP_LT, LUN_I64, i, two, -1);
    ir_add(&ir, (lun_ir_ins){.kind = LUN_IR_IF, .a = less});
    ir_add(&ir, (lun_ir_ins){.kind = LUN_IR_BARRIER});
    ir_add(&ir, (lun_ir_ins){.kind = LUN_IR_END});
    lun_status s = lun__ir_verify(&ir, why);
    lun__ir_free(&ir);
    return s;
}

static void test_barriers(void **state)
{
    (void)state;
    lun_strbuf why = LUN_STRBUF_INIT;
    assert_int_equal(verify_barrier(true, 4, &why), LUN_OK);
    assert_int_equal(verify_barrier(false, 4, &why), LUN_EARG);
    assert_non_null(strstr(why.text, "a barrier where not all threads come together"));
    lun__strbuf_clear(&why);
    assert_int_equal(verify_barrier(true, 0, &why), LUN_EARG);
    assert_non_null(strstr(why.text, "threads of a team in a kernel without teams"));
    lun__strbuf_free(&why);
}

/* A loop that threads leave one after the other: a barrier in it is refused, behind it is not. */
static void test_barrier_and_loop(void **state)
{
    (void)state;
    for (int inside = 0; inside < 2; inside++) {
        lun_strbuf why = LUN_STRBUF_INIT;
        lun_ir ir;
        lun__ir_init(&ir);
        ir.threads = 8;
        int32_t none = ir_const(&ir, LUN_I64, 0);
        int32_t thread = ir_add(
            &ir, (lun_ir_ins){.kind = LUN_IR_THREAD, .dtype = LUN_I64, .a = -1, .b = -1, .c = -1});
        int32_t var = ir_add(
            &ir, (lun_ir_ins){.kind = LUN_IR_VAR, .dtype = LUN_I64, .a = none, .b = -1, .c = -1});
        ir_add(&ir, (lun_ir_ins){.kind = LUN_IR_LOOP});
        if (inside)
            ir_add(&ir, (lun_ir_ins){.kind = LUN_IR_BARRIER});
        int32_t now = ir_add(
            &ir, (lun_ir_ins){.kind = LUN_IR_GET, .dtype = LUN_I64, .a = var, .b = -1, .c = -1});
        int32_t done = ir_op(&ir, LUN_OP_GE, LUN_I64, now, thread, -1);
        ir_add(&ir, (lun_ir_ins){.kind = LUN_IR_IF, .a = done});
        ir_add(&ir, (lun_ir_ins){.kind = LUN_IR_BREAK});
        ir_add(&ir, (lun_ir_ins){.kind = LUN_IR_END});
        ir_add(&ir, (lun_ir_ins){.kind = LUN_IR_END});
        ir_add(&ir, (lun_ir_ins){.kind = LUN_IR_BARRIER});
        assert_int_equal(lun__ir_verify(&ir, &why), inside ? LUN_EARG : LUN_OK);
        lun__ir_free(&ir);
        lun__strbuf_free(&why);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_sound),
        cmocka_unit_test(test_damaged),
        cmocka_unit_test(test_places),
        cmocka_unit_test(test_continue),
        cmocka_unit_test(test_two_scans),
        cmocka_unit_test(test_arguments_of_calls),
        cmocka_unit_test(test_combiners),
        cmocka_unit_test(test_barriers),
        cmocka_unit_test(test_barrier_and_loop),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
