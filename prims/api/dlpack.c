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

/* What a tensor's elements are and where they stand, or what is wrong with it. */
static lun_status examine(lun_engine *e, const DLManagedTensorVersioned *m, lun_dtype *dtype,
                          lun_layout *at)
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
    if (s != LUN_OK)
        return s;
    int64_t low, high;
    *at = lun__layout_right(t->ndim, t->shape);
    if (!lun__layout_count(at) || !t->strides)
        return LUN_OK;
    memcpy(at->stride, t->strides, (size_t)t->ndim * sizeof *at->stride);
    if (!lun__layout_reach(at, &low, &high))
        s = lun__fail(e, LUN_ERANGE, "the strides span more elements than can be addressed");
    return s;
}

static void end_import(void *data, void *tensor)
{
    DLManagedTensorVersioned *m = tensor;
    (void)data;
    if (m->deleter)
        m->deleter(m);
}

/* The elements at `at` from `data` on, which need not be aligned. */
static lun_status copied(lun_engine *e, const char *data, const lun_layout *at, lun_dtype t,
                         lun_array **out)
{
    int size = lun_dtype_size(t);
    int64_t n = lun__layout_count(at);
    lun_array *a;
    lun_status s =
        lun_tensor(e, lun__layout_is_dense(at) ? data : NULL, at->rank, at->extent, t, &a);
    if (s != LUN_OK)
        return s;
    char *to = lun__top(a)->node->storage->data;
    bool gaps = n && !lun__layout_is_dense(at), aligned = (uintptr_t)data % (uintptr_t)size == 0;
    if (gaps && aligned)
        lun__layout_read(at, data, size, 0, n, to);
    for (int64_t f = 0; gaps && !aligned && f < n; f++)
        memcpy(to + f * size, data + lun__layout_place(at, f) * size, (size_t)size);
    *out = a;
    return LUN_OK;
}

lun_status lun_from_dlpack(lun_engine *e, DLManagedTensorVersioned *m, lun_array **out)
{
    LUN_NEED(e, m && out);
    const DLTensor *t = &m->dl_tensor;
    lun_dtype dtype = LUN_BOOL;
    lun_layout at;
    lun_status s = examine(e, m, &dtype, &at);
    if (s != LUN_OK)
        return s;
    char *data = t->data ? (char *)t->data + t->byte_offset : NULL;
    bool aligned = (uintptr_t)data % (uintptr_t)lun_dtype_size(dtype) == 0;
    bool writable = !(m->flags & DLPACK_FLAG_BITMASK_READ_ONLY) && lun__layout_is_injective(&at);
    if (lun__layout_count(&at) && t->ndim > 0 && aligned && writable)
        return lun_wrap_strided(e, data, t->ndim, t->shape, at.stride, dtype, end_import, m, out);
    s = copied(e, data, &at, dtype, out);
    if (s == LUN_OK)
        end_import(data, m);
    return s;
}
