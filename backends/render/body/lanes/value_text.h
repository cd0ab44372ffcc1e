/* value_text.h - the text of a value. */
#ifndef LUN_VALUE_TEXT_H
#define LUN_VALUE_TEXT_H

#include "render/vector/vector.h"

/* How value v is represented in lanes. */
lun_rep lun__value_rep(const lun_renderer *r, int32_t v);
/* How masks are represented in the lanes of the kernel. */
lun_rep lun__value_mask_rep(const lun_renderer *r);
/* Value v in every lane, as rep; as a single element. */
lun_snippet lun__value_vector(lun_section *s, int32_t v, lun_rep rep);
lun_snippet lun__value_single(const lun_section *s, int32_t v);
/* Field of the uniform struct with a slot's address ("p3"), declared on first use. */
lun_snippet lun__value_slot(lun_renderer *r, int64_t slot);
/* The address of a slot's elements, in a section on single elements. */
lun_snippet lun__value_array(lun_section *s, int64_t slot);
/* "v12", or "v12_0" for each part if there are several. */
lun_snippet lun__value_name(const lun_section *s, char kind, int32_t v);
/* The index of the vector's first lane: "i + 16". */
lun_snippet lun__value_index(const lun_section *s);
/* Index of the first lane in the vectors that go through the statements together. */
int lun__value_offset(const lun_section *s);
/* "const f32x16 v7" or "const lun_f32 s7". */
lun_snippet lun__value_declare(lun_section *s, int32_t v);

/* Whether a slot is memory of a team or a thread that is declared in the text as m<slot>. */
bool lun__value_is_local(const lun_renderer *r, int64_t slot);
/* The number of the element `index` of a slot, in the array that lun__value_array names. */
lun_snippet lun__value_element_index(lun_section *s, int64_t slot, int32_t index);

#endif
