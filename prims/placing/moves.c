/* moves.c - the moves of a plan, found by doing its steps on sketches of what is where, by the same
 * rules as launch/launch_dist.c does them; see moves.h.  Nothing is moved. */
#include "placing/moves.h"

#include <stdlib.h>

#include "base/grow.h"
#include "kernels/pairs_kernel.h"
#include "placing/choosing.h"
#include "placing/handing.h"
#include "placing/placing.h"
#include "placing/teller.h"
#include "plan/matmul_plan.h"

/* Why slot i of a place whose part of n indices is `part` needs elements of other places. */
static const char *reason(const lun_lowered *l, int i, int64_t all, lun_interval part,
                          lun_interval indices)
{
    const lun_node *n = l->slots[i].node;
    const bool slice =
        l->slots[i].offset || n->n != all || (n->kind == LUN_NODE_LEAF && n->storage->count != all);
    if (!lun__placing_counts(l, i))
        return l->slots[i].view || n->kind == LUN_NODE_PAD ? "halo" : "a function indexes it";
    if (slice)
        return "halo";
    return part.lo != indices.lo || part.hi != indices.hi ? "a chunk crosses the boundary"
                                                          : "distribution changes";
}

static lun_status read_slot(lun_teller *t, const lun_lowered *l, int i, const lun_spread *cut,
                            int k, lun_interval indices)
{
    const lun_node *n = l->slots[i].node, *array = n->kind == LUN_NODE_PAD ? n->in[0] : n;
    lun_backend_slot *at = lun__set_at(t->e, k);
    const lun_interval need = lun__placing_need(l, i, indices);
    return lun__teller_need(t, array, at, need.lo, need.hi,
                            reason(l, i, cut->n, lun__spread_part(cut, k), indices));
}

static lun_status read_slots(lun_teller *t, const lun_lowered *l, const lun_spread *cut, int k,
                             lun_interval indices)
{
    lun_status s = LUN_OK;
    for (int i = 0; s == LUN_OK && indices.lo < indices.hi && i < l->ir.slot_count; i++)
        s = read_slot(t, l, i, cut, k, indices);
    return s;
}

/* ---- kernels on several places --------------------------------------------------------------- */

/* Results, as the places write them. */
static lun_status write_slots(lun_teller *t, const lun_lowered *l, lun_spread *cut)
{
    lun_status s = LUN_OK;
    for (int i = 0; s == LUN_OK && i < l->ir.slot_count; i++) {
        const lun_node *n = l->slots[i].node;
        if (l->ir.slots[i].role != LUN_SLOT_OUT)
            continue;
        lun_placed *p = lun__placed_sketch(NULL, false, n->n);
        const bool wish = n->extended && n->wish && n->wish->spread;
        if (p)
            p->spread = lun__spread_retain(wish ? n->wish->spread : cut);
        s = lun__teller_add(t, n, p);
        for (int k = 0; s == LUN_OK && k < cut->places; k++) {
            const lun_interval x = lun__placing_range(cut, l, k);
            lun_piece *piece = lun__placed_piece(p, lun__set_at(t->e, k));
            if (!piece || !lun__intervals_add(&piece->fresh, x.lo, x.hi))
                s = lun__nomem(t->e);
        }
        if (s == LUN_OK && !n->rank)
            s = lun__teller_need(t, n, NULL, 0, 1, "the host keeps numbers");
    }
    return s;
}

/* Results of lines: they are made on the host. */
static lun_status write_lines(lun_teller *t, const lun_lowered *l, const lun_spread *cut)
{
    lun_status s = LUN_OK;
    for (int r = 0; s == LUN_OK && l->line && r < l->ir.result_count; r++) {
        const lun_node *n = l->results[r];
        if (lun__teller_find(t, n))
            continue;
        lun_placed *p = lun__placed_sketch(NULL, true, n->n);
        if (p && !(p->spread = lun__placing_of_lines(cut, l->line))) {
            lun__placed_free(t->e, p);
            p = NULL;
        }
        s = lun__teller_add(t, n, p);
    }
    return s;
}

/* Operands, as they are distributed afterwards. */
static lun_status settle(lun_teller *t, const lun_lowered *l, lun_spread *cut)
{
    lun_status s = LUN_OK;
    for (int i = 0; s == LUN_OK && i < l->ir.slot_count; i++) {
        const lun_node *n = l->slots[i].node;
        const bool leaf = n->kind == LUN_NODE_LEAF;
        int64_t offset;
        if (l->ir.slots[i].role != LUN_SLOT_IN || lun__node_made(n))
            continue;
        const lun_spread *was = lun__teller_spread(t, n, &offset);
        if (lun__placing_becomes(l, i, cut, was, offset, leaf ? n->storage->count : n->n))
            s = lun__teller_become(t, n, cut);
    }
    return s;
}

/* The stages of a scan before the last one. */
static lun_status tell_stages(lun_teller *t, const lun_lowered *l, const lun_spread *cut)
{
    lun_status s = LUN_OK;
    int lead = -1;
    bool any = false;
    for (int k = 0; s == LUN_OK && l->ir.scan >= 0 && k < cut->places; k++) {
        const lun_interval x = lun__placing_totals(cut, l, k), part = lun__spread_part(cut, k);
        lead = lead < 0 && part.lo < part.hi ? k : lead;
        any |= x.lo < x.hi;
        if (x.lo < x.hi)
            s = lun__teller_place(t, "totals", k, x);
    }
    return s == LUN_OK && any ? lun__teller_place(t, "carries", lead, (lun_interval){0, cut->n})
                              : s;
}

static lun_status share(lun_teller *t, const lun_step *step)
{
    const lun_lowered *l = &step->lowered;
    lun_spread *cut;
    lun_status s = lun__placing_cut(t->e, l, step->n, lun__teller_spread, t, &cut);
    if (s != LUN_OK)
        return s;
    for (int i = 0; s == LUN_OK && i < cut->places; i++) {
        const int k = lun__placing_turn(t->e, cut->places, i);
        s = read_slots(t, l, cut, k, lun__placing_range(cut, l, k));
    }
    if (s == LUN_OK)
        s = tell_stages(t, l, cut);
    for (int k = 0; s == LUN_OK && k < cut->places; k++) {
        const lun_interval indices = lun__placing_range(cut, l, k);
        if (indices.lo < indices.hi)
            s = lun__teller_place(t, "", k, indices);
    }
    if (s == LUN_OK)
        s = write_slots(t, l, cut);
    if (s == LUN_OK)
        s = write_lines(t, l, cut);
    if (s == LUN_OK)
        s = settle(t, l, cut);
    lun__spread_release(cut);
    return s;
}

/* ---- matrix products, all pairs of rows ------------------------------------------------------ */

static lun_status read_operand(lun_teller *t, const lun_node *n, int i, int k, lun_interval rows)
{
    const lun_interval need = lun__placing_rows_need(n, i, rows);
    return need.lo < need.hi
               ? lun__teller_need(t, lun__teller_array(t, n->in[i]), lun__set_at(t->e, k), need.lo,
                                  need.hi, i ? "a function indexes it" : "distribution changes")
               : LUN_OK;
}

static lun_status multiply(lun_teller *t, const lun_step *step)
{
    const lun_node *n = step->node;
    const int64_t columns = lun__product_of(n).columns;
    lun_spread *rows;
    lun_status s = lun__placing_rows(t->e, n, lun__teller_spread, t, &rows);
    if (s != LUN_OK)
        return s;
    for (int k = 0; s == LUN_OK && k < rows->places; k++) {
        const lun_interval x = lun__spread_part(rows, k);
        if (x.lo >= x.hi)
            continue;
        s = lun__teller_place(t, "", k, (lun_interval){x.lo * columns, x.hi * columns});
        for (int i = 0; s == LUN_OK && i < 2; i++)
            s = read_operand(t, n, i, k, x);
    }
    if (s == LUN_OK)
        s = lun__teller_rows(t, n, rows, columns);
    lun__spread_release(rows);
    return s;
}

static lun_status read_pairs(lun_teller *t, const lun_pairs *p, int k, lun_interval rows)
{
    lun_status s = LUN_OK;
    for (int i = 0; s == LUN_OK && i < p->kernel.ir.slot_count; i++) {
        bool all;
        const lun_interval need = lun__placing_pairs_need(p, i, rows, &all);
        if (need.lo < need.hi)
            s = lun__teller_need(t, p->kernel.slots[i].node, lun__set_at(t->e, k), need.lo, need.hi,
                                 all ? "a function indexes it" : "distribution changes");
    }
    return s;
}

static lun_status pair(lun_teller *t, const lun_step *step)
{
    const lun_pairs *p = step->pairs;
    const int64_t columns = p->extent[1];
    lun_spread *rows;
    lun_status s = lun__placing_pairs_rows(t->e, p, lun__teller_spread, t, &rows);
    if (s != LUN_OK)
        return s;
    lun_spread *cut = lun__placing_of_rows(rows, columns);
    s = cut ? LUN_OK : lun__nomem(t->e);
    for (int k = 0; s == LUN_OK && k < rows->places; k++) {
        const lun_interval x = lun__spread_part(rows, k), part = {x.lo * columns, x.hi * columns};
        if (x.lo >= x.hi)
            continue;
        s = lun__teller_place(t, "", k, part);
        if (s == LUN_OK)
            s = lun__placing_packs(lun__set_at(t->e, k))
                    ? read_pairs(t, p, k, x)
                    : read_slots(t, &step->lowered, cut, k, part);
    }
    if (s == LUN_OK)
        s = lun__teller_rows(t, p->result, rows, columns);
    lun__spread_release(cut);
    lun__spread_release(rows);
    return s;
}

/* ---- steps on one place ---------------------------------------------------------------------- */

/* Results of such a step, which are where the first place computes. */
static lun_status make_alone(lun_teller *t, const lun_step *step, const lun_node *n)
{
    lun_backend_slot *at = t->e->backends[t->e->current];
    if (lun__teller_find(t, n))
        return LUN_OK;
    const bool there = lun__placing_on_device(t->e, step);
    lun_placed *p = lun__placed_sketch(NULL, !there, n->n);
    lun_status s = lun__teller_add(t, n, p);
    if (s == LUN_OK && n->extended && n->wish && n->wish->spread)
        p->spread = lun__spread_retain(n->wish->spread);
    lun_piece *x = s == LUN_OK && there ? lun__placed_piece(p, at) : NULL;
    if (s == LUN_OK && there && !(x && lun__intervals_add(&x->fresh, 0, n->n)))
        s = lun__nomem(t->e);
    return s;
}

static lun_status gather(lun_teller *t, const lun_step *step)
{
    const lun_node *n;
    lun_backend_slot *to =
        lun__placing_on_device(t->e, step) ? t->e->backends[t->e->current] : NULL;
    lun_status s = LUN_OK;
    for (int i = 0; s == LUN_OK && (n = lun__placing_operand(step, i)); i++) {
        n = lun__teller_array(t, n);
        if (!n || n->kind == LUN_NODE_NUMBER)
            continue;
        const bool leaf = n->kind == LUN_NODE_LEAF;
        const int64_t before = leaf ? n->offset : 0, count = leaf ? n->storage->count : n->n;
        s = lun__teller_need(t, n, to, -before, count - before, "a step runs on one place");
    }
    return s;
}

static lun_status make_results(lun_teller *t, const lun_step *step)
{
    const lun_lowered *l = &step->lowered;
    lun_status s = LUN_OK;
    for (int i = 0; s == LUN_OK && i < l->ir.slot_count; i++)
        if (l->ir.slots[i].role == LUN_SLOT_OUT)
            s = make_alone(t, step, l->slots[i].node);
    for (int r = 0; s == LUN_OK && r < l->ir.result_count; r++)
        if (l->results[r]->rank)
            s = make_alone(t, step, l->results[r]);
    if (s == LUN_OK && step->node)
        s = make_alone(t, step, step->node);
    return s;
}

static lun_status alone(lun_teller *t, const lun_step *step)
{
    lun_status s = gather(t, step);
    if (s == LUN_OK)
        s = lun__teller_place(t, "", 0, (lun_interval){0, step->n});
    return s == LUN_OK ? make_results(t, step) : s;
}

/* Rows that are handed on.  *done: false: the places do not share them. */
static lun_status hand_on(lun_teller *t, const lun_step *step, bool *done)
{
    const lun_outer_axis *a = step->across;
    lun_spread *rows;
    lun_status s = lun__handing_rows(t->e, step, lun__teller_spread, t, &rows);
    *done = s == LUN_OK && rows;
    if (!*done)
        return s;
    s = lun__handing_tell(t, a, rows);
    const int64_t columns = lun__outer_axis_sizes(a).lines;
    for (int k = 0; s == LUN_OK && k < rows->places; k++) {
        const lun_interval x = lun__spread_part(rows, k);
        if (x.lo < x.hi)
            s = lun__teller_place(t, "", k, (lun_interval){x.lo * columns, x.hi * columns});
    }
    lun__spread_release(rows);
    return s == LUN_OK ? make_results(t, step) : s;
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
            s = share(t, &m->steps->at[i]);
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
        bool done = false;
        if (!e->set_count) {
            s = lun__teller_place(&t, "", 0, (lun_interval){0, step->n});
            continue;
        }
        if (step->across)
            s = hand_on(&t, step, &done);
        if (s == LUN_OK && !done)
            s = lun__placing_divides(step)         ? share(&t, step)
                : lun__placing_pairs(step)         ? pair(&t, step)
                : lun__placing_streams(step)       ? lun__taking_tell(&t, step)
                : lun__placing_orders(e, step)     ? lun__ordering_tell(&t, step)
                : lun__placing_chooses(e, step)    ? lun__choosing_tell(&t, step)
                : lun__placing_multiplies(e, step) ? multiply(&t, step)
                                                   : alone(&t, step);
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
