/* copy.c - puts the elements of arrays that are joined into new memory.  Knows neither plans nor
 * kernels. */
#include "run/copy.h"

#include <stdlib.h>

/* Elements on their way from one operand into the memory of all. */
typedef struct copy {
    lun_engine *e;
    char *to;
    int size;      /* bytes of an element */
    lun_layout at; /* the operand's places in that memory */
} copy;

/* Elements first .. first + count - 1 of in. */
static lun_status fetch(const copy *c, const lun_node *in, int64_t first, int64_t count, void *to)
{
    lun_layout l;
    if (in->kind == LUN_NODE_LEAF)
        return lun__storage_read(c->e, in->storage, in->offset + first, count, to);
    lun__node_layout(in, &l);
    lun__layout_read(&l, lun__leaf_data(in->in[0]), c->size, first, count, to);
    return LUN_OK;
}

/* By pieces, which are put where they belong. */
static lun_status copy_pieces(const copy *c, const lun_node *in)
{
    enum { PIECE = 8192 };
    lun_dtype t = (lun_dtype)in->dtype;
    lun_status s = LUN_OK;
    char *piece = malloc((size_t)PIECE * sizeof(uint64_t));
    if (!piece)
        return lun__nomem(c->e);
    if (in->kind == LUN_NODE_NUMBER)
        lun__cell_fill(t, in->cell, piece, PIECE);
    for (int64_t first = 0, some; s == LUN_OK && first < in->n; first += some) {
        some = in->n - first < PIECE ? in->n - first : PIECE;
        if (in->kind != LUN_NODE_NUMBER)
            s = fetch(c, in, first, some, piece);
        if (s == LUN_OK)
            lun__layout_write(&c->at, c->to, c->size, first, some, piece);
    }
    free(piece);
    return s;
}

static lun_status copy_operand(const copy *c, const lun_node *in)
{
    char *to = c->to + c->at.offset * c->size;
    lun_status s = LUN_OK;
    if (in->kind == LUN_NODE_VIEW)
        s = lun__storage_host(c->e, in->in[0]->storage, false);
    if (s != LUN_OK)
        return s;
    if (!lun__layout_is_dense(&c->at))
        return copy_pieces(c, in);
    if (in->kind != LUN_NODE_NUMBER)
        return fetch(c, in, 0, in->n, to);
    lun__cell_fill((lun_dtype)in->dtype, in->cell, to, in->n);
    return LUN_OK;
}

lun_status lun__run_copy(lun_engine *e, lun_node *n)
{
    lun_storage *s;
    lun_status status = lun__storage_new(e, (lun_dtype)n->dtype, n->n, &s);
    if (status != LUN_OK)
        return status;
    copy c = {.e = e, .to = s->data, .size = lun__dtype_get((lun_dtype)n->dtype)->bytes};
    c.at =
        (lun_layout){.rank = 2, .extent = {n->step}, .stride = {n->step ? n->n / n->step : 0, 1}};
    for (int k = 0; n->n && status == LUN_OK && k < n->count; k++) {
        c.at.extent[1] = n->more[k]->n / n->step;
        if (c.at.extent[1])
            status = copy_operand(&c, n->more[k]);
        c.at.offset += c.at.extent[1];
    }
    if (status != LUN_OK) {
        lun__storage_release(e, s);
        return status;
    }
    e->stats.bytes_read += n->n * c.size;
    e->stats.bytes_written += n->n * c.size;
    lun__node_become_leaf(e, n, s, 0);
    return LUN_OK;
}
