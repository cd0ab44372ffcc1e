/* tiles.c - which steps are run some indices at a time; see tiles.h.  Runs nothing. */
#include "schedule/tiles.h"

#include "plan/matmul_plan.h"
#include "schedule/chain.h"

/* Bytes of what is made or taken more than once: fewer stay in the caches as they are. */
enum { BYTES = 4 << 20 };

static int64_t bytes_of(const lun_node *n)
{
    return n->n * lun__dtype_get((lun_dtype)n->dtype)->bytes;
}

/* An algorithm that takes its operands in order, once. */
static bool streams(const lun_step *step)
{
    return step->kind == LUN_STEP_ALGORITHM && step->node->kind == LUN_NODE_ALGORITHM &&
           lun__algorithm_rows[step->node->op].taken == LUN_TAKEN_PIECES;
}

static bool is_elementwise(const lun_step *step)
{
    const lun_lowered *l = &step->lowered;
    return step->kind == LUN_STEP_LAUNCH && !step->chain && !step->sweep && !step->across &&
           !step->blocks && !step->kept && !l->needed && !l->unrolled && l->ir.scan < 0 &&
           !l->ir.result_count;
}

/* Whether steps first .. last take all that the kernel `head` makes, and nothing else does. */
static bool takes_all(const lun_steps *s, int head, int first, int last)
{
    const lun_lowered *l = &s->at[head].lowered;
    int64_t bytes = 0;
    for (int i = 0; i < l->ir.slot_count; i++) {
        if (l->ir.slots[i].role != LUN_SLOT_OUT)
            continue;
        bool taken = false;
        for (int k = first; k <= last; k++)
            for (int j = 0; j < s->at[k].node->count; j++)
                taken |= s->at[k].node->more[j] == l->slots[i].node;
        if (!taken || lun__chain_keeps(s, last, l->slots[i].node))
            return false;
        bytes += bytes_of(l->slots[i].node);
    }
    return bytes >= BYTES;
}

/* Whether step at + 1 is a product of what the kernel `at` makes, which nothing else needs, and of
 * something else, which is in memory as a whole, with rows enough for several pieces. */
static bool feeds_product(lun_engine *e, const lun_steps *s, int at)
{
    const lun_lowered *l = &s->at[at].lowered;
    const lun_node *product = s->at[at + 1].node;
    if (s->at[at + 1].kind != LUN_STEP_PRODUCT || s->at[at + 1].chain || product->rank != 2 ||
        lun__matmul_plan_instead(e, product)) /* a library takes the operand as a whole */
        return false;
    const lun_node *rows = product->in[0];
    int64_t shape[LUN_MAX_RANK];
    lun__node_shape(rows, shape);
    if (lun__chain_is_of(product->in[1], rows) || bytes_of(rows) < BYTES ||
        shape[0] < (int64_t)4 * LUN_TILE_ROWS || lun__chain_keeps(s, at + 1, rows))
        return false;
    for (int i = 0; i < l->ir.slot_count; i++)
        if (l->ir.slots[i].role == LUN_SLOT_OUT && l->slots[i].node != rows)
            return false;
    return true;
}

/* Whether a later one of the steps takes a large array that an earlier one takes, too. */
static bool shares(const lun_steps *s, int first, int last)
{
    for (int k = first + 1; k <= last; k++)
        for (int j = 0; j < s->at[k].node->count; j++)
            for (int i = first; i < k; i++)
                for (int h = 0; h < s->at[i].node->count; h++)
                    if (s->at[i].node->more[h] == s->at[k].node->more[j])
                        return bytes_of(s->at[k].node->more[j]) >= BYTES / 4;
    return false;
}

/* Operands that no step before makes, or that the kernel `head` does. */
static bool fits(const lun_steps *s, int head, int at, int64_t n)
{
    const lun_node *algorithm = s->at[at].node;
    for (int j = 0; j < algorithm->count; j++) {
        const lun_node *in = algorithm->more[j];
        bool made = head >= 0 && lun__chain_makes(s, head, head, in);
        if (in->n != n || (!made && in->kind != LUN_NODE_LEAF && in->kind != LUN_NODE_NUMBER))
            return false;
    }
    return true;
}

/* The last step of those that begin with `first`; first - 1: there are none. */
static int last_of(lun_engine *e, const lun_steps *s, int first, int count)
{
    const bool made = is_elementwise(&s->at[first]);
    const int from = first + made;
    int last = from - 1;
    if (made && from < count && feeds_product(e, s, first))
        return from;
    while (last + 1 < count && last + 1 < first + LUN_CHAIN_STEPS && streams(&s->at[last + 1]) &&
           !s->at[last + 1].chain && fits(s, made ? first : -1, last + 1, s->at[first].n))
        last++;
    if (last < from || (made ? !takes_all(s, first, from, last) : !shares(s, from, last)))
        return first - 1;
    return last;
}

void lun__tiles_find(lun_engine *e, lun_steps *s, int count)
{
    int chains = 0;
    for (int k = 0; k < s->count; k++)
        chains = s->at[k].chain > chains ? s->at[k].chain : chains;
    for (int k = 0; k < count; k++) {
        int last = last_of(e, s, k, count);
        if (last < k)
            continue;
        chains++;
        for (int i = k; i <= last; i++)
            s->at[i].chain = chains;
        k = last;
    }
}

bool lun__tiles_begin(const lun_steps *s, int first)
{
    const lun_step_kind last = s->at[lun__chain_last(s, first)].kind;
    return last == LUN_STEP_ALGORITHM || last == LUN_STEP_PRODUCT;
}

static int first_of(const lun_steps *s, int at)
{
    int first = at;
    while (s->at[at].chain && first > 0 && s->at[first - 1].chain == s->at[at].chain)
        first--;
    return first;
}

bool lun__tiles_makes(const lun_steps *s, int at, const lun_node *n)
{
    int first = first_of(s, at);
    return first < at && lun__chain_makes(s, first, at - 1, n);
}

bool lun__tiles_has_taken(const lun_steps *s, int at, const lun_node *n)
{
    for (int k = first_of(s, at); k < at; k++)
        for (int j = 0; s->at[k].node && j < s->at[k].node->count; j++)
            if (s->at[k].node->more[j] == n)
                return true;
    return false;
}
