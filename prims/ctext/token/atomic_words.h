/* atomic_words.h - the words of a C text that change an element at once: LUN_ATOMIC_ADD(w, i, x)
 * and its like, one for each row of table/atomics.def. */
#ifndef LUN_ATOMIC_WORDS_H
#define LUN_ATOMIC_WORDS_H

#include "ctext/token/signature.h"
#include "table/atomic.h"

/* The lun_atomic whose word token i is, -1: none. */
int lun__catomic_of(const lun_ctokens *t, int i);
/* Whether that operation, at token i, has all that it takes and an array whose elements have it:
 * parameter `param` of the head, -1: something else.  LUN_EARG. */
lun_status lun__catomic_check(const lun_csource *s, int i, bool complete,
                              const lun_csignature *head, int param, lun_strbuf *error);

#endif
