/* put.c - values written to the elements of an array at given indices, or combined with them, in
 * the order of the indices.  How they are written is scatter.c's. */
#include "api/loop/put.h"
#include "api/array/api.h"
#include "api/array/elements.h"
#include "api/data/indices.h"
#include "api/write/owner_scatter.h"
#include "api/write/scatter.h"
#include "eval/eval.h"
#include "lunarray_bind.h"

/* How an operation combines elements of dtype t; *negated: the written values are negated first.
 * False: it does not. */
static bool combining_of(lun_op op, lun_dtype t, lun_combining *how, bool *negated)
{
    static const struct known {
        lun_op op;
        lun_combining how;
        bool numbers, bits, bools;
    } known[] = {{LUN_OP_ADD, LUN_COMBINING_ADD, true, false, false},
                 {LUN_OP_SUB, LUN_COMBINING_ADD, true, false, false},
                 {LUN_OP_MUL, LUN_COMBINING_MUL, true, false, false},
                 {LUN_OP_MIN, LUN_COMBINING_LEAST, true, false, true},
                 {LUN_OP_MAX, LUN_COMBINING_MOST, true, false, true},
                 {LUN_OP_BAND, LUN_COMBINING_BAND, false, true, true},
                 {LUN_OP_BOR, LUN_COMBINING_BOR, false, true, true},
                 {LUN_OP_BXOR, LUN_COMBINING_BXOR, false, true, true},
                 {LUN_OP_LAND, LUN_COMBINING_BAND, false, false, true},
                 {LUN_OP_LOR, LUN_COMBINING_BOR, false, false, true}};
    *negated = op == LUN_OP_SUB;
    for (size_t k = 0; k < sizeof known / sizeof *known; k++) {
        if (known[k].op != op)
            continue;
        *how = known[k].how;
        if (lun__dtype_is_bool(t))
            return known[k].bools;
        return known[k].numbers || (known[k].bits && lun__dtype_is_integer(t));
    }
    return false;
}

/* The dtype in which elements of dtype t are combined with values of dtype x. */
static lun_status combined_in(lun_engine *e, lun_dtype t, lun_dtype x, lun_dtype *out)
{
    if (lun__dtype_is_float(t)) {
        *out = lun__dtype_is_double(lun__dtype_common(t, x)) ? LUN_F64 : LUN_F32;
        return LUN_OK;
    }
    if (lun__dtype_is_float(x))
        return lun__fail(e, LUN_EDTYPE,
                         "elements of %s cannot be combined with %s: convert it first",
                         lun__dtype_get(t)->name, lun__dtype_get(x)->name);
    *out = lun__dtype_is_wide_unsigned(t) ? LUN_U64 : LUN_I64;
    return LUN_OK;
}

/* An assignment to elements of an array. */
typedef struct put {
    lun_engine *e;
    lun_array *to;
    lun_indexed at;
    lun_taking where;
    lun_node *index, *value; /* value: a Scalar, or of the indices' shape */
    lun_scatter scatter;
    lun_owner_scatter *owners; /* NULL: host memory is written */
    bool signs; /* the values are compared with elements, and only one of both dtypes has 2^63 */
    lun_dtype given; /* of the values as they came */
} put;

/* x broadcast to the shape of the indices. */
static lun_status spread(const put *p, lun_array *x, lun_node *n, lun_node **out)
{
    lun_layout own, wide;
    int64_t shape[LUN_MAX_RANK];
    if (n->rank == 0) {
        *out = lun__node_retain(n);
        return LUN_OK;
    }
    lun__node_shape(n, shape);
    own = lun__layout_right(n->rank, shape);
    if (!lun__shape_broadcast(&own, p->at.rank, p->at.shape, &wide))
        return lun__indices_no_values(p->e, p->to, x, p->at.rank, p->at.shape);
    if (p->at.n == n->n)
        return lun__view_node_reshape(p->e, n, p->at.rank, p->at.shape, out);
    return lun__view(p->e, n, &wide, out);
}

/* No operation: LUN_OP_NONE, or the LUN_OP_COUNT of programs older than that. The operation with
 * that number is never one of lun_put. */
static bool is_none(lun_op op)
{
    enum { COUNT_BEFORE = 66 };
    return op == LUN_OP_NONE || (int)op == COUNT_BEFORE;
}

static bool compares(lun_op op)
{
    return op == LUN_OP_MIN || op == LUN_OP_MAX;
}

/* The written values, in the dtype in which they are combined. */
static lun_status value_of(put *p, lun_array *x, lun_op op)
{
    lun_engine *e = p->e;
    lun_dtype t = lun_dtype_of(p->to);
    lun_node *raw = NULL, *as = NULL, *wide = NULL;
    bool negated = false;
    if (!is_none(op) && !combining_of(op, t, &p->scatter.how, &negated)) {
        (void)lun__fail(e, LUN_EARG, "elements of %s cannot be combined by '%s'",
                        lun__dtype_get(t)->name, lun__op_get(op)->name);
        e->error_operand = 4;
        return LUN_EARG;
    }
    lun_status s = lun__array_node(e, x, x->weak ? t : LUN_DTYPE_COUNT, &raw);
    if (s != LUN_OK)
        return s;
    p->scatter.dtype = p->scatter.from = t;
    p->given = (lun_dtype)raw->dtype;
    p->signs = compares(op) && lun__dtype_is_integer(t) && lun__dtype_is_integer(p->given) &&
               lun__dtype_is_wide_unsigned(t) != lun__dtype_is_wide_unsigned(p->given);
    if (!is_none(op))
        s = combined_in(e, t, p->given, &p->scatter.from);
    if (s == LUN_OK)
        s = lun__convert(e, raw, lun__dtype_is_bool(t) ? t : p->scatter.from, &as);
    if (s == LUN_OK && lun__dtype_is_bool(t) && p->scatter.from != t) {
        lun_node *number = NULL;
        s = lun__convert(e, as, p->scatter.from, &number);
        lun__node_release(e, as);
        as = number;
    }
    if (s == LUN_OK && negated) {
        lun_node *minus = NULL;
        s = lun__elementwise_op(e, LUN_OP_NEG, &as, &minus);
        lun__node_release(e, as);
        as = minus;
    }
    if (s == LUN_OK)
        s = spread(p, x, as, &wide);
    p->value = wide;
    if (s == LUN_EDTYPE || s == LUN_ESHAPE)
        e->error_operand = 3;
    lun__node_release(e, raw);
    lun__node_release(e, as);
    return s;
}

/* The range of the elements of the array, as indices in those of its top. */
static void find_span(put *p)
{
    int64_t low = p->at.of.offset, high = low;
    for (int k = 0; k < p->at.of.rank; k++) {
        int64_t span = (p->at.of.extent[k] - 1) * p->at.of.stride[k];
        *(span < 0 ? &low : &high) += span;
    }
    p->scatter.low = low;
    p->scatter.span = high - low + 1;
    p->scatter.count = p->at.n;
}

/* Prepares an owner-computes scatter, if elements are at locations of a set. */
static lun_status ready_owners(put *p)
{
    bool fits;
    int64_t bad;
    lun_status s = lun__write_hold(p->e, p->to);
    const lun_node *to = lun__array_base(p->to)->node;
    const lun_owner_write what = {
        to,
        p->index,
        p->value,
        {.rank = 1, .offset = to->offset, .extent = {to->n}, .stride = {1}},
        &p->scatter};
    return s == LUN_OK ? lun__owner_scatter_open(p->e, &what, &p->owners, &fits, &bad) : s;
}

/* A cell of a number, or the first element of a LEAF. */
static const void *first_of(const lun_node *n)
{
    return n->kind == LUN_NODE_LEAF ? (const void *)lun__node_leaf_data(n) : &n->cell;
}

/* Values of i64 and u64 are compared by value: those that only one of both has cannot be. */
static lun_status check_signs(const put *p)
{
    const lun_node *n = p->value;
    const bool leaf = n->kind == LUN_NODE_LEAF;
    const lun_status s = p->signs && leaf ? lun__mirror_host(p->e, n->storage, false) : LUN_OK;
    if (s != LUN_OK || !p->signs)
        return s;
    const int64_t *x = first_of(n), count = leaf ? p->at.n : 1;
    for (int64_t k = 0; k < count; k++) {
        if (x[k] >= 0)
            continue;
        const char *to = lun__dtype_get(p->scatter.dtype)->name;
        const bool wide = lun__dtype_is_wide_unsigned(p->given);
        (void)lun__fail(p->e, LUN_EDTYPE,
                        wide ? "value " LUN_NTH_LONG
                               " of %s is 2^63 or more, which %s cannot hold: "
                               "cast the values to %s, or the array to u64, first"
                             : "value " LUN_NTH_LONG " of %s is negative, which %s cannot hold: "
                               "cast the values to %s, or the array to i64, first",
                        (long long)k, lun__dtype_get(p->given)->name, to, to);
        p->e->error_operand = 3;
        return LUN_EDTYPE;
    }
    return LUN_OK;
}

/* Does everything that may fail; no element has changed after it. */
static lun_status ready(put *p)
{
    lun_engine *e = p->e;
    lun_target to;
    lun_node *todo[2] = {p->index, p->value};
    find_span(p);
    lun_status s = lun__eval(e, todo, 2);
    if (s == LUN_OK)
        s = check_signs(p);
    if (s == LUN_OK && e->set_count)
        s = ready_owners(p);
    if (s != LUN_OK || p->owners)
        return s;
    s = lun__write_target_of(e, p->to, &to);
    for (int k = 0; s == LUN_OK && k < 2; k++)
        if (todo[k]->kind == LUN_NODE_LEAF)
            s = lun__mirror_host(e, todo[k]->storage, false);
    if (s != LUN_OK)
        return s;
    p->scatter.elements = to.data;
    return LUN_OK;
}

static lun_status write_all(put *p)
{
    int64_t bad;
    if (p->owners)
        return lun__owner_scatter_write(p->owners, lun__array_base(p->to)->node);
    p->scatter.index = first_of(p->index);
    p->scatter.values = first_of(p->value);
    p->scatter.step = p->value->kind == LUN_NODE_LEAF;
    lun__scatter(p->e, &p->scatter, &bad);
    return LUN_OK;
}

lun_status lun_put_from(lun_engine *e, lun_array *a, lun_array *i, lun_array *x, int axis,
                        int first, lun_op op)
{
    LUN_NEED(e,
             i && x && (first == 0 || first == 1) && (is_none(op) || (unsigned)op < LUN_OP_COUNT));
    lun_array *const both[] = {a, x};
    if (lun__array_some_complex(both, 2))
        return lun__put_complex(
            e, a, i, x, (lun__put_at){axis, first, is_none(op) ? LUN_OP_NONE : op, lun_put_from});
    LUN_NO_MISSING(e, a);
    LUN_NO_MISSING(e, x);
    put p = {.e = e, .to = a, .where = {.first = first, .none = LUN_NO_INDEX}};
    lun_status s = lun__write_check(e, a);
    if (s == LUN_OK)
        s = lun__indices(e, a, i, axis, &p.at);
    if (s == LUN_OK)
        s = value_of(&p, x, op);
    if (s == LUN_OK && p.at.n) {
        s = lun__indices_offsets(e, &p.at, &p.at.of, lun__array_top(a)->node->n, &p.where);
        if (s == LUN_OK)
            s = lun__take_node(e, &p.where, &p.index);
        e->error_where = NULL;
        if (s == LUN_OK)
            s = ready(&p);
        if (s == LUN_OK)
            s = write_all(&p);
    }
    lun__owner_scatter_close(p.owners);
    lun__indices_end(e, &p.at, &p.where);
    lun__node_release(e, p.index);
    lun__node_release(e, p.value);
    return s;
}

lun_status lun_put(lun_engine *e, lun_array *a, lun_array *i, lun_array *x, int axis, lun_op op)
{
    return lun_put_from(e, a, i, x, axis, 0, op);
}
