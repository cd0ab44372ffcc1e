/* running.c - functions that run along elements and carry several values: their operands, and the
 * nodes that run along segments; scans of segments of unequal length. How they run is the
 * plan's. */
#include "api/fold/lazy.h"
#include "lunarray_bind.h"

typedef lun_several several;

void lun__running_end(several *s)
{
    for (int k = 0; k < LUN_MAX_VALUES; k++) {
        lun__node_release(s->e, s->id[k]);
        lun__node_release(s->e, s->x[k]);
    }
    lun_function_release(s->m.owner);
}

/* ---- operands -------------------------------------------------------------------------------- */

static lun_status add_array(several *s, lun_array *a, int k)
{
    char text[96], other[96];
    lun_status status = lun__array_usable(s->e, a);
    if (status == LUN_OK)
        status = lun__array_node(s->e, a, LUN_DTYPE_COUNT, &s->x[k]);
    if (status != LUN_OK || (a->weak && k))
        return status;
    if (a->weak)
        return LUN_OK;
    int64_t shape[LUN_MAX_RANK], own[LUN_MAX_RANK];
    const lun_node *like = s->like, *n = s->x[k];
    lun__node_shape(n, own);
    if (like)
        lun__node_shape(like, shape);
    bool same = !like || like->rank == n->rank;
    for (int i = 0; like && same && i < n->rank; i++)
        same = shape[i] == own[i];
    if (!same) {
        lun_array first = {.viewed = true,
                           .node = (lun_node *)(uintptr_t)like,
                           .at = lun__layout_right(like->rank, shape)};
        return lun__fail(s->e, LUN_ESHAPE,
                         "shapes differ: array " LUN_NTH " is %s, array " LUN_NTH " is %s", 0,
                         lun__array_describe(&first, text), k, lun__array_describe(a, other));
    }
    s->like = like ? like : n;
    return LUN_OK;
}

/* Numbers are broadcast. */
static lun_status spread_numbers(several *s)
{
    lun_status status = LUN_OK;
    if (!s->like)
        return lun__fail(s->e, LUN_EARG, "array expected, got numbers alone");
    int64_t shape[LUN_MAX_RANK];
    lun__node_shape(s->like, shape);
    for (int k = 0; status == LUN_OK && k < s->m.values; k++) {
        lun_node *n = s->x[k];
        if (n->kind != LUN_NODE_NUMBER || n->rank)
            continue;
        status =
            lun__node_number(s->e, (lun_dtype)n->dtype, n->cell, s->like->rank, shape, &s->x[k]);
        if (status == LUN_OK)
            lun__node_release(s->e, n);
        else
            s->x[k] = n;
    }
    return status;
}

static lun_status add_id(several *s, lun_array *id, int k)
{
    const int64_t one = 1;
    lun_node *raw, *cast = NULL;
    lun_status status = lun__array_usable(s->e, id);
    if (status == LUN_OK)
        status = lun__array_node(s->e, id, s->m.value[k], &raw);
    if (status != LUN_OK)
        return status;
    if (raw->n != 1)
        status = lun__fail(s->e, LUN_ESHAPE, "an initial value must be a number or a Scalar");
    if (status == LUN_OK)
        status = lun__convert(s->e, raw, s->m.value[k], &cast);
    if (status == LUN_OK)
        status = lun__view_node_reshape(s->e, cast, 1, &one, &s->id[k]);
    lun__node_release(s->e, raw);
    lun__node_release(s->e, cast);
    return status;
}

lun_status lun__running_begin(several *s, lun_function *f, lun_array *const *ids,
                              lun_array *const *arrays, int count, lun_extras extras)
{
    lun_engine *e = s->e;
    lun_status status = LUN_OK;
    if (!f)
        return lun__fail(e, LUN_EARG, "no function given (NULL)");
    if (count < 1 || count > LUN_MAX_VALUES)
        return lun__fail(e, LUN_EARG, "1 to %d elements expected, got %d", LUN_MAX_VALUES, count);
    if (extras.count > LUN_MAX_OPERANDS - 2 * count)
        return lun__fail(e, LUN_EARG, "more than %d extra arguments", LUN_MAX_OPERANDS - 2 * count);
    s->m.values = s->m.elements = count;
    s->m.pairs = true;
    for (int k = 0; status == LUN_OK && k < count; k++)
        status = add_array(s, arrays[k], k);
    if (status == LUN_OK)
        status = spread_numbers(s);
    for (int k = 0; status == LUN_OK && k < count; k++)
        s->m.value[k] = s->m.element[k] =
            (lun_dtype)lun__dtype_get((lun_dtype)s->x[k]->dtype)->compute;
    if (status == LUN_OK)
        status = lun__combine_merger(e, f, extras, &s->m);
    for (int k = 0; status == LUN_OK && k < count; k++)
        status = add_id(s, ids[k], k);
    return status;
}

/* ---- segments -----------------------------------------------------------------------------------
 * */

lun_status lun__running_run(several *s, unsigned how, lun_node *const *list, lun_node *const *from,
                            lun_node *const *x, int64_t length, int rank, const int64_t *shape,
                            lun_node **out)
{
    lun_node *in[2 + 2 * LUN_MAX_VALUES];
    const int m = s->m.values;
    int count = 0;
    for (int k = 0; list && k < 2; k++)
        in[count++] = list[k];
    how |= list ? LUN_RUNNING_LISTED : 0;
    for (int k = 0; from && k < m; k++)
        in[count++] = from[k];
    for (int k = 0; k < m; k++)
        in[count++] = x[k];
    lun_status status = lun__fold_node_running(s->e, how, s->m.owner, s->m.body, in, count, m,
                                               length, rank, shape, &out[0]);
    int made = status == LUN_OK;
    for (; status == LUN_OK && made < m; made++) {
        status = lun__fold_node_result(s->e, out[0], made, &out[made]);
        if (status != LUN_OK)
            break;
    }
    while (status != LUN_OK && made) {
        lun__node_release(s->e, out[--made]);
        out[made] = NULL;
    }
    return status;
}

/* ---- segments of a list -------------------------------------------------------------------------
 * */

/* x, a Vector, as a node of dtype i64 if it is a list of segments; of `count` elements unless that
 * is negative. */
static lun_status vector_node(lun_engine *e, lun_array *a, int64_t count, bool numbers,
                              lun_node **out)
{
    char text[96];
    lun_node *raw;
    lun_status s = lun__array_usable(e, a);
    if (s == LUN_OK)
        s = lun__array_node(e, a, LUN_DTYPE_COUNT, &raw);
    if (s != LUN_OK)
        return s;
    if (raw->rank != 1 || (count >= 0 && raw->n != count))
        s = lun__fail(e, LUN_ESHAPE, "a Vector expected, got %s", lun__array_describe(a, text));
    else if (numbers)
        s = lun__convert(e, raw, LUN_I64, out);
    else
        *out = lun__node_retain(raw);
    lun__node_release(e, raw);
    return s;
}

/* The dtype of a value that begins with id and takes elements of dtype t. */
static lun_dtype first_dtype(const lun_array *id, lun_dtype t)
{
    const lun_dtype own = lun_dtype_of(id);
    const bool keeps = lun__dtype_is_bool(own) || lun__dtype_is_bool(t) || !id->weak ||
                       (lun__dtype_is_float(own) && !lun__dtype_is_float(t));
    return (lun_dtype)lun__dtype_get(keeps ? own : t)->compute;
}

/* The first value of each segment: id, one for all, or an array of them. */
static lun_status firsts(several *s, lun_array *id, int64_t segments, lun_node **out)
{
    lun_layout all = {.rank = 1, .extent = {segments}};
    lun_node *raw;
    if (id->weak || lun_size(id) == 1) {
        lun_status status = add_id(s, id, 0);
        return status == LUN_OK ? lun__view(s->e, s->id[0], &all, out) : status;
    }
    lun_status status = vector_node(s->e, id, segments, false, &raw);
    if (status != LUN_OK)
        return status;
    status = lun__convert(s->e, raw, s->m.value[0], out);
    lun__node_release(s->e, raw);
    return status;
}

static unsigned how_of(lun_lines_give give)
{
    return LUN_RUNNING_LISTED | (give == LUN_LINES_BEFORE ? LUN_RUNNING_BEFORE
                                 : give == LUN_LINES_ENDS ? LUN_RUNNING_ENDS
                                                          : 0);
}

lun_status lun_run_lines(lun_engine *e, lun_function *f, lun_array *id, lun_array *x,
                         lun_array *first, lun_array *counts, lun_lines_give give, lun_array **out)
{
    LUN_NEED(e, id && x && first && counts && out);
    several s = {.e = e};
    lun_node *in[4] = {NULL}, *n = NULL;
    if (!f)
        return lun__fail(e, LUN_EARG, "no function given (NULL)");
    lun_status status = lun__array_usable(e, id);
    if (status == LUN_OK)
        status = vector_node(e, x, -1, false, &in[3]);
    if (status == LUN_OK)
        status = vector_node(e, first, -1, true, &in[0]);
    if (status == LUN_OK)
        status = vector_node(e, counts, in[0]->n, true, &in[1]);
    if (status == LUN_OK) {
        s.m = (lun_merger){.values = 1, .elements = 1};
        s.m.value[0] = first_dtype(id, (lun_dtype)in[3]->dtype);
        s.m.element[0] = (lun_dtype)lun__dtype_get((lun_dtype)in[3]->dtype)->compute;
        status = lun__combine_merger(e, f, (lun_extras){NULL, 0}, &s.m);
    }
    if (status == LUN_OK)
        status = firsts(&s, id, in[0]->n, &in[2]);
    if (status == LUN_OK)
        status = lun__fold_node_running(e, how_of(give), s.m.owner, s.m.body, in, 4, 1, 0, 1,
                                        give == LUN_LINES_ENDS ? &in[0]->n : &in[3]->n, &n);
    for (int k = 0; k < 4; k++)
        lun__node_release(e, in[k]);
    lun__running_end(&s);
    return status == LUN_OK ? lun__array(e, n, false, out) : status;
}
