/* operand.h - how far the operands of a binary operator reach, found in tokens alone. */
#ifndef LUN_COPERAND_H
#define LUN_COPERAND_H

#include "ctext/token/token.h"

/* Tokens first .. past-1, in which brackets match; `is_type` says whether the name at token i is
 * that of a type. */
typedef struct lun_cextent {
    const lun_ctokens *t;
    int first, past;
    bool (*is_type)(const void *ctx, int i);
    const void *ctx;
} lun_cextent;

/* The last token of the cast expression that begins at token i (the right operand of * / %); -1: it
 * is ambiguous. */
int lun__coperand_end(const lun_cextent *x, int i);
/* The first token of the multiplicative expression that ends before token i, an operator; with
 * `unary` of the unary expression (the left operand of an assignment).  -1: it is ambiguous, or
 * stands behind `case`. */
int lun__coperand_start(const lun_cextent *x, int i, bool unary);
/* The last token of the assignment expression that begins at token i; -1: there is none. */
int lun__coperand_value_end(const lun_cextent *x, int i);
/* The bracket that matches the one at token i; -1: none within the extent. */
int lun__coperand_match(const lun_cextent *x, int i);

#endif
