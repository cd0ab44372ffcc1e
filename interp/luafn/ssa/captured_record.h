/* captured_record.h - records in functions: known field by field while compiling. */
#ifndef LUAFN_CAPTURED_RECORD_H
#define LUAFN_CAPTURED_RECORD_H

#include "luafn/graph/body_builder.h"

/* A call of a captured struct: a record with these fields. */
lf_value *luafn_captured_record_make(lf_builder *b, const lf_value *of, const lf_list *fields);
/* The record at an index of captured records. */
lf_value *luafn_captured_record_at(lf_builder *b, const lf_value *records, lf_value *index);
bool luafn_captured_record_is(const lf_compile *c, const lf_value *v);
/* The field of that name of v in register reg (-1: none); NULL: v is no record. */
lf_value *luafn_captured_record_field(lf_builder *b, lf_value *v, int reg, const char *name);
/* The array of that field of captured records, of which v is one; NULL: v is none. */
lf_value *luafn_captured_record_array(lf_builder *b, const lf_value *v, int reg, const char *name);
/* The value of a return: v, or the record that it represents. */
lf_value *luafn_captured_record_result(lf_builder *b, lf_value *v);
/* Replaces the records of all exits (lf_exit) by their fields, those of records in them too. The
 * first one; NULL: they return something else. */
lf_value *luafn_captured_record_unpack(lf_builder *b);
/* Those fields as a record again, in the form of that one. */
lf_value *luafn_captured_record_repack(lf_builder *b, lf_value *like, const lf_list *values);
/* A record of these fields; source: of its struct. */
lf_value *luafn_captured_record_pack(lf_builder *b, int source, const lf_list *fields);
/* A list, {x, y}, as arrays in records are. */
lf_value *luafn_captured_record_list(lf_builder *b, const lf_list *values);
bool luafn_captured_record_is_list(const lf_value *v);
/* Its element at an index, which has to be known; NULL: it is no list. */
lf_value *luafn_captured_record_item(lf_builder *b, lf_value *list, lf_value *index);

#endif
