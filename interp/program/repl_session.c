/* repl_session.c - the prompt at a terminal: the system's part of lua/lunarray/prompt/repl.lua:
 * lines with completion, inputs run so that Ctrl-C stops them, the size of the window, names of
 * files.
 *
 * Invariant: the session's userdata owns the editor and, by a reference, the table that keeps the
 * last completion's strings alive. The editor's callback runs only within lun__repl_edit_read. */
#ifndef _GNU_SOURCE
#define _GNU_SOURCE /* ppoll */
#endif
#include "program/repl.h"

#include <dirent.h>
#include <errno.h>
#include <locale.h>
#include <poll.h>
#include <pthread.h>
#include <signal.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include <lauxlib.h>

#include "program/protected_call.h"
#include "program/repl_edit.h"

#define EDITOR_TYPE "lunarray.editor"

typedef struct session {
    lua_State *L;
    lun__editor *editor; /* NULL: plain lines */
    int results;         /* reference to the table with the results of completion */
} session;

static session *session_of(lua_State *L)
{
    return lua_touserdata(L, lua_upvalueindex(1));
}

/* ---- completion ------------------------------------------------------------------------------ */

/* Protected: session, text -> the texts to insert and to show, which the session's table keeps. */
static int ask_completion(lua_State *L)
{
    const session *s = lua_touserdata(L, 1);
    lua_rawgeti(L, LUA_REGISTRYINDEX, s->results);
    luaL_getsubtable(L, LUA_REGISTRYINDEX, LUA_LOADED_TABLE);
    lua_getfield(L, -1, "lunarray.prompt.repl");
    lua_getfield(L, -1, "complete");
    lua_pushvalue(L, 2);
    lua_call(L, 1, 2);
    lua_rawseti(L, 3, 2);
    lua_rawseti(L, 3, 1);
    return 0;
}

static const char *kept_text(lua_State *L, const session *s, int i)
{
    lua_rawgeti(L, LUA_REGISTRYINDEX, s->results);
    lua_rawgeti(L, -1, i);
    const char *text = lua_type(L, -1) == LUA_TSTRING ? lua_tostring(L, -1) : NULL;
    lua_pop(L, 2);
    return text;
}

static void complete(void *ctx, const char *text, size_t length, const char **insert,
                     const char **show)
{
    const session *s = ctx;
    lua_State *L = s->L;
    if (!lua_checkstack(L, 8))
        return;
    lua_pushcfunction(L, ask_completion);
    lua_pushlightuserdata(L, ctx);
    lua_pushlstring(L, text, length);
    if (lua_pcall(L, 2, 0, 0) != LUA_OK) {
        lua_pop(L, 1);
        return;
    }
    *insert = kept_text(L, s, 1);
    *show = kept_text(L, s, 2);
}

/* ---- lines ----------------------------------------------------------------------------------- */

/* Whether stdin's buffer has bytes that a script left there. */
static bool has_buffered(void)
{
#ifdef __GLIBC__
    return stdin->_IO_read_ptr < stdin->_IO_read_end; /* glibc has no function for it */
#else
    return true; /* not known: does not wait */
#endif
}

/* Waits for input; false after Ctrl-C, also one just before: read() would not notice that and
 * wait. */
static bool await_input(void)
{
    struct pollfd terminal = {.fd = STDIN_FILENO, .events = POLLIN};
    sigset_t interrupt, before;
    bool stopped = false;
    if (has_buffered())
        return true;
    sigemptyset(&interrupt);
    sigaddset(&interrupt, SIGINT);
    pthread_sigmask(SIG_BLOCK, &interrupt, &before);
    while (!(stopped = lun__call_was_interrupted()) && ppoll(&terminal, 1, NULL, &before) < 0 &&
           errno == EINTR)
        continue;
    pthread_sigmask(SIG_SETMASK, &before, NULL);
    return !stopped;
}

/* Pushes a line typed at a terminal without an editor. */
static lun__reading read_plain(lua_State *L, const char *prompt)
{
    luaL_Buffer line;
    size_t length = 0;
    int c;
    for (; *prompt; prompt++)
        if (*prompt != '\1')
            putchar(*prompt);
    fflush(stdout);
    if (!await_input()) {
        putchar('\n');
        return LUN__INTERRUPTED;
    }
    luaL_buffinit(L, &line);
    errno = 0;
    while ((c = getchar()) != EOF && c != '\n') {
        luaL_addchar(&line, (char)c);
        length++;
    }
    bool interrupted = lun__call_was_interrupted();
    luaL_pushresult(&line);
    if (c == EOF)
        clearerr(stdin);
    if (interrupted) {
        putchar('\n');
        return LUN__INTERRUPTED;
    }
    return c == EOF && length == 0 ? LUN__ENDED : LUN__LINE;
}

/* read(prompt): a line; false after Ctrl-C; nil at the end. */
static int session_read(lua_State *L)
{
    session *s = session_of(L);
    const char *prompt = luaL_checkstring(L, 1), *line = NULL;
    size_t length = 0;
    lun__reading what;
    if (s->editor) {
        s->L = L;
        what = lun__repl_edit_read(s->editor, prompt, &line, &length);
        if (what == LUN__LINE)
            lua_pushlstring(L, line, length);
    } else {
        what = read_plain(L, prompt);
    }
    if (what == LUN__INTERRUPTED)
        lua_pushboolean(L, 0);
    else if (what == LUN__ENDED)
        lua_pushnil(L);
    return 1;
}

static int session_remember(lua_State *L)
{
    const session *s = session_of(L);
    const char *text = luaL_checkstring(L, 1);
    if (s->editor)
        lun__repl_edit_remember(s->editor, text);
    return 0;
}

/* ---- running --------------------------------------------------------------------------------- */

/* The message handler: passes the error to the session's function, its upvalue. */
static int describe(lua_State *L)
{
    lun__call_forget_interrupt(L);
    lua_settop(L, 1);
    lua_pushvalue(L, lua_upvalueindex(1));
    lua_insert(L, 1);
    lua_call(L, 1, 1);
    return 1;
}

/* run(describe, f, ...): true and f's results; or false, describe's result for the error, and
 * whether Ctrl-C was the reason. */
static int session_run(lua_State *L)
{
    bool interrupted = false;
    lua_pushvalue(L, 1);
    lua_pushcclosure(L, describe, 1);
    lua_replace(L, 1);
    int status = lun__call_input(L, lua_gettop(L) - 2, LUA_MULTRET, 1, &interrupted);
    lua_pushboolean(L, status == LUA_OK);
    lua_replace(L, 1);
    if (status != LUA_OK) {
        lua_settop(L, 2);
        lua_pushboolean(L, interrupted);
    }
    return lua_gettop(L);
}

/* ---- the system ------------------------------------------------------------------------------ */

/* list(directory): the names in it, directories with a slash; none if it cannot be read. */
int lun__repl_session_list(lua_State *L)
{
    const char *path = luaL_checkstring(L, 1);
    lua_newtable(L);
    DIR *dir = opendir(path);
    if (!dir)
        return 1;
    /* Only lack of memory can raise below, which loses no more than the directory's handle. */
    lua_Integer count = 0;
    const struct dirent *entry;
    while ((entry = readdir(dir))) {
        struct stat st;
        bool is_dir = entry->d_type == DT_DIR;
        if (strcmp(entry->d_name, ".") == 0 || strcmp(entry->d_name, "..") == 0)
            continue;
        if (entry->d_type == DT_LNK || entry->d_type == DT_UNKNOWN)
            is_dir = fstatat(dirfd(dir), entry->d_name, &st, 0) == 0 && S_ISDIR(st.st_mode);
        lua_pushstring(L, entry->d_name);
        if (is_dir) {
            lua_pushliteral(L, "/");
            lua_concat(L, 2);
        }
        lua_rawseti(L, -2, ++count);
    }
    closedir(dir);
    return 1;
}

/* ---- the session ----------------------------------------------------------------------------- */

static int close_session(lua_State *L)
{
    session *s = lua_touserdata(L, 1);
    lun__repl_edit_close(s->editor);
    s->editor = NULL;
    luaL_unref(L, LUA_REGISTRYINDEX, s->results);
    s->results = LUA_NOREF;
    return 0;
}

/* Pushes the userdata that owns the editor. */
static void new_session(lua_State *L)
{
    session *s = lua_newuserdatauv(L, sizeof *s, 0);
    *s = (session){.L = L, .results = LUA_NOREF};
    if (luaL_newmetatable(L, EDITOR_TYPE)) {
        lua_pushcfunction(L, close_session);
        lua_setfield(L, -2, "__gc");
    }
    lua_setmetatable(L, -2);
    lua_newtable(L);
    s->results = luaL_ref(L, LUA_REGISTRYINDEX);
    s->editor = lun__repl_edit_open(complete, s);
}

/* Characters beyond ASCII need a locale for them; numbers keep Lua's format. */
static void choose_locale(void)
{
    setlocale(LC_CTYPE, "");
    if (MB_CUR_MAX == 1)
        setlocale(LC_CTYPE, "C.UTF-8");
}

/* Whether the user wants colours on that file. */
static bool wants_colour(int fd)
{
    const char *no = getenv("NO_COLOR"), *term = getenv("TERM");
    return isatty(fd) && !(no && *no) && term && *term && strcmp(term, "dumb") != 0;
}

bool lun__repl_session(lua_State *L)
{
    static const luaL_Reg functions[] = {{"read", session_read},
                                         {"remember", session_remember},
                                         {"run", session_run},
                                         {"list", lun__repl_session_list},
                                         {NULL, NULL}};
    choose_locale();
    lua_getglobal(L, "require");
    lua_pushliteral(L, "lunarray.prompt.repl");
    lua_call(L, 1, 1);
    lua_getfield(L, -1, "session");
    lua_newtable(L);
    new_session(L);
    luaL_setfuncs(L, functions, 1);
    lua_pushboolean(L, wants_colour(STDOUT_FILENO));
    lua_setfield(L, -2, "colour");
    lua_pushboolean(L, wants_colour(STDERR_FILENO));
    lua_setfield(L, -2, "error_colour");
    lun__call_session_begin();
    int status = lua_pcall(L, 1, 0, 0);
    lun__call_session_end();
    if (status != LUA_OK)
        lun__call_complain("the prompt has failed; continuing with a plain one",
                           luaL_tolstring(L, -1, NULL));
    return status == LUA_OK;
}
