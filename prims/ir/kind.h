/* kind.h - ir.def expanded: what the kinds of kernel instructions have in common with one another.
 * The columns' meaning is in ir.def. */
#ifndef LUN_IR_KIND_H
#define LUN_IR_KIND_H

#include <stdint.h>

typedef enum lun_ir_kind {
#define LUN_IR(kind, ...) LUN_IR_##kind,
#include "ir/ir.def"
#undef LUN_IR
    LUN_IR_KIND_COUNT
} lun_ir_kind;

/* a, b, c: from BOOL on, values. */
enum {
    LUN_HOLD_NONE,
    LUN_HOLD_LIST,
    LUN_HOLD_COUNT,
    LUN_HOLD_FUNCTION,
    LUN_HOLD_BOOL,
    LUN_HOLD_ELEMENT,
    LUN_HOLD_KEY,
    LUN_HOLD_SAME,
    LUN_HOLD_FROM,
    LUN_HOLD_OPERAND,
    LUN_HOLD_START,
    LUN_HOLD_CELL,
    LUN_HOLD_REPORT,
    LUN_HOLD_VARIABLE,
    LUN_HOLD_ASSIGNED
};

/* imm */
enum {
    LUN_IMM_NONE,
    LUN_IMM_ARG,
    LUN_IMM_BITS,
    LUN_IMM_SLOT,
    LUN_IMM_FUNCTION,
    LUN_IMM_RESULT,
    LUN_IMM_DEPTH,
    LUN_IMM_NOTE,
    LUN_IMM_NOTE1
};

/* fields */
enum {
    LUN_FIELD_FROM = 1,
    LUN_FIELD_OPERATION = 2,
    LUN_FIELD_COMBINER = 4,
    LUN_FIELD_INCLUSIVE = 8,
    LUN_FIELD_INDICES = 16,
    LUN_FIELD_ATOM = 32
};

/* effects */
enum {
    LUN_EFFECT_INDEX = 1,
    LUN_EFFECT_READS = 2,
    LUN_EFFECT_WRITES = 4,
    LUN_EFFECT_FAILS = 8,
    LUN_EFFECT_VARIABLE = 16,
    LUN_EFFECT_TEAMS = 32
};

/* varies */
enum { LUN_VARIES_NEVER, LUN_VARIES_ALWAYS, LUN_VARIES_OPERANDS, LUN_VARIES_CONTROL };

/* flow */
enum {
    LUN_FLOW_NONE,
    LUN_FLOW_OPEN,
    LUN_FLOW_BRANCH,
    LUN_FLOW_OTHER,
    LUN_FLOW_CLOSE,
    LUN_FLOW_LEAVE
};

typedef struct lun_ir_row {
    const char *text;
    uint8_t value, hold[3], imm, slots, fields, effects, cost, varies, flow;
    uint8_t inputs; /* how many of hold[] are values: the first ones */
} lun_ir_row;

extern const lun_ir_row lun__ir_rows[LUN_IR_KIND_COUNT];

/* Row of a kind below LUN_IR_KIND_COUNT. */
static inline const lun_ir_row *lun__ir_row(int kind)
{
    return &lun__ir_rows[kind];
}

#endif
