/* Protected calls as a stand-alone interpreter makes them: traceback, Ctrl-C, messages on stderr.
 * Must not know where the function came from: the command line and the interactive mode share it. */
#include "call.h"

#include <signal.h>
#include <stdio.h>
#include <string.h>

#include <lauxlib.h>

/* A signal handler gets no argument, so the state that Ctrl-C stops has to be told here. It is set
 * only while a call runs, and only in the program: the library never touches signals. */
static lua_State *interruptible;

static void on_signal(int number, void (*handler)(int))
{
    struct sigaction action;
    memset(&action, 0, sizeof action);
    action.sa_handler = handler;
    sigemptyset(&action.sa_mask);
    sigaction(number, &action, NULL);
}

static void raise_interrupt(lua_State *L, lua_Debug *where)
{
    (void)where;
    lua_sethook(L, NULL, 0, 0);
    luaL_error(L, "interrupted!");
}

/* The first Ctrl-C asks the script to stop at its next instruction; a second one, which finds the
 * default action, ends the process even where no Lua instruction runs. lua_sethook is safe here. */
static void handle_interrupt(int number)
{
    on_signal(number, SIG_DFL);
    lua_sethook(interruptible, raise_interrupt,
                LUA_MASKCALL | LUA_MASKRET | LUA_MASKLINE | LUA_MASKCOUNT, 1);
}

/* Makes text of an error object and appends the traceback; what describes itself by __tostring
 * stays as it says. */
static int describe_error(lua_State *L)
{
    const char *text = lua_tostring(L, 1);
    if (!text) {
        if (luaL_callmeta(L, 1, "__tostring") && lua_type(L, -1) == LUA_TSTRING)
            return 1;
        text = lua_pushfstring(L, "(error object is a %s value)", luaL_typename(L, 1));
    }
    luaL_traceback(L, L, text, 1);
    return 1;
}

int lun__call(lua_State *L, int nargs, int nresults)
{
    int handler = lua_gettop(L) - nargs;
    lua_pushcfunction(L, describe_error);
    lua_insert(L, handler);
    interruptible = L;
    on_signal(SIGINT, handle_interrupt);
    int status = lua_pcall(L, nargs, nresults, handler);
    on_signal(SIGINT, SIG_DFL);
    lua_remove(L, handler);
    return status;
}

void lun__complain(const char *program, const char *message)
{
    if (program)
        fprintf(stderr, "%s: ", program);
    fprintf(stderr, "%s\n", message);
    fflush(stderr);
}

int lun__report(lua_State *L, const char *program, int status)
{
    if (status != LUA_OK) {
        const char *message = lua_tostring(L, -1);
        lun__complain(program, message ? message : "(error message is not a string)");
        lua_pop(L, 1);
    }
    return status;
}
