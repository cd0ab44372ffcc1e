/* body_builder.h - the state of one body being translated: reading and writing its registers,
 * adding values, failing with its source line. */
#ifndef LUAFN_BODY_BUILDER_H
#define LUAFN_BODY_BUILDER_H

#include "luafn/graph/captured.h"

/* A numeric for whose number of rounds is known while the graph is built: see unroll.c. */
typedef struct lf_roll {
    int rounds, round;   /* 0: it is none; the current one, from 0 */
    int64_t first, step; /* of the index */
    bool rest;           /* the further rounds stay a loop */
    const bool *member;  /* by span */
    lf_block *next;      /* the first block of the next round */
    int values, loops;   /* of the graph, before the first round */
} lf_roll;

typedef struct lf_builder {
    lf_compile *c;
    lf_graph *g;
    lf_frame *f;
    lf_block **start, **head; /* by span: the target of forward edges; the block of its code */
    int *latches;             /* by span: edges back to a header that are still to come */
    lf_roll *roll;            /* by span: of the loop that it begins */
    bool *done;               /* by span: translated with an unrolled loop */
    int rounds;               /* of the unrolled loops around, multiplied */
    int span, pc;
    int top;    /* after an instruction with a variable number of results: the register behind */
    bool ended; /* the block has its successors */
    lf_list *exits; /* lf_exit */
} lf_builder;

/* One return of a body. */
typedef struct lf_exit {
    lf_block *block;
    lf_list values;
} lf_exit;

enum {
    LF_MAX_CALLS = 200,         /* depth of inlining */
    LF_MAX_INLINED = 10 * 1000, /* inlined calls */
    LF_MAX_VALUES = 100 * 1000, /* size of a graph */
    LF_SPARE = 64               /* registers behind those of a function, for f(g(x)) */
};

lf_value *luafn_builder_get(lf_builder *b, int reg);
void luafn_builder_set(lf_builder *b, int reg, lf_value *v);
/* A constant of the running function. */
lf_value *luafn_builder_const_of(lf_builder *b, int index);
/* A new operation in the current block, with room for its operands, or with these. */
lf_value *luafn_builder_new_op(lf_builder *b, lf_kind kind, unsigned sub, int args);
lf_value *luafn_builder_emit1(lf_builder *b, lf_kind kind, unsigned sub, lf_value *x);
lf_value *luafn_builder_emit2(lf_builder *b, lf_kind kind, unsigned sub, lf_value *x, lf_value *y);
lf_value *luafn_builder_emit4(lf_builder *b, lf_kind kind, lf_value *x, lf_value *y, lf_value *z,
                              lf_value *w);
/* Leaves if v cannot be a number. what: "arithmetic". */
void luafn_builder_need_number(lf_builder *b, const lf_value *v, int reg, const char *what);
_Noreturn void luafn_builder_too_large(lf_builder *b);
_Noreturn void luafn_builder_stop(lf_builder *b, const char *format, ...)
    __attribute__((format(printf, 2, 3)));
/* " (local 'x')" or "". */
const char *luafn_builder_reg_name(const lf_builder *b, int reg);
/* The same, or the name of a captured value. */
const char *luafn_builder_value_name(const lf_builder *b, const lf_value *v, int reg);
/* "a function", "a table". */
const char *luafn_builder_describe(const lf_value *v);

/* cells.c: element i of the array, or part, t. */
lf_value *luafn_cell_element(lf_builder *b, lf_value *t, lf_value *i);

/* Ends the current block with an edge to the instruction at pc, which begins a span. */
lf_block *luafn_builder_target(lf_builder *b, int pc);
void luafn_builder_jump_to(lf_builder *b, int pc);
void luafn_builder_branch_to(lf_builder *b, lf_value *cond, int yes, int no);

/* An upvalue of the running function: its variable, or -1 and the value. */
int luafn_builder_upvalue_var(lf_builder *b, const lf_frame *f, int index, lf_value **value);

#endif
