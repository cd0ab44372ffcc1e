/* builder.h - a program while it is written: shared by program.c and control.c alone. */
#ifndef LUN_BUILDER_H
#define LUN_BUILDER_H

#include "reference/program.h"

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
    const void *const *math;
    const lun_reducer *reducers;
    int reducer_count;
    lun_program *p;
    lun_flow flow;
    int step_room, place_room, uniform_room;
    int32_t *place;        /* by value */
    int32_t *dies, *after; /* values by the position where they die: head, next */
    int64_t *free_registers[4];
    int free_count[4], free_room[4];
    arm *arms;
    int depth;
    lun_step spare;
    lun_status status;
} builder;

/* program.c: remembers the first failure; registers of 1 << size bytes an element; a step (never NULL:
 * without memory one that is thrown away; valid until the next one); where a value is found. */
void lun__build_fail(builder *b, lun_status status);
int32_t lun__build_take(builder *b, int size);
void lun__build_give(builder *b, int32_t place);
lun_step *lun__build_step(builder *b, lun_step_kind kind, int ins);
static inline int32_t lun__build_at(const builder *b, int32_t value)
{
    return value < 0 ? -1 : b->place[value];
}

/* control.c: IF, LOOP, BLOCK; ELSE; END; BREAK and CONTINUE. */
void lun__build_open(builder *b, int i);
void lun__build_else(builder *b, int i);
void lun__build_close(builder *b, int i);
void lun__build_leave(builder *b, int i);

#endif
