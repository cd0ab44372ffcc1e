/* lua_use.c - the locations where kernels run: lun.use, lun.stats, a:distribute, a:distribution. */
#include <string.h>

#include "bind/host/bind.h"
#include "bind/host/field.h"

/* ---- sets ------------------------------------------------------------------------------------ */

/* The arguments as a list at 1. */
static void list_arguments(lua_State *L)
{
    const int count = lua_gettop(L);
    lua_createtable(L, count, 0);
    lua_insert(L, 1);
    for (int i = count; i >= 1; i--)
        lua_rawseti(L, 1, i);
}

/* The names in the list at 1 with commas between them, on the top. */
static const char *join_names(lua_State *L)
{
    luaL_Buffer text;
    const lua_Integer count = (lua_Integer)lua_rawlen(L, 1);
    luaL_buffinit(L, &text);
    for (lua_Integer i = 1; i <= count; i++) {
        if (i > 1)
            luaL_addchar(&text,
                         ','); /* the buffer may be on the stack, and must be at its top then */
        if (lua_rawgeti(L, 1, i) != LUA_TSTRING)
            lun__blame_argument(
                L, 1,
                lua_pushfstring(L, "place %I is a %s: a name expected", i, luaL_typename(L, -1)));
        luaL_addvalue(&text);
    }
    if (!count)
        lun__blame_argument(L, 1, "a set of at least one place expected");
    luaL_pushresult(&text);
    return lua_tostring(L, -1);
}

/* Options of lun.use. */
typedef struct use_options {
    int threads; /* -1: as they are */
    lun_bind bind;
    bool given; /* some are */
} use_options;

static int threads_at_top(lua_State *L)
{
    int exact = 0;
    const lua_Integer n = lua_type(L, -1) == LUA_TNUMBER ? lua_tointegerx(L, -1, &exact) : 0;
    if (!exact || n < 0 || n > 1024)
        lun__blame_argument(L, 1,
                            lua_pushfstring(L,
                                            "threads: 1 to 1024, or 0 for as many as at the "
                                            "start, expected, got %s",
                                            lun__error_push_shown(L, -1)));
    return (int)n;
}

static lun_bind bind_at_top(lua_State *L)
{
    static const char *const words[] = {"auto", "cores", "threads", "none"};
    int k = 0;
    while (k < 4 && (lua_type(L, -1) != LUA_TSTRING || strcmp(lua_tostring(L, -1), words[k])))
        k++;
    if (k == 4)
        lun__blame_argument(L, 1,
                            lua_pushfstring(L,
                                            "bind: \"auto\", \"cores\", \"threads\" or "
                                            "\"none\" expected, got %s",
                                            lun__error_push_shown(L, -1)));
    return (lun_bind)k;
}

/* The fields of the table at 1 that are no names: threads= and bind=. */
static use_options read_use_options(lua_State *L, lun__host *h)
{
    use_options o = {.threads = -1};
    (void)lun_used_threads(h->engine, &o.bind);
    for (lua_pushnil(L); lua_next(L, 1); lua_pop(L, 1))
        if (lua_type(L, -2) == LUA_TSTRING) {
            (void)lun__lua_along_option(L, 1, "threads=4, bind=\"cores\"");
            o.given = true;
        }
    if (lua_getfield(L, 1, "threads") != LUA_TNIL)
        o.threads = threads_at_top(L);
    if (lua_getfield(L, 1, "bind") != LUA_TNIL)
        o.bind = bind_at_top(L);
    lua_settop(L, 1);
    return o;
}

/* lun.use(name, ...), lun.use{name, ..., threads =, bind =}: selects a backend or a set of
 * locations, and threads of the host; gives the names of the locations in use, as lun.use()
 * does. */
static int use(lua_State *L)
{
    lun__host *h = lun__host_here(L);
    const char *name = NULL;
    use_options o = {.given = false};
    if (lua_gettop(L) > 1)
        list_arguments(L);
    if (lua_type(L, 1) == LUA_TTABLE)
        o = read_use_options(L, h);
    if (lua_type(L, 1) == LUA_TTABLE && (!o.given || lua_rawlen(L, 1)))
        name = join_names(L);
    else if (lua_type(L, 1) != LUA_TTABLE && !lua_isnoneornil(L, 1))
        name = luaL_checkstring(L, 1);
    if (name) /* may fail, which leaves the threads as they are */
        lun__error_check(L, h, lun_use(h->engine, name), 1);
    if (o.given)
        lun__error_check(L, h, lun_use_threads(h->engine, o.threads, o.bind), 1);
    lua_settop(L, 0);
    luaL_checkstack(L, LUN_MAX_PLACES, NULL);
    for (int k = 0; (name = lun_place_name(h->engine, k)); k++)
        lua_pushstring(L, name);
    return lua_gettop(L);
}

/* ---- counters -------------------------------------------------------------------------------- */

static void set_seconds(lua_State *L, const char *name, double x)
{
    lua_pushnumber(L, x);
    lua_setfield(L, -2, name);
}

/* The counters of each location, by name. */
static void push_places(lua_State *L, lun_engine *e)
{
    lun_place_stats s = {.size = sizeof s};
    lua_newtable(L);
    for (int k = 0; lun_place_stats_get(e, k, &s); k++) {
        lua_createtable(L, 0, 7);
        lun__field_set_integer(L, "launches", s.launches);
        lun__field_set_integer(L, "moves", s.moves);
        lun__field_set_integer(L, "bytes_moved", s.bytes_moved);
        lun__field_set_integer(L, "bytes_to_device", s.bytes_to_device);
        lun__field_set_integer(L, "bytes_to_host", s.bytes_to_host);
        lun__field_set_integer(L, "merges", s.merges);
        lun__field_set_integer(L, "bytes_exchanged", s.bytes_exchanged);
        lua_setfield(L, -2, lun_place_name(e, k));
    }
}

static int stats(lua_State *L)
{
    lun__host *h = lun__host_here(L);
    if (!lua_isnoneornil(L, 1)) {
        const char *what = luaL_checkstring(L, 1);
        luaL_argcheck(L, strcmp(what, "reset") == 0, 1, "\"reset\" or nothing expected");
        lun_stats_reset(h->engine);
        return 0;
    }
    lun_stats s = {.size = sizeof s};
    lun_stats_gather(h->engine);
    lun_stats_get(h->engine, &s);
    const struct {
        const char *name;
        int64_t value;
    } fields[] = {
        {"compiles", s.compiles},
        {"cache_hits", s.cache_hits},
        {"launches", s.launches},
        {"interpreted", s.interpreted},
        {"overtaken", s.overtaken},
        {"bytes_read", s.bytes_read},
        {"bytes_written", s.bytes_written},
        {"bytes_to_device", s.bytes_to_device},
        {"bytes_to_host", s.bytes_to_host},
        {"allocated", s.allocated},
        {"pooled", s.pooled},
        {"peak", s.peak},
        {"allocations", s.allocations},
        {"nodes", s.nodes},
        {"kept", s.kept},
        {"overdue", s.overdue},
        {"kernels", s.kernels},
        {"kernel_bytes", s.kernel_bytes},
        {"kernels_dropped", s.kernels_dropped},
        {"products", s.products},
        {"algorithms", s.algorithms},
        {"moves", s.moves},
        {"bytes_moved", s.bytes_moved},
        {"bytes_exchanged", s.bytes_exchanged},
        {"bytes_copied", s.bytes_copied},
        {"merges", s.merges},
        {"messages", s.messages},
        {"bytes_sent", s.bytes_sent},
        {"collectives", s.collectives},
        {"remote_gets", s.remote_gets},
        {"remote_puts", s.remote_puts},
    };
    int count = (int)(sizeof fields / sizeof fields[0]);
    lua_createtable(L, 0, count + 5);
    for (int i = 0; i < count; i++) {
        lua_pushinteger(L, fields[i].value);
        lua_setfield(L, -2, fields[i].name);
    }
    set_seconds(L, "compile_time", s.compile_time);
    set_seconds(L, "transfer_time", s.transfer_time);
    set_seconds(L, "run_time", s.run_time);
    set_seconds(L, "network_time", s.network_time);
    push_places(L, h->engine);
    lua_setfield(L, -2, "places");
    return 1;
}

/* ---- distributions --------------------------------------------------------------------------- */

/* The number, from 0, of the location that the value at the top names or numbers from 1. */
static int device_of(lua_State *L, lun_engine *e)
{
    const char *name;
    int exact = 0;
    if (lua_type(L, -1) == LUA_TNUMBER) {
        lua_Integer k = lua_tointegerx(L, -1, &exact);
        if (exact && k >= 1 && k <= LUN_MAX_PLACES && lun_place_name(e, (int)k - 1))
            return (int)k - 1;
    }
    for (int k = 0; lua_type(L, -1) == LUA_TSTRING && (name = lun_place_name(e, k)); k++)
        if (!strcmp(name, lua_tostring(L, -1)))
            return k;
    lun__blame_argument(
        L, 3,
        lua_pushfstring(L, "device %s is not in the set in use", lun__error_push_shown(L, -1)));
    return 0;
}

/* Numbers of the list at the top, which stays in a userdata at the top. */
static void read_weights(lua_State *L, lun_distribution *d)
{
    const lua_Unsigned count = lua_istable(L, -1) ? lua_rawlen(L, -1) : 0;
    if (count < 1 || count > LUN_MAX_PLACES)
        lun__blame_argument(L, 3, "weights: a number for each place expected");
    double *weights = lua_newuserdatauv(L, (size_t)count * sizeof *weights, 0);
    for (lua_Unsigned i = 0; i < count; i++) {
        if (lua_rawgeti(L, -2, (lua_Integer)i + 1) != LUA_TNUMBER)
            lun__blame_argument(L, 3, "weights: a number for each place expected");
        weights[i] = lua_tonumber(L, -1);
        lua_pop(L, 1);
    }
    d->weights = weights;
    d->weight_count = (int)count;
    lua_replace(L, -2);
}

/* The option of that name, whose value is at the top; keeps the value on the stack if d points into
 * it. */
static void read_option(lua_State *L, lun_engine *e, const char *name, lun_distribution *d)
{
    int exact = 0;
    if (!strcmp(name, "device")) {
        if (strcmp(d->kind, "single"))
            lun__blame_argument(
                L, 3, lua_pushfstring(L, "a distribution '%s' has no option 'device'", d->kind));
        d->device = device_of(L, e);
    } else if (!strcmp(name, "rule")) {
        if (lua_type(L, -1) != LUA_TSTRING)
            lun__blame_argument(L, 3, "rule: remainder, ceiling or balanced expected");
        d->rule = lua_tostring(L, -1);
    } else if (!strcmp(name, "weights")) {
        read_weights(L, d);
    } else {
        d->halo = lua_type(L, -1) == LUA_TNUMBER ? lua_tointegerx(L, -1, &exact) : 0;
        if (!exact)
            lun__blame_argument(L, 3, "halo: an integer of 0 or more expected");
        if (strcmp(d->kind, "overlap"))
            lun__blame_argument(
                L, 3, lua_pushfstring(L, "a distribution '%s' has no option 'halo'", d->kind));
    }
}

/* Whether a kind takes options, so that they may be the mistake. */
static bool is_kind(const char *name)
{
    return !strcmp(name, "single") || !strcmp(name, "block") || !strcmp(name, "overlap") ||
           !strcmp(name, "copy");
}

static const char over_ranks; /* its address is the key in the registry */

/* Keeps the function of Lua that distributes over ranks; or calls it, with distribute's
 * arguments. */
static int distribute_over_ranks(lua_State *L)
{
    if (lua_gettop(L) == 1) {
        lua_settop(L, 1);
        lua_rawsetp(L, LUA_REGISTRYINDEX, &over_ranks);
        return 0;
    }
    lua_rawgetp(L, LUA_REGISTRYINDEX, &over_ranks);
    lua_insert(L, 1);
    lua_call(L, lua_gettop(L) - 1, 1);
    return 1;
}

static bool is_over_ranks(lua_State *L)
{
    if (!lua_istable(L, 3))
        return false;
    const bool given = lua_getfield(L, 3, "over") != LUA_TNIL;
    if (given && (lua_type(L, -1) != LUA_TSTRING || strcmp(lua_tostring(L, -1), "ranks")))
        lun__blame_argument(L, 3,
                            "over: \"ranks\" expected; without it the places in use are meant");
    lua_pop(L, 1);
    return given;
}

/* a:distribute(kind [, {device=, rule=, weights=, halo=, combine=}]): a, distributed so from now
 * on. */
static int distribute(lua_State *L)
{
    static const char *const names[] = {"device", "rule", "weights", "halo"};
    if (is_over_ranks(L))
        return distribute_over_ranks(L);
    lun__host *h = lun__host_here(L);
    lun_array *a = lun__lua_array_check(L, h, 1);
    lun_distribution d = {.size = sizeof d, .kind = luaL_checkstring(L, 2)};
    d.halo = !strcmp(d.kind, "overlap");
    lua_settop(L, 3);
    if (!lua_isnil(L, 3)) {
        luaL_checktype(L, 3, LUA_TTABLE);
        for (lua_pushnil(L); lua_next(L, 3); lua_pop(L, 1))
            (void)lun__lua_along_option(L, 3,
                                        "device=1, rule=\"balanced\", weights={1, 3}, halo=1, "
                                        "combine=\"+\"");
        for (int i = 0; i < 4; i++)
            if (lua_getfield(L, 3, names[i]) != LUA_TNIL)
                read_option(L, h->engine, names[i], &d);
        if (lua_getfield(L, 3, "combine") != LUA_TNIL) {
            lua_replace(L, 3); /* so that messages number this argument */
            d.combine = lun__lua_function_at(L, h, 3, 2, true);
        }
    }
    lun_status s;
    LUN__TRY(s, lun_distribute(h->engine, a, &d));
    lun__error_check(L, h, s, lua_isnil(L, 3) || !is_kind(d.kind) ? 2 : 3);
    lua_settop(L, 1);
    return 1;
}

/* Pushes the function that merges copies: as it was given, if it still exists; else its text. */
static void push_combine(lua_State *L, lun__host *h, const lun_distribution_state *d)
{
    if (strcmp(d->combine, "function") != 0 || !lun__lua_function_push_code(L, h, d->function))
        lua_pushstring(L, d->combine);
}

/* a:touched(): a, whose copies count as different from now on. */
static int touched(lua_State *L)
{
    lun__host *h = lun__host_here(L);
    lun_array *a = lun__lua_array_check(L, h, 1);
    lun_status s;
    LUN__TRY(s, lun_touched(h->engine, a));
    lun__error_check(L, h, s, 1);
    lua_settop(L, 1);
    return 1;
}

/* An array that is not distributed has no shards. */
static void drop_parts(lua_State *L)
{
    lua_pushnil(L);
    lua_setfield(L, -2, "counts");
    lua_pushnil(L);
    lua_setfield(L, -2, "starts");
}

/* a:distribution(): the kind, and the shard of each location. */
static int distribution(lua_State *L)
{
    lun__host *h = lun__host_here(L);
    lun_array *a = lun__lua_array_check(L, h, 1);
    lun_distribution_state d = {.size = sizeof d};
    lun__error_check(L, h, lun_distribution_get(h->engine, a, &d), 1);
    const bool parts = strcmp(d.kind, "none") != 0;
    lua_pushstring(L, d.kind);
    lua_createtable(L, 0, 7);
    lua_newtable(L); /* devices, */
    lua_newtable(L); /* counts, */
    lua_newtable(L); /* starts, */
    lua_newtable(L); /* fresh */
    lun__field_set_bool(L, "host", d.fresh_host);
    for (int k = 0; k < d.places; k++) {
        lua_pushboolean(L, d.fresh[k]);
        lua_setfield(L, -2, d.device[k]);
        lua_pushstring(L, d.device[k]);
        lua_rawseti(L, -5, k + 1);
        lua_pushinteger(L, d.count[k]);
        lua_rawseti(L, -4, k + 1);
        lua_pushinteger(L, d.start[k] + 1);
        lua_rawseti(L, -3, k + 1);
    }
    lua_setfield(L, -5, "fresh");
    lua_setfield(L, -4, "starts");
    lua_setfield(L, -3, "counts");
    lua_setfield(L, -2, "devices");
    if (!parts)
        drop_parts(L);
    if (d.rule)
        lun__field_set_text(L, "rule", d.rule);
    if (parts)
        lun__field_set_integer(L, "axis", d.axis + 1);
    if (!strcmp(d.kind, "overlap"))
        lun__field_set_integer(L, "halo", d.halo);
    lun__field_set_bool(L, "diverged", d.diverged);
    if (d.combine) {
        push_combine(L, h, &d);
        lua_setfield(L, -2, "combine");
    }
    return 2;
}

void lun__open_use(lua_State *L, const lun__parts *p)
{
    static const lun__entry functions[] = {
        {"use", use, LUN_MAX_PLACES}, {"stats", stats, 1}, {NULL, NULL, 0}};
    static const lun__entry methods[] = {{"distribute", distribute, 3},
                                         {"distribution", distribution, 1},
                                         {"touched", touched, 1},
                                         {NULL, NULL, 0}};
    static const luaL_Reg internal[] = {{"distribute_over_ranks", distribute_over_ranks},
                                        {NULL, NULL}};
    lun__register(L, p, p->internal, internal);
    lun__register_offer(L, p, p->core, functions);
    lun__register_offer(L, p, p->methods, methods);
}
