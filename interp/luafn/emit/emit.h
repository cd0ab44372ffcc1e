/* emit.h - the last pass: a lowered graph as IR. */
#ifndef LUAFN_EMIT_H
#define LUAFN_EMIT_H

#include "luafn/ssa/compile.h"

/* Writes c->ir and c->function; leaves by luafn_fail if they have no room. */
void luafn_emit(lf_compile *c);

#endif
