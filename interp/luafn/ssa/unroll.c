/* unroll.c - which numeric fors are unrolled: their rounds are known while the graph is built, by
 * integer constants. Each round is translated by itself (build.c), with its index as a constant, so
 * that values computed from it are known: offsets of a stencil, indices in a window, conditions.
 *
 * A loop is unrolled if it may read elements around an index, of windows or of lists, and has few
 * rounds, counted with the loops around it, and little code: other loops run as fast as loops.  How
 * much code its calls inline, and whether they have loops, is known after the first round: if that
 * is too much, the further rounds are an ordinary loop.  Decides nothing about values. */
#include "luafn/ssa/build.h"

enum {
    LF_ROUNDS = 64,        /* most rounds, also of nested loops together */
    LF_ROUNDS_LEFT = 9,    /* the same of a loop that may be left early */
    LF_CODE = 1024,        /* most instructions of all rounds */
    LF_ROLL_VALUES = 2048, /* most values of all rounds */
    LF_ALL_VALUES = 16384  /* most values of all unrolled loops, without first rounds */
};

/* ---- which loops ----------------------------------------------------------------------------- */

/* Properties of a loop's code. */
typedef struct shape {
    bool *member; /* by span */
    int header, latch;
    int codes;  /* instructions */
    bool left;  /* it has other exits than its end */
    bool reads; /* it may read elements */
} shape;

/* Marks the spans of the loop that span `header` begins, a numeric for; false: it is none, or
 * another loop begins there as well. */
static bool find_members(lf_builder *b, int header, shape *out)
{
    const lf_flow *flow = b->f->proto->flow;
    const lf_span *h = &flow->span[header];
    int *stack = LF_NEW(&b->c->unit, int, flow->spans), depth = 0;
    *out = (shape){.header = header, .latch = -1};
    out->member = LF_NEW(&b->c->unit, bool, flow->spans);
    for (int k = 0; k < h->preds; k++)
        if (h->pred[k] >= header)
            out->latch = h->pred[k];
    if (h->latches != 1 || lf_op(b->f->proto->code[flow->span[out->latch].last]) != OP_FORLOOP)
        return false;
    out->member[header] = true;
    if (!out->member[out->latch])
        stack[depth++] = out->latch;
    out->member[out->latch] = true;
    while (depth) {
        const lf_span *s = &flow->span[stack[--depth]];
        for (int k = 0; k < s->preds; k++) {
            if (out->member[s->pred[k]])
                continue;
            out->member[s->pred[k]] = true;
            stack[depth++] = s->pred[k];
        }
    }
    return true;
}

/* May an instruction of a loop be translated several times?  Not one that makes a local function,
 * whose variables are new ones in each round, nor one that may assign an element: assignments at
 * several constant indices are refused where one at an index of the loop's is not. */
static bool may_repeat(const lf_builder *b, lf_opcode op)
{
    switch (op) {
    case OP_CLOSURE:
    case OP_TBC:
        return false;
    case OP_CALL:
    case OP_TAILCALL:
    case OP_SETTABLE:
    case OP_SETI:
        return !b->c->writes;
    default:
        return true;
    }
}

/* Fills the rest of the shape; false: the loop stays one. */
static bool look_inside(const lf_builder *b, shape *s)
{
    const lf_proto *p = b->f->proto;
    for (int i = s->header; i < p->flow->spans; i++) {
        const lf_span *of = &p->flow->span[i];
        if (!s->member[i])
            continue;
        s->codes += of->last - of->first + 1;
        for (int pc = of->first; pc <= of->last; pc++) {
            lf_opcode op = lf_op(p->code[pc]);
            s->reads |= op == OP_CALL || op == OP_GETTABLE;
            if (!may_repeat(b, op))
                return false;
        }
        for (int k = 0; k < 2; k++) {
            int to = of->succ[k];
            if (to < 0 || s->member[to])
                continue;
            if (to <= i)
                return false; /* to the next round of a loop around */
            s->left |= i != s->latch;
        }
    }
    return s->reads;
}

/* The rounds of the for with these bounds, LF_ROUNDS + 1 if there are more; -1: not known. */
static int count_rounds(int64_t first, int64_t limit, int64_t step)
{
    if (step == 0)
        return -1;
    if (step > 0 ? first > limit : first < limit)
        return 0;
    uint64_t way = step > 0 ? (uint64_t)limit - (uint64_t)first : (uint64_t)first - (uint64_t)limit;
    uint64_t n = way / (step > 0 ? (uint64_t)step : -(uint64_t)step);
    return n < LF_ROUNDS ? (int)n + 1 : LF_ROUNDS + 1;
}

/* Of the loops inside, which constants written at their beginning bound: the most rounds that one
 * has; false: there is a loop whose rounds cannot be known. */
static bool inner_rounds(const lf_builder *b, const shape *s, int *most)
{
    const lf_proto *p = b->f->proto;
    *most = 1;
    for (int i = s->header + 1; i < p->flow->spans; i++) {
        const lf_span *of = &p->flow->span[i];
        int before = of->first - 1; /* the FORPREP, if it is a for */
        if (!s->member[i] || !of->header)
            continue;
        if (before < 3 || lf_op(p->code[before]) != OP_FORPREP)
            return false;
        const uint32_t *w = &p->code[before - 3];
        if (lf_op(w[0]) != OP_LOADI || lf_op(w[1]) != OP_LOADI || lf_op(w[2]) != OP_LOADI)
            continue;
        int64_t from = lf_sbx(w[0]), to = lf_sbx(w[1]), step = lf_sbx(w[2]);
        int64_t n = step > 0 ? (to - from) / step + 1 : step < 0 ? (from - to) / -step + 1 : 0;
        if (n > *most)
            *most = n > LF_ROUNDS ? LF_ROUNDS + 1 : (int)n;
    }
    return true;
}

int luafn_unroll_rounds(lf_builder *b, lf_value *const v[3])
{
    const lf_flow *flow = b->f->proto->flow;
    const int header = flow->at[b->pc + 1];
    int64_t bound[3];
    shape s;
    int inner;
    if (header < 0)
        return -1;
    b->roll[header] = (lf_roll){0};
    for (int k = 0; k < 3; k++) {
        bound[k] = lf_is_whole(v[k]) ? v[k]->as.i : 0;
        if (!lf_is_whole(v[k]) && !(b->c->around && luafn_known_integer(b->c, v[k], &bound[k])))
            return -1;
    }
    const int rounds = count_rounds(bound[0], bound[1], bound[2]);
    if (rounds <= 0)
        return rounds;
    for (int k = 0; k < b->c->kept_loops.count; k++)
        if (b->c->kept_loops.at[k] == &flow->span[header])
            return -1;
    if (!(b->c->windowed || b->c->around || b->c->listed) || rounds * b->rounds > LF_ROUNDS ||
        b->g->unrolled > LF_ALL_VALUES)
        return -1;
    if (!find_members(b, header, &s) || !look_inside(b, &s) || !inner_rounds(b, &s, &inner))
        return -1;
    if (rounds * b->rounds * inner > LF_ROUNDS || rounds * s.codes > LF_CODE)
        return -1;
    if (s.left && rounds * b->rounds * inner > LF_ROUNDS_LEFT)
        return -1;
    b->roll[header] =
        (lf_roll){.rounds = rounds, .first = bound[0], .step = bound[2], .member = s.member};
    return rounds;
}

/* ---- rounds ---------------------------------------------------------------------------------- */

lf_roll *luafn_unroll_round_end(lf_builder *b)
{
    const lf_proto *p = b->f->proto;
    lf_roll *r = &b->roll[p->flow->at[b->pc + 1 - lf_bx(p->code[b->pc])]];
    return r->rounds ? r : NULL;
}

bool luafn_unroll_stays_loop(lf_builder *b, lf_roll *r)
{
    const lf_graph *g = b->g;
    if (r->round)
        return false;
    r->rest = g->loops != r->loops || (g->values - r->values) * r->rounds > LF_ROLL_VALUES;
    return r->rest;
}
