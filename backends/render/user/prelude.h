/* prelude.h - the names that users' C texts rely on. */
#ifndef LUN_RENDER_USER_PRELUDE_H
#define LUN_RENDER_USER_PRELUDE_H

#include "render/renderer.h"

/* lun_cdialect.prelude of C with GNU vectors. */
void lun__prelude_write(lun_crender *r, lun_strbuf *out);

/* For the preludes of other languages: */
/* True if a user's text contains the word. */
bool lun__prelude_mentions(const lun_crender *r, const char *word);
/* Calls write for each mathematical function, with its row of ops.def, LUN_OP_COUNT: none. */
void lun__prelude_each(lun_crender *r, lun_strbuf *out,
                       void (*write)(lun_crender *r, lun_strbuf *out, const char *name, int arity,
                                     lun_op op));
/* The text behind "#define NAME" of a macro of C with GNU vectors, NULL: there is none. */
const char *lun__prelude_macro(const char *name);

#endif
