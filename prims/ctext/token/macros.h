/* macros.h - macros and types that a C text defines: what stands in their place, as far as the text
 * says. */
#ifndef LUN_CMACROS_H
#define LUN_CMACROS_H

#include "ctext/token/token.h"

typedef struct lun_cmacros {
    const lun_ctokens *t;
    int *names; /* of macros, then of typedefs: their tokens; owned */
    int macros, types;
} lun_cmacros;

/* What a macro's replacement is: of several definitions, the least of theirs. */
typedef enum lun_cmacro_shape {
    LUN_CMACRO_NONE,    /* no macro */
    LUN_CMACRO_LOOSE,   /* an operator beside it may take it apart */
    LUN_CMACRO_PRIMARY, /* an expression that none can */
    LUN_CMACRO_NUMBER   /* a number other than zero */
} lun_cmacro_shape;

/* Fills an empty *m, to be freed in every case; the tokens outlive it.  LUN_ENOMEM. */
lun_status lun__cmacros_read(lun_cmacros *m, const lun_ctokens *t);
void lun__cmacros_free(lun_cmacros *m);

/* What the name at a token becomes. */
lun_cmacro_shape lun__cmacro_shape_of(const lun_cmacros *m, int token);
/* A word of a type, or a name that a typedef anywhere in the text defines; macros: lun_cmacros. */
bool lun__cmacro_type(const void *macros, int token);

/* The macro's NAME if a definition opens at token i, else -1. */
int lun__cmacro_defined(const lun_ctokens *t, int i);
/* The first token of a macro's replacement; *params: the '(' before its parameters, -1: none. */
int lun__cmacro_replacement(const lun_ctokens *t, int name, int *params);
/* True if token i is a number other than zero. */
bool lun__cmacro_number(const lun_ctokens *t, int i);

#endif
