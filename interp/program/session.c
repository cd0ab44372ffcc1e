/* session.c - the system's part of --session, whose requests lua/lunarray/prompt/session.lua
 * answers: lines of the protocol in and out, what scripts print, runs that SIGINT stops.
 *
 * Invariant: the protocol has descriptors of its own, which no script knows: 0 is /dev/null, 1 is
 * standard error, and stdout, also Lua's io.stdout, a stream whose bytes become {"out":...}. Its
 * state is that of the process, as stdout is; only the thread of the session touches it. */
#ifndef _GNU_SOURCE
#define _GNU_SOURCE /* fopencookie */
#endif
#include "program/session.h"

#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include <lauxlib.h>

#include "program/errors_json.h"
#include "program/protected_call.h"
#include "program/repl.h"
#include "state/modules.h"
#include "state/sandbox.h"

enum {
    MOST = 64 << 20, /* bytes of a request */
    PRINTED = 4096   /* bytes that are kept until a line ends */
};

static FILE *requests, *answers;
static char id[1024];   /* "\"id\":7," of the request that is answered, or "" */
static char partial[4]; /* the first bytes of a character whose last ones are still to come */
static size_t partial_length;

/* ---- what scripts print ---------------------------------------------------------------------- */

static void put_out(const char *text, size_t length)
{
    fprintf(answers, "{%s\"out\":", id);
    lun__errors_json_put(answers, text, length);
    fputs("}\n", answers);
    fflush(answers);
}

/* How many of the last bytes begin a character of UTF-8 that does not end here. */
static size_t unfinished(const char *text, size_t length)
{
    for (size_t back = 1; back <= 3 && back <= length; back++) {
        const unsigned char c = (unsigned char)text[length - back];
        if (c >= 0xc0)
            return back < (c < 0xe0 ? 2u : c < 0xf0 ? 3u : 4u) ? back : 0;
        if (c < 0x80)
            return 0;
    }
    return 0;
}

/* Of the stream that is stdout. */
static ssize_t print(void *ctx, const char *text, size_t length)
{
    (void)ctx;
    const size_t rest = unfinished(text, length);
    size_t whole = length - rest;
    if (whole > 0 || partial_length + rest > sizeof partial) {
        char *joined = partial_length ? malloc(partial_length + length) : NULL;
        if (joined) {
            memcpy(joined, partial, partial_length);
            memcpy(joined + partial_length, text, whole);
            put_out(joined, partial_length + whole);
        } else {
            if (partial_length)
                put_out(partial, partial_length);
            put_out(text, whole);
        }
        free(joined);
        partial_length = 0;
    }
    memcpy(partial + partial_length, text + whole, rest);
    partial_length += rest;
    return (ssize_t)length;
}

/* All that was printed goes out. */
static void flush_printed(void)
{
    fflush(stdout);
    if (partial_length)
        put_out(partial, partial_length);
    partial_length = 0;
}

bool lun__session_begin(const char *program)
{
    const int in = fcntl(STDIN_FILENO, F_DUPFD_CLOEXEC, 3);
    const int out = fcntl(STDOUT_FILENO, F_DUPFD_CLOEXEC, 3);
    const int none = open("/dev/null", O_RDONLY);
    FILE *printed = fopencookie(NULL, "w", (cookie_io_functions_t){.write = print});
    requests = in >= 0 ? fdopen(in, "r") : NULL;
    answers = out >= 0 ? fdopen(out, "w") : NULL;
    if (!requests || !answers || none < 0 || !printed || dup2(none, STDIN_FILENO) < 0 ||
        dup2(STDERR_FILENO, STDOUT_FILENO) < 0 || setvbuf(printed, NULL, _IOLBF, PRINTED) != 0) {
        lun__call_complain(program, "--session needs standard input and output");
        return false;
    }
    if (none > STDERR_FILENO)
        close(none);
    stdout = printed; /* glibc's is a variable */
    return true;
}

/* ---- lines ----------------------------------------------------------------------------------- */

/* read(): the next request; nil at the end, false for one that is too long. */
static int session_read(lua_State *L)
{
    luaL_Buffer line;
    size_t length = 0;
    int c;
    luaL_buffinit(L, &line);
    for (;;) {
        c = getc(requests);
        if (c == EOF && ferror(requests) && errno == EINTR) { /* a SIGINT between requests */
            clearerr(requests);
            continue;
        }
        if (c == EOF || c == '\n')
            break;
        if (++length <= MOST)
            luaL_addchar(&line, (char)c);
    }
    (void)lun__call_was_interrupted();
    luaL_pushresult(&line);
    if (c == EOF && length == 0)
        lua_pushnil(L);
    else if (length > MOST)
        lua_pushboolean(L, 0);
    return 1;
}

/* write(text): an answer, after all that was printed before it. */
static int session_write(lua_State *L)
{
    size_t length = 0;
    const char *text = luaL_checklstring(L, 1, &length);
    flush_printed();
    fputc('{', answers);
    fputs(id, answers);
    fwrite(text, 1, length, answers);
    fputs("}\n", answers);
    fflush(answers);
    return 0;
}

/* name(text): the request's id as JSON; "" or one that is too long: none. */
static int session_name(lua_State *L)
{
    size_t length = 0;
    const char *text = luaL_checklstring(L, 1, &length);
    id[0] = '\0';
    if (length > 0 && length < sizeof id - 16)
        snprintf(id, sizeof id, "\"id\":%s,", text);
    return 0;
}

/* quote(text): as JSON. */
static int session_quote(lua_State *L)
{
    luaL_checkstring(L, 1);
    lua_settop(L, 1);
    lun__errors_json_push_string(L);
    return 1;
}

/* fault(code, message): the object of --errors=json. */
static int session_fault(lua_State *L)
{
    lun__errors_json_push_message(L, luaL_checkstring(L, 1), luaL_checkstring(L, 2));
    return 1;
}

/* ---- runs ------------------------------------------------------------------------------------ */

static int describe(lua_State *L)
{
    lun__call_forget_interrupt(L);
    lun__errors_json_push(L);
    return 1;
}

/* run(f, ...): true and f's results; or false, the error's object, and whether SIGINT was the
 * reason. Upvalue: whether the limits of a sandbox hold. */
static int session_run(lua_State *L)
{
    const bool sandbox = lua_toboolean(L, lua_upvalueindex(1));
    bool interrupted = false;
    lua_pushcfunction(L, describe);
    lua_insert(L, 1);
    lua_State *before = sandbox ? lun__sandbox_begin(L) : NULL;
    const int status = lun__call_input(L, lua_gettop(L) - 2, LUA_MULTRET, 1, &interrupted);
    if (sandbox) {
        lun__sandbox_end(L, before);
        lua_sethook(L, NULL, 0, 0); /* of a run that was stopped it would stop the answer */
    }
    lua_pushboolean(L, status == LUA_OK);
    lua_replace(L, 1);
    if (status != LUA_OK) {
        if (lua_type(L, 2) != LUA_TSTRING || lua_tostring(L, 2)[0] != '{') {
            lun__errors_json_push_message(L, "memory", "not enough memory");
            lua_replace(L, 2);
        }
        lua_settop(L, 2);
        lua_pushboolean(L, interrupted);
    }
    return lua_gettop(L);
}

/* Protected: answers all requests. */
static int serve(lua_State *L)
{
    static const luaL_Reg functions[] = {{"read", session_read},   {"write", session_write},
                                         {"name", session_name},   {"quote", session_quote},
                                         {"fault", session_fault}, {NULL, NULL}};
    lun__module_push(L, "lunarray.prompt.session");
    lua_getfield(L, -1, "serve");
    luaL_newlib(L, functions);
    lua_pushvalue(L, 1);
    lua_pushcclosure(L, session_run, 1);
    lua_setfield(L, -2, "run");
    if (!lua_toboolean(L, 1)) {
        lua_pushcfunction(L, lun__repl_session_list);
        lua_setfield(L, -2, "list");
    }
    lua_call(L, 1, 0);
    return 0;
}

void lun__session_serve(lua_State *L, const char *program, bool sandbox)
{
    lun__call_session_begin();
    lua_pushcfunction(L, serve);
    lua_pushboolean(L, sandbox);
    lun__call_report(L, program, lua_pcall(L, 1, 0, 0));
    lun__call_session_end();
    flush_printed();
}
