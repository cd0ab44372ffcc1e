/* combine.c - users' functions as combiners of reduce and scan, specialised for a dtype and for the
 * numbers that follow the two values.  The nodes are fold.c's. */
#include <stdlib.h>

#include "api/array/apply_function.h"
#include "eval/eval.h"

/* What a combiner has captured. */
typedef struct holder {
    lun_engine *e;
    lun_function *f;
} holder;

static void let_go(void *ctx)
{
    holder *h = ctx;
    while (h->f->array_count)
        lun__node_release(h->e, h->f->arrays[--h->f->array_count]);
    free(h->f->arrays);
    free(h);
}

/* f with numbers for its parameters from the third on, arguments of the kernels that combine by it,
 * and with room for array slots. Takes cells, allocated by malloc. */
static lun_status with_cells(lun_engine *e, lun_function *f, uint64_t *cells, int count, int arrays,
                             lun_function **out)
{
    holder *h = malloc(sizeof *h);
    lun_node **room = malloc(((size_t)arrays + 1) * sizeof *room);
    const lun_front front = {.ctx = h, .release = let_go};
    lun_status s =
        h && room ? lun__make_function(e, LUN_OP_COUNT, NULL, &front, out) : lun__fail_nomem(e);
    if (s != LUN_OK) {
        free(h);
        free(room);
        free(cells);
        return s;
    }
    *h = (holder){e, *out};
    lun_function_retain(f);
    (*out)->of = f;
    (*out)->cells = cells;
    (*out)->captured = count;
    (*out)->arrays = room;
    return LUN_OK;
}

static bool is_scalar(const lun_array *a)
{
    return lun_shape(a, (int64_t[LUN_MAX_RANK]){0}) == 0;
}

/* The elements of a as t, in memory, in row-major order. */
static lun_status leaf_of(lun_engine *e, lun_array *a, lun_dtype t, lun_node **out)
{
    lun_node *raw, *n;
    lun_status s = lun__array_node(e, a, LUN_DTYPE_COUNT, &raw);
    if (s != LUN_OK)
        return s;
    s = lun__convert(e, raw, t, &n);
    lun__node_release(e, raw);
    if (s != LUN_OK)
        return s;
    if (!lun__node_ready(n) && !lun__node_is(n, LUN_IS_VIRTUAL))
        s = lun__eval(e, &n, 1);
    if (s == LUN_OK && n->kind == LUN_NODE_LEAF)
        *out = lun__node_retain(n);
    else if (s == LUN_OK)
        s = lun__read_node_copy(e, n, out);
    lun__node_release(e, n);
    return s;
}

/* How many of the extra arguments are arrays, which the body indexes. */
static int arrays_among(lun_extras extras)
{
    int n = 0;
    for (int k = 0; k < extras.count; k++)
        n += !is_scalar(extras.at[k]);
    return n;
}

/* The arrays that the body indexes, as they are now: extra arguments, then captured ones. */
static lun_status add_arrays(lun_engine *e, lun_extras extras, const lun_front_result *r,
                             lun_function *owner)
{
    lun_status s = LUN_OK;
    for (int k = 0; s == LUN_OK && k < extras.count + r->arrays; k++) {
        lun_array *a = k < extras.count ? extras.at[k] : r->array[k - extras.count];
        int at = owner->array_count;
        if (is_scalar(a))
            continue;
        s = leaf_of(e, a, (lun_dtype)r->function->body->slots[at].dtype, &owner->arrays[at]);
        owner->array_count += s == LUN_OK;
    }
    return s;
}

static lun_status no_number(lun_engine *e, int k, const char *what)
{
    return lun__fail(e, LUN_EDTYPE,
                     "extra arguments of reduce and scan must be numbers, but argument " LUN_NTH
                     " is %s",
                     k, what);
}

/* The k-th extra argument as a cell of dtype t. */
static lun_status extra_cell(lun_engine *e, lun_array *a, int k, lun_dtype t, uint64_t *cell)
{
    lun_node *raw, *n = NULL;
    lun_status s = lun__array_node(e, a, t, &raw);
    if (s != LUN_OK)
        return s;
    s = lun__convert(e, raw, t, &n);
    lun__node_release(e, raw);
    if (s == LUN_OK && n->kind != LUN_NODE_NUMBER)
        s = no_number(e, k, "a Scalar: pass s:value()");
    if (s == LUN_OK)
        *cell = n->cell;
    lun__node_release(e, n);
    return s;
}

/* The k-th cell: the value of a captured Scalar. */
static lun_status scalar_cell(lun_engine *e, lun_array *a, lun_dtype t, uint64_t *cell)
{
    uint64_t element = 0;
    lun_status s = lun_read(e, a, &element, 0, 1);
    *cell = lun__dtype_cell_cast(t, lun_dtype_of(a), element);
    return s;
}

/* How many numbers and Scalars the body captures. */
static int captured_by(const lun_front_result *r)
{
    int n = r->scalars;
    for (int k = 0; k < r->arrays; k++)
        n += is_scalar(r->array[k]);
    return n;
}

/* The extra arguments, captured numbers and Scalars (r, or NULL) as cells for body's parameters
 * from number `first` on. */
static lun_status cells_of(lun_engine *e, const lun_ir_function *body, int first, lun_extras extras,
                           const lun_front_result *r, uint64_t **out)
{
    const int captured = r ? r->scalars : 0, numbers = extras.count - arrays_among(extras);
    const int all = numbers + (r ? captured_by(r) : 0);
    uint64_t *cells = malloc(((size_t)all + 1) * sizeof *cells);
    lun_status s = cells ? LUN_OK : lun__fail_nomem(e);
    for (int k = 0, at = 0; s == LUN_OK && at < numbers; k++) {
        if (!is_scalar(extras.at[k]))
            continue;
        s = extra_cell(e, extras.at[k], k, lun__ir_function_param(body, first + at), &cells[at]);
        at++;
    }
    for (int k = 0; s == LUN_OK && k < captured; k++)
        cells[numbers + k] = lun__dtype_cell_from_value(r->scalar_dtype[k], r->scalar[k]);
    for (int k = 0, at = numbers + captured; s == LUN_OK && at < all; k++) {
        if (!is_scalar(r->array[k]))
            continue;
        s = scalar_cell(e, r->array[k], lun__ir_function_param(body, first + at), &cells[at]);
        at++;
    }
    if (s != LUN_OK) {
        free(cells);
        cells = NULL;
    }
    *out = cells;
    return s;
}

static lun_status c_combiner(lun_engine *e, const lun_ir_function *c, lun_extras extras,
                             lun_dtype *t)
{
    bool fits = !c->neighbours && c->params >= 2 && c->param[0].dtype == c->result &&
                c->param[1].dtype == c->result;
    for (int k = 0; k < c->params; k++)
        fits &= !c->param[k].pointer;
    if (!fits)
        return lun__fail(e, LUN_EARG,
                         "reduce and scan need a function of two values that returns a value of "
                         "the same type; further parameters must be numbers");
    if (c->params != 2 + extras.count)
        return lun__fail(
            e, LUN_EARG,
            "the function takes %d extra argument%s after the two values, but is called with %d",
            c->params - 2, c->params == 3 ? "" : "s", extras.count);
    *t = (lun_dtype)c->result;
    return LUN_OK;
}

/* The body for these values and elements. */
static lun_status specialise(lun_engine *e, lun_function *f, lun_extras extras, const lun_merger *m,
                             lun_front_result *r)
{
    lun_array x[2 * LUN_MAX_VALUES], *all[LUN_MAX_OPERANDS];
    lun_node number[2 * LUN_MAX_VALUES];
    const int fixed = m->values + m->elements;
    for (int k = 0; k < fixed; k++) {
        lun_dtype t = k < m->values ? m->value[k] : m->element[k - m->values];
        number[k] = (lun_node){.kind = LUN_NODE_NUMBER, .dtype = (uint8_t)t, .n = 1, .refs = 1};
        x[k] = (lun_array){.refs = 1, .engine = e, .node = &number[k]};
        all[k] = &x[k];
    }
    for (int k = 0; k < extras.count; k++)
        all[fixed + k] = extras.at[k];
    return lun__apply_specialise(e, f, all, fixed + extras.count, fixed, (lun_specialising){0}, r);
}

static lun_status wrong_results(lun_engine *e, const lun_merger *m, int given)
{
    if (m->values == 1)
        return lun__fail(e, LUN_EARG,
                         "a function for reduce or scan must return one result, not %d", given);
    return lun__fail(e, LUN_EARG,
                     "a function for reduce or scan of %d elements must return %d results, not %d",
                     m->values, m->values, given);
}

static lun_status wrong_dtype(lun_engine *e, const lun_merger *m, int k, lun_dtype given)
{
    if (m->values == 1)
        return lun__fail(e, LUN_EDTYPE,
                         "a function for reduce or scan must return the dtype of its "
                         "parameters: it takes %s and returns %s",
                         lun_dtype_name(m->value[k]), lun_dtype_name(given));
    return lun__fail(e, LUN_EDTYPE,
                     "a function for reduce or scan must return the dtypes of its parameters: "
                     "result %d is %s where parameter %d is %s",
                     k + 1, lun_dtype_name(given), k + 1, lun_dtype_name(m->value[k]));
}

/* Whether a value of dtype t can hold one of dtype `given`, as the variable of a loop must. */
static bool holds(const lun_merger *m, lun_dtype t, lun_dtype given)
{
    return !m->pairs && !lun__dtype_is_bool(given) && !lun__dtype_is_bool(t) &&
           lun__dtype_common(t, given) == t;
}

/* The dtypes of the results become those of the values; the number of the first one that changed,
 * -1: none did. */
static int take_dtypes(lun_merger *m, const lun_ir_function *f, bool change, lun_dtype *given)
{
    int first = -1;
    for (int k = m->values - 1; k >= 0; k--) {
        lun_dtype t = (lun_dtype)f->body->ins[f->output[k]].dtype;
        if (t == m->value[k] || holds(m, m->value[k], t))
            continue;
        first = k;
        *given = t;
        if (change && m->pairs)
            m->element[k] = t;
        if (change)
            m->value[k] = t;
    }
    return first;
}

/* The body of a front end's function: the dtypes of its results must be those of its values. */
static lun_status front_merger(lun_engine *e, lun_function *f, lun_extras extras, lun_merger *m,
                               lun_front_result *r)
{
    const int fixed = m->values + m->elements, rounds = m->values + 2;
    if (extras.count && fixed + extras.count > f->front.params)
        return lun__fail(e, LUN_EARG,
                         "the function has %d parameter%s, but is called with %s values and %d "
                         "extra argument%s",
                         f->front.params, f->front.params == 1 ? "" : "s",
                         fixed == 2 ? "two" : "more", extras.count, extras.count == 1 ? "" : "s");
    for (int round = 0; round < rounds; round++) {
        lun_dtype given = LUN_BOOL;
        lun_status s = specialise(e, f, extras, m, r);
        if (s == LUN_OK && r->function->outputs != m->values)
            s = wrong_results(e, m, r->function->outputs);
        if (s != LUN_OK)
            return s;
        int other = take_dtypes(m, r->function, round + 1 < rounds, &given);
        if (other < 0)
            return LUN_OK;
        if (round + 1 == rounds)
            return wrong_dtype(e, m, other, given);
    }
    return LUN_OK;
}

static lun_status front_combiner(lun_engine *e, lun_function *f, lun_extras extras, lun_dtype *t,
                                 lun_front_result *r)
{
    lun_merger m = {.values = 1, .elements = 1, .pairs = true, .value = {*t}, .element = {*t}};
    lun_status s = front_merger(e, f, extras, &m, r);
    *t = m.value[0];
    return s;
}

static lun_status check_extras(lun_engine *e, const lun_function *f, lun_extras extras)
{
    if (extras.count > LUN_MAX_OPERANDS - 2)
        return lun__fail(e, LUN_EARG, "more than %d extra arguments", LUN_MAX_OPERANDS - 2);
    for (int k = 0; k < extras.count; k++) {
        lun_status s = lun__array_usable(e, extras.at[k]);
        if (s != LUN_OK)
            return s;
        if (!is_scalar(extras.at[k]) && !f->front.specialise)
            return no_number(e, k, "an array: write the function in Lua, which may index it");
    }
    return LUN_OK;
}

/* f with its captured values and extra arguments, if it has any; r: NULL for C text. */
static lun_status with_captured(lun_engine *e, lun_function *f, const lun_ir_function *body,
                                int first, lun_extras extras, const lun_front_result *r,
                                lun_function **owner)
{
    const int arrays = r ? arrays_among(extras) + r->arrays : 0;
    const int numbers = extras.count - arrays_among(extras) + (r ? captured_by(r) : 0);
    uint64_t *cells;
    if (!numbers && !arrays) {
        lun_function_retain(f);
        *owner = f;
        return LUN_OK;
    }
    lun_status s = cells_of(e, body, first, extras, r, &cells);
    if (s == LUN_OK)
        s = with_cells(e, f, cells, numbers, arrays, owner);
    return s == LUN_OK && r ? add_arrays(e, extras, r, *owner) : s;
}

lun_status lun__combine_body(lun_engine *e, lun_function *f, lun_extras extras, lun_dtype *t,
                             const lun_ir_function **body, lun_function **owner)
{
    lun_front_result r = {.scalars = 0};
    *owner = NULL;
    lun_status s = check_extras(e, f, extras);
    if (s == LUN_OK && f->text)
        s = c_combiner(e, f->text, extras, t);
    else if (s == LUN_OK)
        s = front_combiner(e, f, extras, t, &r);
    if (s != LUN_OK)
        return s;
    *body = f->text ? f->text : r.function;
    if (!f->text)
        r.function->notes = r.notes;
    return with_captured(e, f, *body, 2, extras, f->text ? NULL : &r, owner);
}

lun_status lun__combine_merger(lun_engine *e, lun_function *f, lun_extras extras, lun_merger *m)
{
    lun_front_result r = {.scalars = 0};
    m->owner = NULL;
    if (!f->front.specialise)
        return lun__fail(e, LUN_EARG,
                         "%s gives one result: this takes a Lua function, which may give "
                         "several",
                         f->text ? "a C function" : "an operation");
    lun_status s = check_extras(e, f, extras);
    if (s == LUN_OK)
        s = front_merger(e, f, extras, m, &r);
    if (s != LUN_OK)
        return s;
    m->body = r.function;
    r.function->notes = r.notes;
    return with_captured(e, f, m->body, m->values + m->elements, extras, &r, &m->owner);
}
