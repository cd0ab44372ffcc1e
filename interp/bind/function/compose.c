/* compose.c - calls of skeletons of every kind; chains and trees of skeletons, which run as postfix
 * programs: a list of skeletons, with false for an argument, and arrays and numbers for themselves.
 * Lists are put together by
 * lua/lunarray/function/skeleton.lua; running one needs no recursion, however deep the tree. */
#include <string.h>

#include "bind/function/complex_call.h"

/* Raises unless the call, of that name, has as many arrays as the skeleton takes. */
static void check_count(lua_State *L, const lun__skeleton *k, const char *name, int count)
{
    if (count != k->leaves)
        luaL_error(L, "wrong number of arguments to '%s' (%d array%s expected, got %d)", name,
                   k->leaves, k->leaves == 1 ? "" : "s", count);
}

/* Pushes the variant of the skeleton at `at`, which it is called with; 0, and nothing: it has
 * none. */
static int push_variant(lua_State *L, const lun__skeleton *k, int at)
{
    if (!k->varies)
        return 0;
    lua_getiuservalue(L, at, LUN__USE_SOURCE);
    return lua_gettop(L);
}

/* Calls k, at the top, on the values below it, made of the arguments from first[] on; replaces all
 * of them by the result. */
static void reduce_top(lua_State *L, lun__host *h, const lun__skeleton *k,
                       const lun__skeleton *program, const char *name, int *first)
{
    int at = lua_gettop(L) - k->leaves, variant = push_variant(L, k, lua_gettop(L));
    lun__call c = {.name = name, .workgroup = program->workgroup};
    for (int i = 0; i < k->leaves; i++) {
        c.element[i] = at + i;
        c.number[i] = first[i];
    }
    int results = lun__complex_call_variant(L, h, k, variant, &c);
    lua_pop(L, results - 1); /* only the first one is used */
    lua_replace(L, at);
    lua_settop(L, at);
}

/* Whether the element of a list on the top is an array or a number, and no skeleton. */
static bool is_constant(lua_State *L, lun__host *h)
{
    return lua_type(L, -1) == LUA_TNUMBER || lun__lua_array_is(L, h, -1);
}

/* The number of arrays that the list at the top takes; raises unless it is a complete program: each
 * skeleton has its operands, and one value is left. */
static int check_list(lua_State *L, lun__host *h)
{
    int leaves = 0, depth = 0, i = lua_gettop(L);
    lua_Unsigned length = lua_rawlen(L, i);
    for (int k = 1; k <= (int)length; k++) {
        if (lua_rawgeti(L, i, k) == LUA_TBOOLEAN) {
            leaves++;
            depth++;
        } else if (is_constant(L, h)) {
            depth++;
        } else {
            const lun__skeleton *s = lun__lua_skeleton_check(L, h, -1);
            if (s->kind == LUN__PROGRAM || depth < s->leaves)
                luaL_error(L, "not a program");
            depth -= s->leaves - 1;
        }
        lua_pop(L, 1);
    }
    if (depth != 1)
        luaL_error(L, "not a program");
    return leaves;
}

/* Pushes the list of the program at `at`, made when it is first needed. */
static void push_list(lua_State *L, lun__host *h, int at)
{
    const lun__skeleton *program = lun__lua_skeleton_check(L, h, at);
    if (lua_getiuservalue(L, at, LUN__USE_LIST) == LUA_TTABLE)
        return;
    lua_pushvalue(L, at);
    lua_call(L, 1, 1);
    luaL_checktype(L, -1, LUA_TTABLE);
    if (check_list(L, h) != program->leaves)
        luaL_error(L, "not a program");
    lua_pushvalue(L, -1);
    lua_setiuservalue(L, at, LUN__USE_LIST);
}

static void run_program(lua_State *L, lun__host *h, int at, int argument, const char *name)
{
    const lun__skeleton *program = lun__lua_skeleton_check(L, h, at);
    int top = lua_gettop(L);
    name = name ? name : program->name;
    check_count(L, program, name, top - argument + 1);
    push_list(L, h, at);
    int list = lua_gettop(L);
    int length = (int)lua_rawlen(L, list);
    /* By value of the stack: the number of the first argument in it. */
    size_t bytes = ((size_t)length + 1) * sizeof(int);
    int *first = lua_newuserdatauv(L, bytes, 0);
    memset(first, 0, bytes);
    int base = lua_gettop(L), taken = 0;
    luaL_checkstack(L, length + LUA_MINSTACK, "too many arrays");
    for (int i = 1; i <= length; i++) {
        if (lua_rawgeti(L, list, i) == LUA_TBOOLEAN) {
            lua_pop(L, 1);
            lua_pushvalue(L, argument + taken);
            first[lua_gettop(L) - base - 1] = ++taken;
        } else if (is_constant(L, h)) {
            first[lua_gettop(L) - base - 1] = taken ? taken : 1;
        } else {
            const lun__skeleton *k = lun__lua_skeleton_check(L, h, -1);
            reduce_top(L, h, k, program, name, &first[lua_gettop(L) - 1 - base - k->leaves]);
        }
    }
}

int lun__compose_run(lua_State *L, lun__host *h, int at, int first, const char *name)
{
    const lun__skeleton *k = lun__lua_skeleton_check(L, h, at);
    if (k->kind == LUN__PROGRAM) {
        run_program(L, h, at, first, name);
        return 1;
    }
    int count = lua_gettop(L) - first + 1;
    if (count < k->leaves)
        check_count(L, k, name ? name : k->name, count);
    lun__call c = {.name = name ? name : k->name,
                   .extra = first + k->leaves,
                   .extra_number = k->leaves + 1,
                   .extras = count - k->leaves};
    for (int i = 0; i < k->leaves; i++) {
        c.element[i] = first + i;
        c.number[i] = i + 1;
    }
    return lun__complex_call_variant(L, h, k, push_variant(L, k, at), &c);
}

/* ---- for lua/lunarray/function/skeleton.lua -------------------------------------------------- */

/* internal.program(name, leaves, length, parts, list): a skeleton that takes so many arrays;
 * list(skeleton) returns the list, of that length, that it runs. */
static int new_program(lua_State *L)
{
    enum { MOST = 1000000 };
    static const char *const names[] = {"sequence", "compose", NULL};
    lun__host *h = lun__host_here(L);
    const char *name = names[luaL_checkoption(L, 1, NULL, names)];
    lua_Integer leaves = luaL_checkinteger(L, 2), length = luaL_checkinteger(L, 3);
    luaL_argcheck(L, leaves > 0 && length > leaves && length < MOST, 3, "too many skeletons");
    luaL_checktype(L, 4, LUA_TTABLE);
    luaL_checktype(L, 5, LUA_TFUNCTION);
    lun__skeleton *k = lun__lua_skeleton_new(L, h, LUN__PROGRAM);
    k->name = name;
    k->leaves = (int)leaves;
    k->length = (int)length;
    lua_pushvalue(L, 5);
    lua_setiuservalue(L, -2, LUN__USE_LIST);
    lua_pushvalue(L, 4);
    lua_setiuservalue(L, -2, LUN__USE_PARTS);
    return 1;
}

/* internal.skeleton(s): its name, how many arrays it takes, whether it is a program, its parts
 * then, else the source of its function (of a variant: of that in use), the length of its list,
 * whether it is compiled for the arguments of each call. Nothing if s is no skeleton. */
static int describe(lua_State *L)
{
    lun__host *h = lun__host_here(L);
    const lun__skeleton *k =
        (const lun__skeleton *)lun__host_test(L, h, 1, LUN__SKELETON, sizeof(lun__skeleton));
    if (!k)
        return 0;
    bool program = k->kind == LUN__PROGRAM;
    lua_pushstring(L, k->name);
    lua_pushinteger(L, k->leaves);
    lua_pushboolean(L, program);
    lua_getiuservalue(L, 1, program ? LUN__USE_PARTS : LUN__USE_SOURCE);
    lun__lua_variant_settle(L, h, lua_gettop(L));
    lua_pushinteger(L, program ? k->length : k->leaves + 1);
    lua_pushboolean(L, k->deferred);
    return 6;
}

void lun__open_compose(lua_State *L, const lun__parts *p)
{
    static const luaL_Reg internal[] = {
        {"program", new_program}, {"skeleton", describe}, {NULL, NULL}};
    lun__register(L, p, p->internal, internal);
}
