/* complex_value.h - complex numbers while a function is translated: made, taken apart, elements of
 * complex arrays, their functions and methods. */
#ifndef LUAFN_COMPLEX_VALUE_H
#define LUAFN_COMPLEX_VALUE_H

#include "luafn/graph/body_builder.h"

/* A call of a function of complex numbers; appends its result. */
void luafn_complex_value_call(lf_builder *b, const lf_value *f, const lf_list *args,
                              lf_list *results);
/* Whether v, unless it is known to be something else, may turn out to be a complex number. */
bool luafn_complex_value_may_be(const lf_value *v);
/* A field of such a v, or NULL: complex numbers have none of that name. */
lf_value *luafn_complex_value_field(lf_builder *b, lf_value *v, const char *name);
/* A call of a method of the number args[0]; appends its result. */
void luafn_complex_value_method(lf_builder *b, const char *name, const lf_list *args,
                                lf_list *results);
/* A number, or a complex array, of these parts. */
lf_value *luafn_complex_value_of(lf_builder *b, lf_value *re, lf_value *im);
/* Element i, or the part, of a complex array. */
lf_value *luafn_complex_value_element(lf_builder *b, const lf_value *t, lf_value *i);
/* The parts of x as they are assigned to an element of a complex array. */
void luafn_complex_value_parts(lf_builder *b, lf_value *x, lf_value *part[2]);
/* Drops complex numbers that nothing uses, so that their parts are used by what does. */
void luafn_complex_value_sweep(lf_compile *c);

#endif
