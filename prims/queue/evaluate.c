/* evaluate.c - makes an expression that was taken out of a graph again in the engine of a queue,
 * and runs it there; see queue.h.  Knows no queue. */
#include <stdlib.h>

#include "api/array/elements.h"
#include "eval/eval.h"
#include "lunarray_bind.h"
#include "queue/detach.h"

static lun_status borrow(lun_engine *e, lun_backend_slot *at, lun_detached_lent *l)
{
    const lun_storage *of = l->of;
    lun_status s = lun__storage_empty(e, of->dtype, of->count, &l->here);
    if (s != LUN_OK)
        return s;
    if (!l->buffer) {
        l->here->data = of->data;
        l->here->room = of->room;
        l->here->stale = false;
        l->here->wrapped = true;
        return LUN_OK;
    }
    lun_mirror *there = calloc(1, sizeof *there);
    if (!there)
        return lun__fail_nomem(e);
    *there = (lun_mirror){.at = at, .buffer = l->buffer, .current = true};
    l->here->mirrors = there;
    return LUN_OK;
}

static void give_back(lun_engine *e, const lun_backend_slot *at, lun_detached_lent *l)
{
    if (!l->here)
        return;
    for (lun_mirror **m = &l->here->mirrors; *m; m = &(*m)->next)
        if ((*m)->at == at && (*m)->buffer == l->buffer) {
            lun_mirror *lent_one = *m;
            *m = lent_one->next;
            free(lent_one);
            break;
        }
    lun__storage_release(e, l->here);
    l->here = NULL;
}

static lun_status make_leaf(lun_engine *e, const lun_detached *a, const lun_detached_node *p,
                            lun_node **out)
{
    const int64_t *shape = p->shape ? p->shape : &p->node.n;
    return lun__node_leaf(e, a->lents[p->lent].here, p->node.offset, p->node.rank, shape, out);
}

static lun_status make_node(lun_engine *e, const lun_detached *a, const lun_detached_node *p,
                            lun_node *const *made, lun_node **out)
{
    enum { FEW = 8 };
    lun_node *few[FEW];
    lun_node **in = p->count <= FEW ? few : malloc((size_t)p->count * sizeof(lun_node *));
    if (!in)
        return lun__fail_nomem(e);
    for (int k = 0; k < p->count; k++)
        in[k] = p->in[k] < 0 ? NULL : made[p->in[k]];
    lun_detached_function *u = p->function < 0 ? NULL : a->functions[p->function];
    const lun_ir_function *body = u && p->node.body ? &u->body : p->node.body;
    int32_t op = p->node.op;
    lun_status s = LUN_OK;
    if (p->line) {
        s = lun_mark(e, p->line);
        op = (int32_t)e->source_line;
    }
    if (s == LUN_OK)
        s = lun_mark(e, p->where);
    e->workgroup = p->node.workgroup;
    if (s == LUN_OK)
        s = lun__node_again(e, &p->node, op, in, u ? &u->own : NULL, body, out);
    e->workgroup = 0;
    if (in != few)
        free(in);
    return s;
}

/* The parts' nodes, a reference each. */
static lun_status make_all(lun_engine *e, const lun_detached *a, lun_node **made)
{
    lun_status s = LUN_OK;
    for (int i = 0; s == LUN_OK && i < a->count; i++)
        if (a->parts[i].node.kind == LUN_NODE_LEAF)
            s = make_leaf(e, a, &a->parts[i], &made[i]);
    for (int i = 0; s == LUN_OK && i < a->function_count; i++)
        for (int k = 0; k < a->functions[i]->own.array_count; k++)
            a->functions[i]->own.arrays[k] = made[a->functions[i]->array[k]];
    for (int i = 0; s == LUN_OK && i < a->count; i++)
        if (a->parts[i].node.kind != LUN_NODE_LEAF)
            s = make_node(e, a, &a->parts[i], made, &made[i]);
    return s;
}

/* The elements of n, which is evaluated, where they are to arrive. */
static lun_status deliver(lun_engine *e, lun_backend_slot *at, const lun_node *n, lun_detached *a)
{
    const lun_layout flat = lun__layout_right(1, &n->n);
    lun_transfer t = {.bytes = lun__dtype_get((lun_dtype)n->dtype)->bytes,
                      .to = a->arrives,
                      .at = flat,
                      .of = flat,
                      .cell = n->cell};
    if (!a->landing) {
        a->cell = n->cell;
        return n->kind == LUN_NODE_NUMBER ? LUN_OK : lun__read_copy_out(e, n, 0, 1, &a->cell);
    }
    if (!a->arrives || !n->n)
        return n->n ? lun__read_copy_out(e, n, 0, n->n, a->landing->data) : LUN_OK;
    if (n->kind == LUN_NODE_NUMBER)
        return lun__state_transfer(at, &t);
    lun_buffer *from = NULL;
    lun_status s = lun__mirror_buffer(e, n->storage, at, &from);
    t.from = from;
    t.from_origin = n->offset;
    return s == LUN_OK ? lun__state_transfer(at, &t) : s;
}

lun_status lun__evaluate_detached(lun_engine *e, lun_backend_slot *at, lun_detached *a)
{
    lun_node **made = calloc((size_t)a->count + 1, sizeof(lun_node *));
    const uint32_t source_line = e->source_line;
    lun_status s = made ? LUN_OK : lun__fail_nomem(e);
    e->error_where = NULL;
    for (int i = 0; s == LUN_OK && i < a->lent_count; i++)
        s = borrow(e, at, &a->lents[i]);
    if (s == LUN_OK)
        s = make_all(e, a, made);
    lun_node *top = s == LUN_OK ? made[a->top_at] : NULL;
    if (s == LUN_OK)
        s = lun__eval(e, &top, 1);
    if (s == LUN_OK)
        s = deliver(e, at, top, a);
    if (s == LUN_OK) /* before what is lent is given back */
        s = lun__backend_finish(at);
    for (int i = a->count; made && i-- > 0;)
        lun__node_release(e, made[i]);
    for (int i = 0; i < a->lent_count; i++)
        give_back(e, at, &a->lents[i]);
    free(made);
    e->source_line = source_line;
    return s;
}
