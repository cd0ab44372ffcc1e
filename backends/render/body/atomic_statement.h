/* atomic_statement.h - atomic operations on elements of slots. */
#ifndef LUN_ATOMIC_STATEMENT_H
#define LUN_ATOMIC_STATEMENT_H

#include "render/renderer.h"

/* The statement of ATOMIC or SWAP v, for one index. */
void lun__atomic_statement(lun_section *s, int32_t v);

#endif
