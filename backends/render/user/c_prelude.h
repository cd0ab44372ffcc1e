/* c_prelude.h - the names that users' C texts rely on. */
#ifndef LUN_C_PRELUDE_H
#define LUN_C_PRELUDE_H

#include "render/renderer.h"

/* lun_dialect.prelude of C with GNU vectors. */
void lun__c_prelude_write(lun_renderer *r, lun_strbuf *out);

/* For the preludes of other languages: calls write for each mathematical function, with its row of
 * ops.def, LUN_OP_COUNT: none. */
void lun__c_prelude_each(lun_renderer *r, lun_strbuf *out,
                         void (*write)(lun_renderer *r, lun_strbuf *out, const char *name,
                                       int arity, lun_op op));

#endif
