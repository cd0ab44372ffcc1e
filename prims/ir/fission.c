/* fission.c - see fission.h.  Writes down what segments.c has found: what runs once for a team as
 * it stands, each segment as a loop over the threads.
 *
 * Each thread's variables and values that outlive a segment are elements of memory, one after the
 * other for the threads of a team: a segment begins by reading those that it needs, and ends by
 * writing back the variables that it sets. */
#include "ir/fission.h"

#include <stdlib.h>
#include <string.h>

#include "ir/segments.h"
#include "ir/writer.h"

typedef struct writer {
    lun_ir_writer to;
    lun_fission *out;
    lun_ir_segments cut;
    int32_t *known;                 /* by value: the segment for which its entry in to.map is so */
    int slot[LUN_DTYPE_COUNT];      /* of what is left, -1: none of that dtype */
    int32_t start[LUN_DTYPE_COUNT]; /* the team's first element there */
    int32_t zero, one;
    int32_t from, last; /* numbers of the first and the last thread */
    bool parted;        /* by several */
    int base;           /* argument: the first team of a launch, */
    bool moved;         /* from which it counts its indices */
    int32_t team;
    int32_t local;  /* moved: its number in the launch */
    int32_t thread; /* in a segment: its number */
    int depth;      /* blocks around that jumps count, from the segment's own on */
} writer;

/* ---- what segments leave for one another ----------------------------------------------------- */

/* The element number `number` of the running thread. */
static int32_t element(writer *w, lun_dtype t, int32_t number, int32_t thread)
{
    int32_t first = w->start[t];
    if (number)
        first =
            lun__ir_write_op(&w->to, LUN_OP_ADD, first,
                             lun__ir_write_integer(&w->to, (int64_t)number * w->to.ir->threads));
    return lun__ir_write_op(&w->to, LUN_OP_ADD, first, thread);
}

static int32_t fetch(writer *w, lun_dtype t, int32_t number, int32_t thread)
{
    return lun__ir_write(&w->to, LUN_IR_GATHER, t, element(w, t, number, thread), -1, w->slot[t]);
}

static void keep(writer *w, lun_dtype t, int32_t number, int32_t value)
{
    int32_t at = element(w, t, number, w->thread);
    lun__ir_write(&w->to, LUN_IR_PUT, t, value, at, w->slot[t]);
}

/* ---- a segment ------------------------------------------------------------------------------- */

static bool is_in(const writer *w, int32_t i, int32_t segment)
{
    return w->cut.segment[i] == segment;
}

/* A value of another segment, computed once more: as deep as segments.c allows. */
static void again(writer *w, int32_t v, int32_t segment)
{
    int32_t in[LUN_IR_INPUTS];
    if (w->to.ir->ins[v].kind == LUN_IR_THREAD)
        w->to.map[v] = w->thread;
    if (w->cut.segment[v] < 0 || w->known[v] == segment)
        return;
    w->known[v] = segment;
    for (int k = lun__ir_inputs(w->to.ir, &w->to.ir->ins[v], in) - 1; k >= 0; k--)
        again(w, in[k], segment);
    lun__ir_write_copy(&w->to, v);
}

/* What the segment takes from others; variables become its own. */
static void take(writer *w, int32_t v, int32_t segment)
{
    const lun_ir_segments *c = &w->cut;
    const lun_dtype t = (lun_dtype)w->to.ir->ins[v].dtype;
    bool own = w->to.ir->ins[v].kind == LUN_IR_VAR && c->spill[v] >= 0;
    if (w->to.ir->ins[v].kind == LUN_IR_THREAD)
        w->to.map[v] = w->thread;
    if (c->segment[v] < 0 || w->known[v] == segment || (is_in(w, v, segment) && !own))
        return;
    if (c->spill[v] < 0) {
        again(w, v, segment);
        return;
    }
    w->known[v] = segment;
    if (!own)
        w->to.map[v] = fetch(w, t, c->spill[v], w->thread);
    else if (is_in(w, v, segment))
        w->to.map[v] = lun__ir_write(&w->to, LUN_IR_VAR, t,
                                     lun__ir_write(&w->to, LUN_IR_CONST, t, -1, -1, 0), -1, 0);
    else
        w->to.map[v] =
            lun__ir_write(&w->to, LUN_IR_VAR, t, fetch(w, t, c->spill[v], w->thread), -1, 0);
}

static void take_all(writer *w, int32_t from, int32_t to, int32_t segment)
{
    for (int32_t i = from; i < to; i++) {
        int32_t in[LUN_IR_INPUTS];
        if (!is_in(w, i, segment))
            continue;
        if (w->to.ir->ins[i].kind == LUN_IR_VAR)
            take(w, i, segment);
        for (int k = lun__ir_inputs(w->to.ir, &w->to.ir->ins[i], in) - 1; k >= 0; k--)
            take(w, in[k], segment);
    }
}

static void give_back(writer *w, int32_t from, int32_t to, int32_t segment)
{
    for (int32_t i = from; i < to; i++) {
        int32_t var = w->to.ir->ins[i].kind == LUN_IR_SET ? w->to.ir->ins[i].a : i;
        if (!is_in(w, i, segment) || w->to.ir->ins[var].kind != LUN_IR_VAR ||
            w->cut.spill[var] < 0 || w->known[var] != segment)
            continue;
        w->known[var] = -1; /* once */
        lun_dtype t = (lun_dtype)w->to.ir->ins[var].dtype;
        keep(w, t, w->cut.spill[var], lun__ir_write(&w->to, LUN_IR_GET, t, w->to.map[var], -1, 0));
    }
}

/* Threads that have left a block around take no part. */
static void leave_out(writer *w, int32_t i)
{
    for (int32_t p = w->cut.blocks.parent[i]; p >= 0; p = w->cut.blocks.parent[p]) {
        if (!w->cut.split[p] || w->cut.gone[p] < 0)
            continue;
        lun__ir_write(&w->to, LUN_IR_IF, LUN_BOOL, fetch(w, LUN_BOOL, w->cut.gone[p], w->thread),
                      -1, 0);
        lun__ir_write(&w->to, LUN_IR_BREAK, 0, -1, -1, 0);
        lun__ir_write(&w->to, LUN_IR_END, 0, -1, -1, 0);
    }
}

/* A jump to the end of a split block ends the segment for its thread. */
static void jump(writer *w, int32_t i)
{
    const int32_t to = w->cut.blocks.target[i];
    if (!w->cut.split[to]) {
        lun__ir_write_copy(&w->to, i);
        return;
    }
    if (w->cut.gone[to] >= 0)
        keep(w, LUN_BOOL, w->cut.gone[to],
             lun__ir_write(&w->to, LUN_IR_CONST, LUN_BOOL, -1, -1, 1));
    lun__ir_write(&w->to, LUN_IR_BREAK, 0, -1, -1, w->depth);
}

static void write_ins(writer *w, int32_t i)
{
    const lun_ir_ins *ins = &w->to.ir->ins[i];
    const int flow = lun__ir_row(ins->kind)->flow;
    const bool outer = ins->kind == LUN_IR_VAR && w->cut.spill[i] >= 0;
    if (flow == LUN_FLOW_LEAVE) {
        jump(w, i);
    } else if (outer) {
        lun__ir_write(&w->to, LUN_IR_SET, 0, w->to.map[i], w->to.map[ins->a], 0);
    } else {
        lun__ir_write_copy(&w->to, i);
        if (w->cut.spill[i] >= 0)
            keep(w, (lun_dtype)ins->dtype, w->cut.spill[i], w->to.map[i]);
    }
    w->depth += flow == LUN_FLOW_OPEN;
    if (flow == LUN_FLOW_CLOSE)
        w->depth -= lun__ir_row(w->to.ir->ins[w->cut.blocks.target[i]].kind)->flow == LUN_FLOW_OPEN;
}

static int32_t open_threads(writer *w)
{
    int32_t var = lun__ir_write(&w->to, LUN_IR_VAR, LUN_I64, w->from, -1, 0);
    lun__ir_write(&w->to, LUN_IR_LOOP, 0, -1, -1, 0);
    w->thread = lun__ir_write(&w->to, LUN_IR_GET, LUN_I64, var, -1, 0);
    return var;
}

static void close_threads(writer *w, int32_t var)
{
    int32_t next = lun__ir_write_op(&w->to, LUN_OP_ADD, w->thread, w->one);
    lun__ir_write(&w->to, LUN_IR_IF, LUN_BOOL,
                  lun__ir_write_op(&w->to, LUN_OP_EQ, w->thread, w->last), -1, 0);
    lun__ir_write(&w->to, LUN_IR_BREAK, 0, -1, -1, 0);
    lun__ir_write(&w->to, LUN_IR_END, 0, -1, -1, 0);
    lun__ir_write(&w->to, LUN_IR_SET, 0, var, next, 0);
    lun__ir_write(&w->to, LUN_IR_END, 0, -1, -1, 0);
}

/* Whether a thread may end it before the others: it has left a block around, or leaves one. */
static bool ends_early(const writer *w, int32_t from, int32_t to, int32_t segment)
{
    for (int32_t p = w->cut.blocks.parent[from]; p >= 0; p = w->cut.blocks.parent[p])
        if (w->cut.gone[p] >= 0)
            return true;
    for (int32_t i = from; i < to; i++)
        if (is_in(w, i, segment) && lun__ir_row(w->to.ir->ins[i].kind)->flow == LUN_FLOW_LEAVE &&
            w->cut.split[w->cut.blocks.target[i]])
            return true;
    return false;
}

/* Segment number `segment`, whose first instruction is `from`. */
static void write_segment(writer *w, int32_t from, int32_t segment)
{
    const int32_t to = w->cut.end[segment];
    const bool early = ends_early(w, from, to, segment);
    int32_t var = open_threads(w);
    take_all(w, from, to, segment);
    w->depth = 0;
    if (early) {
        lun__ir_write(&w->to, LUN_IR_BLOCK, 0, -1, -1, 0);
        leave_out(w, from);
    }
    for (int32_t i = from; i < to; i++)
        if (is_in(w, i, segment))
            write_ins(w, i);
    if (early)
        lun__ir_write(&w->to, LUN_IR_END, 0, -1, -1, 0);
    give_back(w, from, to, segment);
    close_threads(w, var);
}

/* ---- the team -------------------------------------------------------------------------------- */

/* No thread has left the block yet. */
static void write_none_gone(writer *w, int32_t block)
{
    if (w->cut.gone[block] < 0)
        return;
    int32_t var = open_threads(w);
    keep(w, LUN_BOOL, w->cut.gone[block], lun__ir_write(&w->to, LUN_IR_CONST, LUN_BOOL, -1, -1, 0));
    close_threads(w, var);
}

static void write_once(writer *w, int32_t i)
{
    const lun_ir_ins *ins = &w->to.ir->ins[i];
    const bool kept = ins->kind == LUN_IR_GET && w->cut.segment[ins->a] >= 0;
    if (ins->kind == LUN_IR_TEAM)
        w->to.map[i] = w->team;
    else if (kept)
        w->to.map[i] = fetch(w, (lun_dtype)ins->dtype, w->cut.spill[ins->a], w->from);
    else if (ins->kind != LUN_IR_BARRIER && ins->kind != LUN_IR_THREAD)
        lun__ir_write_copy(&w->to, i);
    if (ins->kind == LUN_IR_BARRIER && w->parted)
        lun__ir_write(&w->to, LUN_IR_MEET, 0, -1, -1, 0);
    if (w->cut.split[i])
        write_none_gone(w, i);
}

/* Segments follow one another, each behind what the team computes beside it. */
static void write_team(writer *w)
{
    int32_t first = -1;
    for (int32_t i = 0; i <= w->to.ir->count; i++) {
        if (first >= 0 && w->cut.end[w->cut.segment[first]] == i) {
            write_segment(w, first, w->cut.segment[first]);
            first = -1;
        }
        if (i == w->to.ir->count)
            break;
        if (w->cut.segment[i] < 0)
            write_once(w, i);
        else if (first < 0)
            first = i;
    }
}

/* ---- beginning ------------------------------------------------------------------------------- */

static int32_t base_of(writer *w)
{
    return lun__ir_write(&w->to, LUN_IR_ARG, LUN_I64, -1, -1, w->base);
}

/* The team, if `counted` is its number among those of the launch or in the league. */
static int32_t team_of(writer *w, int32_t counted)
{
    w->local = w->moved ? counted : -1;
    return w->moved ? lun__ir_write_op(&w->to, LUN_OP_ADD, counted, base_of(w)) : counted;
}

/* A slot for each dtype of which something is left. */
static void add_slots(writer *w)
{
    lun_fission *o = w->out;
    int32_t number = -1;
    o->first = o->ir.slot_count;
    o->count = calloc(LUN_DTYPE_COUNT, sizeof *o->count);
    w->to.failed |= !o->count;
    for (int t = 0; t < LUN_DTYPE_COUNT && !w->to.failed; t++) {
        if (!w->cut.spilled[t])
            continue;
        const int64_t count = (int64_t)w->cut.spilled[t] * w->to.ir->threads;
        if (number < 0)
            number = w->local >= 0 ? w->local
                                   : lun__ir_write_op(&w->to, LUN_OP_SUB, w->team, base_of(w));
        w->slot[t] = lun__ir_slot_add(&o->ir, (lun_dtype)t, LUN_SLOT_TARGET);
        w->to.failed |= w->slot[t] < 0;
        o->count[o->ir.slot_count - 1 - o->first] = count;
        w->start[t] =
            lun__ir_write_op(&w->to, LUN_OP_MUL, number, lun__ir_write_integer(&w->to, count));
    }
}

static void find_threads(writer *w)
{
    w->from = w->zero;
    w->last = lun__ir_write_integer(&w->to, w->to.ir->threads - 1);
    if (!w->parted)
        return;
    w->out->crew = lun__ir_arg_add(&w->out->ir, LUN_I64);
    w->to.failed |= w->out->crew < 0 || lun__ir_arg_add(&w->out->ir, LUN_I64) < 0;
    w->from = lun__ir_write(&w->to, LUN_IR_ARG, LUN_I64, -1, -1, w->out->crew);
    w->last = lun__ir_write(&w->to, LUN_IR_ARG, LUN_I64, -1, -1, w->out->crew + 1);
}

static lun_status write_together(writer *w)
{
    const size_t n = (size_t)w->to.ir->count + 1;
    lun_status s = lun__ir_segments_find(w->to.ir, &w->cut);
    if (s != LUN_OK)
        return s;
    w->known = malloc(n * sizeof *w->known);
    w->to.failed |= !w->known;
    w->team = team_of(w, lun__ir_write(&w->to, LUN_IR_INDEX, LUN_I64, -1, -1, 0));
    w->zero = lun__ir_write_integer(&w->to, 0);
    w->one = lun__ir_write_integer(&w->to, 1);
    find_threads(w);
    if (!w->to.failed) {
        memset(w->known, -1, n * sizeof *w->known);
        add_slots(w);
    }
    if (!w->to.failed)
        write_team(w);
    lun__ir_segments_free(&w->cut);
    free(w->known);
    return w->to.failed ? LUN_ENOMEM : LUN_OK;
}

/* An index for each of `threads` threads: none waits for another, or there is one, which calls what
 * is for all. */
static lun_status write_apart(writer *w, int threads)
{
    int32_t index = lun__ir_write(&w->to, LUN_IR_INDEX, LUN_I64, -1, -1, 0);
    w->team = index;
    if (threads > 1) {
        const int32_t all = lun__ir_write_integer(&w->to, threads);
        w->team = lun__ir_write_op(&w->to, LUN_OP_IDIV, index, all);
        w->thread = lun__ir_write_op(&w->to, LUN_OP_MOD, index, all);
    }
    w->team = team_of(w, w->team);
    for (int32_t i = 0; i < w->to.ir->count && !w->to.failed; i++) {
        if (w->to.ir->ins[i].kind == LUN_IR_TEAM)
            w->to.map[i] = w->team;
        else if (w->to.ir->ins[i].kind == LUN_IR_THREAD)
            w->to.map[i] = threads > 1 ? w->thread : lun__ir_write_integer(&w->to, 0);
        else
            lun__ir_write_copy(&w->to, i);
    }
    return w->to.failed ? LUN_ENOMEM : LUN_OK;
}

/* ---- all of it ------------------------------------------------------------------------------- */

/* Whether a call is for a whole team. */
static bool calls_for_all(const lun_ir *ir)
{
    bool found = false;
    for (int i = 0; i < ir->function_count; i++)
        found |= ir->functions[i]->has_barriers;
    return found;
}

lun_status lun__ir_fission(const lun_ir *ir, int base, bool moved, bool parted, lun_fission *out)
{
    const bool for_all = calls_for_all(ir), meets = lun__ir_has_barriers(ir);
    writer w = {.to = {.ir = ir, .to = &out->ir, .from = &out->from},
                .out = out,
                .base = base,
                .moved = moved,
                .parted = parted,
                .local = -1};
    memset(out, 0, sizeof *out);
    lun__ir_init(&out->ir);
    out->together = meets || for_all;
    out->first = ir->slot_count;
    w.to.map = calloc((size_t)ir->count + 1, sizeof *w.to.map);
    bool ok = w.to.map != NULL;
    ok = ok && lun__ir_copy_outside(ir, &out->ir);
    lun_status s = !ok     ? LUN_ENOMEM
                   : meets ? write_together(&w)
                           : write_apart(&w, for_all ? 1 : ir->threads);
    free(w.to.map);
    return s;
}

void lun__ir_fission_free(lun_fission *f)
{
    lun__ir_free(&f->ir);
    free(f->from);
    free(f->count);
    memset(f, 0, sizeof *f);
}
