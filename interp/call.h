/* Protected calls as a stand-alone interpreter makes them: traceback, Ctrl-C, messages on stderr.
 * Shared by the command line and the interactive mode; knows neither. */
#ifndef LUN_CALL_H
#define LUN_CALL_H

#include <lua.h>

/* Calls the function below its nargs arguments. Ctrl-C raises "interrupted!" inside the call.
 * On failure the message, with a traceback, replaces function and arguments. */
int lun__call(lua_State *L, int nargs, int nresults);

/* Writes "program: message" to stderr; no prefix where program is NULL. */
void lun__complain(const char *program, const char *message);

/* Where status is an error: complains with the message on the top and pops it. Returns status. */
int lun__report(lua_State *L, const char *program, int status);

#endif
