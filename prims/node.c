/* node.c - nodes: allocation, hash-consing, release.  Two equal expressions are one node.
 * Release and lookup never recurse: a graph may be a million operations deep. */
#include "node.h"

#include <stdlib.h>
#include <string.h>

#include "engine.h"
#include "function.h"

enum { SLAB_NODES = 255, FIRST_BUCKETS = 256 };

typedef struct slab {
    struct slab *next;
    lun_node nodes[SLAB_NODES];
} slab;

static lun_node *take(lun_engine *e)
{
    if (!e->spare) {
        slab *s = calloc(1, sizeof *s);
        if (!s)
            return NULL;
        s->next = e->slabs;
        e->slabs = s;
        for (int i = 0; i < SLAB_NODES; i++) {
            s->nodes[i].chain = e->spare;
            e->spare = &s->nodes[i];
        }
    }
    lun_node *n = e->spare;
    e->spare = n->chain;
    e->stats.nodes++;
    return n;
}

static void give(lun_engine *e, lun_node *n)
{
    n->chain = e->spare;
    e->spare = n;
    e->stats.nodes--;
}

void lun__nodes_close(lun_engine *e)
{
    slab *s = e->slabs;
    while (s) {
        slab *next = s->next;
        free(s);
        s = next;
    }
    free(e->buckets);
    e->slabs = NULL;
    e->buckets = NULL;
    e->spare = NULL;
}

lun_node *lun_node_operand(const lun_node *n, int k)
{
    if (n->kind == LUN_NODE_CALL)
        return k < n->count ? n->more[k] : NULL;
    return k < 3 ? n->in[k] : NULL;
}

void lun_node_shape(const lun_node *n, int64_t shape[LUN_MAX_RANK])
{
    if (n->rank == 1)
        shape[0] = n->n;
    for (int i = 0; i < n->rank && n->shape; i++)
        shape[i] = n->shape[i];
}

lun_node *lun_node_retain(lun_node *n)
{
    n->refs++;
    return n;
}

/* ---- the table of living nodes ---------------------------------------------------------------------- */

static uint32_t mix(uint32_t h, uint64_t x)
{
    x *= 0x9e3779b97f4a7c15u;
    return (h ^ (uint32_t)(x >> 32)) * 0x85ebca6bu + (h >> 15);
}

static uint32_t hash_of(const lun_node *n)
{
    uint32_t h = mix((uint32_t)n->kind << 16 | (uint32_t)n->dtype << 8 | n->rank, (uint64_t)n->n);
    h = mix(h, (uint64_t)(uint32_t)n->op << 16 | (uint64_t)n->acc << 1 | n->inclusive);
    for (int k = 0; k < 3; k++)
        h = mix(h, (uint64_t)(uintptr_t)n->in[k] + (uint64_t)k);
    if (n->kind == LUN_NODE_NUMBER)
        h = mix(h, n->cell);
    if (n->kind == LUN_NODE_SLICE)
        h = mix(mix(h, (uint64_t)n->offset), (uint64_t)n->step);
    for (int k = 0; k < n->count; k++)
        h = mix(h, (uint64_t)(uintptr_t)n->more[k]);
    return mix(h, (uint64_t)(uintptr_t)n->body);
}

static bool equal(const lun_node *a, const lun_node *b)
{
    return a->hash == b->hash && a->kind == b->kind && a->dtype == b->dtype && a->acc == b->acc &&
           a->rank == b->rank && a->inclusive == b->inclusive && a->op == b->op && a->n == b->n &&
           a->in[0] == b->in[0] && a->in[1] == b->in[1] && a->in[2] == b->in[2] &&
           a->cell == b->cell && a->offset == b->offset && a->step == b->step &&
           a->body == b->body && a->count == b->count && a->elements == b->elements &&
           (!a->count || !memcmp(a->more, b->more, (size_t)a->count * sizeof *a->more)) &&
           (a->rank < 2 || !memcmp(a->shape, b->shape, a->rank * sizeof *a->shape));
}

static bool grow_table(lun_engine *e)
{
    uint64_t count = e->bucket_count ? 2 * e->bucket_count : FIRST_BUCKETS;
    lun_node **buckets = calloc(count, sizeof *buckets);
    if (!buckets)
        return e->bucket_count != 0;
    for (uint64_t i = 0; i < e->bucket_count; i++)
        for (lun_node *n = e->buckets[i], *next; n; n = next) {
            next = n->chain;
            n->chain = buckets[n->hash & (count - 1)];
            buckets[n->hash & (count - 1)] = n;
        }
    free(e->buckets);
    e->buckets = buckets;
    e->bucket_count = count;
    return true;
}

static void forget(lun_engine *e, lun_node *n)
{
    lun_node **at = &e->buckets[n->hash & (e->bucket_count - 1)];
    while (*at != n)
        at = &(*at)->chain;
    *at = n->chain;
    e->node_count--;
}

/* ---- making ------------------------------------------------------------------------------------------ */

static lun_status set_shape(lun_engine *e, lun_node *n, int rank, const int64_t *shape)
{
    n->rank = (uint8_t)rank;
    n->n = 1;
    for (int i = 0; i < rank; i++)
        if (__builtin_mul_overflow(n->n, shape[i], &n->n))
            return lun__fail(e, LUN_ERANGE,
                             "too many elements: the product of the extents exceeds 2^63");
    if (rank < 2)
        return LUN_OK;
    n->shape = malloc((size_t)rank * sizeof *n->shape);
    if (!n->shape)
        return lun__nomem(e);
    memcpy(n->shape, shape, (size_t)rank * sizeof *shape);
    return LUN_OK;
}

static lun_status shape_like(lun_engine *e, lun_node *n, const lun_node *like)
{
    if (like->rank < 2) {
        n->rank = like->rank;
        n->n = like->n;
        return LUN_OK;
    }
    return set_shape(e, n, like->rank, like->shape);
}

/* Finds an equal node or makes one of *proto, whose shape and more are owned by the callee. */
static lun_status intern(lun_engine *e, lun_node *proto, lun_node **out)
{
    if (e->node_count >= e->bucket_count && !grow_table(e))
        goto nomem;
    proto->hash = hash_of(proto);
    for (lun_node *n = e->buckets[proto->hash & (e->bucket_count - 1)]; n; n = n->chain)
        if (equal(n, proto)) {
            free(proto->shape);
            free(proto->more);
            *out = lun_node_retain(n);
            return LUN_OK;
        }
    lun_node *n = take(e);
    if (!n)
        goto nomem;
    *n = *proto;
    n->refs = 1;
    n->where = e->place;
    n->workgroup = e->workgroup;
    n->virt = n->kind != LUN_NODE_LEAF;
    lun_node *in;
    for (int k = 0; (in = lun_node_operand(n, k)); k++) {
        in->refs++;
        n->virt &= in->virt;
    }
    if (n->function)
        lun_function_retain(n->function);
    lun_node **bucket = &e->buckets[n->hash & (e->bucket_count - 1)];
    n->chain = *bucket;
    *bucket = n;
    e->node_count++;
    *out = n;
    return LUN_OK;
nomem:
    free(proto->shape);
    free(proto->more);
    return lun__nomem(e);
}

lun_status lun_node_leaf(lun_engine *e, lun_storage *s, int64_t offset, int rank,
                         const int64_t *shape, lun_node **out)
{
    lun_node *n = take(e);
    if (!n)
        return lun__nomem(e);
    *n = (lun_node){.refs = 1, .kind = LUN_NODE_LEAF, .dtype = (uint8_t)s->dtype, .offset = offset};
    lun_status status = set_shape(e, n, rank, shape);
    if (status != LUN_OK) {
        give(e, n);
        return status;
    }
    s->refs++;
    n->storage = s;
    *out = n;
    return LUN_OK;
}

lun_status lun_node_number(lun_engine *e, lun_dtype t, uint64_t cell, int rank,
                           const int64_t *shape, lun_node **out)
{
    lun_node p = {.kind = LUN_NODE_NUMBER, .dtype = (uint8_t)t, .cell = cell};
    lun_status s = set_shape(e, &p, rank, shape);
    return s == LUN_OK ? intern(e, &p, out) : s;
}

lun_status lun_node_index(lun_engine *e, int64_t n, lun_node **out)
{
    lun_node p = {.kind = LUN_NODE_INDEX, .dtype = LUN_I64, .rank = 1, .n = n, .source = 1};
    return intern(e, &p, out);
}

lun_status lun_node_random(lun_engine *e, lun_node *key, lun_node *index, lun_dtype t,
                           lun_node **out)
{
    lun_node p = {.kind = LUN_NODE_RANDOM, .dtype = (uint8_t)t, .in = {key, index}, .source = 1};
    lun_status s = shape_like(e, &p, index);
    return s == LUN_OK ? intern(e, &p, out) : s;
}

lun_status lun_node_op(lun_engine *e, lun_op op, lun_node *const *in, lun_dtype t,
                       const lun_node *like, lun_node **out)
{
    lun_node p = {.kind = LUN_NODE_OP, .op = (int32_t)op, .dtype = (uint8_t)t};
    for (int k = 0; k < lun_op_get(op)->arity; k++)
        p.in[k] = in[k];
    lun_status s = shape_like(e, &p, like);
    return s == LUN_OK ? intern(e, &p, out) : s;
}

lun_status lun_node_cast(lun_engine *e, lun_node *a, lun_dtype t, lun_node **out)
{
    lun_node p = {.kind = LUN_NODE_CAST, .dtype = (uint8_t)t, .in = {a}, .source = a->source};
    lun_status s = shape_like(e, &p, a);
    return s == LUN_OK ? intern(e, &p, out) : s;
}

lun_status lun_node_call(lun_engine *e, lun_function *f, const lun_ir_function *body,
                         lun_node *const *operands, int count, int elements, lun_dtype t,
                         const lun_node *like, lun_node **out)
{
    lun_node p = {.kind = LUN_NODE_CALL,
                  .dtype = (uint8_t)t,
                  .function = f,
                  .body = body,
                  .count = count,
                  .elements = elements};
    lun_status s = shape_like(e, &p, like);
    if (s != LUN_OK)
        return s;
    p.more = malloc((size_t)count * sizeof *p.more);
    if (!p.more) {
        free(p.shape);
        return lun__nomem(e);
    }
    memcpy(p.more, operands, (size_t)count * sizeof *p.more);
    return intern(e, &p, out);
}

lun_status lun_node_output(lun_engine *e, lun_node *call, int number, lun_dtype t, lun_node **out)
{
    lun_node p = {.kind = LUN_NODE_OUTPUT, .op = number, .dtype = (uint8_t)t, .in = {call}};
    lun_status s = shape_like(e, &p, call);
    return s == LUN_OK ? intern(e, &p, out) : s;
}

lun_status lun_node_reduce(lun_engine *e, lun_op op, lun_function *f, const lun_ir_function *body,
                           lun_node *a, lun_dtype t, lun_node **out)
{
    lun_node p = {.kind = LUN_NODE_REDUCE,
                  .op = (int32_t)op,
                  .function = f,
                  .body = body,
                  .n = 1,
                  .dtype = (uint8_t)t,
                  .acc = a->dtype,
                  .in = {a}};
    return intern(e, &p, out);
}

lun_status lun_node_scan(lun_engine *e, lun_op op, lun_function *f, const lun_ir_function *body,
                         lun_node *a, lun_node *id, bool inclusive, lun_node **out)
{
    lun_node p = {.kind = LUN_NODE_SCAN,
                  .op = (int32_t)op,
                  .function = f,
                  .body = body,
                  .inclusive = inclusive,
                  .dtype = a->dtype,
                  .in = {a, id}};
    lun_status s = shape_like(e, &p, a);
    return s == LUN_OK ? intern(e, &p, out) : s;
}

lun_status lun_node_slice(lun_engine *e, lun_node *a, int64_t offset, int64_t step, int rank,
                          const int64_t *shape, lun_node **out)
{
    /* a leaf of its own shares pooled storage; wrapped memory stays with its own leaf, which a write
     * can then tell from the rest */
    if (a->kind == LUN_NODE_LEAF && step == 1 && !a->storage->wrapped)
        return lun_node_leaf(e, a->storage, a->offset + offset, rank, shape, out);
    if (a->kind == LUN_NODE_NUMBER)
        return lun_node_number(e, (lun_dtype)a->dtype, a->cell, rank, shape, out);
    lun_node p = {
        .kind = LUN_NODE_SLICE, .dtype = a->dtype, .in = {a}, .offset = offset, .step = step};
    lun_status s = set_shape(e, &p, rank, shape);
    return s == LUN_OK ? intern(e, &p, out) : s;
}

lun_status lun_node_concat(lun_engine *e, lun_node *a, lun_node *b, int rank, const int64_t *shape,
                           lun_node **out)
{
    lun_node p = {.kind = LUN_NODE_CONCAT, .dtype = a->dtype, .in = {a, b}};
    lun_status s = set_shape(e, &p, rank, shape);
    return s == LUN_OK ? intern(e, &p, out) : s;
}

lun_status lun_node_reshape(lun_engine *e, lun_node *a, int rank, const int64_t *shape,
                            lun_node **out)
{
    if (a->kind == LUN_NODE_LEAF && !a->storage->wrapped)
        return lun_node_leaf(e, a->storage, a->offset, rank, shape, out);
    if (a->kind == LUN_NODE_NUMBER)
        return lun_node_number(e, (lun_dtype)a->dtype, a->cell, rank, shape, out);
    lun_node p = {.kind = LUN_NODE_RESHAPE, .dtype = a->dtype, .in = {a}, .source = a->source};
    lun_status s = set_shape(e, &p, rank, shape);
    return s == LUN_OK ? intern(e, &p, out) : s;
}

/* ---- ending ------------------------------------------------------------------------------------------ */

/* Lets go of what n holds; operands that nobody else holds join the list of the dying. */
static lun_node *let_go(lun_engine *e, lun_node *n, lun_node *dying)
{
    lun_node *in;
    for (int k = 0; (in = lun_node_operand(n, k)); k++)
        if (!--in->refs) {
            if (in->kind != LUN_NODE_LEAF)
                forget(e, in);
            in->chain = dying;
            dying = in;
        }
    if (n->function)
        lun_function_release(n->function);
    free(n->more);
    memset(n->in, 0, sizeof n->in);
    n->more = NULL;
    n->count = 0;
    n->function = NULL;
    n->body = NULL;
    return dying;
}

static void bury(lun_engine *e, lun_node *dying)
{
    while (dying) {
        lun_node *n = dying;
        dying = let_go(e, n, n->chain);
        lun_storage_release(e, n->storage);
        free(n->shape);
        free(n->moments);
        n->shape = NULL;
        n->moments = NULL;
        n->storage = NULL;
        give(e, n);
    }
}

void lun_node_release(lun_engine *e, lun_node *n)
{
    if (!n || --n->refs)
        return;
    if (n->kind != LUN_NODE_LEAF)
        forget(e, n);
    n->chain = NULL;
    bury(e, n);
}

void lun_node_become_leaf(lun_engine *e, lun_node *n, lun_storage *s, int64_t offset)
{
    if (n->kind != LUN_NODE_LEAF)
        forget(e, n);
    lun_node *dying = let_go(e, n, NULL);
    n->kind = LUN_NODE_LEAF;
    n->virt = n->source = 0;
    n->storage = s;
    n->offset = offset;
    n->op = 0;
    n->step = 0;
    bury(e, dying);
}

void lun_node_become_number(lun_engine *e, lun_node *n, uint64_t cell)
{
    forget(e, n);
    lun_node *dying = let_go(e, n, NULL);
    n->kind = LUN_NODE_NUMBER;
    n->virt = 1;
    n->source = n->inclusive = n->acc = 0;
    n->op = 0;
    n->offset = n->step = 0;
    n->elements = 0;
    n->cell = cell;
    n->hash = hash_of(n);
    lun_node **bucket = &e->buckets[n->hash & (e->bucket_count - 1)];
    n->chain = *bucket; /* an equal NUMBER may live beside it: harmless */
    *bucket = n;
    e->node_count++;
    bury(e, dying);
}
