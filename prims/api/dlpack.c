/* dlpack.c - arrays as tensors of other libraries and the other way, by DLPack 1.0, in the memory
 * of the CPU. */
#include <stdlib.h>
#include <string.h>

#include "api/api.h"
#include "lunarray_bind.h"
#include "lunarray_dlpack.h"

/* ---- dtypes ---------------------------------------------------------------------------------- */

static DLDataType type_of(lun_dtype t)
{
    lun_dtype_info d = {.size = sizeof d};
    (void)lun_dtype_describe(t, &d);
    DLDataType type = {.bits = (uint8_t)(d.bytes * 8), .lanes = 1};
    switch (d.kind) {
    case LUN_KIND_BOOL:
        type.code = kDLBool;
        break;
    case LUN_KIND_SIGNED:
        type.code = kDLInt;
        break;
    case LUN_KIND_UNSIGNED:
        type.code = kDLUInt;
        break;
    case LUN_KIND_FLOAT: /* a bfloat has a wide float's exponent in two bytes */
        type.code = d.bytes == 2 && d.exponent == 8 ? kDLBfloat : kDLFloat;
    }
    return type;
}

/* LUN_DTYPE_COUNT: there is none. */
static lun_dtype dtype_of(DLDataType type)
{
    int t = 0;
    for (; t < LUN_DTYPE_COUNT; t++) {
        DLDataType own = type_of((lun_dtype)t);
        if (own.code == type.code && own.bits == type.bits && own.lanes == type.lanes)
            break;
    }
    return (lun_dtype)t;
}

/* ---- out ------------------------------------------------------------------------------------- */

/* What a tensor of ours holds: the storage, so a later write to the array goes elsewhere. */
typedef struct exported {
    DLManagedTensorVersioned tensor;
    lun_engine *engine;
    lun_storage *storage;
    int64_t shape[LUN_MAX_RANK], strides[LUN_MAX_RANK];
} exported;

static void end_export(DLManagedTensorVersioned *self)
{
    exported *x = self->manager_ctx;
    lun__storage_release(x->engine, x->storage);
    free(x);
}

/* The extents of a. */
static void describe_shape(exported *x, const lun_array *a)
{
    DLTensor *t = &x->tensor.dl_tensor;
    t->ndim = lun_shape(a, x->shape);
    t->shape = x->shape;
    t->strides = x->strides;
}

lun_status lun_to_dlpack(lun_engine *e, lun_array *a, DLManagedTensorVersioned **out)
{
    LUN_NEED(e, out);
    const void *data;
    int64_t strides[LUN_MAX_RANK] = {0};
    lun_array *own = NULL;
    lun_status s = lun_data_strided(e, a, &data, strides);
    if (s != LUN_OK)
        return s;
    const lun_array *top = lun__top(a);
    if (top->node->kind != LUN_NODE_LEAF) { /* a number, which has no storage */
        s = lun_copy(e, a, &own);
        if (s == LUN_OK)
            s = lun_data_strided(e, own, &data, strides);
        top = own;
    }
    exported *x = s == LUN_OK ? calloc(1, sizeof *x) : NULL;
    if (x) {
        x->engine = e;
        x->storage = top->node->storage;
        x->storage->refs++;
        x->tensor =
            (DLManagedTensorVersioned){.version = {DLPACK_MAJOR_VERSION, DLPACK_MINOR_VERSION},
                                       .manager_ctx = x,
                                       .deleter = end_export,
                                       .flags = own ? DLPACK_FLAG_BITMASK_IS_COPIED : 0,
                                       .dl_tensor = {.data = (void *)data, .device = {kDLCPU, 0}}};
        x->tensor.dl_tensor.dtype = type_of(lun_dtype_of(a));
        describe_shape(x, a);
        memcpy(x->strides, strides, sizeof strides);
        *out = &x->tensor;
    } else if (s == LUN_OK) {
        s = lun__nomem(e);
    }
    lun_release(own);
    return s;
}

/* ---- in -------------------------------------------------------------------------------------- */

/* Whether the elements lie one after the other, row-major. */
static bool is_compact(const DLTensor *t)
{
    int64_t stride = 1;
    for (int i = t->ndim - 1; t->strides && i >= 0; i--) {
        if (t->shape[i] > 1 && t->strides[i] != stride)
            return false;
        stride *= t->shape[i];
    }
    return true;
}

/* What is wrong with a tensor; n: its elements. */
static lun_status refuse(lun_engine *e, const DLManagedTensorVersioned *m, lun_dtype *dtype,
                         int64_t *n)
{
    const DLTensor *t = &m->dl_tensor;
    if (m->version.major != DLPACK_MAJOR_VERSION)
        return lun__fail(e, LUN_EARG, "the tensor is of DLPack %u.%u: only 1.x is supported",
                         (unsigned)m->version.major, (unsigned)m->version.minor);
    if (t->device.device_type != kDLCPU)
        return lun__fail(e, LUN_EARG,
                         "the tensor is on a device of DLPack type %d, not in CPU memory (type 1): "
                         "copy it there first",
                         (int)t->device.device_type);
    *dtype = dtype_of(t->dtype);
    if (*dtype == LUN_DTYPE_COUNT)
        return lun__fail(e, LUN_EARG,
                         "no dtype corresponds to the DLPack type of code %d, %d bits and %d "
                         "lanes: convert the tensor first",
                         t->dtype.code, t->dtype.bits, t->dtype.lanes);
    lun_status s = lun__shape_check(e, t->ndim, t->shape);
    *n = 1;
    for (int i = 0; s == LUN_OK && i < t->ndim; i++)
        *n *= t->shape[i];
    if (s == LUN_OK && *n && !is_compact(t))
        s = lun__fail(
            e, LUN_ESHAPE,
            "the tensor is not contiguous in row-major order: make a contiguous copy first");
    return s;
}

static void end_import(void *data, void *tensor)
{
    DLManagedTensorVersioned *m = tensor;
    (void)data;
    if (m->deleter)
        m->deleter(m);
}

lun_status lun_from_dlpack(lun_engine *e, DLManagedTensorVersioned *m, lun_array **out)
{
    LUN_NEED(e, m && out);
    const DLTensor *t = &m->dl_tensor;
    lun_dtype dtype = LUN_BOOL;
    int64_t n = 0;
    lun_status s = refuse(e, m, &dtype, &n);
    if (s != LUN_OK)
        return s;
    char *data = t->data ? (char *)t->data + t->byte_offset : NULL;
    bool aligned = (uintptr_t)data % (uintptr_t)lun_dtype_size(dtype) == 0;
    if (n && aligned && t->ndim > 0 && !(m->flags & DLPACK_FLAG_BITMASK_READ_ONLY))
        return lun__wrap(e, data, n, t->ndim, t->shape, dtype, end_import, m, out);
    s = lun_tensor(e, data, t->ndim, t->shape, dtype, out);
    if (s == LUN_OK)
        end_import(data, m);
    return s;
}
