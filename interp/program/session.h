/* session.h - lunarray --session: a prompt for programs, objects of JSON a line each. */
#ifndef LUN_SESSION_H
#define LUN_SESSION_H

#include <stdbool.h>

#include <lua.h>

/* Before Lua's libraries are opened: descriptors 0 and 1 become the session's alone, and what is
 * written to stdout goes out as objects. False with a complaint. */
bool lun__session_begin(const char *program);

/* Reads requests and answers them until the input ends: lua/lunarray/prompt/session.lua. sandbox:
 * its limits hold for each request. */
void lun__session_serve(lua_State *L, const char *program, bool sandbox);

#endif
