/* check_step.c - invariants of arrays on sets, checked after a step; see check_step.h. */
#include "eval/check_step.h"

#include <stdlib.h>

/* Whether parts follow one another from the first element to the last. */
static bool covers(const lun_spread *x, int64_t count)
{
    bool in_order = x->n == count;
    if (x->kind != LUN_SPREAD_BLOCK && x->kind != LUN_SPREAD_OVERLAP)
        return in_order;
    for (int k = 0; k < x->places; k++)
        in_order &= x->bound[k] <= x->bound[k + 1];
    return in_order && x->bound[0] == 0 && x->bound[x->places] == count;
}

/* What is wrong with s, of which that was said, NULL: nothing was; NULL: nothing is. */
static const char *fault_of(const lun_storage *s, const lun_placed *told)
{
    const lun_placed *p = s->source || s->mirrors ? NULL : s->placed;
    lun_intervals all = {0};
    if (!p || p->versions)
        return NULL;
    bool some =
        s->stale ? lun__intervals_copy(&p->host, &all) : lun__intervals_add(&all, 0, s->count);
    const char *fault = p->spread && !covers(p->spread, s->count) ? "parts do not cover it" : NULL;
    for (int k = 0; some && k < p->count; k++) {
        const lun_piece *x = p->pieces[k], *said = told ? lun__current_find(told, x->at) : NULL;
        for (int i = 0; i < x->fresh.count; i++) {
            const lun_interval *f = &x->fresh.at[i];
            if (f->lo < x->lo || f->hi > x->hi)
                fault = "a location has elements beyond its memory";
            some &= lun__intervals_add(&all, f->lo, f->hi);
        }
        for (int i = 0; said && i < said->fresh.count; i++)
            if (!lun__intervals_cover(&x->fresh, said->fresh.at[i].lo, said->fresh.at[i].hi))
                fault = "a location does not have what it reads or has made";
    }
    if (some && !lun__intervals_cover(&all, 0, s->count))
        fault = "elements are nowhere";
    lun__intervals_free(&all);
    return fault;
}

static lun_status fail(lun_engine *e, const char *when, const char *fault)
{
    return lun__fail(e, LUN_EBACKEND, "LUNARRAY_CHECK: %s a step on %d locations: %s", when,
                     e->set_count, fault);
}

/* Arrays that are known from number `first` on are kept until the end. */
static lun_status keep(lun_check *c, int first)
{
    lun_status s = LUN_OK;
    for (int i = first; i < c->teller.count; i++) {
        const lun_told_array *known = &c->teller.known[i];
        const char *fault = known->storage ? fault_of(known->storage, NULL) : NULL;
        if (known->storage)
            known->storage->refs++;
        else
            (void)lun__node_retain((lun_node *)(uintptr_t)known->of);
        if (s == LUN_OK && fault)
            s = fail(c->teller.e, "before", fault);
    }
    return s;
}

lun_status lun__check_step_beside(lun_check *c, const lun_step *step)
{
    const int known = c->teller.count;
    if (!c->open)
        return LUN_OK;
    const lun_status s = lun__moves_step(&c->teller, step), kept = keep(c, known);
    return s == LUN_OK ? kept : s;
}

lun_status lun__check_step_open(lun_engine *e, const lun_step *first, const lun_step *last,
                                lun_check *out)
{
    lun_status s = LUN_OK;
    out->open = e->checks && e->set_count &&
                !(lun__state_of_ranks(e) && first->lowered.needed); /* which may be left out */
    if (!out->open)
        return s;
    out->told = (lun_told){0};
    out->teller = (lun_teller){.e = e, .told = &out->told};
    for (const lun_step *at = first; s == LUN_OK && at <= last; at++)
        s = lun__check_step_beside(out, at);
    out->moves = e->stats.moves;
    return s;
}

lun_status lun__check_step_close(lun_check *c, lun_status s)
{
    lun_engine *e = c->open ? c->teller.e : NULL;
    const char *fault = NULL;
    int64_t moves = 0;
    if (!e)
        return s;
    for (int i = 0; i < c->told.move_count; i++)
        moves += !c->told.moves[i].exchange;
    if (e->stats.moves - c->moves != moves)
        fault = "moves are not those of explain";
    for (int i = 0; i < c->teller.count; i++) {
        const lun_told_array *known = &c->teller.known[i];
        lun_node *n = known->storage ? NULL : (lun_node *)(uintptr_t)known->of;
        const lun_storage *to = n && n->kind == LUN_NODE_LEAF ? n->storage : known->storage;
        if (s == LUN_OK && !fault && to)
            fault = fault_of(to, known->at->placed);
        lun__node_release(e, n);
        if (known->storage)
            lun__storage_release(e, known->storage);
    }
    lun__teller_free(&c->teller);
    lun__moves_free(&c->told);
    return s == LUN_OK && fault ? fail(e, "after", fault) : s;
}
