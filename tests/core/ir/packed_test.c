/* packed_test.c - kernel IR as bytes: what comes back is the same kernel; bytes that are cut off or
 * changed anywhere are refused, or are another kernel that keeps every rule. */
#include "kernels.h"

#include <string.h>

#include "ir/packed_ir.h"

static char fn_name[] = "fn", fn_text[] = "static float fn(float x) { return x; }";

/* (a + b) * k, as a front end makes it for a reduction that captures k and indexes nothing. */
static void make_body(lun_ir *body, lun_ir_function *f)
{
    lun__ir_init(body);
    int32_t a = ir_arg(body, LUN_F64), b = ir_arg(body, LUN_F64), k = ir_arg(body, LUN_F64);
    int32_t sum = ir_op(body, LUN_OP_ADD, LUN_F64, a, b, -1);
    int32_t out = ir_op(body, LUN_OP_MUL, LUN_F64, sum, k, -1);
    *f = (lun_ir_function){.body = body, .outputs = 1, .output = {out}};
}

/* Control flow, a call of a C function, a reduction by an operation and a scan. */
static void make_rich(lun_ir *ir, lun_ir_function *called)
{
    *called = (lun_ir_function){.text = fn_text, .name = fn_name, .params = 1, .operands = 1};
    called->param[0].dtype = called->result = LUN_F32;
    lun__ir_init(ir);
    lun__ir_slot_add(ir, LUN_F32, LUN_SLOT_IN);
    lun__ir_slot_add(ir, LUN_F32, LUN_SLOT_ARRAY);
    lun__ir_slot_add(ir, LUN_F32, LUN_SLOT_OUT);
    lun__ir_function_add(ir, called);
    int32_t arg = ir_arg(ir, LUN_F32), one = ir_const(ir, LUN_F32, 1), i = ir_index(ir);
    int32_t x = ir_load(ir, 0);
    ir_add(ir, (lun_ir_ins){.kind = LUN_IR_GATHER, .dtype = LUN_F32, .a = i, .imm = 1});
    int32_t y = ir_op(ir, LUN_OP_ADD, LUN_F32, x, one, -1);
    int32_t less = ir_op(ir, LUN_OP_LT, LUN_F32, x, y, -1);
    int32_t first = lun__ir_operand_add(ir, x);
    ir_add(ir, (lun_ir_ins){.kind = LUN_IR_CALL, .dtype = LUN_F32, .a = -1, .b = first, .c = 1});
    int32_t var = ir_add(ir, (lun_ir_ins){.kind = LUN_IR_VAR, .dtype = LUN_F32, .a = x});
    ir_add(ir, (lun_ir_ins){.kind = LUN_IR_CHECK, .a = less, .b = i});
    ir_add(ir, (lun_ir_ins){.kind = LUN_IR_LOOP});
    ir_add(ir, (lun_ir_ins){.kind = LUN_IR_IF, .a = less});
    ir_add(ir, (lun_ir_ins){.kind = LUN_IR_SET, .a = var, .b = y});
    ir_add(ir, (lun_ir_ins){.kind = LUN_IR_END});
    ir_add(ir, (lun_ir_ins){.kind = LUN_IR_BREAK});
    ir_add(ir, (lun_ir_ins){.kind = LUN_IR_END});
    ir_add(ir, (lun_ir_ins){.kind = LUN_IR_GET, .dtype = LUN_F32, .a = var});
    ir_reduce(ir, LUN_OP_ADD, -1, y);
    ir_store(ir, 2, ir_scan(ir, LUN_OP_ADD, 0, false, y, arg));
}

/* A reduction by a function of IR that captures an argument. */
static void make_folding(lun_ir *ir, lun_ir_function *f)
{
    lun__ir_init(ir);
    lun__ir_slot_add(ir, LUN_F64, LUN_SLOT_IN);
    lun__ir_arg_add(ir, LUN_F64);
    lun__ir_function_add(ir, f);
    int32_t x = ir_load(ir, 0);
    int result = lun__ir_result_add(ir, LUN_F64);
    ir_add(ir, (lun_ir_ins){.kind = LUN_IR_REDUCE,
                            .dtype = LUN_F64,
                            .op = LUN_OP_COUNT,
                            .a = x,
                            .b = -1,
                            .c = 0,
                            .captured = 1,
                            .imm = result});
}

static void print(const lun_ir *ir, lun_strbuf *out)
{
    assert_int_equal(lun__print_ir(ir, out), LUN_OK);
}

static lun_strbuf pack(const lun_ir *ir)
{
    lun_strbuf bytes = LUN_STRBUF_INIT;
    assert_int_equal(lun__packed_ir_write(ir, &bytes), LUN_OK);
    return bytes;
}

/* What the bytes come to, in memory of their own so that a read beyond is seen. */
static lun_status unpack(const char *bytes, size_t length, lun_ir_packed *out, lun_strbuf *why)
{
    char *own = malloc(length ? length : 1);
    assert_non_null(own);
    if (length)
        memcpy(own, bytes, length);
    lun_bytes in = {own, (int64_t)length, false};
    lun__strbuf_clear(why);
    lun_status s = lun__packed_ir_read(&in, out, why);
    free(own);
    return s;
}

static void check_same(const lun_ir *ir)
{
    lun_strbuf want = LUN_STRBUF_INIT, got = LUN_STRBUF_INIT, why = LUN_STRBUF_INIT;
    lun_strbuf bytes = pack(ir);
    lun_ir_packed back;
    if (unpack(bytes.text, bytes.length, &back, &why) != LUN_OK)
        fail_msg("%s", lun__strbuf_text(&why));
    print(ir, &want);
    print(&back.ir, &got);
    assert_string_equal(want.text, got.text);
    assert_int_equal(ir->scan, back.ir.scan);
    lun__packed_ir_free(&back);
    lun__strbuf_free(&want);
    lun__strbuf_free(&got);
    lun__strbuf_free(&why);
    lun__strbuf_free(&bytes);
}

/* Every beginning of the bytes, and many changes of them: whatever is taken keeps the rules. */
static void check_damaged(const lun_ir *ir, int rounds)
{
    lun_strbuf bytes = pack(ir), why = LUN_STRBUF_INIT;
    lun_ir_packed back;
    uint64_t seed = 7;
    for (size_t cut = 0; cut < bytes.length; cut++) {
        assert_int_equal(unpack(bytes.text, cut, &back, &why), LUN_EARG);
        assert_true(why.length > 0);
        lun__packed_ir_free(&back);
    }
    char *other = malloc(bytes.length);
    assert_non_null(other);
    for (int k = 0, taken = 0; k < rounds; k++) {
        memcpy(other, bytes.text, bytes.length);
        for (uint64_t n = test_random(&seed) % 3 + 1; n > 0; n--)
            other[test_random(&seed) % bytes.length] =
                (char)(test_random(&seed) % 4 ? test_random(&seed) % 8 : test_random(&seed));
        lun_status s = unpack(other, bytes.length, &back, &why);
        if (s == LUN_OK) {
            lun_strbuf text = LUN_STRBUF_INIT;
            assert_int_equal(lun__ir_verify(&back.ir, &why), LUN_OK);
            print(&back.ir, &text);
            lun__strbuf_free(&text);
            taken++;
        } else {
            assert_true(s == LUN_EARG && why.length > 0);
        }
        lun__packed_ir_free(&back);
        assert_true(taken < rounds); /* most changes are seen */
    }
    free(other);
    lun__strbuf_free(&bytes);
    lun__strbuf_free(&why);
}

static void test_kernels_come_back(void **state)
{
    (void)state;
    lun_ir ir, body;
    lun_ir_function f;
    make_rich(&ir, &f);
    check_same(&ir);
    lun__ir_free(&ir);
    make_body(&body, &f);
    make_folding(&ir, &f);
    check_same(&ir);
    lun__ir_free(&ir);
    lun__ir_free(&body);
}

static void test_damage_is_seen(void **state)
{
    (void)state;
    enum { ROUNDS = 30000 };
    lun_ir ir, body;
    lun_ir_function f;
    make_rich(&ir, &f);
    check_damaged(&ir, ROUNDS);
    lun__ir_free(&ir);
    make_body(&body, &f);
    make_folding(&ir, &f);
    check_damaged(&ir, ROUNDS);
    lun__ir_free(&ir);
    lun__ir_free(&body);
}

/* Functions whose types do not fit are refused, which the verifier leaves to producers. */
static void test_types_of_functions(void **state)
{
    (void)state;
    lun_ir ir, body;
    lun_ir_function f;
    lun_ir_packed back;
    lun_strbuf why = LUN_STRBUF_INIT;
    make_rich(&ir, &f);
    f.param[0].dtype = LUN_F64;
    lun_strbuf bytes = pack(&ir);
    assert_int_equal(unpack(bytes.text, bytes.length, &back, &why), LUN_EARG);
    assert_non_null(strstr(why.text, "a call of a function of other dtypes"));
    lun__packed_ir_free(&back);
    lun__strbuf_free(&bytes);
    lun__ir_free(&ir);
    make_body(&body, &f);
    make_folding(&ir, &f);
    body.args[1] = LUN_F32;
    body.ins[1].dtype = LUN_F32;
    bytes = pack(&ir);
    assert_int_equal(unpack(bytes.text, bytes.length, &back, &why), LUN_EARG);
    lun__packed_ir_free(&back);
    lun__strbuf_free(&bytes);
    lun__strbuf_free(&why);
    lun__ir_free(&ir);
    lun__ir_free(&body);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_kernels_come_back),
        cmocka_unit_test(test_damage_is_seen),
        cmocka_unit_test(test_types_of_functions),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
