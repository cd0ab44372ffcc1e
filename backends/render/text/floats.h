/* floats.h - table/floats.def quoted into kernels. */
#ifndef LUN_RENDER_FLOATS_H
#define LUN_RENDER_FLOATS_H

#include "render/renderer.h"

/* Writes what turns bits u of `from` into bits r of `to`, of which one is a STORED float and the
 * other a PLAIN one: statements in a function's body, behind them r.  words: the type of u and r,
 * unsigned integers as wide as the PLAIN float, or a vector of them; sum: a format of the bits of x
 * + y as an expression, with %c for the sign, of x as words and y as one word. */
void lun__floats_put(lun_strbuf *out, lun_dtype to, lun_dtype from, const char *words,
                     const char *sum);

#endif
