/* lua_function.c - from a Lua value to a function for a skeleton: a Lua function, an operation of
 * lun.op or its name, a C string, a file's path. All user functions enter here. Knows no skeleton.
 *
 * Invariant: the cache, a user value of the host, maps a Lua function or a C text to the box of its
 * function, which it holds weakly; an entry is added when the function is made, and those of texts
 * are removed when the checks of indices are switched. Paths and operations are not cached. */
#include <string.h>

#include "bind/host/bind.h"
#include "luafn/luafn.h"

/* A box for the function on the top of the stack. */
static lun_function **new_function(lua_State *L, lun__host *h)
{
    return &lun__host_new_held(L, h, LUN__FUNCTION)->as.function;
}

/* The function of an operation, if it fits. */
static lun_function *of_op(lua_State *L, lun__host *h, int i, lun_op op, int arity, bool folds)
{
    lun_op_info info = {.size = sizeof info};
    lun_op_describe(op, &info);
    if (info.arity != arity)
        lun__blame_argument(L, i,
                            lua_pushfstring(L, "'%s' takes %d operand%s, not %d", info.name,
                                            info.arity, info.arity == 1 ? "" : "s", arity));
    if (folds && !info.reduces)
        lun__blame_argument(
            L, i,
            lua_pushfstring(L, "'%s' is not associative: the result would depend on the order",
                            info.name));
    lun_function **out = new_function(L, h);
    lun_status s;
    LUN__TRY(s, lun_function_op(h->engine, op, out));
    lun__error_check(L, h, s, i);
    return *out;
}

static bool to_operation(lua_State *L, int i, lun_op *op)
{
    return lun__ops_at(L, i, op) || lun__lua_reduce_op_at(L, i, op);
}

static lun_status stopped(lua_State *L)
{
    const lun__host *h = lun__host_of(L);
    return h && h->engine && !h->plans ? lun_host_check(h->engine) : LUN_OK;
}

static bool is_buffer(lua_State *L, int i)
{
    const lun__host *h = lun__host_of(L);
    return h && lun__host_test(L, h, i, LUN__BUFFER, LUN__HELD_BYTES);
}

/* Tables of lun.struct: a struct is its own list of fields, records have it in their metatable; or
 * a blocked array. */
static lf_fields push_fields(lua_State *L, int i)
{
    const int top = lua_gettop(L);
    if (!lun__record_is_at(L, i) || lun__lua_offset_is(L, i))
        return LF_NO_FIELDS;
    if (luaL_getmetafield(L, i, "__fields") == LUA_TTABLE)
        return LF_OF_RECORDS;
    lua_settop(L, top);
    const bool blocked = luaL_getmetafield(L, i, "__blocked") != LUA_TNIL;
    lua_settop(L, top);
    lua_pushvalue(L, i);
    return blocked ? LF_OF_BLOCKED : LF_OF_STRUCT;
}

static const char kernel_forms; /* its address is the key in the registry */

/* internal.kernel_form(f, form): form() gives the function that kernels compile in place of f. */
static int set_kernel_form(lua_State *L)
{
    lua_settop(L, 2);
    lua_rawgetp(L, LUA_REGISTRYINDEX, &kernel_forms);
    lua_insert(L, 1);
    lua_rawset(L, 1);
    return 0;
}

static bool push_kernel_form(lua_State *L, int i)
{
    lua_rawgetp(L, LUA_REGISTRYINDEX, &kernel_forms);
    lua_pushvalue(L, i);
    lua_rawget(L, -2);
    lua_remove(L, -2);
    if (!lua_isnil(L, -1) && lua_pcall(L, 0, 1, 0) == LUA_OK && lua_isfunction(L, -1))
        return true;
    lua_pop(L, 1);
    return false;
}

/* The function of a C string or of a Lua function. The same text or function gives the same one as
 * long as that is in use. */
static lun_function *of_code(lua_State *L, lun__host *h, int i)
{
    lua_getiuservalue(L, lua_upvalueindex(1), LUN__CACHE);
    lua_pushvalue(L, i);
    lua_rawget(L, -2);
    const lun__box *known = lun__host_test(L, h, -1, LUN__FUNCTION, LUN__HELD_BYTES);
    if (known) {
        lua_remove(L, -2);
        return lun__host_held_at(h, known->slot)->as.function;
    }
    lua_pop(L, 1);
    lun_function **out = new_function(L, h);
    static const lf_binding ask = {
        lun__lua_array_at,  to_operation,    lun__lua_atomic_at,  stopped,
        push_fields,        is_buffer,       lun__lua_complex_is, lun__lua_complex_former,
        lun__lua_offset_at, push_kernel_form};
    lun_status s;
    if (lua_isfunction(L, i))
        LUN__TRY(s, luafn_front(L, i, h->engine, &ask, out));
    else
        LUN__TRY(s, lun_function_c(h->engine, lua_tostring(L, i), out));
    lun__error_check(L, h, s, i);
    lun_function *f = *out;
    lua_pushvalue(L, i);
    lua_pushvalue(L, -2);
    lua_rawset(L, -4);
    lua_remove(L, -2);
    return f;
}

bool lun__lua_function_push_code(lua_State *L, lun__host *h, const lun_function *f)
{
    lua_getiuservalue(L, lua_upvalueindex(1), LUN__CACHE);
    for (lua_pushnil(L); lua_next(L, -2); lua_pop(L, 1)) {
        const lun__box *box = lun__host_test(L, h, -1, LUN__FUNCTION, LUN__HELD_BYTES);
        if (box && lun__host_held_at(h, box->slot)->as.function == f) {
            lua_pop(L, 1);
            lua_remove(L, -2);
            return true;
        }
    }
    lua_pop(L, 1);
    return false;
}

bool lun__lua_function_is_code(lua_State *L, lun__host *h, const lun_function *f)
{
    const bool is = lun__lua_function_push_code(L, h, f);
    if (is)
        lua_pop(L, 1);
    return is;
}

static lun_function *of_file(lua_State *L, lun__host *h, int i)
{
    lun_function **out = new_function(L, h);
    lun_status s;
    LUN__TRY(s, lun_function_file(h->engine, lua_tostring(L, i), out));
    if (s == LUN_EIO) /* a mistake: another path avoids it */
        lun__blame_argument(L, i, lua_pushstring(L, lun_error_from(h->engine, 1)));
    lun__error_check(L, h, s, i);
    return *out;
}

/* A C string holds a body, or starts with its parameters. */
static bool is_c(const char *text)
{
    return strchr(text, '{') || text[strspn(text, " \t\r\n")] == '(';
}

static lun_function *of_string(lua_State *L, lun__host *h, int i, int arity, bool folds)
{
    size_t length;
    const char *text = lua_tolstring(L, i, &length);
    lun_op op;
    if (strlen(text) != length)
        lun__blame_argument(L, i, "the string contains a NUL byte");
    if (lun_op_find(text, arity, &op) || lun_op_find(text, 0, &op))
        return of_op(L, h, i, op, arity, folds);
    if (is_c(text))
        return of_code(L, h, i);
    if (text[0] == '/' || text[0] == '.')
        return of_file(L, h, i);
    lun__blame_argument(
        L, i,
        lua_pushfstring(L,
                        "'%s' is neither an operation of lun.op, nor C source such as \"(float x){ "
                        "return x; }\", nor a path, which must start with / or .",
                        text));
    return NULL;
}

lun_function *lun__lua_function_at(lua_State *L, lun__host *h, int i, int arity, bool folds)
{
    lun_op op;
    lun__lua_variant_settle(L, h, i);
    switch (lua_type(L, i)) {
    case LUA_TSTRING:
        return of_string(L, h, i, arity, folds);
    case LUA_TFUNCTION: /* lun.sqrt and others are C functions that stand for an operation */
        if (lua_iscfunction(L, i) && to_operation(L, i, &op))
            return of_op(L, h, i, op, arity, folds);
        return of_code(L, h, i);
    default:
        break;
    }
    const lun__box *box = lun__host_test(L, h, i, LUN__OP, sizeof *box);
    if (box)
        return of_op(L, h, i, (lun_op)box->slot, arity, folds);
    lun__error_bad_type(L, i, "function, C source, path or operation");
    return NULL;
}

/* internal.check_indices(on): for C functions made from now on; empties the cache of texts. */
static int check_indices(lua_State *L)
{
    lun__host *h = lun__host_here(L);
    luaL_checktype(L, 1, LUA_TBOOLEAN);
    lun_check_indices(h->engine, lua_toboolean(L, 1));
    lua_getiuservalue(L, lua_upvalueindex(1), LUN__CACHE);
    for (lua_pushnil(L); lua_next(L, -2);) {
        lua_pop(L, 1);
        if (lua_type(L, -1) != LUA_TSTRING)
            continue;
        lua_pushvalue(L, -1);
        lua_pushnil(L);
        lua_rawset(L, -4);
    }
    return 0;
}

void lun__open_function(lua_State *L, const lun__parts *p)
{
    static const luaL_Reg internal[] = {
        {"check_indices", check_indices}, {"kernel_form", set_kernel_form}, {NULL, NULL}};
    lun__register(L, p, p->internal, internal);
    lua_newtable(L);
    lua_rawsetp(L, LUA_REGISTRYINDEX, &kernel_forms);
    lun__host_new_type(L, p->host_at, LUN__FUNCTION, "lunarray.function");
    lua_pop(L, 1);
    lua_newtable(L);
    lua_createtable(L, 0, 1);
    lua_pushliteral(L, "v");
    lua_setfield(L, -2, "__mode");
    lua_setmetatable(L, -2);
    lua_setiuservalue(L, p->host_at, LUN__CACHE);
}
