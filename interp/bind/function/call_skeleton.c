/* call_skeleton.c - how scripts call skeletons: s(A, extra...), s:run{A, extra..., out=B}, A:map(f,
 * extra...) and the like. The calls are lua_skeleton.c's. */
#include <string.h>

#include "bind/function/complex_call.h"

/* Whether one record is among the arguments from i on of what takes it. */
static bool takes_record(lua_State *L, int kind, int i)
{
    return (kind == LUN_SKELETON_MAP || kind == LUN_SKELETON_ZIP || kind == LUN_SKELETON_STENCIL ||
            kind == LUN_SKELETON_ALLPAIRS) &&
           lun__record_one_among(L, i);
}

/* s(A, extra...) */
static int skeleton_call(lua_State *L)
{
    lun__host *h = lun__host_here(L);
    const lun__skeleton *k = lun__lua_skeleton_check(L, h, 1);
    int records = lun__record_among(L, 2);
    if (records)
        return lun__record_call(L, "call", records);
    if (k->deferred || takes_record(L, k->kind, 3))
        return lun__record_call_text(L, "call");
    return lun__compose_run(L, h, 1, 2, NULL);
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
                       lun__error_push_shown(L, -2));
    }
    if (n > LUN__MOST_ARRAYS)
        luaL_error(L, "too many arguments to 'run' (%I)", (lua_Integer)n);
    luaL_checkstack(L, (int)n + LUA_MINSTACK, "too many arguments");
    for (int i = 1; i <= (int)n; i++)
        lua_rawgeti(L, 2, i);
}

/* s:run{A, extra..., out=B}: into B's storage, and returns B; of several results into those of a
 * list of arrays; without out like a call. */
static int skeleton_run(lua_State *L)
{
    lun__host *h = lun__host_here(L);
    const lun__skeleton *k = lun__lua_skeleton_check(L, h, 1);
    if (lun__record_is_listed(L, 2))
        return lun__record_call_list(L, "run", 2);
    if (k->deferred)
        return lun__record_call_text(L, "run");
    unpack_run(L);
    bool into = !lua_isnil(L, 3);
    if (into)
        lua_pop(L, lun__out_option_push(L, h, 3, "run"));
    int results = lun__compose_run(L, h, 1, 4, "run");
    if (!into)
        return results;
    int first = lua_gettop(L) - results + 1;
    int count = lun__out_option_push(L, h, 3, "run");
    lun__out_option_store(L, h, "run", first, results, count);
    return count;
}

/* Work-items of the largest work-group of the place in use, the first one of a set; 0: it runs on
 * CPU cores, where work is divided by caches. */
static int64_t largest_group(lua_State *L, lun__host *h)
{
    enum { MOST = 64 };
    const char *place = lun_place_name(h->engine, 0);
    lun_device *rows = lua_newuserdatauv(L, MOST * sizeof *rows, 0);
    rows->size = sizeof *rows;
    const int count = lun_devices(h->engine, rows, MOST);
    int64_t most = 0;
    for (int i = 0; i < count && i < MOST; i++) {
        const size_t length = strlen(rows[i].backend);
        const bool in_use = strcmp(rows[i].place, place) == 0 ||
                            (strcmp(rows[i].backend, place) == 0 && rows[i].place[length] == ':' &&
                             strcmp(rows[i].place + length, ":1") == 0);
        if (in_use && strcmp(rows[i].kind, "cpu") != 0)
            most = rows[i].group;
    }
    lua_pop(L, 1);
    return most;
}

static const char *push_no_effect(lua_State *L, const lun__host *h)
{
    return lua_pushfstring(L, "no effect: %s runs on CPU cores here, which have no work-groups",
                           lun_place_name(h->engine, 0));
}

/* s:workgroup(n) sets and returns s, and a text if the place in use does not use that; 0: tuned
 * again. s:workgroup() gives what is used, nil where it is tuned, and a text where that is so or
 * where it has no effect. */
static int skeleton_workgroup(lua_State *L)
{
    lun__host *h = lun__host_here(L);
    lun__skeleton *k = lun__lua_skeleton_check(L, h, 1);
    const bool sets = !lua_isnoneornil(L, 2);
    const lua_Integer n = sets ? luaL_checkinteger(L, 2) : k->workgroup;
    luaL_argcheck(L, n >= 0, 2, "number of elements expected, or 0 for automatic tuning");
    const int64_t most = largest_group(L, h);
    k->workgroup = n;
    lua_settop(L, 1);
    if (!sets && n)
        lua_pushinteger(L, most && n > most ? most : n);
    else if (!sets)
        lua_pushnil(L);
    const int first = lua_gettop(L);
    if (!most && (n || !sets))
        push_no_effect(L, h);
    else if (n > most)
        lua_pushfstring(L, "%I is used: the largest of %s", (lua_Integer)most,
                        lun_place_name(h->engine, 0));
    else if (!n && !sets)
        lua_pushliteral(L, "tuned: sizes are tried in the first runs of each kernel");
    return lua_gettop(L) - first + 1;
}

/* ---- methods of arrays ----------------------------------------------------------------------- */

/* The options that end the arguments of a method; else 0. */
static int last_options(lua_State *L, int first)
{
    int top = lua_gettop(L);
    return top >= first && lua_istable(L, top) ? top : 0;
}

/* Counts arguments behind the function as elements, as the option `elements` says. */
static void take_elements(lua_State *L, const lun__skeleton *k, int arrays, lun__call *c)
{
    int more = k->leaves - arrays;
    if (c->extras < more)
        luaL_error(L, "wrong number of arguments to '%s' (%d arrays expected, got %d)", k->name,
                   k->leaves, arrays + c->extras);
    for (int i = arrays; i < k->leaves; i++)
        c->element[i] = c->number[i] = c->extra++;
    c->extra_number = c->extra;
    c->extras -= more;
}

/* A:map(f, extra..., opts), A:zip(B, f, extra..., opts), A:scan(f, id, extra..., opts) and so on:
 * the other arrays, the function, the arguments of its row. Upvalues: the host, the kind. */
static int array_skeleton(lua_State *L)
{
    lun__host *h = lun__host_here(L);
    lun__skeleton k = {.kind = (int)lua_tointeger(L, lua_upvalueindex(2))};
    const lun_skeleton_info row = lun__lua_skeleton_row(k.kind);
    int f = row.arrays + 1, options, behind = f + lun__lua_skeleton_functions(&row);
    lun__call c = {.function = f, .extra = behind, .extra_number = behind};
    int records = lun__record_among(L, 1), variant = 0;
    if (records) {
        lun__lua_variant_settle(L, h, f);
        return lun__record_call(L, row.name, records);
    }
    lun__lua_array_check(L, h, 1);
    if (takes_record(L, k.kind, behind)) {
        lun__lua_variant_settle(L, h, f);
        return lun__record_call_text(L, row.name);
    }
    if (k.kind == LUN_SKELETON_MAP || k.kind == LUN_SKELETON_ZIP) {
        lua_pushvalue(L, f);
        const bool deferred = lun__record_defer_text(L, lua_gettop(L));
        lua_pop(L, 1);
        if (deferred)
            return lun__record_call_text(L, row.name);
    }
    for (int i = 0; i < row.arrays; i++)
        c.element[i] = c.number[i] = i + 1;
    luaL_checkany(L, behind - 1);
    if (row.folds || row.combines) { /* the first value, and options that are nil */
        c.extra = c.extra_number = behind + 1;
        if (lua_gettop(L) < behind || (lua_gettop(L) == behind + 1 && lua_isnil(L, behind + 1)))
            lua_settop(L, behind);
    }
    c.options = options = last_options(L, c.extra);
    c.extras = lua_gettop(L) - (options != 0) - c.extra + 1;
    if (lun__lua_variant_is(L, h, f)) {
        lua_pushvalue(L, f);
        variant = lua_gettop(L);
    }
    lun__lua_skeleton_fill(L, h, &k, f, options);
    if (k.leaves > row.arrays)
        take_elements(L, &k, row.arrays, &c);
    return lun__complex_call_variant(L, h, &k, variant, &c);
}

void lun__open_call_skeleton(lua_State *L, const lun__parts *p)
{
    static const lun__entry methods[] = {
        {"run", skeleton_run, 2}, {"workgroup", skeleton_workgroup, 2}, {NULL, NULL, 0}};
    static const luaL_Reg events[] = {{"__call", skeleton_call}, {NULL, NULL}};
    for (int kind = 0; kind < LUN_SKELETON_COUNT; kind++) {
        lua_pushvalue(L, p->host_at);
        lua_pushinteger(L, kind);
        lua_pushcclosure(L, array_skeleton, 2);
        lua_setfield(L, p->methods, lun__lua_skeleton_row(kind).name);
    }
    lun__register_offer(L, p, p->skeleton_methods, methods);
    lun__register(L, p, p->skeleton, events);
}
