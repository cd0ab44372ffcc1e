/* luafn_eval.h - runs the IR of one function for one element, one instruction after the
 * other, as ir/ir.h says in words. An oracle for the Lua front end: slow, plain, written
 * without the backends. */
#ifndef LUAFN_EVAL_H
#define LUAFN_EVAL_H

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "ir/ir.h"

typedef struct eval_array {
    const void *data;
    int64_t length;
} eval_array;

typedef struct eval {
    const lun_ir *ir;
    const uint64_t *args;
    const eval_array *arrays;
    uint64_t *value; /* by instruction: the cell of a value, or of a VAR */
    int *match;      /* by instruction: IF: its ELSE or END; ELSE, LOOP, BLOCK: its END */
    int64_t steps;   /* left */
    int64_t most;    /* steps of a run; 0: plenty */
    int failed;      /* instruction, or -1 */
    int64_t failed_value;
    const char *fault; /* a mistake in the IR */
} eval;

static inline double eval_f64(uint64_t cell)
{
    double d;
    memcpy(&d, &cell, sizeof d);
    return d;
}

static inline float eval_f32(uint64_t cell)
{
    float f;
    uint32_t low = (uint32_t)cell;
    memcpy(&f, &low, sizeof f);
    return f;
}

static inline uint64_t eval_of_f64(double d)
{
    uint64_t cell;
    memcpy(&cell, &d, sizeof cell);
    return cell;
}

static inline uint64_t eval_of_f32(float f)
{
    uint32_t low;
    memcpy(&low, &f, sizeof low);
    return low;
}

/* The operations on one float type. */
#define EVAL_FLOAT(NAME, T, S)                                       \
    static inline T eval_##NAME(eval *e, lun_op op, T a, T b)        \
    {                                                                \
        T r;                                                         \
        switch (op) {                                                \
        case LUN_OP_ADD:                                             \
            return a + b;                                            \
        case LUN_OP_SUB:                                             \
            return a - b;                                            \
        case LUN_OP_MUL:                                             \
            return a * b;                                            \
        case LUN_OP_DIV:                                             \
            return a / b;                                            \
        case LUN_OP_IDIV:                                            \
            return floor##S(a / b);                                  \
        case LUN_OP_MOD:                                             \
            r = fmod##S(a, b);                                       \
            return (r > 0 && b < 0) || (r < 0 && b > 0) ? r + b : r; \
        case LUN_OP_POW:                                             \
            return pow##S(a, b);                                     \
        case LUN_OP_NEG:                                             \
            return -a;                                               \
        case LUN_OP_ABS:                                             \
            return fabs##S(a);                                       \
        case LUN_OP_FLOOR:                                           \
            return floor##S(a);                                      \
        case LUN_OP_CEIL:                                            \
            return ceil##S(a);                                       \
        case LUN_OP_TRUNC:                                           \
            return trunc##S(a);                                      \
        case LUN_OP_SQRT:                                            \
            return sqrt##S(a);                                       \
        case LUN_OP_EXP:                                             \
            return exp##S(a);                                        \
        case LUN_OP_LOG:                                             \
            return log##S(a);                                        \
        case LUN_OP_LOG2:                                            \
            return log2##S(a);                                       \
        case LUN_OP_LOG10:                                           \
            return log10##S(a);                                      \
        case LUN_OP_SIN:                                             \
            return sin##S(a);                                        \
        case LUN_OP_COS:                                             \
            return cos##S(a);                                        \
        case LUN_OP_TAN:                                             \
            return tan##S(a);                                        \
        case LUN_OP_ASIN:                                            \
            return asin##S(a);                                       \
        case LUN_OP_ACOS:                                            \
            return acos##S(a);                                       \
        case LUN_OP_ATAN:                                            \
            return atan##S(a);                                       \
        case LUN_OP_ATAN2:                                           \
            return atan2##S(a, b);                                   \
        case LUN_OP_COPYSIGN:                                        \
            return copysign##S(a, b);                                \
        default:                                                     \
            e->fault = "a float operation unknown to the test";      \
            return 0;                                                \
        }                                                            \
    }
EVAL_FLOAT(double, double, )
EVAL_FLOAT(float, float, f)
#undef EVAL_FLOAT

/* A signed or (u64) unsigned integer of `bits` bits, as a 64-bit one. */
static inline int64_t eval_signed(uint64_t cell, int bits)
{
    return (int64_t)(cell << (64 - bits)) >> (64 - bits);
}

static inline uint64_t eval_shift(uint64_t a, int64_t n, int bits)
{
    uint64_t mask = bits == 64 ? UINT64_MAX : (UINT64_C(1) << bits) - 1;
    if (n >= bits || n <= -bits)
        return 0;
    return (n >= 0 ? a << n : (a & mask) >> -n) & mask;
}

static inline uint64_t eval_integer(eval *e, lun_op op, int i, int64_t a, int64_t b, int bits)
{
    int64_t q, r;
    switch (op) {
    case LUN_OP_ADD:
        return (uint64_t)a + (uint64_t)b;
    case LUN_OP_SUB:
        return (uint64_t)a - (uint64_t)b;
    case LUN_OP_MUL:
        return (uint64_t)a * (uint64_t)b;
    case LUN_OP_NEG:
        return 0 - (uint64_t)a;
    case LUN_OP_ABS:
        return a < 0 ? 0 - (uint64_t)a : (uint64_t)a;
    case LUN_OP_IDIV:
    case LUN_OP_MOD:
        if (b == 0) {
            if (e->failed < 0)
                e->failed = i;
            return 0;
        }
        q = b == -1 ? (int64_t)(0 - (uint64_t)a) : a / b;
        r = b == -1 ? 0 : a % b;
        if (r != 0 && (r < 0) != (b < 0)) {
            q--;
            r += b;
        }
        return (uint64_t)(op == LUN_OP_IDIV ? q : r);
    case LUN_OP_BAND:
        return (uint64_t)(a & b);
    case LUN_OP_BOR:
        return (uint64_t)(a | b);
    case LUN_OP_BXOR:
        return (uint64_t)(a ^ b);
    case LUN_OP_BNOT:
        return (uint64_t)~a;
    case LUN_OP_SHL:
        return eval_shift((uint64_t)a, b, bits);
    case LUN_OP_SHR:
        return b == INT64_MIN ? 0 : eval_shift((uint64_t)a, -b, bits);
    case LUN_OP_MIN:
        return (uint64_t)(a < b ? a : b);
    case LUN_OP_MAX:
        return (uint64_t)(a > b ? a : b);
    default:
        e->fault = "an integer operation unknown to the test";
        return 0;
    }
}

static inline bool eval_relation(eval *e, lun_op op, bool less, bool same, bool more)
{
    switch (op) {
    case LUN_OP_LT:
        return less;
    case LUN_OP_LE:
        return less || same;
    case LUN_OP_GT:
        return more;
    case LUN_OP_GE:
        return more || same;
    case LUN_OP_EQ:
        return same;
    case LUN_OP_NE:
        return !same;
    default:
        e->fault = "a test unknown to the test";
        return false;
    }
}

static inline uint64_t eval_op(eval *e, int i, const lun_ir_ins *ins, const uint64_t *in)
{
    lun_op op = (lun_op)ins->op;
    lun_dtype t = (lun_dtype)ins->from;
    const lun_dtype_row *row = lun__dtype_get(t);
    int bits = 8 * row->bytes;
    bool test = op >= LUN_OP_LT && op <= LUN_OP_NE;
    if (op == LUN_OP_WHERE)
        return in[0] ? in[1] : in[2];
    if (op == LUN_OP_LAND)
        return in[0] && in[1];
    if (op == LUN_OP_LOR)
        return in[0] || in[1];
    if (op == LUN_OP_LNOT)
        return !in[0];
    if (t == LUN_F32) {
        float a = eval_f32(in[0]), b = eval_f32(in[1]);
        return test ? eval_relation(e, op, a<b, a == b, a> b)
                    : eval_of_f32(eval_float(e, op, a, b));
    }
    if (t == LUN_F64) {
        double a = eval_f64(in[0]), b = eval_f64(in[1]);
        return test ? eval_relation(e, op, a<b, a == b, a> b)
                    : eval_of_f64(eval_double(e, op, a, b));
    }
    if (t == LUN_U64) {
        uint64_t a = in[0], b = in[1];
        if (test)
            return eval_relation(e, op, a<b, a == b, a> b);
        if (op == LUN_OP_MOD && b != 0)
            return a % b;
        e->fault = "an unsigned operation unknown to the test";
        return 0;
    }
    int64_t a = eval_signed(in[0], bits), b = eval_signed(in[1], bits);
    if (test)
        return eval_relation(e, op, a<b, a == b, a> b);
    uint64_t r = eval_integer(e, op, i, a, b, bits);
    return bits == 64 ? r : r & ((UINT64_C(1) << bits) - 1);
}

static inline uint64_t eval_load(eval *e, int64_t slot, lun_dtype t, int64_t i)
{
    uint64_t cell = 0;
    size_t size = lun__dtype_get(t)->bytes;
    if (i < 0 || i >= e->arrays[slot].length) {
        e->fault = "a gather outside its array";
        return 0;
    }
    memcpy(&cell, (const char *)e->arrays[slot].data + (size_t)i * size, size);
    return cell;
}

/* IF: its ELSE or END; ELSE, LOOP, BLOCK: its END; END: what it ends. */
static inline void eval_match_blocks(eval *e, int *open)
{
    for (int i = 0, depth = 0; i < e->ir->count; i++) {
        int kind = e->ir->ins[i].kind;
        if (kind == LUN_IR_IF || kind == LUN_IR_LOOP || kind == LUN_IR_BLOCK)
            open[depth++] = i;
        if (kind == LUN_IR_ELSE) {
            e->match[open[depth - 1]] = i;
            open[depth - 1] = i;
        }
        if (kind == LUN_IR_END) {
            e->match[open[--depth]] = i;
            e->match[i] = open[depth];
        }
    }
}

/* BREAK: the END that it passes; CONTINUE: its LOOP. */
static inline void eval_match_jumps(eval *e, int *open)
{
    for (int i = 0, depth = 0; i < e->ir->count; i++) {
        const lun_ir_ins *ins = &e->ir->ins[i];
        int kind = ins->kind;
        if (kind == LUN_IR_IF || kind == LUN_IR_LOOP || kind == LUN_IR_BLOCK)
            open[depth++] = i;
        if (kind == LUN_IR_END)
            depth--;
        if (kind != LUN_IR_BREAK && kind != LUN_IR_CONTINUE)
            continue;
        int64_t left = ins->imm;
        for (int d = depth - 1; d >= 0; d--) {
            if (e->ir->ins[open[d]].kind == LUN_IR_IF || left-- > 0)
                continue;
            e->match[i] = kind == LUN_IR_CONTINUE ? open[d] : e->match[open[d]];
            break;
        }
    }
}

/* False without memory. */
static inline bool eval_prepare(eval *e, const lun_ir *ir)
{
    size_t n = (size_t)ir->count + 1;
    int *open = malloc(n * sizeof *open);
    e->ir = ir;
    e->value = calloc(n, sizeof *e->value);
    e->match = calloc(n, sizeof *e->match);
    bool ok = open && e->value && e->match;
    if (ok) {
        eval_match_blocks(e, open);
        eval_match_jumps(e, open);
    }
    free(open);
    return ok;
}

static inline void eval_free(eval *e)
{
    free(e->value);
    free(e->match);
}

/* Control flow at i; gives the instruction before the next one. */
static inline int eval_control(eval *e, int i, const uint64_t *in)
{
    const lun_ir_ins *ins = &e->ir->ins[i];
    switch ((lun_ir_kind)ins->kind) {
    case LUN_IR_IF:
        return in[0] ? i : e->match[i];
    case LUN_IR_ELSE: /* reached from the branch before it */
    case LUN_IR_BREAK:
    case LUN_IR_CONTINUE:
        return e->match[i];
    case LUN_IR_LOOP:
    case LUN_IR_BLOCK:
        return i;
    case LUN_IR_END:
        return e->ir->ins[e->match[i]].kind == LUN_IR_LOOP ? e->match[i] : i;
    default:
        e->fault = "an instruction unknown to the test";
        return i;
    }
}

/* Runs instruction i; gives the one before the next. */
static inline int eval_ins(eval *e, int i)
{
    const lun_ir_ins *ins = &e->ir->ins[i];
    uint64_t *v = e->value;
    lun_dtype t = (lun_dtype)ins->dtype;
    uint64_t in[3] = {ins->a >= 0 ? v[ins->a] : 0, ins->b >= 0 ? v[ins->b] : 0,
                      ins->c >= 0 ? v[ins->c] : 0};
    switch ((lun_ir_kind)ins->kind) {
    case LUN_IR_ARG:
        v[i] = e->args[ins->imm];
        return i;
    case LUN_IR_CONST:
        v[i] = (uint64_t)ins->imm;
        return i;
    case LUN_IR_LOADU:
        v[i] = eval_load(e, ins->imm, t, 0);
        return i;
    case LUN_IR_GATHER:
        v[i] = eval_load(e, ins->imm, t, (int64_t)in[0]);
        return i;
    case LUN_IR_OP:
        v[i] = eval_op(e, i, ins, in);
        return i;
    case LUN_IR_CAST:
        v[i] = lun__dtype_cell_cast(t, (lun_dtype)ins->from, in[0]);
        return i;
    case LUN_IR_VAR:
    case LUN_IR_GET:
        v[i] = in[0];
        return i;
    case LUN_IR_SET:
        v[ins->a] = in[1];
        return i;
    case LUN_IR_CHECK:
        if (!in[0]) {
            e->failed = i;
            e->failed_value = ins->b >= 0 ? (int64_t)in[1] : 0;
        }
        return i;
    default:
        return eval_control(e, i, in);
    }
}

/* Runs the body once; e->failed, e->fault say what went wrong. */
static inline void eval_run(eval *e, const uint64_t *args, const eval_array *arrays)
{
    e->args = args;
    e->arrays = arrays;
    e->failed = -1;
    e->failed_value = 0;
    e->fault = NULL;
    e->steps = e->most ? e->most : 20 * 1000 * 1000;
    for (int i = 0; i < e->ir->count && !e->fault && e->failed < 0; i++) {
        if (--e->steps < 0)
            e->fault = "an endless loop";
        i = eval_ins(e, i);
    }
}

#endif
