/* emit.h - the last pass: a lowered graph as IR. */
#ifndef LUAFN_EMIT_H
#define LUAFN_EMIT_H

#include "luafn/graph/compile.h"

/* Writes c->ir and c->function; leaves by luafn_fail if they have no room. */
void luafn_emit(lf_compile *c);

/* emit_barrier.c: leaves where threads of a team may come to one of the barriers, LF_IR_BARRIERs in
 * the order of the IR, without the others, or where memory is in a loop; what is none itself is one
 * no more. */
void luafn_check_barriers(lf_compile *c, const lf_list *barriers);

#endif
