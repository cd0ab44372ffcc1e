/* lua_teams.c - lun.teams and lun.workdiv: functions run for each thread of each team.  Reads the
 * division; functions are lua_function.c's. */
#include <string.h>

#include "bind/host/bind.h"

/* Extents: those of a division that has no others. */
static void set_ones(int64_t out[LUN_MAX_RANK])
{
    for (int k = 0; k < LUN_MAX_RANK; k++)
        out[k] = 1;
}

/* Extents at i, a number or a list of at most LUN_MAX_RANK, into out; `what` names them. */
static int read_extents(lua_State *L, int i, int arg, const char *what, int64_t out[LUN_MAX_RANK])
{
    int count = 1;
    set_ones(out);
    if (lua_type(L, i) == LUA_TTABLE) {
        lua_Unsigned n = lua_rawlen(L, i);
        if (n < 1 || n > LUN_MAX_RANK)
            lun__blame_argument(L, arg,
                                lua_pushfstring(L, "%s: 1 to %d extents expected, got %I", what,
                                                LUN_MAX_RANK, (lua_Integer)n));
        count = (int)n;
    }
    for (int k = 0; k < count; k++) {
        int exact = 0;
        if (lua_type(L, i) == LUA_TTABLE)
            lua_rawgeti(L, i, k + 1);
        else
            lua_pushvalue(L, i);
        if (lua_type(L, -1) == LUA_TNUMBER)
            out[k] = lua_tointegerx(L, -1, &exact);
        if (!exact || out[k] < 1)
            lun__blame_argument(L, arg,
                                lua_pushfstring(L,
                                                "%s: an extent is an integer of 1 or more, got %s",
                                                what, lun__error_push_shown(L, -1)));
        lua_pop(L, 1);
    }
    return count;
}

/* An option of the table at arg, extents, 1 if it is missing. */
static int extents_of(lua_State *L, int arg, const char *name, int64_t out[LUN_MAX_RANK])
{
    int count = 0;
    set_ones(out);
    lua_getfield(L, arg, name);
    bool automatic = lua_type(L, -1) == LUA_TSTRING && !strcmp(lua_tostring(L, -1), "auto");
    if (!lua_isnil(L, -1) && !(automatic && !strcmp(name, "team")))
        count = read_extents(L, lua_gettop(L), arg, name, out);
    lua_pop(L, 1);
    return count;
}

static void put_extents(lun_workdiv *w, const int64_t *league, const int64_t *team,
                        const int64_t *own)
{
    memcpy(w->league, league, sizeof w->league);
    memcpy(w->team, team, sizeof w->team);
    memcpy(w->elements, own, sizeof w->elements);
    memcpy(w->league_more, league + 3, sizeof w->league_more);
    memcpy(w->team_more, team + 3, sizeof w->team_more);
    memcpy(w->elements_more, own + 3, sizeof w->elements_more);
}

/* The word on top of the stack, nil: the default. */
static lun_mapping read_mapping(lua_State *L, int arg)
{
    static const char *const words[] = {
        [LUN_MAPPING_BLOCKS] = "blocks", [LUN_MAPPING_THREADS] = "threads"};
    if (lua_isnil(L, -1))
        return LUN_MAPPING_BLOCKS;
    for (size_t k = 0; lua_type(L, -1) == LUA_TSTRING && k < sizeof words / sizeof *words; k++)
        if (!strcmp(lua_tostring(L, -1), words[k]))
            return (lun_mapping)k;
    lun__blame_argument(L, arg,
                        lua_pushfstring(L, "mapping: \"blocks\" or \"threads\", got %s",
                                        lun__error_push_shown(L, -1)));
    return LUN_MAPPING_BLOCKS;
}

void lun__lua_teams_division(lua_State *L, int arg, lun_workdiv *w)
{
    *w = (lun_workdiv){.size = sizeof *w};
    luaL_checktype(L, arg, LUA_TTABLE);
    for (lua_pushnil(L); lua_next(L, arg); lua_pop(L, 1))
        (void)lun__lua_along_option(L, arg,
                                    "league=64, team=1, elements=8, scratch=4096, check=true, "
                                    "mapping=\"blocks\"");
    int64_t league[LUN_MAX_RANK], team[LUN_MAX_RANK], own[LUN_MAX_RANK];
    if (!extents_of(L, arg, "league", league))
        lun__blame_argument(L, arg, "league is missing: how many teams there are");
    (void)extents_of(L, arg, "team", team);
    (void)extents_of(L, arg, "elements", own);
    put_extents(w, league, team, own);
    lua_getfield(L, arg, "check");
    if (!lua_isnil(L, -1) && !lua_isboolean(L, -1))
        lun__blame_argument(L, arg, "check: true or false");
    w->check = lua_toboolean(L, -1);
    lua_pop(L, 1);
    lua_getfield(L, arg, "mapping");
    w->mapping = read_mapping(L, arg);
    lua_pop(L, 1);
    lua_getfield(L, arg, "scratch");
    if (!lua_isnil(L, -1)) {
        int exact = 0;
        w->scratch = lua_type(L, -1) == LUA_TNUMBER ? lua_tointegerx(L, -1, &exact) : 0;
        if (!exact || w->scratch < 1)
            lun__blame_argument(L, arg, "scratch: bytes, an integer of 1 or more");
    }
    lua_pop(L, 1);
}

/* The called function is lun.teams's result, which Lua could not name. */
static void check_argument(lua_State *L, lun__host *h, int i)
{
    const bool buffer = lun__host_test(L, h, i, LUN__BUFFER, LUN__HELD_BYTES) != NULL;
    const int type = lua_type(L, i);
    if (buffer || (type != LUA_TNUMBER && type != LUA_TBOOLEAN && !lun__lua_array_is(L, h, i)))
        luaL_error(L, "bad argument #%d to 'teams' (array or number expected, got %s%s)", i,
                   lun__error_push_kind(L, h, i),
                   buffer ? ", which lun.task takes: lun.copy copies it to an array" : "");
    (void)lun__lua_array_operand(L, h, i);
}

/* Ends a call of the running function with records among its arguments. */
static int run_records(lua_State *L)
{
    lua_Debug call;
    lua_getstack(L, 0, &call);
    lua_getinfo(L, "f", &call);
    lua_insert(L, 1);
    return lun__record_call_text(L, "teams");
}

/* f, args...; the division is upvalue 2. */
static int run(lua_State *L)
{
    lun__host *h = lun__host_here(L);
    const lun_workdiv *w = lua_touserdata(L, lua_upvalueindex(2));
    lun_array *args[LUN_MAX_OPERANDS];
    bool own[LUN_MAX_OPERANDS];
    const int count = lua_gettop(L) - 1;
    int taken = 0;
    lun_status s = LUN_OK;
    lun__lua_variant_settle(L, h, 1);
    if ((!lua_isfunction(L, 1) || lua_iscfunction(L, 1)) && lua_type(L, 1) != LUA_TSTRING)
        return luaL_error(L,
                          "bad argument #1 to 'teams' (Lua function or C source expected, got %s)",
                          luaL_typename(L, 1));
    for (int i = 2; i <= count + 1; i++)
        if (lun__record_is_blocked(L, i))
            return luaL_error(
                L,
                "bad argument #%d to 'teams' (a blocked array: a:distribute(\"copy\", "
                "{over=\"ranks\"}) is a private one)",
                i);
    if (lun__record_among(L, 2) || lun__record_one_among(L, 2))
        return run_records(L);
    if (count > LUN_MAX_OPERANDS)
        return luaL_error(L, "bad argument to 'teams' (more than %d arguments)", LUN_MAX_OPERANDS);
    for (int k = 0; k < count; k++)
        check_argument(L, h, k + 2);
    lun_function *f = lun__lua_function_at(L, h, 1, 1, false);
    lun__source_line_mark(L, h);
    for (; s == LUN_OK && taken < count; taken += s == LUN_OK)
        s = lun__lua_array_load(L, h, taken + 2, &args[taken], &own[taken]);
    if (s == LUN_OK) /* once: a failed run may have written arrays, so it is not repeated */
        s = lun_teams(h->engine, f, w, args, count);
    while (taken-- > 0)
        if (own[taken])
            lun_release(args[taken]);
    if (s != LUN_OK)
        lun__error_raise_as(L, h, s, 1, "teams");
    lun__host_report_memory(L, h);
    return 0;
}

/* lun.teams{league=, team=, elements=, scratch=}: a function that runs another one with that
 * division. */
static int teams(lua_State *L)
{
    lua_settop(L, 1);
    lua_pushvalue(L, lua_upvalueindex(1));
    lun_workdiv *w = lua_newuserdatauv(L, sizeof *w, 0);
    lun__lua_teams_division(L, 1, w);
    lua_pushcclosure(L, run, 2);
    return 1;
}

static void set_extents(lua_State *L, const char *name, const int64_t *extent, int count)
{
    lua_createtable(L, count, 0);
    for (int k = 0; k < count; k++) {
        lua_pushinteger(L, extent[k]);
        lua_rawseti(L, -2, k + 1);
    }
    lua_setfield(L, -2, name);
}

static int most(int a, int b)
{
    return a > b ? a : b;
}

/* lun.workdiv(extents [, {team=, elements=}]): a division that covers them. */
static int workdiv(lua_State *L)
{
    lun__host *h = lun__host_here(L);
    lun_workdiv w = {.size = sizeof w};
    int64_t all[LUN_MAX_RANK], team[LUN_MAX_RANK], own[LUN_MAX_RANK], league[LUN_MAX_RANK];
    int count = 3;
    set_ones(team);
    set_ones(own);
    lua_settop(L, 2);
    if (lua_type(L, 1) != LUA_TNUMBER && lua_type(L, 1) != LUA_TTABLE)
        lun__error_bad_type(L, 1, "number of elements or table of extents");
    count = most(count, read_extents(L, 1, 1, "extents", all));
    if (!lua_isnil(L, 2)) {
        luaL_checktype(L, 2, LUA_TTABLE);
        for (lua_pushnil(L); lua_next(L, 2); lua_pop(L, 1))
            (void)lun__lua_along_option(L, 2, "team=1, elements=8");
        count = most(count, extents_of(L, 2, "team", team));
        count = most(count, extents_of(L, 2, "elements", own));
    }
    for (int k = 0; k < LUN_MAX_RANK; k++) {
        int64_t each;
        if (__builtin_mul_overflow(team[k], own[k], &each))
            lun__blame_argument(L, 2, "team times elements is beyond 64 bits");
        league[k] = all[k] / each + (all[k] % each != 0);
    }
    put_extents(&w, league, team, own);
    const lun_status s = lun_workdiv_check(h->engine, &w);
    if (s != LUN_OK)
        lun__error_raise_as(L, h, s, lua_isnil(L, 2) ? 1 : 2, "workdiv");
    lua_createtable(L, 0, 3);
    set_extents(L, "league", league, count);
    set_extents(L, "team", team, count);
    set_extents(L, "elements", own, count);
    return 1;
}

void lun__open_teams(lua_State *L, const lun__parts *p)
{
    static const lun__entry functions[] = {
        {"teams", teams, 1}, {"workdiv", workdiv, 2}, {NULL, NULL, 0}};
    lun__register_offer(L, p, p->core, functions);
}
