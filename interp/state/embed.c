/* embed.c - an engine's own Lua state, made on first use, with `lun` preset to that engine, and the
 * scripts that it runs. All calls of Lua that may fail are protected, so that a host without Lua
 * sees only statuses. Knows nothing of arrays.
 *
 * Invariant: the engine has (lun_host_get) no state, or one whose libraries and module are open; a
 * failed opening closes the state again. Between calls its stack is empty and no script runs. Only
 * the thread that uses the engine touches the state, but for lun__sandbox_stop. */
#include "state/embed.h"

#include <stdio.h>
#include <string.h>

#include "bind/host/lua_library.h"
#include "state/sandbox.h"
#include "state/scope.h"
#include "state/traceback.h"

/* ---- the state ------------------------------------------------------------------------------- */

/* os.exit ends the script, not the host. */
static int refuse_exit(lua_State *L)
{
    return luaL_error(L, "os.exit(%s) is not allowed: only the host can end its process",
                      lua_isnone(L, 1) ? "" : luaL_tolstring(L, 1, NULL));
}

const char *lun__embed_printed(lua_State *L, size_t *length)
{
    int count = lua_gettop(L);
    luaL_Buffer line;
    luaL_buffinit(L, &line);
    for (int i = 1; i <= count; i++) {
        if (i > 1)
            luaL_addchar(&line, '\t');
        luaL_tolstring(L, i, NULL);
        luaL_addvalue(&line);
    }
    luaL_pushresult(&line);
    return lua_tolstring(L, -1, length);
}

/* print for a host that receives the lines; upvalue: its configuration. */
static int print_to_host(lua_State *L)
{
    const lun_config *c = lua_touserdata(L, lua_upvalueindex(1));
    size_t length;
    const char *text = lun__embed_printed(L, &length);
    c->print(c->print_ctx, text, length);
    return 0;
}

/* Protected: opens the libraries and the module in a new state, for the engine at 1. */
static int prepare(lua_State *L)
{
    lun_engine *e = lua_touserdata(L, 1);
    lun__sandbox_open_libs(L);
    if (lua_getglobal(L, "os") == LUA_TTABLE && lua_getfield(L, -1, "exit") == LUA_TFUNCTION) {
        lua_pushcfunction(L, refuse_exit);
        lua_setfield(L, -3, "exit");
    }
    lun_config *c = lua_newuserdatauv(L, sizeof *c, 0);
    c->size = sizeof *c;
    lun_config_get(e, c);
    if (c->print) {
        lua_pushcclosure(L, print_to_host, 1);
        lua_setglobal(L, "print");
    }
    lun__scope_open(L);
    return 0;
}

static void close_state(void *state)
{
    lun__sandbox_close(state);
}

/* What the state does not use any more is given back. */
static void collect_state(void *state)
{
    lua_State *L = lun__sandbox_running(state);
    lun__host_collect(L, lun__host_of(L));
}

/* Turns a script's error into a text with the traceback; a value with __tostring, such as the
 * engine's errors, stays. Of another table the text is its field `message`, or the source line of
 * the error. */
static int describe(lua_State *L)
{
    if (lua_type(L, 1) != LUA_TSTRING) {
        if (luaL_getmetafield(L, 1, "__tostring") != LUA_TNIL) {
            lua_settop(L, 1);
            return 1;
        }
        if (!lua_istable(L, 1) || lua_getfield(L, 1, "message") != LUA_TSTRING) {
            char place[LUN__SOURCE_LINE];
            lun__source_line(L, 0, place, sizeof place);
            lua_pushfstring(L, "%s%serror without a message (error object is a %s value)", place,
                            place[0] ? ": " : "", luaL_typename(L, 1));
        }
        lua_replace(L, 1);
    }
    lun__traceback(L, lua_tostring(L, 1), 1);
    return 1;
}

/* The status in an error object at i, if the engine made it; LUN_ESCRIPT: a script's own error or
 * mistake; errors that stop a script keep their status, which the host must distinguish. */
static lun_status status_of(lua_State *L, int i)
{
    if (!lua_istable(L, i) || lua_getfield(L, i, "code") != LUA_TSTRING)
        return LUN_ESCRIPT;
    const char *code = lua_tostring(L, -1);
    const bool own = lun__error_is_fault(L, i);
    for (lun_status s = LUN_ENOMEM; s <= LUN_EBOUNDS; s++)
        if (strcmp(code, lun_status_name(s)) == 0)
            return own || s == LUN_ENOMEM || s == LUN_ECANCEL || s == LUN_ELIMIT ? s : LUN_ESCRIPT;
    return LUN_ESCRIPT;
}

/* The source line of the error at i: its field `where`, of a text its beginning, "script:12:". */
static void line_of(lua_State *L, int i, char *to, size_t room)
{
    to[0] = '\0';
    if (lun__error_is_fault(L, i)) {
        if (lua_getfield(L, i, "where") == LUA_TSTRING)
            snprintf(to, room, "%s", lua_tostring(L, -1));
        return;
    }
    if (lua_type(L, i) != LUA_TSTRING)
        return;
    const char *text = lua_tostring(L, i), *quoted = strstr(text, "\"]:");
    const char *colon = strncmp(text, "[string \"", 9) == 0 && quoted ? quoted : text;
    while ((colon = strchr(colon, ':')) && !strchr("0123456789", colon[1] ? colon[1] : ' '))
        colon++;
    const size_t digits = colon ? strspn(colon + 1, "0123456789") : 0;
    if (digits && colon[1 + digits] == ':' && !memchr(text, '\n', (size_t)(colon - text)))
        snprintf(to, room, "%.*s", (int)(colon - text + 1 + (ptrdiff_t)digits), text);
}

/* Protected: the engine at 1, the error at 2. Records it as the engine's failure and pushes the
 * status. */
static int record(lua_State *L)
{
    lun_engine *e = lua_touserdata(L, 1);
    char where[LUN__SOURCE_LINE];
    lun_status s = status_of(L, 2);
    line_of(L, 2, where, sizeof where);
    lua_pushinteger(L, lun_fail_at(e, s, luaL_tolstring(L, 2, NULL), where));
    return 1;
}

/* Turns the error on the top, which it pops, into the engine's. */
static lun_status fail(lua_State *L, lun_engine *e, int status)
{
    if (status == LUA_ERRMEM) {
        lua_pop(L, 1);
        return lun__sandbox_no_memory(L, e);
    }
    lua_pushcfunction(L, record);
    lua_insert(L, -2);
    lua_pushlightuserdata(L, e);
    lua_insert(L, -2);
    lun_status s = LUN_ESCRIPT;
    if (lua_pcall(L, 2, 1, 0) == LUA_OK)
        s = (lun_status)lua_tointeger(L, -1);
    else
        lun_fail(e, s, "error in a script; out of memory for its message");
    lua_pop(L, 1);
    return s;
}

/* Calls f, a C function, with the other arguments as light userdata; protected. */
static lun_status protect(lun_engine *e, lua_State *L, lua_CFunction f, void *job)
{
    if (!lua_checkstack(L, 4))
        return lun__sandbox_no_memory(L, e);
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
        lun_status s = lun__sandbox_new(e, &L);
        if (s != LUN_OK)
            return s;
        s = protect(e, L, prepare, e);
        if (s != LUN_OK) {
            lun__sandbox_close(L);
            return s;
        }
        lun_host_set(e, L, close_state);
        lun_host_on_cancel(e, lun__sandbox_stop);
        lun_host_on_trim(e, collect_state);
    }
    *out = lun__sandbox_running(L);
    return LUN_OK;
}

/* ---- scripts --------------------------------------------------------------------------------- */

int lun__embed_run_text(lua_State *L)
{
    const lun__job *j = lua_touserdata(L, 1);
    if (luaL_loadbufferx(L, j->text, j->length, j->chunk, "t") != LUA_OK)
        return lua_error(L);
    lua_call(L, 0, 0);
    return 0;
}

static int run_file(lua_State *L)
{
    lun__job *j = lua_touserdata(L, 1);
    int status = luaL_loadfilex(L, j->text, "t");
    if (status == LUA_ERRFILE)
        j->status = lun_fail(j->engine, LUN_EIO, lua_tostring(L, -1));
    else if (status != LUA_OK)
        return lua_error(L);
    else
        lua_call(L, 0, 0);
    return 0;
}

/* The same, called by the thread that has the engine. */
static lun_status run_inside(lun_engine *e, lua_CFunction f, lun__job *j)
{
    lua_State *L = NULL;
    if (!j->text)
        return lun_fail(e, LUN_EARG, "a text is missing (NULL)");
    const char *missing = lun__lua_library_missing();
    if (missing)
        return lun_fail(e, LUN_EBACKEND, missing);
    j->engine = e;
    lun_status s = state_of(e, &L);
    if (s != LUN_OK)
        return s;
    lua_State *before = lun__sandbox_begin(L);
    const int entered = lun__scope_enter(L, j->scope);
    const char *seen = f == run_file ? j->text : j->chunk; /* by tools */
    if (seen)
        lun_host_event(e, true, LUN_TOOL_SCRIPT, "script", seen);
    s = entered < 0 ? lun__sandbox_no_memory(L, e) : protect(e, L, f, j);
    if (seen)
        lun_host_event(e, false, LUN_TOOL_SCRIPT, "script", seen);
    if (entered > 0)
        lun__scope_leave(L);
    if (s == LUN_ESCRIPT) { /* the script may have replaced the error that stopped it */
        lun_status stopped = lun_host_check(e);
        s = stopped == LUN_OK ? s : stopped;
    }
    lun__sandbox_end(L, before);
    return s == LUN_OK ? j->status : s;
}

lun_status lun__embed_run(lun_engine *e, lua_CFunction f, lun__job *j)
{
    lun_engine *taken;
    lun_status s = lun_thread_enter(e, &taken);
    if (s != LUN_OK)
        return s;
    s = run_inside(e, f, j);
    lun_thread_leave(&taken);
    return s;
}

lun_status lun__embed_call(lun_engine *e, lua_CFunction f, lun__job *j)
{
    char text[512];
    lun_status s = lun__embed_run(e, f, j);
    if (s != LUN_ESCRIPT)
        return s;
    size_t length = strcspn(lun_error(e), "\n");
    length = length < sizeof text ? length : sizeof text - 1;
    memcpy(text, lun_error(e), length);
    text[length] = 0;
    return lun_fail(e, LUN_EARG, text);
}

int lun__embed_with_host(lua_State *L, lua_CFunction f)
{
    void *j = lua_touserdata(L, 1);
    lun__host_open(L);
    lua_pushcclosure(L, f, 1);
    lua_pushlightuserdata(L, j);
    lua_call(L, 1, 0);
    return 0;
}

lun_status lun_dostring(lun_engine *e, const char *text)
{
    const size_t length = text ? strlen(text) : 0;
    return lun__embed_run(e, lun__embed_run_text,
                          &(lun__job){.text = text, .length = length, .chunk = text});
}

lun_status lun_run(lun_engine *e, const char *text, size_t length, const char *chunkname)
{
    const char *chunk = chunkname ? chunkname : "=script";
    return lun__embed_run(e, lun__embed_run_text,
                          &(lun__job){.text = text, .length = length, .chunk = chunk});
}

lun_status lun_dofile(lun_engine *e, const char *path)
{
    return lun__embed_run(e, run_file, &(lun__job){.text = path});
}
