/* atomic_text.h - functions that change an element at once, by a row of table/atomics.def. */
#ifndef LUN_ATOMIC_TEXT_H
#define LUN_ATOMIC_TEXT_H

#include "render/renderer.h"
#include "table/atomic.h"

/* The function on the address of an element of dtype t, a value and, before it is changed so,
 * what the element has to be, if the operation expects something; among the helpers.  local: for
 * elements that a work-group shares. */
lun_snippet lun__atomic_text(lun_renderer *r, lun_atomic which, lun_dtype t, bool local);

#endif
