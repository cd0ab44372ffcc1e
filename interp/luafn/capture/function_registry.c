/* function_registry.c - decoded functions and the functions of math, in the registry of a
 * lua_State.
 *
 * Two closures of the same code have the same dump, so they share the decoded and compiled
 * function: one written inside a loop is compiled once.
 *
 * Invariant: the cache maps a dump to the box of its program and has LF_CACHE entries at most, else
 * it is emptied; programs in use live on by their references. A box owns one reference or none.
 * host->L is NULL after the state has closed, and the host itself ends with its last reference. */
#include "luafn/capture/function_registry.h"

#include <lualib.h>
#include <stdlib.h>

/* Programs in the cache, at most: one more empties it. */
enum { LF_CACHE = 256 };

static const char keys[2]; /* their addresses: of the host, of the metatable of boxes */

/* A userdata that owns one reference. */
typedef struct box {
    void *what; /* NULL: nothing yet */
    void (*release)(void *what);
} box;

static int box_gc(lua_State *L)
{
    box *b = lua_touserdata(L, 1);
    void *what = b->what;
    b->what = NULL;
    if (what)
        b->release(what);
    return 0;
}

/* Pushes an empty box. */
static box *push_box(lua_State *L, void (*release)(void *what), int values)
{
    box *b = lua_newuserdatauv(L, sizeof *b, values);
    b->what = NULL;
    b->release = release;
    if (lua_rawgetp(L, LUA_REGISTRYINDEX, &keys[1]) == LUA_TNIL) {
        lua_pop(L, 1);
        lua_createtable(L, 0, 1);
        lua_pushcfunction(L, box_gc);
        lua_setfield(L, -2, "__gc");
        lua_pushvalue(L, -1);
        lua_rawsetp(L, LUA_REGISTRYINDEX, &keys[1]);
    }
    lua_setmetatable(L, -2);
    return b;
}

/* ---- the host ---- */

void luafn_registry_host_release(lf_host *h)
{
    if (--h->refs)
        return;
    if (h->methods)
        luafn_decoded_release(h->methods);
    free(h);
}

/* Runs when the state is closed. */
static void leave_state(void *what)
{
    lf_host *h = what;
    h->L = NULL;
    luafn_registry_host_release(h);
}

int luafn_registry_host_math(const lf_host *h, lua_CFunction f)
{
    static const int most[] = {
#define LF_MATH_MOST(id, name, arguments, most) most,
        LF_MATHS(LF_MATH_MOST)
#undef LF_MATH_MOST
    };
    for (int k = 0; k < LF_MATH_COUNT; k++)
        if (f && h->math[k] == f)
            return most[k];
    for (int k = 0; k < h->rows; k++)
        if (h->row[k].function == f)
            return lun__op_get(h->row[k].op)->arity;
    return 0;
}

/* The C function that the table on the top has in a field, NULL if it has none. */
static lua_CFunction function_in(lua_State *L, const char *field)
{
    lua_getfield(L, -1, field);
    lua_CFunction f = lua_tocfunction(L, -1);
    lua_pop(L, 1);
    return f;
}

/* Finds the library's functions, not those that a script has put into its table since. */
static void find_math(lua_State *L, lf_host *h)
{
    static const char *const names[] = {
#define LF_MATH_NAME(id, name, arguments, most) name,
        LF_MATHS(LF_MATH_NAME)
#undef LF_MATH_NAME
    };
    lua_pushcfunction(L, luaopen_math);
    lua_call(L, 0, 1);
    for (int k = 0; k < LF_MATH_COUNT; k++)
        h->math[k] = names[k] ? function_in(L, names[k]) : NULL;
    for (int op = 0; op < LUN_OP_COUNT; op++) {
        lua_CFunction f = function_in(L, lun__op_get((lun_op)op)->name);
        int k = 0;
        while (k < LF_MATH_COUNT && h->math[k] != f)
            k++;
        if (!f || k < LF_MATH_COUNT)
            continue;
        h->row[h->rows].function = f;
        h->row[h->rows++].op = (lun_op)op;
    }
    lua_pop(L, 1);
}

/* Pushes the box of the host. */
static lun_status push_host(lua_State *L, box **out, lun_strbuf *error)
{
    luaL_checkstack(L, 10, NULL);
    if (lua_rawgetp(L, LUA_REGISTRYINDEX, &keys[0]) != LUA_TNIL) {
        *out = lua_touserdata(L, -1);
        return LUN_OK;
    }
    lua_pop(L, 1);
    lun_status s = luafn_opcode_probe(L, error);
    if (s != LUN_OK)
        return s;
    box *b = push_box(L, leave_state, 1);
    lua_newtable(L);
    lua_setiuservalue(L, -2, 1);
    lf_host *h = calloc(1, sizeof *h);
    if (!h)
        return LUN_ENOMEM;
    h->refs = 1;
    b->what = h;
    lua_rawgeti(L, LUA_REGISTRYINDEX, LUA_RIDX_MAINTHREAD);
    h->L = lua_tothread(L, -1);
    lua_pop(L, 1);
    find_math(L, h);
    lua_pushvalue(L, -1);
    lua_rawsetp(L, LUA_REGISTRYINDEX, &keys[0]);
    *out = b;
    return LUN_OK;
}

lun_status luafn_registry_host(lua_State *L, lf_host **out, lun_strbuf *error)
{
    box *b;
    int top = lua_gettop(L);
    lun_status s = push_host(L, &b, error);
    if (s == LUN_OK) {
        *out = b->what;
        (*out)->refs++;
    }
    lua_settop(L, top);
    return s;
}

/* ---- programs ---- */

static void release_program(void *what)
{
    luafn_decoded_release(what);
}

typedef struct dumping {
    luaL_Buffer buffer;
    bool begun; /* the buffer may be on the stack, where lua_dump needs the function at the top */
} dumping;

static int write_dump(lua_State *L, const void *bytes, size_t length, void *ctx)
{
    dumping *d = ctx;
    if (!d->begun)
        luaL_buffinit(L, &d->buffer);
    d->begun = true;
    luaL_addlstring(&d->buffer, bytes, length);
    return 0;
}

/* Pushes the dump of the function at index. */
static void push_dump(lua_State *L, int index)
{
    dumping d;
    d.begun = false;
    lua_pushvalue(L, index);
    lua_dump(L, write_dump, &d, 0);
    luaL_pushresult(&d.buffer);
    lua_remove(L, -2);
}

/* Stores the program whose box is on top under the dump below it, in the cache below that. */
static void keep_program(lua_State *L, int host_at)
{
    lua_Integer count = (lua_rawgeti(L, -3, 1), lua_tointeger(L, -1));
    lua_pop(L, 1);
    if (count >= LF_CACHE) {
        count = 0;
        lua_newtable(L);
        lua_pushvalue(L, -1);
        lua_setiuservalue(L, host_at, 1);
        lua_replace(L, -4);
    }
    lua_pushinteger(L, count + 1);
    lua_rawseti(L, -4, 1);
    lua_rawset(L, -3);
}

lun_status luafn_registry_program(lua_State *L, int index, lf_program **out, lun_strbuf *error)
{
    box *b;
    lf_program *p = NULL; /* *out is set only when no error can occur any more */
    int top = lua_gettop(L), host_at = top + 1;
    index = lua_absindex(L, index);
    lun_status s = push_host(L, &b, error);
    if (s == LUN_OK) {
        lua_getiuservalue(L, host_at, 1);
        push_dump(L, index);
        lua_pushvalue(L, -1);
        if (lua_rawget(L, -3) != LUA_TNIL) {
            p = ((box *)lua_touserdata(L, -1))->what;
        } else {
            size_t length;
            lua_pop(L, 1);
            const char *bytes = lua_tolstring(L, -1, &length);
            b = push_box(L, release_program, 0);
            s = luafn_decoded_make(bytes, length, &p, error);
            if (s == LUN_OK) {
                b->what = p;
                keep_program(L, host_at);
            }
        }
        if (s == LUN_OK) {
            p->refs++;
            *out = p;
        }
    }
    lua_settop(L, top);
    return s;
}
