/* user_text.h - the texts of a user's C functions. */
#ifndef LUN_USER_TEXT_H
#define LUN_USER_TEXT_H

#include "render/renderer.h"

/* Appends the texts, after the dialect's prelude; they are in memory of the IR. */
void lun__user_texts(lun_renderer *r, lun_strbuf *out);

/* ---- user_atomics.c -------------------------------------------------------------------------- */
/* The names of atomic operations in users' texts: LUN_ATOMIC_ADD(w, i,
 * x). */

/* Those that a text of the kernel mentions, for the dtypes of what the kernel writes. */
void lun__user_atomics(lun_renderer *r, lun_strbuf *out);

#endif
