/* front.c - what the engine sees of a Lua function: a front end that compiles it when it is called.
 *
 * All work with the Lua state runs protected: an error of Lua (memory) becomes a status here. */
#include <stdlib.h>
#include <string.h>

#include "luafn/emit/emit.h"
#include "luafn/improve/improve.h"
#include "luafn/kept.h"
#include "luafn/lower/lowering.h"
#include "luafn/luafn.h"
#include "luafn/ssa/build.h"
#include "luafn/ssa/methods.h"
#include "luafn/type/infer.h"
#include "luafn/type/report.h"
#include "lunarray_bind.h"

typedef struct front {
    lf_host *host;
    lf_program *program;
    lf_binding ask;
    int ref; /* registry reference of the function */
} front;

/* ---- compiling ---- */

static void report(lf_compile *c)
{
    luafn_report(c, c->types);
}

static void run_passes(void *ctx)
{
    lf_compile *c = ctx;
    static void (*const passes[])(lf_compile * c) = {luafn_build, luafn_infer,    report,
                                                     luafn_lower, luafn_branches, luafn_narrow,
                                                     luafn_hoist, luafn_emit};
    for (size_t i = 0; i < sizeof passes / sizeof passes[0]; i++) {
        luafn_heed(&c->unit);
        passes[i](c);
    }
}

static lun_status stopped(void *ctx)
{
    const lf_viewer *v = ctx;
    return v->ask.stopped(v->L);
}

/* Memory of Lua's, so that a limit holds for it. */
static void prepare(lf_unit *u, lf_viewer *v, lun_strbuf *error)
{
    u->error = error;
    u->arena.alloc = lua_getallocf(v->L, &u->arena.ctx);
    if (v->ask.stopped)
        u->stopped = stopped;
    u->ctx = v;
}

/* One call of specialise: what must be released however it ends. */
typedef struct job {
    front *f;
    const lun_front_param *param;
    int params;
    lun_front_result *out;
    lun_strbuf *error;
    lun_status status;
    lf_compile *c;
    lf_kept *made;
} job;

static void end_job(job *j)
{
    lf_compile *c = j->c;
    for (int i = 1; c && i < c->sources; i++)
        if (c->source[i].sight.program)
            luafn_program_release(c->source[i].sight.program);
    if (c)
        luafn_arena_free(&c->unit.arena);
    free(c);
    luafn_kept_free(j->made);
    j->c = NULL;
    j->made = NULL;
}

/* Code that Lua's compiler has not written may go through all passes and still make no sense. */
static lun_status verify(const job *j, const lf_program *p)
{
    lun_strbuf why = LUN_STRBUF_INIT;
    lun_status s = lun__ir_verify(&j->made->ir, &why);
    lun__strbuf_free(&why);
    if (s != LUN_OK && s != LUN_ENOMEM) {
        luafn_where(p->proto, -1, j->error);
        lun__strbuf_puts(j->error, ": the bytecode of this Lua function is invalid");
    }
    return s;
}

/* The call's parameters, with room for the neighbours that the function asks for. */
static bool take_params(lf_compile *c, const job *j)
{
    const int room = j->params + LF_NEIGHBOURS;
    lun_front_param *param = luafn_arena_take(&c->unit.arena, (size_t)room * sizeof *param);
    c->neighbour = luafn_arena_take(&c->unit.arena, LF_NEIGHBOURS * sizeof *c->neighbour);
    c->neighbour_value = luafn_arena_take(&c->unit.arena, LF_NEIGHBOURS * sizeof(lf_value *));
    if (!param || !c->neighbour || !c->neighbour_value)
        return false;
    memset(param, 0, (size_t)room * sizeof *param);
    memcpy(param, j->param, (size_t)j->params * sizeof *param);
    c->param = param;
    c->params = j->params;
    return true;
}

/* The address is the key of the registry where the struct is that luafn_returned gives. */
static const char returned_key;

/* Keeps the struct whose records s returns, or that there is none. */
static void tell(const lf_kept *s, const lf_viewer *v)
{
    if (s->record)
        lua_pushvalue(v->L, v->base + s->record);
    else
        lua_pushnil(v->L);
    lua_rawsetp(v->L, LUA_REGISTRYINDEX, &returned_key);
}

bool luafn_returned(lua_State *L)
{
    if (!lua_checkstack(L, 2))
        return false;
    if (lua_rawgetp(L, LUA_REGISTRYINDEX, &returned_key) != LUA_TTABLE) {
        lua_pop(L, 1);
        return false;
    }
    lua_pushnil(L);
    lua_rawsetp(L, LUA_REGISTRYINDEX, &returned_key); /* there: no memory is needed */
    return true;
}

/* The methods of t that are written in Lua; may raise a Lua error. */
static lun_status load_methods(const lf_viewer *v, lun_strbuf *error)
{
    lf_host *h = v->host;
    lun_status s = LUN_OK;
    if (h->methods)
        return LUN_OK;
    if (luaL_loadbuffer(v->L, luafn_methods, strlen(luafn_methods), "=lun.teams") != LUA_OK)
        return LUN_ENOMEM;
    s = luafn_program(v->L, -1, &h->methods, error);
    lua_pop(v->L, 1);
    return s;
}

static lun_status compile(job *j, const lf_viewer *v)
{
    lf_program *p = j->f->program;
    lf_compile *c = j->c = calloc(1, sizeof *c);
    j->made = luafn_kept_new(j->f->host, p);
    if (!c || !j->made)
        return LUN_ENOMEM;
    c->view = *v;
    prepare(&c->unit, &c->view, j->error);
    for (int i = 0; i < j->params; i++) {
        lun_front_indexing index = (lun_front_indexing)j->param[i].index;
        c->known |= index == LUN_FRONT_KNOWN;
        c->around |= index == LUN_FRONT_AROUND;
        c->team |= index == LUN_FRONT_TEAM;
        c->windowed |= index == LUN_FRONT_KNOWN || index == LUN_FRONT_CHECKED;
    }
    c->writes = j->params && j->param[0].writes;
    c->program = p;
    c->graph.u = &c->unit;
    c->ir = &j->made->ir;
    c->function = &j->made->function;
    c->types = &j->made->types;
    lf_source self = {.parent = -1, .sight = {.seen = LF_SEEN_FUNCTION, .program = p}};
    self.sight.closure = lua_topointer(v->L, v->base);
    c->source = luafn_arena_take(&c->unit.arena, sizeof *c->source);
    c->source_value = luafn_arena_take(&c->unit.arena, sizeof *c->source_value);
    if (!c->source || !c->source_value || !take_params(c, j))
        return LUN_ENOMEM;
    c->source[0] = self;
    c->sources = c->source_room = 1;
    lun_status s = c->team ? load_methods(v, j->error) : LUN_OK;
    if (s != LUN_OK)
        return s;
    c->methods = c->team ? v->host->methods->proto : NULL;
    s = luafn_try(&c->unit, run_passes, c);
    if (s == LUN_OK)
        s = luafn_kept_fill(j->made, c);
    c->function->types = lun__strbuf_text(&j->made->types);
    if (s == LUN_OK)
        s = verify(j, p);
    if (s != LUN_OK)
        return s;
    luafn_kept_anchor(j->made, v);
    tell(j->made, v);
    s = luafn_kept_result(j->made, j->param, j->out);
    if (s != LUN_OK)
        return s;
    luafn_kept_add(p, j->made);
    j->made = NULL;
    return LUN_OK;
}

static lun_status find_or_compile(job *j, const lf_viewer *v)
{
    for (lf_kept *s = j->f->program->kept; s; s = s->next) {
        bool same;
        if (!luafn_kept_fits(s, j->param, j->params))
            continue;
        lun_status status = luafn_kept_look(s, v, &same, j->error);
        if (status != LUN_OK)
            return status;
        if (same) {
            luafn_kept_anchor(s, v);
            tell(s, v);
            return luafn_kept_result(s, j->param, j->out);
        }
        lua_settop(v->L, v->base);
    }
    return compile(j, v);
}

static int protected_job(lua_State *L)
{
    job *j = lua_touserdata(L, 1);
    lua_rawgeti(L, LUA_REGISTRYINDEX, j->f->ref);
    lf_viewer v = {.L = L, .host = j->f->host, .ask = j->f->ask, .base = lua_gettop(L)};
    j->status = find_or_compile(j, &v);
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

static lun_status specialise(void *ctx, const lun_front_param *params, int count,
                             lun_front_result *out, lun_strbuf *error)
{
    front *f = ctx;
    lua_State *L = f->host->L;
    job j = {.f = f, .param = params, .params = count, .out = out, .error = error};
    if (!L) {
        lun__strbuf_puts(error, "the Lua state of this function has been closed");
        return LUN_EARG;
    }
    if (!protect(L, protected_job, &j))
        j.status = LUN_ENOMEM;
    end_job(&j);
    return finish(j.status, error);
}

static void release(void *ctx)
{
    front *f = ctx;
    if (f->host->L)
        luaL_unref(f->host->L, LUA_REGISTRYINDEX, f->ref);
    luafn_program_release(f->program);
    luafn_host_release(f->host);
    free(f);
}

/* ---- making ---- */

typedef struct making {
    front *f;
    lun_strbuf *error;
    lun_status status;
} making;

/* A function of math is called by a Lua function, which takes the place of the one at the top. */
static lun_status wrap(lua_State *L, const front *f, lun_strbuf *error)
{
    static const char text[] = "local f = ... return function(x, y) return f(x, y) end";
    static const char single[] = "local f = ... return function(x) return f(x) end";
    int arguments = luafn_host_math(f->host, lua_tocfunction(L, -1));
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
    m->status = luafn_host(L, &f->host, m->error);
    if (m->status == LUN_OK && lua_iscfunction(L, -1))
        m->status = wrap(L, f, m->error);
    if (m->status == LUN_OK)
        m->status = luafn_program(L, lua_gettop(L), &f->program, m->error);
    return 0;
}

/* Keeps the function in the registry. */
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
        *out = (lun_front){f, f->program->proto->params, specialise, release};
        return LUN_OK;
    }
    if (f) {
        luaL_unref(L, LUA_REGISTRYINDEX, f->ref);
        if (f->program)
            luafn_program_release(f->program);
        if (f->host)
            luafn_host_release(f->host);
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
        s = lun__function_front(e, &f, out);
        if (s != LUN_OK)
            f.release(f.ctx);
    }
    lun__strbuf_free(&error);
    return s;
}
