/* combine_cases.h - reductions and scans: a kit gives the interpreter's bits for every operation,
 * length, and for functions in C and in IR.  Include a kit first. */
#ifndef TEST_COMBINE_CASES_H
#define TEST_COMBINE_CASES_H

#include "ctext/text_function.h"

enum { MOST = 150000 };

static const lun_op combining[] = {LUN_OP_ADD,  LUN_OP_MUL,  LUN_OP_MIN,  LUN_OP_MAX,
                                   LUN_OP_FMIN, LUN_OP_FMAX, LUN_OP_BAND, LUN_OP_BOR,
                                   LUN_OP_BXOR, LUN_OP_LAND, LUN_OP_LOR};
enum { COMBINING = sizeof combining / sizeof *combining };
static const int64_t lengths[] = {0,   1,    2,     7,     63,    64,    65,
                                  129, 1000, 16384, 16385, 65536, 65537, MOST};
enum { LENGTH_COUNT = sizeof lengths / sizeof *lengths };

static bool combines(lun_op op, lun_dtype t)
{
    const lun_op_row *row = lun__op_get(op);
    if (lun__dtype_is_float(t) ? !row->flt : !row->integer)
        return false;
    return (row->rule == LUN_RULE_LOGIC) == (t == LUN_BOOL);
}

/* Values near 1, so that products stay finite; a NaN and signed zeros here and there. */
static void *data(lun_dtype t, uint64_t seed)
{
    int bytes = lun__dtype_get(t)->bytes;
    char *p = test_alloc(MOST, bytes);
    for (int64_t i = 0; i < MOST; i++) {
        uint64_t r = test_random(&seed), cell = t == LUN_BOOL ? (r & 63) != 0 : r;
        double x = r % 1001 == 0 ? -0.0 : 0.5 + (double)(r % 100000) / 100000;
        float y = (float)x;
        if (seed % 3 == 0 && i == 40000)
            y = NAN, x = NAN;
        if (t == LUN_F64)
            memcpy(&cell, &x, sizeof x);
        if (t == LUN_F32)
            memcpy(&cell, &y, sizeof y);
        memcpy(p + i * bytes, &cell, (size_t)bytes);
    }
    return p;
}

static void compare_all(kit *k, const lun_ir *ir, void *in, const uint64_t *args)
{
    kit_kernel kernel = kit_build(k, ir);
    void *slots[8] = {in};
    for (int i = 0; i < LENGTH_COUNT; i++)
        kit_compare(k, ir, &kernel, slots, lengths[i], args, 0);
    kit_compare(k, ir, &kernel, slots, MOST, args, (int64_t)1 << 40); /* with streaming stores */
    kit_release(k, &kernel);
}

/* ---- reductions ------------------------------------------------------------------------------ */

/* All reductions of a dtype at once, beside an elementwise result; extra: work that makes the body
 * too large to be unrolled. */
static void reduce_all(kit *k, lun_dtype t, bool wide, int extra)
{
    void *in = data(t, (uint64_t)t + 17);
    lun_ir ir;
    lun__ir_init(&ir);
    lun__ir_slot_add(&ir, t, LUN_SLOT_IN);
    lun__ir_slot_add(&ir, t, LUN_SLOT_OUT);
    int32_t x = ir_load(&ir, 0), y = x;
    for (int i = 0; i < extra; i++)
        y = ir_op(&ir, t == LUN_BOOL ? LUN_OP_LAND : LUN_OP_MAX, t, y, x, -1);
    ir_store(&ir, 1, y);
    for (int i = 0; i < COMBINING; i++)
        if (combines(combining[i], t))
            ir_reduce(&ir, combining[i], -1, y);
    if (wide)
        ir_reduce(&ir, LUN_OP_ADD, -1, ir_cast(&ir, LUN_F64, y));
    compare_all(k, &ir, in, NULL);
    lun__ir_free(&ir);
    free(in);
}

static void test_reductions(void **state)
{
    kit *k = *state;
    for (int t = 0; t < LUN_DTYPE_COUNT; t++)
        if (!lun__dtype_is_stored((lun_dtype)t))
            reduce_all(k, (lun_dtype)t, t % 2, t == LUN_F32 ? 40 : 0);
}

/* Places: of few values, so that many are equal, of one value alone, and of random ones; alone, or
 * beside wider and other reductions; extra: as in reduce_all. */
static void places(kit *k, lun_dtype t, int values, bool wide, int extra)
{
    int bytes = lun__dtype_get(t)->bytes;
    char *in = data(t, (uint64_t)t + 3);
    for (int64_t i = bytes; values && i < (int64_t)MOST * bytes; i += bytes)
        memcpy(in + i, in + (i / bytes * 7919 % values) * bytes, (size_t)bytes);
    lun_ir ir;
    lun__ir_init(&ir);
    lun__ir_slot_add(&ir, t, LUN_SLOT_IN);
    int32_t x = ir_load(&ir, 0), y = x;
    for (int i = 0; i < extra; i++)
        y = ir_op(&ir, i % 2 ? LUN_OP_MAX : LUN_OP_MIN, t, x, y, -1);
    ir_reduce_places(&ir, LUN_OP_MIN, y);
    ir_reduce_places(&ir, LUN_OP_MAX, y);
    if (wide) {
        ir_reduce(&ir, LUN_OP_MAX, -1, y);
        ir_reduce_places(&ir, LUN_OP_MIN, ir_cast(&ir, LUN_F64, y));
        ir_reduce(&ir, LUN_OP_ADD, -1, ir_cast(&ir, LUN_F64, y));
    }
    compare_all(k, &ir, in, NULL);
    lun__ir_free(&ir);
    free(in);
}

static void test_places(void **state)
{
    kit *k = *state;
    for (int t = 0; t < LUN_DTYPE_COUNT; t++) {
        if (lun__dtype_is_stored((lun_dtype)t) || t == LUN_BOOL)
            continue;
        places(k, (lun_dtype)t, 0, t % 2, 0);
        places(k, (lun_dtype)t, 3, t % 2 == 0, t == LUN_F32 ? 40 : 0);
        places(k, (lun_dtype)t, 1, false, 0);
    }
}

/* ---- scans ----------------------------------------------------------------------------------- */

static void scan(kit *k, lun_dtype t, lun_op op, bool inclusive, bool wide)
{
    void *in = data(t, (uint64_t)op);
    uint64_t initial = 0;
    lun_ir ir;
    lun__ir_init(&ir);
    lun__ir_slot_add(&ir, t, LUN_SLOT_IN);
    lun__ir_slot_add(&ir, t, LUN_SLOT_OUT);
    lun__ir_slot_add(&ir, LUN_F64, LUN_SLOT_OUT);
    if (!lun__op_identity(op, t, &initial))
        memcpy(&initial, in, lun__dtype_get(t)->bytes);
    int32_t first = ir_arg(&ir, t), x = ir_load(&ir, 0);
    int32_t s = ir_scan(&ir, op, 0, inclusive, x, first);
    ir_store(&ir, 1, s); /* what follows a scan may use what stood before it */
    if (wide)
        ir_store(&ir, 2,
                 ir_op(&ir, LUN_OP_SUB, LUN_F64, ir_cast(&ir, LUN_F64, s), ir_cast(&ir, LUN_F64, x),
                       -1));
    compare_all(k, &ir, in, &initial);
    lun__ir_free(&ir);
    free(in);
}

static void test_scans(void **state)
{
    kit *k = *state;
    static const struct {
        lun_dtype t;
        lun_op op;
    } cases[] = {{LUN_F32, LUN_OP_ADD},  {LUN_F64, LUN_OP_ADD},  {LUN_I32, LUN_OP_ADD},
                 {LUN_I64, LUN_OP_ADD},  {LUN_U8, LUN_OP_ADD},   {LUN_I16, LUN_OP_MAX},
                 {LUN_F32, LUN_OP_MIN},  {LUN_F64, LUN_OP_MUL},  {LUN_F32, LUN_OP_FMAX},
                 {LUN_U32, LUN_OP_BXOR}, {LUN_BOOL, LUN_OP_LOR}, {LUN_BOOL, LUN_OP_LAND}};
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        scan(k, cases[i].t, cases[i].op, i % 2 != 0, i % 3 == 0);
        scan(k, cases[i].t, cases[i].op, i % 2 == 0, i % 3 == 1);
    }
}

/* ---- functions ------------------------------------------------------------------------------- */

/* 2 a + b is not associative: any other order gives another result. */
static void write_function(lun_ir *body, lun_ir_function *f, lun_dtype t)
{
    lun__ir_init(body);
    int32_t a = ir_arg(body, t), b = ir_arg(body, t), two = ir_const(body, t, 2);
    *f = (lun_ir_function){.body = body, .outputs = 1, .params = 2, .result = (uint8_t)t};
    f->output[0] = ir_op(body, LUN_OP_ADD, t, ir_op(body, LUN_OP_MUL, t, a, two, -1), b, -1);
    f->param[0].dtype = f->param[1].dtype = (uint8_t)t;
}

static void test_functions_in_ir(void **state)
{
    kit *k = *state;
    for (int way = 0; way < 3; way++) {
        lun_ir ir, body;
        lun_ir_function f;
        uint64_t initial = 5;
        void *in = data(LUN_I32, 3);
        write_function(&body, &f, LUN_I32);
        lun__ir_init(&ir);
        lun__ir_slot_add(&ir, LUN_I32, LUN_SLOT_IN);
        lun__ir_slot_add(&ir, LUN_I32, LUN_SLOT_OUT);
        int32_t x = ir_load(&ir, 0), first = ir_arg(&ir, LUN_I32);
        lun__ir_function_add(&ir, &f);
        if (way == 0)
            ir_reduce(&ir, LUN_OP_COUNT, 0, x);
        else
            x = ir_scan(&ir, LUN_OP_COUNT, 0, way == 1, x, first);
        ir_store(&ir, 1, x);
        compare_all(k, &ir, in, &initial);
        lun__ir_free(&ir);
        lun__ir_free(&body);
        free(in);
    }
}

/* The adjacent-pair tree over chunks, as ir/combine_order.h states it, with 2 a + b. */
static uint32_t tree(const uint32_t *x, int64_t n)
{
    static uint32_t y[MOST];
    memcpy(y, x, (size_t)n * sizeof *y);
    for (; n > 1; n = (n + 1) / 2) {
        for (int64_t j = 0; j < n / 2; j++)
            y[j] = 2 * y[2 * j] + y[2 * j + 1];
        if (n % 2)
            y[n / 2] = y[n - 1];
    }
    return y[0];
}

static uint32_t chunked_tree(const uint32_t *x, int64_t n)
{
    static uint32_t parts[MOST / LUN_CHUNK + 1];
    int64_t count = 0;
    for (int64_t lo = 0; lo < n; lo += LUN_CHUNK)
        parts[count++] = tree(x + lo, n - lo < LUN_CHUNK ? n - lo : LUN_CHUNK);
    return tree(parts, count);
}

/* Functions in C: one of each kind against plain C. */
static void test_functions_in_c(void **state)
{
    kit *k = *state;
    static char combine_text[] =
        "static unsigned combine(unsigned a, unsigned b) { return 2 * a + b; }",
                call_text[] =
                    "static float scale(float x, LUN_GLOBAL const float *table, float s)\n"
                    "{ return x > 1 ? s * table[(int)x] + exp(x) : max(x, 0.75f); }",
                combine_name[] = "combine", call_name[] = "scale";
    lun_ir_function f = {
        .text = combine_text, .name = combine_name, .params = 2, .result = LUN_U32};
    f.param[0].dtype = f.param[1].dtype = LUN_U32;
    uint32_t *in = data(LUN_U32, 8), *out = test_alloc(MOST, 4), initial = 9;
    for (int way = 0; way < 3; way++) {
        lun_ir ir;
        lun__ir_init(&ir);
        lun__ir_slot_add(&ir, LUN_U32, LUN_SLOT_IN);
        lun__ir_slot_add(&ir, LUN_U32, LUN_SLOT_OUT);
        int32_t x = ir_load(&ir, 0), first = ir_arg(&ir, LUN_U32);
        lun__ir_function_add(&ir, &f);
        if (way == 0)
            ir_reduce(&ir, LUN_OP_COUNT, 0, x);
        else
            ir_store(&ir, 1, ir_scan(&ir, LUN_OP_COUNT, 0, way == 1, x, first));
        kit_kernel kernel = kit_build(k, &ir);
        for (int i = 1; i < LENGTH_COUNT; i++) {
            uint64_t cell = initial, result = 0;
            int64_t n = lengths[i];
            test_run run = {.args = &cell, .results = &result};
            assert_int_equal(kit_run(k, &kernel, &ir, (void *[2]){in, out}, n, &run), LUN_OK);
            if (way == 0)
                assert_int_equal(result, chunked_tree(in, n));
            /* a chunk's total starts with its first element, and carries are
             * combined with totals */
            for (int64_t lo = 0; way && lo < n; lo += LUN_SCAN_CHUNK) {
                uint32_t acc = (uint32_t)cell, total = in[lo];
                for (int64_t j = lo; j < n && j < lo + LUN_SCAN_CHUNK; j++) {
                    if (way == 1)
                        acc = 2 * acc + in[j];
                    assert_int_equal(out[j], acc);
                    if (way == 2)
                        acc = 2 * acc + in[j];
                    if (j > lo)
                        total = 2 * total + in[j];
                }
                cell = 2 * (uint32_t)cell + total;
            }
        }
        kit_release(k, &kernel);
        lun__ir_free(&ir);
    }
    /* a call on elements, a whole array and a number; its values do not depend on
     * where elements stand */
    lun_ir_function g = {.text = call_text, .name = call_name, .params = 3, .result = LUN_F32};
    g.param[0].dtype = g.param[1].dtype = g.param[2].dtype = LUN_F32;
    g.param[1].pointer = 1;
    float *x = (float *)in, table[4] = {1, 2, 3, 4}, three = 3, *y = (float *)out;
    for (int i = 0; i < 2000; i++)
        x[i] = (float)(i % 60) / 20;
    lun_ir ir;
    lun__ir_init(&ir);
    lun__ir_slot_add(&ir, LUN_F32, LUN_SLOT_IN);
    lun__ir_slot_add(&ir, LUN_F32, LUN_SLOT_ARRAY);
    lun__ir_slot_add(&ir, LUN_F32, LUN_SLOT_OUT);
    lun__ir_function_add(&ir, &g);
    int32_t a = ir_load(&ir, 0), s = ir_arg(&ir, LUN_F32), first = lun__ir_operand_add(&ir, a);
    lun__ir_operand_add(&ir, -2);
    lun__ir_operand_add(&ir, s);
    ir_store(&ir, 2,
             ir_add(&ir, (lun_ir_ins){
                             .kind = LUN_IR_CALL, .dtype = LUN_F32, .a = -1, .b = first, .c = 3}));
    kit_kernel kernel = kit_build(k, &ir);
    uint64_t cell = 0;
    memcpy(&cell, &three, sizeof three);
    for (int64_t n = 1; n < 200; n += 33) {
        test_run run = {.args = &cell};
        assert_int_equal(kit_run(k, &kernel, &ir, (void *[3]){x, table, y}, n, &run), LUN_OK);
        for (int64_t i = 0; i < n; i++) {
            float want = x[i] > 1       ? three * table[(int)x[i]] + expf(x[i])
                         : x[i] > 0.75f ? x[i]
                                        : 0.75f;
            assert_true(fabsf(y[i] - want) <= 1e-5f * want);
            assert_memory_equal(&y[i], &y[i % 60], i < 60 ? 0 : 4);
        }
    }
    kit_release(k, &kernel);
    lun__ir_free(&ir);
    free(in);
    free(out);
}

/* A text as scripts give it: constants, helpers, names that C and OpenCL C type differently. */
static void test_user_text(void **state)
{
    kit *k = *state;
    static const char source[] =
        "static const float weights[3] = {0.25f, 0.5f, 0.25f};\n"
        "static float square(float x) { return x * x; }\n"
        "float smooth(float x, const float *table, int32_t shift, uint8_t m)\n{\n"
        "    float sum = 0;\n"
        "    for (int j = 0; j < 3; j++) sum += weights[j] * table[min(j + shift, 3)];\n"
        "    return fmax(sum, square(x)) + sqrt(4) + pow(x, 2) + max(m, 3) + fabsf(-x) +\n"
        "        clamp(x, 0.0f, 1.0f) + M_PI_F * abs(shift);\n}\n";
    lun_strbuf error = LUN_STRBUF_INIT;
    lun_ir_function *f = NULL;
    if (lun__cfunc_parse(source, false, &f, NULL, &error) != LUN_OK)
        fail_msg("%s", lun__strbuf_text(&error));
    float in[256] = {0}, out[256], table[4] = {1, 2, 4, 8}; /* whole blocks */
    lun_ir ir;
    lun__ir_init(&ir);
    lun__ir_slot_add(&ir, LUN_F32, LUN_SLOT_IN);
    lun__ir_slot_add(&ir, LUN_F32, LUN_SLOT_ARRAY);
    lun__ir_slot_add(&ir, LUN_F32, LUN_SLOT_OUT);
    lun__ir_function_add(&ir, f);
    int32_t x = ir_load(&ir, 0), s = ir_arg(&ir, LUN_I32), m = ir_const(&ir, LUN_U8, 200);
    int32_t first = lun__ir_operand_add(&ir, x);
    lun__ir_operand_add(&ir, -2);
    lun__ir_operand_add(&ir, s);
    lun__ir_operand_add(&ir, m);
    ir_store(&ir, 2,
             ir_add(&ir, (lun_ir_ins){
                             .kind = LUN_IR_CALL, .dtype = LUN_F32, .a = -1, .b = first, .c = 4}));
    kit_kernel kernel = kit_build(k, &ir);
    for (int i = 0; i < 200; i++)
        in[i] = (float)(i - 60) / 32;
    uint64_t shift = 1;
    test_run run = {.args = &shift};
    assert_int_equal(kit_run(k, &kernel, &ir, (void *[3]){in, table, out}, 200, &run), LUN_OK);
    for (int i = 0; i < 200; i++) {
        float a = in[i], sum = 0.25f * 2 + 0.5f * 4 + 0.25f * 8, unit = a < 0 ? 0 : a > 1 ? 1 : a;
        double want = (double)(a * a > sum ? a * a : sum) + 2 + (double)(a * a) + 200 +
                      (double)fabsf(a) + (double)unit + 3.14159265;
        assert_true(fabs((double)out[i] - want) < 1e-4);
    }
    kit_release(k, &kernel);
    lun__ir_free(&ir);
    lun__cwrite_function_free(f);
    lun__strbuf_free(&error);
}

/* ---- each test ------------------------------------------------------------------------------- */

static int set_up(void **state)
{
    static kit k;
    kit_open(&k, NULL, "cc", LUN_JIT_SYNC, 2, LUN_MATH_FAST);
    *state = &k;
    return 0;
}

static int tear_down(void **state)
{
    kit *k = *state;
    int interpreted = (int)k->stats.interpreted;
    kit_close(k, true);
    return interpreted;
}

#define TEST(f) cmocka_unit_test_setup_teardown(f, set_up, tear_down)

#endif
