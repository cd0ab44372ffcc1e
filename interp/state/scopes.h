/* scopes.h - scopes that a host has as objects. */
#ifndef LUN_SCOPES_H
#define LUN_SCOPES_H

#include "state/embed.h"

/* Invariant: while `ended` is not set the engine's state has a scope (state/scope.h) with this
 * object's address as key. `references` are the lun_refs that know of it; the last of them, or
 * lun_scope_free, frees it. */
struct lun_globals {
    lun_engine *engine;
    int64_t references;
    int calls; /* that have not returned */
    bool ended;
};

/* lun__embed_run in that scope. */
lun_status lun__scopes_run(lun_globals *s, lua_CFunction f, lun__job *j);

#endif
