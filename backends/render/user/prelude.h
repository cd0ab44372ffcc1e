/* prelude.h - the names that users' C texts rely on. */
#ifndef LUN_RENDER_USER_PRELUDE_H
#define LUN_RENDER_USER_PRELUDE_H

#include "render/renderer.h"

/* lun_dialect.prelude of C with GNU vectors. */
void lun__prelude_write(lun_renderer *r, lun_strbuf *out);

/* For the preludes of other languages: */
/* True if a user's text contains the word. */
bool lun__prelude_mentions(const lun_renderer *r, const char *word);
/* Calls write for each mathematical function, with its row of ops.def, LUN_OP_COUNT: none. */
void lun__prelude_each(lun_renderer *r, lun_strbuf *out,
                       void (*write)(lun_renderer *r, lun_strbuf *out, const char *name, int arity,
                                     lun_op op));
/* Calls write for each macro that a text mentions and that all languages share, with the text
 * behind "#define NAME".  True if one of them needs LUN_REAL(x), the float type in which functions
 * of floats take x, and LUN_FLOOR(x). */
bool lun__prelude_alike(const lun_renderer *r,
                        void (*write)(lun_strbuf *out, lun_strbuf *after, const char *name,
                                      const char *text),
                        lun_strbuf *out, lun_strbuf *after);

#endif
