/* build.c - Lua bytecode to a graph: blocks, jumps, loops, returns. What single operations mean is
 * in build_ops.c, calls in build_call.c.
 *
 * build_call.c calls luafn_body again for the function called (build.h). */
#include "luafn/ssa/build.h"

#include "luafn/ssa/named.h"
#include "luafn/ssa/put.h"

/* ---- edges ---- */

static lf_block *target(lf_builder *b, int pc)
{
    int i = b->f->proto->flow->at[pc];
    if (i < 0)
        luafn_stop(b, "the bytecode of this Lua function is invalid");
    return i <= b->span ? b->head[i] : b->start[i];
}

static void jump(lf_builder *b, int pc)
{
    luafn_jump(b->g, b->g->now, target(b, pc));
    b->ended = true;
}

static void branch(lf_builder *b, lf_value *cond, int yes, int no)
{
    luafn_branch(b->g, b->g->now, cond, target(b, yes), target(b, no));
    b->ended = true;
}

/* ---- instructions that end blocks ---- */

/* What is known of a condition while the graph is built: functions, tables and nil, which choose
 * what is put in place. */
typedef enum truth { UNKNOWN, NO, YES } truth;

static truth truth_of(const lf_value *v)
{
    if (v->kind == LF_CONST)
        return v->type == LF_NIL || (v->type == LF_BOOL && !v->as.i) ? NO : YES;
    return v->kind >= LF_FUNCTION && v->kind <= LF_STRING ? YES : UNKNOWN;
}

static truth equal_to_nil(const lf_value *x, const lf_value *y)
{
    if (lf_is_const(x, LF_NIL)) {
        const lf_value *t = x;
        x = y;
        y = t;
    }
    if (!lf_is_const(y, LF_NIL) || truth_of(x) == UNKNOWN)
        return UNKNOWN;
    return lf_is_const(x, LF_NIL) ? YES : NO;
}

static void compare(lf_builder *b, uint32_t w)
{
    lf_value *x = luafn_get(b, lf_a(w)), *y;
    lf_opcode op = lf_op(w);
    lf_relation r = op == OP_EQ || op == OP_EQK || op == OP_EQI   ? LF_EQ
                    : op == OP_LT || op == OP_LTI || op == OP_GTI ? LF_LT
                                                                  : LF_LE;
    if (op == OP_EQ || op == OP_LT || op == OP_LE)
        y = luafn_get(b, lf_b(w));
    else if (op == OP_EQK)
        y = luafn_const_of(b, lf_b(w));
    else
        y = luafn_int(b->g, lf_sb(w));
    if (r != LF_EQ) {
        luafn_need_number(b, x, lf_a(w), "comparison");
        luafn_need_number(b, y, op == OP_LT || op == OP_LE ? lf_b(w) : -1, "comparison");
    }
    if (op == OP_GTI || op == OP_GEI) {
        lf_value *t = x;
        x = y;
        y = t;
    }
    int to = luafn_jump_target(b->f->proto, b->pc);
    truth same = r == LF_EQ ? equal_to_nil(x, y) : UNKNOWN;
    if (same != UNKNOWN) {
        jump(b, (same == YES) == (lf_k(w) != 0) ? to : b->pc + 2);
        return;
    }
    lf_value *cond = luafn_emit2(b, LF_COMPARE, r, x, y);
    branch(b, cond, lf_k(w) ? to : b->pc + 2, lf_k(w) ? b->pc + 2 : to);
}

static void test(lf_builder *b, uint32_t w)
{
    bool set = lf_op(w) == OP_TESTSET;
    int to = luafn_jump_target(b->f->proto, b->pc);
    lf_value *v = luafn_get(b, set ? lf_b(w) : lf_a(w));
    if (truth_of(v) != UNKNOWN) {
        bool jumps = (truth_of(v) == YES) == (lf_k(w) != 0);
        if (set && jumps)
            luafn_set(b, lf_a(w), v);
        jump(b, jumps ? to : b->pc + 2);
        return;
    }
    lf_value *cond = luafn_emit1(b, LF_TRUTH, 0, v);
    if (!set) {
        branch(b, cond, lf_k(w) ? to : b->pc + 2, lf_k(w) ? b->pc + 2 : to);
        return;
    }
    /* the register is set on the way that jumps only: a block of its own */
    lf_block *from = b->g->now, *mid = luafn_block(b->g), *on = target(b, b->pc + 2);
    luafn_branch(b->g, from, cond, lf_k(w) ? mid : on, lf_k(w) ? on : mid);
    mid->sealed = true;
    b->g->now = mid;
    luafn_set(b, lf_a(w), v);
    jump(b, to);
}

static void for_prepare(lf_builder *b, uint32_t w)
{
    static const char *const names[] = {"'for' initial value", "'for' limit", "'for' step"};
    lf_value *v[3];
    int a = lf_a(w);
    for (int k = 0; k < 3; k++) {
        v[k] = luafn_get(b, a + k);
        luafn_need_number(b, v[k], -1, names[k]);
    }
    lf_value *runs = luafn_emit4(b, LF_FOR_TEST, v[0], v[1], v[2], NULL);
    lf_value *first = luafn_emit4(b, LF_FOR_FIRST, v[0], v[1], v[2], NULL);
    luafn_set(b, a, first);
    luafn_set(b, a + 1, luafn_emit4(b, LF_FOR_LAST, v[0], v[1], v[2], NULL));
    luafn_set(b, a + 2, luafn_emit4(b, LF_FOR_STEP, v[0], v[1], v[2], NULL));
    luafn_set(b, a + 3, first);
    branch(b, runs, b->pc + 1, b->pc + 2 + lf_bx(w));
}

static void for_loop(lf_builder *b, uint32_t w)
{
    int a = lf_a(w);
    lf_value *index = luafn_get(b, a), *last = luafn_get(b, a + 1), *step = luafn_get(b, a + 2);
    lf_value *next = luafn_emit2(b, LF_FOR_NEXT, 0, index, step);
    lf_value *more = luafn_emit4(b, LF_FOR_MORE, index, next, last, step);
    luafn_set(b, a, next);
    luafn_set(b, a + 3, next);
    branch(b, more, b->pc + 1 - lf_bx(w), b->pc + 1);
}

static void leave(lf_builder *b, const lf_list *values)
{
    lf_exit *x = LF_NEW(&b->c->unit, lf_exit, 1);
    x->block = b->g->now;
    x->values = *values;
    luafn_push(&b->c->unit, b->exits, x);
    b->ended = true;
}

static void give_back(lf_builder *b, uint32_t w)
{
    lf_list values = {0};
    lf_opcode op = lf_op(w);
    int a = lf_a(w);
    int n = op == OP_RETURN0 ? 0 : op == OP_RETURN1 ? 1 : lf_b(w) ? lf_b(w) - 1 : b->top - a;
    for (int k = 0; k < n; k++)
        luafn_push(&b->c->unit, &values, luafn_get(b, a + k));
    leave(b, &values);
}

static void call(lf_builder *b, uint32_t w)
{
    lf_list results = {0};
    luafn_call(b, w, &results);
    if (lf_op(w) == OP_TAILCALL) {
        leave(b, &results);
        return;
    }
    int n = lf_c(w) ? lf_c(w) - 1 : results.count;
    if (!lf_c(w))
        b->top = lf_a(w) + n;
    if (lf_a(w) + n > b->f->proto->stack + LF_SPARE)
        luafn_stop(b, "a call with %d results: use fewer", results.count);
    for (int k = 0; k < n; k++)
        luafn_set(b, lf_a(w) + k, k < results.count ? results.at[k] : luafn_nil(b->g));
}

static void instruction(lf_builder *b)
{
    uint32_t w = b->f->proto->code[b->pc];
    switch (lf_op(w)) {
    case OP_LOADK:
        luafn_set(b, lf_a(w), luafn_const_of(b, lf_bx(w)));
        break;
    case OP_LOADKX:
        luafn_set(b, lf_a(w), luafn_const_of(b, lf_ax(b->f->proto->code[b->pc + 1])));
        jump(b, b->pc + 2);
        break;
    case OP_LFALSESKIP:
        luafn_set(b, lf_a(w), luafn_bool(b->g, false));
        jump(b, b->pc + 2);
        break;
    case OP_JMP:
        if (lf_sj(w) != 0) /* to the next instruction: that may be in this block */
            jump(b, b->pc + 1 + lf_sj(w));
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
        compare(b, w);
        break;
    case OP_TEST:
    case OP_TESTSET:
        test(b, w);
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
        luafn_operation(b, w);
    }
}

/* ---- bodies ---- */

static void instructions(lf_builder *b, const lf_span *s)
{
    b->g->now = b->head[b->span];
    if (s->header)
        luafn_jump(b->g, b->start[b->span], b->g->now);
    b->ended = false;
    for (b->pc = s->first; b->pc <= s->last; b->pc++)
        instruction(b);
    if (!b->ended)
        jump(b, s->last + 1);
}

/* Translates one span, unless nothing leads to it. A loop has a block of its own before its header,
 * so that a header has one predecessor from outside. */
static void translate(lf_builder *b, int *latches)
{
    const lf_flow *flow = b->f->proto->flow;
    const lf_span *s = &flow->span[b->span];
    luafn_seal(b->g, b->start[b->span]);
    if (b->start[b->span]->preds.count)
        instructions(b, s);
    for (int k = 0; k < 2; k++) {
        int to = s->succ[k];
        if (to >= 0 && to <= b->span && --latches[to] == 0)
            luafn_seal(b->g, b->head[to]);
    }
}

/* Makes the blocks of all spans. */
static void lay_out(lf_builder *b, int *latches)
{
    const lf_flow *flow = b->f->proto->flow;
    for (int i = 0; i < flow->spans; i++) {
        b->start[i] = b->head[i] = luafn_block(b->g);
        if (!flow->span[i].header)
            continue;
        b->head[i] = luafn_block(b->g);
        b->head[i]->loop = &flow->span[i];
        b->head[i]->frame = b->f;
        latches[i] = flow->span[i].latches;
    }
}

/* Brings all returns together; what some of them lack is nil. */
static void join_exits(lf_builder *b, lf_list *results)
{
    lf_graph *g = b->g;
    lf_block *exit = luafn_block(g);
    int most = 0;
    for (int i = 0; i < b->exits->count; i++) {
        lf_exit *x = b->exits->at[i];
        if (x->values.count > most)
            most = x->values.count;
    }
    int base = luafn_vars(g, b->f, most, -1);
    for (int i = 0; i < b->exits->count; i++) {
        lf_exit *x = b->exits->at[i];
        for (int k = 0; k < most; k++)
            luafn_write(g, base + k, x->block,
                        k < x->values.count ? x->values.at[k] : luafn_nil(g));
        luafn_jump(g, x->block, exit);
    }
    luafn_seal(g, exit);
    g->now = exit;
    for (int k = 0; k < most; k++)
        luafn_push(g->u, results, luafn_read(g, base + k, exit));
}

void luafn_body(lf_compile *c, lf_frame *f, lf_list *results)
{
    lf_graph *g = &c->graph;
    const lf_flow *flow = f->proto->flow;
    lf_list exits = {0};
    lf_builder b = {.c = c, .g = g, .f = f, .exits = &exits};
    if (f->proto->vararg)
        luafn_fail(&c->unit, f->proto, -1,
                   "a function with '...' is not supported: name its parameters");
    if (flow->bad >= 0)
        luafn_fail(&c->unit, f->proto, flow->bad,
                   "goto into a loop is not supported: write the loop with while, repeat or for");
    int *latches = LF_NEW(&c->unit, int, flow->spans);
    b.start = LF_NEW(&c->unit, lf_block *, flow->spans);
    b.head = LF_NEW(&c->unit, lf_block *, flow->spans);
    lay_out(&b, latches);
    luafn_jump(g, g->now, b.start[0]);
    for (b.span = 0; b.span < flow->spans; b.span++)
        translate(&b, latches);
    if (!exits.count)
        luafn_fail(&c->unit, f->proto, -1, "the function never returns: add a return");
    join_exits(&b, results);
}

void luafn_build(lf_compile *c)
{
    lf_graph *g = &c->graph;
    lf_frame *f = LF_NEW(&c->unit, lf_frame, 1);
    f->proto = c->program->proto;
    g->proto = f->proto;
    f->source = 0;
    g->entry = g->now = f->entry = luafn_block(g);
    g->entry->sealed = true;
    f->base = luafn_vars(g, f, f->proto->stack + LF_SPARE, 0);
    c->param_value = LF_NEW(&c->unit, lf_value *, c->params);
    for (int i = 0; i < f->proto->params && i < c->params; i++) {
        const lun_front_param *p = &c->param[i];
        lf_value *v = luafn_value(g,
                                  p->array                       ? LF_ARRAY
                                  : p->index == LUN_FRONT_AROUND ? LF_AROUND
                                                                 : LF_PARAM,
                                  0);
        v->as.i = p->array ? -1 - i : i;
        if (p->array || p->index == LUN_FRONT_AROUND)
            v->type = LF_OBJECT;
        v->proto = f->proto;
        c->param_value[i] = v;
        luafn_write(g, f->base + i, g->entry, v);
        luafn_report_local(c, f->proto, i, -1, v);
    }
    c->root = f;
    luafn_body(c, f, &g->results);
    g->exit = g->now;
    g->exit->end = LF_RETURN;
    if (!c->writes)
        return;
    g->results.count = 0;
    luafn_end_cells(c);
    luafn_end_puts(c);
    if (!g->results.count)
        luafn_fail(&c->unit, g->proto, -1,
                   "a function that assigns no element of a captured array: B[i] = x");
}
