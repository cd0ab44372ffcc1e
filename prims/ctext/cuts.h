/* cuts.h - what barrier.c and private_variables.c share: the segments into which barriers cut a
 * body, and the variables declared where they cut.  Private to these two. */
#ifndef LUN_CCUTS_H
#define LUN_CCUTS_H

#include "ctext/maker.h"
#include "ctext/token/macros.h"

/* A variable that is declared in no statement of a segment but beside it. */
typedef struct lun_cvariable {
    int declaration; /* first token of its declaration */
    int name;
    int first, type; /* its base type: tokens first .. type - 1 */
    int from, last;  /* its own: tokens from .. last, a ',' or ';' */
    int until;       /* the end of its block */
    int segment;     /* in which it is declared */
    int before;      /* the token ahead of which its array may be declared */
    bool own;        /* used in other segments: it is an element of an array */
} lun_cvariable;

typedef struct lun_ccuts {
    lun_cmaker *m;
    const lun_ctokens *t;
    lun_cmacros macros;
    int *segment; /* by token: in which it runs, from 1; 0: none */
    int segments;
    lun_cvariable *variable;
    int variables, room;
    /* Statements, first and last token, that get braces, when all else is written. */
    int (*braced)[2];
    int braces, brace_room;
    lun_status status;
} lun_ccuts;

/* Whether a declaration begins at token i. */
bool lun__cown_declares(const lun_ccuts *c, int i);
/* Notes the variables of the declaration first .. last, a ';', in a block that ends at `until`. */
void lun__cown_note(lun_ccuts *c, int first, int last, int until, int before);
/* Finds which of them are to be elements of arrays, and edits their text. */
void lun__cown_edit(lun_ccuts *c);

/* Adds to an edit. */
typedef enum lun_ccut_place { LUN_CCUT_BEFORE, LUN_CCUT_INSTEAD, LUN_CCUT_AFTER } lun_ccut_place;
void lun__ccut_add(lun_ccuts *c, int token, lun_ccut_place where, const char *text, bool ahead);
/* A failure at a token. */
void lun__ccut_wrong(lun_ccuts *c, int token, const char *what);

#endif
