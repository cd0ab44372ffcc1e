/* segments.c - see segments.h.  First which blocks are split, then which variables are the whole
 * team's, then the segments, then what they leave for one another. */
#include "ir/segments.h"

#include <stdlib.h>
#include <string.h>

#include "table/op.h"

enum { AGAIN = 8, NEVER = 255 }; /* cost of what is computed again, at most */

typedef struct cut {
    const lun_ir *ir;
    lun_ir_segments *out;
    uint8_t *shared;  /* VAR: the whole team's */
    int32_t *read_in; /* VAR that is shared: the last segment that reads it on its way */
    uint8_t *cost;    /* of computing a value again */
    int32_t now;      /* the segment that is open, -1: none */
} cut;

static int flow_of(const cut *c, int32_t i)
{
    return lun__ir_row(c->ir->ins[i].kind)->flow;
}

static bool opens(const cut *c, int32_t i)
{
    return flow_of(c, i) == LUN_FLOW_OPEN || flow_of(c, i) == LUN_FLOW_BRANCH;
}

/* ---- blocks ---------------------------------------------------------------------------------- */

static void split_around(const cut *c, int32_t i, int32_t until)
{
    for (int32_t p = c->out->blocks.parent[i]; p > until; p = c->out->blocks.parent[p])
        c->out->split[p] = 1;
}

/* A jump of all threads at once out of a block that is split splits what it jumps out of. */
static void find_split(const cut *c)
{
    const lun_ir_segments *o = c->out;
    int before = -1, now = 0;
    for (int32_t i = 0; i < c->ir->count; i++)
        if (c->ir->ins[i].kind == LUN_IR_BARRIER)
            split_around(c, i, -1);
    while (before != now) {
        before = now;
        now = 0;
        for (int32_t i = 0; i < c->ir->count; i++) {
            if (flow_of(c, i) == LUN_FLOW_LEAVE && !o->agreement.loose[i] &&
                o->split[o->blocks.target[i]])
                split_around(c, i, o->blocks.target[i]);
            now += o->split[i];
        }
    }
}

/* ---- what runs once -------------------------------------------------------------------------- */

/* Whether i, in a block that is not split and begins at `from`, may run once for the team. */
static bool runs_once(const cut *c, int32_t i, int32_t from)
{
    const lun_ir_segments *o = c->out;
    const lun_ir_ins *ins = &c->ir->ins[i];
    int32_t in[LUN_IR_INPUTS];
    const bool writes = lun__ir_row(ins->kind)->effects & LUN_EFFECT_WRITES;
    if (o->agreement.loose[i] || writes || o->agreement.varies[i])
        return false;
    if (flow_of(c, i) == LUN_FLOW_LEAVE)
        return o->blocks.target[i] >= from;
    for (int k = lun__ir_inputs(c->ir, ins, in) - 1; k >= 0; k--)
        if (o->agreement.varies[in[k]] ||
            (c->ir->ins[in[k]].kind == LUN_IR_VAR && !c->shared[in[k]]))
            return false;
    return true;
}

static bool block_runs_once(const cut *c, int32_t block)
{
    for (int32_t i = block; i < c->out->blocks.end[block]; i++)
        if (!runs_once(c, i, block))
            return false;
    return true;
}

/* VARs that some thread sets for itself are no shared ones.  True if there is one less. */
static bool take_back(const cut *c)
{
    const lun_ir_segments *o = c->out;
    bool changed = false;
    for (int32_t i = 0; i < c->ir->count; i++) {
        if (!lun__ir_segments_is_outer(o, i) || o->split[i] || !opens(c, i) ||
            block_runs_once(c, i))
            continue;
        for (int32_t k = i; k < o->blocks.end[i]; k++) {
            int32_t var = c->ir->ins[k].kind == LUN_IR_SET ? c->ir->ins[k].a : i;
            changed |= var < i && c->shared[var];
            if (var < i)
                c->shared[var] = 0;
        }
    }
    return changed;
}

static void find_shared(const cut *c)
{
    const lun_ir_agreement *a = &c->out->agreement;
    for (int32_t i = 0; i < c->ir->count; i++)
        c->shared[i] = c->ir->ins[i].kind == LUN_IR_VAR && !a->varies[i] && !a->loose[i];
    while (take_back(c))
        ;
}

/* ---- segments -------------------------------------------------------------------------------- */

static void close_segment(cut *c, int32_t i)
{
    if (c->now >= 0)
        c->out->end[c->now] = i;
    c->now = -1;
}

static void put_in_segment(cut *c, int32_t from, int32_t last)
{
    if (c->ir->ins[from].kind == LUN_IR_THREAD)
        return; /* every segment has it */
    if (c->now < 0)
        c->now = c->out->count++;
    for (int32_t i = from; i <= last; i++) {
        const lun_ir_ins *ins = &c->ir->ins[i];
        c->out->segment[i] = c->now;
        if (ins->kind == LUN_IR_GET)
            c->read_in[ins->a] = c->now;
    }
}

/* What is computed once stands before the segment that is open: it must not set what that reads. */
static void keep_order(cut *c, int32_t from, int32_t last)
{
    for (int32_t i = from; i <= last && c->now >= 0; i++) {
        const lun_ir_ins *ins = &c->ir->ins[i];
        bool sets = ins->kind == LUN_IR_SET && c->read_in[ins->a] == c->now;
        bool reads = ins->kind == LUN_IR_GET && !c->shared[ins->a];
        if (sets || reads)
            close_segment(c, from);
    }
}

/* A variable of each thread in which all have the same can be read for the team. */
static bool is_once(const cut *c, int32_t i)
{
    const lun_ir_agreement *a = &c->out->agreement;
    const lun_ir_ins *ins = &c->ir->ins[i];
    if (ins->kind == LUN_IR_GET)
        return !a->varies[i] && !a->loose[i];
    if (ins->kind == LUN_IR_VAR)
        return c->shared[i];
    return runs_once(c, i, INT32_MAX);
}

static void find_segments(cut *c)
{
    lun_ir_segments *o = c->out;
    for (int32_t i = 0, last; i < c->ir->count; i = last + 1) {
        const lun_ir_ins *ins = &c->ir->ins[i];
        const int flow = flow_of(c, i);
        last = i;
        if (flow == LUN_FLOW_OTHER || flow == LUN_FLOW_CLOSE || ins->kind == LUN_IR_BARRIER ||
            (flow == LUN_FLOW_LEAVE && !o->agreement.loose[i]) || (opens(c, i) && o->split[i])) {
            close_segment(c, i);
            continue;
        }
        if (opens(c, i))
            last = o->blocks.end[i];
        if (opens(c, i) ? block_runs_once(c, i) : is_once(c, i))
            keep_order(c, i, last);
        else
            put_in_segment(c, i, last);
    }
    close_segment(c, c->ir->count);
}

/* ---- what segments leave for one another ----------------------------------------------------- */

static void find_cost(const cut *c, int32_t i)
{
    const lun_ir_ins *ins = &c->ir->ins[i];
    int32_t in[LUN_IR_INPUTS];
    int cost = ins->kind == LUN_IR_OP ? lun__op_cost((lun_op)ins->op) : 1;
    c->cost[i] = NEVER;
    if ((ins->kind != LUN_IR_OP && ins->kind != LUN_IR_CAST) || lun__ir_may_fail(c->ir, ins))
        return;
    for (int k = lun__ir_inputs(c->ir, ins, in) - 1; k >= 0 && cost <= AGAIN; k--)
        cost += c->out->segment[in[k]] < 0 ? 0 : c->cost[in[k]];
    if (cost <= AGAIN)
        c->cost[i] = (uint8_t)cost;
}

static void leave(const cut *c, int32_t value, int32_t user)
{
    lun_ir_segments *o = c->out;
    if (o->segment[value] < 0 || o->segment[value] == o->segment[user] || o->spill[value] >= 0)
        return;
    o->again[value] = c->cost[value] != NEVER;
    if (!o->again[value])
        o->spill[value] = o->spilled[c->ir->ins[value].dtype]++;
}

/* A jump of some threads out of a split block: later segments in it leave these out. */
static void find_gone(const cut *c, int32_t i)
{
    lun_ir_segments *o = c->out;
    int32_t block = o->blocks.target[i];
    if (flow_of(c, i) != LUN_FLOW_LEAVE || !o->split[block] || !o->agreement.loose[i] ||
        o->gone[block] >= 0)
        return;
    for (int32_t k = i; k < o->blocks.end[block]; k++)
        if (o->segment[k] >= 0 && o->segment[k] != o->segment[i]) {
            o->gone[block] = o->spilled[LUN_BOOL]++;
            return;
        }
}

static void find_left(const cut *c)
{
    for (int32_t i = 0; i < c->ir->count; i++) {
        int32_t in[LUN_IR_INPUTS];
        find_cost(c, i);
        for (int k = lun__ir_inputs(c->ir, &c->ir->ins[i], in) - 1; k >= 0; k--)
            leave(c, in[k], i);
        find_gone(c, i);
    }
}

/* ---- all of it ------------------------------------------------------------------------------- */

static bool allocate(lun_ir_segments *out, size_t n)
{
    out->segment = malloc(4 * n * sizeof *out->segment);
    out->split = calloc(n, 2);
    if (!out->segment || !out->split)
        return false;
    memset(out->segment, -1, 4 * n * sizeof *out->segment);
    out->spill = out->segment + n;
    out->gone = out->segment + 2 * n;
    out->end = out->segment + 3 * n;
    out->again = out->split + n;
    return true;
}

lun_status lun__ir_segments_find(const lun_ir *ir, lun_ir_segments *out)
{
    const size_t n = (size_t)ir->count + 1;
    cut c = {.ir = ir, .out = out, .now = -1};
    memset(out, 0, sizeof *out);
    lun_status s = lun__ir_structure_find(ir, &out->blocks, NULL);
    if (s == LUN_OK)
        s = lun__ir_uniform_find(ir, &out->blocks, &out->agreement);
    c.shared = calloc(n, 2);
    c.read_in = malloc(n * sizeof *c.read_in);
    if (s == LUN_OK && (!c.shared || !c.read_in || !allocate(out, n)))
        s = LUN_ENOMEM;
    if (s == LUN_OK) {
        c.cost = c.shared + n;
        memset(c.read_in, -1, n * sizeof *c.read_in);
        find_split(&c);
        find_shared(&c);
        find_segments(&c);
        find_left(&c);
    } else {
        lun__ir_segments_free(out);
    }
    free(c.shared);
    free(c.read_in);
    return s;
}

void lun__ir_segments_free(lun_ir_segments *s)
{
    lun__ir_structure_free(&s->blocks);
    lun__ir_uniform_free(&s->agreement);
    free(s->segment);
    free(s->split);
    memset(s, 0, sizeof *s);
}
