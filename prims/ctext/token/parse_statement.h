/* parse_statement.h - the statements of a C body by their tokens: where each ends, and what stands
 * in it. */
#ifndef LUN_PARSE_STATEMENT_H
#define LUN_PARSE_STATEMENT_H

#include "ctext/token/token.h"

/* What a statement holds; jumps as far as they leave it. */
enum {
    LUN_CHOLDS_BARRIER = 1, /* LUN_BARRIER; */
    LUN_CHOLDS_LEAVE = 2,   /* break, continue */
    LUN_CHOLDS_RETURN = 4,
    LUN_CHOLDS_GOTO = 8,   /* goto, or a label */
    LUN_CHOLDS_BRANCH = 16 /* #if and the like */
};

typedef enum lun_cstatement_kind {
    LUN_CSTATEMENT_PLAIN, /* an expression, a declaration, a jump */
    LUN_CSTATEMENT_LINE,  /* of the preprocessor */
    LUN_CSTATEMENT_BLOCK,
    LUN_CSTATEMENT_IF,
    LUN_CSTATEMENT_FOR,
    LUN_CSTATEMENT_WHILE,
    LUN_CSTATEMENT_DO,
    LUN_CSTATEMENT_OTHER /* switch, what has a label */
} lun_cstatement_kind;

typedef struct lun_cstatement {
    lun_cstatement_kind kind;
    int first, last; /* tokens */
    int open, close; /* of the condition, or of a for's head: its parentheses */
    int body, other; /* first token of the statement inside, and behind else; -1: none */
    unsigned holds;
} lun_cstatement;

/* Reads the statement at token i, before `past`; false: it is ambiguous, or is nested too deep.
 */
bool lun__cstatement_read(lun_cstatement *out, const lun_ctokens *t, int i, int past);

/* The bracket that closes the one at token i, -1: none before `past`. */
int lun__cstatement_closing(const lun_ctokens *t, int i, int past);

#endif
