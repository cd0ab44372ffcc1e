/* quirks.h - functions of drivers on vectors that miss the promised accuracy. */
#ifndef LUN_RENDER_OPENCL_QUIRKS_H
#define LUN_RENDER_OPENCL_QUIRKS_H

#include "render/vector/vector.h"

/* Writes the operation as a function on whole vectors under the name `helper`, where the language's
 * own function misses what is promised; else false. */
bool lun__cl_quirks_write(lun_renderer *r, const char *helper, lun_op op, lun_rep rep);

/* Appends the name of a function of one element of dtype t, n bytes long, or that of a helper in
 * place of it, where the language's own fails for some numbers on a driver that was measured. */
void lun__cl_quirks_single(lun_renderer *r, const char *name, size_t n, lun_dtype t,
                           lun_strbuf *out);

/* The body of such a helper, over its parameter a; NULL: the language's own function is right. */
const char *lun__cl_quirks_body(const char *name, lun_dtype t);

#endif
