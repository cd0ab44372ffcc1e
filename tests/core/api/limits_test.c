/* limits_test.c - what a host imposes on an engine: interruption from a thread and from a
 * signal handler, limits of time and memory for evaluations and scripts, an allocator and
 * a log of its own. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include <pthread.h>
#include <signal.h>
#include <stdio.h>
#include <sys/stat.h>
#include <sys/time.h>
#include <time.h>
#include <unistd.h>

#include "engine/state.h"
#include "lunarray.h"
#include "lunarray_bind.h"
#include "stop_kit.h"

#define OK(call) assert_int_equal((call), LUN_OK)

/* Months of work in one kernel that needs no memory. */
#define LONG_KERNEL "(lun.index(1 << 40) * 0.5):sqrt():max()" /* half an hour */

static const lun_config plain = {
    .size = sizeof plain, .cache_dir = "", .jit = LUN_JIT_OFF, .threads = 2};

static lun_engine *open_with(lun_config c)
{
    lun_engine *e = NULL;
    OK(lun_open(&c, &e));
    return e;
}

/* Where time is limited a busy machine may need several times. */
static void assert_usable(lun_engine *e)
{
    double x = 0;
    lun_status s = LUN_ELIMIT;
    for (int k = 0; s == LUN_ELIMIT && k < 1000; k++)
        s = lun_dostring(e, "x = (lun.range(1, 10) * 2):sum()");
    OK(s);
    OK(lun_getnumber(e, "x", &x));
    assert_true(x == 110);
}

/* ---- interruption ---------------------------------------------------------------------------- */

static bool in_kernel; /* what the script does when it is stopped */
static pthread_t main_thread;

/* A cancellation before the script has begun would not be for it. */
static void *cancel_begun(void *e)
{
    wait_for_begin(e, in_kernel);
    lun_cancel(e);
    return NULL;
}

static void *signal_begun(void *e)
{
    wait_for_begin(e, in_kernel);
    pthread_kill(main_thread, SIGALRM);
    return NULL;
}

/* What runs the script while another thread stops it. */
static lun_status run_stopped(lun_engine *e, const char *script, void *(*stop)(void *e))
{
    pthread_t t;
    char text[512];
    snprintf(text, sizeof text, "local sign = ('x'):rep(%d); %s", SIGN, script);
    in_kernel = strstr(script, LONG_KERNEL) != NULL;
    main_thread = pthread_self();
    expect_begin(e);
    assert_int_equal(pthread_create(&t, NULL, stop, e), 0);
    const lun_status s = lun_dostring(e, text);
    pthread_join(t, NULL);
    return s;
}

static void assert_cancelled(lun_engine *e, const char *script)
{
    assert_int_equal(run_stopped(e, script, cancel_begun), LUN_ECANCEL);
    assert_non_null(strstr(lun_error(e), "interrupted"));
    assert_usable(e);
}

static void test_cancel_from_a_thread(void **state)
{
    (void)state;
    lun_config c = plain;
    c.alloc = note_begin;
    lun_engine *e = open_with(c);
    for (int i = 0; i < 3; i++)
        assert_cancelled(e, LONG_KERNEL);
    /* it holds for the whole script: what is tried again is stopped again */
    assert_cancelled(e, "pcall(function() " LONG_KERNEL " end) " LONG_KERNEL);
    lun_close(e);
}

/* A script's own loops, where the engine watches Lua's instructions. */
static void test_cancel_loops(void **state)
{
    (void)state;
    lun_config c = plain;
    c.alloc = note_begin;
    c.time_limit = 1000;
    for (c.sandbox = 0; c.sandbox < 2; c.sandbox++) {
        lun_engine *e = open_with(c);
        assert_cancelled(e, "while true do end");
        assert_cancelled(e, "while true do pcall(function() " LONG_KERNEL " end) end");
        assert_cancelled(e, "local function f() while true do pcall(f) end end f()");
        assert_cancelled(e, "coroutine.wrap(function() while true do end end)()");
        assert_cancelled(e, "local t = setmetatable({}, {__index = function(t, k) while true do "
                            "end end}) while true do pcall(rawget(t, 1) or t.x) end");
        lun_close(e);
    }
}

static lun_engine *interrupted;

static void on_alarm(int signal)
{
    (void)signal;
    lun_cancel(interrupted);
}

static void test_cancel_from_a_signal_handler(void **state)
{
    (void)state;
    struct sigaction ours = {.sa_handler = on_alarm}, before;
    lun_config c = plain;
    c.alloc = note_begin;
    interrupted = open_with(c);
    sigaction(SIGALRM, &ours, &before);
    for (int i = 0; i < 3; i++) {
        assert_int_equal(run_stopped(interrupted, LONG_KERNEL, signal_begun), LUN_ECANCEL);
        assert_usable(interrupted);
    }
    sigaction(SIGALRM, &before, NULL);
    lun_close(interrupted);
}

/* What was asked to stop before it began runs; another engine does not notice. */
static void test_cancel_is_for_what_runs(void **state)
{
    (void)state;
    lun_engine *one = open_with(plain), *two = open_with(plain);
    lun_cancel(one);
    assert_usable(one);
    lun_cancel(one);
    assert_usable(two);
    lun_close(one);
    lun_close(two);
}

/* ---- limits ---------------------------------------------------------------------------------- */

static void test_time_limit_of_scripts(void **state)
{
    (void)state;
    static const char *const endless[] = {
        LONG_KERNEL,
        "while true do end",
        "while true do pcall(error) end",
        "while true do pcall(coroutine.wrap(function() while true do end end)) end",
        "while true do local x <close> = setmetatable({}, {__close = function() while true do "
        "end end}) end",
        "for i = 1, math.huge do local x = (lun.index(1e6) * i):max() end",
        "table.sort({1, 2, 3}, function() while true do end end)",
        "string.gsub('x', 'x', function() while true do end end)",
        "if io then error 'no sandbox' end xpcall(error, function() while true do end end)",
        "if io then error 'no sandbox' end local function f() xpcall(f, f) f() end f()",
        "coroutine.wrap(function() local x <close> = setmetatable({}, {__close = function() while "
        "true do end end}) while not io do end end)() error 'no sandbox'",
        "if io then error 'no sandbox' end local co = coroutine.create(function() local x <close> "
        "= "
        "setmetatable({}, {__close = function() while true do end end}) while true do end end) "
        "pcall(coroutine.resume, co) pcall(coroutine.close, co)",
        "error(setmetatable({}, {__tostring = function() while true do end end}))",
    };
    lun_config c = plain;
    c.time_limit = 0.05;
    for (c.sandbox = 0; c.sandbox < 2; c.sandbox++) {
        lun_engine *e = open_with(c);
        for (size_t i = 0; i < sizeof endless / sizeof endless[0]; i++) {
            lun_status s = lun_dostring(e, endless[i]);
            if (s != LUN_ELIMIT && !(c.sandbox == 0 && strstr(lun_error(e), "no sandbox")))
                fail_msg("%s gave %s: %s", endless[i], lun_status_name(s), lun_error(e));
            assert_int_not_equal(s, LUN_OK);
            assert_usable(e);
        }
        lun_close(e);
    }
}

/* The time at which the call that is under way is to end; 0: never. */
static lun_status note_deadline(void *ctx, lun_engine *own, const lun_variant *args, int count,
                                lun_variant *results, int *given)
{
    (void)args, (void)count, (void)results, (void)given;
    *(double *)ctx = own->deadline;
    return LUN_OK;
}

/* The limit is for each call anew, and there is none outside of calls. */
static void test_time_limit_starts_anew(void **state)
{
    (void)state;
    double first = 0, deadline = 0;
    lun_config c = plain;
    c.time_limit = 1000;
    lun_engine *e = open_with(c);
    OK(lun_register(e, "note", note_deadline, &deadline));
    OK(lun_dostring(e, "note() t = lun.clock()"));
    first = deadline;
    assert_true(first > 0 && e->deadline == 0);
    OK(lun_dostring(e, "while lun.clock() <= t do end")); /* until the clock goes on */
    OK(lun_dostring(e, "note()"));
    assert_true(deadline > first);
    OK(lun_time_limit(e, 0));
    OK(lun_dostring(e, "note()"));
    assert_true(deadline == 0);
    lun_close(e);
}

static void test_memory_limit_of_scripts(void **state)
{
    (void)state;
    static const char *const greedy[] = {
        "local t = {} for i = 1, 1e9 do t[i] = i end",
        "local s = 'x' while true do s = s .. s end",
        "return ('x'):rep(1 << 30)",
        "return lun.ones(1e8) + lun.random(1e8):eval()",
        "local t, x = {}, lun.ones(10) while true do x = x + 1 t[#t + 1] = x end",
        "local t = {} while true do t[#t + 1] = lun.random(1000):eval() end",
        "return lun.index(1e8):totable()",
        "return lun.index(1e8):tobytes()",
        "local t = {} while true do t[#t + 1] = coroutine.create(print) end",
    };
    lun_config c = plain;
    c.memory_limit = 40 << 20;
    c.time_limit = 20;
    for (c.sandbox = 0; c.sandbox < 2; c.sandbox++) {
        lun_engine *e = open_with(c);
        for (size_t i = 0; i < sizeof greedy / sizeof greedy[0]; i++) {
            lun_status s = lun_dostring(e, greedy[i]);
            if (s != LUN_ELIMIT)
                fail_msg("%s gave %s: %s", greedy[i], lun_status_name(s), lun_error(e));
            if (!strstr(lun_error(e), "memory limit reached"))
                fail_msg("%s: %s", greedy[i], lun_error(e));
            assert_usable(e);
        }
        lun_close(e);
    }
}

/* The bytes of a column of an Arrow file count, also those of a compressed one, before they are
 * allocated. */
static void test_memory_limit_of_arrow_files(void **state)
{
    (void)state;
    static const char *const forms[] = {"none", "lz4", "zstd"};
    char path[] = "/tmp/lunarray-limits-XXXXXX", script[400];
    lun_config c = plain;
    const int fd = mkstemp(path);
    assert_true(fd >= 0);
    close(fd);
    for (int k = 0; k < 3; k++) {
        c.memory_limit = 0;
        lun_engine *e = open_with(c);
        snprintf(script, sizeof script,
                 "local t = {x = (lun.index(2000000) // 1000):cast 'f64'}\n"
                 "if not lun.door '%s' and '%s' ~= 'none' then return end\n"
                 "assert(lun.save('%s', t, {format = 'arrow', compression = '%s'}))",
                 k ? forms[k] : "lz4", forms[k], path, forms[k]);
        OK(lun_dostring(e, script));
        lun_close(e);
        c.memory_limit = 12 << 20;
        e = open_with(c);
        snprintf(script, sizeof script, "return assert(lun.load('%s', {format = 'arrow'}))", path);
        assert_int_equal(lun_dostring(e, script), LUN_ELIMIT);
        assert_non_null(strstr(lun_error(e), "memory limit reached"));
        assert_usable(e);
        snprintf(script, sizeof script,
                 "assert(#lun.load('%s', {format = 'arrow', nrows = 65536}).x == 65536)", path);
        OK(lun_dostring(e, script));
        lun_close(e);
    }
    unlink(path);
}

/* Not even Lua itself fits. */
static void test_memory_limit_below_anything(void **state)
{
    (void)state;
    lun_config c = plain;
    for (c.memory_limit = 1; c.memory_limit < 200000; c.memory_limit = c.memory_limit * 3 / 2 + 1)
        for (c.sandbox = 0; c.sandbox < 2; c.sandbox++) {
            lun_engine *e = open_with(c);
            lun_status s = lun_dostring(e, "local t = {} for i = 1, 1e9 do t[i] = i end");
            if (s != LUN_ELIMIT || strcmp(lun_error(e), "memory limit reached") != 0)
                fail_msg("%lld bytes gave %s: %s", (long long)c.memory_limit, lun_status_name(s),
                         lun_error(e));
            lun_close(e);
        }
}

/* Without a sandbox scripts have files: what has no end stops before the limit, and waiting for a
 * pipe at the time limit. */
static void test_files_without_end(void **state)
{
    (void)state;
    lun_config c = plain;
    c.memory_limit = 40 << 20;
    c.time_limit = 0.5;
    lun_engine *e = open_with(c);
    OK(lun_dostring(e, "local a, m, c = lun.load('/dev/zero', {dtype = 'u8'})\n"
                       "assert(not a and m:find('no end of file within 10485760', 1, true), m)\n"
                       "assert(c == 'unsupported')"));
    char path[] = "/tmp/lunarray-limits-XXXXXX", script[200];
    assert_non_null(mkdtemp(path));
    snprintf(script, sizeof script, "%s/fifo", path);
    assert_int_equal(mkfifo(script, 0600), 0);
    snprintf(script, sizeof script, "lun.load('%s/fifo', {dtype = 'u8'})", path);
    assert_int_equal(lun_dostring(e, script), LUN_ELIMIT);
    assert_usable(e);
    lun_close(e);
    snprintf(script, sizeof script, "%s/fifo", path);
    unlink(script);
    rmdir(path);
}

/* ---- the host's own -------------------------------------------------------------------------- */

typedef struct ledger {
    long blocks, calls;
    long fail_from; /* the call from which there is no memory; 0: never */
} ledger;

static void *keep_books(void *ctx, void *old, size_t bytes)
{
    ledger *l = ctx;
    l->calls++;
    if (bytes == 0) {
        l->blocks -= old != NULL;
        free(old);
        return NULL;
    }
    if (l->fail_from && l->calls >= l->fail_from)
        return NULL;
    void *now = realloc(old, bytes);
    l->blocks += !old && now;
    return now;
}

static void test_allocator(void **state)
{
    (void)state;
    ledger l = {0};
    lun_config c = plain;
    c.alloc = keep_books;
    c.alloc_ctx = &l;
    lun_engine *e = open_with(c);
    assert_usable(e);
    OK(lun_dostring(e, "v = lun.random(1e5):eval() t = {} for i = 1, 1000 do t[i] = {i} end"));
    assert_true(l.blocks > 1000); /* Lua's as well */
    lun_close(e);
    assert_int_equal(l.blocks, 0);
}

/* From any call on there is no memory: a status, no leak, and afterwards all is well. */
static void test_allocator_fails(void **state)
{
    (void)state;
    for (long n = 1; n < 4000; n += n / 8 + 1) {
        ledger l = {.fail_from = n};
        lun_config c = plain;
        lun_engine *e = NULL;
        c.alloc = keep_books;
        c.alloc_ctx = &l;
        if (lun_open(&c, &e) == LUN_OK) {
            lun_status s =
                lun_dostring(e, "local t = {} for i = 1, 200 do t[i] = lun.vector {i} + i "
                                "end lun.eval(table.unpack(t)) s = t[9]:sum()");
            if (s != LUN_OK && s != LUN_ENOMEM)
                fail_msg("call %ld: %s: %s", n, lun_status_name(s), lun_error(e));
            l.fail_from = 0;
            assert_usable(e);
        }
        lun_close(e);
        assert_int_equal(l.blocks, 0);
    }
}

static int lines;
static char last[256];

static void note(void *ctx, const char *text)
{
    assert_ptr_equal(ctx, &lines);
    lines++;
    snprintf(last, sizeof last, "%s", text);
}

static void test_log(void **state)
{
    (void)state;
    lun_config c = plain;
    c.log = note;
    c.log_ctx = &lines;
    c.cache_dir = "/proc/no/such/place";
    lun_engine *e = NULL;
    lines = 0;
    OK(lun_open(&c, &e));
    OK(lun_dostring(e, "warn 'from the script'"));
    assert_true(lines > 0);
    assert_string_equal(last, "from the script");
    lun_close(e);
    c.backend = "nope";
    assert_int_equal(lun_open(&c, &e), LUN_EARG);
    assert_non_null(strstr(last, "no backend 'nope'"));
}

enum { FUNCTIONS = 1000, MANY = 1000000 / 32 };

static void *release_all(void *functions)
{
    for (int i = 0; i < FUNCTIONS; i++)
        lun_function_release(((lun_function **)functions)[i]);
    return NULL;
}

/* Functions count until they are released, on whichever thread, also after the engine. */
static void test_functions_count(void **state)
{
    static lun_function *f[FUNCTIONS], *many[MANY];
    lun_config c = plain;
    lun_engine *e = open_with(c);
    lun_function *one, *more;
    pthread_t other;
    int made = 0;
    (void)state;
    const int64_t before = lun_memory_used(e);
    for (int i = 0; i < FUNCTIONS; i++)
        OK(lun_function_op(e, LUN_OP_NEG, &f[i]));
    OK(lun_function_op(e, LUN_OP_NEG, &one));
    assert_true(lun_memory_used(e) - before >= FUNCTIONS * 32);
    assert_int_equal(pthread_create(&other, NULL, release_all, f), 0);
    pthread_join(other, NULL);
    assert_true(lun_memory_used(e) - before < FUNCTIONS * 32);
    lun_close(e);
    lun_function_release(one);

    c.memory_limit = 1000000;
    e = open_with(c);
    while (lun_function_op(e, LUN_OP_NEG, &more) == LUN_OK) {
        f[made % FUNCTIONS] = more;
        if (++made % FUNCTIONS == 0) /* far more than fit, of which few are there */
            release_all(f);
        if (made == 200 * FUNCTIONS)
            break;
    }
    assert_int_equal(made, 200 * FUNCTIONS);
    for (made = 0; made < MANY && lun_function_op(e, LUN_OP_NEG, &many[made]) == LUN_OK; made++)
        ;
    assert_true(made > 0 && made < MANY);
    assert_non_null(strstr(lun_error(e), "memory"));
    lun_function_release(many[0]);
    OK(lun_function_op(e, LUN_OP_NEG, &many[0]));
    while (made > 0)
        lun_function_release(many[--made]);
    lun_close(e);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_cancel_from_a_thread),
        cmocka_unit_test(test_cancel_loops),
        cmocka_unit_test(test_cancel_from_a_signal_handler),
        cmocka_unit_test(test_cancel_is_for_what_runs),
        cmocka_unit_test(test_time_limit_of_scripts),
        cmocka_unit_test(test_time_limit_starts_anew),
        cmocka_unit_test(test_memory_limit_of_scripts),
        cmocka_unit_test(test_memory_limit_of_arrow_files),
        cmocka_unit_test(test_memory_limit_below_anything),
        cmocka_unit_test(test_files_without_end),
        cmocka_unit_test(test_functions_count),
        cmocka_unit_test(test_allocator),
        cmocka_unit_test(test_allocator_fails),
        cmocka_unit_test(test_log),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
