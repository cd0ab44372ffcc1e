/* put_rounds.h - elements that a function of lun.each assigns where other rounds may assign them,
 * too. */
#ifndef LUAFN_PUT_ROUNDS_H
#define LUAFN_PUT_ROUNDS_H

#include "luafn/ssa/cells.h"

/* t[i] = x, t an array or a part that lacks one index. */
void luafn_put_rounds_element(lf_builder *b, lf_value *t, lf_value *i, lf_value *x);
/* When a function is built: makes indices and values results, behind those of cells.  Fails where a
 * round may assign two elements of an array or combine one twice, and where the array is read. */
void luafn_put_rounds_end(lf_compile *c);

#endif
