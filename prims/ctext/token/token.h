/* token.h - C text cut into tokens.
 *
 * Comments and spaces are the gaps between tokens; a preprocessor line is a DIRECTIVE token ('#'),
 * its own tokens and an ENDLINE.  The text is not changed; a rewriter copies the gaps. */
#ifndef LUN_CTOKEN_H
#define LUN_CTOKEN_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "lunarray.h"

typedef enum lun_ctoken_kind {
    LUN_CTOKEN_NAME,      /* identifiers and keywords */
    LUN_CTOKEN_NUMBER,    /* a preprocessing number: 1.5e-3f is one token */
    LUN_CTOKEN_LITERAL,   /* a string or character literal with its quotes */
    LUN_CTOKEN_PUNCT,     /* one character; <% and %> count as braces */
    LUN_CTOKEN_DIRECTIVE, /* the '#' that opens a preprocessor line */
    LUN_CTOKEN_ENDLINE,   /* the newline (or end of text) that closes it */
    LUN_CTOKEN_END        /* the last token of every text */
} lun_ctoken_kind;

typedef struct lun_ctoken {
    uint32_t start, length; /* bytes of the text */
    uint8_t kind;
    char ch; /* PUNCT: which; LITERAL: its quote; else 0 */
} lun_ctoken;

typedef struct lun_ctokens {
    const char *text; /* borrowed */
    lun_ctoken *at;
    int count, room;
} lun_ctokens;

/* Cuts text, at most INT32_MAX / 2 bytes, into *out, which is empty before.  LUN_EARG for a comment
 * without its end, with its position in *bad; LUN_ENOMEM.  To be freed in every case. */
lun_status lun__ctokens_read(lun_ctokens *out, const char *text, size_t length, size_t *bad);
void lun__ctokens_free(lun_ctokens *t);

/* True if token i is this character of punctuation; this word. */
bool lun__ctoken_is(const lun_ctokens *t, int i, char ch);
bool lun__ctoken_word(const lun_ctokens *t, int i, const char *word);
/* True if tokens a and b are the same name. */
bool lun__ctoken_same(const lun_ctokens *t, int a, int b);
/* Copies a token's text for a message, cut if it is long; returns room. */
const char *lun__ctoken_show(const lun_ctokens *t, int i, char room[48]);
/* The token after the preprocessor line that opens at i. */
int lun__ctoken_past_line(const lun_ctokens *t, int i);

#endif
