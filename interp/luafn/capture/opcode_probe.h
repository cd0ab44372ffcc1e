/* opcode_probe.h - whether the running Lua's bytecode is the one that the translation knows. */
#ifndef LUAFN_OPCODE_PROBE_H
#define LUAFN_OPCODE_PROBE_H

#include <lua.h>

#include "ir/ir.h"

/* Is the bytecode of the running Lua what luafn/bytecode/opcodes.h says? Raises no Lua error. */
lun_status luafn_probe(lua_State *L, lun_strbuf *error);

#endif
