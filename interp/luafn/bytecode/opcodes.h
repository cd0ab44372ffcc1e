/* opcodes.h - Lua 5.4's instructions, in the order of their numbers, and the fields of an
 * instruction word.
 *
 * The order is that of Lua 5.4.0 to 5.4.8; opcode_probe.c compares it with the running VM at first
 * use. */
#ifndef LUAFN_OPCODES_H
#define LUAFN_OPCODES_H

#include <stdbool.h>
#include <stdint.h>

typedef enum lf_opcode {
    OP_MOVE,
    OP_LOADI,
    OP_LOADF,
    OP_LOADK,
    OP_LOADKX,
    OP_LOADFALSE,
    OP_LFALSESKIP,
    OP_LOADTRUE,
    OP_LOADNIL,
    OP_GETUPVAL,
    OP_SETUPVAL,
    OP_GETTABUP,
    OP_GETTABLE,
    OP_GETI,
    OP_GETFIELD,
    OP_SETTABUP,
    OP_SETTABLE,
    OP_SETI,
    OP_SETFIELD,
    OP_NEWTABLE,
    OP_SELF,
    OP_ADDI,
    OP_ADDK,
    OP_SUBK,
    OP_MULK,
    OP_MODK,
    OP_POWK,
    OP_DIVK,
    OP_IDIVK,
    OP_BANDK,
    OP_BORK,
    OP_BXORK,
    OP_SHRI,
    OP_SHLI,
    OP_ADD,
    OP_SUB,
    OP_MUL,
    OP_MOD,
    OP_POW,
    OP_DIV,
    OP_IDIV,
    OP_BAND,
    OP_BOR,
    OP_BXOR,
    OP_SHL,
    OP_SHR,
    OP_MMBIN,
    OP_MMBINI,
    OP_MMBINK,
    OP_UNM,
    OP_BNOT,
    OP_NOT,
    OP_LEN,
    OP_CONCAT,
    OP_CLOSE,
    OP_TBC,
    OP_JMP,
    OP_EQ,
    OP_LT,
    OP_LE,
    OP_EQK,
    OP_EQI,
    OP_LTI,
    OP_LEI,
    OP_GTI,
    OP_GEI,
    OP_TEST,
    OP_TESTSET,
    OP_CALL,
    OP_TAILCALL,
    OP_RETURN,
    OP_RETURN0,
    OP_RETURN1,
    OP_FORLOOP,
    OP_FORPREP,
    OP_TFORPREP,
    OP_TFORCALL,
    OP_TFORLOOP,
    OP_SETLIST,
    OP_CLOSURE,
    OP_VARARG,
    OP_VARARGPREP,
    OP_EXTRAARG,
    LF_OPCODE_COUNT
} lf_opcode;

_Static_assert(LF_OPCODE_COUNT == 83, "Lua 5.4 has 83 instructions");

static inline lf_opcode lf_op(uint32_t w)
{
    return (lf_opcode)(w & 0x7f);
}

static inline int lf_a(uint32_t w)
{
    return (int)(w >> 7 & 0xff);
}

static inline bool lf_k(uint32_t w)
{
    return w >> 15 & 1;
}

static inline int lf_b(uint32_t w)
{
    return (int)(w >> 16 & 0xff);
}

static inline int lf_c(uint32_t w)
{
    return (int)(w >> 24);
}

/* Signed forms of B and C. */
static inline int lf_sb(uint32_t w)
{
    return lf_b(w) - 127;
}

static inline int lf_sc(uint32_t w)
{
    return lf_c(w) - 127;
}

static inline int lf_bx(uint32_t w)
{
    return (int)(w >> 15);
}

static inline int lf_sbx(uint32_t w)
{
    return lf_bx(w) - 65535;
}

static inline int lf_ax(uint32_t w)
{
    return (int)(w >> 7);
}

/* The distance of a JMP. */
static inline int lf_sj(uint32_t w)
{
    return lf_ax(w) - 16777215;
}

#endif
