/* steps.c - the plan of an evaluation: groups in their order, each lowered; see steps.h.
 * Knows no backend. */
#include "schedule/steps.h"

#include <stdlib.h>
#include <string.h>

#include "base/grow.h"
#include "kernels/outer_axis.h"
#include "kernels/pairs_kernel.h"
#include "kernels/short_segments.h"
#include "schedule/chain.h"
#include "schedule/sweep.h"
#include "schedule/tiles.h"

static bool hold(lun_steps *s, lun_node *n)
{
    if (!lun__grow(&s->held, s->held_count, &s->held_room, sizeof *s->held))
        return false;
    s->held[s->held_count++] = (lun_steps_held){lun__node_retain(n), -1, 0};
    return true;
}

static bool hold_sinks(lun_steps *s, const lun_group *g)
{
    bool held = true;
    for (int k = 0; held && k < g->sink_count; k++)
        held = hold(s, g->sinks[k]);
    return held;
}

static lun_step *append(lun_steps *s, lun_step_kind kind, int64_t n, const char *cut)
{
    if (!lun__grow(&s->at, s->count, &s->room, sizeof *s->at))
        return NULL;
    lun_step *step = &s->at[s->count++];
    *step = (lun_step){.kind = kind, .n = n, .cut = cut, .done = -1};
    return step;
}

/* The elements of n, a NUMBER over many indices, unless an earlier step makes them. */
static lun_status fill(lun_engine *e, lun_steps *s, lun_node *n)
{
    for (int i = 0; i < s->count; i++)
        if (s->at[i].kind == LUN_STEP_FILL && s->at[i].node == n)
            return LUN_OK;
    lun_step *step = hold(s, n) ? append(s, LUN_STEP_FILL, n->n, "") : NULL;
    if (!step)
        return lun__fail_nomem(e);
    step->node = n;
    return LUN_OK;
}

/* The node whose elements a slot on n needs in memory: what a function indexes, what is padded. */
static lun_node *in_memory(lun_node *n)
{
    return n->kind == LUN_NODE_PAD ? n->in[0] : n;
}

/* A reduction in blocks; what its slots read is held. */
static lun_status lower_pairs(lun_engine *e, const lun_schedule *groups, int g, lun_steps *s,
                              lun_lowered *l)
{
    lun_node *offsets[LUN_PAIRS_HELD];
    int count;
    lun_status status = lun__pairs_kernel_lower(e, groups, g, l, offsets, &count);
    bool held = true;
    for (int i = 0; i < count; i++) {
        held = hold(s, offsets[i]) && held;
        lun__node_release(e, offsets[i]);
    }
    if (status != LUN_OK || held)
        return status;
    lun__lowered_free(l);
    return lun__fail_nomem(e);
}

/* *count: of groups that it holds. */
static lun_status plan_kernel(lun_engine *e, const lun_schedule *groups, int g, lun_steps *s,
                              int *count)
{
    const lun_group *group = &groups->groups[g];
    const bool blocks = lun__node_in_blocks(group->sinks[0]);
    lun_lowered l;
    lun_pairs *pairs = NULL;
    int unrolled = 0;
    lun_status status = blocks ? lower_pairs(e, groups, g, s, &l)
                               : lun__short_segments_lower(e, groups, g, &l, &unrolled);
    if (status == LUN_OK && !blocks && !unrolled)
        status = lun__lower_group(e, groups, g, &l);
    if (status != LUN_OK)
        return status;
    for (int i = 0; status == LUN_OK && i < l.ir.slot_count; i++)
        if (in_memory(l.slots[i].node)->kind == LUN_NODE_NUMBER)
            status = fill(e, s, in_memory(l.slots[i].node));
    lun_outer_axis *across = NULL;
    if (status == LUN_OK && blocks && lun__backend_segments(e))
        status = lun__pairs_kernel_make(e, groups, g, &pairs);
    else if (status == LUN_OK && !blocks && !unrolled)
        status = lun__outer_axis_make(e, groups, g, &across);
    const int64_t n = blocks ? group->sinks[0]->n : unrolled ? group->n / group->segment : group->n;
    lun_step *step = status == LUN_OK ? append(s, LUN_STEP_LAUNCH, n, group->cut) : NULL;
    *count = unrolled ? unrolled : 1;
    if (step) {
        step->lowered = l;
        step->across = across;
        step->blocks = blocks;
        step->pairs = pairs;
        step->held = blocks && group->sinks[0]->refs > group->users + 1; /* one is held here */
        step->group = g;
        for (int i = 0; i < *count; i++)
            step->kept += group[i].kept;
        step->cut = group[*count - 1].cut;
    } else {
        lun__lowered_free(&l);
        lun__outer_axis_free(across);
        lun__pairs_kernel_free(pairs);
    }
    return status == LUN_OK && !step ? lun__fail_nomem(e) : status;
}

/* The step of group g; *count: of how many groups it is. */
static lun_status plan_group(lun_engine *e, const lun_schedule *groups, int g, lun_steps *s,
                             int *count)
{
    const lun_group *group = &groups->groups[g];
    *count = 1;
    if (!hold_sinks(s, group))
        return lun__fail_nomem(e);
    if (!group->step) {
        const lun_status status = plan_kernel(e, groups, g, s, count);
        for (int i = 1; status == LUN_OK && i < *count; i++)
            if (!hold_sinks(s, &group[i]))
                return lun__fail_nomem(e);
        return status;
    }
    lun_node *n = group->sinks[0];
    const lun_node *first = lun__node_first_result(n);
    lun_step *step = append(s,
                            n->kind == LUN_NODE_CONCAT        ? LUN_STEP_COPY
                            : n->kind == LUN_NODE_MATMUL      ? LUN_STEP_PRODUCT
                            : first->kind == LUN_NODE_RUNNING ? LUN_STEP_RUNNING
                                                              : LUN_STEP_ALGORITHM,
                            group->n, group->cut);
    if (!step)
        return lun__fail_nomem(e);
    step->node = n;
    step->held = n->refs > group->users + 1; /* one is held here */
    return LUN_OK;
}

/* ---- how long results are needed ------------------------------------------------------------- */

/* Step k needs n, or what n is a part of. */
static void need(lun_steps *s, uint64_t walk, const lun_node *n, int k)
{
    while (n && n->mark != walk && n->kind != LUN_NODE_LEAF)
        n = lun__node_has_many(n) ? NULL : n->in[0];
    if (n && n->mark == walk && s->held[n->slot].until < k)
        s->held[n->slot].until = k;
}

static void need_all(lun_steps *s, uint64_t walk, int at, int k)
{
    const lun_step *step = &s->at[at];
    const lun_lowered *l = &step->lowered;
    const lun_node *in;
    for (int i = 0; i < l->ir.slot_count; i++) {
        need(s, walk, l->slots[i].node, k);
        need(s, walk, l->slots[i].view, k); /* offsets of pairs */
    }
    for (int i = 0; i < l->ir.arg_count; i++)
        need(s, walk, l->args[i].node, k);
    for (int i = 0; i < l->ir.result_count; i++)
        need(s, walk, l->results[i], k);
    need(s, walk, l->needed, k);
    need(s, walk, step->node, k);
    for (int i = 0; step->node && (in = lun__node_operand(step->node, i)); i++)
        need(s, walk, in, k);
}

/* Finds the last step that needs each held node; a chain is one step. */
static void find_last_needs(lun_engine *e, lun_steps *s)
{
    const uint64_t walk = ++e->walk;
    for (int i = 0; i < s->held_count; i++) {
        s->held[i].node->mark = walk;
        s->held[i].node->slot = i;
    }
    for (int at = 0, last; at < s->count; at = last + 1) {
        last = lun__chain_last(s, at);
        for (int k = at; k <= last; k++)
            need_all(s, walk, k, last);
    }
    for (int k = 0; k < s->count; k++) {
        const lun_lowered *l = &s->at[k].lowered;
        s->at[k].until = k;
        for (int r = 0; r < l->ir.result_count; r++)
            s->at[k].used |= l->results[r]->mark == walk &&
                             s->held[l->results[r]->slot].until > lun__chain_last(s, k);
        for (int i = 0; i < l->ir.slot_count; i++) {
            const lun_node *n = l->slots[i].node;
            if (l->ir.slots[i].role == LUN_SLOT_OUT && n->mark == walk &&
                s->at[k].until < s->held[n->slot].until)
                s->at[k].until = s->held[n->slot].until;
        }
    }
    for (int i = 0; i < s->held_count; i++) {
        lun_steps_held *h = &s->held[i];
        h->next = s->at[h->until].done;
        s->at[h->until].done = i;
    }
}

void lun__steps_done(lun_engine *e, lun_steps *s, int step)
{
    for (int i = s->at[step].done; i >= 0; i = s->held[i].next) {
        lun__node_release(e, s->held[i].node);
        s->held[i].node = NULL;
    }
    s->at[step].done = -1;
}

static lun_status make(lun_engine *e, lun_node *const *roots, int count, unsigned how,
                       lun_steps *out)
{
    lun_schedule groups;
    int64_t cache_bytes;
    memset(out, 0, sizeof *out);
    lun_status status = lun__fuse(e, roots, count, how & LUN_STEPS_KEEP, &groups);
    if (status != LUN_OK)
        return status;
    for (int g = 0, taken; status == LUN_OK && g < groups.count; g += taken) {
        status = plan_group(e, &groups, g, out, &taken);
        if (status == LUN_OK && g + taken < groups.count)
            status = lun__watch_stopped(e);
    }
    out->roots = roots;
    out->root_count = count;
    const int whole = how & LUN_STEPS_PLAIN ? 0 : out->count - ((how & LUN_STEPS_PART) != 0);
    int chains = 0;
    if (status == LUN_OK && lun__backend_chains(e))
        status = lun__chains_find(e, &groups, out, whole, &chains);
    if (status == LUN_OK && lun__backend_sweeps(e, &cache_bytes))
        status = lun__sweeps_find(e, out, whole, chains, cache_bytes);
    if (status == LUN_OK && !e->set_count && lun__backend_chains(e))
        lun__tiles_find(e, out, whole);
    lun__fuse_free(&groups);
    /* numbers over many indices come last: they need no kernel */
    for (int i = 0; status == LUN_OK && i < count; i++)
        if (roots[i]->kind == LUN_NODE_NUMBER && roots[i]->rank)
            status = fill(e, out, roots[i]);
    if (status == LUN_OK)
        find_last_needs(e, out);
    if (status != LUN_OK)
        lun__steps_free(e, out);
    return status;
}

lun_status lun__steps_make(lun_engine *e, lun_node *const *roots, int count, unsigned how,
                           lun_steps *out)
{
    if (!lun__tools_watch(e->tools))
        return make(e, roots, count, how, out);
    lun_tool_event ev = {.kind = LUN_TOOL_PLAN,
                         .name = "plan",
                         .where = count ? lun__source_mark_text(e, roots[0]->where) : NULL};
    lun__tools_call(e->tools, true, &ev);
    const lun_status s = make(e, roots, count, how, out);
    ev.operations = out->count;
    ev.time = 0;
    lun__tools_call(e->tools, false, &ev);
    return s;
}

void lun__steps_free(lun_engine *e, lun_steps *s)
{
    for (int i = 0; i < s->count; i++) {
        lun__lowered_free(&s->at[i].lowered);
        lun__outer_axis_free(s->at[i].across);
        lun__pairs_kernel_free(s->at[i].pairs);
    }
    for (int i = 0; i < s->held_count; i++)
        lun__node_release(e, s->held[i].node);
    free(s->at);
    free(s->held);
    memset(s, 0, sizeof *s);
}
