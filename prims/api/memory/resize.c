/* resize.c - arrays whose elements are undefined at first, and arrays that change their size.
 *
 * Invariant of what grows in place: elements behind the last one that any node shows,
 * storage->count, are nobody's; so the holder of the node that ends there may write them, whatever
 * other nodes show of the storage, and then counts them.  All else grows into new storage. */
#include <stdlib.h>
#include <string.h>

#include "api/array/api.h"
#include "api/array/elements.h"
#include "eval/eval.h"
#include "store/pool.h"
#include "text/texts.h"

lun_status lun_empty(lun_engine *e, int rank, const int64_t *shape, lun_dtype t, lun_array **out)
{
    LUN_NEED(e, out && (rank <= 0 || shape));
    lun_storage *of;
    lun_node *leaf;
    int64_t n = 1;
    if ((unsigned)t >= LUN_DTYPE_COUNT || e->sandbox || lun__dtype_is_bool(t))
        return lun_tensor(e, NULL, rank, shape, t, out);
    lun_status s = lun__shape_check(e, rank, shape);
    for (int k = 0; s == LUN_OK && k < rank; k++)
        n *= shape[k];
    if (s == LUN_OK)
        s = lun__storage_new(e, t, n, &of);
    if (s != LUN_OK)
        return s;
    s = lun__node_leaf(e, of, 0, rank, shape, &leaf);
    lun__storage_release(e, of);
    return s == LUN_OK ? lun__array(e, leaf, true, out) : s;
}

/* LUN_EARG unless a is an array of its own, in memory of the engine. */
static lun_status check_own(lun_engine *e, const lun_array *a, const char *what)
{
    char text[96];
    lun_status s = lun__write_check(e, a);
    if (s == LUN_OK && a->parent)
        s = lun__fail(e, LUN_EARG, "%s is a window on another array, which cannot be %s: %s a copy",
                      lun__array_describe(a, text), what,
                      strcmp(what, "resized") ? "append to" : "resize");
    if (s == LUN_OK && lun_dtype_kind(lun__array_logical(a)) == LUN_KIND_RECORD)
        s = lun__array_refuse_logical(e, a);
    if (s == LUN_OK && a->wraps)
        s = lun__fail(e, LUN_EARG, "%s is memory of the host's, which cannot be %s",
                      lun__array_describe(a, text), what);
    return s;
}

/* ---- resize ---------------------------------------------------------------------------------- */

/* The elements of a that are in the shape, with others behind them that fill it. */
static lun_status resized(lun_engine *e, lun_array *a, int rank, const int64_t *shape,
                          lun_array **out)
{
    int64_t first[LUN_MAX_RANK] = {0}, count[LUN_MAX_RANK], after[LUN_MAX_RANK];
    lun_edge edge[LUN_MAX_RANK];
    lun_array *common = NULL, *padded = NULL;
    lun_shape(a, count);
    for (int k = 0; k < rank; k++) {
        count[k] = count[k] < shape[k] ? count[k] : shape[k];
        after[k] = shape[k] - count[k];
        edge[k] = LUN_EDGE_VALUE;
    }
    lun_value zero = {.dtype = LUN_I64};
    if (lun__dtype_is_bool(lun__array_stored_dtype(a)))
        zero.dtype = LUN_BOOL;
    lun_status s = lun_window(e, a, rank, first, count, NULL, &common);
    if (s == LUN_OK)
        s = lun_pad(e, common, first, after, edge, zero, &padded);
    if (s == LUN_OK)
        s = lun_copy(e, padded, out);
    lun_release(common);
    lun_release(padded);
    return s;
}

lun_status lun_resize(lun_engine *e, lun_array **at, int rank, const int64_t *shape)
{
    LUN_NEED(e, at && *at && (rank <= 0 || shape));
    int64_t own[LUN_MAX_RANK];
    char text[96];
    lun_array *a = *at, *made = NULL;
    lun_status s = check_own(e, a, "resized");
    if (s == LUN_OK)
        s = lun__shape_check(e, rank, shape);
    if (s == LUN_OK && lun_shape(a, own) != rank)
        s = lun__fail(e, LUN_ESHAPE, "%s keeps its number of axes: %d extents expected, got %d",
                      lun__array_describe(a, text), lun_shape(a, own), rank);
    if (s == LUN_OK)
        s = resized(e, a, rank, shape, &made);
    if (s == LUN_OK && a->label)
        s = lun_set_label(e, made, a->label);
    if (s != LUN_OK) {
        lun_release(made);
        return s;
    }
    made->made = true;
    *at = made;
    lun_release(a);
    return LUN_OK;
}

/* ---- append ---------------------------------------------------------------------------------- */

/* Elements of n, a LEAF or NUMBER, to host. */
static lun_status copy_out(lun_engine *e, const lun_node *n, int64_t count, char *host)
{
    if (n->kind == LUN_NODE_LEAF)
        return lun__read_copy_out(e, n, 0, count, host);
    lun__dtype_cell_fill((lun_dtype)n->dtype, n->cell, host, count);
    return LUN_OK;
}

/* Whether `more` elements fit behind those of n, a LEAF, where its storage is, whose elements are
 * of whole blocks of 64. */
static bool has_room(const lun_node *n, int64_t more)
{
    const lun_storage *of = n->kind == LUN_NODE_LEAF ? n->storage : NULL;
    return of && of->bytes && !of->source && of->data && n->offset + n->n == of->count &&
           more <= of->room / 64 * 64 - of->count;
}

/* n's elements in new storage, with room for as many again and at least `more`. */
static lun_status move_out(lun_engine *e, lun_node *n, int64_t more, lun_storage **out)
{
    const int64_t least = n->n + more, twice = n->n > LUN_MOST_ELEMENTS / 2 ? least : 2 * n->n;
    lun_storage *of;
    lun_status s = lun__storage_new(e, (lun_dtype)n->dtype, twice > least ? twice : least, &of);
    if (s != LUN_OK && twice > least) /* room to spare is not there */
        s = lun__storage_new(e, (lun_dtype)n->dtype, least, &of);
    if (s != LUN_OK)
        return s;
    s = copy_out(e, n, n->n, of->data);
    of->count = n->n;
    if (s == LUN_OK)
        *out = of;
    else
        lun__storage_release(e, of);
    return s;
}

/* A LEAF of n's elements, LEAF or NUMBER, and behind them `more` of x's, of its dtype. */
static lun_status extended(lun_engine *e, lun_node *n, const lun_node *x, int64_t more,
                           lun_node **out)
{
    const int size = lun__dtype_get((lun_dtype)n->dtype)->bytes;
    const int64_t all = n->n + more;
    const bool in_place = has_room(n, more);
    lun_storage *of = in_place ? n->storage : NULL;
    int64_t from = in_place ? n->offset : 0;
    lun_status s = in_place ? lun__mirror_host(e, of, true) : move_out(e, n, more, &of);
    if (s != LUN_OK)
        return s;
    if (in_place) {
        lun__storage_leave(e, of); /* copies on devices have no room */
        of->refs++;
    }
    s = copy_out(e, x, more, (char *)of->data + of->count * size);
    if (s == LUN_OK) {
        of->count += more;
        lun__pool_pad(of->data, of->count, size);
        s = lun__node_leaf(e, of, from, 1, &all, out);
        of->count -= s == LUN_OK ? 0 : more;
    }
    lun__storage_release(e, of);
    return s;
}

/* Exchanges a's node, evaluated, for one with x's elements, a node of its dtype, behind. */
static lun_status append_slots(lun_engine *e, lun_array *a, lun_node *x, int64_t more)
{
    lun_node *longer = NULL, *was = a->node;
    lun_status s = extended(e, was, x, more, &longer);
    if (s != LUN_OK)
        return s;
    a->node = longer;
    a->made = true;
    lun__node_release(e, was);
    return LUN_OK;
}

/* x's slots as an evaluated node of dtype t; NULL: true for each. */
static lun_status values(lun_engine *e, lun_array *x, lun_dtype t, lun_node **out)
{
    lun_node *raw = NULL;
    *out = NULL;
    if (!x)
        return lun__node_number(e, t, 1, 0, NULL, out);
    lun_status s = lun__array_slots(e, x, x->weak ? t : LUN_DTYPE_COUNT, &raw);
    if (s == LUN_OK)
        s = lun__convert(e, raw, t, out);
    if (s == LUN_OK && (*out)->kind != LUN_NODE_NUMBER)
        s = lun__eval(e, out, 1);
    lun__node_release(e, raw);
    return s;
}

/* Appends slots and which of them are there, both or neither. */
static lun_status append_parts(lun_engine *e, lun_array *a, lun_array *const from[2], int64_t more)
{
    lun_node *x[2] = {NULL, NULL}, *was = NULL;
    lun_status s = values(e, from[0], lun__array_stored_dtype(a), &x[0]);
    if (s == LUN_OK && from[1])
        s = lun__write_validity(e, a);
    if (s == LUN_OK && a->valid)
        s = values(e, from[1], LUN_BOOL, &x[1]);
    if (s == LUN_OK && a->valid)
        s = lun__eval(e, &a->valid->node, 1);
    if (s == LUN_OK)
        s = lun__eval(e, &a->node, 1);
    if (s == LUN_OK && a->valid) {
        was = lun__node_retain(a->valid->node);
        s = append_slots(e, a->valid, x[1], more);
    }
    if (s == LUN_OK && (s = append_slots(e, a, x[0], more)) != LUN_OK && was) {
        lun__node_release(e, a->valid->node);
        a->valid->node = lun__node_retain(was);
    }
    lun__node_release(e, was);
    lun__node_release(e, x[0]);
    lun__node_release(e, x[1]);
    return s;
}

/* a becomes a then x: of texts, whose codes are those of a common pool. */
static lun_status append_joined(lun_engine *e, lun_array *a, lun_array *x)
{
    lun_array *made, swapped;
    lun_status s = lun_concat(e, a, x, &made);
    if (s == LUN_OK && (s = lun_eval(e, &made, 1)) != LUN_OK)
        lun_release(made);
    if (s != LUN_OK)
        return s;
    swapped = *a;
    a->node = made->node;
    a->texts = made->texts;
    a->valid = made->valid;
    a->made = true;
    made->node = swapped.node;
    made->texts = swapped.texts;
    made->valid = swapped.valid;
    lun_release(made);
    return LUN_OK;
}

static lun_status check_append(lun_engine *e, const lun_array *a, const lun_array *x)
{
    int64_t shape[LUN_MAX_RANK];
    char text[96];
    lun_status s = check_own(e, a, "appended to");
    if (s == LUN_OK)
        s = lun__array_present(e, x);
    if (s == LUN_OK && (lun_shape(a, shape) != 1 || a->viewed))
        s = lun__array_is_complex(a)
                ? lun__fail(e, LUN_EDTYPE, "%s does not grow: join arrays, a .. b",
                            lun__array_describe(a, text))
                : lun__fail(e, LUN_ESHAPE, "a Vector without gaps expected, got %s",
                            lun__array_describe(a, text));
    if (s == LUN_OK && lun_shape(x, shape) > 1)
        s = lun__fail(e, LUN_ESHAPE, "a Vector or a number expected, got %s",
                      lun__array_describe(x, text));
    if (s == LUN_OK && lun_size(a) > LUN_MOST_ELEMENTS - lun_size(x))
        s = lun__fail(e, LUN_ERANGE, "%lld and %lld elements are too many", (long long)lun_size(a),
                      (long long)lun_size(x));
    return s;
}

lun_status lun_append(lun_engine *e, lun_array *a, lun_array *x)
{
    LUN_NEED(e, a && x);
    int64_t spare[LUN_MAX_RANK];
    lun_array *from[2] = {NULL, NULL}, *row = NULL;
    lun_status s = check_append(e, a, x);
    e->error_where = NULL;
    if (s != LUN_OK || lun_size(x) == 0)
        return s;
    const int64_t more = lun_size(x), one = 1;
    if (lun_dtype_kind(lun__array_logical(a)) == LUN_KIND_TEXT) {
        if (!x->weak && lun_shape(x, spare) == 0)
            s = lun_reshape(e, x, 1, &one, &row);
        if (s == LUN_OK)
            s = append_joined(e, a, row ? row : x);
        lun_release(row);
        return s;
    }
    if (!a->valid && !lun__array_has_parts(x) && !lun__array_logical(a)) {
        lun_retain(from[0] = x);
    } else {
        s = lun__store_parts(e, a, x, from);
    }
    if (s == LUN_OK)
        s = append_parts(e, a, from, more);
    lun_release(from[0]);
    lun_release(from[1]);
    return s;
}
