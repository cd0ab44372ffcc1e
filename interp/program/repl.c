/* repl.c - the interactive mode without a terminal: reads a statement (of several lines if needed),
 * runs it, prints its results. Behaves as the stock interpreter's: _PROMPT, _PROMPT2, "=e", an
 * expression as a statement. */
#include "program/repl.h"

#include <stdbool.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

#include <lauxlib.h>

#include "program/advice.h"
#include "program/protected_call.h"

#define EOF_MARK "<eof>"

/* Writes the prompt, which a script may set to anything that tostring accepts. */
static void write_prompt(lua_State *L, const char *global, const char *fallback)
{
    const char *prompt = fallback;
    if (lua_getglobal(L, global) != LUA_TNIL)
        prompt = luaL_tolstring(L, -1, NULL);
    else
        lua_pushnil(L);
    fputs(prompt, stdout);
    fflush(stdout);
    lua_pop(L, 2);
}

/* Pushes one line of stdin without its newline; false at the end of the input. Input that no
 * terminal has echoed is echoed, so that a transcript reads like a session. */
static bool push_line(lua_State *L)
{
    luaL_Buffer line;
    int c = EOF;
    size_t length = 0;

    luaL_buffinit(L, &line);
    while ((c = getchar()) != EOF && c != '\n') {
        luaL_addchar(&line, (char)c);
        length++;
    }
    luaL_pushresult(&line);
    if (c == EOF && length == 0) {
        lua_pop(L, 1);
        return false;
    }
    if (!isatty(STDIN_FILENO)) {
        fputs(lua_tostring(L, -1), stdout);
        putchar('\n');
    }
    return true;
}

/* True if the parser stopped at the end of the text: more lines may complete it. */
static bool is_incomplete(lua_State *L, int status)
{
    if (status != LUA_ERRSYNTAX)
        return false;
    size_t length = 0;
    const char *message = lua_tolstring(L, -1, &length);
    size_t mark = sizeof EOF_MARK - 1;
    return length >= mark && strcmp(message + length - mark, EOF_MARK) == 0;
}

/* With a line on the top: pushes the chunk "return <line>" and true, or nothing and false. */
static bool load_expression(lua_State *L)
{
    const char *code = lua_pushfstring(L, "return %s", lua_tostring(L, -1));
    int status = luaL_loadbuffer(L, code, strlen(code), "=stdin");
    lua_remove(L, -2);
    if (status != LUA_OK)
        lua_pop(L, 1);
    return status == LUA_OK;
}

/* With a line on the top: pushes the chunk of the statement that starts there, reading as many
 * lines as it needs, or the syntax error. Returns its status. */
static int load_statement(lua_State *L)
{
    for (;;) {
        size_t length = 0;
        const char *code = lua_tolstring(L, -1, &length);
        int status = luaL_loadbuffer(L, code, length, "=stdin");
        if (!is_incomplete(L, status)) {
            if (status == LUA_ERRSYNTAX)
                lun__advice_syntax(L, code);
            return status;
        }
        write_prompt(L, "_PROMPT2", ">> ");
        if (!push_line(L))
            return status;
        lua_remove(L, -2);
        lua_pushliteral(L, "\n");
        lua_insert(L, -2);
        lua_concat(L, 3);
    }
}

/* Leaves only a chunk or a syntax error on the stack; returns its status, -1 at the end. */
static int read_chunk(lua_State *L)
{
    lua_settop(L, 0);
    write_prompt(L, "_PROMPT", "> ");
    if (!push_line(L))
        return -1;
    const char *line = lua_tostring(L, 1);
    if (line[0] == '=') {
        lua_pushfstring(L, "return %s", line + 1);
        lua_remove(L, 1);
    }
    int status = load_expression(L) ? LUA_OK : load_statement(L);
    lua_remove(L, 1);
    return status;
}

/* Passes all values on the stack to the global print. */
static void print_results(lua_State *L)
{
    int count = lua_gettop(L);
    if (count == 0)
        return;
    luaL_checkstack(L, LUA_MINSTACK, "too many results to print");
    lua_getglobal(L, "print");
    lua_insert(L, 1);
    if (lua_pcall(L, count, 0, 0) != LUA_OK)
        lun__call_complain(
            NULL, lua_pushfstring(L, "error calling 'print' (%s)", luaL_tolstring(L, -1, NULL)));
}

void lun__repl(lua_State *L, bool plain)
{
    int status;
    if (!plain && isatty(STDIN_FILENO) && lun__repl_session(L))
        return;
    while ((status = read_chunk(L)) != -1) {
        if (status == LUA_OK)
            status = lun__call(L, 0, LUA_MULTRET);
        if (status == LUA_OK)
            print_results(L);
        else
            lun__call_report(L, NULL, status);
    }
    lua_settop(L, 0);
    putchar('\n');
    fflush(stdout);
}
