/* program_builder.h - a program while it is written: program_builder.c has what write_program.c and
 * execution_masks.c write it with, execution_masks.c what write_program.c calls. For these three
 * alone. */
#ifndef LUN_PROGRAM_BUILDER_H
#define LUN_PROGRAM_BUILDER_H

#include "reference/write_program.h"

/* An open IF, LOOP or BLOCK, or (the first) the whole program. */
typedef struct arm {
    int32_t ins, start;  /* its instruction; the step to which a LOOP goes back */
    int32_t mask, other; /* who runs here; who will run the ELSE, -1 */
    int32_t round;       /* LOOP with CONTINUE: who will run the next round, -1 */
    int32_t jumps;       /* chain of steps that jump to its ELSE or END */
    bool emptied;        /* a BREAK inside took elements out of mask */
} arm;

typedef struct builder {
    const lun_ir *ir;
    lun_program_part part;
    const lun_ir_function *function;
    const lun_loops *loops;
    int version; /* of the bits */
    const lun_reducer *reducers;
    int reducer_count;
    lun_program *p;
    lun_flow flow;
    int step_room, operand_room, uniform_room;
    int32_t *operand;        /* by value */
    int32_t *ending, *after; /* values by the position of their last use: head, next */
    int64_t *free_registers[4];
    int free_count[4], free_room[4];
    arm *arms;
    int depth;
    lun_step spare;
    lun_status status;
} builder;

/* Remembers the first failure. */
void lun__builder_fail(builder *b, lun_status status);
/* Makes room for element `count` of *array (of *room elements of so many bytes); false:
 * LUN_ENOMEM. */
bool lun__builder_grow(builder *b, void *array, int count, int *room, size_t bytes);

/* A register for elements of 1 << size bytes, reused from values of the same size: then a step that
 * writes where an operand has its last use still reads each element before it overwrites it. */
int64_t lun__builder_register(builder *b, int size);
/* A operand: of a slot (-1: none) and of a register (-1: none). */
int32_t lun__builder_operand(builder *b, int32_t slot, int64_t offset, int size);
/* A operand with a register of its own; the register of a operand is free again. */
int32_t lun__builder_take(builder *b, int size);
void lun__builder_give(builder *b, int32_t operand);
/* Where a value is found. */
static inline int32_t lun__builder_at(const builder *b, int32_t value)
{
    return value < 0 ? -1 : b->operand[value];
}

/* The mask of the innermost arm; -1 outside of control flow. */
static inline int32_t lun__builder_mask(const builder *b)
{
    return b->depth > 1 || b->ir->threads ? b->arms[b->depth - 1].mask : -1;
}
/* Never NULL: without memory, a step that is thrown away. Valid until the next one. */
lun_step *lun__builder_step(builder *b, lun_step_kind kind, int ins);

/* execution_masks.c: IF, LOOP, BLOCK; ELSE; END; BREAK and CONTINUE. */
void lun__execution_mask_open(builder *b, int i);
void lun__execution_mask_else(builder *b, int i);
void lun__execution_mask_close(builder *b, int i);
void lun__execution_mask_leave(builder *b, int i);

#endif
