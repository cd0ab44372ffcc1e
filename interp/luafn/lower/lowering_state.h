/* lowering_state.h - from values as Lua defines them to values that are one IR instruction each. */
#ifndef LUAFN_LOWERING_STATE_H
#define LUAFN_LOWERING_STATE_H

#include "luafn/graph/compile.h"

enum { LF_BUCKETS = 4096 };

typedef struct lf_lowering {
    lf_compile *c;
    lf_graph *g;
    lf_block *at;                 /* where new values go */
    const lf_value *from;         /* the value being lowered: for the source lines of notes */
    lf_value *bucket[LF_BUCKETS]; /* hash table of values made, to find equal ones */
} lf_lowering;

/* ---- const.c --------------------------------------------------------------------------------- */
lf_value *luafn_const_ir_const(lf_lowering *l, lun_dtype t, uint64_t bits);
lf_value *luafn_const_ir_int(lf_lowering *l, lun_dtype t, int64_t x);
lf_value *luafn_const_ir_real(lf_lowering *l, lun_dtype t, double x);
lf_value *luafn_const_ir_bool(lf_lowering *l, bool x);
/* The bits of a constant as a number. */
int64_t luafn_const_int(const lf_value *v);
double luafn_const_real(const lf_value *v);
static inline bool lf_ir_is_const(const lf_value *v)
{
    return v->kind == LF_IR_CONST;
}

/* Integers are computed as i64, Lua's own, or as i32. */
static inline bool lf_is_long(uint8_t t)
{
    return lun__dtype_is_index((lun_dtype)t);
}
static inline bool lf_is_short(uint8_t t)
{
    return lun__dtype_is_signed((lun_dtype)t) && lun__dtype_bits((lun_dtype)t) == 32;
}

/* The comparisons that folding and ranges know; a row that joins rule CMP is not one of them by
 * itself. */
static inline bool lf_is_comparison(lun_op op)
{
    switch (op) {
    case LUN_OP_LT:
    case LUN_OP_LE:
    case LUN_OP_GT:
    case LUN_OP_GE:
    case LUN_OP_EQ:
    case LUN_OP_NE:
        return true;
    default:
        return false;
    }
}

/* ---- fold_ir.c ------------------------------------------------------------------------------- */
/* Folds an operation on constants: false if it must run. */
bool luafn_fold_ir(lun_op op, lun_dtype from, const lf_value *const *arg, int args, uint64_t *bits);

/* ---- ir_value.c: values of IR, folded and found again where an equal one is at hand ---------- */
lf_value *luafn_ir_value_cast(lf_lowering *l, lun_dtype t, lf_value *a);
lf_value *luafn_ir_value_op1(lf_lowering *l, lun_op op, lf_value *a);
lf_value *luafn_ir_value_op2(lf_lowering *l, lun_op op, lf_value *a, lf_value *b);
lf_value *luafn_ir_value_op3(lf_lowering *l, lun_op op, lf_value *a, lf_value *b, lf_value *c);
lf_value *luafn_ir_value_where(lf_lowering *l, lf_value *cond, lf_value *yes, lf_value *no);
lf_value *luafn_ir_value_gather(lf_lowering *l, int input, lun_dtype t, lf_value *index);
/* Never merged with an equal one; nor is a gather from an array that is assigned. */
void luafn_ir_value_put(lf_lowering *l, int input, lf_value *value, lf_value *index);
lf_value *luafn_ir_value_atomic(lf_lowering *l, int input, unsigned which, lf_value *const *arg,
                                int args);
void luafn_ir_value_barrier(lf_lowering *l, const lf_value *v);
void luafn_ir_value_check(lf_lowering *l, lf_value *cond, lf_value *value, int note);
/* The scalar that is input number `input`. */
lf_value *luafn_ir_value_arg(lf_lowering *l, int input, lun_dtype t);
/* Operations that may fail stay, used or not. */
bool luafn_ir_value_has_effect(const lf_value *v);

/* ---- lowering_state.c ------------------------------------------------------------------------ */
lun_dtype luafn_lowering_dtype(const lf_compile *c, lf_type t);
/* A new note "file:line: text". extent_of: the input whose value, an extent, replaces \1 in it, or
 * -1. */
int luafn_lowering_note(lf_lowering *l, int extent_of, const char *format, ...)
    __attribute__((format(printf, 3, 4)));
int luafn_lowering_input(lf_compile *c, lf_origin origin, int number, lun_dtype t, bool array);
/* The input that is the extent of axis `axis`, from 0, of array parameter or source `number`. */
int luafn_lowering_extent(lf_compile *c, bool param, int number, int axis);
/* The same of team scratch, where a launch has it; axis: behind the last, all elements of it. */
int luafn_lowering_memory(lf_compile *c, int memory, int axis);
/* The inputs from which a launch computes these: lun_front_extent.from becomes their number. */
void luafn_lowering_givens(lf_compile *c);

/* Integer // and % (op), which fail where y is 0, with the source line of the value being
 * lowered. */
lf_value *luafn_lowering_divide(lf_lowering *l, lun_op op, lf_value *x, lf_value *y);

/* ---- ir_operand.c ---------------------------------------------------------------------------- */
/* v in its own dtype, in another; a float as an integer fails if that cannot hold it. */
lf_value *luafn_ir_operand_low(lf_lowering *l, lf_value *v);
lf_value *luafn_ir_operand_as(lf_lowering *l, lf_value *v, lun_dtype t);
/* Is v, once lowered, an integer of Lua whose `low` is a float: a whole number, or one that no
 * integer can hold? */
bool luafn_ir_operand_is_rounded(const lf_value *v);
/* The lowered value of v, which rounds its operand by o; integers stay, as t. */
lf_value *luafn_ir_operand_round(lf_lowering *l, const lf_value *v, lun_op o, lun_dtype t);

/* ---- compare.c, for.c, math_library.c, named_operation.c ------------------------------------- */
lf_value *luafn_lower_compare(lf_lowering *l, const lf_value *v);
lf_value *luafn_lower_for(lf_lowering *l, const lf_value *v);
lf_value *luafn_math_library_lower(lf_lowering *l, const lf_value *v);
lf_value *luafn_named_operation(lf_lowering *l, const lf_value *v);

/* ---- static_indices.c: elements and parts at indices that the engine checks before a launch -- */
/* Whether the last index of v, an element or a part, is known. */
bool luafn_static_index_of(lf_lowering *l, const lf_value *v);
/* The element v, if all its indices are such, in its array's dtype; else NULL. */
lf_value *luafn_static_index_element(lf_lowering *l, const lf_value *v);

/* The old value of a cell, in its array's dtype. Out of range, where it is not used, it is any
 * value. */
lf_value *luafn_static_index_old(lf_lowering *l, const lf_cell *cell);

/* ---- lower.c: the pass ----------------------------------------------------------------------- */
void luafn_lower(lf_compile *c);

#endif
