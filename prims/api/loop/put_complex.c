/* put_complex.c - complex values written to elements at given indices: replaced and added to by
 * their parts, multiplied one after the other. */
#include <stdlib.h>
#include <string.h>

#include "api/array/api.h"
#include "api/array/elements.h"
#include "api/complex/complex_array.h"
#include "api/data/indices.h"
#include "api/loop/put.h"

/* The numbers 0, 1, ... of a's elements, in a's shape. */
static lun_status numbered(lun_engine *e, lun_array *a, lun_array **out)
{
    int64_t shape[LUN_MAX_RANK];
    lun_array *flat = NULL;
    const lun_value zero = {.dtype = LUN_I64}, one = {.dtype = LUN_I64, .as.i = 1};
    const int rank = lun_shape(a, shape);
    lun_status s = lun_range(e, zero, one, lun_size(a), LUN_I64, &flat);
    if (s == LUN_OK)
        s = lun_reshape(e, flat, rank, shape, out);
    lun_release(flat);
    return s;
}

/* x, the values for `a`, in the dtype of `like`, and in its shape unless it is one number. */
static lun_status as_written(lun_engine *e, const lun_array *a, lun_array *x, lun_array *like,
                             lun_array **out)
{
    int64_t shape[LUN_MAX_RANK], own[LUN_MAX_RANK];
    lun_array *wide = NULL;
    const int rank = lun_shape(like, shape);
    lun_status s = LUN_OK;
    if (lun_shape(x, own) == 0)
        lun_retain(wide = x);
    else
        s = lun_broadcast(e, x, rank, shape, &wide);
    if (s == LUN_ESHAPE)
        return lun__indices_no_values(e, a, x, rank, shape);
    if (s == LUN_OK)
        s = lun_cast(e, wide, lun_dtype_of(like), out);
    lun_release(wide);
    return s;
}

/* What is multiplied: for each value its element's number, that element, which its product
 * replaces, and the value; last: by number, 1 + the last product of that element, or 0. */
typedef struct products {
    int64_t count, step; /* step: of values, 1, or 0: there is one for all */
    int64_t *number, *last;
    char *element, *value; /* pairs */
} products;

#define MULTIPLY(T)                                                       \
    do {                                                                  \
        T *to = (T *)(void *)p->element;                                  \
        for (int64_t k = 0; k < p->count; k++) {                          \
            const int64_t before = p->last[p->number[k]];                 \
            const T *a = to + 2 * (before ? before - 1 : k);              \
            const T *x = (const T *)(void *)p->value + 2 * (k * p->step); \
            const T re = a[0], im = a[1];                                 \
            to[2 * k] = re * x[0] - im * x[1];                            \
            to[2 * k + 1] = re * x[1] + im * x[0];                        \
            p->last[p->number[k]] = k + 1;                                \
        }                                                                 \
    } while (0)

static void multiply(const products *p, lun_dtype part)
{
    if (lun__dtype_is_double(part))
        MULTIPLY(double);
    else
        MULTIPLY(float);
}

/* All elements of an array of `size` bytes each on the host, to be freed. */
static void *copied(lun_engine *e, lun_array *a, size_t size, lun_status *s)
{
    const size_t n = (size_t)lun_size(a);
    void *copy = *s == LUN_OK ? calloc(n ? n : 1, size) : NULL;
    if (*s == LUN_OK)
        *s = copy ? lun_read(e, a, copy, 0, (int64_t)n) : lun__fail_nomem(e);
    return copy;
}

/* The products that elements become one after the other, as an array: the last of an element is
 * what it is then. */
static lun_status multiplied(lun_engine *e, lun_array *a, lun_array *number, lun_array *element,
                             lun_array *value, lun_array **out)
{
    const size_t size = (size_t)lun_dtype_size(lun_dtype_of(element));
    const size_t n = (size_t)lun_size(a);
    int64_t shape[LUN_MAX_RANK];
    lun_status s = LUN_OK;
    products p = {.count = lun_size(element), .step = lun_shape(value, shape) > 0};
    p.number = copied(e, number, sizeof *p.number, &s);
    p.element = copied(e, element, size, &s);
    p.value = copied(e, value, size, &s);
    p.last = s == LUN_OK ? calloc(n ? n : 1, sizeof *p.last) : NULL;
    if (s == LUN_OK && !p.last)
        s = lun__fail_nomem(e);
    const int rank = lun_shape(element, shape);
    if (s == LUN_OK) {
        multiply(&p, lun_complex_part(lun_dtype_of(element)));
        s = lun_tensor(e, p.element, rank, shape, lun_dtype_of(element), out);
    }
    free(p.number);
    free(p.element);
    free(p.value);
    free(p.last);
    return s;
}

/* Multiplies elements in the order of the indices. */
static lun_status put_products(lun_engine *e, lun_array *a, lun_array *i, lun_array *x,
                               lun__put_at at)
{
    lun_array *numbers = NULL, *number = NULL, *element = NULL, *value = NULL, *product = NULL;
    lun_status s = numbered(e, a, &numbers);
    if (s == LUN_OK)
        s = lun_take_from(e, numbers, i, at.axis, at.first, NULL, &number);
    if (s == LUN_OK)
        s = lun_take_from(e, a, i, at.axis, at.first, NULL, &element);
    if (s == LUN_OK) {
        s = as_written(e, a, x, element, &value);
        if (s != LUN_OK)
            e->error_operand = 3;
    }
    if (s == LUN_OK)
        s = multiplied(e, a, number, element, value, &product);
    if (s == LUN_OK)
        s = at.put(e, a, i, product, at.axis, at.first, LUN_OP_NONE);
    lun_release(numbers);
    lun_release(number);
    lun_release(element);
    lun_release(value);
    lun_release(product);
    return s;
}

/* Replaces or adds to the parts. */
static lun_status put_parts(lun_engine *e, lun_array *a, lun_array *i, lun_array *x, lun__put_at at)
{
    lun_array *to[2] = {NULL, NULL}, *from[2] = {NULL, NULL}, *as = NULL;
    lun_status s = LUN_OK;
    if (lun_is_weak(x))
        lun_retain(as = x);
    else
        s = lun_cast(e, x, lun_dtype_of(a), &as);
    if (s == LUN_OK)
        s = lun_real(e, a, &to[0]);
    if (s == LUN_OK)
        s = lun_imag(e, a, &to[1]);
    if (s == LUN_OK)
        s = lun_real(e, as, &from[0]);
    if (s == LUN_OK)
        s = lun__array_is_complex(as) ? lun_imag(e, as, &from[1]) : lun_number(e, 0, &from[1]);
    for (int k = 0; s == LUN_OK && k < 2; k++)
        s = at.put(e, to[k], i, from[k], at.axis, at.first, at.op);
    lun_release(as);
    for (int k = 0; k < 2; k++) {
        lun_release(to[k]);
        lun_release(from[k]);
    }
    return s;
}

lun_status lun__put_complex(lun_engine *e, lun_array *a, lun_array *i, lun_array *x, lun__put_at at)
{
    lun_array *as = NULL;
    if (lun_is_freed(a))
        return lun__array_present(e, a);
    if (!lun__array_is_complex(a)) { /* which does not hold complex numbers */
        lun_status s = lun_cast(e, x, lun_dtype_of(a), &as);
        lun_release(as);
        e->error_operand = s == LUN_OK ? 0 : 3;
        return s;
    }
    lun_status s = lun__write_check(e, a);
    if (s != LUN_OK)
        return s;
    if (at.op == LUN_OP_MUL)
        return put_products(e, a, i, x, at);
    if (at.op == LUN_OP_NONE || at.op == LUN_OP_ADD)
        return put_parts(e, a, i, x, at);
    s = lun__fail(e, LUN_EDTYPE,
                  "complex elements are replaced, added to or multiplied: '%s' does not do that",
                  (unsigned)at.op < LUN_OP_COUNT ? lun__op_get(at.op)->name : "?");
    e->error_operand = 4;
    return s;
}
