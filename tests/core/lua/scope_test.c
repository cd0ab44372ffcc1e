/* Environments of scripts: what one script does to its globals and to Lua's libraries is not
 * seen in another scope, and changes nothing of what the engine itself does, in and outside of a
 * sandbox. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>

#include <cmocka.h>

#include <lauxlib.h>
#include <lua.h>

#include "lunarray_bind.h"

static lun_engine *open_engine(int sandbox)
{
    lun_config config = {.size = sizeof config,
                         .cache_dir = "",
                         .jit = LUN_JIT_OFF,
                         .threads = 1,
                         .sandbox = sandbox};
    lun_engine *e = NULL;
    assert_int_equal(lun_open(&config, &e), LUN_OK);
    return e;
}

static void run(lun_engine *e, const char *scope, const char *text)
{
    assert_int_equal(lun_scope(e, scope), LUN_OK);
    if (lun_dostring(e, text) != LUN_OK)
        fail_msg("%s: %s", scope ? scope : "first", lun_error(e));
}

/* Takes away or exchanges everything that a script can reach; what it still needs is local. */
static const char ruin[] =
    "local type, next, G = type, next, _G\n"
    "local kept, L = {tostring = tostring}, {vector = lun.vector, zeros = lun.zeros}\n"
    "local function empty(t)\n"
    "    for name, v in next, t do\n"
    "        if type(v) == 'table' and name ~= '_G' and name ~= 'package' then empty(v) end\n"
    "        t[name] = nil\n"
    "    end\n"
    "end\n"
    "empty(G)\n"
    "G.kept, G.L = kept, L";

static void test_apart(void **state)
{
    (void)state;
    for (int sandbox = 0; sandbox < 2; sandbox++) {
        lun_engine *e = open_engine(sandbox);
        run(e, NULL,
            "x = 1 function string.twice(s) return s .. s end assert(('ab'):twice() == 'abab')");
        run(e, "a",
            "assert(x == nil and string.twice == nil and not pcall(function() return ('a'):twice() "
            "end))\n"
            "assert(_G == _ENV and _G.x == nil and lun.vector{1, 2}:sum() == 3) x = 2\n"
            "function string.twice(s) return s .. s .. s end assert(('a'):twice() == 'aaa')\n"
            "lun.op.add = nil lun.date = nil lun.mine = 1 table.concat = nil math.pi = 3");
        run(e, "b", ruin);
        run(e, "c",
            "assert(x == nil and lun.mine == nil and lun.op.add and lun.date and lun.date.year)\n"
            "assert(('%d'):format(3) == '3' and table.concat{1, 2} == '12' and math.pi > 3.1 and "
            "pairs)\n"
            "assert(tostring(lun.vector{1, 2}):find '1' and load 'return _G'() == _G)\n"
            "assert(lun.map(function(v) return math.sqrt(v) end)(lun.vector{4})[1] == 2)");
        run(e, "a", "assert(x == 2 and ('a'):twice() == 'aaa' and lun.mine == 1)");
        run(e, NULL,
            "assert(x == 1 and ('ab'):twice() == 'abab' and lun.mine == nil and lun.op.add)");
        run(e, "", "assert(x == 1)");
        lun_close(e);
    }
}

/* Each is a mistake, the text of which is the engine's. */
static const char *const mistakes[] = {
    "L.vector({})",
    "L.vector({1, 'x'})",
    "L.zeros(-1)",
    "local a = L.vector{1, 2} return a + L.vector{1, 2, 3}",
    "local a = L.vector{1, 2} a:sum('x', 2, 3)",
    "local a = L.vector{1, 2} return (a // 0):cast('i32'):eval()",
    "return 'shown: ' .. #kept.tostring(L.vector{1, 2, 3} * 2)",
    "local a = L.vector{1, 2} return 'text ' .. a:dtype()",
    "local a = L.vector{1, 2} a:filter(1, 2)",
    "local a = L.vector{1, 2} a:reduceby('x', 2)",
    "local a = L.vector{1, 2} a:source(3)",
};

static void test_untouched(void **state)
{
    (void)state;
    for (int sandbox = 0; sandbox < 2; sandbox++) {
        char whole[64][512];
        for (int ruined = 0; ruined < 2; ruined++) {
            lun_engine *e = open_engine(sandbox);
            run(e, NULL,
                "kept = {tostring = tostring} L = {vector = lun.vector, zeros = lun.zeros}");
            if (ruined)
                run(e, NULL, ruin);
            for (size_t i = 0; i < sizeof mistakes / sizeof mistakes[0]; i++) {
                char text[512];
                const char *found = NULL;
                snprintf(text, sizeof text,
                         "local v = (function() %s end)() said = kept.tostring(v)", mistakes[i]);
                lun_status s = lun_dostring(e, text);
                if (s == LUN_OK)
                    assert_int_equal(lun_gettext(e, "said", &found, NULL), LUN_OK);
                snprintf(text, sizeof text, "%s", s == LUN_OK ? found : lun_error(e));
                text[strcspn(text, "\n")] = 0; /* without the traceback, which names globals */
                if (!ruined)
                    strcpy(whole[i], text);
                else
                    assert_string_equal(text, whole[i]);
            }
            lun_close(e);
        }
    }
}

static lun_status nested(void *ctx, lun_engine *e, const lun_variant *args, int count,
                         lun_variant *results, int *given)
{
    (void)ctx, (void)args, (void)count, (void)results, (void)given;
    lun_status s = lun_scope(e, "inner");
    if (s == LUN_OK)
        s = lun_dostring(e,
                         "assert(name == nil) name = 'inner' string.own = 1 assert(('').own == 1)");
    return s == LUN_OK ? lun_scope_end(e, "inner") : s;
}

static void test_running(void **state)
{
    (void)state;
    lun_engine *e = open_engine(1);
    double x = 0;
    assert_int_equal(lun_scope(e, "outer"), LUN_OK);
    assert_int_equal(lun_register(e, "nested", nested, NULL), LUN_OK);
    assert_int_equal(lun_setnumber(e, "gain", 2), LUN_OK);
    run(e, "outer",
        "name = 'outer' nested() assert(name == 'outer' and load 'return name'() == 'outer')\n"
        "assert(('').own == nil)\n"
        "function twice(v) return v * gain end error_in = function() error 'x' end");
    assert_int_equal(lun_getnumber(e, "gain", &x), LUN_EARG); /* the scope ended that was chosen */
    assert_int_equal(lun_scope(e, "outer"), LUN_OK);
    lun_variant argument = {.type = LUN_TYPE_NUMBER, .as.number = 4}, result;
    int given = 0;
    assert_int_equal(lun_callglobal(e, "twice", &argument, 1, &result, 1, &given), LUN_OK);
    assert_true(result.as.number == 8);
    assert_int_equal(lun_callglobal(e, "error_in", NULL, 0, NULL, 0, NULL), LUN_ESCRIPT);
    run(e, NULL, "assert(name == nil and gain == nil)"); /* after the error too */
    lun_close(e);
}

static void test_end(void **state)
{
    (void)state;
    lun_engine *e = open_engine(1);
    lun_stats before = {.size = sizeof before}, after = before;
    run(e, NULL, "y = 7");
    lun_stats_get(e, &before);
    run(e, "large", "x = lun.zeros(100000):eval()");
    assert_int_equal(lun_scope_end(e, "large"), LUN_OK);
    lun_stats_get(e, &after);
    assert_true(after.allocated <= before.allocated);
    assert_int_equal(lun_dostring(e, "assert(y == 7)"), LUN_OK);
    run(e, "large", "assert(x == nil)");
    assert_int_equal(lun_scope_end(e, "none"), LUN_EARG);
    assert_int_equal(lun_scope_end(e, ""), LUN_EARG);
    assert_int_equal(lun_scope_end(e, NULL), LUN_EARG);
    lun_close(e);
}

/* Files of the module that have been compiled. */
static int files_of(lun_engine *e)
{
    lua_State *L = lun_host_get(e);
    int count = 0;
    luaL_getsubtable(L, LUA_REGISTRYINDEX, LUA_LOADED_TABLE);
    for (lua_pushnil(L); lua_next(L, -2); lua_pop(L, 1))
        count += lua_type(L, -2) == LUA_TSTRING &&
                 strncmp(lua_tostring(L, -2), "lunarray.", strlen("lunarray.")) == 0;
    lua_pop(L, 1);
    return count;
}

static void test_start(void **state)
{
    (void)state;
    for (int sandbox = 0; sandbox < 2; sandbox++) {
        lun_engine *e = open_engine(sandbox);
        assert_int_equal(lun_dostring(e, "x = 1"), LUN_OK);
        assert_in_range(files_of(e), 1, 6); /* of a hundred */
        int before = files_of(e);
        run(e, NULL, "local t = tostring(lun.vector{1, 2}) lun.date.year(lun.date.make(1, 2, 3))");
        assert_true(files_of(e) > before);
        lun_close(e);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_apart),   cmocka_unit_test(test_untouched),
        cmocka_unit_test(test_running), cmocka_unit_test(test_end),
        cmocka_unit_test(test_start),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
