/* lowering.h - the builder of a kernel's IR, while a group is lowered: shared by lower_group.c,
 * which knows the nodes, and the kernels of kernels/.
 *
 * Functions that add something return its number, or -1 without memory; the lowerer's `status`
 * keeps the failure. */
#ifndef LUN_LOWERING_H
#define LUN_LOWERING_H

#include "plan/plan.h"

/* The values of a CALL of several results. */
typedef struct lun_outputs {
    const lun_node *call;
    int32_t value[LUN_MAX_OUTPUTS];
} lun_outputs;

typedef struct lun_lowerer lun_lowerer;
struct lun_lowerer {
    lun_engine *e;
    const lun_schedule *s;
    const lun_group *g;
    int group;
    lun_lowered *out;
    uint64_t walk;
    bool other_index; /* the kernel's is none of the group's: a visit's counts accumulators */
    int copy;         /* of a visit */
    lun_status status;
    lun_outputs *calls; /* of the CALLs emitted so far */
    int call_count, call_room;
    /* The value of an element that is read for each index: where that is not the element of an IN
     * slot, but hangs on a loop (pairs_kernel.c); else NULL. */
    int (*element)(lun_lowerer *l, lun_slot_source from);
    void *loop;
};

/* Of a kernel that is made of no group. */
lun_lowerer lun__lower_ungrouped(lun_engine *e, lun_lowered *out);
lun_lowerer lun__lower_begin(lun_engine *e, const lun_schedule *s, int g, lun_lowered *out);
/* Frees all but the result, and that too where the lowering failed; the IR is right. */
lun_status lun__lower_end(lun_lowerer *l);
/* Notes that memory is missing; -1. */
int lun__lower_nomem(lun_lowerer *l);

/* Where instruction i comes from, for errors; false without memory. */
bool lun__lower_note(lun_lowerer *l, int i, uint32_t where, const char *text);
int lun__lower_add(lun_lowerer *l, lun_ir_ins ins, uint32_t where);
int32_t lun__lower_constant(lun_lowerer *l, lun_dtype t, uint64_t bits);
/* An operation on i64, which gives t. */
int32_t lun__lower_integer(lun_lowerer *l, lun_op op, lun_dtype t, int32_t a, int32_t b);
/* An instruction of control flow, or on a variable of dtype t. */
int32_t lun__lower_flow(lun_lowerer *l, lun_ir_kind kind, lun_dtype t, int32_t a, int32_t b);
/* A slot, the same one for the same source and role. */
int lun__lower_source(lun_lowerer *l, lun_slot_source from, lun_ir_role role);
int lun__lower_slot(lun_lowerer *l, lun_node *n, int64_t offset, lun_ir_role role);
/* The numbers that n's function captures, parameters of its body from number `first` on, become
 * arguments of ins, the arrays slots. */
void lun__lower_captured(lun_lowerer *l, const lun_node *n, int first, lun_ir_ins *ins);

/* An argument that is this number; its value. */
int lun__lower_number(lun_lowerer *l, lun_dtype t, uint64_t cell);
/* Index i of a launch as one of the kernel: where several locations share it, a location's launch
 * begins at 0 and an argument says at which index that is. */
int lun__lower_moved(lun_lowerer *l, int i);
/* The function, of C text, on these values: operands as those of a CALL. */
int lun__lower_call(lun_lowerer *l, const lun_ir_function *f, const int32_t *operands, lun_dtype t,
                    uint32_t where);
/* The body of f, copied; notes: the texts of what may fail in it (NULL: none).  False without
 * memory. */
bool lun__lower_inline(lun_lowerer *l, const lun_ir_function *f, const int32_t *params,
                       const int32_t *arrays, const char *const *notes, uint32_t where,
                       int32_t *results);

/* Whether n is read from memory, not computed here. */
bool lun__lower_reads(const lun_lowerer *l, const lun_node *n);
/* The value that is read; uniform: one for all elements. */
int lun__lower_load(lun_lowerer *l, lun_node *n, int64_t offset, bool uniform);
/* Emits root and what it needs, each node once (lower_group.c). */
void lun__lower_group_emit(lun_lowerer *l, lun_node *root);
/* The value of operand n, which is emitted already, over the index space of the group. */
int lun__lower_operand(lun_lowerer *l, lun_node *n);

#endif
