/* product.c - the step of a plan that multiplies matrices: operands where they stand, scratch and
 * the result from the engine's memory, the arithmetic a backend's.  Knows no order of sums. */
#include "run/product.h"

#include "base/clock.h"

/* The last two axes of l, and those before. */
static lun_matrix matrix_of(const lun_layout *l, lun_dtype t)
{
    lun_matrix m = {.dtype = t, .batch = *l};
    m.batch.rank -= 2;
    m.row = l->stride[l->rank - 2];
    m.column = l->stride[l->rank - 1];
    return m;
}

static lun_matrix operand_of(const lun_node *n)
{
    lun_layout l;
    lun__node_layout(n, &l);
    for (int k = 0; n->kind == LUN_NODE_NUMBER && k < l.rank; k++)
        l.stride[k] = 0;
    if (n->kind == LUN_NODE_LEAF)
        l.offset = n->offset;
    if (n->kind == LUN_NODE_VIEW && n->in[0]->kind == LUN_NODE_LEAF)
        l.offset += n->in[0]->offset;
    return matrix_of(&l, (lun_dtype)n->dtype);
}

lun_product lun__product_of(const lun_node *n)
{
    int64_t a[LUN_MAX_RANK], b[LUN_MAX_RANK];
    const int rank = n->rank;
    lun__node_shape(n->in[0], a);
    lun__node_shape(n->in[1], b);
    lun_product p = {.dtype = (lun_dtype)n->dtype,
                     .rows = a[rank - 2],
                     .inner = a[rank - 1],
                     .columns = b[rank - 1],
                     .count = 1,
                     .a = operand_of(n->in[0]),
                     .b = operand_of(n->in[1])};
    for (int k = 0; k < rank - 2; k++)
        p.count *= a[k];
    return p;
}

/* Brings an operand into host memory. */
static lun_status load(lun_engine *e, lun_node *n, lun_matrix *m)
{
    const lun_node *leaf = n->kind == LUN_NODE_VIEW ? n->in[0] : n;
    m->data = &n->cell;
    if (n->kind == LUN_NODE_NUMBER)
        return LUN_OK;
    lun_status s = lun__storage_host(e, leaf->storage, false);
    m->data = leaf->storage->data;
    return s;
}

/* The backend that does products: the one in use, or the native one. */
static lun_status find_backend(lun_engine *e, lun_backend_slot **out)
{
    lun_status s = lun__backend(e, out);
    if (s != LUN_OK || (*out)->backend->product)
        return s;
    for (int i = 0; i < e->backend_count; i++)
        if (e->backends[i].backend->native) {
            *out = &e->backends[i];
            return lun__backend_open(e, *out);
        }
    return lun__fail(e, LUN_EBACKEND, "no backend of this build multiplies matrices");
}

bool lun__product_elsewhere(const lun_engine *e)
{
    return !e->backends[e->current].backend->product;
}

static int64_t bytes_of(const lun_node *n)
{
    return n->kind == LUN_NODE_NUMBER ? 0 : n->n * lun__dtype_get((lun_dtype)n->dtype)->bytes;
}

/* With operands and the result in memory. */
static lun_status multiply(lun_engine *e, lun_product *p)
{
    lun_backend_slot *b;
    lun_storage *scratch = NULL;
    lun_status s = find_backend(e, &b);
    if (s != LUN_OK)
        return s;
    int64_t room = b->backend->product_room(b->state, p);
    if (room)
        s = lun__storage_new(e, LUN_U8, room, &scratch);
    if (s != LUN_OK)
        return s;
    p->scratch = scratch ? scratch->data : NULL;
    double start = lun__now();
    s = b->backend->product(b->state, p);
    e->stats.run_time += lun__now() - start;
    if (scratch)
        lun__storage_release(e, scratch);
    return s == LUN_ECANCEL && lun__stopped(e) == LUN_ELIMIT ? LUN_ELIMIT : s;
}

lun_status lun__run_product(lun_engine *e, lun_node *n)
{
    lun_storage *to;
    lun_product p = lun__product_of(n);
    lun_status s = load(e, n->in[0], &p.a);
    if (s == LUN_OK)
        s = load(e, n->in[1], &p.b);
    if (s == LUN_OK)
        s = lun__storage_new(e, p.dtype, n->n, &to);
    if (s != LUN_OK)
        return s;
    p.c = to->data;
    s = multiply(e, &p);
    if (s != LUN_OK) {
        lun__storage_release(e, to);
        return s;
    }
    e->stats.products++;
    e->stats.bytes_read += bytes_of(n->in[0]) + bytes_of(n->in[1]);
    e->stats.bytes_written += bytes_of(n);
    lun__node_become_leaf(e, n, to, 0);
    return LUN_OK;
}
