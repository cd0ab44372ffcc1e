/* compiling.c - runs the passes from bytecode to IR, for a call that no cached function fits; see
 * compiling.h. Knows no engine. */
#include "luafn/compiling.h"

#include <stdlib.h>
#include <string.h>

#include "luafn/emit/emit.h"
#include "luafn/improve/improve.h"
#include "luafn/lower/lowering_state.h"
#include "luafn/luafn.h"
#include "luafn/ssa/build.h"
#include "luafn/ssa/team_methods.h"
#include "luafn/type/type.h"

static void report(lf_compile *c)
{
    luafn_report(c, c->types);
}

static void run_passes(void *ctx)
{
    lf_compile *c = ctx;
    static void (*const passes[])(lf_compile * c) = {
        luafn_build,    luafn_infer,  report,      luafn_split_complex, luafn_lower,
        luafn_branches, luafn_narrow, luafn_hoist, luafn_emit};
    for (size_t i = 0; i < sizeof passes / sizeof passes[0]; i++) {
        luafn_arena_check_stop(&c->unit);
        passes[i](c);
    }
}

static lun_status stopped(void *ctx)
{
    const lf_capture_context *v = ctx;
    return v->ask.stopped(v->L);
}

/* Memory of Lua's, so that a limit holds for it. */
static void prepare(lf_unit *u, lf_capture_context *v, lun_strbuf *error)
{
    u->error = error;
    u->arena.alloc = lua_getallocf(v->L, &u->arena.ctx);
    if (v->ask.stopped)
        u->stopped = stopped;
    u->ctx = v;
}

void luafn_compile_job_end(lf_job *j)
{
    lf_compile *c = j->c;
    for (int i = 1; c && i < c->sources; i++)
        if (c->source[i].capture.program)
            luafn_decoded_release(c->source[i].capture.program);
    if (c)
        luafn_arena_free(&c->unit.arena);
    free(c);
    luafn_function_cache_free(j->made);
    j->c = NULL;
    j->made = NULL;
}

/* Bytecode that is not of Lua's compiler may pass all checks and still be invalid. */
static lun_status verify(const lf_job *j, const lf_program *p)
{
    lun_strbuf why = LUN_STRBUF_INIT;
    lun_status s = lun__ir_verify(&j->made->ir, &why);
    lun__strbuf_free(&why);
    if (s != LUN_OK && s != LUN_ENOMEM) {
        luafn_debug_where(p->proto, -1, j->error);
        lun__strbuf_puts(j->error, ": the bytecode of this Lua function is invalid");
    }
    return s;
}

/* The call's parameters, with room for the neighbours that the function asks for. */
static bool take_params(lf_compile *c, const lf_job *j)
{
    const int asked = c->around ? LF_ASKED : LF_NEIGHBOURS, room = j->params + asked;
    lun_front_param *param = luafn_arena_take(&c->unit.arena, (size_t)room * sizeof *param);
    c->neighbour = luafn_arena_take(&c->unit.arena, (size_t)asked * sizeof *c->neighbour);
    c->neighbour_value = luafn_arena_take(&c->unit.arena, (size_t)asked * sizeof(lf_value *));
    if (!param || !c->neighbour || !c->neighbour_value)
        return false;
    memset(param, 0, (size_t)room * sizeof *param);
    memcpy(param, j->param, (size_t)j->params * sizeof *param);
    c->param = param;
    c->params = j->params;
    return true;
}

/* Their addresses are the registry's keys of luafn_compile_returned and luafn_compile_pairs. */
static const char returned_key, pairs_key;

/* Stores the struct of that source, whose records a function returns, or nil, and which results are
 * complex. */
static void store_returned(int record, uint32_t pairs, const lf_capture_context *v)
{
    if (record)
        lua_pushvalue(v->L, v->base + record);
    else
        lua_pushnil(v->L);
    lua_rawsetp(v->L, LUA_REGISTRYINDEX, &returned_key);
    lua_pushinteger(v->L, (lua_Integer)pairs);
    lua_rawsetp(v->L, LUA_REGISTRYINDEX, &pairs_key);
}

uint32_t luafn_compile_pairs(lua_State *L)
{
    if (!lua_checkstack(L, 2))
        return 0;
    lua_rawgetp(L, LUA_REGISTRYINDEX, &pairs_key);
    const uint32_t pairs = (uint32_t)lua_tointeger(L, -1);
    lua_pop(L, 1);
    if (pairs) {
        lua_pushinteger(L, 0);
        lua_rawsetp(L, LUA_REGISTRYINDEX, &pairs_key); /* the key exists: no memory is needed */
    }
    return pairs;
}

bool luafn_compile_returned(lua_State *L)
{
    if (!lua_checkstack(L, 2))
        return false;
    if (lua_rawgetp(L, LUA_REGISTRYINDEX, &returned_key) != LUA_TTABLE) {
        lua_pop(L, 1);
        return false;
    }
    lua_pushnil(L);
    lua_rawsetp(L, LUA_REGISTRYINDEX, &returned_key); /* the key exists: no memory is needed */
    return true;
}

/* The methods of t that are written in Lua; may raise a Lua error. */
static lun_status load_methods(const lf_capture_context *v, lun_strbuf *error)
{
    lf_host *h = v->host;
    lun_status s = LUN_OK;
    if (h->methods)
        return LUN_OK;
    if (luaL_loadbuffer(v->L, luafn_team_methods, strlen(luafn_team_methods), "=lun.teams") !=
        LUA_OK)
        return LUN_ENOMEM;
    s = luafn_registry_program(v->L, -1, &h->methods, error);
    lua_pop(v->L, 1);
    return s;
}

/* The compilation of a call with these parameters, before its first pass. */
static lun_status begin(lf_job *j, const lf_capture_context *v)
{
    lf_program *p = j->program;
    lf_compile *c = j->c = calloc(1, sizeof *c);
    j->made = luafn_function_cache_new(v->host, p);
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
    c->shown = p->proto;
    c->graph.u = &c->unit;
    c->ir = &j->made->ir;
    c->function = &j->made->function;
    c->types = &j->made->types;
    lf_source self = {.parent = -1, .capture = {.kind = LF_CAPTURE_FUNCTION, .program = p}};
    self.capture.closure = lua_topointer(v->L, v->base);
    c->source = luafn_arena_take(&c->unit.arena, sizeof *c->source);
    c->source_value = luafn_arena_take(&c->unit.arena, sizeof *c->source_value);
    if (!c->source || !c->source_value || !take_params(c, j))
        return LUN_ENOMEM;
    c->source[0] = self;
    c->sources = c->source_room = 1;
    lun_status s = c->team ? load_methods(v, j->error) : LUN_OK;
    if (s == LUN_OK)
        c->methods = c->team ? v->host->methods->proto : NULL;
    return s;
}

static lun_status compile(lf_job *j, const lf_capture_context *v)
{
    lun_status s = begin(j, v);
    if (s != LUN_OK)
        return s;
    lf_compile *c = j->c;
    s = luafn_arena_try(&c->unit, run_passes, c);
    if (c->too_many)
        store_returned(c->record, 0, v);
    if (s == LUN_OK)
        s = luafn_function_cache_fill(j->made, c);
    c->function->types = lun__strbuf_text(&j->made->types);
    if (s == LUN_OK)
        s = verify(j, j->program);
    if (s != LUN_OK)
        return s;
    luafn_function_cache_anchor(j->made, v);
    store_returned(j->made->record, j->made->pairs, v);
    s = luafn_function_cache_result(j->made, j->param, j->out);
    if (s != LUN_OK)
        return s;
    luafn_function_cache_add(j->program, j->made);
    j->made = NULL;
    return LUN_OK;
}

lun_status luafn_compile(lf_job *j, const lf_capture_context *v)
{
    for (lf_cached *s = j->program->cache; s; s = s->next) {
        bool same;
        if (!luafn_function_cache_fits(s, j->param, j->params))
            continue;
        lun_status status = luafn_function_cache_check(s, v, &same, j->error);
        if (status != LUN_OK)
            return status;
        if (same) {
            luafn_function_cache_anchor(s, v);
            store_returned(s->record, s->pairs, v);
            return luafn_function_cache_result(s, j->param, j->out);
        }
        lua_settop(v->L, v->base);
    }
    return compile(j, v);
}

/* ---- checks before a call -------------------------------------------------------------------- */

static void build_only(void *ctx)
{
    luafn_build(ctx);
}

lun_status luafn_compile_precheck(lf_job *j, const lf_capture_context *v)
{
    lun_status s = begin(j, v);
    if (s != LUN_OK)
        return LUN_OK;
    j->c->prechecked = true;
    s = luafn_arena_try(&j->c->unit, build_only, j->c);
    return j->c->certain ? s : LUN_OK;
}
