/* flow.c - finds blocks, dominators and loops in Lua bytecode. */
#include "luafn/bytecode/flow.h"

#include <string.h>

int luafn_flow_jump_target(const lf_proto *p, int pc)
{
    return pc + 2 + lf_sj(p->code[pc + 1]);
}

/* The successors of the instruction at pc, of two the one for a true condition first. Returns how
 * many. */
static int successors(const lf_proto *p, int pc, int to[2])
{
    uint32_t w = p->code[pc];
    switch (lf_op(w)) {
    case OP_JMP:
        to[0] = pc + 1 + lf_sj(w);
        return 1;
    case OP_RETURN:
    case OP_RETURN0:
    case OP_RETURN1:
    case OP_TAILCALL:
        return 0;
    case OP_LFALSESKIP:
    case OP_LOADKX:
        to[0] = pc + 2;
        return 1;
    case OP_EQ:
    case OP_LT:
    case OP_LE:
    case OP_EQK:
    case OP_EQI:
    case OP_LTI:
    case OP_LEI:
    case OP_GTI:
    case OP_GEI:
    case OP_TEST:
    case OP_TESTSET:
        if (pc + 1 >= p->codes)
            return 0;
        to[lf_k(w) ? 0 : 1] = luafn_flow_jump_target(p, pc);
        to[lf_k(w) ? 1 : 0] = pc + 2;
        return 2;
    case OP_FORPREP:
        to[0] = pc + 1;
        to[1] = pc + 2 + lf_bx(w);
        return 2;
    case OP_FORLOOP:
        to[0] = pc + 1 - lf_bx(w);
        to[1] = pc + 1;
        return 2;
    default:
        to[0] = pc + 1;
        return 1;
    }
}

int luafn_flow_writes(uint32_t w, int *first)
{
    *first = lf_a(w);
    switch (lf_op(w)) {
    case OP_SETUPVAL:
    case OP_SETTABUP:
    case OP_SETTABLE:
    case OP_SETI:
    case OP_SETFIELD:
    case OP_MMBIN:
    case OP_MMBINI:
    case OP_MMBINK:
    case OP_CLOSE:
    case OP_TBC:
    case OP_JMP:
    case OP_EQ:
    case OP_LT:
    case OP_LE:
    case OP_EQK:
    case OP_EQI:
    case OP_LTI:
    case OP_LEI:
    case OP_GTI:
    case OP_GEI:
    case OP_TEST:
    case OP_RETURN:
    case OP_RETURN0:
    case OP_RETURN1:
    case OP_EXTRAARG:
        return 0;
    case OP_SELF:
        return 2;
    case OP_LOADNIL:
        return lf_b(w) + 1;
    case OP_CALL:
    case OP_TAILCALL:
    case OP_VARARG:
        return 256 - lf_a(w);
    case OP_FORPREP:
    case OP_FORLOOP:
        return 4;
    default:
        return 1;
    }
}

typedef struct flow_maker {
    lf_unit *u;
    lf_proto *p;
    lf_flow *f;
    uint8_t *leader, *reached; /* by instruction */
} flow_maker;

/* Marks reachable instructions and the first ones of blocks. */
static void find_leaders(flow_maker *m)
{
    int *stack = LF_NEW(m->u, int, m->p->codes + 1), depth = 0;
    m->leader[0] = m->reached[0] = 1;
    stack[depth++] = 0;
    while (depth) {
        int pc = stack[--depth], to[2];
        int n = successors(m->p, pc, to);
        for (int k = 0; k < n; k++) {
            if (to[k] < 0 || to[k] >= m->p->codes)
                luafn_debug_fail(m->u, m->p, pc, "the bytecode of this Lua function is invalid");
            if (n > 1 || to[k] != pc + 1)
                m->leader[to[k]] = 1;
            if (m->reached[to[k]])
                continue;
            m->reached[to[k]] = 1;
            stack[depth++] = to[k];
        }
    }
}

/* The last instruction of the block that begins at pc. */
static int block_end(const flow_maker *m, int pc)
{
    int to[2];
    while (successors(m->p, pc, to) == 1 && to[0] == pc + 1 && !m->leader[pc + 1])
        pc++;
    return pc;
}

typedef struct visit {
    int pc, last, to[2], left;
} visit;

static void enter(flow_maker *m, visit *v, int pc)
{
    m->reached[pc] = 2;
    v->pc = pc;
    v->last = block_end(m, pc);
    v->left = successors(m->p, v->last, v->to);
}

/* Depth first; the blocks that end last come first. The edge for a true condition is followed last,
 * so that its block comes next. */
static void order_blocks(flow_maker *m)
{
    int n = 0, depth = 0;
    lf_flow *f = m->f;
    for (int pc = 0; pc < m->p->codes; pc++)
        n += m->leader[pc] && m->reached[pc];
    visit *stack = LF_NEW(m->u, visit, n + 1);
    f->span = LF_NEW(m->u, lf_span, n);
    f->spans = n;
    enter(m, &stack[depth++], 0);
    while (depth) {
        visit *v = &stack[depth - 1];
        if (v->left) {
            int to = v->to[--v->left];
            if (m->reached[to] != 2)
                enter(m, &stack[depth++], to);
            continue;
        }
        lf_span *s = &f->span[--n];
        s->first = v->pc;
        s->last = v->last;
        s->closes = 256;
        f->at[v->pc] = n;
        depth--;
    }
}

/* Counts the predecessors of every block, or writes them down where there is room for them. */
static void count_edges(flow_maker *m, bool write)
{
    lf_flow *f = m->f;
    for (int i = 0; i < f->spans; i++) {
        lf_span *s = &f->span[i];
        int to[2], n = successors(m->p, s->last, to);
        if (n == 2 && to[0] == to[1])
            n = 1;
        for (int k = 0; k < 2; k++) {
            s->succ[k] = k < n ? f->at[to[k]] : -1;
            if (k >= n)
                continue;
            lf_span *t = &f->span[s->succ[k]];
            if (write)
                t->pred[t->preds] = i;
            t->preds++;
        }
    }
}

static void link_blocks(flow_maker *m)
{
    count_edges(m, false);
    for (int i = 0; i < m->f->spans; i++) {
        m->f->span[i].pred = LF_NEW(m->u, int, m->f->span[i].preds);
        m->f->span[i].preds = 0;
    }
    count_edges(m, true);
}

/* The nearest common ancestor of two blocks in the dominator tree. */
static int common(const lf_span *span, int a, int b)
{
    if (span[a].deep < span[b].deep) {
        int t = a;
        a = b;
        b = t;
    }
    while (span[a].deep > span[b].deep)
        a = span[span[a].leap].deep >= span[b].deep ? span[a].leap : span[a].idom;
    while (a != b) {
        bool far = span[a].leap != span[b].leap;
        a = far ? span[a].leap : span[a].idom;
        b = far ? span[b].leap : span[b].idom;
    }
    return a;
}

/* Dominators of the blocks without the edges that go back. Where every such edge goes to a block
 * that dominates its origin here, these are the dominators of all (Hecht and Ullman,
 * Characterizations of Reducible Flow Graphs, 1974); any other edge jumps into a loop. A leap goes
 * up the tree as far as makes common() logarithmic (Myers, An Applicative Random-access Stack,
 * 1983). */
static void find_dominators(lf_flow *f)
{
    lf_span *span = f->span;
    for (int i = 1; i < f->spans; i++) {
        int idom = -1;
        for (int k = 0; k < span[i].preds; k++)
            if (span[i].pred[k] < i)
                idom = idom < 0 ? span[i].pred[k] : common(span, idom, span[i].pred[k]);
        int far = span[idom].leap;
        bool even = span[idom].deep - span[far].deep == span[far].deep - span[span[far].leap].deep;
        span[i].idom = idom;
        span[i].deep = span[idom].deep + 1;
        span[i].leap = even ? span[far].leap : idom;
    }
}

static bool dominates(const lf_flow *f, int a, int b)
{
    return common(f->span, a, b) == a;
}

static void set_bit(uint64_t *bits, int i)
{
    bits[i / 64] |= UINT64_C(1) << i % 64;
}

bool luafn_flow_assigns(const lf_proto *p, int upvalue)
{
    return upvalue < 256 && (p->flow->assigned[upvalue / 64] >> upvalue % 64 & 1);
}

static void note_closure(const lf_proto *inner, lf_span *header)
{
    for (int k = 0; k < inner->upvals; k++)
        if (inner->upval[k].in_stack && luafn_flow_assigns(inner, k))
            set_bit(header->shared, inner->upval[k].index);
}

/* Notes a block of a loop in its header. */
static void note_block(const lf_proto *p, const lf_span *s, lf_span *header)
{
    for (int pc = s->first; pc <= s->last; pc++) {
        uint32_t w = p->code[pc];
        int first, n = luafn_flow_writes(w, &first);
        for (int r = first; r < first + n; r++)
            header->written[r / 64] |= UINT64_C(1) << r % 64;
        if (lf_op(w) == OP_CLOSURE && lf_bx(w) < p->ps)
            note_closure(p->p[lf_bx(w)], header);
        if (lf_op(w) == OP_CALL || lf_op(w) == OP_SETUPVAL)
            header->calls = true;
        if (lf_op(w) == OP_CLOSE && lf_a(w) < header->closes)
            header->closes = lf_a(w);
    }
}

/* Walks back from a latch to the header. seen[block] == the header's number + 1: already noted. */
static void note_loop(flow_maker *m, int header, int latch, int *seen, int *stack)
{
    lf_flow *f = m->f;
    int depth = 0;
    if (!dominates(f, header, latch)) {
        f->bad = f->span[latch].last;
        return;
    }
    f->span[header].header = true;
    f->span[header].latches++;
    stack[depth++] = latch;
    while (depth) {
        int b = stack[--depth];
        if (seen[b] == header + 1)
            continue;
        seen[b] = header + 1;
        note_block(m->p, &f->span[b], &f->span[header]);
        if (b == header)
            continue;
        for (int k = 0; k < f->span[b].preds; k++)
            if (seen[f->span[b].pred[k]] != header + 1)
                stack[depth++] = f->span[b].pred[k];
    }
}

static void find_loops(flow_maker *m)
{
    lf_flow *f = m->f;
    int edges = 1;
    for (int i = 0; i < f->spans; i++)
        edges += f->span[i].preds;
    int *seen = LF_NEW(m->u, int, f->spans), *stack = LF_NEW(m->u, int, edges);
    for (int h = 0; h < f->spans; h++)
        for (int k = 0; k < f->span[h].preds; k++)
            if (f->span[h].pred[k] >= h)
                note_loop(m, h, f->span[h].pred[k], seen, stack);
}

/* Which upvalues are assigned; the functions inside p are done already. */
static void find_assigned(lf_flow *f, const lf_proto *p)
{
    for (int pc = 0; pc < p->codes; pc++)
        if (lf_op(p->code[pc]) == OP_SETUPVAL)
            set_bit(f->assigned, lf_b(p->code[pc]));
    for (int i = 0; i < p->ps; i++)
        for (int k = 0; k < p->p[i]->upvals; k++) {
            const lf_upval *v = &p->p[i]->upval[k];
            if (!v->in_stack && luafn_flow_assigns(p->p[i], k))
                set_bit(f->assigned, v->index);
        }
}

void luafn_flow(lf_unit *u, lf_proto *p)
{
    flow_maker m = {.u = u, .p = p};
    m.f = LF_NEW(u, lf_flow, 1);
    m.f->bad = -1;
    if (p->codes == 0)
        luafn_debug_fail(u, p, -1, "the bytecode of this Lua function is invalid");
    m.leader = LF_NEW(u, uint8_t, p->codes + 1);
    m.reached = LF_NEW(u, uint8_t, p->codes + 1);
    m.f->at = LF_NEW(u, int, p->codes);
    memset(m.f->at, -1, (size_t)p->codes * sizeof *m.f->at);
    find_leaders(&m);
    order_blocks(&m);
    link_blocks(&m);
    find_dominators(m.f);
    find_loops(&m);
    find_assigned(m.f, p);
    p->flow = m.f;
}
