/* dlpack_test.c - arrays as tensors of other libraries and the other way: dtypes, shapes, who sees
 * what is written, whose deleter is called when, and what is refused. */
#include <string.h>

#include "engine_kit.h"
#include "lunarray_dlpack.h"

static int open_engine(void **state)
{
    (void)state;
    return kit_engine_open(NULL);
}

/* ---- out ------------------------------------------------------------------------------------- */

static void test_out(void **state)
{
    double x[6] = {1, 2, 3, 4, 5, 6};
    const int64_t shape[2] = {2, 3};
    const void *data;
    lun_array *a, *sum;
    DLManagedTensorVersioned *m = NULL, *again = NULL;
    (void)state;
    OK(lun_tensor(e, x, 2, shape, LUN_F64, &a));
    OK(lun_to_dlpack(e, a, &m));
    const DLTensor *t = &m->dl_tensor;
    assert_int_equal(m->version.major, 1);
    assert_int_equal(m->flags, 0);
    assert_int_equal(t->device.device_type, kDLCPU);
    assert_int_equal(t->ndim, 2);
    assert_true(t->shape[0] == 2 && t->shape[1] == 3 && t->strides[0] == 3 && t->strides[1] == 1);
    assert_true(t->dtype.code == kDLFloat && t->dtype.bits == 64 && t->dtype.lanes == 1);
    OK(lun_data(e, a, &data));
    assert_ptr_equal(t->data, data); /* not copied */
    /* what is written later goes elsewhere, and the array may end first */
    OK(lun_set(e, a, 0, (lun_value){.dtype = LUN_F64, .as.d = 99}));
    assert_true(((double *)t->data)[0] == 1);
    OK(lun_add(e, a, a, &sum));
    OK(lun_to_dlpack(e, sum, &again));
    assert_true(((double *)again->dl_tensor.data)[0] == 198);
    OK(lun_free(e, a));
    lun_release(a);
    lun_release(sum);
    assert_true(((double *)t->data)[5] == 6 && ((double *)again->dl_tensor.data)[5] == 12);
    m->deleter(m);
    again->deleter(again);
}

static void test_out_others(void **state)
{
    static const struct {
        lun_dtype t;
        int code, bits;
    } rows[] = {{LUN_BOOL, kDLBool, 8},   {LUN_I8, kDLInt, 8},     {LUN_U16, kDLUInt, 16},
                {LUN_I64, kDLInt, 64},    {LUN_F32, kDLFloat, 32}, {LUN_F16, kDLFloat, 16},
                {LUN_BF16, kDLBfloat, 16}};
    DLManagedTensorVersioned *m = NULL;
    lun_array *a, *row;
    (void)state;
    for (size_t i = 0; i < sizeof rows / sizeof rows[0]; i++) {
        OK(lun_vector(e, NULL, 3, rows[i].t, &a));
        OK(lun_to_dlpack(e, a, &m));
        assert_int_equal(m->dl_tensor.dtype.code, rows[i].code);
        assert_int_equal(m->dl_tensor.dtype.bits, rows[i].bits);
        lun_release(a);
        m->deleter(m);
    }
    /* empty; a row of a View; a Scalar; memory of the host's */
    OK(lun_vector(e, NULL, 0, LUN_F32, &a));
    OK(lun_to_dlpack(e, a, &m));
    assert_int_equal(m->dl_tensor.shape[0], 0);
    m->deleter(m);
    lun_release(a);
    float x[6] = {1, 2, 3, 4, 5, 6};
    OK(lun_tensor(e, x, 2, (const int64_t[]){2, 3}, LUN_F32, &a));
    OK(lun_row(e, a, 1, &row));
    OK(lun_to_dlpack(e, row, &m));
    assert_true(m->dl_tensor.ndim == 1 && ((float *)m->dl_tensor.data)[0] == 4);
    m->deleter(m);
    lun_release(row);
    OK(lun_total_lazy(e, LUN_SUM, a, 0, &row));
    OK(lun_to_dlpack(e, row, &m));
    assert_int_equal(m->dl_tensor.ndim, 0);
    m->deleter(m);
    lun_release(row);
    lun_release(a);
    OK(lun_wrap(e, x, 6, LUN_F32, NULL, NULL, &a));
    OK(lun_to_dlpack(e, a, &m));
    assert_ptr_equal(m->dl_tensor.data, x);
    OK(lun_set(e, a, 0, (lun_value){.dtype = LUN_F64, .as.d = 50}));
    assert_true(x[0] == 50);
    m->deleter(m);
    lun_release(a);
    OK(lun_number(e, 1, &a));
    FAILS(lun_to_dlpack(e, a, &m), LUN_EARG, "number");
    lun_release(a);
    assert_int_equal(lun_to_dlpack(e, NULL, &m), LUN_EARG);
    assert_int_equal(lun_to_dlpack(e, NULL, NULL), LUN_EARG);
}

/* ---- in -------------------------------------------------------------------------------------- */

static int deleted;

static void count_deletion(DLManagedTensorVersioned *self)
{
    (void)self;
    deleted++;
}

/* A tensor of 2 x 3 f32 on x. */
static DLManagedTensorVersioned tensor_on(void *x, int64_t *shape, int64_t *strides)
{
    shape[0] = 2, shape[1] = 3, strides[0] = 3, strides[1] = 1;
    deleted = 0;
    return (DLManagedTensorVersioned){.version = {1, 1},
                                      .deleter = count_deletion,
                                      .dl_tensor = {.data = x,
                                                    .device = {kDLCPU, 0},
                                                    .ndim = 2,
                                                    .dtype = {kDLFloat, 32, 1},
                                                    .shape = shape,
                                                    .strides = strides}};
}

static void test_in(void **state)
{
    float x[7] = {1, 2, 3, 4, 5, 6, 7};
    int64_t shape[2], strides[2], has[LUN_MAX_RANK];
    DLManagedTensorVersioned m = tensor_on(x, shape, strides);
    lun_array *a = NULL, *b;
    lun_value v;
    (void)state;
    OK(lun_from_dlpack(e, &m, &a));
    assert_true(lun_shape(a, has) == 2 && has[1] == 3 && lun_dtype_of(a) == LUN_F32);
    x[5] = 60; /* the same memory, both ways */
    OK(lun_get(e, a, 5, &v));
    assert_true(v.as.d == 60);
    OK(lun_set(e, a, 0, (lun_value){.dtype = LUN_F64, .as.d = 11}));
    assert_true(x[0] == 11);
    OK(lun_add(e, a, a, &b));
    lun_release(a);
    assert_int_equal(deleted, 0); /* b reads it */
    OK(lun_eval(e, &b, 1));
    lun_release(b);
    assert_int_equal(deleted, 1);
    /* without strides, from a byte on; must not be written to: copied */
    m = tensor_on(x, shape, strides);
    m.dl_tensor.strides = NULL;
    m.dl_tensor.byte_offset = 4;
    m.flags = DLPACK_FLAG_BITMASK_READ_ONLY;
    OK(lun_from_dlpack(e, &m, &a));
    assert_int_equal(deleted, 1);
    OK(lun_set(e, a, 0, (lun_value){.dtype = LUN_F64, .as.d = 12}));
    assert_true(x[1] == 2);
    OK(lun_get(e, a, 5, &v));
    assert_true(v.as.d == 7);
    lun_release(a);
    assert_int_equal(deleted, 1);
    /* not aligned: copied; no deleter; nothing in it */
    char bytes[32];
    memcpy(bytes + 1, x, 24);
    m = tensor_on(bytes + 1, shape, strides);
    m.deleter = NULL;
    OK(lun_from_dlpack(e, &m, &a));
    OK(lun_get(e, a, 0, &v));
    assert_true(v.as.d == 11);
    lun_release(a);
    m = tensor_on(NULL, shape, strides);
    shape[0] = 0;
    OK(lun_from_dlpack(e, &m, &a));
    assert_int_equal(lun_size(a), 0);
    lun_release(a);
    assert_int_equal(deleted, 1);
}

/* a, of 2 x 3, has these elements. */
static void expect_six(lun_array *a, const float *wanted)
{
    float got[6];
    assert_int_equal(lun_size(a), 6);
    OK(lun_read(e, a, got, 0, 6));
    assert_memory_equal(got, wanted, sizeof got);
}

/* Strided memory is written through, and what stands between the elements is left alone. */
static void test_in_strided(void **state)
{
    float x[12] = {1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12};
    int64_t shape[2], strides[2], has[LUN_MAX_RANK];
    lun_array *a = NULL, *sum;
    (void)state;
    /* column-major */
    DLManagedTensorVersioned m = tensor_on(x, shape, strides);
    strides[0] = 1, strides[1] = 2;
    OK(lun_from_dlpack(e, &m, &a));
    expect_six(a, (float[]){1, 3, 5, 2, 4, 6});
    assert_int_equal(lun_layout_of(a), LUN_LAYOUT_LEFT);
    OK(lun_add(e, a, a, &sum));
    OK(lun_set(e, a, 1, (lun_value){.dtype = LUN_F64, .as.d = 30}));
    assert_true(x[2] == 30);
    expect_six(sum, (float[]){2, 6, 10, 4, 8, 12});
    lun_release(sum);
    assert_int_equal(deleted, 0);
    lun_release(a);
    assert_int_equal(deleted, 1);
    /* backwards, with gaps, an extent of 1 with any stride */
    int64_t three[3] = {2, 1, 3}, backwards[3] = {-6, 12345, -2};
    m = tensor_on(x, shape, strides);
    m.dl_tensor.ndim = 3;
    m.dl_tensor.shape = three;
    m.dl_tensor.strides = backwards;
    m.dl_tensor.byte_offset = 11 * sizeof *x;
    OK(lun_from_dlpack(e, &m, &a));
    assert_int_equal(lun_shape(a, has), 3);
    expect_six(a, (float[]){12, 10, 8, 6, 4, 2});
    OK(lun_fill(e, a, (lun_value){.dtype = LUN_F64, .as.d = 0}));
    assert_memory_equal(x, ((float[]){1, 0, 30, 0, 5, 0, 7, 0, 9, 0, 11, 0}), sizeof x);
    lun_release(a);
    assert_int_equal(deleted, 1);
}

/* Elements that indices share, that must not be written to or are not aligned are copied. */
static void test_in_strided_copied(void **state)
{
    float x[8] = {1, 2, 3, 4, 5, 6, 7, 8};
    char bytes[40];
    int64_t shape[2], strides[2];
    lun_array *a = NULL;
    (void)state;
    DLManagedTensorVersioned m = tensor_on(x, shape, strides);
    strides[0] = 0, strides[1] = 2;
    OK(lun_from_dlpack(e, &m, &a));
    assert_int_equal(deleted, 1);
    OK(lun_set(e, a, 0, (lun_value){.dtype = LUN_F64, .as.d = 9}));
    expect_six(a, (float[]){9, 3, 5, 1, 3, 5});
    lun_release(a);
    m = tensor_on(x, shape, strides);
    strides[0] = 1, strides[1] = 2;
    m.flags = DLPACK_FLAG_BITMASK_READ_ONLY;
    OK(lun_from_dlpack(e, &m, &a));
    assert_int_equal(deleted, 1);
    OK(lun_fill(e, a, (lun_value){.dtype = LUN_F64, .as.d = 9}));
    assert_true(x[0] == 1 && x[7] == 8);
    lun_release(a);
    memcpy(bytes + 1, x, sizeof x);
    m = tensor_on(bytes + 1, shape, strides);
    strides[0] = 1, strides[1] = 2;
    OK(lun_from_dlpack(e, &m, &a));
    assert_int_equal(deleted, 1);
    expect_six(a, (float[]){1, 3, 5, 2, 4, 6});
    lun_release(a);
}

static void test_in_refused(void **state)
{
    float x[7] = {1, 2, 3, 4, 5, 6, 7};
    int64_t shape[2], strides[2];
    lun_array *a = NULL;
    (void)state;
    DLManagedTensorVersioned m = tensor_on(x, shape, strides);
    m.dl_tensor.device.device_type = kDLCUDA;
    FAILS(lun_from_dlpack(e, &m, &a), LUN_EARG, "type 2, not in CPU memory");
    m = tensor_on(x, shape, strides);
    m.version.major = 2;
    FAILS(lun_from_dlpack(e, &m, &a), LUN_EARG, "DLPack 2.1: only 1.x is supported");
    m = tensor_on(x, shape, strides);
    m.dl_tensor.dtype = (DLDataType){kDLComplex, 64, 1};
    FAILS(lun_from_dlpack(e, &m, &a), LUN_EARG, "code 5, 64 bits and 1 lanes");
    m = tensor_on(x, shape, strides);
    m.dl_tensor.dtype.lanes = 4;
    FAILS(lun_from_dlpack(e, &m, &a), LUN_EARG, "4 lanes");
    m = tensor_on(x, shape, strides);
    strides[0] = INT64_MAX / 2, strides[1] = INT64_MAX / 2;
    FAILS(lun_from_dlpack(e, &m, &a), LUN_ERANGE, "more elements than can be addressed");
    strides[0] = INT64_MIN, strides[1] = 1;
    FAILS(lun_from_dlpack(e, &m, &a), LUN_ERANGE, "more elements than can be addressed");
    m = tensor_on(x, shape, strides);
    shape[0] = -1;
    assert_true(lun_from_dlpack(e, &m, &a) != LUN_OK);
    m.dl_tensor.ndim = 9;
    assert_true(lun_from_dlpack(e, &m, &a) != LUN_OK);
    assert_int_equal(lun_from_dlpack(e, NULL, &a), LUN_EARG);
    assert_null(a);
    assert_int_equal(deleted, 0);
}

/* What comes back is the same memory. */
static void test_round(void **state)
{
    lun_array *a, *b = NULL;
    const void *first, *second;
    DLManagedTensorVersioned *m = NULL;
    (void)state;
    OK(lun_vector(e, NULL, 100, LUN_I32, &a));
    OK(lun_data(e, a, &first));
    OK(lun_to_dlpack(e, a, &m));
    OK(lun_from_dlpack(e, m, &b));
    OK(lun_data(e, b, &second));
    assert_ptr_equal(first, second);
    lun_release(a);
    lun_release(b);
}

int main(void)
{
#define CASE(name) cmocka_unit_test_setup_teardown(name, open_engine, kit_close)
    const struct CMUnitTest tests[] = {
        CASE(test_out),        CASE(test_out_others),        CASE(test_in),
        CASE(test_in_strided), CASE(test_in_strided_copied), CASE(test_in_refused),
        CASE(test_round)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
