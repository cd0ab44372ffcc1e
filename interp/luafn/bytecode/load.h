/* load.h - a dump as functions that the translation can rely on. */
#ifndef LUAFN_LOAD_H
#define LUAFN_LOAD_H

#include "luafn/bytecode/where.h"

/* Decodes a dump, checks every function in it and finds its blocks; leaves by luafn_fail if it
 * cannot be read. Everything lies in the unit's arena. */
lf_proto *luafn_load(lf_unit *u, const char *bytes, size_t length);

#endif
