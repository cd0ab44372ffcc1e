/* type.h - the types of all values, found (infer.c), reported (report.c), and made real
 * (split_complex.c). */
#ifndef LUAFN_TYPE_H
#define LUAFN_TYPE_H

#include "luafn/graph/compile.h"

/* Gives every value its type; leaves by luafn_debug_fail if one has none. */
void luafn_infer(lf_compile *c);

/* Removes what is no longer used (infer.c). */
void luafn_infer_clean(lf_compile *c);

/* Replaces complex numbers by their parts, and complex results by two; c->pairs tells which. */
void luafn_split_complex(lf_compile *c);

/* "function script:3(x: f32) returns i64", then a line per captured value and local. */
void luafn_report(lf_compile *c, lun_strbuf *out);

#endif
