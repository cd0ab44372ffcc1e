/* scopes.c - the C interface to scopes as objects, each with globals of its own, and to references:
 * values of a scope that a host holds. */
#include "state/scopes.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "state/globals.h"
#include "state/sandbox.h"
#include "state/scope.h"
#include "state/variant.h"

enum { NAME = 64 }; /* of a reference, for messages */

struct lun_ref {
    lun_globals *scope;
    char path[NAME];
};

/* ---- in a scope ------------------------------------------------------------------------------ */

/* LUN_EARG: there is no scope, or it has ended. */
static lun_status check(lun_globals *s)
{
    if (!s)
        return LUN_EARG;
    return s->ended ? lun_fail(s->engine, LUN_EARG, "the scope has ended") : LUN_OK;
}

lun_status lun__scopes_run(lun_globals *s, lua_CFunction f, lun__job *j)
{
    lun_status status = check(s);
    if (status != LUN_OK)
        return status;
    j->scope = s;
    s->calls++;
    status = lun__embed_run(s->engine, f, j);
    s->calls--;
    return status;
}

lun_status lun_scope_run(lun_globals *s, const char *text, size_t length, const char *chunkname)
{
    const char *chunk = chunkname ? chunkname : "=script";
    return lun__scopes_run(s, lun__embed_run_text,
                           &(lun__job){.text = text, .length = length, .chunk = chunk});
}

lun_status lun_scope_set(lun_globals *s, const char *path, const lun_variant *v)
{
    lun_status status = check(s);
    if (status == LUN_OK && !v)
        status = lun_fail(s->engine, LUN_EARG, "a value is missing (NULL)");
    if (status == LUN_OK)
        status = lun__variant_check(s->engine, v, "argument", 2);
    return status == LUN_OK ? lun__scopes_run(s, lun__globals_set_value,
                                              &(lun__job){.text = path, .path = true, .args = v})
                            : status;
}

static lun_status no_place(const lun_globals *s)
{
    return lun_fail(s->engine, LUN_EARG, "the pointer for the result is missing (NULL)");
}

lun_status lun_scope_get(lun_globals *s, const char *path, lun_variant *out)
{
    lun_variant v;
    lun_status status = check(s);
    if (status == LUN_OK && !out)
        status = no_place(s);
    if (status == LUN_OK)
        status = lun__scopes_run(s, lun__globals_get_value,
                                 &(lun__job){.text = path, .path = true, .results = &v});
    if (status == LUN_OK)
        *out = v;
    return status;
}

/* A job that calls a function in a scope. */
static lun_status call(lun_globals *s, lun__job *j, int *given)
{
    lun_status status = check(s);
    if (status != LUN_OK)
        return status;
    status = lun__globals_check(s->engine, j);
    if (status == LUN_OK)
        status = lun__scopes_run(s, lun__globals_call, j);
    if (status == LUN_OK && given)
        *given = j->given;
    return status;
}

lun_status lun_scope_call(lun_globals *s, const char *path, const lun_variant *args, int count,
                          lun_variant *results, int room, int *given)
{
    return call(s,
                &(lun__job){.text = path,
                            .path = true,
                            .args = args,
                            .count = count,
                            .results = results,
                            .room = room},
                given);
}

/* ---- scopes ---------------------------------------------------------------------------------- */

static int make(lua_State *L)
{
    const lun__job *j = lua_touserdata(L, 1);
    lun__scope_make(L, j->native);
    return 0;
}

lun_status lun_scope_new(lun_engine *e, lun_globals **out)
{
    if (!e)
        return LUN_EARG;
    if (!out)
        return lun_fail(e, LUN_EARG, "the pointer for the result is missing (NULL)");
    lun_globals *s = calloc(1, sizeof *s);
    if (!s)
        return lun_fail(e, LUN_ENOMEM, "not enough memory for a scope");
    s->engine = e;
    lun_status status = lun__embed_run(e, make, &(lun__job){.text = "", .native = s});
    if (status == LUN_OK)
        *out = s;
    else
        free(s);
    return status;
}

/* The state of the engine for calls that cannot fail; NULL: there is none, or no room. */
static lua_State *state_of(lun_engine *e)
{
    lua_State *L = lun_host_get(e);
    L = L ? lun__sandbox_running(L) : NULL;
    return L && lua_checkstack(L, 8) ? L : NULL;
}

static void free_unused(lun_globals *s)
{
    if (s->ended && !s->references)
        free(s);
}

void lun_scope_free(lun_globals *s)
{
    lun_engine *taken;
    if (!s || s->ended || lun_thread_enter(s->engine, &taken) != LUN_OK)
        return;
    lua_State *L = state_of(s->engine);
    if (s->calls) {
        lun_fail(s->engine, LUN_EARG, "a scope cannot be freed inside a call of its own");
    } else if (L) {
        lun__scope_end(L, s);
        s->ended = true;
        free_unused(s);
    }
    lun_thread_leave(&taken);
}

/* ---- references ------------------------------------------------------------------------------ */

static int hold(lua_State *L)
{
    lun__job *j = lua_touserdata(L, 1);
    if (lun__globals_push(L, j))
        lun__scope_hold(L, j->scope, j->native);
    return 0;
}

lun_status lun_scope_ref(lun_globals *s, const char *path, lun_ref **out)
{
    lun_status status = check(s);
    if (status == LUN_OK && !out)
        status = no_place(s);
    if (status != LUN_OK)
        return status;
    lun_ref *r = calloc(1, sizeof *r);
    if (!r)
        return lun_fail(s->engine, LUN_ENOMEM, "not enough memory for a reference");
    r->scope = s;
    snprintf(r->path, sizeof r->path, "%s", path ? path : "");
    status = lun__scopes_run(s, hold, &(lun__job){.text = path, .path = true, .native = r});
    if (status != LUN_OK) {
        free(r);
        return status;
    }
    s->references++;
    *out = r;
    return LUN_OK;
}

lun_status lun_ref_call(lun_ref *r, const lun_variant *args, int count, lun_variant *results,
                        int room, int *given)
{
    if (!r)
        return LUN_EARG;
    return call(r->scope,
                &(lun__job){.text = r->path,
                            .held = r,
                            .args = args,
                            .count = count,
                            .results = results,
                            .room = room},
                given);
}

void lun_ref_free(lun_ref *r)
{
    lun_engine *taken;
    if (!r)
        return;
    lun_globals *s = r->scope;
    if (lun_thread_enter(s->engine, &taken) != LUN_OK)
        return;
    lua_State *L = s->ended ? NULL : state_of(s->engine);
    if (L)
        lun__scope_let_go(L, s, r);
    s->references--;
    free_unused(s);
    free(r);
    lun_thread_leave(&taken);
}
