/* moves.c - the moves of a plan, found by doing its steps on sketches of what is where, by the same
 * rules as run/placed.c does them; see moves.h.  Nothing is moved. */
#include "plan/moves.h"

#include <stdlib.h>

#include "base/grow.h"
#include "plan/placing.h"
#include "plan/product.h"
#include "store/placed.h"

/* An array in the course of the plan. */
typedef struct sketch {
    const void *of; /* the storage of a LEAF; the node that a step makes */
    lun_placed *at;
} sketch;

typedef struct teller {
    lun_engine *e;
    lun_told *told;
    sketch *known;
    int count, room;
    int step;
    int64_t size; /* of an element of the array that moves */
    const char *why;
    bool merges; /* copies that differ are merged, before all steps */
} teller;

/* ---- sketches -------------------------------------------------------------------------------- */

static lun_placed *find(const teller *t, const void *of)
{
    for (int i = 0; i < t->count; i++)
        if (t->known[i].of == of)
            return t->known[i].at;
    return NULL;
}

/* Takes the sketch. */
static lun_status add(teller *t, const void *of, lun_placed *at)
{
    if (at && lun__grow(&t->known, t->count, &t->room, sizeof *t->known)) {
        t->known[t->count++] = (sketch){of, at};
        return LUN_OK;
    }
    lun__placed_free(t->e, at);
    return lun__nomem(t->e);
}

/* What is where of a storage before the plan. */
static lun_placed *begin(const lun_storage *s)
{
    const bool whole = !s->stale || s->source;
    lun_placed *p = lun__placed_sketch(s->placed, whole, s->count);
    bool done = p != NULL;
    for (const lun_mirror *m = s->mirrors; done && m; m = m->next) {
        lun_piece *x = lun__placed_piece(p, m->at);
        done = x && (!m->current || lun__intervals_add(&x->fresh, 0, s->count));
    }
    if (done)
        return p;
    lun__placed_free(NULL, p);
    return NULL;
}

/* Of a node that a step reads. */
static lun_status sketch_of(teller *t, const lun_node *n, lun_placed **out)
{
    const void *of = n->kind == LUN_NODE_LEAF ? (const void *)n->storage : n;
    *out = find(t, of);
    if (*out || n->kind != LUN_NODE_LEAF)
        return LUN_OK;
    lun_status s = add(t, of, begin(n->storage));
    *out = find(t, of);
    return s;
}

static const lun_spread *look(void *ctx, const lun_node *n, int64_t *offset)
{
    teller *t = ctx;
    lun_placed *p;
    *offset = n->kind == LUN_NODE_LEAF ? n->offset : 0;
    if (n->kind == LUN_NODE_LEAF && !find(t, n->storage))
        return lun__placed_spread(t->e, n->storage);
    if (sketch_of(t, n, &p) != LUN_OK || !p)
        return NULL;
    return lun__placed_fits(t->e, p->spread);
}

/* ---- moves ----------------------------------------------------------------------------------- */

static const char *name_of(const lun_backend_slot *at)
{
    return at ? at->name : "host";
}

static lun_status tell(void *ctx, const lun_placed_move *m)
{
    teller *t = ctx;
    lun_told *to = t->told;
    if (!lun__grow(&to->moves, to->move_count, &to->move_room, sizeof *to->moves))
        return lun__nomem(t->e);
    to->moves[to->move_count++] = (lun_told_move){.from = name_of(m->from),
                                                  .to = name_of(m->to),
                                                  .bytes = (m->hi - m->lo) * t->size,
                                                  .why = t->merges ? "copies are merged"
                                                         : m->from ? t->why
                                                                   : "first use",
                                                  .step = t->step};
    return LUN_OK;
}

/* Elements lo .. hi - 1 become current at a place, NULL: the host. */
static lun_status ensure(teller *t, lun_placed *p, lun_backend_slot *at, int64_t lo, int64_t hi)
{
    lun_piece *x = at ? lun__placed_piece(p, at) : NULL;
    if (at && !x)
        return lun__nomem(t->e);
    lun_status s = lun__placed_route(p, false, at, lo, hi, tell, t);
    if (s == LUN_OK && !lun__intervals_add(at ? &x->fresh : &p->host, lo, hi))
        s = lun__nomem(t->e);
    return s;
}

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

static lun_status read_slot(teller *t, const lun_lowered *l, int i, const lun_spread *cut, int k,
                            lun_interval indices)
{
    const lun_node *n = l->slots[i].node, *array = n->kind == LUN_NODE_PAD ? n->in[0] : n;
    lun_backend_slot *at = lun__set_at(t->e, k);
    const lun_interval need = lun__placing_need(l, i, indices);
    const int64_t offset = array->kind == LUN_NODE_LEAF ? array->offset : 0;
    lun_placed *p;
    if (need.lo >= need.hi)
        return LUN_OK;
    lun_status s = sketch_of(t, array, &p);
    if (s != LUN_OK || !p)
        return s;
    t->size = lun__dtype_get((lun_dtype)array->dtype)->bytes;
    t->why = reason(l, i, cut->n, lun__spread_part(cut, k), indices);
    return ensure(t, p, at, offset + need.lo, offset + need.hi);
}

static lun_status read_slots(teller *t, const lun_lowered *l, const lun_spread *cut, int k,
                             lun_interval indices)
{
    lun_status s = LUN_OK;
    for (int i = 0; s == LUN_OK && indices.lo < indices.hi && i < l->ir.slot_count; i++)
        s = read_slot(t, l, i, cut, k, indices);
    return s;
}

static lun_status tell_place(teller *t, const char *name, lun_interval indices)
{
    lun_told *to = t->told;
    if (t->merges) /* no kernel of the plan */
        return LUN_OK;
    if (!lun__grow(&to->places, to->place_count, &to->place_room, sizeof *to->places))
        return lun__nomem(t->e);
    to->places[to->place_count++] =
        (lun_told_place){name, indices.lo, indices.hi - indices.lo, t->step};
    return LUN_OK;
}

/* ---- kernels on several places --------------------------------------------------------------- */

/* Results, as the places write them. */
static lun_status write_slots(teller *t, const lun_lowered *l, lun_spread *cut)
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
        s = add(t, n, p);
        for (int k = 0; s == LUN_OK && k < cut->places; k++) {
            const lun_interval x = lun__placing_range(cut, l, k);
            lun_piece *piece = lun__placed_piece(p, lun__set_at(t->e, k));
            if (!piece || !lun__intervals_add(&piece->fresh, x.lo, x.hi))
                s = lun__nomem(t->e);
        }
    }
    return s;
}

/* Results of lines: they are made on the host. */
static lun_status write_lines(teller *t, const lun_lowered *l, const lun_spread *cut)
{
    lun_status s = LUN_OK;
    for (int r = 0; s == LUN_OK && l->line && r < l->ir.result_count; r++) {
        const lun_node *n = l->results[r];
        if (find(t, n))
            continue;
        lun_placed *p = lun__placed_sketch(NULL, true, n->n);
        if (p && !(p->spread = lun__placing_of_lines(cut, l->line))) {
            lun__placed_free(t->e, p);
            p = NULL;
        }
        s = add(t, n, p);
    }
    return s;
}

/* Operands, as they are distributed afterwards. */
static lun_status settle(teller *t, const lun_lowered *l, lun_spread *cut)
{
    lun_status s = LUN_OK;
    for (int i = 0; s == LUN_OK && i < l->ir.slot_count; i++) {
        const lun_node *n = l->slots[i].node;
        const bool leaf = n->kind == LUN_NODE_LEAF;
        int64_t offset;
        lun_placed *p;
        if (l->ir.slots[i].role != LUN_SLOT_IN || lun__node_made(n))
            continue;
        const lun_spread *was = look(t, n, &offset);
        if (!lun__placing_becomes(l, i, cut, was, offset, leaf ? n->storage->count : n->n))
            continue;
        s = sketch_of(t, n, &p);
        if (s != LUN_OK || !p)
            continue;
        lun__spread_release(p->spread);
        p->spread = lun__spread_retain(cut);
    }
    return s;
}

static lun_status share(teller *t, const lun_step *step)
{
    const lun_lowered *l = &step->lowered;
    lun_spread *cut;
    lun_status s = lun__placing_cut(t->e, l, step->n, look, t, &cut);
    if (s != LUN_OK)
        return s;
    for (int k = 0; s == LUN_OK && k < cut->places; k++)
        s = read_slots(t, l, cut, k, lun__placing_carried(cut, l, k));
    for (int i = 0; s == LUN_OK && i < cut->places; i++) {
        const int k = lun__placing_turn(t->e, cut->places, i);
        s = read_slots(t, l, cut, k, lun__placing_range(cut, l, k));
    }
    for (int k = 0; s == LUN_OK && k < cut->places; k++) {
        const lun_interval indices = lun__placing_range(cut, l, k);
        if (indices.lo < indices.hi)
            s = tell_place(t, lun__set_at(t->e, k)->name, indices);
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

/* The node with the elements of n in memory by now. */
static const lun_node *array_of(const teller *t, const lun_node *n)
{
    while (n && !find(t, n) && n != lun__placing_array(n))
        n = n->in[0];
    return n;
}

/* ---- matrix products ------------------------------------------------------------------------- */

static lun_status read_operand(teller *t, const lun_node *n, int i, int k, lun_interval rows)
{
    const lun_interval need = lun__placing_rows_need(n, i, rows);
    const lun_node *array = array_of(t, n->in[i]);
    lun_placed *p;
    if (need.lo >= need.hi)
        return LUN_OK;
    lun_status s = sketch_of(t, array, &p);
    if (s != LUN_OK || !p)
        return s;
    const int64_t offset = array->kind == LUN_NODE_LEAF ? array->offset : 0;
    t->size = lun__dtype_get((lun_dtype)array->dtype)->bytes;
    t->why = i ? "a function indexes it" : "distribution changes";
    return ensure(t, p, lun__set_at(t->e, k), offset + need.lo, offset + need.hi);
}

/* The result, as the places write it. */
static lun_status write_rows(teller *t, const lun_node *n, const lun_spread *rows, int64_t columns)
{
    lun_placed *p = lun__placed_sketch(NULL, false, n->n);
    if (p && n->extended && n->wish)
        p->spread = lun__spread_retain(n->wish->spread);
    else if (p)
        p->spread = lun__placing_of_rows(rows, columns);
    lun_status s = add(t, n, p);
    for (int k = 0; s == LUN_OK && k < rows->places; k++) {
        const lun_interval x = lun__spread_part(rows, k);
        lun_piece *piece = lun__placed_piece(p, lun__set_at(t->e, k));
        if (!piece || !lun__intervals_add(&piece->fresh, x.lo * columns, x.hi * columns))
            s = lun__nomem(t->e);
    }
    return s;
}

static lun_status multiply(teller *t, const lun_step *step)
{
    const lun_node *n = step->node;
    const int64_t columns = lun__product_of(n).columns;
    lun_spread *rows;
    lun_status s = lun__placing_rows(t->e, n, look, t, &rows);
    if (s != LUN_OK)
        return s;
    for (int k = 0; s == LUN_OK && k < rows->places; k++) {
        const lun_interval x = lun__spread_part(rows, k);
        if (x.lo >= x.hi)
            continue;
        s = tell_place(t, lun__set_at(t->e, k)->name,
                       (lun_interval){x.lo * columns, x.hi * columns});
        for (int i = 0; s == LUN_OK && i < 2; i++)
            s = read_operand(t, n, i, k, x);
    }
    if (s == LUN_OK)
        s = write_rows(t, n, rows, columns);
    lun__spread_release(rows);
    return s;
}

/* ---- steps on one place ---------------------------------------------------------------------- */

/* Results of such a step, which are where the first place computes. */
static lun_status make_alone(teller *t, const lun_step *step, const lun_node *n)
{
    lun_backend_slot *at = &t->e->backends[t->e->current];
    if (find(t, n))
        return LUN_OK;
    const bool there = lun__placing_on_device(t->e, step);
    lun_placed *p = lun__placed_sketch(NULL, !there, n->n);
    lun_status s = add(t, n, p);
    if (s == LUN_OK && n->extended && n->wish && n->wish->spread)
        p->spread = lun__spread_retain(n->wish->spread);
    lun_piece *x = s == LUN_OK && there ? lun__placed_piece(p, at) : NULL;
    if (s == LUN_OK && there && !(x && lun__intervals_add(&x->fresh, 0, n->n)))
        s = lun__nomem(t->e);
    return s;
}

static lun_status gather(teller *t, const lun_step *step)
{
    const lun_node *n;
    lun_backend_slot *to =
        lun__placing_on_device(t->e, step) ? &t->e->backends[t->e->current] : NULL;
    lun_status s = LUN_OK;
    t->why = "a step runs on one place";
    for (int i = 0; s == LUN_OK && (n = lun__placing_operand(step, i)); i++) {
        lun_placed *p = NULL;
        n = array_of(t, n);
        if (n && n->kind != LUN_NODE_NUMBER)
            s = sketch_of(t, n, &p);
        if (s != LUN_OK || !p)
            continue;
        const int64_t count = n->kind == LUN_NODE_LEAF ? n->storage->count : n->n;
        t->size = lun__dtype_get((lun_dtype)n->dtype)->bytes;
        s = ensure(t, p, to, 0, count);
    }
    return s;
}

static lun_status alone(teller *t, const lun_step *step)
{
    const lun_lowered *l = &step->lowered;
    lun_status s = gather(t, step);
    if (s == LUN_OK)
        s = tell_place(t, lun__set_at(t->e, 0)->name, (lun_interval){0, step->n});
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

/* ---- a plan ---------------------------------------------------------------------------------- */

/* What the storage has is then what its versions come to. */
static lun_status merge(teller *t, const lun_told_merge *m)
{
    const lun_versions *v = m->storage->placed->versions;
    lun_placed *p = NULL;
    lun_in_use before;
    lun_status s = LUN_OK;
    if (!m->node)
        s = add(t, m->storage, p = begin(v->at[0]));
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
    teller t = {.e = e, .told = out};
    lun_status s = LUN_OK;
    *out = (lun_told){0};
    for (int i = 0; s == LUN_OK && i < count; i++)
        s = merge(&t, &merges[i]);
    for (; s == LUN_OK && t.step < steps->count; t.step++) {
        const lun_step *step = &steps->at[t.step];
        if (e->set_count)
            s = lun__placing_divides(step)         ? share(&t, step)
                : lun__placing_multiplies(e, step) ? multiply(&t, step)
                                                   : alone(&t, step);
        else
            s = tell_place(&t, lun__set_at(e, 0)->name, (lun_interval){0, step->n});
    }
    for (int i = 0; i < t.count; i++)
        lun__placed_free(e, t.known[i].at);
    free(t.known);
    return s;
}

void lun__moves_free(lun_told *t)
{
    free(t->moves);
    free(t->places);
    *t = (lun_told){0};
}
