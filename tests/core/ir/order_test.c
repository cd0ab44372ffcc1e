/* order_test.c - the order of combination belongs to no backend: reductions cut at chunks, their
 * parts run as launches of their own, in any order, by several backends and numbers of threads, and
 * joined by ir/combine_order.h, have the bits of one run.  The oracle is order_oracle.h's. */
#include "order_oracle.h"

#include "opencl/opencl.h"
#include "openmp_kit.h"

enum { MOST = 13 * LUN_CHUNK + 77, MOST_CHUNKS = 14, RESULTS = 16 };

/* ---- places ---------------------------------------------------------------------------------- */

/* Where parts run.  The first ones cannot run functions in C; the last is there where the machine
 * has an OpenCL device. */
enum { REFERENCE, INTERPRETED, ONE, TWO, SEVEN, DEVICE, PLACES, FOR_C = ONE };

typedef struct place {
    const lun_backend *backend;
    kit kit;
    void *state;
    lun_kernel *kernel;
    void *slot; /* what a launch is given as the data */
} place;

typedef struct places {
    int count;
    place at[PLACES];
} places;

static const lun_backend *backend_of(int i)
{
    return i == REFERENCE ? &lun__backend_reference
           : i == DEVICE  ? &lun__backend_opencl
                          : &lun__backend_openmp;
}

static int set_up(void **state)
{
    static const int threads[] = {1, 3, 1, 2, 7, 1};
    static places p;
    char dir[] = "/tmp/lunarray-test-XXXXXX";
    assert_non_null(mkdtemp(dir));
    for (p.count = 0; p.count < PLACES; p.count++) {
        int i = p.count;
        place *at = &p.at[i];
        kit_open(&at->kit, dir, "cc", i < ONE ? LUN_JIT_OFF : LUN_JIT_SYNC, threads[i],
                 LUN_MATH_FAST);
        at->backend = backend_of(i);
        at->state = at->kit.state;
        if (at->backend == &lun__backend_openmp ||
            at->backend->open(&at->kit.services, &(lun_opening){0}, &at->state, &at->kit.can) ==
                LUN_OK)
            continue;
        assert_int_equal(i, DEVICE);
        print_message("without OpenCL: %s\n", lun__strbuf_text(&at->kit.error));
        kit_close(&at->kit, false);
        break;
    }
    *state = &p;
    return 0;
}

static int tear_down(void **state)
{
    places *p = *state;
    for (int i = 0; i < p->count; i++) {
        place *at = &p->at[i];
        if (at->backend != &lun__backend_openmp)
            at->backend->close(at->state);
        kit_close(&at->kit, i == p->count - 1);
    }
    return 0;
}

/* Gives all places the data; its end. */
static void share(places *p, void *data, int64_t bytes)
{
    for (int i = 0; i < p->count; i++) {
        place *at = &p->at[i];
        const lun_backend *b = at->backend;
        at->slot = data;
        if (!b->buffer_new)
            continue;
        lun_buffer *buffer = NULL;
        assert_int_equal(b->buffer_new(at->state, bytes, &buffer), LUN_OK);
        assert_int_equal(b->write(at->state, buffer, 0, data, bytes, NULL), LUN_OK);
        at->slot = buffer;
    }
}

static void unshare(places *p)
{
    for (int i = 0; i < p->count; i++)
        if (p->at[i].backend->buffer_free)
            p->at[i].backend->buffer_free(p->at[i].state, p->at[i].slot);
}

static void build_at(places *p, int from, const lun_ir *ir)
{
    lun_strbuf text = LUN_STRBUF_INIT;
    ir_check_valid(ir);
    assert_int_equal(lun__print_ir(ir, &text), LUN_OK);
    for (int i = from; i < p->count; i++) {
        place *at = &p->at[i];
        if (at->backend->build(at->state, ir, lun__strbuf_text(&text), &at->kernel) != LUN_OK)
            fail_msg("%s", lun__strbuf_text(&at->kit.error));
    }
    lun__strbuf_free(&text);
}

static void release_at(places *p, int from)
{
    for (int i = from; i < p->count; i++)
        p->at[i].backend->release(p->at[i].state, p->at[i].kernel);
}

/* Runs indices first .. first+count-1; their rows of cells go to rows. */
static lun_status run_part(place *at, int64_t n, int64_t first, int64_t count, uint64_t *rows)
{
    int64_t room = (n + 63) / 64 * 64;
    lun_launch launch = {.n = n,
                         .first = first,
                         .count = count,
                         .slots = &at->slot,
                         .room = &room,
                         .partials = rows,
                         .trap = -1};
    return test_launch(at->backend, at->state, at->kernel, &launch);
}

/* Joins rows by what a place lends. */
static lun_status join_at(place *at, const lun_ir *ir, lun_launch *launch, int64_t chunks,
                          uint64_t *rows)
{
    test_joint j = {.backend = at->backend,
                    .state = at->state,
                    .kernel = at->kernel,
                    .ir = ir,
                    .launch = launch};
    return lun__order_join(rows, chunks, (size_t)ir->result_count * sizeof *rows, test_combine, &j);
}

/* ---- data ------------------------------------------------------------------------------------ */

/* Near 1, so that sums and products of floats tell one order from another; odd: with NaNs
 * and signed zeros. */
static char *make_data(lun_dtype t, uint64_t seed, bool odd, uint64_t *cells)
{
    int size = lun__dtype_get(t)->bytes;
    char *data = test_alloc(MOST, size);
    for (int64_t i = 0; i < MOST; i++) {
        uint64_t r = test_random(&seed), cell = t == LUN_BOOL ? r % 70000 != 0 : r;
        double x = 1 + ((double)(r >> 11) * 0x1p-53 - 0.5) * 1e-3;
        if (odd && r % 9973 == 0)
            x = r & 64 ? NAN : -0.0;
        float y = (float)x;
        if (t == LUN_F64)
            memcpy(&cell, &x, sizeof x);
        if (t == LUN_F32)
            memcpy(&cell, &y, sizeof y);
        cells[i] = 0;
        memcpy(data + i * size, &cell, (size_t)size);
        memcpy(&cells[i], &cell, (size_t)size);
    }
    return data;
}

/* ---- cuts ------------------------------------------------------------------------------------ */

static void compare(const combiner *f, const lun_ir *ir, const uint64_t *want, const uint64_t *got,
                    const char *what, int64_t n)
{
    for (int k = 0; k < ir->result_count; k++)
        if (!same(f[k].t, want[k], got[k]))
            fail_msg("%s, n %lld, op %d of %s: %llx, not %llx", what, (long long)n, f[k].op,
                     lun_dtype_name(f[k].t), (unsigned long long)got[k],
                     (unsigned long long)want[k]);
}

typedef struct span {
    int64_t chunk, chunks;
} span;

/* Cuts chunks into spans at random, in random order. */
static int cut(int64_t chunks, uint64_t *seed, span *spans)
{
    int count = 0;
    for (int64_t c = 0; c < chunks; c++) {
        if (c && test_random(seed) % 3)
            spans[count - 1].chunks++;
        else
            spans[count++] = (span){c, 1};
    }
    for (int i = count - 1; i > 0; i--) {
        int k = (int)(test_random(seed) % (uint64_t)(i + 1));
        span s = spans[i];
        spans[i] = spans[k];
        spans[k] = s;
    }
    return count;
}

/* One run by each place, then cuts whose parts run anywhere; f: what each result combines. */
static void check(places *p, int from, const lun_ir *ir, const combiner *f, const uint64_t *cells,
                  int64_t n, uint64_t seed)
{
    uint64_t want[RESULTS], rows[MOST_CHUNKS * RESULTS];
    int64_t chunks = lun__order_chunks(ir, n);
    size_t row = (size_t)ir->result_count;
    lun_launch none = {.trap = -1};
    for (int k = 0; k < ir->result_count; k++)
        want[k] = reduced(&f[k], cells, n);
    for (int i = from; i < p->count; i++) {
        assert_int_equal(run_part(&p->at[i], n, 0, n, rows), LUN_OK);
        assert_int_equal(join_at(&p->at[i], ir, &none, chunks, rows), LUN_OK);
        compare(f, ir, want, rows, "one run", n);
    }
    for (int round = 0; round < 4; round++) {
        span spans[MOST_CHUNKS];
        int count = cut(chunks, &seed, spans);
        memset(rows, 0xee, sizeof rows);
        for (int i = 0; i < count; i++) {
            int64_t first = spans[i].chunk * LUN_CHUNK, indices = spans[i].chunks * LUN_CHUNK;
            place *at = &p->at[from + (int)(test_random(&seed) % (uint64_t)(p->count - from))];
            if (indices > n - first)
                indices = n - first;
            assert_int_equal(run_part(at, n, first, indices, &rows[(size_t)spans[i].chunk * row]),
                             LUN_OK);
        }
        assert_true(rows[(size_t)chunks * row] == 0xeeeeeeeeeeeeeeeeu);
        place *at = &p->at[from + round % (p->count - from)];
        assert_int_equal(join_at(at, ir, &none, chunks, rows), LUN_OK);
        compare(f, ir, want, rows, "in parts", n);
    }
}

static const int64_t some_lengths[] = {
    1, 1000, LUN_CHUNK, LUN_CHUNK + 1, 2 * LUN_CHUNK, 5 * LUN_CHUNK - 63, MOST - LUN_CHUNK, MOST};
enum { SOME = sizeof some_lengths / sizeof *some_lengths };

/* ---- operations ------------------------------------------------------------------------------ */

static const lun_op all[] = {LUN_OP_ADD,  LUN_OP_MUL,  LUN_OP_MIN,  LUN_OP_MAX,
                             LUN_OP_FMIN, LUN_OP_FMAX, LUN_OP_BAND, LUN_OP_BOR,
                             LUN_OP_BXOR, LUN_OP_LAND, LUN_OP_LOR};

static bool exists(lun_op op, lun_dtype t)
{
    const lun_op_row *row = lun__op_get(op);
    return (lun__dtype_is_float(t) ? row->flt : row->integer) &&
           (row->rule == LUN_RULE_LOGIC) == (t == LUN_BOOL);
}

/* All operations of a dtype at once; a kernel computes in none that is only stored. */
static void test_operations(void **state)
{
    places *p = *state;
    uint64_t *cells = calloc(MOST, sizeof *cells);
    for (int t = 0; t < LUN_DTYPE_COUNT; t++) {
        combiner f[RESULTS];
        lun_ir ir;
        int count = 0;
        if (lun__dtype_is_stored((lun_dtype)t))
            continue;
        lun__ir_init(&ir);
        lun__ir_slot_add(&ir, (lun_dtype)t, LUN_SLOT_IN);
        int32_t x = ir_load(&ir, 0);
        for (size_t i = 0; i < sizeof all / sizeof *all; i++)
            if (exists(all[i], (lun_dtype)t)) {
                ir_reduce(&ir, all[i], -1, x);
                f[count++] = (combiner){(int)all[i], (lun_dtype)t};
            }
        assert_true(count > 0);
        build_at(p, REFERENCE, &ir);
        for (int odd = 0; odd < 1 + lun__dtype_is_float((lun_dtype)t); odd++) {
            char *data = make_data((lun_dtype)t, (uint64_t)t + 1, odd, cells);
            share(p, data, MOST * lun__dtype_get((lun_dtype)t)->bytes);
            for (int l = 0; l < SOME; l++)
                check(p, REFERENCE, &ir, f, cells, some_lengths[l], (uint64_t)(t * SOME + l));
            unshare(p);
            free(data);
        }
        release_at(p, REFERENCE);
        lun__ir_free(&ir);
    }
    free(cells);
}

/* ---- functions ------------------------------------------------------------------------------- */

static void check_function(places *p, int from, lun_ir_function *function, int op)
{
    combiner f[2] = {{op, LUN_I32}, {LUN_OP_MAX, LUN_I32}};
    uint64_t *cells = calloc(MOST, sizeof *cells);
    char *data = make_data(LUN_I32, 99, false, cells);
    lun_ir ir;
    lun__ir_init(&ir);
    lun__ir_slot_add(&ir, LUN_I32, LUN_SLOT_IN);
    int32_t x = ir_load(&ir, 0);
    ir_reduce(&ir, LUN_OP_COUNT, lun__ir_function_add(&ir, function), x);
    ir_reduce(&ir, LUN_OP_MAX, -1, x);
    build_at(p, from, &ir);
    share(p, data, MOST * 4);
    for (int l = 0; l < SOME; l++)
        check(p, from, &ir, f, cells, some_lengths[l], (uint64_t)l);
    unshare(p);
    release_at(p, from);
    lun__ir_free(&ir);
    free(data);
    free(cells);
}

static void test_functions_in_ir(void **state)
{
    for (int op = MIX; op <= BRANCH; op++) {
        lun_ir body;
        lun_ir_function function;
        make_function(&function, &body, op);
        check_function(*state, REFERENCE, &function, op);
        lun__ir_free(&body);
    }
}

static void test_functions_in_c(void **state)
{
    static char text[] =
        "static int mingle(int a, int b) { return (int)(3u * (unsigned)a + (unsigned)b); }",
                name[] = "mingle";
    lun_ir_function function = {.text = text, .name = name, .params = 2, .result = LUN_I32};
    function.param[0].dtype = function.param[1].dtype = LUN_I32;
    check_function(*state, FOR_C, &function, MIX);
}

/* ---- failures -------------------------------------------------------------------------------- */

/* a // b, by way of math functions too: what two chunks come to may divide by zero though no
 * element did. */
static void check_traps_and_stops(places *p, bool math)
{
    const int64_t n = 3 * LUN_CHUNK;
    lun_ir ir, body;
    lun__ir_init(&body);
    int32_t a = ir_arg(&body, LUN_I32), b = ir_arg(&body, LUN_I32);
    lun_ir_function f = {.body = &body, .outputs = 1, .params = 2, .result = LUN_I32};
    f.param[0].dtype = f.param[1].dtype = LUN_I32;
    int32_t quotient = ir_op(&body, LUN_OP_IDIV, LUN_I32, a, b, -1);
    f.output[0] = quotient;
    if (math) { /* plus the integral part of a cosine's half */
        int32_t x = ir_op(&body, LUN_OP_COS, LUN_F32, ir_cast(&body, LUN_F32, a), -1, -1);
        x = ir_op(&body, LUN_OP_MUL, LUN_F32, x, ir_const(&body, LUN_F32, 0x3f000000), -1);
        f.output[0] = ir_op(&body, LUN_OP_ADD, LUN_I32, quotient, ir_cast(&body, LUN_I32, x), -1);
    }
    lun__ir_init(&ir);
    lun__ir_slot_add(&ir, LUN_I32, LUN_SLOT_IN);
    int32_t x = ir_load(&ir, 0);
    ir_reduce(&ir, LUN_OP_COUNT, lun__ir_function_add(&ir, &f), x);
    int32_t *data = test_alloc(n, 4);
    for (int64_t i = 0; i < n; i++)
        data[i] = i != LUN_CHUNK;
    build_at(p, REFERENCE, &ir);
    share(p, data, n * 4);
    for (int i = 0; i < p->count; i++) {
        uint64_t rows[3] = {7, 7, 7};
        lun_launch launch = {.trap = -1};
        assert_int_equal(run_part(&p->at[i], n, 0, n, rows), LUN_OK);
        assert_true(rows[0] == 1 && rows[1] == 0 && rows[2] == 1);
        assert_int_equal(join_at(&p->at[i], &ir, &launch, 3, rows), LUN_EZERO);
        assert_int_equal(launch.trap, ir.count - 1);
        assert_int_equal(launch.trap_value & ((1 << LUN_IR_WHERE_BITS) - 1), quotient);
        rows[0] = rows[1] = rows[2] = 1;
        p->at[i].kit.cancel = 1;
        assert_int_equal(join_at(&p->at[i], &ir, &launch, 3, rows), LUN_ECANCEL);
        p->at[i].kit.cancel = 0;
    }
    unshare(p);
    release_at(p, REFERENCE);
    free(data);
    lun__ir_free(&ir);
    lun__ir_free(&body);
}

static void test_traps_and_stops(void **state)
{
    check_traps_and_stops(*state, false);
    check_traps_and_stops(*state, true);
}

/* ---- the tree itself ------------------------------------------------------------------------- */

/* Rows of three bytes, combined by a function that is neither commutative nor associative. */
static lun_status bytes_level(void *ctx, void *rows, int64_t pairs)
{
    uint8_t *x = rows;
    int *levels = ctx;
    for (int64_t j = 0; j < pairs; j++)
        for (int k = 0; k < 3; k++)
            x[3 * j + k] = (uint8_t)(3 * x[6 * j + k] + x[6 * j + 3 + k] + k);
    return --*levels < 0 ? LUN_ECANCEL : LUN_OK;
}

static uint8_t bytes_tree(const uint8_t *x, int64_t n, int k)
{
    uint8_t level[300];
    for (int64_t i = 0; i < n; i++)
        level[i] = x[3 * i + k];
    while (n > 1) {
        int64_t up = 0;
        for (int64_t j = 0; j < n; j += 2)
            level[up++] = j + 1 < n ? (uint8_t)(3 * level[j] + level[j + 1] + k) : level[j];
        n = up;
    }
    return level[0];
}

static void pair_up(void *ctx, const uint64_t *a, const uint64_t *b, uint64_t *out)
{
    *out = apply(ctx, *a, *b);
}

static void test_tree(void **state)
{
    (void)state;
    combiner f = {MIX, LUN_I32};
    lun_order_roots roots = {.height = 0};
    for (int64_t n = 1; n <= 300; n++) {
        uint8_t x[900], y[900];
        uint64_t cells[300], seed = (uint64_t)n;
        int levels = 9; /* 2^9 > 300 */
        for (int64_t i = 0; i < 3 * n; i++)
            x[i] = y[i] = (uint8_t)test_random(&seed);
        assert_int_equal(lun__order_join(y, n, 3, bytes_level, &levels), LUN_OK);
        for (int k = 0; k < 3; k++)
            assert_int_equal(y[k], bytes_tree(x, n, k));
        levels = 1;
        assert_int_equal(lun__order_join(x, n, 3, bytes_level, &levels),
                         n > 2 ? LUN_ECANCEL : LUN_OK);
        for (int64_t i = 0; i < n; i++) {
            cells[i] = (uint32_t)test_random(&seed);
            lun__order_push(&roots, cells[i], pair_up, &f);
        }
        assert_true(lun__order_finish(&roots, pair_up, &f) == pair_tree(&f, cells, n));
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test_setup_teardown(test_operations, set_up, tear_down),
        cmocka_unit_test_setup_teardown(test_functions_in_ir, set_up, tear_down),
        cmocka_unit_test_setup_teardown(test_functions_in_c, set_up, tear_down),
        cmocka_unit_test_setup_teardown(test_traps_and_stops, set_up, tear_down),
        cmocka_unit_test(test_tree),
    };
    int failed = cmocka_run_group_tests(tests, NULL, NULL);
    lun__strbuf_free(&test_error);
    return failed;
}
