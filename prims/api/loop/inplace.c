/* inplace.c - C texts that write arrays in place, called for each element or each index of a loop;
 * see inplace.h.  Their kernel is kernels/inplace_kernel.c's. */
#include "api/loop/inplace.h"

#include <string.h>

#include "api/loop/written_arrays.h"
#include "api/write/merge_divergent.h"
#include "kernels/inplace_kernel.h"
#include "lunarray_bind.h"
#include "steps/step_runners.h"

typedef struct inplace {
    lun_engine *e;
    lun_array *const *operands;
    int count, elements;
    const lun_ir_function *f;
    lun_node *element[LUN_MAX_OPERANDS]; /* a LEAF or a NUMBER; references */
    lun_held held[LUN_MAX_OPERANDS];     /* by operand; without an array: none is held */
    lun_taken taken[LUN_IR_INPUTS];      /* by parameter of f */
    lun_node *like;                      /* one of `element` */
    bool dist;                           /* each location of the set in use writes its own copies */
} inplace;

static lun_status take_function(inplace *c, lun_function *f, int axes)
{
    lun_engine *e = c->e;
    lun_ir_function *made = NULL;
    lun__fail_clear(e);
    lun_status s = f->front.in_place(f->front.ctx, axes, &made, &e->error);
    if (s == LUN_ENOMEM && !e->error.length)
        return lun__fail_nomem(e);
    c->f = made;
    if (s != LUN_OK || made->operands == c->count)
        return s;
    const int extras = c->count - c->elements;
    if (axes)
        return lun__fail(e, LUN_EARG,
                         "the function has %d parameter%s behind its indices, but is called with "
                         "%d argument%s",
                         made->operands, made->operands == 1 ? "" : "s", extras,
                         extras == 1 ? "" : "s");
    return lun__fail(e, LUN_EARG,
                     "the function has %d parameter%s, but is called with %d element%s and %d "
                     "extra argument%s",
                     made->operands, made->operands == 1 ? "" : "s", c->elements,
                     c->elements == 1 ? "" : "s", extras, extras == 1 ? "" : "s");
}

/* ---- what parameters take -------------------------------------------------------------------- */

/* The present elements of operand k, evaluated. */
static lun_status take_element(inplace *c, int k, lun_dtype t)
{
    lun_node *raw;
    lun_status s = lun__axes_node(c->e, c->operands[k], t, NULL, &raw);
    if (s != LUN_OK)
        return s;
    s = lun__convert(c->e, raw, t, &c->element[k]);
    lun__node_release(c->e, raw);
    return s;
}

/* The elements in one shape, each operand a LEAF or a number. */
static lun_status settle_elements(inplace *c)
{
    lun_engine *e = c->e;
    const lun_node *like;
    lun_status s = lun__shape_align(e, c->element, c->operands, c->elements, &like);
    for (int k = 0; s == LUN_OK && k < c->elements; k++) {
        lun_node *n = c->element[k];
        if (n->kind == LUN_NODE_LEAF)
            s = lun__fetch_merge(e, n->storage);
        if (n->kind != LUN_NODE_LEAF && (n->kind != LUN_NODE_NUMBER || n == like)) {
            s = lun__read_node_copy(e, n, &c->element[k]);
            if (s != LUN_OK)
                c->element[k] = NULL;
            lun__node_release(e, n);
        }
        if (n == like)
            c->like = c->element[k];
    }
    if (s == LUN_OK && (!c->like || !c->like->rank))
        s = lun__fail(e, LUN_EARG,
                      "a function that writes arrays is called for the elements of an array");
    return s;
}

static lun_status take_number(inplace *c, int k, lun_taken *x, lun_dtype t)
{
    lun_array *a = c->operands[k];
    x->how = LUN_TAKES_NUMBER;
    if (a->weak) {
        lun_node *n;
        lun_status s = lun__array_node(c->e, a, t, &n);
        if (s != LUN_OK)
            return s;
        x->cell = lun__dtype_cell_cast(t, (lun_dtype)n->dtype, n->cell);
        lun__node_release(c->e, n);
        return LUN_OK;
    }
    lun_status s = lun_read(c->e, a, &x->cell, 0, 1);
    x->cell = lun__dtype_cell_cast(t, lun_dtype_of(a), x->cell);
    return s;
}

/* Parameter p of the function takes operand k, which is no element. */
static lun_status take_extra(inplace *c, int p, int k)
{
    lun_engine *e = c->e;
    const lun_ir_function *f = c->f;
    lun_array *a = c->operands[k];
    const lun_dtype t = (lun_dtype)f->param[p].dtype;
    int64_t shape[LUN_MAX_RANK];
    char text[96];
    const bool array = !a->weak && lun_size(a) >= 0 && lun_shape(a, shape) > 0;
    if (f->param[p].pointer && (!array || lun_dtype_of(a) != t))
        return lun__fail(e, LUN_EDTYPE,
                         "argument " LUN_NTH
                         ": parameter %d of the function is an array of %s, but the "
                         "argument is %s",
                         k - c->elements, k + 1, lun_dtype_name(t),
                         array ? lun__array_describe(a, text) : "a number");
    if (!f->param[p].pointer && array)
        return lun__fail(e, LUN_EDTYPE,
                         "argument " LUN_NTH
                         ": parameter %d of the function is a number (%s), but the "
                         "argument is an array, %s",
                         k - c->elements, k + 1, lun_dtype_name(t), lun__array_describe(a, text));
    if (!f->param[p].pointer)
        return take_number(c, k, &c->taken[p], t);
    c->taken[p].how = LUN_TAKES_ARRAY;
    c->held[k] = (lun_held){.array = a, .written = f->param[p].written};
    return LUN_OK;
}

/* What all parameters behind the first `first` take. */
static lun_status take_operands(inplace *c, int first)
{
    const lun_ir_function *f = c->f;
    const int lengths = f->params - f->lengths;
    lun_status s = LUN_OK;
    for (int p = first; s == LUN_OK && p < lengths; p++) {
        const int k = f->param[p].of;
        if (k >= c->elements)
            s = take_extra(c, p, k);
        else if (f->param[p].pointer)
            s = lun__fail(c->e, LUN_EARG,
                          "parameter %d of the function receives an element: it cannot be a "
                          "pointer",
                          k + 1);
        else
            s = take_element(c, k, (lun_dtype)f->param[p].dtype);
    }
    for (int p = lengths; s == LUN_OK && p < f->params; p++)
        c->taken[p] = (lun_taken){.how = LUN_TAKES_NUMBER,
                                  .cell = (uint64_t)lun_size(c->operands[f->param[p].of])};
    return s;
}

static void give_elements(inplace *c)
{
    for (int p = 0; p < c->f->params - c->f->lengths; p++) {
        const int k = c->f->param[p].of;
        lun_node *n = k < c->elements ? c->element[k] : NULL;
        if (n && n->kind == LUN_NODE_NUMBER)
            c->taken[p] = (lun_taken){.how = LUN_TAKES_NUMBER, .cell = n->cell};
        else if (n)
            c->taken[p] = (lun_taken){.how = LUN_TAKES_ELEMENT, .node = n};
    }
}

/* ---- running --------------------------------------------------------------------------------- */

/* Whether all written arrays are copies, of which each location may write its own. */
static bool writes_copies(const inplace *c)
{
    bool all = c->e->set_count > 0;
    for (int k = 0; all && k < c->count; k++)
        all =
            !c->held[k].array || !c->held[k].written || lun__written_copied(c->e, c->held[k].array);
    return all;
}

static lun_status open_arrays(inplace *c, bool aside)
{
    lun_status s = LUN_OK;
    for (int p = 0; s == LUN_OK && p < c->f->params; p++) {
        lun_held *h = c->taken[p].how == LUN_TAKES_ARRAY ? &c->held[c->f->param[p].of] : NULL;
        if (!h)
            continue;
        const lun_writing how = lun__merge_writing_by(c->f->param[p].atom, lun_dtype_of(h->array));
        s = c->dist && h->written ? lun__written_part(c->e, h, &how)
                                  : lun__written_open(c->e, h, aside);
        c->taken[p].node = h->node;
    }
    return s;
}

/* Runs over n indices; aside: after a failure no array has changed. */
static lun_status run(inplace *c, int64_t n, bool aside, lun_storage **out)
{
    lun_engine *e = c->e;
    lun_lowered kernel;
    c->dist = !aside && n > 0 && writes_copies(c);
    lun_status s = lun__written_check(e, c->held, c->count, NULL);
    if (s == LUN_OK)
        s = open_arrays(c, aside);
    if (s == LUN_OK)
        s = lun__inplace_kernel_lower(e, c->f, c->taken, c->f->outputs ? c->like : NULL, &kernel);
    if (s != LUN_OK) {
        for (int k = 0; k < c->count; k++)
            lun__written_join(e, &c->held[k]);
        return s;
    }
    lun_host_begin(e);
    s = lun__inplace_step_run(e, &kernel, n, c->dist, out);
    lun_host_end(e);
    lun__lowered_free(&kernel);
    return s == LUN_OK ? lun__written_back(e, c->held, c->count) : s;
}

static void end(inplace *c)
{
    for (int k = 0; k < c->elements; k++)
        if (c->element[k])
            lun__node_release(c->e, c->element[k]);
    lun__written_end(c->e, c->held, c->count);
}

/* The result as an array of the elements' shape. */
static lun_status give(const inplace *c, lun_storage *from, lun_array **out)
{
    int64_t shape[LUN_MAX_RANK];
    lun_node *n;
    lun__node_shape(c->like, shape);
    lun_status s = lun__node_leaf(c->e, from, 0, c->like->rank, shape, &n);
    return s == LUN_OK ? lun__array(c->e, n, true, out) : s;
}

lun_status lun__inplace_call(lun_engine *e, lun_function *f, lun_array *const *operands, int count,
                             int elements, lun_array **outs, int *results)
{
    inplace c = {.e = e, .operands = operands, .count = count, .elements = elements};
    lun_storage *made = NULL;
    lun_status s = take_function(&c, f, 0);
    if (s == LUN_OK)
        s = take_operands(&c, 0);
    if (s == LUN_OK)
        s = settle_elements(&c);
    if (s == LUN_OK) {
        give_elements(&c);
        s = run(&c, c.like->n, false, &made);
    }
    if (s == LUN_OK)
        *results = c.f->outputs;
    if (s == LUN_OK && made)
        s = give(&c, made, outs);
    if (made)
        lun__storage_release(e, made);
    end(&c);
    return s;
}

lun_status lun__inplace_each(lun_engine *e, lun_function *f, const lun_box *b,
                             lun_array *const *args, int count, bool aside)
{
    inplace c = {.e = e, .operands = args, .count = count};
    lun_storage *made = NULL;
    int64_t n = 1;
    int p = 0;
    lun_status s = take_function(&c, f, b->rank);
    c.taken[p++].how = LUN_TAKES_INDEX;
    for (int k = 0; k < b->rank; k++) {
        c.taken[p++] = (lun_taken){.how = LUN_TAKES_NUMBER, .cell = (uint64_t)(b->first[k] - 1)};
        c.taken[p++] = (lun_taken){.how = LUN_TAKES_NUMBER, .cell = (uint64_t)b->at.extent[k]};
        n *= b->at.extent[k];
    }
    if (s == LUN_OK)
        s = take_operands(&c, p);
    if (s == LUN_OK)
        s = run(&c, n, aside, &made);
    end(&c);
    return s;
}
