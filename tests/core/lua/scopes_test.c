/* Scopes as objects: what a script does in one is seen in no other; values by paths, functions
 * held and called, functions of the host with a context that ends; scopes freed, stopped, by
 * thousands. */
#include "engine_kit.h"

#include <stdio.h>
#include <stdlib.h>

#include "lunarray_bind.h"

static lun_globals *new_scope(void)
{
    lun_globals *s = NULL;
    OK(lun_scope_new(e, &s));
    return s;
}

static lun_status run(lun_globals *s, const char *text)
{
    return lun_scope_run(s, text, strlen(text), "=test");
}

static double number_at(lun_globals *s, const char *path)
{
    lun_variant v;
    OK(lun_scope_get(s, path, &v));
    assert_true(v.type == LUN_TYPE_NUMBER || v.type == LUN_TYPE_INTEGER);
    return v.type == LUN_TYPE_NUMBER ? v.as.number : (double)v.as.integer;
}

static lun_variant integer(int64_t x)
{
    return (lun_variant){.type = LUN_TYPE_INTEGER, .as.integer = x};
}

static int open_engine(void **state, int sandbox)
{
    lun_config c = {.size = sizeof c, .backend = "reference", .cache_dir = "", .sandbox = sandbox};
    (void)state;
    return lun_open(&c, &e) != LUN_OK;
}

static int open_plain(void **state)
{
    return open_engine(state, 0);
}

static int open_sandbox(void **state)
{
    return open_engine(state, 1);
}

/* Nothing of what scripts had is left. */
static int end(void **state)
{
    lun_trim(e);
    return kit_close(state);
}

/* ---- apart ----------------------------------------------------------------------------------- */

static void test_apart(void **state)
{
    static const char *const look =
        "assert(x == nil and y == nil and string.twice == nil and lun.mine == nil and lun.op.mine "
        "== nil)\n"
        "assert(string.format('%d', 3) == '3' and table.concat{1, 2} == '12' and math.pi > 3.1 and "
        "pairs and _G == _ENV)\n"
        "assert(('ab'):rep(2) == 'abab' and not pcall(function() return ('a'):twice() end))\n"
        "assert(lun.op.add and lun.date.year and lun.vector{1, 2}:sum() == 3)\n"
        "assert(load 'return _G'() == _G and load 'return x'() == nil)\n"
        "local n, m = 0, 0 for k in pairs(math) do n = n + 1 end for k in pairs(lun) do m = m + 1 "
        "end\n"
        "assert(n > 20 and m > 300)\n"
        "assert(lun.map(function(v) return lun.sqrt(v) + math.sqrt(v) end)(lun.vector{4})[1] == "
        "4)\n"
        "for k, v in pairs(lun.date) do assert(type(v) == 'function') end";
    static const char *const ruin =
        "x = 1 _G.y = 2 function string.twice(s) return s .. s end lun.mine = 1 lun.op.mine = 2\n"
        "assert(lun.mine == 1 and lun.op.mine == 2 and lun.op.add and lun.vector and string.twice "
        "'a' == 'aa' and string.rep)\n"
        "lun.vector = nil lun.op.add = nil lun.date = nil string.format = nil table.concat = nil "
        "math.pi = 3\n"
        "assert(lun.vector == nil and lun.op.add == nil and lun.date == nil and string.format == "
        "nil and math.pi == 3)\n"
        "assert(lun.zeros and lun.op.mul and string.rep and ('%d'):format(3) == '3')\n"
        "for k in pairs(_G) do if k ~= '_G' then _G[k] = nil end end";
    lun_globals *a = new_scope(), *b = new_scope(), *c;
    (void)state;
    OK(run(b, look));
    OK(run(a, ruin));
    OK(run(b, look));
    c = new_scope();
    OK(run(c, look));
    OK(lun_dostring(e, look));
    OK(lun_dostring(
        e,
        "x = 5 function string.twice(s) return s end lun.mine = 7 assert(('a'):twice() == 'a')"));
    OK(run(b, look));
    OK(run(b, "x = 6"));
    OK(lun_dostring(e, "assert(x == 5 and ('b'):twice() == 'b')"));
    OK(lun_scope(e, "named"));
    OK(lun_dostring(e, look));
    OK(lun_scope(e, NULL));
    lun_scope_free(a);
    lun_scope_free(b);
    lun_scope_free(c);
    c = new_scope();
    OK(run(c, look));
    lun_scope_free(c);
}

/* What shows a library gives nothing to write to. */
static void test_protected(void **state)
{
    lun_globals *a = new_scope();
    (void)state;
    OK(run(a, "assert(getmetatable(string) == false and getmetatable(lun) == false and "
              "getmetatable(lun.op) == false)\n"
              "assert(not pcall(setmetatable, string, {}) and not pcall(setmetatable, lun, {}))\n"
              "assert(pcall(setmetatable, _G, {__index = function(_, k) return k .. '!' end})) "
              "assert(nosuch == 'nosuch!')"));
    lun_scope_free(a);
}

/* ---- values ---------------------------------------------------------------------------------- */

static void test_paths(void **state)
{
    lun_globals *s = new_scope();
    const double x[3] = {1, 2, 3};
    lun_variant v = integer(3), args[2] = {integer(4), integer(5)}, out[2];
    lun_array *a;
    int given;
    (void)state;
    OK(lun_scope_set(s, "cfg.deep.gain", &v));
    OK(run(s, "assert(cfg.deep.gain == 3) cfg.deep.gain = 4.5 cfg.text = 'a\\0b' cfg.no = false"));
    assert_true(number_at(s, "cfg.deep.gain") == 4.5);
    OK(lun_scope_get(s, "cfg.text", &v));
    assert_int_equal(v.length, 3);
    assert_memory_equal(v.as.text, "a\0b", 3);
    OK(lun_scope_get(s, "cfg.no", &v));
    assert_true(v.type == LUN_TYPE_BOOLEAN && !v.as.boolean);
    OK(lun_scope_get(s, "cfg.nothing", &v));
    assert_int_equal(v.type, LUN_TYPE_NIL);
    FAILS(lun_scope_get(s, "cfg.nothing.x", &v), LUN_EARG, "'cfg.nothing' is nil, not a table");
    FAILS(lun_scope_get(s, "cfg.text.x", &v), LUN_EARG, "'cfg.text' is a string, not a table");
    FAILS(lun_scope_set(s, "cfg.text.x", &v), LUN_EARG, "'cfg.text' is a string, not a table");
    FAILS(lun_scope_get(s, "cfg", &v), LUN_EARG, "global 'cfg' is a table, not nil, a boolean");
    OK(lun_vector(e, x, 3, LUN_F64, &a));
    v = (lun_variant){.type = LUN_TYPE_ARRAY, .as.array = a};
    OK(lun_scope_set(s, "cfg.a", &v));
    OK(run(s, "cfg.b = cfg.a * 2 cfg.a[1] = 7 f = {g = function(x, y) return x + y, x * y end}"));
    OK(lun_scope_get(s, "cfg.b", &v));
    lun_value sum;
    OK(lun_total(e, LUN_SUM, v.as.array, 0, &sum));
    assert_true(sum.as.d == 12);
    lun_release(v.as.array);
    OK(lun_get(e, a, 0, &sum));
    assert_true(sum.as.d == 7);
    lun_release(a);
    OK(lun_scope_call(s, "f.g", args, 2, out, 2, &given));
    assert_true(given == 2 && out[0].as.integer == 9 && out[1].as.integer == 20);
    FAILS(lun_scope_call(s, "f.h", args, 2, out, 2, &given), LUN_EARG,
          "'f.h' is nil, not a function");
    FAILS(lun_scope_call(s, "f", NULL, 0, NULL, 0, NULL), LUN_EARG,
          "'f' is a table, not a function");
    FAILS(run(s, "x ="), LUN_ESCRIPT, "test:1: unexpected symbol");
    FAILS(lun_scope_run(s, NULL, 0, NULL), LUN_EARG, "missing (NULL)");
    FAILS(lun_scope_get(s, NULL, &v), LUN_EARG, "missing (NULL)");
    FAILS(lun_scope_get(s, "x", NULL), LUN_EARG, "missing (NULL)");
    FAILS(lun_scope_set(s, "x", NULL), LUN_EARG, "missing (NULL)");
    assert_int_equal(lun_scope_get(NULL, "x", &v), LUN_EARG);
    assert_int_equal(lun_scope_new(NULL, &s), LUN_EARG);
    FAILS(lun_scope_new(e, NULL), LUN_EARG, "missing (NULL)");
    lun_scope_free(NULL);
    lun_scope_free(s);
}

/* A complex number of a script is an array here, and a number there again. */
static void test_complex(void **state)
{
    lun_globals *s = new_scope();
    lun_variant v;
    double re, im;
    int given;
    (void)state;
    OK(run(s, "function f(z) return z * lun.complex(0, 2) end "
              "function g() return lun.vector{lun.complex(1, 2), lun.complex(3, -1)}:sum() end"));
    OK(lun_scope_call(s, "g", NULL, 0, &v, 1, &given));
    assert_int_equal(v.type, LUN_TYPE_ARRAY);
    OK(lun_getcomplex(e, v.as.array, 0, &re, &im));
    assert_true(given == 1 && re == 4 && im == 1);
    lun_variant twice;
    OK(lun_scope_call(s, "f", &v, 1, &twice, 1, &given));
    OK(lun_getcomplex(e, twice.as.array, 0, &re, &im));
    assert_true(re == -2 && im == 8);
    OK(lun_scope_set(s, "z", &twice));
    OK(run(s, "assert(z.re == -2.0 and z.im == 8.0 and z == lun.complex(-2, 8))"));
    lun_release(v.as.array);
    lun_release(twice.as.array);
    lun_scope_free(s);
}

/* ---- references ------------------------------------------------------------------------------ */

static void test_references(void **state)
{
    lun_globals *s = new_scope();
    lun_variant arg = integer(20), out;
    lun_ref *r, *table, *other;
    (void)state;
    OK(run(s, "local n = 0 function add(x) n = n + x return n end t = {1} call = setmetatable({}, "
              "{__call = function(_, x) return -x end})"));
    OK(lun_scope_ref(s, "add", &r));
    OK(run(s, "add = nil"));
    OK(lun_ref_call(r, &arg, 1, &out, 1, NULL));
    OK(lun_ref_call(r, &arg, 1, &out, 1, NULL));
    assert_int_equal(out.as.integer, 40);
    OK(lun_scope_ref(s, "t", &table));
    FAILS(lun_ref_call(table, NULL, 0, NULL, 0, NULL), LUN_EARG,
          "the value of 't' is a table, not a function");
    OK(lun_scope_ref(s, "call", &other));
    OK(lun_ref_call(other, &arg, 1, &out, 1, NULL));
    assert_int_equal(out.as.integer, -20);
    FAILS(lun_scope_ref(s, "t.x.y", &other), LUN_EARG, "'t.x' is nil, not a table");
    lun_ref_free(other);
    lun_scope_free(s);
    FAILS(lun_ref_call(r, &arg, 1, &out, 1, NULL), LUN_EARG, "the scope has ended");
    lun_ref_free(r);
    lun_ref_free(table);
    lun_ref_free(NULL);
    assert_int_equal(lun_ref_call(NULL, NULL, 0, NULL, 0, NULL), LUN_EARG);
}

enum { MANY = 100000 };

static void test_many_references(void **state)
{
    static lun_ref *r[MANY];
    lun_globals *s = new_scope();
    lun_variant out;
    (void)state;
    OK(run(s, "function f() return 7 end"));
    for (int i = 0; i < MANY; i++)
        OK(lun_scope_ref(s, "f", &r[i]));
    for (int i = 0; i < MANY; i += 2)
        lun_ref_free(r[i]);
    OK(lun_ref_call(r[MANY - 1], NULL, 0, &out, 1, NULL));
    assert_int_equal(out.as.integer, 7);
    lun_scope_free(s);
    for (int i = 1; i < MANY; i += 2)
        lun_ref_free(r[i]);
}

/* ---- functions of the host ------------------------------------------------------------------- */

typedef struct counter {
    int calls, ends;
    lun_globals *scope;
    char said[80]; /* where the scope is freed */
} counter;

static lun_status count(void *ctx, lun_engine *engine, const lun_variant *args, int n,
                        lun_variant *results, int *given)
{
    counter *c = ctx;
    (void)args;
    if (n)
        return lun_fail(engine, LUN_EARG, "no arguments are expected");
    c->calls++;
    if (c->scope) {
        lun_scope_free(c->scope);
        snprintf(c->said, sizeof c->said, "%s", lun_error(engine));
    }
    results[0] = integer(c->calls);
    *given = 1;
    return LUN_OK;
}

static void ended(void *ctx)
{
    ((counter *)ctx)->ends++;
}

static void test_natives(void **state)
{
    lun_globals *s = new_scope(), *other = new_scope();
    counter c = {0}, never = {0};
    lun_variant v = {.type = LUN_TYPE_TEXT, .as.text = "x"};
    (void)state;
    OK(lun_scope_register(s, "host.log.count", count, &c, ended));
    OK(run(s, "assert(host.log.count() == 1 and host.log.count() == 2)"));
    FAILS(run(s, "host.log.count(1)"), LUN_ESCRIPT,
          "test:1: host.log.count: no arguments are expected");
    FAILS(run(other, "host.log.count()"), LUN_ESCRIPT, "global 'host'");
    OK(lun_scope_set(other, "host", &v));
    FAILS(lun_scope_register(other, "host.count", count, &never, ended), LUN_EARG,
          "'host' is a string, not a table");
    FAILS(lun_scope_register(other, "count", NULL, &never, ended), LUN_EARG,
          "a function is missing (NULL)");
    lun_trim(e);
    assert_true(c.calls == 2 && c.ends == 0 && never.ends == 0);
    OK(run(s, "host.log = nil"));
    lun_trim(e);
    assert_int_equal(c.ends, 1);
    OK(lun_scope_register(s, "count", count, &c, ended));
    lun_scope_free(s);
    lun_trim(e);
    assert_true(c.ends == 2 && never.ends == 0);
    lun_scope_free(other);
}

/* Destructors run once, also at the end of the engine. */
static void test_natives_at_close(void **state)
{
    counter c = {0};
    lun_engine *own;
    lun_globals *s;
    (void)state;
    lun_config config = {.size = sizeof config, .backend = "reference", .cache_dir = ""};
    OK(lun_open(&config, &own));
    assert_int_equal(lun_scope_new(own, &s), LUN_OK);
    assert_int_equal(lun_scope_register(s, "count", count, &c, ended), LUN_OK);
    assert_int_equal(
        lun_scope_run(s, "setmetatable({}, {__gc = function() pcall(count) end})", 54, NULL),
        LUN_OK);
    lun_scope_free(s);
    lun_close(own);
    assert_int_equal(c.ends, 1);
}

static void test_free_inside(void **state)
{
    lun_globals *s = new_scope(), *other = new_scope();
    counter self = {.scope = s}, b = {.scope = other};
    (void)state;
    OK(lun_scope_register(s, "free_self", count, &self, NULL));
    OK(lun_scope_register(s, "free_other", count, &b, NULL));
    OK(run(s, "free_self() x = 5"));
    assert_string_equal(self.said, "a scope cannot be freed inside a call of its own");
    assert_true(number_at(s, "x") == 5);
    OK(run(s, "free_other() x = 6"));
    assert_true(number_at(s, "x") == 6);
    lun_scope_free(s);
}

/* ---- one in another -------------------------------------------------------------------------- */

static lun_status run_other(void *ctx, lun_engine *engine, const lun_variant *args, int n,
                            lun_variant *results, int *given)
{
    (void)engine;
    (void)args;
    (void)results;
    (void)n;
    *given = 0;
    return run(ctx, "name = 'inner' assert(load 'return name'() == 'inner') assert(twice == nil)");
}

static void test_nested(void **state)
{
    lun_globals *a = new_scope(), *b = new_scope();
    (void)state;
    OK(lun_scope_register(a, "inner", run_other, b, NULL));
    OK(run(a, "name = 'outer' twice = 2 inner() assert(name == 'outer' and load 'return name'() == "
              "'outer')\n"
              "coroutine.wrap(function() inner() assert(name == 'outer' and load 'return name'() "
              "== 'outer') end)()"));
    OK(lun_dostring(e, "assert(name == nil and load 'return name'() == nil)"));
    lun_scope_free(a);
    lun_scope_free(b);
}

/* ---- limits ---------------------------------------------------------------------------------- */

static int open_limited(void **state)
{
    lun_config c = {.size = sizeof c,
                    .backend = "reference",
                    .cache_dir = "",
                    .sandbox = 1,
                    .memory_limit = 8 << 20,
                    .time_limit = 0.2};
    (void)state;
    return lun_open(&c, &e) != LUN_OK;
}

static void test_limits(void **state)
{
    lun_globals *s = new_scope(), *other = new_scope();
    (void)state;
    OK(run(s, "x = 1"));
    FAILS(run(s, "x = 2 while true do end"), LUN_ELIMIT, "time limit");
    assert_true(number_at(s, "x") == 2);
    assert_int_equal(run(s, "local t = {} for i = 1, 1e9 do t[i] = lun.zeros(1000) end"),
                     LUN_ELIMIT);
    OK(run(s, "x = x + 1"));
    assert_true(number_at(s, "x") == 3);
    OK(run(other, "assert(x == nil)"));
    lun_scope_free(s);
    lun_scope_free(other);
}

/* ---- thousands ------------------------------------------------------------------------------- */

enum { SCOPES = 10000 };

static void test_thousands(void **state)
{
    static lun_globals *s[SCOPES];
    const int64_t before = (lun_trim(e), lun_memory_used(e));
    int64_t all;
    (void)state;
    for (int i = 0; i < SCOPES; i++)
        s[i] = new_scope();
    for (int i = 0; i < SCOPES; i++) {
        const lun_variant v = integer(i);
        OK(lun_scope_set(s[i], "i", &v));
    }
    lun_trim(e);
    all = lun_memory_used(e) - before;
    assert_true(all < (int64_t)SCOPES * 10240);
    for (int i = 0; i < SCOPES; i += 101)
        assert_true(number_at(s[i], "i") == i);
    for (int i = 0; i < SCOPES; i++)
        lun_scope_free(s[i]);
}

/* A hundred thousand, of which a thousand are there at a time, take the memory of these. */
static void test_in_turn(void **state)
{
    enum { ALL = 100000, THERE = 1000 };
    static lun_globals *s[THERE];
    int64_t after = 0;
    (void)state;
    for (int i = 0; i < ALL; i++) {
        const lun_variant v = integer(i);
        lun_globals **at = &s[i % THERE];
        if (*at)
            assert_true(number_at(*at, "i") == i - THERE);
        lun_scope_free(*at);
        *at = new_scope();
        OK(lun_scope_set(*at, "i", &v));
        if (i % (ALL / 4) == ALL / 4 - 1) {
            lun_trim(e);
            after = after ? after : lun_memory_used(e);
            assert_true(lun_memory_used(e) <= after + after / 4);
        }
    }
    for (int i = 0; i < THERE; i++)
        lun_scope_free(s[i]);
}

/* Rounds after the first ten leave nothing behind. */
static void test_rounds(void **state)
{
    int64_t after = 0;
    (void)state;
    for (int round = 0; round < 1000; round++) {
        lun_globals *s = new_scope();
        counter c = {0};
        lun_ref *r;
        OK(lun_scope_register(s, "host.count", count, &c, ended));
        OK(run(s, "function f() return host.count() end kept = lun.zeros(1000) string.mine = f "
                  "lun.mine = f"));
        OK(lun_scope_ref(s, "f", &r));
        OK(lun_ref_call(r, NULL, 0, NULL, 0, NULL));
        lun_ref_free(r);
        lun_scope_free(s);
        lun_trim(e);
        assert_true(c.calls == 1 && c.ends == 1);
        if (round == 10)
            after = lun_memory_used(e);
        else if (round > 10)
            assert_true(lun_memory_used(e) <= after + 4096);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test_setup_teardown(test_complex, open_plain, end),
        cmocka_unit_test_setup_teardown(test_apart, open_plain, end),
        cmocka_unit_test_setup_teardown(test_apart, open_sandbox, end),
        cmocka_unit_test_setup_teardown(test_protected, open_plain, end),
        cmocka_unit_test_setup_teardown(test_protected, open_sandbox, end),
        cmocka_unit_test_setup_teardown(test_paths, open_plain, end),
        cmocka_unit_test_setup_teardown(test_references, open_sandbox, end),
        cmocka_unit_test_setup_teardown(test_many_references, open_plain, end),
        cmocka_unit_test_setup_teardown(test_natives, open_sandbox, end),
        cmocka_unit_test_setup_teardown(test_natives_at_close, open_plain, end),
        cmocka_unit_test_setup_teardown(test_free_inside, open_plain, end),
        cmocka_unit_test_setup_teardown(test_nested, open_sandbox, end),
        cmocka_unit_test_setup_teardown(test_limits, open_limited, end),
        cmocka_unit_test_setup_teardown(test_thousands, open_sandbox, end),
        cmocka_unit_test_setup_teardown(test_in_turn, open_sandbox, end),
        cmocka_unit_test_setup_teardown(test_rounds, open_sandbox, end),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
