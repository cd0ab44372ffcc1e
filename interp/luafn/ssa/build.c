/* build.c - Lua bytecode to a graph: blocks, loops, returns. Single operations are in build_ops.c,
 * conditions in condition.c, calls in build_call.c; which loops are unrolled, in unroll.c.
 *
 * build_call.c calls luafn_build_body again for the function called (build.h). */
#include "luafn/ssa/build.h"

#include "luafn/graph/local_names.h"
#include "luafn/ssa/captured_record.h"
#include "luafn/ssa/put_rounds.h"

/* ---- instructions that end blocks ------------------------------------------------------------ */

/* The state of a loop in registers a to a + 3: index, last index, step; the script's index. */
static void set_loop(lf_builder *b, int a, lf_value *const v[3])
{
    lf_value *first = luafn_builder_emit4(b, LF_FOR_FIRST, v[0], v[1], v[2], NULL);
    luafn_builder_set(b, a, first);
    luafn_builder_set(b, a + 1, luafn_builder_emit4(b, LF_FOR_LAST, v[0], v[1], v[2], NULL));
    luafn_builder_set(b, a + 2, luafn_builder_emit4(b, LF_FOR_STEP, v[0], v[1], v[2], NULL));
    luafn_builder_set(b, a + 3, first);
}

static void for_prepare(lf_builder *b, uint32_t w)
{
    static const char *const names[] = {"'for' initial value", "'for' limit", "'for' step"};
    lf_value *v[3];
    int a = lf_a(w);
    for (int k = 0; k < 3; k++) {
        v[k] = luafn_builder_get(b, a + k);
        luafn_builder_need_number(b, v[k], -1, names[k]);
    }
    int rounds = luafn_unroll_rounds(b, v), target = b->f->proto->flow->at[b->pc + 1];
    if (rounds >= 0) {
        if (rounds)
            luafn_builder_set(b, a + 3, luafn_graph_whole(b->g, LF_I64, b->roll[target].first));
        luafn_builder_jump_to(b, rounds ? b->pc + 1 : b->pc + 2 + lf_bx(w));
        return;
    }
    lf_value *runs = luafn_builder_emit4(b, LF_FOR_TEST, v[0], v[1], v[2], NULL);
    set_loop(b, a, v);
    luafn_builder_branch_to(b, runs, b->pc + 1, b->pc + 2 + lf_bx(w));
}

/* The end of a round of an unrolled loop. */
static void for_round(lf_builder *b, int a, lf_roll *r)
{
    lf_graph *g = b->g;
    if (r->round + 1 == r->rounds) {
        luafn_builder_jump_to(b, b->pc + 1);
        return;
    }
    int64_t last = r->first + (r->rounds - 1) * r->step;
    lf_value *v[3] = {luafn_graph_whole(g, LF_I64, r->first + (r->round + 1) * r->step),
                      luafn_graph_whole(g, LF_I64, last), luafn_graph_whole(g, LF_I64, r->step)};
    if (luafn_unroll_stays_loop(b, r))
        set_loop(b, a, v);
    else
        luafn_builder_set(b, a + 3, v[0]);
    luafn_graph_jump(g, g->now, r->next);
    b->ended = true;
}

static void for_loop(lf_builder *b, uint32_t w)
{
    int a = lf_a(w);
    lf_roll *r = luafn_unroll_round_end(b);
    if (r) {
        for_round(b, a, r);
        return;
    }
    lf_value *index = luafn_builder_get(b, a), *last = luafn_builder_get(b, a + 1),
             *step = luafn_builder_get(b, a + 2);
    lf_value *next = luafn_builder_emit2(b, LF_FOR_NEXT, 0, index, step);
    lf_value *more = luafn_builder_emit4(b, LF_FOR_MORE, index, next, last, step);
    luafn_builder_set(b, a, next);
    luafn_builder_set(b, a + 3, next);
    luafn_builder_branch_to(b, more, b->pc + 1 - lf_bx(w), b->pc + 1);
}

static void leave(lf_builder *b, const lf_list *values)
{
    lf_exit *x = LF_NEW(&b->c->unit, lf_exit, 1);
    x->block = b->g->now;
    for (int k = 0; k < values->count; k++)
        luafn_arena_push(&b->c->unit, &x->values, luafn_captured_record_result(b, values->at[k]));
    luafn_arena_push(&b->c->unit, b->exits, x);
    b->ended = true;
}

static void give_back(lf_builder *b, uint32_t w)
{
    lf_list values = {0};
    lf_opcode op = lf_op(w);
    int a = lf_a(w);
    int n = op == OP_RETURN0 ? 0 : op == OP_RETURN1 ? 1 : lf_b(w) ? lf_b(w) - 1 : b->top - a;
    for (int k = 0; k < n; k++)
        luafn_arena_push(&b->c->unit, &values, luafn_builder_get(b, a + k));
    leave(b, &values);
}

static void call(lf_builder *b, uint32_t w)
{
    lf_list results = {0};
    luafn_build_call(b, w, &results);
    if (lf_op(w) == OP_TAILCALL) {
        leave(b, &results);
        return;
    }
    int n = lf_c(w) ? lf_c(w) - 1 : results.count;
    if (!lf_c(w))
        b->top = lf_a(w) + n;
    if (lf_a(w) + n > b->f->proto->stack + LF_SPARE)
        luafn_builder_stop(b, "a call with %d results: use fewer", results.count);
    for (int k = 0; k < n; k++)
        luafn_builder_set(b, lf_a(w) + k,
                          k < results.count ? results.at[k] : luafn_graph_nil(b->g));
}

static void instruction(lf_builder *b)
{
    uint32_t w = b->f->proto->code[b->pc];
    switch (lf_op(w)) {
    case OP_LOADK:
        luafn_builder_set(b, lf_a(w), luafn_builder_const_of(b, lf_bx(w)));
        break;
    case OP_LOADKX:
        luafn_builder_set(b, lf_a(w),
                          luafn_builder_const_of(b, lf_ax(b->f->proto->code[b->pc + 1])));
        luafn_builder_jump_to(b, b->pc + 2);
        break;
    case OP_LFALSESKIP:
        luafn_builder_set(b, lf_a(w), luafn_graph_bool(b->g, false));
        luafn_builder_jump_to(b, b->pc + 2);
        break;
    case OP_JMP:
        if (lf_sj(w) != 0) /* to the next instruction, which may be in this block */
            luafn_builder_jump_to(b, b->pc + 1 + lf_sj(w));
        break;
    case OP_EQ:
    case OP_LT:
    case OP_LE:
    case OP_EQK:
    case OP_EQI:
    case OP_LTI:
    case OP_LEI:
    case OP_GTI:
    case OP_GEI:
        luafn_condition_compare(b, w);
        break;
    case OP_TEST:
    case OP_TESTSET:
        luafn_condition_test(b, w);
        break;
    case OP_FORPREP:
        for_prepare(b, w);
        break;
    case OP_FORLOOP:
        for_loop(b, w);
        break;
    case OP_CALL:
    case OP_TAILCALL:
        call(b, w);
        break;
    case OP_RETURN:
    case OP_RETURN0:
    case OP_RETURN1:
        give_back(b, w);
        break;
    default:
        luafn_build_op(b, w);
    }
}

/* ---- spans ----------------------------------------------------------------------------------- */

static void instructions(lf_builder *b, const lf_span *s)
{
    b->g->now = b->head[b->span];
    if (b->head[b->span] != b->start[b->span]) {
        luafn_graph_jump(b->g, b->start[b->span], b->g->now);
        b->g->loops++;
    }
    b->ended = false;
    for (b->pc = s->first; b->pc <= s->last; b->pc++)
        instruction(b);
    if (!b->ended)
        luafn_builder_jump_to(b, s->last + 1);
}

/* Translates a span, unless it is unreachable. A loop has a block of its own before its header, so
 * that a header has one predecessor from outside. */
static void translate(lf_builder *b, int i)
{
    const lf_flow *flow = b->f->proto->flow;
    const lf_span *s = &flow->span[i];
    b->span = i;
    luafn_graph_seal(b->g, b->start[i]);
    if (b->start[i]->preds.count)
        instructions(b, s);
    for (int k = 0; k < 2; k++) {
        int to = s->succ[k];
        if (to < 0 || to > i || --b->latches[to] != 0)
            continue;
        luafn_captured_record_end_loop(b, b->head[to]);
        luafn_graph_seal(b->g, b->head[to]);
    }
}

/* Makes the blocks of span i, without predecessors yet. */
static void lay_out(lf_builder *b, int i)
{
    const lf_span *s = &b->f->proto->flow->span[i];
    b->start[i] = b->head[i] = luafn_graph_block(b->g);
    b->done[i] = false;
    if (!s->header)
        return;
    b->head[i] = luafn_graph_block(b->g);
    b->head[i]->loop = s;
    b->head[i]->frame = b->f;
    b->latches[i] = s->latches;
}

/* ---- rounds of unrolled loops ---------------------------------------------------------------- */

/* Calls itself for the loops inside a round: as deep as loops are nested in the text, which Lua's
 * compiler limits to 200. */
static void spans(lf_builder *b, int from, const lf_roll *in);

/* New blocks for the next round. */
static void lay_out_round(lf_builder *b, int header, const lf_roll *r)
{
    for (int i = header; i < b->f->proto->flow->spans; i++)
        if (r->member[i])
            lay_out(b, i);
    b->start[header] = r->next;
    if (!r->rest)
        b->head[header] = r->next;
}

/* The rounds of the loop that span `header` begins. */
static void unroll(lf_builder *b, int header)
{
    lf_graph *g = b->g;
    lf_roll *r = &b->roll[header];
    const int rounds = r->rounds, spans_all = b->f->proto->flow->spans;
    const int unrolled = g->unrolled;
    int first = 0; /* values behind the first round */
    r->values = g->values;
    r->loops = g->loops;
    b->head[header] = b->start[header];
    b->rounds *= rounds;
    for (r->round = 0; r->round < rounds && !r->rest; r->round++) {
        if (r->round)
            lay_out_round(b, header, r);
        r->next = luafn_graph_block(g);
        spans(b, header, r);
        if (!r->round)
            first = g->values;
        if (!r->next->preds.count)
            break;
    }
    b->rounds /= rounds;
    if (r->rest) {
        luafn_arena_push(g->u, &b->c->kept_loops,
                         (void *)(uintptr_t)&b->f->proto->flow->span[header]);
        lay_out_round(b, header, r);
        r->rounds = 0;
        spans(b, header, r);
    }
    g->unrolled = unrolled + g->values - first;
    for (int i = header; i < spans_all; i++)
        b->done[i] |= r->member[i];
}

/* The spans of a loop, or all, from one on. */
static void spans(lf_builder *b, int from, const lf_roll *in)
{
    for (int i = from; i < b->f->proto->flow->spans; i++) {
        if (b->done[i] || (in && !in->member[i]))
            continue;
        if (b->roll[i].rounds && &b->roll[i] != in)
            unroll(b, i);
        else
            translate(b, i);
    }
}

/* ---- bodies ---------------------------------------------------------------------------------- */

/* Merges all returns; missing values are nil. */
static void join_exits(lf_builder *b, lf_list *results)
{
    lf_graph *g = b->g;
    lf_block *exit = luafn_graph_block(g);
    int most = 0;
    lf_value *record = luafn_captured_record_unpack(b);
    for (int i = 0; i < b->exits->count; i++) {
        lf_exit *x = b->exits->at[i];
        if (x->values.count > most)
            most = x->values.count;
    }
    int base = luafn_graph_vars(g, b->f, most, -1);
    for (int i = 0; i < b->exits->count; i++) {
        lf_exit *x = b->exits->at[i];
        for (int k = 0; k < most; k++)
            luafn_graph_write(g, base + k, x->block,
                              k < x->values.count ? x->values.at[k] : luafn_graph_nil(g));
        luafn_graph_jump(g, x->block, exit);
    }
    luafn_graph_seal(g, exit);
    g->now = exit;
    lf_list fields = {0}, *to = record && b->f != b->c->root ? &fields : results;
    for (int k = 0; k < most; k++)
        luafn_arena_push(g->u, to, luafn_graph_read(g, base + k, exit));
    if (to == &fields)
        luafn_arena_push(g->u, results, luafn_captured_record_repack(b, record, &fields));
    else
        b->c->record = record ? (int)record->as.i : 0;
}

void luafn_build_body(lf_compile *c, lf_frame *f, int rounds, lf_list *results)
{
    lf_graph *g = &c->graph;
    const lf_flow *flow = f->proto->flow;
    lf_list exits = {0};
    lf_builder b = {.c = c, .g = g, .f = f, .rounds = rounds, .exits = &exits};
    if (f->proto->vararg)
        luafn_debug_fail(&c->unit, f->proto, -1,
                         "a function with '...' is not supported: name its parameters");
    if (flow->bad >= 0)
        luafn_debug_fail(
            &c->unit, f->proto, flow->bad,
            "goto into a loop is not supported: write the loop with while, repeat or for");
    b.latches = LF_NEW(&c->unit, int, flow->spans);
    b.start = LF_NEW(&c->unit, lf_block *, flow->spans);
    b.head = LF_NEW(&c->unit, lf_block *, flow->spans);
    b.roll = LF_NEW(&c->unit, lf_roll, flow->spans);
    b.done = LF_NEW(&c->unit, bool, flow->spans);
    for (int i = 0; i < flow->spans; i++)
        lay_out(&b, i);
    luafn_graph_jump(g, g->now, b.start[0]);
    spans(&b, 0, NULL);
    if (!exits.count)
        luafn_debug_fail(&c->unit, f->proto, -1, "the function never returns: add a return");
    join_exits(&b, results);
}

/* Parameter i of the call, which is register reg of the function, -1: none. */
static void take_param(lf_compile *c, const lf_frame *f, int i, int reg)
{
    lf_graph *g = &c->graph;
    const lun_front_param *p = &c->param[i];
    bool around = p->index == LUN_FRONT_AROUND;
    lf_value *v = luafn_graph_value(g, p->array ? LF_ARRAY : around ? LF_AROUND : LF_PARAM, 0);
    v->as.i = p->array ? -1 - i : i;
    if (p->array || around)
        v->type = LF_OBJECT;
    v->proto = f->proto;
    c->param_value[i] = v;
    if (reg < 0)
        return;
    luafn_graph_write(g, f->base + reg, g->entry, v);
    luafn_local_name_report(c, f->proto, reg, -1, v);
}

static void take_params(lf_compile *c, const lf_frame *f)
{
    const int own = c->team ? LUN_FRONT_NUMBERS : 0; /* which stand for the function's first one */
    lf_value *t = luafn_graph_value(&c->graph, LF_TEAM, 0);
    t->type = LF_OBJECT;
    if (c->team)
        luafn_graph_write(&c->graph, f->base, c->graph.entry, t);
    for (int i = 0; i < c->params; i++) {
        int reg = i < own ? -1 : own ? i - own + 1 : i;
        if (reg < f->proto->params)
            take_param(c, f, i, reg);
    }
}

void luafn_build(lf_compile *c)
{
    lf_graph *g = &c->graph;
    lf_frame *f = LF_NEW(&c->unit, lf_frame, 1);
    f->proto = c->program->proto;
    g->proto = f->proto;
    f->source = 0;
    g->entry = g->now = f->entry = luafn_graph_block(g);
    g->entry->sealed = true;
    f->base = luafn_graph_vars(g, f, f->proto->stack + LF_SPARE, 0);
    c->param_value = LF_NEW(&c->unit, lf_value *, c->params);
    c->root = f;
    take_params(c, f);
    luafn_build_body(c, f, 1, &g->results);
    g->exit = g->now;
    g->exit->end = LF_RETURN;
    for (int i = 0; i < g->results.count; i++)
        if (((const lf_value *)g->results.at[i])->kind == LF_RECORD)
            luafn_debug_fail(
                &c->unit, g->proto, -1,
                "a record is returned beside other values, or on some paths only: each "
                "return gives one record, or numbers");
    if (!c->writes && !c->team)
        return;
    g->results.count = 0;
    if (c->team)
        return;
    luafn_cell_end(c);
    luafn_put_rounds_end(c);
    if (!g->results.count)
        luafn_debug_fail(&c->unit, g->proto, -1,
                         "a function that assigns no element of a captured array: B[i] = x");
}
