/* assigned_array.h - arrays that a team kernel assigns in place. */
#ifndef LUAFN_ASSIGNED_ARRAY_H
#define LUAFN_ASSIGNED_ARRAY_H

#include "luafn/graph/body_builder.h"

/* Notes that `array`, captured, a parameter or team scratch, is assigned: two reads of it may
 * differ. */
void luafn_assigned_note_target(lf_builder *b, lf_value *array);
/* Whether the array of that code (as.i of an LF_ARRAY) is such a one: once the graph is built. */
bool luafn_assigned_is_target(const lf_compile *c, int64_t array);
/* Whether some array is, team scratch left out, or may be for other captured numbers. */
bool luafn_assigned_has_targets(const lf_compile *c);
/* t[i] = x, t an array or a part that lacks one index: in place, in program order. */
void luafn_assigned_element(lf_builder *b, lf_value *t, lf_value *i, lf_value *x);
/* lun.atomic.NAME(array, i, ..., x), f the operation: the old element. */
lf_value *luafn_assigned_change(lf_builder *b, const lf_value *f, const lf_list *args);

#endif
