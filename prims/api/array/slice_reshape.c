/* slice_reshape.c - values made of parts of others: slices, other shapes.  Copies nothing itself.
 * Windows are window.c's. */
#include <stdio.h>
#include <string.h>

#include "api/array/api.h"

lun_status lun_slice(lun_engine *e, lun_array *a, int64_t first, int64_t count, int64_t step,
                     lun_array **out)
{
    LUN_NEED(e, out);
    lun_array *window;
    lun_node *part;
    int64_t shape[LUN_MAX_RANK];
    LUN_MOVED(e, a, out, lun_slice(e, moved, first, count, step, made))
    lun_status s = lun__array_usable(e, a);
    if (s != LUN_OK)
        return s;
    if (lun_shape(a, shape) == 0)
        return lun__fail(e, LUN_ESHAPE, "a Scalar cannot be sliced");
    s = lun_window(e, a, 1, &first, &count, &step, &window);
    if (s != LUN_OK)
        return s;
    s = lun__array_node(e, window, LUN_DTYPE_COUNT, &part);
    lun_release(window);
    return s == LUN_OK ? lun__array(e, part, a->made, out) : s;
}

/* The failure of a shape whose number of elements is not n's. */
static lun_status misfit(lun_engine *e, const lun_node *n, int rank, const int64_t *shape)
{
    char text[LUN_MAX_RANK * 22 + 2];
    int used = 0;
    for (int i = 0; i < rank; i++)
        used += snprintf(text + used, sizeof text - (size_t)used, "%s%lld", i ? ", " : "[",
                         (long long)shape[i]);
    return lun__fail(e, LUN_ESHAPE, "%lld elements cannot be reshaped to %s]", (long long)n->n,
                     text);
}

lun_status lun_reshape(lun_engine *e, lun_array *a, int rank, const int64_t *shape, lun_array **out)
{
    LUN_NEED(e, out && (rank <= 0 || shape));
    lun_node *n, *r;
    int64_t size = 1;
    LUN_MOVED(e, a, out, lun_reshape(e, moved, rank, shape, made))
    lun_status s = lun__shape_check(e, rank, shape);
    if (s == LUN_OK)
        s = lun__array_node(e, a, LUN_DTYPE_COUNT, &n);
    if (s != LUN_OK)
        return s;
    for (int i = 0; i < rank; i++)
        size *= shape[i];
    if (size != n->n) {
        s = misfit(e, n, rank, shape);
        lun__node_release(e, n);
        return s;
    }
    s = lun__view_node_reshape(e, n, rank, shape, &r);
    lun__node_release(e, n);
    return s == LUN_OK ? lun__array(e, r, a->made, out) : s;
}
