/* fission.c - see fission.h.  Writes down what segments.c has found: what runs once for a team as
 * it stands, each segment as a loop over the threads.
 *
 * Each thread's variables and values that outlive a segment are elements of memory, one after the
 * other for the threads of a team: a segment begins by reading those that it needs, and ends by
 * writing back the variables that it sets. */
#include "ir/fission.h"

#include <stdlib.h>
#include <string.h>

#include "base/grow.h"
#include "ir/segments.h"

typedef struct writer {
    const lun_ir *ir;
    lun_fission *out;
    lun_ir_segments cut;
    int32_t *map;   /* by instruction of ir: what it is where things are written now */
    int32_t *known; /* by value: the segment for which that is so */
    int from_room;
    int slot[LUN_DTYPE_COUNT];      /* of what is left, -1: none of that dtype */
    int32_t start[LUN_DTYPE_COUNT]; /* the team's first element there */
    int32_t zero, one;
    int32_t last; /* number of the last thread */
    int base;     /* argument: the first team of a launch, */
    bool moved;   /* from which it counts its indices */
    int32_t team;
    int32_t local;  /* moved: its number in the launch */
    int32_t thread; /* in a segment: its number */
    int depth;      /* blocks around that jumps count, from the segment's own on */
    bool failed;
} writer;

/* ---- instructions ---------------------------------------------------------------------------- */

static int32_t add(writer *w, lun_ir_ins ins, int32_t from)
{
    lun_fission *o = w->out;
    int32_t i = -1;
    if (lun__grow(&o->from, o->ir.count, &w->from_room, sizeof *o->from))
        i = lun__ir_add(&o->ir, ins);
    w->failed |= i < 0;
    if (i >= 0)
        o->from[i] = from;
    return i < 0 ? 0 : i;
}

static int32_t make(writer *w, lun_ir_kind kind, lun_dtype dtype, int32_t a, int32_t b, int64_t imm)
{
    return add(w,
               (lun_ir_ins){.kind = (uint8_t)kind,
                            .dtype = (uint8_t)dtype,
                            .from = (uint8_t)dtype,
                            .op = LUN_OP_COUNT,
                            .a = a,
                            .b = b,
                            .c = -1,
                            .imm = imm},
               -1);
}

static int32_t integer(writer *w, int64_t x)
{
    return make(w, LUN_IR_CONST, LUN_I64, -1, -1, x);
}

static int32_t op(writer *w, lun_op op, lun_dtype t, int32_t a, int32_t b)
{
    int32_t i = make(w, LUN_IR_OP, t, a, b, 0);
    if (!w->failed) {
        w->out->ir.ins[i].op = (int32_t)op;
        w->out->ir.ins[i].from = LUN_I64;
    }
    return i;
}

/* A call's operands and its function; arrays are the same. */
static void copy_list(writer *w, lun_ir_ins *ins)
{
    const int first = w->out->ir.operand_count;
    for (int k = 0; k < ins->c; k++) {
        const int32_t o = w->ir->operands[ins->b + k];
        w->failed |= lun__ir_operand_add(&w->out->ir, o < 0 ? o : w->map[o]) < 0;
    }
    const int number = lun__ir_function_add(&w->out->ir, w->ir->functions[ins->imm]);
    w->failed |= number < 0;
    ins->b = first;
    ins->imm = number;
}

/* Instruction i on what its operands are now. */
static int32_t copy(writer *w, int32_t i)
{
    lun_ir_ins ins = w->ir->ins[i];
    int32_t in[LUN_IR_INPUTS];
    int n = lun__ir_inputs(w->ir, &ins, in);
    if (ins.kind == LUN_IR_CALL) {
        copy_list(w, &ins);
        return w->map[i] = add(w, ins, i);
    }
    if (n > 0)
        ins.a = w->map[ins.a];
    if (n > 1)
        ins.b = w->map[ins.b];
    if (n > 2)
        ins.c = w->map[ins.c];
    return w->map[i] = add(w, ins, i);
}

/* ---- what segments leave for one another ----------------------------------------------------- */

/* The element number `number` of the running thread. */
static int32_t element(writer *w, lun_dtype t, int32_t number, int32_t thread)
{
    int32_t first = w->start[t];
    if (number)
        first = op(w, LUN_OP_ADD, LUN_I64, first, integer(w, (int64_t)number * w->ir->threads));
    return op(w, LUN_OP_ADD, LUN_I64, first, thread);
}

static int32_t fetch(writer *w, lun_dtype t, int32_t number, int32_t thread)
{
    return make(w, LUN_IR_GATHER, t, element(w, t, number, thread), -1, w->slot[t]);
}

static void keep(writer *w, lun_dtype t, int32_t number, int32_t value)
{
    int32_t at = element(w, t, number, w->thread);
    make(w, LUN_IR_PUT, t, value, at, w->slot[t]);
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
    if (w->ir->ins[v].kind == LUN_IR_THREAD)
        w->map[v] = w->thread;
    if (w->cut.segment[v] < 0 || w->known[v] == segment)
        return;
    w->known[v] = segment;
    for (int k = lun__ir_inputs(w->ir, &w->ir->ins[v], in) - 1; k >= 0; k--)
        again(w, in[k], segment);
    copy(w, v);
}

/* What the segment takes from others; variables become its own. */
static void take(writer *w, int32_t v, int32_t segment)
{
    const lun_ir_segments *c = &w->cut;
    const lun_dtype t = (lun_dtype)w->ir->ins[v].dtype;
    bool own = w->ir->ins[v].kind == LUN_IR_VAR && c->spill[v] >= 0;
    if (w->ir->ins[v].kind == LUN_IR_THREAD)
        w->map[v] = w->thread;
    if (c->segment[v] < 0 || w->known[v] == segment || (is_in(w, v, segment) && !own))
        return;
    if (c->spill[v] < 0) {
        again(w, v, segment);
        return;
    }
    w->known[v] = segment;
    if (!own)
        w->map[v] = fetch(w, t, c->spill[v], w->thread);
    else if (is_in(w, v, segment))
        w->map[v] = make(w, LUN_IR_VAR, t, make(w, LUN_IR_CONST, t, -1, -1, 0), -1, 0);
    else
        w->map[v] = make(w, LUN_IR_VAR, t, fetch(w, t, c->spill[v], w->thread), -1, 0);
}

static void take_all(writer *w, int32_t from, int32_t to, int32_t segment)
{
    for (int32_t i = from; i < to; i++) {
        int32_t in[LUN_IR_INPUTS];
        if (!is_in(w, i, segment))
            continue;
        if (w->ir->ins[i].kind == LUN_IR_VAR)
            take(w, i, segment);
        for (int k = lun__ir_inputs(w->ir, &w->ir->ins[i], in) - 1; k >= 0; k--)
            take(w, in[k], segment);
    }
}

static void give_back(writer *w, int32_t from, int32_t to, int32_t segment)
{
    for (int32_t i = from; i < to; i++) {
        int32_t var = w->ir->ins[i].kind == LUN_IR_SET ? w->ir->ins[i].a : i;
        if (!is_in(w, i, segment) || w->ir->ins[var].kind != LUN_IR_VAR || w->cut.spill[var] < 0 ||
            w->known[var] != segment)
            continue;
        w->known[var] = -1; /* once */
        lun_dtype t = (lun_dtype)w->ir->ins[var].dtype;
        keep(w, t, w->cut.spill[var], make(w, LUN_IR_GET, t, w->map[var], -1, 0));
    }
}

/* Threads that have left a block around take no part. */
static void leave_out(writer *w, int32_t i)
{
    for (int32_t p = w->cut.blocks.parent[i]; p >= 0; p = w->cut.blocks.parent[p]) {
        if (!w->cut.split[p] || w->cut.gone[p] < 0)
            continue;
        make(w, LUN_IR_IF, LUN_BOOL, fetch(w, LUN_BOOL, w->cut.gone[p], w->thread), -1, 0);
        make(w, LUN_IR_BREAK, 0, -1, -1, 0);
        make(w, LUN_IR_END, 0, -1, -1, 0);
    }
}

/* A jump to the end of a split block ends the segment for its thread. */
static void jump(writer *w, int32_t i)
{
    const int32_t to = w->cut.blocks.target[i];
    if (!w->cut.split[to]) {
        copy(w, i);
        return;
    }
    if (w->cut.gone[to] >= 0)
        keep(w, LUN_BOOL, w->cut.gone[to], make(w, LUN_IR_CONST, LUN_BOOL, -1, -1, 1));
    make(w, LUN_IR_BREAK, 0, -1, -1, w->depth);
}

static void write_ins(writer *w, int32_t i)
{
    const lun_ir_ins *ins = &w->ir->ins[i];
    const int flow = lun__ir_row(ins->kind)->flow;
    const bool outer = ins->kind == LUN_IR_VAR && w->cut.spill[i] >= 0;
    if (flow == LUN_FLOW_LEAVE) {
        jump(w, i);
    } else if (outer) {
        make(w, LUN_IR_SET, 0, w->map[i], w->map[ins->a], 0);
    } else {
        copy(w, i);
        if (w->cut.spill[i] >= 0)
            keep(w, (lun_dtype)ins->dtype, w->cut.spill[i], w->map[i]);
    }
    w->depth += flow == LUN_FLOW_OPEN;
    if (flow == LUN_FLOW_CLOSE)
        w->depth -= lun__ir_row(w->ir->ins[w->cut.blocks.target[i]].kind)->flow == LUN_FLOW_OPEN;
}

static int32_t open_threads(writer *w)
{
    int32_t var = make(w, LUN_IR_VAR, LUN_I64, w->zero, -1, 0);
    make(w, LUN_IR_LOOP, 0, -1, -1, 0);
    w->thread = make(w, LUN_IR_GET, LUN_I64, var, -1, 0);
    return var;
}

static void close_threads(writer *w, int32_t var)
{
    int32_t next = op(w, LUN_OP_ADD, LUN_I64, w->thread, w->one);
    make(w, LUN_IR_IF, LUN_BOOL, op(w, LUN_OP_EQ, LUN_BOOL, w->thread, w->last), -1, 0);
    make(w, LUN_IR_BREAK, 0, -1, -1, 0);
    make(w, LUN_IR_END, 0, -1, -1, 0);
    make(w, LUN_IR_SET, 0, var, next, 0);
    make(w, LUN_IR_END, 0, -1, -1, 0);
}

/* Whether a thread may end it before the others: it has left a block around, or leaves one. */
static bool ends_early(const writer *w, int32_t from, int32_t to, int32_t segment)
{
    for (int32_t p = w->cut.blocks.parent[from]; p >= 0; p = w->cut.blocks.parent[p])
        if (w->cut.gone[p] >= 0)
            return true;
    for (int32_t i = from; i < to; i++)
        if (is_in(w, i, segment) && lun__ir_row(w->ir->ins[i].kind)->flow == LUN_FLOW_LEAVE &&
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
        make(w, LUN_IR_BLOCK, 0, -1, -1, 0);
        leave_out(w, from);
    }
    for (int32_t i = from; i < to; i++)
        if (is_in(w, i, segment))
            write_ins(w, i);
    if (early)
        make(w, LUN_IR_END, 0, -1, -1, 0);
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
    keep(w, LUN_BOOL, w->cut.gone[block], make(w, LUN_IR_CONST, LUN_BOOL, -1, -1, 0));
    close_threads(w, var);
}

static void write_once(writer *w, int32_t i)
{
    const lun_ir_ins *ins = &w->ir->ins[i];
    const bool kept = ins->kind == LUN_IR_GET && w->cut.segment[ins->a] >= 0;
    if (ins->kind == LUN_IR_TEAM)
        w->map[i] = w->team;
    else if (kept)
        w->map[i] = fetch(w, (lun_dtype)ins->dtype, w->cut.spill[ins->a], w->zero);
    else if (ins->kind != LUN_IR_BARRIER && ins->kind != LUN_IR_THREAD)
        copy(w, i);
    if (w->cut.split[i])
        write_none_gone(w, i);
}

/* Segments follow one another, each behind what the team computes beside it. */
static void write_team(writer *w)
{
    int32_t first = -1;
    for (int32_t i = 0; i <= w->ir->count; i++) {
        if (first >= 0 && w->cut.end[w->cut.segment[first]] == i) {
            write_segment(w, first, w->cut.segment[first]);
            first = -1;
        }
        if (i == w->ir->count)
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
    return make(w, LUN_IR_ARG, LUN_I64, -1, -1, w->base);
}

/* The team, if `counted` is its number among those of the launch or in the league. */
static int32_t team_of(writer *w, int32_t counted)
{
    w->local = w->moved ? counted : -1;
    return w->moved ? op(w, LUN_OP_ADD, LUN_I64, counted, base_of(w)) : counted;
}

/* A slot for each dtype of which something is left. */
static void add_slots(writer *w)
{
    lun_fission *o = w->out;
    int32_t number = -1;
    o->first = o->ir.slot_count;
    o->count = calloc(LUN_DTYPE_COUNT, sizeof *o->count);
    w->failed |= !o->count;
    for (int t = 0; t < LUN_DTYPE_COUNT && !w->failed; t++) {
        if (!w->cut.spilled[t])
            continue;
        const int64_t count = (int64_t)w->cut.spilled[t] * w->ir->threads;
        if (number < 0)
            number = w->local >= 0 ? w->local : op(w, LUN_OP_SUB, LUN_I64, w->team, base_of(w));
        w->slot[t] = lun__ir_slot_add(&o->ir, (lun_dtype)t, LUN_SLOT_TARGET);
        w->failed |= w->slot[t] < 0;
        o->count[o->ir.slot_count - 1 - o->first] = count;
        w->start[t] = op(w, LUN_OP_MUL, LUN_I64, number, integer(w, count));
    }
}

static lun_status write_together(writer *w)
{
    const size_t n = (size_t)w->ir->count + 1;
    lun_status s = lun__ir_segments_find(w->ir, &w->cut);
    if (s != LUN_OK)
        return s;
    w->known = malloc(n * sizeof *w->known);
    w->failed |= !w->known;
    w->team = team_of(w, make(w, LUN_IR_INDEX, LUN_I64, -1, -1, 0));
    w->zero = integer(w, 0);
    w->one = integer(w, 1);
    w->last = integer(w, w->ir->threads - 1);
    if (!w->failed) {
        memset(w->known, -1, n * sizeof *w->known);
        add_slots(w);
    }
    if (!w->failed)
        write_team(w);
    lun__ir_segments_free(&w->cut);
    free(w->known);
    return w->failed ? LUN_ENOMEM : LUN_OK;
}

/* An index for each of `threads` threads: none waits for another, or there is one, which calls what
 * is for all. */
static lun_status write_apart(writer *w, int threads)
{
    int32_t index = make(w, LUN_IR_INDEX, LUN_I64, -1, -1, 0);
    w->team = index;
    if (threads > 1) {
        const int32_t all = integer(w, threads);
        w->team = op(w, LUN_OP_IDIV, LUN_I64, index, all);
        w->thread = op(w, LUN_OP_MOD, LUN_I64, index, all);
    }
    w->team = team_of(w, w->team);
    for (int32_t i = 0; i < w->ir->count && !w->failed; i++) {
        if (w->ir->ins[i].kind == LUN_IR_TEAM)
            w->map[i] = w->team;
        else if (w->ir->ins[i].kind == LUN_IR_THREAD)
            w->map[i] = threads > 1 ? w->thread : integer(w, 0);
        else
            copy(w, i);
    }
    return w->failed ? LUN_ENOMEM : LUN_OK;
}

/* ---- all of it ------------------------------------------------------------------------------- */

/* Whether a call is for a whole team. */
static bool calls_for_all(const lun_ir *ir)
{
    bool found = false;
    for (int i = 0; i < ir->function_count; i++)
        found |= ir->functions[i]->meets;
    return found;
}

lun_status lun__ir_fission(const lun_ir *ir, int base, bool moved, lun_fission *out)
{
    const bool for_all = calls_for_all(ir), parted = lun__ir_meets(ir);
    writer w = {.ir = ir, .out = out, .base = base, .moved = moved, .local = -1};
    memset(out, 0, sizeof *out);
    lun__ir_init(&out->ir);
    out->together = parted || for_all;
    out->first = ir->slot_count;
    w.map = calloc((size_t)ir->count + 1, sizeof *w.map);
    bool ok = w.map != NULL;
    ok = ok && lun__ir_copy_outside(ir, &out->ir);
    lun_status s = !ok      ? LUN_ENOMEM
                   : parted ? write_together(&w)
                            : write_apart(&w, for_all ? 1 : ir->threads);
    free(w.map);
    return s;
}

void lun__ir_fission_free(lun_fission *f)
{
    lun__ir_free(&f->ir);
    free(f->from);
    free(f->count);
    memset(f, 0, sizeof *f);
}
