/* dlpack_test.c - arrays as tensors of other libraries and the other way: dtypes, shapes, who sees
 * what is written and who may write, whose deleter is called when and on which thread, and what is
 * refused. */
#include <pthread.h>
#include <stdlib.h>
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

/* The flags of a's tensor. */
static uint64_t flags_of(lun_array *a)
{
    DLManagedTensorVersioned *m = NULL;
    OK(lun_to_dlpack(e, a, &m));
    const uint64_t flags = m->flags;
    m->deleter(m);
    return flags;
}

/* A consumer may write where the engine would: to elements that one index of one array has. */
static void test_out_read_only(void **state)
{
    double x[4] = {1, 2, 3, 4};
    DLManagedTensorVersioned *m = NULL, *again = NULL;
    lun_array *a, *b, *c;
    (void)state;
    OK(lun_vector(e, x, 4, LUN_F64, &a));
    assert_int_equal(flags_of(a), 0);
    OK(lun_broadcast(e, a, 2, (const int64_t[]){3, 4}, &b));
    assert_int_equal(flags_of(b), DLPACK_FLAG_BITMASK_READ_ONLY);
    OK(lun_to_dlpack(e, b, &m));
    assert_true(m->dl_tensor.strides[0] == 0 && ((double *)m->dl_tensor.data)[3] == 4);
    m->deleter(m);
    lun_release(b);
    OK(lun_windows(e, a, 0, 2, 1, &b));
    assert_int_equal(flags_of(b), DLPACK_FLAG_BITMASK_READ_ONLY);
    lun_release(b);
    OK(lun_windows(e, a, 0, 2, 2, &b)); /* side by side */
    assert_int_equal(flags_of(b), 0);
    lun_release(b);
    OK(lun_window(e, a, 1, (const int64_t[]){3}, (const int64_t[]){4}, (const int64_t[]){-1}, &b));
    assert_int_equal(flags_of(b), 0);
    lun_release(b);
    /* two consumers may share what both can write to */
    OK(lun_to_dlpack(e, a, &m));
    OK(lun_to_dlpack(e, a, &again));
    assert_true(!m->flags && !again->flags && m->dl_tensor.data == again->dl_tensor.data);
    m->deleter(m);
    again->deleter(again);
    /* a sum that waits reads a; another array has a's elements as its own */
    OK(lun_add(e, a, a, &b));
    assert_int_equal(flags_of(a), DLPACK_FLAG_BITMASK_READ_ONLY);
    OK(lun_eval(e, &b, 1));
    assert_int_equal(flags_of(a), 0);
    assert_int_equal(flags_of(b), 0);
    OK(lun_reshape(e, a, 2, (const int64_t[]){2, 2}, &c));
    OK(lun_eval(e, &c, 1));
    assert_int_equal(flags_of(a), DLPACK_FLAG_BITMASK_READ_ONLY);
    assert_int_equal(flags_of(c), DLPACK_FLAG_BITMASK_READ_ONLY);
    lun_release(c);
    lun_release(b);
    /* a virtual array gets memory of its own */
    OK(lun_full(e, 1, (const int64_t[]){3}, LUN_F64, (lun_value){.dtype = LUN_F64}, &b));
    assert_int_equal(flags_of(b) & DLPACK_FLAG_BITMASK_READ_ONLY, 0);
    lun_release(b);
    lun_release(a);
}

/* Below DLPack 1.0 there are no flags: what must not be written to is copied. */
static void test_out_plain(void **state)
{
    float x[6] = {1, 2, 3, 4, 5, 6};
    const void *data;
    DLManagedTensor *m = NULL;
    lun_array *a, *b;
    (void)state;
    OK(lun_tensor(e, x, 2, (const int64_t[]){2, 3}, LUN_F32, &a));
    OK(lun_data(e, a, &data));
    OK(lun_to_dlpack_plain(e, a, &m));
    const DLTensor *t = &m->dl_tensor;
    assert_ptr_equal(t->data, data);
    assert_true(t->ndim == 2 && t->shape[1] == 3 && t->strides[0] == 3 && t->dtype.bits == 32);
    m->deleter(m);
    OK(lun_broadcast(e, a, 3, (const int64_t[]){2, 2, 3}, &b));
    OK(lun_to_dlpack_plain(e, b, &m));
    t = &m->dl_tensor;
    assert_true(t->ndim == 3 && t->strides[0] == 6 && t->data != data);
    ((float *)t->data)[0] = 9;
    assert_memory_equal(data, x, sizeof x);
    assert_memory_equal((float *)t->data + 6, x, sizeof x);
    m->deleter(m);
    lun_release(b);
    OK(lun_add(e, a, a, &b)); /* keeps a's elements */
    OK(lun_to_dlpack_plain(e, a, &m));
    assert_ptr_not_equal(m->dl_tensor.data, data);
    m->deleter(m);
    lun_release(b);
    OK(lun_number(e, 1, &b));
    FAILS(lun_to_dlpack_plain(e, b, &m), LUN_EARG, "number");
    lun_release(b);
    lun_release(a);
    assert_int_equal(lun_to_dlpack_plain(e, NULL, &m), LUN_EARG);
    assert_int_equal(lun_to_dlpack_plain(e, NULL, NULL), LUN_EARG);
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
    m.dl_tensor.dtype = (DLDataType){kDLComplex, 32, 1};
    FAILS(lun_from_dlpack(e, &m, &a), LUN_EARG, "code 5, 32 bits and 1 lanes");
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

/* A tensor without axes is its one element, both ways, and not a copy of it. */
static void test_no_axes(void **state)
{
    float x[2] = {3, 4};
    int64_t shape[2], strides[2];
    lun_array *a = NULL, *b;
    lun_value v;
    DLManagedTensorVersioned m = tensor_on(x, shape, strides), *out = NULL;
    (void)state;
    m.dl_tensor.ndim = 0;
    m.dl_tensor.shape = m.dl_tensor.strides = NULL;
    m.dl_tensor.byte_offset = 4;
    OK(lun_from_dlpack(e, &m, &a));
    assert_int_equal(deleted, 0);
    assert_int_equal(lun_shape(a, (int64_t[LUN_MAX_RANK]){0}), 0);
    x[1] = 7;
    OK(lun_get(e, a, 0, &v));
    assert_true(v.as.d == 7);
    OK(lun_set(e, a, 0, (lun_value){.dtype = LUN_F64, .as.d = 8}));
    assert_true(x[1] == 8 && x[0] == 3);
    OK(lun_add(e, a, a, &b)); /* of what it is now */
    OK(lun_fill(e, a, (lun_value){.dtype = LUN_F64, .as.d = 1}));
    OK(lun_get(e, b, 0, &v));
    assert_true(v.as.d == 16 && x[1] == 1);
    lun_release(b);
    OK(lun_to_dlpack(e, a, &out));
    assert_true(out->flags == 0 && out->dl_tensor.ndim == 0 && out->dl_tensor.data == x + 1);
    out->deleter(out);
    lun_release(a);
    lun_trim(e);
    assert_int_equal(deleted, 1);
}

static int plain_deleted;

static void count_plain(DLManagedTensor *self)
{
    (void)self;
    plain_deleted++;
}

static void test_in_plain(void **state)
{
    float x[6] = {1, 2, 3, 4, 5, 6};
    int64_t shape[2], strides[2];
    DLManagedTensorVersioned m = tensor_on(x, shape, strides);
    DLManagedTensor p = {.dl_tensor = m.dl_tensor, .deleter = count_plain};
    lun_array *a = NULL;
    (void)state;
    plain_deleted = 0;
    OK(lun_from_dlpack_plain(e, &p, &a));
    OK(lun_set(e, a, 5, (lun_value){.dtype = LUN_F64, .as.d = 60}));
    assert_true(x[5] == 60);
    assert_int_equal(plain_deleted, 0);
    lun_release(a);
    assert_int_equal(plain_deleted, 1);
    strides[0] = 0; /* shared elements: copied */
    OK(lun_from_dlpack_plain(e, &p, &a));
    assert_int_equal(plain_deleted, 2);
    expect_six(a, (float[]){1, 2, 3, 1, 2, 3});
    lun_release(a);
    p.dl_tensor.device.device_type = kDLCUDA;
    FAILS(lun_from_dlpack_plain(e, &p, &a), LUN_EARG, "type 2, not in CPU memory");
    p.deleter = NULL;
    p.dl_tensor = m.dl_tensor;
    OK(lun_from_dlpack_plain(e, &p, &a));
    lun_release(a);
    assert_int_equal(lun_from_dlpack_plain(e, NULL, &a), LUN_EARG);
    assert_int_equal(plain_deleted, 2);
}

/* ---- ends ------------------------------------------------------------------------------------ */

/* Memory of the test's own: blocks that are held. */
static int blocks;

static void *counting(void *ctx, void *old, size_t bytes)
{
    (void)ctx;
    if (bytes)
        __atomic_add_fetch(&blocks, 1, __ATOMIC_RELAXED);
    else
        __atomic_sub_fetch(&blocks, 1, __ATOMIC_RELAXED);
    return bytes ? malloc(bytes) : (free(old), NULL);
}

/* Tensors live on when the engine has been closed, also several on one array's elements. */
static void test_after_close(void **state)
{
    enum { LARGE = 1 << 20 };
    double x[3] = {1, 2, 3};
    int64_t shape[2], strides[2];
    float six[6] = {1, 2, 3, 4, 5, 6};
    lun_array *small, *large, *sum, *outer;
    DLManagedTensorVersioned *m[5], in = tensor_on(six, shape, strides);
    DLManagedTensor *plain;
    (void)state;
    for (int own = 0; own < 2; own++) {
        lun_config c = {.size = sizeof c, .cache_dir = "", .alloc = own ? counting : NULL};
        lun_engine *other = NULL;
        deleted = blocks = 0;
        assert_int_equal(lun_open(&c, &other), LUN_OK);
        assert_int_equal(lun_vector(other, x, 3, LUN_F64, &small), LUN_OK);
        assert_int_equal(lun_vector(other, NULL, LARGE, LUN_F64, &large), LUN_OK);
        assert_int_equal(lun_add(other, large, large, &sum), LUN_OK);
        assert_int_equal(lun_from_dlpack(other, &in, &outer), LUN_OK);
        assert_int_equal(lun_to_dlpack(other, small, &m[0]), LUN_OK);
        assert_int_equal(lun_to_dlpack(other, small, &m[1]), LUN_OK);
        assert_int_equal(lun_to_dlpack(other, large, &m[2]), LUN_OK);
        assert_int_equal(lun_to_dlpack(other, sum, &m[3]), LUN_OK);
        assert_int_equal(lun_to_dlpack(other, outer, &m[4]), LUN_OK);
        assert_int_equal(lun_to_dlpack_plain(other, small, &plain), LUN_OK);
        m[1]->deleter(m[1]); /* before, and not looked at since */
        lun_release(large);
        lun_close(other); /* small, sum and outer are released by this */
        assert_int_equal(deleted, 0);
        assert_memory_equal(m[0]->dl_tensor.data, x, sizeof x);
        m[0]->deleter(m[0]);
        assert_memory_equal(plain->dl_tensor.data, x, sizeof x);
        plain->deleter(plain);
        assert_true(((double *)m[2]->dl_tensor.data)[LARGE - 1] == 0);
        m[2]->deleter(m[2]);
        ((double *)m[3]->dl_tensor.data)[LARGE - 1] = 1;
        m[3]->deleter(m[3]);
        m[4]->deleter(m[4]);
        assert_int_equal(deleted, 1);
        assert_int_equal(blocks, 0);
    }
}

static void *delete_all(void *tensors)
{
    for (DLManagedTensorVersioned **m = tensors; *m; m++)
        (*m)->deleter(*m);
    return NULL;
}

/* Threads end tensors while the engine makes more of them, computes and is closed. */
static void test_other_threads(void **state)
{
    enum { THREADS = 3, EACH = 200 };
    static DLManagedTensorVersioned *list[THREADS][EACH + 1];
    lun_engine *other = NULL;
    pthread_t thread[THREADS];
    (void)state;
    assert_int_equal(lun_open(&(lun_config){.size = sizeof(lun_config), .cache_dir = ""}, &other),
                     LUN_OK);
    for (int t = 0; t < THREADS; t++) {
        lun_array *a, *b;
        assert_int_equal(lun_vector(other, NULL, 100, LUN_F64, &a), LUN_OK);
        for (int k = 0; k < EACH; k++) {
            assert_int_equal(lun_add(other, a, a, &b), LUN_OK);
            assert_int_equal(lun_to_dlpack(other, k % 2 ? a : b, &list[t][k]), LUN_OK);
            lun_release(b);
        }
        assert_int_equal(pthread_create(&thread[t], NULL, delete_all, list[t]), 0);
        lun_release(a);
    }
    lun_stats s = {.size = sizeof s};
    lun_stats_get(other, &s);
    lun_close(other);
    for (int t = 0; t < THREADS; t++)
        pthread_join(thread[t], NULL);
}

/* Memory that a tensor held counts until it ends, and is used again then. */
static void test_counted(void **state)
{
    lun_stats s = {.size = sizeof s};
    DLManagedTensorVersioned *m = NULL;
    lun_array *a;
    (void)state;
    OK(lun_vector(e, NULL, 1000, LUN_F64, &a));
    OK(lun_to_dlpack(e, a, &m));
    lun_release(a);
    lun_stats_get(e, &s);
    assert_true(s.allocated >= 8000);
    m->deleter(m);
    lun_stats_get(e, &s);
    assert_int_equal(s.allocated, 0);
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
    const struct CMUnitTest tests[] = {CASE(test_out),
                                       CASE(test_out_others),
                                       CASE(test_in),
                                       CASE(test_in_strided),
                                       CASE(test_in_strided_copied),
                                       CASE(test_in_refused),
                                       CASE(test_round),
                                       CASE(test_out_read_only),
                                       CASE(test_out_plain),
                                       CASE(test_no_axes),
                                       CASE(test_in_plain),
                                       CASE(test_after_close),
                                       CASE(test_other_threads),
                                       CASE(test_counted)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
