/* term.h - parts of an expression on whole GNU vectors, with the types and values that C gives
 * them on single elements of type T (U: unsigned, of T's width). */
#ifndef LUN_RENDER_VECTOR_TERM_H
#define LUN_RENDER_VECTOR_TERM_H

#include "render/renderer.h"
#include "render/vector/vector.h"

typedef enum lun_term_kind {
    LUN_TERM_NUMBER, /* a literal: fits the type of any other operand */
    LUN_TERM_VALUE,  /* lanes of T */
    LUN_TERM_UVALUE, /* lanes of U */
    LUN_TERM_COUNT,  /* lanes of signed integers of T's width: C's int made of truth values */
    LUN_TERM_MASK    /* 0 or -1 in signed integers of T's width: a truth value */
} lun_term_kind;

typedef struct lun_term {
    lun_term_kind kind;
    bool loose;    /* C would have computed it in int, wider than T */
    bool positive; /* (int64_t) of an unsigned T */
    bool unused;   /* wrong, but only where another term is selected */
    double number;
    char text[600];
} lun_term;

/* What all terms of an expression have in common. */
typedef struct lun_terms {
    lun_renderer *r;
    lun_rep rep; /* T */
    int bytes;   /* of a lane */
    bool failed; /* something has no form on vectors */
} lun_terms;

lun_term lun__term_make(lun_terms *s, lun_term_kind k, const char *format, ...)
    __attribute__((format(printf, 3, 4)));
/* Sets failed. */
lun_term lun__term_refuse(lun_terms *s);
bool lun__term_is_float(const lun_terms *s);
/* The type of masks, in room. */
const char *lun__term_mask_type(lun_terms *s, char room[24]);

/* A literal in every lane, of the type of k. */
lun_term lun__term_spread(lun_terms *s, lun_term t, lun_term_kind k);
/* t's truth value; its value in T's lanes, as C converts it on assignment or by a cast; the same
 * in U's. */
lun_term lun__term_mask(lun_terms *s, lun_term t);
lun_term lun__term_value(lun_terms *s, lun_term t);
lun_term lun__term_unsigned(lun_terms *s, lun_term t);

/* Operators, after C's usual conversions. */
lun_term lun__term_compare(lun_terms *s, const char *op, lun_term a, lun_term b);
lun_term lun__term_select(lun_terms *s, lun_term c, lun_term a, lun_term b);
lun_term lun__term_arithmetic(lun_terms *s, char op, lun_term a, lun_term b);
lun_term lun__term_shift(lun_terms *s, bool left, lun_term a, lun_term b);
lun_term lun__term_fabs(lun_terms *s, lun_term a);
lun_term lun__term_copysign(lun_terms *s, lun_term a, lun_term b);

#endif
