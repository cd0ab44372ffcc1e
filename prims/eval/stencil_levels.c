/* stencil_levels.c - repeated stencils of arrays that a core's caches hold, evaluated level by
 * level. A level is all that is computed between the elements that stencils read of one another. A
 * plan of a hundred levels takes several times as long as a hundred look-ups of one level's recipe,
 * and for a small array that is most of the time.
 *
 * 100 sweeps of five points over 256 x 256 f32 in one expression: 30 us each as sweeps blocked in
 * time, 11 us so, as if each had been evaluated. */
#include "eval/eval.h"

#include <stdlib.h>
#include <string.h>

#include "base/grow.h"
#include "graph/walk.h"
#include "plan/plan.h"
#include "schedule/sweep.h"
#include "store/pool.h"

enum { TOGETHER = 8 }; /* arrays of a level that are evaluated together */

typedef struct levels {
    lun_engine *e;
    int64_t cache_bytes;
    lun_node **at; /* that wait, operands before users: their slots are their levels */
    lun_node **by; /* the same, level by level */
    int *first;    /* by level, in `by` */
    int count, room, last;
    bool fits;   /* arrays are small, and no level computes what another one does */
    bool around; /* the first level reads around indices, too */
} levels;

static bool enter(const void *ctx, const lun_node *user, int k, const lun_node *in)
{
    (void)ctx, (void)k, (void)in;
    return !lun__node_ready(user);
}

/* Whether it is no work to use n at several levels: it is read from memory. */
static bool is_free(const lun_node *n)
{
    if (n->kind == LUN_NODE_VIEW)
        n = n->in[0];
    return lun__node_ready(n) || n->kind == LUN_NODE_PAD;
}

static bool visit(void *ctx, lun_node *n, const lun_node *user)
{
    levels *l = ctx;
    lun_node *in;
    (void)user;
    if (lun__node_ready(n))
        return true;
    if (!lun__grow(&l->at, l->count, &l->room, sizeof *l->at))
        return false;
    l->at[l->count++] = n;
    n->slot = 0;
    for (int k = 0; (in = lun__node_operand(n, k)); k++) {
        const int level = lun__node_ready(in) ? 0 : in->slot + (n->kind == LUN_NODE_PAD);
        n->slot = level > n->slot ? level : n->slot;
    }
    l->last = n->slot > l->last ? n->slot : l->last;
    l->around |= n->kind == LUN_NODE_PAD && !n->slot;
    if (n->kind == LUN_NODE_PAD)
        l->fits &= lun__sweep_is_slower(
            l->e, n->in[0]->n * lun__dtype_get((lun_dtype)n->in[0]->dtype)->bytes, l->cache_bytes);
    return l->fits;
}

/* Whether a node that stencils read waits: its level's result. */
static bool is_read(const lun_node *pad)
{
    return pad->kind == LUN_NODE_PAD && !lun__node_ready(pad->in[0]);
}

/* Whether each node is computed at one level alone, but for results, which other levels read.
 * Gives these a value: 1 and how many nodes use them. */
static void check_levels(levels *l)
{
    lun_node *in;
    for (int i = 0; i < l->count; i++)
        l->at[i]->value = 0;
    for (int i = 0; i < l->count; i++)
        if (is_read(l->at[i]))
            l->at[i]->in[0]->value = 1;
    for (int i = 0; i < l->count; i++)
        for (int k = 0; (in = lun__node_operand(l->at[i], k)); k++) {
            const bool waits = !lun__node_ready(in);
            l->fits &= is_free(in) || in->slot == l->at[i]->slot || in->value;
            in->value += waits && in->value;
        }
}

/* Bytes of results that more than the levels hold: each stays in memory.  Most are garbage of the
 * host's language if it has made the levels one after the other. */
static int64_t held_bytes(const levels *l)
{
    int64_t bytes = 0;
    for (int i = 0; i < l->count; i++) {
        const lun_node *n = l->at[i];
        if (n->value && n->refs >= n->value)
            bytes += n->n * lun__dtype_get((lun_dtype)n->dtype)->bytes;
    }
    return bytes;
}

static bool sort_by_level(levels *l)
{
    l->first = calloc((size_t)l->last + 2, sizeof *l->first);
    l->by = malloc((size_t)l->count * sizeof *l->by);
    if (!l->first || !l->by)
        return false;
    for (int i = 0; i < l->count; i++)
        l->first[l->at[i]->slot + 1]++;
    for (int k = 0; k <= l->last; k++)
        l->first[k + 1] += l->first[k];
    for (int i = l->count; i-- > 0;) /* backwards: at last, first[k + 1] is where level k begins */
        l->by[--l->first[l->at[i]->slot + 1]] = l->at[i];
    return true;
}

/* Level k: its nodes have the form that they have where what is below is in memory. */
static lun_status run_level(levels *l, int k,
                            lun_status (*run)(lun_engine *e, lun_node *const *roots, int count))
{
    lun_node *result[TOGETHER];
    const int end = k < l->last ? l->first[k + 2] : l->count;
    int count = 0;
    for (int i = l->first[k + 1]; i < end; i++) {
        lun_node *n = l->by[i];
        lun__node_reform(n);
        if (!n->value)
            continue;
        if (count == TOGETHER)
            return LUN_OK;
        result[count++] = n;
    }
    lun_status s = lun__watch_stopped(l->e);
    return s == LUN_OK && count && k < l->last ? run(l->e, result, count) : s;
}

lun_status lun__stencil_levels_run(lun_engine *e, lun_node *const *roots, int count,
                                   lun_status (*run)(lun_engine *e, lun_node *const *roots,
                                                     int count),
                                   bool *some)
{
    levels l = {.e = e, .fits = true};
    const lun_visitor v = {LUN_WALK_MARK, enter, visit, &l};
    lun_status s = LUN_OK;
    *some = false;
    if (!lun__backend_sweeps(e, &l.cache_bytes))
        return LUN_OK;
    const uint64_t walk = ++e->walk;
    bool all = true;
    for (int i = 0; all && i < count; i++)
        all = lun__walk(walk, roots[i], &v);
    if (!all && l.fits)
        s = lun__fail_nomem(e);
    if (all && l.last > !l.around) { /* an expression and its stencil are one pass by a plan */
        check_levels(&l);
        if (l.fits && (lun__pool_refuse(e->pool, held_bytes(&l)) || !sort_by_level(&l)))
            s = lun__fail_nomem(e);
        for (int k = 0; s == LUN_OK && l.fits && k <= l.last; k++)
            s = run_level(&l, k, run);
        *some = l.fits;
    }
    free(l.at);
    free(l.by);
    free(l.first);
    return s;
}
