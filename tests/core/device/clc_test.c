/* clc_test.c - kernels in OpenCL C: what is particular to them.  Runs that begin in the middle,
 * traps, reductions beside scans, math; plans and texts without any device.  Operations, control
 * flow and combinations are in clc_*_test.c. */
#include "clc_kit.h"

enum { MOST = 200000 };

/* ---- plans ----------------------------------------------------------------------------------- */

static lun_cl_plan plan_of(lun_cl_shape shape, int64_t first, int64_t count, int units)
{
    lun_cl_plan plan;
    lun__cl_plan_make(&shape, first, count, units, &plan);
    if (count > 0) {
        int64_t chunk = plan.head[2], chunks = plan.head[3];
        assert_int_equal(plan.head[0], first + count);
        assert_int_equal(plan.head[1], first);
        assert_true(chunk > 0 && chunk % 64 == 0);
        assert_true(chunk * chunks >= count && chunk * (chunks - 1) < count);
        for (int i = 0; i < plan.steps; i++)
            assert_int_equal(plan.step[i].global % plan.step[i].local, 0);
    }
    return plan;
}

static void test_plans(void **state)
{
    (void)state;
    for (int form = 0; form < 2; form++) {
        lun_cl_shape plain = {.form = (lun_cl_form)form, .cost = 3};
        assert_int_equal(plan_of(plain, 0, 0, 4).steps, 0);
        lun_cl_plan p = plan_of(plain, 128, 1000003, 4);
        assert_int_equal(p.steps, 1);
        assert_string_equal(p.step[0].kernel, "lun_kernel");
        assert_int_equal(p.work + p.clear + p.read, 0);
        lun_cl_shape traps = plain;
        traps.traps = true;
        p = plan_of(traps, 0, 10, 4);
        assert_true(p.work >= 2 && p.clear == 2 && p.read == 2);
        lun_cl_shape sums = plain;
        sums.results = 3;
        p = plan_of(sums, 0, 16384, 4);
        assert_int_equal(p.steps, 1);
        assert_int_equal(p.read, 5);
        p = plan_of(sums, 3 * 16384, 16385, 4); /* a row for each of two chunks */
        assert_int_equal(p.steps, 1);
        assert_int_equal(p.head[2], LUN_CHUNK);
        assert_true(p.read == 2 + 3 * 2 && p.work == p.read);
        lun__cl_plan_pairs(&sums, 65, &p);
        assert_int_equal(p.steps, 1);
        assert_string_equal(p.step[0].kernel, "lun_pairs");
        assert_true(p.head[3] == 65 && p.clear == 2);
        assert_true(p.read == 2 + 3 * 65 && p.work == p.read + 2 * 3 * 65);
        assert_int_equal(p.step[0].global / p.step[0].local, 2);
        lun_cl_shape scan = sums;
        scan.scan = true;
        p = plan_of(scan, 0, 3 * LUN_SCAN_CHUNK, 4);
        assert_int_equal(p.steps, 3);
        assert_true(p.read == 2 + 3 * 3 && p.work == p.read + 3);
        assert_string_equal(p.step[0].kernel, "lun_total");
        assert_string_equal(p.step[1].kernel, "lun_carry");
        assert_string_equal(p.step[2].kernel, "lun_kernel");
        assert_int_equal(p.step[0].global / p.step[0].local, 2);
        p = plan_of(scan, 0, INT64_MAX / 64, 4); /* no overflow */
        assert_true(p.work > 0);
    }
    /* expensive elements come in small portions, cheap ones in few */
    lun_cl_shape cheap = {.form = LUN_CL_VECTOR, .cost = 1}, dear = {.cost = 5000};
    assert_int_equal(plan_of(cheap, 0, 20000, 8).head[3], 2);
    assert_true(plan_of(dear, 0, 20000, 8).head[3] >= 64);
}

/* ---- texts ----------------------------------------------------------------------------------- */

static lun_strbuf text = LUN_STRBUF_INIT;

static lun_status render(const lun_ir *ir, lun_cl_form form, bool fp64, lun_cl_shape *shape)
{
    const lun_cl_target target = {.form = form, .fp64 = fp64, .bytes = 64};
    lun__strbuf_clear(&text);
    return lun__cl_dialect_render(ir, &target, &text, shape);
}

static void expect(const char *part)
{
    if (!strstr(lun__strbuf_text(&text), part))
        fail_msg("not found:\n%s\nin:\n%s", part, lun__strbuf_text(&text));
}

static void test_texts(void **state)
{
    (void)state;
    lun_cl_shape shape;
    lun_ir ir;
    lun__ir_init(&ir);
    lun__ir_slot_add(&ir, LUN_F32, LUN_SLOT_IN);
    lun__ir_slot_add(&ir, LUN_F32, LUN_SLOT_OUT);
    int32_t x = ir_load(&ir, 0), a = ir_arg(&ir, LUN_F32);
    ir_store(&ir, 1, ir_op(&ir, LUN_OP_MUL, LUN_F32, x, a, -1));
    assert_int_equal(render(&ir, LUN_CL_SCALAR, false, &shape), LUN_OK);
    expect("INLINE void body(const lun_i64 i, struct frame *f, const struct uniform *u)\n{\n"
           "    const lun_f32 s0 = u->p0[i];\n"
           "    const lun_f32 s1 = lun_of_cell_f32(f->args[0]);\n"
           "    const lun_f32 s2 = lun_one_mul_f32(s0, s1);\n    u->p1[i] = s2;\n}\n");
    expect("void lun_kernel(\n    __constant lun_u64 *cells, __global const lun_f32 *p0, "
           "__global lun_f32 *p1)\n");
    assert_null(strstr(lun__strbuf_text(&text), "double"));
    assert_true(shape.slots == 2 && shape.args == 1 && !shape.traps && !shape.scan);
    assert_int_equal(shape.local_bytes, 0);
    assert_int_equal(render(&ir, LUN_CL_VECTOR, true, &shape), LUN_OK);
    expect("    const f32x16 v2 = lun_mul_f32(v0, u->v1);\n"
           "    lun_store_f32(u->p1, i, v2, u->n - (i));\n");
    char *first = strdup(lun__strbuf_text(&text));
    assert_int_equal(render(&ir, LUN_CL_VECTOR, true, &shape), LUN_OK);
    assert_string_equal(first, lun__strbuf_text(&text));
    free(first);
    ir_reduce(&ir, LUN_OP_ADD, -1, ir_cast(&ir, LUN_F64, x));
    assert_int_equal(render(&ir, LUN_CL_SCALAR, true, &shape), LUN_OK);
    assert_int_equal(shape.local_bytes, 64 * 8);
    expect("__global lun_u64 *work)\n");
    assert_int_equal(render(&ir, LUN_CL_SCALAR, false, &shape), LUN_EDTYPE);
    expect("it computes in f64, which the device lacks");
    lun__ir_free(&ir);
    lun__ir_init(&ir);
    lun__ir_slot_add(&ir, LUN_I32, LUN_SLOT_IN);
    x = ir_load(&ir, 0);
    ir_flow(&ir, LUN_IR_IF, ir_op(&ir, LUN_OP_LT, LUN_I32, x, x, -1), -1, 0);
    ir_reduce(&ir, LUN_OP_ADD, -1, x);
    ir_flow(&ir, LUN_IR_END, -1, -1, 0);
    for (int form = 0; form < 2; form++) {
        assert_int_equal(render(&ir, (lun_cl_form)form, true, &shape), LUN_EARG);
        assert_string_equal(lun__strbuf_text(&text), "a reduction inside control flow");
    }
    lun__ir_free(&ir);
}

/* ---- runs ------------------------------------------------------------------------------------ */

/* A run over a part of the indices writes that part alone; the kit looks at what is around it. */
static void test_parts(void **state)
{
    kit *k = *state;
    static const int64_t ends[] = {65, 640, 1000, 20001, MOST};
    static const lun_dtype types[] = {LUN_U8, LUN_F32, LUN_I64, LUN_BOOL};
    for (int t = 0; t < 4; t++) {
        lun_dtype d = types[t];
        int bytes = lun__dtype_get(d)->bytes;
        lun_ir ir;
        lun__ir_init(&ir);
        for (int s = 0; s < 3; s++)
            lun__ir_slot_add(&ir, d, s < 2 ? LUN_SLOT_IN : LUN_SLOT_OUT);
        lun__ir_slot_add(&ir, LUN_I64, LUN_SLOT_OUT);
        lun_op op = d == LUN_BOOL ? LUN_OP_LAND : LUN_OP_MAX;
        ir_store(&ir, 2, ir_op(&ir, op, d, ir_load(&ir, 0), ir_load(&ir, 1), -1));
        ir_store(&ir, 3, ir_index(&ir));
        kit_kernel kernel = kit_build(k, &ir);
        for (int e = 0; e < 5; e++) {
            int64_t n = ends[e], first = e == 0 ? 64 : n / 2 / 64 * 64;
            char *slots[4];
            for (int s = 0; s < 4; s++) {
                slots[s] = test_alloc(n, 8);
                for (int64_t i = 0; i < n * bytes && s < 2; i++)
                    slots[s][i] = (char)(d == LUN_BOOL ? (i * (s + 2) / 3) & 1 : i % 61 * (s + 1));
            }
            test_run run = {.first = first};
            assert_int_equal(kit_run(k, &kernel, &ir, (void **)slots, n, &run), LUN_OK);
            for (int64_t i = first; i < n; i++) {
                int64_t index;
                memcpy(&index, slots[3] + i * 8, 8);
                assert_int_equal(index, i);
                if (d == LUN_U8 || d == LUN_BOOL) {
                    uint8_t a = (uint8_t)slots[0][i], b = (uint8_t)slots[1][i];
                    assert_int_equal((uint8_t)slots[2][i], d == LUN_U8 ? (a > b ? a : b) : a & b);
                }
            }
            for (int s = 0; s < 4; s++)
                free(slots[s]);
        }
        kit_release(k, &kernel);
        lun__ir_free(&ir);
    }
}

/* A division by zero and a CHECK anywhere are found; without one there is nothing to report. */
static void test_traps(void **state)
{
    kit *k = *state;
    static const int64_t where[] = {-1, 0, 63, 64, 999, 16384, MOST - 1};
    for (int way = 0; way < 3; way++) {
        lun_ir ir;
        lun__ir_init(&ir);
        lun__ir_slot_add(&ir, LUN_I64, LUN_SLOT_IN);
        lun__ir_slot_add(&ir, LUN_I64, LUN_SLOT_OUT);
        int32_t x = ir_load(&ir, 0), zero = ir_const(&ir, LUN_I64, 0), bad = -1;
        if (way == 0)
            bad = x = ir_op(&ir, LUN_OP_IDIV, LUN_I64, ir_index(&ir), x, -1);
        else
            bad = ir_flow(&ir, LUN_IR_CHECK, ir_op(&ir, LUN_OP_NE, LUN_I64, x, zero, -1),
                          ir_index(&ir), 0);
        if (way == 2)
            ir_reduce(&ir, LUN_OP_ADD, -1, x);
        ir_store(&ir, 1, x);
        bad = way == 0 ? bad : ir.ins[bad].kind == LUN_IR_CHECK ? bad : -1;
        kit_kernel kernel = kit_build(k, &ir);
        assert_true(kernel.shape.traps);
        int64_t *in = test_alloc(MOST, 8), *out = test_alloc(MOST, 8);
        for (size_t w = 0; w < sizeof where / sizeof *where; w++) {
            for (int64_t i = 0; i < MOST; i++)
                in[i] = i != where[w];
            uint64_t sum = 0;
            test_run run = {.results = &sum};
            lun_status s = kit_run(k, &kernel, &ir, (void *[2]){in, out}, MOST, &run);
            assert_int_equal(s, where[w] < 0 ? LUN_OK : way ? LUN_EBOUNDS : LUN_EZERO);
            assert_int_equal(run.trap, where[w] < 0 ? -1 : bad);
            if (where[w] >= 0 && way)
                assert_int_equal(run.trap_value, where[w]);
            if (where[w] < 0 && way == 2)
                assert_int_equal(sum, MOST);
        }
        free(in);
        free(out);
        kit_release(k, &kernel);
        lun__ir_free(&ir);
    }
}

/* Reductions of what a scan gives, with and without an identity, and of what it takes. */
static void test_reductions_beside_scan(void **state)
{
    kit *k = *state;
    static const int64_t lengths[] = {1, 64, 700, 65536, 65537, MOST};
    lun_ir ir;
    uint64_t initial = 3;
    int32_t *in = test_alloc(MOST, 4);
    for (int i = 0; i < MOST; i++)
        in[i] = i % 13 - 6;
    for (int way = 0; way < 2; way++) {
        lun__ir_init(&ir);
        lun__ir_slot_add(&ir, LUN_I32, LUN_SLOT_IN);
        lun__ir_slot_add(&ir, LUN_F32, LUN_SLOT_OUT);
        int32_t x = ir_load(&ir, 0), a = ir_arg(&ir, LUN_I32);
        ir_reduce(&ir, LUN_OP_MAX, -1, x);
        int32_t s = ir_cast(&ir, LUN_F32, ir_scan(&ir, LUN_OP_ADD, 0, way != 0, x, a));
        ir_store(&ir, 1, s);
        ir_reduce(&ir, LUN_OP_FMIN, -1, s); /* by the tree */
        ir_reduce(&ir, LUN_OP_ADD, -1, ir_cast(&ir, LUN_F64, s));
        kit_kernel kernel = kit_build(k, &ir);
        for (int i = 0; i < 6; i++)
            kit_compare(k, &ir, &kernel, (void *[2]){in, NULL}, lengths[i], &initial, 0);
        kit_release(k, &kernel);
        lun__ir_free(&ir);
    }
    free(in);
}

static int set_up(void **state)
{
    static kit k;
    kit_open(&k, NULL, "", 0, 1, LUN_MATH_PRECISE);
    *state = &k;
    return 0;
}

static int tear_down(void **state)
{
    kit_close(*state, true);
    return 0;
}

#define TEST(f) cmocka_unit_test_setup_teardown(f, set_up, tear_down)

static int group(void)
{
    const struct CMUnitTest tests[] = {
        TEST(test_parts),
        TEST(test_traps),
        TEST(test_reductions_beside_scan),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}

int main(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(test_plans), cmocka_unit_test(test_texts)};
    int failed = cmocka_run_group_tests(tests, NULL, NULL);
    failed += cl_run_all(group);
    lun__strbuf_free(&test_error);
    lun__strbuf_free(&text);
    return failed;
}
