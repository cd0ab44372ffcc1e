/* stop_test.c - lun_cancel ends what a script does in Lua itself, in engines without a limit:
 * loops, calls, pcall, coroutines that run or change all the time, from another thread and from a
 * signal handler; and kernels. The error names the place, and the engine stays usable. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include <pthread.h>
#include <signal.h>
#include <time.h>

#include "lunarray.h"
#include "stop_kit.h"

#define OK(call) assert_int_equal((call), LUN_OK)

#define BEGUN "local sign = ('x'):rep(100003) " /* SIGN */

static int64_t delay;  /* nanoseconds from there to the cancellation */
static bool in_kernel; /* which comes once the script's kernel runs */

static lun_engine *open_engine(void)
{
    const lun_config c = {
        .size = sizeof c, .cache_dir = "", .jit = LUN_JIT_OFF, .threads = 2, .alloc = note_begin};
    lun_engine *e = NULL;
    OK(lun_open(&c, &e));
    return e;
}

static void *cancel_begun(void *e)
{
    const struct timespec wait = {.tv_nsec = delay};
    wait_for_begin(e, in_kernel);
    if (delay)
        nanosleep(&wait, NULL);
    lun_cancel(e);
    return NULL;
}

/* Runs a script that does not end; a thread cancels it. */
static void assert_ends(lun_engine *e, const char *script)
{
    pthread_t t;
    expect_begin(e);
    assert_int_equal(pthread_create(&t, NULL, cancel_begun, e), 0);
    lun_status s = lun_dostring(e, script);
    pthread_join(t, NULL);
    if (s != LUN_ECANCEL)
        fail_msg("%s: %s: %s", script, lun_status_name(s), lun_error(e));
    if (!strstr(lun_error(e), "\"]:1: interrupted"))
        fail_msg("%s: no place in '%s'", script, lun_error(e));
}

static void assert_usable(lun_engine *e)
{
    double x = 0;
    OK(lun_dostring(e, "x = 0 for i = 1, 1000 do x = x + i end\n"
                       "local next = coroutine.wrap(function() for i = 1, 3 do\n"
                       "  coroutine.yield(i) end end)\n"
                       "x = x + next() + next() + (lun.range(1, 10) * 2):sum()\n"
                       "assert(debug.gethook() == nil)"));
    OK(lun_getnumber(e, "x", &x));
    assert_true(x == 500500 + 3 + 110);
}

static const char *const endless[] = {
    BEGUN "while true do end",
    BEGUN "repeat until false",
    BEGUN "::top:: goto top",
    BEGUN "local function f() end while true do f() end",
    BEGUN "local function f(n) if n > 0 then f(n - 1) end end while true do f(150) end",
    BEGUN "local function f() return f() end f()",
    BEGUN "local t = {} while true do t[#t % 100 + 1] = {} end",
    BEGUN "while true do pcall(function() while true do end end) end",
    BEGUN "while true do pcall(error) end",
    BEGUN "while true do xpcall(function() while true do end end, tostring) end",
    BEGUN "coroutine.wrap(function() while true do end end)()",
    BEGUN "while true do coroutine.resume(coroutine.create(function() while true do end end)) end",
    BEGUN "local f = coroutine.wrap(function() while true do coroutine.yield() end end)"
          " while true do f() end",
    BEGUN "local function deep(n) if n == 0 then while true do end end"
          " coroutine.wrap(deep)(n - 1) end deep(50)",
    BEGUN "while true do local f = coroutine.wrap(function() coroutine.yield() end) f() f() end",
    BEGUN "kept = coroutine.create(function() while true do coroutine.yield() end end)"
          " while true do coroutine.resume(kept) end",
    BEGUN "table.sort({1, 2, 3, 4, 5, 6, 7, 8}, function() while true do end end)",
    BEGUN "local t = setmetatable({}, {__index = function() while true do end end}) return t.x",
    BEGUN "local a = lun.ones(10) while true do local s = (a + 1):sum() end",
};

enum { ENDLESS = (int)(sizeof endless / sizeof endless[0]) };

static void test_from_a_thread(void **state)
{
    (void)state;
    lun_engine *e = open_engine();
    delay = 0;
    for (int i = 0; i < ENDLESS; i++) {
        assert_ends(e, endless[i]);
        assert_usable(e);
    }
    lun_close(e);
}

/* At any moment of what changes between Lua threads, stacks and the collector: whichever it is, the
 * script ends. */
static void test_at_any_moment(void **state)
{
    (void)state;
    lun_engine *e = open_engine();
    for (int round = 0; round < 40; round++)
        for (int i = 3; i < ENDLESS; i++) {
            delay = (round * 7919 + i * 104729) % 300000;
            assert_ends(e, endless[i]);
        }
    assert_usable(e);
    lun_close(e);
}

#ifndef __SANITIZE_THREAD__ /* which keeps signals back until the program calls the C library */
static lun_engine *signalled;
static pthread_t main_thread;

static void on_alarm(int number)
{
    (void)number;
    lun_cancel(signalled);
}

static void *signal_begun(void *e)
{
    wait_for_begin(e, false);
    pthread_kill(main_thread, SIGALRM);
    return NULL;
}

static void test_from_a_handler(void **state)
{
    (void)state;
    struct sigaction before, action = {.sa_handler = on_alarm};
    lun_engine *e = signalled = open_engine();
    assert_int_equal(sigaction(SIGALRM, &action, &before), 0);
    main_thread = pthread_self();
    for (int i = 0; i < ENDLESS; i++) {
        pthread_t t;
        expect_begin(e);
        assert_int_equal(pthread_create(&t, NULL, signal_begun, e), 0);
        assert_int_equal(lun_dostring(e, endless[i]), LUN_ECANCEL);
        pthread_join(t, NULL);
        assert_usable(e);
    }
    assert_int_equal(sigaction(SIGALRM, &before, NULL), 0);
    lun_close(e);
}
#endif

/* While nothing runs it stops nothing, and what is cancelled twice ends once. */
static void test_nothing_runs(void **state)
{
    (void)state;
    lun_engine *e = open_engine();
    lun_cancel(e);
    OK(lun_dostring(e,
                    "kept = coroutine.wrap(function() while true do coroutine.yield(1) end end)"));
    lun_cancel(e);
    assert_usable(e);
    delay = 0;
    assert_ends(e, BEGUN "while true do kept() end");
    lun_cancel(e);
    lun_cancel(e);
    assert_usable(e);
    lun_close(e);
    lun_cancel(NULL);
}

/* Coroutines are those of Lua, whose running thread is known. */
static void test_coroutines(void **state)
{
    (void)state;
    lun_engine *e = open_engine();
    static const char script[] =
        "local co = coroutine.create(function(a, b) local c = coroutine.yield(a + b)\n"
        "  error({c}) end)\n"
        "local ok, x = coroutine.resume(co, 1, 2) assert(ok and x == 3)\n"
        "ok, x = coroutine.resume(co, 7) assert(not ok and x[1] == 7)\n"
        "ok, x = coroutine.resume(co) assert(not ok and x == 'cannot resume dead coroutine')\n"
        "ok, x = pcall(coroutine.resume, 5)\n"
        "assert(x:find 'thread expected, got number', x)\n"
        "local f = coroutine.wrap(function(...) return select('#', ...), ... end)\n"
        "local n, a, b = f(nil, nil) assert(n == 2 and a == nil and b == nil)\n"
        "ok, x = pcall(f) assert(x:find 'cannot resume dead coroutine')\n"
        "f = coroutine.wrap(function() error 'here' end)\n"
        "ok, x = pcall(f) assert(x:find 'here', x)\n"
        "f = coroutine.wrap(function() error() end)\n"
        "ok, x = pcall(f) assert(not ok and x == nil)\n"
        "ok, x = pcall(coroutine.wrap, 1) assert(x:find 'function expected', x)\n"
        "local closed f = coroutine.wrap(function()\n"
        "  local v <close> = setmetatable({}, {__close = function() closed = true end})\n"
        "  error 'x' end) pcall(f) assert(closed)\n"
        "f = coroutine.wrap(function() return coroutine.isyieldable(), coroutine.running() end)\n"
        "local y, t, main = f() assert(y == true and type(t) == 'thread' and main == false)\n"
        "local self self = coroutine.wrap(function() self() end)\n"
        "ok, x = pcall(self) assert(x:find 'cannot resume non%-suspended coroutine', x)\n"
        "local big = {} for i = 1, 200 do big[i] = i end\n"
        "f = coroutine.wrap(function(...) return ... end)\n"
        "assert(select('#', f(table.unpack(big))) == 200)";
    lun_status s = lun_dostring(e, script);
    if (s != LUN_OK)
        fail_msg("%s", lun_error(e));
    lun_close(e);
}

/* Kernels that do not end, on every backend: what was there before is whole, and the backend does
 * the next evaluation. */
static void test_kernels(void **state)
{
    (void)state;
    static const char *const backends[] = {"reference", "openmp", "opencl"};
    for (size_t i = 0; i < sizeof backends / sizeof *backends; i++) {
        const lun_config c = {.size = sizeof c,
                              .backend = backends[i],
                              .cache_dir = "",
                              .jit = LUN_JIT_SYNC,
                              .alloc = note_begin};
        lun_engine *e = NULL;
        if (lun_open(&c, &e) != LUN_OK)
            continue; /* no such device here */
        OK(lun_dostring(e,
                        "kept = (lun.index(1000) * 1):eval()\n"
                        "spin = lun.map(function(x, k) while x < k do x = x - 1 end return x end)"
                        " assert(spin(kept, 0):sum() == 500500)"
                        " for _, d in ipairs(lun.devices()) do\n"
                        "  gpu = gpu or d.kind == 'gpu' or d.kind == 'accelerator' end"));
        delay = 0;
        in_kernel = true;
        assert_ends(e, BEGUN "spin(kept, 5000):eval()");
        in_kernel = false;
        if (lun_dostring(e, "if not gpu then assert(spin(kept, 1):sum() == 500500)\n"
                            "  assert((kept * 2):sum() == 1001000) end") != LUN_OK)
            fail_msg("%s: %s", backends[i], lun_error(e));
        lun_close(e);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_from_a_thread),  cmocka_unit_test(test_at_any_moment),
#ifndef __SANITIZE_THREAD__
        cmocka_unit_test(test_from_a_handler),
#endif
        cmocka_unit_test(test_nothing_runs),   cmocka_unit_test(test_coroutines),
        cmocka_unit_test(test_kernels),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
