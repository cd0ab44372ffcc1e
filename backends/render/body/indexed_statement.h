/* indexed_statement.h - the statements of a kernel on one element that depend on its index. */
#ifndef LUN_INDEXED_STATEMENT_H
#define LUN_INDEXED_STATEMENT_H

#include "render/renderer.h"

/* In a section with `element`: what reads or writes at the index, and calls.  False for other
 * kinds. */
bool lun__item_statement(lun_section *s, int32_t v);

#endif
