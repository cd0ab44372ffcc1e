/* written_arrays.c - arrays of a kernel that runs at once and writes some of them; see
 * written_arrays.h. */
#include "api/loop/written_arrays.h"

#include "api/array/elements.h"
#include "api/write/merge_divergent.h"

static lun_status read_leaf(lun_engine *e, lun_held *h)
{
    lun_node *n;
    lun_status s = lun__array_node(e, h->array, LUN_DTYPE_COUNT, &n);
    if (s != LUN_OK)
        return s;
    if (n->kind == LUN_NODE_LEAF) {
        h->node = n;
        return lun__fetch_merge(e, n->storage);
    }
    s = lun__read_node_copy(e, n, &h->node);
    lun__node_release(e, n);
    return s;
}

bool lun__written_copied(lun_engine *e, const lun_array *a)
{
    const lun_node *n = a->node;
    const lun_spread *x = NULL;
    if (!n || a->parent || a->viewed)
        return false;
    if (n->kind == LUN_NODE_LEAF)
        x = lun__placement_spread(e, n->storage);
    else if (n->extended && n->wish)
        x = lun__placement_fits(e, n->wish->spread);
    return x && x->kind == LUN_SPREAD_COPY;
}

lun_status lun__written_check(lun_engine *e, const lun_held *all, int count,
                              const char *const *names)
{
    for (int k = 0; k < count; k++)
        for (int i = 0; i < count; i++) {
            lun_array *a = all[k].array, *b = all[i].array;
            if (i == k || !a || !b || !all[k].written || lun__array_base(a) != lun__array_base(b))
                continue;
            if (names)
                return lun__fail(e, LUN_EARG,
                                 "'%s', which the function assigns, shares elements with '%s': "
                                 "hand it over once, or a copy",
                                 names[k], names[i]);
            return lun__fail(e, LUN_EARG,
                             "an array that the function assigns shares elements with another one "
                             "that it captures or is given: hand it over once, or a copy");
        }
    return LUN_OK;
}

/* Makes a the only holder of its elements' memory, in host memory unless a device alone is to write
 * them. */
static lun_status unshare(lun_engine *e, lun_array *a)
{
    lun_backend_slot *b;
    lun_status s = lun__backend(e, &b);
    if (s == LUN_OK)
        s = lun__write_hold(e, a);
    if (s != LUN_OK)
        return s;
    lun_storage *of = lun__array_base(a)->node->storage;
    if (!e->set_count && b->backend->buffer_new && !of->source && !of->wrapped)
        return LUN_OK;
    return lun__mirror_host(e, of, true);
}

lun_status lun__written_open(lun_engine *e, lun_held *h, bool aside)
{
    lun_node *n;
    if (!h->written)
        return read_leaf(e, h);
    LUN_NO_MISSING(e, h->array);
    h->back = aside || h->array->parent || h->array->viewed;
    lun_status s = aside ? lun__write_check(e, h->array) : unshare(e, h->array);
    if (s != LUN_OK)
        return s;
    if (!h->back) {
        h->node = lun__node_retain(h->array->node);
        return LUN_OK;
    }
    s = lun__array_node(e, h->array, LUN_DTYPE_COUNT, &n);
    if (s == LUN_OK) {
        s = lun__read_node_copy(e, n, &h->node);
        lun__node_release(e, n);
    }
    return s;
}

lun_status lun__written_part(lun_engine *e, lun_held *h, const lun_writing *how)
{
    LUN_NO_MISSING(e, h->array);
    lun_status s = lun__write_hold(e, h->array);
    if (s != LUN_OK)
        return s;
    h->node = lun__node_retain(h->array->node);
    const lun_storage *of = h->node->storage;
    const bool differed = of->placed && of->placed->versions;
    s = lun__divergent_open(e, h->node->storage, how);
    h->parted = s == LUN_OK && !differed;
    return s;
}

void lun__written_join(lun_engine *e, lun_held *h)
{
    lun_storage *of = h->parted ? h->node->storage : NULL;
    if (of)
        (void)lun__divergent_taken(e, of, of->placed->versions->at[0]);
}

lun_status lun__written_back(lun_engine *e, lun_held *all, int count)
{
    lun_status s = LUN_OK;
    for (int k = 0; s == LUN_OK && k < count; k++) {
        lun_array *made;
        if (!all[k].back)
            continue;
        s = lun__array(e, lun__node_retain(all[k].node), true, &made);
        if (s != LUN_OK)
            break;
        s = lun_store(e, all[k].array, made);
        lun_release(made);
    }
    return s;
}

void lun__written_end(lun_engine *e, lun_held *all, int count)
{
    for (int k = 0; k < count; k++)
        if (all[k].node)
            lun__node_release(e, all[k].node);
}
