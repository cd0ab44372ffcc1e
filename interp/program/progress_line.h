/* progress_line.h - a line at a terminal during long evaluations: the kernel, the time so far, and
 * if they are known the part that is done and the remaining time. */
#ifndef LUN_PROGRESS_LINE_H
#define LUN_PROGRESS_LINE_H

#include <lua.h>

/* Shows the progress of evaluations from now on, if the terminal can erase a line. */
void lun__progress_line_watch(lua_State *L);

#endif
