/* generate.c - functions of indices: specialised for a range of them, applied, and their results as
 * arrays. Knows of a function only its front end's result. */
#include "api/loop/generate.h"

#include <string.h>

static lun_status make_box(lun_engine *e, int rank, const int64_t *first, const int64_t *extent,
                           lun_box *out)
{
    int64_t last;
    if (rank < 1)
        return lun__fail(e, LUN_ESHAPE, "a shape of 1 to %d extents is needed", LUN_MAX_RANK);
    lun_status s = lun__shape_check(e, rank, extent);
    if (s != LUN_OK)
        return s;
    *out = (lun_box){.rank = rank, .at = lun__layout_right(rank, extent)};
    out->empty = lun__layout_count(&out->at) == 0;
    for (int k = 0; k < rank; k++) {
        out->first[k] = first ? first[k] : 1;
        if (extent[k] > 0 && __builtin_add_overflow(out->first[k], extent[k] - 1, &last))
            return lun__fail(e, LUN_ERANGE, "indices of axis " LUN_NTH " are beyond 64 bits", k);
    }
    return LUN_OK;
}

/* The index along axis k at each element of b. */
static lun_status index_along(lun_engine *e, const lun_box *b, int k, lun_node **out)
{
    lun_layout along = b->at;
    lun_node *in[3] = {0}, *segment = NULL;
    memset(along.stride, 0, sizeof along.stride);
    along.stride[k] = 1;
    lun_status s = lun__node_index(e, b->at.extent[k], &segment);
    if (s == LUN_OK)
        s = lun__view_node(e, segment, &along, &in[0]);
    if (s == LUN_OK)
        s = lun__node_number(e, LUN_I64, (uint64_t)b->first[k], 0, NULL, &in[1]);
    if (s == LUN_OK)
        s = lun__node_op(e, LUN_OP_ADD, in, LUN_I64, in[0], out);
    if (s == LUN_OK)
        (*out)->is |= LUN_IS_SOURCE;
    lun__node_release(e, segment);
    lun__node_release(e, in[0]);
    lun__node_release(e, in[1]);
    return s;
}

/* ---- what a front end has left to the launch ------------------------------------------------- */

/* Whether the index lies within 1 .. n all over b. */
static bool within(const lun_box *b, lun_front_index at, int64_t n)
{
    int64_t low = at.shift, high = at.shift;
    if (at.param >= 0) {
        int64_t first = b->first[at.param];
        if (__builtin_add_overflow(first, at.shift, &low) ||
            __builtin_add_overflow(first + b->at.extent[at.param] - 1, at.shift, &high))
            return false;
    }
    return low >= 1 && high <= n;
}

static bool all_within(const lun_box *b, const lun_front_result *r)
{
    int64_t shape[LUN_MAX_RANK];
    for (int i = 0; !b->empty && i < r->bound_count; i++) {
        const lun_front_bound *x = &r->bounds[i];
        lun_shape(x->array, shape);
        if (!within(b, x->at, shape[x->axis]))
            return false;
    }
    return true;
}

static lun_status zero(lun_engine *e, lun_dtype t, lun_node **out)
{
    return lun__node_number(e, t, 0, 0, NULL, out);
}

/* The index range of `at` over b, joined with 1 .. n, those of the axis; false beyond 64 bits. */
static bool index_range(const lun_box *b, lun_front_index at, int64_t n, int64_t *low,
                        int64_t *high)
{
    *low = *high = at.shift;
    if (at.param >= 0 && (__builtin_add_overflow(b->first[at.param], at.shift, low) ||
                          __builtin_add_overflow(*low, b->at.extent[at.param] - 1, high)))
        return false;
    *low = *low < 1 ? *low : 1;
    *high = *high > n ? *high : n;
    return *low > -LUN_MOST_ELEMENTS && *high < LUN_MOST_ELEMENTS;
}

enum { PAD_MOST = 8 };

/* The padding of w's array, by zeros, that makes every index of b be within; b has elements. *all:
 * the number of padded elements; false: it is beyond 64 bits. */
static bool padding_of(const lun_box *b, const lun_front_window *w, lun_padding *p, int64_t *all)
{
    int64_t low, high;
    *all = 1;
    *p = (lun_padding){0};
    p->rank = lun_shape(w->array, p->inner);
    for (int k = 0; k < p->rank; k++) {
        if (!index_range(b, w->at[k], p->inner[k], &low, &high) ||
            __builtin_sub_overflow(high, low - 1, &p->extent[k]) ||
            __builtin_mul_overflow(*all, p->extent[k], all))
            return false;
        p->before[k] = 1 - low;
        p->rule[k] = LUN_PAD_VALUE;
    }
    return true;
}

/* Whether padding makes no array more than PAD_MOST times as large as it and the rounds are. */
static bool padding_fits(const lun_box *b, const lun_front_result *r)
{
    lun_padding p;
    int64_t all, most;
    for (int i = 0; !b->empty && i < r->window_count; i++)
        if (__builtin_add_overflow(lun_size(r->windows[i].array), lun__layout_count(&b->at),
                                   &most) ||
            !padding_of(b, &r->windows[i], &p, &all) || all / PAD_MOST > most)
            return false;
    return true;
}

lun_status lun__generate_box_window(lun_engine *e, const lun_box *b, const lun_front_window *w,
                                    lun_dtype t, lun_node **out)
{
    lun_layout to = b->at, from;
    lun_node *whole = NULL, *padded = NULL, *part = NULL;
    lun_padding p;
    int64_t all;
    if (b->empty || lun_size(w->array) == 0)
        return zero(e, t, out);
    if (!padding_of(b, w, &p, &all))
        return lun__fail(e, LUN_ERANGE, "indices reach too far beyond an array");
    from = lun__layout_right(p.rank, p.extent);
    memset(to.stride, 0, sizeof to.stride);
    for (int k = 0; k < p.rank; k++) {
        lun_front_index at = w->at[k];
        int64_t first = at.shift + (at.param < 0 ? 0 : b->first[at.param]);
        to.offset += from.stride[k] * (p.before[k] + first - 1);
        if (at.param >= 0)
            to.stride[at.param] += from.stride[k];
    }
    lun_status s = lun__array_node(e, w->array, LUN_DTYPE_COUNT, &whole);
    if (s == LUN_OK)
        s = lun__view_node_pad(e, whole, &p, &padded);
    if (s == LUN_OK)
        s = lun__view_node(e, padded, &to, &part);
    if (s == LUN_OK)
        s = lun__convert(e, part, t, out);
    lun__node_release(e, whole);
    lun__node_release(e, padded);
    lun__node_release(e, part);
    return s;
}

static bool reads(const lun_ir *body, int arg)
{
    for (int i = 0; i < body->count; i++)
        if (body->ins[i].kind == LUN_IR_ARG && body->ins[i].imm == arg)
            return true;
    return false;
}

/* ---- applying -------------------------------------------------------------------------------- */

/* The call's operands: indices that are read, elements of windows, captured values. */
static lun_status operands(lun_engine *e, const lun_box *b, lun_array *const *index,
                           const lun_front_result *r, lun_node **nodes, int *count)
{
    const lun_ir *body = r->function->body;
    lun_status s = LUN_OK;
    for (int k = 0; s == LUN_OK && k < b->rank; k++) {
        if (reads(body, k))
            s = lun__array_node(e, index[k], LUN_DTYPE_COUNT, &nodes[*count]);
        else
            s = zero(e, LUN_I64, &nodes[*count]);
        *count += s == LUN_OK;
    }
    for (int k = 0; s == LUN_OK && k < r->window_count; k++) {
        s = lun__generate_box_window(e, b, &r->windows[k], (lun_dtype)body->args[*count],
                                     &nodes[*count]);
        *count += s == LUN_OK;
    }
    return s == LUN_OK ? lun__apply_captured(e, r, nodes, count) : s;
}

lun_status lun__generate_box_prepare(lun_engine *e, lun_function *f, const lun_box *b,
                                     lun_array *const *index, bool writes, lun_front_result *r)
{
    lun_specialising how = {.index = LUN_FRONT_KNOWN, .writes = writes};
    lun_status s = lun__apply_specialise(e, f, index, b->rank, b->rank, how, r);
    if (s != LUN_OK || all_within(b, r))
        return s;
    how.index = LUN_FRONT_CHECKED; /* the kernel checks, and reports which index */
    s = lun__apply_specialise(e, f, index, b->rank, b->rank, how, r);
    if (s != LUN_OK || padding_fits(b, r))
        return s;
    how.index = LUN_FRONT_GATHERED;
    return lun__apply_specialise(e, f, index, b->rank, b->rank, how, r);
}

lun_status lun__generate_box_apply(lun_engine *e, lun_function *f, const lun_box *b,
                                   lun_array *const *index, const lun_front_result *r,
                                   lun_array **outs, int room, int *results)
{
    lun_node *nodes[LUN_MAX_RANK + LUN_FRONT_WINDOWS + LUN_FRONT_SCALARS + LUN_FRONT_ARRAYS];
    lun_node *like = NULL;
    int count = 0;
    lun_status s = operands(e, b, index, r, nodes, &count);
    if (s == LUN_OK)
        s = lun__node_number(e, LUN_I64, 0, b->rank, b->at.extent, &like);
    if (s == LUN_OK) {
        const lun_operands o = {nodes, count, b->rank + r->window_count, like, NULL};
        s = lun__apply_outputs(e, f, r, &o, outs, room, results);
    }
    lun__node_release(e, like);
    while (count)
        lun__node_release(e, nodes[--count]);
    return s;
}

lun_status lun__generate_box_make(lun_engine *e, int rank, const int64_t *first,
                                  const int64_t *extent, lun_box *b, lun_array **index)
{
    int made = 0;
    lun_status s = make_box(e, rank, first, extent, b);
    while (s == LUN_OK && made < rank) {
        lun_node *n = NULL;
        s = index_along(e, b, made, &n);
        if (s == LUN_OK)
            s = lun__array(e, n, true, &index[made]);
        made += s == LUN_OK;
    }
    while (s != LUN_OK && made)
        lun_release(index[--made]);
    return s;
}

lun_status lun_generate(lun_engine *e, lun_function *f, int rank, const int64_t *first,
                        const int64_t *extent, lun_array **outs, int room, int *results)
{
    LUN_NEED(e, extent && outs && results);
    lun_array *index[LUN_MAX_RANK];
    lun_front_result r;
    lun_box b;
    if (!f)
        return lun__fail(e, LUN_EARG, "no function given (NULL)");
    if (room < 1)
        return lun__fail(e, LUN_EARG, "no room for a result");
    *results = 1;
    lun_status s = lun__generate_box_make(e, rank, first, extent, &b, index);
    if (s != LUN_OK)
        return s;
    if (f->front.specialise)
        s = lun__generate_box_prepare(e, f, &b, index, false, &r);
    if (s == LUN_OK && f->front.specialise)
        s = lun__generate_box_apply(e, f, &b, index, &r, outs, room, results);
    else if (s == LUN_OK)
        s = lun_call(e, f, index, rank, rank, outs, room, results);
    for (int k = 0; k < rank; k++)
        lun_release(index[k]);
    return s;
}
