/* programs.h - the generated programs of which the digest of the bits is made.
 *
 * Program p follows from p alone, by Philox with key 1: 3 to 8 operations over 1 to 4 operands of
 * one dtype, N elements of each: SPECIALS special values and their neighbours, then random ones of
 * all binades and near 1.  The operations are rows of ops.def that fit, uniformly, and casts.  A
 * result of the program's dtype, or of bool, is an operand of what follows.  What is divided by
 * where an integer 0 traps is the program's last operand, which has none. */
#ifndef BITS_PROGRAMS_H
#define BITS_PROGRAMS_H

#include <string.h>

#include "reference/instruction_loops.h"
#include "table/op.h"

/* Later operations and dtypes are in no program: they change no digest. */
enum { OPERATIONS = LUN_OP_FILLNAN + 1, DTYPES = LUN_BF16 + 1 };

enum {
    N = 257,
    ROOM = 320, /* what loops take: a multiple of 64 */
    SPECIALS = 64,
    OPERANDS = 4,
    STEPS = 8,
    VALUES = OPERANDS + STEPS,
    A_LINE = 1000, /* programs of a line of the digest */
    LINES = 100
};

typedef struct step {
    lun_op op;     /* LUN_OP_NONE: a cast */
    int arity;     /* operands, */
    int at[3];     /* values */
    lun_dtype out; /* of the result */
} step;

typedef struct program {
    int64_t number;
    lun_dtype dtype;
    int operands, steps;
    step step[STEPS];
    lun_dtype of[VALUES]; /* dtypes of values: operands, then results */
    _Alignas(64) uint64_t data[OPERANDS][ROOM];
} program;

/* ---- random numbers -------------------------------------------------------------------------- */

typedef struct draws {
    int64_t index[64];
    uint64_t word[64];
    int64_t at; /* words that have been taken */
} draws;

static inline uint64_t draw(draws *d, int64_t number)
{
    enum { EACH_PROGRAM = 4096 };
    if (d->at % 64 == 0) {
        for (int64_t i = 0; i < 64; i++)
            d->index[i] = number * EACH_PROGRAM + d->at + i;
        lun__loops_base.random[1](d->word, d->index, 1, 64);
    }
    return d->word[d->at++ % 64];
}

static inline int below(draws *d, int64_t number, int most)
{
    return (int)((draw(d, number) >> 32) * (uint64_t)most >> 32);
}

/* ---- operands -------------------------------------------------------------------------------- */

/* Special values and what is beside them, as bits of an element of `width` bits. */
static inline uint64_t special_integer(uint64_t r, int width)
{
    const uint64_t high = UINT64_C(1) << (width - 1);
    const uint64_t list[] = {0, 1, 2, 3, high, high - 1, 10, 7, high >> 1, 64, 31, 255};
    const uint64_t x = list[r % 12] + (r >> 8) % 3 - 1;
    return r >> 16 & 1 ? 0 - x : x;
}

/* The bits of a float: mantissa of m bits, exponent of e. */
static inline uint64_t special_float(uint64_t r, int m, int e)
{
    const uint64_t one = ((UINT64_C(1) << (e - 1)) - 1) << m, unit = UINT64_C(1) << m;
    const uint64_t infinity = ((UINT64_C(1) << e) - 1) << m, nan = infinity | unit >> 1;
    const uint64_t list[] = {0,
                             infinity,
                             nan,
                             1,
                             unit,
                             one,
                             one + unit,
                             one - unit,
                             one + unit / 2,
                             one + (uint64_t)m * unit,
                             one + (uint64_t)(m + 1) * unit,
                             one - (uint64_t)m * unit,
                             infinity - 1,
                             unit - 1,
                             one + 3 * unit / 2,
                             one + unit + unit * 9 / 16};
    const int k = (int)(r % 16);
    uint64_t x = list[k];
    if (k > 2)
        x += (r >> 8) % 3 - 1;
    return x == nan || !(r >> 16 & 1) ? x : x | UINT64_C(1) << (e + m);
}

static inline uint64_t any_float(uint64_t r, uint64_t s, int m, int e)
{
    const uint64_t mask = UINT64_C(0xffffffffffffffff) >> (63 - m - e);
    const uint64_t infinity = ((UINT64_C(1) << e) - 1) << m, sign = UINT64_C(1) << (m + e);
    uint64_t x = r & mask;
    if (s & 1) { /* of about 1: exponents from -6 to 9 */
        const uint64_t one = (UINT64_C(1) << (e - 1)) - 1;
        x = (x & (sign | ((UINT64_C(1) << m) - 1))) | (one - 6 + (s >> 8) % 16) << m;
    }
    return (x & ~sign) > infinity ? infinity | UINT64_C(1) << (m - 1) : x;
}

static inline void set_element(void *to, int i, int bytes, uint64_t x)
{
    memcpy((char *)to + (size_t)i * (size_t)bytes, &x, (size_t)bytes); /* the low bytes first */
}

static inline void make_operand(program *p, draws *d, int k)
{
    const lun_dtype_row *row = lun__dtype_get(p->dtype);
    const int bytes = row->bytes, m = row->mantissa, e = row->exponent;
    const bool divides = k == p->operands - 1;
    memset(p->data[k], 0, sizeof p->data[k]);
    for (int i = 0; i < ROOM; i++) {
        uint64_t x = 1, r, s;
        if (i < N) {
            r = draw(d, p->number);
            s = draw(d, p->number);
            if (m)
                x = i < SPECIALS ? special_float(r, m, e) : any_float(r, s, m, e);
            else
                x = i < SPECIALS ? special_integer(r, 8 * bytes) : r >> s % 64;
        }
        if (!m && divides)
            x |= 1;
        set_element(p->data[k], i, bytes, x);
    }
}

/* ---- operations ------------------------------------------------------------------------------ */

/* The dtype in which a step on a dtype is computed. */
static inline lun_dtype computed_in(lun_dtype t)
{
    return lun__dtype_get(t)->compute;
}

/* Whether there is a loop for the operation on the program's dtype; *out: of the result. */
static inline bool fits(const program *p, lun_op op, bool has_bool, lun_dtype *out)
{
    const lun_op_row *row = lun__op_get(op);
    const bool logic = row->rule == LUN_RULE_LOGIC, select = row->rule == LUN_RULE_SELECT;
    const lun_dtype t = logic ? LUN_BOOL : p->dtype;
    const lun_dtype of[3] = {select ? LUN_BOOL : t, t, t};
    const bool weak[3] = {false, false, false};
    lun_dtype from;
    if ((logic || select) && !has_bool)
        return false;
    if (lun__op_types(op, of, weak, &from, out) != LUN_OK || from != t)
        return false;
    const lun_dtype c = computed_in(t);
    return lun__loops_base.of[c]->op[op] != NULL;
}

/* One of the values so far of a dtype. */
static inline int a_value(const program *p, draws *d, int values, lun_dtype t)
{
    int list[VALUES], count = 0;
    for (int v = 0; v < values; v++)
        if (p->of[v] == t)
            list[count++] = v;
    return list[below(d, p->number, count)];
}

static inline bool any_bool(const program *p, int values)
{
    for (int v = 0; v < values; v++)
        if (p->of[v] == LUN_BOOL)
            return true;
    return false;
}

/* To another dtype: from and to floats that C does not compute with by f32 alone. */
static inline void make_cast(program *p, draws *d, step *s, int values)
{
    const bool stored = computed_in(p->dtype) != p->dtype;
    lun_dtype to = LUN_F32;
    if (!stored)
        do
            to = (lun_dtype)below(d, p->number, DTYPES);
        while (to == p->dtype ||
               (computed_in(to) != to && p->dtype != LUN_F32 && p->dtype != LUN_F64));
    *s = (step){.op = LUN_OP_NONE, .arity = 1, .at = {a_value(p, d, values, p->dtype)}, .out = to};
}

static inline void make_step(program *p, draws *d, step *s, int values)
{
    lun_op list[OPERATIONS];
    int count = 0;
    const bool has_bool = any_bool(p, values);
    lun_dtype out;
    for (int op = 0; op < OPERATIONS; op++)
        if (fits(p, (lun_op)op, has_bool, &out))
            list[count++] = (lun_op)op;
    const int k = below(d, p->number, count + count / 8);
    if (k >= count) {
        make_cast(p, d, s, values);
        return;
    }
    const lun_op_row *row = lun__op_get(list[k]);
    (void)fits(p, list[k], has_bool, &out);
    *s = (step){.op = list[k], .arity = row->arity, .out = out};
    for (int i = 0; i < row->arity; i++) {
        const bool is_bool =
            row->rule == LUN_RULE_LOGIC || (row->rule == LUN_RULE_SELECT && i == 0);
        s->at[i] = a_value(p, d, values, is_bool ? LUN_BOOL : p->dtype);
    }
    if ((row->flags & LUN_OPF_TRAP0) && !lun__dtype_is_float(p->dtype))
        s->at[1] = p->operands - 1;
}

static inline void make_program(program *p, int64_t number)
{
    static const lun_dtype dtypes[] = {
        LUN_F64, LUN_F64,  LUN_F64, LUN_F64, LUN_F64, LUN_F32, LUN_F32, LUN_F32, LUN_F32, LUN_F32,
        LUN_F16, LUN_BF16, LUN_I64, LUN_I32, LUN_I16, LUN_I8,  LUN_U64, LUN_U32, LUN_U16, LUN_U8};
    draws d = {.at = 0};
    memset(p, 0, sizeof *p);
    p->number = number;
    p->dtype = dtypes[below(&d, number, sizeof dtypes / sizeof *dtypes)];
    p->operands = 1 + below(&d, number, OPERANDS);
    p->steps = 3 + below(&d, number, STEPS - 2);
    for (int k = 0; k < p->operands; k++) {
        p->of[k] = p->dtype;
        make_operand(p, &d, k);
    }
    for (int k = 0; k < p->steps; k++) {
        make_step(p, &d, &p->step[k], p->operands + k);
        p->of[p->operands + k] = p->step[k].out;
    }
}

/* ---- classes and digests --------------------------------------------------------------------- */

enum { CLASS_F64, CLASS_F32, CLASS_HALF, CLASS_SIGNED, CLASS_UNSIGNED, CLASSES };

static const char *const class_names[] = {"f64", "f32", "f16, bf16", "signed", "unsigned"};

static inline int class_of(lun_dtype t)
{
    return t == LUN_F64                   ? CLASS_F64
           : t == LUN_F32                 ? CLASS_F32
           : lun__dtype_is_float(t)       ? CLASS_HALF
           : t == LUN_U8 || t == LUN_U16  ? CLASS_UNSIGNED
           : t == LUN_U32 || t == LUN_U64 ? CLASS_UNSIGNED
                                          : CLASS_SIGNED;
}

/* A NaN as results have it. */
static inline void canonical(void *data, lun_dtype t)
{
    const lun_dtype_row *row = lun__dtype_get(t);
    const int m = row->mantissa, e = row->exponent;
    if (!m)
        return;
    const uint64_t infinity = ((UINT64_C(1) << e) - 1) << m, sign = UINT64_C(1) << (m + e);
    for (int i = 0; i < ROOM; i++) {
        uint64_t x = 0;
        memcpy(&x, (char *)data + i * row->bytes, (size_t)row->bytes);
        if ((x & ~sign) > infinity)
            set_element(data, i, row->bytes, infinity | UINT64_C(1) << (m - 1));
    }
}

static inline const char *step_name(const step *s)
{
    return s->op == LUN_OP_NONE ? "cast" : lun__op_get(s->op)->name;
}

#endif
