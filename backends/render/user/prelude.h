/* prelude.h - the names that users' texts rely on. */
#ifndef LUN_RENDER_USER_PRELUDE_H
#define LUN_RENDER_USER_PRELUDE_H

#include "render/renderer.h"

void lun__prelude_write(lun_crender *r, lun_strbuf *out);

/* What a dialect's own prelude is made of: true if a user's text has the word; calls write for each mathematical
 * function, with the row of the table that it is, LUN_OP_COUNT: none; the text behind "#define NAME" of a macro, NULL:
 * there is none of that name. */
bool lun__prelude_mentions(const lun_crender *r, const char *word);
void lun__prelude_each(lun_crender *r, lun_strbuf *out,
                       void (*write)(lun_crender *r, lun_strbuf *out, const char *name, int arity,
                                     lun_op op));
const char *lun__prelude_macro(const char *name);

#endif
