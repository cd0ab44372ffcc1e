/* plan.h - lunarray --plan: faults, plans and memory of a script before it runs. */
#ifndef LUN_PLAN_H
#define LUN_PLAN_H

#include <stdbool.h>

#include <lua.h>

/* With the script's chunk and above it its `count` arguments: plans it by lua/lunarray/plan, and
 * takes them off the stack. False after a fault, which is reported. */
bool lun__plan(lua_State *L, const char *program, const char *path, int count);

#endif
