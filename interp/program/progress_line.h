/* progress_line.h - a line for long work at a terminal: what runs, how long it has taken, and where
 * its length is known how much of it is done and how long the rest takes. */
#ifndef LUN_PROGRESS_LINE_H
#define LUN_PROGRESS_LINE_H

#include <lua.h>

/* Shows how far evaluations are from now on, where the terminal can erase a line. */
void lun__watch_progress(lua_State *L);

#endif
