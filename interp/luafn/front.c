/* front.c - a Lua function as the engine sees it: a front end that compiles it when it is called.
 *
 * All work with the Lua state runs protected: an error of Lua (memory) becomes a status here. */
#include <stdlib.h>
#include <string.h>

#include "luafn/compiling.h"
#include "luafn/luafn.h"
#include "lunarray_bind.h"

typedef struct front {
    lf_host *host;
    lf_program *program;
    lf_binding ask;
    int ref; /* registry reference of the function */
} front;

/* One call of the front end. */
typedef struct asking {
    lf_job job;
    const front *f;
    lun_status (*what)(lf_job *j, const lf_capture_context *v);
} asking;

static int protected_job(lua_State *L)
{
    asking *a = lua_touserdata(L, 1);
    const front *f = a->f;
    lua_rawgeti(L, LUA_REGISTRYINDEX, f->ref);
    lf_capture_context v = {.L = L, .host = f->host, .ask = f->ask, .base = lua_gettop(L)};
    a->job.status = a->what(&a->job, &v);
    return 0;
}
/* Runs f(ctx) protected; false if Lua raised an error. */
static bool protect(lua_State *L, lua_CFunction f, void *ctx)
{
    if (!lua_checkstack(L, 3))
        return false;
    lua_pushcfunction(L, f);
    lua_pushlightuserdata(L, ctx);
    if (lua_pcall(L, 1, 0, 0) == LUA_OK)
        return true;
    lua_pop(L, 1);
    return false;
}

static lun_status finish(lun_status s, lun_strbuf *error)
{
    if (s == LUN_ENOMEM && !error->length)
        lun__strbuf_puts(error, "out of memory while compiling a Lua function");
    return s;
}

/* Runs `what` for these parameters, protected. */
static lun_status ask(front *f, lf_job job,
                      lun_status (*what)(lf_job *j, const lf_capture_context *v))
{
    lua_State *L = f->host->L;
    asking a = {job, f, what};
    if (!L) {
        lun__strbuf_puts(job.error, "the Lua state of this function has been closed");
        return LUN_EARG;
    }
    a.job.program = f->program;
    if (!protect(L, protected_job, &a))
        a.job.status = LUN_ENOMEM;
    luafn_compile_job_end(&a.job);
    return finish(a.job.status, job.error);
}

static lun_status specialise(void *ctx, const lun_front_param *params, int count,
                             lun_front_result *out, lun_strbuf *error)
{
    return ask(ctx, (lf_job){.param = params, .params = count, .out = out, .error = error},
               luafn_compile);
}

static lun_status foresee(void *ctx, const lun_front_param *params, int count, lun_strbuf *error)
{
    return ask(ctx, (lf_job){.param = params, .params = count, .error = error},
               luafn_compile_precheck);
}

static void release(void *ctx)
{
    front *f = ctx;
    if (f->host->L)
        luaL_unref(f->host->L, LUA_REGISTRYINDEX, f->ref);
    luafn_decoded_release(f->program);
    luafn_registry_host_release(f->host);
    free(f);
}

/* ---- making ---- */

typedef struct making {
    front *f;
    lun_strbuf *error;
    lun_status status;
} making;

/* Replaces the function of math at the top by a Lua function that calls it. */
static lun_status wrap(lua_State *L, const front *f, lun_strbuf *error)
{
    static const char text[] = "local f = ... return function(x, y) return f(x, y) end";
    static const char single[] = "local f = ... return function(x) return f(x) end";
    int arguments = luafn_registry_host_math(f->host, lua_tocfunction(L, -1));
    if (!arguments) {
        lun__strbuf_puts(error,
                         "a C function cannot be compiled: use a Lua function, C source or lun.op");
        return LUN_EARG;
    }
    const char *code = arguments == 1 ? single : text;
    if (luaL_loadbuffer(L, code, strlen(code), "=math") != LUA_OK)
        return LUN_ENOMEM;
    lua_pushvalue(L, -2);
    lua_call(L, 1, 1);
    lua_pushvalue(L, -1);
    lua_rawseti(L, LUA_REGISTRYINDEX, f->ref);
    return LUN_OK;
}

/* Stack: the making, the function. */
static int protected_making(lua_State *L)
{
    making *m = lua_touserdata(L, 1);
    front *f = m->f;
    lua_rawgeti(L, LUA_REGISTRYINDEX, f->ref);
    m->status = luafn_registry_host(L, &f->host, m->error);
    if (m->status == LUN_OK && lua_iscfunction(L, -1))
        m->status = wrap(L, f, m->error);
    if (m->status == LUN_OK)
        m->status = luafn_registry_program(L, lua_gettop(L), &f->program, m->error);
    return 0;
}

/* Stores the function in the registry. */
static int protected_ref(lua_State *L)
{
    front *f = lua_touserdata(L, 2);
    lua_pushvalue(L, 1);
    f->ref = luaL_ref(L, LUA_REGISTRYINDEX);
    return 0;
}

static bool keep_function(lua_State *L, int index, front *f)
{
    index = lua_absindex(L, index);
    if (!lua_checkstack(L, 4))
        return false;
    lua_pushcfunction(L, protected_ref);
    lua_pushvalue(L, index);
    lua_pushlightuserdata(L, f);
    if (lua_pcall(L, 2, 0, 0) == LUA_OK)
        return true;
    lua_pop(L, 1);
    return false;
}

lun_status luafn_front_make(lua_State *L, int index, const lf_binding *ask, lun_front *out,
                            lun_strbuf *error)
{
    if (!lua_isfunction(L, index)) {
        lun__strbuf_puts(error, "a Lua function expected");
        return LUN_EARG;
    }
    front *f = calloc(1, sizeof *f);
    making m = {.f = f, .error = error, .status = LUN_ENOMEM};
    if (f) {
        f->ask = *ask;
        f->ref = LUA_NOREF;
        if (keep_function(L, index, f) && !protect(L, protected_making, &m))
            m.status = LUN_ENOMEM;
    }
    if (m.status == LUN_OK) {
        *out = (lun_front){f, f->program->proto->params, specialise, foresee, release, NULL};
        return LUN_OK;
    }
    if (f) {
        luaL_unref(L, LUA_REGISTRYINDEX, f->ref);
        if (f->program)
            luafn_decoded_release(f->program);
        if (f->host)
            luafn_registry_host_release(f->host);
        free(f);
    }
    return finish(m.status, error);
}

lun_status luafn_front(lua_State *L, int index, lun_engine *e, const lf_binding *ask,
                       lun_function **out)
{
    lun_strbuf error = LUN_STRBUF_INIT;
    lun_front f;
    lun_status s = luafn_front_make(L, index, ask, &f, &error);
    if (s != LUN_OK) {
        s = lun_fail(e, s, lun__strbuf_text(&error));
    } else {
        s = lun__make_function_front(e, &f, out);
        if (s != LUN_OK)
            f.release(f.ctx);
    }
    lun__strbuf_free(&error);
    return s;
}
