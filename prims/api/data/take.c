/* take.c - the elements of an array at given indices along an axis, as an expression.  How they are
 * found is graph/take_nodes.c's. */
#include "api/array/api.h"
#include "api/data/indices.h"
#include "lunarray_bind.h"

/* The elements of x's source; the missing value where the index is the missing one. */
static lun_status make(lun_engine *e, lun_taking *x, const lun_value *missing, lun_node **out)
{
    lun_node *none = NULL, *is_none = NULL, *fill = NULL, *taken = NULL;
    lun_dtype t = (lun_dtype)x->source->dtype;
    lun_status s = missing ? lun__array_constant(e, t, *missing, &fill) : LUN_OK;
    x->lenient = missing != NULL;
    if (s == LUN_OK)
        s = lun__take_node(e, x, &taken);
    if (s == LUN_OK && !missing) {
        *out = taken;
        return LUN_OK;
    }
    if (s == LUN_OK)
        s = lun__node_number(e, LUN_I64, (uint64_t)x->none, 0, NULL, &none);
    if (s == LUN_OK)
        s = lun__elementwise_op(e, LUN_OP_EQ, (lun_node *[]){x->index, none}, &is_none);
    if (s == LUN_OK)
        s = lun__elementwise_op(e, LUN_OP_WHERE, (lun_node *[]){is_none, fill, taken}, out);
    lun__node_release(e, none);
    lun__node_release(e, is_none);
    lun__node_release(e, fill);
    lun__node_release(e, taken);
    return s;
}

lun_status lun_take_from(lun_engine *e, lun_array *a, lun_array *i, int axis, int first,
                         const lun_value *missing, lun_array **out)
{
    LUN_NEED(e, i && out && (first == 0 || first == 1));
    const int64_t one = 1;
    lun_indexed t;
    lun_taking x = {.first = first, .none = first ? 0 : LUN_NO_INDEX};
    lun_node *taken = NULL;
    LUN_MOVED_WITH(e, a, missing != NULL, out,
                   lun_take_from(e, moved, i, axis, first,
                                 missing ? &(lun_value[]){LUN_INTO_GAPS(a, *missing)}[0] : NULL,
                                 made))
    lun_status s = lun__indices(e, a, i, axis, &t);
    if (s == LUN_OK)
        s = lun__array_node(e, a, LUN_DTYPE_COUNT, &x.source);
    if (s == LUN_OK && !t.n) {
        s = lun__node_number(e, (lun_dtype)x.source->dtype, 0, t.rank, t.shape, &taken);
    } else if (s == LUN_OK) {
        const lun_layout of = lun__layout_right(t.of.rank, t.of.extent);
        s = lun__indices_offsets(e, &t, &of, x.source->n, &x);
        if (s == LUN_OK && !x.source->n) { /* every index is out of range: nothing is read */
            lun_node *none = x.source;
            x.source = NULL;
            s = lun__node_number(e, (lun_dtype)none->dtype, 0, 1, &one, &x.source);
            lun__node_release(e, none);
        }
        if (s == LUN_OK)
            s = make(e, &x, missing, &taken);
    }
    lun__indices_end(e, &t, &x);
    lun__node_release(e, x.source);
    return s == LUN_OK ? lun__array(e, taken, false, out) : s;
}

lun_status lun_take(lun_engine *e, lun_array *a, lun_array *i, int axis, const lun_value *missing,
                    lun_array **out)
{
    return lun_take_from(e, a, i, axis, 0, missing, out);
}
