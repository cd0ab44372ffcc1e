/* compile.h - the compilation of one Lua function for given parameters: what its passes share.
 *
 * build (bytecode to graph) -> infer (types) -> lower (graph to IR values) -> reshape, narrow, unload
 * (smaller code) -> tree (structured control flow) -> emit (lun_ir). */
#ifndef LUAFN_COMPILE_H
#define LUAFN_COMPILE_H

#include "luafn/capture/capture.h"
#include "luafn/capture/program.h"
#include "luafn/ssa/graph.h"

/* A parameter of the body: a scalar or a whole array. */
typedef enum lf_origin {
    LF_FROM_PARAM,   /* parameter `number` of the function */
    LF_FROM_SOURCE,  /* captured: source `number` */
    LF_FROM_SCALAR,  /* the same, an array of rank 0: a scalar of the body, after the others */
    LF_PARAM_LENGTH, /* elements of an array that is a parameter */
    LF_SOURCE_LENGTH /* first extent of a captured array */
} lf_origin;

typedef struct lf_input {
    lf_origin origin;
    int number, position; /* position: in the body, among scalars or arrays */
    lun_dtype dtype;
    bool array, used;
} lf_input;

typedef struct lf_note {
    const char *text; /* with %lld for the value that a check reports, \1 for a length */
    int length_of;    /* the input that is this length, or -1 */
    lf_input of;      /* the same in a finished spec */
} lf_note;

typedef struct lf_compile {
    lf_unit unit;
    lf_viewer view;
    const lun_front_param *param;
    int params;
    lf_program *program;

    lf_source *source;
    int sources, source_room;
    lf_value **source_value; /* by source, once asked for */

    lf_graph graph;
    lf_type real;           /* what weak floats become: f32 or f64 */
    bool wide;              /* 64-bit elements take part */
    lf_list inputs;         /* lf_input */
    lf_list notes;          /* lf_note */
    lf_list named;          /* values of local variables, for luafn/type/report.c */
    lun_strbuf *types;      /* where the report goes */
    lf_value **param_value; /* by parameter; NULL: the function does not take it */

    lun_ir *ir; /* where the result goes */
    lun_ir_function *function;
} lf_compile;

/* The passes, in order. Each leaves by luafn_fail if the function cannot be compiled. */
void luafn_build(lf_compile *c);
void luafn_infer(lf_compile *c);
void luafn_lower(lf_compile *c);
void luafn_reshape(lf_compile *c);
void luafn_narrow(lf_compile *c);
void luafn_unload(lf_compile *c);
void luafn_emit(lf_compile *c);

/* ---- luafn/ssa/captured.c: values from outside ---- */

/* The value of an upvalue (from 1) of the captured function `parent`, or of a field of the captured
 * table `parent`. */
lf_value *luafn_upvalue(lf_compile *c, const lf_frame *f, int pc, int parent, int upvalue);
lf_value *luafn_field(lf_compile *c, const lf_frame *f, int pc, int parent, const char *field);
/* What it is called in messages: "global 'f'", "'w'". */
const char *luafn_source_name(lf_compile *c, int source);
/* The type in which elements of a dtype are computed: small integers are i32, unsigned ones i64. */
lf_type luafn_type_of(lun_dtype t);

/* ---- luafn/type/rules.c ---- */

/* What a value may be on different paths. */
lf_type luafn_join(lf_type a, lf_type b);
/* The type in which two numbers are computed or compared. */
lf_type luafn_common(const lf_compile *c, const lf_value *a, const lf_value *b);
/* The type of an operation on operands of the types they have now; LF_NONE: not known yet. Leaves if
 * there is none. */
lf_type luafn_type_op(lf_compile *c, const lf_value *v);
/* What weak types become: i64, and f32 or f64. */
static inline lf_type lf_settled(const lf_compile *c, lf_type t)
{
    return t == LF_WI ? LF_I64 : t == LF_WF ? c->real : t;
}
/* Leaves with "what on a boolean (local 'x'): hint". */
_Noreturn void luafn_mistyped(lf_compile *c, const lf_value *v, int operand, const char *what);

/* ---- luafn/lower/fold.c ---- */

/* Lua's arithmetic on two constants; NULL if it would raise an error. */
lf_value *luafn_fold_arith(lf_graph *g, lf_arith op, const lf_value *a, const lf_value *b);

#endif
