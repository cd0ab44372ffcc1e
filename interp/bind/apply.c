/* apply.c - how scripts call skeletons: s(A, extra...), s:run{A, extra..., out=B}, A:map(f,
 * extra...) and the like. What a call then does is skeleton.c's. */
#include <string.h>

#include "bind/skeleton.h"

/* s(A, extra...) */
static int skeleton_call(lua_State *L)
{
    lun__host *h = lun__here(L);
    lun__check_skeleton(L, h, 1);
    return lun__run_skeleton(L, h, 1, 2);
}

/* Pushes t.out and then t[1], t[2], ...; the table is at 2. */
static void unpack_run(lua_State *L)
{
    luaL_checktype(L, 2, LUA_TTABLE);
    lua_settop(L, 2);
    lua_getfield(L, 2, "out");
    lua_Unsigned n = lua_rawlen(L, 2);
    for (lua_pushnil(L); lua_next(L, 2); lua_pop(L, 1)) {
        bool known = lua_type(L, -2) == LUA_TSTRING ? strcmp(lua_tostring(L, -2), "out") == 0
                                                    : lua_isinteger(L, -2);
        if (!known)
            luaL_error(L,
                       "bad argument to 'run' (unknown field '%s': {A, extra..., out=B} expected)",
                       luaL_tolstring(L, -2, NULL));
    }
    if (n > LUN__MOST_EXTRAS + 2)
        luaL_error(L, "too many arguments to 'run' (%I)", (lua_Integer)n);
    luaL_checkstack(L, (int)n + LUA_MINSTACK, "too many arguments");
    for (int i = 1; i <= (int)n; i++)
        lua_rawgeti(L, 2, i);
}

/* s:run{A, extra..., out=B}: into B's storage, and returns B; without out like a call. */
static int skeleton_run(lua_State *L)
{
    lun__host *h = lun__here(L);
    const lun__skeleton *k = lun__check_skeleton(L, h, 1);
    unpack_run(L);
    bool into = !lua_isnil(L, 3);
    if (into && !lun__is_array(L, h, 3))
        return luaL_error(L, "bad argument 'out' to '%s' (array expected, got %s)", k->name,
                          luaL_typename(L, 3));
    int results = lun__run_skeleton(L, h, 1, 4);
    if (!into)
        return results;
    if (results > 1)
        return luaL_error(L, "bad argument 'out' to '%s' (the function gives %d results)", k->name,
                          results);
    lun_array *out = lun__check_array(L, h, 3);
    lun_array *result = lun__check_array(L, h, -1);
    if (lun_size(out) != lun_size(result))
        return luaL_error(L, "bad argument 'out' to '%s' (lengths differ: %I elements for %I)",
                          k->name, (lua_Integer)lun_size(out), (lua_Integer)lun_size(result));
    lun_status s;
    LUN__TRY(s, lun_store(h->engine, out, result));
    lun__check(L, h, s, 2);
    lua_pushvalue(L, 3);
    lun__report_memory(L, h);
    return 1;
}

/* s:workgroup(n) sets and returns s; s:workgroup() reads, nil where it is tuned. */
static int skeleton_workgroup(lua_State *L)
{
    lun__skeleton *k = lun__check_skeleton(L, lun__here(L), 1);
    if (!lua_isnoneornil(L, 2)) {
        lua_Integer n = luaL_checkinteger(L, 2);
        luaL_argcheck(L, n > 0, 2, "a work-group has at least one element");
        k->workgroup = n;
        lua_settop(L, 1);
    } else if (k->workgroup) {
        lua_pushinteger(L, k->workgroup);
    } else {
        lua_pushnil(L);
    }
    return 1;
}

/* ---- methods of arrays ----------------------------------------------------------------------- */

/* The options that end the arguments of a method; else 0. */
static int last_options(lua_State *L, int first)
{
    int top = lua_gettop(L);
    return top >= first && lua_istable(L, top) ? top : 0;
}

/* A:map(f, extra..., opts), A:zip(B, f, extra..., opts), A:scan(f, id, opts) and so on: the other
 * arrays, the function, what its row says. Upvalues: the host, the kind. */
static int array_skeleton(lua_State *L)
{
    lun__host *h = lun__here(L);
    lun__skeleton k = {.kind = (int)lua_tointeger(L, lua_upvalueindex(2))};
    const lun_skeleton_info row = lun__skeleton_row(k.kind);
    int f = row.arrays + 1, options;
    lun__call c = {.function = f, .extra = f + 1, .extra_number = f + 1};
    for (int i = 0; i < row.arrays; i++) {
        lun__check_array(L, h, i + 1);
        c.element[i] = c.number[i] = i + 1;
    }
    luaL_checkany(L, f);
    if (row.folds) {
        options = row.option[0] ? f + 2 : 0;
        lun__count(L, row.name, options ? options : f + 1);
        lua_settop(L, options ? options : f + 1);
    } else {
        options = last_options(L, f + 1);
        c.extras = lua_gettop(L) - (options != 0) - f;
    }
    lun__fill_skeleton(L, h, &k, f, f + 1, options);
    return lun__call_skeleton(L, h, &k, &c);
}

void lun__open_apply(lua_State *L, const lun__parts *p)
{
    static const lun__entry methods[] = {
        {"run", skeleton_run, 2}, {"workgroup", skeleton_workgroup, 2}, {NULL, NULL, 0}};
    static const luaL_Reg events[] = {{"__call", skeleton_call}, {NULL, NULL}};
    for (int kind = 0; kind < LUN_SKELETON_COUNT; kind++) {
        lua_pushvalue(L, p->host_at);
        lua_pushinteger(L, kind);
        lua_pushcclosure(L, array_skeleton, 2);
        lua_setfield(L, p->methods, lun__skeleton_row(kind).name);
    }
    lun__offer(L, p, p->skeleton_methods, methods);
    lun__register(L, p, p->skeleton, events);
}
