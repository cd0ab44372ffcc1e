/* program.h - what luafn keeps in a lua_State: decoded functions, shared by all closures of the same
 * code, and the genuine functions of the math library. */
#ifndef LUAFN_PROGRAM_H
#define LUAFN_PROGRAM_H

#include <lauxlib.h>
#include <lua.h>

#include "luafn/bytecode/decode.h"
#include "luafn/capture/capture.h"

typedef struct lf_host {
    int refs;
    lua_State *L; /* the main thread; NULL once the state has been closed */
    lua_CFunction math[LF_MATH_COUNT];
} lf_host;

/* A function's code. */
typedef struct lf_program {
    int refs;
    lf_arena arena;
    lf_proto *proto;
    struct lf_spec *specs; /* compiled forms, see kept.h */
} lf_program;

/* The host of a state, made on first use; a new reference. May raise a Lua error. */
lun_status luafn_host(lua_State *L, lf_host **out, lun_strbuf *error);
void luafn_host_release(lf_host *h);

/* The program of the Lua function at index; a new reference. May raise a Lua error. */
lun_status luafn_program(lua_State *L, int index, lf_program **out, lun_strbuf *error);
void luafn_program_release(lf_program *p);

/* Is the bytecode of the running Lua what luafn/bytecode/opcodes.h says? (probe.c) */
lun_status luafn_probe(lua_State *L, lun_strbuf *error);

/* Decodes the Lua function on top of the stack. May raise a Lua error. */
lun_status luafn_program_make(const char *bytes, size_t length, lf_program **out,
                              lun_strbuf *error);

#endif
