/* compile.h - the compilation of one Lua function for given parameters: the state that its passes
 * share.
 *
 * build (bytecode to graph) -> infer (types) -> lower (graph to IR values) -> branches, narrow,
 * hoist (smaller code) -> tree (structured control flow) -> emit (lun_ir). */
#ifndef LUAFN_COMPILE_H
#define LUAFN_COMPILE_H

#include "ir/ir.h"
#include "luafn/capture/capture.h"
#include "luafn/capture/decoded_functions.h"
#include "luafn/graph/graph.h"

/* Most elements around an index that a function reads; and that it asks for, those of records too
 * of which it reads one field. */
enum { LF_NEIGHBOURS = LUN_MAX_OPERANDS, LF_ASKED = 32 * LUN_MAX_OPERANDS };

/* Team scratch whose dtype is inferred from the values assigned to it: `type` as far as it is
 * known; wide: i64 or f64 for integers and floats. */
typedef struct lf_open {
    bool open, wide;
    lf_type type;
} lf_open;

/* A parameter of the body: a scalar or a whole array. */
typedef enum lf_origin {
    LF_FROM_PARAM,    /* parameter `number` of the function */
    LF_FROM_WINDOW,   /* element of window `number`: a scalar of the body, behind the parameters */
    LF_FROM_SOURCE,   /* captured: source `number` */
    LF_FROM_SCALAR,   /* the same, an array of rank 0: a scalar of the body, after the others */
    LF_PARAM_EXTENT,  /* extent along `axis` of an array that is a parameter */
    LF_SOURCE_EXTENT, /* the same of a captured array */
    LF_MEMORY_EXTENT  /* the same of team scratch, as the launch has it; behind the last: in all */
} lf_origin;

typedef struct lf_input {
    lf_origin origin;
    int number, axis; /* axis: from 0, of an extent */
    int position;     /* in the body, among scalars or arrays */
    lun_dtype dtype;
    bool array, used;
} lf_input;

/* Extent `axis` of team scratch number `memory`, which a launch computes from `base`. */
typedef struct lf_memory_extent {
    int memory, axis;
    lf_value *base; /* a parameter, captured number, or length of an array */
} lf_memory_extent;

/* lun_front_bound and lun_front_window of captured arrays. */
typedef struct lf_bound {
    int source, axis;
    lun_front_index at;
} lf_bound;

typedef struct lf_window {
    int source;
    lun_front_index at[LUN_MAX_RANK];
} lf_window;

/* An element at known indices, which a function of lun.each reads or assigns: a variable of the
 * function. */
typedef struct lf_cell {
    lf_window is;
    int var;
    bool written;
    const lf_proto *proto; /* where it is first read, or first written if it is written */
    int pc;
} lf_cell;

/* An array that a function of lun.each assigns at any other index: each round gives an index and a
 * value, and the engine stores them in index order. Elements whose last indices are different
 * constants never coincide: these are separate puts. */
typedef struct lf_put {
    int source;
    bool fixed; /* the last index is `last` wherever it is assigned */
    int64_t last;
    int index, value; /* variables: the row-major index, -1: none; the assigned value */
    lf_kind kind;     /* LF_ARITH or LF_MATH: the value is combined with the element by sub, */
    uint8_t sub;      /* else LF_STORE: it replaces it */
    bool behind;      /* the element is the operation's second operand */
    lf_list given;    /* lf_memory_extent: its assignments */
    int note;         /* the note for an integer that does not fit, from 1; 0: none */
} lf_put;

typedef struct lf_note {
    const char *text; /* %lld: the value that a check reports, \1: an extent */
    int extent_of;    /* the input that is this extent, or -1 */
    lf_input of;      /* the same in a cached function */
} lf_note;

typedef struct lf_compile {
    lf_unit unit;
    lf_capture_context view;
    lun_front_param *param; /* of the call, then with room for LF_ASKED */
    int params;
    lf_program *program;

    lf_source *source;
    int sources, source_room;
    lf_value **source_value; /* by source, once asked for */

    lf_graph graph;
    const lf_frame *root; /* the function's own body */
    lf_type real;         /* what weak floats become: f32 or f64 */
    bool wide;            /* 64-bit elements are used */
    lf_list inputs;       /* lf_input */
    lf_list notes;        /* lf_note */
    bool known, windowed; /* the parameters are indices: bounds and windows may use them */
    bool recorded;        /* there are records, or lists */
    bool listed;          /* there are lists, {x, y}, whose indices have to be known */
    bool around;          /* some parameters are called with offsets */
    bool prechecked;      /* there is no call yet: see luafn_compile_precheck */
    bool settled;         /* then: the number of axes is known by offsets */
    bool certain;         /* then: the failure is one of every call */
    bool writes;          /* elements may be assigned */
    bool splits;          /* some of them complex */
    bool team;            /* it is a team kernel: the first parameters are lun_front_numbers */
    lun_front_scratch scratch[LUN_FRONT_SCRATCHES]; /* parameters from `params` on */
    lf_open open[LUN_FRONT_SCRATCHES];              /* of these */
    int scratches;
    lf_list givens;           /* lf_memory_extent */
    const lf_proto *methods;  /* of a team kernel: methods of t, see team_methods.h */
    lf_list array_names;      /* by array of the body */
    lf_list looks;            /* lf_look: fields of elements of captured records that are read */
    lf_list targets;          /* arrays that a team kernel assigns, or parts of them */
    bool decided;             /* a condition was known: its other branch is not in the graph */
    lf_list cells;            /* lf_cell, where elements may be assigned */
    lf_list loads;            /* LF_LOADs there: elements that are no cells */
    lf_list puts;             /* lf_put */
    lf_list bounds;           /* lf_bound */
    lf_list windows;          /* lf_window */
    const lf_proto *shown;    /* the function in reports: its own, or the one that it wraps */
    lf_list shown_args;       /* of that one, else none */
    lf_list named;            /* values of local variables, see local_names.h */
    lf_list kept_loops;       /* lf_span: headers of loops that are too large to be unrolled */
    lun_strbuf *types;        /* where the report goes */
    int record;               /* source of the struct whose record is returned; 0: none is */
    bool too_many;            /* there are more results than a function may give */
    uint32_t pairs;           /* by result: it and the next one are a complex number */
    lf_value **param_value;   /* by parameter; NULL: the function does not take it */
    lun_neighbour *neighbour; /* neighbours of an index: parameters from `params` on */
    lf_value **neighbour_value;
    int neighbours;

    lun_ir *ir; /* where the result goes */
    lun_ir_function *function;
} lf_compile;

/* The array, captured or a parameter, that a value is or of which it is a part. */
typedef struct lf_whose {
    bool param;
    int number;      /* of the parameter or source */
    int rank, fixed; /* of the array; how many of its axes have an index */
    lun_dtype dtype, stored;
    const int64_t *shape; /* for this call */
} lf_whose;

static inline lf_whose lf_whose_is(const lf_compile *c, const lf_value *v)
{
    int fixed = v->kind == LF_PART ? v->sub : 0;
    if (v->as.i < 0) {
        const lun_front_param *p = &c->param[-1 - v->as.i];
        return (lf_whose){true, (int)(-1 - v->as.i), p->rank, fixed, p->dtype, p->stored, p->shape};
    }
    const lf_capture *s = &c->source[v->as.i].capture;
    return (lf_whose){false, (int)v->as.i, s->rank, fixed, s->dtype, s->stored, s->shape};
}

/* The team scratch that v, an array or a part of one, is, if its dtype is open; else NULL. */
static inline lf_open *lf_open_of(lf_compile *c, const lf_value *v)
{
    int number = v->as.i < 0 ? (int)(-1 - v->as.i) - c->params : -1;
    return number >= 0 && number < c->scratches && c->open[number].open ? &c->open[number] : NULL;
}

/* Whether extent `axis` of memory `memory` is that of a launch. */
static inline bool lf_is_given(const lf_compile *c, int memory, int axis)
{
    return memory >= 0 && c->scratch[memory].of[axis].by != 0;
}

/* What weak types become: i64, and f32 or f64, also as parts. */
static inline lf_type lf_settled(const lf_compile *c, lf_type t)
{
    return t == LF_WI ? LF_I64 : t == LF_WF ? c->real : t == LF_ZW ? lf_complex_of(c->real) : t;
}

#endif
