/* write_file.c - lun_write_file: all elements of an array into a file, written by the ranks that
 * have them. */
#include <errno.h>
#include <stdlib.h>

#include "api/array/api.h"
#include "api/array/elements.h"
#include "base/sized.h"
#include "eval/eval.h"
#include "lunarray_bind.h"
#include "store/fetch.h"

/* The leaf that has a's elements densely, from `offset` on, evaluated if needed. */
static lun_status find_leaf(lun_engine *e, lun_array *a, lun_node **out, int64_t *offset)
{
    const lun_array *top = lun__array_top(a);
    lun_status s = lun__read_settle(e, a);
    *offset = 0;
    if (s == LUN_OK && a->viewed && top->node->kind == LUN_NODE_LEAF &&
        lun__layout_is_dense(&a->at)) {
        *out = lun__node_retain(top->node);
        *offset = a->at.offset;
        return LUN_OK;
    }
    if (s == LUN_OK)
        s = lun__array_node(e, a, LUN_DTYPE_COUNT, out);
    if (s != LUN_OK)
        return s;
    if (!lun__node_ready(*out))
        s = lun__eval(e, out, 1);
    if (s != LUN_OK)
        lun__node_release(e, *out);
    return s;
}

static lun_status write_elements(lun_engine *e, lun_array *a, const lun_store_to *to, int *failure)
{
    lun_node *n;
    int64_t offset;
    lun_storage *s;
    lun_status status = find_leaf(e, a, &n, &offset);
    if (status != LUN_OK)
        return status;
    if (n->kind == LUN_NODE_LEAF) {
        const int64_t lo = n->offset + offset;
        status = lun__save_shards(e, n->storage, lo, lo + lun_size(a), to, failure);
    } else if ((status = lun__read_private_copy(e, n, &s)) == LUN_OK) {
        status = lun__save_shards(e, s, 0, n->n, to, failure);
        lun__storage_release(e, s);
    }
    lun__node_release(e, n);
    return status;
}

lun_status lun_write_file(lun_engine *e, lun_array *a, const lun_write_to *given)
{
    LUN_NEED(e, given && given->path && given->mark && given->mark_bytes > 0);
    lun_write_to w = {.size = sizeof w};
    lun_status s = lun__array_usable(e, a);
    int failure = 0;
    e->error_where = NULL;
    if (s != LUN_OK || !lun_size(a))
        return s;
    lun__sized_take(&w, given, sizeof w);
    char *path = lun__infile_path(w.path); /* NULL: this rank writes all */
    const lun_store_to to = {
        .descriptor = w.descriptor, .at = w.at, .out = {path, w.mark_at, w.mark, w.mark_bytes}};
    s = write_elements(e, a, &to, &failure);
    free(path);
    errno = failure;
    return s;
}
