/* node.c - nodes: allocation, hash-consing, release; make_node.c fills them.  Two equal expressions
 * are one node.  Release and lookup never recurse: a graph may be a million operations deep.
 *
 * Invariant: every node is in a slab, which stays until the engine ends, and is spare (all pointers
 * but `chain` NULL, in the list e->spare) or in use.  A node in use has refs > 0 and a reference to
 * each of its operands, its function, its storage.  It is in the table once, in the bucket of its
 * hash, unless it is a LEAF that is no run; node_count is the number of nodes there.  No two of
 * them are equal and of one work-group, but for a NUMBER that an evaluation made beside one. What
 * `hash_of` and `equal` read changes in no node that is in the table: lun__node_become_leaf and
 * _number take it out before.  They keep the node's address and references, and may be called for a
 * node that others use as operand. */
#include "graph/node.h"
#include "graph/function_ref.h"

#include <stddef.h>
#include <stdlib.h>
#include <string.h>

#include "engine/state.h"
#include "graph/make_node.h"
#include "store/fetch.h"

enum { SLAB_NODES = 255, FIRST_BUCKETS = 256 };

_Static_assert(offsetof(lun_node, op) == 0 && offsetof(lun_node, kind) == 4 &&
                   offsetof(lun_node, dtype) == 5 && offsetof(lun_node, inclusive) == 7,
               "a node's nature is its first eight bytes");

typedef struct slab {
    lun_node nodes[SLAB_NODES];
    struct slab *next;
} slab;

bool lun__nodes_more(lun_engine *e)
{
    slab *s = aligned_alloc(_Alignof(slab), sizeof *s);
    if (!s)
        return false;
    memset(s, 0, sizeof *s);
    s->next = e->slabs;
    e->slabs = s;
    for (int i = 0; i < SLAB_NODES; i++) {
        s->nodes[i].chain = e->spare;
        e->spare = &s->nodes[i];
    }
    return true;
}

/* Puts n among the spare nodes. */
static void give(lun_engine *e, lun_node *n)
{
    n->chain = e->spare;
    e->spare = n;
    e->stats.nodes--;
    lun__account_give(e->account, sizeof *n);
}

/* Frees the fields from `shape` on; the operands are released already. */
static void free_extension(lun_node *n)
{
    free(n->shape);
    free(n->moments);
    free(n->more);
    n->shape = NULL;
    n->moments = NULL;
    n->more = NULL;
    n->count = n->elements = 0;
    n->function = NULL;
    n->body = NULL;
    n->notes = NULL;
}

void lun__node_drop(lun_engine *e, lun_node *n)
{
    if (n->extended)
        free_extension(n);
    n->in[0] = n->in[1] = n->in[2] = NULL;
    give(e, n);
}

void lun__nodes_close(lun_engine *e)
{
    slab *s = e->slabs;
    lun__account_give(e->account, e->stats.nodes * (int64_t)sizeof(lun_node));
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

/* At most *count operands, the first NULL ends them. */
static inline lun_node *const *operands(const lun_node *n, int *count)
{
    bool many = lun__node_has_many(n);
    *count = many ? n->count : 3;
    return many ? n->more : n->in;
}

void lun__node_shape(const lun_node *n, int64_t shape[LUN_MAX_RANK])
{
    if (n->rank == 1)
        shape[0] = n->n;
    for (int i = 0; i < n->rank && n->shape; i++)
        shape[i] = n->shape[i];
}

void lun__node_layout(const lun_node *n, lun_layout *out)
{
    int64_t shape[LUN_MAX_RANK];
    lun__node_shape(n, shape);
    *out = lun__layout_right(n->rank, shape);
    if (n->kind != LUN_NODE_VIEW)
        return;
    out->offset = n->offset;
    if (n->rank == 1)
        out->stride[0] = n->step;
    for (int i = 0; i < n->rank && n->shape; i++)
        out->stride[i] = n->shape[n->rank + i];
}

void lun__node_padding(const lun_node *n, lun_padding *out)
{
    out->rank = n->rank;
    out->value = n->cell;
    lun__node_shape(n, out->extent);
    lun__node_shape(n->in[0], out->inner);
    for (int k = 0; k < n->rank; k++) {
        out->before[k] = n->shape ? n->shape[n->rank + k] : n->offset;
        out->rule[k] = (uint8_t)(n->step >> 8 * k);
    }
}

/* ---- the table of living nodes --------------------------------------------------------------- */

/* Factors of the parts of a hash, which are independent of each other. */
#define ODD_1 UINT64_C(0x9e3779b97f4a7c15)
#define ODD_2 UINT64_C(0xc2b2ae3d27d4eb4f)
#define ODD_3 UINT64_C(0x165667b19e3779f9)
#define ODD_4 UINT64_C(0xd6e8feb86659fd93)
#define ODD_5 UINT64_C(0xff51afd7ed558ccd)

static inline uint32_t folded(uint64_t h)
{
    h ^= h >> 32;
    h *= ODD_2;
    return (uint32_t)(h >> 32);
}

static inline uint64_t address_of(const void *p)
{
    return (uint64_t)(uintptr_t)p;
}

/* Numbers in n->shape, for rank 2 and more. */
static inline size_t numbers(const lun_node *n)
{
    return n->kind == LUN_NODE_VIEW || n->kind == LUN_NODE_PAD ? 2 * (size_t)n->rank : n->rank;
}

static inline uint32_t hash_of(const lun_node *n)
{
    uint64_t h = lun__node_nature(n) * ODD_1 + ((uint64_t)n->n ^ (uint64_t)n->rank << 56) * ODD_2 +
                 address_of(n->in[0]) * ODD_3 + address_of(n->in[1]) * ODD_4 +
                 address_of(n->in[2]) * ODD_5;
    if (n->kind != LUN_NODE_OP) {
        h += n->cell * ODD_3 + (uint64_t)n->offset * ODD_4 + (uint64_t)n->step * ODD_5;
    }
    if (n->extended) {
        for (size_t k = 0; n->rank > 1 && numbers(n) > n->rank && k < numbers(n); k++)
            h = (h ^ h >> 29) * ODD_1 + (uint64_t)n->shape[k];
        for (int k = 0; k < n->count; k++)
            h = (h ^ h >> 29) * ODD_1 + address_of(n->more[k]);
        h += address_of(n->body) * ODD_1;
    }
    return folded(h);
}

/* For eval/recipe.c, which looks for graphs of the same form. */
static inline uint32_t form_of(const lun_node *n)
{
    uint64_t h = lun__node_nature(n) * ODD_1;
    if (n->in[0])
        h += (lun__node_form(n->in[0]) + UINT64_C(1)) * ODD_3;
    if (n->in[1])
        h += (lun__node_form(n->in[1]) + UINT64_C(1)) * ODD_4;
    if (n->in[2])
        h += (lun__node_form(n->in[2]) + UINT64_C(1)) * ODD_5;
    if (n->kind == LUN_NODE_CALL) {
        h += address_of(n->body) * ODD_2;
        for (int k = 0; k < n->count; k++)
            h = (h ^ h >> 29) * ODD_1 + lun__node_form(n->more[k]);
    }
    return folded(h);
}

static bool equal_extension(const lun_node *a, const lun_node *b)
{
    return a->body == b->body && lun__function_ref_same(a->function, b->function) &&
           a->count == b->count && a->elements == b->elements &&
           (!a->count || !memcmp(a->more, b->more, (size_t)a->count * sizeof *a->more)) &&
           (a->rank < 2 || !memcmp(a->shape, b->shape, numbers(a) * sizeof *a->shape));
}

static inline bool equal(const lun_node *a, const lun_node *b)
{
    return lun__node_nature(a) == lun__node_nature(b) && a->rank == b->rank && a->n == b->n &&
           a->in[0] == b->in[0] && a->in[1] == b->in[1] && a->in[2] == b->in[2] &&
           a->cell == b->cell && a->offset == b->offset && a->step == b->step &&
           (!(a->extended | b->extended) || equal_extension(a, b));
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

static inline bool is_interned(const lun_node *n)
{
    return n->kind != LUN_NODE_LEAF || lun__node_is(n, LUN_IS_RUN);
}

/* Takes n out of the table. */
static void forget(lun_engine *e, lun_node *n)
{
    lun_node **at = &e->buckets[n->hash & (e->bucket_count - 1)];
    while (*at != n)
        at = &(*at)->chain;
    *at = n->chain;
    e->node_count--;
}

/* Takes the references of n to its operands and its function. */
static inline void count_operands(lun_node *n)
{
    int count;
    int is = n->is;
    uint32_t waits = 1;
    lun_node *const *in = operands(n, &count);
    for (int k = 0; k < count && in[k]; k++) {
        in[k]->refs++;
        const bool again = k && in[k]->kind == LUN_NODE_VIEW && in[k - 1]->kind == LUN_NODE_VIEW &&
                           in[k]->in[0] == in[k - 1]->in[0]; /* elements around an index */
        waits += again ? 1 : in[k]->waits;
        is &= in[k]->is | (in[k]->n == n->n ? LUN_IS_SOURCE : LUN_IS_SOURCE | LUN_IS_UNBACKED);
    }
    n->is = (uint8_t)is;
    n->waits = waits < UINT16_MAX ? (uint16_t)waits : UINT16_MAX;
    if (n->extended && n->function)
        lun_function_retain(n->function);
}

lun_status lun__node_intern(lun_engine *e, lun_node *n, lun_node **out)
{
    if (e->node_count >= e->bucket_count && !grow_table(e)) {
        lun__node_drop(e, n);
        return lun__fail_nomem(e);
    }
    n->hash = hash_of(n);
    lun_node **bucket = &e->buckets[n->hash & (e->bucket_count - 1)];
    for (lun_node *other = *bucket; other; other = other->chain)
        if (other->hash == n->hash && other->workgroup == e->workgroup && equal(other, n)) {
            lun__node_drop(e, n);
            *out = lun__node_retain(other);
            return LUN_OK;
        }
    n->form = form_of(n);
    n->where = e->source_line;
    n->workgroup = e->workgroup;
    count_operands(n);
    n->chain = *bucket;
    *bucket = n;
    e->node_count++;
    *out = n;
    return LUN_OK;
}

void lun__node_reform(lun_node *n)
{
    n->form = form_of(n);
}

/* ---- ending ---------------------------------------------------------------------------------- */

/* Releases the operands and the function of n; operands without further references are put
 * before the list `unused`, which it returns. */
static inline lun_node *release_operands(lun_engine *e, lun_node *n, lun_node *unused)
{
    int count;
    lun_node *const *in = operands(n, &count);
    for (int k = 0; k < count && in[k]; k++)
        if (!--in[k]->refs) {
            if (is_interned(in[k]))
                forget(e, in[k]);
            in[k]->chain = unused;
            unused = in[k];
        }
    n->in[0] = n->in[1] = n->in[2] = NULL;
    if (n->extended) {
        lun_function_release(n->function);
        free(n->more);
        n->more = NULL;
        n->count = n->elements = 0;
        n->function = NULL;
        n->body = NULL;
        n->notes = NULL;
    }
    return unused;
}

/* Frees a list of nodes without references and, in turn, the operands that only they hold. */
static void free_list(lun_engine *e, lun_node *unused)
{
    while (unused) {
        lun_node *n = unused;
        unused = release_operands(e, n, n->chain);
        if (n->storage)
            lun__storage_release(e, n->storage);
        n->storage = NULL;
        if (n->extended) {
            lun__current_free(e, n->wish);
            n->wish = NULL;
            free_extension(n);
        }
        give(e, n);
    }
}

void lun__node_end(lun_engine *e, lun_node *n)
{
    if (is_interned(n))
        forget(e, n);
    n->chain = NULL;
    free_list(e, n);
}

void lun__node_become_leaf(lun_engine *e, lun_node *n, lun_storage *s, int64_t offset)
{
    if (is_interned(n))
        forget(e, n);
    lun_node *unused = release_operands(e, n, NULL);
    n->kind = LUN_NODE_LEAF;
    n->is = 0;
    n->waits = LUN_WAITS_ARRAY;
    n->storage = s;
    n->offset = offset;
    n->op = 0;
    n->step = 0;
    if (n->extended && n->wish)
        n->wish = lun__placement_take(e, s, n->wish);
    free_list(e, unused); /* the cell stays: kernels take a NUMBER's, in memory or not */
}

lun_status lun__node_wish(lun_engine *e, lun_node *n, lun_spread *s, lun_combine *combine)
{
    lun_placed *wish = calloc(1, sizeof *wish);
    if (!wish)
        return lun__fail_nomem(e);
    wish->spread = s ? lun__spread_retain(s) : NULL;
    if (!combine && n->wish)
        combine = n->wish->combine;
    wish->combine = lun__current_combine_retain(combine);
    lun__current_free(e, n->wish);
    n->wish = wish;
    n->extended = 1;
    return LUN_OK;
}

void lun__node_become_number(lun_engine *e, lun_node *n, uint64_t cell)
{
    if (is_interned(n))
        forget(e, n);
    lun_node *unused = release_operands(e, n, NULL);
    if (n->storage)
        lun__storage_release(e, n->storage);
    n->storage = NULL;
    n->kind = LUN_NODE_NUMBER;
    n->is = LUN_IS_VIRTUAL | LUN_IS_UNBACKED;
    n->waits = 1;
    n->inclusive = n->acc = 0;
    n->op = 0;
    n->offset = n->step = 0;
    n->cell = cell;
    n->hash = hash_of(n);
    lun_node **bucket = &e->buckets[n->hash & (e->bucket_count - 1)];
    n->chain = *bucket; /* an equal NUMBER may live beside it: harmless */
    *bucket = n;
    e->node_count++;
    free_list(e, unused);
}
