/* evaluate_early.c - bounds expressions that are never evaluated otherwise: one is evaluated when
 * too many nodes below it are not. */
#include "api/array/array.h"
#include "eval/eval.h"
#include "graph/walk.h"
#include "plan/plan.h"

enum {
    MOST = 1000,       /* nodes, arrays as LUN_WAITS_ARRAY; about what two kernels hold */
    PINNED = 64 << 20, /* bytes of arrays that only the expression holds, above */
    TIMES = 8          /* so many times those of its largest array */
};

/* Nodes times elements above which the bytes are counted at every node; below, only when the number
 * of nodes has doubled since the last count. */
#define LARGE 0x1p22
enum { EACH = 1 << 19 };

typedef struct tally {
    int64_t waits, pinned;
    double largest;
} tally;

/* Operands are visited first: their slots count their uses. */
static bool count(void *ctx, lun_node *n, const lun_node *user)
{
    (void)user;
    tally *t = ctx;
    lun_node *in;
    n->slot = 0;
    double bytes = (double)n->n * lun__dtype_get((lun_dtype)n->dtype)->bytes;
    if (bytes > t->largest)
        t->largest = bytes;
    t->waits += n->kind == LUN_NODE_LEAF ? LUN_WAITS_ARRAY : 1;
    for (int k = 0; (in = lun__node_operand(n, k)); k++)
        if (in->kind == LUN_NODE_LEAF && ++in->slot == in->refs && in->storage->refs == 1)
            t->pinned += in->storage->bytes;
    return true;
}

static bool too_much(lun_engine *e, lun_node *n)
{
    tally t = {0};
    if (!lun__walk(++e->walk, n, &(lun_visitor){LUN_WALK_MARK, NULL, count, &t}))
        return false;
    n->waits = (uint16_t)(t.waits < MOST ? t.waits : MOST);
    return t.waits > MOST || (double)t.pinned > PINNED + TIMES * t.largest;
}

/* Whether n makes the number of nodes not evaluated pass a power of two. */
static bool doubles(const lun_node *n)
{
    lun_node *in;
    for (int k = 0; (in = lun__node_operand(n, k)); k++)
        if (__builtin_clz(n->waits) == __builtin_clz(in->waits | 1u))
            return false;
    return true;
}

static bool is_due(const lun_node *n)
{
    if (n->waits > MOST)
        return true;
    return (double)n->n * n->waits >= LARGE && (n->n >= EACH || doubles(n));
}

lun_status lun__evaluate_early(lun_engine *e, lun_node *n)
{
    if (!is_due(n) || e->in_callback || !too_much(e, n))
        return LUN_OK;
    n->waits = 1; /* after a failure it is tried again when as many more nodes wait */
    lun_status s = lun__keep_may_store(n) ? lun__eval(e, &n, 1) : LUN_OK;
    if (s == LUN_ECANCEL || (s != LUN_OK && lun__watch_stopped(e) != LUN_OK))
        return s;
    if (s == LUN_OK)
        e->stats.overdue += lun__node_ready(n);
    else
        lun__fail_clear(e);
    return LUN_OK;
}
