/* detach.c - takes an expression out of the user's graph, and puts its value there; see queue.h. */
#include "queue/detach.h"

#include <stdlib.h>
#include <string.h>

#include "base/grow.h"
#include "eval/eval.h"
#include "graph/walk.h"

typedef struct taking {
    lun_engine *e;
    const lun_backend_slot *at;
    lun_detached *to;
    lun_node **order; /* by part */
    int room;
} taking;

static bool take_operands(lun_detached_node *p, const lun_node *n)
{
    const lun_node *in;
    p->count = lun__node_has_many(n) ? n->count : 3;
    p->in = malloc(((size_t)p->count + 1) * sizeof *p->in);
    for (int k = 0; p->in && k < p->count; k++)
        p->in[k] = (in = lun__node_operand(n, k)) ? in->slot : -1;
    return p->in != NULL;
}

static bool take_shape(lun_detached_node *p, const lun_node *n)
{
    const bool both = n->kind == LUN_NODE_VIEW || n->kind == LUN_NODE_PAD;
    const size_t bytes = (both ? 2 : 1) * (size_t)n->rank * sizeof *n->shape;
    if (n->rank < 2)
        return true;
    p->shape = malloc(bytes);
    if (p->shape)
        memcpy(p->shape, n->shape, bytes);
    p->node.shape = p->shape;
    return p->shape != NULL;
}

/* Its function and body, in a copy that other nodes with them share; its number, -1 without
 * memory. */
static int take_function(taking *t, const lun_node *n)
{
    lun_detached *to = t->to;
    for (int i = 0; i < to->function_count; i++)
        if (to->functions[i]->of == n->function && to->functions[i]->body_of == n->body)
            return i;
    if (!lun__grow(&to->functions, to->function_count, &to->function_room, sizeof *to->functions))
        return -1;
    lun_detached_function *u = calloc(1, sizeof *u);
    if (!u)
        return -1;
    const lun_function *f = n->function;
    u->of = n->function;
    lun_function_retain(u->of);
    u->body_of = n->body;
    if (n->body)
        u->body = *n->body;
    u->body.used_by = NULL;
    u->body.number = 0;
    u->own = (lun_function){.refs = 1,
                            .op = f->op,
                            .text = f->text,
                            .cells = f->cells,
                            .captured = f->captured,
                            .array_count = f->array_count};
    to->functions[to->function_count] = u;
    return to->function_count++;
}

/* Adds a part for n, with operands that are parts; its number, -1 without memory. */
static int take_part(taking *t, lun_node *n)
{
    lun_detached *to = t->to;
    const int i = to->count;
    if (!lun__grow(&to->parts, i, &to->room, sizeof *to->parts) ||
        !lun__grow(&t->order, i, &t->room, sizeof(lun_node *)))
        return -1;
    lun_detached_node *p = &to->parts[to->count++];
    *p = (lun_detached_node){
        .node = *n, .lent = -1, .function = -1, .where = lun__source_mark_text(t->e, n->where)};
    t->order[i] = n;
    if (n->kind == LUN_NODE_SOURCE_LINE)
        p->line = lun__source_mark_text(t->e, (uint32_t)n->op);
    if (!take_shape(p, n) || !take_operands(p, n))
        return -1;
    if (n->extended && n->function && (p->function = take_function(t, n)) < 0)
        return -1;
    return i;
}

static bool visit(void *ctx, lun_node *n, const lun_node *user)
{
    (void)user;
    taking *t = ctx;
    const int i = take_part(t, n);
    n->slot = i;
    return i >= 0;
}

/* The LEAFs that functions captured. */
static bool take_captured(taking *t)
{
    lun_detached *to = t->to;
    for (int i = 0; i < to->function_count; i++) {
        lun_detached_function *u = to->functions[i];
        if (!u->own.array_count)
            continue;
        u->array = malloc((size_t)u->own.array_count * sizeof *u->array);
        u->own.arrays = calloc((size_t)u->own.array_count, sizeof *u->own.arrays);
        if (!u->array || !u->own.arrays)
            return false;
        for (int k = 0; k < u->own.array_count; k++)
            if ((u->array[k] = take_part(t, u->of->arrays[k])) < 0)
                return false;
    }
    return true;
}

/* Elements of a LEAF where the queue's device reads them, as nobody changes them; its number. */
static lun_status lend(taking *t, lun_node *n, lun_detached_node *p)
{
    lun_detached *to = t->to;
    lun_node *leaf = lun__node_retain(n);
    lun_status s = LUN_OK;
    if (n->storage->wrapped) {
        lun__node_release(t->e, leaf);
        s = lun__read_node_copy(t->e, n, &leaf);
        if (s != LUN_OK)
            return s;
    }
    lun_storage *of = leaf->storage;
    of->refs++;
    p->node.offset = leaf->offset;
    lun__node_release(t->e, leaf);
    for (p->lent = 0; p->lent < to->lent_count && to->lents[p->lent].of != of;)
        p->lent++;
    if (p->lent < to->lent_count) {
        lun__storage_release(t->e, of);
        return LUN_OK;
    }
    if (!lun__grow(&to->lents, to->lent_count, &to->lent_room, sizeof *to->lents)) {
        lun__storage_release(t->e, of);
        return lun__fail_nomem(t->e);
    }
    lun_detached_lent *l = &to->lents[to->lent_count++];
    *l = (lun_detached_lent){.of = of};
    return t->at->backend->buffer_new
               ? lun__mirror_buffer(t->e, of, (lun_backend_slot *)t->at, &l->buffer)
               : lun__mirror_host(t->e, of, false);
}

/* Memory for the elements. */
static lun_status prepare(taking *t)
{
    lun_detached *to = t->to;
    const lun_node *top = to->top;
    lun_status s = LUN_OK;
    if (top->rank)
        s = lun__mirror_result(t->e, (lun_dtype)top->dtype, top->n, &to->landing);
    if (s == LUN_OK && top->rank && t->at->backend->buffer_new)
        s = lun__mirror_buffer(t->e, to->landing, (lun_backend_slot *)t->at, &to->arrives);
    if (s == LUN_OK) /* what it has been given is on the device */
        s = lun__backend_finish(t->at);
    return s;
}

static lun_status take(taking *t)
{
    lun_detached *to = t->to;
    const lun_visitor v = {LUN_WALK_MARK, NULL, visit, t};
    lun_status s = LUN_OK;
    if (!lun__walk(++t->e->walk, to->top, &v))
        return lun__fail_nomem(t->e);
    to->top_at = to->count - 1;
    if (!take_captured(t))
        return lun__fail_nomem(t->e);
    for (int i = 0; s == LUN_OK && i < to->count; i++)
        if (to->parts[i].node.kind == LUN_NODE_LEAF)
            s = lend(t, t->order[i], &to->parts[i]);
    return s == LUN_OK ? prepare(t) : s;
}

lun_status lun__detached_take(lun_engine *e, lun_backend_slot *at, lun_node *top,
                              lun_detached **out)
{
    lun_detached *a = calloc(1, sizeof *a);
    if (!a)
        return lun__fail_nomem(e);
    taking t = {.e = e, .at = at, .to = a};
    const lun_alone before = lun__user_buffer_alone_begin(e, at);
    a->top = lun__node_retain(top);
    lun_status s = take(&t);
    lun__user_buffer_alone_end(e, before);
    free(t.order);
    if (s == LUN_OK)
        *out = a;
    else
        lun__detached_free(e, a);
    return s;
}

void lun__detached_free(lun_engine *e, lun_detached *a)
{
    if (!a)
        return;
    for (int i = 0; i < a->count; i++) {
        free(a->parts[i].in);
        free(a->parts[i].shape);
    }
    for (int i = 0; i < a->lent_count; i++)
        lun__storage_release(e, a->lents[i].of);
    for (int i = 0; i < a->function_count; i++) {
        lun_function_release(a->functions[i]->of);
        free(a->functions[i]->array);
        free(a->functions[i]->own.arrays);
        free(a->functions[i]);
    }
    if (a->landing)
        lun__storage_release(e, a->landing);
    lun__node_release(e, a->top);
    free(a->parts);
    free(a->lents);
    free(a->functions);
    free(a);
}

int64_t lun__detached_elements(const lun_detached *a)
{
    return a->top->n;
}

bool lun__detached_is(const lun_detached *a, const lun_node *n)
{
    return a && a->top == n;
}

void lun__detached_land(lun_engine *e, lun_detached *a)
{
    if (!a || lun__node_ready(a->top))
        return;
    if (!a->landing) {
        lun__node_become_number(e, a->top, a->cell);
        return;
    }
    lun__node_become_leaf(e, a->top, a->landing, 0);
    a->landing = NULL;
}
