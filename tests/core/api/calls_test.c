/* calls_test.c - the C interface where a host and its scripts call each other: functions both ways,
 * texts, what print writes, os.exit, messages; files, and a lua_State of the host's own; structs
 * between versions. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include <lauxlib.h>
#include <lualib.h>
#include <unistd.h>

#include "engine_kit.h"
#include "lunarray_bind.h"

static char printed[4096];

static void note_print(void *ctx, const char *text, size_t length)
{
    size_t at = strlen(printed);
    assert_ptr_equal(ctx, printed);
    assert_int_equal(text[length], 0);
    snprintf(printed + at, sizeof printed - at, "%s|", text);
}

static int open_engine(void **state)
{
    lun_config c = {.size = sizeof c,
                    .cache_dir = "",
                    .jit = LUN_JIT_OFF,
                    .threads = 2,
                    .print = note_print,
                    .print_ctx = printed};
    (void)state;
    printed[0] = 0;
    return lun_open(&c, &e) != LUN_OK;
}

static int close_engine(void **state)
{
    lun_stats s = {.size = sizeof s};
    (void)state;
    OK(lun_dostring(e, "for name, x in pairs(_G) do if lun.isarray(x) then _G[name] = nil end end\n"
                       "collectgarbage() collectgarbage()"));
    lun_stats_get(e, &s);
    lun_close(e);
    e = NULL;
    return s.allocated != 0; /* no reference to an array is left */
}

static lun_variant number(double x)
{
    return (lun_variant){.type = LUN_TYPE_NUMBER, .as.number = x};
}

static lun_variant text(const char *t)
{
    return (lun_variant){.type = LUN_TYPE_TEXT, .as.text = t};
}

static lun_variant array(lun_array *a)
{
    return (lun_variant){.type = LUN_TYPE_ARRAY, .as.array = a};
}

static lun_array *vector(int n)
{
    double x[8] = {1, 2, 3, 4, 5, 6, 7, 8};
    lun_array *a = NULL;
    OK(lun_vector(e, x, n, LUN_F64, &a));
    return a;
}

/* ---- the host calls -------------------------------------------------------------------------- */

static void test_call(void **state)
{
    lun_array *a = vector(3);
    lun_variant args[4] = {
        array(a), number(2.5), text("gain"), {.type = LUN_TYPE_INTEGER, .as.integer = 7}};
    lun_variant results[6];
    int given = 0;
    double out[3];
    (void)state;
    OK(lun_dostring(e, "function f(a, x, name, i)\n"
                       "  assert(math.type(x) == 'float' and math.type(i) == 'integer')\n"
                       "  return a * x, a:sum(), name .. '\\0!', i + 1, a:max() > 2\n"
                       "end"));
    OK(lun_callglobal(e, "f", args, 4, results, 6, &given));
    assert_int_equal(given, 5);
    assert_int_equal(results[0].type, LUN_TYPE_ARRAY);
    OK(lun_read(e, results[0].as.array, out, 0, 3));
    assert_true(out[0] == 2.5 && out[2] == 7.5);
    lun_release(results[0].as.array);
    assert_true(results[1].type == LUN_TYPE_NUMBER && results[1].as.number == 6);
    assert_true(results[2].type == LUN_TYPE_TEXT && results[2].length == 6);
    assert_memory_equal(results[2].as.text, "gain\0!", 7);
    assert_true(results[3].type == LUN_TYPE_INTEGER && results[3].as.integer == 8);
    assert_true(results[4].type == LUN_TYPE_BOOLEAN && results[4].as.boolean);
    assert_int_equal(results[5].type, LUN_TYPE_NIL);
    OK(lun_callglobal(e, "f", args, 4, NULL, 0, NULL));
    OK(lun_callglobal(e, "f", args, 4, results, 2, &given));
    assert_int_equal(given, 5);
    lun_release(results[0].as.array);
    lun_release(a);
}

static void test_call_fails(void **state)
{
    lun_array *a = vector(3), *other = NULL;
    lun_engine *two = NULL;
    lun_variant v = array(a), results[3];
    int given = -1;
    (void)state;
    OK(lun_dostring(e, "t = {} function g(x) return x, {}, 3 end\n"
                       "function h() error{code = 5} end\n"
                       "callable = setmetatable({}, {__call = function(_, x) return #x end})"));
    FAILS(lun_callglobal(e, "nothing", NULL, 0, NULL, 0, NULL), LUN_EARG,
          "global 'nothing' is nil, not a function");
    FAILS(lun_callglobal(e, "t", NULL, 0, NULL, 0, NULL), LUN_EARG, "'t' is a table");
    FAILS(lun_callglobal(e, "g", &v, 1, results, 3, &given), LUN_EARG,
          "result 1 of function 'g' is a table");
    assert_int_equal(given, -1);
    OK(lun_callglobal(e, "g", &v, 1, results, 1, &given));
    lun_release(results[0].as.array);
    FAILS(lun_callglobal(e, "h", NULL, 0, NULL, 0, NULL), LUN_ESCRIPT, "]:2: error without a");
    OK(lun_callglobal(e, "callable", &v, 1, results, 1, NULL));
    assert_int_equal(results[0].as.integer, 3);
    FAILS(lun_callglobal(e, "g", NULL, 1, NULL, 0, NULL), LUN_EARG, "missing");
    v.type = (lun_type)77;
    FAILS(lun_callglobal(e, "g", &v, 1, NULL, 0, NULL), LUN_EARG, "argument 0 has no such type");
    lun_config c = {.size = sizeof c, .cache_dir = ""};
    assert_int_equal(lun_open(&c, &two), LUN_OK);
    assert_int_equal(lun_vector(two, NULL, 3, LUN_F32, &other), LUN_OK);
    v = array(other);
    FAILS(lun_callglobal(e, "g", &v, 1, NULL, 0, NULL), LUN_EARG, "another engine");
    FAILS(lun_setglobal(e, "x", other), LUN_EARG, "another engine");
    assert_ptr_equal(lun_engine_of(other), two);
    lun_close(two);
    lun_release(a);
}

/* ---- scripts call ---------------------------------------------------------------------------- */

static lun_status mix(void *ctx, lun_engine *engine, const lun_variant *args, int count,
                      lun_variant *results, int *given)
{
    assert_ptr_equal(engine, e);
    if (count != 3 || args[0].type != LUN_TYPE_ARRAY || args[1].type != LUN_TYPE_NUMBER)
        return lun_fail(e, LUN_EARG, "an array, a number and a text are needed");
    lun_array *k = NULL, *product = NULL;
    lun_status s = lun_number(e, args[1].as.number, &k);
    if (s == LUN_OK)
        s = lun_mul(e, args[0].as.array, k, &product);
    lun_release(k);
    if (s != LUN_OK)
        return s;
    results[0] = array(product);
    results[1] = args[2];
    results[2] = number(*(double *)ctx);
    *given = 3;
    return LUN_OK;
}

static lun_status nested(void *ctx, lun_engine *engine, const lun_variant *args, int count,
                         lun_variant *results, int *given)
{
    (void)ctx;
    *given = 1;
    return lun_callglobal(engine, "back", args, count, results, 1, NULL);
}

static lun_status silent(void *ctx, lun_engine *engine, const lun_variant *args, int count,
                         lun_variant *results, int *given)
{
    (void)ctx, (void)args, (void)count, (void)results, (void)given, (void)engine;
    return LUN_EIO;
}

/* The second result is none: the first one's reference is not lost. */
static lun_status half(void *ctx, lun_engine *engine, const lun_variant *args, int count,
                       lun_variant *results, int *given)
{
    (void)ctx, (void)engine, (void)args, (void)count;
    results[0] = array(vector(8));
    results[1] = array(NULL);
    *given = 2;
    return LUN_OK;
}

static void test_register(void **state)
{
    double ctx = 42;
    (void)state;
    OK(lun_register(e, "mix", mix, &ctx));
    OK(lun_register(e, "nested", nested, NULL));
    OK(lun_register(e, "silent", silent, NULL));
    OK(lun_register(e, "half", half, NULL));
    FAILS(lun_dostring(e, "half()"), LUN_ESCRIPT,
          "half: result 1 is an array whose pointer is NULL");
    OK(lun_dostring(e,
                    "local a, t, x = mix(lun.vector{1, 2}, 1.5, 'name')\n"
                    "assert(a[2] == 3 and t == 'name' and x == 42)\n"
                    "local ok, err = pcall(mix, 1)\n"
                    "assert(not ok and err.code == 'EARG', err)\n"
                    "assert(err.message == 'mix: an array, a number and a text are needed')\n"
                    "assert(err.where:find ']:5$' == nil and err.where:find ':3$', err.where)\n"
                    "ok, err = pcall(mix, {}) assert(err:find \"bad argument #1 to 'mix'\")\n"
                    "ok, err = pcall(silent) assert(err.message == 'silent: EIO', err.message)"));
    OK(lun_dostring(e, "function back(x) return x and x * 2 end\n"
                       "assert(nested(21) == 42)\n"
                       "assert(coroutine.wrap(function() return nested(4) end)() == 8)\n"
                       "back = error local ok, err = pcall(nested, 'why')\n"
                       "assert(not ok and err.code == 'ESCRIPT' and err.message:find 'why')\n"
                       "for i = 1, 1000 do mix(lun.vector{i}, 1.0, '') end"));
    FAILS(lun_register(e, "x", NULL, NULL), LUN_EARG, "missing");
    FAILS(lun_register(e, NULL, mix, NULL), LUN_EARG, "missing");
}

/* ---- texts and messages ---------------------------------------------------------------------- */

static void test_texts(void **state)
{
    const char *t = NULL;
    size_t length = 0;
    (void)state;
    OK(lun_settext(e, "name", "value"));
    OK(lun_dostring(e, "name = name .. '\\0two'"));
    OK(lun_gettext(e, "name", &t, &length));
    assert_int_equal(length, 9);
    assert_memory_equal(t, "value\0two", 10);
    OK(lun_dostring(e, "name = nil collectgarbage() n = 5"));
    assert_string_equal(t, "value");
    FAILS(lun_gettext(e, "n", &t, NULL), LUN_EARG, "global 'n' is a number, not a text");
    FAILS(lun_settext(e, "n", NULL), LUN_EARG, "missing");
    FAILS(lun_gettext(e, "n", NULL, NULL), LUN_EARG, "missing");
}

static void test_kinds(void **state)
{
    double x = 0;
    (void)state;
    OK(lun_dostring(e, "rms = lun.vector{1, 2, 3} * 0.5 m = lun.zeros{2, 3} t = {}\n"
                       "one = lun.vector{7} s = '5'"));
    FAILS(lun_getnumber(e, "rms", &x), LUN_EARG,
          "global 'rms' is a Composition f64[3], not a number");
    FAILS(lun_getnumber(e, "m", &x), LUN_EARG, "global 'm' is a View f64[2, 3], not a number");
    FAILS(lun_getnumber(e, "t", &x), LUN_EARG, "global 't' is a table, not a number");
    FAILS(lun_getnumber(e, "s", &x), LUN_EARG, "global 's' is a string, not a number");
    FAILS(lun_getnumber(e, "none", &x), LUN_EARG, "global 'none' is nil, not a number");
    OK(lun_getnumber(e, "one", &x));
    assert_true(x == 7);
}

static void test_errors_without_message(void **state)
{
    (void)state;
    FAILS(lun_dostring(e, "\nerror{}"), LUN_ESCRIPT, "\"]:2: error without a message");
    FAILS(lun_dostring(e, "error()"), LUN_ESCRIPT, "]:1: error without a message");
    FAILS(lun_dostring(e, "local function f() error{1} end f()"), LUN_ESCRIPT,
          "error object is a table value");
    FAILS(lun_dostring(e, "error{message = 'told'}"), LUN_ESCRIPT, "told\nstack traceback");
    FAILS(lun_dostring(e, "error(setmetatable({}, {__tostring = function() return 'own' end}))"),
          LUN_ESCRIPT, "own");
}

static void test_exit(void **state)
{
    (void)state;
    FAILS(lun_dostring(e, "os.exit(3)"), LUN_ESCRIPT,
          "]:1: os.exit(3) is not allowed: only the host can end its process");
    FAILS(lun_dostring(e, "os.exit()"), LUN_ESCRIPT, "os.exit()");
    OK(lun_dostring(e, "assert(os.time() > 0)"));
}

static void test_print(void **state)
{
    (void)state;
    OK(lun_dostring(e, "print('a', 1, nil, true) print() print(lun.vector{1, 2})"));
    assert_non_null(strstr(printed, "a\t1\tnil\ttrue||"));
    assert_non_null(strstr(printed, "[1 2]|"));
    lun_engine *box = NULL;
    lun_config c = {.size = sizeof c, .sandbox = 1, .print = note_print, .print_ctx = printed};
    assert_int_equal(lun_open(&c, &box), LUN_OK);
    assert_int_equal(lun_dostring(box, "print('boxed')"), LUN_OK);
    assert_non_null(strstr(printed, "boxed|"));
    lun_close(box);
}

static void test_time_limit(void **state)
{
    (void)state;
    OK(lun_time_limit(e, 0.05));
    FAILS(lun_dostring(e, "while true do end"), LUN_ELIMIT, "time limit reached: 0.05 seconds");
    OK(lun_time_limit(e, 0));
    lun_config c = {.size = sizeof c};
    lun_config_get(e, &c);
    assert_true(c.time_limit == 0);
    FAILS(lun_time_limit(e, -1), LUN_EARG, "negative");
    assert_int_equal(lun_time_limit(NULL, 1), LUN_EARG);
}

/* ---- files ----------------------------------------------------------------------------------- */

static void test_files(void **state)
{
    char dir[] = "/tmp/calls_test_XXXXXX", path[64];
    lun_array *a = vector(6), *b = NULL;
    double out[6];
    (void)state;
    assert_non_null(mkdtemp(dir));
    snprintf(path, sizeof path, "%s/x.npy", dir);
    OK(lun_save(e, path, a));
    OK(lun_load(e, path, &b));
    OK(lun_read(e, b, out, 0, 6));
    assert_true(out[5] == 6 && lun_dtype_of(b) == LUN_F64);
    lun_release(b);
    b = NULL;
    FILE *f = fopen(path, "w");
    fputs("no array", f);
    fclose(f);
    FAILS(lun_load(e, path, &b), LUN_EIO, "x.npy");
    remove(path);
    FAILS(lun_load(e, path, &b), LUN_EIO, "x.npy");
    FAILS(lun_load(e, "x.unknown", &b), LUN_EARG, "unknown");
    assert_null(strchr(lun_error(e), '\n'));
    snprintf(path, sizeof path, "%s/x.csv", dir);
    f = fopen(path, "w");
    fputs("a,b\n1,2\n", f);
    fclose(f);
    FAILS(lun_load(e, path, &b), LUN_EARG, "contains several columns");
    remove(path);
    snprintf(path, sizeof path, "%s/none/x.npy", dir);
    FAILS(lun_save(e, path, a), LUN_EIO, path);
    FAILS(lun_save(e, "x.npy", NULL), LUN_EARG, "NULL");
    assert_null(b);
    rmdir(dir);
    lun_release(a);
}

/* ---- a lua_State of the host's own ----------------------------------------------------------- */

static int push_foreign(lua_State *L)
{
    lun_push_array(L, lua_touserdata(L, 1));
    return 1;
}

static void test_own_state(void **state)
{
    (void)state;
    lua_State *L = luaL_newstate();
    assert_non_null(L);
    luaL_openlibs(L);
    assert_null(lun_to_engine(L));
    luaL_requiref(L, "lunarray", luaopen_lunarray, 1);
    lun_engine *own = lun_to_engine(L);
    assert_non_null(own);
    assert_int_equal(luaL_dostring(L, "v = lunarray.vector{1, 2, 3}"), LUA_OK);
    lua_getglobal(L, "v");
    lun_array *v = lun_to_array(L, -1), *twice = NULL, *foreign = vector(2);
    assert_non_null(v);
    assert_int_equal(lun_add(own, v, v, &twice), LUN_OK);
    lua_pop(L, 1);
    lun_push_array(L, twice);
    assert_ptr_equal(lun_to_array(L, -1), twice);
    lua_setglobal(L, "w");
    lun_release(twice);
    assert_int_equal(luaL_dostring(L, "collectgarbage() assert(w[3] == 6)"), LUA_OK);
    lua_pushcfunction(L, push_foreign);
    lua_pushlightuserdata(L, foreign);
    assert_int_equal(lua_pcall(L, 1, 1, 0), LUA_ERRRUN);
    assert_non_null(strstr(lua_tostring(L, -1), "another engine"));
    lua_pop(L, 1);
    lua_pushinteger(L, 1);
    assert_null(lun_to_array(L, -1));
    assert_null(lun_to_array(NULL, 1));
    lua_pop(L, 1);
    assert_int_equal(lua_gettop(L), 1); /* of luaL_requiref */
    lua_close(L);
    lun_release(foreign);
}

/* ---- structs between versions ---------------------------------------------------------------- */

static void test_sizes(void **state)
{
    struct {
        lun_stats s;
        char beyond[64];
    } wide;
    lun_config c = {.size = sizeof c, .threads = -1};
    lun_op_info row = {.size = offsetof(lun_op_info, symbol)};
    lun_cache_state none = {0};
    (void)state;
    assert_string_equal(lun_version(), LUN_VERSION);
    /* an older, shorter one */
    memset(&wide, 0x55, sizeof wide);
    wide.s.size = offsetof(lun_stats, launches);
    lun_stats_get(e, &wide.s);
    assert_int_equal(wide.s.compiles, 0);
    assert_int_equal(wide.s.launches, INT64_C(0x5555555555555555));
    assert_int_equal(wide.s.size, offsetof(lun_stats, launches));
    /* a newer, longer one */
    wide.s.size = sizeof wide;
    lun_stats_get(e, &wide.s);
    assert_int_equal(wide.s.launches, 0);
    assert_int_equal(wide.beyond[0], 0x55);
    assert_true(lun_op_describe(LUN_OP_ADD, &row));
    assert_string_equal(row.name, "add");
    assert_null(row.symbol);
    row.size = 0;
    assert_false(lun_op_describe(LUN_OP_ADD, &row));
    lun_cache_info(e, false, &none);
    assert_null(none.reason);
    lun_config_get(e, &c);
    assert_int_equal(c.threads, 2);
    /* devices lie as far apart as their host's rows */
    struct {
        lun_device d;
        char more[32];
    } rows[8];
    memset(rows, 0x55, sizeof rows);
    rows[0].d.size = sizeof rows[0];
    int count = lun_devices(e, &rows[0].d, 8);
    assert_true(count >= 1);
    for (int i = 0; i < count && i < 8; i++) {
        assert_true(strlen(rows[i].d.backend) > 0 && rows[i].d.size == sizeof rows[0]);
        assert_int_equal(rows[i].more[0], 0x55);
    }
    rows[0].d.size = 0;
    assert_int_equal(lun_devices(e, &rows[0].d, 8), 0);
}

int main(void)
{
#define CASE(name) cmocka_unit_test_setup_teardown(name, open_engine, close_engine)
    const struct CMUnitTest tests[] = {
        CASE(test_call),  CASE(test_call_fails), CASE(test_register),
        CASE(test_texts), CASE(test_kinds),      CASE(test_errors_without_message),
        CASE(test_exit),  CASE(test_print),      CASE(test_time_limit),
        CASE(test_files), CASE(test_own_state),  CASE(test_sizes),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
