/* native.c - C functions of the host that scripts call. */
#include <stdio.h>
#include <string.h>

#include "state/globals.h"
#include "state/scopes.h"
#include "state/variant.h"

enum { FEW = 8 };

#define TYPE "lunarray.native"

/* The second upvalue of such a function. */
typedef struct native {
    lun_native *call; /* NULL: it has ended */
    void *ctx;
    void (*destroy)(void *ctx); /* at its end; NULL: nothing */
    char name[64];
} native;

/* Raises the function's failure, with its name and the source line. */
static int raise(lua_State *L, lun__host *h, const native *n, lun_status s)
{
    char text[512];
    const char *told = lun_error(h->engine);
    if ((unsigned)s > LUN_EBOUNDS)
        s = LUN_ESCRIPT;
    snprintf(text, sizeof text, "%s: %s", n->name, *told ? told : lun_status_name(s));
    (void)lun_fail(h->engine, s, text);
    return lun__error_raise_fault(L, h, s);
}

/* Releases results of the function that cannot be used. */
static void drop(const lun_engine *e, const lun_variant *results, int given)
{
    for (int i = 0; i < given && i < LUN_MOST_RESULTS; i++)
        if (results[i].type == LUN_TYPE_ARRAY
                ? lun_engine_of(results[i].as.array) == e
                : results[i].type == LUN_TYPE_TABLE && lun_table_engine(results[i].as.table) == e)
            lun__variant_release(&results[i]);
}

static int call_native(lua_State *L)
{
    lun__host *h = lun__host_here(L);
    const native *n = lua_touserdata(L, lua_upvalueindex(2));
    lun_variant few[FEW], *args = few, results[LUN_MOST_RESULTS] = {{.type = LUN_TYPE_NIL}};
    int count = lua_gettop(L), given = 0;
    luaL_checkstack(L, LUN_MOST_RESULTS + 4, NULL);
    if (count > FEW)
        args = lua_newuserdatauv(L, (size_t)count * sizeof *args, 0);
    for (int i = 0; i < count; i++)
        if (!lun__variant_of(L, h, i + 1, &args[i])) {
            char kind[LUN__KIND_TEXT];
            lun__variant_kind(L, i + 1, kind);
            return luaL_error(L,
                              "bad argument #%d to '%s' (nil, boolean, number, text, array or "
                              "table of columns expected, got %s)",
                              i + 1, n->name, kind);
        }
    if (!n->call)
        return luaL_error(L, "the host's function '%s' has ended", n->name);
    (void)lun_fail(h->engine, LUN_OK, "");
    lun_status s = n->call(n->ctx, h->engine, args, count, results, &given);
    if (s != LUN_OK)
        return raise(L, h, n, s);
    if (given < 0 || given > LUN_MOST_RESULTS)
        s = lun_fail(h->engine, LUN_EARG, "more results than there is room for");
    for (int i = 0; s == LUN_OK && i < given; i++)
        s = lun__variant_check(h->engine, &results[i], "result", i);
    if (s != LUN_OK) {
        drop(h->engine, results, given);
        return raise(L, h, n, s);
    }
    for (int i = 0; i < given; i++) {
        lun__variant_push(L, h, &results[i]);
        lun__variant_release(&results[i]); /* the reference that the function gave to us */
    }
    return given;
}

/* No script has the function any more, or the state ends. */
static int end_native(lua_State *L)
{
    native *n = lua_touserdata(L, 1);
    void (*destroy)(void *) = n->call ? n->destroy : NULL;
    n->call = NULL;
    if (destroy)
        destroy(n->ctx);
    return 0;
}

static int set_native(lua_State *L)
{
    lun__job *j = lua_touserdata(L, 1);
    (void)lun__host_here(L);
    lua_pushvalue(L, lua_upvalueindex(1));
    native *n = lua_newuserdatauv(L, sizeof *n, 0);
    *n = (native){.call = NULL}; /* a failure leaves the context with the host */
    if (luaL_newmetatable(L, TYPE)) {
        lua_pushcfunction(L, end_native);
        lua_setfield(L, -2, "__gc");
    }
    lua_setmetatable(L, -2);
    lua_pushcclosure(L, call_native, 2);
    if (lun__globals_set(L, j))
        *n = *(const native *)j->native;
    return 0;
}

static int register_native(lua_State *L)
{
    return lun__embed_with_host(L, set_native);
}

/* What a registration hands over; LUN_EARG: there is no function. */
static lun_status new_native(lun_engine *e, const char *name, lun_native *f, void *ctx, native *out)
{
    *out = (native){.call = f, .ctx = ctx};
    snprintf(out->name, sizeof out->name, "%s", name ? name : "");
    return f ? LUN_OK : lun_fail(e, LUN_EARG, "a function is missing (NULL)");
}

lun_status lun_register(lun_engine *e, const char *name, lun_native *f, void *ctx)
{
    native n;
    lun_status s = e ? new_native(e, name, f, ctx, &n) : LUN_EARG;
    return s == LUN_OK ? lun__embed_run(e, register_native, &(lun__job){.text = name, .native = &n})
                       : s;
}

lun_status lun_scope_register(lun_globals *scope, const char *path, lun_native *f, void *ctx,
                              void (*destroy)(void *ctx))
{
    native n;
    if (!scope)
        return LUN_EARG;
    lun_status s = new_native(scope->engine, path, f, ctx, &n);
    n.destroy = destroy;
    return s == LUN_OK ? lun__scopes_run(scope, register_native,
                                         &(lun__job){.text = path, .path = true, .native = &n})
                       : s;
}
