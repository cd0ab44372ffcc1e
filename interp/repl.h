/* The interactive mode. Knows neither command line nor engine. */
#ifndef LUN_REPL_H
#define LUN_REPL_H

#include <lua.h>

/* Reads, runs and prints until the end of the input. Errors are shown and do not end it. */
void lun__repl(lua_State *L);

#endif
