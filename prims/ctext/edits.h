/* edits.h - what is written around the tokens of a C text, which are copied but for that. */
#ifndef LUN_CEDITS_H
#define LUN_CEDITS_H

#include <stdbool.h>

#include "lunarray.h"

/* What stands before a token, in its place and behind it. */
typedef struct lun_cedit {
    char *before, *instead, *after; /* owned; NULL: nothing; instead: the token itself */
    bool asks;                      /* the word of a loop that asks already whether it shall stop */
} lun_cedit;

typedef struct lun_cedits {
    lun_cedit *at; /* by token; NULL: there are none */
    int tokens;    /* of the text; to be set before the first edit */
} lun_cedits;

/* The edit of a token, NULL without memory. */
lun_cedit *lun__cedits_of(lun_cedits *e, int token);
/* Adds text to a part of an edit, ahead of what it has or behind it.  LUN_ENOMEM. */
lun_status lun__cedits_add(char **to, const char *text, bool ahead);
void lun__cedits_free(lun_cedits *e);

#endif
