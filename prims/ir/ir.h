/* ir.h - kernel IR: what one kernel computes, for every producer and every renderer.
 *
 * Typed SSA in one array of instructions, in order of evaluation; an operand is the index of an
 * earlier instruction.  The kernel runs its body for every index i of 0 .. n-1.  Buffers are
 * numbered slots, scalars numbered arguments, whose contents come with a launch.  Nothing of a
 * script's data is in it: equal IR means equal kernel.
 */
#ifndef LUN_IR_H
#define LUN_IR_H

#include <stdbool.h>
#include <stdint.h>

#include "base/strbuf.h"
#include "ir/kind.h"
#include "lunarray.h"
#include "table/op.h"

/* As many as arrays here hold. */
enum {
    LUN_IR_INPUTS = LUN_MAX_OPERANDS, /* values that one instruction reads: a CALL the most */
    LUN_IR_SINKS = 64,                /* REDUCEs in a kernel */
    LUN_FRONT_SCALARS = 64,           /* numbers that a function captures */
    LUN_FRONT_ARRAYS = 32,            /* arrays that it captures */
    LUN_FRONT_WINDOWS = 52            /* windows of these whose elements it takes */
};

/* What a, b, c, imm and the further fields hold hangs on the kind: see ir.def. */
typedef struct lun_ir_ins {
    uint8_t kind;  /* lun_ir_kind */
    uint8_t dtype; /* of the value; of the combined values for SCAN and REDUCE */
    uint8_t from;  /* dtype of the operands */
    union {
        uint8_t inclusive;  /* SCAN: the combination for i has element i in it */
        uint8_t with_index; /* REDUCE: the index of the result is a result, too */
    };
    int32_t op; /* lun_op, or LUN_OP_COUNT */
    int32_t a, b, c;
    /* By a function of more than the two values: 1 + the kernel's argument that its third parameter
     * takes, the further ones follow; else 0. */
    int32_t captured;
    int32_t arrays; /* the same of its array parameters: 1 + the slot of the first one; else 0 */
    int32_t unused; /* 0: a kernel is found by all bytes of its instructions and slots */
    int64_t imm;
} lun_ir_ins;

typedef enum lun_ir_role {
    LUN_SLOT_IN,      /* n elements, read at i (or gathered) */
    LUN_SLOT_OUT,     /* n elements, written at i; may be the same memory as an IN slot */
    LUN_SLOT_UNIFORM, /* one element, read */
    LUN_SLOT_ARRAY,   /* a whole array, gathered from or handed to a function */
    /* a whole array, into which elements are put, and from which they may be gathered; no other
     * slot is its memory */
    LUN_SLOT_TARGET
} lun_ir_role;

typedef struct lun_ir_slot {
    uint8_t dtype, role;
    /* TARGET, memory of a team: barriers lie between what its threads put and what they gather, so
     * that all of them find the same in an element */
    bool settled;
    uint8_t unused[5]; /* 0 */
    /* TARGET: index i alone puts and gathers the elements from (i - j) * own on, so many, zero at
     * first; j is the first index of the launch.  0: any index does */
    int64_t own;
    /* The same of a team and its number, in a kernel of teams: its threads alone put and gather
     * them, in memory that they may share and no other team sees.  -1 - k: argument k says how
     * many. */
    int64_t shared;
} lun_ir_slot;

/* What may fail in a function given as C text. */
typedef struct lun_ir_slip {
    char *text; /* the message; of an index: with two %lld, for it and the length */
    int param;  /* of an index: the array parameter; -1: a division */
} lun_ir_slip;

enum { LUN_IR_FAULT_BITS = 12 };

/* An element around an index that a function takes, of the call's operand `param`: so many indices
 * further along each of `axes` axes. */
typedef struct lun_neighbour {
    int param;
    lun_dtype dtype; /* in which it is taken */
    int axes, line;  /* line: of a C text, where it is asked for; else 0 */
    int64_t by[LUN_MAX_RANK];
} lun_neighbour;

/* A user's function, in one of two forms. C: text is a complete C definition (with its helpers)
 * in which the entry is called `name`; it is compiled as it stands; outputs 0: the result is 0,
 * and means nothing.  Pointer parameters take an ARRAY slot.  A launch that fails in it reports 1
 * + the number of the fault in the low LUN_IR_FAULT_BITS of the trap's value, above them an
 * index.  Used by CALL, REDUCE and SCAN. IR: body is IR without LOAD, STORE, REDUCE and SCAN, in
 * which ARG k is the k-th scalar parameter and slot k (role ARRAY) the k-th array parameter; its
 * values are output[0..outputs).  Lowering copies it into kernels; REDUCE and SCAN refer to it. */
struct lun_ir;
struct lun_ir_function {
    char *text, *name;
    struct lun_ir *body; /* NULL for the C form */
    int32_t output[LUN_MAX_OUTPUTS];
    int outputs;
    const char *const *notes; /* of a combiner; else they go with each use */
    const char *types;        /* what a front end found out, for people; NULL: nothing */
    int note_count;           /* messages for what may fail in it */
    int params;
    struct {
        uint8_t dtype, pointer;
        uint8_t written; /* a pointer by which elements are assigned: it takes a TARGET slot */
        uint8_t atom;    /* of these: 1 + the lun_atomic by which alone they are; 0: else */
        int of;          /* the call's operand that it takes, or whose length; not of a neighbour */
    } param[LUN_IR_INPUTS];
    /* of the C form: operands that a call has; what the first parameters are, if not these; lengths
     * of operands that the last ones are */
    int operands, neighbours, lengths;
    lun_neighbour *neighbour;
    lun_ir_slip *faults; /* of the C form */
    int fault_count;
    bool asks; /* of the C form: its loops ask whether they shall stop */
    /* Of the C form, of teams: it has barriers, and a call is for a whole team; its result is a
     * line of a barrier that some threads reach without the others, 0: there was none. */
    bool has_barriers;
    /* The engine that used it last and, of all that this engine has used, its number, from 1; of a
     * front end's alone.  What outlives it knows another one at its address by these. */
    const lun_engine *used_by;
    uint64_t number;
    uint8_t result;
};
typedef struct lun_ir_function lun_ir_function;

/* What a trap in a combiner's body reports: the instruction there, in the low bits; above them, if
 * bit LUN_IR_WHERE_BITS is set, the i64 that a CHECK reports, of at most 43 bits; of another kind
 * of instruction they mean nothing. */
enum { LUN_IR_WHERE_BITS = 19 };
static inline int64_t lun__ir_inner_trap(int64_t where, int64_t value)
{
    bool fits = value >= -(INT64_C(1) << 42) && value < INT64_C(1) << 42;
    uint64_t field = (uint64_t)value << 1 | 1;
    return fits ? (int64_t)(field << LUN_IR_WHERE_BITS) | where : where;
}

/* Dtype of the k-th scalar parameter of a combiner. */
lun_dtype lun__ir_function_param(const lun_ir_function *f, int k);
/* How many it has; the third one and those behind it are arguments of the kernel. */
int lun__ir_function_params(const lun_ir_function *f);
/* How many arrays it indexes: slots of the kernel. */
int lun__ir_function_arrays(const lun_ir_function *f);

typedef struct lun_ir {
    lun_ir_ins *ins;
    int count, ins_room;
    lun_ir_slot *slots;
    int slot_count, slot_room;
    uint8_t *args; /* dtype of each scalar argument */
    int arg_count, arg_room;
    int32_t *operands; /* of CALLs: a value, or -1 - slot for a whole array */
    int operand_count, operand_room;
    lun_ir_function **functions; /* borrowed */
    int function_count, function_room;
    uint8_t *results; /* dtype of each reduction's result */
    int result_count, result_room;
    int scan;    /* the SCAN instruction, or -1 */
    int threads; /* of a team, in a kernel of teams; 0: it has none */
} lun_ir;

/* Bytes of memory that an IR takes, without its functions. */
int64_t lun__ir_bytes(const lun_ir *ir);

/* ---- functions in a language of their own (plain Lua functions) -------------------------------
 * A front end makes the IR of a function for given parameter types when a skeleton is called: one
 * function serves every dtype.  Parameters of the body: the elements, then the call's extra
 * arguments, then elements of windows, then what the function captures; scalars and arrays are
 * numbered apart. */
typedef struct lun_front_param {
    lun_dtype dtype;
    bool array, weak; /* a whole array; a script's number */
    uint8_t index;    /* lun_front_indexing */
    bool writes;      /* the function may assign elements of arrays at its indices: stores */
    bool pitched;     /* of a whole array: shape[rank] elements from one row to the next */
    int rank;         /* of a whole array and of what is around an index, else 0 */
    /* of what is around an index: the radius, -1: not given; of a team's numbers: lun_front_team */
    int64_t shape[LUN_MAX_RANK];
    lun_dtype stored; /* of a whole array: that of its elements in memory, not as computed */
} lun_front_param;

/* Elements that are the indices of what is generated: bounds and windows may be of known ones. */
typedef enum lun_front_indexing {
    LUN_FRONT_ELEMENT,
    LUN_FRONT_KNOWN,
    LUN_FRONT_CHECKED,  /* the body checks them: no bounds; windows reach beyond their arrays */
    LUN_FRONT_GATHERED, /* nor are there windows */
    LUN_FRONT_AROUND,   /* of a stencil: what is around an index, asked for by offsets */
    LUN_FRONT_TEAM      /* of a team kernel: lun_front_numbers, all i64 */
} lun_front_indexing;

/* The first parameters of a team kernel, in place of the function's first one: the numbers of the
 * team in the league and of the thread in its team, from 0; the league's extents; the number of the
 * launch's first team, from 0, to which scratch memory belongs from element 0 on. */
enum { LUN_TEAM_AXES = LUN_MAX_RANK };
enum {
    LUN_FRONT_BLOCK,
    LUN_FRONT_THREAD,
    LUN_FRONT_BLOCKS,
    LUN_FRONT_BASE = LUN_FRONT_BLOCKS + LUN_TEAM_AXES,
    LUN_FRONT_NUMBERS
};

/* What is known of a team when its kernel is compiled is the shape of some of these parameters. */
enum {
    LUN_TEAM_RANK = LUN_FRONT_BLOCK,     /* its first: extents of the league are 1 from there on */
    LUN_TEAM_THREADS = LUN_FRONT_THREAD, /* extents */
    LUN_TEAM_ELEMENTS = LUN_FRONT_BLOCKS /* of a thread, along each axis */
};

/* The product of extents from axis `from` on. */
static inline int64_t lun_team_product(const int64_t extent[LUN_TEAM_AXES], int from)
{
    int64_t n = 1;
    for (int k = from; k < LUN_TEAM_AXES; k++)
        n *= extent[k];
    return n;
}

/* An extent of a team's memory that each launch has anew: `by` times argument `from` of the body,
 * and `plus`; by 0: it is known.  The body takes it as argument `to`, -1: it does not. */
typedef struct lun_front_extent {
    int16_t from, to;
    int32_t by, plus;
} lun_front_extent;

/* Memory of a team, or of each thread of one, zero at first: `count` elements, in rows if it has
 * more than one extent. */
typedef struct lun_front_scratch {
    lun_dtype dtype;
    bool own;     /* each thread's: for a team, threads * count */
    bool settled; /* as that of lun_ir_slot */
    bool given;   /* some extents are those of a launch, and with them the count, */
    int16_t to;   /* which the body takes as this argument, -1: it does not */
    int note;     /* of an integer that is no extent; the next one: of a float */
    int64_t count;
    int rank; /* 0: one extent, the count */
    int32_t extent[LUN_MAX_RANK];
    lun_front_extent of[LUN_MAX_RANK];
} lun_front_scratch;
enum { LUN_FRONT_SCRATCHES = 48 };

/* An index of an axis, from 1: what parameter `param` is, plus shift; param -1: shift. */
typedef struct lun_front_index {
    int param;
    int64_t shift;
} lun_front_index;

/* An index that the body does not check: the caller sees to it that it lies within. */
typedef struct lun_front_bound {
    lun_array *array; /* borrowed */
    int axis;         /* from 0 */
    lun_front_index at;
} lun_front_bound;

/* The array's element at these indices, one for each of its axes. */
typedef struct lun_front_window {
    lun_array *array; /* borrowed */
    lun_front_index at[LUN_MAX_RANK];
} lun_front_window;

/* What becomes of an element and a value that it is assigned. */
typedef enum lun_combining {
    LUN_COMBINING_NONE, /* the value replaces it */
    LUN_COMBINING_ADD,
    LUN_COMBINING_MUL,
    LUN_COMBINING_BAND,
    LUN_COMBINING_BOR,
    LUN_COMBINING_BXOR,
    LUN_COMBINING_MIN,   /* the first operand, unless the second one is less */
    LUN_COMBINING_MAX,   /* the same, unless it is more */
    LUN_COMBINING_LEAST, /* as the operation min: NaN if either is */
    LUN_COMBINING_MOST
} lun_combining;

/* Elements that a function assigns: outputs say what, each index's in turn. */
typedef struct lun_front_store {
    lun_front_window to; /* the next output becomes that element */
    bool scattered;      /* any: the next output is its row-major index in to.array, from 0, -1: */
    lun_combining how;   /* none, the one behind a value; to.at says nothing */
    bool behind;         /* the element is the second operand */
    int note;            /* of an integer that does not fit into an element; -1: all do */
} lun_front_store;

typedef struct lun_front_result {
    lun_ir_function *function; /* owned by the front end until its release */
    int scalars, arrays;       /* what it captures */
    /* in place of parameters that are around an index, the body's first ones; the front end's */
    const lun_neighbour *neighbour;
    int neighbours;
    lun_value scalar[LUN_FRONT_SCALARS];
    lun_dtype scalar_dtype[LUN_FRONT_SCALARS]; /* the dtype in which the body takes it */
    lun_array *array[LUN_FRONT_ARRAYS];        /* borrowed: alive until the call returns */
    const lun_front_bound *bounds;             /* these and the windows until the next call */
    const lun_front_window *windows;           /* scalar parameters of the body, see above */
    const lun_front_store *stores;             /* these as well */
    const int *store_sources;                  /* of each of these: which one of what is captured */
    /* of a team kernel: array parameters of the body behind the call's own; an array of `array`, or
     * of the call, that the function assigns is a TARGET of the body */
    const lun_front_scratch *scratch;
    int scratches;
    bool assigns; /* a team kernel assigns elements of others, perhaps where it never comes to */
    const char *const *names;   /* by array of the body, in a team kernel */
    lun_array *const *captured; /* what the function captures, NULL where that is no array */
    int bound_count, window_count, store_count, captured_count;
    /* texts for what may fail: note number -> "script:line: message", where %lld stands for the
     * integer and %g for the float that is reported */
    const char *const *notes;
    int note_count;
} lun_front_result;

typedef struct lun_front {
    void *ctx;
    int params; /* what follows the elements of a call has to have one */
    /* error: where to write what cannot be compiled, with file:line */
    lun_status (*specialise)(void *ctx, const lun_front_param *params, int count,
                             lun_front_result *out, lun_strbuf *error);
    /* Whether it is known before there are arrays that a stencil of this function fails.  Elements
     * are LUN_FRONT_AROUND; their rank is that which the options have, 0: not known. */
    lun_status (*foresee)(void *ctx, const lun_front_param *params, int count, lun_strbuf *error);
    void (*release)(void *ctx);
    /* Of C text that writes arrays, else NULL: the function, owned by the front end, as it is
     * called for each index.  Behind the index in the launch it takes of each axis of a loop, of
     * which there are `axes`, the first index, from 0, and the extent; then what the text does
     * behind its first `axes` parameters, which are these indices. */
    lun_status (*in_place)(void *ctx, int axes, lun_ir_function **out, lun_strbuf *error);
} lun_front;

/* Makes a function of the engine from a front end; its last release calls front.release. */
lun_status lun__make_function_front(lun_engine *e, const lun_front *front, lun_function **out);

void lun__ir_init(lun_ir *ir);
void lun__ir_free(lun_ir *ir); /* its arrays, not the functions */

/* Each of these appends and returns the index (value, slot, argument, operand, function) or -1
 * without memory. */
int lun__ir_add(lun_ir *ir, lun_ir_ins ins);
int lun__ir_slot_add(lun_ir *ir, lun_dtype dtype, lun_ir_role role);
int lun__ir_arg_add(lun_ir *ir, lun_dtype dtype);
int lun__ir_operand_add(lun_ir *ir, int32_t operand);
int lun__ir_function_add(lun_ir *ir, lun_ir_function *f);
int lun__ir_result_add(lun_ir *ir, lun_dtype dtype);
/* Makes *to, to be freed in every case, of another one's parts but its functions, which are lent.
 * False without memory. */
bool lun__ir_copy_plain(const lun_ir *from, lun_ir *to);
/* The same of its slots and arguments alone. */
bool lun__ir_copy_outside(const lun_ir *from, lun_ir *to);

/* What a launch fails with where an instruction of this kind traps: a CHECK, else a division. */
static inline lun_status lun__ir_trap_status(int kind)
{
    return kind == LUN_IR_CHECK ? LUN_EBOUNDS : LUN_EZERO;
}

static inline bool lun__ir_has_value(const lun_ir_ins *ins)
{
    return lun__ir_row(ins->kind)->value;
}

/* Indices of a team where a backend runs kernels of teams: its threads' and, behind them, some of
 * nobody, so that blocks of any size that is a power of two hold whole teams. */
static inline int64_t lun__ir_lanes(const lun_ir *ir)
{
    int64_t lanes = 1;
    while (lanes < ir->threads)
        lanes *= 2;
    return lanes;
}

/* The values that an instruction of ir reads, in order; returns how many.  Where they stand in a,
 * b, c, in[k] is the k-th of these. */
int lun__ir_inputs(const lun_ir *ir, const lun_ir_ins *ins, int32_t in[LUN_IR_INPUTS]);
/* True for an instruction that may end the launch: a CHECK, an integer division unless by a
 * constant other than 0. */
bool lun__ir_may_fail(const lun_ir *ir, const lun_ir_ins *ins);
/* Whether a kernel of teams has barriers. */
bool lun__ir_has_barriers(const lun_ir *ir);
/* Whether a kernel puts elements at computed indices, element by element. */
bool lun__ir_puts(const lun_ir *ir);
/* Whether an element that a kernel computes is the same whichever index it is computed for: it asks
 * for none, and gathers and puts nothing by one. */
bool lun__ir_any_index(const lun_ir *ir);
/* Whether it is a REDUCE that gives an index, too. */
static inline bool lun__ir_gives_index(const lun_ir_ins *ins)
{
    return ins->kind == LUN_IR_REDUCE && ins->with_index;
}
/* Number of the message for its failure, -1: none. */
int64_t lun__ir_note(const lun_ir_ins *ins);
/* The function by which it combines values, NULL: none, or an operation. */
const lun_ir_function *lun__ir_combiner(const lun_ir *ir, const lun_ir_ins *ins);
/* Rough cost of the body for one element, in plain operations. */
int64_t lun__ir_cost(const lun_ir *ir);

/* Copies a function's body into ir: params are values of ir (scalar parameters, in order), arrays
 * are slots of ir (array parameters, in order); writes the values of its outputs to result[]. */
lun_status lun__ir_inline(lun_ir *ir, const lun_ir_function *f, const int32_t *params,
                          const int32_t *arrays, int32_t *result);

/* The canonical text: one instruction a line; equal texts mean equal kernels. */
lun_status lun__print_ir(const lun_ir *ir, lun_strbuf *out);
/* Checks every rule above; on a violation returns LUN_EARG and says which in why. */
lun_status lun__ir_verify(const lun_ir *ir, lun_strbuf *why);

#endif
