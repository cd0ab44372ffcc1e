/* divergent_operands.c - before a plan: the operands whose copies differ, found in the graph and
 * merged. */
#include "eval/eval.h"

#include <stdlib.h>

#include "base/grow.h"
#include "graph/function_ref.h"
#include "graph/walk.h"
#include "store/fetch.h"

typedef struct search {
    lun_storage **at;
    int count, room;
} search;

static bool take(search *f, const lun_node *n)
{
    lun_storage *s = n->kind == LUN_NODE_LEAF ? n->storage : NULL;
    if (!s || !s->placed || !s->placed->versions)
        return true;
    for (int i = 0; i < f->count; i++)
        if (f->at[i] == s)
            return true;
    if (!lun__grow(&f->at, f->count, &f->room, sizeof *f->at))
        return false;
    f->at[f->count++] = s;
    return true;
}

static bool enter(const void *ctx, const lun_node *user, int k, const lun_node *in)
{
    (void)ctx, (void)k, (void)in;
    return !lun__node_ready(user);
}

static bool visit(void *ctx, lun_node *n, const lun_node *user)
{
    const lun_function *f = n->extended && n->body ? n->function : NULL;
    (void)user;
    for (int k = 0; f && k < f->array_count; k++)
        if (!take(ctx, f->arrays[k]))
            return false;
    return take(ctx, n);
}

lun_status lun__divergent_operands(lun_engine *e, lun_node *const *roots, int count,
                                   lun_storage ***out, int *found)
{
    search f = {.count = 0};
    const lun_visitor v = {LUN_WALK_MARK, enter, visit, &f};
    const uint64_t walk = ++e->walk;
    bool done = true;
    for (int i = 0; done && i < count; i++)
        done = lun__walk(walk, roots[i], &v);
    *out = f.at;
    *found = f.count;
    return done ? LUN_OK : lun__fail_nomem(e);
}

lun_status lun__divergent_operands_merge(lun_engine *e, lun_node *const *roots, int count)
{
    lun_storage **at;
    int found;
    if (!e->diverged)
        return LUN_OK;
    lun_status s = lun__divergent_operands(e, roots, count, &at, &found);
    for (int i = 0; s == LUN_OK && i < found; i++)
        s = lun__fetch_merge(e, at[i]);
    free(at);
    return s;
}
