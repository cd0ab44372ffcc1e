/* captured.h - captured values as values of the graph. */
#ifndef LUAFN_CAPTURED_H
#define LUAFN_CAPTURED_H

#include "luafn/graph/compile.h"

/* The value of an upvalue (from 1) of the captured function `parent`, or of a field or an element
 * of the captured table `parent`. */
lf_value *luafn_captured_upvalue(lf_compile *c, const lf_frame *f, int pc, int parent, int upvalue);
lf_value *luafn_captured_field(lf_compile *c, const lf_frame *f, int pc, int parent,
                               const char *field);
lf_value *luafn_captured_item(lf_compile *c, const lf_frame *f, int pc, int parent, int64_t key);
/* Whether a source is the real or imaginary part of another one. */
bool luafn_captured_is_part(const lf_compile *c, int source);
/* The name of the array a, or of the array of which a is a part. */
const char *luafn_captured_array_name(const lf_compile *c, const lf_value *a);
/* The name of a source in messages: "global 'f'", "'w'". */
const char *luafn_captured_source_name(lf_compile *c, int source);

#endif
