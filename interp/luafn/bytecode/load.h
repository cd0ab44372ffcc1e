/* load.h - a dump of Lua 5.4 as functions that the translation can rely on: decoded (decode.c),
 * checked (check.c), with their blocks (flow.c). */
#ifndef LUAFN_LOAD_H
#define LUAFN_LOAD_H

#include "luafn/bytecode/debug_info.h"

/* Decodes a dump, checks every function in it and finds its blocks; leaves by luafn_debug_fail
 * if it cannot be read. Everything lies in the unit's arena. */
lf_proto *luafn_load(lf_unit *u, const char *bytes, size_t length);

/* Decodes a dump, unchecked and without blocks (luafn_load adds both); everything lies in the
 * unit's arena. */
lf_proto *luafn_decode(lf_unit *u, const char *bytes, size_t length);

/* Leaves if p's instructions are inconsistent with the rest of p; of the functions inside p only
 * their upvalues are checked. */
void luafn_check(lf_unit *u, const lf_proto *p);

#endif
