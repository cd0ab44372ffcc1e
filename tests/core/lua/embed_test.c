/* The C interface as an embedder uses it: first without Lua, then with scripts of the engine's own
 * state, several engines, a host's own lua_State. Values are compared with C's own arithmetic. */
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

#include "lunarray_bind.h"

static lun_engine *open_engine(void)
{
    lun_config config = {.size = sizeof config, .cache_dir = "", .jit = LUN_JIT_OFF, .threads = 2};
    lun_engine *e = NULL;
    assert_int_equal(lun_open(&config, &e), LUN_OK);
    assert_non_null(e);
    return e;
}

static int set_up(void **state)
{
    *state = open_engine();
    return 0;
}

static int tear_down(void **state)
{
    lun_close(*state);
    return 0;
}

/* ---- without Lua ----------------------------------------------------------------------------- */

static int released;

static void count_release(void *data, void *ctx)
{
    assert_ptr_equal(data, ctx);
    released++;
}

static void test_expression(void **state)
{
    lun_engine *e = *state;
    double x[5] = {1, 2, 3, 4, 5}, y[5] = {10, 20, 30, 40, 50}, out[5];
    lun_array *a, *b, *two, *sum, *product;
    released = 0;
    assert_int_equal(lun_wrap(e, x, 5, LUN_F64, count_release, x, &a), LUN_OK);
    assert_int_equal(lun_vector(e, y, 5, LUN_F64, &b), LUN_OK);
    assert_int_equal(lun_number(e, 2, &two), LUN_OK);
    assert_int_equal(lun_add(e, a, b, &sum), LUN_OK);
    assert_int_equal(lun_mul(e, sum, two, &product), LUN_OK);
    assert_int_equal(lun_length(product), 5);
    assert_int_equal(lun_dtype_of(product), LUN_F64);
    assert_int_equal(lun_read(e, product, out, 0, 5), LUN_OK);
    for (int i = 0; i < 5; i++)
        assert_true(out[i] == (x[i] + y[i]) * 2);
    lun_release(a);
    lun_release(b);
    lun_release(two);
    lun_release(sum);
    lun_release(product);
    assert_int_equal(released, 1);
}

static void test_skeletons(void **state)
{
    lun_engine *e = *state;
    int32_t x[4] = {1, 2, 3, 4};
    lun_array *a, *scan, *total;
    lun_function *add;
    lun_value v;
    assert_int_equal(lun_vector(e, x, 4, LUN_I32, &a), LUN_OK);
    assert_int_equal(lun_function_op(e, LUN_OP_ADD, &add), LUN_OK);
    assert_int_equal(lun_scan(e, add, NULL, a, true, &scan), LUN_OK);
    assert_int_equal(lun_reduce(e, add, NULL, a, &total), LUN_OK);
    lun_array *both[2] = {scan, total};
    assert_int_equal(lun_eval(e, both, 2), LUN_OK);
    assert_int_equal(lun_get(e, total, 0, &v), LUN_OK);
    assert_int_equal(v.as.i, 10);
    for (int i = 0, sum = 0; i < 4; i++) {
        sum += x[i];
        assert_int_equal(lun_get(e, scan, i, &v), LUN_OK);
        assert_int_equal(v.as.i, sum);
    }
    lun_function_release(add);
    lun_release(a);
    lun_release(scan);
    lun_release(total);
}

static void test_errors(void **state)
{
    lun_engine *e = *state;
    lun_array *a, *b, *out = NULL;
    assert_int_equal(lun_vector(e, NULL, 4, LUN_F32, &a), LUN_OK);
    assert_int_equal(lun_vector(e, NULL, 5, LUN_F32, &b), LUN_OK);
    assert_int_equal(lun_add(e, a, b, &out), LUN_ESHAPE);
    assert_int_equal(lun_error_operand(e), 2);
    assert_int_equal(lun_add(e, a, NULL, &out), LUN_EARG);
    assert_int_equal(lun_error_operand(e), 2);
    assert_int_equal(lun_row(e, a, 0, &out), LUN_ESHAPE);
    assert_int_equal(lun_error_operand(e), 0);
    assert_int_equal(lun_add(e, a, b, &out), LUN_ESHAPE);
    assert_null(out);
    assert_non_null(strstr(lun_error(e), "f32[4] and f32[5]"));
    assert_int_equal(lun_free(e, a), LUN_OK);
    assert_int_equal(lun_add(e, a, a, &out), LUN_EFREED);
    assert_int_equal(lun_add(e, NULL, b, &out), LUN_EARG);
    assert_null(out);
    assert_int_equal(lun_add(e, b, b, &out), LUN_OK);
    lun_release(out);
    lun_release(a);
    lun_release(b);
    lun_close(NULL);
}

/* ---- with Lua -------------------------------------------------------------------------------- */

static void test_scripts(void **state)
{
    lun_engine *e = *state;
    double x[3] = {1, 2, 3}, number = 0;
    lun_array *a, *b;
    lun_value v;
    assert_int_equal(lun_vector(e, x, 3, LUN_F64, &a), LUN_OK);
    assert_int_equal(lun_setglobal(e, "a", a), LUN_OK);
    assert_int_equal(lun_setnumber(e, "k", 10), LUN_OK);
    assert_int_equal(lun_dostring(e, "b = a * k + lun.ones(3); total = b:sum(); s = b:reduce '+'"),
                     LUN_OK);
    assert_int_equal(lun_getnumber(e, "total", &number), LUN_OK);
    assert_true(number == 63);
    assert_int_equal(lun_getnumber(e, "s", &number), LUN_OK);
    assert_true(number == 63);
    assert_int_equal(lun_getglobal(e, "b", &b), LUN_OK);
    for (int i = 0; i < 3; i++) {
        assert_int_equal(lun_get(e, b, i, &v), LUN_OK);
        assert_true(v.as.d == x[i] * 10 + 1);
    }
    /* The script's array is the very one: what it writes is seen here. */
    assert_int_equal(lun_dostring(e, "a[1] = 77"), LUN_OK);
    assert_int_equal(lun_get(e, a, 0, &v), LUN_OK);
    assert_true(v.as.d == 77);
    lun_release(a);
    lun_release(b);
}

static void test_outlives_script(void **state)
{
    lun_engine *e = *state;
    lun_array *a;
    lun_value v;
    assert_int_equal(lun_dostring(e, "keep = lun.range(1, 100) * 2"), LUN_OK);
    assert_int_equal(lun_getglobal(e, "keep", &a), LUN_OK);
    assert_int_equal(lun_dostring(e, "keep = nil; collectgarbage(); collectgarbage()"), LUN_OK);
    assert_int_equal(lun_get(e, a, 99, &v), LUN_OK);
    assert_int_equal(v.as.i, 200);
    lun_release(a);
}

static void test_script_errors(void **state)
{
    lun_engine *e = *state;
    lun_array *a = NULL;
    double x = 5;
    assert_int_equal(lun_dostring(e, "this is no Lua"), LUN_ESCRIPT);
    assert_non_null(strstr(lun_error(e), "syntax error"));
    assert_int_equal(lun_dostring(e, "local x = nil + 1"), LUN_ESCRIPT);
    assert_non_null(strstr(lun_error(e), "arithmetic on a nil value"));
    assert_non_null(strstr(lun_error(e), "stack traceback"));
    assert_int_equal(lun_dostring(e, "return lun.ones(4) + lun.ones(5)"), LUN_ESCRIPT);
    assert_non_null(strstr(lun_error(e), "lengths differ: f64[4] and f64[5]"));
    assert_int_equal(lun_dostring(e, "(lun.vector{1} // lun.vector{0}):eval()"), LUN_EZERO);
    assert_non_null(strstr(lun_error(e), "attempt to perform 'n//0'"));
    assert_int_equal(lun_dostring(e, "error{}"), LUN_ESCRIPT);
    assert_int_equal(lun_dostring(e, "error()"), LUN_ESCRIPT);
    assert_int_equal(lun_dostring(e, "error(setmetatable({}, {__tostring = error}))"), LUN_ESCRIPT);
    assert_int_equal(lun_dostring(e, "(lun.zeros(1 << 50) + lun.random(1 << 50)):eval()"),
                     LUN_ENOMEM);
    assert_int_equal(lun_dostring(e, "return ('x'):rep(1 << 60)"), LUN_ESCRIPT);
    assert_int_equal(lun_dofile(e, "/nonexistent/script.lua"), LUN_EIO);
    assert_non_null(strstr(lun_error(e), "/nonexistent/script.lua"));
    assert_int_equal(lun_getglobal(e, "nothing", &a), LUN_EARG);
    assert_non_null(strstr(lun_error(e), "'nothing'"));
    assert_null(a);
    assert_int_equal(lun_getnumber(e, "lun", &x), LUN_EARG);
    assert_true(x == 5);
    assert_int_equal(lun_dostring(e, NULL), LUN_EARG);
    assert_int_equal(lun_dostring(NULL, "x = 1"), LUN_EARG);
    assert_int_equal(lun_setglobal(e, "a", NULL), LUN_EARG);
    assert_int_equal(lun_getglobal(e, "a", NULL), LUN_EARG);
    assert_int_equal(lun_dostring(e, "assert((lun.vector{1} + 1)[1] == 2)"), LUN_OK);
}

static void test_file(void **state)
{
    lun_engine *e = *state;
    char path[] = "/tmp/embed_test_XXXXXX";
    double x = 0;
    int fd = mkstemp(path);
    assert_true(fd >= 0);
    FILE *f = fdopen(fd, "w");
    assert_non_null(f);
    fputs("#!/usr/bin/env lunarray\nanswer = (lun.index(6) * 2):sum()\n", f);
    fclose(f);
    assert_int_equal(lun_dofile(e, path), LUN_OK);
    assert_int_equal(lun_getnumber(e, "answer", &x), LUN_OK);
    assert_true(x == 42);
    remove(path);
}

static void test_require(void **state)
{
    lun_engine *e = *state;
    assert_int_equal(lun_dostring(e, "assert(require 'lunarray' == lun)"), LUN_OK);
    assert_int_equal(lun_dostring(e, "assert(require 'lunarray.format.io')"), LUN_OK);
    assert_int_equal(lun_dostring(e, "package.loaded['lunarray'] = nil\n"
                                     "package.loaded['lunarray.core'] = nil\n"
                                     "local a = lun.vector {1}\n"
                                     "assert(require('lunarray.core').isarray(a))"),
                     LUN_OK);
}

/* ---- several of them ------------------------------------------------------------------------- */

static void test_two_engines(void **state)
{
    (void)state;
    lun_engine *one = open_engine(), *two = open_engine();
    lun_array *a, *b = NULL;
    double x = 0;
    assert_int_equal(lun_dostring(one, "v = lun.vector {1, 2}; x = 1"), LUN_OK);
    assert_int_equal(lun_dostring(two, "v = lun.vector {3, 4}; x = 2"), LUN_OK);
    assert_int_equal(lun_getnumber(one, "x", &x), LUN_OK);
    assert_true(x == 1);
    assert_int_equal(lun_getglobal(one, "v", &a), LUN_OK);
    /* An array of one engine is refused by the other. */
    assert_int_equal(lun_add(two, a, a, &b), LUN_EARG);
    lun_release(a);
    lun_close(one);
    assert_int_equal(lun_dostring(two, "assert(v:sum() == 7)"), LUN_OK);
    lun_close(two);
}

static lua_State *host_state(void)
{
    lua_State *L = luaL_newstate();
    assert_non_null(L);
    luaL_openlibs(L);
    luaL_requiref(L, "lunarray", luaopen_lunarray, 0);
    lua_setglobal(L, "lun");
    return L;
}

static void run_in(lua_State *L, const char *text)
{
    if (luaL_dostring(L, text) != LUA_OK)
        fail_msg("%s", lua_tostring(L, -1));
}

static void test_own_states(void **state)
{
    (void)state;
    lua_State *one = host_state(), *two = host_state();
    run_in(one, "v = lun.range(1, 10) * 2");
    run_in(two, "v = lun.range(1, 20) * 2");
    run_in(one, "assert(v:sum() == 110)");
    lua_close(one);
    run_in(two, "assert(v:sum() == 420)");
    lua_close(two);
}

/* At the end of a state arrays are finalised in any order, also by finalisers of scripts. */
static void test_closing_order(void **state)
{
    (void)state;
    for (int i = 0; i < 3; i++) {
        lua_State *L = luaL_newstate();
        assert_non_null(L);
        luaL_openlibs(L);
        /* Made before the engine, so finalised after it. */
        run_in(L,
               "early = setmetatable({}, {__gc = function(t)\n"
               "  if t.v then pcall(function() return t.v + 1 end) pcall(tostring, t.v) end end})");
        luaL_requiref(L, "lunarray", luaopen_lunarray, 1);
        run_in(L, "early.v = lunarray.vector {1, 2, 3}\n"
                  "late = setmetatable({}, {__gc = function(t)\n"
                  "  made = lunarray.vector {1, 2} + 1; assert(made[1] == 2) made:eval() end})\n"
                  "getmetatable(early.v).kept = early.v\n"
                  "s = lunarray.map '-' >> lunarray.reduce('+', 0)\n"
                  "t = s(early.v)\n"
                  "plan = lunarray.explain(t)");
        if (i == 1)
            run_in(L, "debug.setmetatable(early.v, nil) lunarray = nil collectgarbage()");
        if (i == 2)
            run_in(L, "local r = debug.getregistry() for k in pairs(r) do\n"
                      "  if type(k) == 'userdata' then r[k] = nil end end\n"
                      "collectgarbage() collectgarbage() assert(t:value() == -6)");
        lua_close(L);
    }
}

/* A host's state keeps its allocator; arrays of such a state are released by
 * finalisers, or by its end. */
static void test_host_allocator(void **state)
{
    (void)state;
    lua_State *L = luaL_newstate();
    assert_non_null(L);
    void *before, *after;
    lua_Alloc own = lua_getallocf(L, &before);
    luaL_openlibs(L);
    luaL_requiref(L, "lunarray", luaopen_lunarray, 1);
    assert_true(lua_getallocf(L, &after) == own);
    assert_ptr_equal(after, before);
    run_in(L, "collectgarbage()\n"
              "local a, before = lunarray.vector {1, 2, 3}, lunarray.stats().nodes\n"
              "for i = 1, 1000 do local _ = (a + i) * a end\n"
              "collectgarbage()\n"
              "assert(lunarray.stats().nodes <= before + 5)\n"
              "kept = a * 2");
    lua_close(L);
}

/* A text with its length and name; where it failed, and with which status. */
static void test_run(void **state)
{
    lun_engine *e = *state;
    double x = 0;
    static const char zero[] = "x = #'a\0b' + 1 -- beyond: )";
    static const struct {
        const char *text, *name;
        lun_status status;
        const char *where, *begins;
    } rows[] = {
        {"\nlocal v = nil + 1", "=rules", LUN_ESCRIPT, "rules:2", "rules:2: attempt to perform"},
        {"\n\nerror('own')", "@dir/rules.lua", LUN_ESCRIPT, "dir/rules.lua:3",
         "dir/rules.lua:3: own"},
        {"error('own', 0)", "=rules", LUN_ESCRIPT, "", "own"},
        {"error('a:7: own', 0)", "=rules", LUN_ESCRIPT, "a:7", "a:7: own"},
        {"x = (", "=rules", LUN_ESCRIPT, "rules:1", "rules:1: unexpected symbol"},
        {"local a = lun.vector{1}\nlocal b = a // lun.vector{0}\nb:eval()", "=rules", LUN_EZERO,
         "rules:2", "rules:2: attempt to perform 'n//0'"},
        {"local function f() return lun.vector{1}:take{7}:eval() end\npcall(f) f()", "=rules",
         LUN_EBOUNDS, "rules:1", "rules:1: "},
        {"\nreturn lun.ones(4) + lun.ones(5)", "=rules", LUN_ESCRIPT, "rules:2",
         "rules:2: bad argument"},
        {"error{code = 'EZERO', message = 'own'}", "=rules", LUN_ESCRIPT, "", "own"},
        {"error{code = 'EZERO'}", NULL, LUN_ESCRIPT, "script:1", "script:1: error without"},
        {"local s = 'x:1:' .. nil", "local s = 'x:1:'", LUN_ESCRIPT,
         "[string \"local s = 'x:1:'\"]:1", "[string \"local s = 'x:1:'\"]:1: attempt"},
    };
    assert_int_equal(lun_run(e, zero, sizeof zero - 4, "=zero"), LUN_OK);
    assert_int_equal(lun_getnumber(e, "x", &x), LUN_OK);
    assert_true(x == 4);
    for (size_t k = 0; k < sizeof rows / sizeof rows[0]; k++) {
        assert_int_equal(lun_run(e, rows[k].text, strlen(rows[k].text), rows[k].name),
                         rows[k].status);
        if (strncmp(lun_error(e), rows[k].begins, strlen(rows[k].begins)))
            fail_msg("'%s' does not begin with '%s'", lun_error(e), rows[k].begins);
        assert_string_equal(lun_error_where(e), rows[k].where);
    }
    assert_int_equal(lun_run(e, "\x1bLua", 4, "=code"), LUN_ESCRIPT);
    assert_int_equal(lun_run(e, NULL, 0, NULL), LUN_EARG);
    assert_int_equal(lun_run(NULL, "", 0, NULL), LUN_EARG);
    assert_int_equal(lun_run(e, "", 0, NULL), LUN_OK);
    assert_string_equal(lun_error_where(e), "");
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test_setup_teardown(test_expression, set_up, tear_down),
        cmocka_unit_test_setup_teardown(test_skeletons, set_up, tear_down),
        cmocka_unit_test_setup_teardown(test_errors, set_up, tear_down),
        cmocka_unit_test_setup_teardown(test_scripts, set_up, tear_down),
        cmocka_unit_test_setup_teardown(test_outlives_script, set_up, tear_down),
        cmocka_unit_test_setup_teardown(test_script_errors, set_up, tear_down),
        cmocka_unit_test_setup_teardown(test_run, set_up, tear_down),
        cmocka_unit_test_setup_teardown(test_file, set_up, tear_down),
        cmocka_unit_test_setup_teardown(test_require, set_up, tear_down),
        cmocka_unit_test(test_two_engines),
        cmocka_unit_test(test_own_states),
        cmocka_unit_test(test_closing_order),
        cmocka_unit_test(test_host_allocator),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
