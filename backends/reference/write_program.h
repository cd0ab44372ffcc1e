/* write_program.h - kernel IR made into steps over blocks of elements, ready to be interpreted.
 *
 * liveness.c finds what must run and how long values live, write_program.c assigns registers and
 * writes the steps, interp.c runs them. None of them knows of chunks' order or of threads. */
#ifndef LUN_WRITE_PROGRAM_H
#define LUN_WRITE_PROGRAM_H

#include "ir/structure.h"
#include "reference/instruction_loops.h"
#include "table/atomic.h"
#include "table/dtype.h"

/* ---- reference_atomics.c --------------------------------------------------------------------- */
/* Atomic operations of the interpreter on elements of memory. */

/* Where the mask (NULL: everywhere) holds, for i < n in order: d[i] = element at[i] of the slot,
 * which becomes what it and a[i] come to; c: what is expected, or NULL. */
typedef void lun_loop_atomic(void *slot, void *d, const void *a, const int64_t *at, const void *c,
                             const uint8_t *mask, int64_t n);

/* NULL: elements of that dtype do not have it. */
lun_loop_atomic *lun__reference_atomic_loop(lun_atomic which, lun_dtype t);

/* ---- programs ---------------------------------------------------------------------------------
 * */

enum {
    LUN_BLOCK_MOST = 1024,       /* elements of a block */
    LUN_BLOCK_LEAST = LUN_BLOCK, /* also that of functions, which combine pairs of elements */
    LUN_REGISTER_BYTES =
        1 << 18 /* what the registers of one worker may take, if blocks can shrink */
};

/* Where operands are found: a register, or memory of a slot at the block's first element. */
typedef struct lun_operand {
    int32_t slot;   /* -1: none */
    int64_t offset; /* of the register, in bytes per element of a block; -1: none */
    uint8_t bytes;  /* of an element */
} lun_operand;      /* with both: the slot, or the register while stores bypass the caches */

typedef enum lun_step_kind {
    LUN_STEP_OP,     /* d = op(a, b, c) */
    LUN_STEP_DIVIDE, /* the same, and an element b == 0 is an error */
    LUN_STEP_CAST,
    LUN_STEP_VALUE,   /* d = what fn.value gives for a, b, imm */
    LUN_STEP_COPY,    /* d = a */
    LUN_STEP_STORE,   /* d = a, d in a slot; nothing to do where a was computed there */
    LUN_STEP_BLEND,   /* d = a where the mask holds */
    LUN_STEP_CHECK,   /* a must hold, else b is reported */
    LUN_STEP_BARRIER, /* nothing: every step is done for all threads of a team; of a crew: MEET */
    LUN_STEP_ATOMIC,  /* d = what elements b of slot imm were, which a, and c, change */
    LUN_STEP_PUT,     /* elements b of slot imm = a */
    LUN_STEP_REDUCE,  /* imm: which reduction */
    LUN_STEP_TOTAL,   /* the scan's reduction */
    LUN_STEP_SCAN,
    /* Masks; `jump` is taken where no element is left. */
    LUN_STEP_SPLIT,  /* d = a and b; c (or -1) = a and not b; jump if d is empty */
    LUN_STEP_MASK,   /* d = a */
    LUN_STEP_DROP,   /* d loses the elements of a */
    LUN_STEP_CLEAR,  /* d = none */
    LUN_STEP_ANY,    /* jump if a is empty */
    LUN_STEP_REPEAT, /* d = a if a >= 0; jump if d is not empty */
    LUN_STEP_JUMP
} lun_step_kind;

struct run;
struct lun_step;
/* Computes s->d on a block; mask: of the elements that take part, or NULL. */
typedef void lun_step_value(struct run *r, const struct lun_step *s, const uint8_t *mask);
/* interp.c: of a kind of instruction whose value hangs on a, b, imm alone; NULL: there is none. */
lun_step_value *lun__interp_value(int kind);

typedef struct lun_step {
    uint8_t kind;
    uint8_t size;             /* log2 of the bytes of an element; VALUE: of the result */
    int32_t ins;              /* the IR instruction */
    int32_t d, a, b, c, mask; /* operands; mask: -1 outside of control flow */
    int32_t jump;
    int64_t imm;
    union {
        lun_loop_op op;
        lun_loop_cast cast;
        lun_step_value *value;
        lun_loop_atomic *atomic;
    } fn;
} lun_step;

/* A value that is the same for every element: written once per call. */
typedef struct lun_uniform {
    int32_t operand;
    uint8_t kind, size; /* LUN_IR_CONST, ARG or LOADU; log2 of the bytes */
    int64_t imm;
} lun_uniform;

/* A REDUCE, or the SCAN: how cells are combined. */
typedef struct lun_reducer {
    int32_t op;                 /* LUN_OP_COUNT: function */
    int32_t function;           /* which of the interpreter's programs */
    int32_t result;             /* -1: the scan */
    uint8_t dtype, bytes, size; /* size: log2 of bytes */
    uint8_t lanes;              /* op is COMM and has an identity */
    uint8_t inclusive, gives_index;
    uint64_t identity;
    int32_t ins;
    int32_t captured; /* function: the first argument that it captures */
    int32_t arrays;   /* and the first slot */
} lun_reducer;

typedef struct lun_program {
    lun_step *steps;
    int count;
    lun_operand *operands;
    int operand_count;
    lun_uniform *uniforms;
    int uniform_count;
    int64_t bytes;     /* of all registers, per element of a block */
    int64_t block;     /* elements */
    int32_t base_mask; /* operand: 1 for real elements, 0 for padding; -1 without control flow */
    int32_t work;      /* operand with room for a block of the widest element; -1: not needed */
    int32_t input[2], output; /* operands of a function's parameters and its value */
} lun_program;

typedef enum lun_program_part {
    LUN_PART_BODY,    /* everything */
    LUN_PART_TOTAL,   /* what the SCAN combines, and that reduction */
    LUN_PART_FUNCTION /* a function's body */
} lun_program_part;

/* What liveness.c finds out about an IR, by instruction. */
typedef struct lun_flow {
    lun_ir_structure blocks;
    bool control;    /* there is control flow, or variables */
    bool copy_loads; /* stores happen inside of it: LOADs may not wait */
    uint8_t *needed;
    uint8_t *alias;   /* GET: the variable itself can be read */
    uint8_t *forward; /* the value may be computed in the slot of its only STORE */
    int32_t *last;    /* position of the last use; count: at the end of all */
    int32_t *store;   /* by value: its only STORE, -1: none, -2: several */
    uint8_t *sunk;    /* STORE: happens at the end of all */
} lun_flow;

/* LUN_OK; LUN_ENOMEM; LUN_EARG for blocks that do not nest. output: the value a FUNCTION gives. */
lun_status lun__liveness_find(const lun_ir *ir, lun_program_part part, int32_t output,
                              lun_flow *flow);
void lun__liveness_free(lun_flow *flow);

/* Makes the steps. reducers (in order of their instructions; the scan's included) tell which one a
 * REDUCE is. version: of the bits. LUN_OK, LUN_ENOMEM, or LUN_EBACKEND for what cannot be
 * interpreted. */
lun_status lun__program_make(const lun_ir *ir, lun_program_part part,
                             const lun_ir_function *function, const lun_loops *loops, int version,
                             const lun_reducer *reducers, int reducer_count, lun_program *out);
void lun__program_free(lun_program *p);

#endif
