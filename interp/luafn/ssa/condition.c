/* condition.c - comparisons and tests, which end a block with two successors, or with one if the
 * outcome is known while the graph is built. */
#include "luafn/ssa/build.h"

/* A condition while the graph is built: known of functions, tables and nil, which select what is
 * inlined, and of integers in unrolled loops. */
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

static truth of_integers(lf_relation r, int64_t x, int64_t y)
{
    bool holds = r == LF_EQ ? x == y : r == LF_LT ? x < y : x <= y;
    return holds ? YES : NO;
}

void luafn_condition_compare(lf_builder *b, uint32_t w)
{
    lf_value *x = luafn_builder_get(b, lf_a(w)), *y;
    lf_opcode op = lf_op(w);
    lf_relation r = op == OP_EQ || op == OP_EQK || op == OP_EQI   ? LF_EQ
                    : op == OP_LT || op == OP_LTI || op == OP_GTI ? LF_LT
                                                                  : LF_LE;
    if (op == OP_EQ || op == OP_LT || op == OP_LE)
        y = luafn_builder_get(b, lf_b(w));
    else if (op == OP_EQK)
        y = luafn_builder_const_of(b, lf_b(w));
    else
        y = luafn_graph_int(b->g, lf_sb(w));
    if (r != LF_EQ) {
        luafn_builder_need_number(b, x, lf_a(w), "comparison");
        luafn_builder_need_number(b, y, op == OP_LT || op == OP_LE ? lf_b(w) : -1, "comparison");
    }
    if (op == OP_GTI || op == OP_GEI) {
        lf_value *t = x;
        x = y;
        y = t;
    }
    int to = luafn_flow_jump_target(b->f->proto, b->pc);
    truth same = lf_is_whole(x) && lf_is_whole(y) ? of_integers(r, x->as.i, y->as.i)
                 : r == LF_EQ                     ? equal_to_nil(x, y)
                                                  : UNKNOWN;
    b->c->decided |= same != UNKNOWN;
    if (same != UNKNOWN) {
        luafn_builder_jump_to(b, (same == YES) == (lf_k(w) != 0) ? to : b->pc + 2);
        return;
    }
    lf_value *cond = luafn_builder_emit2(b, LF_COMPARE, r, x, y);
    luafn_builder_branch_to(b, cond, lf_k(w) ? to : b->pc + 2, lf_k(w) ? b->pc + 2 : to);
}

void luafn_condition_test(lf_builder *b, uint32_t w)
{
    bool set = lf_op(w) == OP_TESTSET;
    int to = luafn_flow_jump_target(b->f->proto, b->pc);
    lf_value *v = luafn_builder_get(b, set ? lf_b(w) : lf_a(w));
    b->c->decided |= truth_of(v) != UNKNOWN;
    if (truth_of(v) != UNKNOWN) {
        bool jumps = (truth_of(v) == YES) == (lf_k(w) != 0);
        if (set && jumps)
            luafn_builder_set(b, lf_a(w), v);
        luafn_builder_jump_to(b, jumps ? to : b->pc + 2);
        return;
    }
    lf_value *cond = luafn_builder_emit1(b, LF_TRUTH, 0, v);
    if (!set) {
        luafn_builder_branch_to(b, cond, lf_k(w) ? to : b->pc + 2, lf_k(w) ? b->pc + 2 : to);
        return;
    }
    /* the register is set only on the edge that jumps: a block of its own */
    lf_block *from = b->g->now, *mid = luafn_graph_block(b->g),
             *on = luafn_builder_target(b, b->pc + 2);
    luafn_graph_branch(b->g, from, cond, lf_k(w) ? mid : on, lf_k(w) ? on : mid);
    mid->sealed = true;
    b->g->now = mid;
    luafn_builder_set(b, lf_a(w), v);
    luafn_builder_jump_to(b, to);
}
