/* gather.h - elements at computed places, and checks of these. */
#ifndef LUN_RENDER_BODY_GATHER_H
#define LUN_RENDER_BODY_GATHER_H

#include "render/renderer.h"

/* The first lane of an AFFINE value, a<v>; the others follow it.  Nothing for other values. */
void lun__gather_first(lun_csection *s, int32_t v);
void lun__gather_statement(lun_csection *s, int32_t v);
void lun__gather_check(lun_csection *s, int32_t v);

#endif
