/* apply_function.c - users' functions applied to elements, specialised by a front end.  How they
 * are made is make_function.c's, how they combine elements (reduce, scan) combine.c's and
  * fold.c's. */
#include "api/array/apply_function.h"

#include <string.h>

#include "api/array/axes.h"
#include "lunarray_bind.h"

typedef struct call {
    lun_engine *e;
    lun_function *f;
    lun_array *const *operands;
    int count, elements;
    lun_node **nodes; /* operands as nodes; the captured ones follow */
    int node_count;
    const lun_axes *axes; /* in which order elements are taken; NULL: row-major */
    lun_around *around;   /* NULL: the function takes elements, not their neighbours */
} call;

/* Operand k as a node: an element's in the order in which all are taken. */
static lun_status node_of(const call *c, int k, lun_dtype t, lun_node **out)
{
    return lun__axes_node(c->e, c->operands[k], t, k < c->elements ? c->axes : NULL, out);
}

/* The operand that parameter p of the C function takes. */
static lun_status c_operand(call *c, int p)
{
    lun_engine *e = c->e;
    const lun_ir_function *f = c->f->text;
    const int k = f->param[p].of;
    lun_array *a = c->operands[k];
    lun_dtype want = (lun_dtype)f->param[p].dtype;
    lun_node *raw;
    char shape[96];
    bool array = !a->weak && lun_size(a) >= 0 && lun_shape(a, (int64_t[LUN_MAX_RANK]){0}) > 0;
    if (f->param[p].pointer && (!array || lun_dtype_of(a) != want))
        return lun__fail(
            e, LUN_EDTYPE, "parameter %d of the function is an array of %s, but the argument is %s",
            k + 1, lun_dtype_name(want), array ? lun__array_describe(a, shape) : "a number");
    if (!f->param[p].pointer && array && k >= c->elements)
        return lun__fail(e, LUN_EDTYPE,
                         "parameter %d of the function is a number (%s), but the argument is an "
                         "array, %s; elements=%d passes it element by element",
                         k + 1, lun_dtype_name(want), lun__array_describe(a, shape), k + 1);
    if (f->param[p].pointer && k < c->elements)
        return lun__fail(e, LUN_EARG,
                         "parameter %d of the function receives an element: it cannot be a pointer",
                         k + 1);
    lun_status s = node_of(c, k, want, &raw);
    if (s != LUN_OK)
        return s;
    s = lun__convert(e, raw, want, &c->nodes[c->node_count]);
    lun__node_release(e, raw);
    if (s == LUN_OK)
        c->node_count++;
    return s;
}

static lun_status wrong_count(const call *c, int params)
{
    int extras = c->count - c->elements;
    return lun__fail(
        c->e, LUN_EARG,
        "the function has %d parameter%s, but is called with %d element%s and %d extra argument%s",
        params, params == 1 ? "" : "s", c->elements, c->elements == 1 ? "" : "s", extras,
        extras == 1 ? "" : "s");
}

/* The neighbours of an index that a C function takes. */
static lun_status c_neighbours(call *c)
{
    lun_engine *e = c->e;
    const lun_ir_function *f = c->f->text;
    int64_t shape[LUN_MAX_RANK];
    const int rank = lun_shape(c->operands[0], shape), axes = f->neighbour[0].axes;
    if (axes != rank)
        return lun__fail(
            e, LUN_EARG,
            "get(x, ...) with %d offset%s: it takes %d, one for each axis of the array", axes,
            axes == 1 ? "" : "s", rank);
    for (int k = 0; k < f->neighbours; k++)
        if (f->neighbour[k].param >= c->elements)
            return lun__fail(e, LUN_EARG,
                             "get reads parameter %d of the function, which takes an extra "
                             "argument; elements=%d passes it an array of the stencil",
                             f->neighbour[k].param + 1, f->neighbour[k].param + 1);
    lun_status s =
        lun__neighbours(e, f->neighbour, f->neighbours, c->operands, c->around, c->axes, c->nodes);
    c->node_count = s == LUN_OK ? f->neighbours : 0;
    return s;
}

/* How many of the C function's parameters take elements. */
static int c_elements(const call *c)
{
    const lun_ir_function *f = c->f->text;
    int n = f->neighbours;
    while (n < f->params - f->lengths && f->param[n].of < c->elements)
        n++;
    return n;
}

static lun_status call_c(call *c, lun_array **out)
{
    const lun_ir_function *f = c->f->text;
    lun_engine *e = c->e;
    lun_node *n = NULL;
    if (f->operands != c->count)
        return wrong_count(c, f->operands);
    lun_status s = f->neighbours ? c_neighbours(c) : LUN_OK;
    for (int k = f->neighbours; s == LUN_OK && k < f->params - f->lengths; k++)
        s = c_operand(c, k);
    for (int k = f->params - f->lengths; s == LUN_OK && k < f->params; k++) {
        uint64_t length = (uint64_t)lun_size(c->operands[f->param[k].of]);
        s = lun__node_number(e, LUN_I64, length, 0, NULL, &c->nodes[c->node_count]);
        c->node_count += s == LUN_OK;
    }
    if (s != LUN_OK)
        return s;
    const lun_node *like;
    const int elements = c_elements(c);
    lun_array *given[LUN_MAX_OPERANDS];
    for (int k = f->neighbours; k < elements; k++)
        given[k] = c->operands[f->param[k].of];
    s = lun__shape_align(e, c->nodes, f->neighbours ? NULL : given, elements, &like);
    if (s != LUN_OK)
        return s;
    s = lun__node_call(e, c->f, f, c->nodes, f->params, elements, (lun_dtype)f->result, like, &n);
    return s == LUN_OK ? lun__axes_array(e, n, false, c->axes, out) : s;
}

/* The dtype in which a function takes a's elements. */
static lun_dtype computed(const lun_array *a)
{
    return (lun_dtype)lun__dtype_get(lun_dtype_of(a))->compute;
}

lun_status lun__apply_specialise(lun_engine *e, lun_function *f, lun_array *const *operands,
                                 int count, int elements, lun_specialising how, lun_front_result *r)
{
    lun_front_param params[LUN_MAX_OPERANDS];
    for (int k = 0; k < count; k++) {
        int64_t shape[LUN_MAX_RANK];
        lun_array *a = operands[k];
        int rank = lun_shape(a, shape);
        bool array = k >= elements && rank > 0;
        bool around = k < elements && how.index == LUN_FRONT_AROUND;
        params[k] =
            (lun_front_param){.dtype = computed(a),
                              .array = array,
                              .weak = a->weak,
                              .index = (uint8_t)(k < elements ? how.index : LUN_FRONT_ELEMENT),
                              .writes = how.writes,
                              .rank = array || around ? rank : 0,
                              .stored = lun_dtype_of(a)};
        if (array)
            memcpy(params[k].shape, shape, (size_t)rank * sizeof *shape);
        for (int i = 0; around && i < rank; i++)
            params[k].shape[i] = how.radius ? how.radius[i] : -1;
    }
    memset(r, 0, sizeof *r);
    lun__fail_clear(e);
    lun_host_begin(e); /* the front end can be stopped */
    lun_status s = f->front.specialise(f->front.ctx, params, count, r, &e->error);
    lun_host_end(e);
    if (s != LUN_OK)
        return s == LUN_ENOMEM && !e->error.length ? lun__fail_nomem(e) : s;
    r->function->note_count = r->note_count;
    lun__function_ref_number(e, r->function);
    return LUN_OK;
}

/* Dtype of the k-th scalar parameter of an IR function's body. */
static lun_dtype scalar_param(const lun_ir_function *f, int k)
{
    return (lun_dtype)f->body->args[k];
}

lun_status lun__apply_captured(lun_engine *e, const lun_front_result *r, lun_node **nodes,
                               int *count)
{
    lun_status s = LUN_OK;
    for (int k = 0; s == LUN_OK && k < r->scalars; k++) {
        s = lun__node_number(e, r->scalar_dtype[k],
                             lun__dtype_cell_from_value(r->scalar_dtype[k], r->scalar[k]), 0, NULL,
                             &nodes[*count]);
        *count += s == LUN_OK;
    }
    for (int k = 0; s == LUN_OK && k < r->arrays; k++) {
        lun_node *raw;
        s = lun__array_node(e, r->array[k], LUN_DTYPE_COUNT, &raw);
        if (s != LUN_OK)
            break;
        s = lun__convert(e, raw, computed(r->array[k]), &nodes[*count]);
        lun__node_release(e, raw);
        *count += s == LUN_OK;
    }
    return s;
}

/* Operands from `first` on as nodes; `scalar`: the body's scalar parameters before them. */
static lun_status own_operands(call *c, const lun_front_result *r, int first, int scalar)
{
    lun_engine *e = c->e;
    lun_status s = LUN_OK;
    for (int k = first; s == LUN_OK && k < c->count; k++) {
        lun_array *a = c->operands[k];
        int64_t shape[LUN_MAX_RANK];
        bool array = k >= c->elements && lun_shape(a, shape) > 0;
        lun_node *raw;
        lun_dtype want = array ? computed(a) : scalar_param(r->function, scalar++);
        s = node_of(c, k, want, &raw);
        if (s != LUN_OK)
            break;
        s = lun__convert(e, raw, want, &c->nodes[c->node_count]);
        lun__node_release(e, raw);
        c->node_count += s == LUN_OK;
    }
    return s;
}

static lun_status front_operands(call *c, const lun_front_result *r)
{
    lun_engine *e = c->e;
    lun_status s = LUN_OK;
    if (c->around) {
        s = lun__neighbours(e, r->neighbour, r->neighbours, c->operands, c->around, c->axes,
                            c->nodes);
        c->node_count = s == LUN_OK ? r->neighbours : 0;
        if (s == LUN_OK)
            s = own_operands(c, r, c->elements, r->neighbours);
    } else {
        s = own_operands(c, r, 0, 0);
    }
    return s == LUN_OK ? lun__apply_captured(e, r, c->nodes, &c->node_count) : s;
}

/* The first output that is the same value as output k. */
static int first_output(const lun_ir_function *f, int k)
{
    int first = 0;
    while (f->output[first] != f->output[k])
        first++;
    return first;
}

lun_status lun__apply_outputs(lun_engine *e, lun_function *fn, const lun_front_result *r,
                              const lun_operands *o, lun_array **outs, int room, int *results)
{
    const lun_ir_function *f = r->function;
    lun_node *n = NULL;
    int made = 0;
    *results = f->outputs;
    if (f->outputs > room)
        return lun__fail(e, LUN_EARG, "the function gives %d results, not %d", f->outputs, room);
    lun_status s = lun__node_call(e, fn, f, o->nodes, o->count, o->elements,
                                  (lun_dtype)f->body->ins[f->output[0]].dtype, o->like, &n);
    if (s != LUN_OK)
        return s;
    n->notes = r->notes; /* equal operands have equal extents, and so equal texts */
    for (; s == LUN_OK && made < f->outputs; made++) {
        lun_node *out = NULL;
        if (f->outputs == 1)
            out = lun__node_retain(n);
        else
            s = lun__node_output(e, n, first_output(f, made),
                                 (lun_dtype)f->body->ins[f->output[made]].dtype, &out);
        if (s == LUN_OK)
            s = lun__axes_array(e, out, false, o->axes, &outs[made]);
        if (s != LUN_OK)
            break;
    }
    lun__node_release(e, n);
    if (s != LUN_OK)
        while (made)
            lun_release(outs[--made]);
    return s;
}

static lun_status call_front(call *c, lun_array **outs, int room, int *results)
{
    lun_engine *e = c->e;
    lun_front_result r;
    const lun_node *like;
    if (c->count > c->elements && c->count > c->f->front.params)
        return wrong_count(c, c->f->front.params);
    const lun_specialising how = {.index = c->around ? LUN_FRONT_AROUND : LUN_FRONT_ELEMENT,
                                  .radius = c->around ? c->around->how->radius : NULL};
    lun_status s = lun__apply_specialise(e, c->f, c->operands, c->count, c->elements, how, &r);
    if (s == LUN_OK && c->around && r.neighbours == 0)
        s = lun__fail(e, LUN_EARG, "the function reads no element around its index");
    if (s == LUN_OK)
        s = front_operands(c, &r);
    const int elements = s == LUN_OK && c->around ? r.neighbours : c->elements;
    if (s == LUN_OK)
        s = lun__shape_align(e, c->nodes, c->around ? NULL : c->operands, elements, &like);
    if (s != LUN_OK)
        return s;
    const lun_operands o = {c->nodes, c->node_count, elements, like, c->axes};
    return lun__apply_outputs(e, c->f, &r, &o, outs, room, results);
}

lun_status lun__apply_check(lun_engine *e, const lun_function *f, lun_array *const *operands,
                            int count, int elements, int room)
{
    lun_status s = LUN_OK;
    if (!f)
        return lun__fail(e, LUN_EARG, "no function given (NULL)");
    if (count < elements || elements < 1 || count > LUN_MAX_OPERANDS || room < 1)
        return lun__fail(e, LUN_EARG, "a function takes 1 to %d operands", LUN_MAX_OPERANDS);
    for (int k = 0; s == LUN_OK && k < count; k++)
        s = lun__array_usable(e, operands[k]);
    return s;
}

lun_status lun__apply_check_around(lun_engine *e, const lun_function *f, bool around)
{
    if (around && f->text && !f->text->neighbours)
        return lun__fail(e, LUN_EARG,
                         "the function reads no element around its index: get(x, -1, 0) is one, "
                         "with an offset for each axis");
    if (around && !f->text && !f->front.specialise)
        return lun__fail(e, LUN_EARG, "a stencil takes a Lua function or a C function");
    if (!around && f->text && f->text->neighbours)
        return lun__fail(e, LUN_EARG,
                         "get(x, ...) reads elements around an index: only a stencil's function "
                         "may");
    return LUN_OK;
}

lun_status lun__apply_around(lun_engine *e, lun_function *f, lun_array *const *operands, int count,
                             int elements, lun_around *around, lun_array **outs, int room,
                             int *results)
{
    lun_node *nodes[2 * LUN_MAX_OPERANDS + LUN_FRONT_SCALARS + LUN_FRONT_ARRAYS];
    call c = {e, f, operands, count, elements, nodes, 0, NULL, around};
    lun_axes order;
    lun_status s = lun__apply_check(e, f, operands, count, elements, room);
    *results = 1;
    if (s == LUN_OK)
        s = lun__apply_check_around(e, f, around != NULL);
    if (s != LUN_OK)
        return s;
    if (f->op < LUN_OP_COUNT)
        return lun__elementwise_slots(e, f->op, operands, count, outs);
    if (lun__axes_common(operands, elements, &order))
        c.axes = &order;
    if (f->text)
        s = call_c(&c, outs);
    else
        s = call_front(&c, outs, room, results);
    while (c.node_count)
        lun__node_release(e, nodes[--c.node_count]);
    return s;
}

/* A kernel over one index, whose operands are numbers and whole arrays. */
static lun_status call_alone(call *c, lun_array **outs, int room, int *results)
{
    const int64_t one = 1;
    lun_engine *e = c->e;
    lun_front_result r;
    lun_node *like = NULL;
    if (c->count > c->f->front.params)
        return lun__fail(e, LUN_EARG, "the function has %d parameter%s, but is called with %d",
                         c->f->front.params, c->f->front.params == 1 ? "" : "s", c->count);
    lun_status s =
        lun__apply_specialise(e, c->f, c->operands, c->count, 0, (lun_specialising){0}, &r);
    if (s == LUN_OK)
        s = own_operands(c, &r, 0, 0);
    if (s == LUN_OK)
        s = lun__apply_captured(e, &r, c->nodes, &c->node_count);
    if (s == LUN_OK)
        s = lun__node_number(e, LUN_I64, 0, 1, &one, &like);
    if (s == LUN_OK) {
        const lun_operands o = {c->nodes, c->node_count, 0, like, NULL};
        s = lun__apply_outputs(e, c->f, &r, &o, outs, room, results);
    }
    lun__node_release(e, like);
    return s;
}

lun_status lun_call_alone(lun_engine *e, lun_function *f, lun_array *const *operands, int count,
                          lun_array **outs, int room, int *results)
{
    LUN_NEED(e, operands && outs && results && room >= 1);
    lun_node *nodes[2 * LUN_MAX_OPERANDS + LUN_FRONT_SCALARS + LUN_FRONT_ARRAYS];
    call c = {e, f, operands, count, 0, nodes, 0, NULL, NULL};
    lun_status s = LUN_OK;
    *results = 0;
    if (!f || !f->front.specialise || count < 0 || count > LUN_MAX_OPERANDS)
        return lun__fail(e, LUN_EARG, "a Lua function and at most %d arguments expected",
                         LUN_MAX_OPERANDS);
    for (int k = 0; s == LUN_OK && k < count; k++)
        s = lun__array_usable(e, operands[k]);
    if (s == LUN_OK)
        s = call_alone(&c, outs, room, results);
    while (c.node_count)
        lun__node_release(e, nodes[--c.node_count]);
    return s;
}
