/* reference_memory_test.c - where the interpreter reads and writes: registers and slots, in place,
 * memory without room, streaming stores, gathers, uniform values, random bits, division by zero. */
#include "kernels.h"

#include <math.h>

/* ---- (a + b) * (c + d), all lengths, memory that ends at a guard page ------------------------ */

static void make_w1(lun_ir *ir)
{
    int32_t v[4];
    lun__ir_init(ir);
    for (int k = 0; k < 4; k++)
        lun__ir_slot_add(ir, LUN_F32, LUN_SLOT_IN);
    lun__ir_slot_add(ir, LUN_F32, LUN_SLOT_OUT);
    for (int k = 0; k < 4; k++)
        v[k] = ir_load(ir, k);
    v[0] = ir_op(ir, LUN_OP_ADD, LUN_F32, v[0], v[1], -1);
    v[2] = ir_op(ir, LUN_OP_ADD, LUN_F32, v[2], v[3], -1);
    ir_store(ir, 4, ir_op(ir, LUN_OP_MUL, LUN_F32, v[0], v[2], -1));
}

static void test_lengths_and_guard_pages(void **state)
{
    (void)state;
    for (int isa = 0; isa <= (int)lun__isa_here(); isa++)
        for (int l = 0; l < LENGTHS; l++)
            for (int t = 0; t < THREADS; t++)
                for (int stream = 0; stream < 2; stream++) {
                    int64_t n = test_lengths[l], room[5] = {n, n, n, n, n};
                    test_memory m[5];
                    void *slots[5];
                    lun_ir ir;
                    make_w1(&ir);
                    for (int k = 0; k < 5; k++) {
                        m[k] = test_guarded((size_t)n * 4);
                        slots[k] = m[k].data;
                        for (int64_t i = 0; i < n; i++)
                            ((float *)slots[k])[i] = (float)(i % 97 + k);
                    }
                    test_run run = {.isa = (lun_isa)isa,
                                    .threads = test_threads[t],
                                    .room = room,
                                    .bytes = stream ? (int64_t)1 << 30 : 20 * n};
                    assert_int_equal(run_ir(&ir, slots, n, &run), LUN_OK);
                    for (int64_t i = 0; i < n; i++) {
                        float x = (float)(i % 97);
                        assert_true(((float *)slots[4])[i] == (x + (x + 1)) * ((x + 2) + (x + 3)));
                    }
                    for (int k = 0; k < 5; k++)
                        test_guarded_free(&m[k]);
                    lun__ir_free(&ir);
                }
}

/* a[i] = (a[i] + b[i]) * (a[i] + b[i]) on unaligned memory: a is read after the
 * result was computed. */
static void test_in_place_and_unaligned(void **state)
{
    (void)state;
    for (int l = 0; l < LENGTHS; l++)
        for (int stream = 0; stream < 2; stream++) {
            int64_t n = test_lengths[l];
            double *a = test_alloc(n + 1, 8), *b = test_alloc(n + 3, 8);
            void *slots[5] = {a + 1, b + 3, a + 1, b + 3, a + 1};
            lun_ir ir;
            lun__ir_init(&ir);
            for (int k = 0; k < 5; k++)
                lun__ir_slot_add(&ir, LUN_F64, k < 4 ? LUN_SLOT_IN : LUN_SLOT_OUT);
            int32_t x = ir_op(&ir, LUN_OP_ADD, LUN_F64, ir_load(&ir, 0), ir_load(&ir, 1), -1);
            int32_t y = ir_op(&ir, LUN_OP_ADD, LUN_F64, ir_load(&ir, 2), ir_load(&ir, 3), -1);
            ir_store(&ir, 4, ir_op(&ir, LUN_OP_MUL, LUN_F64, x, y, -1));
            for (int64_t i = 0; i < n; i++) {
                a[i + 1] = (double)i;
                b[i + 3] = 0.5;
            }
            int64_t room[5] = {n, n, n, n, n};
            test_run run = {.isa = lun__isa_here(),
                            .threads = 2,
                            .room = room,
                            .bytes = stream ? (int64_t)1 << 30 : 0};
            assert_int_equal(run_ir(&ir, slots, n, &run), LUN_OK);
            for (int64_t i = 0; i < n; i++)
                assert_true(a[i + 1] == ((double)i + 0.5) * ((double)i + 0.5));
            free(a);
            free(b);
            lun__ir_free(&ir);
        }
}

/* A value is stored over an input that is loaded, or used, only later. */
static void test_store_before_a_later_load(void **state)
{
    (void)state;
    enum { LENGTH = 3000 };
    for (int late = 0; late < 2; late++) {
        int32_t *a = test_alloc(LENGTH, 4), *out = test_alloc(LENGTH, 4),
                *copy = test_alloc(LENGTH, 4);
        void *slots[4] = {a, a, out, copy};
        lun_ir ir;
        lun__ir_init(&ir);
        lun__ir_slot_add(&ir, LUN_I32, LUN_SLOT_IN);
        for (int k = 0; k < 3; k++)
            lun__ir_slot_add(&ir, LUN_I32, LUN_SLOT_OUT);
        int32_t x = ir_load(&ir, 0), y = ir_op(&ir, LUN_OP_NEG, LUN_I32, x, -1, -1);
        ir_store(&ir, 1, y);
        int32_t again = late ? ir_load(&ir, 0) : x;
        int32_t z = ir_op(&ir, LUN_OP_SUB, LUN_I32, again, y, -1); /* 2 * the old element */
        ir_store(&ir, 2, z);
        ir_store(&ir, 3, x);
        for (int i = 0; i < LENGTH; i++)
            a[i] = i;
        test_run run = {.isa = lun__isa_here()};
        assert_int_equal(run_ir(&ir, slots, LENGTH, &run), LUN_OK);
        for (int i = 0; i < LENGTH; i++) {
            assert_int_equal(a[i], -i);
            assert_int_equal(out[i], 2 * i);
            assert_int_equal(copy[i], i);
        }
        free(a);
        free(out);
        free(copy);
        lun__ir_free(&ir);
    }
}

/* One value in two slots and used afterwards; a uniform value and an input stored as they are. */
static void test_stores_of_every_kind(void **state)
{
    (void)state;
    enum { LENGTH = 1500 };
    for (int stream = 0; stream < 2; stream++) {
        int16_t *in = test_alloc(LENGTH, 2), *out[4];
        void *slots[5] = {in};
        lun_ir ir;
        uint64_t args[1] = {(uint16_t)-5};
        lun__ir_init(&ir);
        lun__ir_slot_add(&ir, LUN_I16, LUN_SLOT_IN);
        for (int k = 0; k < 4; k++) {
            lun__ir_slot_add(&ir, LUN_I16, LUN_SLOT_OUT);
            out[k] = test_alloc(LENGTH + 64, 2);
            out[k] += k; /* the first alone stands where stores can bypass the caches */
            slots[k + 1] = out[k];
        }
        int32_t x = ir_load(&ir, 0), five = ir_arg(&ir, LUN_I16);
        int32_t y = ir_op(&ir, LUN_OP_MUL, LUN_I16, x, five, -1);
        ir_store(&ir, 1, y);
        ir_store(&ir, 2, y);
        ir_store(&ir, 3, ir_op(&ir, LUN_OP_SUB, LUN_I16, y, x, -1));
        ir_store(&ir, 4, five);
        for (int i = 0; i < LENGTH; i++)
            in[i] = (int16_t)(i * 31);
        test_run run = {
            .isa = lun__isa_here(), .args = args, .bytes = stream ? (int64_t)1 << 30 : 0};
        assert_int_equal(run_ir(&ir, slots, LENGTH, &run), LUN_OK);
        for (int i = 0; i < LENGTH; i++) {
            int16_t product = (int16_t)((int16_t)(i * 31) * -5);
            assert_int_equal(out[0][i], product);
            assert_int_equal(out[1][i], product);
            assert_int_equal(out[2][i], (int16_t)(product - (int16_t)(i * 31)));
            assert_int_equal(out[3][i], -5);
        }
        free(in);
        for (int k = 0; k < 4; k++)
            free(out[k] - k);
        lun__ir_free(&ir);
    }
}

/* 400 values alive at once: blocks shrink. */
static void test_many_live_values(void **state)
{
    (void)state;
    enum { VALUES = 400, LENGTH = 5000 };
    double *x = test_alloc(LENGTH, 8), *y = test_alloc(LENGTH, 8);
    void *slots[2] = {x, y};
    int32_t v[VALUES], sum;
    lun_ir ir;
    lun__ir_init(&ir);
    lun__ir_slot_add(&ir, LUN_F64, LUN_SLOT_IN);
    lun__ir_slot_add(&ir, LUN_F64, LUN_SLOT_OUT);
    v[0] = ir_load(&ir, 0);
    for (int k = 1; k < VALUES; k++) {
        double one = 1;
        uint64_t cell;
        memcpy(&cell, &one, sizeof cell);
        v[k] = ir_op(&ir, LUN_OP_ADD, LUN_F64, v[k - 1], ir_const(&ir, LUN_F64, cell), -1);
    }
    sum = v[VALUES - 1];
    for (int k = VALUES - 2; k >= 0; k--)
        sum = ir_op(&ir, LUN_OP_ADD, LUN_F64, sum, v[k], -1);
    ir_store(&ir, 1, sum);
    for (int i = 0; i < LENGTH; i++)
        x[i] = i;
    test_run run = {.isa = lun__isa_here(), .threads = 3};
    assert_int_equal(run_ir(&ir, slots, LENGTH, &run), LUN_OK);
    for (int i = 0; i < LENGTH; i++)
        assert_true(y[i] == (double)VALUES * i + VALUES * (VALUES - 1) / 2);
    free(x);
    free(y);
    lun__ir_free(&ir);
}

/* ---- indices, gathers, uniform elements ------------------------------------------------------ */

static void test_gather_and_index(void **state)
{
    (void)state;
    static const int64_t lengths[] = {1, 63, 64, 1000, 16385, 70000};
    for (int l = 0; l < 6; l++)
        for (int size = 0; size < 4; size++) {
            static const lun_dtype types[] = {LUN_U8, LUN_U16, LUN_U32, LUN_U64};
            int64_t n = lengths[l], bytes = 1 << size, last = n - 1;
            test_memory array = test_guarded((size_t)(n * bytes));
            char *out = test_alloc(n, bytes);
            void *slots[3] = {array.data, &last, out};
            int64_t room[3] = {n, 1, n};
            lun_ir ir;
            lun__ir_init(&ir);
            lun__ir_slot_add(&ir, types[size], LUN_SLOT_ARRAY);
            lun__ir_slot_add(&ir, LUN_I64, LUN_SLOT_UNIFORM);
            lun__ir_slot_add(&ir, types[size], LUN_SLOT_OUT);
            int32_t top = ir_add(
                &ir,
                (lun_ir_ins){
                    .kind = LUN_IR_LOADU, .dtype = LUN_I64, .a = -1, .b = -1, .c = -1, .imm = 1});
            int32_t at = ir_op(&ir, LUN_OP_SUB, LUN_I64, top, ir_index(&ir), -1);
            ir_store(&ir, 2,
                     ir_add(&ir, (lun_ir_ins){.kind = LUN_IR_GATHER,
                                              .dtype = (uint8_t)types[size],
                                              .a = at,
                                              .imm = 0}));
            uint64_t seed = 1;
            for (int64_t i = 0; i < n * bytes; i++)
                array.data[i] = (char)test_random(&seed);
            test_run run = {.isa = lun__isa_here(), .threads = 2, .room = room};
            assert_int_equal(run_ir(&ir, slots, n, &run), LUN_OK);
            for (int64_t i = 0; i < n; i++)
                assert_memory_equal(out + i * bytes, array.data + (n - 1 - i) * bytes,
                                    (size_t)bytes);
            free(out);
            test_guarded_free(&array);
            lun__ir_free(&ir);
        }
}

static void test_index_from_the_middle(void **state)
{
    (void)state;
    enum { LENGTH = 40000, FIRST = 20032 };
    int64_t *out = test_alloc(LENGTH, 8);
    void *slots[1] = {out};
    lun_ir ir;
    lun__ir_init(&ir);
    lun__ir_slot_add(&ir, LUN_I64, LUN_SLOT_OUT);
    ir_store(&ir, 0, ir_index(&ir));
    test_run run = {.isa = lun__isa_here(), .threads = 2, .first = FIRST};
    int64_t untouched = out[FIRST - 1];
    assert_int_equal(run_ir(&ir, slots, LENGTH, &run), LUN_OK);
    assert_int_equal(out[FIRST - 1], untouched);
    for (int64_t i = FIRST; i < LENGTH; i++)
        assert_int_equal(out[i], i);
    free(out);
    lun__ir_free(&ir);
}

/* ---- random bits ----------------------------------------------------------------------------- */

/* Philox4x32-10 word for word as the paper has it. */
static void philox(uint64_t block, uint64_t key, uint32_t out[4])
{
    uint32_t c[4] = {(uint32_t)block, (uint32_t)(block >> 32), 0, 0};
    uint32_t k[2] = {(uint32_t)key, (uint32_t)(key >> 32)};
    for (int round = 0; round < 10; round++) {
        uint64_t left = (uint64_t)0xD2511F53 * c[0], right = (uint64_t)0xCD9E8D57 * c[2];
        uint32_t next[4] = {(uint32_t)(right >> 32) ^ c[1] ^ k[0], (uint32_t)right,
                            (uint32_t)(left >> 32) ^ c[3] ^ k[1], (uint32_t)left};
        memcpy(c, next, sizeof c);
        k[0] += 0x9E3779B9;
        k[1] += 0xBB67AE85;
    }
    memcpy(out, c, sizeof c);
}

static void check_random(lun_dtype t, uint64_t key, int64_t offset, int64_t step, lun_isa isa)
{
    enum { LENGTH = 2500 };
    uint64_t args[3] = {(uint64_t)step, (uint64_t)offset, key};
    char *out = test_alloc(LENGTH, 8);
    void *slots[1] = {out};
    lun_ir ir;
    lun__ir_init(&ir);
    lun__ir_slot_add(&ir, t, LUN_SLOT_OUT);
    int32_t at = ir_op(&ir, LUN_OP_MUL, LUN_I64, ir_index(&ir), ir_arg(&ir, LUN_I64), -1);
    at = ir_op(&ir, LUN_OP_ADD, LUN_I64, at, ir_arg(&ir, LUN_I64), -1);
    ir_store(&ir, 0,
             ir_add(&ir, (lun_ir_ins){.kind = LUN_IR_RANDOM,
                                      .dtype = (uint8_t)t,
                                      .a = at,
                                      .b = ir_arg(&ir, LUN_U64)}));
    test_run run = {.isa = isa, .args = args};
    assert_int_equal(run_ir(&ir, slots, LENGTH, &run), LUN_OK);
    for (int64_t i = 0; i < LENGTH; i++) {
        uint64_t element = (uint64_t)(i * step + offset);
        uint32_t word[4], want32;
        uint64_t want64;
        if (t == LUN_U32) {
            philox(element / 4, key, word);
            want32 = word[element % 4];
            assert_memory_equal(out + i * 4, &want32, 4);
        } else {
            philox(element / 2, key, word);
            want64 = word[element % 2 * 2] | (uint64_t)word[element % 2 * 2 + 1] << 32;
            assert_memory_equal(out + i * 8, &want64, 8);
        }
    }
    free(out);
    lun__ir_free(&ir);
}

static void test_random_bits(void **state)
{
    (void)state;
    uint32_t word[4];
    philox(0, 0, word); /* the paper's known answer */
    assert_int_equal(word[0], 0x6627e8d5);
    assert_int_equal(word[1], 0xe169c58d);
    assert_int_equal(word[2], 0xbc57ac4c);
    assert_int_equal(word[3], 0x9b00dbd8);
    for (int isa = 0; isa <= (int)lun__isa_here(); isa++)
        for (int wide = 0; wide < 2; wide++) {
            lun_dtype t = wide ? LUN_U64 : LUN_U32;
            check_random(t, 0, 0, 1, (lun_isa)isa);
            check_random(t, 0xdeadbeefcafef00d, 1, 1, (lun_isa)isa);
            check_random(t, 42, 7, 1, (lun_isa)isa);
            check_random(t, 42, (int64_t)0x123456789abc, 1, (lun_isa)isa);
            check_random(t, 42, 3, 5, (lun_isa)isa);
            check_random(t, 42, 100000, -3, (lun_isa)isa);
        }
}

/* ---- division by zero ------------------------------------------------------------------------ */

static void test_division_by_zero(void **state)
{
    (void)state;
    static const lun_dtype types[] = {LUN_I8, LUN_U16, LUN_I32, LUN_U64};
    enum { LENGTH = 1000 };
    for (int k = 0; k < 4; k++)
        for (int where = -1; where <= LENGTH; where += 143) {
            int64_t bytes = lun__dtype_get(types[k])->bytes;
            char *a = test_alloc(LENGTH, bytes), *b = test_alloc(LENGTH, bytes);
            char *c = test_alloc(LENGTH, bytes);
            void *slots[3] = {a, b, c};
            lun_ir ir;
            lun__ir_init(&ir);
            for (int s = 0; s < 3; s++)
                lun__ir_slot_add(&ir, types[k], s < 2 ? LUN_SLOT_IN : LUN_SLOT_OUT);
            int32_t x = ir_load(&ir, 0), y = ir_load(&ir, 1);
            int32_t q = ir_op(&ir, k & 1 ? LUN_OP_IDIV : LUN_OP_MOD, types[k], x, y, -1);
            ir_store(&ir, 2, q);
            memset(b + LENGTH * bytes, 0, (size_t)(bytes * 24)); /* padding is no divisor */
            memset(b, 3, (size_t)(LENGTH * bytes));
            if (where >= 0)
                memset(b + where * bytes, 0, (size_t)bytes);
            test_run run = {.isa = lun__isa_here()};
            bool zero = where >= 0 && where < LENGTH;
            assert_int_equal(run_ir(&ir, slots, LENGTH, &run), zero ? LUN_EZERO : LUN_OK);
            assert_int_equal(run.trap, zero ? q : -1);
            for (int s = 0; s < 3; s++)
                free(slots[s]);
            lun__ir_free(&ir);
        }
}

/* A division whose result is not used is still an error. */
static void test_unused_division(void **state)
{
    (void)state;
    int32_t a[64] = {1}, out[64];
    void *slots[2] = {a, out};
    lun_ir ir;
    lun__ir_init(&ir);
    lun__ir_slot_add(&ir, LUN_I32, LUN_SLOT_IN);
    lun__ir_slot_add(&ir, LUN_I32, LUN_SLOT_OUT);
    int32_t x = ir_load(&ir, 0), q = ir_op(&ir, LUN_OP_IDIV, LUN_I32, x, x, -1);
    ir_store(&ir, 1, x);
    test_run run = {.isa = lun__isa_here()};
    assert_int_equal(run_ir(&ir, slots, 1, &run), LUN_OK);
    assert_int_equal(run_ir(&ir, slots, 2, &run), LUN_EZERO);
    assert_int_equal(run.trap, q);
    lun__ir_free(&ir);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_lengths_and_guard_pages),
        cmocka_unit_test(test_in_place_and_unaligned),
        cmocka_unit_test(test_store_before_a_later_load),
        cmocka_unit_test(test_stores_of_every_kind),
        cmocka_unit_test(test_many_live_values),
        cmocka_unit_test(test_gather_and_index),
        cmocka_unit_test(test_index_from_the_middle),
        cmocka_unit_test(test_random_bits),
        cmocka_unit_test(test_division_by_zero),
        cmocka_unit_test(test_unused_division),
    };
    int failed = cmocka_run_group_tests(tests, NULL, NULL);
    lun__strbuf_free(&test_error);
    return failed;
}
