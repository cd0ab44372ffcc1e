/* check.c - validates the code of a function: the registers, constants, upvalues and inner
 * functions that it names exist, and instructions that belong together follow each other.
 *
 * Code of Lua's own compiler does; code that a script has loaded as bytes need not. */
#include "luafn/bytecode/load.h"

typedef struct checker {
    lf_unit *u;
    const lf_proto *p;
    int pc;
} checker;

static void must(const checker *c, bool holds)
{
    if (!holds)
        luafn_debug_fail(c->u, c->p, c->pc, "the bytecode of this Lua function is invalid");
}

/* `count` registers from r on. */
static void registers(const checker *c, int r, int count)
{
    must(c, r + count <= c->p->stack);
}

static void constant(const checker *c, int k)
{
    must(c, k < c->p->ks);
}

static void followed_by(const checker *c, lf_opcode op)
{
    must(c, c->pc + 1 < c->p->codes && lf_op(c->p->code[c->pc + 1]) == op);
}

static bool is_number(const lf_const *k)
{
    return k->tag == LF_K_INT || k->tag == LF_K_FLOAT;
}

static bool is_text(const lf_const *k)
{
    return k->tag == LF_K_STRING || k->tag == LF_K_BYTES;
}

/* Checks B and C of instructions that compute A from them. */
static void operands(const checker *c, uint32_t w)
{
    lf_opcode op = lf_op(w);
    if (op == OP_MOVE || op == OP_GETTABLE || op == OP_GETI || op == OP_GETFIELD ||
        op == OP_TESTSET || (op >= OP_ADDI && op <= OP_SHR) || (op >= OP_UNM && op <= OP_LEN))
        registers(c, lf_b(w), 1);
    if (op == OP_GETTABLE || (op >= OP_ADD && op <= OP_SHR))
        registers(c, lf_c(w), 1);
    if (op >= OP_ADDK && op <= OP_BXORK) {
        constant(c, lf_c(w));
        must(c, is_number(&c->p->k[lf_c(w)]));
    }
    if (op == OP_GETUPVAL || op == OP_SETUPVAL || op == OP_GETTABUP)
        must(c, lf_b(w) < c->p->upvals);
    if (op == OP_GETTABUP || op == OP_GETFIELD) {
        constant(c, lf_c(w));
        must(c, is_text(&c->p->k[lf_c(w)]));
    }
}

/* Instructions that test: the conditional jump follows. */
static bool test(const checker *c, uint32_t w)
{
    lf_opcode op = lf_op(w);
    if (op < OP_EQ || op > OP_TESTSET)
        return false;
    registers(c, lf_a(w), 1);
    if (op == OP_EQ || op == OP_LT || op == OP_LE)
        registers(c, lf_b(w), 1);
    if (op == OP_EQK)
        constant(c, lf_b(w));
    operands(c, w);
    followed_by(c, OP_JMP);
    return true;
}

static void instruction(const checker *c, uint32_t w)
{
    int a = lf_a(w);
    switch (lf_op(w)) {
    case OP_LOADK:
        registers(c, a, 1);
        constant(c, lf_bx(w));
        break;
    case OP_LOADKX:
        registers(c, a, 1);
        followed_by(c, OP_EXTRAARG);
        constant(c, lf_ax(c->p->code[c->pc + 1]));
        break;
    case OP_LOADNIL:
        registers(c, a, lf_b(w) + 1);
        break;
    case OP_CALL:
        registers(c, a, lf_c(w) ? lf_c(w) - 1 : 0);
        /* fall through */
    case OP_TAILCALL:
        registers(c, a, lf_b(w) ? lf_b(w) : 1);
        break;
    case OP_RETURN:
        registers(c, a, lf_b(w) ? lf_b(w) - 1 : 0);
        break;
    case OP_SETLIST:
        registers(c, a, lf_b(w) + 1);
        break;
    case OP_FORLOOP:
    case OP_FORPREP:
        registers(c, a, 4);
        break;
    case OP_SELF:
        registers(c, a, 2);
        registers(c, lf_b(w), 1);
        if (lf_k(w))
            constant(c, lf_c(w));
        break;
    case OP_CLOSURE:
        registers(c, a, 1);
        must(c, lf_bx(w) < c->p->ps);
        break;
    /* nothing to check: without registers, or refused by name when it is translated */
    case OP_JMP:
    case OP_RETURN0:
    case OP_MMBIN:
    case OP_MMBINI:
    case OP_MMBINK:
    case OP_EXTRAARG:
    case OP_VARARGPREP:
        break;
    default:
        if (!test(c, w)) {
            registers(c, a, 1);
            operands(c, w);
        }
    }
}

void luafn_check(lf_unit *u, const lf_proto *p)
{
    checker c = {u, p, -1};
    registers(&c, 0, p->params);
    for (int i = 0; i < p->ps; i++)
        for (int k = 0; k < p->p[i]->upvals; k++) {
            const lf_upval *v = &p->p[i]->upval[k];
            must(&c, v->index < (v->in_stack ? (int)p->stack : p->upvals));
        }
    for (c.pc = 0; c.pc < p->codes; c.pc++)
        instruction(&c, p->code[c.pc]);
}
