/* globals.h - globals of an engine's own Lua state, by the name or the path of a job. */
#ifndef LUN_GLOBALS_H
#define LUN_GLOBALS_H

#include "state/embed.h"

/* Pushes the value of a job's name, or path, or what is held for it. False: a name before the last
 * one is no table's, and the failure is recorded. */
bool lun__globals_push(lua_State *L, lun__job *j);
/* Sets the job's name, or path, whose tables are made, to the value on the top. */
bool lun__globals_set(lua_State *L, lun__job *j);
/* LUN_EARG: the job's arguments and results are none that a call can have. */
lun_status lun__globals_check(lun_engine *e, const lun__job *j);
/* For lun__embed_run: calls the job's function. */
int lun__globals_call(lua_State *L);
/* For lun__embed_run: sets it to the job's first argument; reads it as its first result. */
int lun__globals_set_value(lua_State *L);
int lun__globals_get_value(lua_State *L);

#endif
