/* protected_call.h - protected calls as a stand-alone interpreter makes them: traceback, Ctrl-C,
 * messages on stderr. Shared by the command line and the interactive mode. */
#ifndef LUN_PROTECTED_CALL_H
#define LUN_PROTECTED_CALL_H

#include <stdbool.h>

#include <lua.h>

/* Calls the function below its nargs arguments. Ctrl-C raises "interrupted!" inside the call, and
 * stops an evaluation of the engine that runs there; a second one ends the process. On failure the
 * message, with a traceback, replaces function and arguments. */
int lun__call(lua_State *L, int nargs, int nresults);

/* The same with another message handler. */
int lun__call_with(lua_State *L, int nargs, int nresults, lua_CFunction describe);

/* The message handler of lun__call: the error's text, with hints and a traceback. */
int lun__call_describe(lua_State *L);

/* Calls of the running thread, one of several that run scripts, do not handle signals. */
void lun__call_as_rank(void);
/* From here on errors of the running thread's script are not reported: os.exit leaves it by one. */
void lun__call_leaves(void);

/* From here on Ctrl-C is the prompt's: while lun__call_input runs, all of it is stopped, whatever
 * pcall catches, and a second one within a second that finds it still running exits with 130; at
 * other times it is noted. */
void lun__call_session_begin(void);
void lun__call_session_end(void);

/* In a session: calls the function below its nargs arguments; `handler`, a stack index, is the
 * message handler. *interrupted: Ctrl-C was pressed meanwhile. */
int lun__call_input(lua_State *L, int nargs, int nresults, int handler, bool *interrupted);

/* Clears an interrupt, so that the rest of a call can describe an error. */
void lun__call_forget_interrupt(lua_State *L);

/* Whether Ctrl-C was pressed while nothing ran, since the last call of this. */
bool lun__call_was_interrupted(void);

/* Writes "program: message" to stderr; no prefix where program is NULL. */
void lun__call_complain(const char *program, const char *message);

/* Where status is an error: complains with the message on the top and pops it. Returns status.
 * Allocates nothing in L: it is called outside of protected calls, too. */
int lun__call_report(lua_State *L, const char *program, int status);

/* The first line of the last message that lun__call_report has written in this thread, "" if
 * there is none. */
const char *lun__call_last_report(void);

#endif
