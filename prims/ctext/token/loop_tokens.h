/* loop_tokens.h - loops of a C text by their tokens: where their parts end, which of them end soon,
 * which have no break, which jumps lead back. */
#ifndef LUN_LOOP_TOKENS_H
#define LUN_LOOP_TOKENS_H

#include "ctext/token/token.h"

/* The bracket that closes the one at token i, before `past`; -1: there is none, or a preprocessor
 * line stands between. */
int lun__cloop_closing(const lun_ctokens *t, int i, int past);
/* The next ';' within the brackets around token i, before `past`; -1. */
int lun__cloop_semicolon(const lun_ctokens *t, int i, int past);
/* The ',' at token i or behind it within the brackets around it, before `past`; -1. */
int lun__cloop_comma(const lun_ctokens *t, int i, int past);
/* for (... x = LITERAL; x < LITERAL; x++) of few rounds, whose body leaves x alone; first, second:
 * its ';'. */
bool lun__cloop_few(const lun_ctokens *t, int first, int second, int close, int past);
/* True if the body behind token close is known to have no break: in braces, or one expression. */
bool lun__cloop_go_on(const lun_ctokens *t, int close, int past);
/* True if the `goto` at token i of a body that ends at `past` may lead back. */
bool lun__cloop_back(const lun_ctokens *t, int i, int past);

#endif
