/* decode.h - the format of Lua 5.4's binary chunks.
 *
 * Knows the format and nothing of what the code means. */
#ifndef LUAFN_DECODE_H
#define LUAFN_DECODE_H

#include "luafn/bytecode/where.h"

/* Decodes a dump, unchecked and without blocks (load.h adds both); everything lies in the unit's
 * arena. */
lf_proto *luafn_decode(lf_unit *u, const char *bytes, size_t length);

#endif
