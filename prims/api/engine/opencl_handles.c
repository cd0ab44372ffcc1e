/* opencl_handles.c - handles of OpenCL's for hosts that use it themselves: context and queue of the
 * device in use, the memory of an array. */
#include "api/array/api.h"
#include "api/array/elements.h"
#include "eval/eval.h"
#include "lunarray_bind.h"

/* The OpenCL device in use. */
static lun_status device_in_use(lun_engine *e, lun_backend_slot **out)
{
    lun_backend_slot *b;
    if (e->set_count)
        return lun__fail(e, LUN_EARG,
                         "%d places are in use, which have memory each: use one, lun_use(e, "
                         "\"opencl:1\")",
                         e->set_count);
    lun_status s = lun__backend(e, &b);
    if (s == LUN_OK && !b->backend->native)
        s = lun__fail(e, LUN_EBACKEND, "the backend in use is %s, which has no handles of OpenCL's",
                      b->name);
    if (s == LUN_OK)
        *out = b;
    return s;
}

/* Its context or queue. */
static lun_status handle(lun_engine *e, lun_native_handle which, void **out)
{
    lun_backend_slot *b = NULL;
    lun_status s = device_in_use(e, &b);
    void *made = s == LUN_OK ? b->backend->native(b->state, which, NULL) : NULL;
    if (s == LUN_OK && !made)
        s = LUN_EBACKEND; /* the device has said why */
    if (s == LUN_OK)
        *out = made;
    return s;
}

lun_status lun_opencl_context(lun_engine *e, void **context)
{
    LUN_NEED(e, context);
    return handle(e, LUN_NATIVE_CONTEXT, context);
}

lun_status lun_opencl_queue(lun_engine *e, void **queue)
{
    LUN_NEED(e, queue);
    return handle(e, LUN_NATIVE_QUEUE, queue);
}

/* The elements of a, evaluated, as those of a LEAF from *first on. */
static lun_status elements_of(lun_engine *e, lun_array *a, lun_node **n, int64_t *first)
{
    lun_layout l;
    char text[96];
    lun_array *top = lun__array_base(a);
    lun_status s = lun__array_readable(e, a);
    if (s == LUN_OK && a->weak)
        s = lun__fail(e, LUN_EARG, "a number has no memory on a device");
    if (s == LUN_OK)
        s = lun__eval(e, &top->node, 1);
    if (s == LUN_OK && top->node->kind != LUN_NODE_LEAF)
        s = lun__fail(e, LUN_EARG, "%s is one number, which has no memory: use a copy",
                      lun__array_describe(a, text));
    if (s != LUN_OK)
        return s;
    lun__array_layout(a, &l);
    if (!lun__layout_is_dense(&l))
        return lun__fail(e, LUN_EARG, "the elements of %s are not side by side: use a copy",
                         lun__array_describe(a, text));
    *n = top->node;
    *first = top->node->offset + l.offset;
    return LUN_OK;
}

lun_status lun_opencl_buffer(lun_engine *e, lun_array *a, void **buffer, int64_t *offset)
{
    LUN_NEED(e, a && buffer && offset);
    lun_backend_slot *b = NULL;
    lun_buffer *of = NULL;
    lun_node *n = NULL;
    int64_t first = 0;
    char byte;
    e->error_where = NULL;
    lun_status s = device_in_use(e, &b);
    if (s == LUN_OK)
        s = elements_of(e, a, &n, &first);
    if (s == LUN_OK)
        s = lun__mirror_buffer(e, n->storage, b, &of);
    if (s == LUN_OK && n->n) /* when a byte can be read, all have come */
        s = b->backend->read(b->state, of, 0, &byte, 1, NULL);
    void *made = s == LUN_OK ? b->backend->native(b->state, LUN_NATIVE_MEMORY, of) : NULL;
    if (s == LUN_OK && !made)
        s = LUN_EBACKEND;
    if (s != LUN_OK)
        return s;
    *buffer = made;
    *offset = first * lun__dtype_get((lun_dtype)n->dtype)->bytes;
    return LUN_OK;
}
