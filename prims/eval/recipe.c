/* recipe.c - remembers plans of one step, so that the next graph of that shape goes from nodes to
 * its kernel with one look-up: no fusing, no IR, no text.
 *
 * Nodes carry a hash of their form, so the look-up is by the roots' hashes; the graph is then
 * compared with the recipe node by node, users before operands, which also finds the kernel's
 * operands.  Neither lengths nor numbers' values are part of a shape.  A front end's function is
 * part of it as a number, so that recipes keep no function alive.
 *
 * Invariant: a recipe is in the bucket of its form, once, and in e->recipes_used; recipe_count and
 * recipe_bytes are those of all recipes, which stats.kernel_bytes has, too.  A recipe owns its
 * lowered group, but no reference to a node or function: the nodes that it names are those of the
 * last run, may be gone, and are replaced by `bound` before they are looked at; the functions are
 * there once `matches` has found them in a graph.  `ref` becomes NULL when its kernel goes
 * (launch/kernels.c).  A recipe may go at the next lun__recipe_learn.
 *
 * On a set the step is shared anew each time, by how its operands are distributed then.
 *
 * (a + b) * (c + d) of 100 elements, warm, from a script: 0.56 us, and 1.5 to 1.8 us without; of
 * 10,000 elements 2.07 and 3.14 us. */
#include "eval/recipe.h"

#include "eval/eval.h"
#include "kernels/outer_axis.h"
#include "kernels/short_segments.h"
#include "placing/placing.h"

#include <stdlib.h>
#include <string.h>

enum { BUCKETS = 256 };

/* What becomes of a node. */
enum { PASSES, KEPT, READY, ROOT };

/* Whether no more than its lengths decides how such a kernel over n indices is run. */
static bool has_one_way(const lun_lowered *l, int64_t n)
{
    return !l->segment || n < LUN_OUTER_AXIS_LEAST;
}

/* Whether n goes with segments of `segment` elements, and the recipe is of segments if there are
 * some; *segment -1: of any. */
static inline bool has_segment(lun_engine *e, const lun_recipe *r, const lun_node *n,
                               int64_t *segment)
{
    const lun_lowered *l = &r->step.lowered;
    if (*segment < 0)
        *segment = n->step;
    if (n->step != *segment || (l->unrolled && n->step != l->unrolled))
        return false;
    if (n->kind == LUN_NODE_REDUCE &&
        lun__short_segments_wanted(e, n->in[0]->n, n->step) != r->is_short)
        return false;
    return (n->step != 0) == (l->segment || l->unrolled) && has_one_way(l, n->in[0]->n);
}

/* Whether CALL n is of the function that the recipe's kernel holds. */
static bool is_same_call(const lun_engine *e, const lun_recipe_part *p, const lun_node *n)
{
    return n->body == p->body && n->body->number == p->number && lun__graph_shape_inlines(e, n);
}

/* Kernels, chains and sweeps are made for one location, for a set, or for ranks. */
static int set_kind(const lun_engine *e)
{
    return !e->set_count ? 0 : lun__state_of_ranks(e) ? 2 : 1;
}

/* Whether the graph below the roots has the recipe's shape; its nodes in order then. */
static bool matches(lun_engine *e, const lun_recipe *r, lun_node *const *roots, int count,
                    lun_node **order)
{
    int64_t segment = -1;
    uint64_t walk = ++e->walk;
    const int64_t unrolled = r->step.lowered.unrolled;
    int64_t space = lun__graph_shape_below(roots[0], unrolled);
    if (r->roots != count || !space || r->on_set != set_kind(e))
        return false;
    for (int i = 0; i < count; i++) {
        if (roots[i]->mark == walk)
            return false;
        roots[i]->mark = walk;
        order[r->at[i]] = roots[i];
    }
    for (int i = r->count - 1; i >= 0; i--) {
        const lun_recipe_part *p = &r->parts[i];
        lun_node *n = order[i];
        if (lun__node_nature(n) != p->nature ||
            !lun__graph_shape_is_at(n, p->class, space, unrolled))
            return false;
        if (p->folds && !has_segment(e, r, n, &segment))
            return false;
        if (p->body && !is_same_call(e, p, n))
            return false;
        if (p->use <= KEPT && lun__node_recurs(n) + p->use && lun__keeps(e, n) != p->use)
            return false;
        for (int k = 0; k < LUN_SHAPE_OPERANDS && p->in[k] >= 0; k++) {
            lun_node *in = p->body ? n->more[k] : n->in[k];
            if (!(p->fresh >> k & 1)) {
                if (order[p->in[k]] != in)
                    return false;
                continue;
            }
            if (in->mark == walk)
                return false;
            in->mark = walk;
            order[p->in[k]] = in;
        }
    }
    return true;
}

static lun_recipe *find(lun_engine *e, lun_node *const *roots, int count, lun_node **order)
{
    uint32_t form = lun__graph_shape_form(roots, count);
    lun_recipe *r = e->recipes[form & (BUCKETS - 1)];
    while (r && (r->form != form || !matches(e, r, roots, count, order)))
        r = r->next;
    return r;
}

static lun_status kernel_of(lun_engine *e, lun_recipe *r)
{
    lun_kernel_entry *k = r->ref.kernel;
    lun__recent_use(&e->recipes_used, &r->recent);
    if (k && lun__kernel_fits(e, k)) {
        lun__kernel_used(e, k);
        return LUN_OK;
    }
    lun_status status = lun__kernel_of(e, &r->step.lowered, &k);
    if (status == LUN_OK)
        lun__kernel_ref(&r->ref, k);
    return status;
}

lun_status lun__recipe_launch(lun_engine *e, lun_recipe *r)
{
    if (r->on_set) {
        lun__recent_use(&e->recipes_used, &r->recent);
        return lun__run_plan_step(e, &r->step);
    }
    const int current = e->current;
    lun_status status = kernel_of(e, r);
    if (status == LUN_OK)
        status = lun__launch_lowered(e, &r->step.lowered, r->ref.kernel, r->step.n);
    e->current = current;
    if (status == LUN_OK)
        e->stats.kept += r->step.kept;
    return status;
}

/* Whether it is a kernel that computes its only root index by index. */
static bool splits(const lun_recipe *r)
{
    const lun_ir *ir = &r->step.lowered.ir;
    return r->roots == 1 && !r->step.kept && ir->scan < 0 && !ir->result_count;
}

lun_status lun__recipe_launch_part(lun_engine *e, lun_recipe *r, int64_t first, int64_t count,
                                   void *host)
{
    const int current = e->current;
    lun_status status = kernel_of(e, r);
    if (status == LUN_OK)
        status =
            lun__launch_part(e, &r->step.lowered, r->ref.kernel, r->step.n, first, count, host);
    e->current = current;
    return status;
}

/* The recipe for the roots, its step on their nodes, which get that trait; NULL: none is known. */
static lun_recipe *bound(lun_engine *e, lun_node *const *roots, int count, uint8_t trait)
{
    lun_node *order[LUN_SHAPE_NODES];
    lun_recipe *r = e->recipes ? find(e, roots, count, order) : NULL;
    if (!r)
        return NULL;
    lun_lowered *l = &r->step.lowered;
    for (int i = 0; i < l->ir.slot_count; i++) {
        lun_node *n = order[r->slots[i]];
        bool view = n->kind == LUN_NODE_VIEW && l->ir.slots[i].role != LUN_SLOT_OUT;
        l->slots[i].view = view ? n : NULL;
        l->slots[i].node = view ? n->in[0] : n;
    }
    for (int i = 0; i < l->ir.arg_count; i++)
        if (r->args[i] >= 0)
            l->args[i].node = order[r->args[i]];
    for (int i = 0; i < l->ir.result_count; i++)
        l->results[i] = order[r->results[i]];
    r->step.n = lun__graph_shape_below(roots[0], l->unrolled);
    for (int i = 0; i < r->count; i++) {
        if (r->parts[i].use == PASSES)
            order[i]->is |= trait;
        if (r->parts[i].folds && !l->unrolled)
            l->segment = order[i]->step;
    }
    if (l->unrolled)
        r->step.n /= l->unrolled;
    return r;
}

/* A failure with a source line is found again by a plan, which has the line. */
static bool has_source_line(lun_status s)
{
    return s == LUN_EZERO || s == LUN_EBOUNDS || s == LUN_EBUILD;
}

lun_status lun__recipe_run(lun_engine *e, lun_node *const *roots, int count, bool *done)
{
    lun_recipe *r = bound(e, roots, count, LUN_IS_COMPUTED);
    lun_status status = r ? lun__recipe_launch(e, r) : LUN_OK;
    *done =
        r && !has_source_line(status) && !(r->step.kept && lun__launch_short_of_memory(e, status));
    return has_source_line(status) ? LUN_OK : status;
}

lun_status lun__recipe_part(lun_engine *e, lun_node *root, int64_t first, int64_t count, void *host,
                            bool *done)
{
    lun_recipe *r = bound(e, &root, 1, LUN_IS_PEEKED);
    lun_status status = LUN_OK;
    *done = r && splits(r);
    if (*done)
        status = lun__recipe_launch_part(e, r, first, count, host);
    *done &= !has_source_line(status);
    return has_source_line(status) ? LUN_OK : status;
}

static void recipe_free(lun_recipe *r)
{
    lun__kernel_ref(&r->ref, NULL);
    lun__lowered_free(&r->step.lowered);
    free(r->parts);
    free(r->slots);
    free(r);
}

/* Numbers of the nodes that slots, args and results come from, and of the roots. */
static bool index_sources(lun_recipe *r, const lun_lowered *l, lun_node *const *roots)
{
    size_t total = (size_t)l->ir.slot_count + (size_t)l->ir.arg_count + (size_t)l->ir.result_count +
                   (size_t)r->roots;
    int32_t *at = malloc(total * sizeof *at);
    if (!at)
        return false;
    r->slots = at;
    r->args = at + l->ir.slot_count;
    r->results = r->args + l->ir.arg_count;
    r->at = r->results + l->ir.result_count;
    for (int i = 0; i < l->ir.slot_count; i++)
        r->slots[i] = (l->slots[i].view ? l->slots[i].view : l->slots[i].node)->slot;
    for (int i = 0; i < l->ir.arg_count; i++)
        r->args[i] = l->args[i].node ? l->args[i].node->slot : -1;
    for (int i = 0; i < l->ir.result_count; i++)
        r->results[i] = l->results[i]->slot;
    for (int i = 0; i < r->roots; i++)
        r->at[i] = roots[i]->slot;
    return true;
}

/* The nodes, in the order in which `matches` visits them: the last one first. */
static bool write_parts(lun_recipe *r, const lun_graph_shape *s)
{
    bool named[LUN_SHAPE_NODES] = {false};
    r->count = s->count;
    r->parts = malloc((size_t)s->count * sizeof *r->parts);
    if (!r->parts)
        return false;
    for (int i = 0; i < r->roots; i++)
        named[r->at[i]] = true;
    for (int i = s->count - 1; i >= 0; i--) {
        const lun_node *n = s->order[i];
        lun_recipe_part *p = &r->parts[i];
        *p = (lun_recipe_part){.nature = lun__node_nature(n),
                               .class = lun__graph_shape_class(n, s->n, s->segment),
                               .use = lun__node_ready(n) ? READY : PASSES,
                               .folds = lun__graph_shape_folds(n)};
        if (n->kind == LUN_NODE_CALL) {
            p->body = n->body;
            p->number = n->body->number;
        }
        memset(p->in, -1, sizeof p->in);
        lun_node *in;
        for (int k = 0; !lun__node_ready(n) && (in = lun__node_operand(n, k)); k++) {
            int32_t number = in->slot;
            p->in[k] = (int8_t)number;
            if (!named[number])
                p->fresh |= (uint16_t)(1 << k);
            named[number] = true;
        }
    }
    for (int i = 0; i < r->step.lowered.ir.slot_count; i++)
        if (r->step.lowered.ir.slots[i].role == LUN_SLOT_OUT)
            r->parts[r->slots[i]].use = KEPT;
    for (int i = 0; i < r->roots; i++)
        r->parts[r->at[i]].use = ROOT;
    return true;
}

/* Whether the plan keeps what lun__keeps says, so that the recipe will be found again. */
static bool keeps_all(const lun_engine *e, const lun_recipe *r, const lun_graph_shape *s)
{
    for (int i = 0; i < s->count; i++)
        if (r->parts[i].use <= KEPT && lun__keeps(e, s->order[i]) != r->parts[i].use)
            return false;
    return true;
}

static int64_t bytes_of(const lun_recipe *r)
{
    const lun_lowered *l = &r->step.lowered;
    int numbers = l->ir.slot_count + l->ir.arg_count + l->ir.result_count + r->roots;
    return lun__ir_bytes(&l->ir) +
           (int64_t)(sizeof *r + (size_t)r->count * sizeof *r->parts +
                     (size_t)numbers * sizeof *r->slots + (size_t)l->slot_room * sizeof *l->slots +
                     (size_t)l->arg_room * sizeof *l->args +
                     (size_t)l->result_room * sizeof(void *) +
                     (size_t)l->where_room * sizeof *l->where +
                     (size_t)l->note_room * sizeof *l->notes + l->types.room);
}

/* Takes r out of everything and frees it. */
static void drop(lun_engine *e, lun_recipe *r)
{
    lun_recipe **at = &e->recipes[r->form & (BUCKETS - 1)];
    while (*at != r)
        at = &(*at)->next;
    *at = r->next;
    lun__recent_remove(&e->recipes_used, &r->recent);
    e->recipe_count--;
    e->recipe_bytes -= r->bytes;
    e->stats.kernel_bytes -= r->bytes;
    recipe_free(r);
}

/* Adds a new one; of more than kernels are kept, and of those beyond the memory for plans, those go
 * that were not used for longest. */
static void add(lun_engine *e, lun_recipe *r)
{
    lun_recipe **bucket = &e->recipes[r->form & (BUCKETS - 1)];
    r->next = *bucket;
    *bucket = r;
    lun__recent_add(&e->recipes_used, &r->recent);
    e->recipe_count++;
    r->bytes = bytes_of(r);
    e->recipe_bytes += r->bytes;
    e->stats.kernel_bytes += r->bytes;
    while (e->recipes_used.oldest != &r->recent &&
           (e->recipe_count > e->kernels_most || e->recipe_bytes > e->recipe_bytes_most))
        drop(e, (lun_recipe *)e->recipes_used.oldest);
}

lun_recipe *lun__recipe_learn(lun_engine *e, lun_node *const *roots, int count, lun_steps *steps)
{
    lun_graph_shape s;
    lun_node *order[LUN_SHAPE_NODES];
    lun_step *step = &steps->at[0];
    if (steps->count != 1 || step->kind != LUN_STEP_LAUNCH || !step->n || step->across ||
        step->sweep || step->blocks || !has_one_way(&step->lowered, step->n))
        return NULL;
    if (!e->recipes) {
        e->recipes = calloc(BUCKETS, sizeof(lun_recipe *));
        if (!e->recipes)
            return NULL;
    }
    if (!lun__graph_shape_of(e, roots, count, step->lowered.unrolled, &s) ||
        find(e, roots, count, order))
        return NULL;
    lun_recipe *r = calloc(1, sizeof *r);
    if (!r)
        return NULL;
    r->roots = count;
    r->step = *step;
    if (!index_sources(r, &step->lowered, roots) || !write_parts(r, &s) || !keeps_all(e, r, &s)) {
        r->step.lowered = (lun_lowered){0}; /* still the plan's */
        recipe_free(r);
        return NULL;
    }
    r->form = lun__graph_shape_form(roots, count);
    r->on_set = set_kind(e);
    for (int i = 0; i < s.count; i++)
        r->is_short |= s.order[i]->kind == LUN_NODE_REDUCE &&
                       lun__short_segments_wanted(e, s.n, s.order[i]->step);
    r->step.lowered.aligned = r->on_set && lun__placing_aligned(&r->step.lowered);
    r->step.ref = &r->ref;
    steps->count = 0;
    add(e, r);
    return r;
}

void lun__recipes_flush(lun_engine *e)
{
    while (e->recipes_used.oldest)
        drop(e, (lun_recipe *)e->recipes_used.oldest);
    free(e->recipes);
    e->recipes = NULL;
}
