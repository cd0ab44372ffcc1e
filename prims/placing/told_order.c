/* told_order.c - what moves where places take elements in order, or put lines in order, by the same
 * rules as sets/taken.c and sets/ordered.c do it; see teller.h.  Nothing is moved. */
#include "base/grow.h"
#include "placing/placing.h"
#include "placing/teller.h"

/* ---- algorithms in order --------------------------------------------------------------------- */

/* What they give is an operand of nothing: its length is not known yet. */
lun_status lun__taking_tell(lun_teller *t, const lun_step *step)
{
    const lun_node *n = step->node;
    lun_spread *cut;
    lun_status s = lun__placing_stream(t->e, n, lun__teller_spread, t, &cut);
    if (s != LUN_OK)
        return s;
    for (int k = 0; s == LUN_OK && k < cut->places; k++) {
        const lun_interval x = lun__spread_part(cut, k);
        lun_backend_slot *at = lun__set_at(t->e, k);
        if (x.lo >= x.hi)
            continue;
        s = lun__teller_place(t, "", k, x);
        for (int i = 0; s == LUN_OK && i < n->count; i++)
            if (n->more[i]->kind != LUN_NODE_NUMBER)
                s = at->backend->buffer_new && !lun__placing_takes(at, n)
                        ? lun__teller_need(t, n->more[i], NULL, x.lo, x.hi,
                                           "a step runs on the host")
                        : lun__teller_need(t, n->more[i], at, x.lo, x.hi, "distribution changes");
    }
    for (int i = 0; s == LUN_OK && i < n->count; i++)
        s = lun__teller_settle(t, n->more[i], cut);
    lun__spread_release(cut);
    return s;
}

/* ---- lines in order -------------------------------------------------------------------------- */

/* Elements say what places exchange to have one line in order: the plan has the most that it is. */
static lun_status exchange(lun_teller *t, const lun_node *n, const lun_spread *cut, int k)
{
    const lun_interval x = lun__spread_part(cut, k);
    lun_told *to = t->told;
    if (t->merges || x.lo >= x.hi || !lun__placing_apart(n, cut))
        return LUN_OK;
    if (!lun__grow(&to->moves, to->move_count, &to->move_room, sizeof *to->moves))
        return lun__nomem(t->e);
    to->moves[to->move_count++] = (lun_told_move){.from = lun__set_at(t->e, k)->name,
                                                  .to = "other places",
                                                  .bytes = lun__placing_exchange(n, cut, k),
                                                  .why = "they put elements in order",
                                                  .step = t->step,
                                                  .exchange = true};
    return LUN_OK;
}

static lun_status sample(lun_teller *t, const lun_node *n, const lun_spread *cut, int k)
{
    const lun_interval x = lun__spread_part(cut, k);
    if (x.lo >= x.hi || !lun__placing_apart(n, cut))
        return LUN_OK;
    return lun__teller_place(t, "samples", k,
                             (lun_interval){x.lo, x.lo + lun__placing_samples(n, cut, k)});
}

lun_status lun__ordering_tell(lun_teller *t, const lun_step *step)
{
    const lun_node *n = step->node, *in = n->more[0];
    lun_spread *cut;
    lun_status s = lun__placing_order(t->e, n, lun__teller_spread, t, &cut);
    if (s != LUN_OK)
        return s;
    for (int k = 0; s == LUN_OK && k < cut->places; k++)
        s = sample(t, n, cut, k);
    for (int k = 0; s == LUN_OK && k < cut->places; k++) {
        const lun_interval x = lun__spread_part(cut, k);
        if (x.lo >= x.hi)
            continue;
        s = lun__teller_place(t, "", k, x);
        if (s == LUN_OK)
            s = lun__teller_need(t, in, lun__set_at(t->e, k), x.lo, x.hi, "distribution changes");
    }
    for (int k = 0; s == LUN_OK && k < cut->places; k++)
        s = exchange(t, n, cut, k);
    if (s == LUN_OK)
        s = lun__teller_settle(t, in, cut);
    if (s == LUN_OK)
        s = lun__teller_rows(t, n, cut, 1);
    lun__spread_release(cut);
    return s;
}
