/* embed.c - the Lua part of lunarray.h: a Lua state of an engine's own, made on first use, with
 * `lun` preset to that engine. Everything that Lua may fail at runs protected, so that a host
 * without Lua of its own sees only statuses. Knows nothing of arrays but how to hand them over. */
#include <string.h>

#include "bind/bind.h"
#include "state/sandbox.h"

/* ---- the state ------------------------------------------------------------------------------- */

/* Protected: opens the libraries and the module in a new state. */
static int prepare(lua_State *L)
{
    lun__state_open_libs(L);
    return 0;
}

static void close_state(void *state)
{
    lun__state_close(state);
}

/* Adds the traceback to the text of a script's error. */
static int describe(lua_State *L)
{
    if (lua_type(L, 1) == LUA_TSTRING)
        luaL_traceback(L, L, lua_tostring(L, 1), 1);
    return 1;
}

/* The status in an error object at i, where a host has to tell it from a script's own
 * errors: memory, limits, interruption. */
static lun_status status_of(lua_State *L, int i)
{
    if (!lua_istable(L, i) || lua_getfield(L, i, "code") != LUA_TSTRING)
        return LUN_ESCRIPT;
    static const lun_status known[] = {LUN_ENOMEM, LUN_ECANCEL, LUN_ELIMIT};
    for (size_t k = 0; k < sizeof known / sizeof known[0]; k++)
        if (strcmp(lua_tostring(L, -1), lun_status_name(known[k])) == 0)
            return known[k];
    return LUN_ESCRIPT;
}

/* Protected: the engine at 1, the error at 2. Records it and gives the status. */
static int record(lua_State *L)
{
    lun_engine *e = lua_touserdata(L, 1);
    lun_status s = status_of(L, 2);
    lua_pushinteger(L, lun_fail(e, s, luaL_tolstring(L, 2, NULL)));
    return 1;
}

/* Turns the error on the top, which it pops, into the engine's. */
static lun_status fail(lua_State *L, lun_engine *e, int status)
{
    if (status == LUA_ERRMEM) {
        lua_pop(L, 1);
        return lun__state_no_memory(L, e);
    }
    lua_pushcfunction(L, record);
    lua_insert(L, -2);
    lua_pushlightuserdata(L, e);
    lua_insert(L, -2);
    lun_status s = LUN_ESCRIPT;
    if (lua_pcall(L, 2, 1, 0) == LUA_OK)
        s = (lun_status)lua_tointeger(L, -1);
    else
        lun_fail(e, s, "error in a script; there was no memory for its text");
    lua_pop(L, 1);
    return s;
}

/* Calls f, a C function, with what follows it as light userdata; protected. */
static lun_status protect(lun_engine *e, lua_State *L, lua_CFunction f, void *job)
{
    if (!lua_checkstack(L, 4))
        return lun__state_no_memory(L, e);
    lua_pushcfunction(L, describe);
    lua_pushcfunction(L, f);
    lua_pushlightuserdata(L, job);
    int status = lua_pcall(L, 1, 0, -3);
    lun_status s = status == LUA_OK ? LUN_OK : fail(L, e, status);
    lua_pop(L, 1);
    return s;
}

/* The engine's state, made on first use. */
static lun_status state_of(lun_engine *e, lua_State **out)
{
    lua_State *L = lun_host_get(e);
    if (!L) {
        lun_status s = lun__state_new(e, &L);
        if (s != LUN_OK)
            return s;
        s = protect(e, L, prepare, e);
        if (s != LUN_OK) {
            lun__state_close(L);
            return s;
        }
        lun_host_set(e, L, close_state);
        lun_host_on_cancel(e, lun__state_stop);
    }
    *out = lun__state_running(L);
    return LUN_OK;
}

/* ---- scripts --------------------------------------------------------------------------------- */

/* What a protected function is to do, and what it found. */
typedef struct job {
    lun_engine *engine;
    const char *text;  /* script, path or name */
    lun_status status; /* a failure recorded without an error of Lua's */
    lun_array *array;
    double number;
} job;

static int run_string(lua_State *L)
{
    const job *j = lua_touserdata(L, 1);
    if (luaL_loadbufferx(L, j->text, strlen(j->text), j->text, "t") != LUA_OK)
        return lua_error(L);
    lua_call(L, 0, 0);
    return 0;
}

static int run_file(lua_State *L)
{
    job *j = lua_touserdata(L, 1);
    int status = luaL_loadfilex(L, j->text, "t");
    if (status == LUA_ERRFILE)
        j->status = lun_fail(j->engine, LUN_EIO, lua_tostring(L, -1));
    else if (status != LUA_OK)
        return lua_error(L);
    else
        lua_call(L, 0, 0);
    return 0;
}

/* Runs a protected function in the engine's state. */
static lun_status run(lun_engine *e, lua_CFunction f, job *j)
{
    lua_State *L = NULL;
    if (!e)
        return LUN_EARG;
    if (!j->text)
        return lun_fail(e, LUN_EARG, "a text is missing (NULL)");
    j->engine = e;
    lun_status s = state_of(e, &L);
    if (s != LUN_OK)
        return s;
    lua_State *before = lun__state_begin(L);
    s = protect(e, L, f, j);
    if (s == LUN_ESCRIPT) { /* the script may have made another error of the one that stopped it */
        lun_status stopped = lun_host_check(e);
        s = stopped == LUN_OK ? s : stopped;
    }
    lun__state_end(L, before);
    return s == LUN_OK ? j->status : s;
}

lun_status lun_dostring(lun_engine *e, const char *text)
{
    return run(e, run_string, &(job){.text = text});
}

lun_status lun_dofile(lun_engine *e, const char *path)
{
    return run(e, run_file, &(job){.text = path});
}

/* ---- globals --------------------------------------------------------------------------------- */

/* Pushes the host, which the binding's functions have as upvalue, and calls f with the job. */
static int with_host(lua_State *L, lua_CFunction f)
{
    void *j = lua_touserdata(L, 1);
    lun__host_open(L);
    lua_pushcclosure(L, f, 1);
    lua_pushlightuserdata(L, j);
    lua_call(L, 1, 0);
    return 0;
}

static int set_array(lua_State *L)
{
    const job *j = lua_touserdata(L, 1);
    lun_array **place = lun__new_array(L, lun__here(L));
    lun_retain(j->array);
    *place = j->array;
    lua_setglobal(L, j->text);
    return 0;
}

static int set_global(lua_State *L)
{
    return with_host(L, set_array);
}

/* Records that a global, on the top, is not what was asked for. */
static int refuse(lua_State *L, job *j, const char *expected)
{
    const char *text =
        lua_pushfstring(L, "global '%s' is %s, not %s", j->text, luaL_typename(L, -1), expected);
    j->status = lun_fail(j->engine, LUN_EARG, text);
    return 0;
}

static int get_array(lua_State *L)
{
    job *j = lua_touserdata(L, 1);
    lun__host *h = lun__here(L);
    bool own;
    lua_getglobal(L, j->text);
    if (!lun__is_array(L, h, -1))
        return refuse(L, j, "an array");
    (void)lun__load_operand(L, h, -1, &j->array, &own);
    lun_retain(j->array);
    return 0;
}

static int get_global(lua_State *L)
{
    return with_host(L, get_array);
}

static int set_number(lua_State *L)
{
    const job *j = lua_touserdata(L, 1);
    lua_pushnumber(L, j->number);
    lua_setglobal(L, j->text);
    return 0;
}

static int get_value(lua_State *L)
{
    job *j = lua_touserdata(L, 1);
    lun__host *h = lun__here(L);
    if (lua_getglobal(L, j->text) == LUA_TUSERDATA && lun__is_array(L, h, -1)) {
        lun__push_value(L, lun__check_value(L, h, lua_gettop(L)));
        lua_remove(L, -2);
    }
    if (lua_type(L, -1) != LUA_TNUMBER)
        return refuse(L, j, "a number");
    j->number = lua_tonumber(L, -1);
    return 0;
}

static int get_number(lua_State *L)
{
    return with_host(L, get_value);
}

lun_status lun_setglobal(lun_engine *e, const char *name, lun_array *a)
{
    if (e && !a)
        return lun_fail(e, LUN_EARG, "an array is missing (NULL)");
    return run(e, set_global, &(job){.text = name, .array = a});
}

lun_status lun_getglobal(lun_engine *e, const char *name, lun_array **out)
{
    job j = {.text = name};
    if (e && !out)
        return lun_fail(e, LUN_EARG, "the pointer for the result is missing (NULL)");
    lun_status s = run(e, get_global, &j);
    if (s == LUN_OK)
        *out = j.array;
    return s;
}

lun_status lun_setnumber(lun_engine *e, const char *name, double x)
{
    return run(e, set_number, &(job){.text = name, .number = x});
}

lun_status lun_getnumber(lun_engine *e, const char *name, double *out)
{
    job j = {.text = name};
    if (e && !out)
        return lun_fail(e, LUN_EARG, "the pointer for the result is missing (NULL)");
    lun_status s = run(e, get_number, &j);
    if (s == LUN_OK)
        *out = j.number;
    return s;
}
