/* assign_element.h - t[i] = x, of arrays and of captured records. */
#ifndef LUAFN_ASSIGN_ELEMENT_H
#define LUAFN_ASSIGN_ELEMENT_H

#include "luafn/graph/body_builder.h"

/* An index of t, an array or a part of one, as one that counts from 1. */
lf_value *luafn_assign_element_index(lf_builder *b, const lf_value *t, lf_value *i);
/* t[i] = x, with t an array or a part of one. */
void luafn_assign_element(lf_builder *b, lf_value *t, lf_value *i, lf_value *x);
/* at = x, with `at` an element of captured records. */
void luafn_assign_element_record(lf_builder *b, const lf_value *at, lf_value *x);
/* row = x, a field of that form, "[3]", of an element of captured records, x a list. */
void luafn_assign_element_list(lf_builder *b, lf_value *row, const char *form, lf_value *x);

#endif
