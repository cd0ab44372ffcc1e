/* cstyle_test.c - the text of kernels: golden bodies, and what must hold for every text.  What the
 * text computes is tested in openmp_*_test.c. */
#include "kernels.h"

#include <ctype.h>

#include "render/render.h"

static lun_strbuf text = LUN_STRBUF_INIT;
static unsigned libs;

static const char *render(const lun_ir *ir, lun_isa isa)
{
    lun_render_target target = {isa, 0};
    ir_check_valid(ir);
    lun__strbuf_clear(&text);
    libs = 0;
    assert_int_equal(lun__gnu_render(ir, &target, &text, &libs), LUN_OK);
    return lun__strbuf_text(&text);
}

static void expect(const char *whole, const char *part)
{
    if (!strstr(whole, part))
        fail_msg("not found:\n%s\nin:\n%s", part, whole);
}

static void expect_none(const char *whole, const char *part)
{
    if (strstr(whole, part))
        fail_msg("found:\n%s\nin:\n%s", part, whole);
}

/* ---- golden bodies --------------------------------------------------------------------------- */

static void test_elementwise(void **state)
{
    (void)state;
    lun_ir ir;
    lun__ir_init(&ir);
    lun__ir_slot_add(&ir, LUN_F32, LUN_SLOT_IN);
    lun__ir_slot_add(&ir, LUN_F32, LUN_SLOT_OUT);
    lun__ir_slot_add(&ir, LUN_BOOL, LUN_SLOT_OUT);
    int32_t x = ir_load(&ir, 0), a = ir_arg(&ir, LUN_F32), c = ir_const(&ir, LUN_F32, 0x3dcccccd);
    int32_t m = ir_op(&ir, LUN_OP_MUL, LUN_F32, x, ir_op(&ir, LUN_OP_ADD, LUN_F32, a, c, -1), -1);
    ir_store(&ir, 1, ir_op(&ir, LUN_OP_MIN, LUN_F32, m, x, -1));
    ir_store(&ir, 2, ir_op(&ir, LUN_OP_LT, LUN_F32, m, a, -1));
    const char *s = render(&ir, LUN_ISA_AVX512);
    expect(s, "/* Lunarray kernel: vectors of 64 bytes, 16 lanes. */\n");
    expect(s, "INLINE void body(lun_i64 i, struct frame *f, const struct uniform *u)\n{\n"
              "    const f32x16 v0 = lun_load_f32(u->p0, i);\n"
              "    const f32x16 v4 = lun_mul_f32(v0, u->v3);\n"
              "    const f32x16 v5 = lun_min_f32(v4, v0);\n"
              "    lun_store_f32(u->p1, i, v5, u->t1);\n"
              "    const i32x16 v7 = lun_lt_f32(v4, u->v1);\n"
              "    lun_store_b32(u->p2, i, v7, u->t2);\n}\n");
    expect(s, "    const lun_f32 s2 = lun_of_cell_f32(0x3dcccccdu);\n"
              "    const lun_f32 s3 = lun_one_add_f32(s1, s2);\n"
              "    u->v3 = lun_splat_f32(s3);\n");
    expect(s, "INLINE f32x16 lun_min_f32(f32x16 a, f32x16 b)\n{\n"
              "    f32x16 r;\n"
              "    __asm__(\"vminps %2, %1, %0\" : \"=v\"(r) : \"v\"(a), \"v\"(b));\n"
              "    return lun_select_f32(a != a, a, r);\n}\n");
    assert_int_equal(libs, 0);
    expect_none(s, "lun_combine");
    s = render(&ir, LUN_ISA_AVX2);
    expect(s, "    const f32x8 v4 = lun_mul_f32(v0, u->v3);\n");
    s = render(&ir, LUN_ISA_BASE);
    expect(s, "    const f32x4 v4 = lun_mul_f32(v0, u->v3);\n");
    lun__ir_free(&ir);
}

static void test_reduction_and_scan(void **state)
{
    (void)state;
    lun_ir ir;
    lun__ir_init(&ir);
    lun__ir_slot_add(&ir, LUN_F32, LUN_SLOT_IN);
    lun__ir_slot_add(&ir, LUN_F32, LUN_SLOT_OUT);
    int32_t zero = ir_arg(&ir, LUN_F64), x = ir_cast(&ir, LUN_F64, ir_load(&ir, 0));
    ir_reduce(&ir, LUN_OP_ADD, -1, x);
    const char *s = render(&ir, LUN_ISA_AVX512);
    expect(s,
           "INLINE void body(lun_i64 i, struct frame *f, const struct uniform *u, f64x8 *x0)\n{\n"
           "    const f32x8 v1 = lun_load_f32(u->p0, i);\n"
           "    const f64x8 v2 = lun_f64_from_f32(v1);\n"
           "    x0[0] = v2;\n}\n");
    expect(s, "        a3_7 = lun_lane3(a3_7, x0_7[0], left - 56);\n");
    expect(s, "    f->partials[0] = lun_cell_f64(a3[0][0]);\n");
    expect_none(s, "lun_total");
    lun__ir_free(&ir);
    lun__ir_init(&ir);
    lun__ir_slot_add(&ir, LUN_F32, LUN_SLOT_IN);
    lun__ir_slot_add(&ir, LUN_F32, LUN_SLOT_OUT);
    zero = ir_arg(&ir, LUN_F32);
    x = ir_load(&ir, 0);
    ir_store(&ir, 1,
             ir_op(&ir, LUN_OP_SUB, LUN_F32, ir_scan(&ir, LUN_OP_ADD, 0, true, x, zero), x, -1));
    s = render(&ir, LUN_ISA_AVX2);
    expect(s,
           "INLINE void operand(lun_i64 i, struct frame *f, const struct uniform *u, f32x8 *x)\n{\n"
           "    const f32x8 v1 = lun_load_f32(u->p0, i);\n    x[0] = v1;\n}\n");
    expect(
        s,
        "    const f32x8 v2 = lun_load_f32(scan, 0);\n    const f32x8 v3 = lun_sub_f32(v2, v1);\n");
    expect(s, "void lun_total(");
    expect(s, "    case -1:\n        *out = lun_cell_f32(lun_join2(lun_of_cell_f32(*a), "
              "lun_of_cell_f32(*b), f));\n");
    lun__ir_free(&ir);
}

static void test_control_flow(void **state)
{
    (void)state;
    lun_ir ir;
    lun__ir_init(&ir);
    lun__ir_slot_add(&ir, LUN_I32, LUN_SLOT_IN);
    lun__ir_slot_add(&ir, LUN_I32, LUN_SLOT_OUT);
    int32_t x = ir_load(&ir, 0), n = ir_arg(&ir, LUN_I32);
    int32_t v = ir_flow(&ir, LUN_IR_VAR, x, -1, 0), k = ir_flow(&ir, LUN_IR_VAR, n, -1, 0);
    ir_flow(&ir, LUN_IR_LOOP, -1, -1, 0);
    int32_t g = ir_flow(&ir, LUN_IR_GET, k, -1, 0);
    ir_flow(&ir, LUN_IR_IF, ir_op(&ir, LUN_OP_LT, LUN_I32, g, n, -1), -1, 0); /* the same for all */
    ir_flow(&ir, LUN_IR_BREAK, -1, -1, 0);
    ir_flow(&ir, LUN_IR_END, -1, -1, 0);
    int32_t h = ir_flow(&ir, LUN_IR_GET, v, -1, 0);
    ir_flow(&ir, LUN_IR_IF, ir_op(&ir, LUN_OP_LT, LUN_I32, h, n, -1), -1, 0); /* differs */
    ir_flow(&ir, LUN_IR_SET, v, ir_op(&ir, LUN_OP_ADD, LUN_I32, h, h, -1), 0);
    ir_flow(&ir, LUN_IR_END, -1, -1, 0);
    ir_flow(&ir, LUN_IR_SET, k, ir_op(&ir, LUN_OP_SUB, LUN_I32, g, n, -1), 0);
    ir_flow(&ir, LUN_IR_END, -1, -1, 0);
    ir_store(&ir, 1, ir_flow(&ir, LUN_IR_GET, v, -1, 0));
    const char *s = render(&ir, LUN_ISA_AVX512);
    expect(s, "    i32x16 v2 = v0;\n    lun_i32 s3 = u->s1;\n    for (;;) {\n        const lun_i32 "
              "s5 = s3;\n"
              "        const lun_u8 s6 = lun_one_lt_i32(s5, u->s1);\n        if (s6) {\n"
              "            goto b4;\n        }\n        const i32x16 v10 = v2;\n"
              "        const i32x16 v11 = lun_lt_i32(v10, u->v1);\n"
              "        i32x16 k12 = k & v11;\n        if (lun_any_b32(k12)) {\n"
              "            const i32x16 v13 = lun_add_i32(v10, v10);\n"
              "            v2 = lun_select_i32(k12, v13, v2);\n        }\n"
              "        const lun_i32 s16 = lun_one_sub_i32(s5, u->s1);\n        s3 = s16;\n"
              "        if (__builtin_expect(__atomic_load_n(f->cancel, __ATOMIC_RELAXED), 0)) "
              "return;\n    }\n    b4:;\n");
    lun__ir_free(&ir);
}

/* ---- what holds for every text --------------------------------------------------------------- */

/* Equal kernels give equal text, whatever came before. */
static void test_same_text(void **state)
{
    (void)state;
    for (int t = 1; t < LUN_DTYPE_COUNT; t++) {
        lun_ir ir;
        if (lun__dtype_is_stored((lun_dtype)t))
            continue;
        lun__ir_init(&ir);
        lun__ir_slot_add(&ir, (lun_dtype)t, LUN_SLOT_IN);
        lun__ir_slot_add(&ir, (lun_dtype)t, LUN_SLOT_OUT);
        int32_t x = ir_load(&ir, 0);
        for (int op = 0; op < LUN_OP_COUNT; op++) {
            const lun_op_row *row = lun__op_get((lun_op)op);
            if (row->rule != LUN_RULE_ARITH ||
                !(lun__dtype_is_float((lun_dtype)t) ? row->flt : row->integer))
                continue;
            x = ir_op(&ir, (lun_op)op, (lun_dtype)t, x, x, x);
        }
        ir_store(&ir, 1, x);
        char *first = strdup(render(&ir, LUN_ISA_AVX512));
        assert_non_null(first);
        assert_string_equal(first, render(&ir, LUN_ISA_AVX512));
        /* one short statement a line; no number that a locale could change */
        for (const char *line = first; *line; line += strcspn(line, "\n") + 1) {
            int depth = 0, most = 0;
            for (const char *p = line; *p && *p != '\n'; p++) {
                depth += *p == '(';
                depth -= *p == ')';
                if (depth > most)
                    most = depth;
                assert_false(isdigit((unsigned char)*p) && p[1] == ',' &&
                             isdigit((unsigned char)p[2]) && p[3] == 'e');
            }
            assert_true(most < 20);
        }
        free(first);
        lun__ir_free(&ir);
    }
}

/* A user's text stands in the unit as it is; what it may rely on stands before it, and is left out
 * where it is not mentioned. */
static void test_function_text(void **state)
{
    (void)state;
    static char body[] =
        "#line 7 \"my.c\"\nstatic float fn(float x, int n) { return powf(sqrt(x), n); }",
                name[] = "fn";
    lun_ir_function f = {.text = body, .name = name, .params = 2, .result = LUN_F32};
    f.param[0].dtype = LUN_F32;
    f.param[1].dtype = LUN_I32;
    lun_ir ir;
    lun__ir_init(&ir);
    lun__ir_slot_add(&ir, LUN_F32, LUN_SLOT_IN);
    lun__ir_slot_add(&ir, LUN_F32, LUN_SLOT_OUT);
    lun__ir_function_add(&ir, &f);
    int32_t x = ir_load(&ir, 0), n = ir_arg(&ir, LUN_I32), first = lun__ir_operand_add(&ir, x);
    lun__ir_operand_add(&ir, n);
    ir_store(&ir, 1,
             ir_add(&ir, (lun_ir_ins){
                             .kind = LUN_IR_CALL, .dtype = LUN_F32, .a = -1, .b = first, .c = 2}));
    const char *s = render(&ir, LUN_ISA_AVX512), *at = strstr(s, body);
    assert_non_null(at);
    const char *before = strstr(
        s, "#define sqrt(x) _Generic((x), float: __builtin_sqrtf, default: __builtin_sqrt)(x)\n");
    assert_true(before && before < at);
    expect(s, "float lun_libm_powf(float, float) __asm__(\"lun_math_powf\")");
    expect(s, "#define powf(x, y) lun_libm_powf(x, y)\n");
    expect_none(s, "#define exp");
    expect(s, "    LANES(16) r[l] = fn(a0[l], a1);\n");
    expect(s, "const f32x16 v2 = lun_call2(u->n - i, v0, u->s1);\n");
    assert_int_equal(libs & LUN_RENDER_LIBM, LUN_RENDER_LIBM);
    lun__ir_free(&ir);
}

/* Libraries are asked for only where they are used. */
static void test_libraries(void **state)
{
    (void)state;
    lun_ir ir;
    lun__ir_init(&ir);
    lun__ir_slot_add(&ir, LUN_F32, LUN_SLOT_IN);
    lun__ir_slot_add(&ir, LUN_F32, LUN_SLOT_OUT);
    ir_store(&ir, 1, ir_op(&ir, LUN_OP_EXP, LUN_F32, ir_load(&ir, 0), -1, -1));
    expect(render(&ir, LUN_ISA_AVX2), "const f32x8 v1 = lun_seq_exp_f32(v0);");
    assert_int_equal(libs, 0);
    lun_render_target target = {LUN_ISA_AVX2, LUN_VERSION_NONE};
    lun__strbuf_clear(&text);
    libs = 0;
    assert_int_equal(lun__gnu_render(&ir, &target, &text, &libs), LUN_OK);
    expect(lun__strbuf_text(&text), "r[l] = lun_one_exp_f32(a[l]);"); /* precise */
    assert_int_equal(libs & LUN_RENDER_LIBM, LUN_RENDER_LIBM);
    lun__ir_free(&ir);
}

static void test_refused(void **state)
{
    (void)state;
    lun_render_target target = {LUN_ISA_AVX2, 0};
    lun_ir ir;
    lun__ir_init(&ir);
    lun__ir_slot_add(&ir, LUN_I32, LUN_SLOT_IN);
    int32_t x = ir_load(&ir, 0);
    ir_flow(&ir, LUN_IR_IF, ir_op(&ir, LUN_OP_LT, LUN_I32, x, x, -1), -1, 0);
    ir_reduce(&ir, LUN_OP_ADD, -1, x);
    ir_flow(&ir, LUN_IR_END, -1, -1, 0);
    lun__strbuf_clear(&text);
    assert_int_equal(lun__gnu_render(&ir, &target, &text, &libs), LUN_EARG);
    assert_string_equal(lun__strbuf_text(&text), "a reduction inside control flow");
    lun__ir_free(&ir);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_elementwise),   cmocka_unit_test(test_reduction_and_scan),
        cmocka_unit_test(test_control_flow),  cmocka_unit_test(test_same_text),
        cmocka_unit_test(test_function_text), cmocka_unit_test(test_libraries),
        cmocka_unit_test(test_refused),
    };
    int failed = cmocka_run_group_tests(tests, NULL, NULL);
    lun__strbuf_free(&text);
    lun__strbuf_free(&test_error);
    return failed;
}
