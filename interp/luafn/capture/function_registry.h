/* function_registry.h - the state of luafn in a lua_State: decoded functions, shared by all
 * closures of the same code, and the original functions of the math library. */
#ifndef LUAFN_FUNCTION_REGISTRY_H
#define LUAFN_FUNCTION_REGISTRY_H

#include <lauxlib.h>
#include <lua.h>

#include "ir/ir.h"
#include "luafn/capture/builtin.h"
#include "luafn/capture/decoded_functions.h"

typedef struct lf_host {
    int refs;
    lua_State *L; /* the main thread; NULL once the state is closed */
    lua_CFunction math[LF_MATH_COUNT];
    /* functions of math that are rows of table/ops.def */
    struct {
        lua_CFunction function;
        lun_op op;
    } row[LUN_OP_COUNT];
    int rows;
    lf_program *methods; /* those of t that are written in Lua; NULL: not needed yet */
} lf_host;

/* The host of a state, made on first use; a new reference. May raise a Lua error. */
lun_status luafn_registry_host(lua_State *L, lf_host **out, lun_strbuf *error);
void luafn_registry_host_release(lf_host *h);
/* How many arguments a function of math takes at most, 1 or 2; 0: f is unknown. */
int luafn_registry_host_math(const lf_host *h, lua_CFunction f);

/* The program of the Lua function at index; a new reference. May raise a Lua error. */
lun_status luafn_registry_program(lua_State *L, int index, lf_program **out, lun_strbuf *error);

/* opcode_probe.c: is the bytecode of the running Lua what luafn/bytecode/opcodes.h says? Raises no
 * Lua error. */
lun_status luafn_opcode_probe(lua_State *L, lun_strbuf *error);

#endif
