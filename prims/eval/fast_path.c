/* fast_path.c - what shortens the way of small evaluations; see fast_path.h.  Knows no kernel and
 * no plan.
 *
 * A row's sum of 3 x 3 elements from a script: 1.7 us, and 3.9 us by a plan with a kernel that
 * copies it in its shape. */
#include "eval/fast_path.h"

#include "graph/backward_slice.h"
#include "graph/walk.h"
#include "steps/product_step.h"

/* Elements of a product, and how many products are made before there is a plan. */
enum { SMALL = 1 << 16, PRODUCTS = 8 };

static lun_node *base_of(lun_node *root)
{
    lun_node *base = root;
    while (base->kind == LUN_NODE_RESHAPE)
        base = base->in[0];
    bool before = base->kind == LUN_NODE_REDUCE || lun__node_is_step(base);
    return before && base->rank && root->rank ? base : root;
}

lun_node *const *lun__fast_bases(lun_node *const *roots, int count, lun_node *few[LUN_FAST_ROOTS])
{
    if (count > LUN_FAST_ROOTS)
        return roots;
    for (int i = 0; i < count; i++)
        few[i] = base_of(roots[i]);
    return few;
}

void lun__fast_take(lun_engine *e, lun_node *root, const lun_node *base)
{
    if (root == base || root->kind != LUN_NODE_RESHAPE || base->kind != LUN_NODE_LEAF)
        return;
    lun_storage *s = base->storage;
    s->refs++;
    lun__node_become_leaf(e, root, s, base->offset);
}

lun_status lun__fast_cones(lun_engine *e, lun_node *const *roots, int count,
                           lun_node *cones[LUN_FAST_ROOTS], bool *less)
{
    *less = false;
    return count <= LUN_FAST_ROOTS ? lun__backward_slice(e, roots, count, cones, less) : LUN_OK;
}

void lun__fast_give(lun_engine *e, lun_node *root, const lun_node *of)
{
    if (lun__node_ready(root))
        return;
    if (of->kind == LUN_NODE_NUMBER) {
        lun__node_become_number(e, root, of->cell);
        return;
    }
    of->storage->refs++;
    lun__node_become_leaf(e, root, of->storage, of->offset);
}

/* ---- products -------------------------------------------------------------------------------- */

typedef struct found {
    lun_node *at[PRODUCTS];
    int count;
} found;

/* Whether a product takes n as it is. */
static bool stands(const lun_node *n)
{
    return n->kind == LUN_NODE_LEAF ||
           (n->kind == LUN_NODE_VIEW && n->in[0]->kind == LUN_NODE_LEAF);
}

static bool enter(const void *ctx, const lun_node *user, int k, const lun_node *in)
{
    (void)ctx, (void)k, (void)in;
    return !lun__node_ready(user);
}

static bool find(void *ctx, lun_node *n, const lun_node *user)
{
    found *f = ctx;
    (void)user;
    if (n->kind == LUN_NODE_MATMUL && n->n <= SMALL && f->count < PRODUCTS && stands(n->in[0]) &&
        stands(n->in[1]))
        f->at[f->count++] = n;
    return true;
}

lun_status lun__fast_products(lun_engine *e, lun_node *const *roots, int count, bool *some)
{
    found f = {.count = 0};
    const lun_visitor v = {LUN_WALK_MARK, enter, find, &f};
    lun_status s = LUN_OK;
    uint64_t walk = ++e->walk;
    for (int i = 0; s == LUN_OK && i < count; i++)
        if (!lun__walk(walk, roots[i], &v))
            s = lun__fail_nomem(e);
    for (int i = 0; s == LUN_OK && i < f.count; i++) {
        s = lun__watch_stopped(e);
        if (s == LUN_OK)
            s = lun__product_step_run(e, f.at[i]);
    }
    *some = f.count > 0;
    return s;
}
