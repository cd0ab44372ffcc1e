/* gather.h - elements at computed places, and checks of these. */
#ifndef LUN_RENDER_BODY_GATHER_H
#define LUN_RENDER_BODY_GATHER_H

#include "render/renderer.h"

/* Appends the first lane of an affine value, a<v>; nothing for other values. */
void lun__gather_first(lun_section *s, int32_t v);
void lun__gather_statement(lun_section *s, int32_t v);
void lun__gather_check(lun_section *s, int32_t v);

#endif
