/* variables.h - values and their variables in the structured text, for emit.c and variables.c. */
#ifndef LUAFN_VARIABLES_H
#define LUAFN_VARIABLES_H

#include "luafn/emit/control_tree.h"

/* A GET of a value's variable, valid in a scope and those inside. */
typedef struct lf_got {
    struct lf_got *next;
    const lf_scope *scope;
    int ins;
} lf_got;

/* How a value is accessed. Phis have variables; other values get one if they are used outside the
 * scope that defines them. */
typedef struct lf_access {
    int ins;        /* its instruction, -1: not yet made */
    bool variable;  /* has a variable */
    lf_scope *home; /* the variable's scope */
    int var;        /* the VAR instruction */
    lf_value *init; /* its first value, which need not be set again; NULL: none */
    lf_value *zero; /* its first value if there is no other */
    lf_got *got;
} lf_access;

/* Numbers the items, gives every used value an lf_access and every variable a declaration. */
void luafn_variables_assign(lf_compile *c, lf_scope *root, lf_list *leaves);
static inline bool lf_is_leaf(const lf_value *v)
{
    return v->kind == LF_IR_CONST || v->kind == LF_IR_ARG;
}
static inline lf_scope *lf_scope_of(const lf_value *v)
{
    return v->block->item->scope;
}
/* The operand of a phi for a predecessor. */
lf_value *luafn_variables_incoming(const lf_value *phi, const lf_block *from);

#endif
