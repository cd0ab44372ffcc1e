/* blame.c - names in an error the function that the script called, and its source line: see
 * blame.h. */
#include "bind/host/blame.h"

#include <stdarg.h>
#include <stdio.h>
#include <string.h>

#include "bind/host/bind.h"

/* From here on the names are lauxlib's functions again. */
#undef luaL_argerror
#undef luaL_error

enum { DEEPEST = 64 }; /* levels of the stack that are searched */

/* ---- names ----------------------------------------------------------------------------------- */

/* The operator that a script writes where Lua calls the metamethod of this name. */
static const char *written(const char *event)
{
    static const struct {
        const char *event, *word;
    } words[] = {
        {"add", "+"},         {"sub", "-"},  {"mul", "*"},      {"div", "/"},
        {"idiv", "//"},       {"mod", "%"},  {"pow", "^"},      {"unm", "-"},
        {"band", "&"},        {"bor", "|"},  {"bxor", "~"},     {"bnot", "~"},
        {"shl", "<<"},        {"shr", ">>"}, {"concat", ".."},  {"lt", "<"},
        {"le", "<="},         {"len", "#"},  {"index", "A[i]"}, {"newindex", "A[i] = x"},
        {"close", "<close>"},
    };
    for (size_t i = 0; i < sizeof words / sizeof words[0]; i++)
        if (strcmp(event, words[i].event) == 0)
            return words[i].word;
    return event;
}

/* Pushes the name that the table on the top has for the value at f; false, and pops the table, if
 * it has none. */
static bool push_key(lua_State *L, int f)
{
    for (lua_pushnil(L); lua_next(L, -2); lua_pop(L, 1))
        if (lua_rawequal(L, -1, f) && lua_type(L, -2) == LUA_TSTRING) {
            lua_pop(L, 1);
            return true;
        }
    lua_pop(L, 1);
    return false;
}

/* The same in the table that a module of ours returns. */
static bool push_exported(lua_State *L, int f, const char *module)
{
    if (lua_getfield(L, LUA_REGISTRYINDEX, LUA_LOADED_TABLE) == LUA_TTABLE &&
        lua_getfield(L, -1, module) == LUA_TTABLE && push_key(L, f))
        return true;
    lua_settop(L, f);
    return false;
}

/* The same in the table that the file of the function at f returns: init.lua calls such functions
 * by a tail call. */
static bool push_named_in_file(lua_State *L, int f)
{
    lua_Debug of;
    char name[LUA_IDSIZE], module[LUA_IDSIZE + 16];
    lua_pushvalue(L, f);
    lua_getinfo(L, ">S", &of);
    if (sscanf(of.short_src, "lua/lunarray/%[a-z/]", name) != 1)
        return false;
    for (char *p = strchr(name, '/'); p; p = strchr(p, '/'))
        *p = '.';
    snprintf(module, sizeof module, "lunarray.%s", name);
    if (!push_exported(L, f, module))
        return false;
    if (strcmp(lua_tostring(L, -1), "text") == 0) { /* lun.info, lun.help, tostring of arrays */
        const char *last = strrchr(module, '.') + 1;
        lua_pushstring(L, strcmp(last, "show") == 0 ? "tostring" : last);
    }
    return true;
}

/* Pushes the name by which scripts call the function on the top, a method of arrays or a function
 * of the module; false, and pushes nothing, if it is neither. Lua's own search would prefix a name
 * of the module. */
static bool push_known(lua_State *L)
{
    const int f = lua_gettop(L);
    if (lua_type(L, lua_upvalueindex(1)) != LUA_TUSERDATA)
        return false;
    if (lua_getiuservalue(L, lua_upvalueindex(1), LUN__ARRAY) == LUA_TTABLE && push_key(L, f)) {
        lua_pushstring(L, written(lua_tostring(L, -1) + 2)); /* a metamethod called by C */
        return true;
    }
    lua_settop(L, f);
    if (lua_getiuservalue(L, lua_upvalueindex(1), LUN__ARRAY) == LUA_TTABLE &&
        lua_getfield(L, -1, "__index") == LUA_TFUNCTION && lua_getupvalue(L, -1, 2) &&
        push_key(L, f))
        return true;
    lua_settop(L, f);
    if (lua_getiuservalue(L, lua_upvalueindex(1), LUN__CORE) == LUA_TTABLE && push_key(L, f))
        return true;
    lua_settop(L, f);
    return push_exported(L, f, "lunarray") || push_named_in_file(L, f);
}

/* Pushes the name of the function at a level as scripts write it; "?" if none is known. */
static const char *push_called(lua_State *L, lua_Debug *call)
{
    lua_getinfo(L, "nf", call);
    if (strcmp(call->namewhat, "metamethod") == 0)
        return lua_pushstring(L, written(call->name));
    if (call->name)
        return lua_pushstring(L, call->name);
    return push_known(L) ? lua_tostring(L, -1) : lua_pushstring(L, "?");
}

/* ---- who was called -------------------------------------------------------------------------- */

/* Whether a C function runs: a hook runs in the function that it interrupts, and a Lua function has
 * no pseudo-indices of upvalues. */
static bool has_upvalues(lua_State *L)
{
    lua_Debug running;
    return lua_getstack(L, 0, &running) && lua_getinfo(L, "S", &running) && running.what[0] == 'C';
}

/* Whether a function is ours: in a Lua file of the module, or a C function whose upvalue is the
 * host. */
static bool is_ours(lua_State *L, lua_Debug *call)
{
    lua_getinfo(L, "Sf", call);
    bool ours = lun__source_line_is_module(call->short_src);
    if (call->what[0] == 'C' && has_upvalues(L) && lua_getupvalue(L, -1, 1)) {
        ours = lua_rawequal(L, -1, lua_upvalueindex(1));
        lua_pop(L, 1);
    }
    lua_pop(L, 1);
    return ours;
}

/* Whether the C function at a level, such as pcall, was called by a Lua file of ours, which then
 * reports the error itself. The sandbox's pcall counts as the script's. */
static bool is_caught(lua_State *L, int level)
{
    lua_Debug call;
    call.what = "C";
    while (call.what[0] == 'C' && lua_getstack(L, ++level, &call))
        lua_getinfo(L, "S", &call);
    return call.what[0] != 'C' && lun__source_line_is_module(call.short_src) &&
           strcmp(call.short_src, "lua/lunarray/sandbox.lua") != 0;
}

/* The level of the function of ours that the script called; 0, the running one, also where a Lua
 * file of ours catches the error. */
static int called_level(lua_State *L)
{
    lua_Debug call;
    int found = 0;
    for (int level = 1; level < DEEPEST && lua_getstack(L, level, &call); level++) {
        if (is_ours(L, &call))
            found = level;
        else
            return call.what[0] == 'C' && is_caught(L, level) ? 0 : found;
    }
    return found;
}

/* Pushes the source line of that call, as luaL_where does; also where a C function of Lua's called
 * it for the script, such as ipairs a metamethod. */
static void push_line(lua_State *L, int level)
{
    char line[LUN__SOURCE_LINE] = "";
    lua_Debug caller;
    const bool by_c = has_upvalues(L) && lua_getstack(L, 1, &caller) &&
                      lua_getinfo(L, "S", &caller) && caller.what[0] == 'C' && !is_caught(L, 1);
    if (level == 0 && !by_c) {
        luaL_where(L, 1);
        return;
    }
    lun__source_line(L, 0, line, sizeof line);
    lua_pushfstring(L, "%s%s", line, line[0] ? ": " : "");
}

/* ---- which argument -------------------------------------------------------------------------- */

/* The number of the argument that the value at index i is in the call of that level; 0: none. */
static int argument_of(lua_State *L, lua_Debug *call, int i)
{
    lua_getinfo(L, "Su", call);
    const bool is_c = call->what[0] == 'C';
    for (int k = 1; k <= (is_c ? LUA_MINSTACK : call->nparams); k++) {
        if (!lua_getlocal(L, call, k))
            return 0;
        bool same = lua_rawequal(L, -1, i);
        lua_pop(L, 1);
        if (same)
            return k;
    }
    for (int k = 1; !is_c && lua_getlocal(L, call, -k); k++) {
        bool same = lua_rawequal(L, -1, i);
        lua_pop(L, 1);
        if (same)
            return call->nparams + k;
    }
    return 0;
}

/* The number of argument `arg` of the running function in the call of that level; 0: the script did
 * not pass it. */
static int number_there(lua_State *L, lua_Debug *call, const char *called, int arg)
{
    lua_Debug here;
    if (lua_getstack(L, 0, &here) && strcmp(push_called(L, &here), called) == 0)
        return arg;
    return lua_isnoneornil(L, arg) ? 0 : argument_of(L, call, arg);
}

/* ---- the errors ------------------------------------------------------------------------------ */

/* Pushes a text without source lines of our files. */
static const char *push_clean(lua_State *L, const char *text)
{
    static const char own[] = "lua/lunarray/";
    luaL_Buffer clean;
    const char *at;
    luaL_buffinit(L, &clean);
    while ((at = strstr(text, own))) {
        const char *end = at + sizeof own - 1;
        end += strspn(end, "abcdefghijklmnopqrstuvwxyz/");
        bool line = strncmp(end, ".lua:", 5) == 0;
        end += line ? 5 + strspn(end + 5, "0123456789") : 0;
        line = line && strncmp(end, ": ", 2) == 0;
        luaL_addlstring(&clean, text, (size_t)((line ? at : end) - text));
        text = end + (line ? 2 : 0);
    }
    luaL_addstring(&clean, text);
    luaL_pushresult(&clean);
    return lua_tostring(L, -1);
}

/* The same for the function of that level, which the script called. */
static int bad_argument_there(lua_State *L, int level, int arg, const char *message)
{
    lua_Debug call;
    lua_getstack(L, level, &call);
    const char *called = push_called(L, &call);
    message = push_clean(L, message);
    const bool method = strcmp(call.namewhat, "method") == 0;
    int number = number_there(L, &call, called, arg);
    push_line(L, level);
    if (method && number == 1)
        lua_pushfstring(L, "calling '%s' on bad self (%s)", called, message);
    else if (strcmp(called, "?") == 0)
        lua_pushfstring(L, "bad argument (%s)", message);
    else if (number)
        lua_pushfstring(L, "bad argument #%d to '%s' (%s)", number - method, called, message);
    else
        lua_pushfstring(L, "bad argument to '%s' (%s)", called, message);
    lua_concat(L, 2);
    return lua_error(L);
}

int lun__blame_argument(lua_State *L, int arg, const char *message)
{
    lua_Debug call;
    luaL_checkstack(L, LUA_MINSTACK, NULL);
    if (!lua_getstack(L, 0, &call))
        return luaL_argerror(L, arg, message);
    const int level = called_level(L);
    if (level)
        return bad_argument_there(L, level, arg, message);
    lua_getinfo(L, "nf", &call);
    if (strcmp(call.namewhat, "metamethod") == 0)
        return luaL_error(L, "bad argument #%d to '%s' (%s)", arg, written(call.name), message);
    if (call.name)
        return luaL_argerror(L, arg, message);
    const char *name = push_known(L) ? lua_tostring(L, -1) : "?";
    push_line(L, 0);
    lua_pushfstring(L, "bad argument #%d to '%s' (%s)", arg, name, message);
    lua_concat(L, 2);
    return lua_error(L);
}

/* Pushes a text of ours in which the function that it names is replaced by the one that the script
 * called, and the number of an argument is left out. */
static void push_renamed(lua_State *L, int level, const char *text)
{
    static const char to[] = " to '";
    lua_Debug call;
    const char *at = strstr(text, to), *open = strchr(text, '('),

               *name = at ? at + sizeof to - 1 : "";
    const size_t length = strcspn(name, "'");
    if (!at || (open && open < at) || !lua_getstack(L, level, &call)) {
        lua_pushstring(L, text);
        return;
    }
    const char *called = push_called(L, &call), *number = strstr(text, " #");
    const int own = lua_gettop(L);
    if (number && number < at && (strlen(called) != length || strncmp(called, name, length) != 0))
        at = number;
    lua_pushlstring(L, text, (size_t)(at - text));
    lua_pushfstring(L, "%s%s%s", to, called, name + length);
    lua_concat(L, 2);
    lua_replace(L, own);
}

int lun__blame_error(lua_State *L, const char *format, ...)
{
    va_list arguments;
    va_start(arguments, format);
    const char *text = lua_pushvfstring(L, format, arguments);
    va_end(arguments);
    luaL_checkstack(L, LUA_MINSTACK, NULL);
    const int level = called_level(L);
    if (level)
        push_renamed(L, level, push_clean(L, text));
    push_line(L, level);
    lua_insert(L, -2);
    lua_concat(L, 2);
    return lua_error(L);
}

/* ---- what lauxlib checks --------------------------------------------------------------------- */

int lun__blame_type_error(lua_State *L, int arg, const char *expected)
{
    const char *got = luaL_getmetafield(L, arg, "__name") == LUA_TSTRING ? lua_tostring(L, -1)
                      : lua_type(L, arg) == LUA_TLIGHTUSERDATA           ? "light userdata"
                                                                         : luaL_typename(L, arg);
    return lun__blame_argument(L, arg, lua_pushfstring(L, "%s expected, got %s", expected, got));
}

void lun__blame_check_any(lua_State *L, int arg)
{
    if (lua_isnone(L, arg))
        lun__blame_argument(L, arg, "value expected");
}

void lun__blame_check_type(lua_State *L, int arg, int type)
{
    if (lua_type(L, arg) != type)
        lun__blame_type_error(L, arg, lua_typename(L, type));
}

lua_Integer lun__blame_check_integer(lua_State *L, int arg)
{
    int is;
    lua_Integer x = lua_tointegerx(L, arg, &is);
    if (!is && lua_isnumber(L, arg))
        lun__blame_argument(L, arg, "number has no integer representation");
    if (!is)
        lun__blame_type_error(L, arg, lua_typename(L, LUA_TNUMBER));
    return x;
}

lua_Integer lun__blame_opt_integer(lua_State *L, int arg, lua_Integer otherwise)
{
    return lua_isnoneornil(L, arg) ? otherwise : lun__blame_check_integer(L, arg);
}

lua_Number lun__blame_check_number(lua_State *L, int arg)
{
    int is;
    lua_Number x = lua_tonumberx(L, arg, &is);
    if (!is)
        lun__blame_type_error(L, arg, lua_typename(L, LUA_TNUMBER));
    return x;
}

const char *lun__blame_check_string(lua_State *L, int arg, size_t *length)
{
    const char *s = lua_tolstring(L, arg, length);
    if (!s)
        lun__blame_type_error(L, arg, lua_typename(L, LUA_TSTRING));
    return s;
}

const char *lun__blame_opt_string(lua_State *L, int arg, const char *otherwise, size_t *length)
{
    if (!lua_isnoneornil(L, arg))
        return lun__blame_check_string(L, arg, length);
    if (length)
        *length = otherwise ? strlen(otherwise) : 0;
    return otherwise;
}

void *lun__blame_check_userdata(lua_State *L, int arg, const char *name)
{
    void *p = luaL_testudata(L, arg, name);
    if (!p)
        lun__blame_type_error(L, arg, name);
    return p;
}

int lun__blame_check_choice(lua_State *L, int arg, const char *otherwise, const char *const list[])
{
    const char *name = otherwise ? lun__blame_opt_string(L, arg, otherwise, NULL)
                                 : lun__blame_check_string(L, arg, NULL);
    for (int i = 0; list[i]; i++)
        if (strcmp(list[i], name) == 0)
            return i;
    return lun__blame_argument(L, arg, lua_pushfstring(L, "invalid option '%s'", name));
}
