/* moves.c - the moves of a plan, found by doing its steps on sketches of what is where, by the same
 * rules (placing/share.h) as they are run; see moves.h.  Nothing is moved. */
#include "placing/moves.h"

#include <stdlib.h>

#include "placing/share.h"

/* ---- a step ---------------------------------------------------------------------------------- */

static lun_status read_operand(void *ctx, const lun_need *x)
{
    lun_teller *t = ctx;
    const lun_node *n = lun__teller_array(t, x->of);
    if (!n || n->kind == LUN_NODE_NUMBER)
        return LUN_OK;
    if (!x->whole)
        return lun__teller_need(t, n, x->at, x->elements.lo, x->elements.hi, x->why);
    const bool leaf = n->kind == LUN_NODE_LEAF;
    const int64_t before = leaf ? n->offset : 0, count = leaf ? n->storage->count : n->n;
    return lun__teller_need(t, n, x->at, -before, count - before, x->why);
}

static const lun_share_actions predicted = {
    .look = lun__teller_spread, .move = read_operand, .becomes = lun__teller_settle};

/* What the locations of a set do; cut NULL: the first one alone. */
static lun_status share(lun_teller *t, const lun_share *x)
{
    const int places = x->cut ? x->cut->places : 1;
    lun_status s = lun__share_bring(x, 1);
    if (s == LUN_OK && x->rule->beside)
        s = x->rule->beside(t, x->step, x->cut);
    for (int k = 0; s == LUN_OK && k < places; k++) {
        const lun_interval work = x->rule->work(x->step, x->cut, k);
        if (!x->cut || work.lo < work.hi)
            s = lun__teller_place(t, "", k, work);
    }
    return s;
}

static lun_status tell(lun_teller *t, const lun_step *step)
{
    lun_share x;
    lun_status s = lun__share_open(t->e, step, &predicted, t, &x);
    if (s != LUN_OK)
        return s;
    const bool made = x.rule->once && lun__teller_find(t, lun__node_first_result(step->node));
    if (!made)
        s = share(t, &x);
    if (s == LUN_OK && x.rule->made)
        s = x.rule->made(t, step, x.cut);
    if (s == LUN_OK && !made)
        s = lun__share_settle(&x);
    lun__share_close(&x);
    return s;
}

/* ---- a plan ---------------------------------------------------------------------------------- */

/* What the storage has is then what its versions come to. */
static lun_status merge(lun_teller *t, const lun_told_merge *m)
{
    const lun_versions *v = m->storage->placed->versions;
    lun_placed *p = NULL;
    lun_in_use before;
    lun_status s = LUN_OK;
    if (!m->node)
        s = lun__teller_add(t, m->storage, p = lun__teller_begin(v->at[0]));
    if (m->node) {
        t->merges = true;
        lun__set_take(t->e, v->place, v->count, &before);
        for (int i = 0; s == LUN_OK && i < m->steps->count; i++)
            s = tell(t, &m->steps->at[i]);
        lun__set_back(t->e, &before);
        t->merges = false;
    }
    for (int i = 0; s == LUN_OK && m->node && i < t->count; i++)
        if (t->known[i].of == m->node) {
            t->known[i].of = m->storage;
            p = t->known[i].at;
        }
    if (s != LUN_OK || !p)
        return s;
    lun__spread_release(p->spread);
    p->spread = m->storage->placed->spread ? lun__spread_retain(m->storage->placed->spread) : NULL;
    return LUN_OK;
}

lun_status lun__moves_tell(lun_engine *e, const lun_told_merge *merges, int count,
                           const lun_steps *steps, lun_told *out)
{
    lun_teller t = {.e = e, .told = out};
    lun_status s = LUN_OK;
    *out = (lun_told){0};
    for (int i = 0; s == LUN_OK && i < count; i++)
        s = merge(&t, &merges[i]);
    for (; s == LUN_OK && t.step < steps->count; t.step++) {
        const lun_step *step = &steps->at[t.step];
        s = e->set_count ? tell(&t, step)
                         : lun__teller_place(&t, "", 0, (lun_interval){0, step->n});
    }
    lun__teller_free(&t);
    return s;
}

void lun__moves_free(lun_told *t)
{
    free(t->moves);
    free(t->places);
    *t = (lun_told){0};
}
