/* captured_record.h - records in functions: known field by field while compiling. */
#ifndef LUAFN_CAPTURED_RECORD_H
#define LUAFN_CAPTURED_RECORD_H

#include "luafn/ssa/record_value.h"

/* v, or the record that a value is in this block, whichever path led here. */
lf_value *luafn_captured_record_resolved(lf_builder *b, lf_value *v);
/* A call of a captured struct: a record with these fields. */
lf_value *luafn_captured_record_make(lf_builder *b, const lf_value *of, const lf_list *fields);
/* The field of that name of v in register reg (-1: none); NULL: v is no record. */
lf_value *luafn_captured_record_field(lf_builder *b, lf_value *v, int reg, const char *name);
/* The array of that field of captured records, of which v is one; NULL: v is none. */
lf_value *luafn_captured_record_array(lf_builder *b, const lf_value *v, int reg, const char *name);
/* Element i, or the row, of a field's array. */
lf_value *luafn_captured_record_element(lf_builder *b, lf_value *a, lf_value *i);
/* The array as long as captured records, or a row of some with more axes; NULL: v is one record. */
lf_value *luafn_captured_record_measured(lf_builder *b, const lf_value *v);
/* The element at one index more of t, captured records or an element of some with more axes. */
lf_value *luafn_captured_record_next(lf_builder *b, const lf_value *t, lf_value *i);
/* The same at the first indices of v, an element of captured records. */
lf_value *luafn_captured_record_row(lf_builder *b, lf_value *a, const lf_value *v, int indices);
/* The form of the field of that name of an element of captured records: "", "[3]" or a struct's. */
const char *luafn_captured_record_form(lf_builder *b, const lf_value *v, const char *name);
/* An element of captured records as a record of the values that its fields have here; any other v
 * as it is. */
lf_value *luafn_captured_record_whole(lf_builder *b, lf_value *v);
/* The same of v as a field of that form: "[3]", a list of the elements of an array's row. */
lf_value *luafn_captured_record_whole_field(lf_builder *b, lf_value *v, const char *form);
/* Before the header of a loop is sealed: records that are other ones in each round become variables
 * of their values. */
void luafn_captured_record_end_loop(lf_builder *b, lf_block *header);
/* The value of a return: v, or the record that it represents. */
lf_value *luafn_captured_record_result(lf_builder *b, lf_value *v);
/* Replaces the records of all exits (lf_exit) by their fields, those of records in them too. The
 * first one; NULL: they return something else. */
lf_value *luafn_captured_record_unpack(lf_builder *b);
/* Adds the values of a record, and of those in it, to a list. */
void luafn_captured_record_flatten(lf_builder *b, lf_value *v, lf_list *to);
/* Those fields as a record again, in the form of that one. */
lf_value *luafn_captured_record_repack(lf_builder *b, lf_value *like, const lf_list *values);
/* The element of a list at an index, which has to be known; NULL: it is no list. */
lf_value *luafn_captured_record_item(lf_builder *b, lf_value *list, lf_value *index);

/* Records of that source are assigned as wholes here: stops if a loop around here has read a field
 * of an element that was taken before the loop, which the next round would read again. */
void luafn_captured_record_renewed(lf_builder *b, int source);

#endif
