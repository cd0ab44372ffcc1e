/* errors_json.h - failures on standard error as objects of JSON, a line each: --errors=json.
 *
 * {"level":"error","code":"ESHAPE","file":"a.lua","line":12,"message":"...","hint":"...",
 *  "traceback":[{"file":"a.lua","line":12,"name":"f"}]}
 *
 * code: a status of the engine without LUN_, or what an error object has; syntax, memory, runtime,
 * usage; file and line stand where the message begins with them, hint and traceback where there
 * are any. */
#ifndef LUN_ERRORS_JSON_H
#define LUN_ERRORS_JSON_H

#include <stdbool.h>
#include <stdio.h>

#include <lua.h>

/* From here on, for the whole process. */
void lun__errors_json_begin(void);
bool lun__errors_json_on(void);

/* In a message handler: pushes the object for the value at index 1. */
void lun__errors_json_push(lua_State *L);

/* Writes the object for a message, or the message where it is one. Allocates nothing in Lua. */
void lun__errors_json_write(const char *level, const char *code, const char *message);

/* Pushes the object for an error's message. It is no value of L that is popped meanwhile. */
void lun__errors_json_push_message(lua_State *L, const char *code, const char *message);

/* Pushes the text on the top, which stays, as a string of JSON; writes one. */
void lun__errors_json_push_string(lua_State *L);
void lun__errors_json_put(FILE *file, const char *text, size_t length);

/* Has lua_warning write objects. */
void lun__errors_json_warnings(lua_State *L);

#endif
