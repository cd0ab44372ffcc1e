/* engine.c - functions about the engine as a whole: evaluating several arrays, counters, backends,
 * devices, the accuracy of mathematical functions. */
#include <string.h>
#include <time.h>
#include <unistd.h>

#include "bind/host/bind.h"
#include "bind/host/field.h"

enum { FEW = 8 };

/* The arrays among the arguments, in a list of *arrays: `few`, or memory that is pushed. */
static lun_array **arguments(lua_State *L, lun__host *h, lun_array *few[FEW], int *arrays)
{
    int count = lua_gettop(L);
    lun_array **list = few;
    *arrays = 0;
    if (count > FEW)
        list = lua_newuserdatauv(L, (size_t)count * sizeof *list, 0);
    for (int i = 1; i <= count; i++) {
        bool is = lun__lua_array_is(L, h, i);
        lun_array *a = is ? lun__lua_array_unevaluated(L, h, i) : lun__lua_array_operand(L, h, i);
        if (a)
            list[(*arrays)++] = a;
    }
    return list;
}

/* lun.eval(e1, e2, ..., {out={w1, w2, ...}}): the table is at the top. */
static int evaluate_into(lua_State *L, lun__host *h)
{
    int options = lua_gettop(L);
    for (lua_pushnil(L); lua_next(L, options); lua_pop(L, 1)) {
        if (lua_isinteger(L, -2))
            lun__blame_argument(L, options,
                                "array or number expected, got a list: arrays are written one by "
                                "one, lun.eval(a, b), or table.unpack(list)");
        (void)lun__lua_along_option(L, options, "out=list");
    }
    for (int i = 1; i < options; i++)
        (void)lun__lua_array_operand(L, h, i);
    lua_getfield(L, options, "out");
    if (lua_isnil(L, -1))
        lun__blame_argument(L, options, "option out: an array or a list of arrays expected");
    int count = lun__out_option_push(L, h, -1, "eval");
    lun__out_option_store(L, h, "eval", 1, options - 1, count);
    return count;
}

/* The result of the function on the top, which evaluates the table of columns at 1. */
static int evaluate_table(lua_State *L)
{
    lua_insert(L, 1);
    lua_call(L, 1, 1);
    return 1;
}

/* lun.eval(e1, e2, ...): evaluates all in as few passes as possible; gives the arrays, and for
 * Scalars their numbers. */
static int evaluate(lua_State *L)
{
    lun__host *h = lun__host_here(L);
    int count = lua_gettop(L), arrays;
    if (count == 1 && lua_istable(L, 1) && luaL_getmetafield(L, 1, "eval") == LUA_TFUNCTION)
        return evaluate_table(L);
    if (count > 0 && lua_istable(L, count))
        return evaluate_into(L, h);
    lun_array *few[FEW], **list = arguments(L, h, few, &arrays);
    lun_status s;
    LUN__TRY(s, lun_eval(h->engine, list, arrays));
    lun__error_check(L, h, s, 1);
    lua_settop(L, count);
    for (int i = 1; i <= count; i++) {
        const lun__held *held = lun__host_array_at(L, h, i);
        if (held && lun_class_of(held->as.array) == LUN_SCALAR) {
            lun__lua_value_push(L, lun__lua_array_value(L, h, i));
            lua_replace(L, i);
        }
    }
    lun__host_report_memory(L, h);
    return count;
}

/* lun.prepare(e1, e2, ...): compiles the kernels that lun.eval of them would run. True; or nil,
 * message, code if some stay interpreted. */
static int prepare(lua_State *L)
{
    lun__host *h = lun__host_here(L);
    int arrays;
    lun_array *few[FEW], **list = arguments(L, h, few, &arrays);
    lun_status s;
    LUN__TRY(s, lun_prepare(h->engine, list, arrays));
    if (s == LUN_EBUILD) {
        const char *where = lun_error_where(h->engine);
        lua_pushnil(L);
        lua_pushfstring(L, "%s%s%s", where, *where ? ": " : "", lun_error_from(h->engine, 1));
        lua_pushstring(L, lun_status_name(s));
        return 3;
    }
    lun__error_check(L, h, s, 1);
    lua_pushboolean(L, true);
    return 1;
}

/* The row of a profile as a table on the top. */
static void push_profile_row(lua_State *L, const lun_profile_row *r)
{
    const struct {
        const char *name;
        int64_t value;
    } counts[] = {{"ops", r->ops},
                  {"calls", r->calls},
                  {"interpreted", r->interpreted},
                  {"elements", r->elements},
                  {"bytes", r->bytes}};
    const struct {
        const char *name;
        double value;
    } times[] = {{"compile", r->compile}, {"transfer", r->transfer}, {"run", r->run}};
    const struct {
        const char *name, *value;
    } texts[] = {{"name", r->name}, {"what", r->what}, {"where", r->where}, {"labels", r->labels}};
    lua_createtable(L, 0, 12);
    for (size_t i = 0; i < sizeof counts / sizeof counts[0]; i++) {
        lua_pushinteger(L, counts[i].value);
        lua_setfield(L, -2, counts[i].name);
    }
    for (size_t i = 0; i < sizeof times / sizeof times[0]; i++) {
        lua_pushnumber(L, times[i].value);
        lua_setfield(L, -2, times[i].name);
    }
    for (size_t i = 0; i < sizeof texts / sizeof texts[0]; i++) {
        lua_pushstring(L, texts[i].value);
        lua_setfield(L, -2, texts[i].name);
    }
}

/* internal.profile(true) starts a profile; internal.profile(false) ends it and gives its rows. */
static int profile(lua_State *L)
{
    lun__host *h = lun__host_here(L);
    if (lua_toboolean(L, 1)) {
        lun__error_check(L, h, lun_profile_start(h->engine), 1);
        return 0;
    }
    lun_profile_stop(h->engine);
    lun_profile_row r = {.size = sizeof r};
    lua_newtable(L);
    for (int i = 0; lun_profile_at(h->engine, i, &r); i++) {
        push_profile_row(L, &r);
        lua_rawseti(L, -2, i + 1);
    }
    return 1;
}

/* lun.trim(): gives pooled memory back to the system. */
static int trim(lua_State *L)
{
    lun_trim(lun__host_here(L)->engine);
    return 0;
}

/* ---- backends and devices -------------------------------------------------------------------- */

/* lun.backends(): the names of the usable backends, best first; and why the others are not
 * usable. */
static int backends(lua_State *L)
{
    lun__host *h = lun__host_here(L);
    lua_settop(L, 0);
    lua_newtable(L);
    lua_newtable(L);
    const char *name, *reason = NULL;
    for (int i = 0; (name = lun_backend_at(h->engine, i, &reason)); i++) {
        if (reason) {
            lua_pushstring(L, reason);
            lua_setfield(L, 2, name);
        } else {
            lua_pushstring(L, name);
            lua_rawseti(L, 1, (lua_Integer)lua_rawlen(L, 1) + 1);
        }
        reason = NULL;
    }
    return 2;
}

/* The names in a text with blanks between them, as a list on the top. */
static void push_names(lua_State *L, const char *text)
{
    lua_newtable(L);
    for (lua_Integer k = 1; *(text += strspn(text, " ")); k++) {
        const size_t length = strcspn(text, " ");
        lua_pushlstring(L, text, length);
        lua_rawseti(L, -2, k);
        text += length;
    }
}

/* What a driver has said of its device, as fields of the table on the top. */
static void add_driver_fields(lua_State *L, const lun_device *d)
{
    lun__field_set_bool(L, "fp64", d->fp64);
    lun__field_set_text(L, "bits", d->bits);
    if (!d->driver[0])
        return;
    lun__field_set_text(L, "platform", d->platform);
    lun__field_set_text(L, "version", d->version);
    lun__field_set_text(L, "driver", d->driver);
    lun__field_set_integer(L, "largest", d->largest);
    lun__field_set_integer(L, "local_memory", d->local_memory);
    lun__field_set_integer(L, "group", d->group);
    lun__field_set_integer(L, "vector", d->vector);
    push_names(L, d->extensions);
    lua_setfield(L, -2, "extensions");
}

static int devices(lua_State *L)
{
    lun__host *h = lun__host_here(L);
    int room = lun_devices(h->engine, NULL, 0);
    lun_device *rows = lua_newuserdatauv(L, ((size_t)room + 1) * sizeof *rows, 0);
    rows->size = sizeof *rows;
    int count = lun_devices(h->engine, rows, room);
    if (count > room)
        count = room;
    lua_createtable(L, count, 0);
    for (int i = 0; i < count; i++) {
        lua_createtable(L, 0, 16);
        lun__field_set_text(L, "name", rows[i].name);
        lun__field_set_text(L, "kind", rows[i].kind);
        lun__field_set_text(L, "backend", rows[i].backend);
        lun__field_set_text(L, "place", rows[i].place);
        lun__field_set_integer(L, "memory", rows[i].memory);
        lun__field_set_integer(L, "units", rows[i].units);
        if (rows[i].machine[0])
            lun__field_set_text(L, "machine", rows[i].machine);
        add_driver_fields(L, &rows[i]);
        lua_rawseti(L, -2, i + 1);
    }
    return 1;
}

/* lun.math "precise" or "fast"; gives the present mode, as lun.math() does. */
static int math_mode(lua_State *L)
{
    static const char *const names[] = {"fast", "precise", NULL};
    lun__host *h = lun__host_here(L);
    if (!lua_isnoneornil(L, 1)) {
        int mode = luaL_checkoption(L, 1, NULL, names);
        lun_status s = lun_math_mode(h->engine, mode ? LUN_MATH_PRECISE : LUN_MATH_FAST);
        lun__error_check(L, h, s, 1);
        h->math = names[mode];
    }
    lua_pushstring(L, h->math);
    return 1;
}

/* lun.bits() gives the version of the bits; lun.bits "v1" chooses it. */
static int bits(lua_State *L)
{
    lun__host *h = lun__host_here(L);
    if (!lua_isnoneornil(L, 1))
        lun__error_check(L, h, lun_set_bits(h->engine, luaL_checkstring(L, 1)), 1);
    lua_pushstring(L, lun_bits(h->engine));
    return 1;
}

/* Pushes what does the algorithm of that name, "own" or a library, and the library's name and file;
 * false: there is none of that name. */
static bool push_override(lua_State *L, lun_engine *e, const char *algorithm)
{
    const char *name, *by, *library;
    for (int k = 0; (name = lun_override_at(e, k, &by, &library)); k++)
        if (strcmp(name, algorithm) == 0) {
            lua_pushstring(L, by);
            lua_pushstring(L, library);
            return true;
        }
    return false;
}

/* lun.override() gives what does each algorithm that a library can do, by name; of one:
 * lun.override "matmul"; lun.override("matmul", "blas") chooses the library, nil, false or "own"
 * the engine. */
static int override(lua_State *L)
{
    lun_engine *e = lun__host_here(L)->engine;
    const char *name, *by;
    if (lua_gettop(L) == 0) {
        lua_newtable(L);
        for (int k = 0; (name = lun_override_at(e, k, &by, NULL)); k++) {
            lua_pushstring(L, by);
            lua_setfield(L, -2, name);
        }
        return 1;
    }
    name = luaL_checkstring(L, 1);
    if (lua_gettop(L) == 1 && push_override(L, e, name))
        return 2;
    by = lua_toboolean(L, 2) ? luaL_checkstring(L, 2) : NULL;
    lun__error_check(L, lun__host_here(L), lun_override(e, name, by),
                     by && push_override(L, e, name) ? 2 : 1);
    return push_override(L, e, name) ? 2 : 0;
}

/* internal.bits_digest(version): the digits of it, "" if there are none. */
static int bits_digest(lua_State *L)
{
    lua_pushstring(L, lun_bits_digest(luaL_checkstring(L, 1)));
    return 1;
}

/* Seconds on a clock that never goes back, for timing. */
static int monotonic_clock(lua_State *L)
{
    struct timespec t;
    clock_gettime(CLOCK_MONOTONIC, &t);
    lua_pushnumber(L, (lua_Number)t.tv_sec + 1e-9 * (lua_Number)t.tv_nsec);
    return 1;
}

/* internal.block_all(on) */
static int block_all(lua_State *L)
{
    luaL_checktype(L, 1, LUA_TBOOLEAN);
    lun_block_all(lun__host_here(L)->engine, lua_toboolean(L, 1));
    return 0;
}

void lun__open_engine(lua_State *L, const lun__parts *p)
{
    static const lun__entry functions[] = {{"eval", evaluate, LUN__ANY},
                                           {"prepare", prepare, LUN__ANY},
                                           {"trim", trim, 0},
                                           {"backends", backends, 0},
                                           {"devices", devices, 0},
                                           {"math", math_mode, 1},
                                           {"bits", bits, 1},
                                           {"override", override, 2},
                                           {"clock", monotonic_clock, 0},
                                           {NULL, NULL, 0}};
    static const luaL_Reg inside[] = {
        {"profile", profile}, {"block_all", block_all}, {"bits_digest", bits_digest}, {NULL, NULL}};
    lun__register_offer(L, p, p->core, functions);
    lun__register(L, p, p->internal, inside);
    lua_pushliteral(L, "Lunarray " LUN_VERSION);
    lua_setfield(L, p->core, "_VERSION");
    lua_pushliteral(L, LUA_RELEASE);
    lua_setfield(L, p->internal, "lua_release");
}
