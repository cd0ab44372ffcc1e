/* variables.h - where values live in the structured text: what emit.c and variables.c share. */
#ifndef LUAFN_VARIABLES_H
#define LUAFN_VARIABLES_H

#include "luafn/emit/control_tree.h"

/* A GET of a value's variable, good in a scope and those inside. */
typedef struct lf_got {
    struct lf_got *next;
    const lf_scope *scope;
    int ins;
} lf_got;

/* How a value is reached. Phis have variables; other values get one where they are used outside the
 * scope in which they are made. */
typedef struct lf_place {
    int ins;        /* its instruction, -1: not yet made */
    bool variable;  /* has a variable */
    lf_scope *home; /* the variable's scope */
    int var;        /* the VAR instruction */
    lf_value *init; /* its first value, which need not be set again; NULL: none */
    lf_value *zero; /* its first value if there is no other */
    lf_got *got;
} lf_place;

/* Numbers the items, gives every used value a place and every variable a position. */
void luafn_places(lf_compile *c, lf_scope *root, lf_list *leaves);
static inline bool lf_is_leaf(const lf_value *v)
{
    return v->kind == LF_IR_CONST || v->kind == LF_IR_ARG;
}
static inline lf_scope *lf_scope_of(const lf_value *v)
{
    return v->block->item->scope;
}
/* What flows into a phi from a predecessor. */
lf_value *luafn_incoming(const lf_value *phi, const lf_block *from);

#endif
