/* modules.h - the Lua files of lua/lunarray/, embedded by interp/state/embed.sh, and the entry
 * points of the module. */
#ifndef LUN_MODULES_H
#define LUN_MODULES_H

#include <stddef.h>

/* One Lua file; the table ends with a row whose name is NULL. */
struct lun__embedded {
    const char *name;  /* as given to require: "lunarray.format.csv" */
    const char *chunk; /* as shown in messages: "@lua/lunarray/format/csv.lua" */
    const unsigned char *bytes;
    size_t length;
};

extern const struct lun__embedded lun__embedded[];

struct lua_State;
/* Pushes the result of that file, named as in require, after running it if it has not run yet. The
 * module is open. Raises errors. */
void lun__module_push(struct lua_State *L, const char *name);

#endif
