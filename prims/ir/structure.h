/* structure.h - how the control flow of a kernel nests: what is in which block, where jumps go. */
#ifndef LUN_IR_STRUCTURE_H
#define LUN_IR_STRUCTURE_H

#include "ir/ir.h"

/* Everything by instruction; -1: none. */
typedef struct lun_ir_structure {
    int32_t *parent;    /* the IF, LOOP or BLOCK around it; an ELSE or END stands beside its own */
    int32_t *target;    /* of ELSE, END: its IF, LOOP or BLOCK; of BREAK, CONTINUE: where it goes */
    int32_t *end;       /* of IF, LOOP, BLOCK: its END */
    int32_t *other;     /* of IF: its ELSE */
    uint8_t *continued; /* of LOOP: 1 if some CONTINUE goes to it */
    bool blocks;        /* some instruction opens a block */
} lun_ir_structure;

/* A rule that an IR breaks. */
typedef struct lun_ir_fault {
    int32_t at; /* instruction */
    const char *what;
} lun_ir_fault;

/* Fills *out, to be freed after LUN_OK.  LUN_ENOMEM; LUN_EARG where blocks do not nest as ir.def
 * says: then *fault says why (it may be NULL for IR that was verified). */
lun_status lun__ir_structure_find(const lun_ir *ir, lun_ir_structure *out, lun_ir_fault *fault);
void lun__ir_structure_free(lun_ir_structure *s);

/* True for what stands between a block and its end, directly or in blocks inside. */
static inline bool lun__ir_structure_is_inside(const lun_ir_structure *s, int32_t i, int32_t block)
{
    return i > block && i < s->end[block];
}

/* True if value v dominates instruction i: it has run whenever i runs. */
bool lun__ir_structure_dominates(const lun_ir_structure *s, int32_t v, int32_t i);

#endif
