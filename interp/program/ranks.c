/* ranks.c - the program as one of several ranks; see ranks.h. Ctrl-C goes to the first thread,
 * which runs no script: it stops all ranks.
 *
 * Invariant: the lists of ranks and servers are static, since signal and exit handlers get no
 * argument. `ranks` has rank_count entries whenever the handler of SIGINT is installed; `servers`
 * is set before the first of its threads starts, and freed after the last one has ended. */
#define _GNU_SOURCE
#include "program/ranks.h"

#include <pthread.h>
#include <sched.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <lauxlib.h>

#include "bind/host/bind.h"
#include "lunarray_bind.h"
#include "program/protected_call.h"
#include "state/embed.h"
#include "state/sandbox.h"

/* One thread of --ranks. */
typedef struct rank {
    pthread_t thread;
    lua_State *L;
    lun_engine *engine;
    lun_options o; /* the program's name is that of the rank */
    lua_CFunction run;
    int code;
    bool started, exits; /* exits: os.exit was called */
    char name[64];       /* for messages: "lunarray: rank 2" */
} rank;

/* ---- a simulated run ------------------------------------------------------------------------- */

/* A word as a shell reads it. */
static void tell_word(const char *word)
{
    static const char plain[] = "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789"
                                "_-./,:=@+%";
    if (*word && !word[strspn(word, plain)]) {
        fputs(word, stderr);
        return;
    }
    fputc('\'', stderr);
    for (; *word; word++)
        fputs(*word == '\'' ? "'\\''" : (char[]){*word, '\0'}, stderr);
    fputc('\'', stderr);
}

/* On failure of a simulated run: the command that repeats it, the last line that is written. */
static void tell_repeat(const lun_options *o, int code)
{
    static const char *const names[] = {"LUNARRAY_SIM", "LUNARRAY_RANK_TIMEOUT",
                                        "LUNARRAY_RANK_CLOCK", "LUNARRAY_BACKEND"};
    const char *simulated = getenv(names[0]);
    if (!code || !o->ranks || !simulated || !*simulated)
        return;
    fputs("to repeat this run:", stderr);
    for (size_t i = 0; i < sizeof names / sizeof names[0]; i++)
        if (getenv(names[i]) && *getenv(names[i])) {
            fprintf(stderr, " %s=", names[i]);
            tell_word(getenv(names[i]));
        }
    for (int i = 0; i < o->argc; i++) {
        fputc(' ', stderr);
        tell_word(o->argv[i]);
    }
    fputc('\n', stderr);
}

/* ---- the script of a rank -------------------------------------------------------------------- */

/* print, a whole line in one call, since other ranks print at the same time. */
static int print_line(lua_State *L)
{
    size_t length;
    (void)lun__embed_printed(L, NULL);
    lua_pushliteral(L, "\n");
    lua_concat(L, 2);
    const char *text = lua_tolstring(L, -1, &length);
    fwrite(text, 1, length, stdout);
    fflush(stdout);
    return 0;
}

/* The exit code of os.exit's argument. */
static int exit_code(lua_State *L)
{
    if (lua_isboolean(L, 1))
        return lua_toboolean(L, 1) ? EXIT_SUCCESS : EXIT_FAILURE;
    return (int)luaL_optinteger(L, 1, EXIT_SUCCESS);
}

/* Its address is the registry's key for the rank of a thread. */
static const char rank_key;

static const char leaving[] = "this rank ends by os.exit";

/* If a script catches the error of os.exit, the next instruction raises it again. */
static void leave_again(lua_State *L, lua_Debug *where)
{
    (void)where;
    lua_pushstring(L, leaving);
    lua_error(L);
}

/* os.exit of a rank that is a thread. */
static int exit_thread(lua_State *L)
{
    lua_rawgetp(L, LUA_REGISTRYINDEX, &rank_key);
    rank *r = lua_touserdata(L, -1);
    r->code = exit_code(L);
    r->exits = true;
    lun__call_leaves();
    lua_sethook(L, leave_again, LUA_MASKCOUNT, 1);
    lua_sethook(r->L, leave_again, LUA_MASKCOUNT, 1);
    lua_pushstring(L, leaving);
    return lua_error(L);
}

/* os.exit of a rank that is a process, or that others serve: as the stock one, which runs
 * finalisers only if it closes the state; but the engine is closed in both cases, so that MPI and
 * serving ranks end. */
static int exit_process(lua_State *L)
{
    const int code = exit_code(L);
    lun__host *h = lun__host_of(L);
    lun__rank_end(L, "os.exit");
    if (lua_toboolean(L, 2))
        lua_close(L);
    else if (h)
        lun__host_end(L, h);
    lun__rank_servers_end(code);
    exit(code);
}

void lun__rank_begin(lua_State *L, void *self)
{
    lun_engine *e = lun__host_engine(L);
    if (lun_spmd_start(e) != LUN_OK)
        luaL_error(L, "%s", lun_error_from(e, 1));
    const bool linked = lun_linked(e) > 1;
    if (lun_spmd_npes(e) == 1 && !self && !linked)
        return;
    if (!linked) {
        lua_pushcfunction(L, print_line);
        lua_setglobal(L, "print");
    }
    luaL_getsubtable(L, LUA_REGISTRYINDEX, LUA_LOADED_TABLE);
    lua_getfield(L, -1, "os");
    lua_pushcfunction(L, self ? exit_thread : exit_process);
    lua_setfield(L, -2, "exit");
    lua_pop(L, 2);
    lua_pushlightuserdata(L, self);
    lua_rawsetp(L, LUA_REGISTRYINDEX, &rank_key);
}

void lun__rank_needs_script(lua_State *L)
{
    lun_engine *e = lun__host_engine(L);
    if (lun_spmd_npes(e) > 1)
        luaL_error(L,
                   "this is one of %d ranks, which need a script; with --backend mpi rank 0 alone "
                   "has the prompt",
                   lun_spmd_npes(e));
}

bool lun__rank_shares_input(lua_State *L)
{
    lun_engine *e = lun__host_engine(L);
    return e && lun_spmd_npes(e) > 1;
}

/* Pushes all of standard input; its bytes, or -1 with errno. */
static int64_t push_input(lua_State *L)
{
    luaL_Buffer all;
    size_t some;
    luaL_buffinit(L, &all);
    do {
        char *to = luaL_prepbuffer(&all);
        some = fread(to, 1, LUAL_BUFFERSIZE, stdin);
        luaL_addsize(&all, some);
    } while (some);
    luaL_pushresult(&all);
    return ferror(stdin) ? -1 : (int64_t)lua_rawlen(L, -1);
}

/* A script's text without what luaL_loadfilex skips. */
static int load_text(lua_State *L, const char *text, size_t length, const char *mode)
{
    static const char mark[] = "\xef\xbb\xbf";
    const size_t skip = length >= 3 && !memcmp(text, mark, 3) ? 3 : 0;
    text += skip;
    length -= skip;
    const char *end = length && *text == '#' ? memchr(text, '\n', length) : text;
    const size_t comment = end ? (size_t)(end - text) : length; /* the newline stays */
    return luaL_loadbufferx(L, text + comment, length - comment, "=stdin", mode);
}

int lun__rank_load(lua_State *L, const char *mode)
{
    lun_engine *e = lun__host_engine(L);
    const bool reads = lun_spmd_mype(e) == 0;
    const int top = lua_gettop(L);
    int64_t count = reads ? push_input(L) : 0;
    int status = LUA_ERRFILE;
    lun_status s = lun_spmd_bcast(e, 0, &count, sizeof count);
    void *text = NULL;
    if (s == LUN_OK && count >= 0) {
        text = reads ? (void *)(uintptr_t)lua_tostring(L, -1)
                     : lua_newuserdatauv(L, (size_t)count + 1, 0);
        s = lun_spmd_bcast(e, 0, text, count);
    }
    if (s != LUN_OK)
        lua_pushstring(L, lun_error_from(e, 1));
    else if (count < 0)
        lua_pushstring(L, "cannot read stdin");
    else
        status = load_text(L, text, (size_t)count, mode);
    lua_replace(L, top + 1); /* replaces the text, if there is one */
    lua_settop(L, top + 1);
    return status;
}

void lun__rank_end(lua_State *L, const char *why)
{
    lun__host *h = lun__host_of(L);
    if (!h || !h->engine || lun_linked(h->engine) > 1)
        return;
    lun__host_leave_ranks(L, h, why ? why : lun__call_last_report());
}

/* ---- threads --------------------------------------------------------------------------------- */

/* A signal handler gets no argument. */
static rank *ranks;
static volatile sig_atomic_t rank_count;

/* The first Ctrl-C stops all scripts; the second one the process, by the default action. */
static void stop_all(int number)
{
    signal(number, SIG_DFL);
    for (int i = 0; i < rank_count; i++)
        lun_cancel(ranks[i].engine);
}

static void *run_rank(void *arg)
{
    rank *r = arg;
    lun__call_as_rank();
    lua_pushcfunction(r->L, r->run);
    lua_pushlightuserdata(r->L, &r->o);
    lua_pushlightuserdata(r->L, r);
    int status = lua_pcall(r->L, 2, 1, 0);
    bool ok = lun__call_report(r->L, r->name, status) == LUA_OK && lua_toboolean(r->L, -1);
    lua_sethook(r->L, NULL, 0, 0);
    if (!r->exits)
        r->code = ok ? EXIT_SUCCESS : EXIT_FAILURE;
    lun__rank_end(r->L, r->exits ? "os.exit" : NULL);
    return NULL;
}

static void complain(void *name, const char *text)
{
    lun__call_complain(name, text);
}

/* Threads of each of so many ranks: a share of the process's CPUs. Of simulated ranks one runs at a
 * time, and nothing of it may hang on the machine: one. */
static int share_of_cores(const lun_options *o, int count)
{
    cpu_set_t cores;
    if (getenv("LUNARRAY_SIM") && *getenv("LUNARRAY_SIM"))
        return 1;
    const char *given = o->threads ? o->threads : getenv("LUNARRAY_THREADS");
    if (!given || !*given)
        given = getenv("OMP_NUM_THREADS"); /* the first of a list */
    int all = given ? (int)strtol(given, NULL, 10) : 0;
    if (all <= 0 && sched_getaffinity(0, sizeof cores, &cores) == 0)
        all = CPU_COUNT(&cores);
    return all > count ? all / count : 1;
}

static lun_status open_rank(rank *r, lun_ranks *group, int number, int threads)
{
    lun_config c = {.size = sizeof c, .ranks = group, .rank = number, .threads = threads};
    c.log = complain;
    c.log_ctx = r->name;
    lun_status s = lun_open(&c, &r->engine);
    if (s != LUN_OK)
        return s; /* it is in the log */
    s = lun_spmd_start(r->engine);
    if (s == LUN_OK)
        s = lun__sandbox_new(r->engine, &r->L);
    if (s != LUN_OK) {
        lun__call_complain(r->name, lun_error_from(r->engine, 1));
        return s;
    }
    lun_host_set(r->engine, r->L, NULL);
    lun_host_on_cancel(r->engine, lun__sandbox_stop);
    return LUN_OK;
}

/* Starts and joins all; false if one could not start: the others are stopped. */
static bool run_all(rank *all, int count)
{
    sigset_t interrupt, before;
    sigemptyset(&interrupt);
    sigaddset(&interrupt, SIGINT);
    pthread_sigmask(SIG_BLOCK, &interrupt, &before);
    bool ok = true;
    for (int i = 0; i < count && ok; i++)
        ok = all[i].started = pthread_create(&all[i].thread, NULL, run_rank, &all[i]) == 0;
    if (!ok)
        lun__call_complain(all[0].o.program, "cannot start a thread for each rank");
    for (int i = 0; i < count && !ok; i++)
        lun_cancel(all[i].engine);
    ranks = all;
    rank_count = count;
    signal(SIGINT, stop_all);
    pthread_sigmask(SIG_SETMASK, &before, NULL);
    for (int i = 0; i < count; i++)
        if (all[i].started)
            pthread_join(all[i].thread, NULL);
    signal(SIGINT, SIG_DFL);
    rank_count = 0;
    return ok;
}

int lun__ranks_run(const lun_options *o, lua_CFunction run)
{
    int count = (int)strtol(o->ranks, NULL, 10), code = EXIT_SUCCESS;
    rank *all = calloc((size_t)count, sizeof *all);
    lun_ranks *group = NULL;
    bool ok = all && lun_ranks_new(count, &group) == LUN_OK;
    if (!ok)
        lun__call_complain(o->program, "not enough memory");
    for (int i = 0; i < count && ok; i++) {
        all[i].o = *o;
        all[i].o.program = all[i].name;
        all[i].run = run;
        snprintf(all[i].name, sizeof all[i].name, "%.40s: rank %d", o->program, i);
        ok = open_rank(&all[i], group, i, share_of_cores(o, count)) == LUN_OK;
    }
    lun_ranks_free(group);
    ok = ok && run_all(all, count);
    for (int i = 0; i < count && all; i++) {
        if (all[i].L)
            lun__sandbox_close(all[i].L);
        code = code ? code : all[i].code;
    }
    for (int i = 0; i < count && all; i++)
        lun_close(all[i].engine);
    free(all);
    code = ok ? code : EXIT_FAILURE;
    tell_repeat(o, code);
    return code;
}

/* ---- ranks that serve ------------------------------------------------------------------------ */

/* A thread that serves. */
typedef struct server {
    pthread_t thread;
    lun_config config;
    char name[64]; /* for messages: "lunarray: rank 2" */
    bool started;
} server;

/* os.exit joins them, too. The first entry is rank 0, which is no thread of these. */
static server *servers;
static int server_count;
static const lun_options *served; /* while there are any */

static void *run_server(void *arg)
{
    const server *s = arg;
    (void)lun_serve(&s->config); /* rank 0 reports why it ends */
    return NULL;
}

bool lun__rank_servers_start(const lun_options *o, lun_config *own)
{
    const int count = (int)strtol(o->ranks, NULL, 10);
    lun_ranks *group = NULL;
    sigset_t interrupt, before;
    served = o;
    servers = calloc((size_t)count, sizeof *servers);
    bool ok = servers && lun_ranks_new(count, &group) == LUN_OK;
    if (!ok) {
        lun__call_complain(o->program, "not enough memory");
        return false;
    }
    *own = (lun_config){.size = sizeof *own, .ranks = group, .threads = share_of_cores(o, count)};
    servers[server_count++].config = *own;
    sigemptyset(&interrupt);
    sigaddset(&interrupt, SIGINT);
    pthread_sigmask(SIG_BLOCK, &interrupt, &before);
    for (int i = 1; i < count; i++) {
        server *s = &servers[server_count++];
        s->config = *own;
        s->config.rank = i;
        s->config.log = complain;
        s->config.log_ctx = s->name;
        snprintf(s->name, sizeof s->name, "%.40s: rank %d", o->program, i);
        s->started = ok && pthread_create(&s->thread, NULL, run_server, s) == 0;
        ok = s->started;
    }
    pthread_sigmask(SIG_SETMASK, &before, NULL);
    if (ok)
        return true;
    lun__call_complain(o->program, "cannot start a thread for each rank");
    exit(EXIT_FAILURE); /* the others would wait for ranks that did not start */
}

void lun__rank_servers_end(int code)
{
    for (int i = 0; i < server_count; i++)
        if (servers[i].started)
            pthread_join(servers[i].thread, NULL);
    if (server_count) {
        lun_ranks_free(servers[0].config.ranks);
        tell_repeat(served, code);
    }
    free(servers);
    servers = NULL;
    server_count = 0;
}

int lun__rank_serve(const lun_options *o)
{
    char name[64];
    lun_config config = {.size = sizeof config, .log = complain, .log_ctx = name};
    snprintf(name, sizeof name, "%.40s: rank %d", o->program, lun_rank(NULL));
    if (lun_serve(&config) == LUN_OK)
        return EXIT_SUCCESS;
    lun__call_complain(name, lun_error(NULL));
    return EXIT_FAILURE;
}
