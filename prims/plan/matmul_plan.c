/* matmul_plan.c - a MATMUL as the matrix product that backends know; see matmul_plan.h.  Knows no
 * memory. */
#include "plan/matmul_plan.h"

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

lun_product lun__matmul_plan_of(const lun_node *n)
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

bool lun__matmul_plan_is_list(const lun_product *p)
{
    return lun__layout_simplified(&p->a.batch).rank == 1 &&
           lun__layout_simplified(&p->b.batch).rank == 1;
}

void lun__matmul_plan_cut(lun_product *p, int64_t first, int64_t count)
{
    lun_matrix *both[] = {&p->a, &p->b};
    for (int i = 0; i < 2; i++) {
        lun_layout *l = &both[i]->batch;
        *l = lun__layout_simplified(l);
        l->offset += first * l->stride[0];
        l->extent[0] = count;
    }
    p->count = count;
}

bool lun__matmul_plan_elsewhere(const lun_engine *e, const lun_product *p)
{
    int64_t scratch;
    return !lun__backend_takes(e, &(lun_work){.kind = LUN_WORK_PRODUCT, .is.product = p}, &scratch);
}

const lun_backend_slot *lun__matmul_plan_instead(lun_engine *e, const lun_node *n)
{
    if (!e->overridden)
        return NULL;
    int64_t scratch;
    const lun_product p = lun__matmul_plan_of(n);
    return lun__backend_instead(e, &(lun_work){.kind = LUN_WORK_PRODUCT, .is.product = &p},
                                &scratch);
}
