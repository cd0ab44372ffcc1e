/* fold.c - reduce and scan as nodes: the dtypes of their accumulators and results, and their
 * initial values. */
#include "api/fold/lazy.h"
#include "graph/function_ref.h"

/* Sums and products have the wide accumulator of their row in the table, in blocks only those of
 * integers; all others combine in the dtype in which they compute. */
static lun_dtype accumulator(lun_op op, lun_dtype t, bool blocks)
{
    const lun_dtype_row *d = lun__dtype_get(t);
    bool wide = op == LUN_OP_ADD || op == LUN_OP_MUL;
    return (lun_dtype)(wide && !(blocks && lun__dtype_is_float(t)) ? d->sum : d->compute);
}

typedef struct combiner {
    lun_op op;
    const lun_ir_function *body;
    lun_dtype acc, out;  /* combined in, given as */
    lun_function *owner; /* of body; a reference */
} combiner;

static lun_status combiner_of(lun_engine *e, lun_function *f, lun_extras extras, lun_dtype t,
                              bool blocks, combiner *c)
{
    c->op = f->op;
    c->body = NULL;
    c->owner = NULL;
    if (f->op == LUN_OP_COUNT) {
        c->acc = (lun_dtype)lun__dtype_get(t)->compute;
        lun_status s = lun__combine_body(e, f, extras, &c->acc, &c->body, &c->owner);
        c->out = c->acc;
        return s;
    }
    const lun_op_row *row = lun__op_get(f->op);
    const lun_dtype both[2] = {t, t};
    const bool weak[2] = {false, false};
    if (extras.count)
        return lun__fail(e, LUN_EARG, "%s takes two values and no extra arguments", row->name);
    if (!(row->flags & LUN_OPF_ASSOC))
        return lun__fail(e, LUN_EARG,
                         "%s is not associative: reduce and scan need an operation that is",
                         row->name);
    if (lun__op_types(f->op, both, weak, &c->acc, &c->out) != LUN_OK)
        return lun__fail(e, LUN_EDTYPE, "%s needs integers, not %s", row->name, lun_dtype_name(t));
    c->acc = accumulator(f->op, c->out, blocks);
    if (lun__dtype_is_integer(c->out)) /* floats are rounded back, integers would wrap */
        c->out = c->acc;
    return LUN_OK;
}

lun_status lun__fold_check(lun_engine *e, lun_function *f, lun_dtype t)
{
    combiner c;
    lun_status s = combiner_of(e, f, (lun_extras){NULL, 0}, t, false, &c);
    lun_function_release(c.owner);
    return s;
}

/* a in the dtype in which it is combined. */
static lun_status input(lun_engine *e, lun_function *f, lun_node *a, lun_extras extras, bool blocks,
                        combiner *c, lun_node **out)
{
    if (!f)
        return lun__fail(e, LUN_EARG, "no function given (NULL)");
    lun_status s = combiner_of(e, f, extras, (lun_dtype)a->dtype, blocks, c);
    return s == LUN_OK ? lun__convert(e, a, c->acc, out) : s;
}

/* a's node, of an array. */
static lun_status array_node(lun_engine *e, lun_array *a, lun_node **out)
{
    lun_status s = lun__array_usable(e, a);
    if (s == LUN_OK && a->weak)
        s = lun__fail(e, LUN_EARG, "array expected, got a number");
    return s == LUN_OK ? lun__array_node(e, a, LUN_DTYPE_COUNT, out) : s;
}

/* The initial value as a Scalar: given, or the operation's identity. NULL in
 * *out: none is known. */
static lun_status initial(lun_engine *e, const combiner *c, lun_array *id, lun_node **out)
{
    uint64_t cell;
    lun_node *raw, *scalar = NULL;
    *out = NULL;
    if (!id) {
        if (c->body || !lun__op_identity(c->op, c->acc, &cell))
            return LUN_OK;
        return lun__node_number(e, c->acc, cell, 0, NULL, out);
    }
    lun_status s = lun__array_node(e, id, c->acc, &raw);
    if (s != LUN_OK)
        return s;
    if (raw->n != 1)
        s = lun__fail(e, LUN_ESHAPE, "the initial value must be a number or a Scalar");
    else if (raw->rank == 0)
        scalar = lun__node_retain(raw);
    else
        s = lun__view_node_reshape(e, raw, 0, NULL, &scalar);
    if (s == LUN_OK)
        s = lun__convert(e, scalar, c->acc, out);
    lun__node_release(e, scalar);
    lun__node_release(e, raw);
    return s;
}

static bool is_identity(const combiner *c, const lun_node *id)
{
    uint64_t cell;
    return !c->body && id->kind == LUN_NODE_NUMBER && lun__op_identity(c->op, c->acc, &cell) &&
           cell == id->cell;
}

/* Whether segments are combined row by row: only by a function of two values. */
static bool combines_rows(const combiner *c, const lun_segments *l)
{
    return l->rows && c->owner && !c->owner->captured && !c->owner->array_count;
}

static lun_status fold(lun_engine *e, const combiner *c, lun_node *in, lun_node *first,
                       const lun_segments *l, lun_node **out)
{
    lun_node *start = first && !is_identity(c, first) ? first : NULL;
    if (combines_rows(c, l))
        return lun__fold_rows(e, c->owner, c->body, in, start, l->length, out);
    if (!l->length)
        return lun__fold_node_reduce(e, c->op, c->owner, c->body, in, start, c->out, out);
    if (l->blocks)
        return lun__fold_node_blocks(e, c->op, c->owner, c->body, in, start, c->out, l->length,
                                     l->shape, out);
    return lun__fold_node_segments(e, c->op, c->owner, c->body, in, start, c->out, l->length,
                                   l->rank, l->shape, out);
}

/* For a result without elements any value will do; else an initial one is needed. */
static lun_status nothing(lun_engine *e, const combiner *c, const lun_segments *l, lun_node **out)
{
    lun_layout given = lun__layout_right(l->rank, l->shape);
    if (lun__layout_count(&given) > 0)
        return lun__fail(e, LUN_EARG, "reduce of no elements needs an initial value");
    return lun__node_number(e, c->acc, 0, 0, NULL, out);
}

/* Empty segments give the initial value. */
static lun_status fold_nothing(lun_engine *e, const combiner *c, lun_node *first,
                               const lun_segments *l, lun_node **out)
{
    lun_layout none = lun__layout_right(l->rank, l->shape);
    lun_node *cast = NULL;
    for (int k = 0; k < none.rank; k++)
        none.stride[k] = 0;
    lun_status s = lun__convert(e, first, c->out, &cast);
    if (s == LUN_OK && none.rank)
        s = lun__view(e, cast, &none, out);
    else if (s == LUN_OK)
        *out = lun__node_retain(cast);
    lun__node_release(e, cast);
    return s;
}

lun_status lun__fold_segments(lun_engine *e, lun_function *f, lun_array *id, lun_node *a,
                              lun_extras extras, const lun_segments *l, lun_node **out)
{
    combiner c = {.owner = NULL};
    lun_node *in = NULL, *first = NULL;
    lun_status s = input(e, f, a, extras, l->blocks, &c, &in);
    if (s == LUN_OK)
        s = initial(e, &c, id, &first);
    if (s == LUN_OK && combines_rows(&c, l)) {
        lun__node_release(e, in);
        in = NULL;
        s = lun__convert(e, l->rows, c.acc, &in);
    }
    if (s == LUN_OK && in->n == 0 && !first)
        s = nothing(e, &c, l, &first);
    if (s == LUN_OK && in->n == 0)
        s = fold_nothing(e, &c, first, l, out);
    else if (s == LUN_OK)
        s = fold(e, &c, in, first, l, out);
    lun_function_release(c.owner);
    lun__node_release(e, in);
    lun__node_release(e, first);
    return s;
}

lun_status lun_reduce(lun_engine *e, lun_function *f, lun_array *id, lun_array *a, lun_array **out)
{
    return lun_reduce_with(e, f, id, a, NULL, 0, out);
}

lun_status lun_reduce_with(lun_engine *e, lun_function *f, lun_array *id, lun_array *a,
                           lun_array *const *extra, int extras, lun_array **out)
{
    LUN_NEED(e, out && extras >= 0 && (extras == 0 || extra));
    lun_status done;
    if (!extras && lun__logical_fold(e, &(lun_folding){.f = f, .id = id, .a = a}, &done, out))
        return done;
    LUN_NO_MISSING(e, id);
    LUN_NO_MISSING(e, a);
    const lun_segments whole = {.length = 0};
    lun_node *raw, *n;
    lun_status s = array_node(e, a, &raw);
    if (s != LUN_OK)
        return s;
    s = lun__fold_segments(e, f, id, raw, (lun_extras){extra, extras}, &whole, &n);
    lun__node_release(e, raw);
    return s == LUN_OK ? lun__array(e, n, false, out) : s;
}

lun_status lun__fold_scan_segments(lun_engine *e, lun_function *f, lun_array *id, lun_node *a,
                                   lun_extras extras, bool inclusive, int64_t length,
                                   lun_node **out)
{
    combiner c = {.owner = NULL};
    lun_node *in = NULL, *first = NULL, *scan = NULL;
    lun_status s = input(e, f, a, extras, false, &c, &in);
    if (s == LUN_OK)
        s = initial(e, &c, id, &first);
    if (s == LUN_OK && !first)
        s = lun__fail(e, LUN_EARG, "a scan by this function needs an initial value");
    if (s == LUN_OK)
        s = lun__fold_node_scan(e, c.op, c.owner, c.body, in, first, inclusive, length, &scan);
    if (s == LUN_OK)
        s = lun__convert(e, scan, c.out, out);
    lun_function_release(c.owner);
    lun__node_release(e, in);
    lun__node_release(e, first);
    lun__node_release(e, scan);
    return s;
}

lun_status lun__fold_scan_whole(lun_engine *e, lun_function *f, lun_array *id, lun_array *a,
                                lun_array *const *extra, int extras, bool inclusive,
                                lun_array **out)
{
    LUN_NEED(e, out && extras >= 0 && (extras == 0 || extra));
    LUN_NO_MISSING(e, id);
    LUN_NO_MISSING(e, a);
    lun_node *raw, *n;
    lun_status s = array_node(e, a, &raw);
    if (s != LUN_OK)
        return s;
    s = lun__fold_scan_segments(e, f, id, raw, (lun_extras){extra, extras}, inclusive, 0, &n);
    lun__node_release(e, raw);
    return s == LUN_OK ? lun__array(e, n, false, out) : s;
}
