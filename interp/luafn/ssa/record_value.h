/* record_value.h - records, and lists, as values of the graph. */
#ifndef LUAFN_RECORD_VALUE_H
#define LUAFN_RECORD_VALUE_H

#include "luafn/graph/body_builder.h"

/* The source of the struct of a record, or of records: its names and forms of fields. */
const lf_source *luafn_record_value_source(const lf_builder *b, const lf_value *v);
/* "x, y, id" of a record, or a struct. */
const char *luafn_record_value_names(lf_builder *b, const lf_value *v);
/* The number of the field of that name of v, in register reg (-1: none). */
int luafn_record_value_field(lf_builder *b, const lf_value *v, int reg, const char *name);
/* The extent at the beginning of a field's form, "[2][3]"; and what is behind it. */
int luafn_record_value_extent(const char *form, const char **rest);
/* Whether v represents a field that the caller has not passed; v, unless it does. */
bool luafn_record_value_is_hole(const lf_value *v);
lf_value *luafn_record_value_passed(lf_builder *b, lf_value *v);
/* A record of these fields; source: of its struct. */
lf_value *luafn_record_value_pack(lf_builder *b, int source, const lf_list *fields);
/* A list, {x, y}, as arrays in records are. */
lf_value *luafn_record_value_list(lf_builder *b, const lf_list *values);
bool luafn_record_value_is_list(const lf_value *v);
/* Whether v is captured records; their record at an index, or at one more than `records` has; and
 * at the indices of v. */
bool luafn_record_value_is(const lf_compile *c, const lf_value *v);
lf_value *luafn_record_value_at(lf_builder *b, const lf_value *records, lf_value *index);
lf_value *luafn_record_value_at_same(lf_builder *b, const lf_value *records, const lf_value *v);
/* Whether two records have the same fields; fails unless they have. */
bool luafn_record_value_same(const lf_builder *b, const lf_value *x, const lf_value *y);
void luafn_record_value_need_same(lf_builder *b, const lf_value *x, const lf_value *y);

#endif
