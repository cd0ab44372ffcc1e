/* Skeletons: map, zip, reduce and scan made without data, and one call of one of them.
 * How scripts call them is bind_apply.c's, chains and trees are bind_compose.c's. */
#include <string.h>

#include "bind_skeleton.h"

static const struct {
    const char *name;
    int leaves;   /* arrays that the skeleton takes */
    int operands; /* that its function takes of them */
    bool extras;  /* whether more arguments follow */
    bool folds;   /* whether it has an identity */
} kinds[] = {
    [LUN__MAP] = {"map", 1, 1, true, false},
    [LUN__ZIP] = {"zip", 2, 2, true, false},
    [LUN__REDUCE] = {"reduce", 1, 2, false, true},
    [LUN__SCAN] = {"scan", 1, 2, false, true},
};

lun__skeleton *lun__check_skeleton(lua_State *L, lun__host *h, int i)
{
    lun__box *box = lun__test(L, h, i, LUN__SKELETON, sizeof(lun__skeleton));
    if (!box)
        luaL_typeerror(L, i, "skeleton");
    return (lun__skeleton *)box;
}

lun__skeleton *lun__new_skeleton(lua_State *L, lun__host *h, lun__skeleton_kind kind)
{
    lun__skeleton *k =
        (lun__skeleton *)lun__new_box(L, h, LUN__SKELETON, sizeof *k, LUN__SKELETON_VALUES);
    k->kind = kind;
    return k;
}

/* ---- making ------------------------------------------------------------------------------------ */

/* Pushes the identity given at i as an array and returns it; nil and NULL if there is none. */
static lun_array *push_identity(lua_State *L, lun__host *h, int i)
{
    if (lua_isnoneornil(L, i)) {
        lua_pushnil(L);
        return NULL;
    }
    lun__check_operand(L, h, i);
    if (lua_type(L, i) == LUA_TUSERDATA) {
        lun_array *a = lun__check_array(L, h, i);
        luaL_argcheck(L, lun_size(a) == 1, i, "one number expected");
        lua_pushvalue(L, i);
        return a;
    }
    lun_array **out = lun__new_array(L, h);
    bool own;
    lun_status s;
    LUN__TRY(s, lun__load_operand(L, h, i, out, &own));
    lun__check(L, h, s, i);
    return *out;
}

/* The option `inclusive` of the table at i, if there is one. */
static bool inclusive_option(lua_State *L, int i)
{
    bool inclusive = false;
    if (lua_isnoneornil(L, i))
        return false;
    luaL_checktype(L, i, LUA_TTABLE);
    for (lua_pushnil(L); lua_next(L, i); lua_pop(L, 1)) {
        if (lua_type(L, -2) != LUA_TSTRING || strcmp(lua_tostring(L, -2), "inclusive") != 0)
            luaL_argerror(L, i,
                          lua_pushfstring(L, "unknown option '%s': inclusive is known",
                                          luaL_tolstring(L, -2, NULL)));
        inclusive = lua_toboolean(L, -1);
    }
    return inclusive;
}

void lun__fill_skeleton(lua_State *L, lun__host *h, lun__skeleton *k, int f, int id)
{
    k->name = kinds[k->kind].name;
    k->leaves = kinds[k->kind].leaves;
    if (k->kind == LUN__SCAN)
        k->inclusive = inclusive_option(L, id + 1);
    k->f = lun__function(L, h, f, kinds[k->kind].operands, kinds[k->kind].folds);
    if (kinds[k->kind].folds)
        k->id = push_identity(L, h, id);
    else
        lua_pushnil(L);
}

/* lun.map(f), lun.zip(f), lun.reduce(f, id), lun.scan(f, id, opts). Upvalues: the host, the kind. */
static int new_skeleton(lua_State *L)
{
    lun__host *h = lun__here(L);
    lua_settop(L, 3);
    lun__skeleton *k =
        lun__new_skeleton(L, h, (lun__skeleton_kind)lua_tointeger(L, lua_upvalueindex(2)));
    int at = lua_gettop(L);
    lun__fill_skeleton(L, h, k, 1, 2);
    lua_setiuservalue(L, at, LUN__USE_ID);
    lua_setiuservalue(L, at, LUN__USE_FUNCTION);
    lua_pushvalue(L, 1);
    lua_setiuservalue(L, at, LUN__USE_SOURCE);
    return 1;
}

/* ---- calling ----------------------------------------------------------------------------------- */

/* Raises a bad argument of a call: found is at stack index i and counted as `number`. */
static void wrong_type(lua_State *L, const lun__call *c, int i, int number, const char *expected)
{
    if (!c->name)
        luaL_typeerror(L, i, expected);
    luaL_error(L, "bad argument #%d to '%s' (%s expected, got %s)", number, c->name, expected,
               luaL_typename(L, i));
}

static void check_arguments(lua_State *L, lun__host *h, const lun__skeleton *k, const lun__call *c)
{
    for (int i = 0; i < k->leaves; i++) {
        if (!lun__is_array(L, h, c->element[i]))
            wrong_type(L, c, c->element[i], c->number[i], "array");
        lun__check_array(L, h, c->element[i]);
    }
    if (c->extras > 0 && !kinds[k->kind].extras)
        luaL_error(L, "wrong number of arguments to '%s' (%d expected, got %d)", k->name, k->leaves,
                   k->leaves + c->extras);
    if (c->extras > LUN__MOST_EXTRAS)
        luaL_error(L, "too many arguments to '%s' (at most %d follow the arrays)", k->name,
                   LUN__MOST_EXTRAS);
    for (int i = 0; i < c->extras; i++) {
        int at = c->extra + i, type = lua_type(L, at);
        if (type == LUA_TNUMBER || type == LUA_TBOOLEAN)
            continue;
        if (!lun__is_array(L, h, at))
            wrong_type(L, c, at, c->extra_number + i, "array or number");
        lun__check_array(L, h, at);
    }
}

/* The arrays of a call; those made of numbers are its own. */
typedef struct operands {
    lun_array *element[2], *extra[LUN__MOST_EXTRAS];
    bool own[LUN__MOST_EXTRAS];
    int extras;
} operands;

static lun_status load(lua_State *L, lun__host *h, const lun__skeleton *k, const lun__call *c,
                       operands *o)
{
    bool own;
    for (int i = 0; i < k->leaves; i++)
        (void)lun__load_operand(L, h, c->element[i], &o->element[i], &own);
    lun_status s = LUN_OK;
    for (; o->extras < c->extras && s == LUN_OK; o->extras++)
        LUN__TRY(s, lun__load_operand(L, h, c->extra + o->extras, &o->extra[o->extras],
                                      &o->own[o->extras]));
    return s;
}

/* Builds into outs[room]; *results: how many there are, also when that is more than room. */
static lun_status build(lun__host *h, const lun__skeleton *k, const operands *o, lun_array **outs,
                        int room, int *results)
{
    lun_engine *e = h->engine;
    lun_array *all[LUN__MOST_EXTRAS + 2];
    *results = 1;
    switch (k->kind) {
    case LUN__MAP:
    case LUN__ZIP:
        memcpy(all, o->element, sizeof o->element);
        if (o->extras)
            memcpy(all + k->leaves, o->extra, (size_t)o->extras * sizeof *all);
        return lun_call(e, k->f, all, k->leaves + o->extras, k->leaves, outs, room, results);
    case LUN__REDUCE:
        return lun_reduce(e, k->f, k->id, o->element[0], outs);
    case LUN__SCAN:
    case LUN__PROGRAM:
        break;
    }
    return lun_scan(e, k->f, k->id, o->element[0], k->inclusive, outs);
}

/* Loads the operands, builds, lets go of the operands. */
static lun_status try_call(lua_State *L, lun__host *h, const lun__skeleton *k, const lun__call *c,
                           lun_array **outs, int room, int *results)
{
    operands o = {.extras = 0};
    lun_status s = load(L, h, k, c, &o);
    lua_Integer workgroup = k->workgroup ? k->workgroup : c->workgroup;
    lun_workgroup(h->engine, workgroup < LUN_MOST_WORKGROUP ? (int)workgroup : LUN_MOST_WORKGROUP);
    if (s == LUN_OK)
        LUN__TRY(s, build(h, k, &o, outs, room, results));
    lun_workgroup(h->engine, 0);
    for (int i = 0; i < o.extras; i++)
        if (o.own[i] && o.extra[i])
            lun_release(o.extra[i]);
    return s;
}

int lun__call_skeleton(lua_State *L, lun__host *h, const lun__skeleton *k, const lun__call *c)
{
    lun_array *outs[LUN__MOST_RESULTS];
    int room = 1, results = 1, first = lua_gettop(L) + 1;
    lun__new_array(L, h);
    check_arguments(L, h, k, c);
    lun__mark(L, h);
    lun_status s = try_call(L, h, k, c, outs, room, &results);
    if (s == LUN_EARG && results > room && results <= LUN__MOST_RESULTS) {
        /* a function with several results: a place for each of them first */
        luaL_checkstack(L, results, "too many results");
        for (; room < results; room++)
            lun__new_array(L, h);
        s = try_call(L, h, k, c, outs, room, &results);
    }
    if (s != LUN_OK) {
        int number = c->number[k->leaves - 1];
        if (s == LUN_EARG || s == LUN_EDTYPE)
            number = c->extras > 0 ? c->extra_number : c->function ? c->function : number;
        lun__raise_as(L, h, s, number, c->name);
    }
    for (int i = 0; i < results; i++)
        *lun__array_place(L, h, first + i) = outs[i];
    return results;
}

void lun__open_skeleton(lua_State *L, const lun__parts *p)
{
    for (int kind = 0; kind < LUN__PROGRAM; kind++) {
        lua_pushvalue(L, p->host_at);
        lua_pushinteger(L, kind);
        lua_pushcclosure(L, new_skeleton, 2);
        lua_setfield(L, p->core, kinds[kind].name);
    }
}
