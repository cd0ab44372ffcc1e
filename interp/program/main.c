/* main.c - the program: a drop-in for the stock Lua 5.4 interpreter, with `lun` preset to the
 * module. Options (options.c), exit codes and messages are the stock ones; options with two dashes
 * are added. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include <lauxlib.h>
#include <lua.h>
#include <lualib.h>

#include "bind/host/bind.h"
#include "bind/host/block_pool.h"
#include "lunarray_bind.h"
#include "program/advice.h"
#include "program/errors_json.h"
#include "program/options.h"
#include "program/plan.h"
#include "program/progress_line.h"
#include "program/protected_call.h"
#include "program/ranks.h"
#include "program/repl.h"
#include "program/session.h"
#include "state/sandbox.h"
#include "state/stack_room.h"

#define INIT_NAME      "LUA_INIT"
#define INIT_VERSIONED INIT_NAME "_" LUA_VERSION_MAJOR "_" LUA_VERSION_MINOR

/* Above a few microseconds of waiting libgomp's threads only steal time from other processes; it
 * reads this variable in its own constructor, which in the program runs after this one. */
#define SPIN_NAME  "GOMP_SPINCOUNT"
#define SPIN_COUNT "10000"
static bool spin_was_set_here;

__attribute__((constructor(101))) static void limit_spinning(void)
{
    if (!getenv(SPIN_NAME) && !getenv("OMP_WAIT_POLICY"))
        spin_was_set_here = setenv(SPIN_NAME, SPIN_COUNT, 1) == 0;
}

static void print_line(const char *text)
{
    puts(text);
    fflush(stdout);
}

#define ABOUT "Lunarray " LUN_VERSION " (" LUA_RELEASE ")"

/* ---- running --------------------------------------------------------------------------------- */

/* The global `arg`: the script is 0, its arguments count up, words before it count down. */
static void set_arg(lua_State *L, const lun_options *o)
{
    int zero = o->has_script ? o->script : 0;
    lua_createtable(L, o->argc - zero, zero + 1);
    for (int i = 0; i < o->argc; i++) {
        lua_pushstring(L, o->argv[i]);
        lua_rawseti(L, -2, i - zero);
    }
    lua_setglobal(L, "arg");
}

/* Pushes arg[1], arg[2], ... as they are now; returns how many. */
static int push_script_arguments(lua_State *L)
{
    if (lua_getglobal(L, "arg") != LUA_TTABLE)
        luaL_error(L, "'arg' is not a table");
    int count = (int)luaL_len(L, -1);
    luaL_checkstack(L, count + 3, "too many arguments to script");
    for (int i = 1; i <= count; i++)
        lua_rawgeti(L, -i, i);
    lua_remove(L, -count - 1);
    return count;
}

/* Runs the chunk on the top, or reports why it did not load. text: the chunk's, NULL: a file's. */
static bool run_chunk(lua_State *L, const lun_options *o, int status, const char *text)
{
    if (status == LUA_OK)
        status = lun__call(L, 0, 0);
    else if (status == LUA_ERRSYNTAX && !o->sandbox)
        lun__advice_syntax(L, text);
    return lun__call_report(L, o->program, status) == LUA_OK;
}

/* Chunks may be bytecode unless they are sandboxed: bytecode can corrupt memory. */
static const char *mode(const lun_options *o)
{
    return o->sandbox ? "t" : NULL;
}

static bool run_text(lua_State *L, const lun_options *o, const char *text, const char *name)
{
    return run_chunk(L, o, luaL_loadbufferx(L, text, strlen(text), name, mode(o)), text);
}

static bool run_file(lua_State *L, const lun_options *o, const char *path)
{
    return run_chunk(L, o, luaL_loadfilex(L, path, mode(o)), NULL);
}

static bool run_script(lua_State *L, const lun_options *o)
{
    const char *path = o->argv[o->script];
    if (strcmp(path, "-") == 0 && strcmp(o->argv[o->script - 1], "--") != 0)
        path = NULL;
    int status = !path && !o->sandbox && lun__rank_shares_input(L)
                     ? lun__rank_load(L, mode(o))
                     : luaL_loadfilex(L, path, mode(o));
    if (status == LUA_OK && o->plan)
        return lun__plan(L, o->program, path ? path : "stdin", push_script_arguments(L));
    if (status == LUA_OK) {
        const int count = push_script_arguments(L);
        lun__host *h = lun__host_of(L);
        lun_engine *e = h ? h->engine : NULL;
        if (e)
            lun_host_event(e, true, LUN_TOOL_SCRIPT, "script", path ? path : "stdin");
        status = lun__call(L, count, LUA_MULTRET);
        if (e && h->engine)
            lun_host_event(e, false, LUN_TOOL_SCRIPT, "script", path ? path : "stdin");
    } else if (status == LUA_ERRSYNTAX && path && !o->sandbox)
        lun__advice_syntax(L, NULL);
    return lun__call_report(L, o->program, status) == LUA_OK;
}

/* -l mod and -l name=mod. */
static bool run_require(lua_State *L, const lun_options *o, const char *text)
{
    const char *equals = strchr(text, '=');
    const char *module = equals ? equals + 1 : text;
    size_t length = equals ? (size_t)(equals - text) : strlen(text);

    lua_pushlstring(L, text, length);
    lua_getglobal(L, "require");
    lua_pushstring(L, module);
    int status = lun__call(L, 1, 1);
    if (status == LUA_OK) {
        lua_pushvalue(L, -2);
        lua_insert(L, -2);
        lua_pushglobaltable(L);
        lua_insert(L, -3);
        lua_settable(L, -3);
        lua_pop(L, 1);
    }
    bool ok = lun__call_report(L, o->program, status) == LUA_OK;
    lua_pop(L, 1);
    return ok;
}

/* Runs -e, -l and -W in the order they were given; stops at the first failure. */
static bool run_options(lua_State *L, const lun_options *o)
{
    for (int i = 1; i < o->script; i++) {
        const char *text = o->argv[i];
        if (text[1] == 'W') {
            lua_warning(L, "@on", 0);
        } else if (text[1] == 'e' || text[1] == 'l') {
            const char *value = text[2] ? text + 2 : o->argv[++i];
            if (!(text[1] == 'e' ? run_text(L, o, value, "=(command line)")
                                 : run_require(L, o, value)))
                return false;
        } else {
            lun__options_pass(o, &i);
        }
    }
    return true;
}

static bool run_init(lua_State *L, const lun_options *o)
{
    const char *name = "=" INIT_VERSIONED;
    const char *init = getenv(name + 1);
    if (!init) {
        name = "=" INIT_NAME;
        init = getenv(name + 1);
    }
    if (!init)
        return true;
    return init[0] == '@' ? run_file(L, o, init + 1) : run_text(L, o, init, name);
}

/* Ranks that are processes may be on different machines: each prints its own. */
static bool run_info(lua_State *L, const lun_options *o)
{
    static const char text[] = "local lun = require 'lunarray'\n"
                               "if not ... or lun.spmd.mype == 0 then print(lun.info()) end";
    int status = luaL_loadbufferx(L, text, sizeof text - 1, "=(--info)", mode(o));
    if (status == LUA_OK) {
        lua_pushboolean(L, o->ranks != NULL);
        status = lun__call(L, 1, 0);
    }
    return lun__call_report(L, o->program, status) == LUA_OK;
}

/* As lun.check(true) by the script. */
static bool run_check(lua_State *L, const lun_options *o)
{
    return run_text(L, o, "require 'lunarray'.check(true)", "=(--check)");
}

/* Begins the trace that an option or a variable asks for: the latter the engine itself.  In a
 * sandbox it is on already. */
static bool run_trace(lua_State *L, const lun_options *o)
{
    const char *set = o->ignore_env ? NULL : getenv("LUNARRAY_TRACE");
    if (o->sandbox || !(o->trace || (set && *set)))
        return true;
    static const char text[] =
        "local path = ...\n"
        "if not path then return require 'lunarray.show.trace'.watch_exit() end\n"
        "local begun, why = require 'lunarray'.trace(path)\n"
        "if not begun then error(why, 0) end";
    int status = luaL_loadbufferx(L, text, sizeof text - 1, "=(--trace)", mode(o));
    if (status == LUA_OK) {
        lua_pushstring(L, o->trace);
        status = lun__call(L, 1, 0);
    }
    return lun__call_report(L, o->program, status) == LUA_OK;
}

/* Runs what follows the options: the script, the prompt, or standard input. */
static bool run_rest(lua_State *L, const lun_options *o)
{
    const bool reads = !o->session && !o->has_script && !o->executes && !o->version && !o->info;
    if ((o->interactive || reads) && !o->sandbox)
        lun__rank_needs_script(L);
    if (o->has_script && !run_script(L, o))
        return false;
    if (o->session) {
        lun__session_serve(L, o->program, o->sandbox);
    } else if (o->interactive) {
        lun__repl(L, o->sandbox);
    } else if (reads) {
        if (isatty(STDIN_FILENO)) {
            print_line(ABOUT);
            lun__repl(L, o->sandbox);
        } else {
            /* As in the stock interpreter, an error in standard input does not fail the program. */
            run_file(L, o, NULL);
        }
    }
    return true;
}

/* The protected part of main; its arguments are the options, in a thread of --ranks its rank, and
 * if other threads serve this one its configuration. Returns whether all succeeded. */
static int run(lua_State *L)
{
    const lun_options *o = lua_touserdata(L, 1);
    void *rank = lua_touserdata(L, 2);
    luaL_checkversion(L);
    if (lua_touserdata(L, 3))
        lun__host_rank(L, lua_touserdata(L, 3));
    if (o->version)
        print_line(LUA_COPYRIGHT);
    else if (o->interactive)
        print_line(ABOUT);
    if (o->ignore_env) {
        lua_pushboolean(L, 1);
        lua_setfield(L, LUA_REGISTRYINDEX, "LUA_NOENV");
    }
    if (o->sandbox || rank) {
        lun__sandbox_open_libs(L);
        if (!o->interactive && !o->session)
            lun__sandbox_begin(L);
    } else {
        luaL_openlibs(L);
        lun__stack_room_of_coroutines(L);
        luaL_requiref(L, "lunarray", luaopen_lunarray, 0);
        lua_setglobal(L, "lun");
    }
    if (!o->sandbox && lun__errors_json_on())
        lun__errors_json_warnings(L);
    if (!o->sandbox)
        lun__rank_begin(L, rank);
    set_arg(L, o);
    if (!rank)
        lun__progress_line_watch(L);
    lua_gc(L, LUA_GCGEN, 0, 0);
    bool ok = run_trace(L, o) && (!o->check || run_check(L, o)) &&
              (o->ignore_env || o->sandbox || run_init(L, o)) && run_options(L, o) &&
              (!o->info || run_info(L, o)) && run_rest(L, o);
    lua_pushboolean(L, ok);
    return 1;
}

/* Options that need no Lua; true if the program is done, with the exit code. */
static bool answer_early(const lun_options *o, int *code)
{
    if (o->bad) {
        char text[256];
        snprintf(text, sizeof text, o->complaint, o->bad);
        if (lun__errors_json_on()) {
            lun__errors_json_write("error", "usage", text);
        } else {
            fprintf(stderr, "%s: %s\n", o->program, text);
            lun__options_usage(stderr, o->program);
        }
        *code = EXIT_FAILURE;
        return true;
    }
    *code = EXIT_SUCCESS;
    if (o->help)
        lun__options_usage(stdout, o->program);
    else if (o->about)
        printf(ABOUT "\nbits %s %s\n", LUN_BITS, lun_bits_digest(LUN_BITS));
    return o->help || o->about;
}

static void complain(void *program, const char *text)
{
    if (lun__errors_json_on())
        lun__errors_json_write("log", "log", text);
    else
        lun__call_complain(program, text);
}

/* The state, and for a sandbox the engine that limits it. NULL with a complaint. */
static lua_State *new_state(const lun_options *o, lun_engine **engine)
{
    lua_State *L = NULL;
    lun_config config = {.size = sizeof config, .sandbox = 1, .log = complain};
    config.log_ctx = (void *)o->program;
    config.time_limit = o->seconds ? lun__options_limit(o->seconds) : 0;
    double bytes = o->megabytes ? lun__options_limit(o->megabytes) * 1e6 : 0;
    config.memory_limit = bytes < 9e18 ? (int64_t)bytes : INT64_MAX;
    if (!o->sandbox) {
        L = luaL_newstate();
        if (L) {
            lun__block_pool_wrap(L);
            lun__stack_room_make(L);
        } else {
            lun__call_complain(o->program, "cannot create state: not enough memory");
        }
    } else if (lun_open(&config, engine) == LUN_OK &&
               ((o->trace && lun_trace(*engine, o->trace) != LUN_OK) ||
                lun__sandbox_new(*engine, &L) != LUN_OK)) {
        lun__call_complain(o->program, lun_error_from(*engine, 1));
        return NULL;
    }
    return L;
}

int main(int argc, char **argv)
{
    /* Scripts and the processes they start see the environment as it was given. */
    if (spin_was_set_here)
        unsetenv(SPIN_NAME);

    lun_options o = {.argv = argv, .argc = argc};
    o.program = argc > 0 && argv[0][0] ? argv[0] : "lunarray";
    int code = EXIT_FAILURE;
    if (argc > 0)
        lun__options_parse(&o);
    if (o.errors && strcmp(o.errors, "json") == 0)
        lun__errors_json_begin();
    if (answer_early(&o, &code))
        return code;
    if ((o.backend && setenv("LUNARRAY_BACKEND", o.backend, 1) != 0) ||
        (o.threads && setenv("LUNARRAY_THREADS", o.threads, 1) != 0) ||
        (o.bind && setenv("LUNARRAY_BIND", o.bind, 1) != 0)) {
        lun__call_complain(o.program, "cannot set the environment: not enough memory");
        return EXIT_FAILURE;
    }

    o.sandbox = o.sandbox || o.seconds || o.megabytes;
    if (o.session && !lun__session_begin(o.program))
        return EXIT_FAILURE;
    if (o.ranks && !o.linked)
        return lun__ranks_run(&o, run);
    if (o.linked && !o.ranks && lun_rank(NULL) > 0)
        return lun__rank_serve(&o);
    lun_engine *engine = NULL;
    lua_State *L = new_state(&o, &engine);
    lun_config rank = {.size = sizeof rank};
    if (!L || (o.ranks && !lun__rank_servers_start(&o, &rank))) {
        lun_close(engine);
        return EXIT_FAILURE;
    }
    lua_pushcfunction(L, run);
    lua_pushlightuserdata(L, &o);
    lua_pushlightuserdata(L, NULL);
    lua_pushlightuserdata(L, o.ranks ? &rank : NULL);
    int status = lua_pcall(L, 3, 1, 0);
    bool ok = lun__call_report(L, o.program, status) == LUA_OK && lua_toboolean(L, -1);
    lun__rank_end(L, NULL);
    if (engine)
        lun__sandbox_close(L);
    else
        lua_close(L);
    lun_close(engine);
    code = ok ? EXIT_SUCCESS : EXIT_FAILURE;
    lun__rank_servers_end(code);
    return code;
}
