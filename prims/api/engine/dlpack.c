/* dlpack.c - arrays exported as tensors for other libraries and imported from them, by DLPack 1.0
 * and by the versions before it, in host memory. */
#include <stdlib.h>
#include <string.h>

#include "api/array/api.h"
#include "lunarray_bind.h"
#include "lunarray_dlpack.h"
#include "store/export.h"

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
    case LUN_KIND_TEXT:
    case LUN_KIND_TIME:
    case LUN_KIND_RECORD: /* of handles alone */
        break;
    case LUN_KIND_COMPLEX:
        type.code = kDLComplex;
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
    if (type.code == kDLComplex && type.lanes == 1 && (type.bits == 64 || type.bits == 128))
        return type.bits == 64 ? LUN_C64 : LUN_C128;
    return (lun_dtype)t;
}

/* ---- out ------------------------------------------------------------------------------------- */

/* An exported tensor holds the storage, so a later write to the array goes to new memory. */
typedef struct exported {
    lun_export held; /* first: its end frees all of it */
    union {
        DLManagedTensorVersioned tensor;
        DLManagedTensor plain; /* of consumers below 1.0 */
    };
    int64_t shape[LUN_MAX_RANK], strides[LUN_MAX_RANK];
} exported;

static void end_tensor(DLManagedTensorVersioned *self)
{
    lun__export_end(self->manager_ctx);
}

static void end_plain(DLManagedTensor *self)
{
    lun__export_end(self->manager_ctx);
}

/* Whether a consumer may write to a's elements: each index has its own element, in memory of the
 * engine or wrapped, which no other array or expression shares. */
static bool may_write(const lun_array *a)
{
    const lun_node *n = lun__array_top(a)->node;
    lun_layout at;
    lun__array_layout(a, &at);
    return !a->readonly && lun__layout_is_injective(&at) && n->refs == 1 &&
           n->storage->refs - n->storage->exported == 1;
}

/* The tensor of a's elements, which are in host memory. */
static lun_status export_as_is(lun_engine *e, lun_array *a, const void *data,
                               const int64_t *strides, exported **out, DLTensor *t)
{
    exported *x = calloc(1, sizeof *x);
    lun_status s =
        x ? lun__export_begin(e, lun__array_top(a)->node->storage, &x->held) : lun__fail_nomem(e);
    if (s != LUN_OK) {
        free(x);
        return s;
    }
    *t = (DLTensor){.data = (void *)(uintptr_t)data,
                    .device = {kDLCPU, 0},
                    .ndim = lun_shape(a, x->shape),
                    .dtype = type_of(lun_dtype_of(a)),
                    .shape = x->shape,
                    .strides = x->strides};
    memcpy(x->strides, strides, sizeof x->strides);
    *out = x;
    return LUN_OK;
}

/* The same of a complex array: of a copy of its lanes. */
static lun_status export_complex(lun_engine *e, lun_array *a, exported **out, DLTensor *t)
{
    const void *data;
    int64_t strides[LUN_MAX_RANK] = {0};
    lun_array *lanes, *own = NULL;
    lun_status s = lun_complex_lanes(e, a, &lanes);
    if (s != LUN_OK)
        return s;
    s = lun_copy(e, lanes, &own);
    lun_release(lanes);
    if (s == LUN_OK)
        s = lun_data_strided(e, own, &data, strides);
    lun__exports_collect(e);
    if (s == LUN_OK)
        s = export_as_is(e, own, data, strides, out, t);
    lun_release(own);
    if (s != LUN_OK)
        return s;
    t->dtype = type_of(lun_dtype_of(a));
    t->ndim--;
    for (int k = 0; k < t->ndim; k++)
        t->strides[k] /= 2;
    return LUN_OK;
}

/* The same of any array; plain: of elements that may be written to.  Adds to *flags. */
static lun_status export(lun_engine *e, lun_array *a, bool plain, exported **out, DLTensor *t,
                         uint64_t *flags)
{
    const void *data;
    int64_t strides[LUN_MAX_RANK] = {0};
    lun_array *own = NULL;
    if (a && !lun_is_freed(a) && lun__array_is_complex(a)) {
        *flags |= DLPACK_FLAG_BITMASK_IS_COPIED;
        return export_complex(e, a, out, t);
    }
    lun_status s = lun_data_strided(e, a, &data, strides);
    if (s != LUN_OK)
        return s;
    lun__exports_collect(e);
    const bool number = lun__array_top(a)->node->kind != LUN_NODE_LEAF; /* which has no storage */
    const bool writable = !number && may_write(a);
    if (number || (plain && !writable)) {
        s = lun_copy(e, a, &own);
        if (s == LUN_OK)
            s = lun_data_strided(e, own, &data, strides);
        *flags |= DLPACK_FLAG_BITMASK_IS_COPIED;
    } else if (!writable) {
        *flags |= DLPACK_FLAG_BITMASK_READ_ONLY;
    }
    if (s == LUN_OK)
        s = export_as_is(e, own ? own : a, data, strides, out, t);
    lun_release(own);
    return s;
}

lun_status lun_to_dlpack(lun_engine *e, lun_array *a, DLManagedTensorVersioned **out)
{
    LUN_NEED(e, out);
    exported *x;
    DLTensor t;
    uint64_t flags = 0;
    lun_status s = export(e, a, false, &x, &t, &flags);
    if (s != LUN_OK)
        return s;
    x->tensor = (DLManagedTensorVersioned){.version = {DLPACK_MAJOR_VERSION, DLPACK_MINOR_VERSION},
                                           .manager_ctx = x,
                                           .deleter = end_tensor,
                                           .flags = flags,
                                           .dl_tensor = t};
    *out = &x->tensor;
    return LUN_OK;
}

lun_status lun_to_dlpack_plain(lun_engine *e, lun_array *a, DLManagedTensor **out)
{
    LUN_NEED(e, out);
    exported *x;
    DLTensor t;
    uint64_t flags = 0;
    lun_status s = export(e, a, true, &x, &t, &flags);
    if (s != LUN_OK)
        return s;
    x->plain = (DLManagedTensor){.dl_tensor = t, .manager_ctx = x, .deleter = end_plain};
    *out = &x->plain;
    return LUN_OK;
}

/* ---- in -------------------------------------------------------------------------------------- */

/* A tensor's dtype and layout, or what is wrong with it. */
static lun_status examine(lun_engine *e, const DLTensor *t, lun_dtype *dtype, lun_layout *at)
{
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
    if (!lun__layout_range(at, &low, &high))
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

static void end_plain_import(void *data, void *tensor)
{
    DLManagedTensor *m = tensor;
    (void)data;
    if (m->deleter)
        m->deleter(m);
}

/* A copy of the elements at `at` from `data` on, which need not be aligned. */
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
    char *to = lun__array_top(a)->node->storage->data;
    bool gaps = n && !lun__layout_is_dense(at), aligned = (uintptr_t)data % (uintptr_t)size == 0;
    if (gaps && aligned)
        lun__strided_read(at, data, size, 0, n, to);
    for (int64_t f = 0; gaps && !aligned && f < n; f++)
        memcpy(to + f * size, data + lun__layout_offset(at, f) * size, (size_t)size);
    *out = a;
    return LUN_OK;
}

/* A complex array of a copy of such elements. */
static lun_status copied_complex(lun_engine *e, const char *data, const lun_layout *at, lun_dtype t,
                                 lun_array **out)
{
    lun_layout lanes = *at;
    lun_array *pairs;
    for (int k = 0; k < at->rank; k++)
        lanes.stride[k] *= 2;
    if (at->rank == LUN_MAX_RANK)
        return lun__fail(e, LUN_ESHAPE, "complex tensors have at most %d axes", LUN_MAX_RANK - 1);
    lanes.extent[lanes.rank] = 2;
    lanes.stride[lanes.rank++] = 1;
    lun_status s = copied(e, data, &lanes, lun_complex_part(t), &pairs);
    if (s != LUN_OK)
        return s;
    s = lun_complex_of(e, pairs, out);
    lun_release(pairs);
    return s;
}

/* An array on t's elements, or on a copy of them; end(data, tensor) is called when they are
 * released. */
static lun_status import(lun_engine *e, const DLTensor *t, bool writable,
                         void (*end)(void *data, void *tensor), void *tensor, lun_array **out)
{
    lun_dtype dtype = LUN_BOOL;
    lun_layout at;
    lun_status s = examine(e, t, &dtype, &at);
    if (s != LUN_OK)
        return s;
    char *data = t->data ? (char *)t->data + t->byte_offset : NULL;
    bool aligned = (uintptr_t)data % (uintptr_t)lun_dtype_size(dtype) == 0;
    if (lun_dtype_kind(dtype) == LUN_KIND_COMPLEX) {
        s = copied_complex(e, data, &at, dtype, out);
        if (s == LUN_OK)
            end(data, tensor);
        return s;
    }
    if (lun__layout_count(&at) && aligned && writable && lun__layout_is_injective(&at))
        return lun_wrap_strided(e, data, t->ndim, t->shape, at.stride, dtype, end, tensor, out);
    s = copied(e, data, &at, dtype, out);
    if (s == LUN_OK)
        end(data, tensor);
    return s;
}

lun_status lun_from_dlpack(lun_engine *e, DLManagedTensorVersioned *m, lun_array **out)
{
    LUN_NEED(e, m && out);
    if (m->version.major != DLPACK_MAJOR_VERSION)
        return lun__fail(e, LUN_EARG, "the tensor is of DLPack %u.%u: only 1.x is supported",
                         (unsigned)m->version.major, (unsigned)m->version.minor);
    const bool writable = !(m->flags & DLPACK_FLAG_BITMASK_READ_ONLY);
    return import(e, &m->dl_tensor, writable, end_import, m, out);
}

lun_status lun_from_dlpack_plain(lun_engine *e, DLManagedTensor *m, lun_array **out)
{
    LUN_NEED(e, m && out);
    return import(e, &m->dl_tensor, true, end_plain_import, m, out);
}
