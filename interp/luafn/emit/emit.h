/* emit.h - the last pass: a lowered graph as IR. */
#ifndef LUAFN_EMIT_H
#define LUAFN_EMIT_H

#include "luafn/graph/compile.h"

/* Writes c->ir and c->function; leaves by luafn_debug_fail if they have no room. */
void luafn_emit(lf_compile *c);

/* emit_barrier.c: leaves if some threads of a team may reach one of the barriers, LF_IR_BARRIERs in
 * the order of the IR, without the others, or if memory is requested in a loop; removes the
 * requests. */
void luafn_emit_barrier_check(lf_compile *c, const lf_list *barriers);

#endif
