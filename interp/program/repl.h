/* repl.h - the interactive mode. */
#ifndef LUN_REPL_H
#define LUN_REPL_H

#include <stdbool.h>

#include <lua.h>

/* Reads statements from stdin and runs them until the input ends: as a prompt at a terminal, else,
 * or if `plain`, as the stock interpreter does. */
void lun__repl(lua_State *L, bool plain);

/* The prompt at a terminal, implemented by the module lunarray.prompt.repl. False with a message if
 * it fails: a script may have broken it. */
bool lun__repl_session(lua_State *L);

/* list(directory): the names in it, directories with a slash; none if it cannot be read. */
int lun__repl_session_list(lua_State *L);

#endif
