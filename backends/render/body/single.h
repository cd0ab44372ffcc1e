/* single.h - statements that make one element. */
#ifndef LUN_RENDER_BODY_SINGLE_H
#define LUN_RENDER_BODY_SINGLE_H

#include "render/renderer.h"

/* Appends the statement that makes single element v; hoisted ones are also stored in the struct
 * `uniform`. */
void lun__single_statement(lun_section *s, int32_t v);

#endif
