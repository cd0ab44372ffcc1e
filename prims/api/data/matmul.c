/* matmul.c - matrix products: matrices and batches of them as a node of the graph; with a Vector,
 * elementwise products and their sums. The two ways sum in different orders. */
#include <string.h>

#include "api/array/api.h"

/* The operands of a product. A Vector is a matrix of one row or one column. */
typedef struct pair {
    lun_engine *e;
    lun_array *a, *b;
    int a_rank, b_rank; /* ranks; the axis that a Vector lacks is not counted */
    int64_t x[LUN_MAX_RANK], y[LUN_MAX_RANK];
    lun_dtype computed, given; /* dtypes: of the sums, of the result */
} pair;

/* Floats that are only stored (f16, bf16) are computed in f32 and rounded once. */
static lun_status choose_dtypes(pair *p)
{
    lun_dtype t = lun__dtype_common(lun_dtype_of(p->a), lun_dtype_of(p->b));
    if (t == LUN_DTYPE_COUNT)
        return lun__mixed_sign_no_common(p->e, lun_dtype_of(p->a), lun_dtype_of(p->b));
    const lun_dtype_row *row = lun__dtype_get(t);
    p->computed = (lun_dtype)(lun__dtype_is_float(t) ? row->compute : row->sum);
    p->given = lun__dtype_is_float(t) ? t : p->computed;
    return LUN_OK;
}

static lun_status check(lun_engine *e, lun_array *a, int number, int *rank,
                        int64_t shape[LUN_MAX_RANK])
{
    lun_status s = lun__array_usable(e, a);
    if (s == LUN_OK && a->weak)
        s = lun__fail(e, LUN_EARG, "array expected, got a number");
    if (s == LUN_OK && (*rank = lun_shape(a, shape)) == 0)
        s = lun__fail(e, LUN_ESHAPE, "a Scalar is no matrix: '*' multiplies by it");
    if (s != LUN_OK)
        e->error_operand = number;
    return s;
}

static lun_status misfit(const pair *p, int64_t columns, int64_t rows)
{
    char one[96], other[96];
    return lun__fail(p->e, LUN_ESHAPE, "shapes do not fit: %s and %s (%lld columns, %lld rows)",
                     lun__array_describe(p->a, one), lun__array_describe(p->b, other),
                     (long long)columns, (long long)rows);
}

/* The extents of the batches, in front of `shape`, which has two axes more. */
static lun_status join_batches(const pair *p, int rank, int64_t *shape)
{
    char one[96], other[96];
    for (int k = 0; k < rank - 2; k++) {
        int i = k - (rank - p->a_rank), j = k - (rank - p->b_rank);
        int64_t x = i < 0 ? 1 : p->x[i], y = j < 0 ? 1 : p->y[j];
        if (x != y && x != 1 && y != 1)
            return lun__fail(p->e, LUN_ESHAPE,
                             "batches do not broadcast: %s and %s, axis " LUN_NTH ": %lld and %lld",
                             lun__array_describe(p->a, one), lun__array_describe(p->b, other), k,
                             (long long)x, (long long)y);
        shape[k] = x == 1 ? y : x;
    }
    return LUN_OK;
}

/* ---- with a Vector --------------------------------------------------------------------------- */

/* The sums of the products of x and y, which broadcast, along an axis, as dtype `given`.  Both are
 * released. */
static lun_status sum_products(const pair *p, lun_array *x, lun_array *y, int axis, lun_array **out)
{
    lun_array *product = NULL, *sum = NULL;
    lun_status s = lun_mul(p->e, x, y, &product);
    if (s == LUN_OK)
        s = lun_along(p->e, LUN_SUM, product, &axis, 1, NULL, &sum);
    if (s == LUN_OK)
        s = lun_cast(p->e, sum, p->given, out);
    lun_array *all[] = {x, y, product, sum};
    for (int k = 0; k < 4; k++)
        lun_release(all[k]);
    return s;
}

static lun_status by_vector(const pair *p, lun_array **out)
{
    lun_array *x = NULL, *y = NULL, *column = NULL;
    bool row = p->a_rank == 1 && p->b_rank > 1; /* a Vector on the left of matrices */
    lun_status s = lun_cast(p->e, p->a, p->computed, &x);
    if (s == LUN_OK)
        s = lun_cast(p->e, p->b, p->computed, &y);
    if (s == LUN_OK && row) {
        s = lun_reshape(p->e, x, 2, (int64_t[]){p->x[0], 1}, &column);
        lun_release(x);
        x = column;
    }
    if (s == LUN_OK)
        return sum_products(p, x, y, row ? p->b_rank - 2 : p->a_rank - 1, out);
    lun_release(x);
    lun_release(y);
    return s;
}

/* ---- matrices -------------------------------------------------------------------------------- */

/* a's elements without a dense copy: products read through strides, so a window of an expression
 * becomes a window on its result. */
static lun_status stored(lun_engine *e, lun_array *a, lun_node **out)
{
    const lun_array *top = lun__array_top(a);
    if (!a->viewed || lun__node_ready(top->node) || lun__layout_count(&a->at) != top->node->n)
        return lun__array_node(e, a, LUN_DTYPE_COUNT, out);
    lun__array_used(e, top);
    return lun__view_node(e, top->node, &a->at, out);
}

/* a with the batches that `shape` has in front of its last two axes. */
static lun_status spread(const pair *p, lun_array *a, int rank, const int64_t *shape,
                         lun_node **out)
{
    lun_engine *e = p->e;
    int64_t own[LUN_MAX_RANK], whole[LUN_MAX_RANK];
    lun_layout l;
    lun_node *n = NULL;
    lun_status s = stored(e, a, &n);
    if (s != LUN_OK)
        return s;
    lun__node_shape(n, own);
    memcpy(whole, shape, (size_t)(rank - 2) * sizeof *whole);
    memcpy(whole + rank - 2, own + n->rank - 2, 2 * sizeof *whole);
    lun_layout right = lun__layout_right(n->rank, own);
    lun__shape_broadcast(&right, rank, whole, &l);
    if (lun__layout_count(&l) == n->n)
        s = lun__view_node_reshape(e, n, rank, whole, out);
    else
        s = lun__view_node(e, n, &l, out);
    lun__node_release(e, n);
    return s;
}

static lun_status multiply(const pair *p, int rank, const int64_t *shape, lun_node **out)
{
    lun_node *x = NULL, *y = NULL, *n = NULL;
    lun_status s = spread(p, p->a, rank, shape, &x);
    if (s == LUN_OK)
        s = spread(p, p->b, rank, shape, &y);
    if (s == LUN_OK)
        s = lun__fold_node_matmul(p->e, x, y, p->computed, &n);
    if (s == LUN_OK)
        s = lun__convert(p->e, n, p->given, out);
    lun__node_release(p->e, x);
    lun__node_release(p->e, y);
    lun__node_release(p->e, n);
    return s;
}

static lun_status by_matrix(const pair *p, lun_array **out)
{
    int64_t shape[LUN_MAX_RANK];
    int rank = p->a_rank > p->b_rank ? p->a_rank : p->b_rank;
    lun_node *n = NULL;
    lun_status s = join_batches(p, rank, shape);
    shape[rank - 2] = p->x[p->a_rank - 2];
    shape[rank - 1] = p->y[p->b_rank - 1];
    if (s == LUN_OK)
        s = lun__shape_check(p->e, rank, shape);
    if (s != LUN_OK)
        return s;
    lun_layout all = lun__layout_right(rank, shape);
    if (lun__layout_count(&all) == 0 || p->x[p->a_rank - 1] == 0) /* no elements, or empty sums */
        s = lun__node_number(p->e, p->given, 0, rank, shape, &n);
    else
        s = multiply(p, rank, shape, &n);
    return s == LUN_OK ? lun__array(p->e, n, false, out) : s;
}

lun_status lun_matmul(lun_engine *e, lun_array *a, lun_array *b, lun_array **out)
{
    LUN_NEED(e, a && b && out);
    if ((!lun_is_freed(a) && lun__array_is_complex(a)) ||
        (!lun_is_freed(b) && lun__array_is_complex(b)))
        return e->kinds[LUN_KIND_COMPLEX]->matmul(e, a, b, out);
    pair p = {.e = e, .a = a, .b = b};
    e->error_where = NULL;
    e->error_operand = 0;
    lun_status s = check(e, a, 1, &p.a_rank, p.x);
    if (s == LUN_OK)
        s = check(e, b, 2, &p.b_rank, p.y);
    if (s != LUN_OK)
        return s;
    int64_t inner = p.x[p.a_rank - 1], rows = p.y[p.b_rank > 1 ? p.b_rank - 2 : 0];
    if (inner != rows)
        return misfit(&p, inner, rows);
    s = choose_dtypes(&p);
    if (s != LUN_OK)
        return s;
    return p.a_rank > 1 && p.b_rank > 1 ? by_matrix(&p, out) : by_vector(&p, out);
}
