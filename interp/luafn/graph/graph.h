/* graph.h - a function in SSA form: blocks, values, and how they are made.
 *
 * A graph begins with values as Lua's instructions define them, not typed yet; lowering replaces
 * them with values that are one IR instruction each. */
#ifndef LUAFN_GRAPH_H
#define LUAFN_GRAPH_H

#include "luafn/bytecode/flow.h"

/* Types of values, widest last within numbers: a join of two numbers is the larger. WI and WF are
 * weak: literals and captured numbers, which adapt to the other operand. */
typedef enum lf_type {
    LF_NONE, /* not known yet */
    LF_WI,
    LF_I32,
    LF_I64,
    LF_WF,
    LF_F32,
    LF_F64,
    LF_ZW, /* complex numbers with parts of LF_WF, LF_F32, LF_F64; luafn/type/split_complex.c ends
              them */
    LF_Z32,
    LF_Z64,
    LF_BOOL,
    LF_NIL,
    LF_MAYBE,  /* a boolean or nil */
    LF_OBJECT, /* a function, table, array, string: known while compiling, or unusable */
    LF_MIX     /* sometimes a number, sometimes not */
} lf_type;

static inline bool lf_is_int(lf_type t)
{
    return t >= LF_WI && t <= LF_I64;
}

static inline bool lf_is_float(lf_type t)
{
    return t >= LF_WF && t <= LF_F64;
}

static inline bool lf_is_number(lf_type t)
{
    return t >= LF_WI && t <= LF_F64;
}

static inline bool lf_is_complex(lf_type t)
{
    return t >= LF_ZW && t <= LF_Z64;
}

/* The complex type whose parts have that type, a float. */
static inline lf_type lf_complex_of(lf_type part)
{
    return (lf_type)(LF_ZW + (part - LF_WF));
}

/* The type of the parts of t, complex or a number: integers are weak there. */
static inline lf_type lf_part_of(lf_type t)
{
    return lf_is_complex(t) ? (lf_type)(LF_WF + (t - LF_ZW)) : lf_is_int(t) ? LF_WF : t;
}

/* The kinds of values and the meaning of their fields. Operands are arg[0] to arg[args - 1];
 * `type` is an lf_type above the line "after lowering", a lun_dtype below it. */
typedef enum lf_kind {
    /* leaves: no operands, in no block */
    LF_CONST,   /* nil, boolean, integer or float, by type: as.i, as.n */
    LF_PARAM,   /* as.i: number of the parameter; behind the call's own: the neighbours */
    LF_SCALAR,  /* captured number or boolean; as.i: source */
    LF_ELEMENT, /* captured Scalar (an array of rank 0); as.i: source */
    LF_NUMBERS, /* captured complex number: arg[] its parts; as.i: source */
    /* first in its block */
    LF_PHI, /* operands as its block's preds; as.i: variable, while the graph is built */
    /* objects: type LF_OBJECT, known while compiling */
    LF_FUNCTION,  /* captured Lua function; as.i: source */
    LF_BUILTIN,   /* function of the math library; sub: lf_math */
    LF_ROW,       /* operation of table/ops.def as a function; sub: lun_op, as.i: source */
    LF_ATOMIC,    /* operation of table/atomics.def as a function; sub: lun_atomic */
    LF_CLOSURE,   /* local function; as.closure */
    LF_AROUND,    /* parameter of a stencil, called with offsets; as.i: its number */
    LF_TABLE,     /* captured table; as.i: source */
    LF_ARRAY,     /* captured array; as.i: source. An array parameter: as.i is -1 - its number */
    LF_COMPLEXES, /* complex array, or elements around an index: arg[] its parts */
    LF_FORMER,    /* function of complex numbers; sub: lf_form, as.i: source */
    LF_STRUCT,    /* captured struct, whose calls make records; as.i: source */
    LF_BLOCKED,   /* captured blocked array, over ranks: no operation takes it */
    LF_RECORD,    /* the values of its fields; as.i: source of its struct */
    LF_RECORD_AT, /* an index of captured records; as.i: their source */
    LF_TEAM,      /* the first parameter of a team kernel */
    LF_METHOD,    /* its method as.s, or a complex number's */
    LF_STRING,    /* as.s */
    LF_OTHER,     /* captured value that no operation takes; as.i: source */
    /* operations as Lua defines them */
    LF_ARITH, /* sub: lf_arith; two operands */
    LF_NEG,   /* one operand, as the next three */
    LF_BNOT,
    LF_NOT,
    LF_TRUTH,      /* neither false nor nil? */
    LF_COMPARE,    /* sub: lf_relation; two operands */
    LF_LOAD,       /* array or part, index: an element */
    LF_PART,       /* the same: a part; sub: indices that the array has, as.i: as LF_ARRAY's */
    LF_LENGTH,     /* array or part */
    LF_CELL,       /* the old value of lf_cell number as.i; no operand */
    LF_STORE,      /* value: as an element of the array that is source as.i */
    LF_FLAT_INDEX, /* array or part, index: the row-major index of that element, from 0 */
    LF_COMBINE,    /* value: as the operand that lf_put number as.i combines with an element */
    LF_MATH,       /* sub: lf_math */
    LF_APPLY,      /* sub: lun_op; as.i: 1 if for numbers only, as math has it */
    LF_COMPLEX,    /* real part, imaginary part: a complex number */
    LF_FORM,       /* sub: lf_form of one number; as.s: what only a complex one has, or NULL */
    LF_AS,         /* a number in the type as.i */
    LF_WRITE,      /* of a team kernel: array or part, index, value: assigned at once */
    LF_IDENTITY,   /* of the operation `sub`, in the type of a value or of memory */
    LF_BARRIER,    /* barrier of a team, in method as.s; sub: lf_barrier */
    LF_CHANGE, /* array or part, index, value [, expected one]; sub: lun_atomic, as.i: as that of
                  the LF_ARRAY */
    LF_WITHIN, /* an offset along axis `sub`, from 0, of a stencil; as.i: the radius */
    /* numeric for: initial value, limit, step */
    LF_FOR_TEST,  /* runs at all? */
    LF_FOR_FIRST, /* the index, converted */
    LF_FOR_LAST,  /* integers: the last index; floats: the limit */
    LF_FOR_STEP,  /* the step, converted */
    LF_FOR_NEXT,  /* index, step: the next index */
    LF_FOR_MORE,  /* index, next index, last, step: once more? */
    /* after lowering: one IR instruction each */
    LF_IR_CONST,  /* as.bits: the cell */
    LF_IR_ARG,    /* as.i: number of the input, a scalar */
    LF_IR_GATHER, /* index; as.i: number of the input, an array */
    LF_IR_OP,   /* sub: lun_op, from: dtype of the operands; note: integer division that may fail */
    LF_IR_CAST, /* from: dtype of the operand */
    LF_IR_PUT,  /* value, index; as.i: number of the input, an array */
    LF_IR_ATOMIC,  /* value, index [, expected]; sub: lun_atomic, as.i: number of the input */
    LF_IR_BARRIER, /* as.s, sub: as of LF_BARRIER */
    LF_IR_CHECK    /* condition, value or NULL; note: its text */
} lf_kind;

typedef enum lf_arith {
    LF_ADD,
    LF_SUB,
    LF_MUL,
    LF_MOD,
    LF_POW,
    LF_DIV,
    LF_IDIV,
    LF_BAND,
    LF_BOR,
    LF_BXOR,
    LF_SHL,
    LF_SHR
} lf_arith;

/* Where a barrier may be. A request for memory is checked like one, but is none, and is removed. */
typedef enum lf_barrier_kind {
    LF_BARRIER_ALL,   /* all threads reach it together */
    LF_MEMORY_TEAM,   /* the same, and not in a loop: memory of the team */
    LF_MEMORY_THREAD, /* it is not in a loop: memory of a thread */
} lf_barrier_kind;

/* Functions of complex numbers that are no operations of table/ops.def. SELF: the number itself. */
typedef enum lf_form {
    LF_FORM_COMPLEX,
    LF_FORM_REAL,
    LF_FORM_IMAG,
    LF_FORM_CONJ,
    LF_FORM_ANGLE,
    LF_FORM_SELF
} lf_form;

typedef enum lf_relation { LF_EQ, LF_LT, LF_LE } lf_relation;

typedef struct lf_value lf_value;
typedef struct lf_block lf_block;
typedef struct lf_frame lf_frame;

/* A local function: known while compiling, so that its calls are inlined. */
typedef struct lf_closure {
    lf_proto *proto;
    lf_frame *frame; /* where it is made */
    const char *name;
    bool built_in; /* a method of t: its mistakes are reported at the caller's line */
    int alive;     /* variable: true until one of those that it captures goes out of scope */
    int *var;      /* variables that it captures, itself or through the functions around it */
    int vars;
} lf_closure;

struct lf_value {
    uint8_t kind, sub, type, from; /* from: dtype of the operands of LF_IR_OP and LF_IR_CAST */
    bool mark;                     /* scratch of one pass */
    bool narrowed;                 /* a float made of literals only that became f32 */
    int id, pc, args;
    int note;              /* the note for a failure, from 1; 0: none */
    const lf_proto *proto; /* its source, for messages */
    lf_block *block;
    lf_value **arg;
    lf_value *instead; /* replaced by this one */
    lf_value *low;     /* lowered to this one */
    lf_value *chain;
    union {
        int64_t i;
        double n;
        uint64_t bits;
        const char *s;
        lf_closure *closure;
    } as;
    lf_value *first, *last;   /* phi of a numeric for's index: bounds once lowered, else NULL */
    struct lf_access *access; /* luafn/emit/emit.c */
};

typedef enum lf_end { LF_OPEN, LF_JUMP, LF_BRANCH, LF_RETURN } lf_end;

struct lf_block {
    int id, order; /* order: number in reverse postorder, -1 if unreachable */
    lf_end end;
    lf_block *succ[2]; /* BRANCH: where cond holds first */
    lf_value *cond;
    lf_list preds, phis, ops;
    /* while the graph is built */
    bool sealed;         /* all predecessors are known */
    lf_list waiting;     /* phis of an open loop header */
    lf_list split;       /* and those of records, each a phi for each of its values */
    const lf_span *loop; /* the loop that this header begins */
    const lf_frame *frame;
    /* of the finished graph */
    lf_block *idom, *leap;               /* leap: a block further up the dominator tree */
    int deep;                            /* in that tree */
    int below, size;                     /* its number there, and how many descendants follow */
    const lf_block *seen;                /* scratch of one pass */
    struct lf_loop *in;                  /* the innermost loop around it */
    bool reached;                        /* control may come here */
    bool edge[2];                        /* and leave by this edge */
    int place[2];                        /* among the predecessors of succ[way] */
    struct lf_item *item, *edge_item[2]; /* both: luafn/emit/control_tree.h */
};

/* One body being inlined. */
struct lf_frame {
    lf_proto *proto;
    lf_frame *caller;
    int call_pc, depth;
    int source;                /* a captured function's, or -1 */
    const lf_closure *closure; /* a local function's, or NULL */
    bool built_in;             /* that one is */
    int base;                  /* variable of register 0 */
    lf_block *entry;
};

typedef struct lf_var {
    const lf_frame *frame;
    const lf_closure *closure; /* whose `alive` this is, or NULL */
    int reg;                   /* -1: none */
    lf_list writers;           /* closures made so far that assign it */
    bool always;               /* any loop may assign it: an element */
} lf_var;

typedef struct lf_graph {
    lf_unit *u;
    lf_block *entry, *exit;
    lf_list blocks;
    lf_list order;   /* reachable blocks in reverse postorder */
    lf_list results; /* of the function, used in exit */
    int values;      /* ids given */
    int inlined;     /* inlined calls */
    int loops;       /* headers translated */
    int unrolled;    /* values of the second and further rounds of unrolled loops */
    const lf_proto *proto;
    lf_value **constant; /* hash table */
    int constants, constant_room;

    /* while it is built */
    lf_block *now; /* where instructions go */
    lf_var *var;
    int vars, var_room;
    struct lf_def *def; /* hash table (block, variable) -> value */
    int defs, def_room;
    lf_list pending; /* phis without operands */
    lf_list closures;
} lf_graph;

lf_block *luafn_graph_block(lf_graph *g);
lf_value *luafn_graph_value(lf_graph *g, lf_kind kind, int args);
/* The value that has replaced v, or v. */
lf_value *luafn_graph_find(lf_value *v);

/* One value for each constant. */
lf_value *luafn_graph_constant(lf_graph *g, lf_kind kind, unsigned type, uint64_t bits);
lf_value *luafn_graph_nil(lf_graph *g);
lf_value *luafn_graph_bool(lf_graph *g, bool b);
lf_value *luafn_graph_int(lf_graph *g, int64_t i);
/* An integer of such a type. */
lf_value *luafn_graph_whole(lf_graph *g, unsigned type, int64_t i);
lf_value *luafn_graph_float(lf_graph *g, double n);
static inline bool lf_is_const(const lf_value *v, lf_type t)
{
    return v->kind == LF_CONST && v->type == t;
}
/* A constant integer: weak, or the index of a loop in a known round. */
static inline bool lf_is_whole(const lf_value *v)
{
    return v->kind == LF_CONST && lf_is_int((lf_type)v->type);
}

void luafn_graph_jump(lf_graph *g, lf_block *from, lf_block *to);
void luafn_graph_branch(lf_graph *g, lf_block *from, lf_value *cond, lf_block *yes, lf_block *no);

/* Variables: `count` new ones of a frame, registers or (reg < 0) others. */
int luafn_graph_vars(lf_graph *g, const lf_frame *frame, int count, int reg);
void luafn_graph_write(lf_graph *g, int var, lf_block *b, lf_value *v);
/* Its value at the present end of b. */
lf_value *luafn_graph_read(lf_graph *g, int var, lf_block *b);
/* A phi of the variable in a sealed b; and has it filled, once the variable is written at the ends
 * of b's predecessors. */
lf_value *luafn_graph_phi(lf_graph *g, lf_block *b, int var);
void luafn_graph_fill(lf_graph *g, lf_value *phi);
/* b gets no more predecessors. */
void luafn_graph_seal(lf_graph *g, lf_block *b);

/* ---- fold_lua.c ------------------------------------------------------------------------------ */

/* Lua's arithmetic on two constants; NULL if it would raise an error. */
lf_value *luafn_fold_lua(lf_graph *g, lf_arith op, const lf_value *a, const lf_value *b);

/* The type in which elements of a dtype are computed: small integers are i32, unsigned ones i64. */
lf_type luafn_graph_type_of(lun_dtype t);

/* ---- cfg.c: on a finished graph -------------------------------------------------------------- */

/* Reverse postorder of reachable blocks; drops edges from elsewhere, phis with one operand, blocks
 * that only continue another. */
void luafn_cfg_simplify(lf_graph *g);
void luafn_cfg_order(lf_graph *g);
void luafn_cfg_dominators(lf_graph *g);
bool luafn_cfg_dominates(const lf_block *a, const lf_block *b);
/* A natural loop; the innermost one around a block is its `in`. */
typedef struct lf_loop {
    struct lf_loop *parent;
    lf_block *header;
    /* luafn/improve/hoist.c */
    lf_block *exit; /* the target of all its exits, NULL: there are several */
    int exits;
    lf_list uses; /* lf_value **: of its values, behind it */
} lf_loop;

/* Finds the loops of an ordered graph. */
void luafn_cfg_loops(lf_graph *g);
bool luafn_cfg_is_header(const lf_block *b);
bool luafn_cfg_in_loop(const lf_block *b, const lf_loop *loop);
/* Removes unused values; those with an effect are roots. */
void luafn_cfg_sweep(lf_graph *g, bool (*effect)(const lf_value *v));
void luafn_cfg_drop_pred(lf_block *b, int index);
void luafn_cfg_replace_pred(lf_block *b, lf_block *old, lf_block *new);

#endif
