/* reference_combine_test.c - reductions and scans of interpreter and host together, bit for
 * bit against the order that ir/combine_order.h states, written out here and in order_oracle.h
 * element by element. */
#include "order_oracle.h"

#include <stdio.h>

enum { LONG = 150000 };

/* ---- the order of scans ---------------------------------------------------------------------- */

static void scan_groups(const combiner *f, const uint64_t *x, int64_t n, bool inclusive,
                        uint64_t carry, uint64_t *out)
{
    for (int64_t g = 0; g < n; g += 8) {
        uint64_t p[8], q[8];
        for (int l = 0; l < 8; l++)
            p[l] = g + l < n ? x[g + l] : 0;
        for (int d = 1; d < 8; d *= 2) {
            for (int l = 0; l < 8; l++)
                q[l] = l >= d ? apply(f, p[l - d], p[l]) : p[l];
            memcpy(p, q, sizeof p);
        }
        for (int l = 0; l < 8 && g + l < n; l++)
            out[g + l] = inclusive ? apply(f, carry, p[l]) : l ? apply(f, carry, p[l - 1]) : carry;
        carry = apply(f, carry, p[7]);
    }
}

static void scan_chain(const combiner *f, const uint64_t *x, int64_t n, bool inclusive,
                       uint64_t acc, uint64_t *out)
{
    for (int64_t i = 0; i < n; i++) {
        if (!inclusive)
            out[i] = acc;
        acc = apply(f, acc, x[i]);
        if (inclusive)
            out[i] = acc;
    }
}

static void scanned(const combiner *f, const uint64_t *x, int64_t n, bool inclusive, uint64_t carry,
                    uint64_t *out)
{
    for (int64_t i = 0; i < n; i += LUN_SCAN_CHUNK) {
        int64_t m = n - i < LUN_SCAN_CHUNK ? n - i : LUN_SCAN_CHUNK;
        uint64_t total = x[i];
        if (f->op < LUN_OP_COUNT) {
            scan_groups(f, x + i, m, inclusive, carry, out + i);
            total = chunk_value(f, x + i, m);
        } else {
            scan_chain(f, x + i, m, inclusive, carry, out + i);
            for (int64_t k = 1; k < m; k++)
                total = apply(f, total, x[i + k]);
        }
        carry = apply(f, carry, total);
    }
}

/* ---- kernels --------------------------------------------------------------------------------- */

/* Elements as dtype and as cells: with NaNs and signed zeros among them for the smallest and
 * largest, near 1 for products, so that what comes out tells one order from another. */
static char *make_data(const combiner *f, int64_t n, uint64_t **cells)
{
    lun_dtype t = f->t;
    int size = lun__dtype_get(t)->bytes;
    char *data = test_alloc(n, size);
    *cells = calloc((size_t)n + 1, sizeof **cells);
    uint64_t seed = (uint64_t)n;
    for (int64_t i = 0; i < n; i++) {
        uint64_t r = test_random(&seed);
        double d = ((double)(r >> 11) * 0x1p-53 - 0.4) * (r & 1 ? 1 : 1000);
        if (f->op == LUN_OP_MUL)
            d = 1 + (d < 0 ? -d : d) * 1e-5;
        else if (f->op != LUN_OP_ADD && n > 100 && n % 2 && r % 9973 == 0)
            d = r & 8 ? NAN : -0.0;
        float single = (float)d;
        if (t == LUN_BOOL)
            r = r % 50 != 0;
        if (t == LUN_F32)
            memcpy(data + i * size, &single, 4);
        else if (t == LUN_F64)
            memcpy(data + i * size, &d, 8);
        else
            memcpy(data + i * size, &r, (size_t)size);
        memcpy(&(*cells)[i], data + i * size, (size_t)size);
    }
    return data;
}

static const combiner combiners[] = {
    {LUN_OP_ADD, LUN_F32},  {LUN_OP_ADD, LUN_F64},   {LUN_OP_ADD, LUN_I64},  {LUN_OP_ADD, LUN_U8},
    {LUN_OP_MUL, LUN_I16},  {LUN_OP_MUL, LUN_F32},   {LUN_OP_MIN, LUN_F32},  {LUN_OP_MAX, LUN_F64},
    {LUN_OP_MIN, LUN_I8},   {LUN_OP_MAX, LUN_U32},   {LUN_OP_BAND, LUN_U16}, {LUN_OP_BOR, LUN_I32},
    {LUN_OP_BXOR, LUN_U64}, {LUN_OP_LAND, LUN_BOOL}, {LUN_OP_LOR, LUN_BOOL}, {LUN_OP_FMIN, LUN_F32},
    {LUN_OP_FMAX, LUN_F64}, {MIX, LUN_I32},          {BRANCH, LUN_I32}};
enum { COMBINERS = sizeof combiners / sizeof *combiners };

/* ---- reductions ------------------------------------------------------------------------------ */

static void check_reduction(const combiner *f, int64_t n, int threads, lun_isa isa)
{
    lun_ir ir, body;
    lun_ir_function function;
    uint64_t *cells, results[1] = {0x1234};
    char *data = make_data(f, n, &cells);
    int64_t room[1] = {n};
    void *slots[1] = {data};
    int number = -1;
    lun__ir_init(&ir);
    lun__ir_init(&body);
    lun__ir_slot_add(&ir, f->t, LUN_SLOT_IN);
    if (f->op > LUN_OP_COUNT) {
        make_function(&function, &body, f->op);
        number = lun__ir_function_add(&ir, &function);
    }
    int32_t x = ir_load(&ir, 0);
    ir_reduce(&ir, f->op > LUN_OP_COUNT ? LUN_OP_COUNT : (lun_op)f->op, number, x);
    test_run run = {
        .threads = threads, .isa = isa, .results = results, .room = room, .bytes = 1 << 30};
    assert_int_equal(run_ir(&ir, slots, n, &run), LUN_OK);
    uint64_t want = n ? reduced(f, cells, n) : 0x1234;
    if (!same(f->t, results[0], want))
        fail_msg("op %d %s n %lld: %llx, not %llx", f->op, lun_dtype_name(f->t), (long long)n,
                 (unsigned long long)results[0], (unsigned long long)want);
    free(data);
    free(cells);
    lun__ir_free(&ir);
    lun__ir_free(&body);
}

static void test_reductions(void **state)
{
    (void)state;
    for (int isa = 0; isa <= (int)lun__isa_here(); isa++)
        for (int c = 0; c < COMBINERS; c++)
            for (int l = 0; l < LENGTHS; l++)
                check_reduction(&combiners[c], test_lengths[l], test_threads[(c + l) % THREADS],
                                (lun_isa)isa);
}

static void test_reductions_on_all_threads(void **state)
{
    (void)state;
    static const int picked[] = {0, 1, 15, 18};
    for (int k = 0; k < 4; k++)
        for (int t = 0; t < THREADS; t++)
            check_reduction(&combiners[picked[k]], LONG, test_threads[t], lun__isa_here());
}

/* sum(x), max(x * x) and the squares themselves, in one pass. */
static void test_several_results(void **state)
{
    (void)state;
    enum { N = 40000 };
    combiner sum = {LUN_OP_ADD, LUN_F64}, max = {LUN_OP_MAX, LUN_F64};
    uint64_t *cells, results[2], *squares = calloc(N, 8);
    char *data = make_data(&sum, N, &cells);
    double *out = test_alloc(N, 8);
    void *slots[2] = {data, out};
    lun_ir ir;
    lun__ir_init(&ir);
    lun__ir_slot_add(&ir, LUN_F64, LUN_SLOT_IN);
    lun__ir_slot_add(&ir, LUN_F64, LUN_SLOT_OUT);
    int32_t x = ir_load(&ir, 0), square = ir_op(&ir, LUN_OP_MUL, LUN_F64, x, x, -1);
    ir_reduce(&ir, LUN_OP_ADD, -1, x);
    ir_store(&ir, 1, square);
    ir_reduce(&ir, LUN_OP_MAX, -1, square);
    test_run run = {.threads = 2, .isa = lun__isa_here(), .results = results, .bytes = 16 * N};
    assert_int_equal(run_ir(&ir, slots, N, &run), LUN_OK);
    for (int i = 0; i < N; i++) {
        double v, w;
        memcpy(&v, data + 8 * i, 8);
        w = v * v;
        memcpy(&squares[i], &w, 8);
        assert_true(same(LUN_F64, squares[i], ((uint64_t *)(void *)out)[i]));
    }
    assert_true(same(LUN_F64, results[0], reduced(&sum, cells, N)));
    assert_true(same(LUN_F64, results[1], reduced(&max, squares, N)));
    free(data);
    free(cells);
    free(squares);
    free(out);
    lun__ir_free(&ir);
}

/* ---- scans ----------------------------------------------------------------------------------- */

static void check_scan(const combiner *f, int64_t n, bool inclusive, bool in_place, int threads,
                       lun_isa isa)
{
    lun_ir ir, body;
    lun_ir_function function;
    int size = lun__dtype_get(f->t)->bytes, number = 0;
    uint64_t *cells, *want = calloc((size_t)n + 1, 8), args[1], result[1];
    char *data = make_data(f, n, &cells), *out = in_place ? data : test_alloc(n, size);
    void *slots[2] = {data, out};
    lun_value start = {.dtype = LUN_I64};
    start.as.i = 5;
    args[0] = lun__dtype_cell_from_value(f->t, start);
    lun__ir_init(&ir);
    lun__ir_init(&body);
    lun__ir_slot_add(&ir, f->t, LUN_SLOT_IN);
    lun__ir_slot_add(&ir, f->t, LUN_SLOT_OUT);
    if (f->op > LUN_OP_COUNT) {
        make_function(&function, &body, f->op);
        number = lun__ir_function_add(&ir, &function);
    }
    int32_t x = ir_load(&ir, 0), first = ir_arg(&ir, f->t);
    ir_reduce(&ir, f->op < LUN_OP_COUNT ? (lun_op)f->op : LUN_OP_COUNT, number, x); /* beside it */
    ir_store(&ir, 1,
             ir_scan(&ir, f->op < LUN_OP_COUNT ? (lun_op)f->op : LUN_OP_COUNT, number, inclusive, x,
                     first));
    test_run run = {
        .threads = threads, .isa = isa, .args = args, .results = result, .bytes = 1 << 30};
    assert_int_equal(run_ir(&ir, slots, n, &run), LUN_OK);
    scanned(f, cells, n, inclusive, args[0], want);
    for (int64_t i = 0; i < n; i++) {
        uint64_t have = 0;
        memcpy(&have, out + i * size, (size_t)size);
        if (!same(f->t, have, want[i]))
            fail_msg("scan %d %s n %lld, element %lld: %llx, not %llx", f->op, lun_dtype_name(f->t),
                     (long long)n, (long long)i, (unsigned long long)have,
                     (unsigned long long)want[i]);
    }
    if (n)
        assert_true(same(f->t, result[0], reduced(f, cells, n)));
    if (!in_place)
        free(out);
    free(data);
    free(cells);
    free(want);
    lun__ir_free(&ir);
    lun__ir_free(&body);
}

static void test_scans(void **state)
{
    (void)state;
    for (int isa = 0; isa <= (int)lun__isa_here(); isa++)
        for (int c = 0; c < COMBINERS; c++)
            for (int l = 0; l < LENGTHS; l++)
                check_scan(&combiners[c], test_lengths[l], (c + l) & 1, l & 2,
                           test_threads[(c + l) % THREADS], (lun_isa)isa);
}

static void test_scans_on_all_threads(void **state)
{
    (void)state;
    static const int picked[] = {0, 2, 16, 17};
    for (int k = 0; k < 4; k++)
        for (int t = 0; t < THREADS; t++)
            check_scan(&combiners[picked[k]], LONG, t & 1, t & 2, test_threads[t], lun__isa_here());
}

/* ---- what cannot be interpreted -------------------------------------------------------------- */

static lun_kernel *build(lun_services *services, void **state, const lun_ir *ir, lun_status *status)
{
    static lun_abilities can;
    lun_kernel *kernel = NULL;
    assert_int_equal(lun__backend_reference.open(services, &(lun_opening){0}, state, &can), LUN_OK);
    *status = lun__backend_reference.build(*state, ir, "", &kernel);
    return kernel;
}

static void test_c_function_is_refused(void **unused)
{
    (void)unused;
    char text[] = "float f(float x) { return x; }", name[] = "f";
    lun_ir_function function = {.text = text, .name = name, .params = 1, .result = LUN_F32};
    function.param[0].dtype = LUN_F32;
    lun_services services = test_services();
    lun_status status;
    void *state;
    lun_ir ir;
    lun__ir_init(&ir);
    lun__ir_slot_add(&ir, LUN_F32, LUN_SLOT_IN);
    lun__ir_slot_add(&ir, LUN_F32, LUN_SLOT_OUT);
    int32_t x = ir_load(&ir, 0);
    lun__ir_function_add(&ir, &function);
    lun__ir_operand_add(&ir, x);
    ir_store(
        &ir, 1,
        ir_add(&ir, (lun_ir_ins){.kind = LUN_IR_CALL, .dtype = LUN_F32, .a = -1, .b = 0, .c = 1}));
    ir_check_valid(&ir);
    build(&services, &state, &ir, &status);
    assert_int_equal(status, LUN_EBACKEND);
    assert_string_equal(lun__strbuf_text(&test_error),
                        "backend reference: C functions need a compiler: use backend openmp");
    lun__backend_reference.close(state);
    lun__ir_free(&ir);
}

/* The backend's own table: a kernel outlives the IR it was made from. */
static void test_backend(void **unused)
{
    (void)unused;
    combiner sum = {LUN_OP_ADD, LUN_F64};
    enum { N = 20000 };
    uint64_t *cells, result;
    char *data = make_data(&sum, N, &cells);
    lun_services services = test_services();
    lun_status status;
    lun_strbuf source = LUN_STRBUF_INIT;
    lun_device device;
    void *state, *slots[1] = {data};
    int64_t room[1] = {N}, launches = test_stats.launches, interpreted = test_stats.interpreted;
    lun_ir ir;
    lun__ir_init(&ir);
    lun__ir_slot_add(&ir, LUN_F64, LUN_SLOT_IN);
    ir_reduce(&ir, LUN_OP_ADD, -1, ir_load(&ir, 0));
    lun_kernel *kernel = build(&services, &state, &ir, &status);
    assert_int_equal(status, LUN_OK);
    assert_int_equal(lun__backend_reference.source(state, &ir, &source), LUN_OK);
    assert_non_null(strstr(lun__strbuf_text(&source), "reduce"));
    lun__ir_free(&ir);
    lun_launch launch = {.n = N, .count = N, .slots = slots, .room = room, .bytes = 8 * N};
    const lun_ir shape = {.result_count = 1, .scan = -1};
    assert_int_equal(
        test_backend_run(&lun__backend_reference, state, kernel, &shape, &launch, &result), LUN_OK);
    assert_true(same(LUN_F64, result, reduced(&sum, cells, N)));
    assert_int_equal(test_stats.launches, launches + 1);
    assert_int_equal(test_stats.interpreted, interpreted + 1);
    assert_int_equal(lun__backend_reference.devices(&services, state, &device, 1), 1);
    assert_string_equal(device.backend, "reference");
    lun__backend_reference.release(state, kernel);
    lun__backend_reference.close(state);
    lun__strbuf_free(&source);
    free(data);
    free(cells);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_reductions),
        cmocka_unit_test(test_reductions_on_all_threads),
        cmocka_unit_test(test_several_results),
        cmocka_unit_test(test_scans),
        cmocka_unit_test(test_scans_on_all_threads),
        cmocka_unit_test(test_c_function_is_refused),
        cmocka_unit_test(test_backend),
    };
    int failed = cmocka_run_group_tests(tests, NULL, NULL);
    lun__strbuf_free(&test_error);
    return failed;
}
