/* luafn.h - plain Lua 5.4 functions as functions of the engine.
 *
 * A function is used as it is, with its upvalues; it is compiled to IR when a skeleton is called,
 * once for each combination of dtypes. Everything that knows Lua's bytecode is behind this header.
 *
 * Within interp/luafn, functions that cross files begin with luafn_, types and inline helpers with
 * lf_. */
#ifndef LUAFN_H
#define LUAFN_H

#include <lua.h>

#include "ir/ir.h"
#include "luafn/capture/binding.h"

/* Makes a function of the engine from the plain Lua function at index. Raises no error: on
 * failure the engine has the text. The function must be released before the state is closed, or
 * by it. */
lun_status luafn_front(lua_State *L, int index, lun_engine *e, const lf_binding *ask,
                       lun_function **out);

/* Pushes the struct whose records the last called function returns, also if it has too many
 * elements, which is an error, and clears it; false, and pushes nothing: it returns none. */
bool luafn_compile_returned(lua_State *L);

/* Which results of the last called function are the real part of a complex number, whose imaginary
 * part is the next one: a bit each, from the lowest. Clears it. */
uint32_t luafn_compile_pairs(lua_State *L);

/* The same as luafn_front without an engine: fills *out, which ends with out->release(out->ctx). */
lun_status luafn_front_make(lua_State *L, int index, const lf_binding *ask, lun_front *out,
                            lun_strbuf *error);

#endif
