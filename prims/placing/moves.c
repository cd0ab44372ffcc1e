/* moves.c - the moves of a plan, found by doing its steps on sketches of what is where, by the same
 * rules (placing/share.h) as they are run; see moves.h.  Nothing is moved. */
#include "placing/moves.h"

#include <stdlib.h>

#include "placing/share.h"

/* ---- a step ---------------------------------------------------------------------------------- */

static lun_status read_operand(lun_teller *t, const lun_need *x)
{
    const lun_node *n = x->of ? lun__teller_array(t, x->of) : NULL;
    if (!n || n->kind == LUN_NODE_NUMBER)
        return LUN_OK;
    if (!x->whole)
        return lun__teller_need(t, n, x->at, x->elements.lo, x->elements.hi, x->why);
    const bool leaf = n->kind == LUN_NODE_LEAF;
    const int64_t before = leaf ? n->offset : 0, count = leaf ? n->storage->count : n->n;
    return lun__teller_need(t, n, x->at, -before, count - before, x->why);
}

static lun_status read_operands(lun_teller *t, const lun_share_rule *rule, const lun_step *step,
                                const lun_spread *cut, int k)
{
    const lun_interval work = rule->work(step, cut, k);
    lun_status s = LUN_OK;
    lun_need x;
    for (int i = 0;
         s == LUN_OK && rule->need && work.lo < work.hi && rule->need(t->e, step, cut, k, i, &x);
         i++)
        s = read_operand(t, &x);
    return s;
}

/* Operands, as they are distributed afterwards. */
static lun_status settle(lun_teller *t, const lun_share_rule *rule, const lun_step *step,
                         lun_spread *cut)
{
    lun_status s = LUN_OK;
    lun_need x;
    for (int i = 0; s == LUN_OK && cut && rule->need && rule->need(t->e, step, cut, 0, i, &x); i++)
        if (x.becomes && x.of)
            s = lun__teller_settle(t, x.of, cut);
    return s;
}

/* What the locations of a set do, by their rule; cut NULL: the first one alone. */
static lun_status share(lun_teller *t, const lun_share_rule *rule, const lun_step *step,
                        lun_spread *cut)
{
    const int places = cut ? cut->places : 1;
    lun_status s = LUN_OK;
    for (int i = 0; s == LUN_OK && i < places; i++)
        s = read_operands(t, rule, step, cut,
                          rule->devices_first ? lun__placing_turn(t->e, places, i) : i);
    if (s == LUN_OK && rule->beside)
        s = rule->beside(t, step, cut);
    for (int k = 0; s == LUN_OK && k < places; k++) {
        const lun_interval work = rule->work(step, cut, k);
        if (!cut || work.lo < work.hi)
            s = lun__teller_place(t, "", k, work);
    }
    return s;
}

static lun_status tell(lun_teller *t, const lun_step *step)
{
    const lun_share_rule *rule;
    lun_spread *cut;
    lun_status s = lun__share_rule_of(t->e, step, lun__teller_spread, t, &rule, &cut);
    if (s != LUN_OK)
        return s;
    const bool made = rule->once && lun__teller_find(t, lun__node_first_result(step->node));
    if (!made)
        s = share(t, rule, step, cut);
    if (s == LUN_OK && rule->made)
        s = rule->made(t, step, cut);
    if (s == LUN_OK && !made)
        s = settle(t, rule, step, cut);
    lun__spread_release(cut);
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
