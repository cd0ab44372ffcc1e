/* moves.c - the moves of a plan, found by doing its steps on sketches of what is where, by the same
 * rules (placing/share.h) as they are run; see moves.h.  Nothing is moved. */
#include "placing/moves.h"

#include <stdlib.h>

#include "placing/handing.h"
#include "placing/plan_text.h"

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

static const lun_share_actions predicted = {.array = lun__teller_storage, .move = read_operand};

/* How result n is distributed that locations have in parts. */
static lun_spread *parts_of(const lun_share *x, const lun_node *n, bool folds)
{
    return folds               ? lun__placing_of_segments(x->cut, x->step->lowered.segment)
           : n->n == x->cut->n ? lun__spread_retain(x->cut)
                               : lun__placing_of_rows(x->cut, n->n / x->cut->n);
}

/* Result n: at the locations, each what it computes, at the first one, or on the host; folds: a
 * reduction of segments, on the host, and where it is used at locations on the host, too. */
static lun_status give_one(lun_teller *t, const lun_share *x, const lun_node *n, bool folds)
{
    const bool parts = x->rule->gives == LUN_GIVES_PARTS;
    const bool away = !parts && lun__placing_on_device(t->e, x->step);
    if (folds && (parts ? !x->step->lowered.segment : !n->rank))
        return LUN_OK;
    lun_spread *spread = parts ? parts_of(x, n, folds) : NULL;
    lun_status s = parts && !spread
                       ? lun__fail_nomem(t->e)
                       : lun__teller_made(t, n, parts ? folds : !away, !parts || !folds, spread);
    for (int k = 0; s == LUN_OK && parts && (!folds || x->step->used) && k < spread->places; k++) {
        lun_backend_slot *at = lun__set_at(t->e, k);
        s = lun__teller_fresh(t, n, at,
                              folds ? lun__placing_keeps(spread, at, k)
                                    : x->rule->work(x->step, x->cut, k));
    }
    lun__spread_release(spread);
    if (s == LUN_OK && away)
        s = lun__teller_fresh(t, n, t->e->backends[t->e->current], (lun_interval){0, n->n});
    return s == LUN_OK && parts && !folds && !n->rank
               ? lun__teller_need(t, n, NULL, 0, 1, "the host keeps numbers")
               : s;
}

static lun_status give(lun_teller *t, const lun_share *x)
{
    const lun_node *n;
    bool folds;
    lun_status s = LUN_OK;
    for (int i = 0; s == LUN_OK && x->rule->gives && lun__share_gives(x->step, i, &n, &folds); i++)
        if (n && !lun__teller_find(t, n))
            s = give_one(t, x, n, folds);
    return s;
}

/* Where accumulators and cells of rows that locations take in turn are; NULL: on the host. */
typedef struct working {
    lun_teller *t;
    const lun_outer_axis *a;
    const lun_backend_slot *at[2];
} working;

static lun_status hand_on(void *ctx, lun_handed which, int k, int64_t count, bool anew)
{
    working *w = ctx;
    const lun_backend_slot *slot = lun__set_at(w->t->e, k), *from = w->at[which];
    const lun_backend_slot *at = w->at[which] = slot->backend->buffer_new ? slot : NULL;
    lun_status s = LUN_OK;
    for (int r = 0; s == LUN_OK && !anew && at != from && r < w->a->result_count; r++)
        s = lun__teller_move(w->t, from ? from->name : "host", at ? at->name : "host",
                             count * lun__dtype_get((lun_dtype)w->a->results[r]->acc)->bytes,
                             "accumulators are handed on", false);
    return s;
}

/* A stage at the locations, cut NULL: at the first one. */
static lun_status tell_stage(lun_teller *t, const lun_share *x, lun_share_stage which)
{
    const lun_share_stage_row *stage = &lun__share_stages[which];
    lun_status s = LUN_OK;
    if (which == LUN_STAGE_OF_ROWS)
        s = lun__handing_each(x->step->across, x->cut, &(lun_handing_actions){.hand = hand_on},
                              &(working){.t = t, .a = x->step->across});
    for (int k = 0; s == LUN_OK && k < (x->cut ? x->cut->places : 1); k++) {
        const lun_interval work = (stage->work ? stage->work : x->rule->work)(x->step, x->cut, k);
        const int64_t bytes = stage->bytes ? stage->bytes(x->step, x->cut, k) : 0;
        if (stage->what && (!x->cut || work.lo < work.hi))
            s = lun__teller_place(t, stage->what, k, work);
        if (s == LUN_OK && bytes && !t->merges)
            s = lun__teller_move(t, lun__set_at(t->e, k)->name, "other places", bytes,
                                 "they put elements in order", true);
    }
    return s;
}

static lun_status share(lun_teller *t, const lun_share *x)
{
    lun_status s = lun__share_bring(x, 1);
    for (const lun_share_stage *at = x->stages; s == LUN_OK && *at; at++)
        s = tell_stage(t, x, *at);
    return s;
}

lun_status lun__moves_step(lun_teller *t, const lun_step *step)
{
    lun_share x;
    lun_status s = lun__share_open(t->e, step, &predicted, t, &x);
    if (s != LUN_OK)
        return s;
    const bool made = x.rule->once && lun__teller_find(t, lun__node_first_result(step->node));
    if (s == LUN_OK && !made)
        s = t->e->set_count
                ? share(t, &x)
                : lun__teller_place(
                      t, "", 0,
                      (lun_interval){0, lun__plan_lowered_elements(&step->lowered, step->n)});
    if (s == LUN_OK && t->e->set_count)
        s = give(t, &x);
    if (s == LUN_OK && t->text)
        s = lun__plan_text_step(t->text, &x);
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
    lun_in_use before;
    lun_status s = LUN_OK;
    if (!m->node)
        s = lun__teller_begin(t, m->storage, v->at[0]);
    if (m->node) {
        t->merges = true;
        lun__set_take(t->e, v->place, v->count, &before);
        for (int i = 0; s == LUN_OK && i < m->steps->count; i++)
            s = lun__moves_step(t, &m->steps->at[i]);
        lun__set_back(t->e, &before);
        t->merges = false;
    }
    for (int i = 0; s == LUN_OK && m->node && i < t->count; i++)
        if (t->known[i].of == m->node)
            t->known[i].of = m->storage;
    lun_storage *to = s == LUN_OK ? lun__teller_find(t, m->storage) : NULL;
    if (!to)
        return s;
    lun__spread_release(to->placed->spread);
    to->placed->spread =
        m->storage->placed->spread ? lun__spread_retain(m->storage->placed->spread) : NULL;
    return LUN_OK;
}

lun_status lun__moves_tell(lun_engine *e, const lun_told_merge *merges, int count,
                           const lun_steps *steps, lun_strbuf *text, lun_told *out)
{
    lun_teller t = {.e = e, .told = out};
    lun_plan_writer p = {.e = e, .out = text, .teller = &t, .walk = ++e->walk};
    lun_status s = LUN_OK;
    *out = (lun_told){0};
    for (int i = 0; s == LUN_OK && i < count; i++)
        s = merge(&t, &merges[i]);
    t.text = text ? &p : NULL;
    for (; s == LUN_OK && t.step < steps->count; t.step++)
        s = lun__moves_step(&t, &steps->at[t.step]);
    lun__teller_free(&t);
    return s;
}

void lun__moves_free(lun_told *t)
{
    free(t->moves);
    free(t->places);
    *t = (lun_told){0};
}
