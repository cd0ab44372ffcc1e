/* recipe.c - remembers how small graphs of a known shape were lowered, so that the next graph of that
 * shape goes from nodes to its kernel with one look-up: no fusing, no IR, no text.
 *
 * The shape is a byte string: for each node, operands first, its kind, operation, dtype and the numbers
 * of its operands.  Neither lengths nor numbers' values are in it. */
#include "recipe.h"

#include <stdlib.h>
#include <string.h>

enum { NODES = 48, ROOTS = 8, BYTES = 12 * NODES + 2 * ROOTS + 8, BUCKETS = 256, MOST = 4096 };

typedef struct shape {
    lun_node *order[NODES];
    int count;
    uint8_t text[BYTES];
    int length;
    int64_t n; /* of the index space */
    uint64_t hash;
} shape;

/* A kernel over one index space can hold these without memory in between. */
static bool simple(const lun_node *n)
{
    switch ((lun_node_kind)n->kind) {
    case LUN_NODE_LEAF:
    case LUN_NODE_NUMBER:
    case LUN_NODE_INDEX:
    case LUN_NODE_RANDOM:
    case LUN_NODE_OP:
    case LUN_NODE_CAST:
    case LUN_NODE_REDUCE:
    case LUN_NODE_SCAN:
        return true;
    default:
        return false;
    }
}

static bool visit(lun_engine *e, shape *s, lun_node *root)
{
    struct {
        lun_node *node;
        int next;
    } stack[NODES + 1];
    int depth = 0;
    if (root->mark == e->walk)
        return true;
    root->mark = e->walk;
    stack[depth].node = root;
    stack[depth++].next = 0;
    while (depth) {
        lun_node *n = stack[depth - 1].node;
        lun_node *in = lun_node_ready(n) ? NULL : lun_node_operand(n, stack[depth - 1].next++);
        if (in) {
            if (in->mark == e->walk)
                continue;
            if (depth > NODES || !simple(in) || in->kind == LUN_NODE_REDUCE)
                return false;
            in->mark = e->walk;
            stack[depth].node = in;
            stack[depth++].next = 0;
            continue;
        }
        if (s->count == NODES)
            return false;
        n->slot = s->count;
        s->order[s->count++] = n;
        depth--;
    }
    return true;
}

static void put(shape *s, unsigned x)
{
    s->text[s->length++] = (uint8_t)x;
}

/* What distinguishes n for lowering; false if it cannot be in a recipe. */
static bool describe(shape *s, const lun_node *n)
{
    int64_t space = n->kind == LUN_NODE_REDUCE ? n->in[0]->n : n->n;
    lun_node *in;
    if (space != s->n && (space != 1 || !lun_node_ready(n)))
        return false;
    if (n->body || n->workgroup)
        return false;
    put(s, n->kind);
    put(s, n->dtype);
    put(s, (unsigned)n->acc << 1 | n->inclusive);
    put(s, (unsigned)n->op);
    put(s, (unsigned)((space == s->n) | (n->rank == 0) << 1 | (space == 1) << 2));
    for (int k = 0; !lun_node_ready(n) && (in = lun_node_operand(n, k)); k++)
        put(s, (unsigned)in->slot);
    return true;
}

static bool shape_of(lun_engine *e, lun_node *const *roots, int count, shape *s)
{
    s->count = s->length = 0;
    e->walk++;
    if (count > ROOTS)
        return false;
    for (int i = 0; i < count; i++) {
        if (lun_node_ready(roots[i]) || !simple(roots[i]) || !visit(e, s, roots[i]))
            return false;
        int64_t n = roots[i]->kind == LUN_NODE_REDUCE ? roots[i]->in[0]->n : roots[i]->n;
        if (i && n != s->n)
            return false;
        s->n = n;
    }
    if (s->n == 0)
        return false;
    for (int i = 0; i < s->count; i++)
        if (!describe(s, s->order[i]))
            return false;
    put(s, 0xff);
    for (int i = 0; i < count; i++)
        put(s, (unsigned)roots[i]->slot);
    s->hash = 0xcbf29ce484222325u;
    for (int i = 0; i < s->length; i++)
        s->hash = (s->hash ^ s->text[i]) * 0x100000001b3u;
    return true;
}

static lun_recipe *find(const lun_engine *e, const shape *s)
{
    if (!e->recipes)
        return NULL;
    for (lun_recipe *r = e->recipes[s->hash & (BUCKETS - 1)]; r; r = r->next)
        if (r->hash == s->hash && r->length == s->length &&
            !memcmp(r->text, s->text, (size_t)s->length))
            return r;
    return NULL;
}

lun_status lun_recipe_run(lun_engine *e, lun_node *const *roots, int count, bool *done)
{
    shape s;
    *done = false;
    if (!e->recipes || !shape_of(e, roots, count, &s))
        return LUN_OK;
    lun_recipe *r = find(e, &s);
    if (!r)
        return LUN_OK;
    lun_lowered *l = &r->lowered;
    for (int i = 0; i < l->ir.slot_count; i++)
        l->slots[i].node = s.order[r->slots[i]];
    for (int i = 0; i < l->ir.arg_count; i++)
        if (r->args[i] >= 0)
            l->args[i].node = s.order[r->args[i]];
    for (int i = 0; i < l->ir.result_count; i++)
        l->results[i] = s.order[r->results[i]];
    lun_status status = lun_run_lowered(e, l, r->kernel, s.n);
    /* a division by zero is met again on the long way, which knows where it was written */
    *done = status != LUN_EZERO;
    return *done ? status : LUN_OK;
}

static void recipe_free(lun_recipe *r)
{
    lun_lowered_free(&r->lowered);
    free(r->text);
    free(r->slots);
    free(r);
}

/* Numbers of the nodes that slots, args and results come from. */
static bool index_sources(lun_recipe *r, const lun_lowered *l)
{
    size_t total =
        (size_t)l->ir.slot_count + (size_t)l->ir.arg_count + (size_t)l->ir.result_count + 1;
    int32_t *at = malloc(total * sizeof *at);
    if (!at)
        return false;
    r->slots = at;
    r->args = at + l->ir.slot_count;
    r->results = r->args + l->ir.arg_count;
    for (int i = 0; i < l->ir.slot_count; i++)
        r->slots[i] = l->slots[i].node->slot;
    for (int i = 0; i < l->ir.arg_count; i++)
        r->args[i] = l->args[i].node ? l->args[i].node->slot : -1;
    for (int i = 0; i < l->ir.result_count; i++)
        r->results[i] = l->results[i]->slot;
    return true;
}

bool lun_recipe_learn(lun_engine *e, lun_node *const *roots, int count, lun_lowered *l,
                      lun_kernel_entry *k)
{
    shape s;
    if (e->recipe_count >= MOST || !shape_of(e, roots, count, &s) || find(e, &s))
        return false;
    if (!e->recipes) {
        e->recipes = calloc(BUCKETS, sizeof(lun_recipe *));
        if (!e->recipes)
            return false;
    }
    lun_recipe *r = calloc(1, sizeof *r);
    if (!r)
        return false;
    r->text = malloc((size_t)s.length);
    if (!r->text || !index_sources(r, l)) {
        recipe_free(r);
        return false;
    }
    memcpy(r->text, s.text, (size_t)s.length);
    r->length = s.length;
    r->hash = s.hash;
    r->kernel = k;
    r->lowered = *l;
    memset(l, 0, sizeof *l);
    r->next = e->recipes[s.hash & (BUCKETS - 1)];
    e->recipes[s.hash & (BUCKETS - 1)] = r;
    e->recipe_count++;
    e->learned = r;
    return true;
}

void lun__recipes_flush(lun_engine *e)
{
    for (int i = 0; e->recipes && i < BUCKETS; i++)
        for (lun_recipe *r = e->recipes[i], *next; r; r = next) {
            next = r->next;
            recipe_free(r);
        }
    free(e->recipes);
    e->recipes = NULL;
    e->recipe_count = 0;
}
