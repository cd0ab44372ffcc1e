/* embed.h - calls of Lua in an engine's own state, for the files of the C interface to it. */
#ifndef LUN_EMBED_H
#define LUN_EMBED_H

#include "bind/host/bind.h"

/* The arguments and the results of a protected function. */
typedef struct lun__job {
    lun_engine *engine;
    const char *text;  /* script, path or name; must be given */
    const char *chunk; /* the script's name, as Lua has it */
    lun_status status; /* a failure recorded without an error of Lua */
    lun_array *array;
    double number;
    const lun_variant *args; /* of a call, and their number */
    int count;
    lun_variant *results;
    int room, given;
    size_t length; /* of a script, or of a text found */
    const char *found;
    void *native; /* a function of the host's */
    lun_table *table;
    const void *scope; /* the key of the scope to run in; NULL: the chosen one */
    const void *held;  /* what is called is held under this address; NULL: text is its name */
    bool path;         /* text is a path of names, "cfg.gain" */
} lun__job;

/* Calls f, protected, in the engine's state, made on first use, with j as light userdata. Errors of
 * f, and stops, become the engine's failure. */
lun_status lun__embed_run(lun_engine *e, lua_CFunction f, lun__job *j);
/* Such a function: runs the job's text. */
int lun__embed_run_text(lua_State *L);
/* For such a function: calls f with the job, and with the host as upvalue, as the binding's
 * functions are. */
int lun__embed_with_host(lua_State *L, lua_CFunction f);

/* The same for a function that calls the module's own files: errors that they raise are mistakes of
 * the caller, LUN_EARG with their first line. */
lun_status lun__embed_call(lun_engine *e, lua_CFunction f, lun__job *j);

/* Pushes the text that print writes of its arguments, without the newline; valid while it is on the
 * stack. */
const char *lun__embed_printed(lua_State *L, size_t *length);

#endif
