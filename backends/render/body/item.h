/* item.h - the statements of a kernel on one element that depend on its index. */
#ifndef LUN_RENDER_BODY_ITEM_H
#define LUN_RENDER_BODY_ITEM_H

#include "render/renderer.h"

/* In a section with `element`: what reads or writes at the index, and calls.  False for other
 * kinds. */
bool lun__item_statement(lun_section *s, int32_t v);

#endif
