/* view_nodes.c - nodes that give elements of others in another shape or order: parts of
 * LEAFs, VIEWs, PADs, CONCATs, RESHAPEs. */
#include <string.h>

#include "graph/make_node.h"

/* A leaf on part of a file: loading it into memory does not load the rest. */
static lun_status leaf_on_part(lun_engine *e, const lun_node *a, int64_t offset, int rank,
                               const int64_t *shape, lun_node **out)
{
    int64_t count = 1;
    lun_storage *part;
    for (int i = 0; i < rank; i++)
        count *= shape[i];
    lun_status s = lun__file_backed_part(e, a->storage, a->offset + offset, count, &part);
    if (s != LUN_OK)
        return s;
    s = lun__node_leaf(e, part, 0, rank, shape, out);
    lun__storage_release(e, part);
    return s;
}

/* The LEAF on elements of a storage that other LEAFs are on, too. */
static lun_status shared_leaf(lun_engine *e, lun_storage *s, int64_t offset, int rank,
                              const int64_t *shape, lun_node **out)
{
    lun_node *n = lun__node_start(e, LUN_NODE_LEAF, 0, s->dtype);
    if (!n)
        return lun__fail_nomem(e);
    n->offset = offset;
    n->cell = (uint64_t)(uintptr_t)s;
    n->is = LUN_IS_RUN;
    lun_status status = lun__node_shaped(e, n, lun__node_set_shape(e, n, rank, shape), out);
    if (status != LUN_OK || (*out)->storage)
        return status;
    s->refs++;
    (*out)->storage = s;
    (*out)->is |= s->source ? LUN_IS_UNBACKED : 0;
    (*out)->waits = LUN_WAITS_ARRAY;
    (*out)->workgroup = 0;
    return LUN_OK;
}

/* A LEAF on a run of a's elements, which is a LEAF; NULL in *out: there can be none. */
static lun_status leaf_on_run(lun_engine *e, lun_node *a, const lun_layout *l, lun_node **out)
{
    /* pooled storage is shared by leaves; wrapped memory belongs to one leaf, by which a write
     * recognises it */
    *out = NULL;
    if (a->storage->source)
        return leaf_on_part(e, a, l->offset, l->rank, l->extent, out);
    if (a->storage->wrapped)
        return LUN_OK;
    return shared_leaf(e, a->storage, a->offset + l->offset, l->rank, l->extent, out);
}

static lun_status new_view(lun_engine *e, lun_node *a, const lun_layout *l, lun_node **out)
{
    lun_node *n = lun__node_start(e, LUN_NODE_VIEW, 0, (lun_dtype)a->dtype);
    if (!n)
        return lun__fail_nomem(e);
    n->in[0] = a;
    n->offset = l->offset;
    n->step = l->rank == 1 ? l->stride[0] : 0;
    return lun__node_shaped(e, n, lun__node_set_both(e, n, l->rank, l->extent, l->stride), out);
}

/* The one element of a, a Scalar, at each index; evaluated it would be a NUMBER, which has none. */
static lun_status view_scalar(lun_engine *e, lun_node *a, const lun_layout *l, lun_node **out)
{
    const int64_t one = 1;
    lun_node *vector;
    lun_status s = lun__view_node_reshape(e, a, 1, &one, &vector);
    if (s != LUN_OK)
        return s;
    s = new_view(e, vector, l, out);
    lun__node_release(e, vector);
    return s;
}

lun_status lun__view_node(lun_engine *e, lun_node *a, const lun_layout *l, lun_node **out)
{
    lun_layout composed, inner;
    while (a->kind == LUN_NODE_RESHAPE && a->in[0]->rank) /* flat numbers stay */
        a = a->in[0];
    if (!a->rank && !lun__node_ready(a))
        return view_scalar(e, a, l, out);
    if (a->kind == LUN_NODE_NUMBER)
        return lun__node_number(e, (lun_dtype)a->dtype, a->cell, l->rank, l->extent, out);
    if (a->kind == LUN_NODE_VIEW) {
        lun__node_layout(a, &inner);
        if (lun__layout_composed(&inner, l, &composed))
            return lun__view_node(e, a->in[0], &composed, out);
    }
    if (a->kind == LUN_NODE_INDEX && lun__layout_distinct(l) == 1) /* the same one everywhere */
        return lun__node_number(e, LUN_I64, (uint64_t)l->offset, l->rank, l->extent, out);
    bool dense = lun__layout_is_dense(l);
    if (dense && l->offset == 0 && lun__layout_count(l) == a->n)
        return lun__view_node_reshape(e, a, l->rank, l->extent, out);
    if (dense && a->kind == LUN_NODE_LEAF) {
        lun_status s = leaf_on_run(e, a, l, out);
        if (s != LUN_OK || *out)
            return s;
    }
    return new_view(e, a, l, out);
}

/* Whether a, a NUMBER, is the same number beyond its ends too. */
static bool is_even(const lun_node *a, const lun_padding *p)
{
    bool valued = false;
    for (int k = 0; k < p->rank; k++)
        valued |= p->rule[k] == LUN_PAD_VALUE && p->extent[k] != p->inner[k];
    return a->kind == LUN_NODE_NUMBER && (!valued || a->cell == p->value);
}

lun_status lun__view_node_pad(lun_engine *e, lun_node *a, const lun_padding *p, lun_node **out)
{
    bool none = true;
    for (int k = 0; k < p->rank; k++)
        none &= p->before[k] == 0 && p->extent[k] == p->inner[k];
    if (none) {
        *out = lun__node_retain(a);
        return LUN_OK;
    }
    if (is_even(a, p))
        return lun__node_number(e, (lun_dtype)a->dtype, a->cell, p->rank, p->extent, out);
    lun_node *n = lun__node_start(e, LUN_NODE_PAD, 0, (lun_dtype)a->dtype);
    if (!n)
        return lun__fail_nomem(e);
    n->in[0] = a;
    n->cell = p->value;
    n->offset = p->rank == 1 ? p->before[0] : 0;
    for (int k = 0; k < p->rank; k++)
        n->step |= (int64_t)p->rule[k] << 8 * k;
    return lun__node_shaped(e, n, lun__node_set_both(e, n, p->rank, p->extent, p->before), out);
}

lun_status lun__view_node_concat(lun_engine *e, lun_node *const *in, int count, int64_t blocks,
                                 int rank, const int64_t *shape, lun_node **out)
{
    lun_node *n = lun__node_start(e, LUN_NODE_CONCAT, 0, (lun_dtype)in[0]->dtype);
    if (!n)
        return lun__fail_nomem(e);
    lun_status s = lun__node_set_operands(e, n, in, count);
    n->step = blocks;
    if (s == LUN_OK)
        s = lun__node_set_shape(e, n, rank, shape);
    return lun__node_shaped(e, n, s, out);
}

static bool has_shape(const lun_node *n, int rank, const int64_t *shape)
{
    int64_t own[LUN_MAX_RANK];
    lun__node_shape(n, own);
    return n->rank == rank && !memcmp(own, shape, (size_t)rank * sizeof *own);
}

lun_status lun__view_node_reshape(lun_engine *e, lun_node *a, int rank, const int64_t *shape,
                                  lun_node **out)
{
    lun_layout whole, view;
    if (has_shape(a, rank, shape)) {
        *out = lun__node_retain(a);
        return LUN_OK;
    }
    if (a->kind == LUN_NODE_LEAF && !a->storage->wrapped)
        return shared_leaf(e, a->storage, a->offset, rank, shape, out);
    if (a->kind == LUN_NODE_NUMBER)
        return lun__node_number(e, (lun_dtype)a->dtype, a->cell, rank, shape, out);
    if (a->kind == LUN_NODE_VIEW) {
        lun__node_layout(a, &whole);
        if (lun__layout_reshaped(&whole, rank, shape, &view))
            return new_view(e, a->in[0], &view, out);
    }
    lun_node *n = lun__node_start(e, LUN_NODE_RESHAPE, 0, (lun_dtype)a->dtype);
    if (!n)
        return lun__fail_nomem(e);
    n->in[0] = a;
    n->is |= a->is & LUN_IS_SOURCE;
    return lun__node_shaped(e, n, lun__node_set_shape(e, n, rank, shape), out);
}
