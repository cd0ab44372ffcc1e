/* random.h - random bits. */
#ifndef LUN_RENDER_VECTOR_RANDOM_H
#define LUN_RENDER_VECTOR_RANDOM_H

#include "render/vector/vector.h"

/* Appends what makes the words of a section's STREAMs for the 64 indices from i on, as w<v>. */
void lun__random_streams(lun_renderer *r, unsigned need, lun_strbuf *out);
/* (element, key): one word. */
lun_snippet lun__random_one(lun_renderer *r, lun_dtype t);

#endif
