/* errors_json.c - objects of JSON for failures; see errors_json.h.
 *
 * Invariant: what is written is one line of UTF-8: bytes that are none become U+FFFD. */
#ifndef _GNU_SOURCE
#define _GNU_SOURCE /* flockfile */
#endif
#include "program/errors_json.h"

#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <lauxlib.h>

#include "program/advice.h"

#define BEGIN "{\"level\":\""
enum { DEEPEST = 32 /* levels of a traceback */ };

static bool is_on;

void lun__errors_json_begin(void)
{
    is_on = true;
}

bool lun__errors_json_on(void)
{
    return is_on;
}

/* ---- text ------------------------------------------------------------------------------------ */

/* Where text goes: a buffer of Lua, or else a file. */
typedef struct sink {
    luaL_Buffer *buffer;
    FILE *file;
} sink;

static void put(const sink *to, const char *text, size_t length)
{
    if (to->buffer)
        luaL_addlstring(to->buffer, text, length);
    else
        fwrite(text, 1, length, to->file);
}

static void put_text(const sink *to, const char *text)
{
    put(to, text, strlen(text));
}

/* The bytes of the character of UTF-8 at s, at most `room`; 0: there is none. */
static size_t character(const unsigned char *s, size_t room)
{
    static const unsigned char first[] = {0xc2, 0xe0, 0xf0, 0xf5};
    const size_t length = s[0] < 0x80 ? 1 : s[0] < 0xe0 ? 2 : s[0] < 0xf0 ? 3 : 4;
    if (length == 1)
        return 1;
    if (s[0] < first[0] || s[0] >= first[3] || length > room)
        return 0;
    for (size_t i = 1; i < length; i++)
        if ((s[i] & 0xc0) != 0x80)
            return 0;
    if ((s[0] == 0xe0 && s[1] < 0xa0) || (s[0] == 0xed && s[1] > 0x9f) ||
        (s[0] == 0xf0 && s[1] < 0x90) || (s[0] == 0xf4 && s[1] > 0x8f))
        return 0;
    return length;
}

static void put_string(const sink *to, const char *text, size_t length)
{
    char escape[8];
    put_text(to, "\"");
    for (size_t i = 0; i < length;) {
        const unsigned char *at = (const unsigned char *)text + i;
        const size_t own = character(at, length - i);
        if (own == 0) {
            put_text(to, "\\ufffd");
        } else if (*at < 0x20 || *at == '"' || *at == '\\' || *at == 0x7f) {
            const char *known = *at ? strchr("\n\\n\t\\t\r\\r", *at) : NULL;
            if (*at == '"' || *at == '\\')
                snprintf(escape, sizeof escape, "\\%c", *at);
            else if (known && known[1] == '\\')
                snprintf(escape, sizeof escape, "\\%c", known[2]);
            else
                snprintf(escape, sizeof escape, "\\u%04x", *at);
            put_text(to, escape);
        } else {
            put(to, (const char *)at, own);
        }
        i += own ? own : 1;
    }
    put_text(to, "\"");
}

static void put_field(const sink *to, const char *name, const char *text, size_t length)
{
    put_text(to, ",\"");
    put_text(to, name);
    put_text(to, "\":");
    put_string(to, text, length);
}

static void put_line(const sink *to, long line)
{
    char text[32];
    snprintf(text, sizeof text, ",\"line\":%ld", line);
    put_text(to, text);
}

/* ---- messages -------------------------------------------------------------------------------- */

/* The length of "file:" of "file:12: text", and the line; 0: the message does not begin so. */
static size_t place_of(const char *message, long *line, const char **text)
{
    for (const char *colon = strchr(message, ':'); colon; colon = strchr(colon + 1, ':')) {
        const size_t digits = strspn(colon + 1, "0123456789");
        const size_t before = (size_t)(colon - message);
        const char *bracket = before > 1 ? memchr(message + 1, '(', before - 1) : NULL;
        if (bracket || memchr(message, '\n', before))
            break; /* words of a message, but for "(command line)" */
        if (digits > 0 && digits < 10 && strncmp(colon + 1 + digits, ": ", 2) == 0) {
            *line = strtol(colon + 1, NULL, 10);
            *text = colon + digits + 3;
            return (size_t)(colon - message);
        }
    }
    return 0;
}

/* All up to the hint. where: "file:line" of what has no place in its message, or NULL. */
static void put_message(const sink *to, const char *level, const char *code, const char *message,
                        const char *where)
{
    long line = 0;
    const char *text = message;
    size_t file = place_of(message, &line, &text);
    const char *colon = where ? strrchr(where, ':') : NULL;
    put_text(to, BEGIN);
    put_text(to, level);
    put_text(to, "\"");
    put_field(to, "code", code, strlen(code));
    if (file > 0) {
        put_field(to, "file", message, file);
        put_line(to, line);
    } else if (colon) {
        put_field(to, "file", where, (size_t)(colon - where));
        put_line(to, strtol(colon + 1, NULL, 10));
    }
    put_field(to, "message", text, strlen(text));
}

/* The object for a message, whose hint stands behind it. */
static void put_object(const sink *to, const char *level, const char *code, const char *message)
{
    const char *hint = strstr(message, "\nin Lua: ");
    const size_t length = hint ? (size_t)(hint - message) : strlen(message);
    char *own = malloc(length + 1);
    if (own) {
        memcpy(own, message, length);
        own[length] = '\0';
    }
    put_message(to, level, code, own ? own : message, NULL);
    if (hint && own)
        put_field(to, "hint", hint + 1, strlen(hint + 1));
    put_text(to, "}");
    free(own);
}

void lun__errors_json_push_message(lua_State *L, const char *code, const char *message)
{
    luaL_Buffer buffer;
    luaL_buffinit(L, &buffer);
    put_object(&(sink){&buffer, NULL}, "error", code, message);
    luaL_pushresult(&buffer);
}

void lun__errors_json_push_string(lua_State *L)
{
    size_t length = 0;
    const char *text = lua_tolstring(L, -1, &length);
    luaL_Buffer buffer;
    luaL_buffinit(L, &buffer);
    put_string(&(sink){&buffer, NULL}, text, length);
    luaL_pushresult(&buffer);
}

void lun__errors_json_put(FILE *file, const char *text, size_t length)
{
    put_string(&(sink){NULL, file}, text, length);
}

void lun__errors_json_write(const char *level, const char *code, const char *message)
{
    const sink to = {NULL, stderr};
    flockfile(stderr); /* other ranks write at the same time */
    if (strncmp(message, BEGIN, sizeof BEGIN - 1) == 0) {
        put_text(&to, message);
    } else {
        put_object(&to, level, code, message);
    }
    put_text(&to, "\n");
    fflush(stderr);
    funlockfile(stderr);
}

/* ---- errors of a running script -------------------------------------------------------------- */

/* The levels above the handler that have a line, but for the library's own. */
static void put_traceback(lua_State *L, const sink *to)
{
    lua_Debug at;
    int count = 0;
    put_text(to, ",\"traceback\":[");
    for (int level = 1; count < DEEPEST && lua_getstack(L, level, &at); level++) {
        lua_getinfo(L, "Sln", &at);
        if (at.currentline <= 0 || strncmp(at.source, "@lua/lunarray/", 14) == 0)
            continue;
        const char *file = at.source[0] == '@' ? at.source + 1 : at.short_src;
        put_text(to, count++ ? ",{" : "{");
        put_text(to, "\"file\":");
        put_string(to, file, strlen(file));
        put_line(to, at.currentline);
        if (at.name)
            put_field(to, "name", at.name, strlen(at.name));
        put_text(to, "}");
    }
    put_text(to, "]");
}

/* Pushes the field of an error object as text, or nothing: NULL. */
static const char *text_field(lua_State *L, const char *name)
{
    if (lua_type(L, 1) != LUA_TTABLE)
        return NULL;
    lua_pushstring(L, name);
    return lua_rawget(L, 1) == LUA_TSTRING ? lua_tostring(L, -1) : NULL;
}

/* Pushes the message of the value at 1, and its hint, "" if there is none. */
static void push_message(lua_State *L)
{
    const char *own = text_field(L, "message");
    const char *message = own ? own : luaL_tolstring(L, 1, NULL);
    const size_t length = strlen(message);
    lua_pushstring(L, message);
    lua_pushvalue(L, -1);
    lun__advice_error(L);
    const char *advised = lua_tostring(L, -1);
    lua_pushstring(L, advised && strlen(advised) > length + 1 ? advised + length + 1 : "");
    lua_remove(L, -2);
}

void lun__errors_json_push(lua_State *L)
{
    luaL_Buffer buffer;
    luaL_checkstack(L, LUA_MINSTACK, NULL);
    push_message(L);
    const char *hint = lua_tostring(L, -1), *message = lua_tostring(L, -2);
    const char *status = text_field(L, "code"), *where = text_field(L, "where");
    const char *code = !status ? "runtime" : strncmp(status, "LUN_", 4) == 0 ? status + 4 : status;
    luaL_buffinit(L, &buffer);
    const sink to = {&buffer, NULL};
    put_message(&to, "error", code, message, where);
    if (*hint)
        put_field(&to, "hint", hint, strlen(hint));
    put_traceback(L, &to);
    put_text(&to, "}");
    luaL_pushresult(&buffer);
}

/* ---- warnings -------------------------------------------------------------------------------- */

/* Parts of a warning, which lua_warning hands over one after the other. */
typedef struct warning {
    bool is_shown, goes_on; /* goes_on: the part before was not the last one */
    size_t length;
    char text[512];
} warning;

static void warn(void *ctx, const char *text, int continues)
{
    warning *w = ctx;
    const bool alone = !continues && !w->goes_on;
    w->goes_on = continues;
    if (alone && text[0] == '@') {
        w->is_shown = strcmp(text, "@on") == 0 || (w->is_shown && strcmp(text, "@off") != 0);
        return;
    }
    const int added = snprintf(w->text + w->length, sizeof w->text - w->length, "%s", text);
    w->length +=
        (size_t)added < sizeof w->text - w->length ? (size_t)added : sizeof w->text - w->length - 1;
    if (!continues) {
        if (w->is_shown)
            lun__errors_json_write("warning", "warning", w->text);
        w->length = 0;
    }
}

void lun__errors_json_warnings(lua_State *L)
{
    warning *w = lua_newuserdatauv(L, sizeof *w, 0);
    *w = (warning){0};
    lua_rawsetp(L, LUA_REGISTRYINDEX, (const void *)&is_on); /* lives as long as the state */
    lua_setwarnf(L, warn, w);
}
