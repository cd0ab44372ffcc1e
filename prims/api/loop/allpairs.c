/* allpairs.c - the zip of each row of one matrix with each row of another, reduced: both matrices
 * are broadcast to a cube that is never in memory, whose segments are reduced in blocks.  Knows no
 * kernel. */
#include "api/array/apply_function.h"
#include "api/fold/lazy.h"

static lun_status check(lun_engine *e, lun_array *a, int number, int64_t shape[2])
{
    int64_t own[LUN_MAX_RANK];
    char text[96];
    lun_status s = lun__array_usable(e, a);
    if (s == LUN_OK && a->weak)
        s = lun__fail(e, LUN_EARG, "array expected, got a number");
    int rank = s == LUN_OK ? lun_shape(a, own) : 2;
    if (rank != 2)
        s = lun__fail(e, LUN_ESHAPE,
                      "a matrix is expected, whose rows are compared, not %s: the rank is %d",
                      lun__array_describe(a, text), rank);
    if (s != LUN_OK) {
        e->error_operand = number;
        return s;
    }
    shape[0] = own[0];
    shape[1] = own[1];
    return LUN_OK;
}

/* a, evaluated first, broadcast over rows, columns and the elements of a row. */
static lun_status spread(lun_engine *e, lun_array *a, const lun_layout *at, lun_array **out)
{
    lun_node *n = NULL, *all = NULL;
    lun_status s = lun__array_node(e, a, LUN_DTYPE_COUNT, &n);
    if (s == LUN_OK)
        s = lun__view_node(e, n, at, &all);
    lun__node_release(e, n);
    if (s != LUN_OK)
        return s;
    if (all->kind == LUN_NODE_VIEW || all->kind == LUN_NODE_RESHAPE)
        all->is |= LUN_IS_WHOLE;
    return lun__array(e, all, false, out);
}

/* The reduction of the segments of x, which is released. */
static lun_status reduced(lun_engine *e, lun_function *f, lun_array *id, lun_array *x,
                          const int64_t extent[3], lun_array **out)
{
    const lun_segments segments = {
        .length = extent[2], .rank = 2, .shape = {extent[0], extent[1]}, .blocks = true};
    lun_node *all = NULL, *n = NULL;
    lun_status s = lun__array_node(e, x, LUN_DTYPE_COUNT, &all);
    if (s == LUN_OK)
        s = lun__fold_segments(e, f, id, all, (lun_extras){NULL, 0}, &segments, &n);
    lun__node_release(e, all);
    lun_release(x);
    return s == LUN_OK ? lun__array(e, n, false, out) : s;
}

static bool is_zero(const lun_array *id)
{
    return id->weak &&
           lun__dtype_cell_to_value(LUN_F64, lun__dtype_cell_from_value(LUN_F64, id->number))
                   .as.d == 0;
}

static lun_status product(lun_engine *e, lun_array *a, lun_array *b, lun_array **out)
{
    lun_array *columns = NULL;
    lun_status s = lun_permute(e, b, NULL, &columns);
    if (s == LUN_OK)
        s = lun_matmul(e, a, columns, out);
    lun_release(columns);
    return s;
}

lun_status lun_allpairs(lun_engine *e, lun_function *zip, lun_array *const *extra, int extras,
                        lun_function *reduce, lun_array *id, lun_array *a, lun_array *b,
                        lun_array **out)
{
    LUN_NEED(e, zip && reduce && a && b && out && extras >= 0 && (extras == 0 || extra));
    int64_t rows[2], others[2];
    char one[96], other[96];
    lun_array *x = NULL, *y = NULL, *both = NULL;
    e->error_where = NULL;
    e->error_operand = 0;
    lun_status s = check(e, a, 1, rows);
    if (s == LUN_OK)
        s = check(e, b, 2, others);
    if (s != LUN_OK)
        return s;
    if (rows[1] != others[1])
        return lun__fail(e, LUN_ESHAPE, "shapes do not fit: %s and %s (rows of %lld and of %lld)",
                         lun__array_describe(a, one), lun__array_describe(b, other),
                         (long long)rows[1], (long long)others[1]);
    if (zip->op == LUN_OP_MUL && reduce->op == LUN_OP_ADD && !extras && (!id || is_zero(id)))
        return product(e, a, b, out);
    const int64_t extent[3] = {rows[0], others[0], rows[1]};
    lun_layout at = {.rank = 3, .extent = {extent[0], extent[1], extent[2]}};
    at.stride[2] = 1;
    at.stride[0] = extent[2];
    s = spread(e, a, &at, &x);
    at.stride[0] = 0;
    at.stride[1] = extent[2];
    if (s == LUN_OK)
        s = spread(e, b, &at, &y);
    if (s == LUN_OK)
        s = lun_zip(e, zip, x, y, extra, extras, &both);
    lun_release(x);
    lun_release(y);
    return s == LUN_OK ? reduced(e, reduce, id, both, extent, out) : s;
}
