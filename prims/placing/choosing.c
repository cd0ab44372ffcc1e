/* choosing.c - how the places of a set share what is found out of all elements: each takes those
 * that it has, and what they tell of them goes to the host, or stays in parts whose bounds depend
 * on the elements, of which no plan tells.  Knows no memory. */
#include "placing/choosing.h"

#include "placing/placing.h"

bool lun__placing_chooses(lun_engine *e, const lun_step *step)
{
    const lun_node *n = step->node ? lun__node_first_result(step->node) : NULL;
    if (step->kind != LUN_STEP_ALGORITHM || step->chain || n->kind != LUN_NODE_ALGORITHM || !n->n ||
        (n->op != LUN_ALGORITHM_TOPK && n->op != LUN_ALGORITHM_UNIQUE) ||
        n->more[0]->kind == LUN_NODE_NUMBER)
        return false;
    for (int k = 0; k < lun__set_places(e); k++) {
        const lun_backend_slot *at = lun__set_at(e, k);
        if (at->backend->buffer_new && !lun__placing_takes(at, n))
            return false;
    }
    return true;
}

lun_interval lun__placing_chosen(const lun_spread *cut, int k)
{
    const bool again = cut->kind == LUN_SPREAD_COPY && k > 0;
    return again ? (lun_interval){0, 0} : lun__spread_part(cut, k);
}

/* A result, all of it on the host; of one whose length is found nothing else is told. */
static lun_status give(lun_teller *t, const lun_node *n)
{
    if (lun__teller_find(t, n))
        return LUN_OK;
    lun_placed *p = lun__placed_sketch(NULL, true, n->n);
    const lun_status s = lun__teller_add(t, n, p);
    if (s == LUN_OK && n->extended && n->wish && n->wish->spread)
        p->spread = lun__spread_retain(n->wish->spread);
    return s;
}

static lun_status take(lun_teller *t, const lun_node *n)
{
    lun_spread *cut;
    lun_status s = lun__placing_stream(t->e, n, lun__teller_spread, t, &cut);
    if (s != LUN_OK)
        return s;
    for (int k = 0; s == LUN_OK && k < cut->places; k++) {
        const lun_interval x = lun__placing_chosen(cut, k);
        if (x.lo >= x.hi)
            continue;
        s = lun__teller_place(t, "", k, x);
        if (s == LUN_OK)
            s = lun__teller_need(t, n->more[0], lun__set_at(t->e, k), x.lo, x.hi,
                                 "distribution changes");
    }
    if (s == LUN_OK)
        s = lun__teller_settle(t, n->more[0], cut);
    lun__spread_release(cut);
    return s;
}

lun_status lun__choosing_tell(lun_teller *t, const lun_step *step)
{
    const lun_node *n = lun__node_first_result(step->node);
    lun_status s = lun__teller_find(t, n) ? LUN_OK : take(t, n);
    if (s == LUN_OK)
        s = give(t, n);
    return s == LUN_OK && step->node != n ? give(t, step->node) : s;
}
